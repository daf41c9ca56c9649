"""Operators: the small edits of a function of the model, each with a sentence."""

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from firstflight.events import Event
from firstflight_conformance.explain.operators.source import ModelText, Operand, SourceFunction, unit_of, words

#: Comparisons that are easily confused.
_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq, ast.LtE, ast.GtE), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.FloorDiv,), ast.FloorDiv: (ast.Mult,),
}  # fmt: skip
#: Widths of integers that may store a quantity, in bits.
_WIDTHS = (8, 16, 31, 32)
#: A change of events: returns the events that a wrong implementation processes instead of one.
Transform = Callable[[Event], tuple[Event, ...]]
#: Text for the specification in sentences.
_WHERE = "where the specification"


@dataclass(frozen=True, slots=True)
class Swap:
    """Replacement of a node of a syntax tree by ``new``.

    ``holder`` and ``key`` are the place of the node: the member ``key`` of the node ``holder``, or the index ``key`` of
    the list ``holder``.
    """

    holder: Any
    key: Any
    new: Any

    def exchange(self) -> "Swap":
        """Insert the new node at the place; return the reverse swap, which inserts the old node again."""
        if isinstance(self.holder, list):
            back = Swap(self.holder, self.key, self.holder[self.key])
            self.holder[self.key] = self.new
        else:
            back = Swap(self.holder, self.key, getattr(self.holder, self.key))
            setattr(self.holder, self.key, self.new)
        return back


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """An edit of a function of the model. ``rank``: order among edits with equal answers, lowest first.

    ``swaps``: replacements in the syntax tree of the function. ``constant``: instead of swaps, name and new value of a
    constant in the file of the function. ``transform``: instead of both, a change of the events that the model
    processes.
    """

    function: SourceFunction
    line: int
    rank: int
    sentence: str
    swaps: tuple[Swap, ...] = ()
    constant: tuple[str, int] | None = None
    transform: Transform | None = None


@contextmanager
def applied(swaps: Iterable[Swap]) -> Iterator[None]:
    """Apply swaps within the context, and revert them at its end in reverse order.

    Each swap replaces a node in the syntax tree of a function of the model, and contains the place of this node.
    """
    back = [swap.exchange() for swap in swaps]
    try:
        yield
    finally:
        for swap in reversed(back):
            swap.exchange()


@dataclass(frozen=True, slots=True)
class _Place:
    """An expression of a function, its place in the function's syntax tree, and the statement that contains it."""

    node: ast.expr
    holder: Any
    key: Any
    statement: ast.stmt

    def to(self, new: ast.AST) -> tuple[Swap]:
        """Return one swap in a tuple: the edit that replaces the expression at this place with ``new``."""
        return (Swap(self.holder, self.key, _located(new, self.node)),)


def _located(new: ast.AST, old: ast.AST) -> ast.AST:
    return ast.fix_missing_locations(ast.copy_location(new, old))


def parsed(text: str) -> ast.expr:
    """Return the tree of an expression."""
    return ast.parse(text, mode="eval").body


