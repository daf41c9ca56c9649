"""TCP segments of a capture. Data is only counted, so the headers of each frame are sufficient."""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from typing import NamedTuple

from firstflight_conformance.logs.capture.container import Frame, frames

#: By link type (numbers of tcpdump.org): offset of the network protocol's number, and offset of the network header.
_TYPED = {1: (12, 14), 113: (14, 16), 276: (0, 20)}
_LOOPBACK, _RAW = {0, 108}, {12, 14, 101, 228, 229}
_IP4, _IP6, _VLANS, _PPPOE, _MPLS = 0x0800, 0x86DD, {0x8100, 0x88A8, 0x9100}, 0x8864, 0x8847
_TCP, _IP6_EXTENSIONS = 6, {0, 43, 60}
_MSS, _SCALE, _SACK, _TIMESTAMPS = 2, 3, 5, 8
_SYN, _ACK = 2, 16
_HEAD = struct.Struct("!HHIIBBH")
_NUMBERS = struct.Struct("!II")

Host = tuple[bytes, int]


class FramesError(ValueError):
    """The frames cannot be read as TCP segments."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A TCP segment between two hosts. A host is an address and a port.

    ``window``: as in the header, before scaling. ``sack``: blocks [first, end). ``stamps``: TSval and TSecr.
    ``ace``: the flags AE, CWR and ECE as one number (RFC 9768). ``cut``: options are missing in the capture.
    ``identity``: equal for two captures of one frame.
    """

    t_ns: int
    source: Host
    destination: Host
    seq: int
    ack: int | None
    syn: bool
    ace: int
    window: int
    payload_bytes: int
    sack: tuple[tuple[int, int], ...]
    mss: int | None
    scale: int | None
    stamps: tuple[int, int] | None
    cut: bool
    identity: bytes


class Place(NamedTuple):
    """Offsets of a segment in the file: IP header, TCP header, end of the captured bytes."""

    t_ns: int
    network: int
    tcp: int
    end: int
    whole_bytes: int


def places(data: bytes) -> Iterator[Place]:
    """Yield the TCP segments of a capture. Raise :class:`FramesError` for an unknown link type."""
    for frame in frames(data):
        network = _network(data, frame)
        if network is None:
            continue
        place = _ip4(data, frame, network) if data[network] >> 4 == 4 else _ip6(data, frame, network)
        if place is not None and place.tcp + 16 <= frame.end:
            yield place


def _network(data: bytes, frame: Frame) -> int | None:
    """Return the offset of the IP packet of a frame, or None for a frame of another kind."""
    link, start = frame.link, frame.start
    if link in _TYPED:
        at, head_bytes = _TYPED[link]
        kind, start = _word(data, start + at, frame.end), start + head_bytes
        while kind in _VLANS:
            kind, start = _word(data, start + 2, frame.end), start + 4
        if kind == _PPPOE:
            kind, start = {0x21: _IP4, 0x57: _IP6}.get(_word(data, start + 6, frame.end), 0), start + 8
        if kind == _MPLS:
            while start + 4 < frame.end and not data[start + 2] & 1:
                start += 4
            kind, start = _IP4, start + 4
        if kind not in (_IP4, _IP6):
            return None
    elif link in _LOOPBACK:
        start += 4
    elif link not in _RAW:
        raise FramesError(f"link type {link}: known are Ethernet, Linux cooked, loopback and raw IP")
    return start if start + 20 <= frame.end else None


def _word(data: bytes, at: int, end: int) -> int:
    return data[at] << 8 | data[at + 1] if at + 2 <= end else 0


def _ip4(data: bytes, frame: Frame, at: int) -> Place | None:
    if data[at + 9] != _TCP or (data[at + 6] & 0x1F) << 8 | data[at + 7]:  # only the first fragment has a TCP header
        return None
    head_bytes = 4 * (data[at] & 15)
    whole_bytes = data[at + 2] << 8 | data[at + 3] or frame.whole_bytes - (at - frame.start)  # 0: a large TSO frame
    return Place(frame.t_ns, at, at + head_bytes, frame.end, whole_bytes - head_bytes)


