"""Which functions of the model a change touches, and which functions one event executes.

A step that executes no function that a change touches is the same with and without the change. The relation asks this
before it executes the changed model, which saves most steps.
"""

import ast
import sys
from collections.abc import Callable, Sequence
from functools import cache
from types import CodeType, FrameType
from typing import Any, TypeVar

from firstflight_conformance.mutants.fresh import mutable_files
from firstflight_conformance.mutants.load import Mutant, changed_texts

#: A function: its file and its qualified name.
Function = tuple[str, str]
Result = TypeVar("Result")


def touched(parts: tuple[Mutant, ...]) -> frozenset[Function] | None:
    """Return the functions that a change touches; ``None`` for any, where it changes more than functions."""
    functions: set[Function] = set()
    for part in parts:
        for name in part.readings:
            functions |= _that_read(name)
        for path, text in changed_texts(part).items():
            changed = _changed(path.read_text("utf-8"), text)
            if changed is None:
                return None
            functions |= {(str(path), name) for name in changed}
    return frozenset(functions)


@cache
def _that_read(name: str) -> frozenset[Function]:
    """Return the functions of the model that use an attribute with the name of a reading."""
    found = set()
    for path in mutable_files():
        functions, _ = _functions(path.read_text("utf-8"))
        found |= {(str(path), known) for known, code in functions.items() if name in _names(code)}
    return frozenset(found)


def _names(code: CodeType) -> set[str]:
    inside = (one for one in code.co_consts if isinstance(one, CodeType))
    return set(code.co_names) | {name for one in inside for name in _names(one)}


def _changed(old: str, new: str) -> set[str] | None:
    """Return the names of the functions that differ; ``None`` if something outside of functions does."""
    (before, rest), (after, other) = _functions(old), _functions(new)
    if rest != other or before.keys() != after.keys():
        return None
    return {name for name in before if _content(before[name]) != _content(after[name])}


def _functions(text: str) -> tuple[dict[str, CodeType], str]:
    """Return the code of the functions and methods of a module by qualified name, and the rest of the module without their bodies."""
    functions: dict[str, CodeType] = {}

    def collect(code: CodeType) -> None:
        for one in code.co_consts:
            if isinstance(one, CodeType):
                if one.co_flags & 0x2:  # CO_NEWLOCALS: a function; the body of a class has its members outside
                    functions[one.co_qualname] = one
                else:
                    collect(one)

    collect(compile(text, "<model>", "exec"))
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body = [ast.Pass()]
    return functions, ast.dump(tree)


def _content(code: CodeType) -> tuple[Any, ...]:
    consts = tuple(_content(one) if isinstance(one, CodeType) else (type(one), one) for one in code.co_consts)
    return code.co_code, consts, code.co_names, code.co_varnames, code.co_freevars


class Executed:
    """Notes which alternatives a step may concern: those that touch a function that it executes.

    ``touched``: the functions that each alternative changes, ``None`` for any.
    """

    def __init__(self, touched: Sequence[frozenset[Function] | None]) -> None:
        """Give each alternative a bit, in this order."""
        self._always = sum(1 << place for place, functions in enumerate(touched) if functions is None)
        self._bits: dict[Function, int] = {}
        for place, functions in enumerate(touched):
            for function in functions or ():
                self._bits[function] = self._bits.get(function, 0) | 1 << place
        # The codes are kept, so that their identities stay theirs.
        self._of_code: dict[int, tuple[int, CodeType]] = {}
        self._found = 0

    def call(self, step: Callable[[], Result]) -> tuple[Result, int]:
        """Return the result of a step, and the bits of the alternatives that it may concern."""
        self._found = self._always
        previous = sys.gettrace()
        sys.settrace(self._note)
        try:
            result = step()
        finally:
            sys.settrace(previous)
        return result, self._found

    def _note(self, frame: FrameType, _event: str, _argument: Any) -> None:
        code = frame.f_code
        known = self._of_code.get(id(code))
        if known is None:
            name = code.co_qualname.partition(".<locals>")[0]
            known = self._of_code[id(code)] = self._bits.get((code.co_filename, name), 0), code
        self._found |= known[0]
