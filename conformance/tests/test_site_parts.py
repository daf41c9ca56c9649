"""Missing parts of the site are left out of the navigation, and an incomplete site is not packed."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from dist import __main__ as dist
from dist import contents
from pages import parts

NAVIGATION = (
    '<ul><li class="toctree-l1"><a class="reference internal" href="../play.html">Watch it start</a></li>'
    '<li class="toctree-l1"><a class="reference internal" href="../sizes.html">Every start</a></li></ul>'
)


def test_navigation_omits_missing_parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(parts, "_PARTS", {"play": ("Watch it start", Path(__file__), "zig")})
    assert (parts.missing(), parts.without_missing(NAVIGATION)) == ({}, NAVIGATION)
    monkeypatch.setattr(parts, "BUILD", tmp_path / "build")
    monkeypatch.setattr(parts, "_PARTS", {"play": ("Watch it start", tmp_path / "build" / "x.wasm", "zig")})
    assert parts.missing() == {"play": "Watch it start needs build/x.wasm (zig)"}
    assert "play.html" not in parts.without_missing(NAVIGATION)
    assert "sizes.html" in parts.without_missing(NAVIGATION)


def test_an_incomplete_site_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    site = tmp_path / "build" / "docs"
    site.mkdir(parents=True)
    (site / "index.html").write_text("home", "utf-8")
    (site / parts.LIST).write_text("Judge a log needs npm\n", "utf-8")
    monkeypatch.setattr(contents, "ROOT", tmp_path)
    monkeypatch.setattr(dist, "_ARCHIVES", {"site": contents.site})
    monkeypatch.setattr(dist, "_BUILT", {"site": (site / "index.html", "docs")})
    monkeypatch.setattr(contents, "packages", lambda stage, out: None)
    done = CliRunner().invoke(dist.main, ["--out", str(tmp_path / "dist")])
    assert (done.exit_code, "the site is incomplete: Judge a log needs npm" in done.output) == (1, True)
    (site / parts.LIST).unlink()
    assert CliRunner().invoke(dist.main, ["--out", str(tmp_path / "dist")]).exit_code == 0
