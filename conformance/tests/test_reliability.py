"""Former attacks: foreign text on the terminal, signals, slow and hanging adapters, unreadable and endless input."""

import errno
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from firstflight_conformance import exits
from firstflight_conformance.adapters.faults import FaultKind
from firstflight_conformance.format import files, vectors
from firstflight_conformance.format.parse import VectorError
from firstflight_conformance.paths import ROOT
from firstflight_conformance.records.results import Verdict
from firstflight_conformance.run.session import RunOptions
from firstflight_conformance.text import refusal, shown, texts
from measured import measured
from runner_support import command, events, judged, vector, write_vectors

_CLI = (sys.executable, "-c", "from firstflight_conformance.cli import main; main()")
_EVIL = "\x1b[2J\x1b]0;owned\x07\nall passed \ud800"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Write three vectors."""
    return write_vectors(tmp_path / "vectors")


def adapter_line(*words: str) -> str:
    """Return the command line of a misbehaving adapter."""
    return shlex.join(command("attacks", *words))


def is_gone(pid: int) -> bool:
    """Return whether a process ends within a minute, the limit for a busy machine."""
    until_s = time.monotonic() + 60
    while time.monotonic() < until_s:
        try:
            if Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("place", ["version", "name", "phase"])
def test_a_lone_surrogate_is_a_fault_of_the_adapter(root: Path, place: str) -> None:
    """A lone surrogate is not valid text: the adapter is errored, and the run continues to its report."""
    report = measured("run", "--vectors", root, "--adapter", adapter_line("surrogate", place))
    assert report.code == 3, report
    assert "lone surrogate in a string" in report.stdout


@pytest.mark.parametrize("place", ["version", "phase"])
def test_control_characters_of_an_adapter_are_escaped(root: Path, place: str) -> None:
    """Text of an adapter cannot move the cursor, set a title or forge a line."""
    report = measured("run", "--vectors", root, "--adapter", adapter_line("escape", place))
    assert report.code == (0 if place == "version" else 1)
    assert "\x1b" not in report.stdout + report.stderr
    assert "\nall passed" not in report.stdout


def test_a_long_phase_is_cut(root: Path) -> None:
    """60000 characters of a phase do not fill the terminal."""
    report = measured("run", "--vectors", root, "--adapter", adapter_line("long", "phase"))
    assert report.code == 1
    assert len(report.stdout) < 20_000


def test_shown_text_is_printable_and_bounded() -> None:
    """Shown text is printable, on one line, and within the requested length."""
    assert shown(_EVIL).isprintable()
    assert len(shown("x" * 10**6, 80)) == len(shown("\x1b" * 10**6, 80)) == 80
    assert shown("plain") == "plain"
    assert [refusal(text, 5) for text in ("plain", "", "grün")] == [None] * 3
    assert sorted(texts({"a": ["b", {"c": 1}], "d": "e"})) == ["a", "b", "c", "d", "e"]
    assert "6 characters" in (refusal("longer", 5) or "")
    assert "control character" in (refusal("\x1b", 5) or "")


@pytest.mark.parametrize("spoilt", [{"title": f"A title with {_EVIL}"}, {_EVIL: 1}, {"why": "long " * 1000}])
def test_unprintable_or_long_text_of_vectors_is_refused(root: Path, spoilt: dict[str, object]) -> None:
    """Control characters, surrogates and endless texts are refused, and the refusal contains none of them."""
    raw = vector("slow-start.target.evil", events()) | spoilt
    path = root / "slow-start" / "x\x1b[2J.json"
    path.write_text(json.dumps(raw), encoding="utf-8")
    report = measured("list", "--vectors", root)
    assert report.code == 2
    assert "\x1b" not in report.stderr
    assert report.stderr.count("\n") <= 2


def test_unknown_adapter_is_printed_escaped(root: Path) -> None:
    """Even the user's own command line is printed escaped."""
    report = measured("run", "--vectors", root, "--adapter", "\x1b]0;owned\x07")
    assert report.code == 2
    assert "\x1b" not in report.stderr


