"""The panels of a plot that show SEARCH: bytes per bin with the windows compared, and the difference over time.

Bins and windows are taken from the state of the model while it is driven through the stream again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.ticker import MaxNLocator

from firstflight.controller import Config, Controller, create_with, step
from firstflight.events import Ack, Event
from firstflight.observables import Observation, Outcome, Phase
from firstflight.search.bins import TICKS_PER_UNIT, Search
from firstflight.search.profiles import (
    BeforeBin0,
    Clock,
    Compared,
    Difference,
    Fraction,
    Interpolation,
    Precision,
    Readings,
    Threshold,
    Windows,
)
from firstflight.search.windows import SHIFTED_BITS, WINDOW_BINS, shift_bins
from firstflight_conformance.plots.units import Unit, bytes_unit

_CURRENT_COLOUR, _PREVIOUS_COLOUR = "#0072b2", "#e69f00"
_DELIVERED_COLOUR, _SENT_COLOUR = "#7f8c99", "#a04000"
#: The threshold in hundredths.
_PERCENT = {Difference.SEVEN_TWENTIETHS: 35, Difference.THIRTEEN_FIFTIETHS: 26}
#: Bins narrower than this part of the axis are drawn without a gap between them, and windows are not drawn.
_NARROW = 400
_NS_PER_UNIT = {Clock.NS: 1, Clock.US: 1_000, Clock.MS: 1_000_000}
_STARTS = (Outcome.STARTED, Outcome.RESTARTED)
#: By reading: where the window of an index begins and ends, in bins from that index.
_BOUNDS = {
    Windows.THROUGH_OPEN: (-WINDOW_BINS, 1),
    Windows.COMPLETED: (-WINDOW_BINS, 0),
    Windows.LIVE: (1 - WINDOW_BINS, 1),
}


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin: when it begins and ends, since the first event, and the bytes delivered and sent in it."""

    start_ns: float
    end_ns: float
    bytes: int
    sent_bytes: int


