"""Stored recordings of real stacks with known answers: ``firstflight judge`` gives the right answer and exit code."""

import gzip
import json
import lzma
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firstflight_conformance.cli import main
from firstflight_conformance.judge.formats import read
from firstflight_conformance.judge.verdict import judge
from firstflight_conformance.logs.capture.catalogue import catalogue, segments_of, with_data
from firstflight_conformance.logs.capture.container import frames

FOLDER = Path(__file__).parent / "kept_recordings"
CAPTURES = Path(__file__).parent / "kept_captures"
MSS = 1448


def unpacked(tmp_path: Path, name: str) -> Path:
    """Unpack a stored recording; return its path."""
    file = tmp_path / name
    file.write_bytes(lzma.decompress((FOLDER / f"{name}.xz").read_bytes()))
    return file


def answer(tmp_path: Path, name: str, *options: str) -> tuple[int, dict[str, Any]]:
    """Return exit code and JSON of the command."""
    result = CliRunner().invoke(main, ["judge", str(unpacked(tmp_path, name)), "--json", *options])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, json.loads(result.output)


def refusal(tmp_path: Path, name: str) -> str:
    """Return the message of a recording that is refused with exit code 2."""
    result = CliRunner().invoke(main, ["judge", str(unpacked(tmp_path, name))])
    assert result.exit_code == 2, result.output
    return result.output


@pytest.mark.parametrize(
    "name", ["tcp-tls-upload-cubic.pcap", "tcp-delay-on-own-interface.pcap", "tcp-one-byte-behind-end.pcap"]
)
def test_cubic_is_identified(tmp_path: Path, name: str) -> None:
    """CUBIC is identified after a TLS handshake, and behind a delay on the sender's own interface."""
    code, document = answer(tmp_path, name)
    assert (code, document["undecided"]) == (0, None)
    assert "hystart/linux" in document["may_be"]
    assert document["did"]["initial_window_datagrams"] == 10
    assert document["did"]["initial_window_round"] == (2 if "tls" in name else 1)
    assert abs(document["did"]["exit"]["window_bytes"] - (92 if "tls" in name else 88) * MSS) <= 2 * MSS


def test_missing_first_ack_keeps_initial_window(tmp_path: Path) -> None:
    """Without the first ACK the initial window is the same as in the whole capture."""
    code, document = answer(tmp_path, "tcp-first-ack-not-captured.pcap")
    assert code == 4
    assert document["did"]["initial_window_datagrams"] == 10


def test_exit_without_visible_marks_is_undecided(tmp_path: Path) -> None:
    """A flight that falls at the exit, by a mark or an own rule, is undecided and refutes nothing."""
    code, document = answer(tmp_path, "tcp-ecn-cubic.pcap")
    assert (code, document["none_of_ours"]) == (4, False)
    assert "congestion mark" in document["undecided"]
    assert abs(document["did"]["exit"]["t_ms"] - 454) < 5


def test_app_limited_connection_has_no_growth_or_exit(tmp_path: Path) -> None:
    """For an application-limited connection neither growth nor exit is reported."""
    code, document = answer(tmp_path, "tcp-application-5mbit.pcap")
    assert (code, document["may_be"], document["did"]["exit"]["event"]) == (4, [], None)
    assert document["did"]["slow_start_growth"] is None
    assert "application" in document["undecided"]


def test_reno_loss_has_factor_of_one_half(tmp_path: Path) -> None:
    """The loss of Reno is reported with its factor of one half."""
    code, document = answer(tmp_path, "tcp-reno-loss.pcap")
    assert (code, document["did"]["exit"]["evidence"]) == (4, "loss")
    assert abs(document["did"]["first_reduction"]["factor"] - 0.5) < 0.02
    assert document["undecided"].startswith("slow start ends by loss")


def test_receiver_capture_gives_only_the_initial_window(tmp_path: Path) -> None:
    """A capture at the receiver gives the initial window but no profile."""
    code, document = answer(tmp_path, "tcp-receiver-side-cubic.pcap")
    assert (code, document["may_be"]) == (4, [])
    assert document["did"]["initial_window_datagrams"] == 10
    assert document["undecided"].startswith("captured at the receiver")


