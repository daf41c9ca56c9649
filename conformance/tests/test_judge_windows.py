"""Windows that a log reports late, gradually, or long after a loss."""

import json
from pathlib import Path

from firstflight import Config
from firstflight_conformance.judge.did import did
from firstflight_conformance.judge.formats import read
from firstflight_conformance.judge.subject import subject_of
from firstflight_conformance.logs.recording.recorder import Recorder
from firstflight_conformance.logs.recording.recording import Header, Recording

SIZE = 1000
MS = 1_000_000


class Sender:
    """A sender of whole datagrams over a path of 50 ms."""

    def __init__(self, window: int) -> None:
        """Begin with a window of this number of datagrams."""
        self.recorder, self.window, self.t_ns, self.acked = Recorder(), window, MS, 0
        self.config = Config(SIZE, window * SIZE)
        self.send()

    def send(self) -> None:
        """Fill the window."""
        packets = self.window - self.recorder.packets_in_flight
        if packets > 0:
            self.recorder.sent(self.t_ns, [(packets, SIZE)])
            self.recorder.report(cwnd_bytes=self.window * SIZE)

    def round(self) -> None:
        """Acknowledge a round, two packets at a time, and grow as in slow start."""
        self.t_ns += 50 * MS
        end = self.recorder.next_packet
        while self.acked < end - 1:
            self.acknowledge(grown=2)
            self.send()
            self.t_ns += MS

    def acknowledge(self, grown: int) -> None:
        """Acknowledge the next two packets in flight."""
        first, _ = next(iter(self.recorder.oldest_in_flight()))
        self.recorder.acked(self.t_ns, [(first, first + 1)])
        self.acked = first + 2
        self.window += grown
        self.recorder.report(cwnd_bytes=self.window * SIZE)

    def lose(self, *, window: int) -> None:
        """Lose the oldest packet in flight."""
        first, _ = next(iter(self.recorder.oldest_in_flight()))
        self.recorder.lost(self.t_ns, [first])
        self.window = window
        self.recorder.report(cwnd_bytes=window * SIZE)

    def recording(self) -> Recording:
        """Return the recording."""
        return Recording(Header({"kind": "test", "name": "test"}, self.config), tuple(self.recorder.steps))


def test_factor_of_gradual_reduction() -> None:
    """If each loss lowers the window by one datagram, the factor is measured at the end of recovery."""
    sender = Sender(10)
    for _ in range(2):
        sender.round()
    before = sender.window
    sender.t_ns += 50 * MS
    for _ in range(before // 4):
        sender.lose(window=sender.window - 1)
        sender.acknowledge(grown=0)
        sender.t_ns += MS
    reduction = did(subject_of(sender.recording())).reduction
    assert reduction is not None
    assert reduction.factor * before == before - before // 4


def test_factor_of_immediate_reduction() -> None:
    """A later reduction in the same recovery does not change the factor."""
    sender = Sender(10)
    for _ in range(2):
        sender.round()
    before = sender.window
    sender.t_ns += 50 * MS
    sender.lose(window=before // 2)
    sender.acknowledge(grown=0)
    sender.lose(window=before // 2 - 1)
    reduction = did(subject_of(sender.recording())).reduction
    assert reduction is not None
    assert reduction.factor * before == before // 2


def test_late_window_reduction_is_not_attributed_to_a_loss() -> None:
    """A loss is the evidence for a window that falls at once, but not for one that falls seconds later."""
    evidences = []
    for late_ms in (1, 2000):
        sender = Sender(10)
        sender.round()
        sender.lose(window=sender.window)
        sender.t_ns += late_ms * MS
        sender.acknowledge(grown=-4)
        evidences.append(did(subject_of(sender.recording())).evidence)
    assert evidences == ["loss", "window"]


def log(tmp_path: Path, first_window: int) -> Path:
    """Return a log without a window before the first ACK: eight packets, four of them acknowledged."""
    size = 1350

    def event(time: int, name: str, **data: object) -> dict[str, object]:
        return {"time": time, "name": name, "data": data}

    header = {"packet_type": "1RTT"}
    events = [
        event(
            0,
            "transport:packet_sent",
            header=header | {"packet_number": number},
            raw={"length": size},
            frames=[{"frame_type": "stream"}],
        )
        for number in range(8)
    ]
    for time, last, window in ((50, 1, first_window), (60, 3, first_window + 2 * size)):
        ack = {"frame_type": "ack", "acked_ranges": [[last - 1, last]]}
        events.append(event(time, "transport:packet_received", header=header | {"packet_number": last}, frames=[ack]))
        flight = (7 - last) * size
        events.append(
            event(time, "recovery:metrics_updated", congestion_window=window, bytes_in_flight=flight, latest_rtt=time)
        )
    file = tmp_path / "log.qlog"
    document = {"qlog_version": "0.3", "traces": [{"common_fields": {"time_format": "relative"}, "events": events}]}
    file.write_text(json.dumps(document), "utf-8")
    return file


def test_uncertain_first_window_is_an_interval(tmp_path: Path) -> None:
    """A first window that may or may not include the growth of the ACK is reported as an interval."""
    recording = read(log(tmp_path, 17_300)).recording
    behaviour = did(subject_of(recording))
    assert behaviour.initial_window_range == (14_600, 17_300)
    assert all(point.index > 1 for point in subject_of(recording).limited)
    whole = did(subject_of(read(log(tmp_path, 10 * 1350)).recording))
    assert (whole.initial_window_range, whole.initial_window_bytes) == (None, 13_500)
