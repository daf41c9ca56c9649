"""Logs in the style of each writer, read and judged: imitations, and one log written by aioquic."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firstflight.events import Ack, Ce, Lost, Sent
from firstflight_conformance.judge.formats import kind_of
from firstflight_conformance.judge.verdict import judge
from firstflight_conformance.logs.qlog import items
from firstflight_conformance.logs.qlog.groups import PRIOR, Order, arranged, losses_first
from firstflight_conformance.logs.qlog.read import Log, LogOptions, read_qlog
from firstflight_conformance.logs.recording.files import RecordingError
from firstflight_conformance.logs.recording.recording import Recording

from aioquic_log import write_log  # isort: skip
from qlog_imitations import INITIAL_BYTES, WRITERS, written  # isort: skip
from test_recording_judge import recorded  # isort: skip

MS = 1_000_000
TRUE = "hystartpp/rfc-9406"


@pytest.fixture(scope="module")
def stream() -> Recording:
    """Return the logged stream: HyStart++ on a path with losses."""
    return recorded("rfc-9406", "hystartpp", "path.deep-queue")


def read(folder: Path, log: str, peer: str | None = None, options: LogOptions | None = None) -> Log:
    """Write a log and read it."""
    path = folder / "log.qlog"
    path.write_text(log, encoding="utf-8")
    if peer is None:
        return read_qlog(path, options=options)
    peer_path = folder / "peer.sqlog"
    peer_path.write_text(peer, encoding="utf-8")
    return read_qlog(path, peer_path, options)


@pytest.mark.parametrize("name", WRITERS)
def test_stream_is_read_in_format_of_every_writer(tmp_path: Path, stream: Recording, name: str) -> None:
    """All bytes in flight agree, all windows are equal, and the exit matches the profile."""
    stream = stream.cut(events=700)
    log = read(tmp_path, *written(stream, WRITERS[name]))
    assert log.agreement == 1
    events = log.recording.events
    assert sum(isinstance(event, Ack) for event in events) == sum(isinstance(event, Ack) for event in stream.events)
    assert sum(isinstance(event, Lost) for event in events) == sum(isinstance(event, Lost) for event in stream.events)
    first = events[0]
    assert isinstance(first, Sent) and first.bytes == INITIAL_BYTES
    assert sum(step.discarded_bytes for step in log.recording.steps) == INITIAL_BYTES
    verdict = judge(log.recording, [TRUE], app_limited="never")
    assert (verdict.may_be, verdict.undecided) == ((TRUE,), None), verdict.refuted
    assert verdict.explained[0].equal == verdict.explained[0].counted > 20


def test_reader_finds_record_order_of_each_writer(tmp_path: Path, stream: Recording) -> None:
    """The reader finds the order of records that each writer uses."""
    orders = {name: read(tmp_path, *written(stream.cut(events=300), habits)).order for name, habits in WRITERS.items()}
    for name, order in orders.items():
        assert (order.sent_before, order.ack_before) == (WRITERS[name].sent_before, WRITERS[name].ack_before)


def test_rtt_units_are_detected(tmp_path: Path, stream: Recording) -> None:
    """RTTs in seconds are detected by the times, with a note; whole milliseconds become the recording's resolution."""
    stream = stream.cut(events=300)
    quinn = read(tmp_path, *written(stream, WRITERS["quinn"]))
    assert any("the RTTs are in s, or the times in us" in note for note in quinn.notes)
    ours, theirs = ([e.latest_rtt_ns for e in r.events if isinstance(e, Ack)] for r in (stream, quinn.recording))
    assert ours == theirs
    coarse = read(tmp_path, *written(stream, WRITERS["ngtcp2"])).recording.header
    assert (coarse.time_resolution_ns, coarse.rtt_resolution_ns) == (MS, MS)


def test_unknown_header_values_are_noted(tmp_path: Path, stream: Recording) -> None:
    """Unknown versions, time formats and time units are noted together with the assumed value."""
    text, _ = written(stream.cut(events=100), WRITERS["ngtcp2"])
    assert read(tmp_path, text).notes == ()
    odd = text.replace('"common_fields": {}', '"common_fields": {"time_format": "martian", "time_units": "fortnights"}')
    notes = read(tmp_path, odd.replace('"qlog_version": "0.3"', '"qlog_version": "next"')).notes
    assert [note.partition(" is unknown")[0] for note in notes] == [
        "qlog_version: 'next'",
        "time_units: 'fortnights'",
        "time_format: 'martian'",
    ]