def test_truncated_handshake_message_has_a_remedy(tmp_path: Path) -> None:
    """The message for a truncated handshake contains the remedy."""
    assert "-s 120" in refusal(tmp_path, "tcp-snaplen-68.pcap")


def test_exit_by_delay_is_not_refuted_without_rtts(tmp_path: Path) -> None:
    """Without RTTs an exit by delay is not refuted, but a base without such an exit is."""
    code, document = answer(tmp_path, "table-no-rtt.csv", "--datagram", "1448")
    assert (code, document["none_of_ours"]) == (4, False)
    assert "RTT" in document["undecided"]
    assert "hystart/linux" in document["may_be"]
    assert "slow-start/rfc-9002" not in document["may_be"]


def test_a_table_with_a_byte_order_mark(tmp_path: Path) -> None:
    """A table with a byte order mark is read."""
    code, document = answer(tmp_path, "table-bom.csv")
    assert code == 0
    assert "hystart/linux" in document["may_be"]


def test_short_tcp_probe_trace_is_undecided(tmp_path: Path) -> None:
    """An excerpt of tcp_probe is read, but too short to decide."""
    code, document = answer(tmp_path, "tcp_probe.txt")
    assert code == 4
    assert document["did"]["initial_window_datagrams"] == 10
    assert document["did"]["slow_start_growth"] == 1


_FORMS = {
    "bpftrace-tcp_info.csv": r"missing column t, acked_bytes, in_flight_bytes, cwnd_bytes",
    "table-one-name-wrong.csv": r"missing column in_flight_bytes;.*--columns in_flight_bytes=NAME",
    "ns3-cwnd.txt": r"read are qlogs, TCP captures.*row per ACK",
    "tcpdump.txt": r"text of tcpdump.*-w FILE",
}


@pytest.mark.parametrize("name", _FORMS)
def test_unreadable_format_is_reported_with_a_remedy(tmp_path: Path, name: str) -> None:
    """The message contains the readable forms or the missing columns, and a remedy."""
    assert re.search(_FORMS[name], " ".join(refusal(tmp_path, name).split()))


def test_quiche_reduction_without_logged_loss_is_a_loss(tmp_path: Path) -> None:
    """The log is read up to the reduction, which is a loss."""
    code, document = answer(tmp_path, "quiche-0.3-loss-not-logged.qlog")
    did = document["did"]
    assert (code, did["exit"]["evidence"], did["initial_window_bytes"]) == (4, "loss", 12000)
    assert did["exit"]["window_bytes"] == 42000
    assert abs(did["first_reduction"]["factor"] - 0.7) < 0.001


def test_handshake_packet_leaves_flight_with_handshake_done(tmp_path: Path) -> None:
    """The handshake packet leaves flight with HANDSHAKE_DONE."""
    code, document = answer(tmp_path, "quiche-0.3-handshake-done.qlog")
    assert (code, document["agreement"], document["did"]["slow_start_growth"]) == (4, 1, 1)


def test_padded_ack_packet_is_not_in_flight(tmp_path: Path) -> None:
    """A packet of quiche with an ACK and padding alone does not count in flight."""
    file = unpacked(tmp_path, "quiche-0.3-handshake-done.qlog")
    records = file.read_text("utf-8").split("\n")
    at = next(at for at, line in enumerate(records) if '"packet_type":"1RTT"' in line and "packet_sent" in line)
    record = json.loads(records[at].lstrip("\x1e"))
    record["data"] = {
        "header": {"packet_type": "1RTT", "packet_number": 99_999},
        "raw": {"length": 1200},
        "frames": [{"frame_type": "ack", "acked_ranges": [[0]]}, {"frame_type": "padding", "length": 1000}],
    }
    records.insert(at, "\x1e" + json.dumps(record))
    file.write_text("\n".join(records), "utf-8")
    document = json.loads(CliRunner().invoke(main, ["judge", str(file), "--json"]).output)
    assert (document["agreement"], document["did"]["slow_start_growth"]) == (1, 1)


