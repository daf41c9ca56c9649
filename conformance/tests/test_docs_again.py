"""An incremental build of the documentation after a change equals a full build."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import checkouts
from checkouts import copied, tracked
from firstflight_conformance.paths import CONFORMANCE, ROOT

_CONF = """\
from pages import search, titles
extensions = ["myst_parser"]
html_theme = "furo"
def setup(app):
    app.connect("env-updated", titles.write_what_names_them)
    app.connect("html-collect-pages", search.keep_entries)
"""
_CONTENTS = "# Pages\n\n```{toctree}\none\ntwo\nthree\n```\n"
#: Changes to text that other pages show. ``_SENTENCE`` changes text that no other page shows.
_CHANGES = {
    "title": ("two.md", "# Two\n", "# Another\n"),
    "section": ("two.md", "## Part\n", "## Piece\n"),
    "order": ("index.md", "one\ntwo\n", "two\none\n"),
}
_SENTENCE = ("one.md", "A sentence.", "Another one.")


def build(source: Path, out: Path, **environment: str) -> dict[str, bytes]:
    """Build with the options of `make docs`; return the written files, except files that only Sphinx reads."""
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(source), str(out)]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    paths = (path for path in out.rglob("*") if path.is_file() and ".doctrees" not in path.parts)
    return {path.relative_to(out).as_posix(): read(path) for path in paths if path.name != ".buildinfo"}


def read(path: Path) -> bytes:
    """Return the contents of a file; for the search index without words that no page has any more."""
    data = path.read_bytes()
    return re.sub(rb',"[^"]*":\[\]|"[^"]*":\[\],', b"", data) if path.name == "searchindex.js" else data


@pytest.mark.parametrize("change", ["title", *(pytest.param(c, marks=pytest.mark.long) for c in ("section", "order"))])
def test_incremental_build_of_a_small_site_equals_full_build(tmp_path: Path, change: str) -> None:
    source, packages = tmp_path / "source", os.pathsep.join((str(ROOT / "docs/_ext"), str(CONFORMANCE)))
    source.mkdir()
    texts = {name: f"# {name.title()}\n" for name in ("one", "two", "three")}
    texts |= {
        "one": "# One\n\nA sentence. {index}`A word <of one>`\n",
        "two": "# Two\n\n(part)=\n## Part\n\n{index}`Of two`\n",
        "three": "# Three\n\nSee [](two.md) and {ref}`part`. {index}`Of three <of three; and more>`\n",
    }
    for name, text in {"index": _CONTENTS, **texts}.items():
        (source / f"{name}.md").write_text(text, encoding="utf-8")
    (source / "conf.py").write_text(_CONF, encoding="utf-8")
    build(source, tmp_path / "again", PYTHONPATH=packages)
    for path, old, new in (_CHANGES[change], _SENTENCE):
        text = (source / path).read_text("utf-8")
        assert text.count(old) == 1
        (source / path).write_text(text.replace(old, new), encoding="utf-8")
        again = build(source, tmp_path / "again", PYTHONPATH=packages)
    assert again == build(source, tmp_path / "anew", PYTHONPATH=packages)


@pytest.mark.long
def test_incremental_build_of_whole_site_equals_full_build(tmp_path: Path) -> None:
    """An incremental build of the whole site after changes of a title and a sentence equals a full build."""
    checkout = copied(tmp_path / "checkout", tracked())
    surroundings = {"PYTHONPATH": checkouts.environment(checkout)["PYTHONPATH"], "FIRSTFLIGHT_ROOT": str(checkout)}
    build(checkout / "docs", tmp_path / "again", **surroundings)
    for path, old, new in (
        ("spec/hystartpp/rules.md", "# HyStart++", "# HyStart++ with another title"),
        ("docs/runner.md", "No result is stored between runs", "Results are not stored between runs"),
    ):
        text = (checkout / path).read_text("utf-8")
        assert old in text
        (checkout / path).write_text(text.replace(old, new, 1), encoding="utf-8")
    again = build(checkout / "docs", tmp_path / "again", **surroundings)
    anew = build(checkout / "docs", tmp_path / "anew", **surroundings)
    assert {name for name in again.keys() | anew.keys() if again.get(name) != anew.get(name)} == set()
