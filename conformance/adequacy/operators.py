"""``firstflight dev operators``: how many small edits of the model the vectors reject."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

import click

from adequacy.connections import connections
from adequacy.continued import continued
from adequacy.kill import Replay, computations_below, difference, replays_below
from firstflight.controller import ALGORITHMS, SUFFIXES, profiles
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
#: Algorithms with a different package name.
_PACKAGES = {"slow-start": "newreno"}
#: Other algorithms whose vectors also judge a package: CUBIC uses the hooks of NewReno.
_USERS = {"slow-start": ("cubic",)}
#: Differences that reject an adapter with windows.
_REJECTING = ("windows", "crash")
#: Cases with more events are skipped: a candidate has half a second for each case.
_EVENTS = 2_000


@dataclass(frozen=True, slots=True)
class Measured:
    """An operator mutant with its line and sentence, and the first case that rejects it.

    ``by``: ``windows`` (all compared observables except outcome and state), ``crash``, ``state``, or empty for a
    survivor. ``connection``: the first random connection or continuation that rejects a survivor, or empty.
    """

    where: str
    sentence: str
    by: str
    case: str
    connection: str = ""

    @property
    def is_rejected(self) -> bool:
        """Whether vectors reject an adapter that declares the windows."""
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
    help="Number of random connections of each profile to play to the survivors.",
)
@click.option(
    "--continuations",
    "continuations",
    type=click.IntRange(0, 1_000),
    default=0,
    show_default=True,
    help="Number of random continuations of each vector to play to the survivors.",
)
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write every mutant to this file.")
@vectors_option
def operators_command(
    *, algorithms: tuple[str, ...], wave: str, played: int, continuations: int, json_file: Path | None, root: Path
) -> None:
    """Replay the vectors with every small edit of an algorithm's model; print the rejected share and the survivors.

    Edits that compile to the same code count once. A mutant that ends with an error counts as rejected. A survivor that
    random connections and continuations do not reject either is probably equivalent to the model, or differs outside its domain.
    """
    by_algorithm: dict[str, list[Measured]] = {}
    with usage_errors():
        for name in algorithms:
            if name not in ALGORITHMS:
                raise InputError(f"--algorithm {name}: {unknown_hint(name, sorted(ALGORITHMS))}")
            by_algorithm[name] = measured(name, WAVES.index(wave), root, played, continuations)
            for mutant in by_algorithm[name]:
                if not mutant.is_rejected:
                    by_connection = f", rejected by {mutant.connection}" if mutant.connection else ""
                    click.echo(f"{mutant.where} {mutant.sentence}: {mutant.by or 'survives'}{by_connection}")
            click.echo(score(name, by_algorithm[name]))
    if json_file is not None:
        rows = {name: [astuple(mutant) for mutant in mutants] for name, mutants in by_algorithm.items()}
        json_file.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def score(name: str, mutants: Sequence[Measured]) -> str:
    """Return a line with the numbers of an algorithm."""
    rejected = sum(mutant.is_rejected for mutant in mutants)
    state = sum(mutant.by == "state" for mutant in mutants)
    numbers = f"{rejected} of {len(mutants)} operator mutants rejected, {state} more differ in outcome or state only"
    possible = sum(bool(mutant.connection) for mutant in mutants)
    return f"{name}: {numbers}" + (f", connections reject {possible} survivors" if possible else "")


def measured(algorithm: str, wave: int, root: Path, count: int = 0, continuations: int = 0) -> list[Measured]:
    """Return the operator mutants, each with the first rejecting case.

    ``count``: number of random connections of each profile that survivors play. ``continuations``: number of random
    continuations of each vector that survivors play.
    """
    bench, seen, mutants = Bench(None), set[object](), []
    cases: list[Any] = _cases(algorithm, root)
    played = _played(algorithm, cases, count, continuations)
    for operation in _operations(bench, algorithm, wave, cases):
        variant = bench.variant(operation)
        if variant is None:
            continue
        codes = tuple((name, content(code)) for name, code in variant.codes.items())
        key = (codes, operation.constant, operation.transform)
        if key not in seen:
            seen.add(key)
            where = f"{operation.function.path.stem}:{operation.line}"
            mutant = Measured(where, operation.sentence, *_first(variant, cases))
            if not mutant.is_rejected:
                by, connection = _first(variant, played)
                mutant = replace(mutant, connection=connection if by in _REJECTING else "")
            mutants.append(mutant)
    return mutants


def _played(algorithm: str, cases: Sequence[Any], count: int, continuations: int) -> list[Any]:
    """Return random connections of all profiles that execute the package, and continued vectors, shortest first."""
    if algorithm in COMPUTED_ALGORITHMS:
        return []
    played = [connection for user, profile in _users(algorithm) for connection in connections(user, profile, count)]
    played.extend(continued(cases, continuations))
    return sorted(played, key=lambda connection: len(connection.events))


def _cases(algorithm: str, root: Path) -> list[Any]:
    """Return the cases of all profiles, and of other algorithms that use the package, shortest first."""
    if algorithm in COMPUTED_ALGORITHMS:
        return list(computations_below(root))
    replays = [replay for user, profile in _users(algorithm) for replay in replays_below(root, user, profile)]
    return sorted(
        (replay for replay in replays if len(replay.events) <= _EVENTS), key=lambda replay: len(replay.events)
    )


def _users(algorithm: str) -> Iterator[tuple[str, str]]:
    """Yield the algorithms and profiles that execute an algorithm's package, including profiles on other bases."""
    known = profiles(composed=True)
    for user in (algorithm, *_USERS.get(algorithm, ())):
        yield from ((user, profile) for profile in known[user])
    suffixes = tuple(suffix for suffix, (base, _) in SUFFIXES.items() if base == algorithm)
    yield from ((user, profile) for user in known for profile in known[user] if profile.endswith(suffixes))


