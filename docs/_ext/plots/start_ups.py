"""The picture of the README: bytes in flight on one path under each startup algorithm."""

from pathlib import Path

from matplotlib.figure import Figure

from firstflight import Ack, Lost, Sent, create
from firstflight_conformance.paths import ROOT, SCENARIOS
from firstflight_conformance.plots.style import save, styled
from firstflight_conformance.simulate.loop import ModelLoopRun, simulate
from firstflight_conformance.simulate.scenario import load_scenario
from plots.published import COLOURS

PATH = ROOT / "docs" / "_static" / "start-ups.svg"
SCENARIO = SCENARIOS / "start-ups.json"
#: The duration of one point of a line.
_SLICE_NS = 10**7
#: Algorithm, profile, colour, dashes (which distinguish lines without colour), label in the legend.
FLOWS = (
    ("cubic", "rfc-9438", COLOURS["cubic"], "-", "slow start (RFC 9002), CUBIC"),
    ("hystartpp", "rfc-9406+cubic", "#009e73", (0, (7, 2)), "HyStart++ (RFC 9406)"),
    ("search", "draft-09+cubic", COLOURS["search"], (0, (2, 1)), "SEARCH (draft -09)"),
    ("careful-resume", "rfc-9959+cubic", COLOURS["careful-resume"], (0, (7, 2, 1, 2)), "Careful Resume (RFC 9959)"),
)


def draw() -> Figure:
    """Return the picture, drawn from four runs of the path simulator."""
    scenario = load_scenario(SCENARIO)
    link = scenario.link
    product_bytes = link.rate_bps * (link.forward_delay_ns + link.return_delay_ns) // (8 * 10**9)
    with styled():
        figure = Figure(figsize=(7.6, 3.4), layout="constrained")
        axes = figure.subplots()
        for algorithm, profile, colour, dashes, label in FLOWS:
            recording = simulate(scenario, create(algorithm, profile, scenario.config))
            seconds, kilobytes = _samples(recording)
            lost = recording.dropped_packets
            axes.plot(
                seconds, kilobytes, color=colour, linestyle=dashes, linewidth=1.5, label=f"{label}: {lost or 'nothing'} lost"
            )  # fmt: skip
        # Places without crossing lines: on the left all lines cross the first place.
        for height, text, seconds_in in (
            (product_bytes, "the path is full", 0.62),
            (product_bytes + link.queue_bytes, "the queue is full", 0.03),
        ):
            axes.axhline(height / 1000, color="#777777", linewidth=0.8, linestyle="--")
            axes.text(seconds_in, height / 1000, text, va="bottom", color="#555555", fontsize=8.5)
        axes.set(xlim=(0, scenario.stop_ns / 1e9), ylim=(0, None), xlabel="time (s)", ylabel="in flight (kB)")
        axes.legend(loc="upper right", handlelength=3.2)
    return figure


def _samples(recording: ModelLoopRun) -> tuple[list[float], list[float]]:
    """Return the data in flight, in kB, at the end of each slice of time, in seconds."""
    began_ns = recording.events[0].t_ns
    in_flight = {
        (event.t_ns - began_ns) // _SLICE_NS: event.bytes_in_flight
        for event in recording.events
        if isinstance(event, Sent | Ack | Lost)
    }
    return [(number + 1) * _SLICE_NS / 1e9 for number in in_flight], [value / 1000 for value in in_flight.values()]


def write(path: Path = PATH) -> None:
    """Draw it to a file."""
    with styled():
        save(draw(), path)


if __name__ == "__main__":
    write()
