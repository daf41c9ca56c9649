"""Plots of all vectors, redrawn only if the vector or the plotting code has changed."""

import gc
import hashlib
import json
from multiprocessing import Pool
from pathlib import Path

from firstflight_conformance.format.vectors import Vector
from firstflight_conformance.paths import REFERENCE_PY
from firstflight_conformance.plots import bins, bins_panels, panels, style, units, windows
from firstflight_conformance.plots import vectors as drawn
from plots import own, slim
from plots import vectors as drawn_vectors

_INDEX = "plots.json"
#: Vectors with at most this number of events are not plotted.
_FEW_EVENTS = 8


def plot_name(vector: Vector) -> str:
    """Return the name of the plot of a vector."""
    return vector.id.replace(".", "-") + ".svg"


def is_plotted(vector: Vector) -> bool:
    """Return whether a vector has a plot: a table of few events is as easy to read, and the site has a size limit."""
    return len(vector.events) > _FEW_EVENTS


def picture(vector: Vector, folder: str) -> str:
    """Return the plot of a vector as Markdown, or "" without a plot. ``folder``: path of the plots from the page."""
    if not is_plotted(vector):
        return ""
    return f"```{{image}} {folder}/{plot_name(vector)}\n:class: plot\n:alt: Windows over time in {vector.id}\n```"


def write_plots(all_vectors: list[Vector], folder: Path) -> None:
    """Draw missing and outdated plots on all processors; remove plots of deleted vectors."""
    vectors = [vector for vector in all_vectors if is_plotted(vector)]
    folder.mkdir(parents=True, exist_ok=True)
    index = folder / _INDEX
    before: dict[str, str] = json.loads(index.read_text("utf-8")) if index.exists() else {}
    code = _code_digest()
    keys = {plot_name(v): hashlib.sha256(code + v.path.read_bytes()).hexdigest() for v in vectors}
    for path in folder.glob("*.svg"):
        if path.name not in keys:
            path.unlink()
    stale = [v for v in vectors if before.get(n := plot_name(v)) != keys[n] or not (folder / n).exists()]
    if stale:
        with Pool(
            initializer=gc.freeze
        ) as pool:  # the garbage collector does not scan the loaded objects for each plot
            pool.starmap(drawn_vectors.plot_vector, [(v, folder / plot_name(v)) for v in stale], chunksize=4)
    index.write_text(json.dumps(keys, indent=1) + "\n", "utf-8")


def _code_digest() -> bytes:
    digest = hashlib.sha256()
    modules = [
        Path(str(module.__file__))
        for module in (drawn, drawn_vectors, windows, panels, bins, bins_panels, style, units, own, slim)
    ]
    for path in [*modules, *sorted(REFERENCE_PY.rglob("*.py"))]:
        digest.update(path.read_bytes())
    return digest.digest()
