"""The page of judged stacks, from ``build/report/report.json`` where there is one."""

import json
from typing import Any

from firstflight_conformance.docs_ext import markdown as md
from firstflight_conformance.docs_ext import site
from firstflight_conformance.paths import BUILD

_COUNTS = ("pass", "fail", "explained", "unsupported", "errored")
_ROLES = {
    "reference": ("References", "The two references of this project, which must pass every case."),
    "third-party": ("Third-party stacks", "Published implementations behind adapters, unchanged."),
    "null": ("Null adapters", "Adapters that do nothing useful. A vector that they pass tells little apart."),
}


def page() -> str:
    """Return the page."""
    blocks = [
        "# Stacks judged",
        "Which implementations were judged by the vectors, with what result, and where and why they deviate.",
    ]
    path = BUILD / "report" / "report.json"
    if not path.exists():
        return md.page(
            *blocks,
            "There is no report in this build. `make conformance` writes `build/report/report.json`; build again after it.",
        )
    adapters = json.loads(path.read_text("utf-8"))["adapters"]
    blocks.append(
        "*Explained* deviations are known and have a reason, given below; *unsupported* cases are outside what the adapter "
        "declares. [](../specification/adapter-protocol.md) defines the verdicts."
    )
    for role, (title, text) in _ROLES.items():
        mine = [adapter for adapter in adapters if adapter["role"] == role]
        if mine:
            blocks += [f"## {title}", text, _table(mine)]
    for adapter in adapters:
        if adapter["role"] != "null":
            blocks += _deviations(adapter)
    return md.page(*blocks)


def _table(adapters: list[dict[str, Any]]) -> str:
    rows = []
    for adapter in adapters:
        if adapter["skipped"]:
            rows.append(
                (md.plain(adapter["title"]), adapter["language"], f"not run: {md.plain(adapter['skipped'])}", *[""] * 4)
            )
            continue
        counts = adapter["counts"]
        passed = str(counts["pass"])
        if counts["within_tolerance"]:
            passed += f" ({counts['within_tolerance']} within tolerance)"
        rows.append(
            (md.plain(adapter["title"]), adapter["language"], passed, *(str(counts[name]) for name in _COUNTS[1:]))
        )
    return md.list_table(
        ("Stack", "Language", *(name.capitalize() for name in _COUNTS)), rows, (30, 12, 14, 9, 12, 13, 10), "compact"
    )


def _deviations(adapter: dict[str, Any]) -> list[str]:
    wrong = [one for one in adapter["results"] if one["verdict"] in ("fail", "errored")]
    if not wrong:
        return []
    rows = [(_case(one["case"]), _what(one), _why(one)) for one in wrong]
    table = md.list_table(("Case", "First difference", "Explanation"), rows, (34, 33, 33), "compact")
    return [f"## Deviations of {md.plain(adapter['title'])}", table]


def _case(case_id: str) -> str:
    vector_id = case_id.split("@")[0]
    if vector_id in {one.id for one in site.vectors()} | {one.id for one in site.computations()}:
        return md.ref(case_id, site.anchor("vector", vector_id))
    return md.plain(case_id)


def _what(result: dict[str, Any]) -> str:
    divergence = result["divergence"]
    if divergence is None:
        return md.plain(result["reason"] or result["verdict"])
    parts = [
        f"{md.code(one['observable'])} {_value(one['observed'])} instead of {_value(one['expected'])}"
        for one in divergence["differences"]
    ]
    place = "" if divergence["event_index"] is None else f"event {divergence['event_index']}: "
    return place + "; ".join(parts)


def _value(value: Any) -> str:
    return "none" if value is None else md.plain(str(value))


def _why(result: dict[str, Any]) -> str:
    explained = result["explained_by"]
    if explained is None:
        known = [name for name in (result["divergence"] or {"clauses": []})["clauses"] if name in site.clauses()]
        return "none yet" + ("; the model carried out " + ", ".join(map(md.clause, known)) if known else "")
    link = md.clause(explained["clause"]) if explained["clause"] in site.clauses() else md.code(explained["clause"])
    return f"{link}: {md.plain(explained['explanation'])}"
