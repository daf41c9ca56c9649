"""Links that packets cross one after the other. A packet is a tuple whose first item is its size on the wire, in bytes.

What a link does to packets that come in order can be computed when they come (:class:`Carrier`). Only where several flows meet, or packets
wait to be dropped, does a packet have to come at its time (:class:`Meeting`).
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

from firstflight_conformance.simulator.clock import Clock, Lane
from firstflight_conformance.simulator.path import Bottleneck

Packet: TypeAlias = tuple[Any, ...]
#: What takes a packet now.
Deliver: TypeAlias = Callable[[Packet], None]
#: What takes a packet that comes at a time, now or later.
Forward: TypeAlias = Callable[[int, Packet], None]

NS = 1_000_000_000


class Carrier(Protocol):
    """A link of one flow, or one that nothing delays on its way to it."""

    def carry(self, t_ns: int, size_bytes: int, /) -> int | None:
        """Take a packet that comes at a time, not before those before it; return when it arrives, ``None`` if it never does."""


class Meeting:
    """A link that packets have to come to at their time."""

    def entrance(self, forward: Forward) -> Deliver:
        """Return what takes a packet now; ``forward`` is called with when it arrives, as soon as that is known."""
        raise NotImplementedError


AnyLink: TypeAlias = Carrier | Meeting


def chain(clock: Clock, links: Sequence[AnyLink], deliver: Deliver) -> Deliver:
    """Return what sends a packet over the links in turn, and to ``deliver`` at the end."""
    forward: Forward = Lane(clock, deliver).at
    for link in reversed(links):
        if not isinstance(link, Meeting):
            forward = _carrying(link.carry, forward)
        elif link is links[0]:
            return link.entrance(forward)
        else:
            forward = Lane(clock, link.entrance(forward)).at
    return lambda packet: forward(clock.now_ns, packet)


def _carrying(carry: Callable[[int, int], int | None], forward: Forward) -> Forward:
    def carried(t_ns: int, packet: Packet) -> None:
        arrival_ns = carry(t_ns, packet[0])
        if arrival_ns is not None:
            forward(arrival_ns, packet)

    return carried


def transmission_ns(size_bytes: int, rate_bps: int) -> int:
    """Return how long a packet takes, rounded to the nearest ns, a half down where the fraction in binary is endless.

    So does the simulator ns-3: a quotient with 64 binary digits after the point, cut off, then rounded to ns.
    """
    return ((8 * size_bytes << 64) // rate_bps * NS + (1 << 63)) >> 64


class Delay:
    """A link of unlimited rate."""

    def __init__(self, delay_ns: int) -> None:
        """Packets arrive ``delay_ns`` later."""
        self._delay_ns = delay_ns

    def carry(self, t_ns: int, _size_bytes: int) -> int:
        """Return when a packet arrives."""
        return t_ns + self._delay_ns


class Wire:
    """A link with a rate, a delay and room for every packet: an access link. Times are rounded as :func:`transmission_ns` does."""

    def __init__(self, rate_bps: int, delay_ns: int) -> None:
        """Packets leave at ``rate_bps``."""
        self._rate_bps = rate_bps
        self._delay_ns = delay_ns
        self._busy_until_ns = 0
        self._times_ns: dict[int, int] = {}

    def carry(self, t_ns: int, size_bytes: int) -> int:
        """Return when a packet arrives."""
        time_ns = self._times_ns.get(size_bytes)
        if time_ns is None:
            time_ns = self._times_ns[size_bytes] = transmission_ns(size_bytes, self._rate_bps)
        if t_ns < self._busy_until_ns:
            t_ns = self._busy_until_ns
        self._busy_until_ns = t_ns + time_ns
        return self._busy_until_ns + self._delay_ns


class Queued(Meeting):
    """A :class:`Bottleneck` at which flows meet."""

    def __init__(self, clock: Clock, bottleneck: Bottleneck) -> None:
        """Let packets come to ``bottleneck`` at their time."""
        self._clock = clock
        self._carry = bottleneck.carry

    def entrance(self, forward: Forward) -> Deliver:
        """Return what takes a packet now."""
        clock, carry = self._clock, self._carry

        def take(packet: Packet) -> None:
            arrival_ns = carry(clock.now_ns, packet[0])
            if arrival_ns is not None:
                forward(arrival_ns, packet)

        return take


class TokenBucket:
    """A cap on the rate, as the token bucket filter of Linux: bursts pass, the rest waits up to ``latency_ns``, or is dropped."""

    def __init__(self, origin_ns: int, rate_bps: int, burst_bytes: int, latency_ns: int) -> None:
        """Begin with a full bucket."""
        self._rate_bps = rate_bps
        self._latency_ns = latency_ns
        self._burst = 8 * NS * burst_bytes  # tokens in 1/(8e9) bytes, so that a ns adds rate_bps of them
        self._tokens = self._burst
        self._counted_ns = origin_ns
        self._leaving: deque[int] = deque()
        self.dropped_packets = 0

    def carry(self, t_ns: int, size_bytes: int) -> int | None:
        """Return when a packet passes, ``None`` if it is dropped."""
        while self._leaving and self._leaving[0] <= t_ns:
            self._leaving.popleft()
        # Packets leave in order: the bucket is looked at when the last one has left.
        from_ns = max(self._counted_ns, t_ns)
        tokens = min(self._tokens + (from_ns - self._counted_ns) * self._rate_bps, self._burst)
        missing = 8 * NS * size_bytes - tokens
        leaves_ns = from_ns if missing <= 0 else from_ns - (-missing // self._rate_bps)
        if leaves_ns - t_ns > self._latency_ns:
            self.dropped_packets += 1
            return None
        self._tokens = tokens + (leaves_ns - from_ns) * self._rate_bps - 8 * NS * size_bytes
        self._counted_ns = leaves_ns
        self._leaving.append(leaves_ns)
        return leaves_ns