def test_aioquic_rtt_sample_includes_ack_delay(tmp_path: Path, stream: Recording) -> None:
    """Aioquic logs the sample without the acknowledgement delay; its controller receives the full sample."""
    steps = tuple(
        replace(step, event=replace(step.event, ack_delay_ns=5 * MS)) if isinstance(step.event, Ack) else step
        for step in stream.cut(events=200).steps
    )
    delayed = replace(stream, steps=steps)
    ours, theirs = (
        [event.latest_rtt_ns for event in recording.events if isinstance(event, Ack)]
        for recording in (delayed, read(tmp_path, *written(delayed, WRITERS["aioquic"])).recording)
    )
    assert ours == theirs


def test_initial_rtt_is_not_a_sample(tmp_path: Path, stream: Recording) -> None:
    """An initial RTT is not a sample, and neither is the RTT of an earlier ACK; the times replace missing samples."""
    text, peer = written(stream.cut(events=60), WRITERS["quinn"])
    records = text.split("\x1e")
    rtts = [record for record in records if "latest_rtt" in record]
    assert "0.333" in rtts[0]
    without = rtts[1:3]
    log = read(tmp_path, "\x1e".join(record for record in records if record not in without), peer)
    ours, theirs = ([e for e in r.events if isinstance(e, Ack)] for r in (stream, log.recording))
    assert [ack.latest_rtt_ns for ack in theirs] == [ack.latest_rtt_ns for ack in ours[: len(theirs)]]
    assert log.recording.header.quality["acks_without_a_logged_rtt"] == len(without)


def test_neqo_timeout_is_not_a_loss(tmp_path: Path, stream: Recording) -> None:
    """neqo logs retransmissions after a timeout as lost packets; they remain in flight, and their ACK counts."""
    text, _ = written(stream.cut(events=60), WRITERS["neqo"])
    header, *records = text.split("\x1e")[1:]
    (first, *_) = [index for index, record in enumerate(records) if "packet_sent" in record and "1RTT" in record]
    probed = json.loads(records[first])
    named = probed | {
        "name": "quic:packet_lost",
        "data": {"header": probed["data"]["header"], "trigger": "pto_expired"},
    }
    marked = [header, *records[: first + 1], json.dumps(named), *records[first + 1 :]]
    assert read(tmp_path, "".join(f"\x1e{record}\n" for record in marked)).recording.events == (
        read(tmp_path, text).recording.events
    )


def test_missing_rtts_are_noted(tmp_path: Path, stream: Recording) -> None:
    """Missing RTTs are noted, and the resolution is the measured lateness."""
    text, _ = written(stream.cut(events=300), WRITERS["ngtcp2"])
    log = read(tmp_path, text.replace('"latest_rtt"', '"some_rtt"'))
    assert any("no RTT samples" in note for note in log.notes)
    assert log.recording.header.rtt_resolution_ns == MS


def test_partial_last_record_is_left_out(tmp_path: Path, stream: Recording) -> None:
    """A killed browser leaves a partial record, which is left out with a note."""
    text, _ = written(stream.cut(events=100), WRITERS["neqo"])
    log = read(tmp_path, text[:-30])
    assert log.notes == ("the last record is cut and was left out",)


def test_rising_ce_counter_is_an_event_before_the_ack(tmp_path: Path, stream: Recording) -> None:
    """A counter that rises is an event before the ACK that reports it."""
    text, _ = written(stream.cut(events=60), WRITERS["ngtcp2"])
    marked, *frames = text.split('"frame_type": "ack"')
    for number, part in enumerate(frames, 1):
        marked += f'"ce": {min(number // 5, 2)}, "frame_type": "ack"' + part
    events = read(tmp_path, marked).recording.events
    counts = [(event.ce_count, events[index + 1]) for index, event in enumerate(events) if isinstance(event, Ce)]
    assert [count for count, _ in counts] == [1, 2]
    assert all(isinstance(following, Ack) for _, following in counts)