@dataclass(frozen=True, slots=True)
class Decision:
    """One evaluation that compared windows.

    ``current`` and ``previous``: when the windows begin and end. Their sums are in units of ``unit_bytes``.
    ``before_bin_0_bytes``: what the counter before bin 0, taken for 0, puts into a bin that the earlier window reads.
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
    """What SEARCH counted and compared. ``profile``: whose it is."""

    profile: str
    readings: Readings
    bins: tuple[Bin, ...]
    evaluations: tuple[Decision, ...]

    @property
    def decision(self) -> Decision | None:
        """The evaluation that ended slow start, else the last one."""
        exits = [e for e in self.evaluations if e.outcome is Outcome.EXITED]
        return (exits or list(self.evaluations) or [None])[-1]  # type: ignore[list-item]


@dataclass(slots=True)
class _Epoch:
    """From one start of SEARCH to the next. Bin i begins i bin durations after the start."""

    start_ns: float
    bin_ns: float
    delivered: dict[int, int] = field(default_factory=dict)
    sent: dict[int, int] = field(default_factory=dict)
    curr: int = 0

    def begin_ns(self, index: float) -> float:
        return self.start_ns + index * self.bin_ns

    def update(self, state: Search) -> None:
        """Take over the bins that ended since the last event, and the open one."""
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
    """Drive a profile through a stream. Return what it observed and its bins, ``None`` if SEARCH never opened one.

    ``controller`` is one with these readings on another base.
    """
    controller = create_with(readings, config) if controller is None else controller
    observations: list[Observation] = []
    epochs: list[_Epoch] = []
    evaluations: list[Decision] = []
    origin_ns = events[0].t_ns
    resting = False
    for event in events:
        controller, seen = step(controller, event)
        observations.append(seen)
        state = controller.search
        # What kernels go on counting after slow start belongs to no bin, although the state says so.
        rested, resting = resting, seen.phase is not Phase.SLOW_START or state.target_bytes is not None
        if readings is None or state.bin_end_ticks == 0 or rested:
            continue
        if isinstance(event, Ack) and seen.outcome in _STARTS:
            epochs.append(_epoch(readings, state, origin_ns))
        epochs[-1].update(state)
        if seen.state["current_bytes"] is not None:
            evaluations.append(_evaluation(event.t_ns - origin_ns, readings, state, seen, epochs[-1]))
    if readings is None or not epochs:
        return observations, None
    return observations, Bins(profile, readings, _bins(epochs), tuple(evaluations))


def _epoch(readings: Readings, state: Search, origin_ns: int) -> _Epoch:
    tick_ns = _NS_PER_UNIT[readings.clock] / TICKS_PER_UNIT
    start_ticks = state.bin_end_ticks - (state.curr + 1) * state.bin_ticks
    # Whole units first: a time since the start of the clock has more digits than a float.
    start_ns = start_ticks * _NS_PER_UNIT[readings.clock] // TICKS_PER_UNIT - origin_ns
    return _Epoch(start_ns, state.bin_ticks * tick_ns)


def _bins(epochs: list[_Epoch]) -> tuple[Bin, ...]:
    return tuple(
        Bin(epoch.begin_ns(index), epoch.begin_ns(index + 1), count, epoch.sent.get(index, 0))
        for epoch in epochs
        for index, count in sorted(epoch.delivered.items())
        if count or epoch.sent.get(index, 0) or index == epoch.curr
    )


def _evaluation(t_ns: int, readings: Readings, state: Search, seen: Observation, epoch: _Epoch) -> Decision:
    shift, rest_ticks = shift_bins(readings, state)
    first, last = _BOUNDS[readings.windows]
    rest = 0.0 if readings.interpolation is Interpolation.NONE else rest_ticks / state.bin_ticks
    back = shift + (rest if readings.interpolation is Interpolation.BACKWARD else -rest)
    # With backward interpolation the earliest bin read is the one before the window of the whole shift.
    earliest = state.curr - shift + first - (1 if readings.interpolation is Interpolation.BACKWARD and rest else 0)
    lifetime = state.sent if readings.compared is Compared.SENT else state.delivered
    counted_bytes = lifetime.counter_bytes - lifetime.open_bytes - sum(lifetime.completed)
    zero = readings.before_bin_0 is BeforeBin0.ZERO and earliest < 0
    return Decision(
        t_ns,
        (epoch.begin_ns(state.curr + first), epoch.begin_ns(state.curr + last)),
        (epoch.begin_ns(state.curr + first - back), epoch.begin_ns(state.curr + last - back)),
        seen.state["current_bytes"] or 0,
        seen.state["previous_bytes"] or 0,
        _unit_bytes(readings, state),
        counted_bytes if zero else 0,
        seen.outcome,
    )


def _unit_bytes(readings: Readings, state: Search) -> int:
    if readings.precision is Precision.FULL:
        return 1
    largest = max(series.counter_bytes - series.open_bytes for series in (state.delivered, state.sent))
    return 1 << max(0, int(largest).bit_length() - SHIFTED_BITS)


@dataclass(slots=True)
class _Frame:
    """The axes of the bins and their units."""

    axes: Axes
    unit: Unit
    size: Unit
    top: float = field(default=0.0)


def draw_bins(axes: Axes, bins: Bins, unit: Unit) -> None:
    """Draw a bar for each bin and, above them, the two windows of the deciding evaluation."""
    sent = bins.readings.compared is Compared.SENT
    highest_bytes = max(max(one.bytes, one.sent_bytes if sent else 0) for one in bins.bins)
    frame = _Frame(axes, unit, bytes_unit(highest_bytes))
    frame.top = frame.size.of(highest_bytes) or 1.0
    narrow = (
        max(one.end_ns - one.start_ns for one in bins.bins) * _NARROW < bins.bins[-1].end_ns - bins.bins[0].start_ns
    )
    _draw_bars(frame, bins.bins, narrow=narrow)
    if sent:
        _draw_outline(frame, bins.bins)
    axes.autoscale_view()
    decision = bins.decision
    axes.set_ylim(0, frame.top * (1.62 if decision and not narrow else 1.1))
    axes.set_ylabel(f"per bin ({frame.size.name})")
    axes.yaxis.set_major_locator(MaxNLocator(5))
    title = f"Bytes delivered{' (grey) and sent (outline)' if sent else ''} per bin, {bins.profile}"
    if decision is None:
        axes.set_title(f"{title}: no windows were compared", fontsize=9, loc="left")
        return
    if not narrow:
        _draw_span(
            frame, decision.previous, 1.14, _PREVIOUS_COLOUR, f"earlier: {_sum(decision, decision.previous_bytes)}"
        )
        _draw_span(frame, decision.current, 1.40, _CURRENT_COLOUR, f"later: {_sum(decision, decision.current_bytes)}")
    axes.set_title(f"{title}.\n{_verdict(bins.readings, decision)}", fontsize=9, loc="left")


def _draw_bars(frame: _Frame, bins: Sequence[Bin], *, narrow: bool) -> None:
    corners = [
        [(frame.unit.of(x), frame.size.of(y)) for x, y in _corners(one, one.bytes)]
        for one in bins
        if one.bytes or narrow
    ]
    bars = PolyCollection(corners, facecolors=_DELIVERED_COLOUR, edgecolors="white", linewidths=0.5)
    if narrow:
        bars.set_edgecolor(_DELIVERED_COLOUR)  # bins narrower than a pixel still show
        bars.set_linewidth(2.5)
    frame.axes.add_collection(bars)


def _draw_outline(frame: _Frame, bins: Sequence[Bin]) -> None:
    for one in bins:
        points = _corners(one, one.sent_bytes)
        frame.axes.plot(
            [frame.unit.of(x) for x, _ in points],
            [frame.size.of(y) for _, y in points],
            color=_SENT_COLOUR,
            linewidth=1,
        )


def _corners(one: Bin, height_bytes: int) -> list[tuple[float, float]]:
    return [(one.start_ns, 0), (one.start_ns, height_bytes), (one.end_ns, height_bytes), (one.end_ns, 0)]


def _sum(decision: Decision, count: int) -> str:
    if decision.unit_bytes > 1:
        return f"{count} x {decision.unit_bytes} bytes"
    return bytes_unit(count).text(count)


def _draw_span(frame: _Frame, span: tuple[float, float], height: float, colour: str, text: str) -> None:
    left, right = frame.unit.of(span[0]), frame.unit.of(span[1])
    y = height * frame.top
    frame.axes.axvspan(left, right, color=colour, alpha=0.13, linewidth=0)
    frame.axes.plot([left, right], [y, y], color=colour, linewidth=3.5, solid_capstyle="butt")
    frame.axes.annotate(
        text, ((left + right) / 2, y), xytext=(0, 2.5), textcoords="offset points", ha="center", va="bottom",
        fontsize=8.5, annotation_clip=False,
    )  # fmt: skip


def _difference(readings: Readings, decision: Decision) -> float | None:
    """Return norm_diff, if the earlier window holds anything."""
    if decision.previous_bytes == 0:
        return None
    parts = 2 if readings.compared is Compared.DELIVERED else 1
    return 1 - decision.current_bytes / (parts * decision.previous_bytes)


def _verdict(readings: Readings, decision: Decision) -> str:
    exited = decision.outcome is Outcome.EXITED
    difference = _difference(readings, decision)
    what = "Exit" if exited else "Last evaluation"
    if difference is None:
        return f"{what}: the earlier window is empty"
    percent = _PERCENT[readings.difference]
    limit, shown = f"{percent / 100:g}", f"{difference:.4g}"
    text = f"{what}: norm_diff {shown} {'>' if exited else '<'} {limit}"
    if _exactly(readings, decision, percent):
        text = f"{what}: norm_diff = {limit} exactly"
    elif shown == limit:
        text = f"{what}: norm_diff just {'above' if exited else 'below'} {limit}"
    if decision.before_bin_0_bytes:
        text += f", with {bytes_unit(decision.before_bin_0_bytes).text(decision.before_bin_0_bytes)} in the bin before bin 0"
    return text


def _exactly(readings: Readings, decision: Decision, percent: int) -> bool:
    """Return whether norm_diff is the threshold; an interpolated window is shown rounded down and never said to be."""
    if readings.interpolation is not Interpolation.NONE and readings.fraction is Fraction.EXACT:
        return False
    parts = 2 if readings.compared is Compared.DELIVERED else 1
    equal = (100 - percent) * parts * decision.previous_bytes == 100 * decision.current_bytes
    return equal and (decision.outcome is Outcome.EXITED) == (readings.threshold is Threshold.AT_LEAST)


def draw_differences(axes: Axes, bins: Bins, unit: Unit) -> None:
    """Draw norm_diff of each evaluation, and the threshold."""
    pairs = [(unit.of(one.t_ns), _difference(bins.readings, one)) for one in bins.evaluations]
    points = [(x, y) for x, y in pairs if y is not None]
    axes.plot([x for x, _ in points], [y for _, y in points], "o-", color="#444444", markersize=3, linewidth=1)
    limit = _PERCENT[bins.readings.difference] / 100
    axes.axhline(limit, color="#c00000", linewidth=1, linestyle="--")
    axes.annotate(
        f"{limit:g}", (1, limit), xycoords=("axes fraction", "data"), xytext=(3, 0), textcoords="offset points",
        va="center", color="#c00000", fontsize=8.5,
    )  # fmt: skip
    axes.set_ylabel("norm_diff")
    axes.yaxis.set_major_locator(MaxNLocator(4))