def test_window_for_new_datagram_size_is_not_an_exit(tmp_path: Path) -> None:
    """A window for another datagram size is not an exit, and quiche is recognised by its members."""
    code, document = answer(tmp_path, "quiche-0.29-window-of-larger-datagram.qlog")
    assert (code, document["did"]["exit"]["event"], document["did"]["first_reduction"]) == (4, None, None)
    assert document["did"]["initial_window_bytes"] == 1_200_000
    result = CliRunner().invoke(main, ["judge", str(tmp_path / "quiche-0.29-window-of-larger-datagram.qlog")])
    assert "written by quiche (http3-server)" in result.output


def test_growth_of_kernel_hystartpp_matches_the_profile(tmp_path: Path) -> None:
    """Growth in whole datagrams with a carried rest is growth of the profile."""
    code, document = answer(tmp_path, "hystartpp-rfc-9406-kernel.jsonl")
    assert (code, document["undecided"]) == (0, None)
    assert "hystartpp/rfc-9406" in document["may_be"]
    assert "slow-start/rfc-9002" not in document["may_be"]


@pytest.mark.parametrize("capture", sorted(CAPTURES.glob("*.pcap.gz")), ids=lambda path: path.name)
@pytest.mark.parametrize("number", range(8))
def test_reordered_acks_do_not_change_the_verdict(tmp_path: Path, capture: Path, number: int) -> None:
    """Exchanging neighbouring ACKs does not change the verdict."""
    whole = bytearray(gzip.decompress(capture.read_bytes()))
    file = tmp_path / "capture.pcap"
    file.write_bytes(whole)
    plain = judge(read(file).recording)
    file.write_bytes(exchanged(whole, number))
    reordered = judge(read(file).recording)
    assert (reordered.undecided, reordered.may_be) == (plain.undecided, plain.may_be)
    assert reordered.did.initial_window_bytes == plain.did.initial_window_bytes


def exchanged(data: bytearray, number: int) -> bytes:
    """Return a capture with two neighbouring ACKs exchanged, after (``number`` + 1) tenths of the ACKs."""
    (entry, *_) = with_data(catalogue(bytes(data)))
    all_frames = list(frames(bytes(data)))
    peer = entry.hosts[1 - entry.sender]
    segments = list(segments_of(bytes(data), entry))
    acks = [
        at
        for at, segment in enumerate(segments)
        if segment.source == peer and not segment.syn and not segment.payload_bytes
    ]
    at = (number + 1) * len(acks) // 10
    first, second = (all_frames[index] for index in acks[at : at + 2])
    assert first.end - first.start == second.end - second.start
    changed = bytearray(data)
    changed[first.start : first.end] = data[second.start : second.end]
    changed[second.start : second.end] = data[first.start : first.end]
    return bytes(changed)


def test_reason_for_slow_start_exit_has_numbers_and_path(tmp_path: Path) -> None:
    """The rule has its two numbers, and the exit is related to the path."""
    code, document = answer(tmp_path, "tcp-tls-upload-cubic.pcap")
    why = {reason["profile"]: reason for reason in document["why"]}["hystart/linux"]
    assert code == 0
    assert re.fullmatch(r"[\d.]+ ms", why["observed"])
    assert re.fullmatch(r"[\d.]+ ms \+ 1/8 \(4 ms to 16 ms\)", why["against"])
    observed, least = (float(text.split()[0]) for text in (why["observed"], why["against"]))
    assert observed >= least + 4
    path = document["path"]
    assert 9e6 < path["rate_bps"] < 11e6
    assert abs(path["exit_products"] - document["did"]["exit"]["window_bytes"] / path["product_bytes"]) < 0.01


def test_app_limited_connection_has_no_path_or_reason(tmp_path: Path) -> None:
    """An application-limited connection has neither a path nor a reason."""
    _, document = answer(tmp_path, "tcp-application-5mbit.pcap")
    assert (document["path"], document["why"]) == (None, [])
