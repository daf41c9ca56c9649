"""Packs and parses TCP segments in IPv4 in Ethernet, with checksums, as needed for one connection."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntFlag

ETHERTYPE_IPV4 = 0x0800
PROTOCOL_TCP = 6
#: Bytes of IP, TCP and timestamps before the data of every segment.
HEADER_BYTES = 20 + 20 + 12

_ETHERNET = struct.Struct("!6s6sH")
_IPV4 = struct.Struct("!BBHHHBBH4s4s")
_TCP = struct.Struct("!HHIIBBHHH")
_END, _NOTHING, _MSS, _SCALE, _SACK_PERMITTED, _SACK, _TIMESTAMPS = 0, 1, 2, 3, 4, 5, 8
_SEQUENCE = 1 << 32


class Flags(IntFlag):
    """The flags of a segment."""

    FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16


@dataclass(frozen=True, slots=True)
class Segment:
    """A TCP segment, with the size of its data but without the data.

    ``timestamps``: TSval and TSecr (RFC 7323). ``sack``: blocks as first and one above last (RFC 2018).
    """

    source_port: int
    destination_port: int
    seq: int
    ack: int
    flags: Flags
    window: int = 0
    payload_bytes: int = 0
    timestamps: tuple[int, int] | None = None
    sack: tuple[tuple[int, int], ...] = ()
    mss: int | None = None
    window_scale: int | None = None
    sack_permitted: bool = False


@dataclass(frozen=True, slots=True)
class Addresses:
    """Source and destination of written frames."""

    source_mac: bytes
    destination_mac: bytes
    source_ip: bytes
    destination_ip: bytes


def checksum(data: bytes) -> int:
    """Return the Internet checksum (RFC 1071)."""
    if len(data) % 2:
        data += b"\0"
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def distance(later: int, earlier: int) -> int:
    """Return the distance of a sequence number, or a timestamp, from an earlier one; negative if it precedes that."""
    return (later - earlier + _SEQUENCE // 2) % _SEQUENCE - _SEQUENCE // 2


def pack(segment: Segment, addresses: Addresses) -> bytes:
    """Return the frame of a segment without data."""
    options = _options(segment)
    header_words = (_TCP.size + len(options)) // 4
    numbers = (segment.source_port, segment.destination_port, segment.seq % _SEQUENCE, segment.ack % _SEQUENCE)
    head = (*numbers, header_words << 4, segment.flags, segment.window)
    pseudo = addresses.source_ip + addresses.destination_ip + struct.pack("!BBH", 0, PROTOCOL_TCP, 4 * header_words)
    tcp = _TCP.pack(*head, checksum(pseudo + _TCP.pack(*head, 0, 0) + options), 0) + options
    ip = (0x45, 0, _IPV4.size + len(tcp), 0, 0x4000, 64, PROTOCOL_TCP)
    hosts = (addresses.source_ip, addresses.destination_ip)
    ip_header = _IPV4.pack(*ip, checksum(_IPV4.pack(*ip, 0, *hosts)), *hosts)
    return _ETHERNET.pack(addresses.destination_mac, addresses.source_mac, ETHERTYPE_IPV4) + ip_header + tcp


def _options(segment: Segment) -> bytes:
    parts = []
    if segment.mss is not None:
        parts.append(struct.pack("!BBH", _MSS, 4, segment.mss))
    if segment.sack_permitted:
        parts.append(struct.pack("!BB", _SACK_PERMITTED, 2))
    if segment.timestamps is not None:
        parts.append(struct.pack("!BBII", _TIMESTAMPS, 10, *segment.timestamps))
    if segment.window_scale is not None:
        parts.append(struct.pack("!BBB", _SCALE, 3, segment.window_scale))
    if segment.sack:
        parts.append(struct.pack("!BB", _SACK, 2 + 8 * len(segment.sack)))
        parts += [struct.pack("!II", first % _SEQUENCE, end % _SEQUENCE) for first, end in segment.sack]
    packed = b"".join(parts)
    return bytes([_NOTHING]) * (-len(packed) % 4) + packed


def parse(frame: bytes) -> Segment | None:
    """Return the segment of a frame, or ``None`` for other frames. The frame may be truncated after the headers."""
    if len(frame) < _ETHERNET.size + _IPV4.size + _TCP.size:
        return None
    version, _, total_bytes, _, _, _, protocol, _, _, _ = _IPV4.unpack_from(frame, _ETHERNET.size)
    if frame[12:14] != b"\x08\x00" or version >> 4 != 4 or protocol != PROTOCOL_TCP:
        return None
    ip_bytes = 4 * (version & 15)
    start = _ETHERNET.size + ip_bytes
    if len(frame) < start + _TCP.size:
        return None
    source, destination, seq, ack, offset, flags, window, _, _ = _TCP.unpack_from(frame, start)
    tcp_bytes = 4 * (offset >> 4)
    options = dict(_parsed(frame[start + _TCP.size : start + tcp_bytes]))
    return Segment(
        source,
        destination,
        seq,
        ack,
        Flags(flags & 31),
        window,
        total_bytes - ip_bytes - tcp_bytes,
        timestamps=_pair(options.get(_TIMESTAMPS)),
        sack=tuple(struct.iter_unpack("!II", options.get(_SACK, b""))),
        mss=_number(options.get(_MSS)),
        window_scale=_number(options.get(_SCALE)),
        sack_permitted=_SACK_PERMITTED in options,
    )


def _parsed(options: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield kind and content of each option, up to a truncated one."""
    at = 0
    while at < len(options) and options[at] != _END:
        if options[at] == _NOTHING:
            at += 1
            continue
        length = options[at + 1] if at + 1 < len(options) else 0
        if length < 2 or at + length > len(options):
            return
        yield options[at], options[at + 2 : at + length]
        at += length


def _pair(content: bytes | None) -> tuple[int, int] | None:
    if content is None or len(content) != 8:
        return None
    first, second = struct.unpack("!II", content)
    return first, second


def _number(content: bytes | None) -> int | None:
    return None if content is None else int.from_bytes(content)
