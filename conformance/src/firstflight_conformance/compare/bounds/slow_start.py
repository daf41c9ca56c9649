"""The bounds of NewReno: growth in congestion avoidance, and how the window comes down in recovery."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from firstflight.events import Ack, Event, Lost, Sent
from firstflight_conformance.compare.bounds.bound import Bound, Taken

#: Credit that is kept, in datagrams. The counter of RFC 3465 holds less than one window, which is less than two of those after a reduction.
_MOST_DATAGRAMS = 2
#: The part of a window that the least growth leaves out.
_LEFT_WINDOWS = Fraction(1, 4)
#: The outcome of an ACK whose last packet grows the window in congestion avoidance.
_AVOIDANCE = "grown_avoidance"
_OF_A_DATAGRAM = "of a datagram for each window acknowledged"


def _is_newreno(base: Any) -> bool:
    """Return whether the base grows and reduces as NewReno, packet by packet."""
    return base.rules_state is None and base.growth.value == "bytes"


def _grows_by_base(controller: Any) -> bool:
    """Return whether congestion avoidance is that of NewReno, of which the startup algorithm has no other."""
    return _is_newreno(controller.base) and _reading(controller, "growth") != "one_in_twenty"


def _reading(controller: Any, name: str) -> Any:
    return getattr(getattr(controller.readings, name, None), "value", None)


def _has_other_threshold(base: Any, observed: dict[str, Any]) -> bool:
    return bool(observed.get("ssthresh_bytes", base.ssthresh_bytes) != base.ssthresh_bytes)


def _avoidance(before: Any, ack: Event) -> tuple[int, int]:
    """Return the window after the packets of an ACK that slow start takes, and how many bytes are left for congestion avoidance.

    A packet takes part if it was sent after the last recovery began, or at that very time, which may count as after it. The packet that reaches the threshold is the last of slow start.
    """
    window_bytes, left_bytes = before.cwnd_bytes, 0
    if not isinstance(ack, Ack) or ack.app_limited:
        return window_bytes, 0
    for run in ack.packets:
        if before.recovery_start_ns is not None and run.sent_t_ns < before.recovery_start_ns:
            continue
        packets = run.count
        if before.ssthresh_bytes is not None:
            missing_bytes = max(before.ssthresh_bytes - window_bytes, 0)
            packets = min(run.count, -(-missing_bytes // run.size_bytes))
        window_bytes += packets * run.size_bytes
        left_bytes += (run.count - packets) * run.size_bytes
    return window_bytes, left_bytes


class AvoidanceGrowth(Bound):
    """At most one datagram for each window that is acknowledged (RFC 9002, section 7.3.3), and at least half of one.

    The increase is additive (section 7.3.3), roughly a datagram per round trip (RFC 5681, section 3.1). Whole windows count, since byte
    counting adds nothing before. A byte for each packet and a quarter of a window are left to rounding and to when a packet counts.
    ``credit_bytes``: growth that what was acknowledged so far allows and that was not taken, exact. What is acknowledged of a window counts
    for more of a smaller one: RFC 3465, section 2.1, counts bytes and does not begin anew at a reduction. A rule of the startup algorithm for
    congestion avoidance takes the place of that of the base, and this bound is not about it.
    """

    credit_bytes = allowed_bytes = least_bytes = Fraction(0)
    window_bytes = grown_bytes = 0

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Take a window that grew by no more than the credit and the share of this ACK, and did not shrink."""
        base, window_bytes = state.base, observed.get("cwnd_bytes")
        if not _grows_by_base(state) or window_bytes is None:
            return None
        least_bytes, left_bytes = self._avoidance(before, state, event)
        credit_bytes = self._credit(least_bytes) + self._share(base, least_bytes, left_bytes)
        most_bytes = least_bytes + int(credit_bytes)
        # Where the model's own window lies outside, something else than congestion avoidance has set it.
        fits = all(least_bytes <= found <= most_bytes for found in (base.cwnd_bytes, window_bytes))
        if left_bytes == 0 or not fits or _has_other_threshold(base, observed):
            return None
        grows = observation.outcome.value == _AVOIDANCE or base.cwnd_bytes > least_bytes
        if not grows and not self._would_grow(before, state, event, least_bytes):
            return None
        if observation.outcome.value == "drained" and window_bytes == least_bytes:
            return None  # whether the ACK that ends the drain grows anything is for SEARCH to say
        grown_bytes, size_bytes = self.grown_bytes + window_bytes - least_bytes, base.max_datagram_size_bytes
        windows = (self.least_bytes + self._least(event, self._share(base, least_bytes, left_bytes))) / size_bytes
        if window_bytes < base.cwnd_bytes and grown_bytes < int(windows - _LEFT_WINDOWS) * size_bytes // 2:
            return None
        base.cwnd_bytes = window_bytes
        share = Fraction(grown_bytes) / (self.allowed_bytes + self._share(base, least_bytes, left_bytes))
        return Taken(self.point, "growth in congestion avoidance", grown_bytes, share, _OF_A_DATAGRAM)

    def settle(self, before: Any, state: Any, event: Event) -> None:
        """Add the share of an ACK to the credit, and take away what the window has grown."""
        base = state.base
        if not isinstance(event, Ack) or not _grows_by_base(state) or base.in_recovery:
            return
        least_bytes, left_bytes = self._avoidance(before, state, event)
        grown_bytes = base.cwnd_bytes - least_bytes
        if left_bytes == 0 or grown_bytes < 0:
            return
        share_bytes = self._share(base, least_bytes, left_bytes)
        credit_bytes = max(self._credit(least_bytes) + share_bytes - grown_bytes, Fraction(0))
        self.credit_bytes = min(credit_bytes, Fraction(_MOST_DATAGRAMS * base.max_datagram_size_bytes))
        self.window_bytes = base.cwnd_bytes
        self.grown_bytes += grown_bytes
        self.allowed_bytes += share_bytes
        # The ACK at which a startup algorithm ends slow start may grow nothing.
        ends = before.base.ssthresh_bytes != base.ssthresh_bytes
        if not ends or grown_bytes or self._would_grow(before, state, event, least_bytes):
            self.least_bytes += self._least(event, share_bytes)

    def _avoidance(self, before: Any, state: Any, event: Event) -> tuple[int, int]:
        """Return the same as the function, from the window and threshold that a startup algorithm sets at this ACK: at the end of recovery or of slow start."""
        base = before.base
        ends = base.in_recovery and not state.base.in_recovery
        if isinstance(event, Ack) and state.startup and (ends or base.ssthresh_bytes != state.base.ssthresh_bytes):
            unused = before.copy()
            self.advance(unused, replace(event, app_limited=True))
            if ends or unused.base.ssthresh_bytes == state.base.ssthresh_bytes:
                base = unused.base
        if base.ssthresh_bytes == base.cwnd_bytes and _reading(state, "at_threshold") == "slow_start":
            base = replace(base, ssthresh_bytes=base.cwnd_bytes + 1)  # the packet at the threshold is one of slow start
        return _avoidance(base, event)

    def _would_grow(self, before: Any, state: Any, event: Event, least_bytes: int) -> bool:
        """Return whether the model grows the window at an ACK that ends slow start, and by less than a byte for each packet: with larger datagrams it shows."""
        if not isinstance(event, Ack) or before.base.ssthresh_bytes == state.base.ssthresh_bytes:
            return False
        larger = before.copy()
        larger.base.max_datagram_size_bytes = least_bytes // min(run.size_bytes for run in event.packets) + 1
        self.advance(larger, event)
        return bool(larger.base.ssthresh_bytes == state.base.ssthresh_bytes and larger.base.cwnd_bytes > least_bytes)

    def _credit(self, window_bytes: int) -> Fraction:
        """Return the credit at a window that may have shrunk since it was earned."""
        if 0 < window_bytes < self.window_bytes:
            return self.credit_bytes * self.window_bytes / window_bytes
        return self.credit_bytes

    @staticmethod
    def _least(ack: Any, share_bytes: Fraction) -> Fraction:
        """Return the share of an ACK, less a byte for the rounding of each packet."""
        packets: int = sum(run.count for run in ack.packets)
        return max(share_bytes - packets, Fraction(0))

    @staticmethod
    def _share(base: Any, window_bytes: int, acked_bytes: int) -> Fraction:
        return Fraction(base.max_datagram_size_bytes * acked_bytes, window_bytes) if window_bytes > 0 else Fraction(0)


