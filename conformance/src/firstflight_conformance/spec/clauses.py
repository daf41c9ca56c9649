"""Clauses: read from the pages of ``spec/``, and found again where the references cite them."""

import re
from dataclasses import dataclass
from pathlib import Path

from firstflight_conformance.paths import REFERENCE_C, REFERENCE_PY, SPEC

_DIRECTIVE = re.compile(
    r"^:::\{clause\} (?P<id>\S+)\n(?P<options>(?::[a-z-]+: [^\n]*\n)*)(?P<text>.*?)^:::$", re.S | re.M
)
_OPTION = re.compile(r"^:(?P<key>[a-z-]+): (?P<value>.*)$", re.M)
_OURS = re.compile(r"\bours\b")
_COMMENT = re.compile(r"(?:#|/\*) .*$")
_CITATION = re.compile(r"\[(?P<id>[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)+)\]")


@dataclass(frozen=True, slots=True)
class Clause:
    """One rule of a specification page. ``exempt`` says for ``python``, ``c`` or ``vector`` why there is none."""

    id: str
    level: str
    source: str
    text: str
    page: str
    exempt: dict[str, str]

    @property
    def ours(self) -> bool:
        """Whether the rule, or a part of it, is a choice of ours: its source says so."""
        return _OURS.search(self.source) is not None


@dataclass(frozen=True, slots=True)
class Citation:
    """A line of a reference that names a clause."""

    clause: str
    path: Path
    line: int


def parse_page(path: Path) -> list[Clause]:
    """Return the clauses of one page, in order."""
    clauses = []
    for match in _DIRECTIVE.finditer(path.read_text(encoding="utf-8")):
        options = {m["key"]: m["value"].strip('"') for m in _OPTION.finditer(match["options"])}
        exempt = {key.removeprefix("exempt-"): value for key, value in options.items() if key.startswith("exempt-")}
        clauses.append(
            Clause(match["id"], options["level"], options["source"], match["text"].strip(), path.stem, exempt)
        )
    return clauses


def all_clauses() -> dict[str, Clause]:
    """Return every clause of ``spec/`` by id. Raise ``ValueError`` if an id is there twice."""
    found: dict[str, Clause] = {}
    for path in sorted(SPEC.glob("*.md")):
        for clause in parse_page(path):
            if clause.id in found:
                raise ValueError(f"{path}: clause {clause.id} is already on page {found[clause.id].page}")
            found[clause.id] = clause
    return found


def citations(paths: list[Path]) -> list[Citation]:
    """Return the lines of the given files that name a clause in brackets in a comment."""
    return [
        Citation(match["id"], path, number)
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (comment := _COMMENT.search(line))
        for match in _CITATION.finditer(comment[0])
    ]


def python_citations() -> list[Citation]:
    """Return the citations of the Python model, the plain programs not among them."""
    return citations(sorted(path for path in REFERENCE_PY.rglob("*.py") if path.parent != REFERENCE_PY / "plain"))


def plain_citations() -> list[Citation]:
    """Return the citations of the plain programs and of their twins, the plain headers of C."""
    return citations(sorted((REFERENCE_PY / "plain").glob("*.py")) + sorted((REFERENCE_C / "plain").glob("*.h")))


def c_citations() -> list[Citation]:
    """Return the citations of the C port."""
    return citations(sorted((REFERENCE_C / "src").rglob("*.c")))
