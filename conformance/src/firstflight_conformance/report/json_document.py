"""The report as one JSON document (``spec/schemas/report.schema.json``)."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firstflight_conformance.adapters.manifest import OF_REPORTS, Deviation
from firstflight_conformance.format.wire import encode_value
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.records.divergence import Divergence
from firstflight_conformance.records.results import AdapterReport, Refused, Result, Verdict
from firstflight_conformance.report.checkout import checkout
from firstflight_conformance.report.explained import ExplainedDeviation, explained
from firstflight_conformance.report.not_judged import not_judged
from firstflight_conformance.simulate.loop_run import LoopRun

if TYPE_CHECKING:
    from firstflight_conformance.records.findings import Cause, Choice

#: Default values of members of a result. Members with these values are omitted.
_ABSENT = {
    "status": None,
    "within_tolerance": False,
    "reason": None,
    "fault": None,
    "divergence": None,
    "explained_by": None,
    "level": None,
    "cause": None,
    "change": None,
    "growth": None,
    "loop": None,
    "judged_events": None,
    "undecided": False,
    "clash": None,
    "refused_why": None,
}
_PLACE = "@results {}@"
_STATUSES = (
    "pass",
    "within_tolerance",
    "up_to_reduction",
    "fail",
    "choice",
    "undecided",
    "explained",
    "changed",
    "unsupported",
    "errored",
)


def to_json(
    reports: list[AdapterReport],
    case_ids: list[str],
    exit_code: int,
    *,
    strict: bool,
    root: Path = VECTORS,
    blind: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """Return the document. Equal results give equal documents: the only time is the date of the commit.

    ``root``: the folder of the vectors. ``blind``: for a run over random network paths, one item per profile with the
    numbers of drawn paths and judged cases; otherwise empty.
    """
    return {
        "format": 1,
        "strict": strict,
        "exit_code": exit_code,
        "vectors_sha256": vectors_digest(root),
        "checkout": checkout(),
        **({"blind": list(blind)} if blind else {}),
        "cases": case_ids,
        "adapters": [_adapter(report) for report in reports],
    }


def vectors_digest(root: Path = VECTORS) -> str | None:
    """Return the SHA-256 of the manifest of the vectors, which contains their hashes, or None without a manifest."""
    manifest = root / "manifest.json"
    return hashlib.sha256(manifest.read_bytes()).hexdigest() if manifest.exists() else None


def text(document: dict[str, Any]) -> str:
    """Return the canonical text of the document, with one result per line."""
    results = [adapter["results"] for adapter in document["adapters"]]
    adapters = [adapter | {"results": _PLACE.format(n)} for n, adapter in enumerate(document["adapters"])]
    written = json.dumps(document | {"adapters": adapters}, indent=1, ensure_ascii=False)
    for number, entries in enumerate(results):
        lines = ",\n".join(f"    {json.dumps(entry, ensure_ascii=False)}" for entry in entries)
        place = f'"results": {json.dumps(_PLACE.format(number))}'
        written = written.replace(place, f'"results": [\n{lines}\n   ]' if lines else '"results": []')
    return written + "\n"


def read(path: Path) -> dict[str, Any]:
    """Read a document and add the omitted members of results."""
    return complete(json.loads(path.read_text("utf-8")))


def complete(document: dict[str, Any]) -> dict[str, Any]:
    """Add the omitted members of results to a document and return it."""
    for adapter in document["adapters"]:
        adapter.setdefault("explained", [])
        adapter["results"] = [_ABSENT | result for result in adapter["results"]]
    return document


def _adapter(report: AdapterReport) -> dict[str, Any]:
    manifest = report.manifest
    return {
        "name": manifest.name,
        "title": manifest.title,
        "language": manifest.language,
        "role": manifest.role,
        "skipped": report.skipped,
        **({"supplied_before_start": manifest.supplied_before_start} if manifest.supplied_before_start else {}),
        "declaration": report.declaration and asdict(report.declaration),
        "seen": {
            "passed": report.passed,
            "refused": len(report.refused),
            "total": report.total,
            "not_green": list(report.not_green),
            "idle": list(report.unseen.idle),
        },
        "counts": {status: report.counts[status] for status in _STATUSES},
        "diagnosis": [_cause(cause) for cause in report.diagnosis.causes] if report.diagnosis else [],
        "choices": [_choice(choice) for choice in report.diagnosis.choices] if report.diagnosis else [],
        "not_exercised": list(report.not_exercised),
        "rules_passed": report.rules_passed,
        "judged_in_part": report.diagnosis.exercised.in_part if report.diagnosis else 0,
        "not_judged": {name: list(value) for name, value in asdict(not_judged(report)).items()},
        "explained": [_explained(deviation) for deviation in explained(report)],
        "disappeared": [_deviation(deviation) for deviation in report.disappeared],
        "results": list(_informative_results(report)),
    }


def _informative_results(report: AdapterReport) -> Iterator[dict[str, Any]]:
    """Yield the results of an adapter as JSON members, without those that contain no information.

    Results for undeclared profiles are omitted. A null adapter contains no congestion control: only its passes are
    yielded. The passes of null and reference adapters lack ``growth`` and ``loop``, which compare adapter and model.
    """
    role = report.manifest.role
    for result in report.results:
        if role == "third-party":
            if not result.undeclared:
                yield _result(result)
        elif result.verdict is Verdict.PASS:
            yield {name: value for name, value in _result(result).items() if name not in ("growth", "loop")}
        elif role == "reference" and not result.undeclared:
            yield _result(result)


def _cause(cause: "Cause") -> dict[str, Any]:
    optional = {"followed": cause.followed, "notes": list(cause.notes)}
    return {
        "cause": cause.cause,
        "kind": cause.kind,
        "clauses": list(cause.clauses),
        "explains": cause.explains,
        "of": cause.of,
        "exact": cause.exact,
    } | {name: value for name, value in optional.items() if value}


def _choice(choice: "Choice") -> dict[str, Any]:
    point = choice.point
    return {
        "point": point.id,
        "kind": point.kind.value,
        "source": point.source,
        "choice": choice.what,
        "why": point.why,
        "cause": choice.cause,
        "acts": choice.acts,
        "clauses": list(choice.clauses),
        "cases": list(choice.cases),
    }


def _explained(explanation: ExplainedDeviation) -> dict[str, Any]:
    members = {
        name: value for name, value in _deviation(explanation.deviation).items() if name not in ("case", "clause")
    }
    return members | {"clauses": list(explanation.clauses), "cases": [result.case_id for result in explanation.results]}


def _deviation(deviation: Deviation) -> dict[str, str]:
    """Return the members of a known deviation of an adapter.

    Omit members that are None, and members used only in reports of defects to the authors (:data:`OF_REPORTS`).
    """
    return {name: value for name, value in asdict(deviation).items() if value is not None and name not in OF_REPORTS}


def _short(deviation: Deviation) -> Deviation:
    """Return a copy of a deviation with None for ``id``, ``where``, ``section`` and ``notice``.

    The document contains these four once for all results, in the member ``explained`` of the adapter.
    """
    return replace(deviation, id=None, where=None, section=None, notice=None)


def _result(result: Result) -> dict[str, Any]:
    loop = result.loop
    members = {
        "case": result.case_id,
        "verdict": result.verdict.value,
        "status": None if result.status == result.verdict.value else result.status,
        "within_tolerance": result.within_tolerance,
        "reason": result.reason or None,
        "fault": result.fault.value if result.fault else None,
        "divergence": _divergence(result.divergence) if result.divergence else None,
        "explained_by": _deviation(_short(result.explained_by)) if result.explained_by else None,
        "level": result.level,
        "cause": result.cause,
        "judged_events": result.judged_events,
        "undecided": result.undecided,
        "clash": result.clash,
        "refused_why": result.unsupported.why if isinstance(result.unsupported, Refused) else None,
        "change": result.change,
        "growth": asdict(result.growth) if result.growth else None,
        "loop": loop and {"stack": _loop_run(loop.stack), "model": _loop_run(loop.model)},  # divergence: above
    }
    return {name: value for name, value in members.items() if name not in _ABSENT or value != _ABSENT[name]}


@cache  # the model's run is repeated for each stack
def _loop_run(run: LoopRun) -> Any:
    return encode_value(asdict(run))


def _divergence(divergence: Divergence) -> dict[str, Any]:
    return {
        "event_index": divergence.event_index,
        "event": divergence.event,
        "differences": [
            {"observable": d.observable, "expected": encode_value(d.expected), "observed": encode_value(d.observed)}
            for d in divergence.differences
        ],
        "clauses": list(divergence.clauses),
        "model": {name: encode_value(value) for name, value in divergence.expected.items()},
    }
