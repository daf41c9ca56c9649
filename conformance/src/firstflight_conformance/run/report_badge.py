"""A badge: how many of the judged cases an adapter agrees with, as SVG or in the JSON form that badge services read."""

import json
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from firstflight_conformance.run.results import AdapterReport

_LABEL = "Firstflight"
#: Width of a letter and of the space at the sides, in pixels, of Verdana at 11 pixels.
_LETTER, _SIDES = 7, 10
_COLORS = {"brightgreen": "#3a8a2e", "yellow": "#b08800", "red": "#c62828", "lightgrey": "#6a737d"}


def badge(reports: list[AdapterReport]) -> dict[str, Any]:
    """Return the badge of a run in its JSON form. Null adapters do not count; a choice at an open point agrees. What was not exercised, or judged in part without a closed loop, is not green."""
    counts = [report.counts for report in reports if report.manifest.role != "null"]
    agree = sum(count["pass"] + count["choice"] for count in counts)
    explained = sum(count["explained"] for count in counts)
    wrong = sum(count["fail"] + count["changed"] + count["errored"] for count in counts)
    undecided = sum(count["undecided"] for count in counts)
    judged = agree + explained + wrong + undecided
    judged_reports = [report for report in reports if report.manifest.role != "null"]
    unseen = any(report.not_exercised for report in judged_reports)
    in_part = any(report.is_seen_in_part for report in judged_reports)
    color = (
        "lightgrey"
        if not judged
        else "red"
        if wrong
        else "yellow"
        if explained or undecided or unseen or in_part
        else "brightgreen"
    )
    message = f"{agree} of {judged} cases" if judged else "nothing judged"
    if undecided and not wrong:
        message += f", {undecided} undecided"
    elif (unseen or in_part) and not wrong:
        message += ", not exercised" if unseen else ", some in part"
    return {"schemaVersion": 1, "label": _LABEL, "message": message, "color": color}


def text(reports: list[AdapterReport], path: Path) -> str:
    """Return the badge as SVG or as JSON, as the name of the file ends."""
    found = badge(reports)
    return _svg(found) if path.suffix == ".svg" else json.dumps(found) + "\n"


def _svg(found: dict[str, Any]) -> str:
    label, message = escape(found["label"]), escape(found["message"])
    left, right = (_SIDES + _LETTER * len(found[name]) for name in ("label", "message"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="{label}: {message}">'
        f"<title>{label}: {message}</title>"
        f'<rect width="{left}" height="20" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{_COLORS[found["color"]]}"/>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{left // 2}" y="14">{label}</text><text x="{left + right // 2}" y="14">{message}</text></g></svg>\n'
    )
