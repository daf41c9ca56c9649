"""The file of a sweep. Each row is written as soon as it is computed, so a killed sweep can be resumed."""

import csv
import fcntl
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from firstflight_conformance.format.files import write_whole

Row = dict[str, Any]
#: Last column: version and digest of the code that computed the row.
CODE = "code"
#: Columns of texts, and of truth values; all others are integers.
TEXTS = frozenset({"algorithm", "scenario", "ended_by", "error", CODE})
FLAGS = frozenset({"comparable"})


class StoreError(ValueError):
    """The file cannot be used for the sweep."""


class Store:
    """Rows as CSV or JSON Lines, by suffix. ``keys``: columns that identify a row. ``code``: identity of the code."""

    def __init__(self, path: Path, keys: Sequence[str], columns: Sequence[str], code: str) -> None:
        """Set the file name and the columns; write nothing to the file.

        ``keys``: names of the columns that identify a row. ``columns``: names of the other columns. ``code``: version
        and digest of the program that computes the rows, stored in an additional last column. Raise :class:`StoreError`
        unless the suffix of the file is ``.csv`` or ``.jsonl``.
        """
        if path.suffix not in (".csv", ".jsonl"):
            raise StoreError(f"{path}: expected the suffix .csv or .jsonl")
        self._path, self._keys, self._columns = path, tuple(keys), (*keys, *columns, CODE)
        self._is_csv, self._code = path.suffix == ".csv", code

    @contextmanager
    def open(self) -> Iterator[TextIO]:
        """Open and lock the file to append rows. Raise :class:`StoreError` if another sweep has the lock."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if self._path.exists() and not self._path.is_file():
            raise StoreError(f"{self._path}: not a regular file")
        while True:
            with self._path.open("a+", encoding="utf-8", newline="") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError as error:
                    raise StoreError(f"{self._path}: another sweep is writing this file") from error
                if self._path.exists() and self._path.samefile(f"/proc/self/fd/{file.fileno()}"):
                    yield file
                    return

    def resume(self, file: TextIO, known: Iterable[Row]) -> set[tuple[str, ...]]:
        """Return the keys of the rows in the file; cut an incomplete last row, and write the heading of an empty file.

        ``known``: all cells of the sweep. Raise :class:`StoreError` if the file has other columns, a row that belongs
        to no cell, or a row computed by other code.
        """
        head = self._head()
        text = self._read()
        text = text[: text.rfind("\n") + 1] or head
        if not text.startswith(head):
            raise StoreError(f"{self._path}: has other columns; it belongs to another sweep or version")
        rows = self._rows(text)
        known_keys, stored_keys = {self.key(row) for row in known}, {self.key(row) for row in rows}
        if not stored_keys <= known_keys:
            raise StoreError(
                f"{self._path}: has a row that is not in the grid: {', '.join(min(stored_keys - known_keys))}"
            )
        other_codes = sorted({str(row[CODE]) for row in rows} - {self._code})
        if other_codes:
            problem = f"{self._path}: has rows of other code, {', '.join(other_codes)}; this is {self._code}"
            raise StoreError(f"{problem}. Use a new file, or resume with the code that computed them")
        if rows:
            file.truncate(len(text.encode()))
        else:
            file.truncate(0)
            file.write(text)
            file.flush()
        return stored_keys

    def key(self, row: Row) -> tuple[str, ...]:
        """Return the key of a row, equal for computed and read rows."""
        return tuple(str(row[name]) for name in self._keys)

    def add(self, file: TextIO, row: Row) -> None:
        """Append a row and flush it. Raise :class:`StoreError` if it cannot be written."""
        try:
            file.write(self._line(row | {CODE: self._code}))
            file.flush()
        except OSError as error:
            raise StoreError(f"{self._path}: {error.strerror}") from error

    def sort(self, cells: Iterable[Row]) -> list[Row]:
        """Write the rows in the order of the cells, as in an uninterrupted sweep; return them."""
        rows = {self.key(row): row for row in self._rows(self._read())}
        ordered = [rows[self.key(cell)] for cell in cells]
        write_whole(self._path, self._head() + "".join(map(self._line, ordered)))
        return ordered

    def _head(self) -> str:
        return self._line(dict(zip(self._columns, self._columns, strict=True))) if self._is_csv else ""

    def _read(self) -> str:
        try:
            return self._path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise StoreError(f"{self._path}: not a file of a sweep: not UTF-8: {error}") from error

    def _line(self, row: Row) -> str:
        if not self._is_csv:
            return json.dumps({name: row[name] for name in self._columns}) + "\n"
        line = io.StringIO()
        csv.DictWriter(line, self._columns, lineterminator="\n").writerow({n: _cell(row[n]) for n in self._columns})
        return line.getvalue()

    def _rows(self, text: str) -> list[Row]:
        try:
            rows = [_typed(row) for row in csv.DictReader(io.StringIO(text))] if self._is_csv else self._objects(text)
        except (TypeError, ValueError, csv.Error, RecursionError) as error:
            raise StoreError(f"{self._path}: {error}") from error
        for number, row in enumerate(rows, 2 if self._is_csv else 1):
            if not isinstance(row, dict) or tuple(row) != self._columns:
                raise StoreError(f"{self._path}, line {number}: has other columns, of another sweep or version")
        return rows

    @staticmethod
    def _objects(text: str) -> list[Row]:
        return [json.loads(line) for line in text.split("\n")[:-1]]


def _typed(row: dict[str, str]) -> Row:
    """Return the typed values of a CSV row; an empty cell is ``None``."""
    return {name: _value(name, text) if text else None for name, text in row.items()}


def _value(name: str, text: str) -> Any:
    if name in TEXTS:
        return text
    return text == "True" if name in FLAGS else int(text)


def _cell(value: Any) -> Any:
    """Return a value for a CSV file, with texts on one line; csv writes ``None`` as an empty cell."""
    return value.replace("\n", " ") if isinstance(value, str) else value
