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
    """A source line of the model that sets or returns cwnd or ssthresh, and whose value explains failing cases.

    With observed windows in place of the computed values of the line, the model gives all answers to the cases
    ``explained``. ``solved``: edits that compute all these observed windows as a fraction of one other quantity, such
    as half of the bytes in flight.
    """

    function: SourceFunction
    line: int
    text: str
    explained: frozenset[str]
    solved: tuple[Operation, ...]

    def note(self, failure_count: int, clauses: Sequence[str]) -> str:
        """Return a sentence for the report: another value of this line in the implementation explains some failures.

        The sentence contains up to two ``clauses``, the number of explained failures, and ``failure_count``, all
        failures.
        """
        rules = f" ({', '.join(clauses[:2])})" if clauses else ""
        return (
            f"the value of `{self.text}`{rules} differs; "
            f"this explains {len(self.explained)} of {failure_count} failures"
        )


def differing_lines(
    bench: Bench, failing: Sequence[AnsweredCase], executed: Sequence[tuple[SourceFunction, set[int]]]
) -> list[LineFound]:
    """Return the lines of the model whose value explains failing cases, those that explain most first.

    The value of a line explains a case if the model gives all answers with observed windows in place of this value.
    ``executed``: the lines at the first divergence, by function.
    """
    lines = []
    for function, numbers in executed:
        for statement, holder, value in _values(function, numbers):
            line = _line(bench, failing, function, statement, holder, value)
            if line is not None:
                lines.append(line)
    return sorted(lines, key=lambda line: -len(line.explained))


def _values(function: SourceFunction, numbers: set[int]) -> Iterator[tuple[ast.stmt, Any, ast.expr]]:
    """Yield statements on the lines ``numbers`` that assign cwnd or ssthresh, or return from a ``*_bytes`` function.

    Each comes with the node of the syntax tree that contains its value (the statement itself), and with the expression
    of the value. Statements with a constant or a tuple as the value are left out.
    """
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
    inputs = [
        quantity.text
        for quantity in function.quantities
        if quantity.type == "byte" and _is_input(function, quantity.text)
    ]
    call = parsed(f"{bench.SUBSTITUTED}({ast.unparse(value)}, ({''.join(f'{text}, ' for text in inputs)}))")
    swap = Swap(holder, "value", ast.fix_missing_locations(ast.copy_location(call, value)))
    variant = bench.variant(Operation(function, statement.lineno, 0, "", (swap,)))
    if variant is None:
        return None
    explained, pairs = set(), []
    for subject in failing:
        for name in _WINDOWS:
            try:
                case_pairs = _follows(bench, variant, subject, name)
            except (*CRASHES, CandidateError):
                case_pairs = None
            if case_pairs is not None:
                explained.add(subject.case.id)
                pairs += case_pairs
                break
    if not explained:
        return None
    solved = tuple(_solved(function, statement, holder, value, inputs, pairs))
    return LineFound(function, statement.lineno, words(statement), frozenset(explained), solved)


def _is_input(function: SourceFunction, text: str) -> bool:
    """Return whether an expression begins with a parameter of a function, so that it has a value at the beginning."""
    return text.partition(".")[0] in {argument.arg for argument in function.node.args.args}


def _follows(bench: Bench, variant: Operated, subject: AnsweredCase, name: str) -> list[tuple[int, Any]] | None:
    """Return the substitutions that make a model give all observed answers to a case, or ``None`` if it cannot.

    In ``variant``, an observed value can replace the computed value of one line. ``name``: the observable that gives
    the value, the window or ssthresh. A substitution is the observed value, and a tuple of the line's inputs when the
    value was replaced. Events that agree need no substitution. Return ``None`` also for computations, or if the adapter
    does not report ``name``.
    """
    if isinstance(subject.case, ComputationCase) or name not in subject.observed[0]:
        return None
    state, pairs = variant.create(*subject.profile, subject.config), []
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
        pairs.append((observed[name], bench.inputs))
    return pairs


def _solved(
    function: SourceFunction,
    statement: ast.stmt,
    holder: Any,
    value: ast.expr,
    inputs: Sequence[str],
    pairs: Sequence[tuple[int, Any]],
) -> Iterator[Operation]:
    """Yield edits that compute the value of a line as a fraction of one input, if this gives every observed value.

    An observed value is a window or threshold in the answers of the tested implementation. ``value``: the expression to
    replace. ``inputs``: the candidate quantities. ``pairs``: each observed value, with the values of all inputs at that
    time. The fraction has a denominator of at most 64; the result is rounded down.
    """
    for place, text in enumerate(inputs):
        values = [(observed, case_inputs[place]) for observed, case_inputs in pairs]
        if not values or any(not input_value for _, input_value in values):
            continue
        observed, input_value = max(values, key=lambda pair: pair[1])
        share = Fraction(observed, input_value).limit_denominator(_DENOMINATOR)
        if all(
            input_value * share.numerator // share.denominator == observed_value
            for observed_value, input_value in values
        ):
            times = f"{text} * {share.numerator} // {share.denominator}"
            new = ast.fix_missing_locations(ast.copy_location(parsed(times if share != 1 else text), value))
            amount = f"{float(share):g} of " if share != 1 else ""
            sentence = f"uses {amount}{words(parsed(text))} where the specification uses `{words(value)}`"
            yield Operation(function, statement.lineno, 2, sentence, (Swap(holder, "value", new),))
