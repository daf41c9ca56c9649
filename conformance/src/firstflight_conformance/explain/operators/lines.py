"""Finds the line of the model whose value explains failures: one assignment with observed values gives all answers."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from firstflight_conformance.compare.subject import AnsweredCase
from firstflight_conformance.explain.operators.bench import Bench, CandidateError, Operated
from firstflight_conformance.explain.operators.edits import Operation, Swap, parsed
from firstflight_conformance.explain.operators.source import SourceFunction, words
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.replay.answers import CRASHES

#: The windows in an adapter's answers.
_WINDOWS = ("cwnd_bytes", "ssthresh_bytes")
#: Maximum denominator of a share in a wrong implementation.
_DENOMINATOR = 64


@dataclass(frozen=True, slots=True)
class LineFound:
    """A line whose value differs in the failing cases ``explained``.

    ``solved``: the line with a share of another quantity that gives all observed values.
    """

    function: SourceFunction
    line: int
    text: str
    explained: frozenset[str]
    solved: tuple[Operation, ...]

    def note(self, of: int, clauses: Sequence[str]) -> str:
        """Return a sentence on the line."""
        rules = f" ({', '.join(clauses[:2])})" if clauses else ""
        return f"the value of `{self.text}`{rules} differs; this explains {len(self.explained)} of {of} failures"


def differing_lines(
    bench: Bench, failing: Sequence[AnsweredCase], executed: Sequence[tuple[SourceFunction, set[int]]]
) -> list[LineFound]:
    """Return the lines that explain failures, best first. ``executed``: the lines at the first divergence."""
    found = []
    for function, numbers in executed:
        for statement, holder, value in _values(function, numbers):
            one = _line(bench, failing, function, statement, holder, value)
            if one is not None:
                found.append(one)
    return sorted(found, key=lambda one: -len(one.explained))


def _values(function: SourceFunction, numbers: set[int]) -> Iterator[tuple[ast.stmt, Any, ast.expr]]:
    """Yield the executed statements that set or return a window, with the value and its node."""
    for node in ast.walk(function.node):
        if not isinstance(node, ast.Assign | ast.Return) or node.lineno not in numbers or node.value is None:
            continue
        if isinstance(node, ast.Assign) and not ast.unparse(node.targets[0]).endswith(_WINDOWS):
            continue
        if isinstance(node, ast.Return) and not function.node.name.endswith("_bytes"):
            continue
        if not isinstance(node.value, ast.Tuple | ast.Constant):
            yield node, node, node.value


def _line(
    bench: Bench,
    failing: Sequence[AnsweredCase],
    function: SourceFunction,
    statement: ast.stmt,
    holder: Any,
    value: ast.expr,
) -> LineFound | None:
    inputs = [one.text for one in function.quantities if one.type == "byte" and _is_input(function, one.text)]
    call = parsed(f"{bench.SUBSTITUTED}({ast.unparse(value)}, ({''.join(f'{text}, ' for text in inputs)}))")
    swap = Swap(holder, "value", ast.fix_missing_locations(ast.copy_location(call, value)))
    variant = bench.variant(Operation(function, statement.lineno, 0, "", (swap,)))
    if variant is None:
        return None
    explained, pairs = set(), []
    for subject in failing:
        for name in _WINDOWS:
            try:
                of_case = _follows(bench, variant, subject, name)
            except (*CRASHES, CandidateError):
                of_case = None
            if of_case is not None:
                explained.add(subject.case.id)
                pairs += of_case
                break
    if not explained:
        return None
    solved = tuple(_solved(function, statement, holder, value, inputs, pairs))
    return LineFound(function, statement.lineno, words(statement), frozenset(explained), solved)


def _is_input(function: SourceFunction, text: str) -> bool:
    """Return whether an expression has a value at the beginning of a function."""
    return text.partition(".")[0] in {one.arg for one in function.node.args.args}


def _follows(bench: Bench, variant: Operated, subject: AnsweredCase, name: str) -> list[tuple[int, Any]] | None:
    """Return the substitutions, with inputs, that make a variant answer as observed, or ``None``."""
    if isinstance(subject.case, ComputationCase) or name not in subject.observed[0]:
        return None
    state, found = variant.create(*subject.profile, subject.config), []
    for index, (event, observed) in enumerate(zip(subject.events, subject.observed, strict=True)):
        before = state.copy()
        observation = variant.advance(state, event)
        if subject.agrees(index, observation, observed, avoiding=False):
            continue
        if observed[name] is None:
            return None
        state, bench.substitute = before, observed[name]
        try:
            observation = variant.advance(state, event)
        finally:
            bench.substitute = None
        if not subject.agrees(index, observation, observed, avoiding=False):
            return None
        found.append((observed[name], bench.inputs))
    return found


def _solved(
    function: SourceFunction,
    statement: ast.stmt,
    holder: Any,
    value: ast.expr,
    inputs: Sequence[str],
    pairs: Sequence[tuple[int, Any]],
) -> Iterator[Operation]:
    """Yield the shares of one input that give every observed value."""
    for place, text in enumerate(inputs):
        values = [(observed, given[place]) for observed, given in pairs]
        if not values or any(not given for _, given in values):
            continue
        observed, given = max(values, key=lambda one: one[1])
        share = Fraction(observed, given).limit_denominator(_DENOMINATOR)
        if all(given * share.numerator // share.denominator == wanted for wanted, given in values):
            times = f"{text} * {share.numerator} // {share.denominator}"
            new = ast.fix_missing_locations(ast.copy_location(parsed(times if share != 1 else text), value))
            amount = f"{float(share):g} of " if share != 1 else ""
            sentence = f"uses {amount}{words(parsed(text))} where the specification uses `{words(value)}`"
            yield Operation(function, statement.lineno, 2, sentence, (Swap(holder, "value", new),))
