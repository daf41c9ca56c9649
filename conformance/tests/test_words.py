"""Texts for readers use the terms of the field: the former coined words of the project do not occur."""

import ast
import io
import json
import os
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from firstflight_conformance.paths import ROOT, SPEC, VECTORS

#: Folders that are generated or not part of this project.
APART = {"build", "vectors", "third_party", "_generated", "__pycache__", "node_modules", "target"}
C_LIKE = (".c", ".h", ".cpp", ".hpp", ".rs", ".go", ".java", ".js", ".mjs")
PYTHON_NAMES = re.compile(r"^[ \t]*(?:def|class) (\w+)", re.M)
C_NAMES = re.compile(r"\b(?:struct|enum) (\w+)|^\w[\w *]*?\b\**(\w+)\([^;{}]*\)\n\{", re.M)
COINED = re.compile(
    r"\b(rooms?|houses?|doors?|twins?|laws?|reckon(?:s|ed)? with|(?:not|n't|nothing|never) (?:be )?told apart)\b", re.I
)
#: Ordinary uses: free room in a queue, a window or a text.
ORDINARY = re.compile(
    r"\b(?:no|any|less|little|more|as much|enough|leaves?|leaving|left|have|has|had|makes?|making|without|ask for|of|fill) room\b"
    r"|\broom (?:for|in|is left|left|to|bytes|credit)\b",
    re.I,
)
#: Ids, and words in their context: file, and the line or the text around the word.
EXCEPTIONS: dict[str, str] = {
    "careful-resume.unvalidated.room": "the id of a clause",
    "test house": "the name of a file",
    "test twins": "the name of a file",
    "test front doors": "the name of a file",
}


def found_in(text: str) -> list[str]:
    """Return the coined words of a text, each with its context."""
    text = " ".join(text.split())
    for exception in EXCEPTIONS:
        text = text.replace(exception, "")
    text = ORDINARY.sub("", text)
    return [text[max(match.start() - 60, 0) : match.end() + 30] for match in COINED.finditer(text)]


def files(*suffixes: str) -> list[Path]:
    """Return the files of the checkout with one of the suffixes or names, except built, generated and foreign ones."""
    paths = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in APART and (name[0] != "." or name == ".github")]
        paths += [Path(folder, name) for name in names if name in suffixes or Path(name).suffix in suffixes]
    return sorted(path for path in paths if path.name not in ("CHANGELOG.md", Path(__file__).name))


def pages() -> Iterator[tuple[Path, str]]:
    """Yield every page without its code."""
    for path in files(".md"):
        yield path, re.sub(r"`[^`\n]*`", "", path.read_text("utf-8"))


