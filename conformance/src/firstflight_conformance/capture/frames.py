"""TCP segments of a capture, pcap or pcapng: read by dpkt, the extra ``capture``."""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

from firstflight_conformance.recording.files import RecordingError

_MAGICS = tuple(
    bytes.fromhex(each) for each in ("0a0d0d0a", "a1b2c3d4", "d4c3b2a1", "a1b23c4d", "4d3cb2a1", "a1b2cd34", "34cdb2a1")
)
#: Link types by their numbers at tcpdump.org, with the decoder of dpkt; ``None``: an IP packet without a header of the link.
_LINKS = {
    0: ("loopback", "Loopback"), 1: ("ethernet", "Ethernet"), 108: ("loopback", "Loopback"),
    113: ("sll", "SLL"), 276: ("sll2", "SLL2"), 12: None, 14: None, 101: None, 228: None, 229: None,
}  # fmt: skip
_MSS, _SCALE, _SACK, _TIMESTAMPS = 2, 3, 5, 8
_SYN, _ACK = 2, 16
_NS_PER_S = 10**9

Host = tuple[bytes, int]


@dataclass(frozen=True, slots=True)
class Segment:
    """A TCP segment between two hosts, each address and port. Data is only counted.

    ``window``: as in the header, before scaling. ``sack``: blocks of first and behind last. ``ports``: source and destination.
    """

    t_ns: int
    source: Host
    destination: Host
    seq: int
    ack: int | None
    syn: bool
    window: int
    payload_bytes: int
    sack: tuple[tuple[int, int], ...]
    mss: int | None
    scale: int | None
    timestamps: bool


def is_capture(data: bytes) -> bool:
    """Return whether a file begins like a capture."""
    return data.startswith(_MAGICS)


def segments(path: Path, data: bytes) -> list[Segment]:
    """Return the TCP segments of a capture. Raise :class:`RecordingError` where it cannot be read."""
    try:
        return list(_segments(path, data))
    except RecordingError:
        raise
    except (ValueError, ArithmeticError, LookupError, AttributeError, struct.error, _dpkt(path, "dpkt").Error) as error:
        raise RecordingError(path, "file", f"is no capture that dpkt reads: {error or type(error).__name__}") from error


def _dpkt(path: Path, name: str) -> Any:
    try:
        return import_module(f"dpkt.{name}")
    except ImportError as error:
        remedy = "captures are read by dpkt: pip install 'firstflight-conformance[capture]'"
        raise RecordingError(path, "file", remedy) from error


def _segments(path: Path, data: bytes) -> Iterator[Segment]:
    reader = _dpkt(path, "pcap").UniversalReader(BytesIO(data))
    link = reader.datalink()
    if link not in _LINKS:
        raise RecordingError(path, "file", f"link type {link}: known are Ethernet, Linux cooked, loopback and raw IP")
    decoder = _LINKS[link]
    inside = _raw(path) if decoder is None else getattr(_dpkt(path, decoder[0]), decoder[1])
    for t_s, frame in reader:
        if (found := _segment(path, int(Decimal(t_s) * _NS_PER_S), _packet(inside, path, frame))) is not None:
            yield found


def _raw(path: Path) -> Callable[[bytes], Any]:
    ip, ip6 = _dpkt(path, "ip").IP, _dpkt(path, "ip6").IP6
    return lambda frame: (ip6 if frame[0] >> 4 == 6 else ip)(frame)


def _packet(inside: Callable[[bytes], Any], path: Path, frame: bytes) -> Any:
    """Return the IP packet in a frame, ``None`` for a frame of another kind, or one that is cut off within its headers."""
    try:
        found = inside(frame)
    except (_dpkt(path, "dpkt").Error, LookupError):
        return None
    while found is not None and not hasattr(found, "p"):  # behind Ethernet, its tags and the like
        found = getattr(found, "data", None)
    return found


def _segment(path: Path, t_ns: int, packet: Any) -> Segment | None:
    tcp_module = _dpkt(path, "tcp")
    tcp = getattr(packet, "data", None)
    if not isinstance(tcp, tcp_module.TCP):
        return None
    whole_bytes = packet.plen if hasattr(packet, "plen") else packet.len - 4 * packet.hl
    options = dict(option for option in tcp_module.parse_opts(tcp.opts) if option is not None)
    blocks = options.get(_SACK, b"")
    return Segment(
        t_ns,
        (packet.src, tcp.sport),
        (packet.dst, tcp.dport),
        tcp.seq,
        tcp.ack if tcp.flags & _ACK else None,
        bool(tcp.flags & _SYN),
        tcp.win,
        max(whole_bytes - 4 * tcp.off, 0),
        tuple(struct.iter_unpack("!II", blocks[: len(blocks) // 8 * 8])),
        int.from_bytes(options[_MSS]) if _MSS in options else None,
        int.from_bytes(options[_SCALE]) if _SCALE in options else None,
        _TIMESTAMPS in options,
    )
