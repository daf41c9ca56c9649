"""The flat form of the vectors: one file of lines per profile, with all derived values (``spec/flat-format.md``)."""

import json
import multiprocessing
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields
from typing import Any

from firstflight.events import Event
from firstflight_conformance.adapters import children
from firstflight_conformance.compare.options import Models
from firstflight_conformance.flat.ways import Ways, ways
from firstflight_conformance.format import computations, vectors
from firstflight_conformance.format.clauses import Clause
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.format.wire import NUMBER_MAX, event_name
from firstflight_conformance.version import __version__

FORMAT = 2
#: Every line of an event has all of them. The header of the file lists the observables of the profile.
OBSERVABLES = ("cwnd_bytes", "ssthresh_bytes", "phase", "outcome", "next_release_ns", "trigger")
#: Keywords of RFC 2119 by decreasing strength, each with its synonyms.
_LEVELS = {"MUST": ("MUST", "MUST NOT"), "SHOULD": ("SHOULD", "SHOULD NOT", "RECOMMENDED"), "MAY": ("MAY",)}
#: Matches numbers that may need more than 53 bits.
_LARGE = re.compile(r"[0-9]{16,}")
AnyCase = Case | ComputationCase


def by_profile(cases: Iterable[AnyCase]) -> dict[tuple[str, str], list[AnyCase]]:
    """Return the cases by algorithm and profile, in order."""
    groups: dict[tuple[str, str], list[AnyCase]] = defaultdict(list)
    for case in cases:
        groups[case.vector.algorithm, case.profile].append(case)
    return dict(sorted(groups.items()))


def files(cases: Iterable[AnyCase], clauses: Mapping[str, Clause]) -> Iterator[tuple[str, str]]:
    """Yield relative path and text of the flat file of each profile, ordered by algorithm and profile."""
    groups = by_profile(cases)
    names = [f"{algorithm}/{profile}.ndjson" for algorithm, profile in groups]
    yield from zip(names, _texts(list(groups.values()), clauses), strict=True)


def _texts(groups: list[list[AnyCase]], clauses: Mapping[str, Clause]) -> Iterator[str]:
    """Yield the text of the flat file of each group, in order. A group contains the cases of one profile.

    With fork(), processes on all cores compute the texts.
    """
    if "fork" not in multiprocessing.get_all_start_methods():
        yield from ("".join(lines(group, clauses)) for group in groups)
        return
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(os.cpu_count(), context, _begin, (groups, clauses)) as pool:
        try:
            yield from pool.map(_text, range(len(groups)))
        finally:
            # A caller that fails to write a file does not wait for pending files.
            pool.shutdown(cancel_futures=True)


# In the child processes: the arguments at the fork.
_INPUTS: tuple[list[list[AnyCase]], Mapping[str, Clause]]


def _begin(groups: list[list[AnyCase]], clauses: Mapping[str, Clause]) -> None:
    global _INPUTS
    _INPUTS = groups, clauses
    children.die_with_parent()


def _text(index: int) -> str:
    groups, clauses = _INPUTS
    return "".join(lines(groups[index], clauses))


def lines(cases: Sequence[AnyCase], clauses: Mapping[str, Clause]) -> Iterator[str]:
    """Yield the lines of the flat file of one profile. Each line is a JSON object with a newline at the end.

    ``cases``: all cases of the profile. ``clauses``: all clauses by id. The first line describes the profile. Each case
    follows: one line for a computation, otherwise one line for the case and one line for each event.
    """
    yield _line(_header(cases))
    models = Models(cases[0].vector.algorithm, cases[0].profile, covered=True)
    for case in cases:
        if isinstance(case, ComputationCase):
            yield _line(_computation(case, clauses))
        else:
            yield from _case_and_events(case, ways(case, models), clauses)


def _line(members: dict[str, Any]) -> str:
    return json.dumps(members, ensure_ascii=False, separators=(",", ":")) + "\n"


