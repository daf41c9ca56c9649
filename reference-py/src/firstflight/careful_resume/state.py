"""The state of Careful Resume (``spec/careful-resume/rules.md``, section State), and functions shared by its phases.

The functions of this package change the state and the base controller in place and return a report.
Mirrors ``reference-c/firstflight/careful_resume/state.c``.
"""

from dataclasses import dataclass, field

from firstflight.careful_resume import profiles as cr
from firstflight.careful_resume.profiles import Readings
from firstflight.events import Ack, Run, SavedPath
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Outcome, Phase, Trigger
from firstflight.values import copied

#: Placeholder before a set is in use.
NO_SET = SavedPath(1, 0, 0, False, False, None, None, 1, 1)


@dataclass(slots=True)
class SavedSet:
    """Data of a path that is saved between connections; at most one set for a Remote Endpoint."""

    cwnd_bytes: int
    rtt_ns: int
    in_use: bool


@dataclass(slots=True)
class Marks:
    """Packet numbers, ``None`` until set: highest sent and acknowledged, first and last of the Unvalidated phase."""

    sent: int | None = None
    acked: int | None = None
    first_unvalidated: int | None = None
    last_unvalidated: int | None = None


@dataclass(slots=True)
class Initial:
    """The initial data: packets ``first`` to ``last``, ``last`` being ``None`` until one of them is acknowledged.

    ``left_bytes``: sent and not acknowledged.
    """

    first: int = 0
    last: int | None = None
    left_bytes: int = 0


@dataclass(slots=True)
class Rtt:
    """RTTs of the connection in ns, ``None`` before the first sample.

    ``phase_first_ns`` and ``phase_minimum_ns``: first and smallest sample since Reconnaissance began.
    """

    latest_ns: int | None = None
    smoothed_ns: int | None = None
    minimum_ns: int | None = None
    phase_first_ns: int | None = None
    phase_minimum_ns: int | None = None


@dataclass(slots=True)
class Schedule:
    """Pacing of the Unvalidated phase, at a rate of one jump window per ``rtt_ns``.

    The schedule starts at ``t_ns``, and ``bytes`` have been sent since then. The next packet is released at ``t_ns``
    plus the time of these bytes at the rate.
    """

    t_ns: int = 0
    bytes: int = 0
    rtt_ns: int = 0


@dataclass(slots=True)
class Round:
    """A round trip of normal congestion control. ``next_first``: the packet whose ACK ends it, ``None`` before the first."""

    next_first: int | None = None
    bytes: int = 0
    limited: bool = False


@dataclass(slots=True)
class CarefulResume:
    """The whole state. ``used``: the saved set in use or already used; ``saved``: the set to save now.

    ``jump_bytes``: 0 before a jump. ``limit_from_ns``: start of the time limit of the Unvalidated phase.
    ``unvalidated_left_bytes``: bytes sent in that phase, neither acknowledged nor lost.
    """

    initial_window_bytes: int
    phase: Phase = Phase.NORMAL
    used: SavedPath = NO_SET
    saved: SavedSet | None = None
    flight_bytes: int = 0
    backlog_bytes: int = 0
    marks: Marks = field(default_factory=Marks)
    initial: Initial = field(default_factory=Initial)
    rtt: Rtt = field(default_factory=Rtt)
    jump_bytes: int = 0
    pipesize_bytes: int = 0
    limit_from_ns: int = 0
    unvalidated_left_bytes: int = 0
    schedule: Schedule = field(default_factory=Schedule)
    round_trip: Round = field(default_factory=Round)

    def copy(self) -> "CarefulResume":
        """Return a copy that shares no mutable state."""
        copy = copied(self)
        copy.saved = None if self.saved is None else copied(self.saved)
        copy.marks, copy.initial, copy.rtt = copied(self.marks), copied(self.initial), copied(self.rtt)
        copy.schedule, copy.round_trip = copied(self.schedule), copied(self.round_trip)
        return copy


