"""Broken qlogs give a clear error or a stated limit, without traceback and without a confident wrong verdict."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firstflight_conformance.cli import main
from firstflight_conformance.logs.recording import files

from qlog_imitations import WRITERS, written  # isort: skip
from test_recording_judge import recorded  # isort: skip

Records = list[dict[str, Any]]
Change = Callable[[Records], Any]


def _lines(name: str = "ngtcp2", events: int = 120) -> Records:
    """Return the records of a valid log, the header first."""
    text, _ = written(recorded("rfc-9406", "hystartpp", "path.deep-queue").cut(events=events), WRITERS[name])
    return [json.loads(line) for line in text.replace("\x1e", "").splitlines()]


def _text(records: Records) -> str:
    return "".join(f"\x1e{json.dumps(record)}\n" for record in records)


def judged(folder: Path, data: str | bytes, *options: str) -> Result:
    """Run the command on a log; check that a broken log does not end it with a traceback."""
    path = folder / "log.sqlog"
    path.write_bytes(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)
    result = CliRunner().invoke(main, ["judge", str(path), "--profile", "hystartpp/rfc-9406", *options])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def _named(records: Records, name: str) -> Records:
    return [record for record in records if str(record.get("name", "")).endswith(f":{name}")]


def _without(name: str) -> Change:
    return lambda records: [record for record in records if record not in _named(records, name)]


def _each(name: str, key: str, value: Any, *, header: bool = False) -> Change:
    """Return a change that puts a value into the records of one name, from the third record on."""

    def change(records: Records) -> Records:
        for record in _named(records, name)[2:]:
            (record["data"]["header"] if header else record["data"])[key] = value
        return records

    return change


def _drop(name: str, key: str, *, header: bool = False) -> Change:
    def change(records: Records) -> Records:
        for record in _named(records, name):
            (record["data"]["header"] if header else record["data"]).pop(key, None)
        return records

    return change


def _at(index: int, **members: Any) -> Change:
    def change(records: Records) -> Records:
        records[index] |= members
        return records

    return change


def _ranges(value: Any) -> Change:
    def change(records: Records) -> Records:
        for record in _named(records, "packet_received")[2:]:
            record["data"]["frames"][0]["acked_ranges"] = value
        return records

    return change


def _scaled(key: str, factor: float) -> Change:
    def change(records: Records) -> Records:
        for record in _named(records, "metrics_updated"):
            if key in record["data"]:
                record["data"][key] = record["data"][key] * factor
        return records

    return change


def _every(number: int, name: str) -> Change:
    """Return a change that removes every n-th record of a name."""

    def change(records: Records) -> Records:
        gone = [id(record) for record in _named(records, name)[::number]]
        return [record for record in records if id(record) not in gone]

    return change


def _two_connections(records: Records) -> Records:
    return [records[0], *(record for record in records[1:] for _ in range(2))]


def _reordered(records: Records) -> Records:
    return [records[0], *reversed(records[1:])]


def _acks_first(records: Records) -> Records:
    acks = _named(records, "packet_received")
    rest = [record for record in records[1:] if record not in acks]
    return [records[0], *({**record, "time": 0} for record in acks), *rest]


BROKEN: dict[str, tuple[Change, str]] = {
    "no packets sent": (_without("packet_sent"), "no packet_sent with a packet number"),
    "no packet numbers": (_drop("packet_sent", "packet_number", header=True), "no packet_sent with a packet number"),
    "no packet types": (_drop("packet_sent", "packet_type", header=True), "no packet_sent with a packet number"),
    "no ACKs": (_without("packet_received"), "no ACKs"),
    "ACKs without ranges": (_ranges(None), "only [0-9]+ of [0-9]+ agree with the packets"),
    "no frames": (_drop("packet_received", "frames"), "without frames; give the log of the peer by --peer"),
    "no metrics": (_without("metrics_updated"), "no congestion_window"),
    "no window": (_drop("metrics_updated", "congestion_window"), "no congestion_window"),
    "no bytes in flight": (_drop("metrics_updated", "bytes_in_flight"), "no bytes_in_flight"),
    "no sizes": (_drop("packet_sent", "raw"), "JUDGED"),
    "every fifth packet sent is missing": (
        _every(5, "packet_sent"),
        "nothing is judged below 95 %. The first difference is number [0-9]+, at [0-9.]+ ms: [0-9]+ bytes are logged",
    ),
    "every third ACK is missing": (_every(3, "packet_received"), "nothing is judged below 95 %"),
    "two connections": (_two_connections, "is sent twice: are there several connections"),
    "reversed": (_reordered, "records are before an earlier one: the log is not in order"),
    "ACKs before what they acknowledge": (_acks_first, "nothing is judged below 95 %|no ACK acknowledges"),
    "bytes in flight in packets": (_scaled("bytes_in_flight", 0.01), "bytes_in_flight: .* an integer|below 95 %"),
    "windows in half bytes": (_each("metrics_updated", "congestion_window", 12000.5), "is not an integer in 0.."),
    "a negative window": (_each("metrics_updated", "congestion_window", -1), "is not a non-negative number"),
    "a window of 2^70": (_each("metrics_updated", "congestion_window", 2**70), "is not an integer in 0.."),
    "a window that is a list": (_each("metrics_updated", "congestion_window", []), "is not a non-negative number"),
    "a window that is a text": (_each("metrics_updated", "congestion_window", "big"), "is not a number"),
    "a window that is true": (_each("metrics_updated", "bytes_in_flight", True), "JUDGED|below 95 %"),
    "a negative RTT": (_each("metrics_updated", "latest_rtt", -3), "is not a non-negative number"),
    "ranges that fall": (_ranges([[9, 3]]), "acked_ranges: 9 to 3 is not a rising range"),
    "ranges of three": (_ranges([[1, 2, 3]]), "acked_ranges: expected"),
    "ranges that are no lists": (_ranges([7]), "acked_ranges: expected"),
    "an ACK of everything": (_ranges([[0, 2**62 - 1]]), "below 95 %"),
    "an ACK beyond any number": (_ranges([[0, 2**63]]), "is not an integer in 0.."),
    "frames that are no list": (_each("packet_received", "frames", 3), "frames: expected a list of objects"),
    "a header that is a text": (_each("packet_sent", "header", "x"), "header: expected an object"),
    "a size of 70000": (_each("packet_sent", "raw", {"length": 70000}), "is outside 1..65535"),
    "a size of 0": (_each("packet_sent", "raw", {"length": 0}), "is outside 1..65535"),
    "data that is a list": (_at(5, data=[]), "data: expected an object"),
    "a time that is missing": (_at(5, time=None), "time: None is not a non-negative number"),
    "a negative time": (_at(5, time=-1), "is not a non-negative number"),
    "a name that is a number": (_at(5, name=7), "name: 7 is not a string"),
    "no header": (lambda records: records[1:], "the header of the log is missing"),
    "nothing but a header": (lambda records: records[:1], "no packet_sent with a packet number"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_records(tmp_path: Path, name: str) -> None:
    """The error contains the place and the reason; if the log is still sufficient, the verdict is right."""
    change, reason = BROKEN[name]
    result = judged(tmp_path, _text(change(_lines())))
    if result.exit_code != 2:
        assert "JUDGED" in reason and result.exit_code in (0, 4), result.output
        assert "does not leave" not in result.output
        return
    assert re.search(reason, " ".join(result.output.split())), result.output
    assert "log.sqlog" in result.output


CONTAINERS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "blank": (b" \n \n", "is empty"),
    "binary": (bytes(range(256)) * 4, "is the log cut, or not a qlog"),
    "no JSON": (b"hello\n", "is the log cut, or not a qlog"),
    "a number": (b"7", "is not a JSON object"),
    "no UTF-8": (b'\x1e{"qlog_version": "\xff"}\n', "is not JSON"),
    "not a number": (b'\x1e{"qlog_version": NaN}\n', "NaN is not a number"),
    "nested deeply": (b"[" * 200_000, "is not JSON"),
    "no traces": (b'{"qlog_version": "0.3"}', "has no traces"),
    "traces that are no list": (b'{"traces": 3}', "has no traces"),
    "a trace that is a number": (b'{"traces": [3]}', "traces.0.: is not a JSON object"),
    "a trace without events": (b'{"traces": [{}]}', "has no list of events"),
    "events that are numbers": (b'{"traces": [{"events": [3]}]}', "is not a JSON object"),
    "no events": (b'{"traces": [{"events": []}]}', "no packet_sent"),
    "another tool's JSON": (b'{"log": {"entries": []}}', "has no traces"),
    "digits without end": (b'{"traces": [{"events": [{"time": ' + b"9" * 5000 + b"}]}]}", "is not JSON|time"),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_broken_containers(tmp_path: Path, name: str) -> None:
    """Files that are not qlogs are refused."""
    data, reason = CONTAINERS[name]
    result = judged(tmp_path, data)
    assert result.exit_code == 2, result.output
    assert re.search(reason, " ".join(result.output.split())), result.output


def test_truncated_object_is_read_to_last_whole_event(tmp_path: Path) -> None:
    """A truncated log of one object is read up to its last whole event, like a sequence; no event is an error."""
    text, _ = written(recorded("rfc-9406", "hystartpp", "path.deep-queue").cut(events=100), WRITERS["aioquic"])
    result = judged(tmp_path, text[: len(text) // 2])
    assert result.exit_code in (0, 4)
    assert "the file is not closed" in result.output
    assert judged(tmp_path, text[:60]).exit_code == 2
    half = _text(_lines())
    assert judged(tmp_path, half[: len(half) // 2]).exit_code in (0, 4)


@pytest.mark.parametrize("factor", [37, 1e300, 2**64])
def test_invalid_rtt_samples_are_left_out(tmp_path: Path, factor: float) -> None:
    """Samples that fit no unit or are beyond any time are left out: the times of the packets replace them."""
    change = _scaled("latest_rtt", factor) if factor < 2**64 else _each("metrics_updated", "latest_rtt", factor)
    result = judged(tmp_path, _text(change(_lines())))
    assert result.exit_code in (0, 4), result.output


@pytest.mark.parametrize(
    ("number", "data", "reason"),
    [
        (5, [], "data: expected an object"),
        (5, {"header": 3}, "header: expected an object"),
        (5, {"header": {"packet_type": "1RTT", "packet_number": []}, "frames": []}, "packet_number: .*negative number"),
    ],
)
def test_peer_log_errors_are_reported_with_place(tmp_path: Path, number: int, data: object, reason: str) -> None:
    """Errors are reported with their place, also in the log of the peer and in one of several names."""
    text, peer = written(recorded("rfc-9406", "hystartpp", "path.deep-queue").cut(events=100), WRITERS["quinn"])
    assert peer is not None
    broken = []
    for log in (text, peer):
        records = [json.loads(line) for line in log.replace("\x1e", "").splitlines()]
        records[number] |= {"data": data, "name": "transport:packet_sent"}
        broken.append(_text(records))
    for own, peer_text, blamed in ((text, broken[1], "peer.sqlog"), (broken[0], peer, "log.sqlog")):
        (tmp_path / "peer.sqlog").write_text(peer_text, encoding="utf-8")
        result = judged(tmp_path, own, "--peer", str(tmp_path / "peer.sqlog"))
        output = " ".join(result.output.split())
        assert result.exit_code == 2 and blamed in output
        assert re.search(reason, output), output


def test_truncated_record_in_the_middle_is_refused(tmp_path: Path) -> None:
    """Only the last record may be truncated."""
    lines = _text(_lines()).split("\n")
    result = judged(tmp_path, "\n".join([*lines[:20], lines[20][:-9], *lines[21:]]))
    assert result.exit_code == 2
    assert "record 22, line" in result.output


def test_file_beyond_size_limit_is_refused(tmp_path: Path) -> None:
    """A file beyond the limit is not read; the message contains the limit and the remedy."""
    path = tmp_path / "large.sqlog"
    with path.open("wb") as file:
        file.write(_text(_lines()).encode())
        os.truncate(file.fileno(), 100_000_000)
    result = CliRunner().invoke(main, ["judge", str(path)])
    assert result.exit_code == 2
    assert f"is larger than {files.FILE_MAX_BYTES >> 20} MiB; cut it" in result.output


def test_folders_pipes_and_absent_files_are_refused(tmp_path: Path) -> None:
    """Folders, pipes and absent files are refused."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "absent"):
        result = CliRunner().invoke(main, ["judge", str(path)])
        assert result.exit_code == 2
        assert "Traceback" not in result.output


def test_few_wrong_bytes_in_flight_are_tolerated(tmp_path: Path) -> None:
    """A small share of wrong bytes in flight is tolerated and reported."""
    records = _lines(events=400)
    metrics = _named(records, "metrics_updated")
    for record in metrics[:: len(metrics) // 3]:
        record["data"]["bytes_in_flight"] += 1
    result = judged(tmp_path, _text(records))
    assert result.exit_code == 0
    agreed = re.search(r"bytes in flight as logged: (\d+) of (\d+)", result.output)
    assert agreed is not None and 0 < int(agreed[2]) - int(agreed[1]) <= 5
