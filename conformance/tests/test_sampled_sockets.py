"""Output of ``ss -tinm`` over time: the report contains the first window and the exit, but no profile."""

import gzip
import json
import lzma
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firstflight_conformance.cli import main
from firstflight_conformance.judge.formats import read
from firstflight_conformance.logs.recording.files import RecordingError

KEPT = Path(__file__).parent / "kept_recordings"
HEAD = "ESTAB 0 0 192.0.2.1:443 198.51.100.7:40000"


def judge(*arguments: str | Path) -> Result:
    """Run the command."""
    result = CliRunner().invoke(main, ["judge", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def unpacked(tmp_path: Path, name: str) -> Path:
    """Return a stored file: ss over a sender of the kernel on an emulated path of 10 Mbit/s and 40 ms."""
    file = tmp_path / name
    file.write_bytes(lzma.decompress((KEPT / f"{name}.xz").read_bytes()))
    return file


def log(tmp_path: Path, *states: str, head: str = HEAD) -> Path:
    """Return a file of samples of one socket, one line each."""
    file = tmp_path / "ss.txt"
    file.write_text("".join(f"{head} {state}\n" for state in states), "utf-8")
    return file


def test_cubic_exits_slow_start_by_threshold(tmp_path: Path) -> None:
    """HyStart sets ssthresh to the window, without a retransmission; the SYN-SENT sample has another segment size."""
    file = unpacked(tmp_path, "ss-cubic.txt")
    result = judge(file, "--json")
    document = json.loads(result.output)
    assert result.exit_code == 4
    assert document["may_be"] == [] and not document["none_of_ours"]
    did = document["did"]
    assert (did["initial_window_bytes"], did["initial_window_datagrams"]) == (12000, 10)
    assert (did["exit"]["window_bytes"], did["exit"]["evidence"]) == (176 * 1200, "threshold")
    assert 240 < did["exit"]["t_ms"] < 260
    text = judge(file).output
    assert "initial window: 12000 bytes, 10 datagrams of 1200" in text
    assert "between 249.6 and 258.7 ms after the first sample: without a loss" in text
    assert "not decided: samples of a socket name no profile" in text


def test_reno_exits_slow_start_by_loss(tmp_path: Path) -> None:
    """A threshold with retransmissions is the reaction to a loss: the window is a lower bound."""
    result = judge(unpacked(tmp_path, "ss-reno.txt"), "--json")
    exit_ = json.loads(result.output)["did"]["exit"]
    assert (result.exit_code, exit_["evidence"], exit_["window_bytes"]) == (4, "loss", 116 * 1200)


def test_congestion_marks_are_evidence(tmp_path: Path) -> None:
    """Congestion marks counted by the receiver are evidence too."""
    file = log(
        tmp_path,
        "cubic wscale:7,7 mss:1448 cwnd:10 bytes_acked:1",
        "cubic wscale:7,7 mss:1448 cwnd:28 ssthresh:28 bytes_acked:99000 delivered_ce:3",
    )
    assert "by a loss or congestion mark, at 14480 bytes or more" in judge(file).output


def test_initial_window_is_omitted_after_earlier_data(tmp_path: Path) -> None:
    """The first window is then not reported as the initial window."""
    file = log(
        tmp_path,
        "reno wscale:7,7 mss:1448 cwnd:24 bytes_acked:20273",
        "reno wscale:7,7 mss:1448 cwnd:40 bytes_acked:43441",
    )
    output = judge(file).output
    assert "initial window: not shown" in output
    assert "exit of slow start: not shown" in output
    assert json.loads(judge(file, "--json").output)["did"]["initial_window_bytes"] is None


def test_bbr_threshold_is_not_reported_as_an_exit(tmp_path: Path) -> None:
    """The threshold of BBR has another purpose, so it is not reported as an exit."""
    file = log(
        tmp_path,
        "bbr wscale:7,7 mss:1448 cwnd:10 bytes_acked:1",
        "bbr wscale:7,7 mss:1448 cwnd:80 ssthresh:33 bytes_acked:9000",
    )
    output = judge(file).output
    assert ", bbr" in output and "exit of slow start: not shown" in output


def test_socket_with_most_acknowledged_data_is_reported(tmp_path: Path) -> None:
    """With several sockets the report is on the socket that acknowledges most."""
    file = tmp_path / "ss.txt"
    second_head = HEAD.replace("40000", "40001")
    lines = [
        f"{HEAD} reno wscale:7,7 mss:1448 cwnd:10 bytes_acked:1",
        f"{second_head} reno wscale:7,7 mss:1448 cwnd:32 bytes_acked:1",
        f"{HEAD} reno wscale:7,7 mss:1448 cwnd:12 bytes_acked:2897",
        f"{second_head} reno wscale:7,7 mss:1448 cwnd:64 bytes_acked:46337",
    ]
    file.write_text("\n".join(lines), "utf-8")
    output = judge(file).output
    assert "198.51.100.7:40001" in output and "32 datagrams of 1448" in output
    assert "note: 1 more sockets are in the file" in output


def test_truncated_gzip_file_has_a_note(tmp_path: Path) -> None:
    """The note on the truncation is in the text report and in the JSON object."""
    whole = unpacked(tmp_path, "ss-cubic.txt")
    data = whole.read_bytes()
    file = tmp_path / "cut.txt.gz"
    file.write_bytes(gzip.compress(data[:-200]) + gzip.compress(data[-200:])[:-12])
    notes = json.loads(judge(file, "--json").output)["notes"]
    assert len(notes) == 1
    assert notes[0].startswith("note: the gzip file is cut: it was read up to byte ")
    assert notes[0] in judge(file).output.splitlines()
    assert json.loads(judge(whole, "--json").output)["notes"] == []


def test_one_sample_is_too_few(tmp_path: Path) -> None:
    """One sample is an error whose message contains the remedy."""
    result = judge(log(tmp_path, "reno wscale:7,7 mss:1448 cwnd:10 bytes_acked:1"))
    assert result.exit_code == 2
    assert "repeat ss -tinm" in result.output


def test_options_of_other_formats_are_errors(tmp_path: Path) -> None:
    """Options of other formats are errors, and the file gives no recording."""
    file = unpacked(tmp_path, "ss-cubic.txt")
    assert "is a socket trace: --initial-window does not apply" in judge(file, "--initial-window", "12000").output
    assert judge(file, "--save", tmp_path / "saved.jsonl").exit_code == 2
    assert judge(file, file, "--json").exit_code == 2
    assert judge("--list", file).output == "a socket trace has one connection\n"
    with pytest.raises(RecordingError, match="without events"):
        read(file)


def test_capture_and_socket_samples_have_separate_reports(tmp_path: Path) -> None:
    """Each file has its report, and the exit code marks them as undecided."""
    capture = tmp_path / "capture.pcap"
    capture.write_bytes(lzma.decompress((KEPT / "tcp-tls-upload-cubic.pcap.xz").read_bytes()))
    result = judge(capture, unpacked(tmp_path, "ss-cubic.txt"))
    assert result.exit_code == 4
    assert "may be: hystart/" in result.output and "26 samples of the socket" in result.output
