"""Bugs of public reports by kind (``planted/python/kinds.toml``), each with a short vector that rejects it."""

import json
import shlex
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from click.testing import CliRunner

from every import every_case
from firstflight_conformance.adapters.manifest import Manifest
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.adapters.script import Script
from firstflight_conformance.cli import main
from firstflight_conformance.compare.answers import failed
from firstflight_conformance.explain.departures import of_profile
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.paths import CONFORMANCE
from firstflight_conformance.records.results import Result, Verdict
from firstflight_conformance.run.judge import judge, verdict_on
from firstflight_conformance.run.session import RunOptions
from freedoms_support import WINDOWS, answers_of, changed
from planted_bugs import CONTROLLERS, Bug, Patches, bug_of, bugs, build

_DATA = tomllib.loads((CONTROLLERS / "kinds.toml").read_text("utf-8"))
#: Maximum number of events in the vector of a kind.
MOST_EVENTS: Mapping[str, int] = _DATA["kinds"]
_BASE = "newreno_rfc_9002"


@dataclass(frozen=True)
class Planted:
    """A bug of a kind, and the case that rejects it.

    Either ``bug`` changes a controller behind the adapter protocol, or ``replace`` and ``base`` change the self-contained ``program``.
    ``ends``: the program ends with an error.
    """

    id: str
    source: str
    kind: str
    case: Case
    ends: bool
    bug: Bug | None = None
    program: str = ""
    replace: Patches = ()
    base: Patches = ()

    @property
    def profile(self) -> str:
        """Algorithm and profile."""
        return f"{self.case.vector.algorithm}/{self.case.profile}"


def entries() -> Iterator[Planted]:
    """Yield the entries in the order of the file."""
    known = {bug.id: bug for bug in bugs()}
    cases = {case.id: case for case in every_case()}
    for raw in _DATA["bug"]:
        entry = _DATA["edits"].get(raw.get("edit"), {}) | raw
        if "each" in entry:
            for program, vector in entry["each"]:
                yield _program(entry | {"id": f"{entry['id']}-{program}", "program": program}, cases[vector])
        elif "program" in entry:
            yield _program(entry, cases[entry["vector"]])
        else:
            case = cases[entry["vector"]]
            profile = f"{case.vector.algorithm}/{case.profile}"
            bug = bug_of(entry | {"profile": profile}, {}) if "patches" in entry else known[entry["id"]]
            yield Planted(entry["id"], entry["source"], entry["kind"], case, entry.get("ends", False), bug)


def _program(entry: Mapping[str, Any], case: Case) -> Planted:
    changes = (entry["program"], entry.get("replace", ()), entry.get("base", ()))
    return Planted(entry["id"], entry["source"], entry["kind"], case, entry.get("ends", False), None, *changes)


def exit_code(bug: Bug, folder: Path) -> int:
    """Judge the controller without the bug by the vectors of its profile, and return the exit code of the command."""
    build(folder, bug.fixed)
    algorithm, profile = bug.profile.split("/")
    adapter = shlex.join([sys.executable, str(folder / "adapter.py"), bug.profile, json.dumps(bug.hello)])
    words = ["run", "--algorithm", algorithm, "--profile", profile, "--adapter", adapter]
    return CliRunner().invoke(main, words, catch_exceptions=False).exit_code


def wrong_program(entry: Planted) -> ModuleType:
    """Return the self-contained program with the bug."""
    module = f"planted_{entry.id}".replace("-", "_")
    made = changed(entry.program, map(list, entry.replace), module)
    if entry.base:
        vars(made)["newreno"] = changed(_BASE, map(list, entry.base), f"{module}_base")
    return made


def judged_outcome(entry: Planted, folder: Path) -> str:
    """Return ``rejected``, ``ended`` if the program ends, ``open`` if an open point allows the answers, or ``passed``."""
    script = Script(entry.case)
    if entry.bug is None:
        algorithm, profile = entry.profile.split("/")
        declaration = Declaration(entry.id, "1", {algorithm: (profile,)}, WINDOWS, protocol=2)
        result = verdict_on(script, declaration, answers_of(wrong_program(entry), script, WINDOWS))
        return _outcome(result, entry.case, declaration)
    build(folder, entry.bug.wrong)
    command = (sys.executable, str(folder / "adapter.py"), entry.bug.profile, json.dumps(entry.bug.hello))
    report = judge(Manifest(entry.id, entry.id, "", "third-party", command, CONFORMANCE), [script], RunOptions())
    assert report.declaration is not None
    return _outcome(report.results[0], entry.case, report.declaration)


def _outcome(result: Result, case: Case, declaration: Declaration) -> str:
    if result.verdict is Verdict.FAIL:
        departures = of_profile([failed(result, case, declaration)], []).departures
        return "rejected" if departures.failing else "open"
    return "ended" if result.verdict is Verdict.ERRORED else "passed"
