"""judge.html in a browser: a log that is dropped gives the JSON of the command, and neither page nor worker can send anything."""

import gzip
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from click.testing import CliRunner

from firstflight_conformance.cases.vectors import Case
from firstflight_conformance.cli import main
from firstflight_conformance.qlog.write import qlog_text
from firstflight_conformance.recording import files
from firstflight_conformance.recording.from_case import recording_of
from pages import judge, site

from qlog_imitations import WRITERS, written  # isort: skip
from test_ack_tables import rows, table  # isort: skip

KEPT = Path(__file__).parent / "kept_captures"
HARNESS = Path(__file__).with_name("site_judge.html")
#: The connections of which the page gets a qlog, a recording and, as an aggregate, the habits of every writer.
CASES = ("search.path.deep-queue@linux-4", "search.path.deep-queue@neqo-2026", "hystart.path.deep-queue@linux", "hystartpp.path.deep-queue@rfc-9406", "cubic.rounds.sawtooth@rfc-9438")  # fmt: skip

browser = pytest.mark.skipif(
    shutil.which("chromium") is None or not (judge.INTERPRETER / "pyodide.asm.wasm").exists(),
    reason="needs chromium and the interpreter of the page (make judge-extras), of which not all are here",
)


def case(name: str) -> Case:
    vector, _, profile = name.partition("@")
    return Case(site.vectors_by_id()[vector], profile)


def logs(folder: Path) -> Iterator[tuple[str, str | None]]:
    """Write the logs; yield the name of each, and of the other side's."""
    folder.mkdir()
    for kept in sorted(KEPT.glob("*.pcap.gz")):
        (folder / kept.stem).write_bytes(gzip.decompress(kept.read_bytes()))
        yield kept.stem, None
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


class Handler(SimpleHTTPRequestHandler):
    """A folder on loopback, which notes every request, and takes the answer of the harness."""

    asked: list[str]
    answer: dict[str, Any]
    done: Event

    def do_POST(self) -> None:
        self.answer.update(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()
        self.done.set()

    def do_GET(self) -> None:
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def dropped(folder: Path, names: list[tuple[str, str | None]], seconds: int) -> tuple[dict[str, Any], list[str]]:
    """Drop files on the page in a browser. Return what the harness tells, and the requests that reached the server."""
    (folder / "logs.json").write_text(json.dumps([{"name": name, "peer": peer} for name, peer in names]))
    shutil.copy(HARNESS, folder / "index.html")
    noted = type("Noted", (Handler,), {"asked": [], "answer": {}, "done": Event()})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(noted, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}/index.html"
        command = ("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", f"--user-data-dir={folder / 'browser'}", address)  # fmt: skip
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
            came = noted.done.wait(seconds)
            browser.terminate()
        server.shutdown()
        thread.join()
    assert came, "the page did not answer in time"
    return noted.answer, noted.asked


def command(folder: Path, name: str, peer: str | None) -> str:
    options = [] if peer is None else ["--peer", str(folder / peer)]
    result = CliRunner().invoke(main, ["judge", str(folder / name), *options, "--json"])
    return result.output.strip()


def as_the_command(tmp_path: Path, names: list[tuple[str, str | None]], seconds: int) -> None:
    (tmp_path / "judge.html").write_text(judge.page(judge.INTERPRETER), encoding="utf-8")
    found, asked = dropped(tmp_path, names, seconds)
    assert found["tried"] == "A request from the page: refused. A request from the worker: refused."
    expected = {
        "/index.html",
        "/judge.html",
        "/logs.json",
        *(f"/logs/{each}" for pair in names for each in pair if each),
    }
    assert set(asked) - {"/favicon.ico"} == expected
    for name, peer in names:
        answer, told = found["answers"][name], command(tmp_path / "logs", name, peer)
        if name in ("prose.txt", "broken.jsonl"):
            assert told.startswith("Error: ")
            assert "json" not in answer
            assert answer["fault"] in told or "is no recording" in answer["fault"]
            continue
        assert answer.get("json") == told, (name, answer.get("fault"))
        assert answer["curves"] == 2


@browser
def test_a_log_gives_the_answer_of_the_command_and_goes_nowhere(tmp_path: Path) -> None:
    wanted = {
        "access-line-cubic.pcap",
        "broken.jsonl",
        "search-path-deep-queue-linux-4.jsonl",
        "hystart-path-deep-queue-linux.sqlog",
        "quinn.qlog",
        "prose.txt",
    }
    names = [each for each in logs(tmp_path / "logs") if each[0] in wanted]
    assert len(names) == len(wanted)
    as_the_command(tmp_path, names, 300)


@browser
@pytest.mark.long
def test_every_log_of_the_tests_gives_the_answer_of_the_command(tmp_path: Path) -> None:
    names = list(logs(tmp_path / "logs"))
    assert len(names) == 5 + 2 * len(CASES) + len(WRITERS) + 4
    as_the_command(tmp_path, names, 1200)


@browser
def test_without_its_policy_the_page_could_send(tmp_path: Path) -> None:
    """What the other tests see is the policy's doing."""
    open_policy = "script-src * 'unsafe-inline' 'unsafe-eval' blob:; worker-src blob:"
    (tmp_path / "judge.html").write_text(judge.page(judge.INTERPRETER, open_policy), encoding="utf-8")
    found, asked = dropped(tmp_path, [], 300)
    assert found["tried"] == "A request from the page: sent. A request from the worker: sent."
    assert asked.count("/sent-by-judge") == 2


def test_without_the_interpreter_the_page_says_so(tmp_path: Path) -> None:
    page = judge.page(tmp_path)
    assert "make judge-extras docs" in page
    assert len(page) < 50_000


def test_the_policy_allows_no_request_and_no_other_script(tmp_path: Path) -> None:
    page = judge.page(tmp_path)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    rules = dict(rule.strip().partition(" ")[::2] for rule in policy[1].replace("&#x27;", "'").split(";"))
    assert (rules["default-src"], rules["connect-src"]) == ("'none'", "'none'")
    assert "unsafe-inline" not in policy[1]
    assert not re.search(r"https?:|\*", policy[1])
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == rules["script-src"].count("sha256-") == 3
