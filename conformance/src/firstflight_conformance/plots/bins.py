"""The bins of SEARCH and the compared windows, for plots.

They are read from the state of the model while it processes the stream again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from firstflight.controller import Config, Controller, create_with
from firstflight.events import Ack, Event
from firstflight.observables import Observation, Outcome, Phase
from firstflight.search.bins import TICKS_PER_UNIT, Search
from firstflight.search.profiles import BeforeBin0, Clock, Compared, Interpolation, Precision, Readings, Windows
from firstflight.search.windows import SHIFTED_BITS, WINDOW_BINS, shift_bins
from firstflight_conformance.replay.implementation import ModelRun, drive

_NS_PER_UNIT = {Clock.NS: 1, Clock.US: 1_000, Clock.MS: 1_000_000}
_STARTS = (Outcome.STARTED, Outcome.RESTARTED)
#: By reading: begin and end of the window of an index, in bins relative to the index.
_BOUNDS = {
    Windows.THROUGH_OPEN: (-WINDOW_BINS, 1),
    Windows.COMPLETED: (-WINDOW_BINS, 0),
    Windows.LIVE: (1 - WINDOW_BINS, 1),
}


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin: begin and end since the first event, and the bytes delivered and sent in the bin."""

    start_ns: float
    end_ns: float
    bytes: int
    sent_bytes: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One evaluation of SEARCH, which compared two windows of bins (intervals for counting bytes).

    ``current`` and ``previous``: begin and end of the later and the earlier window, in ns. ``current_bytes`` and
    ``previous_bytes``: bytes in these windows, in units of ``unit_bytes``. ``before_bin_0_bytes``: bytes counted before
    SEARCH started, if they are part of the sum of the earlier window; else 0. Some profiles count them, if that window
    begins before the first bin (bin 0).
    """

    t_ns: int
    current: tuple[float, float]
    previous: tuple[float, float]
    current_bytes: int
    previous_bytes: int
    unit_bytes: int
    before_bin_0_bytes: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Bins:
    """Bins and evaluations of SEARCH in a ``profile``."""

    profile: str
    readings: Readings
    bins: tuple[Bin, ...]
    evaluations: tuple[Evaluation, ...]

    @property
    def decision(self) -> Evaluation | None:
        """The evaluation that ended slow start, else the last one."""
        exits = [e for e in self.evaluations if e.outcome is Outcome.EXITED]
        return (exits or list(self.evaluations) or [None])[-1]  # type: ignore[list-item]


@dataclass(slots=True)
class _Epoch:
    """Period from one start of SEARCH to the next. Bin i begins i bin durations after the start."""

    start_ns: float
    bin_ns: float
    delivered: dict[int, int] = field(default_factory=dict)
    sent: dict[int, int] = field(default_factory=dict)
    curr: int = 0

    def begin_ns(self, index: float) -> float:
        return self.start_ns + index * self.bin_ns

    def update(self, state: Search) -> None:
        """Copy the bins that ended since the last event, and the open bin."""
        for series, known in ((state.delivered, self.delivered), (state.sent, self.sent)):
            for back in range(1, min(state.curr - self.curr, len(series.completed)) + 1):
                known[state.curr - back] = series.completed[-back]
            known[state.curr] = series.open_bytes
        self.curr = state.curr


def follow(
    profile: str,
    readings: Readings | None,
    config: Config,
    events: Sequence[Event],
    controller: Controller | None = None,
) -> tuple[list[Observation], Bins | None]:
    """Drive a profile through a stream. Return its observations and its bins, or ``None`` if SEARCH opened no bin.

    ``controller``: a new controller with these readings on another base.
    """
    controller = create_with(readings, config) if controller is None else controller
    observations: list[Observation] = []
    epochs: list[_Epoch] = []
    evaluations: list[Evaluation] = []
    origin_ns = events[0].t_ns
    resting = False
    for event, observation in zip(events, drive(ModelRun(controller), events), strict=True):
        observations.append(observation)
        state = controller.search
        # Kernels continue counting after slow start; the state assigns these bytes to bins, but they belong to none.
        rested, resting = resting, observation.phase is not Phase.SLOW_START or state.target_bytes is not None
        if readings is None or state.bin_end_ticks == 0 or rested:
            continue
        if isinstance(event, Ack) and observation.outcome in _STARTS:
            epochs.append(_epoch(readings, state, origin_ns))
        epochs[-1].update(state)
        if observation.state["current_bytes"] is not None:
            evaluations.append(_evaluation(event.t_ns - origin_ns, readings, state, observation, epochs[-1]))
    if readings is None or not epochs:
        return observations, None
    return observations, Bins(profile, readings, _bins(epochs), tuple(evaluations))


def _epoch(readings: Readings, state: Search, origin_ns: int) -> _Epoch:
    tick_ns = _NS_PER_UNIT[readings.clock] / TICKS_PER_UNIT
    start_ticks = state.bin_end_ticks - (state.curr + 1) * state.bin_ticks
    # Integer arithmetic first: a time since the start of the clock has more digits than a float.
    start_ns = start_ticks * _NS_PER_UNIT[readings.clock] // TICKS_PER_UNIT - origin_ns
    return _Epoch(start_ns, state.bin_ticks * tick_ns)


def _bins(epochs: list[_Epoch]) -> tuple[Bin, ...]:
    return tuple(
        Bin(epoch.begin_ns(index), epoch.begin_ns(index + 1), count, epoch.sent.get(index, 0))
        for epoch in epochs
        for index, count in sorted(epoch.delivered.items())
        if count or epoch.sent.get(index, 0) or index == epoch.curr
    )


def _evaluation(t_ns: int, readings: Readings, state: Search, observation: Observation, epoch: _Epoch) -> Evaluation:
    shift, rest_ticks = shift_bins(readings, state)
    first, last = _BOUNDS[readings.windows]
    rest = 0.0 if readings.interpolation is Interpolation.NONE else rest_ticks / state.bin_ticks
    back = shift + (rest if readings.interpolation is Interpolation.BACKWARD else -rest)
    # With backward interpolation the earliest bin read is the one before the window of the whole shift.
    earliest = state.curr - shift + first - (1 if readings.interpolation is Interpolation.BACKWARD and rest else 0)
    lifetime = state.sent if readings.compared is Compared.SENT else state.delivered
    counted_bytes = lifetime.counter_bytes - lifetime.open_bytes - sum(lifetime.completed)
    zero = readings.before_bin_0 is BeforeBin0.ZERO and earliest < 0
    return Evaluation(
        t_ns,
        (epoch.begin_ns(state.curr + first), epoch.begin_ns(state.curr + last)),
        (epoch.begin_ns(state.curr + first - back), epoch.begin_ns(state.curr + last - back)),
        observation.state["current_bytes"] or 0,
        observation.state["previous_bytes"] or 0,
        _unit_bytes(readings, state),
        counted_bytes if zero else 0,
        observation.outcome,
    )


def _unit_bytes(readings: Readings, state: Search) -> int:
    if readings.precision is Precision.FULL:
        return 1
    largest = max(series.counter_bytes - series.open_bytes for series in (state.delivered, state.sent))
    return 1 << max(0, int(largest).bit_length() - SHIFTED_BITS)
