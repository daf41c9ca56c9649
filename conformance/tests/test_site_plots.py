"""Plots of the built site follow the colour scheme, and their text is readable on a phone."""

import io
from collections.abc import Iterator
from typing import Any

import pytest

from firstflight_conformance.paths import BUILD

from served import served  # isort: skip

SITE = BUILD / "docs"
PAGES = (
    "index.html",
    "sizes.html",
    "algorithms/search.html",
    "algorithms/careful-resume.html",
    "_generated/vectors/search-path.html",
)
LETTERS = """() => [...document.querySelectorAll("article img[src$='.svg']")].slice(0, 8).map(async (image) => {
  const text = await (await fetch(image.src)).text();
  const width = Number(/viewBox="[\\d.]+ [\\d.]+ ([\\d.]+)/.exec(text)[1]);
  const sizes = [...text.matchAll(/font-size[:=]"?([\\d.]+)/g)].map((found) => Number(found[1])).filter((size) => size > 6);
  return Math.min(...sizes) * image.getBoundingClientRect().width / width;
}).reduce(async (all, one) => [...await all, await one], [])"""

pytestmark = [
    pytest.mark.site,
    pytest.mark.skipif(not (SITE / "find.html").exists(), reason="needs a built site (make docs)"),
]


@pytest.fixture(scope="module")
def root() -> Iterator[str]:
    with served(SITE) as (address, _):
        yield address


def luminance(tab: Any) -> list[float]:
    """Return the mean luminance of the first plots of a page, from 0 to 1."""
    image = pytest.importorskip("PIL.Image", reason="needs Pillow, which make setup installs")
    luminances = []
    for plot in tab.query_selector_all("article img[src$='.svg']")[:2]:
        plot.scroll_into_view_if_needed()
        pixels = image.open(io.BytesIO(plot.screenshot())).convert("L").resize((64, 64)).tobytes()
        luminances.append(sum(pixels) / len(pixels) / 255)
    return luminances


@pytest.mark.parametrize("page", PAGES)
def test_plots_follow_the_colour_scheme(page: str, root: str, tab: Any) -> None:
    for scheme in ("dark", "light"):
        tab.emulate_media(color_scheme=scheme)
        tab.goto(f"{root}/{page}")
        tab.wait_for_load_state("networkidle")
        luminances = luminance(tab)
        assert luminances
        assert all((mean_luminance < 0.5) is (scheme == "dark") for mean_luminance in luminances), (scheme, luminances)


@pytest.mark.parametrize("page", PAGES)
def test_plot_text_has_at_least_nine_pixels_on_a_phone(page: str, root: str, tab: Any) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.goto(f"{root}/{page}")
    tab.wait_for_load_state("networkidle")
    letter_heights = tab.evaluate(LETTERS)
    assert letter_heights
    assert min(letter_heights) >= 9, letter_heights
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
