"""Finds the functions of the model that a change touches, and the functions that one event executes.

A step that executes none of the touched functions is the same with and without the change. The relation tests this
before it executes the changed model, which saves most steps.
"""

import ast
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TypeVar

from firstflight_conformance.replay.fresh import compiled, mutable_files, right_text
from firstflight_conformance.replay.mutants import Mutant, changed_texts

#: A function: its file and its qualified name.
Function = tuple[str, str]
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the model: new code of functions, and new values of integer constants of modules."""

    codes: dict[Function, CodeType]
    constants: dict[str, int]


def touched(parts: Sequence[Mutant]) -> frozenset[Function] | None:
    """Return the functions that a change touches, or ``None`` (any) if it changes more than functions and constants."""
    functions: set[Function] = set()
    for part in parts:
        change = change_of(part)
        if change is None:
            return None
        functions |= change.codes.keys()
        for name in (*part.readings, *change.constants):
            functions |= _that_read(name)
    return frozenset(functions)


def change_of(part: Mutant) -> Change | None:
    """Return the change of a mutant, or ``None`` if it changes more than functions and constants."""
    codes: dict[Function, CodeType] = {}
    constants: dict[str, int] = {}
    for path, text in changed_texts(part).items():
        (before, rest), (after, new_rest) = functions_of(path, right_text(path)), functions_of(path, text)
        named = _constants(rest, new_rest)
        if named is None or before.keys() != after.keys():
            return None
        constants |= named
        changed = {name: code for name, code in after.items() if content(before[name]) != content(code)}
        codes |= {(str(path), name): code for name, code in changed.items()}
    return Change(codes, constants)


def _constants(old: Sequence[str], new: Sequence[str]) -> dict[str, int] | None:
    """Return the new values of the constants that differ, by name, or ``None`` if any other statement differs.

    ``old``, ``new``: the statements of a module before and after a change, without function bodies. Only assignments of
    decimal integers to a name count as constants.
    """
    constants: dict[str, int] = {}
    if len(old) != len(new):
        return None
    for statement in (
        new_statement for old_statement, new_statement in zip(old, new, strict=True) if old_statement != new_statement
    ):
        name, _, value = statement.partition(" = ")
        if not name.isidentifier() or not value.isdecimal():
            return None
        constants[name] = int(value)
    return constants


@cache
def _that_read(name: str) -> frozenset[Function]:
    """Return the functions of the model that use an attribute with the name of a reading."""
    readers = set()
    for path in mutable_files():
        functions, _ = functions_of(path, right_text(path))
        readers |= {(str(path), known) for known, code in functions.items() if name in _names(code)}
    return frozenset(readers)


def _names(code: CodeType) -> set[str]:
    inside = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names) | {name for inner in inside for name in _names(inner)}


@lru_cache(maxsize=1024)
def functions_of(path: Path, text: str) -> tuple[dict[str, CodeType], list[str]]:
    """Return the code of a module's functions by qualified name, and its statements without function bodies."""
    functions: dict[str, CodeType] = {}

    def collect(code: CodeType) -> None:
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                if constant.co_flags & 0x2:  # CO_NEWLOCALS: a function; the body of a class has its members outside
                    functions[constant.co_qualname] = constant
                else:
                    collect(constant)

    collect(compiled(path, text))
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body = [ast.Pass()]
    return functions, [ast.unparse(statement) for statement in tree.body]


def content(code: CodeType) -> tuple[Any, ...]:
    """Return the content of a function without line numbers, equal for equal functions."""
    consts = tuple(
        content(constant) if isinstance(constant, CodeType) else (type(constant), constant)
        for constant in code.co_consts
    )
    return code.co_code, consts, code.co_names, code.co_varnames, code.co_freevars


class Executed:
    """Records the alternatives that may affect a step, since the step executes a function that they change.

    An alternative is a permitted choice other than the model's. ``touched``: for each alternative, the functions that
    it changes, or ``None`` if it may change any function.
    """

    def __init__(self, touched: Sequence[frozenset[Function] | None]) -> None:
        """Prepare the bit mask that :meth:`call` returns: its bit n stands for alternative n.

        An alternative is a permitted choice other than the model's. ``touched``: item n contains the functions that
        alternative n changes, or ``None`` if it may change any function.
        """
        self._always = sum(1 << place for place, functions in enumerate(touched) if functions is None)
        self._bits: dict[Function, int] = {}
        for place, functions in enumerate(touched):
            for function in functions or ():
                self._bits[function] = self._bits.get(function, 0) | 1 << place
        # Holds references to the codes, so that their ids are not reused.
        self._bits_of_code: dict[int, tuple[int, CodeType]] = {}
        self._executed_bits = 0

    def call(self, step: Callable[[], Result]) -> tuple[Result, int]:
        """Return the result of a step, and the bits of the alternatives that may affect it."""
        self._executed_bits = self._always
        previous = sys.gettrace()
        sys.settrace(self._note)
        try:
            result = step()
        finally:
            sys.settrace(previous)
        return result, self._executed_bits

    def _note(self, frame: FrameType, _event: str, _argument: Any) -> None:
        code = frame.f_code
        known = self._bits_of_code.get(id(code))
        if known is None:
            name = code.co_qualname.partition(".<locals>")[0]
            known = self._bits_of_code[id(code)] = self._bits.get((code.co_filename, name), 0), code
        self._executed_bits |= known[0]
