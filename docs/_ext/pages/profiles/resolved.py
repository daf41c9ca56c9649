"""The model of one profile as one program: the functions that it reaches, without readings and in the order of their calls."""

import ast
import importlib
import io
import re
import tokenize
import types
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from firstflight.algorithm import Base, Startup
from firstflight.controller import ALGORITHMS, DEFAULT_BASE
from firstflight.newreno import newreno
from firstflight.window_rules import NEWRENO
from pages import site
from pages.profiles.fold import COMMENT, Fold, alias_readings, copied, is_comment
from plain.judge import controllers

Target = tuple[str, str]
#: Modules that a program imports: events, observables and errors, whose members are tables of the page, and fractions.
_INTERFACE = ("firstflight.events", "firstflight.observables", "firstflight.errors", "firstflight.enums", "fractions")
#: Interfaces of the model that only type checkers need.
_UNTYPED = ("RulesState",)
_CITED = re.compile(r"\[([a-z0-9.-]+)\]")


@dataclass(slots=True)
class Part:
    """A constant, a class or a function of a program. ``uses``: the parts that it refers to, in order."""

    target: Target
    node: Any
    uses: list[Target]
    imports: list[Target]
    numbers: dict[str, Any]
    clauses: list[str]
    text: str = ""

    @property
    def asks_kind(self) -> bool:
        """Whether its text may ask for the kind of an event."""
        return "isinstance(" in self.text or "match " in self.text


@dataclass(slots=True)
class Program:
    """A resolved model. ``parts``: constants and classes before their users, then functions in the order of their calls.

    ``entries``: the names of the functions that begin the base, begin the algorithm (or None), process an event and observe (or None).
    ``resizes``: the function of the base that takes another maximum datagram size before the event is processed, or None.
    """

    parts: dict[Target, Part] = field(default_factory=dict)
    names: dict[Target, str] = field(default_factory=dict)
    entries: tuple[Target, ...] = ()
    resizes: Target | None = None
    source: str = ""

    @property
    def roots(self) -> tuple[Target, ...]:
        """The functions that nothing in the program calls."""
        return self.entries if self.resizes is None else (*self.entries, self.resizes)

    @property
    def is_plain(self) -> bool:
        """Whether it is a plain program, not the model."""
        return self.entries[-1][1] == "on_event" and len(self.entries) == 2

    @property
    def constants(self) -> list[Part]:
        """The constants: modules in the order of their first use, lines in the order of the source."""
        constants = [part for part in self.parts.values() if hasattr(part.node, "about")]
        modules = list(dict.fromkeys(part.target[0] for part in constants))
        return sorted(constants, key=lambda part: (modules.index(part.target[0]), part.node.lineno))

    @property
    def events(self) -> tuple[Target, ...]:
        """The functions that process an event: one, or one and the function that observes."""
        return self.entries[-2:] if self.entries[-1][1] == "observe" else self.entries[-1:]

    @property
    def classes(self) -> list[Part]:
        """The classes, each before its users."""
        return [part for part in self.parts.values() if isinstance(part.node, ast.ClassDef)]

    @property
    def functions(self) -> list[Part]:
        """The functions in the order of their calls."""
        return [part for part in self.parts.values() if isinstance(part.node, ast.FunctionDef)]

    @property
    def clauses(self) -> list[str]:
        """The clauses that the program cites, in the order of its text."""
        return list(dict.fromkeys(name for part in self.parts.values() for name in part.clauses))


def cited(node: ast.AST) -> list[str]:
    """Return the clauses that the comments of a node cite, in order."""
    comments: list[str] = []

    class Comments(ast.NodeVisitor):
        def visit_Expr(self, expression: ast.Expr) -> None:
            if is_comment(expression):
                comments.append(expression.value.value)  # type: ignore[attr-defined]

    Comments().visit(node)
    return list(dict.fromkeys(name for text in comments for name in _CITED.findall(text)))


def linked(module: str, node: ast.AST) -> list[Target]:
    """Return the parts that a node of a module refers to, in order."""
    link = _Link(module)
    link.visit(node)
    return list(dict.fromkeys(link.found))


@cache
def _module(name: str) -> tuple[types.ModuleType, dict[str, ast.stmt], dict[str, Target]]:
    """Return a module, its definitions with comments as statements, and its imports."""
    module = importlib.import_module(name)
    text = Path(str(module.__file__)).read_text("utf-8")
    tree = ast.parse(text)
    _keep_comments(tree, text)
    alias_readings(tree)
    definitions: dict[str, ast.stmt] = {}
    imports: dict[str, Target] = {}
    before: list[ast.stmt] = []
    for statement in tree.body:
        if is_comment(statement):
            before.append(statement)
            continue
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            definitions[statement.name] = statement
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            about = before
            for assigned in _single(statement):
                definitions[ast.unparse(assigned.target)] = assigned
                assigned.before, assigned.about, before = before, about, []
        elif isinstance(statement, ast.ImportFrom):
            imports |= {alias.asname or alias.name: (str(statement.module), alias.name) for alias in statement.names}
        before = []
    return module, definitions, imports


