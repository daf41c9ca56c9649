"""The bottleneck of the thesis: a device with a queue in bytes and, above it, CoDel (RFC 8289) for the one flow there is.

The device holds packets back as soon as a packet of ``MTU_BYTES`` more would not fit, so it never drops; CoDel does, when packets have
waited above it for longer than its target during an interval. With one flow FQ-CoDel (RFC 8290) is CoDel. Times are those of the
simulator that the thesis used: CoDel counts in units of 1024 ns.
"""

from collections import deque
from math import isqrt

from firstflight_conformance.simulator.clock import Clock
from firstflight_conformance.simulator.links import Deliver, Packet, transmission_ns

MTU_BYTES = 1500
TARGET_NS = 5_000_000
INTERVAL_NS = 100_000_000
#: With fewer bytes waiting nothing is dropped.
LEAST_BYTES = 1500
_SHIFT = 10
_TARGET, _INTERVAL = TARGET_NS >> _SHIFT, INTERVAL_NS >> _SHIFT


class CoDel:
    """The decision of RFC 8289 which packet to drop."""

    def __init__(self) -> None:
        """Begin with an empty queue."""
        self._waiting: deque[tuple[int, Packet, Deliver]] = deque()
        self._bytes = 0
        self._first_above = 0
        self._dropping = False
        self._drop_next = 0
        self._count = 0
        self._last_count = 0
        self.dropped_packets = 0

    def __len__(self) -> int:
        """Return how many packets wait."""
        return len(self._waiting)

    def put(self, now_ns: int, packet: Packet, deliver: Deliver) -> None:
        """Take a packet."""
        self._waiting.append((now_ns, packet, deliver))
        self._bytes += packet[0]

    def get(self, now_ns: int) -> tuple[Packet, Deliver] | None:
        """Return the next packet that is not dropped."""
        now = now_ns >> _SHIFT
        entry, above = self._pop(now_ns)
        if self._dropping and not above:
            self._dropping = False
        elif self._dropping:
            while self._dropping and now >= self._drop_next:
                self._count += 1
                self.dropped_packets += 1
                entry, self._dropping = self._pop(now_ns)
                if self._dropping:
                    self._drop_next = _after(self._drop_next, self._count)
        elif above:
            self.dropped_packets += 1
            entry, _ = self._pop(now_ns)
            self._dropping = True
            lately = self._count - self._last_count > 1 and now - self._drop_next < 16 * _INTERVAL
            self._count = self._count - self._last_count if lately else 1
            self._last_count = self._count
            self._drop_next = _after(now, self._count)
        return None if entry is None else (entry[1], entry[2])

    def _pop(self, now_ns: int) -> tuple[tuple[int, Packet, Deliver] | None, bool]:
        """Take a packet out; return it, and whether packets have waited too long for an interval."""
        if not self._waiting:
            self._first_above = 0
            return None, False
        entry = self._waiting.popleft()
        self._bytes -= entry[1][0]
        if (now_ns - entry[0]) >> _SHIFT < _TARGET or self._bytes < LEAST_BYTES:
            self._first_above = 0
            return entry, False
        now = now_ns >> _SHIFT
        if self._first_above == 0:
            self._first_above = now + _INTERVAL
            return entry, False
        return entry, now > self._first_above


def _after(time: int, count: int) -> int:
    """Return the time of the next drop: an interval, divided by the square root of how many there were, later."""
    return time + isqrt(_INTERVAL * _INTERVAL // count)


class CoDelLink:
    """A link with a device queue of ``queue_bytes`` and CoDel above it."""

    def __init__(self, clock: Clock, rate_bps: int, delay_ns: int, queue_bytes: int) -> None:
        """Packets leave at ``rate_bps`` and arrive ``delay_ns`` later."""
        self._clock = clock
        self._rate_bps = rate_bps
        self._delay_ns = delay_ns
        self._queue_bytes = queue_bytes
        self._device: deque[tuple[Packet, Deliver]] = deque()
        self._device_bytes = 0
        self._busy = False
        self.codel = CoDel()
        self._times_ns: dict[int, int] = {}

    @property
    def dropped_packets(self) -> int:
        """How many packets were dropped."""
        return self.codel.dropped_packets

    def send(self, deliver: Deliver, packet: Packet) -> None:
        """Take a packet now."""
        self.codel.put(self._clock.now_ns, packet, deliver)
        self._fill()

    def _fill(self) -> None:
        """Move packets into the device as long as it takes them."""
        while len(self.codel) and (not self._busy or self._device_bytes + MTU_BYTES <= self._queue_bytes):
            entry = self.codel.get(self._clock.now_ns)
            if entry is None:
                return
            self._device.append(entry)
            self._device_bytes += entry[0][0]
            if not self._busy:
                self._serve()

    def _serve(self) -> None:
        packet, deliver = self._device.popleft()
        size_bytes = packet[0]
        self._device_bytes -= size_bytes
        self._busy = True
        time_ns = self._times_ns.get(size_bytes)
        if time_ns is None:
            time_ns = self._times_ns[size_bytes] = transmission_ns(size_bytes, self._rate_bps)
        leaves_ns = self._clock.now_ns + time_ns
        self._clock.at(leaves_ns, self._served)
        self._clock.at(leaves_ns + self._delay_ns, deliver, packet)

    def _served(self, _: None) -> None:
        self._busy = False
        if self._device:
            self._serve()
        self._fill()