class Operators:
    """The operators, small edits that imitate mistakes, on the executed lines of one function of the model.

    ``executed``: the lines that a failing case executed. ``values``: the values of the profile's numeric readings, by
    name; the function uses them as constants.
    """

    def __init__(
        self, model: ModelText, function: SourceFunction, executed: Collection[int], values: dict[str, int]
    ) -> None:
        """Store the lines executed by a failing case."""
        self._model, self._function, self._values = model, function, values
        self._constants = model.constants[function.path]
        self._statements = [block for block in _blocks(function.node) if block.statement.lineno in executed]
        self._places = [place for block in self._statements for place in _expressions(block.statement)]

    def waves(self) -> Sequence[Callable[[], Iterator[Operation]]]:
        """Return three functions that yield edits of the model, edits for the most frequent mistakes first."""
        return (self._first, self._second, self._third)

    def _first(self) -> Iterator[Operation]:
        for place in self._places:
            yield from self._conditions(place)
            yield from self._comparisons(place)
            yield from self._numbers(place)
            yield from self._bounds(place)
            yield from self._variables(place)
            yield from self._rounding(place)
        for block in self._statements:
            yield from self._removed(block)
            yield from self._assigned(block)
        yield from self._initial()

    def _second(self) -> Iterator[Operation]:
        for place in self._places:
            yield from self._arithmetic(place)
            yield from self._calls(place)
            yield from self._scaled(place)
        for block in self._statements:
            yield from self._sticky(block)
            yield from self._moved(block)
            yield from self._guarded(block, self._flags())

    def _third(self) -> Iterator[Operation]:
        yield from self._added()
        for block in self._statements:
            yield from self._guarded(block, self._compared())

    def _edit(self, place: _Place, rank: int, sentence: str, new: ast.AST) -> Operation:
        return Operation(self._function, place.node.lineno, rank, sentence, place.to(new))

    def _conditions(self, place: _Place) -> Iterator[Operation]:
        node = place.node
        if not _is_condition(place):
            return
        text = words(node)
        for value, as_if in ((True, "always"), (False, "never")):
            yield self._edit(place, 0, f"acts as if `{text}` were {as_if} true", ast.Constant(value))
        if isinstance(node, ast.BoolOp):
            for part in node.values:
                rest = [operand for operand in node.values if operand is not part]
                new = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
                yield self._edit(place, 0, f"does not test `{words(part)}` in `{text}`", new)
            operator = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            new = ast.BoolOp(operator, node.values)
            yield self._edit(place, 2, f"tests `{words(new)}` {_WHERE} tests `{text}`", new)
        if not isinstance(node, ast.Compare):
            new = ast.UnaryOp(ast.Not(), node)
            yield self._edit(place, 3, f"tests the opposite of `{text}`", new)

    def _comparisons(self, place: _Place) -> Iterator[Operation]:
        node = place.node
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            for operator in _COMPARED.get(type(node.ops[0]), ()):
                new = ast.Compare(node.left, [operator()], node.comparators)
                yield self._edit(place, 1, f"tests `{words(new)}` {_WHERE} tests `{words(node)}`", new)

    def _numbers(self, place: _Place) -> Iterator[Operation]:
        constant = self._number(place.node)
        if constant is None:
            return
        value, name = constant
        for number in probes(value):
            sentence = f"uses {number} {_WHERE} uses {value}{name and f' ({name})'}"
            yield self._edit(place, 2, sentence, ast.Constant(number))
            if name in self._constants:
                yield Operation(self._function, place.node.lineno, 2, sentence, (), (name, number))

    def _number(self, node: ast.expr) -> tuple[int, str] | None:
        """Return the value and the name, if any, of a constant."""
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value, ""
        if isinstance(node, ast.Name) and node.id in self._constants:
            return self._constants[node.id], node.id
        if isinstance(node, ast.Attribute) and ast.unparse(node.value).endswith("readings"):
            return (self._values[node.attr], node.attr) if node.attr in self._values else None
        return None

    def _bounds(self, place: _Place) -> Iterator[Operation]:
        node = place.node
        if isinstance(node, ast.IfExp):
            for part, other in ((node.body, node.orelse), (node.orelse, node.body)):
                yield self._edit(place, 1, f"always uses `{words(part)}`, never `{words(other)}`", part)
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("min", "max")):
            return
        smaller = node.func.id == "min"
        if len(node.args) == 2:
            for part, other in (node.args, node.args[::-1]):
                bound = "at most" if smaller else "at least"
                sentence = f"does not bound `{words(part)}` to {bound} `{words(other)}`"
                yield self._edit(place, 1, sentence, part)
        new = ast.Call(ast.Name("max" if smaller else "min", ast.Load()), node.args, node.keywords)
        yield self._edit(place, 2, f"uses `{words(new)}` {_WHERE} uses `{words(node)}`", new)

    def _variables(self, place: _Place) -> Iterator[Operation]:
        node = place.node
        if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
            return
        own = self._quantity(node)
        if own is None:
            return
        for quantity in self._like(own):
            new = parsed(f"({quantity.text} or 0)" if quantity.optional and not own.optional else quantity.text)
            yield self._edit(place, 3, f"uses {words(parsed(quantity.text))} {_WHERE} uses {words(node)}", new)

    def _quantity(self, node: ast.expr) -> Operand | None:
        text = ast.unparse(node)
        known = next((quantity for quantity in self._function.quantities if quantity.text == text), None)
        if known is None and isinstance(node, ast.Attribute) and unit_of(node.attr):
            return Operand(text, str(unit_of(node.attr)))
        return known

    def _like(self, own: Operand) -> list[Operand]:
        return [
            quantity
            for quantity in self._function.quantities
            if quantity.type == own.type and quantity.text != own.text
        ]

    def _rounding(self, place: _Place) -> Iterator[Operation]:
        node = place.node
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
            left, right = ast.unparse(node.left), ast.unparse(node.right)
            yield self._edit(place, 2, f"rounds `{words(node)}` up", parsed(f"-(-({left}) // ({right}))"))
            nearest = parsed(f"(2 * ({left}) + ({right})) // (2 * ({right}))")
            yield self._edit(place, 2, f"rounds `{words(node)}` to the nearest integer", nearest)

    def _arithmetic(self, place: _Place) -> Iterator[Operation]:
        node = place.node
        if not isinstance(node, ast.BinOp):
            return
        for operator in _COMPUTED.get(type(node.op), ()):
            new = ast.BinOp(node.left, operator(), node.right)
            yield self._edit(place, 6, f"computes `{words(new)}` {_WHERE} computes `{words(node)}`", new)
        for part, rest in ((node.left, node.right), (node.right, node.left)):
            yield self._edit(place, 5, f"leaves out `{words(rest)}` in `{words(node)}`", part)

    def _calls(self, place: _Place) -> Iterator[Operation]:
        node = place.node
        if not isinstance(node, ast.Call) or isinstance(place.statement, ast.Expr):
            return
        for index, (argument, other) in enumerate(zip(node.args, node.args[1:], strict=False)):
            args = [*node.args[:index], other, argument, *node.args[index + 2 :]]
            new = ast.Call(node.func, args, node.keywords)
            yield self._edit(place, 6, f"exchanges `{words(argument)}` and `{words(other)}` in `{words(node)}`", new)
        if isinstance(node.func, ast.Name) and node.func.id not in ("min", "max", "len", "any", "all"):
            for part in node.args:
                if self._quantity(part) is not None:
                    yield self._edit(place, 4, f"uses `{words(part)}` {_WHERE} uses `{words(node)}`", part)

    def _scaled(self, place: _Place) -> Iterator[Operation]:
        node = place.node
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            own = self._quantity(node)
            if own is not None and own.type in ("byte", "ns", "tick", "bin"):
                text = ast.unparse(node)
                for scaled, says in ((f"2 * {text}", "twice"), (f"{text} // 2", "half of")):
                    yield self._edit(place, 7, f"uses {says} {words(node)} {_WHERE} uses it as it is", parsed(scaled))

    def _replaced(self, block: "_Block", rank: int, sentence: str, *new: ast.stmt) -> Operation:
        """Return the edit that replaces the statement of ``block`` with the statements ``new``.

        ``block``: a statement and its place in the list of statements around it. ``rank``: order of the edit among
        edits with equal answers, lowest first. ``sentence``: description of the edit.
        """
        node = new[0] if len(new) == 1 else ast.If(ast.Constant(True), list(new), [])
        swap = Swap(block.body, block.index, _located(node, block.statement))
        return Operation(self._function, block.statement.lineno, rank, sentence, (swap,))

    def _removed(self, block: "_Block") -> Iterator[Operation]:
        statement = block.statement
        if isinstance(statement, ast.Assign | ast.AugAssign):
            target = statement.target if isinstance(statement, ast.AugAssign) else statement.targets[0]
            if isinstance(target, ast.Attribute):
                verb = "set" if isinstance(statement, ast.Assign) else "change"
                yield self._replaced(block, 0, f"does not {verb} {words(target)} here", ast.Pass())
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield self._replaced(block, 0, f"leaves out `{words(statement.value)}`", ast.Pass())
        elif isinstance(statement, ast.Return) and block.following:
            returned = f"returns {words(statement.value)}" if statement.value is not None else "stops"
            yield self._replaced(block, 4, f"goes on where the specification {returned}", ast.Pass())

    def _assigned(self, block: "_Block") -> Iterator[Operation]:
        statement = block.statement
        if isinstance(statement, ast.AugAssign):
            sets = ast.Assign([statement.target], statement.value)
            sentence = f"sets {words(statement.target)} to `{words(statement.value)}` {_WHERE} adds it"
            yield self._replaced(block, 4, sentence, sets)
        for target, value in _attribute_set(statement):
            text = ast.unparse(value)
            unit = unit_of(ast.unparse(target))
            if unit in ("byte", "ns", "tick", "packet") and not isinstance(value, ast.Constant):
                for bits in _WIDTHS:
                    sets = ast.Assign([target], parsed(f"({text}) and ({text}) % {2**bits}"))
                    yield self._replaced(block, 5, f"keeps {words(target)} in {bits} bits", sets)

    def _sticky(self, block: "_Block") -> Iterator[Operation]:
        for target, value in _attribute_set(block.statement):
            old, new = ast.unparse(target), ast.unparse(value)
            name = words(target)
            yield self._replaced(
                block, 5, f"sets {name} only once", ast.Assign([target], parsed(f"{old} if {old} else {new}"))
            )
            if isinstance(value, ast.Constant):
                continue
            for function, sentence in (("max", "lowers"), ("min", "raises")):
                sets = parsed(f"{new} if {old} is None or ({new}) is None else {function}({old}, {new})")
                yield self._replaced(block, 5, f"never {sentence} {name} here", ast.Assign([target], sets))

    def _moved(self, block: "_Block") -> Iterator[Operation]:
        body, index = block.body, block.index
        if index + 1 < len(body) and not isinstance(body[index + 1], ast.Return):
            statement, next_statement = body[index], body[index + 1]
            sentence = f"does `{_short(next_statement)}` before `{_short(statement)}`"
            yield Operation(
                self._function,
                statement.lineno,
                6,
                sentence,
                (Swap(body, index, next_statement), Swap(body, index + 1, statement)),
            )

    def _guarded(self, block: "_Block", conditions: Iterable[str]) -> Iterator[Operation]:
        statement = block.statement
        if not isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr) or isinstance(
            getattr(statement, "value", None), ast.Constant
        ):
            return
        if isinstance(statement, ast.Assign) and not isinstance(statement.targets[0], ast.Attribute):
            return
        for condition in conditions:
            test = parsed(condition)
            guarded = ast.If(test, [statement], [])
            yield self._replaced(block, 8, f"does `{_short(statement)}` only if `{words(test)}`", guarded)

    def _flags(self) -> Iterator[str]:
        for quantity in self._function.quantities:
            if quantity.type == "bool":
                yield quantity.text
                yield f"not {quantity.text}"
            elif quantity.optional:
                yield f"{quantity.text} is None"
                yield f"{quantity.text} is not None"

    def _compared(self) -> Iterator[str]:
        for quantity in self._function.quantities:
            for other in self._like(quantity):
                if quantity.type != "number" and not quantity.optional and not other.optional:
                    yield f"{quantity.text} < {other.text}"

    def _added(self) -> Iterator[Operation]:
        """Yield edits that add an assignment to a member of a state, at the beginning or the end of the function."""
        body = self._function.node.body
        first = body[1] if len(body) > 1 and _is_text(body[0]) else body[0]
        for target in self._function.quantities:
            if not target.of_state or not self._model.is_set(target.text.rpartition(".")[2]):
                continue
            values = ["None"] if target.optional else []
            values += {"bool": ["True", "False"]}.get(target.type, ["0"])
            values += [quantity.text for quantity in self._like(target)]
            for value in values:
                sets = ast.Assign([_stored(target.text)], parsed(value))
                name = words(parsed(target.text))
                sentence = f"also sets {name} to {words(parsed(value))}"
                for at, where in ((first, "before"), (body[-1], "after")):
                    both = [sets, at] if where == "before" or isinstance(at, ast.Return) else [at, sets]
                    new = _located(ast.If(ast.Constant(True), both, []), at)
                    swap = Swap(body, body.index(at), new)
                    yield Operation(self._function, at.lineno, 9, f"{sentence} {where} `{_short(at)}`", (swap,))

    def _initial(self) -> Iterator[Operation]:
        """Yield edits that create a state object with another initial value of one of its members.

        The edited calls are on the executed lines of the function, ``self._function``.
        """
        for place in self._places:
            node = place.node
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            members = self._model.fields.get(node.func.id, [])
            named = {keyword.arg for keyword in node.keywords} | {field.name for field in members[: len(node.args)]}
            for member in members:
                unit = unit_of(member.name)
                values = [
                    f"{quantity.text}"
                    for quantity in self._function.quantities
                    if quantity.type == unit and not quantity.optional
                ]
                values += ["True", "False"] if member.annotation == "bool" else ["0", "1"]
                if "int" not in member.annotation and member.annotation != "bool":
                    continue
                for value in values:
                    if member.name not in named and value != member.default:
                        new = ast.Call(node.func, node.args, [*node.keywords, ast.keyword(member.name, parsed(value))])
                        default_text = f" {_WHERE} begins with {member.default}" if member.default else ""
                        name = words(ast.Name(member.name))
                        yield self._edit(place, 3, f"begins with {name} {words(parsed(value))}{default_text}", new)