def test_quic_go_key_discard_between_metrics_and_ack() -> None:
    """quic-go discards keys between the metrics of an ACK and its record; the earlier packet keeps its own metrics."""
    sent = items.Sent(1, "application_data", 7, 7, 1200, None, False)
    own, state, ack_metrics = (
        items.Metrics(t_ns, values)
        for t_ns, values in ((1, {"bytes_in_flight": 9}), (2, {"state": "slow_start"}), (2, {"bytes_in_flight": 8}))
    )
    keys, ack = items.Discarded(2, "handshake"), items.Received(2, "application_data", 1, [(4, 4)])
    arranged_items = arranged([sent, own, state, ack_metrics, keys, ack], Order(sent_before=False, ack_before=True))
    assert arranged_items == [sent, own, ack, state, ack_metrics, keys]


def test_neqo_losses_are_processed_before_ack() -> None:
    """Neqo logs an ACK, the metrics after its losses, the metrics after its acknowledgements, and the losses last."""
    ack, later_ack = (items.Received(t_ns, "application_data", 1, [(0, 9)]) for t_ns in (1, 2))
    rtt, after_losses, reduced, after_ack = (
        items.Metrics(1, values)
        for values in ({"latest_rtt": 9}, {"bytes_in_flight": 8}, {"cwnd_bytes": 7}, {"bytes_in_flight": 6})
    )
    lost = [items.Lost(1, "application_data", number, number) for number in (10, 11)]
    logged = [ack, rtt, after_losses, reduced, after_ack, *lost, later_ack]
    assert losses_first(logged) == [*lost, after_losses, reduced, ack, rtt, after_ack, later_ack]
    one_flight = [ack, rtt, after_ack, *lost]
    assert losses_first(one_flight) == one_flight


def test_record_with_earlier_time_is_moved(tmp_path: Path, stream: Recording) -> None:
    """A record with an earlier time is moved and noted. With many such records the order is unknown."""
    header, *records = [
        json.loads(line) for line in written(stream.cut(events=100), WRITERS["neqo"])[0].split("\x1e")[1:]
    ]
    records.insert(40, {"time": records[39]["time"] - 30, "name": "transport:packet_received", "data": {"frames": []}})
    log = read(tmp_path, "".join(f"\x1e{json.dumps(record)}\n" for record in (header, *records)))
    assert log.notes == ("1 records were before an earlier one, by up to 30 ms, and were moved to it",)
    assert log.agreement == 1


def test_coalesced_packet_counts_with_its_own_length(tmp_path: Path, stream: Recording) -> None:
    """The second packet is logged with the length of the datagram; only its own length counts as in flight."""
    records = [json.loads(line) for line in written(stream.cut(events=100), WRITERS["neqo"])[0].split("\x1e")[1:]]
    sent = [record for record in records if record.get("name") == "quic:packet_sent"]
    sent[1]["time"] = sent[0]["time"]
    sent[1]["data"]["raw"]["length"] = 310 + 1200
    at = records.index(sent[0])
    records = [*records[: at + 2], sent[1], *(record for record in records[at + 2 :] if record is not sent[1])]
    keys = next(record for record in records if record.get("name") == "security:key_discarded")
    records.remove(keys)
    after = next(index for index, record in enumerate(records) if record is sent[1])
    records[after + 1]["data"]["bytes_in_flight"] = INITIAL_BYTES + 1200
    records.insert(after + 2, keys)
    log = read(tmp_path, "".join(f"\x1e{json.dumps(record)}\n" for record in records))
    assert [event.bytes for event in log.recording.events[:2] if isinstance(event, Sent)] == [INITIAL_BYTES, 1200]
    assert log.agreement == 1


def test_connection_is_chosen_by_trace_or_group(tmp_path: Path, stream: Recording) -> None:
    """A connection is chosen by its trace or by its group."""
    document: dict[str, Any] = json.loads(written(stream.cut(events=80), WRITERS["aioquic"])[0])
    (trace,) = document["traces"]
    with pytest.raises(RecordingError, match="has 2 traces; choose one: --trace 0 to 1"):
        read(tmp_path, json.dumps(document | {"traces": [trace, trace]}))
    chosen = read(tmp_path, json.dumps(document | {"traces": [trace, trace]}), options=LogOptions(trace=1))
    assert chosen.agreement == 1
    events = [event | {"group_id": group} for event in trace["events"] for group in ("a", "b")]
    grouped = json.dumps(document | {"traces": [trace | {"events": events}]})
    with pytest.raises(RecordingError, match="has 2 connections, by group_id; choose one: --group a, b"):
        read(tmp_path, grouped)
    assert read(tmp_path, grouped, options=LogOptions(group="b")).recording.events == chosen.recording.events


