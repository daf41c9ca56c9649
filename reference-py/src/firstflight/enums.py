"""Enumerations whose members are found and hashed quickly, in every version of Python."""

import enum


class Enum(enum.Enum):
    """Python 3.11 finds a member by a property, five times slower than an attribute, as which 3.12 keeps it: so does this class.

    Members are equal only to themselves, and are hashed so, not by their names, which takes a call.
    """

    __hash__ = object.__hash__

    def __init_subclass__(cls) -> None:
        """Keep the members of a new enumeration as attributes."""
        super().__init_subclass__()
        for name, member in cls.__members__.items():
            type.__setattr__(cls, name, member)
