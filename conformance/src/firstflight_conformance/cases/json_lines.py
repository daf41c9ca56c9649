"""JSON objects decoded lazily: the runner sends the raw lines and needs none of their numbers."""

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, overload

_TO_JSON = json.JSONEncoder(separators=(",", ":")).encode


class JsonLines(Sequence[dict[str, Any]]):
    """A sequence of objects, given as lines of JSON without spaces."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        """Take the lines."""
        self.lines = lines

    @cached_property
    def _objects(self) -> list[dict[str, Any]]:
        objects: list[dict[str, Any]] = json.loads(b"[" + b",".join(self.lines) + b"]")
        return objects

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | Sequence[dict[str, Any]]:
        """Return one object, or several."""
        return self._objects[index]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Go over the objects; what a sequence has of itself asks for one after another."""
        return iter(self._objects)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.lines)

    def __eq__(self, other: object) -> bool:
        """Return whether another sequence has the same objects."""
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


def lines_of(objects: Sequence[dict[str, Any]]) -> Sequence[bytes]:
    """Return each object as a line of JSON without spaces."""
    return objects.lines if isinstance(objects, JsonLines) else [_TO_JSON(item).encode() for item in objects]


def text_of(objects: Sequence[dict[str, Any]]) -> bytes:
    """Return all lines as one text, for :func:`of_text`."""
    return b"\n".join(lines_of(objects))


def of_text(text: bytes) -> JsonLines:
    """Undo :func:`text_of`, of at least one object."""
    return JsonLines(text.split(b"\n"))
