"""The stored history of a stack: ``releases/STACK.json``, with the schema ``history.schema.json``.

A first divergence is stored once, with the releases that show it: most last for many releases. The deviation that
explains a divergence is not stored: readers look it up in the manifest.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firstflight_conformance.format.files import write_whole
from firstflight_conformance.format.parse import parse_file
from studies.history.registry import newest_first

SCHEMA = Path(__file__).with_name("history.schema.json")
_OF_RELEASE = ("version", "released", "checksum", "judged", "firstflight", "vectors", "counts", "unjudged", "not_built")


class HistoryError(ValueError):
    """A file of stored results is malformed."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first divergence of a case. ``entry``: event, and [expected, observed] by observable, as in records.

    ``cause``: the cause by the diagnosis, if no manifest explains it; ``conforms``: another choice at an open point.
    """

    adapter: str
    case: str
    entry: dict[str, Any]
    clauses: tuple[str, ...]
    cause: str | None = None
    conforms: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """A release, judged on the day ``judged`` by ``firstflight`` (version and commit), or ``not_built``: an error.

    ``counts``: number of cases by adapter, profile and verdict. ``unjudged``: by adapter, the cases without a verdict,
    because the stack does not support an event, or fails. ``vectors``: a digest of the vectors.
    """

    version: str
    released: str | None
    checksum: str | None
    judged: str
    firstflight: str
    vectors: str
    counts: dict[str, dict[str, dict[str, int]]]
    unjudged: dict[str, list[str]]
    not_built: str | None = None
    divergences: tuple[Divergence, ...] = ()


def load(path: Path) -> dict[str, Judged]:
    """Return the stored releases by version, newest first. Raise an error with the name of a malformed file."""
    if not path.exists():
        return {}
    raw = parse_file(path)
    _check(path, raw)
    divergences: dict[str, list[Divergence]] = {release["version"]: [] for release in raw["releases"]}
    for divergence in raw["divergences"]:
        members = {name: value for name, value in divergence.items() if name not in ("in", "clauses")}
        for version in divergence["in"]:
            divergences[version].append(Divergence(**members, clauses=tuple(divergence["clauses"])))
    return {
        release["version"]: Judged(**release, divergences=tuple(divergences[release["version"]]))
        for release in raw["releases"]
    }


def keep(path: Path, stack: str, releases: Sequence[Judged]) -> None:
    """Write the releases to ``path``."""
    by_version = {release.version: release for release in releases}
    ordered = [by_version[version] for version in newest_first([*by_version])]
    lines = [
        f"  {json.dumps({name: getattr(release, name) for name in _OF_RELEASE}, ensure_ascii=False)}"
        for release in ordered
    ]
    text = (
        f'{{\n "format": 1,\n "stack": {json.dumps(stack)},\n "releases": {_listed(lines)},\n'
        f' "divergences": {_listed(_divergences(ordered))}\n}}\n'
    )
    _check(path, json.loads(text))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)


def _listed(lines: Sequence[str]) -> str:
    return "[\n" + ",\n".join(lines) + "\n ]" if lines else "[]"


def _divergences(releases: Sequence[Judged]) -> list[str]:
    """Return a line for each divergence, sorted by adapter and case, newer releases first."""
    groups: dict[str, tuple[dict[str, Any], list[str]]] = {}
    for release in releases:
        for divergence in release.divergences:
            raw: dict[str, Any] = {
                "adapter": divergence.adapter,
                "case": divergence.case,
                "entry": divergence.entry,
                "clauses": list(divergence.clauses),
            }
            raw |= {"conforms": divergence.conforms}
            # The diagnosis depends on the other failing cases: the cause in the newest release is stored for all.
            _, versions = groups.setdefault(json.dumps(raw), (raw | {"cause": divergence.cause}, []))
            versions.append(release.version)
    ordered = sorted(groups.values(), key=lambda group: (group[0]["adapter"], group[0]["case"]))
    return [f"  {json.dumps(raw | {'in': versions}, ensure_ascii=False)}" for raw, versions in ordered]


def _check(path: Path, raw: object) -> None:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    wrong = best_match(Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).iter_errors(raw))
    if wrong is not None:
        raise HistoryError(f"{path}: {wrong.json_path}: {wrong.message}")
