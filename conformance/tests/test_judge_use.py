"""``firstflight judge`` in use: lists, choices, standard input, packed files, and an unreadable file among several."""

import gzip
import json
import lzma
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from click.testing import CliRunner, Result

from firstflight_conformance.cli import main
from firstflight_conformance.logs.recording import files

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
    small_connection = [
        (t_ns, packet.replace(SENDER[0], b"\x0a\x00\x00\x09")) for t_ns, packet in frames(recorded(), How())[:40]
    ]
    return file_of(sorted(small_connection + frames(recorded(), How())), How())


def saved(tmp_path: Path, name: str, data: bytes) -> Path:
    """Write a file; return its path."""
    file = tmp_path / name
    file.write_bytes(data)
    return file


def test_connections_are_listed_and_chosen(tmp_path: Path) -> None:
    """``--list`` lists the largest connection first, and ``--connection`` selects one."""
    file = saved(tmp_path, "two.pcap", two_connections())
    lines = run(file, "--list").output.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("1: 10.0.0.1:40000 to 10.0.0.2:443, ")
    assert lines[1].startswith("2: 10.0.0.9:40000 to 10.0.0.2:443, ")
    assert run(file, "--connection", 1).exit_code == 0
    small_run = run(file, "--connection", 2)
    assert small_run.exit_code == 4
    assert small_run.output.splitlines()[-1] == "application-limited: nothing can be concluded about slow start"
    assert "initial window" not in small_run.output
    assert "--connection 1 to 2" in run(file, "--connection", 3).output
    both = run(tmp_path / "none.pcap", file, "--list")
    assert both.exit_code == 2
    assert "none.pcap: file: No such file" in both.output
    assert "two.pcap: 2: 10.0.0.9:40000 to 10.0.0.2:443, " in both.output


@pytest.mark.parametrize("option", ["--trace=0", "--group=a", "--peer=/nothing", "--columns=t_us=x", "--datagram=1200"])
def test_options_of_other_formats_are_errors(tmp_path: Path, option: str) -> None:
    """An option for another file format is an error."""
    result = run(saved(tmp_path, "a.pcap", capture_of(recorded())), option)
    assert result.exit_code == 2
    assert "does not apply" in result.output


def test_other_files_are_judged_despite_an_unreadable_file(tmp_path: Path) -> None:
    """Readable files are judged although one cannot be read, with exit code 2."""
    good = saved(tmp_path, "a.pcap", capture_of(recorded()))
    result = run(good, tmp_path / "none.pcap", good)
    assert result.exit_code == 2
    assert "none.pcap: file: No such file" in result.output
    assert result.output.count("may be: hystart/") == 3  # for each of two files, and for both together


PACKERS: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "xz": lzma.compress, "zst": zstandard.compress}