def test_duplicate_key_is_printed_escaped(tmp_path: Path) -> None:
    """A duplicate key is foreign text."""
    path = tmp_path / "x.json"
    path.write_text('{"\\u001b[2J": 1, "\\u001b[2J": 2}', encoding="utf-8")
    with pytest.raises(VectorError, match="duplicate key") as refused:
        vectors.load(path)
    assert str(refused.value).isprintable()


@pytest.mark.live
def test_each_of_many_keys_is_checked_once(tmp_path: Path) -> None:
    """100000 keys are checked once each."""
    path = tmp_path / "x.json"
    path.write_text(json.dumps({f"k{number}": number for number in range(100_000)}), encoding="utf-8")
    began_s = time.monotonic()
    with pytest.raises(VectorError):
        vectors.load(path)
    assert time.monotonic() - began_s < 30


def test_pipes_devices_and_large_files_are_refused(tmp_path: Path) -> None:
    """A pipe does not block, a device does not fill the memory, a large file is not read."""
    pipe, device, large = (tmp_path / name for name in ("pipe.json", "device.json", "large.json"))
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    with large.open("wb") as file:
        file.truncate(files.FILE_MAX_BYTES + 1)
    for path, reason in ((pipe, "not a regular file"), (device, "not a regular file"), (large, "is larger than")):
        with pytest.raises(VectorError, match=reason):
            vectors.load(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every folder")
def test_unreadable_folder_is_an_error_for_ordinary_users(root: Path) -> None:
    """An unreadable folder is an error; its vectors are not skipped."""
    (root / "slow-start").chmod(0)
    assert measured("list", "--vectors", root).code == 2


def test_unreadable_folder_is_an_error(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for tests that run as root: the system call is made to fail."""
    scandir = os.scandir

    def refuse(path: object) -> object:
        if str(path).endswith("slow-start"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(PermissionError):
        vectors.load_all(root)


@pytest.mark.live
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_signals_end_the_run_at_once(root: Path, tmp_path: Path, number: signal.Signals, code: int) -> None:
    """A hanging adapter, its child and its detached grandchild end long before the deadline."""
    pids = tmp_path / "pids"
    line = adapter_line("detach-and-hang", str(pids))
    words = ("run", "--vectors", str(root), "--deadline-s", "600", "--adapter", line)
    with subprocess.Popen([*_CLI, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        wait_for(pids)
        running.send_signal(number)
        assert running.wait(60) == code
    assert all(is_gone(int(pid)) for pid in pids.read_text(encoding="utf-8").split())


_WHILE_LOADING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.{handler})
class Finder:
    @staticmethod
    def find_spec(name, *_):
        if name == "firstflight_conformance.cli":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder)
from firstflight_conformance.entry import main
main(["--version"])
"""


@pytest.mark.parametrize(
    ("handler", "code", "printed"),
    [("default_int_handler", -signal.SIGINT, ""), ("SIG_IGN", 0, "firstflight, version")],
)
def test_ctrl_c_while_modules_are_loaded(handler: str, code: int, printed: str) -> None:
    """The process ends by the signal, without a traceback; an ignored signal stays ignored."""
    program = _WHILE_LOADING.format(handler=handler)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout.startswith(printed)


@pytest.mark.live
def test_killing_the_run_ends_the_adapter(root: Path, tmp_path: Path) -> None:
    """KILL cannot be handled: the system ends the adapter."""
    pids = tmp_path / "pids"
    line = adapter_line("hang", str(pids))
    words = ("run", "--vectors", str(root), "--deadline-s", "600", "--adapter", line)
    with subprocess.Popen([*_CLI, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        wait_for(pids)
        running.kill()
    assert is_gone(int(pids.read_text(encoding="utf-8").split()[0]))


@pytest.mark.live
def test_a_detached_grandchild_ends_with_the_run(root: Path, tmp_path: Path) -> None:
    """Processes that leave the session of their adapter are ended too."""
    pids = tmp_path / "pids"
    assert measured("run", "--vectors", root, "--adapter", adapter_line("detach", str(pids))).code == 0
    assert all(is_gone(int(pid)) for pid in pids.read_text(encoding="utf-8").split())


def wait_for(pids: Path) -> None:
    """Wait until an adapter has written the ids of its processes."""
    until_s = time.monotonic() + 120
    while not (pids.exists() and pids.read_text(encoding="utf-8").endswith("\n")):
        assert time.monotonic() < until_s
        time.sleep(0.02)


@pytest.mark.live
def test_hello_is_tried_again_after_a_restart(root: Path, tmp_path: Path) -> None:
    """An adapter that crashes and is slow once loses only the affected cases."""
    report = judged(root, *command("attacks", "slow-once", str(tmp_path / "memory")), options=RunOptions(deadline_s=5))
    assert [result.verdict for result in report.results] == [Verdict.ERRORED, Verdict.ERRORED, Verdict.PASS]
    assert report.results[1].fault is FaultKind.TIMEOUT


@pytest.mark.live
def test_hanging_adapter_is_abandoned_after_timeouts(root: Path, tmp_path: Path) -> None:
    """After the stated number of timeouts the remaining cases are errored without waiting."""
    options = RunOptions(deadline_s=5, timeouts=2)
    report = judged(root, *command("attacks", "hang", str(tmp_path / "pids")), options=options)
    assert [result.fault for result in report.results] == [FaultKind.TIMEOUT] * 3
    assert report.results[2].reason == "abandoned after 2 timeouts"


def test_failed_write_keeps_the_old_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk the old file remains, without leftovers, and the error contains its path."""
    path = tmp_path / "report.json"
    path.write_text("old", encoding="utf-8")

    def full(_number: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left.*report\.json"):
        files.write_whole(path, "new")
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]
    assert path.read_text(encoding="utf-8") == "old"


def test_full_standard_output_is_an_error(root: Path) -> None:
    """The run ends with a message, without traceback, and not with the exit code of a divergence."""
    with Path("/dev/full").open("wb") as full:
        report = subprocess.run(
            [*_CLI, "list", "--vectors", str(root)], stdout=full, stderr=subprocess.PIPE, check=False, timeout=60
        )
    assert report.returncode == exits.UNUSABLE
    assert b"No space left" in report.stderr
    assert b"Traceback" not in report.stderr


def test_characters_outside_the_locale_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    """In an ASCII locale an arrow is escaped instead of ending the run."""
    out = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(out, encoding="ascii"))
    assert exits.exit_code(lambda: print("\u2192")) == 0
    assert out.getvalue() == b"\\u2192\n"


@pytest.mark.parametrize(
    ("raised", "code"),
    [(RuntimeError("a defect"), exits.INTERNAL), (OSError(errno.EROFS, "Read-only", "x"), exits.UNUSABLE),
     (BrokenPipeError(errno.EPIPE, "Broken pipe"), exits.CLOSED_PIPE), (SystemExit(1), 1), (SystemExit(None), 0)],
)  # fmt: skip
def test_exit_codes_of_exceptions(raised: BaseException, code: int) -> None:
    """An error of the program itself is never reported as a divergence."""

    def fail() -> None:
        raise raised

    assert exits.exit_code(fail) == code


def test_tests_on_the_page_of_attacks_exist() -> None:
    """Every test on the page of attacks exists."""
    page = (ROOT / "docs" / "reliability-attacks.md").read_text("utf-8")
    named, file = [], ""
    for here, test in re.findall(r"`([\w.]*)::(\w+)`", page):
        file = here or file
        named.append((file, test))
    assert len(named) > 25
    for file, test in named:
        path = ROOT / ("reference-c" if file.endswith(".c") else "conformance") / "tests" / file
        assert re.search(rf"^(def|void) {test}\(", path.read_text("utf-8"), re.MULTILINE), (file, test)
