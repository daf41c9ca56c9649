"""Panels of SEARCH in a plot: bytes per bin with the compared windows, and the difference over time."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.ticker import MaxNLocator

from firstflight.observables import Outcome
from firstflight.search.profiles import Compared, Difference, Fraction, Interpolation, Readings, Threshold
from firstflight_conformance.plots.bins import Bin, Bins, Evaluation
from firstflight_conformance.plots.units import Unit, bytes_unit

_CURRENT_COLOUR, _PREVIOUS_COLOUR = "#0072b2", "#e69f00"
_DELIVERED_COLOUR, _SENT_COLOUR = "#7f8c99", "#a04000"
#: The threshold in hundredths.
_PERCENT = {Difference.SEVEN_TWENTIETHS: 35, Difference.THIRTEEN_FIFTIETHS: 26}
#: Bins narrower than 1/400 of the axis are drawn without gaps and without windows.
_NARROW = 400


@dataclass(slots=True)
class _Frame:
    """Axes for the bins of SEARCH, with the units of time (``unit``) and bytes (``size``). ``top``: highest bar."""

    axes: Axes
    unit: Unit
    size: Unit
    top: float = field(default=0.0)


def draw_bins(axes: Axes, bins: Bins, unit: Unit) -> None:
    """Draw a bar for each bin of SEARCH and, above them, the two windows of bins that were compared last.

    If a comparison ended slow start, its windows are drawn in place of the last ones. ``unit``: unit of the time axis.
    """
    sent = bins.readings.compared is Compared.SENT
    highest_bytes = max(max(time_bin.bytes, time_bin.sent_bytes if sent else 0) for time_bin in bins.bins)
    frame = _Frame(axes, unit, bytes_unit(highest_bytes))
    frame.top = frame.size.of(highest_bytes) or 1.0
    narrow = (
        max(time_bin.end_ns - time_bin.start_ns for time_bin in bins.bins) * _NARROW
        < bins.bins[-1].end_ns - bins.bins[0].start_ns
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
        [(frame.unit.of(x), frame.size.of(y)) for x, y in _corners(time_bin, time_bin.bytes)]
        for time_bin in bins
        if time_bin.bytes or narrow
    ]
    bars = PolyCollection(corners, facecolors=_DELIVERED_COLOUR, edgecolors="white", linewidths=0.5)
    if narrow:
        bars.set_edgecolor(_DELIVERED_COLOUR)  # bins narrower than a pixel stay visible
        bars.set_linewidth(2.5)
    frame.axes.add_collection(bars)


def _draw_outline(frame: _Frame, bins: Sequence[Bin]) -> None:
    for time_bin in bins:
        points = _corners(time_bin, time_bin.sent_bytes)
        frame.axes.plot(
            [frame.unit.of(x) for x, _ in points],
            [frame.size.of(y) for _, y in points],
            color=_SENT_COLOUR,
            linewidth=1,
        )


def _corners(time_bin: Bin, height_bytes: int) -> list[tuple[float, float]]:
    return [
        (time_bin.start_ns, 0),
        (time_bin.start_ns, height_bytes),
        (time_bin.end_ns, height_bytes),
        (time_bin.end_ns, 0),
    ]


def _sum(decision: Evaluation, count: int) -> str:
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


def _difference(readings: Readings, decision: Evaluation) -> float | None:
    """Return norm_diff of an evaluation, 1 - d / e, or None with e = 0.

    d is the number of bytes delivered in the later window. e is twice the number of bytes delivered in the earlier
    window. In profiles that compare sent bytes, e is the number of bytes sent in the earlier window.
    """
    if decision.previous_bytes == 0:
        return None
    parts = 2 if readings.compared is Compared.DELIVERED else 1
    return 1 - decision.current_bytes / (parts * decision.previous_bytes)


def _verdict(readings: Readings, decision: Evaluation) -> str:
    exited = decision.outcome is Outcome.EXITED
    difference = _difference(readings, decision)
    subject = "Exit" if exited else "Last evaluation"
    if difference is None:
        return f"{subject}: the earlier window is empty"
    percent = _PERCENT[readings.difference]
    limit, difference_text = f"{percent / 100:g}", f"{difference:.4g}"
    text = f"{subject}: norm_diff {difference_text} {'>' if exited else '<'} {limit}"
    if _exactly(readings, decision, percent):
        text = f"{subject}: norm_diff = {limit} exactly"
    elif difference_text == limit:
        text = f"{subject}: norm_diff just {'above' if exited else 'below'} {limit}"
    if decision.before_bin_0_bytes:
        text += f", with {bytes_unit(decision.before_bin_0_bytes).text(decision.before_bin_0_bytes)} in the bin before bin 0"
    return text


def _exactly(readings: Readings, decision: Evaluation, percent: int) -> bool:
    """Return whether norm_diff of an evaluation equals the threshold, ``percent`` / 100, and its outcome fits this.

    norm_diff is 1 - d / e, for two compared windows. The later window has d delivered bytes. The expected number e is
    the bytes sent in the earlier window, or twice the bytes delivered in it. Slow start ends at equality only with
    ``readings.threshold`` = AT_LEAST. Return false for windows with exact interpolation, whose sums are rounded down.
    """
    if readings.interpolation is not Interpolation.NONE and readings.fraction is Fraction.EXACT:
        return False
    parts = 2 if readings.compared is Compared.DELIVERED else 1
    equal = (100 - percent) * parts * decision.previous_bytes == 100 * decision.current_bytes
    return equal and (decision.outcome is Outcome.EXITED) == (readings.threshold is Threshold.AT_LEAST)


def draw_differences(axes: Axes, bins: Bins, unit: Unit) -> None:
    """Draw norm_diff over time, with one point for each evaluation, and the threshold of SEARCH as a line.

    An evaluation compares two windows of bins. Its norm_diff is 1 - d / e. In the later window d bytes were delivered.
    e is twice the number of bytes delivered in the earlier window. In profiles that compare sent bytes, e is the number
    of bytes sent in the earlier window. Evaluations with e = 0 are not drawn. Slow start ends once norm_diff exceeds
    the threshold (0.35 or 0.26), in some profiles already when it equals the threshold. ``unit``: unit of the time
    axis.
    """
    pairs = [(unit.of(evaluation.t_ns), _difference(bins.readings, evaluation)) for evaluation in bins.evaluations]
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
