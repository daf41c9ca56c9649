"""The place and environment of a run change nothing, or give an error message with the cause."""

import json
import os
import pty
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firstflight_conformance.exits import CLOSED_PIPE
from firstflight_conformance.format.files import write_whole
from firstflight_conformance.paths import ROOT
from runner_support import BAD, write_vectors

_CLI = (sys.executable, "-c", "from firstflight_conformance.cli import main; main()")
_ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
_ODD = "Grüße & 'mehr' hier"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Return a folder with three vectors that every user may read, unlike folders of pytest."""
    with tempfile.TemporaryDirectory(prefix="firstflight-") as name:
        Path(name).chmod(0o755)
        write_vectors(Path(name, "vectors"))
        yield Path(name)


def run(
    *words: object,
    prefix: tuple[str, ...] = (),
    before: Callable[[], None] | None = None,
    cwd: Path | None = None,
    **environment: str | None,
) -> subprocess.CompletedProcess[bytes]:
    """Run the program in this environment and folder, behind a prefix, after a call in the new process."""
    env = {name: value for name, value in (os.environ | environment).items() if value is not None}
    line = [*prefix, *_CLI, *map(str, words)]
    return subprocess.run(line, env=env, cwd=cwd, preexec_fn=before, capture_output=True, check=False, timeout=240)


def report(folder: Path, out: Path, **surroundings: object) -> tuple[int, bytes]:
    """Judge the model in this environment; return the exit code and the report."""
    path = out / "report.json"
    path.unlink(missing_ok=True)
    words = ("run", "--vectors", folder / "vectors", "--adapter", "python-model", "--report-json", path)
    done = run(*words, **surroundings)  # type: ignore[arg-type]
    assert b"Traceback" not in done.stderr
    assert path.exists(), done.stderr.decode()
    document = json.loads(path.read_bytes())
    document.pop("checkout")  # differs: only one of the checkouts is in a repository
    return done.returncode, json.dumps(document).encode()


@pytest.fixture(scope="module")
def usual(folder: Path) -> tuple[int, bytes]:
    """Return the result in the usual environment."""
    code, text = report(folder, folder)
    assert code == 0
    return code, text


@pytest.mark.parametrize(
    "environment",
    [{"COLUMNS": "20"}, {"NO_COLOR": "1", "TERM": "dumb"}, _ASCII, {"HOME": None, "TZ": "Pacific/Chatham", "PYTHONHASHSEED": "7"}],
    ids=["narrow", "no colour", "ASCII locale", "no home"],
)  # fmt: skip
def test_the_report_does_not_depend_on_the_environment(
    folder: Path, usual: tuple[int, bytes], environment: dict[str, str | None]
) -> None:
    assert report(folder, folder, **environment) == usual


def test_run_without_network(folder: Path, usual: tuple[int, bytes]) -> None:
    """After the set-up a run needs no network: only a loopback interface that is down."""
    alone = next((way for way in (("unshare", "-n"), ("unshare", "-rn")) if _works(*way, "true")), None)
    if alone is None:
        pytest.skip("this system cannot unshare the network")
    assert report(folder, folder, prefix=alone) == usual


def _works(*words: str) -> bool:
    return (
        shutil.which(words[0]) is not None and subprocess.run(words, capture_output=True, check=False).returncode == 0
    )


#: The checkout is mounted read-only, and the user is nobody, without rights of root.
_READ_ONLY = """
mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec unshare -U "$@"
"""


@pytest.fixture(scope="module")
def ordinary() -> tuple[str, ...]:
    """Return the command prefix that runs as an ordinary user in a read-only checkout."""
    prefix = ("unshare", "-m", "sh", "-c", _READ_ONLY, str(ROOT))
    if not _works(*prefix, "sh", "-c", f"test $(id -u) != 0 && ! touch {shlex.quote(str(ROOT))}/x"):
        pytest.skip("needs root for the mount, and unshare")
    return prefix


def test_run_in_a_read_only_checkout(folder: Path, usual: tuple[int, bytes], ordinary: tuple[str, ...]) -> None:
    """The run works without a cache in the build folder."""
    assert report(folder, folder, prefix=ordinary) == usual


@pytest.mark.parametrize(
    "words",
    [("run", "--adapter", "null-echo", "--report-json", "{0}/x.json"), ("dev", "vectors", "--flat", "{0}/flat"),
     ("sweep", "{0}/x.csv", "--algorithm", "slow-start/rfc-9002", "--rate", "8Mbit/s", "--rtt", "20ms", "--size", "30kB")],
    ids=["report", "flat form", "sweep"],
)  # fmt: skip
def test_read_only_folder_is_reported(words: tuple[str, ...], ordinary: tuple[str, ...]) -> None:
    """A read-only folder gives exit code 2 and its name, without traceback."""
    done = run(*(word.format(ROOT) for word in words), prefix=ordinary)
    assert done.returncode == 2, done
    assert str(ROOT) in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_full_disk_keeps_the_previous_report(folder: Path, tmp_path: Path) -> None:
    """The previous report is unchanged, and the error contains the file."""
    path = tmp_path / "report.json"
    path.write_text("old", encoding="utf-8")
    # The limit below also applies to shared memory, which several processes would need.
    words = ("run", "--vectors", folder / "vectors", "--adapter", "python-model", "--jobs", "1", "--report-json", path)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    done = run(*words, before=limit)
    assert done.returncode == 2
    assert str(path) in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert path.read_text(encoding="utf-8") == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]


_LIMITS = [
    (resource.RLIMIT_FSIZE, 1000, b"/dev/shm"),
    (resource.RLIMIT_NOFILE, 20, b"ulimit -n"),
]


@pytest.mark.parametrize(("resource_id", "limit", "named"), _LIMITS, ids=["shared memory", "open files"])
def test_resource_limits_are_not_adapter_faults(folder: Path, resource_id: int, limit: int, named: bytes) -> None:
    """Little shared memory and few descriptors are not faults of the adapters."""
    words = ("run", "--vectors", folder / "vectors", "--adapter", "python-model", "--adapter", "c-port", "--jobs", "2")
    done = run(*words, before=lambda: resource.setrlimit(resource_id, (limit, limit)))
    assert done.returncode == 2, done
    assert named in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("exists", [True, False])
def test_report_is_written_to_the_link_target(tmp_path: Path, exists: bool) -> None:
    """The target of the link is written, and the link stays."""
    (tmp_path / "kept").mkdir()
    target, link = tmp_path / "kept" / "report.json", tmp_path / "report.json"
    if exists:
        target.write_text("old", encoding="utf-8")
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink() and target.read_text("utf-8") == "new"
    assert [path.name for path in target.parent.iterdir()] == ["report.json"]


def test_report_is_written_directly_to_a_device(folder: Path) -> None:
    """A device cannot be replaced; the report is written to it directly."""
    done = run("run", "--vectors", folder / "vectors", "--adapter", "null-echo", "--report-json", "/dev/full")
    assert done.returncode == 2
    assert b"/dev/full" in done.stderr


@pytest.mark.live
@pytest.mark.parametrize("call", ["os.fsync", "Path.replace"])
def test_kill_during_write_leaves_old_or_new_report(tmp_path: Path, call: str) -> None:
    """After a kill at any time the file is the old one or the new one."""
    path = tmp_path / "report.json"
    for text in ("old", "new"):
        code = f"""
