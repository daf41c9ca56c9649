"""The bound of the window after an idle period: it stays, or is lowered (RFC 9002, section 7.8; RFC 5681, section 4.1)."""

from fractions import Fraction
from typing import Any

from firstflight.events import Event, IdleRestart
from firstflight_conformance.compare.bounds.bound import Bound, Taken

#: The minimum window, in datagrams (RFC 9002, section 7.2).
_MINIMUM_DATAGRAMS = 2


class IdlePeriod(Bound):
    """At the end of an idle period the window stays, or is lowered, but not below the minimum window.

    RFC 9002, section 7.8, permits other mechanisms (MAY), such as RFC 7661, which halves the window. RFC 5681, section 4.1, has no more than
    the restart window (SHOULD): the smaller of initial window and window.
    """

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Take a window between the minimum window and the one before the idle period, where the model keeps that."""
        base, window_bytes = state.base, observed.get("cwnd_bytes")
        if not isinstance(event, IdleRestart) or window_bytes is None or base.cwnd_bytes != before.base.cwnd_bytes:
            return None
        if observed.get("ssthresh_bytes", base.ssthresh_bytes) != base.ssthresh_bytes:
            return None
        minimum_bytes = _MINIMUM_DATAGRAMS * base.max_datagram_size_bytes
        if not minimum_bytes <= window_bytes < base.cwnd_bytes:
            return None
        share = Fraction(window_bytes, base.cwnd_bytes)
        base.cwnd_bytes = window_bytes
        return Taken(self.point, "window after an idle period", window_bytes, share, "of the window before it")


BOUNDS = {"idle-period": IdlePeriod}