def _header(cases: Sequence[AnyCase]) -> dict[str, Any]:
    first = cases[0]
    if isinstance(first, ComputationCase):
        answers = [case.expected() for case in cases if isinstance(case, ComputationCase)]
        observables = list(next(answer for answer in answers if "error" not in answer))
        state: list[str] = []
    else:
        expected = first.expected()[0]
        observables = [name for name in OBSERVABLES if name in expected]
        state = list(expected["state"])
    return {
        "line": "profile",
        "format": FORMAT,
        "version": __version__,
        "algorithm": first.vector.algorithm,
        "profile": first.profile,
        "observables": observables,
        "state": state,
        "cases": len(cases),
    }


def _rules(case: AnyCase, clauses: Mapping[str, Clause], **more: Any) -> dict[str, Any]:
    """Return the members of a case that describe its rules: tier, level, clauses, title and reason.

    The tier is "gold" if the expected values were derived by hand, "core" if they were recorded from the model.
    ``clauses`` contains all clauses by id. The returned member ``clauses`` maps the id of each clause of the case to
    its level, None without a keyword. ``level`` is the strongest of these levels: MUST, SHOULD, MAY or None. ``ours``
    lists those clauses of the case that this project added without a source text. ``more``: further members to include.
    """
    carried_out = [clauses[name] for name in case.expectation.clauses]
    levels = {clause.level for clause in carried_out}
    level = next((level for level, words in _LEVELS.items() if levels.intersection(words)), None)
    return {
        "tier": case.vector.tier,
        "level": level,
        "clauses": {clause.id: None if clause.level == "-" else clause.level for clause in carried_out},
        "ours": [clause.id for clause in carried_out if clause.ours],
        **more,
        "title": case.vector.title,
        "why": case.vector.why,
    }


def _computation(case: ComputationCase, clauses: Mapping[str, Clause]) -> dict[str, Any]:
    outputs = case.expected()
    if "gamma" in outputs:  # hundreds of digits do not fit a machine word
        outputs["gamma"] = [str(number) for number in outputs["gamma"]]
    return {
        "line": "computation",
        "case": case.id,
        "inputs": computations.decode_inputs(case.inputs),
        "expect": None if "error" in outputs else outputs,
        **_rules(case, clauses),
    }


def _case_and_events(case: Case, conforming: Ways, clauses: Mapping[str, Clause]) -> Iterator[str]:
    config = vectors.decode_config(case.vector.config)
    steps = zip(case.events, case.expected(), case.allowed(), _other_ways(conforming), strict=True)
    events = [
        _line(
            {
                "line": "event",
                "i": i,
                **_event(event),
                "expect": _expected(expected),
                "allowed": allowed,
                "ways": other_ways,
            }
        )
        for i, (event, expected, allowed, other_ways) in enumerate(steps)
    ]
    numbers = map(int, _LARGE.findall("".join([str(config), *events])))
    yield _line(
        {
            "line": "case",
            "case": case.id,
            **config,
            "events": len(events),
            "granularity": case.vector.granularity,
            "bits": 64 if any(number > NUMBER_MAX for number in numbers) else 53,
            "flags": list(case.vector.flags),
            **_rules(case, clauses, ways=conforming.points),
        }
    )
    yield from events


def _other_ways(conforming: Ways) -> Iterator[list[dict[str, Any]]]:
    """Yield a list for each event: the values that conform in addition to the expected values.

    A way is a conforming sequence of answers to all events; way 0 is the sequence of expected answers. The list
    contains intervals around the expected values, if the text permits intervals there. It also contains the values of
    each other way that differ from the values of way 0.
    """
    for within, differing in zip(conforming.within, conforming.differing, strict=True):
        bounded = [{"way": 0, **within}] if within else []
        yield bounded + [{"way": way, **values} for way, values in differing.items()]


def _event(event: Event) -> dict[str, Any]:
    """Return an event with all members of its kind. Optional members that are absent are empty, null or false."""
    members: dict[str, Any] = {"ev": event_name(event)}
    for field in fields(event):
        value = getattr(event, field.name)
        if field.name == "packets":
            value = [[run.first, run.last, run.size_bytes, run.sent_t_ns] for run in value]
        members[field.name] = False if value is None and field.type == bool | None else value
    return members


def _expected(expected: dict[str, Any]) -> dict[str, Any]:
    return {name: expected.get(name) for name in OBSERVABLES} | {"state": expected["state"]}
