"""A captured connection as a recording: the window is at least what is in flight once an ACK has released all that it does."""

from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

from firstflight import Config
from firstflight_conformance.capture.connection import Connection, UnfitError, connection_of, distance
from firstflight_conformance.capture.frames import Segment, segments
from firstflight_conformance.recording.files import RecordingError
from firstflight_conformance.recording.recorder import Recorder
from firstflight_conformance.recording.recording import AT_LEAST, Header, Recording

#: Segments that are sent within so short a time are one event.
_BURST_NS = 10_000
#: Of how many segments one may be missing in the capture, and of how many ACKs the receiver's window may limit the sender at one.
_GAPS_ONE_OF, _LIMITED_ONE_OF = 100, 20
#: How many segments in a row may be missing.
_MISSING = 64
#: What times of a capture are late by, at the median: the sender takes its own a little before.
_LATE_NS = 50_000
_RECOMMENDED_DATAGRAMS = 10


@dataclass(slots=True)
class _Burst:
    t_ns: int
    sizes_bytes: list[int]


def read_capture(path: Path, data: bytes, initial_window_bytes: int | None = None) -> tuple[Recording, list[str]]:
    """Return the recording of the connection with most data, with notes. Raise :class:`RecordingError` where it cannot be judged."""
    try:
        connection = connection_of(segments(path, data))
        following = _Following(connection)
        recording = following.recording(path.name, initial_window_bytes)
    except UnfitError as error:
        raise RecordingError(path, "file", str(error)) from error
    notes = [f"capture of {following.packets} segments of {connection.mss} bytes, {following.ended}"]
    if connection.others:
        notes.append(f"note: {connection.others} more connections carry data; the one with most is judged")
    if following.missing:
        notes.append(f"note: {following.missing} segments are missing in the capture")
    return recording, notes


