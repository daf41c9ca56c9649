"""Errors planted in three controllers written from the pages alone, and the diagnosis of each error."""

import json
import os
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from firstflight_conformance.adapters.manifest import Manifest
from firstflight_conformance.adapters.script import Script
from firstflight_conformance.cli import main
from firstflight_conformance.format import vectors
from firstflight_conformance.paths import CONFORMANCE, VECTORS
from firstflight_conformance.records.results import AdapterReport, Verdict
from firstflight_conformance.run.judge import judge as judge_cases
from firstflight_conformance.run.session import RunOptions
from firstflight_conformance.simulate.cases import StimulusScript, stimulus_cases

PLANTED = CONFORMANCE / "tests" / "planted"
#: Folder of each controller and its required programs.
CONTROLLERS = {"javascript": ("node",), "go": ("go",), "java": ("javac", "java")}
#: Value of ``breaks`` for errors that keep state from one connection to the next.
KEPT_STATE = "kept state"


@dataclass(frozen=True)
class PlantedError:
    """An error: patches of a controller, and the rules that it breaks."""

    controller: str
    id: str
    breaks: tuple[str, ...]
    what: str
    patches: tuple[Mapping[str, str], ...]


@dataclass(frozen=True)
class Diagnosed:
    """Result of the command for a controller: its exit code, and the causes, best first."""

    exit_code: int
    causes: tuple[Mapping[str, Any], ...]

    def names(self, error: PlantedError) -> bool:
        """Return whether the first cause is right: it lists a rule that the error breaks, or reports kept state."""
        return bool(self.causes) and _is_right(self.causes[0], error)

    def wrong_exact(self, error: PlantedError) -> list[str]:
        """Return the wrong causes that are reported as exact."""
        return [cause["cause"] for cause in self.causes if cause["exact"] and not _is_right(cause, error)]


def _is_right(cause: Mapping[str, Any], error: PlantedError) -> bool:
    return (cause["kind"] == "state") if KEPT_STATE in error.breaks else bool({*cause["clauses"]} & {*error.breaks})


def errors() -> Iterator[PlantedError]:
    """Yield the errors of all controllers."""
    for controller in CONTROLLERS:
        for raw in tomllib.loads((PLANTED / controller / "errors.toml").read_text(encoding="utf-8"))["error"]:
            yield PlantedError(controller, raw["id"], tuple(raw["breaks"]), raw["what"], tuple(raw["patches"]))


def missing(controller: str) -> list[str]:
    """Return the missing programs that a controller needs."""
    return [program for program in CONTROLLERS[controller] if shutil.which(program) is None]


def build(controller: str, folder: Path, patches: tuple[Mapping[str, str], ...] = ()) -> list[str]:
    """Copy a controller, apply the patches, compile it, and return the command of its adapter."""
    shutil.copytree(PLANTED / controller, folder, dirs_exist_ok=True)
    for patch in patches:
        path = folder / patch["file"]
        text = path.read_text(encoding="utf-8")
        if patch["old"] not in text:
            raise ValueError(f"{path.name}: the patch does not fit, there is no {patch['old']!r}")
        path.write_text(text.replace(patch["old"], patch["new"]), encoding="utf-8")
    return {"javascript": _javascript, "go": _go, "java": _java}[controller](folder)


def _javascript(folder: Path) -> list[str]:
    return ["node", str(folder / "adapter.mjs")]


def _go(folder: Path) -> list[str]:
    alone = os.environ | {"GOWORK": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false"}
    subprocess.run(["go", "build", "-o", "planted", "."], cwd=folder, env=alone, check=True)
    return [str(folder / "planted")]


def _java(folder: Path) -> list[str]:
    sources = [*sorted(folder.glob("*.java")), CONFORMANCE / "loaders" / "java" / "Flat.java"]
    subprocess.run(["javac", "-d", folder / "out", *sources], check=True)
    return ["java", "-cp", str(folder / "out"), "Adapter"]


def is_caught(command: list[str]) -> bool:
    """Return whether a vector, or otherwise a path, of a declared profile fails. Causes are not computed."""
    manifest = Manifest("planted", "Planted", "", "third-party", tuple(command), CONFORMANCE)
    verdicts = judge_cases(
        manifest, [Script(case) for case in vectors.cases(vectors.load_all(VECTORS))], RunOptions(10.0)
    )
    if not _fails(verdicts):
        verdicts = judge_cases(manifest, [StimulusScript(case) for case in stimulus_cases()], RunOptions(10.0))
    return _fails(verdicts)


def _fails(report: AdapterReport) -> bool:
    return any(result.verdict not in (Verdict.PASS, Verdict.UNSUPPORTED) for result in report.results)


def judge(command: list[str], report: Path, *options: str) -> Diagnosed:
    """Judge an adapter by the vectors and in the closed loop."""
    words = ["run", "--both", "--adapter", shlex.join(command), "--report-json", str(report), *options]
    result = CliRunner().invoke(main, words, catch_exceptions=False)
    adapters = json.loads(report.read_text(encoding="utf-8"))["adapters"]
    return Diagnosed(result.exit_code, tuple(adapters[0]["diagnosis"]))
