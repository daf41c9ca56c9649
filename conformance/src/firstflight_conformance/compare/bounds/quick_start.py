"""The bound of Quick-Start: the threshold that a sender may derive from the approved rate (RFC 4782)."""

from fractions import Fraction
from typing import Any

from firstflight.events import Event
from firstflight_conformance.compare.bounds.bound import Bound, Taken


class Threshold(Bound):
    """Section 4.4: at the start of a connection, before a loss or mark, the threshold may be set to a desired value."""

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Accept an observed threshold of at least two datagrams at the event where Quick-Start mode begins.

        The model sets no threshold there; set its threshold to the observed one. Return the threshold as the value
        taken, with its share of QS-cwnd, the window of the approved rate. Return None for other events and thresholds.
        Return None also if the model already has a threshold, or if the request was not in the handshake.
        """
        ssthresh_bytes, base, quick = observed.get("ssthresh_bytes"), state.base, state.startup
        if ssthresh_bytes is None or base.ssthresh_bytes is not None or quick.midway:
            return None
        if before.startup.quick or not quick.quick or ssthresh_bytes < 2 * base.max_datagram_size_bytes:
            return None
        base.ssthresh_bytes = ssthresh_bytes
        share = Fraction(ssthresh_bytes, quick.window_bytes)
        return Taken(self.point, "threshold of Quick-Start", ssthresh_bytes, share, "of QS-cwnd")


BOUNDS = {"quick_start_threshold": Threshold}
