"""Report of the stacks from committed files, for builds without a run of `make conformance`.

``results.json`` has the counts, ``record.json`` of each adapter the first divergences, and the manifests the explanations.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from firstflight_conformance.adapters.manifest import KINDS, OF_REPORTS, Deviation, Manifest, load_manifests
from firstflight_conformance.format.wire import event_to_json
from firstflight_conformance.paths import ADAPTERS, BUILD
from firstflight_conformance.records import record_file
from firstflight_conformance.report import json_document
from pages import site
from studies.defects.results import FILE

#: Report of a run of `make conformance`.
REPORT = BUILD / "report" / "report.json"


def inputs() -> list[Path]:
    """Return the committed source files of the report, without the manifests."""
    return [FILE, *ADAPTERS.glob("*/record.json")]


def current(path: Path = REPORT) -> dict[str, Any]:
    """Return the report of the run, with committed results of the stacks that it skipped; without a run the committed results."""
    results = report()
    if not path.exists():
        return results
    run = json_document.read(path)
    by_name = {adapter["name"]: adapter for adapter in results["adapters"]}
    adapters = [by_name.get(adapter["name"], adapter) if adapter["skipped"] else adapter for adapter in run["adapters"]]
    return run | {"adapters": adapters}


def report() -> dict[str, Any]:
    """Return the committed results in the form of a report."""
    document = json.loads(FILE.read_text("utf-8"))
    manifests = load_manifests()
    stacks = [_adapter(stack, manifests[stack["name"]], document["date"]) for stack in document["stacks"]]
    return json_document.complete(
        {"committed": document["date"], "vectors_sha256": document["vectors_sha256"], "adapters": stacks}
    )


def _adapter(stack: dict[str, Any], manifest: Manifest, date: str) -> dict[str, Any]:
    cases = record_file.load(manifest.record).cases if manifest.record else {}
    why = {case: _why(manifest, case) for case in cases}
    failed = [_failed(case, divergence, why[case]) for case, divergence in sorted(cases.items())]
    algorithms: dict[str, list[str]] = defaultdict(list)
    for profile_results in stack["profiles"]:
        algorithm, _, profile = profile_results["profile"].partition("/")
        algorithms[algorithm].append(profile)
    return {
        "name": stack["name"],
        "title": stack["title"],
        "language": stack["language"],
        "role": "third-party",
        "skipped": None,
        "committed": date,
        "supplied_before_start": manifest.supplied_before_start,
        "declaration": {"version": stack["version"], "algorithms": dict(algorithms)},
        "diagnosis": [],
        "explained": list(_explained(why)),
        "results": [*failed, *(failure for profile in stack["profiles"] for failure in _unnamed(profile))],
    }


def _why(manifest: Manifest, case: str) -> tuple[Deviation, ...]:
    """Return the deviations of a case, which have one explanation and may have several clauses."""
    return tuple(deviation for deviation in manifest.deviations if deviation.matches(case))


def _failed(case: str, recorded: dict[str, Any], why: Sequence[Deviation]) -> dict[str, Any]:
    """Return the result of a case with its recorded divergence."""
    index = recorded["event"]
    vector = site.vectors_by_id().get(case.partition("@")[0])
    differences = [
        {"observable": name, "expected": values[0], "observed": values[1]}
        for name, values in recorded.items()
        if name != "event"
    ]
    event = event_to_json(vector.events[index]) if vector is not None and index is not None else None
    divergence = {"event_index": index, "event": event, "differences": differences}
    explained_by = {"kind": why[0].kind, "explanation": why[0].explanation} if why else None
    return {"case": case, "verdict": "fail", "divergence": divergence, "explained_by": explained_by}


def _unnamed(profile: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the results that are committed as counts only: agreeing, conforming by a choice, and refused cases."""
    algorithm, _, name = profile["profile"].partition("/")
    case = f"{algorithm}.@{name}"
    for counted, verdict, status in (
        ("pass", "pass", None),
        ("choice", "fail", "choice"),
        ("refused", "unsupported", None),
    ):
        for _ in range(profile["cases"].get(counted, 0)):
            yield {"case": case, "verdict": verdict, "status": status}


def _explained(why: dict[str, tuple[Deviation, ...]]) -> Iterator[dict[str, Any]]:
    """Yield each deviation once, by kind, with its clauses and cases."""
    cases: dict[tuple[str, str], list[str]] = defaultdict(list)
    by_key: dict[tuple[str, str], list[Deviation]] = defaultdict(list)
    for case, deviations in sorted(why.items()):
        for key in {(deviation.kind, deviation.explanation) for deviation in deviations}:
            cases[key].append(case)
        for deviation in deviations:
            by_key[deviation.kind, deviation.explanation].append(deviation)
    for key in sorted(cases, key=lambda key: KINDS.index(key[0])):
        members = {
            name: value
            for name, value in asdict(by_key[key][0]).items()
            if value is not None and name not in (*OF_REPORTS, "case", "clause")
        }
        clauses = sorted({deviation.clause for deviation in by_key[key] if deviation.clause})
        yield members | {"clauses": clauses, "cases": cases[key]}
