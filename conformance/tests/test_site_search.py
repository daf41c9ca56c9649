"""The check of the search asks the script of the site, and fails a build in which pages are not found."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from firstflight_conformance.paths import CONFORMANCE, ROOT
from pages import found

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
node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node, which is not here")


def test_thirty_queries_are_asked() -> None:
    asked = json.loads(found.QUERIES.read_text("utf-8"))
    assert (len(asked["queries"]), asked["least_found"], asked["among"]) == (31, 28, 3)
    pages = [page for right in asked["queries"].values() for page in right if not page.startswith("_generated/")]
    assert [page for page in pages if not (ROOT / "docs" / f"{page}.md").exists()] == []


@node
@pytest.mark.parametrize(("right", "code"), [("b", 0), ("c", 1)])
def test_a_page_that_is_not_found_fails_the_build(right: str, code: int, tmp_path: Path) -> None:
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
