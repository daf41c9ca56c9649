"""The arithmetic in a text: its statements about numbers, whether they hold, and the numbers outside of them.

A statement is ``A = B``, ``A >= B`` and so on with an expression of numbers on both sides: ``12000 + 2 * 1200 = 14400``. Times carry
their unit (``ns``, ``us``, ``ms``, ``s``). A lone number may be rounded to the digits that it shows.
"""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
#: Numbers, words, relations, and every other character. ``scharf-2009``, ``cubic.reduce.minimum`` and ``RFC 9002`` are
#: one word each. A parenthesis without a space before it is part of the word: ``W(``.
_TOKEN = re.compile(r"RFC \d+|[A-Za-z_][\w]*(?:[-.@/]\w+)*\(?|\d+(?:\.\d+)?|>=|<=|\S")
_RELATIONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., int | Fraction]] = {
    "floor(": floor, "ceil(": ceil, "max(": max, "min(": min, "round(": round,
}  # fmt: skip
_UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}


@dataclass(frozen=True, slots=True)
class Side:
    """An expression of numbers. ``digit``: unit of the last digit of a lone number, ``None`` for a calculation."""

    text: str
    value: Fraction
    is_time: bool
    digit: Fraction | None
    numbers: tuple[str, ...]


class _NoExpressionError(Exception):
    """The tokens at this position do not form an expression of numbers."""


class _Reader:
    """Reads one expression by recursive descent."""

    def __init__(self, tokens: list[str], at: int) -> None:
        self.tokens, self.at = tokens, at
        self.is_time = False

    def _peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _next(self, *expected: str) -> str:
        token = self._peek()
        if token not in expected:
            raise _NoExpressionError
        self.at += 1
        return token

    def sum(self) -> Fraction:
        value = self._product()
        while (operation := self._operation("+-", self._product)) is not None:
            sign, right = operation
            value = value + right if sign == "+" else value - right
        return value

    def _operation(self, signs: str, read: Callable[[], Fraction]) -> tuple[str, Fraction] | None:
        """Read a sign and its right operand; return ``None`` and stay before the sign if this fails."""
        before = self.at
        if self._peek() not in tuple(signs):
            return None
        try:
            return self._next(*signs), read()
        except _NoExpressionError:
            self.at = before
            return None

    def _product(self) -> Fraction:
        begin, value = self.at, self._power()
        while (operation := self._operation("*/", self._power)) is not None:
            sign, right = operation
            timed = any(token in _UNITS for token in self.tokens[begin : self.at - 1])
            if sign == "/" and right == 0:
                raise _NoExpressionError
            value = value * right if sign == "*" else value / right
            if sign == "/" and not timed:  # ``a / b ms`` means (a / b) ms: no text divides by a time
                value *= _UNITS.get(self.tokens[self.at - 1], 1) ** 2
        return value

    def _power(self) -> Fraction:
        value = self._atom()
        if self._peek() == "^":
            self._next("^")
            exponent = self._atom()
            if exponent.denominator != 1 or abs(exponent) > 64:
                raise _NoExpressionError
            value = Fraction(value**exponent.numerator)
        return value

    def _atom(self) -> Fraction:
        token = self._peek()
        if _NUMBER.fullmatch(token):
            self.at += 1
            return Fraction(token) * self._unit()
        if token == "(":
            return self._arguments()[0] * self._unit()
        if token in _FUNCTIONS:
            return Fraction(_FUNCTIONS[token](*self._arguments()))
        raise _NoExpressionError

    def _arguments(self) -> list[Fraction]:
        self._next("(", *_FUNCTIONS)
        values = [self.sum()]
        while self._peek() == ",":
            self._next(",")
            values.append(self.sum())
        self._next(")")
        return values

    def _unit(self) -> int:
        if self._peek() not in _UNITS:
            return 1
        self.is_time = True
        return _UNITS[self._next(*_UNITS)]


def _sides(tokens: list[str]) -> list[tuple[int, int, Side]]:
    """Return the longest expressions, each with its first token and the token after it."""
    sides, at = [], 0
    while at < len(tokens):
        reader = _Reader(tokens, at)
        try:
            value = reader.sum()
        except _NoExpressionError:
            at += 1
            continue
        words = tokens[at : reader.at]
        numbers = tuple(word for word in words if _NUMBER.fullmatch(word))
        sides.append((at, reader.at, Side(" ".join(words), value, reader.is_time, _last_digit(words), numbers)))
        at = reader.at
    return sides


def _last_digit(words: list[str]) -> Fraction | None:
    """Return the unit of the last digit if the words are a lone number with or without unit, else ``None``."""
    if not _NUMBER.fullmatch(words[0]) or any(word not in _UNITS for word in words[1:]):
        return None
    decimals = len(words[0].partition(".")[2])
    return Fraction(_UNITS[words[1]] if len(words) > 1 else 1, 10**decimals)


def _holds(left: Side, relation: str, right: Side) -> bool:
    if relation != "=":
        return _RELATIONS[relation](left.value, right.value)
    digit = right.digit or left.digit
    return left.value == right.value if digit is None else abs(left.value - right.value) < digit


def _is_reckoned(tokens: list[str], start: int, end: int) -> bool:
    """Return whether no operator or parenthesis next to the expression makes it part of a larger one."""
    before = tokens[start - 1] if start else ""
    after = tokens[end] if end < len(tokens) else ""
    factor = tokens[start] == "(" and (before == ")" or _NUMBER.fullmatch(before) is not None)
    return (
        not factor and before not in ("+", "-", "*", "/", "^", "%") and after not in ("*", "/", "^", "%", "+", "-", "(")
    )


def read(text: str) -> tuple[list[str], list[str]]:
    """Return the false statements and the numbers outside of all statements, each as written.

    The result of a statement may occur again: ``1.5 * 25221 = 37831.5``, then ``the target is 37831.5``.
    """
    tokens = _TOKEN.findall(text)
    sides = _sides(tokens)
    wrong, stated, results = [], set(), set()
    for (begin, end, left), (start, stop, right) in pairwise(sides):
        relation = tokens[end] if start == end + 1 else ""
        if relation not in ("=", *_RELATIONS) or left.is_time != right.is_time:
            continue
        if not (_is_reckoned(tokens, begin, end) and _is_reckoned(tokens, start, stop)):
            continue
        stated |= {id(left), id(right)}
        if not _holds(left, relation, right):
            wrong.append(f"{left.text} {relation} {right.text}")
        elif relation == "=" and left.digit is None and right.digit is not None:
            results |= set(right.numbers)
    alone = [number for _, _, side in sides if id(side) not in stated for number in side.numbers]
    return wrong, [number for number in alone if number not in results]
