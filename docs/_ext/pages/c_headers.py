"""The pages of the C interface, one for each folder of headers, generated from the comments of the headers.

The parser supports only the style of the headers. A block comment that begins in the first column belongs to the
declarations directly below it. These end with an empty line outside braces, or with the next such comment.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from firstflight.observables import Outcome, Phase, Trigger
from firstflight_conformance import port
from firstflight_conformance.paths import CONFORMANCE, REFERENCE_C
from pages import first_functions, members, site
from pages import markdown as md

_COMMENT = re.compile(r"/\*.*?\*/", re.S)
_SKIPPED = ("#if", "#endif", "#include", 'extern "C"')
_NAME = re.compile(r"(?:struct|enum|union) (\w+) \{|#define (\w+)|(\w+)\(|(\w+)(?:\[\w*\])?;")
_WIDTH = 84
#: Headers in the order for a new user.
_ORDER = (
    "controller",
    "events",
    "observables",
    "limits",
)


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declaration of a header, with the comment above it; several declarations may share one comment."""

    name: str
    comment: str
    code: str


@dataclass(frozen=True, slots=True)
class Header:
    """A header: its first comment, and its declarations."""

    path: Path
    comment: str
    declarations: tuple[Declaration, ...]


def parse(path: Path) -> Header:
    """Parse a header."""
    lines = path.read_text("utf-8").splitlines()
    comment, place = _take_comment(lines, 0)
    declarations: list[Declaration] = []
    while place < len(lines):
        line = lines[place]
        if not line or line.startswith(_SKIPPED) or line == "}" or re.fullmatch(r"#define \w+_H", line):
            place += 1
            continue
        about, place = _take_comment(lines, place)
        if not lines[place] or lines[place].startswith(_SKIPPED):
            continue
        code, place = _take_declarations(lines, place)
        declarations.append(Declaration(_name(code), about, code))
    return Header(path, comment, tuple(declarations))


def _take_comment(lines: list[str], place: int) -> tuple[str, int]:
    if not lines[place].startswith("/*"):
        return "", place
    end = next(number for number in range(place, len(lines)) if "*/" in lines[number])
    body = [re.sub(r"^ \* ?", "", line) for line in "\n".join(lines[place : end + 1])[2:-2].splitlines()]
    return "\n".join(line.rstrip() for line in body).strip(), end + 1


def _take_declarations(lines: list[str], place: int) -> tuple[str, int]:
    """Return the lines up to the next empty line outside braces."""
    declaration: list[str] = []
    depth = 0
    while place < len(lines) and (depth or (lines[place] and not (declaration and lines[place].startswith("/*")))):
        declaration.append(lines[place])
        bare = _COMMENT.sub("", lines[place])
        depth += bare.count("{") - bare.count("}")
        place += 1
    return "\n".join(declaration), place


def _name(code: str) -> str:
    names = []
    for line in _COMMENT.sub("", code).splitlines():
        match = None if line.startswith((" ", "}")) else _NAME.search(line)
        if match:
            names.append(next(name for name in match.groups() if name))
    if names:
        return ", ".join(names)
    constants = re.findall(r"^ +([A-Z]\w+)", code, re.M)
    return _common_prefix(constants) + "..."


def _common_prefix(names: list[str]) -> str:
    prefix = names[0]
    while not all(name.startswith(prefix) for name in names) or not prefix.endswith("_"):
        prefix = prefix[:-1]
    return prefix


def pages() -> dict[str, str]:
    """Return the pages by name: the start page, and the pages of the headers."""
    folder = REFERENCE_C / "firstflight"
    names = [
        *(f"{name}.h" for name in _ORDER),
        *sorted(path.relative_to(folder).as_posix() for path in port.headers()),
    ]
    headers = [folder / name for name in dict.fromkeys(names) if (folder / name).exists()]
    headers += sorted((CONFORMANCE / "include").glob("*.h"))
    parsed = [parse(path) for path in headers]
    listed = [
        f"- [`{_shown(header.path)}`]({_document(header)}.md): {_first_sentence(header.comment)}" for header in parsed
    ]
    together: dict[str, list[Header]] = defaultdict(list)
    for header in parsed:
        together[_document(header)].append(header)
    first = md.page(
        "# C",
        "Every type, constant and function of the headers, with its comment. Each header has a page; the headers of an algorithm share one. "
        "The port is C11 without allocation and without floating point; it needs only freestanding headers.",
        first_functions.of_c([declaration.name for header in parsed for declaration in header.declarations]),
        "## The headers",
        "\n".join(listed),
        "```{toctree}\n:hidden:\n\n" + "\n".join(together) + "\n```",
    )
    return {"c": first} | {name: _page(headers) for name, headers in together.items()}


