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
from firstflight_conformance.adapters.script import Script
from firstflight_conformance.cli import main
from firstflight_conformance.compare.answers import failed
from firstflight_conformance.explain.departures import of_profile
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.paths import CONFORMANCE
from firstflight_conformance.records.results import Verdict
from firstflight_conformance.replay.answers import CRASHES
from firstflight_conformance.replay.measure import config_from_json
from firstflight_conformance.run.judge import judge
from firstflight_conformance.run.session import RunOptions
from freedoms_support import WINDOWS, changed
from plain.judge import Run
from planted_bugs import CONTROLLERS, Bug, Patches, bug_of, bugs, build

_DATA = tomllib.loads((CONTROLLERS / "kinds.toml").read_text("utf-8"))
#: The most events that the vector of a kind may have.
MOST_EVENTS: Mapping[str, int] = _DATA["kinds"]
_BASE = "newreno_rfc_9002"


@dataclass(frozen=True)
class Planted:
    """A bug of a kind, and the case that rejects it.

    Either ``bug`` changes a controller behind the adapter protocol, or ``replace`` and ``base`` change the self-contained ``program``.
    """

    id: str
    source: str
    kind: str
    case: Case
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
            yield Planted(entry["id"], entry["source"], entry["kind"], case, bug)


def _program(entry: Mapping[str, Any], case: Case) -> Planted:
    changes = (entry["program"], entry.get("replace", ()), entry.get("base", ()))
    return Planted(entry["id"], entry["source"], entry["kind"], case, None, *changes)


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


def rejects(case: Case, program: ModuleType) -> bool:
    """Return whether a window or threshold differs from the case, or the program ends with an error."""
    run = Run(program, config_from_json(case.vector.config))
    try:
        for event, expected, allowed in zip(case.events, case.expected(), case.allowed(), strict=True):
            observed = run.step(event)
            if any(observed[name] not in (expected[name], *allowed.get(name, ())) for name in WINDOWS):
                return True
    except CRASHES:
        return True
    return False


def found(entry: Planted, folder: Path) -> str:
    """Return what the vector of the entry shows of the bug: ``rejected``, ``open`` if an open point allows the answers, or ``passed``."""
    if entry.bug is None:
        return "rejected" if rejects(entry.case, wrong_program(entry)) else "passed"
    build(folder, entry.bug.wrong)
    command = (sys.executable, str(folder / "adapter.py"), entry.bug.profile, json.dumps(entry.bug.hello))
    manifest = Manifest(entry.id, entry.id, "", "third-party", command, CONFORMANCE)
    report = judge(manifest, [Script(entry.case)], RunOptions())
    result = report.results[0]
    if result.verdict is Verdict.ERRORED:
        return "rejected"
    if result.verdict is not Verdict.FAIL or report.declaration is None:
        return "passed"
    failing = of_profile([failed(result, entry.case, report.declaration)], []).departures.failing
    return "rejected" if failing else "open"
