"""The kinds of events and their members, as ``spec/schemas/event.schema.json`` defines them: the one source of every list of them.

``events_python``, ``events_c`` and ``events_text`` write the lists of the model, the port, the adapters, the loaders and the pages from it.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firstflight_conformance.paths import SPEC

SCHEMA = SPEC / "schemas" / "event.schema.json"


@dataclass(frozen=True, slots=True)
class Number:
    """What a number of an event may be. The bounds are names of ``limits.py`` and ``limits.h``; ``high`` is ``None`` for every 64-bit number."""

    low: int
    high: str | None
    nullable: bool = False


#: The numbers of the schema. Those of other bounds than 64 bits are checked by the model and by the port.
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
#: Lists of packets, which have their size and time, and of ranges of packets.
RUNS = ("sent_runs", "runs")
RANGES = "ranges"
BOOLEAN = "boolean"


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a kind of event. ``optional``: it may be absent. ``grouped``: it is there if others of its kind are, and only then."""

    name: str
    type: str
    about: str = ""
    optional: bool = False
    grouped: bool = False

    @property
    def number(self) -> Number | None:
        """The bounds of a number; ``None`` for what is none."""
        return NUMBERS.get(self.type)

    @property
    def may_be_none(self) -> bool:
        """Whether it is a number that may not be there: null, or absent."""
        return self.number is not None and (self.number.nullable or self.optional)

    @property
    def count(self) -> str:
        """What the number of entries of a list is called in C."""
        return "run_count" if self.type in RUNS else f"{self.name.removesuffix('s')}_count"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of event with its members in their order; every kind has ``t_ns`` before them."""

    name: str
    about: str
    members: tuple[Member, ...]

    @property
    def group(self) -> tuple[Member, ...]:
        """The members that stand together or not at all; a kind has one group at most."""
        return tuple(member for member in self.members if member.grouped)

    @property
    def camel(self) -> str:
        """The name of its class."""
        return "".join(part.capitalize() for part in self.name.split("_"))

    @property
    def upper(self) -> str:
        """The name as part of the name of a constant."""
        return self.name.upper()


def load_kinds(path: Path = SCHEMA) -> tuple[Kind, ...]:
    """Return the kinds of events in the order of the schema. Raise ``ValueError`` for a member of a type that no list can be written of."""
    schema = json.loads(path.read_text(encoding="utf-8"))
    names = [entry["$ref"].removeprefix("#/$defs/") for entry in schema["oneOf"]]
    return tuple(_kind(name, schema["$defs"][name]) for name in names)


def every_member(kinds: tuple[Kind, ...]) -> dict[str, tuple[Member, list[Kind]]]:
    """Return each member by name, with the kinds that have it."""
    found: dict[str, tuple[Member, list[Kind]]] = {}
    for kind in kinds:
        for member in kind.members:
            found.setdefault(member.name, (member, []))[1].append(kind)
    return found


def _kind(name: str, definition: dict[str, Any]) -> Kind:
    properties = {key: value for key, value in definition["properties"].items() if key not in ("ev", "t_ns")}
    required, grouped = definition["required"], definition.get("dependentRequired", {})
    members = (
        Member(key, _type(name, key, value), value.get("description", ""), key not in required, key in grouped)
        for key, value in properties.items()
    )
    return Kind(name, definition["description"], tuple(members))


def _type(kind: str, name: str, definition: dict[str, Any]) -> str:
    found: str = definition.get("type", definition.get("$ref", "").removeprefix("#/$defs/"))
    if found not in (*NUMBERS, *RUNS, RANGES, BOOLEAN):
        raise ValueError(
            f"{SCHEMA.name}: {kind}.{name}: no list can be written of {definition}; one of {', '.join(NUMBERS)}"
        )
    return found
