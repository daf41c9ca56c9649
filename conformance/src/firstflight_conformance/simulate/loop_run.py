"""What a run of a scenario came to, whoever was in the loop."""

from dataclasses import dataclass, field
from typing import Any

from firstflight import Ack, Lost, Sent
from firstflight.events import Event
from firstflight_conformance.replay.growth import first_reduced_growth, granted_bytes
from firstflight_conformance.simulate.in_loop import SenderLimits
from firstflight_conformance.simulate.loop import Simulation, StallError


@dataclass(frozen=True, slots=True)
class Moment:
    """An event of a run: its index and time, the largest packet that it names, and the window after it."""

    event_index: int
    t_ns: int
    packet: int | None
    cwnd_bytes: int


@dataclass(frozen=True, slots=True)
class LoopRun:
    """The outcome of a run of a scenario.

    ``end``: the transfer is ``complete``, or the time of the scenario is over (``stopped``), or the sender ``stalled``; of a stack also
    ``errored`` or ``unsupported``. ``growth_reduced``: the first event with less growth than slow start has; ``slow_start_ended``: the
    first after which phase or threshold say so. ``lost_packets`` were declared lost, ``dropped_packets`` did not fit the queue.
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
    """What a controller in the loop went through: the events, and its windows after them."""

    events: list[Event] = field(default_factory=list)
    windows: list[int] = field(default_factory=list)
    slow_start_ended: Moment | None = None
    lost_packets: int = 0

    def add(self, event: Event, observed: dict[str, Any], *, paces: bool) -> SenderLimits:
        """Take the answer to an event; return what the sender goes by. A release time counts only if the algorithm ``paces``."""
        self.events.append(event)
        self.windows.append(observed["cwnd_bytes"])
        if isinstance(event, Lost):
            self.lost_packets += sum(run.count for run in event.packets)
        in_slow_start = _in_slow_start(observed)
        if self.slow_start_ended is None and not in_slow_start:
            self.slow_start_ended = self.moment(len(self.events) - 1)
        return SenderLimits(observed["cwnd_bytes"], observed.get("next_release_ns") if paces else None, in_slow_start)

    def moment(self, index: int | None) -> Moment | None:
        """Return the event with this index, its time and the window after it."""
        if index is None:
            return None
        event = self.events[index]
        packet = event.packets[-1].last if isinstance(event, Sent | Ack | Lost) else None
        return Moment(index, event.t_ns, packet, self.windows[index])


def _in_slow_start(observed: dict[str, Any]) -> bool:
    """Return whether slow start goes on as far as the answer shows it: by the threshold, or else by the phase."""
    if "ssthresh_bytes" in observed and observed.get("phase") not in ("drain", "probe_bw"):
        threshold_bytes = observed["ssthresh_bytes"]
        return threshold_bytes is None or bool(observed["cwnd_bytes"] < threshold_bytes)
    return observed.get("phase", "slow_start") in ("slow_start", "conservative_slow_start", "startup")


class Turns:
    """Turns of a closed loop: events that the runner sends in one message before it reads their answers.

    A turn ends with every event but `sent`, and with `sent` too if the algorithm paces or samples rates. The answer to another `sent`
    counts from the end of its turn: there the sender looks at its window again. The rule depends on the algorithm alone, so that a turn
    reveals nothing of the model's answers.
    """

    def __init__(self, *, samples_rate: bool) -> None:
        """Begin before the first event."""
        self.starts: list[int] = []
        #: Whether the algorithm paces; unknown before the first observation.
        self.paces = True
        self._count = 0
        self._has_ended = True
        self._samples_rate = samples_rate

    def ends_with(self, event: Event) -> bool:
        """Add an event; return whether its turn ends with it."""
        if self._has_ended:
            self.starts.append(self._count)
        self._count += 1
        self._has_ended = self._samples_rate or self.paces or not isinstance(event, Sent)
        return self._has_ended


def run(simulation: Simulation) -> str:
    """Run to the end; return how it ended."""
    try:
        simulation.run()
    except StallError:
        return "stalled"
    return "complete" if simulation.done else "stopped"


def summary(trace: LoopTrace, end: str, slack: int, dropped_packets: int) -> LoopRun:
    """Return what a run came to; ``slack``: by how much less than in slow start a window may grow within its class."""
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