def _single(node: Any) -> Iterator[Any]:
    """Yield the assignments of ``A, B = 1, 2`` or another assignment, each with its name as ``target``."""
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    pairs = [(target, node.value)]
    if isinstance(target, ast.Tuple):
        pairs = list(zip(target.elts, node.value.elts, strict=True))
    for name, value in pairs:
        single = ast.fix_missing_locations(ast.copy_location(ast.Assign([name], value), node))
        single.target = name  # type: ignore[attr-defined]
        yield single


def _keep_comments(tree: ast.Module, text: str) -> None:
    """Put a statement that stands for a comment before the statement that it belongs to."""
    owners = [
        (statement, body)
        for parent in ast.walk(tree)
        for name in ("body", "orelse")
        if isinstance(body := getattr(parent, name, None), list)
        for statement in body
    ]
    lines = text.splitlines()
    for token in reversed(list(tokenize.generate_tokens(io.StringIO(text).readline))):
        if token.type != tokenize.COMMENT or "noqa" in token.string or "fmt: skip" in token.string:
            continue
        line = token.start[0]
        if lines[line - 1].lstrip().startswith("#"):
            after = [pair for pair in owners if pair[0].lineno > line]
            chosen = min(after, key=lambda pair: pair[0].lineno, default=None)
        else:
            around = [pair for pair in owners if pair[0].lineno <= line <= (pair[0].end_lineno or 0)]
            chosen = max(around, key=lambda pair: pair[0].lineno, default=None)
        if chosen is not None:
            comment = ast.Expr(ast.Constant(COMMENT + token.string.lstrip("#: ")))
            chosen[1].insert(chosen[1].index(chosen[0]), comment)


@cache
def _find(module: str, name: str) -> Target | None:
    """Return where a name of a module of the model is defined, or None for other names."""
    while module.startswith("firstflight.") and module not in _INTERFACE:
        _, defined, imports = _module(module)
        if name in defined:
            return module, name
        if name not in imports:
            return None
        module, name = imports[name]
    return (module, name) if module in _INTERFACE else None


def _alias(module: str, name: str) -> str | None:
    """Return the module of the model that a name of a module is, or None."""
    value = vars(_module(module)[0]).get(name)
    return value.__name__ if isinstance(value, types.ModuleType) and value.__name__.startswith("firstflight.") else None


def _locals(node: ast.FunctionDef) -> set[str]:
    stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return stored | {parameter.arg for parameter in [*node.args.args, *node.args.kwonlyargs]}


class _Link(ast.NodeTransformer):
    """Finds the parts that a part refers to; renames them if ``names`` are given."""

    def __init__(self, module: str, names: dict[Target, str] | None = None) -> None:
        self._module, self._names = module, names
        self._locals: set[str] = set()
        self.found: list[Target] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        outer, self._locals = self._locals, _locals(node)
        self.generic_visit(node)
        self._locals = outer
        return node

    def visit_Name(self, node: ast.Name) -> Any:
        if isinstance(node.ctx, ast.Store):
            return node
        if node.id in _UNTYPED:
            return node if self._names is None else ast.Name("Any", ast.Load())
        target = getattr(node, "target", None) or (None if node.id in self._locals else _find(self._module, node.id))
        return node if target is None else self._linked(node, target)

    def visit_Call(self, node: ast.Call) -> Any:
        """Visit the arguments first: they are evaluated before the function is called."""
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        node.func = self.visit(node.func)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        if isinstance(node.value, ast.Name) and node.value.id not in self._locals:
            module = _alias(self._module, node.value.id)
            target = _find(module, node.attr) if module else None
            if target is not None:
                return self._linked(node, target)
        return self.generic_visit(node)

    def _linked(self, node: ast.expr, target: Target) -> ast.expr:
        self.found.append(target)
        return node if self._names is None or target not in self._names else ast.Name(self._names[target], ast.Load())


@cache
def resolved(algorithm: str, profile: str) -> Program:
    """Return the program of a profile; its text is not formatted."""
    program = _reached(algorithm, profile)
    _drop_unread_fields(program)
    counts = Counter(name for _, name in program.parts)
    inner = {name for part in program.functions for name in _locals(part.node)}
    program.names = {
        target: target[1]
        if (counts[target[1]] == 1 or target[0] == program.entries[0][0]) and target[1] not in inner
        else f"{target[0].rpartition('.')[2].removeprefix('plain_').partition('_')[0]}_{target[1].lstrip('_')}"
        for target in program.parts
    }
    for part in program.parts.values():
        part.text = _written(part, program.names)
    program.source = "\n\n".join(_assembled(program)) + "\n"
    return program


