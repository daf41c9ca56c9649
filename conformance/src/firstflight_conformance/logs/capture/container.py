"""Frames of a pcap or pcapng file: their times and the offsets of their bytes in the file."""

import struct
from collections.abc import Iterator
from typing import NamedTuple

_NS_PER_S = 10**9
#: By the first bytes of a pcap file: byte order, unit of the fraction of a second in ns, bytes of a frame's header.
_PCAP = {
    bytes.fromhex("d4c3b2a1"): ("<", 1000, 16),
    bytes.fromhex("a1b2c3d4"): (">", 1000, 16),
    bytes.fromhex("4d3cb2a1"): ("<", 1, 16),
    bytes.fromhex("a1b23c4d"): (">", 1, 16),
    bytes.fromhex("34cdb2a1"): ("<", 1000, 24),
    bytes.fromhex("a1b2cd34"): (">", 1000, 24),
}
_SECTION, _INTERFACE, _OLD_PACKET, _PACKET = 0x0A0D0D0A, 1, 2, 6
_ORDERS = {bytes.fromhex("4d3c2b1a"): "<", bytes.fromhex("1a2b3c4d"): ">"}
_RESOLUTION, _OFFSET = 9, 14
#: Reading stops at a longer frame or block: the bytes are not part of a capture.
_FRAME_MAX_BYTES, _BLOCK_MAX_BYTES = 1 << 20, 1 << 24


class ContainerError(ValueError):
    """A file starts with the first bytes of a capture, but the rest of its header is invalid."""


class Frame(NamedTuple):
    """A frame of ``whole_bytes`` bytes, captured as ``data[start:end]``. ``link``: its link type."""

    t_ns: int
    link: int
    start: int
    end: int
    whole_bytes: int


def is_capture(data: bytes) -> bool:
    """Return whether a file starts with the first bytes of a capture."""
    return data[:4] in _PCAP or data[:4] == struct.pack(">I", _SECTION)


def frames(data: bytes) -> Iterator[Frame]:
    """Yield the frames of a pcap or pcapng file in order, up to the first truncated frame or block.

    Raise :class:`ContainerError` if the file header of a pcap file or a section header of a pcapng file is broken.
    """
    return _pcap(data) if data[:4] in _PCAP else _pcapng(data)


def _pcap(data: bytes) -> Iterator[Frame]:
    order, unit_ns, head_bytes = _PCAP[data[:4]]
    if len(data) < 24:
        raise ContainerError("the header of the capture is cut")
    link = struct.unpack_from(order + "I", data, 20)[0] & 0xFFFF
    head, at, size = struct.Struct(order + "IIII"), 24, len(data)
    while at + head_bytes <= size:
        t_s, fraction, captured_bytes, whole_bytes = head.unpack_from(data, at)
        start = at + head_bytes
        at = start + captured_bytes
        if at > size or captured_bytes > _FRAME_MAX_BYTES:
            return
        yield Frame(t_s * _NS_PER_S + fraction * unit_ns, link, start, at, whole_bytes)


class _Interface(NamedTuple):
    link: int
    units_per_s: int
    offset_ns: int

    def ns(self, high: int, low: int) -> int:
        return (high << 32 | low) * _NS_PER_S // self.units_per_s + self.offset_ns


def _pcapng(data: bytes) -> Iterator[Frame]:
    interfaces = list[_Interface]()
    for order, kind, body, end in _blocks(data):
        if kind == _SECTION:
            interfaces = []
        elif kind == _INTERFACE:
            interfaces.append(_interface(data, body, end - 4, order))
        elif kind in (_PACKET, _OLD_PACKET) and end - body >= 24:
            number, high, low, captured_bytes, whole_bytes = struct.unpack_from(order + "IIIII", data, body)
            number = number if kind == _PACKET else struct.unpack_from(order + "H", data, body)[0]
            if number < len(interfaces) and body + 20 + captured_bytes <= end - 4:
                interface = interfaces[number]
                start = body + 20
                yield Frame(interface.ns(high, low), interface.link, start, start + captured_bytes, whole_bytes)


def _blocks(data: bytes) -> Iterator[tuple[str, int, int, int]]:
    """Yield byte order, kind, start of the body and end of each block before the first truncated block."""
    order, at = "<", 0
    while at + 12 <= len(data):
        if data[at : at + 4] == data[:4]:
            order = _ORDERS.get(data[at + 8 : at + 12], "")
            if not order:
                raise ContainerError("the section header of the capture is broken")
        kind, length = struct.unpack_from(order + "II", data, at)
        if not 12 <= length <= _BLOCK_MAX_BYTES or at + length > len(data):
            return
        yield order, kind, at + 8, at + length
        at += length


def rest_bytes(data: bytes) -> int:
    """Return how many bytes follow the last whole frame of a pcap file, or the last whole block of a pcapng file."""
    if data[:4] in _PCAP:
        return len(data) - max((frame.end for frame in _pcap(data)), default=24)
    return len(data) - max((end for _, _, _, end in _blocks(data)), default=0)


def _interface(data: bytes, at: int, end: int, order: str) -> _Interface:
    """Return the interface of a block: its link type and the unit of its times."""
    link, units_per_s, offset_ns = struct.unpack_from(order + "H", data, at)[0], 10**6, 0
    at += 8
    while at + 4 <= end:
        kind, length = struct.unpack_from(order + "HH", data, at)
        value = data[at + 4 : min(at + 4 + length, end)]
        at += 4 + (length + 3) // 4 * 4
        if kind == _RESOLUTION and len(value) == 1:
            base, exponent = (2, value[0] & 0x7F) if value[0] & 0x80 else (10, value[0])
            units_per_s = base ** min(exponent, 64)
        elif kind == _OFFSET and len(value) == 8:
            offset_ns = struct.unpack(order + "q", value)[0] * _NS_PER_S
    return _Interface(link, units_per_s, offset_ns)