def _page(headers: list[Header]) -> str:
    title = headers[0].path.parent.name if len(headers) > 1 else _shown(headers[0].path)
    return md.page(
        f"# `{title}` (C)", "All headers: [C](c.md).", *(block for header in headers for block in _header(header))
    )


def _document(header: Header) -> str:
    """Return the name of a header's page, below the folder of the interfaces; headers of an algorithm share a page."""
    folder, _, name = _shown(header.path).removesuffix(".h").rpartition("/")
    return f"c-{re.sub(r'[^a-z0-9]', '-', folder or name)}"


def _first_sentence(comment: str) -> str:
    return _escape(f"{re.split(r'[.:;](?: |$)', ' '.join(comment.split()))[0]}.")


def _header(header: Header) -> list[str]:
    blocks = [f"## `{_shown(header.path)}`", _prose(header.comment), f"```c\n#include {_include(header.path)}\n```"]
    for declaration in header.declarations:
        first = declaration.name.split(", ")[0]
        blocks += [
            md.label(site.anchor(_kind(declaration, first), first)),
            f"### {md.plain(declaration.name)}",
            _prose(declaration.comment),
            f"```c\n{_fit(declaration.code)}\n```",
            *_members(declaration),
        ]
    return blocks


def _members(declaration: Declaration) -> list[str]:
    """Return the meanings of the members of an enumeration that Python has as well, for members without a comment."""
    for kind in (Outcome, Phase, Trigger):
        prefix = f"FF_{kind.__name__.upper()}_"
        named = dict.fromkeys(re.findall(rf"^ +{prefix}(\w+)", declaration.code, re.M))
        rows = [
            (md.code(f"{prefix}{name}"), members.in_markdown(kind[name])) for name in named if name in kind.__members__
        ]
        if rows:
            return [md.list_table(("Member", "Meaning"), rows, (40, 60), "compact members")]
    return []


def _kind(declaration: Declaration, name: str) -> str:
    """Return the prefix of an anchor: the names of a macro, a function and a type may differ only in case."""
    if name.isupper():
        return "c-macro"
    return "c-function" if f"{name}(" in _COMMENT.sub("", declaration.code).splitlines()[0] else "c"


def _fit(code: str) -> str:
    """Return a function declaration, with a line for each parameter if it is too wide for a page."""
    if not code.endswith(");") or code.count(";") > 1 or max(map(len, code.splitlines())) <= _WIDTH:
        return code
    head, _, parameters = " ".join(code.split()).removesuffix(");").partition("(")
    return f"{head}(\n    " + ",\n    ".join(parameters.split(", ")) + ");"


def _include(path: Path) -> str:
    return f'"{path.relative_to(_include_folder(path)).as_posix()}"'


def _shown(path: Path) -> str:
    """Return the name of a header, with its package if any."""
    return path.relative_to(_include_folder(path)).as_posix().removeprefix("firstflight/")


def _include_folder(path: Path) -> Path:
    return REFERENCE_C if path.is_relative_to(REFERENCE_C) else CONFORMANCE / "include"


def _prose(comment: str) -> str:
    """Return a comment as Markdown. Indented parts are code."""
    blocks = []
    for block in comment.split("\n\n"):
        is_code = block.startswith("    ")
        dedented = "\n".join(line.removeprefix("    ") for line in block.splitlines())
        blocks.append(f"```c\n{dedented}\n```" if is_code else _escape(block))
    return "\n\n".join(blocks)


def _escape(text: str) -> str:
    return "`".join(part if number % 2 else md.plain(part) for number, part in enumerate(text.split("`")))