def _reached(algorithm: str, profile: str) -> Program:
    """Return the parts that a profile reaches: of its plain program, else of the model with the readings filled in."""
    known = ALGORITHMS[algorithm]
    own = known.profiles[profile]
    plain = [module for module in controllers().values() if f"{algorithm}/{profile}" == module.PROFILE]
    carrier = known if isinstance(known, Base) else ALGORITHMS[DEFAULT_BASE[0]]
    assert isinstance(carrier, Base)
    readings = {newreno.__name__.split(".")[1]: newreno.PROFILES[DEFAULT_BASE[1]], known.package: own}
    fixed = {}
    if getattr(getattr(own, "search", None), "value", None) == "none":
        fixed["firstflight.careful_resume.careful_resume"] = "state.search"
    entries: list[Any] = [newreno.begin]
    if plain:
        entries = [plain[0].begin, plain[0].on_event]
    elif isinstance(known, Base):
        entries += [*([known.begin] if known.begin else []), newreno.on_event, newreno.observe]
    elif isinstance(known, Startup):
        entries += [known.begin, known.step]
    program = Program(entries=tuple((function.__module__, function.__name__) for function in entries))
    if not plain and _resizes(algorithm, profile):
        program.resizes = (newreno.__name__, newreno.on_datagram_size.__name__)

    def add(target: Target) -> None:
        if target in program.parts or target[0] in _INTERFACE:
            return
        chosen = readings.get(target[0].split(".")[1], own)
        folded = _folded(target, None if plain else chosen, fixed.get(target[0]), carrier.rules or NEWRENO)
        readings.update(folded.passed)
        if isinstance(folded.part.node, ast.FunctionDef):
            program.parts[target] = replace(folded.part)
        for use in folded.part.uses:
            add(use)
        program.parts.setdefault(target, replace(folded.part))

    for root in program.roots:
        add(root)
    return program


def _resizes(algorithm: str, profile: str) -> bool:
    """Return whether a vector of the profile changes the maximum datagram size."""
    vectors = (vector for vector in site.vectors() if vector.algorithm == algorithm and profile in vector.profiles)
    return any("datagram-size" in vector.flags for vector in vectors)


@dataclass(frozen=True, slots=True, eq=False)
class _Folded:
    part: Part
    passed: dict[str, Any]


@cache
def _folded(target: Target, readings: Any, without: str | None, rules: Any) -> _Folded:
    """Return a part with readings filled in; as it is written for readings None. ``without``: an expression that is None."""
    module, defined, _ = _module(target[0])
    node, numbers, passed = copied(defined[target[1]]), {}, {}
    if readings is not None:
        fold = Fold(module, readings, {without: None} if without else {}, rules)
        node, numbers, passed = fold.visit(node), fold.numbers, fold.passed
    return _Folded(_part(target, node, numbers), passed)


def _part(target: Target, node: Any, numbers: dict[str, Any]) -> Part:
    targets = linked(target[0], node)
    uses = [use for use in targets if use[0] not in _INTERFACE and use != target]
    return Part(target, node, uses, [use for use in targets if use[0] in _INTERFACE], numbers, cited(node))


def _drop_unread_fields(program: Program) -> None:
    """Drop the fields that no part accesses and that have a default, and the parts that only they use."""
    accessed = {n.attr for part in program.parts.values() for n in ast.walk(part.node) if isinstance(n, ast.Attribute)}
    for part in program.classes:
        node = copied(part.node)
        body, node.body = node.body, []
        comments: list[ast.stmt] = []
        for statement in body:
            if is_comment(statement):
                comments.append(statement)
                continue
            if (
                not isinstance(statement, ast.AnnAssign)
                or statement.value is None
                or ast.unparse(statement.target) in accessed
            ):
                node.body += [*comments, statement]
            comments = []
        program.parts[part.target] = _part(part.target, node, part.numbers)
    waiting, reached = list(program.roots), set()
    while waiting:
        if (target := waiting.pop()) not in reached:
            reached.add(target)
            waiting += program.parts[target].uses
    program.parts = {target: part for target, part in program.parts.items() if target in reached}


def _written(part: Part, names: dict[Target, str]) -> str:
    node = _Link(part.target[0], names).visit(copied(part.node))
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        node.name = names[part.target]
    before = "\n".join(ast.unparse(statement) for statement in getattr(part.node, "before", ()))
    return _comments_again(f"{before}\n{ast.unparse(ast.fix_missing_locations(node))}".strip())


def _comments_again(text: str) -> str:
    lines = []
    for line in text.splitlines():
        bare = line.strip()
        indent = line[: len(line) - len(line.lstrip())]
        is_stand_in = bare[1:].startswith(COMMENT)
        lines.append(f"{indent}# {ast.literal_eval(bare).removeprefix(COMMENT)}" if is_stand_in else line)
    return "\n".join(lines)


def _assembled(program: Program) -> Iterator[str]:
    """Yield imports, constants, classes, functions."""
    imports: dict[str, set[str]] = {}
    for part in program.parts.values():
        for module, name in part.imports:
            imports.setdefault(module, set()).add(name)
    yield "from dataclasses import dataclass, field, replace\nfrom typing import Any, NamedTuple, TypeAlias"
    yield "\n".join(f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(imports.items()))
    constants = program.constants
    classes = program.classes
    made = {part.target for part in classes}
    yield "\n".join(part.text for part in constants if not made & set(part.uses))
    yield from (part.text for part in classes)
    yield "\n".join(part.text for part in constants if made & set(part.uses))
    yield from (part.text for part in program.functions)