import os, signal
from pathlib import Path
from firstflight_conformance.format import files
def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)
if {text == "new"}:
    {call} = kill
files.write_whole(Path({str(path)!r}), {text!r})
"""
        subprocess.run([sys.executable, "-c", code], check=False, timeout=60)
    assert path.read_text(encoding="utf-8") == "old"
    write_whole(path, "newer")
    assert path.read_text(encoding="utf-8") == "newer"


@pytest.mark.live
def test_closed_pipe_ends_without_traceback() -> None:
    """``firstflight list | head -1`` ends without traceback and with the exit code of shells."""
    with subprocess.Popen([*_CLI, "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as listing:
        assert listing.stdout is not None and listing.stderr is not None
        assert listing.stdout.readline()
        listing.stdout.close()
        assert listing.stderr.read() == b""
        assert listing.wait(60) == CLOSED_PIPE


def on_terminal(*words: object, **environment: str) -> str:
    """Return the output of the program on a terminal."""
    main, secondary = pty.openpty()
    with subprocess.Popen([*_CLI, *map(str, words)], stdout=secondary, stderr=secondary, env=os.environ | environment):
        os.close(secondary)
        written = b""
        while chunk := _read(main):
            written += chunk
    os.close(main)
    return written.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


def test_terminal_colours_respect_no_color(folder: Path) -> None:
    """A terminal gets colours unless NO_COLOR is set."""
    colour = re.compile(r"\x1b\[[\d;]*3\d[;m]")
    words = ("run", "--vectors", folder / "vectors", "--adapter", f"{sys.executable} {BAD}/answers.py garbage")
    assert colour.search(on_terminal(*words, TERM="xterm", COLUMNS="80"))
    assert not colour.search(on_terminal(*words, TERM="xterm", COLUMNS="80", NO_COLOR="1"))


def test_narrow_terminal_shows_the_whole_case_name(folder: Path) -> None:
    """The failed case can be read on twenty columns, across several lines."""
    words = ("run", "--vectors", folder / "vectors", "--adapter", f"{sys.executable} {BAD}/answers.py garbage")
    done = run(*words, COLUMNS="20")
    assert done.returncode == 3
    assert "slow-start.target.small@rfc-9002" in "".join(done.stdout.decode().split())


def test_characters_outside_an_ascii_locale_are_escaped(folder: Path) -> None:
    """Characters outside the locale, for example in the name of an adapter, are escaped."""
    words = ("run", "--vectors", folder / "vectors", "--adapter", f"{sys.executable} {BAD}/answers.py grüße")
    assert not run(*words, LC_ALL="C.UTF-8").stdout.isascii()
    done = run(*words, **_ASCII)
    assert done.returncode == 0, done
    assert done.stdout.isascii()


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the necessary part of a checkout in a folder with spaces, quotes and umlauts."""
    root = tmp_path_factory.mktemp("elsewhere") / _ODD
    ignore = shutil.ignore_patterns("tests", "__pycache__", "target", "*.egg-info", "third-party")
    for name in ("spec", "reference-py", "conformance"):
        shutil.copytree(ROOT / name, root / name, ignore=ignore)
    return root


