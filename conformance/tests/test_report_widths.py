"""The output of `firstflight run` fits the terminal and breaks no word and no number, for any adapter name."""

import fcntl
import io
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
from click.testing import CliRunner
from rich.console import Console

from firstflight_conformance.cli import main
from firstflight_conformance.records.results import AdapterReport
from firstflight_conformance.report import terminal
from firstflight_conformance.report.terminal import print_report
from runner_support import command, events, vector, write_vectors

NAMES = (
    "my_adapter.py",
    "an-adapter-of-thirty-six-characters1",
    "an-adapter-of-forty-eight-characters-in-one-word",
    "an-adapter-whose-name-is-one-word-of-sixty-characters-altoge",
)
FIRSTFLIGHT = (sys.executable, "-c", "from firstflight_conformance.cli import main; main()")
#: Escape sequences for colours and cursor movements.
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def printed_at(width: int, words: tuple[str, ...], folder: Path) -> str:
    """Run a command on a terminal of that width; return its output."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    process = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=theirs, env=surroundings())
    os.close(theirs)
    printed = b""
    try:
        while part := os.read(ours, 1 << 16):
            printed += part
    except OSError:  # the end of a terminal
        pass
    os.close(ours)
    assert process.wait(60) == 1
    return _ESCAPE.sub("", printed.decode()).replace("\r\n", "\n")


def surroundings() -> dict[str, str]:
    """Return an environment that does not set a width."""
    return {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with vectors and adapters of all names; each adapter fails 14 of 16 cases."""
    root = tmp_path_factory.mktemp("widths")
    write_vectors(root / "vectors", *(vector(f"slow-start.target.more-{i}", events()) for i in range(13)))
    script, mode = (shlex.quote(word) for word in command("answers", "wrong")[-2:])
    for name in NAMES:
        path = root / name
        path.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} {script} {mode}\n", encoding="utf-8")
        path.chmod(0o755)
    return root


def words_of(*names: str) -> tuple[str, ...]:
    """Return the words of the command that judges some of the adapters."""
    adapters = (word for name in names for word in ("--adapter", f"./{name}"))
    return ("run", "--vectors", "vectors", "--jobs", "1", "--verbose", *adapters)


def check(printed: str, *names: str) -> None:
    """Every word of the names, every number and every id is unbroken."""
    words = re.findall(r"[^\s,;:]+", printed)
    assert set(names) <= set(words)
    assert {"pass", "fail", "slow-start.target.more-0@rfc-9002", "cwnd_bytes"} <= set(words)
    assert {int(word) for word in words if word.isdigit()} >= {2, 14, 14400, 14401}
    assert "…" not in printed


@pytest.fixture(scope="module")
def reports(folder: Path) -> list[AdapterReport]:
    """Return the reports of all adapters."""
    collected_reports: list[AdapterReport] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(terminal, "print_report", lambda _, reports, *more, **options: collected_reports.extend(reports))
        assert CliRunner().invoke(main, words_of(*NAMES)).exit_code == 1
    return collected_reports


@pytest.mark.parametrize("width", [80, 100, 120])
def test_lines_fit_every_terminal_width(reports: list[AdapterReport], width: int) -> None:
    """No line is wider than the terminal."""
    out = Console(file=io.StringIO(), width=width, force_terminal=True, highlight=False, markup=False, emoji=False)
    print_report(out, reports, 16, all_failures=False, lines=None)
    text = _ESCAPE.sub("", out.file.getvalue())  # type: ignore[attr-defined]
    assert max(map(len, text.splitlines())) <= width
    check(text, *NAMES)


def test_command_uses_the_terminal_width(folder: Path) -> None:
    """The command uses the width of the terminal."""
    printed = printed_at(80, (*FIRSTFLIGHT, *words_of(NAMES[-1])), folder)
    assert max(map(len, printed.splitlines())) <= 80
    check(printed, NAMES[-1])


def test_piped_output_has_one_line_per_row(folder: Path) -> None:
    """The output to a pipe is without frames, and has one line per row of the table."""
    words = (*FIRSTFLIGHT, *words_of(NAMES[-1]))
    piped = subprocess.run(words, cwd=folder, env=surroundings(), capture_output=True, text=True, check=False)
    assert piped.returncode == 1
    check(piped.stdout, NAMES[-1])
    rows = [line for line in piped.stdout.splitlines() if line.split()[-2:] == ["2", "14"]]
    assert [row.split()[0] for row in rows] == [NAMES[-1]]
    assert not set(piped.stdout) & set("┃│━─")
