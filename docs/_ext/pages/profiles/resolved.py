"""The model of one profile as one program: the functions that it reaches, without readings and in the order of their calls."""

import ast
import copy
import importlib
import io
import re
import tokenize
import types
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from firstflight.algorithm import Base, Startup
from firstflight.controller import ALGORITHMS, DEFAULT_BASE
from firstflight.newreno import newreno
from firstflight.window_rules import NEWRENO
from pages.profiles.fold import COMMENT, Fold, alias_readings, is_comment

Target = tuple[str, str]
#: Modules that a program imports: events, observables, and errors. Their members are tables of the page.
_INTERFACE = ("firstflight.events", "firstflight.observables", "firstflight.errors", "firstflight.enums")
#: Interfaces of the model that only type checkers need.
_UNTYPED = ("RulesState",)
_CITED = re.compile(r"\[([a-z0-9.-]+)\]")


@dataclass(slots=True)
class Part:
    """A constant, a class or a function of a program. ``uses``: the parts that it names, in order."""

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
    """

    parts: dict[Target, Part] = field(default_factory=dict)
    names: dict[Target, str] = field(default_factory=dict)
    entries: tuple[Target, ...] = ()
    source: str = ""

    @property
    def events(self) -> tuple[Target, ...]:
        """The functions that process an event: one, or one and the function that observes."""
        return self.entries[-2:] if self.entries[-1][1] == "observe" else self.entries[-1:]

    def of(self, kind: type) -> list[Part]:
        """Return the parts of a kind of syntax node."""
        return [part for part in self.parts.values() if isinstance(part.node, kind)]

    @property
    def clauses(self) -> list[str]:
        """The clauses that the program cites, in the order of its text."""
        return list(dict.fromkeys(name for part in self.parts.values() for name in part.clauses))


def cited(node: ast.AST) -> list[str]:
    """Return the clauses that the comments of a node cite, in order."""
    comments: list[str] = []

    class Comments(ast.NodeVisitor):
        def visit_Expr(self, one: ast.Expr) -> None:
            if is_comment(one):
                comments.append(one.value.value)  # type: ignore[attr-defined]

    Comments().visit(node)
    return list(dict.fromkeys(name for text in comments for name in _CITED.findall(text)))


def linked(module: str, node: ast.AST) -> list[Target]:
    """Return the parts that a node of a module names, in order."""
    link = _Link(module)
    link.visit(copy.deepcopy(node))
    return list(dict.fromkeys(link.found))


@cache
def _module(name: str) -> tuple[types.ModuleType, dict[str, ast.stmt], dict[str, Target]]:
    """Return a module, its definitions with comments as statements, and its imports."""
    module = importlib.import_module(name)
    text = Path(str(module.__file__)).read_text("utf-8")
    tree = ast.parse(text)
    _keep_comments(tree, text)
    found: dict[str, ast.stmt] = {}
    imports: dict[str, Target] = {}
    before: list[ast.stmt] = []
    for one in tree.body:
        if is_comment(one):
            before.append(one)
            continue
        if isinstance(one, ast.FunctionDef | ast.ClassDef):
            found[one.name] = one
        elif isinstance(one, ast.Assign | ast.AnnAssign):
            target = one.targets[0] if isinstance(one, ast.Assign) else one.target
            found[ast.unparse(target)] = one
            one.before = before  # type: ignore[union-attr]
        elif isinstance(one, ast.ImportFrom):
            imports |= {alias.asname or alias.name: (str(one.module), alias.name) for alias in one.names}
        before = []
    return module, found, imports


def _keep_comments(tree: ast.Module, text: str) -> None:
    """Put a statement that stands for a comment before the statement that it belongs to."""
    owners = [
        (one, body)
        for parent in ast.walk(tree)
        for name in ("body", "orelse")
        if isinstance(body := getattr(parent, name, None), list)
        for one in body
    ]
    lines = text.splitlines()
    for token in reversed(list(tokenize.generate_tokens(io.StringIO(text).readline))):
        if token.type != tokenize.COMMENT or "noqa" in token.string:
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
    return stored | {one.arg for one in [*node.args.args, *node.args.kwonlyargs]}


class _Link(ast.NodeTransformer):
    """Finds the parts that a part names; renames them if ``names`` are given."""

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
            return ast.Name("Any", ast.Load())
        target = getattr(node, "target", None) or (None if node.id in self._locals else _find(self._module, node.id))
        return node if target is None else self._linked(node, target)

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
    first = _reached(algorithm, profile, None)
    accessed = {n.attr for part in first.parts.values() for n in ast.walk(part.node) if isinstance(n, ast.Attribute)}
    program = _reached(algorithm, profile, accessed)
    counts = Counter(name for _, name in program.parts)
    inner = {name for part in program.of(ast.FunctionDef) for name in _locals(part.node)}
    program.names = {
        target: target[1]
        if counts[target[1]] == 1 and target[1] not in inner
        else f"{target[0].rpartition('.')[2]}_{target[1].lstrip('_')}"
        for target in program.parts
    }
    for part in program.parts.values():
        part.text = _written(part, program.names)
    program.source = "\n\n".join(_assembled(program)) + "\n"
    return program


def _reached(algorithm: str, profile: str, accessed: set[str] | None) -> Program:
    """Return the parts that a profile reaches. ``accessed``: the fields that are kept, None for all."""
    known = ALGORITHMS[algorithm]
    own = known.profiles[profile]
    carrier = known if isinstance(known, Base) else ALGORITHMS[DEFAULT_BASE[0]]
    assert isinstance(carrier, Base)
    readings = {known.package: own}
    rules = carrier.rules or NEWRENO
    readings.setdefault(newreno.__name__.split(".")[1], newreno.PROFILES[DEFAULT_BASE[1]])
    fixed: dict[str, dict[str, Any]] = {}
    if getattr(getattr(own, "search", None), "value", None) == "none":
        fixed["firstflight.careful_resume.careful_resume"] = {"state.search": None}
    entries: list[Any] = [newreno.begin]
    if isinstance(known, Base):
        entries += [*([known.begin] if known.begin else []), newreno.on_event, newreno.observe]
    elif isinstance(known, Startup):
        entries += [known.begin, known.step]
    program = Program(entries=tuple((one.__module__, one.__name__) for one in entries))

    def add(target: Target) -> None:
        if target in program.parts or target[0] in _INTERFACE:
            return
        module, defined, _ = _module(target[0])
        fold = Fold(module, readings.get(target[0].split(".")[1], own), fixed.get(target[0], {}), rules, accessed)
        node = fold.visit(alias_readings(copy.deepcopy(defined[target[1]])))
        readings.update(fold.passed)
        link = _Link(target[0])
        link.visit(node)
        uses = list(dict.fromkeys(one for one in link.found if one[0] not in _INTERFACE and one != target))
        imports = list(dict.fromkeys(one for one in link.found if one[0] in _INTERFACE))
        part = Part(target, node, uses, imports, fold.numbers, cited(node))
        if isinstance(node, ast.FunctionDef):
            program.parts[target] = part
        for use in uses:
            add(use)
        program.parts.setdefault(target, part)

    for entry in program.entries:
        add(entry)
    return program


def _written(part: Part, names: dict[Target, str]) -> str:
    node = _Link(part.target[0], names).visit(copy.deepcopy(part.node))
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        node.name = names[part.target]
    before = "\n".join(ast.unparse(one) for one in getattr(part.node, "before", ()))
    return _comments_again(f"{before}\n{ast.unparse(ast.fix_missing_locations(node))}".strip())


def _comments_again(text: str) -> str:
    lines = []
    for line in text.splitlines():
        bare = line.strip()
        indent = line[: len(line) - len(line.lstrip())]
        is_kept = bare[1:].startswith(COMMENT)
        lines.append(f"{indent}# {ast.literal_eval(bare).removeprefix(COMMENT)}" if is_kept else line)
    return "\n".join(lines)


def _assembled(program: Program) -> Iterator[str]:
    """Yield imports, constants, classes, functions."""
    imports: dict[str, set[str]] = {}
    for part in program.parts.values():
        for module, name in part.imports:
            imports.setdefault(module, set()).add(name)
    yield "from dataclasses import dataclass, field, replace\nfrom typing import Any, NamedTuple, TypeAlias"
    yield "\n".join(f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(imports.items()))
    constants = program.of(ast.Assign | ast.AnnAssign)  # type: ignore[arg-type]
    classes = program.of(ast.ClassDef)
    made = {part.target for part in classes}
    yield "\n".join(part.text for part in constants if not made & set(part.uses))
    yield from (part.text for part in classes)
    yield "\n".join(part.text for part in constants if made & set(part.uses))
    yield from (part.text for part in program.of(ast.FunctionDef))
