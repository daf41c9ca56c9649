"""The pages of the plain programs: one that lists them, and one for each, with its code."""

from pathlib import Path

from firstflight_conformance.docs_ext import markdown as md
from firstflight_conformance.docs_ext import site
from firstflight_conformance.paths import REFERENCE_C
from firstflight_conformance.plain_judge import programs

PLAIN_C = REFERENCE_C / "plain"


def index() -> str:
    """Return the page that lists the programs."""
    rows = [
        (md.ref(title(name), f"plain-{name}"), md.code(profile(name)), str(len(_source(name).splitlines())))
        for name in programs()
    ]
    return md.page(
        "# Plain programs",
        "One file for one published text, written from that text alone: straight code whose names are the text's, without readings and without "
        "anything of the model's algorithms. Read them beside the text, and port from them. Each is a second opinion on the text as well: it agrees "
        "with every vector of its profile, and with the model on random streams. Each that is driven by events is there as one C header as well, "
        "at the end of its page.",
        md.list_table(("Text", "Profile", "Lines"), rows, (60, 30, 10)),
        "```{toctree}\n:hidden:\n:glob:\n\n*\n```",
    )


def page(name: str) -> str:
    """Return the page of a program."""
    path = site.relative_to_root(_path(name))
    return md.page(
        md.label(f"plain-{name}"),
        f"# {md.plain(title(name))}",
        f"The file `{path}`. A comment `[id]` names the clause that the line carries out.",
        f"```{{source-file}} {path}\n```",
        *_header(name),
    )


def title(name: str) -> str:
    """Return the first line of a program's docstring."""
    return (programs()[name].__doc__ or name).splitlines()[0].rstrip(".")


def profile(name: str) -> str:
    """Return the profile that a program is judged by, or the algorithm of one that computes."""
    return str(getattr(programs()[name], "PROFILE", "transfer-time"))


def _header(name: str) -> list[str]:
    path = PLAIN_C / f"{name}.h"
    if not path.exists():
        return []
    root = site.relative_to_root(path)
    text = "to be copied into a stack: the same functions in the same order, in C11 and C++17, without allocation and floating point"
    return ["## The same as one C header", f"The file `{root}`, {text}.", f"```{{literalinclude}} /../{root}\n:language: c\n```"]


def _path(name: str) -> Path:
    return Path(str(programs()[name].__file__))


def _source(name: str) -> str:
    return _path(name).read_text(encoding="utf-8")
