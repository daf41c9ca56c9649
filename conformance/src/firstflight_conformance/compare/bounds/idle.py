"""The bound of the window after an idle period: unchanged or lower (RFC 9002, section 7.8; RFC 5681, section 4.1)."""

from fractions import Fraction
from typing import Any

from firstflight.events import Event, IdleRestart, Sent
from firstflight_conformance.compare.bounds.bound import Bound, Taken


class IdlePeriod(Bound):
    """After an idle period the window is unchanged, or lowered once to at least one datagram.

    RFC 9002, section 7.8, permits other mechanisms (MAY), such as RFC 7661, which halves the window. RFC 5681, section
    4.1, limits it to the restart window (SHOULD): the smaller of initial window and window. RFC 2861 goes down to one
    segment. The window is lowered at ``idle_restart``, or at the next ``sent`` by a stack that detects idle time
    itself. ``may_lower``: that ``sent`` is still to come, and the window was not lowered at ``idle_restart``.
    """

    may_lower: bool = False

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Accept a window below the model's window, but at least one datagram, at the end of an idle period.

        The event is ``idle_restart``, or the next ``sent`` after it if the window was not lowered at ``idle_restart``.
        The model's own window must be unchanged by this event. Return the accepted window as the value taken, and set
        the model's window to it. Return None for other windows and events, and if the threshold differs from the
        model's.
        """
        base, window_bytes = state.base, observed.get("cwnd_bytes")
        if window_bytes is None or base.cwnd_bytes != before.base.cwnd_bytes:
            return None
        if not (isinstance(event, IdleRestart) or (isinstance(event, Sent) and self.may_lower)):
            return None
        if observed.get("ssthresh_bytes", base.ssthresh_bytes) != base.ssthresh_bytes:
            return None
        if not base.max_datagram_size_bytes <= window_bytes < base.cwnd_bytes:
            return None
        share = Fraction(window_bytes, base.cwnd_bytes)
        base.cwnd_bytes = window_bytes
        return Taken(self.point, "window after an idle period", window_bytes, share, "of the window before it")

    def settle(self, before: Any, state: Any, event: Event) -> None:
        """Record the end of an idle period, and the first packets after it."""
        if isinstance(event, IdleRestart):
            self.may_lower = bool(state.base.cwnd_bytes == before.base.cwnd_bytes)
        elif isinstance(event, Sent):
            self.may_lower = False


BOUNDS = {"idle-period": IdlePeriod}
