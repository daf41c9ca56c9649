"""The matrix of the page "State of the stacks": each stack beside each profile, and how binding the rules are that it departs from."""

from collections import Counter
from typing import Any

from firstflight_conformance.docs_ext import markdown as md
from firstflight_conformance.docs_ext import site

#: The levels, the most binding first, each with the sign that a cell shows, which tells them apart without colour, and its class.
_LEVELS = {
    "MUST": ("●", "state-must"),
    "SHOULD": ("◐", "state-should"),
    "definition": ("◑", "state-definition"),
    "our definition": ("○", "state-open"),
}
_AGREES = ("✓", "state-agrees")
_UNKNOWN = ("?", "state-unknown")


def sign(level: str) -> str:
    """Return the sign of a level, which tells it without colour."""
    return _LEVELS.get(level, _UNKNOWN)[0]


def badge(level: str) -> str:
    """Return a level with its sign and colour."""
    return _span(*_LEVELS.get(level, _UNKNOWN), level or "not known")


def order(level: str) -> int:
    """Return the place of a level: the most binding first, an unknown one last."""
    return [*_LEVELS, level].index(level)


def matrix(stacks: list[dict[str, Any]], profiles_of: Any, profile_of: Any) -> str:
    """Return the matrix; a cell has the cases that agree of those judged, and the most binding level of the others."""
    columns = sorted({profile for adapter in stacks for profile in profiles_of(adapter)})
    rows = [
        (
            md.ref(adapter["title"], site.anchor("stack", adapter["name"])),
            *(_cell(adapter, profile, profile_of) for profile in columns),
        )
        for adapter in stacks
    ]
    if not rows or not columns:
        return ""
    header = ("Stack", *("<br>".join(map(md.code, profile.split("/"))) for profile in columns))
    table = md.list_table(header, rows, (28, *[12] * len(columns)), "compact stacks")
    signs = ", ".join(f"{sign} {level}" for level, (sign, _) in _LEVELS.items())
    note = (
        f"Each cell: the cases that agree, of those that were judged; {_AGREES[0]} all of them. The sign and the level are of the most binding rule that a case departs from: {signs}; "
        f"{_UNKNOWN[0]} not known. A *definition* is what a text states without a keyword, *our definition* what no text states and is not listed as an open point."
    )
    return md.page("## Stacks and profiles", table, note)


def by_level(adapter: dict[str, Any]) -> str:
    """Return in words how many cases depart from rules of each level."""
    levels = [result["level"] for result in adapter["results"] if result["verdict"] == "fail"]
    counts = Counter(level if level in _LEVELS else "not known" for level in levels)
    texts = [f"{counts[level]} {level}" for level in (*_LEVELS, "not known") if counts[level]]
    return f"Departures by level: {', '.join(texts)}." if texts else ""


def _cell(adapter: dict[str, Any], profile: str, profile_of: Any) -> str:
    mine = [result for result in adapter["results"] if profile_of(result["case"]) == profile]
    judged = [result for result in mine if result["verdict"] in ("pass", "fail")]
    if not judged:
        return ""
    failed = [result for result in judged if result["verdict"] == "fail"]
    share = f"{len(judged) - len(failed)} of {len(judged)}"
    if not failed:
        return _span(*_AGREES, share)
    levels = [level for level in _LEVELS if any(result["level"] == level for result in failed)]
    sign, style = _LEVELS[levels[0]] if levels else _UNKNOWN
    return _span(sign, style, f"{share}<br>{levels[0] if levels else 'not known'}")


def _span(sign: str, style: str, text: str) -> str:
    return f'<span class="state {style}">{sign} {text}</span>'
