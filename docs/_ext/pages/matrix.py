"""The traceability matrix: from each clause to the lines and vectors that implement it."""

from firstflight_conformance.format.clauses import Clause
from pages import markdown as md
from pages import site

_KINDS = {"python": "Python", "c": "C", "vector": "vectors"}


def page() -> str:
    """Return the page."""
    clauses = site.clauses()
    pages = list(dict.fromkeys(clause.page for clause in clauses.values()))
    blocks = [
        "# Traceability matrix",
        "Each clause has its level and source, the lines of Python and C that implement it, and a vector that exercises it. "
        "All of this is measured: comments mark the lines, and the vectors are found by running these lines. "
        "If several vectors exercise a clause, the table lists one of them, preferably derived by hand.",
        _summary(),
    ]
    for name in pages:
        mine = [clause for clause in clauses.values() if clause.page == name]
        blocks += [f"## {name}", _table(mine)]
    blocks += _exemptions(list(clauses.values()))
    blocks += [
        "```{toctree}\n:hidden:\n:glob:\n\nsource/*/*\n```",
    ]
    return md.page(*blocks)


def _summary() -> str:
    total = len(site.clauses())
    counts = {
        "Python": len(site.clauses().keys() & site.citations("python").keys()),
        "C": len(site.clauses().keys() & site.citations("c").keys()),
        "at least one vector": len(site.clauses().keys() & site.vectors_by_clause().keys()),
    }
    return f"Of {total} clauses " + ", ".join(f"{count} have {name}" for name, count in counts.items()) + "."


def _table(clauses: list[Clause]) -> str:
    rows = [
        (
            md.clause(clause.id),
            clause.source if clause.level == "-" else f"**{clause.level}**, {clause.source}",
            _lines(clause, "python"),
            _lines(clause, "c"),
            _vectors(clause),
        )
        for clause in clauses
    ]
    header = ("Clause", "Level and source", "Python", "C", "Vectors")
    return md.list_table(header, rows, (26, 26, 13, 13, 22), "matrix compact")


def _lines(clause: Clause, language: str) -> str:
    citations = site.citations(language).get(clause.id, [])
    parts = []
    for number, citation in enumerate(citations):
        same_file = number > 0 and citations[number - 1].path == citation.path
        text = str(citation.line) if same_file else f"{citation.path.stem} {citation.line}"
        document = site.source_page(citation.path).removeprefix(f"{site.GENERATED}/")
        parts.append(f'<a href="{document}.html#L-{citation.line}">{text}</a>')
    return ", ".join(parts) or _missing(clause, language)


def _vectors(clause: Clause) -> str:
    """Return a vector that exercises the clause, preferably derived by hand, and a link to all if there are more."""
    vectors = site.vectors_by_clause().get(clause.id, [])
    if not vectors:
        return _missing(clause, "vector")
    first = min(vectors, key=lambda vector: vector.tier != "gold")
    link = md.ref(first.id.partition(".")[2], site.anchor("vector", first.id))
    return link if len(vectors) == 1 else f'{link}, <a href="../find.html#clause={clause.id}">all {len(vectors)}</a>'


def _missing(clause: Clause, kind: str) -> str:
    return md.ref("exempt", "matrix-exemptions") if kind in clause.exempt else "none"


def _exemptions(clauses: list[Clause]) -> list[str]:
    rows = [
        (md.clause(clause.id), _KINDS[kind], md.plain(reason))
        for clause in clauses
        for kind, reason in clause.exempt.items()
    ]
    table = md.list_table(("Clause", "Without", "Reason"), rows, (35, 15, 50)) if rows else "None."
    return [
        md.label("matrix-exemptions"),
        "## Exemptions",
        "Clauses without code or without a vector, with the reason.",
        table,
    ]
