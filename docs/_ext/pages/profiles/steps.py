"""The steps of a resolved model for one kind of event: the functions that it calls, in order, with their rules."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firstflight.events import KINDS, DatagramSize
from pages.profiles.fold import copied
from pages.profiles.resolved import Part, Program, Target, cited, linked

#: Levels of the list of steps: the parser drops the rest of a page after about ten.
DEEPEST = 4
_KIND_NAMES = {kind.__name__ for kind in KINDS.values()}


@dataclass(frozen=True, slots=True)
class Step:
    """A function that an event reaches: its call depth, its part, and the clauses and members that it uses on this event."""

    depth: int
    part: Part
    clauses: tuple[str, ...]
    members: frozenset[str]


def steps(program: Program, kind: str) -> list[Step]:
    """Return the steps of an event, each function once, in the order of the first calls."""
    event_steps: list[Step] = []
    seen: set[Target] = set()

    def follow(target: Target, depth: int) -> None:
        part = program.parts.get(target)
        if target in seen or part is None or not isinstance(part.node, ast.FunctionDef):
            return
        seen.add(target)
        clauses, uses, node = tuple(part.clauses), part.uses, part.node
        if part.asks_kind:
            node = _OnlyKind(KINDS[kind].__name__).visit(copied(part.node))
            clauses, uses = tuple(cited(node)), linked(target[0], node)
        event_steps.append(Step(depth, part, clauses, frozenset(_event_members(node, program))))
        for use in uses:
            follow(use, depth + 1)

    if program.resizes is not None and KINDS[kind] is DatagramSize:
        follow(program.resizes, 0)
    for entry in program.events:
        follow(entry, 0)
    return event_steps


def _event_members(node: ast.FunctionDef, program: Program) -> Iterator[str]:
    """Yield the members of events that a function reads; all attributes of the program if it stores an event."""
    kinds = _KIND_NAMES | {"Event"}
    events = {
        parameter.arg
        for parameter in [*node.args.args, *node.args.kwonlyargs]
        if parameter.annotation and kinds & {n.id for n in ast.walk(parameter.annotation) if isinstance(n, ast.Name)}
    }
    functions = {part.target[1] for part in program.functions} | {"isinstance"}
    passed: set[ast.AST] = set()
    for n in ast.walk(node):
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id in events:
            passed.add(n.value)
            yield n.attr
        elif isinstance(n, ast.Match):
            passed.add(n.subject)
        elif isinstance(n, ast.Call) and ast.unparse(n.func).rpartition(".")[2] in functions:
            passed.update(n.args)
    if any(isinstance(n, ast.Name) and n.id in events and n not in passed for n in ast.walk(node)):
        nodes = (n for part in program.parts.values() for n in ast.walk(part.node))
        yield from (n.attr for n in nodes if isinstance(n, ast.Attribute))


class _OnlyKind(ast.NodeTransformer):
    """Keeps the branches for one kind of event, where the code tests the kind."""

    def __init__(self, name: str) -> None:
        self._name = name

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """Drop the statements after the first that always returns."""
        self.generic_visit(node)
        ends = [place for place, statement in enumerate(node.body) if isinstance(statement, ast.Return | ast.Raise)]
        node.body = node.body[: ends[0] + 1] if ends else node.body
        return node

    def visit_If(self, node: ast.If) -> Any:
        test = node.test
        if isinstance(test, ast.Call) and ast.unparse(test.func) == "isinstance":
            names = {n.id for n in ast.walk(test.args[1]) if isinstance(n, ast.Name)}
            if names <= _KIND_NAMES:
                body = node.body if self._name in names else node.orelse
                return [statement for part in body for statement in self._listed(self.visit(part))]
        return self.generic_visit(node)

    def visit_Match(self, node: ast.Match) -> Any:
        for case in node.cases:
            names = {n.id for n in ast.walk(case.pattern) if isinstance(n, ast.Name)}
            if not names <= _KIND_NAMES:
                return self.generic_visit(node)
            if self._name in names or not names:
                return [statement for part in case.body for statement in self._listed(self.visit(part))]
        return []

    @staticmethod
    def _listed(visited: Any) -> list[ast.stmt]:
        return visited if isinstance(visited, list) else [visited]
