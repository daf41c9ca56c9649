"""The panels of a plot that show SEARCH: bytes per bin with the windows compared, and the difference over time."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.ticker import MaxNLocator

from firstflight.events import Ack, Event
from firstflight.observables import Observation, Outcome
from firstflight.search import BIN_TICKS_PER_RTT_NS, THRESHOLD_CURRENT, THRESHOLD_PREVIOUS, TICKS_PER_NS, WINDOW_BINS
from firstflight.search_profiles import PROFILES, Windows
from firstflight_conformance.plot_units import Unit, bytes_unit

_CURRENT_COLOUR, _PREVIOUS_COLOUR = "#0072b2", "#e69f00"
_COUNTING = (
    Outcome.STARTED,
    Outcome.SAME_BIN,
    Outcome.WARMING_UP,
    Outcome.RTT_INFLATED,
    Outcome.PREVIOUS_ZERO,
    Outcome.BELOW_THRESHOLD,
    Outcome.EXITED,
)


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin: when it begins and ends, since the first event, and the bytes delivered in it."""

    start_ns: float
    end_ns: float
    bytes: int


@dataclass(frozen=True, slots=True)
class Decision:
    """One evaluation that compared windows. ``current`` and ``previous``: when the windows begin and end."""

    t_ns: int
    current: tuple[float, float]
    previous: tuple[float, float]
    current_bytes: int
    previous_bytes: int
    outcome: Outcome

    @property
    def difference(self) -> float | None:
        """norm_diff, if the earlier window holds anything."""
        return 1 - self.current_bytes / (2 * self.previous_bytes) if self.previous_bytes else None


@dataclass(frozen=True, slots=True)
class Bins:
    """What SEARCH counted and compared. ``profile``: whose it is."""

    profile: str
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

    start_ns: int
    bin_ns: float
    bytes: dict[int, int]

    def begin_ns(self, index: int) -> float:
        return self.start_ns + index * self.bin_ns


def bins_of(profile: str, events: Sequence[Event], observations: Sequence[Observation], origin_ns: int) -> Bins | None:
    """Return the bins and evaluations, taken from the observable state, or ``None`` if SEARCH never started."""
    readings = PROFILES.get(profile)
    through_open = readings is not None and readings.windows is Windows.THROUGH_OPEN
    epochs: list[_Epoch] = []
    evaluations = []
    for event, seen in zip(events, observations, strict=True):
        if not isinstance(event, Ack) or seen.outcome not in _COUNTING:
            continue
        if seen.outcome is Outcome.STARTED:
            bin_ns = BIN_TICKS_PER_RTT_NS * max(event.latest_rtt_ns or 0, 1) / TICKS_PER_NS
            epochs.append(_Epoch(event.t_ns - origin_ns, bin_ns, {}))
        index = seen.state["bin"] or 0
        epochs[-1].bytes[index] = seen.state["open_bin_bytes"] or 0
        if seen.state["current_bytes"] is not None:
            evaluations.append(_evaluation(event.t_ns - origin_ns, seen, epochs[-1], 1 if through_open else 0))
    bins = [
        Bin(epoch.begin_ns(index), epoch.begin_ns(index + 1), count)
        for epoch in epochs
        for index, count in sorted(epoch.bytes.items())
        if count
    ]
    return Bins(profile, tuple(bins), tuple(evaluations)) if bins else None


def _evaluation(t_ns: int, seen: Observation, epoch: _Epoch, open_bins: int) -> Decision:
    last = (seen.state["bin"] or 0) + open_bins
    shift = seen.state["shift_bins"] or 0
    length = WINDOW_BINS + open_bins
    return Decision(
        t_ns,
        (epoch.begin_ns(last - length), epoch.begin_ns(last)),
        (epoch.begin_ns(last - length - shift), epoch.begin_ns(last - shift)),
        seen.state["current_bytes"] or 0,
        seen.state["previous_bytes"] or 0,
        seen.outcome,
    )