def test_two_started_names_are_two_connections(tmp_path: Path, stream: Recording) -> None:
    """A new name after the first packet is the same connection; two names that both begin are two connections."""
    text, peer = written(stream.cut(events=80), WRITERS["quinn"])
    assert read(tmp_path, text, peer).agreement == 1
    header, *records = text.split("\x1e")[1:]
    first = [record.replace('"a"', '"0"') for record in records if '"a"' in record]
    second = [record.replace('"a"', '"c"').replace('"b"', '"c"') for record in records]
    for several in ([*first, *records], [*records, *second]):
        with pytest.raises(RecordingError, match="connections, by group_id; choose one: --group"):
            read(tmp_path, "".join(f"\x1e{record}" for record in [header, *several]), peer)


def test_aioquic_upload_log_agrees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In aioquic's log of an upload without sockets, all bytes in flight and all windows up to the exit agree."""
    path = write_log(tmp_path, monkeypatch)
    monkeypatch.undo()
    log = read_qlog(path)
    assert log.recording.header.source["writer"] == "aioquic"
    assert log.agreement > 0.99
    verdict = judge(log.recording)
    assert verdict.did.evidence == "threshold"
    (plain,) = [explanation for explanation in verdict.explained if explanation.profile == "slow-start/rfc-9002"]
    assert plain.equal == plain.counted > 50
    assert verdict.none_of_ours  # the project does not have its rule
    path.write_text(json.dumps(json.loads(path.read_text("utf-8"))), "utf-8")  # in one line, with sorted columns
    assert kind_of(path.read_bytes()) == "qlog"


def _probed(probe_bytes: int) -> str:
    """Return a log of six packets. The fifth has this size and leaves flight unlogged at the ACK of the others."""
    records: list[dict[str, object]] = [
        {"qlog_version": "0.3", "qlog_format": "JSON-SEQ", "trace": {"common_fields": {}}}
    ]
    flight = 0
    for number, size in enumerate((1200, 1200, 1200, 1200, probe_bytes, 1200)):
        header = {"packet_type": "1RTT", "packet_number": number}
        data = {"header": header, "raw": {"length": size}, "frames": [{"frame_type": "ping"}]}
        records.append({"time": number, "name": "transport:packet_sent", "data": data})
        flight += size
        metrics = {"bytes_in_flight": flight, "congestion_window": 12000}
        records.append({"time": number, "name": "recovery:metrics_updated", "data": metrics})
    frames = [{"frame_type": "ack", "acked_ranges": [[0, 3], [5, 5]]}]
    data = {"header": {"packet_type": "1RTT", "packet_number": 0}, "frames": frames}
    records.append({"time": 60, "name": "transport:packet_received", "data": data})
    metrics = {"bytes_in_flight": 0, "congestion_window": 18000, "latest_rtt": 55}
    records.append({"time": 60, "name": "recovery:metrics_updated", "data": metrics})
    return "".join(f"\x1e{json.dumps(record)}\n" for record in records)


def test_unlogged_probe_loss_in_quinn(tmp_path: Path) -> None:
    """quinn does not log it: the only larger packet leaves flight without a loss; a packet of equal size stays."""
    log = read(tmp_path, _probed(1232))
    assert log.agreement == 1
    assert log.recording.header.quality["probes_discarded"] == 1
    assert not any(isinstance(event, Lost) for event in log.recording.events)
    packet = {
        "header": {"packet_type": "1RTT", "packet_number": 1},
        "frames": [{"frame_type": "ack", "acked_ranges": [[0, 5]]}],
    }
    late = json.dumps({"time": 70, "name": "transport:packet_received", "data": packet})
    assert read(tmp_path, f"{_probed(1232)}\x1e{late}\n").recording.events == log.recording.events
    plain = read(tmp_path, _probed(1200))
    assert plain.agreement < 1
    assert "probes_discarded" not in plain.recording.header.quality


