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


def transcript(changes: Sequence[Mapping[str, Any]], events: int, style: Style | None) -> list[bytes]:
    """Return the answers to the events of a case, given by its expected ``changes``; none if the adapter answers something else.

    The changes are in their JSON form. An answer that has other members than the first change is not expected.
    """
    if style is None or not _fits(style, changes[0]):
        return []
    form, places = _form(style)
    values: list[Any] = [None] * len(places)
    lines: list[bytes] = []
    ends = [change["at"] for change in changes[1:]] + [events]
    for change, end in zip(changes, ends, strict=True):
        for name, value in change.items():
            if name in places:
                values[places[name]] = _text(value)
            elif name == "state" and "state" in style.members:
                for key, number in value.items():
                    if ("state", key) not in places:
                        return []
                    values[places["state", key]] = _text(number)
        for index in range(change["at"], end):
            values[places["i"]] = index
            lines.append((form % tuple(values)).encode())
    return lines


def _fits(style: Style, first: Mapping[str, Any]) -> bool:
    """Return whether an answer has only members that the first expected entry has, and its whole state if any."""
    members = set(style.members)
    if not {"op", "i"} <= members <= {"op", "i", *first} - {"at", "allowed"}:
        return False
    return "state" not in members or {*style.state} == {*first["state"]}


@lru_cache(1 << 8)
def _form(style: Style) -> tuple[str, dict[Any, int]]:
    """Return an answer with gaps for its values, and which gap is that of a member, or of ``("state", name)``."""
    members: list[str] = []
    gaps: list[Any] = []
    for name in style.members:
        value = "%s"
        if name == "op":
            value = '"observed"'
        elif name == "state":
            numbers = [f'"{key.replace("%", "%%")}"{style.colon}%s' for key in style.state]
            value = f"{{{style.comma.join(numbers)}}}"
            gaps += [("state", key) for key in style.state]
        else:
            gaps.append(name)
        members.append(f'"{name}"{style.colon}{value}')
    return f"{{{style.comma.join(members)}}}", {gap: place for place, gap in enumerate(gaps)}


def _text(value: Any) -> Any:
    """Return a number, which is written as it is, or a name or nothing as JSON."""
    return value if type(value) is int else _name(value)


@lru_cache(1 << 12)
def _name(value: str | None) -> str:
    return json.dumps(value)
