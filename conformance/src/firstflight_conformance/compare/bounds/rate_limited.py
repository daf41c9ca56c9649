"""The bound of growth at app-limited ACKs.

It ranges from none (RFC 9002, section 7.8) to the cap of draft-ietf-ccwg-ratelimited-increase.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from firstflight.events import Ack, Event, Lost, Sent
from firstflight_conformance.compare.bounds.bound import Bound, Taken


class RateLimited(Bound):
    """At an app-limited ACK the window grows at most as at other ACKs, up to limit(maxFS).

    Both limits are in draft-ietf-ccwg-ratelimited-increase, section 3. The value maxFS is the largest number of bytes
    in flight since the last reduction by congestion, at first the initial window. The value limit(maxFS) is maxFS plus
    the growth by one acknowledged flight of maxFS. It is twice maxFS in slow start, and 5/4 of maxFS in CSS of
    HyStart++. In the congestion avoidance of NewReno it is maxFS plus a datagram. CUBIC in congestion avoidance is out
    of scope: its growth depends on time. The limit never lowers a window. ``most_flight_bytes``: maxFS.
    """

    most_flight_bytes: int | None = None

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Accept growth of the window at an app-limited ACK, within two limits.

        The growth is at most the model's growth at the same ACK without ``app_limited``. The window is at most
        limit(maxFS); maxFS is the largest number of bytes in flight since the last reduction by congestion. The limit
        is maxFS plus the growth by one acknowledged flight of maxFS in the current phase. In slow start this growth is
        maxFS, so the limit is twice maxFS. Return the window as the value taken, and set the model's window to it.
        Return None for other events and windows, and if the model's window grows itself or the threshold differs from
        the model's.
        """
        base, window_bytes = state.base, observed.get("cwnd_bytes")
        if not isinstance(event, Ack) or not event.app_limited or window_bytes is None:
            return None
        if (
            base.cwnd_bytes > before.base.cwnd_bytes
            or observed.get("ssthresh_bytes", base.ssthresh_bytes) != base.ssthresh_bytes
        ):
            return None  # window or threshold change by something other than growth
        used = replace(event, app_limited=False)
        # The same ACK may end a phase of the startup algorithm, which lowers the window.
        grown_bytes = self._grown(before, used, base)
        if not base.cwnd_bytes < window_bytes <= min(base.cwnd_bytes + grown_bytes, self._limit(before, used, base)):
            return None
        base.cwnd_bytes = window_bytes
        share = Fraction(window_bytes, max(self.most_flight_bytes or 0, 1))
        return Taken(self.point, "window that is not fully used", window_bytes, share, "of the largest flight")

    def settle(self, before: Any, state: Any, event: Event) -> None:
        """Update maxFS, the largest number of bytes in flight since the last reduction of the window by congestion.

        It starts as the window before the first event. A reduction restarts it from the bytes in flight after the
        event. A lower window after an ACK outside recovery is not a reduction: a startup algorithm ended slow start
        without congestion.
        """
        if self.most_flight_bytes is None:
            self.most_flight_bytes = before.base.cwnd_bytes
        is_exit = isinstance(event, Ack) and not (before.base.in_recovery or state.base.in_recovery)
        if state.base.cwnd_bytes < before.base.cwnd_bytes and not is_exit:
            self.most_flight_bytes = 0
        if isinstance(event, Sent | Ack | Lost):
            self.most_flight_bytes = max(self.most_flight_bytes, event.bytes_in_flight)

    def _limit(self, before: Any, used: Ack, base: Any) -> Fraction:
        """Return limit(maxFS), the largest window in bytes that growth at an app-limited ACK may reach.

        The value maxFS is the largest number of bytes in flight since the last reduction by congestion. The limit is
        maxFS plus the growth by one acknowledged flight of maxFS (draft-ietf-ccwg-ratelimited-increase, section 3). In
        slow start this growth is maxFS times the model's growth for each byte acknowledged by ``used``, at most maxFS.
        ``used``: the ACK with ``app_limited`` false. In the congestion avoidance of NewReno this growth is one
        datagram. In the congestion avoidance of other base controllers return 0, which permits no growth.
        """
        flight_bytes = Fraction(self.most_flight_bytes or 0)
        last = used.packets[-1]
        last_packet_ack = replace(used, packets=(replace(last, first=last.last),), bytes=last.size_bytes)
        share = Fraction(self._grown(before, last_packet_ack, before.base), last.size_bytes)
        if not share:
            # A single packet may end the phase, for example by the delivery test of SEARCH.
            share = Fraction(self._grown(before, used, base), used.bytes)
        prior = before.base
        if prior.ssthresh_bytes is not None and (
            prior.cwnd_bytes > prior.ssthresh_bytes or (prior.cwnd_bytes == prior.ssthresh_bytes and share < 1)
        ):
            return flight_bytes + prior.max_datagram_size_bytes if prior.rules_state is None else Fraction(0)
        # A share of a packet is rounded down by less than a byte.
        share += Fraction(0 < share < 1, last.size_bytes)
        return flight_bytes * (1 + min(share, Fraction(1)))

    def _grown(self, before: Any, used: Ack, base: Any) -> int:
        """Return the growth by the ACK ``used``: the model's window after it minus the window of ``base``, in bytes.

        ``before``: the controller before the ACK. ``used``: the ACK with ``app_limited`` false. ``base``: the base
        controller before the ACK, or after the same ACK processed as app-limited. Growth by more than the acknowledged
        bytes is a jump and counts as 0. Return 0 also if the window is smaller, or if the slow start threshold differs
        from ``base``.
        """
        after = before.copy()
        self.advance(after, used)
        grown_bytes: int = after.base.cwnd_bytes - base.cwnd_bytes
        same_threshold = after.base.ssthresh_bytes == base.ssthresh_bytes
        return grown_bytes if same_threshold and 0 < grown_bytes <= used.bytes else 0


BOUNDS = {"rate-limited": RateLimited}
