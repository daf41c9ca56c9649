"""Hand-made events for defects that shrinking shows only with events that a connection cannot produce."""

from collections.abc import Callable
from dataclasses import dataclass

from firstflight_conformance.format.builder import MS, StreamBuilder


@dataclass(frozen=True, slots=True)
class Stream:
    """Events that show a defect, and a case that shows it as well, with the same profile."""

    case: str
    events: Callable[[], StreamBuilder]


def _gap_filled() -> StreamBuilder:
    """Reordering of two packets: an ACK after the loss acknowledges an older packet only."""
    b = StreamBuilder(max_datagram_size_bytes=1000, initial_window_bytes=36000)
    b.send(0, 36)
    b.lose(1000 * MS, (0, 0))
    b.ack(1000 * MS, (1, 33), (35, 35))
    b.ack(1005 * MS, (34, 34), sample=False)
    return b


def _flight_with_a_loss() -> StreamBuilder:
    """An ACK reveals a loss, and the next one acknowledges a packet of the same flight.

    The window is so small that seven tenths of it are less than two datagrams, whatever is in flight.
    """
    b = StreamBuilder(initial_window_bytes=2400)
    b.send(0, 1, 800)
    b.send(20 * MS, 2, 800)
    b.ack(120 * MS, (2, 2))
    b.lose(120 * MS, (0, 0))
    b.ack(125 * MS, (1, 1), sample=False)
    return b


def _persistent(window_bytes: int, lost: int, *, app_limited: bool) -> StreamBuilder:
    """Packets are lost, two of them probes. The next probe is acknowledged, then full windows are."""
    b = StreamBuilder(initial_window_bytes=window_bytes)
    b.send(0, 1, app_limited=True)
    b.ack(100 * MS, (0, 0), app_limited=True)
    b.send(100 * MS, lost - 2, app_limited=True)
    for t_ms in (426, 1077, 2378):
        b.pto(t_ms * MS)
        b.send(t_ms * MS, 1, app_limited=app_limited or t_ms < 2378)
    b.lose(2478 * MS, (1, lost))
    b.persistent_congestion(2478 * MS)
    b.ack(2478 * MS, (lost + 1, lost + 1), app_limited=app_limited)
    first = lost + 2
    for round_, count in enumerate((2, 4, 8, 16)):
        b.send((2479 + 101 * round_) * MS, count)
        b.ack((2579 + 101 * round_) * MS, (first, first + count - 1))
        first += count
    return b


def _one_lost_of_many() -> StreamBuilder:
    """Two flights lose one packet each. The last packet is acknowledged late, so no idle time follows."""
    b = StreamBuilder(initial_window_bytes=48_000)
    b.send(0, 40)
    b.lose(200 * MS, (0, 0))
    b.ack(200 * MS, (1, 38))
    b.send(201 * MS, 27)
    b.ack(202 * MS, (39, 39))
    b.lose(401 * MS, (40, 40))
    b.ack(401 * MS, (41, 65))
    b.send(402 * MS, 18)
    b.ack(403 * MS, (66, 66))
    b.ack(602 * MS, (67, 68))
    return b


def _mark_before_a_loss() -> StreamBuilder:
    """A loss in the recovery period of a CE mark does not reduce the window, and turns out to be spurious."""
    b = StreamBuilder(max_datagram_size_bytes=1000, initial_window_bytes=36000)
    b.send(0, 36)
    b.ce(100 * MS, 17, 0)
    b.ack(100 * MS, (0, 17))
    b.lose(101 * MS, (18, 18))
    b.ack(101 * MS, (19, 35))
    b.spurious_loss(105 * MS)
    return b


def _real_and_spurious_loss() -> StreamBuilder:
    """A loss is real; after idle time another one turns out to be spurious."""
    b = StreamBuilder(max_datagram_size_bytes=1000, initial_window_bytes=36000)
    b.send(0, 36)
    b.lose(100 * MS, (0, 0))
    b.ack(100 * MS, (1, 35))
    b.send(5000 * MS, 25)
    b.lose(5100 * MS, (36, 36))
    b.ack(5100 * MS, (37, 60))
    b.spurious_loss(5105 * MS)
    return b


def _low_sample_in_css() -> StreamBuilder:
    """Eight samples of 130 ms begin CSS; the next round has two samples of 120 ms."""
    b = StreamBuilder(initial_window_bytes=9600)
    b.send(0, 1)
    b.ack(100 * MS, (0, 0))
    b.send(100 * MS, 8)
    for packet in range(1, 9):
        b.ack(230 * MS, (packet, packet))
    b.send(231 * MS, 2)
    for packet in (9, 10):
        b.ack(351 * MS, (packet, packet))
    return b


def _mark_at_three_datagrams() -> StreamBuilder:
    """A CE mark arrives at a window of three datagrams, as after a timeout."""
    b = StreamBuilder(initial_window_bytes=3600)
    b.send(0, 3)
    b.ce(100 * MS, 2, 0)
    b.ack(100 * MS, (0, 2))
    return b


STREAMS = {
    "aioquic-3": Stream("cubic.epoch.low-maximum@rfc-9438", _flight_with_a_loss),
    "msquic-2": Stream("cubic.spurious.after-ce@rfc-9438", _mark_before_a_loss),
    "msquic-5": Stream(
        "cubic.persistent.established-then-growth@rfc-9438", lambda: _persistent(12000, 3, app_limited=True)
    ),
    "ngtcp2-1": Stream("cubic.stage.old-packets@rfc-9438", _gap_filled),
    "ngtcp2-2": Stream("cubic.spurious.after-ce@rfc-9438", _mark_before_a_loss),
    "ngtcp2-3": Stream("cubic.spurious.restored@rfc-9438", _real_and_spurious_loss),
    "ngtcp2-5": Stream("hystartpp.css.resume-needs-samples@rfc-9406+cubic", _low_sample_in_css),
    "picoquic-5": Stream("cubic.reduce.ce-one-datagram@rfc-9438", _mark_at_three_datagrams),
    "quiche-1": Stream("cubic.rounds.sawtooth@rfc-9438", _one_lost_of_many),
    "s2n-quic-1": Stream("cubic.rounds.persistent@rfc-9438", lambda: _persistent(54_850, 3, app_limited=True)),
    "s2n-quic-2": Stream(
        "cubic.persistent.established-then-growth@rfc-9438", lambda: _persistent(6856, 3, app_limited=True)
    ),
}