def test_unlogged_loss_in_quiche_is_found_by_threshold(tmp_path: Path) -> None:
    """quiche logs no loss; its window, scaled to larger datagrams, may look larger after the reduction."""
    records: list[dict[str, object]] = [
        {"qlog_version": "0.3", "qlog_format": "JSON-SEQ", "trace": {"common_fields": {}}}
    ]
    for number in range(10):
        header = {"packet_type": "1RTT", "packet_number": number}
        frames: list[dict[str, object]] = [
            {"frame_type": "stream", "stream_id": 0, "offset": 1000 * number, "length": 1000}
        ]
        data = {"header": header, "raw": {"length": 1200}, "frames": frames}
        records.append({"time": number, "name": "transport:packet_sent", "data": data})
        metrics = {"bytes_in_flight": 1200 * (number + 1), "congestion_window": 12000}
        records.append({"time": number, "name": "recovery:metrics_updated", "data": metrics})
    for at_ms, ranges, metrics in (
        (50, [[0, 3]], {"bytes_in_flight": 7200, "congestion_window": 12000, "latest_rtt": 47}),
        (
            60,
            [[0, 3], [8, 9]],
            {"bytes_in_flight": 2400, "congestion_window": 84000, "ssthresh": 84000, "latest_rtt": 51},
        ),
    ):
        header = {"packet_type": "1RTT", "packet_number": at_ms}
        ack = {"header": header, "frames": [{"frame_type": "ack", "acked_ranges": ranges}]}
        records.append({"time": at_ms, "name": "transport:packet_received", "data": ack})
        records.append({"time": at_ms, "name": "recovery:metrics_updated", "data": metrics})
    log = read(tmp_path, "".join(f"\x1e{json.dumps(record)}\n" for record in records))
    assert log.agreement == 1
    (lost,) = (event for event in log.recording.events if isinstance(event, Lost))
    assert [number for run in lost.packets for number in range(run.first, run.last + 1)] == [4, 5]


def test_ack_logged_at_arrival(tmp_path: Path) -> None:
    """Such a log has the metrics before the ACK. Packets sent before the ACK was processed follow its record."""
    records: list[dict[str, object]] = [
        {"qlog_version": "0.3", "qlog_format": "JSON-SEQ", "trace": {"common_fields": {}}}
    ]

    def add(t_ms: float, name: str, data: dict[str, object]) -> None:
        records.append({"time": t_ms, "name": name, "data": data})

    def sent(t_ms: float, number: int) -> None:
        header = {"packet_type": "1RTT", "packet_number": number}
        add(
            t_ms,
            "transport:packet_sent",
            {"header": header, "raw": {"length": 1200}, "frames": [{"frame_type": "ping"}]},
        )

    def acked(t_ms: float, packet: int, last: int, window: int, flight: int, rtt_ms: float) -> None:
        metrics: dict[str, object] = {"congestion_window": window, "bytes_in_flight": flight, "latest_rtt": rtt_ms}
        add(t_ms, "recovery:metrics_updated", metrics)
        frames = [{"frame_type": "ack", "acked_ranges": [[0, last]]}]
        header = {"packet_type": "1RTT", "packet_number": packet}
        add(t_ms, "transport:packet_received", {"header": header, "frames": frames})

    for number in range(10):
        sent(number / 10, number)
    acked(50.0, 0, 1, 12000, 12000, 49.9)
    acked(50.1, 1, 3, 14400, 12000, 49.8)  # one packet, 10, was sent in between, and 11 before it
    sent(50.2, 10)
    sent(50.3, 11)
    for number in range(12, 16):
        sent(50.4 + number / 100, number)
    acked(60.0, 2, 5, 16800, 14400, 59.5)
    acked(60.1, 3, 7, 19200, 12000, 59.4)
    log = read(tmp_path, "".join(f"\x1e{json.dumps(record)}\n" for record in records))
    assert log.order == PRIOR
    assert log.agreement == 1
    verdict = judge(log.recording)
    assert (verdict.explained, verdict.may_be, verdict.none_of_ours) == ((), (), False)
    acks = [step for step in log.recording.steps if isinstance(step.event, Ack)]
    assert [step.subject.get("cwnd_bytes") for step in acks] == [14400, 16800, 19200, 19200]
    assert [step.event.latest_rtt_ns for step in acks if isinstance(step.event, Ack)] == [
        49_900_000,
        49_800_000,
        59_500_000,
        59_400_000,
    ]
