"""Values: dataclasses whose fields nobody changes once they are made."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True)
def value(cls: type[_T]) -> type[_T]:
    """Make a class a dataclass with slots, which the type checker holds to be frozen.

    At run time it is not: a frozen object takes four times as long to make, and a simulated transfer makes millions of them.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)


def copied(state: _T) -> _T:
    """Return a copy of an object of a dataclass with slots. Each step of a controller makes some; ``replace`` takes five times as long."""
    of: Any = type(state)
    copy: _T = of(*_members(of)(state))
    return copy


@cache
def _members(of: type) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that returns the values of the slots."""
    names: Any = vars(of)["__slots__"]
    return attrgetter(*names) if len(names) > 1 else lambda state: tuple(getattr(state, name) for name in names)
