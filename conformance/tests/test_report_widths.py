"""What `firstflight run` prints fits the terminal, and cuts no word and no number, whatever the adapter is called."""

import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from runner_support import command, events, vector, write_vectors

NAMES = (
    "my_adapter.py",
    "an-adapter-of-thirty-six-characters1",
    "an-adapter-of-forty-eight-characters-in-one-word",
    "an-adapter-whose-name-is-one-word-of-sixty-characters-altoge",
)
FIRSTFLIGHT = (sys.executable, "-c", "from firstflight_conformance.cli import main; main()")
#: What colours and moves the cursor.
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def printed_at(width: int, words: tuple[str, ...], folder: Path) -> str:
    """Run a command on a terminal of that width; return what it printed."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    process = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=theirs, env=surroundings())
    os.close(theirs)
    printed = b""
    try:
        while part := os.read(ours, 1 << 16):
            printed += part
    except OSError:  # how a terminal ends
        pass
    os.close(ours)
    assert process.wait(60) == 1
    return _ESCAPE.sub("", printed.decode()).replace("\r\n", "\n")


def surroundings() -> dict[str, str]:
    """Return an environment that does not state a width."""
    return {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with vectors, and adapters of all names, each of which fails at 13 of 16."""
    root = tmp_path_factory.mktemp("widths")
    write_vectors(root / "vectors", *(vector(f"slow-start.target.more-{i}", events()) for i in range(13)))
    script, mode = (shlex.quote(word) for word in command("answers", "wrong")[-2:])
    for name in NAMES:
        path = root / name
        path.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} {script} {mode}\n", encoding="utf-8")
        path.chmod(0o755)
    return root


def words_of() -> tuple[str, ...]:
    """Return the command that judges all adapters."""
    adapters = (word for name in NAMES for word in ("--adapter", f"./{name}"))
    return (*FIRSTFLIGHT, "run", "--vectors", "vectors", "--jobs", "1", "--verbose", *adapters)


def check(printed: str) -> None:
    """Every word of the names, every number and every id stands whole."""
    words = re.findall(r"[^\s,;:]+", printed)
    assert set(NAMES) <= set(words)
    assert {"pass", "fail", "slow-start.target.more-0@rfc-9002", "cwnd_bytes"} <= set(words)
    assert {int(word) for word in words if word.isdigit()} >= {2, 14, 14400, 14401}
    assert "…" not in printed


@pytest.mark.parametrize("width", [80, 100, 120])
def test_a_terminal(folder: Path, width: int) -> None:
    """No line is wider than the terminal."""
    printed = printed_at(width, words_of(), folder)
    assert max(map(len, printed.splitlines())) <= width
    check(printed)


def test_a_pipe_and_a_file(folder: Path) -> None:
    """Both get the same, without a frame, each row on one line."""
    piped = subprocess.run(words_of(), cwd=folder, env=surroundings(), capture_output=True, text=True, check=False)
    with (folder / "report.txt").open("w", encoding="utf-8") as file:
        subprocess.run(words_of(), cwd=folder, env=surroundings(), stdout=file, check=False)
    assert piped.returncode == 1
    assert (folder / "report.txt").read_text(encoding="utf-8") == piped.stdout
    check(piped.stdout)
    rows = [line for line in piped.stdout.splitlines() if line.split()[-2:] == ["2", "14"]]
    assert [row.split()[0] for row in rows] == list(NAMES)
    assert not set(piped.stdout) & set("┃│━─")
