"""The check of the search runs the script of the site, and fails a build if pages are not found."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from firstflight_conformance.paths import CONFORMANCE, ROOT
from pages import asked, found

CONF = """\
import json
from pathlib import Path
from pages import found
found.QUERIES = Path({queries!r})
ranks_of = found.ranks_of
found.ranks_of = lambda site: ranks_of(site, found.QUERIES)
def setup(app):
    app.connect("build-finished", found.check_search)
"""
node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


def test_search_queries_refer_to_existing_pages() -> None:
    queries = json.loads(found.QUERIES.read_text("utf-8"))
    assert (len(queries["queries"]), queries["least_found"], queries["among"]) == (31, 28, 3)
    assert (len(queries["readers"]), queries["readers_least_found"]) == (27, 25)
    pages = {page for group in ("queries", "readers") for right in queries[group].values() for page in right}
    assert [page for page in pages if not exists(page)] == []


def exists(page: str) -> bool:
    return page.startswith("_generated/") or page == "judge" or (ROOT / "docs" / f"{page}.md").exists()


def test_questions_belong_to_existing_pages() -> None:
    """Each page with questions exists, its questions are unique, and each stack has a phrase."""
    listed = tomllib.loads(asked.QUESTIONS.read_text("utf-8"))
    assert [page for page in listed if not exists(page)] == []
    assert [page for page, phrases in listed.items() if len({*phrases}) < len(phrases)] == []
    assert "ngtcp2" in asked.questions()["_generated/stacks/ngtcp2"][0]


#: A site of three pages with the script of questions, and data in the format of this site.
SITE = """\
import json
from pathlib import Path
from pages import asked
asked.questions = lambda: {"b": ["does it whistle"]}
templates_path = [%r]
html_static_path = [%r]
def setup(app):
    app.connect("build-finished", asked.write_asked)
"""


@node
def test_search_finds_questions_single_words_and_titles(tmp_path: Path) -> None:
    """Questions lead to their page, queries without a full match to pages with one word; pages are listed once."""
    static = tmp_path / "static" / "search"
    static.mkdir(parents=True)
    shutil.copy(ROOT / "docs" / "_static" / "search" / "ask.js", static)
    (tmp_path / "conf.py").write_text(SITE % (str(tmp_path / "none"), str(tmp_path / "static")), "utf-8")
    (tmp_path / "index.rst").write_text("Page\n====\n\n.. toctree::\n\n   b\n   c\n", "utf-8")
    (tmp_path / "b.rst").write_text(
        "Rodent\n======\n\nMarmots, also of the Alps.\n\nMarmot\n------\n\nMarmots sleep.\n", "utf-8"
    )
    (tmp_path / "c.rst").write_text("Rodent\n======\n\nBeavers build dams.\n", "utf-8")
    build(tmp_path)
    queries = {
        "what does whistle": ["b"],
        "marmots dams": ["b"],
        "beavers sleep": ["c"],
        "rodent": ["c"],
        "marmot": ["b"],
        "where do beavers live in the whistling alps": ["b"],
        "dams by rodent whistlers constructor": ["c"],
    }
    (tmp_path / "queries.json").write_text(json.dumps({"queries": queries}), "utf-8")
    ranks = found.ranks_of(tmp_path / "out", tmp_path / "queries.json")
    assert all(rank is not None and rank <= 2 for rank in ranks.values()), ranks
    assert ranks["what does whistle"] == ranks["marmot"] == 1
    titles = found.titles_of(tmp_path / "out", "rodent")
    assert sorted(titles) == ["Page", "Rodent (b)", "Rodent (c)"]


def build(folder: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(folder), str(folder / "out")]
    packages = os.pathsep.join((str(ROOT / "docs" / "_ext"), str(CONFORMANCE)))
    subprocess.run(command, env=os.environ | {"PYTHONPATH": packages}, capture_output=True, check=True)


@node
@pytest.mark.parametrize(("right", "code"), [("b", 0), ("c", 1)])
def test_unfound_page_fails_the_build(right: str, code: int, tmp_path: Path) -> None:
    queries = tmp_path / "queries.json"
    queries.write_text(json.dumps({"least_found": 1, "among": 1, "queries": {"marmot": [right]}}), "utf-8")
    (tmp_path / "conf.py").write_text(CONF.format(queries=str(queries)), "utf-8")
    (tmp_path / "index.rst").write_text("Page\n====\n\n.. toctree::\n\n   b\n   c\n", "utf-8")
    (tmp_path / "b.rst").write_text("Marmot\n======\n\nMarmots whistle.\n", "utf-8")
    (tmp_path / "c.rst").write_text("Other\n=====\n\nSomething else.\n", "utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(tmp_path), str(tmp_path / "out")]  # fmt: skip
    packages = os.pathsep.join((str(ROOT / "docs" / "_ext"), str(CONFORMANCE)))
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": packages}, capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == code, done.stderr
    assert ("finds 0 of 1 pages (marmot: not found)" in done.stderr) == bool(code)