def draw_bins(axes: Axes, bins: Bins, unit: Unit) -> None:
    """Draw a bar for each bin and, above them, the two windows of the deciding evaluation."""
    highest_bytes = max(one.bytes for one in bins.bins)
    size = bytes_unit(highest_bytes)
    corners = [[(unit.of(x), size.of(y)) for x, y in _outline(one)] for one in bins.bins]
    bars = PolyCollection(corners, facecolors="#7f8c99", edgecolors="white", linewidths=0.5)
    narrow = max(one.end_ns - one.start_ns for one in bins.bins) * 400 < bins.bins[-1].end_ns - bins.bins[0].start_ns
    if narrow:
        bars.set_edgecolor("#7f8c99")  # bins narrower than a pixel still show
        bars.set_linewidth(2.5)
    axes.add_collection(bars)
    axes.autoscale_view()
    decision = bins.decision
    top = size.of(highest_bytes)
    axes.set_ylim(0, top * (1.62 if decision and not narrow else 1.1))
    axes.set_ylabel(f"per bin ({size.name})")
    axes.yaxis.set_major_locator(MaxNLocator(5))
    if decision is None:
        axes.set_title(f"Bytes delivered per bin, {bins.profile}: no windows were compared", fontsize=9, loc="left")
        return
    if not narrow:
        _draw_windows(axes, unit, decision, top)
    axes.set_title(f"Bytes delivered per bin, {bins.profile}. {_verdict(decision)}", fontsize=9, loc="left")


def _draw_windows(axes: Axes, unit: Unit, decision: Decision, top: float) -> None:
    _draw_span(axes, unit, decision.previous, 1.14 * top, _PREVIOUS_COLOUR, f"earlier: {_sum(decision.previous_bytes)}")
    _draw_span(axes, unit, decision.current, 1.40 * top, _CURRENT_COLOUR, f"later: {_sum(decision.current_bytes)}")


def _outline(one: Bin) -> list[tuple[float, float]]:
    return [(one.start_ns, 0), (one.start_ns, one.bytes), (one.end_ns, one.bytes), (one.end_ns, 0)]


def _sum(count: int) -> str:
    return bytes_unit(count).text(count)


def _draw_span(axes: Axes, unit: Unit, span: tuple[float, float], y: float, colour: str, text: str) -> None:
    left, right = unit.of(span[0]), unit.of(span[1])
    axes.axvspan(left, right, color=colour, alpha=0.13, linewidth=0)
    axes.plot([left, right], [y, y], color=colour, linewidth=3.5, solid_capstyle="butt")
    axes.annotate(
        text, ((left + right) / 2, y), xytext=(0, 2.5), textcoords="offset points", ha="center", va="bottom",
        fontsize=8.5, annotation_clip=False,
    )  # fmt: skip


def _verdict(decision: Decision) -> str:
    what = "Exit" if decision.outcome is Outcome.EXITED else "Last evaluation"
    if decision.difference is None:
        return f"{what}: the earlier window is empty"
    # norm_diff >= 7/20 is 13 * previous >= 10 * current, and that is exact.
    excess = THRESHOLD_PREVIOUS * decision.previous_bytes - THRESHOLD_CURRENT * decision.current_bytes
    relation = ("<", "=", ">")[(excess > 0) - (excess < 0) + 1]
    shown = f"{decision.difference:.4g}"
    if excess and shown == "0.35":
        return f"{what}: norm_diff just {'above' if excess > 0 else 'below'} 0.35"
    return f"{what}: norm_diff {shown} {relation} 0.35" if excess else f"{what}: norm_diff = 0.35 exactly"


def draw_differences(axes: Axes, bins: Bins, unit: Unit) -> None:
    """Draw norm_diff of each evaluation, and the threshold."""
    points = [(unit.of(e.t_ns), e.difference) for e in bins.evaluations if e.difference is not None]
    axes.plot([x for x, _ in points], [y for _, y in points], "o-", color="#444444", markersize=3, linewidth=1)
    axes.axhline(0.35, color="#c00000", linewidth=1, linestyle="--")
    axes.annotate(
        "0.35", (1, 0.35), xycoords=("axes fraction", "data"), xytext=(3, 0), textcoords="offset points", va="center",
        color="#c00000", fontsize=8.5,
    )  # fmt: skip
    axes.set_ylabel("norm_diff")
    axes.yaxis.set_major_locator(MaxNLocator(4))
