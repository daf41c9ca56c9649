"""The script with the WebAssembly module of *Watch it start*: the page works without requests, also from a file."""

import base64
import json
import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from firstflight.controller import ALGORITHMS
from firstflight.observables import Outcome
from firstflight.search.profiles import PROFILES, Compared, Difference
from firstflight_conformance.paths import REFERENCE_C, ROOT
from pages import parts, site

_LOADER = REFERENCE_C / "wasm" / "firstflight.mjs"
_RULES = ROOT / "docs" / "_static" / "play" / "rules.js"
_THRESHOLDS = {Difference.SEVEN_TWENTIETHS: 0.35, Difference.THIRTEEN_FIFTIETHS: 0.26}
#: Script for a site without the module: it replaces the message on the pages that need it.
_NO_MODULE = """addEventListener("DOMContentLoaded", () => {
  for (const told of document.querySelectorAll("#play-missing, #calculate-missing"))
    told.textContent = "This copy of the site has no WebAssembly module. `make docs` builds it where clang with wasm-ld or zig is available.";
});
"""
#: Maximum number of linked lines of a clause in each language.
_LINES = 3


def write_module(app: Sphinx, error: Exception | None) -> None:
    """Write the module and its loader as a classic script; without the optional module, the script explains how to build it."""
    if error is None and app.builder.name == "html":
        code = base64.b64encode(parts.MODULE.read_bytes()).decode("ascii") if parts.MODULE.exists() else ""
        loader = _LOADER.read_text("utf-8").replace("\nexport ", "\n")
        data = {"SEARCH": _search(), "OUTCOMES": outcomes(), "CLAUSES": _clauses(), "WASM": code}
        assigned = "".join(f"window.FIRSTFLIGHT_{name} = {_json(value)};\n" for name, value in data.items())
        script = f'"use strict";\n{assigned}window.Firstflight = (() => {{\n{loader}\nreturn {{ load, FirstflightError }};\n}})();\n'
        script += "" if code else _NO_MODULE
        target = Path(app.outdir) / "_static" / "play" / "module.js"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(script, encoding="utf-8")


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _search() -> dict[str, tuple[bool, float]]:
    """Return for each profile of SEARCH whether it compares with sent bytes, and its threshold."""
    return {
        name: (readings.compared is Compared.SENT, _THRESHOLDS[readings.difference])
        for name, readings in PROFILES.items()
    }


def outcomes() -> dict[str, dict[str, str]]:
    """Return for each algorithm the clause that mentions each outcome, the first on its page."""
    clauses_by_outcome: dict[str, dict[str, str]] = {name: {} for name in ALGORITHMS}
    names = {outcome.value for outcome in Outcome}
    for clause in site.clauses().values():
        for name in re.findall(r"`([a-z_]+)`", clause.text) if clause.page in clauses_by_outcome else ():
            if name in names:
                clauses_by_outcome[clause.page].setdefault(name, clause.id)
    return clauses_by_outcome


def _clauses() -> dict[str, Any]:
    """Return text and links of each clause that the page may cite."""
    named = {name for by_outcome in outcomes().values() for name in by_outcome.values()}
    named |= set(re.findall(r'clause: "([^"]+)"', _RULES.read_text("utf-8")))
    return {name: _clause(name) for name in sorted(named)}


def _clause(name: str) -> dict[str, Any]:
    clause = site.clauses()[name]
    count = len(site.vectors_by_clause().get(name, []))
    return {
        "level": clause.level,
        "page": f"{site.clause_page(name)}.html#{site.anchor('clause', name)}",
        "vectors": [count, f"find.html#clause={name}"] if count else None,
        **{
            language: [
                [f"{citation.path.name} {citation.line}", f"{site.source_page(citation.path)}.html#L-{citation.line}"]
                for citation in site.citations(language).get(name, [])[:_LINES]
            ]
            for language in ("python", "c")
        },
    }
