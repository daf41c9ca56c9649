"""Badge with the number of passed cases, as SVG or in the JSON form of badge services."""

import json
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from firstflight_conformance.records.results import AdapterReport, Refused

_LABEL = "Firstflight"
#: Width of a letter and of the side padding, in pixels, for Verdana at 11 pixels.
_LETTER, _SIDES = 7, 10
_COLORS = {"brightgreen": "#3a8a2e", "yellow": "#b08800", "red": "#c62828", "lightgrey": "#6a737d"}


def badge(reports: list[AdapterReport], *, refusals: bool = True) -> dict[str, Any]:
    """Return the members of the badge of a run in its JSON form.

    Null adapters, which lack congestion control, do not count. Cases that conform by another choice, where the text
    leaves a choice open, count as passed. The first condition that holds decides the color:

    - grey: every case was refused.
    - red: a case fails, errs or differs from its record, or ``refusals`` is false and a case was refused.
    - yellow: a manifest explains deviations. Or some vectors of an adapter are judged only in part, and none of its
      closed-loop cases was judged. Or ``not_green`` of a report has a reason, such as rules not exercised.
    - green: all other runs.
    """
    judged = [report for report in reports if report.manifest.role != "null"]
    counts = [report.counts for report in judged]
    explained = sum(count["explained"] for count in counts)
    wrong = sum(count["fail"] + count["changed"] + count["errored"] for count in counts)
    undecided = sum(count["undecided"] for count in counts)
    refused = sum(len(report.refused) for report in judged)
    passed, total = sum(report.passed for report in judged), sum(report.total for report in judged)
    idle = any(report.unseen.idle for report in judged)
    unseen = any(report.not_exercised for report in judged)
    in_part = any(report.is_seen_in_part for report in judged)
    notes = {
        f"{refused} refused": refused,
        f"{undecided} undecided": undecided,
        "did not act": idle,
        "not exercised": unseen and not idle,
        "some in part": in_part and not (unseen or idle),
        f"without {', '.join(_without(judged))}": _without(judged),
    }
    if total == refused:
        color, message = "lightgrey", "nothing judged"
    else:
        wrong = wrong or (refused if not refusals else 0)
        not_green = explained or in_part or any(report.not_green for report in judged)
        color = "red" if wrong else "yellow" if not_green else "brightgreen"
        message = ", ".join([f"{passed} of {total} cases", *(note for note, applies in notes.items() if applies)])
    return {"schemaVersion": 1, "label": _LABEL, "message": message, "color": color}


def _without(reports: list[AdapterReport]) -> list[str]:
    """Return the event kinds that caused refusals because the adapter declares no support of them."""
    refused = (result.unsupported for report in reports for result in report.refused)
    return sorted({why.event for why in refused if isinstance(why, Refused) and why.event is not None})


def text(reports: list[AdapterReport], path: Path, *, refusals: bool = True) -> str:
    """Return the badge as SVG if the suffix of the file is .svg, else as JSON."""
    content = badge(reports, refusals=refusals)
    return svg(content) if path.suffix == ".svg" else json.dumps(content) + "\n"


def svg(content: dict[str, Any]) -> str:
    """Return a badge with ``label``, ``message`` and ``color`` as SVG."""
    label, message = escape(content["label"]), escape(content["message"])
    left, right = (_SIDES + _LETTER * len(content[name]) for name in ("label", "message"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="{label}: {message}">'
        f"<title>{label}: {message}</title>"
        f'<rect width="{left}" height="20" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{_COLORS[content["color"]]}"/>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{left // 2}" y="14">{label}</text><text x="{left + right // 2}" y="14">{message}</text></g></svg>\n'
    )
