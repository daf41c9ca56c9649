"""Source of the model: functions as syntax trees, types of quantities, and clauses of lines."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import zip_longest
from pathlib import Path
from types import CodeType

from firstflight_conformance.format.clauses import cited_in
from firstflight_conformance.paths import REFERENCE_PY

#: Unit suffixes of names in the model. Quantities of one unit have one type.
_UNITS = re.compile(
    r"_(bytes|ns|packets?|datagrams?|samples?|rounds?|ticks|bins?|bits|percent|tenths|units|fraction|count)$"
)
#: Prefixes and units of names in the model, removed in texts for readers of the specification.
_PREFIX = re.compile(r"\b(?:state|base|ack|self|lost|sent|ce|event|view|evaluation|run|epoch|readings|saved)\.")
_UNIT_TEXT = re.compile(r"(?<=[a-z])_(?:bytes|ns)\b")
#: Functions without decisions: they copy or report a state.
_REPORT = {"copy", "numbers", "observe", "_observe"}
_EVENTS, _RULES = REFERENCE_PY / "events.py", REFERENCE_PY / "window_rules.py"


def unit_of(name: str) -> str | None:
    """Return the unit of a quantity by its name, or ``None``."""
    match = _UNITS.search(name)
    if match is None:
        return None
    return match[1] if match[1] == "ns" else match[1].rstrip("s")


def words(node: ast.AST) -> str:
    """Return an expression of the model as text for readers of the specification."""
    return _UNIT_TEXT.sub("", _PREFIX.sub("", ast.unparse(node))).lstrip("_")


@dataclass(frozen=True, slots=True)
class Operand:
    """A quantity in a function of the model: a parameter, a member of an object, or a local variable.

    Edits of this function may use the quantity in place of another. ``text``: its source text, such as
    ``base.cwnd_bytes``. ``type``: its unit, such as ``byte``, or else ``bool`` or ``number``. ``optional``: it may be
    ``None``. ``of_state``: it is a member of a mutable parameter, such as the state of the algorithm.
    """

    text: str
    type: str
    optional: bool = False
    of_state: bool = False


@dataclass(frozen=True, eq=False)
class SourceFunction:
    """A function of the model."""

    path: Path
    name: str
    node: ast.FunctionDef
    model: "ModelText"

    @cached_property
    def quantities(self) -> tuple[Operand, ...]:
        """The parameters, their members, and the local variables."""
        return tuple(self.model.quantities(self.node, self.name.rpartition(".")[0]))

    @property
    def key(self) -> tuple[str, str]:
        """The file and the qualified name."""
        return str(self.path), self.name

    @property
    def lines(self) -> range:
        """The lines of the function."""
        return range(self.node.lineno, (self.node.end_lineno or self.node.lineno) + 1)

    def compiled(self) -> CodeType:
        """Return the code of the current tree of the function. Raise ``SyntaxError`` for an invalid tree."""
        bare = ast.FunctionDef(
            self.node.name, self.node.args, self.node.body, [], None, None, lineno=self.node.lineno, col_offset=0
        )  # decorators and annotations are evaluated outside of the function
        module = compile(ast.Module([bare], []), str(self.path), "exec")
        return next(constant for constant in module.co_consts if isinstance(constant, CodeType)).replace(
            co_qualname=self.name
        )


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a class of the model: its name, and its annotation and default value as source text."""

    name: str
    annotation: str
    default: str | None


