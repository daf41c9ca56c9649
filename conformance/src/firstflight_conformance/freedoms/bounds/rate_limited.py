"""The bound of a window that is not fully used: none of the growth of RFC 9002, or that of draft-ietf-ccwg-ratelimited-increase."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from firstflight.events import Ack, Event, Lost, Sent
from firstflight_conformance.freedoms.bounds.bound import Bound, Taken


class RateLimited(Bound):
    """At an app-limited ACK the window stays (RFC 9002, section 7.8), or grows up to limit(maxFS) (the draft, section 3), or anything between.

    The draft has the same limit at every other ACK. In congestion avoidance the limit is that of NewReno: that of CUBIC is no number.
    ``most_flight_bytes``: maxFS, the largest flight since the window last came down, at first the initial window.
    """

    most_flight_bytes: int | None = None

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Take a window between that of the model and that of the draft."""
        base, prior, window_bytes = state.base, before.base, observed.get("cwnd_bytes")
        if not isinstance(event, Ack) or window_bytes is None or self.most_flight_bytes is None:
            return None
        used = before.copy()
        self.advance(used, replace(event, app_limited=False))
        grown_bytes, ssthresh_bytes = used.base.cwnd_bytes, base.ssthresh_bytes
        if not prior.cwnd_bytes < grown_bytes <= prior.cwnd_bytes + event.bytes:
            return None  # something else than growth has set the window
        limit_bytes = 2 * self.most_flight_bytes
        if ssthresh_bytes is not None and prior.cwnd_bytes >= ssthresh_bytes:
            if base.rules_state is not None:
                return None
            limit_bytes = self.most_flight_bytes + base.max_datagram_size_bytes
        ends = sorted((base.cwnd_bytes, max(prior.cwnd_bytes, min(grown_bytes, limit_bytes))))
        same_threshold = used.base.ssthresh_bytes == ssthresh_bytes == observed.get("ssthresh_bytes", ssthresh_bytes)
        if not same_threshold or base.cwnd_bytes == window_bytes or not ends[0] <= window_bytes <= ends[1]:
            return None
        base.cwnd_bytes = window_bytes
        share = Fraction(window_bytes, max(self.most_flight_bytes, 1))
        return Taken(self.point, "window that is not fully used", window_bytes, share, "of the largest flight")

    def settle(self, before: Any, state: Any, event: Event) -> None:
        """Note the flight; a reduction forgets the earlier ones."""
        if self.most_flight_bytes is None:
            self.most_flight_bytes = before.base.cwnd_bytes
        if state.base.cwnd_bytes < before.base.cwnd_bytes:
            self.most_flight_bytes = 0
        if isinstance(event, Sent | Ack | Lost):
            self.most_flight_bytes = max(self.most_flight_bytes, event.bytes_in_flight)


BOUNDS = {"rate-limited": RateLimited}
