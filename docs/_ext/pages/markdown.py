"""Pieces of MyST Markdown."""

from collections.abc import Iterable, Sequence


def label(name: str) -> str:
    """Return a target for :func:`ref`."""
    return f"({name})="


def ref(text: str, name: str) -> str:
    """Return a link to a target of any page."""
    return f"{{ref}}`{text} <{name}>`"


def clause(clause_id: str) -> str:
    """Return a link to a clause."""
    return f"{{clause}}`{clause_id}`"


def code(text: object) -> str:
    """Return text as code."""
    return f"`{text}`"


def plain(text: str) -> str:
    """Return text escaped for Markdown."""
    return "".join("\\" + c if c in "\\`*_{}[]<>#|$~" else c for c in text)


def spans(text: str) -> str:
    """Return text escaped for Markdown, except code between single backticks."""
    if text.count("`") % 2:
        return plain(text)
    return "".join(code(part) if index % 2 else plain(part) for index, part in enumerate(text.split("`")))


def list_table(header: Sequence[str], rows: Iterable[Sequence[str]], widths: Sequence[int], css_class: str = "") -> str:
    """Return a table whose cells may contain any inline markup."""
    lines = ["```{list-table}", ":header-rows: 1", f":widths: {' '.join(map(str, widths))}"]
    if css_class:
        lines.append(f":class: {css_class}")
    lines.append("")
    for row in [header, *rows]:
        lines += [f"{'* -' if number == 0 else '  -'} {cell}" for number, cell in enumerate(row)]
    return "\n".join([*lines, "```"])


def hidden_toctree(documents: Iterable[str]) -> str:
    """Return a table of contents that only the navigation shows."""
    return "\n".join(["```{toctree}", ":hidden:", "", *documents, "```"])


def old_anchor(name: str, link: str) -> str:
    """Return a link preceded by the old anchor of a section that has moved to another page."""
    return f'<span id="{name}"></span>{link}'


def page(*blocks: str) -> str:
    """Return blocks separated by empty lines."""
    return "\n\n".join(block for block in blocks if block) + "\n"
