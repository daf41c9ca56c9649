"""What an adapter has to answer to a case, as the very lines, so that what is right need not be read.

JSON leaves the order of members and the spaces to who writes it. The first answer to a case shows how an adapter writes; the lines that
are expected are written in the same way. A line that equals the expected one is right; only a line that differs is read and compared.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_SEPARATORS = ((",", ":"), (", ", ": "))


@dataclass(frozen=True, slots=True)
class Style:
    """How an adapter writes the answer to an event: its members in their order, those of ``state``, and the separators."""

    members: tuple[str, ...]
    state: tuple[str, ...]
    comma: str
    colon: str


def style_of(line: bytes, answer: Mapping[str, Any]) -> Style | None:
    """Return how an answer to an event is written, ``None`` if it is in no way that is known here."""
    for comma, colon in _SEPARATORS:
        if json.dumps(answer, separators=(comma, colon)).encode() == line:
            state = answer.get("state")
            return Style(tuple(answer), tuple(state) if isinstance(state, dict) else (), comma, colon)
    return None


def transcript(changes: Sequence[Mapping[str, Any]], events: int, style: Style) -> list[bytes]:
    """Return the answers to the events of a case, given by its expected ``changes``; none if the adapter answers something else.

    The changes are in their JSON form. An answer that has other members than the first change is not expected.
    """
    if not _fits(style, changes[0]):
        return []
    place = style.members.index("i")
    before, after = style.members[:place], style.members[place + 1 :]
    written = {"op": f'"op"{style.colon}"observed"'}
    state: dict[str, str] = {}
    lines: list[bytes] = []
    ends = [change["at"] for change in changes[1:]] + [events]
    for change, end in zip(changes, ends, strict=True):
        for name, value in change.items():
            if name == "state":
                for key, number in value.items():
                    state[key] = f'"{key}"{style.colon}{_text(number)}'
                inner = style.comma.join([state[key] for key in style.state])
                written["state"] = f'"state"{style.colon}{{{inner}}}'
            elif name not in ("at", "allowed"):
                written[name] = f'"{name}"{style.colon}{_text(value)}'
        head = "{" + "".join([written[name] + style.comma for name in before]) + f'"i"{style.colon}'
        tail = style.comma.join(["", *[written[name] for name in after]]) + "}"
        lines += [f"{head}{index}{tail}".encode() for index in range(change["at"], end)]
    return lines if not style.state or {*style.state} == {*state} else []


def _fits(style: Style, first: Mapping[str, Any]) -> bool:
    """Return whether an answer has only members that the first expected entry has, and its whole state if any."""
    members = set(style.members)
    if not {"op", "i"} <= members <= {"op", "i", *first}:
        return False
    return "state" not in members or {*style.state} == {*first["state"]}


def _text(value: Any) -> str:
    """Return a number, a name or nothing as JSON."""
    return str(value) if type(value) is int else _name(value)


@lru_cache(1 << 12)
def _name(value: str | None) -> str:
    return json.dumps(value)
