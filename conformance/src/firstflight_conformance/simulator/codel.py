"""The bottleneck of the thesis: a device with a queue in bytes and, above it, CoDel (RFC 8289) for the one flow there is.

The device holds packets back as soon as a packet of ``MTU_BYTES`` more would not fit, so it never drops; CoDel does, when packets have
waited above it for longer than its target during an interval. With one flow FQ-CoDel (RFC 8290) is CoDel. Times are those of the
simulator that the thesis used: CoDel counts in units of 1024 ns.
"""

from collections import deque
from math import isqrt

from firstflight_conformance.simulator.clock import Clock
from firstflight_conformance.simulator.links import Deliver, Forward, Meeting, Packet, transmission_ns

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
        self.waiting: deque[tuple[int, Packet, Forward]] = deque()
        self._bytes = 0
        self._first_above = 0
        self._dropping = False
        self._drop_next = 0
        self._count = 0
        self._last_count = 0
        self.dropped_packets = 0

    def put(self, now_ns: int, packet: Packet, forward: Forward) -> None:
        """Take a packet."""
        self.waiting.append((now_ns, packet, forward))
        self._bytes += packet[0]

    def pass_by(self) -> None:
        """Take note of a packet that found nothing waiting and does not wait either."""
        self._first_above = 0
        self._dropping = False

    def get(self, now_ns: int) -> tuple[Packet, Forward] | None:
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

    def _pop(self, now_ns: int) -> tuple[tuple[int, Packet, Forward] | None, bool]:
        """Take a packet out; return it, and whether packets have waited too long for an interval."""
        if not self.waiting:
            self._first_above = 0
            return None, False
        entry = self.waiting.popleft()
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


class CoDelLink(Meeting):
    """A link with a device queue of ``queue_bytes`` and CoDel above it.

    When a packet that the device has taken leaves is known at once. Only while packets wait above it has the link to be looked at again.
    """

    def __init__(self, clock: Clock, rate_bps: int, delay_ns: int, queue_bytes: int) -> None:
        """Packets leave at ``rate_bps`` and arrive ``delay_ns`` later."""
        self._clock = clock
        self._rate_bps = rate_bps
        self._delay_ns = delay_ns
        self._queue_bytes = queue_bytes
        #: What waits in the device: when it begins to be sent, and its size.
        self._device: deque[tuple[int, int]] = deque()
        self._device_bytes = 0
        self._busy_until_ns = 0
        self._waits = False
        self.codel = CoDel()
        self._times_ns: dict[int, int] = {}

    @property
    def dropped_packets(self) -> int:
        """How many packets were dropped."""
        return self.codel.dropped_packets

    def entrance(self, forward: Forward) -> Deliver:
        """Return what takes a packet now."""
        clock, codel = self._clock, self.codel

        def take(packet: Packet) -> None:
            now_ns = clock.now_ns
            if not codel.waiting and self._takes(now_ns):
                codel.pass_by()
                self._serve(now_ns, packet, forward)
            else:
                codel.put(now_ns, packet, forward)
                self._fill()

        return take

    def _takes(self, now_ns: int) -> bool:
        """Return whether the device takes a packet: it does if it sends nothing, whatever the size of its queue."""
        device = self._device
        while device and device[0][0] <= now_ns:
            self._device_bytes -= device.popleft()[1]
        return self._device_bytes + MTU_BYTES <= self._queue_bytes or self._busy_until_ns <= now_ns

    def _fill(self) -> None:
        """Move packets into the device as long as it takes them."""
        now_ns, codel, device = self._clock.now_ns, self.codel, self._device
        while codel.waiting and self._takes(now_ns):
            entry = codel.get(now_ns)
            if entry is not None:
                self._serve(now_ns, *entry)
        if codel.waiting and not self._waits:
            self._waits = True
            self._clock.at(device[0][0] if device else self._busy_until_ns, self._look_again)

    def _look_again(self, _: None) -> None:
        self._waits = False
        self._fill()

    def _serve(self, now_ns: int, packet: Packet, forward: Forward) -> None:
        size_bytes = packet[0]
        starts_ns = self._busy_until_ns
        if starts_ns <= now_ns:
            starts_ns = now_ns
        else:
            self._device.append((starts_ns, size_bytes))
            self._device_bytes += size_bytes
        time_ns = self._times_ns.get(size_bytes)
        if time_ns is None:
            time_ns = self._times_ns[size_bytes] = transmission_ns(size_bytes, self._rate_bps)
        self._busy_until_ns = starts_ns + time_ns
        forward(self._busy_until_ns + self._delay_ns, packet)
