"""Parses vector files as JSON. Errors contain file, place and reason."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from firstflight_conformance.format.files import TEXT_MAX, read_regular
from firstflight_conformance.text import NAME_MAX, refusal, shown, texts


class VectorError(ValueError):
    """A vector file is invalid. The message contains file, place and reason."""

    def __init__(self, path: Path, place: str, reason: str) -> None:
        """Create the message from the file, the place in it and the reason."""
        self.path, self.place, self.reason = path, shown(place, NAME_MAX), shown(reason)
        super().__init__(f"{shown(str(path))}: {self.place}: {self.reason}")


def parse_file(path: Path) -> dict[str, Any]:
    """Return the JSON object of a vector file. Raise :class:`VectorError` if it is unreadable or not an object."""
    try:
        data = read_regular(path)
    except OSError as error:
        raise VectorError(path, "file", error.strerror or str(error)) from error

    def refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            raise VectorError(path, _first_twice([key for key, _ in pairs]), "duplicate key")
        return members

    def refuse_float(text: str) -> None:
        raise VectorError(path, "file", f"{text}: is not an integer")

    try:
        raw = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=refuse_duplicates, parse_float=refuse_float, parse_constant=refuse_float,
        )  # fmt: skip
    except VectorError:
        raise
    except UnicodeDecodeError as error:
        raise VectorError(path, f"byte {error.start}", "is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise VectorError(path, f"line {error.lineno}, column {error.colno}", error.msg) from error
    except ValueError as error:  # an integer with thousands of digits
        raise VectorError(path, "file", str(error)) from error
    except RecursionError as error:
        raise VectorError(path, "file", "nested too deeply") from error
    if not isinstance(raw, dict):
        raise VectorError(path, "file", "is not a JSON object")
    reason = None if _is_plain(data) else next(filter(None, (refusal(text, TEXT_MAX) for text in texts(raw))), None)
    if reason is not None:
        raise VectorError(path, "file", reason)
    return raw


def _first_twice(keys: Iterable[str]) -> str:
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            return key
        seen.add(key)
    raise ValueError("no duplicate key")


def _is_plain(data: bytes) -> bool:
    """Return whether all lines are short, printable and without escapes: then every text in the file is valid."""
    lines = data.decode("utf-8").split("\n")
    return b"\\" not in data and max(map(len, lines)) <= TEXT_MAX and all(map(str.isprintable, lines))