class _Following:
    """Turns bytes into packets, and the flight after each burst into what is known of the window."""

    def __init__(self, connection: Connection) -> None:
        self._connection, self._recorder = connection, Recorder()
        self._ends: list[int] = []  # of the packets, in bytes of data
        self._acked_packets = self._origin_ns = 0
        self._first_flight_bytes: int | None = None
        self._most_in_first_round_bytes = 0
        self._sacked = False
        self._burst: _Burst | None = None
        self._window_bytes: int | None = None
        self._limited = self._acks = self.missing = 0
        self.ended = "followed to its end"
        for segment in connection.segments:
            if not (self._data(segment) if segment.source == connection.sender else self._ack(segment)):
                break
        self._flush()

    @property
    def packets(self) -> int:
        """How many segments were sent, as far as they were followed."""
        return len(self._ends)

    def recording(self, name: str, initial_window_bytes: int | None) -> Recording:
        """Return what was followed. Raise :class:`UnfitError` where that says nothing of the window."""
        if self._first_flight_bytes is None:
            raise UnfitError("has no ACK of data")
        if self.missing * _GAPS_ONE_OF > self.packets:
            raise UnfitError(f"{self.missing} of {self.packets} segments are missing in it: capture headers only")
        if self._limited * _LIMITED_ONE_OF > self._acks:
            raise UnfitError(f"the receiver's window limited the sender at {self._limited} of {self._acks} ACKs")
        mss = self._connection.mss
        window_bytes = initial_window_bytes or self._initial_window_bytes()
        quality = {"window": AT_LEAST, "acks": self._acks, "missing": self.missing}
        header = Header({"kind": "capture", "name": name}, Config(mss, window_bytes), 1000, _LATE_NS, quality)
        return self._recorder.recording(header)

    def _initial_window_bytes(self) -> int:
        """Return the first flight, or ten segments where what followed in the first round shows that it was less than the window."""
        mss, first_bytes = self._connection.mss, self._first_flight_bytes or 0
        if self._most_in_first_round_bytes <= 2 * (first_bytes + mss):
            return first_bytes
        if self._most_in_first_round_bytes <= 2 * (_RECOMMENDED_DATAGRAMS + 1) * mss:
            return _RECOMMENDED_DATAGRAMS * mss
        raise UnfitError("the first flight is less than the initial window: state it by --initial-window")

    @property
    def _sent_bytes(self) -> int:
        return self._ends[-1] if self._ends else 0

    @property
    def _acked_bytes(self) -> int:
        return self._ends[self._acked_packets - 1] if self._acked_packets else 0

    def _data(self, segment: Segment) -> bool:
        """Take a segment of the sender; return whether to go on."""
        if not segment.payload_bytes:
            return True
        first = distance(segment.seq, self._connection.start)
        if first < self._sent_bytes:
            self._again(segment.t_ns, first)
            return False
        self._fill(segment.t_ns, first)
        self._send(segment.t_ns, first + segment.payload_bytes)
        return True

    def _fill(self, t_ns: int, end: int) -> None:
        """Send what must have been sent by now and is not in the capture."""
        before = self.packets
        if end - self._sent_bytes > _MISSING * self._connection.mss:
            raise UnfitError(f"{end - self._sent_bytes} bytes behind byte {self._sent_bytes} are missing in it")
        self._send(t_ns, end)
        self.missing += self.packets - before

    def _send(self, t_ns: int, end: int) -> None:
        if self._burst is None or t_ns - self._burst.t_ns > _BURST_NS:
            self._flush()
            self._burst = _Burst(t_ns, [])
        while self._sent_bytes < end:
            size_bytes = min(self._connection.mss, end - self._sent_bytes)
            self._burst.sizes_bytes.append(size_bytes)
            self._ends.append(self._sent_bytes + size_bytes)

    def _flush(self) -> None:
        """Record what was sent since the last event, and what is in flight by it."""
        burst, self._burst = self._burst, None
        if burst is None or not burst.sizes_bytes:
            return
        self._recorder.sent(self._time(burst.t_ns), burst.sizes_bytes)
        flight_bytes = self._recorder.bytes_in_flight
        if not self._sacked:  # with later data acknowledged, segments are sent beyond the window
            self._recorder.report(cwnd_bytes=flight_bytes)
        if self._first_flight_bytes is None or self._acked_bytes < self._first_flight_bytes:
            self._most_in_first_round_bytes = max(self._most_in_first_round_bytes, flight_bytes)
        if self._window_bytes is not None and flight_bytes + self._connection.mss > self._window_bytes:
            self._limited += 1

    def _ack(self, segment: Segment) -> bool:
        """Take an ACK; return whether to go on."""
        if segment.ack is None:
            return True
        acked_bytes = distance(segment.ack, self._connection.start)
        if acked_bytes < self._acked_bytes:
            return True  # an old ACK that arrived late (RFC 9293, section 3.10.7.4)
        if acked_bytes > self._sent_bytes + 1:  # one more is that of a FIN
            self._fill(segment.t_ns, acked_bytes)
        self._flush()
        self._window_bytes = segment.window << self._connection.scale
        self._sacked = bool(segment.sack)
        packets = bisect_right(self._ends, acked_bytes)
        if packets == self._acked_packets:
            return True  # a repeated ACK: the window does not grow by what it says of later data
        self._acks += 1
        if self._first_flight_bytes is None:
            self._first_flight_bytes = self._recorder.bytes_in_flight
        self._recorder.acked(self._time(segment.t_ns), [(self._acked_packets, packets - 1)])
        self._acked_packets = packets
        return True

    def _again(self, t_ns: int, first: int) -> None:
        """End where data is sent again: a loss if later data has arrived, else a probe."""
        self._flush()
        packet = bisect_right(self._ends, first)
        if self._sacked and self._recorder.in_flight(packet):
            self._recorder.lost(self._time(t_ns), [packet])
            self.ended = "followed to its first loss"
        else:
            self.ended = "followed to its first retransmission"

    def _time(self, stamp_ns: int) -> int:
        """Return the time of an event since the first; a machine may stamp two segments out of order."""
        steps = self._recorder.steps
        if not steps:
            self._origin_ns = stamp_ns - 1
        return max(stamp_ns - self._origin_ns, steps[-1].event.t_ns if steps else 1)
