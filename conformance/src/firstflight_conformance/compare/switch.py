"""Switches the functions and constants of one copy of the model, in place of a copy for each combination.

A copy of the model takes some milliseconds and a megabyte, and a walk uses hundreds of combinations. Nearly every
alternative changes one function. Two alternatives in one function are applied to its text one after the other.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from firstflight import Config
from firstflight_conformance.compare.touched import Change, Function, change_of, functions_of
from firstflight_conformance.replay.fresh import fresh_modules, mutable_files, right_text
from firstflight_conformance.replay.mutants import Mutant, MutantError, changed_texts
from firstflight_conformance.replay.variant import Variant


class Move(NamedTuple):
    """The assignments that replace one change of the model by another.

    A change is new code of functions and new values of constants. ``before``, ``after``: the changes. Moves are looked
    up by the ``id()`` of both, so a move keeps them alive. ``codes``: functions with their new code. ``names``:
    dictionary of a module, name of a constant, and its new value.
    """

    before: Change
    after: Change
    codes: list[tuple[FunctionType, CodeType]]
    names: list[tuple[dict[str, Any], str, int]]


class Switch:
    """A private copy of the model. Its functions and constants are replaced to apply alternatives.

    An alternative is a permitted choice other than the model's, as a change of the model's text. The method
    :meth:`select` applies the change of one combination of alternatives.
    """

    def __init__(self, alternatives: Mapping[str, Sequence[Mutant]], texts: Mapping[Path, str] | None = None) -> None:
        """Copy the model. ``alternatives``: changes by id. ``texts``: all texts if they differ from the model."""
        self._parts = alternatives
        self._changes = {name: _change_of(parts) for name, parts in alternatives.items()}
        files = mutable_files()
        with fresh_modules(texts or {path: right_text(path) for path in files}) as self.model:
            self.computation = import_module("firstflight.transfer_time.transfer_time")
            modules = {path: sys.modules[name] for path, name in files.items() if name in sys.modules}
        self._modules = [*modules.values()]
        named = ((str(path), _named(module)) for path, module in modules.items())
        self._functions = {(path, name): function for path, functions in named for name, function in functions.items()}
        self._right = {function: python_function.__code__ for function, python_function in self._functions.items()}
        self._constants: dict[str, int] = {}
        self._selected = Change({}, {})
        self._moves: dict[tuple[int, int], Move] = {}
        self._both: dict[tuple[Function, tuple[str, ...]], CodeType | None] = {}

    def has(self, names: Iterable[str]) -> bool:
        """Return whether each of these alternatives (permitted choices, by id) changes functions and constants only."""
        return all(self._changes[name] is not None for name in names)

    def together(self, names: Sequence[str]) -> Change | None:
        """Return the combined change of alternatives, or ``None`` if they exclude each other.

        An alternative is a permitted choice other than the model's, here a change of functions and constants.
        Alternatives exclude each other if they set the same constant. They also do if their changes of one function
        cannot be applied to its text one after the other.
        """
        changes = {name: change for name in names if (change := self._changes[name]) is not None}
        constants = [item for change in changes.values() for item in change.constants.items()]
        if len(dict(constants)) < len(constants):
            return None
        codes: dict[Function, CodeType] = {}
        for function in {function for change in changes.values() for function in change.codes}:
            changing_names = tuple(name for name, change in changes.items() if function in change.codes)
            code = (
                changes[changing_names[0]].codes[function]
                if len(changing_names) == 1
                else self._of_several(function, changing_names)
            )
            if code is None:
                return None
            codes[function] = code
        return Change(codes, dict(constants))

    def select(self, change: Change) -> None:
        """Apply ``change``, the new code and constants of a combination of alternatives, to the copy of the model.

        An alternative is a permitted choice other than the model's. Functions and constants that only the previous
        change replaced get their original values again.
        """
        if self._selected is change:
            return
        pair = id(self._selected), id(change)
        if pair not in self._moves:
            self._moves[pair] = Move(self._selected, change, [*self._codes(change)], [*self._names(change)])
        for function, code in self._moves[pair].codes:
            function.__code__ = code
        for place, name, value in self._moves[pair].names:
            place[name] = value
        self._selected = change

    def _codes(self, change: Change) -> Iterator[tuple[FunctionType, CodeType]]:
        """Yield the functions that the previous or the new change replaces, each with the code that it needs now.

        The previous change is the selected combination of alternatives, and ``change`` is the new one. A function that
        only the previous change replaces gets its original code.
        """
        for function in self._selected.codes.keys() - change.codes.keys():
            yield self._functions[function], self._right[function]
        for function, code in change.codes.items():
            yield self._functions[function], code

    def _names(self, change: Change) -> Iterator[tuple[dict[str, Any], str, int]]:
        """Yield the assignments of constants from the previous to the new change.

        An assignment is the dictionary of a module, the name of a constant that either change sets, and its new value.
        The previous change is the selected combination of alternatives, and ``change`` is the new one. A constant that
        only the previous change sets gets its original value.
        """
        for name in self._selected.constants.keys() | change.constants.keys():
            # A module that imports a constant has its own name for it.
            for place in (vars(module) for module in self._modules if name in vars(module)):
                yield place, name, change.constants.get(name, self._constants.setdefault(name, place[name]))

    def code_of(self, function: Function) -> CodeType:
        """Return the unchanged code of a function."""
        return self._right[function]

    def define(self, name: str, value: object) -> None:
        """Define a name in every module of the switch's copy of the model."""
        for module in self._modules:
            setattr(module, name, value)

    def _of_several(self, function: Function, names: tuple[str, ...]) -> CodeType | None:
        if (function, names) not in self._both:
            # The text that one change replaces may be gone after another, in one order only.
            codes = (self._one_after_another(function, order) for order in (names, names[::-1]))
            self._both[function, names] = next((code for code in codes if code is not None), None)
        return self._both[function, names]

    def _one_after_another(self, function: Function, names: Iterable[str]) -> CodeType | None:
        try:
            texts = changed_texts(*(part for name in names for part in self._parts[name]))
            file, name = Path(function[0]), function[1]
            return functions_of(file, texts[file])[0][name]
        except (MutantError, SyntaxError):
            return None


