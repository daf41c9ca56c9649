"""What Careful Resume remembers (``spec/careful-resume.md``, section State), and the sums that its phases share.

Mirrors ``reference-c/src/careful_resume/state.c``.
"""

from dataclasses import dataclass, replace

from firstflight.careful_resume import profiles as cr
from firstflight.careful_resume.profiles import Readings
from firstflight.events import Run, SavedPath
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.newreno.newreno import NewReno
from firstflight.observables import Outcome, Phase, Trigger

#: What is in use before anything is.
NO_SET = SavedPath(1, 0, 0, False, False, None, None, 1, 1)


@dataclass(frozen=True, slots=True)
class SavedSet:
    """What is kept of a path between connections; at most one for a Remote Endpoint."""

    cwnd_bytes: int
    rtt_ns: int
    in_use: bool


@dataclass(frozen=True, slots=True)
class Marks:
    """Packet numbers, ``None`` until there is one: the highest sent and acknowledged, and those of the Unvalidated phase."""

    sent: int | None = None
    acked: int | None = None
    first_unvalidated: int | None = None
    last_unvalidated: int | None = None


@dataclass(frozen=True, slots=True)
class Initial:
    """The initial data: packets ``first`` to ``last``, ``last`` being ``None`` until one of them is acknowledged.

    ``left_bytes``: sent and not acknowledged. ``acked_bytes``: acknowledged in Reconnaissance, whichever packets they were in.
    """

    first: int = 0
    last: int | None = None
    left_bytes: int = 0
    acked_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Rtt:
    """RTTs in ns, ``None`` before the first sample; ``phase_...`` since Reconnaissance began."""

    latest_ns: int | None = None
    smoothed_ns: int | None = None
    minimum_ns: int | None = None
    phase_first_ns: int | None = None
    phase_minimum_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Schedule:
    """Packets are released at ``t_ns`` plus the time that ``bytes`` take at the jump per ``rtt_ns``."""

    t_ns: int = 0
    bytes: int = 0
    rtt_ns: int = 0


@dataclass(frozen=True, slots=True)
class Round:
    """A round trip of normal congestion control. ``next_first``: the packet whose ACK ends it, ``None`` before the first."""

    next_first: int | None = None
    bytes: int = 0
    limited: bool = False


@dataclass(frozen=True, slots=True)
class CarefulResume:
    """The whole state. ``used``: the saved set in use or used up; ``saved``: the set as it is to be kept now.

    ``jump_bytes``: 0 before a jump. ``limit_from_ns``: from when the time in the Unvalidated phase is measured.
    ``unvalidated_left_bytes``: of the packets of that phase, sent and neither acknowledged nor lost.
    """

    initial_window_bytes: int
    phase: Phase = Phase.NORMAL
    used: SavedPath = NO_SET
    saved: SavedSet | None = None
    flight_bytes: int = 0
    backlog_bytes: int = 0
    marks: Marks = Marks()
    initial: Initial = Initial()
    rtt: Rtt = Rtt()
    jump_bytes: int = 0
    pipesize_bytes: int = 0
    limit_from_ns: int | None = None
    unvalidated_left_bytes: int = 0
    schedule: Schedule = Schedule()
    round_trip: Round = Round()


@dataclass(frozen=True, slots=True)
class Step:
    """What one event led to. ``triggers``: all that held at a change of phase, the reported one first."""

    state: CarefulResume
    base: NewReno
    outcome: Outcome
    triggers: tuple[Trigger, ...] = ()


def saturated(total_bytes: int) -> int:
    """Return a sum of bytes, at most the largest window."""
    return min(total_bytes, WINDOW_MAX_BYTES)  # no rule: the text knows no bound


def share(value: int, numerator: int, denominator: int) -> int:
    """Return value * numerator / denominator, rounded down."""
    return value * numerator // denominator


def bytes_between(runs: tuple[Run, ...], first: int, last: int) -> int:
    """Return how many bytes of the runs lie in the packets first..last."""
    return sum(max(0, min(run.last, last) - max(run.first, first) + 1) * run.size_bytes for run in runs)


def unvalidated_bytes(state: CarefulResume, runs: tuple[Run, ...]) -> int:
    """Return how many bytes of the runs were sent in the Unvalidated phase."""
    first, last = state.marks.first_unvalidated, state.marks.last_unvalidated
    return 0 if first is None or last is None else bytes_between(runs, first, last)


def acknowledge(readings: Readings, state: CarefulResume, runs: tuple[Run, ...]) -> CarefulResume:
    """Count newly acknowledged packets in PipeSize."""
    of_phase = unvalidated_bytes(state, runs)
    if readings.pipesize_counts is cr.PipesizeCounts.ALL:
        counted = sum(run.count * run.size_bytes for run in runs)  # [careful-resume.pipesize.all]
    else:
        counted = of_phase  # [careful-resume.pipesize.unvalidated-only]
    return replace(
        state,
        pipesize_bytes=saturated(state.pipesize_bytes + counted),
        unvalidated_left_bytes=max(0, state.unvalidated_left_bytes - of_phase),
    )


def end(state: CarefulResume) -> CarefulResume:
    """End Careful Resume for good: the saved set is free again, and observing may begin."""
    saved = replace(state.saved, in_use=False) if state.saved else None  # [careful-resume.end]
    return replace(state, phase=Phase.NORMAL, saved=saved, round_trip=Round())


def rtt_too_low(readings: Readings, rtt_ns: int | None, used: SavedPath) -> bool:
    """Return whether an RTT shows a shorter path than the saved one."""
    if rtt_ns is None:
        return False
    at_half = 2 * rtt_ns == used.saved_rtt_ns and readings.rtt_low is cr.RttLow.AT_HALF
    return at_half or 2 * rtt_ns < used.saved_rtt_ns


def rtt_too_high(readings: Readings, rtt_ns: int | None, used: SavedPath) -> bool:
    """Return whether an RTT shows a longer path than the saved one."""
    if rtt_ns is None or readings.rtt_high is cr.RttHigh.NONE:
        return False
    at_ten = rtt_ns == 10 * used.saved_rtt_ns and readings.rtt_high is cr.RttHigh.AT_TEN
    return at_ten or rtt_ns > 10 * used.saved_rtt_ns
