"""Partial evaluation: replaces the readings of a profile by their values and removes branches that it never takes."""

import ast
import types
from collections import Counter
from collections.abc import Mapping
from typing import Any, TypeGuard

from firstflight import window_rules
from firstflight.enums import Enum

_READINGS = ("readings", "_readings")
#: Functions that change nothing.
_PURE = {"min", "max", "sum", "len", "late_ticks", "phase", "newreno.phase"}
_NOTHING = (window_rules.NEWRENO.on_sent, window_rules.NEWRENO.numbers)
#: Begins a statement that stands for the comments of the next one.
COMMENT = "#comment "


class Fold(ast.NodeTransformer):
    """Folds the functions of one module. ``known``: values by expression, such as ``state.search``."""

    def __init__(self, module: types.ModuleType, readings: Any, known: Mapping[str, Any], rules: Any) -> None:
        """Remember the module, the readings of the profile, other known values, and the hooks of the base."""
        self._known, self._rules = dict(known), rules
        #: Numbers that the readings give, by expression.
        self.numbers: dict[str, Any] = {}
        #: The readings that are passed to other packages, by package.
        self.passed: dict[str, Any] = {}
        self._stores: Counter[str] = Counter()
        self._tables: dict[str, ast.Dict] = {}
        self._globals = {**vars(module), "readings": readings}

    def visit(self, node: ast.AST) -> Any:
        """Fold a node: whole if its value is known, else its parts."""
        if isinstance(node, ast.expr) and not isinstance(node, ast.Constant):
            folded = self._value(node)
            if folded is not None:
                return folded
        return super().visit(node)

    def _value(self, node: ast.expr) -> ast.expr | None:
        """Return the known value of an expression as a constant, or None."""
        text = ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""
        if text in self._known and not isinstance(getattr(node, "ctx", None), ast.Store):
            return _literal(self._known[text])
        if _is_hook(node):
            return self._hook(node.attr)
        if isinstance(node, ast.Call) and _is_hook(node.func) and getattr(self._rules, node.func.attr) in _NOTHING:
            return ast.Dict([], []) if node.func.attr == "numbers" else ast.Constant(None)
        names = {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
        if "readings" not in names or not names <= set(self._globals) or not isinstance(node, ast.expr):
            return None
        if isinstance(node, ast.Name) or "Store()" in ast.dump(node):
            return None
        try:
            value = self._evaluated(node)
        except (AttributeError, TypeError, KeyError):  # it needs more than the readings
            return None
        if isinstance(value, int | tuple) and not isinstance(value, bool):
            self.numbers[ast.unparse(node)] = value
        return _literal(value)

    def _hook(self, name: str) -> ast.expr:
        """Return the function that a base has for a hook, or None as a constant."""
        function = getattr(self._rules, name)
        if function is None or not isinstance(function, types.FunctionType):
            return ast.Constant(function)
        reference = ast.Name(function.__name__, ast.Load())
        reference.target = (function.__module__, function.__name__)  # type: ignore[attr-defined]
        return reference

    def visit_Call(self, node: ast.Call) -> Any:
        """Drop the readings from the arguments; call the hooks of the base by their names."""
        if isinstance(node.func, ast.Attribute) and node.func.attr == "copy" and not node.args:
            return ast.Call(ast.Name("replace", ast.Load()), [self.visit(node.func.value)], [])
        node.args = [argument for argument in node.args if not self._passed(argument)]
        node.keywords = [keyword for keyword in node.keywords if not self._passed(keyword.value)]
        return self.generic_visit(node)

    def _passed(self, node: ast.expr) -> bool:
        """Return whether an argument is readings; remember readings of other packages."""
        names = {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
        if _is_readings(node):
            return True
        if not names or not names <= set(self._globals) or not isinstance(node, ast.Name | ast.Call):
            return False
        if isinstance(node, ast.Call) and "eadings" not in ast.unparse(node.func):
            return False
        value = self._evaluated(node)
        if type(value).__name__ != "Readings":
            return False
        self.passed[type(value).__module__.split(".")[1]] = value
        return True

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        """Look up a reading in a local table."""
        if isinstance(node.value, ast.Name) and node.value.id in self._tables:
            table, key = self._tables[node.value.id], self._evaluated(node.slice)
            keys = [self._evaluated(table_key) for table_key in table.keys if table_key is not None]
            return self.visit(table.values[keys.index(key)])
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        """Decide a comparison of constants, and the decided parts of a chain."""
        self.generic_visit(node)
        terms = [node.left, *node.comparators]
        ops = list(node.ops)
        while ops and all(isinstance(term, ast.Constant) for term in terms[:2]):
            pair = ast.Compare(terms[0], ops[:1], terms[1:2])
            if not _decide(pair):
                return ast.Constant(False)
            terms, ops = terms[1:], ops[1:]
        if not ops:
            return ast.Constant(True)
        return ast.Compare(terms[0], ops, terms[1:])

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        """Drop operands that decide nothing, and those after a deciding one."""
        self.generic_visit(node)
        decides = isinstance(node.op, ast.Or)
        values: list[ast.expr] = []
        for operand in node.values:
            if isinstance(operand, ast.Constant) and isinstance(operand.value, bool):
                if operand.value is decides and not any(isinstance(n, ast.Call) for v in values for n in ast.walk(v)):
                    return operand
                if operand.value is decides:
                    return ast.BoolOp(node.op, [*values, operand])
                continue
            values.append(operand)
        if not values:
            return ast.Constant(not decides)
        return values[0] if len(values) == 1 else ast.BoolOp(node.op, values)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        """Decide ``not``."""
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Constant):
            return ast.Constant(not node.operand.value)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """Leave out a division by 1."""
        self.generic_visit(node)
        is_one = isinstance(node.right, ast.Constant) and node.right.value == 1
        return node.left if is_one and isinstance(node.op, ast.FloorDiv | ast.Mult) else node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """Take the branch of a decided condition."""
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        return node

    def visit_If(self, node: ast.If) -> Any:
        """Take the branch of a decided condition; a deciding last operand leaves the ones before it without effect."""
        node.test = self.visit(node.test)
        if isinstance(node.test, ast.Constant):
            return self._block(node.body if node.test.value else node.orelse)
        node.body, node.orelse = self._block(node.body) or [ast.Pass()], self._block(node.orelse)
        if _does_nothing(node.body) and not node.orelse:
            return []
        return node

    def visit_Match(self, node: ast.Match) -> Any:
        """Take the case of a known subject."""
        subject = node.subject
        names = {child.id for child in ast.walk(subject) if isinstance(child, ast.Name)}
        text = ast.unparse(subject)
        if text in self._known or (names == {"readings"}):
            value = self._known[text] if text in self._known else self._evaluated(subject)
            for case in node.cases:
                if self._matches(case.pattern, value):
                    return self._block(case.body)
            return []
        node.subject = self.visit(node.subject)
        for case in node.cases:
            case.guard = None if case.guard is None else self.visit(case.guard)
            if isinstance(case.guard, ast.Constant):
                case.guard = None if case.guard.value else case.guard
        node.cases = [case for case in node.cases if not isinstance(case.guard, ast.Constant)]
        for case in node.cases:
            case.body = self._block(case.body) or [ast.Pass()]
        return node

    def _evaluated(self, node: ast.expr) -> Any:
        return eval(compile(ast.Expression(ast.fix_missing_locations(node)), "<fold>", "eval"), self._globals)

    def _matches(self, pattern: ast.pattern, value: Any) -> bool:
        match pattern:
            case ast.MatchOr(patterns=several):
                return any(self._matches(alternative, value) for alternative in several)
            case ast.MatchValue(value=expression):
                return bool(self._evaluated(expression) == value)
            case ast.MatchAs(pattern=None):
                return True
        raise ValueError(f"pattern {ast.unparse(pattern)}")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """Fold the body, and drop the parameter with the readings."""
        node.args.args = [parameter for parameter in node.args.args if parameter.arg not in _READINGS]
        outer, self._known, self._tables = self._known, dict(self._known), {}
        self._stores = Counter(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        node.body = self._block(node.body) or [ast.Pass()]
        self._known = outer
        drop_unread(node)
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """Fold the methods; copies are made by the tool only, and a view needs no readings."""
        node.decorator_list = [
            ast.Name("dataclass", ast.Load()) if ast.unparse(decorator) == "value" else decorator
            for decorator in node.decorator_list
        ]
        node.body = [
            statement
            for statement in node.body
            if not (
                (isinstance(statement, ast.FunctionDef) and statement.name == "copy")
                or (isinstance(statement, ast.AnnAssign) and ast.unparse(statement.target) == "readings")
            )
        ]
        node.body = self._block(node.body) or [ast.Pass()]
        return node

    def visit_For(self, node: ast.For) -> Any:
        """Fold the body."""
        node.iter, node.body = self.visit(node.iter), self._block(node.body) or [ast.Pass()]
        return node

    def visit_While(self, node: ast.While) -> Any:
        """Fold the body."""
        node.test, node.body = self.visit(node.test), self._block(node.body) or [ast.Pass()]
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        """Fold the value; an alias of the readings is dropped."""
        target = node.targets[0]
        if isinstance(node.value, ast.Dict) and isinstance(target, ast.Name) and self._is_table(node.value):
            self._tables[target.id] = node.value
            return []
        self.generic_visit(node)
        if _is_readings(node.value):
            return []
        if isinstance(target, ast.Name) and isinstance(node.value, ast.Constant) and self._stores[target.id] == 1:
            fixed = node.value.value
            if fixed is None or isinstance(fixed, bool):
                self._known[target.id] = fixed
                return []
        return node

    def _is_table(self, node: ast.Dict) -> bool:
        """Return whether the keys of a local table are values of a reading."""
        names = [
            child.id for key in node.keys if key is not None for child in ast.walk(key) if isinstance(child, ast.Name)
        ]
        kinds = [self._globals.get(name) for name in names]
        return bool(kinds) and all(isinstance(k, type) and k.__module__.endswith(".profiles") for k in kinds)

    def visit_Assert(self, _node: ast.Assert) -> Any:
        """Drop assertions: only a type checker needs them."""
        return []

    def visit_Expr(self, node: ast.Expr) -> Any:
        """Drop a hook that does nothing."""
        self.generic_visit(node)
        dropped = isinstance(node.value, ast.Constant) and not isinstance(node.value.value, str)
        return [] if dropped else node

    def _block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Fold statements up to the first that ends the block. Comments go with the statement that follows them."""
        statements: list[ast.stmt] = []
        pending: list[ast.stmt] = []
        for statement in body:
            if is_comment(statement):
                pending.append(statement)
                continue
            folded = self.visit(statement)
            new = folded if isinstance(folded, list) else [folded]
            if new:
                _drop_overwritten(statements, new[0])
                statements += [*pending, *new]
            pending = []
            if new and isinstance(new[-1], ast.Return | ast.Raise):
                break
        return statements


def copied(node: Any) -> Any:
    """Return a deep copy of a syntax tree, several times faster than ``copy.deepcopy``."""
    if isinstance(node, list):
        return [copied(child) for child in node]
    if isinstance(node, ast.AST):
        new = type(node)()
        vars(new).update({name: copied(child) for name, child in vars(node).items()})
        return new
    return node


def alias_readings(node: ast.AST) -> Any:
    """Replace ``state.readings`` and the like by ``readings``, ``state.growth`` by ``readings.growth``, in place."""

    class Alias(ast.NodeTransformer):
        def visit_Attribute(self, attribute: ast.Attribute) -> Any:
            self.generic_visit(attribute)
            if ast.unparse(attribute) == "state.growth":
                attribute.value = ast.Name("readings", ast.Load())
            return ast.Name("readings", ast.Load()) if attribute.attr == "readings" else attribute

    return ast.fix_missing_locations(Alias().visit(node))


def _drop_overwritten(statements: list[ast.stmt], following: ast.stmt) -> None:
    """Remove the last statement if it sets a name that the following one sets without reading it."""
    last = statements[-1] if statements else None
    if isinstance(last, ast.Assign) and isinstance(following, ast.Assign) and isinstance(last.targets[0], ast.Name):
        name = last.targets[0].id
        read = any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(following.value))
        if ast.unparse(following.targets[0]) == name and not read:
            statements.pop()


def drop_unread(node: ast.FunctionDef) -> None:
    """Remove assignments to a local name that is never read, unless it calls more than arithmetic."""
    read = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}

    class Drop(ast.NodeTransformer):
        def visit_Assign(self, assignment: ast.Assign) -> Any:
            target = assignment.targets[0]
            calls = {ast.unparse(n.func) for n in ast.walk(assignment.value) if isinstance(n, ast.Call)}
            unread = isinstance(target, ast.Name) and target.id not in read and calls <= _PURE
            return None if unread else assignment

    Drop().visit(node)
    node.body = node.body or [ast.Pass()]


def is_comment(node: ast.stmt) -> bool:
    """Return whether a statement stands for a comment."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and str(value.value).startswith(COMMENT)


def _is_hook(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and ast.unparse(node.value).endswith(".rules")


def _is_readings(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in _READINGS


def _does_nothing(body: list[ast.stmt]) -> bool:
    return all(isinstance(statement, ast.Pass) or is_comment(statement) for statement in body)


def _decide(node: ast.Compare) -> bool:
    return bool(eval(compile(ast.Expression(ast.fix_missing_locations(node)), "<fold>", "eval"), {}))


def _literal(value: Any) -> ast.expr | None:
    if value is None:
        return ast.Constant(None)
    if isinstance(value, Enum):
        return None
    if isinstance(value, bool | int | str):
        return ast.Constant(value)
    if isinstance(value, tuple) and all(isinstance(number, int) for number in value):
        return ast.Tuple([ast.Constant(number) for number in value], ast.Load())
    return None