def texts_of_python(path: Path) -> Iterator[str]:
    """Yield docstrings, comments, and messages: strings of several words."""
    text = path.read_text("utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
            yield node.value
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    yield "\n".join(token.string.lstrip("#: ") for token in tokens if token.type == tokenize.COMMENT)


def of_python() -> Iterator[tuple[Path, str]]:
    for path in files(".py"):
        for text in texts_of_python(path):
            yield path, text


def comments(path: Path) -> str:
    """Return the comments of a source in any language."""
    text = path.read_text("utf-8")
    if path.suffix in C_LIKE:
        matches = re.findall(r"/\*.*?\*/|(?<![:\"'])//[^\n]*", text, re.S)
        return "\n".join(re.sub(r"^[ \t]*(?:/\*|\*/|\*|//+!?)", "", comment, flags=re.M) for comment in matches)
    return "\n".join(re.findall(r"(?:^|\s)#+ ([^\n]*)", text))


def of_sources() -> Iterator[tuple[Path, str]]:
    """Yield the comments of headers and sources in languages other than Python, of scripts and of Makefiles."""
    for path in files(*C_LIKE, ".sh", "Makefile", "CMakeLists.txt"):
        yield path, comments(path)


def of_names() -> Iterator[tuple[Path, str]]:
    """Yield the words in file names and in names of Python and C definitions."""
    for path in files(".py", ".c", ".h"):
        yield path, path.stem.replace("_", " ")
        text = path.read_text("utf-8")
        pattern = PYTHON_NAMES if path.suffix == ".py" else C_NAMES
        yield path, "\n".join(match[match.lastindex or 0].replace("_", " ") for match in pattern.finditer(text))


def of_vectors() -> Iterator[tuple[Path, str]]:
    """Yield titles and reasons."""
    for path in sorted(VECTORS.glob("*/*.json")):
        raw = json.loads(path.read_text("utf-8"))
        yield path, f"{raw['title']}\n{raw['why']}"


def of_data() -> Iterator[tuple[Path, str]]:
    """Yield the texts of readings, mutants, open points, freedoms and manifests, without the code of mutants."""
    for path in files(".toml"):
        code = r"^(?:replace|base|planted|from|to|old|new|text|breaks|id)\b.*$|\{ ?file = .*$"
        yield path, re.sub(code, "", path.read_text("utf-8"), flags=re.M)


EVERYWHERE = (pages, of_python, of_sources, of_names, of_vectors, of_data)


@pytest.mark.parametrize("texts", EVERYWHERE)
def test_no_coined_words(texts) -> None:  # type: ignore[no-untyped-def]
    """Pages, docstrings, comments, messages, names, vectors and data contain none of the words."""
    read = list(texts())
    assert len(read) > 10
    coined = [f"{path.relative_to(ROOT)}: {words}" for path, text in read for words in found_in(text)]
    assert coined == []


@pytest.mark.parametrize(
    "sentence",
    [
        "It lies in one room.",
        "The front door",
        "its C twin",
        "the law of growth",
        "They are not told apart.",
        "A house",
    ],
)
def test_a_coined_word_is_found(sentence: str) -> None:
    """The check finds a coined word in a sentence."""
    assert len(found_in(sentence)) == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("README.md", "Each room\nhas a page.\n"),
        ("docs/page.md", "This `room` is a room.\n"),
        (".github/template.md", "Which door?\n"),
        ("model.py", '"""The twin of a header."""\n'),
        ("model.py", 'def _own():\n    """Reckon with it, or reckons with it."""\n'),
        ("model.py", "x = 1  # the law of growth\n"),
        ("tools.py", 'raise ValueError("they are not told apart")\n'),
        ("tools.py", "def front_door(): ...\n"),
        ("test_house.py", "x = 1\n"),
        ("port.h", "/* The twin\n * of a module. */\n"),
        ("port.c", "int x; // its twin\n"),
        ("port.c", "int ff_door(int x)\n{\n}\n"),
        ("port.h", "struct ff_room {\n"),
        ("main.rs", "//! The door.\n"),
        ("main.go", "x := 1 // a twin\n"),
        ("Main.java", "/** A law. */\n"),
        ("run.mjs", "const x = 1; // a house\n"),
        ("build.sh", "x=1 # the twin\n"),
        ("Makefile", "all: # builds the house\n"),
        ("spec/profiles.toml", 'reason = "It lies in its room."\n'),
    ],
)
def test_coined_word_is_found_in_every_kind_of_file(
    name: str, content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check finds a coined word in each kind of file and text."""
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    monkeypatch.delitem(EXCEPTIONS, "test house", raising=False)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(content, "utf-8")
    read = [text for texts in (pages, of_python, of_sources, of_names, of_data) for _, text in texts()]
    assert [words for text in read for words in found_in(text)]


def test_unused_exception_is_an_error() -> None:
    """An exception that excuses no text is an error."""
    everything = "\n".join(" ".join(text.split()) for texts in EVERYWHERE for _, text in texts())
    everything += "\n".join(path.read_text("utf-8") for path in SPEC.rglob("*.md"))
    assert [name for name in EXCEPTIONS if name not in everything] == []
