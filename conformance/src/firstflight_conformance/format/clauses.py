"""Reads clauses from the pages of ``spec/``, and finds their citations in the references."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

from firstflight_conformance.paths import REFERENCE_PY, SPEC, of_algorithms

#: Pages of an algorithm in addition to its rules.
_PARTS = ("errata", "open-points", "dialects", "edge-cases")
_DIRECTIVE = re.compile(
    r"^:::\{clause\} (?P<id>\S+)\n(?P<options>(?::[a-z-]+: [^\n]*\n)*)(?P<text>.*?)^:::$", re.S | re.M
)
_OPTION = re.compile(r"^:(?P<key>[a-z-]+): (?P<value>.*)$", re.M)
_OURS = re.compile(r"\bours\b")
#: A condition of a field ``:when:``: ``reading = value, value`` or ``reading != value``.
_CONDITION = re.compile(r"(?P<reading>[a-z0-9_]+) (?P<sign>!?=) (?P<values>[a-z0-9_]+(?:, [a-z0-9_]+)*)")
_COMMENT = re.compile(r"(?:#|/\*) .*$")
#: Verdict of a second reader on a point that a text leaves open, with reason and section.
SECOND_READING = re.compile(r"(?:agrees|doubts): .+ \(.+\)")
_CITATION = re.compile(r"\[(?P<id>[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)+)\]")
#: Levels of a clause: keywords of RFC 2119, ``domain`` for a limit of the models' domain, or ``-`` without a keyword.
LEVELS = ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "RECOMMENDED", "MAY", "domain", "-")
#: Levels of a clause of this project, which is not binding for implementations.
LEVELS_OF_OURS = ("domain", "-")
#: Fields of a clause. The first two are required.
FIELDS = (
    "level",
    "source",
    "author",
    "newer-level",
    "readings",
    "when",
    "unobservable",
    "no-alternative",
    "exempt-python",
    "exempt-c",
    "exempt-vector",
)


class Author(Enum):
    """Origin of a rule: a text (or code in its place), or this project if the texts are silent."""

    TEXT = "text"
    OURS = "ours"


@dataclass(frozen=True, slots=True)
class Condition:
    """The values of a reading that a clause requires. With ``negated``: the values that exclude the clause."""

    reading: str
    values: tuple[str, ...]
    negated: bool

    def __str__(self) -> str:
        return f"{self.reading} {'!=' if self.negated else '='} {', '.join(self.values)}"


@dataclass(frozen=True, slots=True)
class Clause:
    """One rule of a specification page. Its author is either a text or this project, never both.

    ``newer_level``: the level in a newer copy of the text, if it differs. The clause is judged by ``level``.
    ``readings``: readings that decide whether or how the rule applies. ``when``: conditions of the rule; all must be
    met. ``unobservable``: why no observable shows a violation. ``no_alternative``: why nothing else conforms although
    no text states the rule. ``exempt``: why ``python``, ``c`` or ``vector`` lacks the rule.
    """

    id: str
    level: str
    source: str
    text: str
    page: str
    exempt: dict[str, str]
    author: Author = Author.TEXT
    readings: tuple[str, ...] = ()
    unobservable: str = ""
    no_alternative: str = ""
    newer_level: str = ""
    when: tuple[Condition, ...] = ()

    def holds(self, readings: Mapping[str, str | int]) -> bool:
        """Return whether the clause applies to a profile with these readings."""
        return all(
            (str(readings[condition.reading]) in condition.values) is not condition.negated
            for condition in self.when
            if condition.reading in readings
        )

    @property
    def ours(self) -> bool:
        """Whether the rule is a choice of this project."""
        return self.author is Author.OURS


@dataclass(frozen=True, slots=True)
class Citation:
    """A citation of a clause in a comment: the id of the clause, the file, and the line number, counted from 1."""

    clause: str
    path: Path
    line: int


def pages() -> list[Path]:
    """Return the pages of ``spec/``, sorted by name. Raise :class:`FileNotFoundError` if no algorithm has a page."""
    common = [path for path in SPEC.glob("*.md") if path.stem != "README"]
    page_paths = [*common, *of_algorithms("rules.md", SPEC)]
    page_paths += [path for path in SPEC.glob("*/*.md") if path.stem in _PARTS]
    return sorted(page_paths, key=lambda path: f"{page_name(path)}.md")


def page_name(path: Path) -> str:
    """Return the name of a specification page on the site.

    ``spec/NAME/rules.md`` gives ``NAME``. ``spec/NAME/PART.md`` gives ``NAME-PART``; parts are errata, open-points,
    dialects and edge-cases. Any other file, such as ``spec/PAGE.md``, gives its name without the suffix.
    """
    if path.stem == "rules":
        return path.parent.name
    return f"{path.parent.name}-{path.stem}" if path.stem in _PARTS else path.stem


def parse_page(path: Path) -> list[Clause]:
    """Return the clauses of a page, in order. Raise ``ValueError`` with file, line and clause for an invalid field."""
    content = path.read_text(encoding="utf-8")
    clauses = []
    for match in _DIRECTIVE.finditer(content):
        options = {m["key"]: m["value"].strip('"') for m in _OPTION.finditer(match["options"])}
        try:
            clauses.append(_clause(match["id"], options, match["text"].strip(), page_name(path)))
        except ValueError as error:
            line = content.count("\n", 0, match.start()) + 1
            raise ValueError(f"{path}:{line}: clause {match['id']}: {error}") from error
    return clauses


def _clause(clause_id: str, options: dict[str, str], text: str, page: str) -> Clause:
    _check(options)
    exempt = {key.removeprefix("exempt-"): value for key, value in options.items() if key.startswith("exempt-")}
    readings = tuple(name.strip() for name in options["readings"].split(",")) if "readings" in options else ()
    return Clause(
        clause_id,
        options["level"],
        options["source"],
        text,
        page,
        exempt,
        Author(options.get("author", "text")),
        readings,
        options.get("unobservable", ""),
        options.get("no-alternative", ""),
        options.get("newer-level", ""),
        _conditions(options["when"], readings) if "when" in options else (),
    )


def _conditions(text: str, readings: tuple[str, ...]) -> tuple[Condition, ...]:
    """Return the conditions of a field ``:when:``.

    Raise ``ValueError`` for another form, or for a reading that is not in ``:readings:``.
    """
    conditions = []
    for part in text.split("; "):
        match = _CONDITION.fullmatch(part)
        if match is None:
            raise ValueError(
                f":when: is {text}; expected `reading = value, value` or `reading != value`, separated by `; `"
            )
        if match["reading"] not in readings:
            raise ValueError(f":when: uses {match['reading']}, which is not in :readings:")
        conditions.append(Condition(match["reading"], tuple(match["values"].split(", ")), match["sign"] == "!="))
    return tuple(conditions)


def _check(options: dict[str, str]) -> None:
    """Raise ``ValueError`` if a field is unknown, missing, or contradicts another one."""
    if unknown := sorted(options.keys() - set(FIELDS)):
        raise ValueError(f"unknown field :{unknown[0]}:, must be one of {', '.join(FIELDS)}")
    if missing := [name for name in FIELDS[:2] if not options.get(name)]:
        raise ValueError(f":{missing[0]}: must be a non-empty string")
    authors = [author.value for author in Author]
    author, level = options.get("author", "text"), options["level"]
    if author not in authors:
        raise ValueError(f":author: is {author}, must be one of {', '.join(authors)}")
    newer = options.get("newer-level")
    if newer is not None and (newer not in LEVELS or newer == level or author == "ours"):
        raise ValueError(f":newer-level: is {newer}, must be another level than {level}, in a clause of a text")
    allowed = LEVELS_OF_OURS if author == "ours" else LEVELS
    if level not in allowed:
        raise ValueError(f":level: is {level}, must be one of {', '.join(allowed)} where :author: is {author}")
    begins = _OURS.match(options["source"]) is not None
    if begins != (author == "ours") or (author == "text" and _OURS.search(options["source"])):
        raise ValueError(
            f":author: is {author}, and :source: is {options['source']}; "
            "the source must begin with `ours` exactly where the author is ours; split a clause that is both"
        )
    for name in ("unobservable", "no-alternative"):
        if name in options and author != "ours":
            raise ValueError(f":{name}: is not allowed where :author: is {author}")


def all_clauses() -> dict[str, Clause]:
    """Return every clause of ``spec/`` by id. Raise ``ValueError`` for a duplicate id."""
    clauses: dict[str, Clause] = {}
    for path in pages():
        for clause in parse_page(path):
            if clause.id in clauses:
                raise ValueError(f"{path}: clause {clause.id} is already on page {clauses[clause.id].page}")
            clauses[clause.id] = clause
    return clauses


@cache
def known_clauses() -> dict[str, Clause]:
    """Return every clause by id, cached, for looking up rules."""
    return all_clauses()


def citations(paths: list[Path]) -> list[Citation]:
    """Return the lines of files that cite a clause: its id in brackets, in a comment."""
    return [citation for path in paths for citation in cited_in(path, path.read_text(encoding="utf-8"))]


def cited_in(path: Path, text: str) -> list[Citation]:
    """Return the citations in a text, which may differ from the content of its file."""
    return [
        Citation(match["id"], path, number)
        for number, line in enumerate(text.splitlines(), 1)
        if (comment := _COMMENT.search(line))
        for match in _CITATION.finditer(comment[0])
    ]


def python_citations() -> list[Citation]:
    """Return the lines of the Python model that cite a clause in a comment.

    Files ``plain*.py`` are skipped: they contain separate programs for single profiles.
    """
    return citations(sorted(path for path in REFERENCE_PY.rglob("*.py") if not path.stem.startswith("plain")))
