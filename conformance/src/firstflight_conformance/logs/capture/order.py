"""Puts segments in the order that the sender saw, for captures taken elsewhere or with reordered ACKs."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from firstflight_conformance.logs.capture.connection import Connection, distance
from firstflight_conformance.logs.capture.frames import Host, Segment
from firstflight_conformance.logs.capture.reduction import Flight

_STAMPS = 1 << 32
#: A sender answers data earlier than the handshake by up to 1/32.
_SOONER_ONE_OF = 32
#: After a gap of half of the handshake's time the oldest ACK released the data, if it is at most 1/8 earlier.
_GAP_ONE_OF, _RELEASED_ONE_OF = 2, 8
#: A sender waited if its data is later than its RTT allows by 1 ms and 1/128.
_WAITED_NS, _WAITED_ONE_OF = 1_000_000, 128
#: Number of consecutive segments that give one rate of the path.
_RUN = 3
#: Data that arrives after a gap of more than two segment times was sent later: the application had no data.
_GAP_SEGMENTS = 2
_NS_PER_S = 10**9


def in_order(segments: Iterable[Segment], sender: Host) -> Iterator[Segment]:
    """Yield the segments of a capture at the sender, in the order of their handling by the sender.

    Echoed TCP time stamps show neighbours captured in the wrong order: an ACK and the data after it, or two ACKs with
    data between. Such neighbours are swapped, and exchange their times.
    """
    held: list[Segment] = []  # an ACK, and the data after it
    for segment in segments:
        if segment.source == sender or segment.payload_bytes:
            held.append(segment)
            if _early(held, sender):
                ack, data, *rest = held
                yield replace(data, t_ns=ack.t_ns)
                held = [replace(ack, t_ns=data.t_ns), *rest]
            continue
        if held and _exchanged(held, segment, sender):
            yield replace(segment, t_ns=held[0].t_ns)
            yield from held[1:]
            held = [replace(held[0], t_ns=segment.t_ns)]
        else:
            yield from held
            held = [segment]
    yield from held


def _exchanged(held: list[Segment], ack: Segment, sender: Host) -> bool:
    """Return whether ``ack`` and the ACK ``held[0]``, captured before it, are in the wrong order.

    ``held``: an ACK, then the segments captured between it and ``ack``. True if ``ack`` acknowledges less than
    ``held[0]``, and the first of the sender's segments between them echoes a time stamp older than the time stamp of
    ``held[0]``. The sender had then not received ``held[0]`` when it sent this segment.
    """
    first = held[0]
    if first.source == sender or first.ack is None or ack.ack is None or distance(ack.ack, first.ack) >= 0:
        return False
    echoes = [segment.stamps[1] for segment in held[1:] if segment.source == sender and segment.stamps is not None]
    return bool(echoes) and first.stamps is not None and is_later(first.stamps[0], echoes[0])


def _early(held: list[Segment], sender: Host) -> bool:
    """Return whether the ACK ``held[0]`` was captured too early, before data that was sent before its arrival.

    The next segment with data then echoes a time stamp older than the time stamp of the ACK, and the segment after it
    does not. ``held`` must contain the ACK and two segments of the sender.
    """
    if len(held) != 3:
        return False
    ack, first, then = held
    if ack.source == sender or ack.stamps is None or {first.source, then.source} != {sender}:
        return False
    if first.stamps is None or then.stamps is None or not first.payload_bytes:
        return False
    return is_later(ack.stamps[0], first.stamps[1]) and not is_later(ack.stamps[0], then.stamps[1])


def is_later(stamp: int, before: int) -> bool:
    """Return whether the 32-bit TCP time stamp ``stamp`` is later than ``before``, modulo 2^32."""
    return 0 < (stamp - before) % _STAMPS < _STAMPS // 2


def has_stamps(segments: list[Segment], connection: Connection) -> bool:
    """Return whether the receiver's time stamps advance. Data that echoes them then shows the last ACK received."""
    stamps = {
        segment.stamps[0] for segment in segments if segment.stamps is not None and segment.source != connection.sender
    }
    return len(stamps) > 2