@pytest.mark.parametrize("name", PACKERS)
def test_compressed_files_are_unpacked(tmp_path: Path, name: str) -> None:
    """Every packing is unpacked; consecutive members, as from pzstd and bgzip, form one file."""
    packed = PACKERS[name]
    data = capture_of(recorded())
    whole = run(saved(tmp_path, f"a.pcap.{name}", packed(data)))
    assert whole.exit_code == 0
    assert "note" not in whole.output
    in_two = packed(data[: len(data) // 2]) + packed(data[len(data) // 2 :])
    assert run(saved(tmp_path, f"a.pcap.{name}", in_two)).output == whole.output
    assert run(saved(tmp_path, f"a.pcap.{name}", packed(data) + bytes(8))).output == whole.output
    assert run(saved(tmp_path, f"a.pcap.{name}", packed(data) + b"behind it")).output == whole.output
    assert run(saved(tmp_path, f"a.csv.{name}", packed(table(rows("hystart/path.deep-queue", "linux"))))).exit_code == 0


@pytest.mark.parametrize("name", PACKERS)
def test_truncated_compressed_capture_is_judged_with_a_note(tmp_path: Path, name: str) -> None:
    """The data before the cut is judged with a note; other commands refuse a cut file."""
    data, packed = capture_of(recorded()), PACKERS[name]
    cut = saved(tmp_path, f"a.pcap.{name}", packed(data[:20_000]) + packed(data[20_000:])[:-60])
    refused = CliRunner().invoke(main, ["record", "cut", str(cut), str(tmp_path / "out"), "--ms", "100"])
    assert refused.exit_code == 2
    assert "or unpack that part into another file" in refused.output
    result = run(cut)
    note = re.search(
        r"note: the (gzip|xz|zstd) file is cut: it was read up to byte (\d+) of its content.*\n", result.output
    )
    assert note is not None
    assert 20_000 <= int(note[2]) < len(data)
    document = json.loads(run(cut, "--json").output)
    in_front = saved(tmp_path, f"a.pcap.{name}", data[: int(note[2])])
    part = run(in_front)
    assert result.output.replace(note[0], "") == part.output
    assert result.exit_code == part.exit_code
    assert note[0].rstrip("\n") in document["notes"]
    part_document = json.loads(run(in_front, "--json").output)
    assert document == part_document | {"notes": [*part_document["notes"], note[0].rstrip("\n")]}
    result = run(saved(tmp_path, f"none.{name}", packed(data)[:12]))
    assert result.exit_code == 2
    assert "cut before its first byte: copy it again" in result.output


@pytest.mark.parametrize("name", PACKERS)
def test_truncated_compressed_table_is_judged(tmp_path: Path, name: str) -> None:
    """The rows before the cut are judged; an incomplete row is ignored."""
    data, packed = table(rows("hystart/path.deep-queue", "linux")), PACKERS[name]
    at = len(data) * 9 // 10
    result = run(saved(tmp_path, f"a.csv.{name}", packed(data[:at]) + packed(data[at:])[:-8]))
    assert result.exit_code in (0, 4), result.output
    assert "file is cut: it was read up to byte" in result.output


@pytest.mark.parametrize(("name", "at"), [("gz", 1000), ("xz", 700), ("zst", 4)])
def test_corrupted_compressed_file_is_an_error(tmp_path: Path, name: str, at: int) -> None:
    """Changed bytes within the packed data are an error."""
    packed = bytearray(PACKERS[name](capture_of(recorded())))
    packed[at : at + 8] = b"\xff" * 8
    result = run(saved(tmp_path, f"a.{name}", bytes(packed)))
    assert result.exit_code == 2
    assert "is not a complete " in result.output


def test_missing_compression_library_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message for a missing library contains a remedy."""
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    result = run(saved(tmp_path, "a.pcap.zst", zstandard.compress(capture_of(recorded()))))
    assert result.exit_code == 2
    assert "unpack it by zstd -d, or install the package zstandard" in result.output
    monkeypatch.setitem(sys.modules, "lzma", None)
    assert "unpack it by xz -d" in run(saved(tmp_path, "a.pcap.xz", lzma.compress(capture_of(recorded())))).output


def test_zstd_frame_without_data_is_skipped(tmp_path: Path) -> None:
    """A zstd file may begin with a frame without data, as pzstd writes it."""
    data = b"\x50\x2a\x4d\x18\x04\x00\x00\x00" + bytes(4) + zstandard.compress(capture_of(recorded()))
    assert run(saved(tmp_path, "a.pcap.zst", data)).exit_code == 0


def test_size_of_compressed_files_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large capture is read up to the limit; other large files are refused."""
    data = capture_of(recorded())
    monkeypatch.setattr(files, "FILE_MAX_BYTES", len(data) - 10_000)
    result = run(saved(tmp_path, "a.pcap.gz", gzip.compress(data)))
    assert result.exit_code in (0, 4)
    assert "note: the first 0 MiB of the file were read" in result.output
    monkeypatch.setattr(files, "FILE_MAX_BYTES", 1000)
    result = run(saved(tmp_path, "a.csv.gz", gzip.compress(table(rows("hystart/path.deep-queue", "linux")))))
    assert "cut it by head -c" in result.output


@pytest.mark.parametrize("separator", [";", "\t"])
def test_tables_with_other_separators_and_columns(tmp_path: Path, separator: str) -> None:
    """Tables may have other separators, and ``--columns`` renames columns."""
    text = table(rows("hystart/path.deep-queue", "linux"), HEAD.replace("cwnd_bytes", "snd_cwnd")).decode()
    file = saved(tmp_path, "a.csv", b"\xef\xbb\xbf" + text.replace(",", separator).encode())
    assert "missing column cwnd_bytes" in run(file).output
    assert "may be: hystart/" in run(file, "--columns", "cwnd_bytes=snd_cwnd").output
    assert "expected OURS=NAME" in run(file, "--columns", "cwnd_bytes").output


def test_rtt_samples_are_computed_from_smoothed_rtts(tmp_path: Path) -> None:
    """RTT samples are computed from the kernel's smoothed RTTs and give the same profile."""
    table_rows, smoothed_us = [], None
    for t_us, rtt_us, *rest in rows("hystart/path.deep-queue", "linux"):
        if rtt_us != "":
            smoothed_us = rtt_us if smoothed_us is None else (7 * smoothed_us + rtt_us) / 8  # type: ignore[operator]
        table_rows.append((t_us, "" if smoothed_us is None else smoothed_us, *rest))
    result = run(saved(tmp_path, "a.csv", table(table_rows, HEAD.replace("rtt_us", "srtt_us"))))
    assert "may be: hystart/" in result.output
    assert "linux" in result.output


def test_capture_from_standard_input(tmp_path: Path) -> None:
    """A capture can be read from standard input."""
    file = saved(tmp_path, "a.pcap", capture_of(recorded()))
    command = [sys.executable, "-m", "firstflight_conformance", "judge", "-"]
    with file.open("rb") as opened:
        result = subprocess.run(command, stdin=opened, capture_output=True, check=False, env=os.environ)
    assert result.returncode == 0
    assert b"may be: hystart/" in result.stdout


def test_duplicate_and_truncated_frames_are_ignored(tmp_path: Path) -> None:
    """Duplicate frames, as from two interfaces, and bytes after the last frame do not change the report."""
    whole = recorded_answer(tmp_path, file_of(frames(recorded(), How()), How()))
    twice = [(t_ns + late, packet) for t_ns, packet in frames(recorded(), How()) for late in (0, 5_000)]
    assert recorded_answer(tmp_path, file_of(twice, How())) == whole
    behind = recorded_answer(tmp_path, file_of(frames(recorded(), How()), How()) + b"\0" * 7)
    assert (
        behind.replace("note: the capture ends with an incomplete frame of 7 bytes, which was ignored\n", "") == whole
    )
    assert behind != whole


def recorded_answer(tmp_path: Path, data: bytes) -> str:
    """Return the report on a capture."""
    result = run(saved(tmp_path, "a.pcap", data))
    assert result.exit_code == 0, result.output
    return result.output
