"""Mutated captures and qlogs give a verdict or a message in bounded time, and never a wrong profile."""

import gzip
import json
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import pytest

from firstflight.events import Ack
from firstflight_conformance.judge.formats import Source, read
from firstflight_conformance.judge.verdict import ConnectionVerdict, judge
from firstflight_conformance.logs.capture.container import frames
from firstflight_conformance.logs.qlog.read import LogOptions
from firstflight_conformance.logs.recording.files import RecordingError

from qlog_imitations import WRITERS, written  # isort: skip
from test_recording_judge import recorded  # isort: skip

CAPTURES = Path(__file__).parent / "kept_captures"
#: Profiles of the stored captures by a part of the name. Reno leaves slow start by loss and is never identified.
TRUE = {"cubic": {"hystart", "suss"}, "reno": set[str](), "bbr": {"bbr"}}
_MOST_S = 10
_MSS = 1448
_HEAD = struct.Struct("<IIII")

Parts = list[tuple[int, bytes, int]]  # time, bytes and whole length of a frame


@cache
def parts(capture: Path) -> tuple[bytes, Parts]:
    """Return the header and the frames of a stored capture."""
    data = gzip.decompress(capture.read_bytes())
    return data[:24], [(frame.t_ns, data[frame.start : frame.end], frame.whole_bytes) for frame in frames(data)]


