"""Lists the TCP connections of a capture, and yields the segments of the chosen connection."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from firstflight_conformance.logs.capture.frames import (
    Host,
    Place,
    Segment,
    host_text,
    hosts_of,
    is_first,
    key_of,
    payload_of,
    places,
    segments,
)


@dataclass(slots=True)
class Entry:
    """A TCP connection of a capture. ``key``: the IP addresses and ports of its first segment, source first.

    The connection has the TCP segments number ``first`` to ``last`` of the capture with this key or its reverse.
    ``sizes``: number of segments of each size of data, sent by the source of the key and by its destination.
    ``opened``: the SYN was captured. ``t_ns``: time of the first segment. ``opening``: sequence number of the last SYN,
    None without a SYN.
    """

    key: bytes
    first: int
    opened: bool
    t_ns: int
    last: int = 0
    sizes: tuple[Counter[int], Counter[int]] = field(default_factory=lambda: (Counter(), Counter()))
    opening: int | None = None

    @property
    def data_bytes(self) -> int:
        """Bytes of data in both directions."""
        return self.sent_bytes(0) + self.sent_bytes(1)

    def sent_bytes(self, way: int) -> int:
        """Return the bytes of data sent by the source (``way`` 0) or the destination (1) of the first segment."""
        return sum(size * count for size, count in self.sizes[way].items())

    @property
    def sender(self) -> int:
        """The direction with more data: 0 or 1."""
        return int(self.sent_bytes(1) > self.sent_bytes(0))

    @property
    def hosts(self) -> tuple[Host, Host]:
        """The two ends of the connection, each as (IP address, port): the source of ``key`` and its destination."""
        return hosts_of(self.key)

    def text(self) -> str:
        """Return a description: sender, receiver, bytes of data, and whether the handshake was captured."""
        own, peer = self.hosts[self.sender], self.hosts[1 - self.sender]
        begun = "" if self.opened else ", begins after the handshake"
        return f"{host_text(own)} to {host_text(peer)}, {self.sent_bytes(self.sender)} bytes of data{begun}"


def reverse(key: bytes) -> bytes:
    """Return a key (IP addresses and ports, source first) with source and destination exchanged."""
    half = (len(key) - 4) // 2
    return key[half:-4] + key[:half] + key[-2:] + key[-4:-2]


def catalogue(data: bytes) -> list[Entry]:
    """Return the connections of a capture in the order of their first segments."""
    entries: list[Entry] = []
    current: dict[bytes, tuple[Entry, int]] = {}
    for index, place in enumerate(places(data)):
        key = key_of(data, place)
        known = current.get(key)
        opens = is_first(data, place)
        if known is None or (opens and _reopens(known[0], data, place)):
            entry = Entry(key, index, opens, place.t_ns)
            entries.append(entry)
            known = current[key] = entry, 0
            current[reverse(key)] = entry, 1
        entry, way = known
        if opens:
            entry.opening = _number(data, place)
        entry.last = index
        if payload := payload_of(data, place):
            entry.sizes[way][payload] += 1
    return entries


def _number(data: bytes, place: Place) -> int:
    return int.from_bytes(data[place.tcp + 4 : place.tcp + 8])


def _reopens(entry: Entry, data: bytes, place: Place) -> bool:
    """Return whether a SYN opens another connection with the same ports."""
    return entry.opening != _number(data, place) and (entry.opening is not None or bool(entry.data_bytes))


def with_data(entries: Sequence[Entry]) -> list[Entry]:
    """Return the connections that carry data, by decreasing amount."""
    return sorted((entry for entry in entries if entry.data_bytes), key=lambda entry: -entry.data_bytes)


def segments_of(data: bytes, entry: Entry) -> Iterator[Segment]:
    """Yield the segments of one connection."""
    return segments(data, _places(data, entry))


def _places(data: bytes, entry: Entry) -> Iterator[Place]:
    keys = (entry.key, reverse(entry.key))
    for index, place in enumerate(places(data)):
        if index > entry.last:
            return
        if index >= entry.first and key_of(data, place) in keys:
            yield place
