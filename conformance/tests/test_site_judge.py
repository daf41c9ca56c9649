"""judge.html in a browser: a dropped log gives the JSON of the command; neither page nor worker can send anything."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from click.testing import CliRunner

from firstflight_conformance.cli import main
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.logs.qlog.write import qlog_text
from firstflight_conformance.logs.recording import files
from firstflight_conformance.logs.recording.from_case import recording_of
from pages import judge, site

from qlog_imitations import WRITERS, written  # isort: skip
from served import served  # isort: skip
from test_ack_tables import rows, table  # isort: skip

KEPT = Path(__file__).parent / "kept_captures"
#: Connections given to the page as a qlog, as a recording and, in aggregate, in the style of every writer.
CASES = ("search.path.deep-queue@linux-4", "search.path.deep-queue@neqo-2026", "hystart.path.deep-queue@linux", "hystartpp.path.deep-queue@rfc-9406", "cubic.rounds.sawtooth@rfc-9438")  # fmt: skip

interpreter = pytest.mark.skipif(
    not (judge.INTERPRETER / "pyodide.asm.wasm").exists(),
    reason="needs the interpreter of the page (make judge-extras)",
)


def case(name: str) -> Case:
    vector, _, profile = name.partition("@")
    return Case(site.vectors_by_id()[vector], profile)


def logs(folder: Path) -> Iterator[tuple[str, str | None]]:
    """Write the logs; yield the name of each log and of its peer's log."""
    folder.mkdir()
    for capture in sorted(KEPT.glob("*.pcap.gz")):
        (folder / capture.stem).write_bytes(gzip.decompress(capture.read_bytes()))
        yield capture.stem, None
    for name in CASES:
        recording = recording_of(case(name))
        stem = re.sub(r"\W", "-", name)
        (folder / f"{stem}.sqlog").write_text(qlog_text(recording, name, ""), encoding="utf-8")
        files.save(recording, folder / f"{stem}.jsonl")
        yield from ((f"{stem}.sqlog", None), (f"{stem}.jsonl", None))
    stream = recording_of(case(CASES[0])).cut(events=700)
    for name, habits in WRITERS.items():
        stem = re.sub(r"\W", "-", name)
        log, peer = written(stream, habits)
        (folder / f"{stem}.qlog").write_text(log, encoding="utf-8")
        if peer is not None:
            (folder / f"{stem}-peer.sqlog").write_text(peer, encoding="utf-8")
        yield f"{stem}.qlog", None if peer is None else f"{stem}-peer.sqlog"
    for vector, profile in (("hystart/path.deep-queue", "linux"), ("search/path.deep-queue", "linux-4")):
        name = f"{profile}.csv"
        (folder / name).write_bytes(table(rows(vector, profile)))
        yield name, None
    whole = (folder / "search-path-deep-queue-linux-4.jsonl").read_text("utf-8")
    (folder / "broken.jsonl").write_text(whole.replace('"event"', '"evant"', 1), encoding="utf-8")
    yield "broken.jsonl", None
    (folder / "prose.txt").write_text("no log at all", encoding="utf-8")
    yield "prose.txt", None


DROP = """() => {
  const transfer = new DataTransfer();
  transfer.items.add(document.getElementById("held").files[0]);
  document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: transfer }));
}"""
HOLD = """() => document.body.append(Object.assign(document.createElement("input"), { type: "file", id: "held", hidden: true }))"""
ANSWER = """() => document.getElementById("fault").hidden
  ? { json: document.getElementById("json").textContent, curves: document.querySelectorAll("#curve path.line").length }
  : { fault: document.getElementById("fault").textContent }"""


def opened(tab: Any, root: str) -> None:
    tab.goto(f"{root}/judge.html")
    tab.set_default_timeout(300_000)
    tab.wait_for_selector("body[data-state=ready]")  # wait_for_function would evaluate code, which the policy forbids


def tried(tab: Any) -> str:
    """Press the button that attempts requests from the page and from its worker."""
    tab.click("#try")
    tab.wait_for_selector("#tried:has-text('worker')")
    sentence: str = tab.text_content("#tried")
    return sentence


def dropped(tab: Any, folder: Path, name: str, peer: str | None) -> dict[str, Any]:
    """Drop a log on the page, as a reader does; return the answer of the page."""
    tab.set_input_files("#peer", [folder / peer] if peer else [])
    tab.set_input_files("#held", folder / name)
    tab.evaluate("document.body.dataset.state = 'dropping'")
    tab.evaluate(DROP)
    tab.wait_for_selector("body[data-state=done]")
    answer: dict[str, Any] = tab.evaluate(ANSWER)
    return answer


def command(folder: Path, name: str, peer: str | None) -> str:
    options = [] if peer is None else ["--peer", str(folder / peer)]
    result = CliRunner().invoke(main, ["judge", str(folder / name), *options, "--json"])
    return result.output.strip()


