"""Bugs of public reports in controllers that share no code with the model, and the verdict of the command on each."""

import json
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from firstflight_conformance.cli import main
from planted_errors import PLANTED
from runner_support import BAD

CONTROLLERS = PLANTED / "python"
Patches = Sequence[Sequence[str]]
_EXACT = r", exact(?:: every answer to the end|, but .*? by the (?:paths; vectors may distinguish them|cases that were judged))"
_CONFIDENCE = re.compile(rf", explains \d+ of \d+ failures[^,:]*(?:, not exact|{_EXACT})?(?:, perhaps)?")


@dataclass(frozen=True)
class Bug:
    """A bug of a report: broken rules, patterns of a description, and patches of the fixed and the wrong controller."""

    id: str
    source: str
    table: bool
    open: bool
    profile: str
    hello: Mapping[str, Any]
    breaks: frozenset[str]
    what: str
    says: tuple[str, ...]
    fixed: Patches
    wrong: Patches


@dataclass(frozen=True)
class Measured:
    """The result of a run by vectors. ``cause``: id and sentence of the first cause, empty without one."""

    exit_code: int
    failed: int
    named: bool
    described: bool
    wrong_exact: tuple[str, ...]
    cause: str

    @property
    def caught(self) -> bool:
        """Whether a case failed or the program exited."""
        return self.exit_code in (1, 3)


def bugs() -> Iterator[Bug]:
    """Yield the bugs in the order of the file."""
    data = tomllib.loads((CONTROLLERS / "bugs.toml").read_text("utf-8"))
    for raw in data["bug"]:
        yield bug_of(raw, data["variants"])


def bug_of(raw: Mapping[str, Any], variants: Mapping[str, Patches]) -> Bug:
    """Return the bug of an entry. ``variants``: changes of fixed controllers by name."""
    hello = raw.get("hello", {})
    if raw.get("derives"):
        hello = {"works_out": ["app_limited", "persistent_congestion"]}
    fixed = variants[raw["variant"]] if "variant" in raw else []
    texts = (raw["id"], raw["source"], raw.get("table", False), raw.get("open", False), raw["profile"], hello)
    rules = (frozenset(raw.get("breaks", ())), raw["what"], tuple(raw.get("says", ())))
    return Bug(*texts, *rules, fixed, [*fixed, *raw["patches"]])


def build(folder: Path, patches: Patches) -> None:
    """Copy the controllers and apply the patches. Raise :class:`ValueError` if a patch does not fit."""
    shutil.copytree(CONTROLLERS, folder, dirs_exist_ok=True)
    shutil.copy(BAD / "newreno.py", folder)
    for name, old, new in patches:
        path = folder / name
        text = path.read_text("utf-8")
        if text.count(old) != 1:
            raise ValueError(f"{name}: expected the patched text once, got it {text.count(old)} times: {old!r}")
        path.write_text(text.replace(old, new), "utf-8")


def run(bug: Bug, folder: Path, patches: Patches, *options: str) -> Measured:
    """Build a controller and judge it by the vectors of the profile."""
    build(folder, patches)
    algorithm, profile = bug.profile.split("/")
    adapter = [sys.executable, str(folder / "adapter.py"), bug.profile, json.dumps(bug.hello)]
    report = folder / "report.json"
    words = ["run", "--algorithm", algorithm, "--profile", profile, "--deadline-s", "100", "--report-json", str(report)]
    result = CliRunner().invoke(main, [*words, "--adapter", shlex.join(adapter), *options], catch_exceptions=False)
    adapter_report = json.loads(report.read_text("utf-8"))["adapters"][0]
    return judged(bug, result.exit_code, adapter_report["counts"]["fail"], adapter_report["diagnosis"], result.output)


def judged(bug: Bug, exit_code: int, failed: int, causes: Sequence[Mapping[str, Any]], output: str) -> Measured:
    """Return the result of a run.

    A cause names the bug if it cites a rule that the bug breaks. Such a cause also describes the bug if it is known,
    and is either exact or has a pattern in its id or sentence.
    """
    if not causes:
        return Measured(exit_code, failed, False, False, (), "")
    first, text = causes[0], sentence(output)
    known = first["kind"] != "rule"
    fits = first["exact"] or any(re.search(pattern, text, re.I) for pattern in bug.says)
    wrong_exact = tuple(cause["cause"] for cause in causes if cause["exact"] and not _names(bug, cause))
    return Measured(exit_code, failed, _names(bug, first), known and fits and _names(bug, first), wrong_exact, text)


def _names(bug: Bug, cause: Mapping[str, Any]) -> bool:
    return not bug.breaks.isdisjoint(cause["clauses"])


def sentence(output: str) -> str:
    """Return id and sentence of the first cause in a report, without its confidence."""
    match = re.search(r"cause: (.*?)\n +(?:level|decided|\[)", output, re.S)
    return _CONFIDENCE.sub(":", " ".join(match[1].split())) if match else ""


def table(results: Iterable[tuple[Bug, Measured]]) -> str:
    """Return a table of results, one line per bug, and the totals."""
    lines, rows = [], list(results)
    for bug, measured in rows:
        marks = [measured.caught, measured.named, measured.described, bool(measured.wrong_exact)]
        lines.append(
            f"| {bug.id} | {' | '.join(['no', 'yes'][mark] for mark in marks)} | {measured.failed} | {measured.cause} |"
        )
    return "\n".join([*lines, totals(rows)])


def totals(rows: Sequence[tuple[Bug, Measured]]) -> str:
    """Return the numbers of bugs, caught ones, named ones, described ones and wrong exact causes."""
    diagnosed = [measured for _, measured in rows if measured.cause]
    named, described = sum(measured.named for measured in diagnosed), sum(measured.described for measured in diagnosed)
    wrong = sum(len(measured.wrong_exact) for measured in diagnosed)
    caught = sum(measured.caught for _, measured in rows)
    return f"{len(rows)} bugs, {caught} caught, {len(diagnosed)} diagnosed, {named} named, {described} described, {wrong} wrong and exact"
