"""The pages of the defects: a list, and for each defect its report with a text for an issue."""

from html import escape
from typing import Any

from pages import markdown as md
from pages import site
from studies.defects.defects import Defect, defects
from studies.defects.text import facts, heading, issue

_WIDTH, _HEIGHT, _LEFT, _BELOW = 640, 240, 64, 24
_INTRODUCTION = """The defects of the [judged stacks](stacks.md), each with a report for its maintainers: place, rule, smallest events, expected
and observed values, effect, state upstream, and a text to paste into an issue. Choices that a text leaves open, or that a stack documents, are not
reported. `firstflight report ID` prints the same. No report was sent to a maintainer. An id is permanent and is never reused."""


def anchor(name: str) -> str:
    """Return the target of the page of a defect."""
    return site.anchor("defect", name)


def pages() -> dict[str, str]:
    """Return the list and the pages, by the names of their documents."""
    return {"defects": _list()} | {f"defects/{name}": _page(defect) for name, defect in defects().items()}


def _list() -> str:
    rows = [
        (
            md.ref(name, anchor(name)),
            md.plain(defect.deviation.summary or ""),
            defect.deviation.level or "",
            md.plain(defect.deviation.upstream or ""),
        )
        for name, defect in defects().items()
    ]
    table = md.list_table(("Id", "Defect", "Level", "Upstream"), rows, (12, 46, 10, 32), "compact")
    documents = "\n".join(f"defects/{name}" for name in defects())
    toctree = f"```{{toctree}}\n:hidden:\n\n{documents}\n```"
    return md.page("# Reports of defects", _INTRODUCTION, table, toctree)


def _page(defect: Defect) -> str:
    lines = "\n".join(f"- **{name}**: {_fact(name, text)}" for name, text in facts(defect))
    return md.page(
        md.label(anchor(defect.id)),
        f"# {defect.id}: {md.plain(defect.deviation.summary or '')}",
        lines,
        plot(defect),
        f"## {heading(defect)}",
        f"````markdown\n{issue(defect)}````",
        "Back to the [list](../defects.md).",
    )


def _fact(name: str, text: str) -> str:
    if name == "Watch it start":
        return f'<a href="../../{escape(text)}">{escape(text.partition("vector=")[2].partition("&")[0])}</a>'
    return md.code(text) if name in ("Reproduce", "Similar") else md.plain(text)


def plot(defect: Defect) -> str:
    """Return the windows of the stack (solid) and of the model (dashed) over time; empty if the defect was not run on a path."""
    path = defect.measured.get("path")
    return _curves(path) if path else ""


def _curves(path: dict[str, Any]) -> str:
    curves = [(path["stack"]["curve"], ""), (path["model"]["curve"], ' stroke-dasharray="6 4"')]
    end_ms = max(time for curve, _ in curves for time, _ in curve)
    top = max(window for curve, _ in curves for _, window in curve)
    lines = "".join(
        f'<polyline fill="none" stroke="currentColor" stroke-width="1.5"{dashes} points="{_points(curve, end_ms, top)}"/>'
        for curve, dashes in curves
    )
    floor = _HEIGHT - _BELOW
    return (
        f'<div class="plot">\n<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="Congestion window over time, stack solid, model dashed">'
        f'<path d="M{_LEFT} 8V{floor}H{_WIDTH - 8}" fill="none" stroke="currentColor" stroke-width="0.5"/>{lines}'
        f'<g fill="currentColor" font-size="12"><text x="0" y="16">{top} B</text><text x="{_LEFT}" y="{_HEIGHT - 6}">0 ms</text>'
        f'<text x="{_WIDTH - 8}" y="{_HEIGHT - 6}" text-anchor="end">{end_ms} ms</text></g></svg>\n</div>\n\n'
        "*Congestion window over time: the stack (solid) and the model of the text (dashed).*"
    )


def _points(curve: list[list[int]], end_ms: int, top: int) -> str:
    """Return the steps of a curve."""
    width, height = _WIDTH - 8 - _LEFT, _HEIGHT - _BELOW - 8
    points, last_y = [], None
    for time, window in curve:
        x, y = _LEFT + width * time // max(end_ms, 1), _HEIGHT - _BELOW - height * window // top
        points += ([f"{x},{last_y}"] if last_y is not None else []) + [f"{x},{y}"]
        last_y = y
    return " ".join(points)
