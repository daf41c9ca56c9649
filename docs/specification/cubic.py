"""One congestion avoidance stage of CUBIC, drawn: the window, its curve and the estimate of Reno."""

from pathlib import Path

from matplotlib.figure import Figure

from firstflight import create
from firstflight.controller import step
from firstflight.cubic.cubic import Cubic
from firstflight.cubic.window import window_bytes
from firstflight.events import Ack
from firstflight_conformance.format.vectors import load
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.plots.style import save, styled
from firstflight_conformance.replay.measure import config_from_json

_S = 10**9
#: The vector that is drawn.
VECTOR = "cubic/rounds.through-the-plateau.json"


def plot_stage(path: Path) -> None:
    """Draw the stage of a vector from its first ACK on."""
    vector = load(VECTORS / VECTOR)
    controller = create(vector.algorithm, "rfc-9438", config_from_json(vector.config))
    times: list[float] = []
    lines: dict[str, list[float]] = {"congestion window": [], "W_cubic(t)": [], "W_est": [], "W_max": []}
    for event in vector.events:
        controller, seen = step(controller, event)
        state = controller.base.rules_state
        if (
            not isinstance(event, Ack)
            or not isinstance(state, Cubic)
            or state.epoch is None
            or state.w_max_bytes is None
        ):
            continue
        elapsed_ns = event.t_ns - state.epoch.start_ns
        size = controller.base.max_datagram_size_bytes
        times.append(elapsed_ns / _S)
        curve = window_bytes(state.w_max_bytes, state.epoch.k_ns, size, elapsed_ns)
        values = (seen.cwnd_bytes, curve, state.epoch.w_est_bytes, state.w_max_bytes)
        for name, value in zip(lines, values, strict=True):
            lines[name].append(value / 1000)
    figure = Figure(figsize=(7.6, 3.6), layout="constrained")
    axes = figure.subplots()
    colours = ("#0072b2", "#d55e00", "#009e73", "#999999")
    for (name, line), colour in zip(lines.items(), colours, strict=True):
        axes.plot(times, line, color=colour, linewidth=1.2, label=name, linestyle=":" if name == "W_max" else "-")
    axes.set_xlabel("time since the stage began (s)")
    axes.set_ylabel("kB")
    axes.set_xlim(0, max(times))
    axes.legend()
    save(figure, path)


def write_plots(folder: Path) -> None:
    """Draw the plot of the specification page."""
    with styled():
        plot_stage(folder / "stage.svg")
