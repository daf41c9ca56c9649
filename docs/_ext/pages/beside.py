"""Split plain programs at the lines that cite clauses: each clause with its Python and, if there is a header, its C."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from firstflight_conformance import port
from firstflight_conformance.format.clauses import Clause, citations
from firstflight_conformance.format.readings import Profile, ProfileTable, Reading, load_tables
from pages import site
from plain.judge import programs

_NAMED = re.compile(r"(?:readings? |and |, |with )`([a-z0-9_]+)`")


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of a file from ``first`` (counted from 1), and the clauses that the last cited line cites."""

    path: Path
    first: int
    lines: tuple[str, ...]
    clauses: tuple[str, ...]

    @property
    def last(self) -> int:
        """The number of the last line."""
        return self.first + len(self.lines) - 1


@dataclass(frozen=True, slots=True)
class Row:
    """Clauses that both programs implement in the same places, with the pieces; without clauses: the other lines."""

    clauses: tuple[str, ...]
    python: tuple[Piece, ...]
    c: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Otherwise:
    """A reading where another profile differs from the profile of the program."""

    profile: str
    reading: Reading
    here: str | int
    there: str | int


def python_path(name: str) -> Path:
    """Return the file of a program."""
    return Path(str(programs()[name].__file__))


def c_path(name: str) -> Path | None:
    """Return the C header that implements the same text, or None."""
    driver = port.drivers().get(name)
    return None if driver is None else driver.with_name(f"{name}.h")


def page(name: str) -> str:
    """Return the document with all lines of a program."""
    return f"{site.GENERATED}/plain/{name}"


def pages() -> dict[Path, str]:
    """Return a map from the files of all programs to their documents."""
    files = {name: (python_path(name), c_path(name)) for name in programs()}
    return {path: page(name) for name, paths in files.items() for path in paths if path is not None}


def rows(name: str) -> list[Row]:
    """Return the rows of a program: clauses in the order of Python, then clauses that only C cites, then the rest."""
    python, header = pieces(python_path(name)), c_path(name)
    c = pieces(header) if header else []
    rows_with_clauses = []
    for clauses in _together([*python, *c]):
        mine = [joined(p for p in side if set(p.clauses) & set(clauses)) for side in (python, c)]
        rows_with_clauses.append(Row(clauses, *mine))
    rest = [joined(p for p in side if not p.clauses) for side in (python, c)]
    return [*rows_with_clauses, Row((), *rest)]


def pieces(path: Path) -> list[Piece]:
    """Split a file after each line that cites clauses. Lines after the last citation of a function belong to it."""
    cited: dict[int, list[str]] = {}
    for citation in citations([path]):
        cited.setdefault(citation.line, []).append(citation.clause)
    return [piece for block in _blocks(path) for piece in _cut(block, cited)]


def _blocks(path: Path) -> Iterator[Piece]:
    """Yield functions and declarations. An unindented line after an empty line begins a block."""
    lines = path.read_text(encoding="utf-8").splitlines()
    quotes = [0, *accumulate(line.count('"""') for line in lines)]  # an empty line in a docstring does not end a block
    fresh = [n == 0 or (not lines[n - 1].strip() and quotes[n] % 2 == 0) for n in range(len(lines))]
    starts = [n for n, line in enumerate(lines) if line[:1].strip() and fresh[n]]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        block = lines[start:end]
        while not block[-1].strip():
            block.pop()
        yield Piece(path, start + 1, tuple(block), ())


def _cut(block: Piece, cited: dict[int, list[str]]) -> Iterator[Piece]:
    ends = [line for line in range(block.first, block.last + 1) if line in cited]
    if not ends:
        yield block
        return
    start = block.first
    for end, following in zip(ends, [*ends[1:], block.last + 1], strict=True):
        stop = block.last if end == ends[-1] else _end_of(block, end, following)
        lines = block.lines[start - block.first : stop - block.first + 1]
        yield Piece(block.path, start, lines, tuple(dict.fromkeys(cited[end])))
        start = stop + 1


def _end_of(block: Piece, cited: int, following: int) -> int:
    """Return the last line that belongs to a cited line, before the next citation: its block, or a return."""
    depth, last = _depth(block, cited), cited
    for line in range(cited + 1, following):
        text = block.lines[line - block.first].strip()
        if text not in ("", "}") and _depth(block, line) <= depth and not text.startswith("return"):
            break
        if text.startswith("return") and _depth(block, line) < depth:
            break
        last = line
    return last


def _depth(block: Piece, line: int) -> int:
    text = block.lines[line - block.first]
    return len(text) - len(text.lstrip())


def _together(all_pieces: list[Piece]) -> list[tuple[str, ...]]:
    """Return the clauses in order, with clauses cited by the same piece in one group."""
    groups: list[list[str]] = []
    for piece in all_pieces:
        if not piece.clauses:
            continue
        touched = [group for group in groups if set(group) & set(piece.clauses)]
        merged = list(dict.fromkeys([*(clause for group in touched for clause in group), *piece.clauses]))
        if touched:
            groups[groups.index(touched[0])] = merged
            groups = [group for group in groups if group not in touched[1:]]
        else:
            groups.append(merged)
    return [tuple(group) for group in groups]


def joined(pieces_in_order: Iterable[Piece]) -> tuple[Piece, ...]:
    """Return the pieces, with adjacent pieces joined."""
    out: list[Piece] = []
    for piece in pieces_in_order:
        if out and out[-1].last + 1 == piece.first:
            before = out.pop()
            out.append(Piece(piece.path, before.first, before.lines + piece.lines, before.clauses + piece.clauses))
        else:
            out.append(piece)
    return tuple(out)


def table(name: str) -> tuple[ProfileTable, Profile] | None:
    """Return the readings and profiles of a program's algorithm, and its own profile, or None without a profile."""
    if not hasattr(programs()[name], "PROFILE"):
        return None
    algorithm, _, profile = str(programs()[name].PROFILE).partition("/")
    profiles_table = load_tables()[algorithm]
    return profiles_table, next(
        candidate for candidate in profiles_table.profiles if candidate.name == profile.partition("+")[0]
    )


def otherwise(name: str) -> list[Otherwise]:
    """Return every reading where another profile of the algorithm differs, profile by profile."""
    table_and_profile = table(name)
    if table_and_profile is None:
        return []
    mine = table_and_profile[1].readings
    return [
        Otherwise(profile.name, reading, mine[reading.name], profile.readings[reading.name])
        for profile in table_and_profile[0].profiles
        for reading in table_and_profile[0].readings
        if profile.readings[reading.name] != mine[reading.name]
    ]


def readings_of(clause: Clause) -> set[str]:
    """Return the readings that decide a clause, and the readings that its text mentions."""
    return {*clause.readings, *_NAMED.findall(clause.text)}


def differing(row: Row, differences: list[Otherwise]) -> list[Otherwise]:
    """Return the differences that concern the clauses of a row."""
    named = {reading for clause in row.clauses for reading in readings_of(site.clauses()[clause])}
    return [difference for difference in differences if difference.reading.name in named]


def title(name: str) -> str:
    """Return the first line of a program's docstring."""
    return (programs()[name].__doc__ or name).splitlines()[0].rstrip(".")


def profile(name: str) -> str:
    """Return the profile that a program is judged by, or the algorithm of a program that only computes."""
    return str(getattr(programs()[name], "PROFILE", name.replace("_", "-")))


def of_algorithm(algorithm: str) -> list[str]:
    """Return the programs of an algorithm."""
    return [name for name in programs() if profile(name).partition("/")[0] == algorithm]
