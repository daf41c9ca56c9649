"""The handshake of a captured connection: place of the capture, sequence numbers, segment size and window scale."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from firstflight_conformance.logs.capture.catalogue import Entry, segments_of
from firstflight_conformance.logs.capture.frames import Host, Segment

_SEQUENCES = 1 << 32
_TIMESTAMPS_BYTES = 12
#: In a capture at the sender, its part of the handshake takes at most 1/4 of the other part.
_OWN_ONE_OF = 4
#: Delays from an ACK to the data that echoes its time stamp: number needed, and largest spread of a constant delay.
_ECHOES_LEAST, _STEADY_NS = 8, 1_000_000
#: The data of a full segment on any path (RFC 9293, section 3.7.1). Smaller segments are messages of an application.
_LEAST_MSS = 536
SENDER, RECEIVER = "sender", "receiver"
#: The flags AE, CWR and ECE of SYN and answer in a handshake that agrees on accurate ECN (RFC 9768, table 2).
_ACCURATE_SYN, _ACCURATE_ANSWERS = 7, {2, 3, 4, 6}


class UnfitError(ValueError):
    """The sender cannot be judged from the capture; the message gives the reason."""


@dataclass(slots=True)
class Connection:
    """A connection after its handshake. ``start``: the sequence number of the sender's first byte of data.

    ``mss``: bytes of data in a full segment. ``scale``: shift of the receiver's windows. ``window``: the receiver's
    unscaled window in the handshake. ``side``: ``SENDER``, or ``RECEIVER`` for a capture at the receiver or between.
    ``moved_ns``: delay of the sender's own interface, subtracted from the times of its segments. ``rtt_ns``: RTT of the
    handshake. ``own_ns``: part of ``rtt_ns`` from the capture point to the sender and back, with the sender's response
    time and the delay of its interface. ``stamp``: time stamp of the receiver in the handshake. ``accurate_ecn``: the
    handshake agreed on accurate ECN. ``stamped`` and ``gap_ns`` are set in a capture at the receiver. ``stamped``: the
    receiver's time stamps advance. ``gap_ns``: longest time between two segments of one release, the packets that the
    sender sends after an ACK.
    """

    sender: Host
    start: int
    mss: int
    scale: int
    window: int
    segments: Iterator[Segment]
    side: str
    moved_ns: int
    rtt_ns: int
    own_ns: int
    stamp: int | None
    accurate_ecn: bool
    stamped: bool = False
    gap_ns: int | None = None


def distance(later: int, earlier: int) -> int:
    """Return ``later - earlier`` of two sequence numbers, modulo 2^32; negative if ``later`` comes first."""
    return (later - earlier + _SEQUENCES // 2) % _SEQUENCES - _SEQUENCES // 2


def connection_of(data: bytes, entry: Entry) -> Connection:
    """Return a connection of a capture. Raise :class:`UnfitError` if the capture shows no handshake."""
    captured_segments = segments_of(data, entry)
    syn, answer = _handshake(captured_segments)
    rest: Iterator[Segment] = (segment for segment in captured_segments if not segment.syn)
    before, third = _until(rest, syn.source)
    rest = chain(before, (third,), rest)
    sender = entry.hosts[entry.sender]
    own, peer = (syn, answer) if sender == syn.source else (answer, syn)
    to_server_ns, to_client_ns = answer.t_ns - syn.t_ns, third.t_ns - answer.t_ns
    away_ns, own_ns = (to_server_ns, to_client_ns) if sender == syn.source else (to_client_ns, to_server_ns)
    if own_ns <= 0 and away_ns <= 0:
        raise UnfitError("the times are too coarse to show the side of the capture")
    side, moved_ns = SENDER, 0
    if _OWN_ONE_OF * own_ns > away_ns:
        segments = list(rest)
        delay_ns = _constant_delay_ns(segments, sender, own_ns)
        side, moved_ns = (RECEIVER, 0) if delay_ns is None else (SENDER, delay_ns)
        rest = iter(
            sorted((_moved(segment, sender, moved_ns) for segment in segments), key=lambda segment: segment.t_ns)
        )
    scaled = syn.scale is not None and answer.scale is not None
    mss = _mss(
        entry, min(syn.mss or 536, answer.mss or 536) - _TIMESTAMPS_BYTES * (None not in (syn.stamps, answer.stamps))
    )
    scale = (peer.scale or 0) * scaled
    return Connection(
        sender,
        (own.seq + 1) % _SEQUENCES,
        mss,
        scale,
        peer.window,
        rest,
        side,
        moved_ns,
        max(own_ns, 0) + max(away_ns, 0),
        own_ns,
        peer.stamps[0] if syn.stamps and answer.stamps and peer.stamps else None,
        syn.ace == _ACCURATE_SYN and answer.ace in _ACCURATE_ANSWERS,
    )


def _handshake(segments: Iterable[Segment]) -> tuple[Segment, Segment]:
    """Return the last SYN and its answer. Leave the segments after them in ``segments``."""
    syn: Segment | None = None
    for segment in segments:
        if segment.syn and segment.ack is not None:
            if syn is None:
                break
            if syn.cut or segment.cut:
                raise UnfitError(
                    "the options of the handshake are cut: capture at least 120 bytes of each frame (-s 120)"
                )
            return syn, segment
        if not segment.syn:
            break
        syn = segment
    raise UnfitError("begins after the handshake: start the capture before the connection")


def _until(segments: Iterable[Segment], source: Host) -> tuple[list[Segment], Segment]:
    """Return the segments before the first segment of a host, and that segment."""
    before: list[Segment] = []
    for segment in segments:
        if segment.source == source:
            return before, segment
        before.append(segment)
    raise UnfitError("ends within the handshake")


def _mss(entry: Entry, mss: int) -> int:
    """Return the data of a full segment: the negotiated size, or the largest frequent size if the path carries less."""
    sizes = entry.sizes[entry.sender]
    if any(size % mss == 0 for size in sizes):
        return mss
    largest = max(sizes, key=lambda size: (sizes[size], size))
    return largest if _LEAST_MSS <= largest < mss else mss


def _moved(segment: Segment, sender: Host, by_ns: int) -> Segment:
    if segment.source != sender:
        return segment
    return replace(segment, t_ns=segment.t_ns - by_ns)


def _constant_delay_ns(segments: Iterable[Segment], sender: Host, own_ns: int) -> int | None:
    """Return the constant delay in ns from an ACK to the data that it released, or None if the delay varies.

    A constant delay shows a capture at the sender; in a capture at the receiver it varies with the queue of the path.
    Data echoes the time stamp of its ACK (RFC 7323, section 4.3). ``own_ns``: the time that the sender took to answer
    in the handshake. At least eight delays are needed. The delay is constant if their 10th percentile differs by at
    most 1 ms from their 90th percentile, and likewise from ``own_ns``.
    """
    delays_ns = sorted(echo_delays_ns(segments, sender))
    if len(delays_ns) < _ECHOES_LEAST:
        return None
    low_ns, high_ns = delays_ns[len(delays_ns) // 10], delays_ns[9 * len(delays_ns) // 10]
    steady = high_ns - low_ns <= _STEADY_NS and abs(low_ns - own_ns) <= _STEADY_NS
    return max(delays_ns[0], low_ns - _STEADY_NS, 0) if steady else None


def echo_delays_ns(segments: Iterable[Segment], sender: Host) -> Iterator[int]:
    """Yield the delays in ns from a time stamp of the receiver to its echo by the sender.

    A delay begins at the first segment with this time stamp, and ends at the first data that echoes the time stamp.
    """
    waiting: dict[int, int] = {}
    last: int | None = None
    for segment in segments:
        if segment.stamps is None:
            continue
        if segment.source != sender:
            if segment.stamps[0] != last:
                last = segment.stamps[0]
                waiting[last] = segment.t_ns
        elif segment.payload_bytes and segment.stamps[1] in waiting:
            yield segment.t_ns - waiting[segment.stamps[1]]
            waiting = {stamp: t_ns for stamp, t_ns in waiting.items() if t_ns > waiting[segment.stamps[1]]}
