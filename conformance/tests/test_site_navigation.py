"""Every page has navigation and breadcrumbs, and the buttons of the first screen lead to built pages."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pages import home, navigation, parts, site


def pathto(name: str) -> str:
    return f"../../{name}.html"


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_PARTS", {})


@pytest.mark.usefixtures("whole")
def test_page_of_large_group_links_to_list_and_main_pages() -> None:
    short_navigation = navigation.short(f"{site.GENERATED}/vectors/search-path", pathto)
    assert f'href="../../{site.GENERATED}/vectors/index.html">Vectors</a>' in short_navigation
    assert 'href="../../judge.html">Judge a log</a>' in short_navigation
    assert short_navigation.index("Vectors</a>") < short_navigation.index("Watch it start</a>")


def test_missing_parts_are_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(parts, "BUILD", tmp_path / "build")
    monkeypatch.setattr(parts, "_PARTS", {name: (name, tmp_path / "build" / "x", "zig") for name in ("play", "judge")})
    assert "play.html" not in navigation.short(f"{site.GENERATED}/stacks/kwik", pathto)
    assert 'href="play.html"' not in home.html()
    assert (
        navigation.with_judge('<a href="../play.html">Watch it start</a></li>')
        == '<a href="../play.html">Watch it start</a></li>'
    )


@pytest.mark.usefixtures("whole")
def test_the_first_screen_has_five_buttons() -> None:
    assert home.html().count('class="action"') == 5
    assert navigation.with_judge('<li><a href="../play.html">Watch it start</a></li>').endswith(
        'href="../judge.html">Judge a log</a></li>'
    )


@pytest.mark.usefixtures("whole")
def test_start_page_links_to_the_judge_page() -> None:
    assert 'href="judge.html"' in navigation.with_judge('<li><a href="#">Watch it start</a></li>')


def test_breadcrumbs_begin_at_the_home_page() -> None:
    app: Any = SimpleNamespace(config=SimpleNamespace(root_doc="index"))
    context: dict[str, Any] = {
        "pathto": pathto,
        "parents": [{"link": "../algorithms/index.html", "title": "Algorithms"}],
    }
    navigation.add_crumbs(app, "algorithms/search", "page.html", context, object())  # type: ignore[arg-type]
    assert context["crumbs"] == [("../../index.html", "Firstflight"), ("../algorithms/index.html", "Algorithms")]
    context = {"pathto": pathto, "parents": []}
    navigation.add_crumbs(app, f"{site.GENERATED}/source/x/y-py", "page.html", context, object())  # type: ignore[arg-type]
    assert context["crumbs"][1] == (f"../../{site.GENERATED}/matrix.html", "Traceability matrix")


@pytest.mark.parametrize(("address", "is_public"), [("https://example.org/f.git", True), ("/srv/f", False), ("https://u:p@example.org/f", False)])  # fmt: skip
def test_only_a_public_address_is_shown(address: str, is_public: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home.subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=f"{address}\n"))
    assert home.repository() == (address if is_public else None)
    assert ("git clone" in home.html()) == is_public
