"""``firstflight dev operators``: how many small edits of the model the vectors reject."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

import click

from adequacy.connections import connections
from adequacy.kill import Replay, computations_below, difference, replays_below
from firstflight.controller import ALGORITHMS, profiles
from firstflight_conformance.commands.options import InputError, usage_errors, vectors_option
from firstflight_conformance.compare.touched import content
from firstflight_conformance.explain.operators.bench import Bench, CandidateError, Lines, Operated, limited, traced
from firstflight_conformance.explain.operators.edits import Operation, Operators
from firstflight_conformance.explain.operators.events import transforms
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.readings import load_tables
from firstflight_conformance.format.vectors import COMPUTED_ALGORITHMS
from firstflight_conformance.replay.answers import CRASHES
from firstflight_conformance.run.selection import unknown_hint

#: Waves of operators: the most frequent mistakes; rarer edits of a line; added statements and guards.
WAVES = ("edits", "rare", "added")
#: Algorithms whose package has another name.
_PACKAGES = {"slow-start": "newreno"}
#: Algorithms whose vectors judge a package as well: CUBIC uses the hooks of NewReno.
_USERS = {"slow-start": ("cubic",)}
#: Bases on which startup algorithms have profiles of their own, by the end of the profile's name.
_BASES = {"cubic": "+cubic"}
#: How a mutant differs that an adapter with windows has.
_REJECTING = ("windows", "crash")
#: Cases with more events are left out: a candidate has half a second for each case.
_EVENTS = 2_000


@dataclass(frozen=True, slots=True)
class Measured:
    """An operator mutant with its line and sentence, and the first case that rejects it.

    ``by``: ``windows`` (all that a vector compares but outcome and state), ``crash``, ``state``, or empty for a survivor.
    ``connection``: a possible connection that would reject a survivor, if there is one among those that were played.
    """

    where: str
    sentence: str
    by: str
    case: str
    connection: str = ""

    @property
    def is_rejected(self) -> bool:
        """Whether an adapter that declares the windows is rejected."""
        return self.by in _REJECTING


@click.command("operators")
@click.option("--algorithm", "algorithms", multiple=True, required=True, metavar="NAME", help="The algorithm to edit.")
@click.option("--wave", type=click.Choice(WAVES), default="edits", show_default=True, help="The operators to use.")
@click.option(
    "--connections",
    "played",
    type=click.IntRange(0, 100_000),
    default=0,
    show_default=True,
    help="Play the survivors so many random connections of each profile, which a vector could have.",
)
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write every mutant to this file.")
@vectors_option
def operators_command(
    *, algorithms: tuple[str, ...], wave: str, played: int, json_file: Path | None, root: Path
) -> None:
    """Replay the vectors with every small edit of the model of an algorithm: the share that they reject, and the survivors.

    Edits that compile to the same code count once. A mutant that ends with an error is rejected as well. A survivor that no random
    connection rejects either is probably equivalent to the model, or differs outside of its domain.
    """
    found: dict[str, list[Measured]] = {}
    with usage_errors():
        for name in algorithms:
            if name not in ALGORITHMS:
                raise InputError(f"--algorithm {name}: {unknown_hint(name, sorted(ALGORITHMS))}")
            found[name] = measured(name, WAVES.index(wave), root, played)
            for one in found[name]:
                if not one.is_rejected:
                    shown = f", rejected by {one.connection}" if one.connection else ""
                    click.echo(f"{one.where} {one.sentence}: {one.by or 'survives'}{shown}")
            click.echo(score(name, found[name]))
    if json_file is not None:
        rows = {name: [astuple(one) for one in of] for name, of in found.items()}
        json_file.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def score(name: str, found: Sequence[Measured]) -> str:
    """Return the numbers of an algorithm in a line."""
    rejected = sum(one.is_rejected for one in found)
    state = sum(one.by == "state" for one in found)
    numbers = f"{rejected} of {len(found)} operator mutants rejected, {state} more differ in outcome or state only"
    possible = sum(bool(one.connection) for one in found)
    return f"{name}: {numbers}" + (f", connections reject {possible} survivors" if possible else "")


def measured(algorithm: str, wave: int, root: Path, count: int = 0) -> list[Measured]:
    """Return the operator mutants of an algorithm with the first case that rejects each; survivors are played ``count`` connections."""
    bench, seen, found = Bench(None), set[object](), []
    cases: list[Any] = _cases(algorithm, root)
    played = _connections(algorithm, count)
    for operation in _operations(bench, algorithm, wave, cases):
        variant = bench.variant(operation)
        if variant is None:
            continue
        codes = tuple((name, content(code)) for name, code in variant.codes.items())
        key = (codes, operation.constant, operation.transform)
        if key not in seen:
            seen.add(key)
            where = f"{operation.function.path.stem}:{operation.line}"
            one = Measured(where, operation.sentence, *_first(variant, cases))
            if not one.is_rejected:
                by, shown = _first(variant, played)
                one = replace(one, connection=shown if by in _REJECTING else "")
            found.append(one)
    return found


def _connections(algorithm: str, count: int) -> list[Any]:
    """Return random connections of all profiles that execute the package, the shortest first."""
    if algorithm in COMPUTED_ALGORITHMS:
        return []
    played = (one for user, profile in _users(algorithm) for one in connections(user, profile, count))
    return sorted(played, key=lambda one: len(one.events))


def _cases(algorithm: str, root: Path) -> list[Any]:
    """Return the cases of all profiles, the shortest first; cases of algorithms that use the package as well."""
    if algorithm in COMPUTED_ALGORITHMS:
        return list(computations_below(root))
    replays = [one for user, profile in _users(algorithm) for one in replays_below(root, user, profile)]
    return sorted((one for one in replays if len(one.events) <= _EVENTS), key=lambda one: len(one.events))


def _users(algorithm: str) -> Iterator[tuple[str, str]]:
    """Yield the algorithms and profiles that execute the package of an algorithm, profiles on other bases among them."""
    known = profiles(composed=True)
    for user in (algorithm, *_USERS.get(algorithm, ())):
        yield from ((user, profile) for profile in known[user])
    if suffix := _BASES.get(algorithm):
        yield from ((user, profile) for user in known for profile in known[user] if profile.endswith(suffix))


def _operations(bench: Bench, algorithm: str, wave: int, cases: Sequence[Any]) -> Iterator[Operation]:
    """Yield the operations on the lines of an algorithm's package that its cases execute, and on events with the first wave."""
    package = _PACKAGES.get(algorithm, algorithm.replace("-", "_"))
    lines = _executed(bench, cases)
    if wave == 0 and algorithm not in COMPUTED_ALGORITHMS:
        function = next(one for one in bench.model.functions if one.name == "on_event")
        kinds = {type(event) for case in cases for event in case.events}
        for sentence, transform in transforms(algorithm, kinds):
            yield Operation(function, 0, 3, sentence, transform=transform)
    for function in bench.model.functions:
        of = lines.get(str(function.path), set())
        if function.path.parent.name == package and not of.isdisjoint(function.lines):
            yield from Operators(bench.model, function, of, _numbers(algorithm)).waves()[wave]()


