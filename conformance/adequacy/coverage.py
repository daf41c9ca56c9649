"""Checks that every clause has a line of Python, a line of C and a vector that exercises it, or an exemption."""

import json
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from adequacy.citations import c_citations, plain_citations
from firstflight_conformance.format.clauses import Citation, Clause, all_clauses, python_citations
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.readings import load_tables
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.paths import REFERENCE_C


@dataclass(frozen=True, slots=True)
class Trace:
    """The lines that carry out a clause, and the cases that exercise it."""

    clause: Clause
    python: tuple[Citation, ...]
    c: tuple[Citation, ...]
    cases: tuple[str, ...]


def traces(cases: Iterable[Case | ComputationCase]) -> list[Trace]:
    """Return the trace of every clause, in the order of the pages."""
    python, c = _by_clause(python_citations()), _by_clause(c_citations())
    carried_out: dict[str, list[str]] = defaultdict(list)
    for case in cases:
        for clause in case.expectation.clauses:
            carried_out[clause].append(case.id)
    return [
        Trace(clause, tuple(python[name]), tuple(c[name]), tuple(carried_out[name]))
        for name, clause in all_clauses().items()
    ]


def _by_clause(citations: Iterable[Citation]) -> dict[str, list[Citation]]:
    by_clause: dict[str, list[Citation]] = defaultdict(list)
    for citation in citations:
        by_clause[citation.clause].append(citation)
    return by_clause


def gaps(cases: Iterable[Case | ComputationCase]) -> list[str]:
    """Return one line for each missing part of a clause without an exemption, and for each unnecessary exemption."""
    lines = []
    for trace in traces(cases):
        for part, present in (("python", trace.python), ("c", trace.c), ("vector", trace.cases)):
            exempt = trace.clause.exempt.get(part)
            if not present and not exempt:
                lines.append(f"{trace.clause.id}: no {part}, and no :exempt-{part}: with the reason")
            if present and exempt:
                lines.append(f"{trace.clause.id}: has {part} in spite of its exemption: {exempt}")
    lines += _unknown_readings()
    known = set(all_clauses())
    for citation in [*python_citations(), *plain_citations(), *c_citations()]:
        if citation.clause not in known:
            lines.append(f"{citation.path}:{citation.line}: there is no clause {citation.clause}")
    return lines


def _unknown_readings() -> list[str]:
    """Return one line for each reading or value of a clause that its algorithm does not have."""
    readings = {name: {reading.name for reading in table.readings} for name, table in load_tables().items()}
    lines = [
        f"{clause.id}: :readings: names {name}, which spec/{clause.page}/profiles.toml does not have"
        for clause in all_clauses().values()
        for name in clause.readings
        if name not in readings.get(clause.page, ())
    ]
    tables = {name: {reading.name: reading for reading in table.readings} for name, table in load_tables().items()}
    return lines + [
        f"{clause.id}: :when: has {condition}, and {condition.reading} does not allow {value}"
        for clause in all_clauses().values()
        for condition in clause.when
        for value in condition.values
        if not tables[clause.page][condition.reading].allows(int(value) if value.isdecimal() else value)
    ]


def c_gaps(object_folder: Path, cases: Iterable[Case | ComputationCase]) -> list[str]:
    """Return one line for each clause in C that no vector exercised, by the gcov counters in a folder.

    A build with ``--coverage`` must have replayed the vectors before. A citation without an executable line is reported
    as well.
    """
    counts = _gcov(object_folder)
    carried_out = {clause for case in cases for clause in case.expectation.clauses}
    lines = []
    for clause, citations in _by_clause(c_citations()).items():
        hits = [
            counts.get((citation.path.relative_to(REFERENCE_C).as_posix(), citation.line)) for citation in citations
        ]
        if all(hit is None for hit in hits):
            lines.append(f"{clause}: cited in C on no line that executes")
        elif clause in carried_out and not any(hits):
            lines.append(f"{clause}: the vectors carry it out in Python, but not in C")
        elif clause not in carried_out and any(hits):
            lines.append(f"{clause}: the vectors carry it out in C, but not in Python")
    return lines


def _gcov(object_folder: Path) -> dict[tuple[str, int], int]:
    """Return how often each line ran, by file below ``reference-c`` and line."""
    data = sorted(object_folder.rglob("*.gcda"))
    if not data:
        raise FileNotFoundError(f"{object_folder}: no coverage data; run `make coverage-c` first")
    # Reports are read from standard output: files of the same name in two packages would overwrite each other.
    command = ["gcov", "--json-format", "--stdout", *(str(path.resolve()) for path in data)]
    reports = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    counts: dict[tuple[str, int], int] = defaultdict(int)
    for report in map(json.loads, reports):
        for source in report["files"]:
            for line in source["lines"]:
                counts[source["file"], line["line_number"]] += line["count"]
    return dict(counts)
