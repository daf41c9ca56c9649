"""Follows a captured connection as a recording. A lower bound of cwnd is the flight after an ACK released packets."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import takewhile
from typing import Any

from firstflight import Config
from firstflight.events import Ack, Ce, Event, Sent
from firstflight_conformance.logs.capture.connection import RECEIVER, Connection, UnfitError, distance
from firstflight_conformance.logs.capture.frames import Segment
from firstflight_conformance.logs.capture.order import is_later
from firstflight_conformance.logs.capture.reduction import Flight, first_reduction
from firstflight_conformance.logs.capture.times import Times
from firstflight_conformance.logs.recording.recorder import Recorder
from firstflight_conformance.logs.recording.recording import AT_LEAST, Header, Recording, Step
from firstflight_conformance.logs.recording.releases import initial_release

#: Segments sent within this time are one event.
_BURST_NS = 10_000
#: At most one in 100 segments may be missing in the capture.
#: The receiver's window may limit the sender at one in 20 ACKs.
_GAPS_ONE_OF, _LIMITED_ONE_OF = 100, 20
#: Largest number of consecutive missing segments.
_MISSING = 64
#: Median delay of capture times after the sender's own times.
_LATE_NS = 50_000
_RECOMMENDED_DATAGRAMS = 10
#: Slow start is over once the flight has grown by less than a quarter in this number of rounds or ACKs.
_GROWN_QUARTERS, _ROUNDS, _ACKS = 5, 20, 20_000
#: Largest number of events that are followed.
EVENTS_MAX = 100_000
#: An ACK released data that is sent this many tenths of the handshake's RTT after the first data.
_ROUND_TENTHS = 9
ENDED = "followed to its end"
_AGAIN = "followed to its first retransmission"
_STOPPED = "followed until its flight had stopped growing"
#: The counter of congestion marks in an ACK that reports none (RFC 9768, section 3.2).
_FIRST_ACE = 5
#: The flag ECE without AE, with and without CWR (RFC 3168, section 6.1).
_ECE = (1, 3)
#: An ACK releases packets within this time.
_AT_ONCE_NS = 1_000_000
#: A missing segment gives no RTT sample if its send time is uncertain by more than 1/8 of the handshake's RTT.
#: HyStart uses the same fraction.
_OPEN_ONE_OF = 8


@dataclass(slots=True)
class _Burst:
    t_ns: int
    sizes_bytes: list[int]


class Following:
    """Turns segments into packets, and the bytes in flight after each burst of packets into a lower bound of cwnd."""

    def __init__(self, connection: Connection) -> None:
        """Start before the first segment after the handshake."""
        self._connection, self._recorder = connection, Recorder()
        self._at_the_receiver = connection.side == RECEIVER
        self._ends: list[int] = []  # end of each packet, as an offset in the data
        self._unseen: set[int] = set()  # ends of missing packets: later segments show that they were sent
        self._untimed: set[int] = set()  # ends of missing packets with uncertain send times
        self._data_ns: int | None = None  # when the last data was captured
        self._acked_packets = self._origin_ns = 0
        self._sacked, self._sacked_bytes = False, 0
        self._burst: _Burst | None = None
        self._window_bytes = connection.window
        self._sent_step: int | None = None
        self._limited_steps: list[int] = []
        self._first = _FirstFlight(connection)
        self._pace = _Growth()
        self._flight, self._most_bytes = Flight(connection), 0
        self._stamp = connection.stamp  # the receiver's last time stamp
        self._ace, self._times = _FIRST_ACE, Times()
        self._released_ns: int | None = None  # when the last ACK without data arrived
        self.missing = self.missing_acks = self.acks = 0
        self.ended, self._reduced = ENDED, False

    def follow(self) -> None:
        """Process segments until the first retransmission or congestion mark, or the end of slow start.

        Also stop after more than 100,000 events. Later segments stay unread in the iterator of the connection.
        """
        for segment in self._connection.segments:
            self._most_bytes = max(self._most_bytes, self._flight.bytes)
            self._flight.take(segment)
            take = self._data if segment.source == self._connection.sender else self._ack
            if not take(segment):
                break
            if self._pace.over or len(self._recorder.steps) > EVENTS_MAX:
                self.ended = _STOPPED
                break
        self._flush()

    def _reduction(self) -> Fraction | None:
        """Return the factor of the first reduction of the window, or None if the capture does not show it.

        The factor is the bytes in flight one round after the loss or mark, divided by the largest before. The function
        consumes the segments of the connection after the last segment that :meth:`follow` processed. If slow start
        ended without a loss or mark, it searches these segments for the first retransmission.
        """
        if self.ended != _STOPPED and not self._reduced:
            return None
        rest = self._connection.segments
        if self.ended == _STOPPED and not self._find_the_loss(rest):
            return None
        return first_reduction(self._flight, self._most_bytes, rest)

    def _find_the_loss(self, rest: Iterator[Segment]) -> bool:
        """Process the segments ``rest`` up to the first retransmission, and return true if it occurs.

        The retransmission is processed too. Return false, with all segments read so far processed, after more than
        20,000 segments sent by the receiver, or at the end of the capture.
        """
        answers = 0
        for segment in rest:
            self._most_bytes = max(self._most_bytes, self._flight.bytes)
            if self._flight.take(segment):
                return True
            answers += segment.source != self._connection.sender
            if answers > _ACKS:
                return False
        return False

    @property
    def packets(self) -> int:
        """Number of segments sent while the connection was followed."""
        return len(self._ends)

    @property
    def sent_bytes(self) -> int:
        """Bytes of data sent."""
        return self._ends[-1] if self._ends else 0

    @property
    def acked_bytes(self) -> int:
        """Bytes of data acknowledged."""
        return self._ends[self._acked_packets - 1] if self._acked_packets else 0

    def recording(self, name: str, initial_window_bytes: int | None) -> Recording:
        """Return the recording. ``initial_window_bytes``: as given by the user, or None to derive it from the capture.

        Raise :class:`UnfitError` without ACKs of data, or if over 1% of the segments are missing in the capture. A
        capture at the receiver that ends at a retransmission or congestion mark may lack more segments. Also raise it
        if the receiver's window often limits the sender, and did so before the first ACK. With None, also raise it if
        the first flight is too small to be the initial window, and no later round shows it.
        """
        if not self.acks:
            raise UnfitError("has no ACK of data")
        lost_on_the_path = self._at_the_receiver and (self._reduced or self.ended == _AGAIN)
        if self.missing * _GAPS_ONE_OF > self.packets and not lost_on_the_path:
            raise UnfitError(
                f"{self.missing} of {self.packets} segments are missing in it: capture headers only (-s 120)"
            )
        self._cut_at_the_receivers_window()
        mss = self._connection.mss
        quality: dict[str, Any] = {
            "window": AT_LEAST, "app_limited": "stated", "acks": self.acks, "missing": self.missing,
            "missing_acks": self.missing_acks,
        }  # fmt: skip
        if (factor := self._reduction()) is not None:
            quality["first_reduction"] = [factor.numerator, factor.denominator]
        if not self._at_the_receiver and (apart_ns := self._times.apart_ns):
            quality["times_apart_ns"] = apart_ns
        if self._at_the_receiver:
            quality["taken"] = "receiver" if self._connection.stamped else "receiver, without time stamps"
        steps = tuple(self._recorder.steps)
        window_bytes, number = self._first.window(steps)
        quality["initial_window_round"] = number
        if initial_window_bytes is None and (range_bytes := self._first.range_bytes(steps)) is not None:
            quality["initial_window_range"] = list(range_bytes)
        if initial_window_bytes is None and number == 1 and self._first.too_small:
            if self._at_the_receiver:
                raise UnfitError(
                    "was taken at the receiver or between, without time stamps that show the flight of the sender: "
                    "capture at the sender"
                )
            raise UnfitError("the first flight is less than the initial window: state it by --initial-window")
        header = Header(
            {"kind": "capture", "name": name},
            Config(mss, initial_window_bytes or window_bytes),
            1000,
            _LATE_NS,
            quality,
        )
        return Recording(header, _flagged(steps, number))

    def _cut_at_the_receivers_window(self) -> None:
        """End the recording before the first ``Sent`` event that the receiver's window limited, if it often limits.

        A ``Sent`` event contains the segments sent within 10 us. It is limited if one more full segment would exceed
        the receiver's window. Often: the number of limited events exceeds 1/20 of the number of ACKs. Raise
        :class:`UnfitError` if no ACK precedes the first limited event.
        """
        if len(self._limited_steps) * _LIMITED_ONE_OF <= self.acks:
            return
        first = self._limited_steps[0]
        if not any(isinstance(step.event, Ack) for step in self._recorder.steps[:first]):
            raise UnfitError(
                f"the receiver's window limited the sender at {len(self._limited_steps)} of {self.acks} ACKs"
            )
        del self._recorder.steps[first:]
        self.ended = "followed until the receiver's window limited the sender"

    def _data(self, segment: Segment) -> bool:
        """Process a segment of the sender. Return true, or false at a retransmission (end of the recording)."""
        if not segment.payload_bytes:
            return True
        first = self.sent_bytes + distance(segment.seq, self._connection.start + self.sent_bytes)
        end = first + segment.payload_bytes
        if first == self.sent_bytes - 1 and segment.payload_bytes == 1:
            return True  # a keep-alive (RFC 9293, section 3.8.4)
        if segment.stamps is not None:
            self._times.take(segment.t_ns, segment.stamps[0])
        released, gap_ns = self._released_unseen(segment), self._connection.gap_ns
        if gap_ns is not None and not released and self._burst is not None and segment.t_ns - self._burst.t_ns > gap_ns:
            self._flush()
            self._end_by_another()
        if first < self.sent_bytes:
            unseen = {unseen_end for unseen_end in self._unseen if first < unseen_end <= end}
            self._unseen -= unseen
            self._untimed -= unseen
            self.missing -= len(unseen)
            if not unseen or (self._at_the_receiver and self._sacked):
                self._again(segment.t_ns, first)
                return False
        elif first > self.sent_bytes:
            self._fill(segment.t_ns, first)
        self._send(segment.t_ns, end)
        self._data_ns = segment.t_ns
        return True

    def _released_unseen(self, segment: Segment) -> bool:
        """Return whether a segment of data shows that the capture lacks an ACK; if so, count the ACK as missing.

        The data then echoes a TCP time stamp of the receiver (RFC 7323) later than all captured time stamps of the
        receiver.
        """
        connection = self._connection
        unsure = connection.moved_ns or (self._at_the_receiver and not connection.stamped)
        if unsure or segment.stamps is None or self._stamp is None or not is_later(segment.stamps[1], self._stamp):
            return False
        self._stamp = segment.stamps[1]
        self.missing_acks += 1
        self._first.end(self._recorder.bytes_in_flight + self._burst_bytes)
        return True

    @property
    def _burst_bytes(self) -> int:
        return sum(self._burst.sizes_bytes) if self._burst else 0

    def _fill(self, t_ns: int, end: int) -> None:
        """Record data that is missing in the capture as sent at ``t_ns``, and count its packets as missing.

        The data starts after the last recorded byte and ends before the offset ``end`` in the sender's data. Raise
        :class:`UnfitError` if it exceeds 64 full segments.
        """
        before = self.packets
        if end - self.sent_bytes > _MISSING * self._connection.mss:
            raise UnfitError(f"{end - self.sent_bytes} bytes behind byte {self.sent_bytes} are missing in it")
        self._first.misses(self.sent_bytes, end)
        self._send(t_ns, end)
        self.missing += self.packets - before
        self._unseen |= set(self._ends[before:])
        if self._data_ns is None or (t_ns - self._data_ns) * _OPEN_ONE_OF > self._connection.rtt_ns:
            self._untimed |= set(self._ends[before:])

    def _send(self, t_ns: int, end: int) -> None:
        self.missing_acks += self._first.sends(t_ns, self._recorder.bytes_in_flight + self._burst_bytes)
        if self._burst is None or t_ns - self._burst.t_ns > _BURST_NS:
            self._flush()
            self._burst = _Burst(t_ns, [])
        while self.sent_bytes < end:
            size_bytes = min(self._connection.mss, end - self.sent_bytes)
            self._burst.sizes_bytes.append(size_bytes)
            self._ends.append(self.sent_bytes + size_bytes)

    def _flush(self) -> None:
        """Record the packets sent since the last event as one event, and the bytes in flight as a lower bound of cwnd.

        While the last ACK has SACK blocks, the bytes in flight include data that the receiver already has, and may be
        above cwnd. Then no bound is recorded from a capture at the sender. From a capture at the receiver, the bound is
        the bytes in flight less the bytes of these blocks.
        """
        burst, self._burst = self._burst, None
        if burst is None or not burst.sizes_bytes:
            return
        short = burst.sizes_bytes[-1] < self._connection.mss
        self._recorder.sent(self._time(burst.t_ns), burst.sizes_bytes, app_limited=short)
        flight_bytes = self._recorder.bytes_in_flight
        self._sent_step = len(self._recorder.steps) - 1
        if not self._sacked:  # with later data acknowledged, segments are sent beyond the window
            self._recorder.report(cwnd_bytes=flight_bytes)
        elif self._at_the_receiver:
            self._recorder.report(cwnd_bytes=max(flight_bytes - self._sacked_bytes, 1))
        self._first.flies(flight_bytes, self.acked_bytes)
        self._pace.flies(flight_bytes, clocked=self._clocked(burst.t_ns) and not short)
        if flight_bytes + self._connection.mss > self._window_bytes:
            self._limited_steps.append(self._sent_step)
            self._end_by_another()

    def _clocked(self, t_ns: int) -> bool:
        return self._released_ns is not None and t_ns - self._released_ns <= _AT_ONCE_NS

    def _end_by_another(self) -> None:
        """Flag the last recorded event with sent packets as application-limited, if there is such an event.

        The application or the receiver's window, not cwnd, then ended the release, the packets sent after an ACK.
        """
        if self._sent_step is not None:
            step = self._recorder.steps[self._sent_step]
            if isinstance(step.event, Sent):
                self._recorder.steps[self._sent_step] = replace(step, event=replace(step.event, app_limited=True))

    def _ack(self, segment: Segment) -> bool:
        """Process a segment of the receiver. Return true, or false at a congestion mark (end of the recording)."""
        if segment.stamps is not None and (self._stamp is None or is_later(segment.stamps[0], self._stamp)):
            self._stamp = segment.stamps[0]
        if segment.ack is None:
            return True
        acked_bytes = self.acked_bytes + distance(segment.ack, self._connection.start + self.acked_bytes)
        if acked_bytes < self.acked_bytes:
            return True  # an old ACK that arrived late (RFC 9293, section 3.10.7.4)
        if acked_bytes > self.sent_bytes + 1:  # the FIN counts as one byte
            self._fill(segment.t_ns, acked_bytes)
        self._flush()
        if segment.payload_bytes:
            self._end_by_another()  # the application may have waited for this answer
        self._window_bytes = segment.window << self._connection.scale
        self._sacked = bool(segment.sack)
        self._sacked_bytes = _sacked_bytes(segment)
        packets = bisect_right(self._ends, acked_bytes)
        if packets == self._acked_packets:
            return True  # a repeated ACK: its SACK blocks do not grow the window
        self._released_ns = None if segment.payload_bytes else segment.t_ns
        self.acks += 1
        self._first.acked(self._recorder.bytes_in_flight)
        marked = self._mark(segment, packets - 1)
        timed = self._ends[packets - 1] not in self._untimed
        self._recorder.acked(self._time(segment.t_ns), [(self._acked_packets, packets - 1)], sample=timed)
        self._acked_packets = packets
        self._pace.acked(self.acked_bytes, self.sent_bytes)
        return not marked

    def _mark(self, segment: Segment, packet: int) -> bool:
        """Return whether an ACK reports a congestion mark. Record the mark."""
        before = self._ace
        self._ace = segment.ace
        marked = segment.ace != before if self._connection.accurate_ecn else segment.ace in _ECE
        if marked:
            t_ns = self._time(segment.t_ns)
            self._recorder.event(Ce(t_ns, packet, self._recorder.sent_t_ns(packet), 1))
            self.ended, self._reduced = "followed to its first congestion mark", True
        return marked

    def _again(self, t_ns: int, first: int) -> None:
        """End the recording at a retransmission that starts at the offset ``first`` in the sender's data.

        If the packet at ``first`` is in flight and the last ACK has SACK blocks, later data has arrived: record a loss
        of this packet. Otherwise record nothing, since the retransmission may be a probe.
        """
        self._flush()
        packet = bisect_right(self._ends, first)
        if self._sacked and self._recorder.in_flight(packet):
            self._recorder.lost(self._time(t_ns), [packet])
            self.ended, self._reduced = "followed to its first loss", True
        else:
            self.ended = _AGAIN

    def _time(self, stamp_ns: int) -> int:
        """Return the time since the first event. Never decreases, though a machine may stamp segments out of order."""
        steps = self._recorder.steps
        if not steps:
            self._origin_ns = stamp_ns - 1
        return max(stamp_ns - self._origin_ns, steps[-1].event.t_ns if steps else 1)


def _sacked_bytes(segment: Segment) -> int:
    """Return the bytes that a segment acknowledges beyond its cumulative ACK."""
    beyond = (distance(last, first) for first, last in segment.sack if distance(first, segment.ack or 0) > 0)
    return sum(size_bytes for size_bytes in beyond if size_bytes > 0)


class _FirstFlight:
    """Derives the initial window from the first flight: the packets sent before an ACK or a round trip ends it.

    If the application ended this flight, a later round gives the initial window.
    """

    def __init__(self, connection: Connection) -> None:
        self._mss, self._round_ns = connection.mss, connection.rtt_ns * _ROUND_TENTHS // 10
        self._timed = connection.side != RECEIVER
        self._t_ns: int | None = None
        self._bytes: int | None = None  # the first flight, once an ACK or a round has ended it
        self._missing_bytes = 0  # directly after the first flight: sent with it or later
        self._in_round_bytes = 0
        self._acked = False

    def sends(self, t_ns: int, flight_bytes: int) -> bool:
        """Process a segment; ``flight_bytes``: bytes in flight before it.

        Return whether an ACK that is missing in the capture must have released the segment, and ended the first flight
        before it. True only if the first flight had not ended, and the segment follows the first segment by more than
        9/10 of the handshake's RTT. False for a capture at the receiver.
        """
        if self._t_ns is None:
            self._t_ns = t_ns
        late = self._bytes is None and self._timed and t_ns - self._t_ns > self._round_ns
        if late:
            self.end(flight_bytes)
        return late

    def end(self, flight_bytes: int) -> None:
        """Set the size of the first flight, unless an earlier call has set it or ``flight_bytes`` is 0.

        ``flight_bytes``: bytes in flight just before the ACK that ends the first flight. If the capture lacks this ACK,
        these are the bytes in flight before the next event that shows the end of the flight.
        """
        if self._bytes is None and flight_bytes:
            self._bytes = flight_bytes

    def misses(self, first: int, end: int) -> None:
        """Record data missing in the capture, bytes ``first`` to ``end``, if it directly follows the first flight."""
        if self._bytes == first:
            self._missing_bytes = end - first

    def acked(self, flight_bytes: int) -> None:
        """Process an ACK of data; ``flight_bytes`` is the flight before it."""
        self._acked = True
        self.end(flight_bytes)

    def flies(self, flight_bytes: int, acked_bytes: int) -> None:
        """Process sent packets: update the largest bytes in flight of the first round with ``flight_bytes``.

        ``flight_bytes``: bytes in flight after these packets. ``acked_bytes``: all bytes acknowledged so far. The first
        round ends when all bytes of the first flight are acknowledged, so afterwards nothing changes.
        """
        if self._bytes is None or acked_bytes < self._bytes:
            self._in_round_bytes = max(self._in_round_bytes, flight_bytes)

    @property
    def too_small(self) -> bool:
        """Whether the first flight is too small to be the initial window.

        The first round is the time until the whole first flight is acknowledged. In slow start, a first flight of n
        segments allows at most 2n segments in flight in this round. Here n is the larger of ten and the number of
        segments in the first flight. The flight is too small if more than 2n + 2 segments (margin: two) are in flight.
        """
        return self._in_round_bytes > 2 * (max(self._segments, _RECOMMENDED_DATAGRAMS) + 1) * self._mss

    @property
    def _segments(self) -> int:
        return -(-(self._bytes or 1) // self._mss)

    def window(self, steps: Sequence[Step]) -> tuple[int, int]:
        """Return the initial window in bytes (whole segments), and the number of the round that shows it."""
        later = self._later(steps)
        if later is not None:
            least, most, number = later
            segments = _RECOMMENDED_DATAGRAMS if least <= _RECOMMENDED_DATAGRAMS <= most else most
            return segments * self._mss, number
        segments = self._segments
        if self._in_round_bytes > 2 * (segments + 1) * self._mss:
            segments = _RECOMMENDED_DATAGRAMS
        return segments * self._mss, 1

    def range_bytes(self, steps: Sequence[Step]) -> tuple[int, int] | None:
        """Return the smallest and the largest initial window if the capture allows several, or None."""
        window_bytes, _ = self.window(steps)
        later = self._later(steps)
        if later is None:
            most_bytes = window_bytes + -(-self._missing_bytes // self._mss) * self._mss
            return (window_bytes, most_bytes) if most_bytes > window_bytes else None
        least, most, _ = later
        if least == most or window_bytes == _RECOMMENDED_DATAGRAMS * self._mss:
            return None
        return least * self._mss, most * self._mss

    def _later(self, steps: Sequence[Step]) -> tuple[int, int, int] | None:
        """Return bounds of the initial window from a later round, in segments, and the number of the round; or None.

        The round is the first that cwnd, not the application, ended. The lower bound assumes that cwnd grew by each
        packet acknowledged before, although the application limited the sender, as in BBR. The upper bound assumes that
        cwnd did not grow in this time, as in CUBIC. None if cwnd ended the first flight, or no round.
        """
        events = [step.event for step in steps]
        initial = initial_release(events)
        if initial is None or (initial[1] == 1 and not _first_was_ended(events)):
            return None
        acks = [event for event in events[: initial[0].index] if isinstance(event, Ack)]
        packets = sum(run.count for event in acks for run in event.packets)
        segments = -(-initial[0].flight_bytes // self._mss)
        return max(segments - packets, 1), segments, max(initial[1], 2)


class _Growth:
    """Detects the end of slow start: the flight (bytes in flight) has stopped growing."""

    def __init__(self) -> None:
        self._mark_bytes = self._rounds = self._acks = self._round_end = 0
        self._clocked = False

    @property
    def over(self) -> bool:
        """Whether slow start is over: the flight has grown by less than a quarter in 20 rounds or 20,000 ACKs.

        Rounds without data released by an ACK do not count.
        """
        return self._rounds >= _ROUNDS or self._acks >= _ACKS

    def flies(self, flight_bytes: int, *, clocked: bool) -> None:
        """Process sent packets; ``flight_bytes`` is the bytes in flight after them.

        If this is at least 5/4 of the stored flight, store it and restart the counts of rounds and ACKs. ``clocked``:
        an ACK released the packets, and the last packet was full. Then the present round, once it ends, counts as one
        of the 20 rounds without growth that end slow start (:attr:`over`).
        """
        self._clocked |= clocked
        if 4 * flight_bytes >= _GROWN_QUARTERS * self._mark_bytes:
            self._mark_bytes, self._rounds, self._acks = flight_bytes, 0, 0

    def acked(self, acked_bytes: int, sent_bytes: int) -> None:
        """Process an ACK: add one to the ACKs since the flight last grew by a quarter, and count a round that it ends.

        The round counts only if an ACK released data in it: other rounds are limited by the application. A round ends
        when all data that was sent at the end of the previous round is acknowledged.
        """
        self._acks += 1
        if acked_bytes >= self._round_end:
            self._rounds += self._clocked
            self._round_end, self._clocked = sent_bytes, False


def _first_was_ended(events: Sequence[Event]) -> bool:
    """Return whether the application ended the first flight."""
    flight = takewhile(lambda event: isinstance(event, Sent), events)
    return any(isinstance(event, Sent) and event.app_limited for event in flight)


def _flagged(steps: tuple[Step, ...], number: int) -> tuple[Step, ...]:
    """Return the steps of the recording, the early ones flagged as application-limited.

    A step is an event (packets sent, an ACK, a loss) with the sender's state after it, such as the lower bound of cwnd.
    ``number``: number of the round, from 1, that shows the initial window. If it is 1, no step is flagged. Otherwise
    the window is shown by the first release (packets sent between two ACKs) that cwnd, not the application, limited.
    Every ``Sent`` and ``Ack`` up to the last ACK before this release is flagged.
    """
    initial = initial_release([step.event for step in steps])
    if number == 1 or initial is None:
        return steps
    acks = [index for index, step in enumerate(steps[: initial[0].index]) if isinstance(step.event, Ack)]
    end = acks[-1] + 1 if acks else 0
    return tuple(
        replace(step, event=replace(step.event, app_limited=True))
        if index < end and isinstance(step.event, Sent | Ack)
        else step
        for index, step in enumerate(steps)
    )