def _operations(bench: Bench, algorithm: str, wave: int, cases: Sequence[Any]) -> Iterator[Operation]:
    """Yield the operations on the executed lines of an algorithm's package, and in the first wave on events."""
    package = _PACKAGES.get(algorithm, algorithm.replace("-", "_"))
    lines = _executed(bench, cases)
    if wave == 0 and algorithm not in COMPUTED_ALGORITHMS:
        function = next(function for function in bench.model.functions if function.name == "on_event")
        kinds = {type(event) for case in cases for event in case.events}
        for sentence, transform in transforms(algorithm, kinds):
            yield Operation(function, 0, 3, sentence, transform=transform)
    for function in bench.model.functions:
        executed = lines.get(str(function.path), set())
        if function.path.parent.name == package and not executed.isdisjoint(function.lines):
            yield from Operators(bench.model, function, executed, _numbers(algorithm)).waves()[wave]()


def _executed(bench: Bench, cases: Sequence[Any]) -> Lines:
    """Return the lines that the cases execute."""
    executed: list[Lines] = [{}]
    for case in cases:
        with traced(executed):
            if isinstance(case, ComputationCase):
                bench.right.compute(case.profile, case.inputs)
                continue
            state = bench.right.create(case.algorithm, case.profile, case.config)
            for event in case.events:
                bench.right.advance(state, event)
    return executed[0]


def _numbers(algorithm: str) -> dict[str, int]:
    """Return the numeric readings of the first profile."""
    readings = load_tables()[algorithm].profiles[0].readings
    return {name: value for name, value in readings.items() if isinstance(value, int)}


def _first(variant: Operated, cases: list[Any]) -> tuple[str, str]:
    """Return how a case detects a mutant, and its id. Move a case that rejects the mutant to the front."""
    detection = "", ""
    for index, case in enumerate(cases):
        by = _differs(variant, case)
        if by in _REJECTING:
            cases.insert(0, cases.pop(index))
            return by, case.id
        detection = (by, case.id) if by and not detection[0] else detection
    return detection


def _differs(variant: Operated, case: Replay | ComputationCase) -> str:
    try:
        with limited():
            if isinstance(case, ComputationCase):
                return "windows" if variant.compute(case.profile, case.inputs) != case.expectation.expect else ""
            return difference(variant, case, set())
    except (*CRASHES, CandidateError, NameError, MemoryError, RuntimeError):
        return "crash"
