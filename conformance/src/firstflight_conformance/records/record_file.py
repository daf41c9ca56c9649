"""The record of an adapter: the first divergence of each diverging case, to detect changed deviations.

A manifest explains deviations by case and clause; ``record.json`` in the same folder pins the numbers. Only
``firstflight run --record`` writes it; the schema is ``spec/schemas/record.schema.json``.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firstflight_conformance.format.parse import VectorError, parse_file
from firstflight_conformance.format.schemas import schema_error
from firstflight_conformance.format.timeline import value_text
from firstflight_conformance.format.wire import encode_value
from firstflight_conformance.records.divergence import Divergence
from firstflight_conformance.records.results import AdapterReport, Result, Verdict


class RecordError(ValueError):
    """Invalid record; the text contains file, place and reason."""


@dataclass(frozen=True, slots=True)
class Record:
    """The recorded first divergences of a stack, and the version of the stack.

    ``cases`` has an entry for each diverging case, by its id. The entry contains ``event``, the index of the first
    diverging event (``None`` in a computation), and for each differing observable the list [expected, observed].
    """

    version: str | None = None
    cases: dict[str, dict[str, Any]] = field(default_factory=dict)


def load(path: Path) -> Record:
    """Return the record of a file, or an empty record without a file. Raise :class:`RecordError` if it is malformed."""
    if not path.exists():
        return Record()
    try:
        raw = parse_file(path)
    except VectorError as error:
        raise RecordError(str(error)) from error
    wrong = schema_error("urn:firstflight:record:1", raw)
    if wrong is not None:
        raise RecordError(f"{path}: {wrong.json_path}: {wrong.message}")
    return Record(raw["version"], raw["cases"])


def text(record: Record) -> str:
    """Return the canonical text of a record: sorted, one case per line."""
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(record.cases[name])}" for name in sorted(record.cases))
    cases = f"{{\n{lines}\n }}" if lines else "{}"
    return f'{{\n "format": 1,\n "version": {json.dumps(record.version)},\n "cases": {cases}\n}}\n'


def entry(divergence: Divergence) -> dict[str, Any]:
    """Return the entry of a record for a divergence."""
    values = {d.observable: [encode_value(d.expected), encode_value(d.observed)] for d in divergence.differences}
    return {"event": divergence.event_index, **values}


def change(result: Result, record: Record) -> str | None:
    """Return a text on the change of a result since the record, or ``None``. Errored results are not compared."""
    if result.verdict is Verdict.ERRORED:
        return None
    before = record.cases.get(result.case_id)
    now = entry(result.divergence) if result.divergence else None
    if before == now:
        return None
    return f"recorded: {_entry_text(before)}; now: {result.verdict.value if now is None else _entry_text(now)}"


def _entry_text(recorded: dict[str, Any] | None) -> str:
    if recorded is None:
        return "no divergence"
    differences = [
        f"{name}: expected {value_text(value[0])}, observed {value_text(value[1])}"
        for name, value in recorded.items()
        if name != "event"
    ]
    place = "" if recorded["event"] is None else f"event {recorded['event']}: "
    return place + "; ".join(differences)


def updated(record: Record, report: AdapterReport, known_cases: Collection[str] | None) -> Record:
    """Return the record updated with the results of a run.

    Cases that were not run, or errored, keep their entries; conforming cases lose them. ``known_cases``: all existing
    cases, or None if unknown; entries of other cases are dropped.
    """
    cases = {name: case for name, case in record.cases.items() if known_cases is None or name in known_cases}
    for result in report.results:
        if result.verdict is not Verdict.ERRORED:
            cases.pop(result.case_id, None)
        if result.divergence is not None and not result.conforms:
            cases[result.case_id] = entry(result.divergence)
    return Record(report.declaration.version if report.declaration else record.version, cases)
