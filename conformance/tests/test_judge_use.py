"""``firstflight judge`` in use: lists, choices, standard input, packed files, and several files of which one cannot be read."""

import gzip
import lzma
import os
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard
from click.testing import CliRunner, Result

from firstflight_conformance.cli import main
from firstflight_conformance.recording import files

from captures import SENDER, How, capture_of, file_of, frames  # isort: skip
from test_ack_tables import HEAD, rows, table  # isort: skip
from test_captures import recorded  # isort: skip


def run(*arguments: object) -> Result:
    """Run the command."""
    result = CliRunner().invoke(main, ["judge", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def two_connections() -> bytes:
    """Return a capture with a small connection that ends before the large one begins."""
    other = [(t_ns, packet.replace(SENDER[0], b"\x0a\x00\x00\x09")) for t_ns, packet in frames(recorded(), How())[:40]]
    return file_of(sorted(other + frames(recorded(), How())), How())


def saved(tmp_path: Path, name: str, data: bytes) -> Path:
    """Return a file."""
    file = tmp_path / name
    file.write_bytes(data)
    return file


def test_connections_are_listed_and_chosen(tmp_path: Path) -> None:
    """The largest is the first, and the other one is too short to conclude anything."""
    file = saved(tmp_path, "two.pcap", two_connections())
    lines = run(file, "--list").output.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("1: 10.0.0.1:40000 to 10.0.0.2:443, ")
    assert lines[1].startswith("2: 10.0.0.9:40000 to 10.0.0.2:443, ")
    assert run(file, "--connection", 1).exit_code == 0
    other = run(file, "--connection", 2)
    assert other.exit_code == 4
    assert other.output.splitlines()[-1] == "application-limited: nothing can be concluded about slow start"
    assert "initial window" not in other.output
    assert "--connection 1 to 2" in run(file, "--connection", 3).output


@pytest.mark.parametrize("option", ["--trace=0", "--group=a", "--peer=/nothing", "--columns=t_us=x", "--datagram=1200"])
def test_options_that_do_not_apply(tmp_path: Path, option: str) -> None:
    """An option of another form is an error."""
    result = run(saved(tmp_path, "a.pcap", capture_of(recorded())), option)
    assert result.exit_code == 2
    assert "does not apply" in result.output


def test_one_file_that_cannot_be_read(tmp_path: Path) -> None:
    """The others are judged, and the exit code is 2."""
    good = saved(tmp_path, "a.pcap", capture_of(recorded()))
    result = run(good, tmp_path / "none.pcap", good)
    assert result.exit_code == 2
    assert "none.pcap: file: No such file" in result.output
    assert result.output.count("may be: hystart/") == 3  # each of two, and both together


def test_packed_files(tmp_path: Path) -> None:
    """gzip, xz and zstd are unpacked in every form, and a broken one is an error."""
    data = capture_of(recorded())
    packers = {"gz": gzip.compress, "xz": lzma.compress, "zst": zstandard.compress}
    for name, packer in packers.items():
        assert run(saved(tmp_path, f"a.pcap.{name}", packer(data))).exit_code == 0
    files_table = table(rows("hystart/path.deep-queue", "linux"))
    assert run(saved(tmp_path, "a.csv.gz", gzip.compress(files_table))).exit_code == 0
    result = run(saved(tmp_path, "a.zst", b"\x28\xb5\x2f\xfd" + b"\xff" * 20))
    assert result.exit_code == 2
    assert "is no whole zstd file" in result.output
    assert run(saved(tmp_path, "cut.gz", gzip.compress(data)[:900])).exit_code == 2


def test_zstd_without_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message has the remedy."""
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    result = run(saved(tmp_path, "a.pcap.zst", zstandard.compress(capture_of(recorded()))))
    assert result.exit_code == 2
    assert "unpack it by zstd -d, or install the package zstandard" in result.output


def test_many_frames_of_zstd(tmp_path: Path) -> None:
    """Frames that follow each other, as pzstd writes them, are one file."""
    data = capture_of(recorded())
    half = len(data) // 2
    packed = zstandard.compress(data[:half]) + zstandard.compress(data[half:])
    whole = run(saved(tmp_path, "a.pcap.zst", zstandard.compress(data))).output
    assert run(saved(tmp_path, "a.pcap.zst", packed)).output == whole


def test_a_packed_file_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A capture is read up to the limit, and other forms are refused."""
    data = capture_of(recorded())
    monkeypatch.setattr(files, "FILE_MAX_BYTES", len(data) - 10_000)
    assert run(saved(tmp_path, "a.pcap.gz", gzip.compress(data))).exit_code in (0, 4)
    monkeypatch.setattr(files, "FILE_MAX_BYTES", 1000)
    result = run(saved(tmp_path, "a.csv.gz", gzip.compress(table(rows("hystart/path.deep-queue", "linux")))))
    assert "cut it by head -c" in result.output


@pytest.mark.parametrize("separator", [";", "\t"])
def test_tables_of_other_tools(tmp_path: Path, separator: str) -> None:
    """Separators and names may differ."""
    text = table(rows("hystart/path.deep-queue", "linux"), HEAD.replace("cwnd_bytes", "snd_cwnd")).decode()
    file = saved(tmp_path, "a.csv", b"\xef\xbb\xbf" + text.replace(",", separator).encode())
    assert "no column cwnd_bytes" in run(file).output
    assert "may be: hystart/" in run(file, "--columns", "cwnd_bytes=snd_cwnd").output
    assert "expected OURS=NAME" in run(file, "--columns", "cwnd_bytes").output


def test_smoothed_rtts(tmp_path: Path) -> None:
    """The samples are computed from the smoothed RTTs of the kernel; the answer is as for the samples themselves."""
    found, smoothed_us = [], None
    for t_us, rtt_us, *rest in rows("hystart/path.deep-queue", "linux"):
        if rtt_us != "":
            smoothed_us = rtt_us if smoothed_us is None else (7 * smoothed_us + rtt_us) / 8  # type: ignore[operator]
        found.append((t_us, "" if smoothed_us is None else smoothed_us, *rest))
    result = run(saved(tmp_path, "a.csv", table(found, HEAD.replace("rtt_us", "srtt_us"))))
    assert "may be: hystart/" in result.output
    assert "linux" in result.output


def test_standard_input(tmp_path: Path) -> None:
    """A capture comes from another program."""
    file = saved(tmp_path, "a.pcap", capture_of(recorded()))
    command = [sys.executable, "-m", "firstflight_conformance", "judge", "-"]
    with file.open("rb") as opened:
        result = subprocess.run(command, stdin=opened, capture_output=True, check=False, env=os.environ)
    assert result.returncode == 0
    assert b"may be: hystart/" in result.stdout


def test_cut_frames_and_doubled_frames(tmp_path: Path) -> None:
    """Each frame twice, as of two interfaces, and bytes behind the last one change nothing."""
    whole = recorded_answer(tmp_path, file_of(frames(recorded(), How()), How()))
    twice = [(t_ns + late, packet) for t_ns, packet in frames(recorded(), How()) for late in (0, 5_000)]
    assert recorded_answer(tmp_path, file_of(twice, How())) == whole
    assert recorded_answer(tmp_path, file_of(frames(recorded(), How()), How()) + b"\0" * 7) == whole


def recorded_answer(tmp_path: Path, data: bytes) -> str:
    """Return the report without the name."""
    result = run(saved(tmp_path, "a.pcap", data))
    assert result.exit_code == 0, result.output
    return result.output