class Switched(Variant):
    """The model with some alternatives, which are permitted choices other than the model's.

    All models of one :class:`Switch` share its private copy of the model. Before each call, the switch replaces
    functions and constants of this copy, so that it has exactly the alternatives of the called model.
    """

    def __init__(self, switch: Switch, change: Change, choices: dict[str, dict[str, Any]], key: Any) -> None:
        """Store the switch, with its copy of the model for several variants, and the change of this variant.

        The change is new code of functions and new values of constants. The methods of this variant apply it to the
        copy before they use the copy. ``choices``: values of readings (interpretations of a text) by algorithm and
        name. ``key``: identifies the permitted choices, other than the model's, that the variant makes. Results for the
        variant are cached under this key.
        """
        self._switch, self._change, self._choices = switch, change, choices
        self._model, self._computation, self.key = switch.model, None, key
        self.texts = {}

    def continues(self, other: Variant) -> bool:
        """Return whether this model can process the states of the model ``other`` without conversion.

        Both models must share one :class:`Switch`, so that their states have the same classes. Their readings, the
        choices among interpretations of a text, must be equal.
        """
        return isinstance(other, Switched) and other._switch is self._switch and other._choices == self._choices

    def create(self, algorithm: str, profile: str, config: Config) -> Any:
        """Return a new controller, as ``firstflight.create``."""
        self._switch.select(self._change)
        return super().create(algorithm, profile, config)

    def advance(self, state: Any, event: Any) -> Any:
        """Process one event in place, as ``firstflight.advance``, and return the observables."""
        self._switch.select(self._change)
        return super().advance(state, event)

    def followed(self, observation: Any, state: Any, shows: dict[str, Any]) -> Any:
        """Return ``observation`` with cwnd and ssthresh of ``state``.

        The caller has set both values of ``state``, a controller, to the values that an implementation reports. In slow
        start and congestion avoidance the phase is derived from them again. ``shows``: values of further members, which
        replace the members of the observation.
        """
        self._switch.select(self._change)
        return super().followed(observation, state, shows)


def _change_of(parts: Sequence[Mutant]) -> Change | None:
    """Return the combined change of ``parts``, or ``None`` if a part changes more than functions and constants.

    ``parts``: the changes of the model (mutants) that make up one alternative, a permitted choice other than the
    model's. Return ``None`` also if two parts change the same function.
    """
    combined = Change({}, {})
    for change in map(change_of, parts):
        if change is None or change.codes.keys() & combined.codes.keys():
            return None
        combined.codes.update(change.codes)
        combined.constants.update(change.constants)
    return combined


def _named(module: ModuleType) -> dict[str, FunctionType]:
    """Return the functions and methods of a module by their qualified names."""
    own = [member for member in vars(module).values() if getattr(member, "__module__", None) == module.__name__]
    classes = [member for member in own if isinstance(member, type)]
    members = [member for owner in classes for member in vars(owner).values()]
    return {function.__qualname__: function for function in _functions([*own, *members])}


def _functions(members: Iterable[Any]) -> Iterator[FunctionType]:
    for member in members:
        inner = (
            getattr(member, "fget", None) or getattr(member, "__func__", None) or getattr(member, "__wrapped__", member)
        )
        if isinstance(inner, FunctionType):
            yield inner
