"""Figures of the page "In the kernel, measured": ``python conformance/studies live.bpf.figures``."""

import json
from typing import Any

from matplotlib.figure import Figure

from firstflight_conformance.paths import ROOT, STUDIES
from firstflight_conformance.plots.style import save, styled

RESULTS = STUDIES / "live" / "kernel.json"
STATIC = ROOT / "docs" / "_static"
_NAMES = {
    "ff_search_09": "SEARCH",
    "ff_search_cubic": "SEARCH, CUBIC",
    "ff_hystartpp": "HyStart++",
    "ff_hspp_cubic": "HyStart++, CUBIC",
    "ff_kernel_cubic": "CUBIC, HyStart",
    "ff_no_hystart": "CUBIC, no HyStart",
}


def overshoot(rows: list[dict[str, Any]]) -> Figure:
    """Return drops in slow start and completion time of each congestion control, a point for each run."""
    with styled():
        figure = Figure(figsize=(7.6, 2.8), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        for place, row in enumerate(rows):
            left.plot(row["dropped_in_slow_start"], [place] * len(row["took_s"]), "o", markersize=4, color="#0072b2")
            right.plot(row["took_s"], [place] * len(row["took_s"]), "o", markersize=4, color="#d55e00")
        left.set_yticks(range(len(rows)), [_NAMES[row["name"]] for row in rows])
        left.invert_yaxis()
        left.set(xlabel="segments dropped in slow start", xlim=(-20, None))
        right.set(xlabel="completion time of 20 MB (s)")
    return figure


def retreat(row: dict[str, Any]) -> Figure:
    """Return window, flight, acknowledged data and drops of a retreat over time."""
    samples, windows = row["samples"], row["windows"]
    with styled():
        figure = Figure(figsize=(7.6, 3.4), layout="constrained")
        axes = figure.subplots()
        at = [window[0] for window in windows]
        axes.plot(
            at, [window[1] / 1000 for window in windows], color="#000000", drawstyle="steps-post", label="window (kB)"
        )
        axes.plot(at, [window[2] / 1000 for window in windows], color="#0072b2", linestyle="-.", label="flight (kB)")
        at = [sample[0] for sample in samples]
        axes.plot(
            at, [sample[2] / 1000 for sample in samples], color="#009e73", linestyle="--", label="acknowledged (kB)"
        )
        axes.plot(at, [sample[3] for sample in samples], color="#d55e00", linestyle=":", label="segments dropped")
        axes.set(xlabel="time since the first segment (ms)", xlim=(0, 1200), ylim=(0, None))
        axes.legend(loc="upper right")
    return figure


def main() -> None:
    """Draw the figures from the kept results."""
    results = json.loads(RESULTS.read_text("utf-8"))
    for name, draw in (("overshoot", overshoot), ("retreat", retreat)):
        if name in results:
            save(draw(results[name]["rows"]), STATIC / f"kernel-{name}.svg")


if __name__ == "__main__":
    main()
