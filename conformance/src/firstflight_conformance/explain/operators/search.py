"""Searches for operators that reproduce the answers of an adapter."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

from firstflight_conformance.compare.subject import AnsweredCase, sample_of, shortest_first
from firstflight_conformance.compare.touched import content
from firstflight_conformance.explain.budget import COMPILED, Budget
from firstflight_conformance.explain.operators.bench import Bench, Lines, Operated, executed, limited
from firstflight_conformance.explain.operators.edits import Operation, Operators
from firstflight_conformance.explain.operators.events import transforms
from firstflight_conformance.explain.operators.lines import LineFound, differing_lines
from firstflight_conformance.explain.operators.source import Clauses
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.readings import load_tables
from firstflight_conformance.replay.answers import CRASHES
from firstflight_conformance.replay.candidates import Candidate

#: Limit of replayed events of one search.
EVENTS = 300_000
#: The number of failing cases where a search begins, one after another.
_ANCHORS = 4
#: The number of failing cases that try a candidate first.
_SAMPLE = 6
#: The number of failing cases that try a line with observed values.
_LINES = 12
#: Limit of replayed events of passing cases.
_PASSING_EVENTS = 20_000
#: Maximum number of causes and ties.
KEPT = 12


@dataclass(frozen=True, slots=True)
class Found:
    """An operation (an edit of the model) with the failing cases that it explains and the passing cases it contradicts.

    ``explained``: ids of cases whose answers the edited model gives completely. ``contradicted``: ids of passing
    cases whose answers the edit changes. Passing cases are tested in order, the shortest first, until 13 are
    contradicted or a limit of events is reached. ``followed``: number of explained cases that need values from a bound,
    an interval that a text permits. ``clauses``: the rules near the edited line.
    """

    operation: Operation
    variant: Operated
    explained: frozenset[str]
    contradicted: tuple[str, ...]
    followed: int
    clauses: tuple[str, ...] = ()

    @property
    def candidate(self) -> Candidate:
        """The operation (an edit of the model) as a possible cause, with its source line and its description."""
        operation = self.operation
        where = "" if operation.transform else f"{operation.function.path.stem}:{operation.line} "
        return Candidate(f"{where}{operation.sentence}", "operator", operation.sentence, ())

    def note(self, failure_count: int) -> str:
        """Return a sentence with the numbers of explained failures and contradicted passes."""
        rules = f" ({', '.join(self.clauses[:2])})" if self.clauses else ""
        more = " or more" if len(self.contradicted) > KEPT else ""
        numbers = f"explains {len(self.explained)} of {failure_count}, contradicts {len(self.contradicted)}{more}"
        return f"near: {self.operation.sentence}{rules}; {numbers}"

    @property
    def place(self) -> tuple[int, int]:
        """Sort key among operations with equal results."""
        return self.operation.rank, len(self.operation.sentence)


@dataclass
class Anchor:
    """A failing case that a search starts from.

    ``lines``: its executed lines of the model for each event up to the first divergence. ``states``: the right model's
    state before each of these events. It is empty for computations, and if the model takes values from a bound, an
    interval that a text permits.
    """

    subject: AnsweredCase
    lines: list[Lines]
    states: list[object] = field(default_factory=list)

    def first(self, operation: Operation) -> int:
        """Return the index of the first event that executes the line of an operation (an edit of the model).

        Return 0 for edits of constants or events, or if no event executes the line.
        """
        file, line = operation.function.key[0], operation.line
        if operation.constant is not None or operation.transform is not None:
            return 0
        function_lines = operation.function.lines
        for index, lines in enumerate(self.lines):
            if not lines.get(file, set()).isdisjoint(function_lines if operation.rank == 9 else (line,)):
                return index
        return 0


class Search:
    """The search for one operator, a small edit of the model or its events, that reproduces failing cases.

    ``choices``: permitted choices of the tested implementation at open points, part of the model. ``budget``: the limit
    of replayed events.
    """

    def __init__(
        self,
        failing: Sequence[AnsweredCase],
        passing: Sequence[AnsweredCase],
        choices: Candidate | None,
        budget: Budget,
    ) -> None:
        """Store the failing and passing cases of one algorithm, and copy the model with the choices."""
        self._failing, self._passing = shortest_first(failing), shortest_first(passing)
        self._bench, self.budget = Bench(choices), budget
        self._clauses = Clauses(self._bench.model)
        self._seen: set[object] = set()
        self.near: list[Found] = []
        self.lines: list[LineFound] = []

    def exact(self, waves: int | None = None) -> list[Found]:
        """Return the operations (edits of the model) that reproduce every failure and change no passing case.

        Operations are tried in waves, groups with the most likely mistakes first. Only the first wave with a result
        counts, with at most 12 operations. ``waves``: the number of waves to try, ``None`` for all. The result is empty
        if no wave succeeds, or if the limit of replayed events is reached first.
        """
        for anchor in self._anchors():
            for number, wave in enumerate(islice(self._waves(anchor), waves)):
                operators = [
                    operator for operator in map(self._found, self._reproducing(anchor, wave)) if operator is not None
                ]
                self.near += operators
                whole = [operator for operator in operators if self._is_exact(operator)] or (
                    self._solved(anchor) if number == 1 else []
                )
                if whole:
                    return [
                        self.cited(operator) for operator in sorted(whole, key=lambda operator: operator.place)[:KEPT]
                    ]
                if self.budget.is_spent:
                    return []
        return []

    def _solved(self, anchor: Anchor) -> list[Found]:
        """Return edits that explain all failures and make a line compute its value as a fraction of another quantity.

        The lines set or return cwnd or ssthresh and are executed at the first divergence of ``anchor``, a failing case.
        Lines whose value explains at least one failure are added to ``self.lines``: with observed windows in place of
        the value, the model gives all answers to that case.
        """
        at = anchor.lines[anchor.subject.first or 0]
        executed = [
            (function, numbers)
            for function in self._bench.model.functions
            if (numbers := at.get(str(function.path), set()).intersection(function.lines))
        ]
        failing = sample_of(self._failing, _LINES)
        self.budget.spend(sum(subject.length for subject in failing))
        differing = differing_lines(self._bench, failing, executed)
        self.lines += differing
        operations = (operation for line in differing for operation in line.solved)
        solved = [
            operator for operator in map(self._found, self._reproducing(anchor, operations)) if operator is not None
        ]
        self.near += solved
        return sorted(
            (operator for operator in solved if self._is_exact(operator)), key=lambda operator: operator.place
        )[:KEPT]

    def best_line(self) -> tuple[str, tuple[str, ...]] | None:
        """Return a sentence on the source line of the model that explains the most failures, and its rules.

        The line computes cwnd or ssthresh. For each case, the windows in the answers of the implementation replace the
        computed values of the line. The line explains the failure if the model then gives all answers of the case. The
        rules are the clauses cited near the line. Return ``None`` if no line explains a failure.
        """
        line = max(self.lines, key=lambda line: len(line.explained), default=None)
        if line is None:
            return None
        clauses = tuple(self._clauses.of(line.function, line.line))
        return line.note(min(len(self._failing), _LINES), clauses), clauses

    def _is_exact(self, operator: Found) -> bool:
        return not operator.contradicted and not operator.followed and len(operator.explained) == len(self._failing)

    def _anchors(self) -> Iterator[Anchor]:
        """Yield up to four failing cases to start from, the earliest divergence first.

        Cases explained by an operation (an edit of the model) without contradictions are left out.
        """
        unexplained = sorted(self._failing, key=lambda subject: (subject.first or 0, subject.length))
        for _ in range(_ANCHORS):
            done = {case for operator in self.near if not operator.contradicted for case in operator.explained}
            unexplained = [subject for subject in unexplained if subject.case.id not in done]
            if not unexplained or self.budget.is_spent:
                return
            subject = unexplained.pop(0)
            yield self._anchor(subject)

    def _anchor(self, subject: AnsweredCase) -> Anchor:
        right = self._bench.right
        anchor = Anchor(subject, executed(subject, right))
        self.budget.spend(10 * (1 + (subject.first or 0)))
        if isinstance(subject.case, ComputationCase) or subject.walk(subject.right).taken:
            return anchor
        state = right.create(subject.case.vector.algorithm, subject.case.profile, subject.config)
        for event in subject.events[: (subject.first or 0) + 1]:
            anchor.states.append(state.copy())
            right.advance(state, event)
        return anchor

    def _waves(self, anchor: Anchor) -> Iterator[Iterator[Operation]]:
        """Yield four generators of operations (edits of the model), the waves of the search.

        The first changes events before the model processes them, such as ignored losses. The others edit the functions
        executed by ``anchor``, a failing case, up to its first divergence, the most frequent mistakes first.
        """
        lines: Lines = {}
        for event in anchor.lines:
            for file, numbers in event.items():
                lines.setdefault(file, set()).update(numbers)
        yield self._of_events(anchor)
        values = self._values(anchor.subject)
        operators = [
            Operators(self._bench.model, function, lines[str(function.path)], values)
            for function in self._bench.model.functions
            if not lines.get(str(function.path), set()).isdisjoint(function.lines)
        ]
        for number in range(3):
            yield (operation for operator_set in operators for operation in operator_set.waves()[number]())

    def _of_events(self, anchor: Anchor) -> Iterator[Operation]:
        """Yield operations that change events before the model processes them, such as ignored losses.

        ``anchor``: a failing case. The kinds of its events up to the first divergence determine the changes to try.
        """
        on_event = next(function for function in self._bench.model.functions if function.name == "on_event")
        kinds = {type(event) for event in anchor.subject.events[: (anchor.subject.first or 0) + 1]}
        for sentence, transform in transforms(anchor.subject.case.vector.algorithm, kinds) if kinds else ():
            yield Operation(on_event, 0, 3, sentence, transform=transform)

    @staticmethod
    def _values(subject: AnsweredCase) -> dict[str, int]:
        """Return the readings of a case's profile with an integer value, by name.

        A reading is a choice at an ambiguity of the text.
        """
        table = load_tables().get(subject.case.vector.algorithm)
        name = subject.case.profile.partition("+")[0]
        readings = next((profile.readings for profile in table.profiles if profile.name == name), {}) if table else {}
        return {name: value for name, value in readings.items() if isinstance(value, int)}

    def _reproducing(self, anchor: Anchor, operations: Iterator[Operation]) -> Iterator[tuple[Operation, Operated]]:
        """Yield the operations whose edited model gives the observed answers up to and including the first divergence.

        ``anchor``: the failing case with these answers. Each operation (an edit of the model) comes with the edited
        model. Edited models that this search has tried before are skipped. The generator ends when the budget is spent.
        """
        for operation in operations:
            if self.budget.is_spent:
                return
            variant = self._bench.variant(operation)
            self.budget.spend(COMPILED)
            if variant is None:
                continue
            key = (
                tuple((name, content(code)) for name, code in variant.codes.items()),
                operation.constant,
                operation.transform,
            )
            if key in self._seen:
                continue
            self._seen.add(key)
            if _limited(partial(self._agrees, anchor, operation, variant)):
                yield operation, variant

    def _agrees(self, anchor: Anchor, operation: Operation, variant: Operated) -> bool:
        """Return whether the edited model ``variant`` gives the observed answers through the first divergence.

        ``anchor``: a failing case, and ``operation``: the edit. With stored states of the model in ``anchor``, the
        comparison begins at the first event that executes the edited line; the edit cannot change earlier answers.
        Otherwise all events are compared. The event of the divergence is included.
        """
        subject, first = anchor.subject, anchor.subject.first or 0
        if not anchor.states:
            self.budget.spend(first + 1)
            return subject.reproduced(variant, first + 1) > first
        index = anchor.first(operation)
        begins = index == 0
        case = subject.case
        assert not isinstance(case, ComputationCase)
        state = (
            variant.create(case.vector.algorithm, case.profile, subject.config)
            if begins
            else anchor.states[index].copy()  # type: ignore[attr-defined]
        )
        self.budget.spend(first + 1 - index)
        for at in range(index, first + 1):
            observation = variant.advance(state, subject.events[at])
            if not subject.agrees(at, observation, subject.observed[at], avoiding=True):
                return False
        return True

    def _found(self, pair: tuple[Operation, Operated]) -> Found | None:
        """Return the cases explained and contradicted by an operation, or ``None`` if it does not explain any case.

        ``pair``: the operation (an edit of the model) and the edited model. It explains a failing case if it gives all
        its answers, and contradicts a passing case if it changes an answer.
        """
        operation, variant = pair
        explained: set[str] = set()
        for subject in dict.fromkeys([*sample_of(self._failing, _SAMPLE), *self._failing]):
            explains = _limited(partial(subject.explained_by, variant))
            self.budget.spend(subject.length if explains else (subject.first or 0) + 1)
            explained |= {subject.case.id} if explains else set()
        if not explained:
            return None
        contradicted = self._contradicted(variant)
        walked = [subject for subject in self._failing if subject.case.id in explained]
        self.budget.spend(sum(subject.length for subject in walked))
        followed = sum(bool(subject.walk(variant).taken) for subject in walked)
        return Found(operation, variant, frozenset(explained), contradicted, followed)

    def cited(self, operator: Found) -> Found:
        """Return ``operator``, an edit of the model, with the rules cited near its source line.

        For an edit of a named constant, these are the rules near all lines of the file that use it. For a change of
        events, ``operator`` is unchanged.
        """
        operation = operator.operation
        if operation.transform is not None:
            return operator
        if operation.constant is not None:
            return replace(
                operator, clauses=tuple(self._clauses.of_constant(operation.function.path, operation.constant[0]))
            )
        return replace(operator, clauses=tuple(self._clauses.of(operation.function, operation.line)))

    def _contradicted(self, variant: Operated) -> tuple[str, ...]:
        remaining_events = _PASSING_EVENTS
        contradicted: list[str] = []
        for subject in self._passing:
            remaining_events -= subject.length
            if remaining_events < 0 or len(contradicted) > KEPT:
                break
            self.budget.spend(subject.length)
            if not _limited(partial(subject.unchanged_by, variant)):
                contradicted.append(subject.case.id)
        return tuple(contradicted)


def _limited(test: Callable[[], bool]) -> bool:
    """Return the result of a test of a candidate; false at an error or above a limit of CPU time or memory."""
    try:
        with limited():
            return test()
    except (*CRASHES, NameError, MemoryError, RuntimeError):
        return False
