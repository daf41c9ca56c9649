"""Members that a qlog may lack or have in excess without being refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from firstflight_conformance.logs.qlog.read import Log, read_qlog

HEADER = {"qlog_version": "0.3", "qlog_format": "JSON-SEQ", "trace": {"vantage_point": {"type": "client"}}}
Record = dict[str, Any]


def read(folder: Path, records: list[Record]) -> Log:
    """Read a log of these records."""
    path = folder / "log.sqlog"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in (HEADER, *records)), encoding="utf-8")
    return read_qlog(path)


def sent(time_ms: int, number: int, kind: str = "1RTT") -> Record:
    """Return the record of a sent packet."""
    data = {
        "header": {"packet_type": kind, "packet_number": number},
        "raw": {"length": 1200},
        "frames": [{"frame_type": "ping"}],
    }
    return {"time": time_ms, "name": "transport:packet_sent", "data": data}


def acked(time_ms: int, number: int) -> Record:
    """Return the record of a received packet that acknowledges one packet."""
    frame = {"frame_type": "ack", "ack_delay": 0, "acked_ranges": [[number, number]]}
    data = {"header": {"packet_type": "1RTT", "packet_number": number}, "frames": [frame]}
    return {"time": time_ms, "name": "transport:packet_received", "data": data}


def metrics(time_ms: int, window: int, flight: int) -> Record:
    """Return a record of metrics."""
    data = {"congestion_window": window, "bytes_in_flight": flight, "latest_rtt": 40}
    return {"time": time_ms, "name": "recovery:metrics_updated", "data": data}


def connection(rounds: int, odd: int | None = None) -> list[Record]:
    """Return rounds of two packets, acknowledged separately; one round ends with an odd number of bytes in flight."""
    records = []
    for number in range(rounds):
        start_ms, first, window = 100 * number, 2 * number, 12000 + 2400 * number
        records += [sent(start_ms, first), metrics(start_ms, window, 1200)]
        records += [sent(start_ms + 1, first + 1), metrics(start_ms + 1, window, 2400)]
        records += [acked(start_ms + 40, first), metrics(start_ms + 40, window + 1200, 1200)]
        records += [acked(start_ms + 41, first + 1), metrics(start_ms + 41, window + 2400, 105 if number == odd else 0)]
    return records


def test_one_odd_number_in_a_short_log(tmp_path: Path) -> None:
    """One of 12 numbers of bytes in flight may be odd."""
    assert read(tmp_path, connection(3, odd=2)).agreement == pytest.approx(11 / 12)


def test_version_negotiation_drops_packets_from_flight(tmp_path: Path) -> None:
    """Version negotiation drops these packets without a record; they are no longer in flight."""
    negotiation = {"header": {"packet_type": "version_negotiation"}}
    before = [
        sent(0, 0, "initial"),
        metrics(0, 12000, 1200),
        {"time": 50, "name": "transport:packet_received", "data": negotiation},
    ]
    later = [record | {"time": record["time"] + 100} for record in connection(15)]
    assert read(tmp_path, [*before, *later]).agreement == 1
    assert read(tmp_path, [*before[:2], *later]).agreement < 1


def test_frame_without_length_is_accepted(tmp_path: Path) -> None:
    """The frame does not limit its stream, and the log is accepted."""
    records = connection(12)
    records[0]["data"]["frames"] = [{"frame_type": "stream", "stream_id": 0, "offset": 0, "length": None}]
    assert read(tmp_path, records).agreement == 1
