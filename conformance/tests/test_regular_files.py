"""Foreign files: pipes, devices and large files are refused at once, and reports never follow a prepared link."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firstflight_conformance.adapters import children
from firstflight_conformance.cli import main
from firstflight_conformance.format.files import FILE_MAX_BYTES, write_whole

COMMANDS = {
    "simulate": ("simulate",),
    "network": ("network",),
    "sweep": ("sweep", "unused.csv", "--grid"),
    "scenario": ("run", "--adapter", "c-port", "--closed-loop", "--scenario"),
}


def run(name: str, file: Path) -> Result:
    """Run a command on a file."""
    result = CliRunner().invoke(main, [*COMMANDS[name], str(file)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize("name", COMMANDS)
def test_a_pipe_is_refused(tmp_path: Path, name: str) -> None:
    """A command does not wait for a pipe."""
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    result = run(name, pipe)
    assert result.exit_code == 2
    assert "is not a regular file" in result.output


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full"])
def test_a_device_is_refused(name: str, device: str) -> None:
    """A command does not read a device."""
    output = run(name, Path(device)).output
    assert "is not a regular file" in output
    assert "Errno" not in output


@pytest.mark.parametrize("name", COMMANDS)
def test_a_large_file_is_refused(tmp_path: Path, name: str) -> None:
    """A sparse file is refused without reading it whole."""
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        os.truncate(file.fileno(), 1 << 30)
    assert f"is larger than {FILE_MAX_BYTES} bytes" in run(name, large).output


def test_a_report_with_a_long_name(tmp_path: Path) -> None:
    """The temporary file has a short name."""
    report = tmp_path / ("r" * 250)
    write_whole(report, "text")
    assert report.read_text(encoding="utf-8") == "text"
    assert [path.name for path in tmp_path.iterdir()] == [report.name]


def test_a_prepared_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link with the name of the temporary file is an error, and its target is unchanged."""
    target = tmp_path / "other"
    target.write_text("kept", encoding="utf-8")
    (tmp_path / ".00").symlink_to(target)
    monkeypatch.setattr("firstflight_conformance.format.files.os.urandom", lambda _count: b"\0")
    with pytest.raises(OSError, match="exists"):
        write_whole(tmp_path / "report", "text")
    assert target.read_text(encoding="utf-8") == "kept"


def test_run_waits_for_adapters_if_sigchld_is_ignored() -> None:
    """If the parent ignores SIGCHLD, adapters inherit that; the run still waits for them."""
    command = [
        sys.executable,
        "-m",
        "firstflight_conformance",
        "run",
        "--adapter",
        "python-model",
        "--case",
        "slow-start.acks.*",
    ]
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        result = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        output, _ = result.communicate(timeout=120)
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert "No child processes" not in output


def test_search_for_children_without_free_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a descriptor the search for children returns an empty list, without an error."""

    def refuse(*_: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(Path, "glob", refuse)
    assert children.descendants(os.getpid()) == []


def test_site_address_must_use_http_https_or_file() -> None:
    """The address of a site must use http, https or file."""
    result = CliRunner().invoke(main, ["run", "--adapter", "c-port", "--site", "javascript:alert(1)"])
    assert result.exit_code == 2
    assert "expected an address with https://" in result.output