def as_the_command(tab: Any, tmp_path: Path, names: list[tuple[str, str | None]]) -> None:
    site_folder = tmp_path / "site"
    site_folder.mkdir()
    (site_folder / "judge.html").write_text(judge.page(judge.INTERPRETER), encoding="utf-8")
    with served(site_folder) as (root, requested):
        opened(tab, root)
        tab.evaluate(HOLD)
        for name, peer in names:
            answer, printed = dropped(tab, tmp_path / "logs", name, peer), command(tmp_path / "logs", name, peer)
            if name in ("prose.txt", "broken.jsonl"):
                assert printed.startswith("Error: ")
                assert "json" not in answer
                assert answer["fault"] in printed or "violates its schema" in answer["fault"]
                continue
            assert answer.get("json") == printed, (name, answer.get("fault"))
            assert answer["curves"] == 3
        assert tried(tab) == "A request from the page: refused. A request from the worker: refused."
    assert requested == ["/judge.html"]


@interpreter
def test_page_matches_the_command_without_requests(tab: Any, tmp_path: Path) -> None:
    log_names = {
        "access-line-cubic.pcap",
        "broken.jsonl",
        "search-path-deep-queue-linux-4.jsonl",
        "hystart-path-deep-queue-linux.sqlog",
        "quinn.qlog",
        "prose.txt",
    }
    names = [log_and_peer for log_and_peer in logs(tmp_path / "logs") if log_and_peer[0] in log_names]
    assert len(names) == len(log_names)
    as_the_command(tab, tmp_path, names)


@interpreter
@pytest.mark.long
def test_page_matches_the_command_for_every_test_log(tab: Any, tmp_path: Path) -> None:
    names = list(logs(tmp_path / "logs"))
    assert len(names) == len([*KEPT.glob("*.pcap.gz")]) + 2 * len(CASES) + len(WRITERS) + 4
    as_the_command(tab, tmp_path, names)


@interpreter
def test_page_without_policy_can_send_requests(tab: Any, tmp_path: Path) -> None:
    """Without the policy the requests succeed, so the policy blocks them in the other tests."""
    open_policy = "script-src * 'unsafe-inline' 'unsafe-eval' blob:; worker-src blob:"
    (tmp_path / "judge.html").write_text(judge.page(judge.INTERPRETER, open_policy), encoding="utf-8")
    with served(tmp_path) as (root, requested):
        opened(tab, root)
        assert tried(tab) == "A request from the page: sent. A request from the worker: sent."
    assert requested.count("/sent-by-judge") == 2


@interpreter
def test_sample_has_an_address_and_answers_have_links(tab: Any, tmp_path: Path) -> None:
    """The address of a sample judges it; profiles and rules in the answer link to pages and anchors of the site."""
    (tmp_path / "judge.html").write_text(judge.page(judge.INTERPRETER), encoding="utf-8")
    with served(tmp_path) as (root, _):
        tab.set_default_timeout(300_000)
        tab.goto(f"{root}/judge.html#sample=search.sqlog")
        tab.wait_for_selector("body[data-state=done]")
        assert tab.text_content("#name") == "search.sqlog"
        document = tab.text_content("#json")
        links = tab.eval_on_selector_all("#answer a", "(all) => all.map((each) => each.getAttribute('href'))")
    assert len(links) >= 2
    assert any(link.startswith("_generated/profiles/search-") for link in links)
    known = judge.addresses()
    assert {link for link in links if not link.startswith("play.html")} <= {
        *known["profiles"].values(),
        *known["clauses"].values(),
    }
    path = json.loads(document)["path"]
    watched = dict(parse_qsl(next(link for link in links if link.startswith("play.html")).partition("#")[2]))
    assert watched["a"].partition("+")[0] in known["profiles"]
    assert watched["unit"] == "ms"
    assert float(watched["rate"]) == pytest.approx(path["rate_bps"] / 1e6, rel=0.005)
    assert float(watched["rtt"]) == pytest.approx(path["least_rtt_ms"], rel=0.005)
    assert float(watched["queue"]) > float(watched["rtt"]) / 2


def test_profiles_and_clauses_have_page_addresses() -> None:
    known = judge.addresses()
    assert known["profiles"]["search/draft-09"] == "_generated/profiles/search-draft-09.html"
    assert "transfer-time/slow-start" not in known["profiles"]
    assert known["clauses"]["search.bins.advance"] == "specification/search.html#clause-search-bins-advance"


def test_page_reports_a_missing_interpreter(tmp_path: Path) -> None:
    page = judge.page(tmp_path)
    assert "This copy of the page has no interpreter" in page
    assert len(page) < 50_000


def test_policy_blocks_requests_and_other_scripts(tmp_path: Path) -> None:
    page = judge.page(tmp_path)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    rules = dict(rule.strip().partition(" ")[::2] for rule in policy[1].replace("&#x27;", "'").split(";"))
    assert (rules["default-src"], rules["connect-src"]) == ("'none'", "'none'")
    assert "unsafe-inline" not in policy[1]
    assert not re.search(r"https?:|\*", policy[1])
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == rules["script-src"].count("sha256-") == 3