def _executed(bench: Bench, cases: Sequence[Any]) -> Lines:
    """Return the lines that the cases execute."""
    found: list[Lines] = [{}]
    for case in cases:
        with traced(found):
            if isinstance(case, ComputationCase):
                bench.right.compute(case.profile, case.inputs)
                continue
            state = bench.right.create(case.algorithm, case.profile, case.config)
            for event in case.events:
                bench.right.advance(state, event)
    return found[0]


def _numbers(algorithm: str) -> dict[str, int]:
    """Return the numbers among the readings of the first profile."""
    readings = load_tables()[algorithm].profiles[0].readings
    return {name: value for name, value in readings.items() if isinstance(value, int)}


def _first(variant: Operated, cases: list[Any]) -> tuple[str, str]:
    """Return how a case distinguishes a mutant, and its id. A case that rejects one comes first from then on."""
    other = "", ""
    for index, case in enumerate(cases):
        by = _differs(variant, case)
        if by in _REJECTING:
            cases.insert(0, cases.pop(index))
            return by, case.id
        other = (by, case.id) if by and not other[0] else other
    return other


def _differs(variant: Operated, case: Replay | ComputationCase) -> str:
    try:
        with limited():
            if isinstance(case, ComputationCase):
                return "windows" if variant.compute(case.profile, case.inputs) != case.expectation.expect else ""
            return difference(variant, case, set())
    except (*CRASHES, CandidateError, NameError, MemoryError, RuntimeError):
        return "crash"