@dataclass
class ModelText:
    """The source texts of the model by file, for a search of small edits that explain failures.

    The texts include the permitted choices of the tested implementation at open points, as far as these are edits of
    the text.
    """

    texts: Mapping[Path, str]

    @cached_property
    def trees(self) -> dict[Path, ast.Module]:
        """The syntax tree of each file."""
        return {path: ast.parse(text) for path, text in self.texts.items()}

    @cached_property
    def fields(self) -> dict[str, list[Field]]:
        """The members of each class by class name, including the classes of events."""
        trees = [*self.trees.values(), ast.parse(_EVENTS.read_text("utf-8"))]
        classes = (node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))
        return {
            node.name: [
                Field(part.target.id, ast.unparse(part.annotation), ast.unparse(part.value) if part.value else None)
                for part in node.body
                if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
            ]
            for node in classes
        }

    @cached_property
    def values(self) -> set[str]:
        """Names of the classes with immutable instances, such as events.

        Cases share these instances, so edits do not add assignments to their members.
        """
        trees = [*self.trees.values(), ast.parse(_EVENTS.read_text("utf-8")), ast.parse(_RULES.read_text("utf-8"))]
        classes = (node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))
        marks = ("value", "frozen=True")
        return {
            definition.name
            for definition in classes
            if any(m in ast.unparse(d) for d in definition.decorator_list for m in marks)
        }

    @cached_property
    def constants(self) -> dict[Path, dict[str, int]]:
        """The named integer constants of each file."""
        return {
            path: {
                part.targets[0].id: part.value.value
                for part in tree.body
                if isinstance(part, ast.Assign)
                and isinstance(part.targets[0], ast.Name)
                and isinstance(part.value, ast.Constant)
                and type(part.value.value) is int
            }
            for path, tree in self.trees.items()
        }

    @cached_property
    def functions(self) -> list[SourceFunction]:
        """The functions of the model that operators (small edits of the source) may change.

        Functions with cached results are left out: an edit might not take effect. So are functions that only copy or
        report a state, and the module ``controller``.
        """
        return [
            SourceFunction(path, f"{owner}{node.name}", node, self)
            for path, tree in self.trees.items()
            for owner, node in _functions(tree)
            if path.stem != "controller"
            and node.name not in _REPORT
            and not any("cache" in ast.unparse(decorator) for decorator in node.decorator_list)
        ]

    @cached_property
    def _set(self) -> set[str]:
        nodes = (node for tree in self.trees.values() for node in ast.walk(tree))
        return {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}

    def is_set(self, name: str) -> bool:
        """Return whether the model sets a member of this name."""
        return name in self._set

    def quantities(self, node: ast.FunctionDef, owner: str) -> Iterator[Operand]:
        """Yield the expressions for numbers and booleans that a function can use.

        They are its parameters, members of its parameters, and local variables. ``owner``: the class of a method.
        """
        arguments = [*node.args.args, *node.args.kwonlyargs]
        seen = set[str]()
        for argument in arguments:
            annotation = owner if argument.arg == "self" else ast.unparse(argument.annotation or ast.Constant(""))
            seen.add(argument.arg)
            members = self.fields.get(annotation.partition(" | ")[0])
            if members is None:
                yield from _quantity(argument.arg, annotation)
            elif annotation != "Readings":
                for member in members:
                    of_state = annotation not in self.values
                    yield from _quantity(f"{argument.arg}.{member.name}", member.annotation, of_state=of_state)
        for name in _assigned(node):
            if name not in seen:
                seen.add(name)
                yield from _quantity(name, "int")


def _quantity(text: str, annotation: str, *, of_state: bool = False) -> Iterator[Operand]:
    plain, bar, _ = annotation.partition(" | ")
    if plain in ("int", "bool"):
        kind = "bool" if plain == "bool" else unit_of(text) or "number"
        yield Operand(text, kind, bool(bar), of_state)


def _assigned(node: ast.FunctionDef) -> list[str]:
    """Return the local variables of a function in the order of their assignments."""
    targets = [
        target for target in ast.walk(node) if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store)
    ]
    return [target.id for target in sorted(targets, key=lambda target: target.lineno)]


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield "", node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.", part) for part in node.body if isinstance(part, ast.FunctionDef))


@lru_cache(maxsize=256)
def citations_of(path: Path, text: str) -> dict[int, list[str]]:
    """Return the clauses that the lines of a file cite."""
    clauses_by_line: dict[int, list[str]] = {}
    for citation in cited_in(path, text):
        clauses_by_line.setdefault(citation.line, []).append(citation.clause)
    return clauses_by_line