def test_run_with_special_characters_in_paths(folder: Path, usual: tuple[int, bytes], elsewhere: Path) -> None:
    """The paths of checkout, vectors and report contain spaces, quotes and umlauts; the run uses the odd checkout."""
    shutil.copytree(folder / "vectors", elsewhere / "vectors")
    sources = os.pathsep.join(str(elsewhere / name / "src") for name in ("reference-py", "conformance"))
    assert report(elsewhere, elsewhere, cwd=elsewhere, PYTHONPATH=sources, FIRSTFLIGHT_ROOT=str(elsewhere)) == usual


@pytest.mark.long
def test_port_builds_with_special_characters_in_paths(elsewhere: Path) -> None:
    """``make test-c`` builds and passes in that folder."""
    for name in ("reference-c", "third_party", "requirements"):
        shutil.copytree(ROOT / name, elsewhere / name)
    shutil.copy2(ROOT / "Makefile", elsewhere)
    (elsewhere / ".venv").mkdir()
    (elsewhere / ".venv" / "bin").symlink_to(ROOT / ".venv" / "bin")
    (elsewhere / ".venv" / ".checkout").write_text(f"{elsewhere}\n", encoding="utf-8")  # otherwise it is a copy
    unity = ROOT / "build" / "unity"
    if not (unity / "src" / "unity.c").exists():
        pytest.skip("needs Unity")
    shutil.copytree(unity, elsewhere / "build" / "unity")
    words = ("make", "-C", elsewhere, "test-c", "CLANG=none", "-o", ".venv/.ready")
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert done.stdout.count(" 0 Failures ") == 2


def test_unity_compares_64_bits_everywhere() -> None:
    """With longs of 32 bits Unity needs a flag for this, in each file that includes it."""
    words = ("make", "-n", "-B", "-C", str(ROOT / "reference-c"), "test-unity")
    lines = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    compiled = [line for line in lines if "unity.c " in line or ("test_controller.c" in line and " -o " in line)]
    assert len(compiled) == 2
    assert all("-DUNITY_SUPPORT_64" in line for line in compiled)
