"""Trace and outcome of a scenario run with any controller in the loop."""

from dataclasses import dataclass, field
from typing import Any

from firstflight import Ack, Lost, Sent
from firstflight.events import Event
from firstflight_conformance.replay.growth import first_reduced_growth, granted_bytes
from firstflight_conformance.simulate.in_loop import SenderLimits
from firstflight_conformance.simulate.loop import Simulation, StallError


@dataclass(frozen=True, slots=True)
class Moment:
    """An event of a run: its index, its time, its largest packet number, and the window after it.

    ``packet`` is None if the event does not report sent, acknowledged or lost packets.
    """

    event_index: int
    t_ns: int
    packet: int | None
    cwnd_bytes: int


@dataclass(frozen=True, slots=True)
class LoopRun:
    """The outcome of a run of a scenario.

    ``end``: ``complete``, ``stopped`` (by the time limit of the scenario) or ``stalled``; for a stack also ``errored``
    or ``unsupported``. ``growth_reduced``: first event with less growth than in slow start. ``slow_start_ended``: first
    event out of slow start, by phase or threshold. ``lost_packets``: declared lost. ``dropped_packets``: dropped by the
    queue.
    """

    events: int
    end: str
    end_t_ns: int | None
    growth_reduced: Moment | None
    slow_start_ended: Moment | None
    largest_cwnd_bytes: int | None
    lost_packets: int
    dropped_packets: int


@dataclass(slots=True)
class LoopTrace:
    """Events of a controller in the loop, and its windows after them."""

    events: list[Event] = field(default_factory=list)
    windows: list[int] = field(default_factory=list)
    slow_start_ended: Moment | None = None
    lost_packets: int = 0

    def add(self, event: Event, observed: dict[str, Any], *, paces: bool) -> SenderLimits:
        """Add an answer; return the limits of the sender. The release time is used only if the algorithm ``paces``."""
        self.events.append(event)
        self.windows.append(observed["cwnd_bytes"])
        if isinstance(event, Lost):
            self.lost_packets += sum(run.count for run in event.packets)
        in_slow_start = _in_slow_start(observed)
        if self.slow_start_ended is None and not in_slow_start:
            self.slow_start_ended = self.moment(len(self.events) - 1)
        return SenderLimits(observed["cwnd_bytes"], observed.get("next_release_ns") if paces else None, in_slow_start)

    def moment(self, index: int | None) -> Moment | None:
        """Return index, time and largest packet number of an event, and the window after it; None without ``index``.

        The packet number is None if the event does not report sent, acknowledged or lost packets.
        """
        if index is None:
            return None
        event = self.events[index]
        packet = event.packets[-1].last if isinstance(event, Sent | Ack | Lost) else None
        return Moment(index, event.t_ns, packet, self.windows[index])


def _in_slow_start(observed: dict[str, Any]) -> bool:
    """Return whether the answer is in slow start: by the threshold if present, else by the phase."""
    if "ssthresh_bytes" in observed and observed.get("phase") not in ("drain", "probe_bw"):
        threshold_bytes = observed["ssthresh_bytes"]
        return threshold_bytes is None or bool(observed["cwnd_bytes"] < threshold_bytes)
    return observed.get("phase", "slow_start") in ("slow_start", "conservative_slow_start", "startup")


class Turns:
    """Turns of a closed loop: events that the runner sends in one write before it reads their answers.

    A turn ends with every event except `sent`, and also with `sent` if the algorithm paces or samples rates. If a
    `sent` does not end the turn, its answer takes effect at the end of the turn, where the sender checks its window
    again. The rule depends only on the algorithm, so that turns do not reveal the model's answers.
    """

    def __init__(self, *, samples_rate: bool) -> None:
        """Start without events. ``samples_rate``: whether the algorithm uses delivery-rate samples.

        ``starts``: index of the first event of each turn so far. A turn is the events that the runner sends in one
        write before it reads their answers.
        """
        self.starts: list[int] = []
        #: Whether the algorithm paces; unknown before the first observation.
        self.paces = True
        self._count = 0
        self._has_ended = True
        self._samples_rate = samples_rate

    def ends_with(self, event: Event) -> bool:
        """Add the next event; return whether it ends the current turn, so that the runner now reads the answers.

        A turn is the events that the runner sends in one write before it reads their answers.
        """
        if self._has_ended:
            self.starts.append(self._count)
        self._count += 1
        self._has_ended = self._samples_rate or self.paces or not isinstance(event, Sent)
        return self._has_ended


def run(simulation: Simulation) -> str:
    """Run to the end; return ``complete`` if all data was acknowledged.

    Otherwise return ``stalled`` if the sender waits forever for ACKs, or ``stopped`` at the scenario's time limit.
    """
    try:
        simulation.run()
    except StallError:
        return "stalled"
    return "complete" if simulation.done else "stopped"


def summary(trace: LoopTrace, end: str, slack: int, dropped_packets: int) -> LoopRun:
    """Return the outcome of a run. ``slack``: permitted deficit of growth, in bytes, compared with slow start."""
    return LoopRun(
        events=len(trace.events),
        end=end,
        end_t_ns=trace.events[-1].t_ns if trace.events else None,
        growth_reduced=trace.moment(
            first_reduced_growth([granted_bytes(e) for e in trace.events], trace.windows, slack)
        ),
        slow_start_ended=trace.slow_start_ended,
        largest_cwnd_bytes=max(trace.windows, default=None),
        lost_packets=trace.lost_packets,
        dropped_packets=dropped_packets,
    )
