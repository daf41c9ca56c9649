"""Quantities of a vector in addition to the window: RTTs with thresholds, phases, volumes that bound the window."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from matplotlib.axes import Axes

from firstflight import Phase
from firstflight.events import Ack
from firstflight.observables import Observation
from firstflight_conformance.plots.windows import Scale, WindowTrace

_Value: TypeAlias = Callable[[Observation], int | None]

_SHADES = {
    Phase.RECONNAISSANCE: "#e8f1fa",
    Phase.UNVALIDATED: "#fdebd0",
    Phase.VALIDATING: "#e3f4e8",
    Phase.SAFE_RETREAT: "#f9dcdc",
}
_COLOURS = ("#8c510a", "#5e4fa2")
#: Number of characters of phase names that fit above the whole panel.
_CHARACTERS = 120
#: Maximum of a drawn volume, as a multiple of the largest window.
_MOST_ABOVE = 2.5
_LEAST_NS, _MOST_NS = 4_000_000, 16_000_000


def _state(member: str) -> _Value:
    return lambda observation: observation.state.get(member)


def _threshold(member: str) -> _Value:
    """Return an RTT of the state plus an eighth of it, within the bounds of HyStart."""

    def value(observation: Observation) -> int | None:
        rtt_ns = observation.state.get(member)
        return None if rtt_ns is None else rtt_ns + min(max(rtt_ns // 8, _LEAST_NS), _MOST_NS)

    return value


@dataclass(frozen=True, slots=True)
class Own:
    """Volumes are drawn among the windows, RTTs in a panel below them, phases behind the windows."""

    volumes: tuple[tuple[str, _Value], ...] = ()
    rtts: tuple[tuple[str, _Value], ...] = ()
    phases: bool = False

    @property
    def legend_inches(self) -> float:
        """Additional space of the legend for the names of phases, in inches."""
        return 0.25 if self.phases else 0.0

    @property
    def heights(self) -> list[float]:
        """The heights of the panels below the windows, in inches."""
        return [1.1] if self.rtts else []

    def draw(self, panels: Sequence[Axes], traces: Sequence[WindowTrace], scale: Scale) -> None:
        """Draw the first of several traces into the panel of the windows and the panels below it."""
        trace = traces[0]
        whose = f" {trace.names[0]}" if len(traces) > 1 else ""
        for (label, value), colour in zip(self.volumes, _COLOURS, strict=False):
            _volume(panels[0], trace, value, scale, color=colour, label=label + whose, zorder=2.5)
        if self.phases:
            _shade(panels[0], trace, scale)
        if self.rtts:
            panel = panels[1]
            samples = [
                (scale.x(e.t_ns), e.latest_rtt_ns / 1e6) for e in trace.events if isinstance(e, Ack) and e.latest_rtt_ns
            ]
            if samples:
                panel.step(*zip(*samples, strict=True), where="post", color="#999999", linewidth=0.8, label="RTT")
            for (label, value), colour in zip(self.rtts, _COLOURS, strict=False):
                _step(panel, trace, value, scale, lambda rtt_ns: rtt_ns / 1e6, color=colour, label=label)
            panel.set_ylabel("RTT (ms)")
            panel.margins(y=0.25)
            if panel.get_legend_handles_labels()[1]:  # without samples the legend is empty
                panel.legend(loc="upper left", ncols=3, borderpad=0.0, columnspacing=1.4, handletextpad=0.5)


def _step(
    axes: Axes, trace: WindowTrace, value: _Value, scale: Scale, unit: Callable[[int], float], **style: Any
) -> None:
    values = [value(observation) for observation in trace.observations]
    if any(number is not None for number in values):
        times = [scale.x(event.t_ns) for event in trace.events]
        places = [float("nan") if number is None else unit(number) for number in values]
        axes.step([*times, scale.end], [*places, places[-1]], "-.", where="post", linewidth=1.1, **style)


def _volume(axes: Axes, trace: WindowTrace, value: _Value, scale: Scale, **style: Any) -> None:
    """Draw a volume among the windows, unless it is so large that the windows would become invisible."""
    bottom, top = axes.get_ylim()
    places = [scale.size.of(number) for observation in trace.observations if (number := value(observation)) is not None]
    if places and bottom <= min(places) and max(places) <= _MOST_ABOVE * top:
        _step(axes, trace, value, scale, scale.size.of, **style)
        axes.set_ylim(bottom, max(top, 1.04 * max(places)))


def _shade(axes: Axes, trace: WindowTrace, scale: Scale) -> None:
    """Shade the phases. Their names are above them, or in the legend for lack of space."""
    places = [scale.x(event.t_ns) for event in trace.events]
    begins = [
        n
        for n, observation in enumerate(trace.observations)
        if n == 0 or observation.phase is not trace.observations[n - 1].phase
    ]
    for number, after in zip(begins, [*begins[1:], None], strict=True):
        phase, begin = trace.observations[number].phase, places[number]
        end = scale.end if after is None else places[after]
        if phase in _SHADES and end > begin:
            name = phase.value.replace("_", " ")
            fits = (end - begin) / scale.end * _CHARACTERS > len(name)
            label = "_" if fits or name in axes.get_legend_handles_labels()[1] else name
            axes.axvspan(begin, end, color=_SHADES[phase], linewidth=0, zorder=0, label=label)
            if fits:
                axes.text(begin, 1.01, name, fontsize=7, transform=axes.get_xaxis_transform(), va="bottom")


_MINIMUM = ("minimum RTT of the round", _state("current_min_rtt_ns"))
#: By algorithm.
OWN = {
    "hystart": Own(rtts=(_MINIMUM, ("minimum RTT and threshold", _threshold("min_rtt_ns")))),
    "suss": Own(rtts=(_MINIMUM, ("minimum RTT and threshold", _threshold("min_rtt_ns")))),
    "hystartpp": Own(rtts=(_MINIMUM, ("that of the last round and RttThresh", _threshold("last_min_rtt_ns")))),
    "careful-resume": Own(volumes=(("PipeSize", _state("pipesize_bytes")), ("saved window", _state("saved_cwnd_bytes"))), phases=True),
    "cubic": Own(volumes=(("W_max", _state("w_max_bytes")), ("W_est", _state("w_est_bytes")))),
    "bbr": Own(volumes=(("BDP", _state("bdp_bytes")), ("max_inflight", _state("max_inflight_bytes")))),
}  # fmt: skip
