"""What a build of the site does again: pages when anything has changed, plots only when their data or code has."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from firstflight_conformance.docs_ext import generate


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let the steps of a build only note that they were taken; ``prose`` and ``data`` are all that they depend on."""
    notes: list[str] = []
    for name in ("prose", "data"):
        (tmp_path / name).write_text("1", encoding="utf-8")
    monkeypatch.setattr(generate, "_prose", lambda: [tmp_path / "prose"])
    monkeypatch.setattr(generate, "_data", lambda: [tmp_path / "data"])
    monkeypatch.setattr(generate, "_check_specification_pages", lambda _: None)
    monkeypatch.setattr(generate, "_pages", lambda: notes.append("pages") or {"page": "text"})
    monkeypatch.setattr(generate.site, "vectors", list)
    for module, step in (
        (generate.rooms, "write_plots"),
        (generate.computation_pages, "write_plots"),
        (generate.plot_cache, "write_plots"),
        (generate.profile_paths, "write_paths"),
        (generate, "write_published_plots"),
    ):
        monkeypatch.setattr(module, step, lambda *_: notes.append("plots"))
    return notes


def test_what_is_written_again(tmp_path: Path, written: list[str]) -> None:
    def build() -> list[str]:
        written.clear()
        generate.write_pages(SimpleNamespace(srcdir=str(tmp_path)))  # type: ignore[arg-type]
        return sorted(set(written))

    assert build() == ["pages", "plots"]
    assert (tmp_path / "_generated" / "page.md").read_text("utf-8") == "text"
    assert build() == []
    (tmp_path / "prose").write_text("2", encoding="utf-8")
    assert build() == ["pages"]
    (tmp_path / "data").write_text("2", encoding="utf-8")
    assert build() == ["pages", "plots"]
