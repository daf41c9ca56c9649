"""The HTML report: one file with the results of the run, unaffected by foreign text from adapters."""

import shlex
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl

import pytest
from click.testing import CliRunner

from firstflight_conformance.cli import main
from firstflight_conformance.records.findings import Curve
from firstflight_conformance.records.results import AdapterReport
from firstflight_conformance.report import html_page
from firstflight_conformance.report.curve import svg
from runner_support import command, write_vectors

HERE = Path(__file__).parent
_VOID = ("meta", "br")


class Page(HTMLParser):
    """Reads the text and links of a page, and checks that every element is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.elements: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "xlink:href")]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def page_of(path: Path, *words: str, code: int) -> Page:
    """Run the command, and return the written page."""
    result = CliRunner().invoke(main, ["run", *words, "--html", str(path)])
    assert result.exit_code == code, result.output
    return Page(path.read_text(encoding="utf-8"))


def mutant(name: str) -> str:
    """Return the command of a mutant of HyStart++."""
    return shlex.join([sys.executable, str(HERE / "mutant_adapter.py"), "hystartpp", "rfc-9406", "-", name])


@pytest.mark.parametrize(
    ("code", "explained", "words"),
    [(0, 0, "conforms"), (0, 3, "diverges as explained"), (1, 3, "diverges"), (4, 0, "nothing was judged")],
)
def test_explained_deviations_are_not_shown_as_conforming(code: int, explained: int, words: str) -> None:
    """A stack whose deviations are explained passes, but the page does not begin by stating conformance."""
    report: Any = SimpleNamespace(not_green=(), counts=Counter(explained=explained))
    assert html_page.verdict([report], code)[2] == words


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> list[AdapterReport]:
    """Return the report of a failing mutant."""
    failed_reports: list[AdapterReport] = []

    def text(reports: list[AdapterReport], _: int, **__: Any) -> str:
        failed_reports.extend(reports)
        return ""

    words = ("--adapter", mutant("hystartpp-clamp-always-16"), "--algorithm", "hystartpp", "--profile", "rfc-9406")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(html_page, "text", text)
        path = tmp_path_factory.mktemp("failed") / "report.html"
        assert CliRunner().invoke(main, ["run", *words, "--html", str(path)]).exit_code == 1
    return failed_reports


def test_failure_page_is_complete_and_self_contained(failed: list[AdapterReport]) -> None:
    """The page has verdict, cause, decision, rule, arithmetic, cases and a plot, and loads nothing from elsewhere."""
    page = Page(html_page.text(failed, 1, strict=False))
    assert "diverges" in page.text
    assert "swaps the bounds of the threshold, so that it is always 16 ms" in page.text
    assert "exact: every answer to the end" in page.text
    assert "decided at event 28, visible later" in page.text
    assert "hystartpp.delay.minimum" in page.text
    assert page.elements.count("svg") == page.elements.count("article") == 1
    assert page.links == ["#a1"]
    assert "details" in page.elements


def test_failures_link_to_the_differing_event(failed: list[AdapterReport]) -> None:
    """Each failure links to the differing event with the values of the adapter; passing cases are not linked."""
    page = Page(html_page.text(failed, 1, strict=False, site="https://site.example/"))
    links = [link for link in page.links if not link.startswith("#")]
    assert len(links) > len(set(links)) >= 1  # the vector of the cause is also listed under the cases
    for link in links:
        address, _, values = link.partition("#")
        parameters = dict(parse_qsl(values))
        assert address == "https://site.example/play.html"
        assert parameters["vector"].startswith("hystartpp.")
        assert parameters["a"] == "hystartpp/rfc-9406"
        assert parameters["step"] == parameters.get("at", parameters["step"])
        assert parameters["vector"] in page.text
    assert page.text.count(" play") == len(links) - page.elements.count("article")


def test_conforming_cases_are_marked(tmp_path: Path) -> None:
    """Conforming cases are marked, with the open point."""
    words = ("--adapter", mutant("hystartpp-rounds-eighth-down"), "--id", "hystartpp.delay.*", "--profile", "rfc-9406")
    page = page_of(tmp_path / "report.html", *words, code=0)
    assert "✓ conforms" in page.text
    assert "Other choices, which conform" in page.text
    assert "hystartpp H9 is open" in page.text


@pytest.mark.parametrize(("script", "mode", "code"), [("answers", "wrong", 1), ("answers", "unsupported", 4)])
def test_page_is_written_for_small_runs(tmp_path: Path, script: str, mode: str, code: int) -> None:
    """A page is written for a failure with unknown cause, and for a run with only passes and unsupported cases."""
    root = write_vectors(tmp_path / "vectors")
    words = ("--vectors", str(root), "--adapter", shlex.join(command(script, mode)))
    page = page_of(tmp_path / "report.html", *words, code=code)
    assert ("Unknown cause" in page.text) == (code == 1)


def test_crash_log_cannot_add_page_elements(tmp_path: Path) -> None:
    """The last lines of a crash log are shown, and the log cannot add elements to the page."""
    log = "<script>alert(1)</script></pre>\n" + "\n".join(f"line {n}" for n in range(30))
    program = tmp_path / "crash.py"
    program.write_text(f"import sys\nsys.stderr.write({log!r})\nsys.exit(7)\n", encoding="utf-8")
    root = write_vectors(tmp_path / "vectors")
    adapter = shlex.join([sys.executable, str(program)])
    page = page_of(tmp_path / "a.html", "--vectors", str(root), "--adapter", adapter, code=3)
    assert "line 29" in page.text
    assert "line 10" in page.text
    assert "line 9\n" not in page.text
    program.write_text(
        "import sys\nsys.stderr.write('<script>alert(1)</script></pre>')\nsys.exit(7)\n", encoding="utf-8"
    )
    page = page_of(tmp_path / "b.html", "--vectors", str(root), "--adapter", adapter, code=3)
    assert "script" not in page.elements
    assert "<script>alert(1)</script></pre>" in page.text


@pytest.mark.parametrize(
    ("curve", "apart"),
    [
        (Curve(0, (1200,), (1200,), 0, 0), False),
        (Curve(5, (2**60, 2**60), (0, 1), 5, 6), True),
        (Curve(0, tuple(range(41)), tuple(range(0, 82, 2)), 1, 4), False),
    ],
    ids=["one event", "huge", "close"],
)
def test_curves_stay_within_their_frame(curve: Curve, apart: bool) -> None:
    """Every curve is drawn within its frame, for any numbers; both events are marked if they differ."""
    text = svg(curve)
    page = Page(str(text))
    assert "decided" in page.text
    assert ("seen" in page.text) == apart
    assert "000000" not in page.text
    numbers = [
        float(number)
        for number in str(text).split(' d="M')[-1].split('"')[0].replace("H", " ").replace("V", " ").split()
    ]
    assert all(0 <= number <= 640 for number in numbers)
