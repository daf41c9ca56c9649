"""The file of a sweep: a row is written as soon as it is computed, so that a sweep that was killed goes on where it was."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO

from firstflight_conformance.cases.files import write_whole

Row = dict[str, Any]
#: Columns that hold texts, and truth values; all others hold integers.
TEXTS = frozenset({"algorithm", "scenario", "ended_by", "error"})
FLAGS = frozenset({"comparable"})


class StoreError(ValueError):
    """The file cannot be gone on with."""


class Store:
    """Rows as CSV or as JSON Lines, by the suffix of the file. ``keys``: the columns that name a row."""

    def __init__(self, path: Path, keys: Sequence[str], columns: Sequence[str]) -> None:
        """Name the file and its columns; nothing is written yet."""
        if path.suffix not in (".csv", ".jsonl"):
            raise StoreError(f"{path}: needs the suffix .csv or .jsonl")
        self._path, self._keys, self._columns = path, tuple(keys), (*keys, *columns)
        self._is_csv = path.suffix == ".csv"

    def resume(self, known: Iterable[Row]) -> set[tuple[str, ...]]:
        """Return the keys of the rows that are there. What a kill has left of a row is cut off. Raise :class:`StoreError` for other rows."""
        head = self._line(dict(zip(self._columns, self._columns, strict=True))) if self._is_csv else ""
        if not self._path.exists():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(head, encoding="utf-8")
            return set()
        text = self._path.read_text(encoding="utf-8")
        text = text[: text.rfind("\n") + 1] or head
        if not text.startswith(head):
            raise StoreError(f"{self._path}: has other columns; it is of another sweep")
        wanted, found = {self.key(row) for row in known}, {self.key(row) for row in self._rows(text)}
        if not found <= wanted:
            raise StoreError(f"{self._path}: has a row that is not in the grid: {', '.join(min(found - wanted))}")
        write_whole(self._path, text)
        return found

    def key(self, row: Row) -> tuple[str, ...]:
        """Return what names a row, the same for one that was read."""
        return tuple(str(row[name]) for name in self._keys)

    def open(self) -> TextIO:
        """Open the file to add rows."""
        return self._path.open("a", encoding="utf-8", newline="")

    def add(self, file: TextIO, row: Row) -> None:
        """Add a row; it outlives the process from now on."""
        file.write(self._line(row))
        file.flush()

    def sort(self, cells: Iterable[Row]) -> list[Row]:
        """Put the rows into the order of the cells, so that no kill can be seen; return them."""
        text = self._path.read_text(encoding="utf-8")
        rows = {self.key(row): row for row in self._rows(text)}
        ordered = [rows[self.key(cell)] for cell in cells]
        head = self._line(dict(zip(self._columns, self._columns, strict=True))) if self._is_csv else ""
        write_whole(self._path, head + "".join(map(self._line, ordered)))
        return ordered

    def _line(self, row: Row) -> str:
        if not self._is_csv:
            return json.dumps({name: row[name] for name in self._columns}) + "\n"
        line = io.StringIO()
        csv.DictWriter(line, self._columns, lineterminator="\n").writerow({n: _cell(row[n]) for n in self._columns})
        return line.getvalue()

    def _rows(self, text: str) -> list[Row]:
        try:
            if self._is_csv:
                return [_typed(row) for row in csv.DictReader(io.StringIO(text))]
            return [json.loads(line) for line in text.splitlines()]
        except (TypeError, ValueError) as error:
            raise StoreError(f"{self._path}: {error}") from error


def _typed(row: dict[str, str]) -> Row:
    """Return a row as it was before it was written: an empty cell is ``None``."""
    return {name: _value(name, text) if text else None for name, text in row.items()}


def _value(name: str, text: str) -> Any:
    if name in TEXTS:
        return text
    return text == "True" if name in FLAGS else int(text)


def _cell(value: Any) -> Any:
    """Return a value of a CSV file: nothing for ``None``, one line for a text."""
    return value.replace("\n", " ") if isinstance(value, str) else value