def probes(value: int) -> list[int]:
    """Return the numbers to try for a constant: its neighbours, and simple multiples and fractions."""
    near = range(max(0, value - 3), value + 4) if value <= 100 else ()
    multiples = (value - 1, value + 1, 2 * value, value // 2, 4 * value, value // 4, 10 * value, value // 10, 0, 1)
    return [number for number in dict.fromkeys([*near, *multiples]) if number != value]


@dataclass(frozen=True, slots=True)
class _Block:
    """A statement, as the item ``index`` of its block ``body``.

    ``following``: another statement comes after it, in this block or in an enclosing block of the function.
    """

    body: list[ast.stmt]
    index: int
    following: bool

    @property
    def statement(self) -> ast.stmt:
        """The statement of this object: item ``index`` of ``body``."""
        return self.body[self.index]


def _blocks(function: ast.FunctionDef) -> list[_Block]:
    """Return all statements of a function with their blocks, without docstrings.

    The member ``following`` of a result is true if a statement comes after it in the same block or in an enclosing
    block.
    """
    blocks: list[_Block] = []

    def collect(body: list[ast.stmt], following: bool) -> None:
        for index, statement in enumerate(body):
            more = following or index + 1 < len(body)
            blocks.append(_Block(body, index, more))
            for name in ("body", "orelse", "finalbody"):
                inner = getattr(statement, name, None)
                if inner and not isinstance(statement, ast.FunctionDef):
                    collect(inner, more)
            for case in getattr(statement, "cases", []):
                collect(case.body, more)

    collect(function.body, following=False)
    return [block for block in blocks if not _is_text(block.statement)]


def _expressions(statement: ast.stmt) -> Iterator[_Place]:
    """Yield the expressions of a statement with their places, without inner statements and the ranges of loops."""
    for name, value in ast.iter_fields(statement):
        if name in ("body", "orelse", "finalbody", "cases", "handlers", "targets", "target"):
            continue
        if isinstance(value, ast.expr):
            yield from _inner(value, statement, name, statement)


def _inner(node: ast.expr, holder: Any, key: Any, statement: ast.stmt) -> Iterator[_Place]:
    yield _Place(node, holder, key, statement)
    if isinstance(node, ast.JoinedStr | ast.Lambda):
        return
    for name, value in ast.iter_fields(node):
        if name in ("func", "ctx", "slice", "generators") or (isinstance(node, ast.Attribute) and name == "value"):
            continue
        if isinstance(value, ast.expr):
            yield from _inner(value, node, name, statement)
        elif isinstance(value, list):
            for index, part in enumerate(value):
                if isinstance(part, ast.expr):
                    yield from _inner(part, value, index, statement)
                elif isinstance(part, ast.keyword):
                    yield from _inner(part.value, part, "value", statement)


def _is_condition(place: _Place) -> bool:
    if isinstance(place.statement, ast.While) and place.key == "test":
        return False  # a loop without end
    if isinstance(place.node, ast.BoolOp | ast.Compare):
        return True
    tested = place.key == "test" or isinstance(place.holder, list | ast.UnaryOp)
    return (
        tested and isinstance(place.node, ast.UnaryOp | ast.Call | ast.Name | ast.Attribute) and not _is_argument(place)
    )


def _is_argument(place: _Place) -> bool:
    return isinstance(place.holder, list) and not isinstance(place.node, ast.UnaryOp)


def _attribute_set(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the members set by an assignment, with the values."""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
        yield statement.targets[0], statement.value


def _stored(text: str) -> ast.expr:
    statement = ast.parse(f"{text} = 0").body[0]
    assert isinstance(statement, ast.Assign)
    return statement.targets[0]


def _short(statement: ast.stmt) -> str:
    """Return the first line of a statement."""
    return words(statement).partition("\n")[0].rstrip(":")


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
