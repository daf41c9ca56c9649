"""Extract prose from files: Markdown, docstrings, comments, and prose members of data."""

import ast
import io
import re
import tokenize
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

#: A numbered line of a file.
Lines = list[tuple[int, str]]

#: Members of TOML and JSON data that contain prose.
MEMBERS = (
    "against", "conforms", "description", "equivalent", "explanation", "no_header", "notice", "question", "reason",
    "second_reading", "text", "title", "what", "why",
)  # fmt: skip
C_LIKE = (".c", ".cc", ".cpp", ".go", ".h", ".hpp", ".java", ".js", ".mjs", ".rs")
HASH = (".mk", ".sh", "CMakeLists.txt", "Makefile")

_MEMBER = re.compile(
    rf'^[ \t]*(?:\{{ ?)?"?(?:{"|".join(MEMBERS)})"?\s*[=:]\s*(?:"""(.*?)"""|"((?:\\.|[^"\\\n])*)")', re.M | re.S
)
_C_TOKEN = re.compile(r"//([^\n]*)|/\*(.*?)\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'", re.S)
_SKIPPED = re.compile(r"SPDX|^\s*(?:noqa|type:|fmt:|pragma|mypy:|codespell|[#=+] )")
_LICENCE = re.compile(r"Copyright|Licensed under|Licensed to|WARRANT|LIABLE|Permission is hereby|Redistribution")
_CODE_LINE = re.compile(r"^\s*(?:>>>|\.\.\. |\$ )|[;{}]\s*$|^\s*:[\w-]+:(?!`)|^\s*:::|^\s*#include|^\s*<[!/a-z]")
_PROSE_OPTION = re.compile(r"^\s*:(?:no-alternative|unobservable|exempt-[a-z]+):")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.|\|)\s+|^\s*#+\s")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
#: Exempt: code, quotations, link targets, ids in brackets.
_EXEMPT = re.compile(r"``.*?``|`[^`]*`|\"[^\"]{1,400}\"|“[^”]{1,400}”|\]\([^)]*\)|https?://\S+|\[[\w.-]+\](?!\()")


@dataclass(frozen=True)
class Text:
    """A paragraph, list item or table cell in one line, with code and quotations masked.

    ``offsets`` and ``lines`` map a position to its line in the file.
    """

    words: str
    offsets: tuple[int, ...]
    lines: tuple[int, ...]

    def line(self, position: int) -> int:
        """Return the line of the file that contains a position of the text."""
        return self.lines[bisect_right(self.offsets, position) - 1]


def texts(path: Path) -> list[Text]:
    """Return the prose of a file; an empty list for kinds of files without any."""
    content = path.read_text("utf-8", errors="replace")
    return [text for block in _blocks(path, content) for text in _paragraphs(block)]


def _blocks(path: Path, content: str) -> Iterable[Lines]:
    if path.suffix == ".md":
        return [list(enumerate(content.splitlines(), 1))]
    if path.suffix == ".py":
        return [*_docstrings(content), *_python_comments(content)]
    if path.suffix in (".toml", ".json"):
        comments = _hash_comments(content) if path.suffix == ".toml" else []
        return [*_members(content), *comments]
    if path.suffix in C_LIKE:
        return _c_comments(content)
    return _hash_comments(content) if path.suffix in HASH or path.name in HASH else []


def _numbered(text: str, first: int) -> Lines:
    return list(enumerate(text.splitlines(), first))


def _docstrings(content: str) -> Iterator[Lines]:
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node, clean=False)
            if text is not None:
                yield _numbered(text, node.body[0].lineno)


def _python_comments(content: str) -> Iterator[Lines]:
    tokens = tokenize.generate_tokens(io.StringIO(content).readline)
    found = [
        (t.start[0], t.string.lstrip("#: "), not t.line[: t.start[1]].strip())
        for t in tokens
        if t.type == tokenize.COMMENT
    ]
    yield from _joined(found)


def _hash_comments(content: str) -> Iterator[Lines]:
    found = []
    for number, line in enumerate(content.splitlines(), 1):
        match = re.search(r"(?:^|\s)#+ ([^\n\"]*)$", line)
        if match:
            found.append((number, match[1], not line[: match.start()].strip()))
    yield from _joined(found)


def _c_comments(content: str) -> Iterator[Lines]:
    found = []
    for match in _C_TOKEN.finditer(content):
        line = content.count("\n", 0, match.start()) + 1
        if match[1] is not None:
            alone = not content[content.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
            if match[1][:1] not in ("#", "="):  # duvet's quotations of a specification
                found.append((line, match[1].lstrip("/! "), alone))
        elif match[2] is not None:
            yield [(number, re.sub(r"^\s*[*!]+", "", text)) for number, text in _numbered(match[2], line)]
    yield from _joined(found)


def _joined(comments: list[tuple[int, str, bool]]) -> Iterator[Lines]:
    """Yield blocks of comments: those alone on consecutive lines belong together."""
    block: Lines = []
    for number, text, alone in comments:
        if block and not (alone and number == block[-1][0] + 1):
            yield block
            block = []
        block.append((number, text))
    if block:
        yield block


def _members(content: str) -> Iterator[Lines]:
    for match in _MEMBER.finditer(content):
        text = match[1] if match[1] is not None else match[2].replace('\\"', '"')
        yield _numbered(text, content.count("\n", 0, match.start()) + 1)


def _paragraphs(block: Lines) -> Iterator[Text]:
    """Yield the texts of a block: split at empty lines, items, headings and table cells; code left out."""
    fenced = False
    paragraph: Lines = []
    for number, line in block:
        if _FENCE.match(line):
            fenced = not fenced
        kept = "" if fenced or _SKIPPED.search(line) or line.lstrip().startswith(">") else line
        kept = _PROSE_OPTION.sub("", kept) if _PROSE_OPTION.match(kept) else "" if _CODE_LINE.search(kept) else kept
        kept = "" if _FENCE.match(line) else kept
        if not kept.strip() or _ITEM.match(kept):
            yield from _text(paragraph)
            paragraph = []
        if kept.lstrip().startswith("|"):
            for cell in re.split(r"(?<!\\)\|", kept):
                yield from _text([(number, cell)])
        elif kept.strip():
            paragraph.append((number, _ITEM.sub("", kept).strip()))
    yield from _text(paragraph)


def _text(paragraph: Lines) -> Iterator[Text]:
    joined = " ".join(line for _, line in paragraph)
    if re.search(r"[A-Za-z]{2}", joined) and not _LICENCE.search(joined):
        masked = _EXEMPT.sub(lambda match: (" " if match[0][0] == "]" else "X") * len(match[0]), joined)
        offsets = tuple(accumulate((len(line) + 1 for _, line in paragraph[:-1]), initial=0))
        yield Text(masked, offsets, tuple(number for number, _ in paragraph))
