"""Sources of the pages, loaded once for a build, and their places on the site."""

from collections import defaultdict
from functools import cache
from pathlib import Path

from adequacy.citations import c_citations, plain_citations
from firstflight_conformance.format import computations as computed
from firstflight_conformance.format.clauses import Citation, Clause, all_clauses, python_citations
from firstflight_conformance.format.computations import Computation
from firstflight_conformance.format.vectors import Vector, load_all
from firstflight_conformance.paths import ROOT

#: Folder of generated pages, below the folder of the documentation.
GENERATED = "_generated"


def anchor(prefix: str, name: str) -> str:
    """Return an anchor: the prefix and the name, with hyphens for everything but letters and digits."""
    return prefix + "-" + "".join(c if c.isalnum() else "-" for c in name.lower())


@cache
def clauses() -> dict[str, Clause]:
    """Return every clause of the specification by id."""
    return all_clauses()


@cache
def vectors() -> list[Vector]:
    """Return every vector in the order of the ids."""
    return load_all()


@cache
def vectors_by_id() -> dict[str, Vector]:
    """Return every vector by its id."""
    return {vector.id: vector for vector in vectors()}


@cache
def computations() -> list[Computation]:
    """Return every computation in the order of the ids."""
    return computed.load_all()


def group_of(vector_id: str) -> str:
    """Return the group of a vector: its algorithm and topic."""
    return ".".join(vector_id.split(".")[:2])


@cache
def groups() -> dict[str, list[Vector]]:
    """Return the vectors by group."""
    vectors_by_group: dict[str, list[Vector]] = defaultdict(list)
    for vector in vectors():
        vectors_by_group[group_of(vector.id)].append(vector)
    return dict(vectors_by_group)


@cache
def vectors_by_clause() -> dict[str, list[Vector | Computation]]:
    """Return the vectors and computations where a profile exercises a clause, by clause."""
    vectors_of_clause: dict[str, list[Vector | Computation]] = defaultdict(list)
    every: list[Vector | Computation] = [*vectors(), *computations()]
    for vector in every:
        for name in sorted({name for profile in vector.profiles.values() for name in profile.clauses}):
            vectors_of_clause[name].append(vector)
    return dict(vectors_of_clause)


_CITATIONS = {"python": python_citations, "c": c_citations, "plain": plain_citations}


@cache
def citations(language: str) -> dict[str, list[Citation]]:
    """Return the lines of the Python model (``python``), the C port (``c``) or the plain programs (``plain``) that cite a clause."""
    by_clause: dict[str, list[Citation]] = defaultdict(list)
    for citation in _CITATIONS[language]():
        by_clause[citation.clause].append(citation)
    return dict(by_clause)


def source_page(path: Path) -> str:
    """Return the document that shows a source file. Two packages may have files of the same name, so each has a folder."""
    return f"{GENERATED}/source/{path.parent.name}/{path.name.replace('.', '-')}"


def source_files() -> list[Path]:
    """Return the source files that cite clauses, Python before C."""
    return sorted(
        {
            citation.path
            for language in ("python", "c")
            for citations_of_clause in citations(language).values()
            for citation in citations_of_clause
        },
        key=lambda path: (path.suffix != ".py", path.name),
    )


def clause_page(clause_id: str) -> str:
    """Return the document that contains a clause. Raise ``KeyError`` for an unknown clause."""
    return f"specification/{clauses()[clause_id].page}"


def relative_to_root(path: Path) -> str:
    """Return a path relative to the root of the repository."""
    return path.resolve().relative_to(ROOT).as_posix()
