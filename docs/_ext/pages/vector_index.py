"""The data of the page *Find vectors*: tier, flags, clauses and distinguished profiles of each vector, as a script."""

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

from sphinx.application import Sphinx

from firstflight_conformance.format.readings import load_tables
from firstflight_conformance.format.vectors import ProfileCase, Vector
from pages import site

#: Observables of every stack.
_WINDOWS = ("cwnd_bytes", "ssthresh_bytes", "phase")
#: The number of judged events, and the changes of the windows with the index of their event.
_Answer: TypeAlias = tuple[int, tuple[tuple[int, tuple[tuple[str, Any], ...]], ...]]


def write_index(app: Sphinx, error: Exception | None) -> None:
    """Write the script."""
    if error is None and app.builder.name == "html":
        target = Path(app.outdir) / "_static" / "find" / "index.js"
        target.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(index(site.vectors()), separators=(",", ":"))
        target.write_text(f'"use strict";\nwindow.FIRSTFLIGHT_VECTORS = {text};\n', encoding="utf-8")


def index(vectors: Sequence[Vector]) -> dict[str, Any]:
    """Return the index: clauses with their levels, sets of clauses, and profiles, which the cases refer to by number."""
    names = sorted({name for vector in vectors for case in vector.profiles.values() for name in case.clauses})
    number = {name: place for place, name in enumerate(names)}
    sets: dict[str, int] = {}
    named: dict[str, int] = {}
    listed = []
    for vector in vectors:
        classes, same = _classes(vector)
        cases: list[tuple[int, int, int]] = []
        for name, case in vector.profiles.items():
            key = _steps(sorted(number[clause] for clause in case.clauses))
            cases.append((named.setdefault(name, len(named)), sets.setdefault(key, len(sets)), classes[name]))
        listed.append(
            {
                "id": vector.id, "title": vector.title, "tier": vector.tier, "flags": list(vector.flags),
                "events": len(vector.events), "cases": " ".join(",".join(map(str, case)) for case in cases),
            } | ({"same": same} if same else {})
        )  # fmt: skip
    clauses = [[name, site.clauses()[name].level] for name in names]
    return {"clauses": clauses, "sets": list(sets), "profiles": list(named), "vectors": listed, "readings": _readings()}


def _readings() -> dict[str, Any]:
    """Return by algorithm the question of each reading, the meaning of its choices, and the choice of each profile."""
    return {
        name: {
            "questions": {reading.name: [reading.question, reading.choices] for reading in table.readings},
            "profiles": {profile.name: profile.readings for profile in table.profiles},
        }
        for name, table in load_tables().items()
    }


def _steps(numbers: list[int]) -> str:
    """Return numbers in rising order as differences, which mostly have one digit."""
    return " ".join(str(number - before) for before, number in zip([0, *numbers], numbers, strict=False))


def _classes(vector: Vector) -> tuple[dict[str, int], list[list[int]]]:
    """Return the profiles by their windows, and the pairs of answers that are equal as far as both are judged."""
    answers: dict[_Answer, int] = {}
    classes = {name: answers.setdefault(_answer(case), len(answers)) for name, case in vector.profiles.items()}
    pairs = combinations(answers.items(), 2)
    same = [
        [number, second_number] for (answer, number), (second, second_number) in pairs if _begins_alike(answer, second)
    ]
    return classes, same


def _answer(case: ProfileCase) -> _Answer:
    changes = []
    now: dict[str, Any] = {}
    for entry in case.expect:
        changed = {name: entry[name] for name in _WINDOWS if name in entry and now.get(name, now) != entry[name]}
        if changed:
            now |= changed
            changes.append((entry["at"], tuple(changed.items())))
    return case.judged_events, tuple(changes)


def _begins_alike(first_answer: _Answer, second_answer: _Answer) -> bool:
    judged = min(first_answer[0], second_answer[0])
    first, second = ([entry for entry in answer[1] if entry[0] < judged] for answer in (first_answer, second_answer))
    return first == second
