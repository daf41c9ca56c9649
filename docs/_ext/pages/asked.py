"""Questions and synonyms by page, and descriptions of the pages, for the script of the search."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import Path

from sphinx.application import Sphinx

from firstflight.controller import ALGORITHMS
from pages import committed, parts, site

QUESTIONS = Path(__file__).with_name("asked.toml")
#: Titles of pages that Sphinx does not write.
_OTHERS = {"judge": ("Judge a log", "Judge a qlog, a packet capture or a table of ACKs in the browser.")}
_DESCRIPTION = re.compile(r'<meta name="description" content="([^"]*)"')
#: Number of characters at the start of a page that contain its description.
_HEAD = 4000
#: Search words for the page of any stack.
_WORDS_OF_STACKS = "conformance bugs defects results deviations test"
#: Pages without an entry in the search.
_LEFT_OUT = (f"{site.GENERATED}/source/",)


def questions() -> dict[str, list[str]]:
    """Return the phrases by page: the written ones, and names of stacks and profiles with usual words."""
    phrases: dict[str, list[str]] = tomllib.loads(QUESTIONS.read_text("utf-8"))
    for stack in committed.report()["adapters"]:
        algorithms = " ".join(f"{name} {ALGORITHMS[name].title}" for name in stack["declaration"]["algorithms"])
        name = stack["title"].partition(" ")[0].rstrip(":,")
        phrases[f"{site.GENERATED}/stacks/{stack['name']}"] = [f"{name} {algorithms} {_WORDS_OF_STACKS}"]
    return phrases


def descriptions(folder: Path, pages: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield page and description of the built pages."""
    for page in sorted(pages):
        path = folder / f"{page}.html"
        if not page.startswith(_LEFT_OUT) and path.exists():
            with path.open(encoding="utf-8") as stream:
                if description := _DESCRIPTION.search(stream.read(_HEAD)):
                    yield page, unescape(description[1])


def write_asked(app: Sphinx, error: Exception | None) -> None:
    """Write the data of the script: phrases, titles of pages without Sphinx, and descriptions."""
    if error is not None or app.builder.name != "html":
        return
    pages_without_sphinx = {
        page: title_and_text for page, title_and_text in _OTHERS.items() if page not in parts.missing()
    }
    known = {*app.env.found_docs, *pages_without_sphinx}
    pages = {page: phrases for page, phrases in questions().items() if page in known}
    data = {
        "pages": pages,
        "titles": {page: title for page, (title, _) in pages_without_sphinx.items()},
        "about": dict(descriptions(Path(app.outdir), app.env.found_docs))
        | {page: text for page, (_, text) in pages_without_sphinx.items()},
    }
    target = Path(app.outdir) / "_static" / "search" / "asked.js"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(f"window.FIRSTFLIGHT_ASKED = {json.dumps(data, separators=(',', ':'))};\n", "utf-8")