def joined(head: bytes, packets: Parts) -> bytes:
    """Return the capture with this header and these frames."""
    return head + b"".join(_HEAD.pack(t // 10**9, t % 10**9, len(data), whole) + data for t, data, whole in packets)


def _dropped(packets: Parts, random: Random) -> Parts:
    gone = {random.randrange(len(packets)) for _ in range(random.randrange(1, 6))}
    return [packet for at, packet in enumerate(packets) if at not in gone]


def _exchanged(packets: Parts, random: Random) -> Parts:
    at = random.randrange(len(packets) - 1)
    (first, a, m), (second, b, n) = packets[at : at + 2]
    return [*packets[:at], (first, b, n), (second, a, m), *packets[at + 2 :]]


def _doubled(packets: Parts, random: Random) -> Parts:
    at = random.randrange(len(packets))
    return [*packets[:at], packets[at], *packets[at:]]


def _flipped(packets: Parts, random: Random) -> Parts:
    at = random.randrange(len(packets))
    t_ns, data, whole = packets[at]
    changed = bytearray(data)
    changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return [*packets[:at], (t_ns, bytes(changed), whole), *packets[at + 1 :]]


def _cut(packets: Parts, random: Random) -> Parts:
    return packets[: random.randrange(3, len(packets))] if len(packets) > 3 else packets


def _moved(packets: Parts, random: Random) -> Parts:
    if len(packets) <= 3:
        return packets
    at, late_ns = random.randrange(3, len(packets)), random.choice((10**5, 10**7, 10**9))
    return packets[:at] + [(t_ns + late_ns, data, whole) for t_ns, data, whole in packets[at:]]


MUTATIONS: tuple[Callable[[Parts, Random], Parts], ...] = (_dropped, _exchanged, _doubled, _flipped, _cut, _moved)


def _acks(source: Source) -> list[Ack]:
    return [step.event for step in source.recording.steps if isinstance(step.event, Ack)]


def _answer(file: Path) -> ConnectionVerdict | None:
    """Return the verdict, or None for a file that is refused with a message."""
    begin_s = process_time()
    try:
        return judge(read(file).recording)
    except (RecordingError, ValueError) as error:
        assert str(error)
        return None
    finally:
        assert process_time() - begin_s < _MOST_S


def mutated_captures(tmp_path: Path, count: int) -> None:
    """Judge ``count`` mutated captures."""
    captures = sorted(CAPTURES.glob("*.pcap.gz"))
    file = tmp_path / "capture.pcap"
    wrong = []
    for number in range(count):
        random = Random(number)
        capture = random.choice(captures)
        head, packets = parts(capture)
        for _ in range(random.choice((1, 1, 2, 4))):
            packets = random.choice(MUTATIONS)(packets, random)
        file.write_bytes(joined(head, packets))
        verdict = _answer(file)
        true = next(names for part, names in TRUE.items() if part in capture.name)
        if verdict is not None and verdict.undecided is None and verdict.may_be:
            named = {name.partition("/")[0] for name in verdict.may_be}
            wrong += [(number, capture.name, verdict.may_be)] if not named & true else []
        elif verdict is not None and verdict.none_of_ours:
            wrong.append((number, capture.name, ("none of ours",)))
    assert not wrong


def mutated_qlogs(tmp_path: Path, count: int) -> None:
    """Judge ``count`` mutated qlogs."""
    stream = recorded("linux", "hystart", "path.deep-queue").cut(events=500)
    logs = {
        name: written(stream, habits)[0] for name, habits in WRITERS.items() if name in ("quic-go", "neqo", "quiche")
    }
    file = tmp_path / "log.qlog"
    wrong, judged = [], 0
    for number in range(count):
        random = Random(number)
        name = random.choice(sorted(logs))
        records = [line for line in logs[name].split("\n") if line]
        for _ in range(random.choice((1, 1, 2, 4))):
            _change(records, random)
        file.write_text("\n".join(records) + "\n", encoding="utf-8")
        verdict = _answer(file)
        judged += verdict is not None
        if verdict is not None and verdict.undecided is None and verdict.may_be:
            wrong += [(number, name, verdict.may_be)] if "hystart/linux" not in verdict.may_be else []
    assert not wrong
    assert judged > count // 3  # other logs are refused with a message


@pytest.mark.parametrize("at", [110, 139, 143, 165])
def test_exchanged_ack_and_data_do_not_change_the_verdict(tmp_path: Path, at: int) -> None:
    """Data that echoes an older time stamp than the ACK was sent first, so the verdict equals the original's."""
    head, packets = parts(CAPTURES / "plain-cubic-tso.pcap.gz")
    file = tmp_path / "capture.pcap"
    file.write_bytes(joined(head, packets))
    plain = judge(read(file).recording)
    (data_ns, data, m), (ack_ns, ack, n) = packets[at - 1 : at + 1]
    assert m > 100 > n
    file.write_bytes(joined(head, [*packets[: at - 1], (data_ns, ack, n), (ack_ns, data, m), *packets[at + 1 :]]))
    changed = judge(read(file).recording)
    assert changed.did == plain.did
    assert changed.may_be == plain.may_be != ()


def test_missing_last_segment_makes_initial_window_ambiguous(tmp_path: Path) -> None:
    """A missing last segment of the first flight makes the initial window ambiguous, and no profile is named."""
    head, packets = parts(CAPTURES / "access-line-bbr.pcap.gz")
    file = tmp_path / "capture.pcap"
    file.write_bytes(joined(head, [*packets[:12], *packets[13:]]))
    source = read(file)
    assert "note: 1 segments are missing in the capture" in source.notes
    least_ns = min(event.min_rtt_ns for event in _acks(source) if event.min_rtt_ns is not None)
    verdict = judge(source.recording)
    assert verdict.did.initial_window_range == (9 * _MSS, 10 * _MSS)
    assert "several initial windows" in str(verdict.undecided)
    assert verdict.may_be == ()
    stated = judge(read(file, options=LogOptions(initial_window_bytes=10 * _MSS)).recording)
    assert not stated.none_of_ours
    assert set(stated.may_be) <= {"bbr/linux-v1"}
    file.write_bytes(joined(head, packets))
    assert least_ns == min(event.min_rtt_ns for event in _acks(read(file)) if event.min_rtt_ns is not None)


@pytest.mark.parametrize("name", ["plain-cubic-tso", "bursts-cubic"])
def test_capture_clock_step_refutes_no_profile(tmp_path: Path, name: str) -> None:
    """A clock step of 10 ms in slow start, visible in the sender's time stamps, refutes no profile."""
    head, packets = parts(CAPTURES / f"{name}.pcap.gz")
    at = {"plain-cubic-tso": 160, "bursts-cubic": 404}[name]
    file = tmp_path / "capture.pcap"
    file.write_bytes(joined(head, packets[:at] + [(t_ns + 10**7, data, whole) for t_ns, data, whole in packets[at:]]))
    verdict = judge(read(file).recording)
    assert not verdict.none_of_ours
    assert "the sender's time stamps and the times of the capture differ by up to 10." in str(verdict.undecided)


def _change(records: list[str], random: Random) -> None:
    """Drop, duplicate or exchange a record, or change a number in it."""
    at = random.randrange(1, len(records) - 1)
    kind = random.randrange(4)
    if kind == 0:
        del records[at]
    elif kind == 1:
        records.insert(at, records[at])
    elif kind == 2:
        records[at], records[at + 1] = records[at + 1], records[at]
    else:
        record = json.loads(records[at].strip("\x1e"))
        data = record.get("data") or {}
        numbers = [key for key, value in data.items() if isinstance(value, int | float)]
        value: Any = random.choice((0, -1, 1, 2**31, 2**63, 2**64, 1e300, None, "x", []))
        if numbers:
            data[random.choice(numbers)] = value
        else:
            record["time"] = value
        records[at] = "\x1e" + json.dumps(record)


def test_some_mutated_captures(tmp_path: Path) -> None:
    """A few in each run."""
    mutated_captures(tmp_path, 60)


def test_some_mutated_qlogs(tmp_path: Path) -> None:
    """A few in each run."""
    mutated_qlogs(tmp_path, 40)


@pytest.mark.long
def test_a_thousand_mutated_captures(tmp_path: Path) -> None:
    """A thousand of them."""
    mutated_captures(tmp_path, 1000)


@pytest.mark.long
def test_a_thousand_mutated_qlogs(tmp_path: Path) -> None:
    """A thousand of them."""
    mutated_qlogs(tmp_path, 1000)


def test_long_capture_is_read_until_the_flight_stops_growing(tmp_path: Path) -> None:
    """A capture with a tail of 18,000 frames at one flight is read only until the flight stops growing."""
    head, packets = parts(CAPTURES / "access-line-cubic.pcap.gz")
    file = tmp_path / "capture.pcap"
    file.write_bytes(joined(head, packets))
    plain = judge(read(file).recording)
    file.write_bytes(joined(head, [*packets, *_tail(packets, 6_000)]))
    source = read(file)
    assert "until its flight had stopped growing" in source.notes[0]
    assert len(source.recording.steps) < 3_000
    assert judge(source.recording).may_be == plain.may_be


def _tail(packets: Parts, count: int) -> Parts:
    """Return ``count`` times an ACK of two segments followed by two segments."""
    t_ns = packets[-1][0]
    data = bytearray(max((packet for packet in packets if packet[2] > 1000), key=lambda packet: packet[0])[1])
    whole = next(size for _, _, size in packets if size > 1000)
    ack = bytearray(
        max(
            (packet for packet in packets if packet[2] < 100 and packet[1][26:30] != data[26:30]),
            key=lambda packet: packet[0],
        )[1]
    )
    sent, acked = (int.from_bytes(segment[at : at + 4]) for segment, at in ((data, 38), (ack, 42)))
    made: Parts = []
    for _ in range(count):
        acked = (acked + 2 * _MSS) % 2**32
        t_ns += 400_000
        ack[42:46] = acked.to_bytes(4)
        made.append((t_ns, bytes(ack), len(ack)))
        for late_ns in (10_000, 12_000):
            sent = (sent + _MSS) % 2**32
            data[38:42] = sent.to_bytes(4)
            made.append((t_ns + late_ns, bytes(data), whole))
    return made
