"""What a person reads uses the terms of the field: words that this project once coined for itself are gone."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from firstflight_conformance.paths import CONFORMANCE, REFERENCE_C, REFERENCE_PY, ROOT, SPEC, VECTORS

TOOLS = CONFORMANCE / "src" / "firstflight_conformance"
COINED = re.compile(
    r"\b(rooms?|houses?|doors?|twins?|laws?|reckon(?:s|ed)? with|(?:not|n't|nothing|never) (?:be )?told apart)\b", re.I
)
#: Where the words are those of everybody: room that is free, in a queue or a text.
ORDINARY = re.compile(
    r"(?:no|any|more|as much|too little|enough|leaves?|leaving|left|have|has|had|makes?|making) room\b|\broom (?:for|in|is left|left|to)\b",
    re.I,
)
#: Ids, which stay what they are, and words in their place: file, and the line or the text around the word.
EXCEPTIONS: dict[str, str] = {
    "careful-resume.unvalidated.room": "the id of a clause",
    "law : In names of the source code": "the glossary, which says what it means there",
}


def found_in(text: str) -> list[str]:
    """Return the coined words of a text, each with what stands around it."""
    text = " ".join(text.split())
    for exception in EXCEPTIONS:
        text = text.replace(exception, "")
    text = ORDINARY.sub("", text)
    return [text[max(match.start() - 60, 0) : match.end() + 30] for match in COINED.finditer(text)]


def pages() -> Iterator[tuple[Path, str]]:
    """Yield every page, code within it left out."""
    places = [
        *ROOT.glob("*.md"),
        *(
            path
            for folder in ("docs", "spec", "reference-py", "reference-c", "conformance")
            for path in (ROOT / folder).rglob("*.md")
        ),
    ]
    for path in [*places, VECTORS / "README.md"]:
        if path.name != "CHANGELOG.md" and "_generated" not in path.parts and "build" not in path.parts:
            yield path, re.sub(r"`[^`\n]*`", "", path.read_text("utf-8"))


def texts_of_python(path: Path) -> Iterator[str]:
    """Yield the docstrings of what is public, and every message: a text of several words."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            if not getattr(node, "name", "").startswith("_") and (text := ast.get_docstring(node)):
                yield text
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
            yield node.value


def of_python() -> Iterator[tuple[Path, str]]:
    for folder in (REFERENCE_PY, TOOLS, CONFORMANCE / "stimuli", CONFORMANCE / "generate", ROOT / "docs" / "_ext"):
        for path in sorted(folder.rglob("*.py")):
            for text in texts_of_python(path):
                yield path, text


def of_c() -> Iterator[tuple[Path, str]]:
    """Yield the comments of the headers."""
    for path in [*(REFERENCE_C / "firstflight").rglob("*.h"), *(CONFORMANCE / "include").glob("*.h")]:
        for comment in re.findall(r"/\*.*?\*/", path.read_text("utf-8"), re.S):
            yield path, re.sub(r"\n \*", "\n", comment)


def of_vectors() -> Iterator[tuple[Path, str]]:
    """Yield titles and reasons."""
    for path in sorted(VECTORS.glob("*/*.json")):
        raw = json.loads(path.read_text("utf-8"))
        yield path, f"{raw['title']}\n{raw['why']}"


def of_data() -> Iterator[tuple[Path, str]]:
    """Yield the texts of readings, mutants, open points, freedoms and schemas, code of mutants left out."""
    for path in [*SPEC.rglob("*.toml"), *(CONFORMANCE / "stimuli").rglob("*.toml")]:
        yield (
            path,
            re.sub(r"^(?:replace|base|planted|from|to|old|new|text)\b.*$", "", path.read_text("utf-8"), flags=re.M),
        )


@pytest.mark.parametrize("texts", [pages, of_python, of_c, of_vectors, of_data])
def test_no_coined_words(texts) -> None:  # type: ignore[no-untyped-def]
    """None of them stands in a page, a docstring, a message, a header, a vector or the data."""
    read = list(texts())
    assert len(read) > 10
    found = [f"{path.relative_to(ROOT)}: {words}" for path, text in read for words in found_in(text)]
    assert found == []


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
    """So that the test above can fail."""
    assert len(found_in(sentence)) == 1


def test_every_exception_is_needed() -> None:
    """An exception that excuses nothing is none."""
    everything = "\n".join(
        " ".join(text.split()) for texts in (pages, of_python, of_c, of_vectors, of_data) for _, text in texts()
    )
    everything += "\n".join(path.read_text("utf-8") for path in SPEC.rglob("*.md"))
    assert [name for name in EXCEPTIONS if name not in everything] == []
