"""Questions of five readers: from the home page, at most two clicks lead to the answer."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firstflight_conformance.paths import BUILD

from served import served  # isort: skip

SITE = BUILD / "docs"
CLICKS = 2
#: Judging loads an interpreter of 5 MB.
SLOW_MS = 300_000

pytestmark = [
    pytest.mark.site,
    pytest.mark.skipif(
        not (SITE / "find.html").exists(),
        reason="needs a built site (make docs); make site checks it",
    ),
]


class Reader:
    """A reader who begins at the home page and follows visible links and buttons."""

    def __init__(self, tab: Any, root: str) -> None:
        self.tab, self.root, self.clicks = tab, root, 0
        tab.set_viewport_size({"width": 1280, "height": 900})
        tab.goto(f"{root}/index.html")

    def click(self, name: str | re.Pattern[str], *, row: str = "", kind: str = "link") -> None:
        """Click on a link or button by its text, within the table row with a text if given."""
        self.clicks += 1
        assert self.clicks <= CLICKS
        within = self.tab.get_by_role("row").filter(has_text=row) if row else self.tab.get_by_role("main")
        within.get_by_role(kind, name=name, exact=isinstance(name, str)).locator("visible=true").first.click()
        self.tab.wait_for_load_state()

    def visible_text(self, selector: str, *texts: str) -> str:
        """Return the text of the first visible element with all texts."""
        elements = self.tab.locator(selector)
        for text in texts:
            elements = elements.filter(has_text=text)
        first = elements.locator("visible=true").first
        first.wait_for(timeout=10_000)
        return str(first.inner_text())

    def fill(self, **values: str) -> None:
        """Fill fields by their ids, with underscores for hyphens."""
        for name, value in values.items():
            self.tab.fill(f"#{name.replace('_', '-')}", value)
            self.tab.locator(f"#{name.replace('_', '-')}").press("Enter")

    def downloads(self, selector: str, *texts: str) -> bytes:
        """Return the target file of the first visible link with all texts."""
        self.visible_text(selector, *texts)
        elements = self.tab.locator(selector)
        for text in texts:
            elements = elements.filter(has_text=text)
        address = elements.locator("visible=true").first.evaluate("(link) => link.href")
        answer = self.tab.request.get(address)
        assert answer.status == 200
        return bytes(answer.body())


@pytest.fixture(scope="module")
def root() -> Iterator[str]:
    with served(SITE) as (address, _):
        yield address


@pytest.fixture
def reader(tab: Any, root: str) -> Reader:
    return Reader(tab, root)


def test_a_third_click_and_a_hidden_link_are_refused(reader: Reader) -> None:
    reader.click("Data")
    reader.tab.set_default_timeout(2000)
    reader.tab.evaluate(
        "document.querySelectorAll('article a').forEach((one) => one.hidden = one.textContent === 'packetdrill')"
    )
    with pytest.raises(Exception, match="Timeout"):
        reader.click("packetdrill")
    with pytest.raises(AssertionError):
        reader.click("Install")


# Reader 1 implements SEARCH.


def test_recommended_search_profile(reader: Reader) -> None:
    reader.click("Algorithms", row="an algorithm on one page")
    reader.click("SEARCH (draft-chung-ccwg-search)")
    advice = reader.visible_text("article p", "A new implementation", "should use search/draft-09")
    assert "newest version" in advice


def test_the_constants_of_search(reader: Reader) -> None:
    reader.click("Profiles", row="a text as a short program")
    reader.click("search/draft-09")
    for name, value, unit in (
        ("W", "10", "bins"), ("EXTRA_BINS", "15", "bins"), ("THRESH_PERCENT", "26", "percent"), ("TARGET_BINS", "3", "bins"), ("BIN_TICKS_PER_RTT_NS", "7", "ticks per ns"),
    ):  # fmt: skip
        cells = reader.tab.locator("#constants tr").filter(has=reader.tab.get_by_text(name, exact=True)).locator("td")
        assert cells.all_inner_texts()[:3] == [name, value, unit]
        assert cells.first.is_visible()
    assert reader.visible_text("#state td", "[0] * (W + 1 + EXTRA_BINS)")
    assert reader.visible_text("#rules p", "search.restart")


def test_the_pseudocode_is_of_the_recommended_search(reader: Reader) -> None:
    reader.click("Algorithms", row="an algorithm on one page")
    reader.click("SEARCH (draft-chung-ccwg-search)")
    lines = reader.visible_text("#in-ten-lines pre")
    assert 8 <= len(lines.splitlines()) <= 12
    assert "bin_duration = 0.35 R" in lines
    assert "if (sent - curr) / sent >= 0.26" in lines
    assert reader.visible_text("article p", "Step through it", "controller search/draft-09")
    assert "draft-09" in reader.tab.locator("article img.plot").first.get_attribute("src")


def test_the_first_vectors_of_search(reader: Reader) -> None:
    reader.click("SEARCH", row="the ten vectors that catch the most bugs")
    rows = reader.tab.locator("#begin-with-these-vectors tbody tr")
    assert rows.count() == 10
    assert "search.path.deep-queue" in rows.first.inner_text()
    assert rows.first.is_visible()


def test_the_archive_of_the_vectors_of_search(reader: Reader) -> None:
    reader.click("Vectors")
    assert reader.downloads("article a", "vectors-search.tar.xz").startswith(b"\xfd7zXZ")


def test_search_mistakes_of_other_implementations(reader: Reader) -> None:
    reader.click("SEARCH", row="errors in the texts")
    assert reader.visible_text("tr", "interpolation in the wrong direction", "the fork of picoquic")


def test_search_page_links_to_its_errata(reader: Reader) -> None:
    reader.click("Algorithms", row="an algorithm on one page")
    reader.click("SEARCH (draft-chung-ccwg-search)")
    assert reader.downloads("article a", "errata")


# Reader 2 wrote one of the texts.


def test_an_erratum_of_search_plays_at_its_event(reader: Reader) -> None:
    reader.click("SEARCH", row="errors in the texts")
    assert reader.visible_text("article li", "Instead")
    reader.click("shift.fifteen-aliases@lanman-2024-literal, event 53")
    position = reader.visible_text("#play-position", "ms")
    assert position.startswith("event 53 of 0 to 55, ")
    assert "norm_diff" in reader.visible_text("#play-rule", "threshold")


def test_the_first_erratum_of_careful_resume_is_shown_by_a_vector(reader: Reader) -> None:
    reader.click("Careful Resume", row="errors in the texts")
    section = reader.tab.locator("section").filter(has=reader.tab.get_by_role("heading", name="C1.")).last
    assert section.get_by_text("Shown by").is_visible()
    assert section.get_by_text("Proposed for 3.3 to 3.5").is_visible()
    reader.click("example.b4-loss@rfc-9959, event 23")
    assert "event 23 of" in reader.visible_text("#play-position", "ms")


# Reader 3 works on a kernel.


def test_controller_on_a_custom_path(reader: Reader) -> None:
    reader.click("Watch a start")
    reader.tab.wait_for_selector("#play-stage:not([hidden])")
    reader.tab.select_option("#play-a", "cubic/rfc-9438")
    reader.tab.select_option("#play-unit", "packets")
    reader.fill(play_rate="50", play_rtt="40", play_queue="100", play_loss="0")
    summary = reader.visible_text("#play-summary", "cubic/rfc-9438", "packets dropped by the queue")
    assert re.search(
        r"leaves slow start after [\d.]+ ms at [\d.]+ BDP; RTT 40\.\d to \d+\.\d ms; goodput [\d.]+ Mbit/s", summary
    )


def test_packetdrill_scripts(reader: Reader) -> None:
    reader.click("packetdrill", row="test a kernel with packetdrill")
    assert reader.visible_text("article p", "A script that passes prints nothing and exits with 0")
    assert b"+0" in reader.downloads("article td a", ".pkt")


# Reader 4 compares startup schemes.


def calculated(reader: Reader) -> dict[str, list[str]]:
    """Return the rows of the calculator for 100 kB and 600 ms at 10 Mbit/s with an initial window of 10."""
    reader.click("Calculator")
    reader.tab.wait_for_selector("#calculate-form:not([hidden])")
    reader.fill(calculate_rate="10", calculate_rtt="600", calculate_size="100", calculate_iw="10")
    rows = reader.tab.locator("#calculate-rows tr:visible").all()
    return {row.locator("th").inner_text(): row.locator("td").all_inner_texts() for row in rows}


def test_calculator_shows_the_gain_of_jump_start(reader: Reader) -> None:
    model, gain, simulated, _ = calculated(reader)["Jump-Start"]
    assert (model, gain) == ("1,357.764 ms", "1.36")
    milliseconds = [float(text.removesuffix(" ms").replace(",", "")) for text in (model, simulated)]
    assert abs(milliseconds[0] - milliseconds[1]) <= 2 * 41.2  # packets paced over 65,536 bytes in 600 ms


def test_the_formula_of_a_scheme(reader: Reader) -> None:
    calculated(reader)
    assert reader.visible_text("tr", "s, L", "size of the response")
    reader.click("Jump-Start")
    assert reader.visible_text("section#paced-start-equations-3-and-4", "3")


def test_command_for_the_published_results(reader: Reader) -> None:
    reader.click("Published results", row="published results, computed again")
    assert reader.visible_text("article p", "make results")
    assert reader.visible_text("article tr", "reproduced")


def test_results_as_csv(reader: Reader) -> None:
    rows = calculated(reader)
    with reader.tab.expect_download() as waiting:
        reader.click("Save CSV", kind="button")
    text = Path(waiting.value.path()).read_text("utf-8")
    csv_rows = list(csv.reader(io.StringIO(text)))
    assert {"Slow start", "Jump-Start"} <= set(rows)
    assert any("jump" in cell.lower() for row in csv_rows for cell in row), text


def test_how_to_cite(reader: Reader) -> None:
    reader.clicks += 1
    reader.tab.locator("footer a:visible", has_text="Licence and citing").first.click()
    entry = reader.visible_text("article pre", "@software{firstflight")
    for member in ("version", "year", "url"):
        assert re.search(rf"{member}\s+= \{{.+\}}", entry)


# Reader 5 operates servers.


def test_judge_shows_the_reason_of_an_early_exit(reader: Reader) -> None:
    reader.click("Judge a log")
    reader.tab.set_default_timeout(SLOW_MS)
    reader.tab.wait_for_selector("body[data-state=ready]")
    reader.click("a kernel's CUBIC, captured", kind="button")
    reader.tab.wait_for_selector("body[data-state=done]")
    assert re.search(
        r"path: about [\d.]+ Mbit/s and [\d.]+ ms, a product of \d+ bytes; slow start was left at [\d.]+ of it",
        reader.visible_text("#answer", "path: about"),
    )
    why = reader.visible_text("#answer li", "why, by hystart/linux")
    assert len(re.findall(r"[\d.]+ ms", why)) >= 2
    assert reader.tab.locator("#answer a:visible").count() >= 2


def test_the_page_about_early_exits(reader: Reader) -> None:
    reader.click("Early exit", row="the reason of an early exit")
    assert reader.visible_text("article li", "An exit below one product is early")
