"""Writes ``spec/first-vectors.json`` from the kill matrix, or fails if the file differs.

    python docs/_ext/first_vectors.py build/report/kill-matrix.json [--write]

The file has the vectors of an algorithm in the order of a greedy cover: each rejects the most wrong implementations
that no earlier vector rejects. It also has the MUST rules with violations that ``cwnd_bytes`` does not show, with the
observables that show them.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from firstflight_conformance.adapters.messages import OF_SOME_ALGORITHMS
from firstflight_conformance.beside import reach
from firstflight_conformance.explain.breaks import rules_of
from firstflight_conformance.format.clauses import known_clauses
from firstflight_conformance.format.first import PATH
from firstflight_conformance.format.levels import Level, level_of_clause
from firstflight_conformance.format.vectors import COMPUTED_ALGORITHMS, load_all
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.replay.mutants import load_mutants

reach("adequacy")
from adequacy.kill import EVERYWHERE  # noqa: E402

Matrix = dict[str, dict[str, Any]]


def text(matrix: Matrix) -> str:
    """Return the content of the file, with one vector or rule per line."""
    lines = []
    algorithms = dict.fromkeys(entry["profile"].partition("/")[0] for entry in matrix.values())
    for algorithm in sorted(algorithms):
        members = {
            "mutants": sum(bool(entry["killed_by"]) for entry in _of(matrix, algorithm).values()),
            "observables": _observables(algorithm),
            "vectors": _cover(_of(matrix, algorithm)),
            "shown_only_by": _shown_only_by(matrix, algorithm),
        }
        inner = ",\n".join(f"  {json.dumps(name)}: {_lines(value)}" for name, value in members.items())
        lines.append(f" {json.dumps(algorithm)}: {{\n{inner}\n }}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _lines(value: Any) -> str:
    if isinstance(value, dict) and value:
        return "{\n" + ",\n".join(f"   {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items()) + "\n  }"
    if isinstance(value, list) and value and isinstance(value[0], list):
        return "[\n" + ",\n".join(f"   {json.dumps(row)}" for row in value) + "\n  ]"
    return json.dumps(value)


def _of(matrix: Matrix, algorithm: str) -> Matrix:
    return {name: entry for name, entry in matrix.items() if entry["profile"].partition("/")[0] == algorithm}


def _observables(algorithm: str) -> list[str]:
    """Return the algorithm-specific observables that the vectors of this algorithm expect."""
    if algorithm in COMPUTED_ALGORITHMS:
        return []
    entries = [e for v in load_all(VECTORS, (algorithm,)) for p in v.profiles.values() for e in p.expect]
    return [name for name in OF_SOME_ALGORITHMS if any(name in entry for entry in entries)]


def _cover(matrix: Matrix) -> list[list[str | int]]:
    """Return the greedy cover: each vector, its number of newly rejected mutants, and an example. Ties go by name."""
    remaining: dict[str, list[str]] = {}
    for mutant, entry in matrix.items():
        for vector in dict.fromkeys(case.rpartition("@")[0] for case in entry["killed_by"]):
            remaining.setdefault(vector, []).append(mutant)
    cover: list[list[str | int]] = []
    while remaining:
        best = min(remaining, key=lambda vector: (-len(remaining[vector]), vector))
        done = set(remaining[best])
        cover.append([best, len(done), _example(remaining, best)])
        remaining = {
            vector: rest for vector, own in remaining.items() if (rest := [name for name in own if name not in done])
        }
    return cover


def _example(remaining: dict[str, list[str]], vector: str) -> str:
    """Return the mutant that the fewest other vectors reject: the main purpose of this vector."""
    counts = Counter(mutant for mutants in remaining.values() for mutant in mutants)
    return min(remaining[vector], key=lambda mutant: counts[mutant])


def _shown_only_by(matrix: Matrix, algorithm: str) -> dict[str, list[list[str]]]:
    """Return by rule the observables that show violations hidden from the window: one set of alternatives each."""
    observables_by_clause: dict[str, set[tuple[str, ...]]] = {}
    for mutant in load_mutants():
        observables = matrix[mutant.id]["shown_by"]
        if observables and EVERYWHERE not in observables:
            for clause in rules_of(mutant):
                observables_by_clause.setdefault(clause, set()).add(tuple(observables))
    return {
        name: sorted(map(list, observables_by_clause[name]))
        for name, clause in known_clauses().items()
        if name in observables_by_clause and clause.page == algorithm and level_of_clause(clause) is Level.MUST
    }


def main() -> None:
    """Write the file, or compare it with the matrix."""
    made = text(json.loads(Path(sys.argv[1]).read_text("utf-8")))
    if sys.argv[2:] == ["--write"]:
        PATH.write_text(made, "utf-8")
    elif PATH.read_text("utf-8") != made:
        sys.exit(f"{PATH.name} differs from the kill matrix; run make first-vectors")


if __name__ == "__main__":
    main()