def _ip6(data: bytes, frame: Frame, at: int) -> Place | None:
    if data[at] >> 4 != 6 or at + 40 > frame.end:
        return None
    kind, tcp = data[at + 6], at + 40
    end = tcp + (_word(data, at + 4, frame.end) or frame.whole_bytes - (tcp - frame.start))
    while kind in _IP6_EXTENSIONS and tcp + 2 <= frame.end:
        kind, tcp = data[tcp], tcp + 8 * (data[tcp + 1] + 1)
    return Place(frame.t_ns, at, tcp, frame.end, end - tcp) if kind == _TCP else None


def key_of(data: bytes, place: Place) -> bytes:
    """Return the addresses, then the ports, of the segment at ``place`` as bytes, each with the source first."""
    four = data[place.network] >> 4 == 4
    addresses = data[place.network + 12 : place.network + 20] if four else data[place.network + 8 : place.network + 40]
    return addresses + data[place.tcp : place.tcp + 4]


def payload_of(data: bytes, place: Place) -> int:
    """Return the number of payload bytes in the segment at ``place`` in the capture file with the content ``data``."""
    return max(place.whole_bytes - 4 * (data[place.tcp + 12] >> 4), 0)


def is_first(data: bytes, place: Place) -> bool:
    """Return whether a segment opens a connection: SYN without ACK."""
    return data[place.tcp + 13] & (_SYN | _ACK) == _SYN


def hosts_of(key: bytes) -> tuple[Host, Host]:
    """Return source and destination from ``key``: the addresses, then the ports, as bytes (:func:`key_of`)."""
    half = (len(key) - 4) // 2
    ports = struct.unpack("!HH", key[-4:])
    return (key[:half], ports[0]), (key[half:-4], ports[1])


def host_text(host: Host) -> str:
    """Return an address with its port."""
    address = ip_address(host[0])
    return f"{address}:{host[1]}" if len(host[0]) == 4 else f"[{address}]:{host[1]}"


def segments(data: bytes, segment_places: Iterable[Place]) -> Iterator[Segment]:
    """Yield the segments at these places without duplicates, which occur in a capture of two interfaces."""
    recent: dict[bytes, int] = {}
    for place in segment_places:
        segment = _segment(data, place)
        before_ns = recent.pop(segment.identity, None)
        recent[segment.identity] = place.t_ns
        if len(recent) > _RECENT:
            del recent[next(iter(recent))]
        if before_ns is None or not 0 <= place.t_ns - before_ns <= _DOUBLE_NS:
            yield segment


#: A frame equal to one of the last 64, and captured at most 2 ms after it, is the same frame at another interface.
_RECENT, _DOUBLE_NS = 64, 2_000_000


def _segment(data: bytes, place: Place) -> Segment:
    tcp = place.tcp
    _, _, seq, ack, offset, flags, window = _HEAD.unpack_from(data, tcp)
    source, destination = hosts_of(key_of(data, place))
    options_end = tcp + 4 * (offset >> 4)
    options = dict(_options(data, tcp + 20, min(options_end, place.end)))
    blocks, stamps = options.get(_SACK, b""), options.get(_TIMESTAMPS, b"")
    identity = place.whole_bytes.to_bytes(4) + data[place.network + 4 : place.network + 6] + data[tcp : tcp + 16]
    return Segment(
        place.t_ns,
        source,
        destination,
        seq,
        ack if flags & _ACK else None,
        bool(flags & _SYN),
        (offset & 1) << 2 | flags >> 6,
        window,
        payload_of(data, place),
        tuple(_NUMBERS.iter_unpack(blocks[: len(blocks) // 8 * 8])),
        int.from_bytes(options[_MSS]) if _MSS in options else None,
        int.from_bytes(options[_SCALE]) if _SCALE in options else None,
        _NUMBERS.unpack(stamps) if len(stamps) == _NUMBERS.size else None,
        options_end > place.end,
        identity + data[tcp + 20 : min(options_end, place.end)],
    )


def _options(data: bytes, at: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Yield the options of a header before the first truncated option."""
    while at < end and data[at]:
        if data[at] == 1:
            at += 1
            continue
        length = data[at + 1] if at + 1 < end else 0
        if length < 2 or at + length > end:
            return
        yield data[at], data[at + 2 : at + length]
        at += length