@dataclass(frozen=True, slots=True)
class Normal:
    """Result of normal congestion control for an event.

    ``bin``, ``open_bin_bytes``: index of the open bin of SEARCH, and the bytes in it; ``None`` without SEARCH.
    """

    base: BaseState
    outcome: Outcome
    bin: int | None = None
    open_bin_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """Report of an event. ``triggers``: all triggers of a phase change, the reported trigger first."""

    outcome: Outcome
    triggers: tuple[Trigger, ...] = ()


def take_normal(base: BaseState, normal: Normal) -> Report:
    """Copy the state of the base controller from ``normal`` to ``base``; return a report with its outcome.

    ``normal``: the result of normal congestion control for the event.
    """
    for name in BaseState.__slots__:
        setattr(base, name, getattr(normal.base, name))
    return Report(normal.outcome)


def saturated(total_bytes: int) -> int:
    """Return a sum of bytes, at most the largest window."""
    return min(total_bytes, WINDOW_MAX_BYTES)  # not a rule of the text, which does not bound the sum


def share(value: int, factor: int, divisor: int, *, up: bool) -> int:
    """Return value * factor / divisor, rounded down or up."""
    product = value * factor
    return -(-product // divisor) if up else product // divisor


def highest(mark: int | None, packet: int) -> int:
    """Return the higher of a mark, if it is set, and a packet."""
    return packet if mark is None or packet > mark else mark


def reached(mark: int | None, packet: int | None) -> bool:
    """Return whether a mark is set and at least ``packet``, which must be set too."""
    return mark is not None and packet is not None and mark >= packet


def bytes_between(runs: tuple[Run, ...], first: int, last: int) -> int:
    """Return the total bytes of those packets of ``runs`` that have a number from ``first`` to ``last``, inclusive.

    A run is a range of packet numbers with one size for each packet.
    """
    return sum(max(0, min(run.last, last) - max(run.first, first) + 1) * run.size_bytes for run in runs)


def take_unvalidated(state: CarefulResume, runs: tuple[Run, ...]) -> int:
    """Subtract the packets of the Unvalidated phase from ``unvalidated_left_bytes``; return their bytes."""
    first, last = state.marks.first_unvalidated, state.marks.last_unvalidated
    if first is None or last is None:
        return 0
    of_phase = bytes_between(runs, first, last)
    state.unvalidated_left_bytes = max(0, state.unvalidated_left_bytes - of_phase)
    return of_phase


def acknowledge(readings: Readings, state: CarefulResume, ack: Ack) -> None:
    """Count newly acknowledged packets in PipeSize."""
    of_phase = take_unvalidated(state, ack.packets)
    match readings.pipesize_counts:
        case cr.PipesizeCounts.ALL:
            counted = ack.bytes  # [careful-resume.pipesize.all]
        case cr.PipesizeCounts.UNVALIDATED:
            counted = of_phase  # [careful-resume.pipesize.unvalidated-only]
    state.pipesize_bytes = saturated(state.pipesize_bytes + counted)


def end(state: CarefulResume) -> None:
    """End Careful Resume for this connection, and return to normal congestion control.

    Other connections may use the saved set again. From the next ACK on, this connection measures the capacity of the
    path, to save a new set.
    """
    state.phase = Phase.NORMAL  # [careful-resume.end]
    if state.saved is not None:
        state.saved.in_use = False
    state.round_trip = Round()


def rtt_too_low(readings: Readings, rtt_ns: int | None, used: SavedPath) -> bool:
    """Return whether an RTT is below half of the RTT of the saved path; false without an RTT.

    With the choice ``at_half`` of ``rtt_low``, an RTT of exactly half is also too low.
    """
    if rtt_ns is None:
        return False
    if 2 * rtt_ns == used.saved_rtt_ns:
        return readings.rtt_low is cr.RttLow.AT_HALF
    return 2 * rtt_ns < used.saved_rtt_ns


def rtt_too_high(rtt_ns: int | None, used: SavedPath) -> bool:
    """Return whether an RTT is more than ten times the RTT of the saved path; false without an RTT."""
    return rtt_ns is not None and rtt_ns > 10 * used.saved_rtt_ns
