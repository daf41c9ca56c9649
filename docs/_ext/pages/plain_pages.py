"""The pages of the plain programs: one that lists them, and one for each, clause by clause."""

from pathlib import Path

from firstflight_conformance.format.vectors import Case
from pages import beside, site
from pages import markdown as md
from pages.turns import TURNS, turns_text
from plain.judge import programs


def index() -> str:
    """Return the page that lists the programs."""
    rows = [
        (
            md.ref(beside.title(name), f"plain-{name}"),
            md.code(beside.profile(name)),
            _lines(beside.python_path(name)),
            "none yet" if (header := beside.c_path(name)) is None else _lines(header),
        )
        for name in programs()
    ]
    return md.page(
        "# Plain programs",
        "Each file implements one published text, or code that serves as one, with the names of the text and without code of the model; its head "
        "lists the sources that were read. Twelve were written from their text, draft -09 of SEARCH and BBR of Linux (both versions) from code, before they were compared with the model. "
        "The author of the model wrote the other seven (Limited Slow-Start, Quick-Start, Hybla, both of TCB sharing, both of SUSS) with it or after it: "
        "these are not an independent interpretation. Read the programs next to the text, and port from them. Each page shows the clauses with the lines that "
        "implement them, in Python and, if there is a header, in C. Each program agrees "
        "with every vector of its profile, and with the model on random streams.",
        md.list_table(("Text", "Profile", "Lines of Python", "of C"), rows, (50, 26, 14, 10)),
        "```{toctree}\n:hidden:\n:glob:\n\n*\n```",
    )


def page(name: str) -> str:
    """Return the page of a program."""
    header = beside.c_path(name)
    whole = [md.plain(site.relative_to_root(path)) for path in (beside.python_path(name), header) if path is not None]
    return md.page(
        "---\nhide-toc: true\n---",
        md.label(f"plain-{name}"),
        f"# {md.plain(beside.title(name))}",
        f"The profile {md.code(beside.profile(name))}, clause by clause: the text of the rule, and the lines that implement it. The lines of a program "
        "are in their own order, except for lines shared by several clauses; the end of the page has the remaining lines. "
        f"In the repository: {' and '.join(whole)}."
        + ("" if header else " This text has no plain C header yet; each clause links to the C port.")
        + _alone(name),
        f"```{{side-by-side}} {name}\n```",
        *_edge_cases(name),
    )


def _edge_cases(name: str) -> list[str]:
    """Return the gold vectors of the program's profile, with the changes of the window in each."""
    algorithm, _, profile = beside.profile(name).partition("/")
    mine = [v for v in site.vectors() if v.algorithm == algorithm and v.tier == "gold" and profile in v.profiles]
    if not mine:
        return []
    rows = [
        (
            md.ref(vector.id, site.anchor("vector", vector.id)),
            md.plain(vector.title),
            turns_text(Case(vector, profile), tuple(TURNS), windows=True),
        )
        for vector in mine
    ]
    return [
        "## Edge cases",
        f"The {len(mine)} vectors of this profile that can be derived by hand. The program answers all of them as expected. Each change of the window has the number of its event.",
        md.list_table(("Vector", "What happens", "The window"), rows, (30, 45, 25), "compact"),
    ]


def _alone(name: str) -> str:
    return "" if beside.otherwise(name) else " No other profile differs from it."


def _lines(path: Path) -> str:
    return str(len(path.read_text(encoding="utf-8").splitlines()))
