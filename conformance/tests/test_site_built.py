"""The built site in a browser: no axe findings, no overflow, no external requests, and metadata on every page."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firstflight_conformance.paths import BUILD

from served import served  # isort: skip

SITE = BUILD / "docs"
PAGES = (
    "index.html", "algorithms/index.html", "algorithms/search.html", "play.html", "find.html", "calculator.html", "install.html", "firefox.html",
    "tutorial.html", "glossary.html", "specification/index.html", "specification/hystartpp.html", "specification/adapter-protocol.html",
    "_generated/commands.html", "_generated/vectors/hystart-path.html",
)  # fmt: skip
#: In addition, one page of each kind that axe does not check.
MORE = (
    "_generated/stacks.html", "_generated/matrix.html", "_generated/results.html", "_generated/connections.html", "_generated/readings.html",
    "_generated/freedoms.html", "_generated/plain/search_draft_09.html", "_generated/api/python.html", "_generated/api/c.html", "_generated/vectors/index.html",
    "_generated/implementation-status.html", "_generated/changelog.html", "judge.html", "404.html", "sizes.html", "search-profiles.html", "recordings.html",
    "hostile.html", "reliability-attacks.html", "stacks.html", "bbr-stacks.html", "search-replay.html", "proof.html", "conforming.html",
    "_generated/readings/search.html", "_generated/freedoms/search.html", "_generated/history/quiche.html",
    "specification/search-open-points.html", "specification/search-dialects.html",
)  # fmt: skip
BAD = Path(__file__).with_name("site_bad.html")
WIDTHS = (1280, 390)
#: Elements outside the window that are not in a scrolling box.
OUTSIDE = """() => [...document.querySelectorAll("body *")].filter((each) => {
  const box = each.getBoundingClientRect();
  if (box.width === 0 || box.right <= document.documentElement.clientWidth + 1 || box.left < 0) return false;
  for (let up = each; up; up = up.parentElement) {
    const { overflowX, position } = getComputedStyle(up);
    if (["auto", "scroll", "hidden", "clip"].includes(overflowX) && up !== document.body || position === "fixed") return false;
  }
  return true;
}).map((each) => `${each.tagName} ${each.className} ${each.textContent.trim().slice(0, 40)}`)"""

#: Tables that scroll sideways without a sticky first column.
LOOSE = """() => [...document.querySelectorAll("article table.docutils")].filter((table) => {
  const box = table.closest(".table-wrapper");
  if (!box || box.scrollWidth <= box.clientWidth + 1) return false;
  return getComputedStyle(table.querySelector("tbody tr > :first-child")).position !== "sticky";
}).map((table) => table.textContent.trim().slice(0, 40))"""

pytestmark = [
    pytest.mark.site,
    pytest.mark.skipif(
        not (SITE / "find.html").exists(),
        reason="needs a built site (make docs); make site checks it",
    ),
]


@pytest.fixture(scope="module")
def root() -> Iterator[str]:
    with served(SITE, {"/bad.html": BAD}) as (address, _):
        yield address


@pytest.fixture
def requested(tab: Any) -> list[str]:
    """Collect every request of a page."""
    urls: list[str] = []
    tab.on("request", lambda request: urls.append(request.url))
    return urls


def violations(tab: Any, address: str) -> list[str]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe (make site-extras)")
    tab.goto(address)
    tab.wait_for_load_state("networkidle")
    axe_violations = axe.Axe().run(tab, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{violation['id']}: {len(violation['nodes'])} times, first {violation['nodes'][0]['target']}"
        for violation in axe_violations
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_pages_pass_axe(page: str, scheme: str, root: str, tab: Any) -> None:
    tab.emulate_media(color_scheme=scheme)
    assert violations(tab, f"{root}/{page}") == []


def test_axe_reports_violations(root: str, tab: Any) -> None:
    assert [violation.partition(":")[0] for violation in violations(tab, f"{root}/bad.html")] == [
        "html-has-lang",
        "image-alt",
    ]


@pytest.mark.parametrize("page", [*PAGES, *MORE])
def test_pages_fit_the_window_and_request_only_the_site(page: str, root: str, tab: Any, requested: list[str]) -> None:
    for width in WIDTHS:
        tab.set_viewport_size({"width": width, "height": 900})
        tab.goto(f"{root}/{page}")
        tab.wait_for_load_state("networkidle")
        assert tab.evaluate(OUTSIDE) == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert {address for address in requested if not address.startswith((root, "data:", "blob:"))} == set()


@pytest.mark.parametrize("page", [*PAGES, *MORE])
def test_wide_tables_have_a_sticky_first_column(page: str, root: str, tab: Any) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.goto(f"{root}/{page}")
    assert tab.evaluate(LOOSE) == []


def test_non_sticky_first_column_is_detected(root: str, tab: Any) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.goto(f"{root}/_generated/stacks.html")
    tab.add_style_tag(content="article table.docutils td:first-child { position: static !important; }")
    assert tab.evaluate(LOOSE) != []


def test_overflowing_element_is_detected(root: str, tab: Any) -> None:
    tab.goto(f"{root}/bad.html")
    assert len(tab.evaluate(OUTSIDE)) == 1


def test_every_page_has_metadata() -> None:
    """Each page has its own title and description, icon, version and commit; every picture has an alternative text."""
    titles: dict[str, str] = {}
    for path in sorted(SITE.rglob("*.html")):
        name, text = path.relative_to(SITE).as_posix(), path.read_text("utf-8")
        if name in {"404.html", "judge.html", "search.html", "genindex.html", "py-modindex.html"} or name.startswith(
            "_static/"
        ):
            continue
        title = re.search(r"<title>(.*?)</title>", text, re.DOTALL)
        assert title is not None, name
        assert title[1] not in titles, (name, titles[title[1]])
        titles[title[1]] = name
        assert '<meta name="description" content="' in text or "_generated/source/" in name, name
        assert 'rel="icon"' in text or 'rel="shortcut icon"' in text, name
        assert re.search(r'class="built-from">Firstflight \d+\.\d+\.\d+\S*, commit <code>[0-9a-f]{12}</code> of \d{4}-', text), name  # fmt: skip
        assert [image for image in re.findall(r"<img\b[^>]*>", text) if not re.search(r'alt="[^"]', image)] == [], name