def as_the_sender_saw(segments: list[Segment], connection: Connection) -> Iterator[Segment]:
    """Yield the segments of a capture at the receiver in the order of the sender: each ACK before the data after it.

    Data keeps its captured time. An ACK gets the captured time of that data. With TCP time stamps, a lower bound of the
    time that the sender waited before sending the data is subtracted. Data echoes the time stamp of the last ACK that
    the sender had received (RFC 7323, section 4.3). Without time stamps, an ACK is assumed to release data that is
    captured about as long after the ACK as the sender took to answer in the handshake, or later. A queue on the path
    makes the bytes in flight, computed with this assumption, too small.
    """
    stamped = has_stamps(segments, connection)
    waiting: deque[Segment] = deque()
    bytes_per_s = _bytes_per_s(segments, connection)
    service_ns = connection.mss * _NS_PER_S // bytes_per_s
    before_ns, own_ns = 0, connection.own_ns
    if stamped:
        connection.gap_ns = _GAP_SEGMENTS * service_ns + _WAITED_NS
    flight = Flight(connection)
    for segment in segments:
        if segment.source != connection.sender:
            waiting.append(segment)
            continue
        if segment.payload_bytes:
            arrived = []
            if waiting and segment.t_ns - before_ns > connection.own_ns // _GAP_ONE_OF:
                own_ns = min(own_ns, max(segment.t_ns - waiting[0].t_ns, own_ns - own_ns // _RELEASED_ONE_OF))
            while waiting and _had_arrived(waiting[0], segment, None if stamped else own_ns):
                arrived.append(waiting.popleft())
            on_path_ns = flight.bytes * _NS_PER_S // bytes_per_s
            for ack in arrived:
                flight.take(ack)
            queued = flight.bytes > 0 and segment.t_ns - before_ns <= _GAP_SEGMENTS * service_ns
            before_ns = segment.t_ns
            for ack in arrived:
                late_ns = _waited_ns(ack, segment, connection, on_path_ns if queued else 0) if stamped else 0
                yield replace(ack, t_ns=segment.t_ns - late_ns)
            flight.take(segment)
        yield segment
    yield from waiting


def _waited_ns(ack: Segment, data: Segment, connection: Connection, on_path_ns: int) -> int:
    """Return a lower bound, in ns, of the time between the arrival of an ACK at the sender and the sending of data.

    It is the captured time from ACK to data, less the RTT of the path with its queue, and less a margin of 1 ms and
    1/128 of this RTT. The RTT is the sender's answer time in the handshake plus half of ``on_path_ns``, but at least
    ``on_path_ns``. ``on_path_ns``: time to transmit the bytes in flight at the rate of the path, 0 without a queue. In
    slow start a round is sent at twice this rate, so half of the flight may be queued.
    """
    least_ns = max(connection.own_ns + on_path_ns // 2, on_path_ns)
    return max(data.t_ns - ack.t_ns - least_ns - least_ns // _WAITED_ONE_OF - _WAITED_NS, 0)


def _bytes_per_s(segments: list[Segment], connection: Connection) -> int:
    """Return the arrival rate of the data, in bytes per second.

    It is the 90th percentile of the rates of runs of three consecutive data segments, or 10^9 with fewer than four data
    segments.
    """
    data = [segment for segment in segments if segment.source == connection.sender and segment.payload_bytes]
    rates = sorted(
        sum(segment.payload_bytes for segment in data[at + 1 : at + _RUN + 1])
        * _NS_PER_S
        // max(data[at + _RUN].t_ns - data[at].t_ns, 1)
        for at in range(0, len(data) - _RUN, _RUN)
    )
    return max(rates[9 * len(rates) // 10], 1) if rates else _NS_PER_S


def _had_arrived(ack: Segment, data: Segment, own_ns: int | None) -> bool:
    """Return whether the sender had received ``ack`` when it sent ``data``.

    ``own_ns``: captured time from a segment of the receiver to the sender's answer, as in the handshake. The result is
    true if ``data`` was captured at least 31/32 of this time after ``ack``. With None, the result is true unless
    ``data`` echoes an older TCP time stamp than the time stamp of ``ack``.
    """
    if own_ns is not None:
        return ack.t_ns + own_ns - own_ns // _SOONER_ONE_OF <= data.t_ns
    if ack.stamps is None or data.stamps is None:
        return True
    return not is_later(ack.stamps[0], data.stamps[1])