class GradualReduction(Bound):
    """Window in recovery, which becomes the reduced one before recovery ends (RFC 9002, section 7.3.2).

    The window comes down from the one before recovery, and does not rise above the reduced one again. With Proportional Rate Reduction an ACK
    lowers it further where much of the flight is lost: to the bytes in flight, and the bytes delivered and not replaced in recovery. This is the
    conservative reduction bound (RFC 6937, section 3), the least window. From there the window rises to the reduced one.
    The first recovery of Rapid Start has rules of its own.
    The model itself reduces at once. It goes on from its own window after each event, so that the end of recovery holds the implementation to it.
    ``held_bytes``: the window after the last event, or ``None`` for the model's own window. ``credit_bytes``: bytes delivered in recovery, less bytes sent.
    ``flight_bytes``: what was in flight when recovery began, if that was more than the window, as after an idle period that lowered it: Proportional
    Rate Reduction comes down from there.
    """

    held_bytes: int | None = None
    reduced_bytes: int | None = None
    credit_bytes = flight_bytes = 0

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Take a window between the one after the last event and the reduced one, or at an ACK down to the least one."""
        base, window_bytes = state.base, observed.get("cwnd_bytes")
        stage = getattr(getattr(state.startup, "stage", None), "value", None)
        is_newreno = _is_newreno(base) and base.in_recovery and base.ssthresh_bytes is not None and stage != "recovery"
        if not is_newreno or window_bytes is None or _has_other_threshold(base, observed):
            return None
        minimum_bytes = 2 * base.max_datagram_size_bytes
        reduced_bytes = max(base.ssthresh_bytes, minimum_bytes)
        held_bytes = before.base.cwnd_bytes if _begins_recovery(before, state) else self.held_bytes
        ends_bytes = [reduced_bytes, reduced_bytes if held_bytes is None else held_bytes]
        if isinstance(event, Ack):
            ends_bytes.append(max(event.bytes_in_flight + max(self._credit(event), 0), minimum_bytes))
        if window_bytes == base.cwnd_bytes or base.cwnd_bytes != reduced_bytes:
            return None
        if not min(ends_bytes) <= window_bytes <= max(*ends_bytes[:2], self.flight_bytes):
            return None
        self.held_bytes, self.reduced_bytes = window_bytes, reduced_bytes
        base.cwnd_bytes = window_bytes
        of = "of the reduced window"
        return Taken(self.point, "window in recovery", window_bytes, Fraction(window_bytes, reduced_bytes), of)

    def settle(self, before: Any, state: Any, event: Event) -> None:
        """Go on from the reduced window."""
        if _begins_recovery(before, state):
            flight_bytes = event.bytes_in_flight + event.bytes if isinstance(event, Lost) else 0
            self.credit_bytes, self.flight_bytes = 0, flight_bytes if flight_bytes > before.base.cwnd_bytes else 0
        else:
            self.credit_bytes = self._credit(event)
        if self.reduced_bytes is None:
            self.held_bytes = None
        else:
            state.base.cwnd_bytes, self.reduced_bytes = self.reduced_bytes, None

    def _credit(self, event: Event) -> int:
        """Return the bytes delivered less the bytes sent since recovery began, after an event."""
        if isinstance(event, Ack):
            return self.credit_bytes + event.bytes
        return self.credit_bytes - event.bytes if isinstance(event, Sent) else self.credit_bytes


def _begins_recovery(before: Any, state: Any) -> bool:
    return bool(state.base.recovery_start_ns != before.base.recovery_start_ns)


BOUNDS = {"avoidance-growth": AvoidanceGrowth, "gradual-reduction": GradualReduction}