class Clauses:
    """The clauses near a line: conditions have the clauses of their branches, and helpers the clauses of their callers."""

    def __init__(self, model: ModelText) -> None:
        """Read the citations of a model."""
        self._model = model

    def of(self, function: SourceFunction, line: int, depth: int = 2) -> list[str]:
        """Return the clauses near a line of a function, nearest first.

        The order is: the statement around the line and its next statement, the function, functions called there, and
        callers.
        """
        clauses, near = [], range(line, line + 1)
        for statement, following in reversed(_statements(function.node, line)):
            last = (following or statement).end_lineno or line
            near = range(statement.lineno, last + 1)
            clauses = [*self._cited(function, _head(statement)), *self._cited(function, near)]
            if clauses:
                break
        clauses += self._cited(function, function.lines)
        if depth:
            # A function without clauses gets its values from called functions.
            calling = near if clauses else function.lines
            called = {
                callee
                for name, at in self._calls
                for callee in self._named.get(name, ())
                if at[0] is function and at[1] in calling
            }
            clauses += [
                clause
                for callee in self._model.functions
                if callee in called
                for clause in self._cited(callee, callee.lines)
            ]
            calls = [at for name, at in self._calls if name == function.node.name]
            clauses += [clause for caller, at in calls for clause in self.of(caller, at, 0 if clauses else depth - 1)]
        return list(dict.fromkeys(clauses))

    def of_constant(self, path: Path, name: str) -> list[str]:
        """Return the clauses near all lines of a file that use the constant ``name``.

        First the nearest clause of each line, then the second nearest of each line, and so on, without duplicates.
        """
        uses = [
            self.of(function, node.lineno)
            for function in self._model.functions
            if function.path == path
            for node in ast.walk(function.node)
            if isinstance(node, ast.Name) and node.id == name
        ]
        return list(dict.fromkeys(clause for row in zip_longest(*uses) for clause in row if clause))

    def _cited(self, function: SourceFunction, lines: Iterable[int]) -> list[str]:
        cited = citations_of(function.path, self._model.texts[function.path])
        return [clause for number in lines for clause in cited.get(number, [])]

    @cached_property
    def _named(self) -> dict[str, list[SourceFunction]]:
        by_name: dict[str, list[SourceFunction]] = {}
        for function in self._model.functions:
            by_name.setdefault(function.node.name, []).append(function)
        return by_name

    @cached_property
    def _calls(self) -> list[tuple[str, tuple[SourceFunction, int]]]:
        """The names of called functions, each with the calling function and the line of the call."""
        return [
            (node.func.id if isinstance(node.func, ast.Name) else node.func.attr, (caller, node.lineno))
            for caller in self._model.functions
            for node in ast.walk(caller.node)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
        ]


def _head(statement: ast.stmt) -> range:
    """Return the lines of a statement without its body."""
    body = getattr(statement, "body", None)
    last = body[0].lineno - 1 if body else statement.end_lineno or statement.lineno
    return range(statement.lineno, max(last, statement.lineno) + 1)


def _statements(function: ast.FunctionDef, line: int) -> list[tuple[ast.stmt, ast.stmt | None]]:
    """Return the statements around a line, outermost first, each with its next statement."""
    statements: list[tuple[ast.stmt, ast.stmt | None]] = []
    block: list[ast.stmt] | None = function.body
    while block is not None:
        inside = next((i for i, inner in enumerate(block) if inner.lineno <= line <= (inner.end_lineno or 0)), None)
        if inside is None:
            break
        statement = block[inside]
        statements.append((statement, block[inside + 1] if inside + 1 < len(block) else None))
        blocks = [getattr(statement, name, None) for name in ("body", "orelse", "finalbody")]
        blocks += [case.body for case in getattr(statement, "cases", [])]
        block = next(
            (
                inner_block
                for inner_block in blocks
                if inner_block and inner_block[0].lineno <= line <= (inner_block[-1].end_lineno or 0)
            ),
            None,
        )
    return statements
