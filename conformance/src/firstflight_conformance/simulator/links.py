"""Links that packets cross one after the other. A packet is a tuple whose first item is its size on the wire, in bytes.

Every link has ``send(deliver, packet)``: ``deliver`` is called with the packet when it arrives, if it does.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, TypeAlias

from firstflight_conformance.simulator.clock import Clock
from firstflight_conformance.simulator.path import Bottleneck

Packet: TypeAlias = tuple[Any, ...]
Deliver: TypeAlias = Callable[[Packet], None]

NS = 1_000_000_000


class AnyLink(Protocol):
    """What a flow sends packets over."""

    def send(self, deliver: Deliver, packet: Packet, /) -> None:
        """Take a packet now."""


def chain(links: list[AnyLink], deliver: Deliver) -> Deliver:
    """Return what sends a packet over the links in turn, and to ``deliver`` at the end."""
    for link in reversed(links):
        deliver = partial(link.send, deliver)
    return deliver


def transmission_ns(size_bytes: int, rate_bps: int) -> int:
    """Return how long a packet takes, rounded to the nearest ns, a half down where the fraction in binary is endless.

    So does the simulator ns-3: a quotient with 64 binary digits after the point, cut off, then rounded to ns.
    """
    return ((8 * size_bytes << 64) // rate_bps * NS + (1 << 63)) >> 64


class Delay:
    """A link of unlimited rate."""

    def __init__(self, clock: Clock, delay_ns: int) -> None:
        """Packets arrive ``delay_ns`` later."""
        self._clock = clock
        self._delay_ns = delay_ns

    def send(self, deliver: Deliver, packet: Packet) -> None:
        """Take a packet now."""
        self._clock.at(self._clock.now_ns + self._delay_ns, deliver, packet)


class Wire:
    """A link with a rate, a delay and room for every packet: an access link. Times are rounded as :func:`transmission_ns` does."""

    def __init__(self, clock: Clock, rate_bps: int, delay_ns: int) -> None:
        """Packets leave at ``rate_bps``."""
        self._clock = clock
        self._rate_bps = rate_bps
        self._delay_ns = delay_ns
        self._busy_until_ns = 0
        self._times_ns: dict[int, int] = {}

    def send(self, deliver: Deliver, packet: Packet) -> None:
        """Take a packet now."""
        clock = self._clock
        size_bytes = packet[0]
        time_ns = self._times_ns.get(size_bytes)
        if time_ns is None:
            time_ns = self._times_ns[size_bytes] = transmission_ns(size_bytes, self._rate_bps)
        self._busy_until_ns = max(self._busy_until_ns, clock.now_ns) + time_ns
        clock.at(self._busy_until_ns + self._delay_ns, deliver, packet)


class Queued:
    """A :class:`Bottleneck` among links."""

    def __init__(self, clock: Clock, bottleneck: Bottleneck) -> None:
        """Schedule what ``bottleneck`` computes."""
        self._clock = clock
        self.bottleneck = bottleneck

    def send(self, deliver: Deliver, packet: Packet) -> None:
        """Take a packet now."""
        arrival_ns = self.bottleneck.carry(self._clock.now_ns, packet[0])
        if arrival_ns is not None:
            self._clock.at(arrival_ns, deliver, packet)


class TokenBucket:
    """A cap on the rate, as the token bucket filter of Linux: bursts pass, the rest waits up to ``latency_ns``, or is dropped."""

    def __init__(self, clock: Clock, rate_bps: int, burst_bytes: int, latency_ns: int) -> None:
        """Begin with a full bucket."""
        self._clock = clock
        self._rate_bps = rate_bps
        self._latency_ns = latency_ns
        self._burst = 8 * NS * burst_bytes  # tokens in 1/(8e9) bytes, so that a ns adds rate_bps of them
        self._tokens = self._burst
        self._counted_ns = clock.now_ns
        self._leaving: deque[int] = deque()
        self.dropped_packets = 0

    def send(self, deliver: Deliver, packet: Packet) -> None:
        """Take a packet now."""
        now_ns = self._clock.now_ns
        while self._leaving and self._leaving[0] <= now_ns:
            self._leaving.popleft()
        # Packets leave in order: the bucket is looked at when the last one has left.
        from_ns = max(self._counted_ns, now_ns)
        tokens = min(self._tokens + (from_ns - self._counted_ns) * self._rate_bps, self._burst)
        missing = 8 * NS * packet[0] - tokens
        leaves_ns = from_ns if missing <= 0 else from_ns - (-missing // self._rate_bps)
        if leaves_ns - now_ns > self._latency_ns:
            self.dropped_packets += 1
            return
        self._tokens = tokens + (leaves_ns - from_ns) * self._rate_bps - 8 * NS * packet[0]
        self._counted_ns = leaves_ns
        self._leaving.append(leaves_ns)
        self._clock.at(leaves_ns, deliver, packet)

    @property
    def waiting_packets(self) -> int:
        """How many packets wait."""
        return len(self._leaving)
