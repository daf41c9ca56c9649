"""The kinds of events and their members, from ``spec/schemas/event.schema.json``, the single source of their lists.

``events_python``, ``events_c`` and ``events_text`` write the lists of the model, port, adapters, loaders and pages.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firstflight_conformance.paths import SPEC

SCHEMA = SPEC / "schemas" / "event.schema.json"


@dataclass(frozen=True, slots=True)
class Number:
    """Domain of a number. Bounds are names in ``limits.py`` and ``limits.h``; ``high`` is ``None`` for 64 bits."""

    low: int
    high: str | None
    nullable: bool = False


#: The types of numbers in the schema. Model and port check bounds below 64 bits.
NUMBERS = {
    "natural": Number(0, None),
    "packet": Number(0, "PACKET_MAX"),
    "packet_end": Number(0, "PACKET_MAX + 1"),
    "window": Number(0, "WINDOW_MAX_BYTES"),
    "duration": Number(0, "TIME_MAX_NS"),
    "past": Number(1, "t_ns"),
    "rtt": Number(0, "TIME_MAX_NS", nullable=True),
    "deadline": Number(0, "TIME_MAX_NS", nullable=True),
    "jump": Number(1, "WINDOW_MAX_BYTES", nullable=True),
    "part": Number(1, None),
    "size": Number(1, "DATAGRAM_MAX_BYTES"),
}
#: Types of lists: packets with size and time, and ranges of packets.
RUNS = ("sent_runs", "runs")
RANGES = "ranges"
BOOLEAN = "boolean"


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a kind of event. ``optional``: may be absent. ``grouped``: present only together with its group."""

    name: str
    type: str
    about: str = ""
    optional: bool = False
    grouped: bool = False

    @property
    def number(self) -> Number | None:
        """The domain of a number, or ``None`` for a member of another type."""
        return NUMBERS.get(self.type)

    @property
    def may_be_none(self) -> bool:
        """Whether it is a number that may be null or absent."""
        return self.number is not None and (self.number.nullable or self.optional)

    @property
    def count(self) -> str:
        """The name of a list's length in C."""
        return "run_count" if self.type in RUNS else f"{self.name.removesuffix('s')}_count"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of event with its members in order, without ``t_ns``, which comes first in every kind."""

    name: str
    about: str
    members: tuple[Member, ...]

    @property
    def group(self) -> tuple[Member, ...]:
        """The members that are present all together or not at all; a kind has at most one group."""
        return tuple(member for member in self.members if member.grouped)

    @property
    def camel(self) -> str:
        """The name of its Python class."""
        return "".join(part.capitalize() for part in self.name.split("_"))

    @property
    def upper(self) -> str:
        """The name as part of the name of a constant."""
        return self.name.upper()


def load_kinds(path: Path = SCHEMA) -> tuple[Kind, ...]:
    """Return the kinds of events in the order of the schema. Raise ``ValueError`` for a member of an unknown type."""
    schema = json.loads(path.read_text(encoding="utf-8"))
    names = [entry["$ref"].removeprefix("#/$defs/") for entry in schema["oneOf"]]
    return tuple(_kind(name, schema["$defs"][name]) for name in names)


def every_member(kinds: tuple[Kind, ...]) -> dict[str, tuple[Member, list[Kind]]]:
    """Return each member by name, with the kinds that have it."""
    members: dict[str, tuple[Member, list[Kind]]] = {}
    for kind in kinds:
        for member in kind.members:
            members.setdefault(member.name, (member, []))[1].append(kind)
    return members


def _kind(name: str, definition: dict[str, Any]) -> Kind:
    properties = {key: value for key, value in definition["properties"].items() if key not in ("ev", "t_ns")}
    required, grouped = definition["required"], definition.get("dependentRequired", {})
    members = (
        Member(key, _type(name, key, value), value.get("description", ""), key not in required, key in grouped)
        for key, value in properties.items()
    )
    return Kind(name, definition["description"], tuple(members))


def _type(kind: str, name: str, definition: dict[str, Any]) -> str:
    member_type: str = definition.get("type", definition.get("$ref", "").removeprefix("#/$defs/"))
    if member_type not in (*NUMBERS, *RUNS, RANGES, BOOLEAN):
        raise ValueError(
            f"{SCHEMA.name}: {kind}.{name}: no list can be written of {definition}; one of {', '.join(NUMBERS)}"
        )
    return member_type
