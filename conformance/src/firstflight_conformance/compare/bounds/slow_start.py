"""The bounds of NewReno: growth in congestion avoidance, and reduction of the window in recovery."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from firstflight.events import Ack, Event, Lost, Sent
from firstflight_conformance.compare.bounds.bound import Bound, Taken

#: Largest credit, in datagrams. The counter of RFC 3465 is below one window, which is less than two reduced windows.
_MOST_DATAGRAMS = 2
#: Number of windows subtracted from the acknowledged windows before the lower limit of growth is computed.
_LEFT_WINDOWS = Fraction(1, 4)
#: The outcome of an ACK whose last packet grows the window in congestion avoidance.
_AVOIDANCE = "grown_avoidance"
_OF_A_DATAGRAM = "of a datagram for each window acknowledged"


def _is_newreno(base: Any) -> bool:
    """Return whether the base grows and reduces as NewReno, packet by packet."""
    return base.rules_state is None and base.growth.value == "bytes"


def _grows_by_base(controller: Any) -> bool:
    """Return whether congestion avoidance follows NewReno, without another rule of the startup algorithm."""
    return _is_newreno(controller.base) and _reading(controller, "growth") != "one_in_twenty"


def _reading(controller: Any, name: str) -> Any:
    return getattr(getattr(controller.readings, name, None), "value", None)


def _has_other_threshold(base: Any, observed: dict[str, Any]) -> bool:
    return bool(observed.get("ssthresh_bytes", base.ssthresh_bytes) != base.ssthresh_bytes)


def _avoidance(before: Any, ack: Event) -> tuple[int, int]:
    """Split an ACK at ssthresh: return the window after its slow-start part, and the bytes for congestion avoidance.

    Both are in bytes. Each acknowledged packet adds its size to the window until the window reaches ssthresh. The
    packet that reaches ssthresh is the last packet of slow start. The second value is the size of all later packets.
    Packets sent before the last recovery began are ignored. Packets sent at that same time are included: a sender may
    treat them as sent after it. For other events and app-limited ACKs, return the unchanged window and 0.
    """
    window_bytes, remaining_bytes = before.cwnd_bytes, 0
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
        remaining_bytes += (run.count - packets) * run.size_bytes
    return window_bytes, remaining_bytes


class AvoidanceGrowth(Bound):
    """Growth by half a datagram to one datagram for each acknowledged window (RFC 9002, section 7.3.3).

    An acknowledged window is as many acknowledged bytes as the window has. A sender may use permitted growth later:
    ``credit_bytes`` is permitted growth that it has not used yet, at most two datagrams. The lower limit of half a
    datagram holds only for complete acknowledged windows: byte counting (RFC 3465) adds nothing before a window is
    complete. The bound does not apply if a startup algorithm has its own rule for congestion avoidance.
    """

    credit_bytes = allowed_bytes = least_bytes = Fraction(0)
    window_bytes = grown_bytes = 0

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Accept a window that did not shrink, and grew by at most the credit plus the share of this ACK.

        The credit is growth that earlier ACKs permitted and the sender did not use. The share is the datagram size
        times the bytes acknowledged in congestion avoidance, divided by the window. A window below the model's must
        also show half a datagram of growth for each complete window acknowledged so far. The model continues from the
        accepted window. Return all growth in congestion avoidance so far, in bytes, as the value taken. Return None for
        other windows and events.
        """
        base, window_bytes = state.base, observed.get("cwnd_bytes")
        if not _grows_by_base(state) or window_bytes is None:
            return None
        least_bytes, remaining_bytes = self._avoidance(before, state, event)
        credit_bytes = self._credit(least_bytes) + self._share(base, least_bytes, remaining_bytes)
        most_bytes = least_bytes + int(credit_bytes)
        # If the model's own window is outside, it was not set by congestion avoidance.
        fits = all(least_bytes <= cwnd_bytes <= most_bytes for cwnd_bytes in (base.cwnd_bytes, window_bytes))
        if remaining_bytes == 0 or not fits or _has_other_threshold(base, observed):
            return None
        grows = observation.outcome.value == _AVOIDANCE or base.cwnd_bytes > least_bytes
        if not grows and not self._would_grow(before, state, event, least_bytes):
            return None
        if observation.outcome.value == "drained" and window_bytes == least_bytes:
            return None  # SEARCH decides whether the ACK that ends the drain grows the window
        grown_bytes, size_bytes = self.grown_bytes + window_bytes - least_bytes, base.max_datagram_size_bytes
        # Complete windows so far, less a quarter: an implementation may count some packets only at a later ACK.
        windows = (self.least_bytes + self._least(event, self._share(base, least_bytes, remaining_bytes))) / size_bytes
        if window_bytes < base.cwnd_bytes and grown_bytes < int(windows - _LEFT_WINDOWS) * size_bytes // 2:
            return None
        base.cwnd_bytes = window_bytes
        share = Fraction(grown_bytes) / (self.allowed_bytes + self._share(base, least_bytes, remaining_bytes))
        return Taken(self.point, "growth in congestion avoidance", grown_bytes, share, _OF_A_DATAGRAM)

    def settle(self, before: Any, state: Any, event: Event) -> None:
        """Add the growth that an ACK permits to the credit, and subtract the actual growth of the window, all in bytes.

        An ACK permits the datagram size times the bytes that it acknowledged in congestion avoidance, divided by the
        window. The credit is permitted growth that the sender has not used; it is from 0 to two datagrams. ACKs in
        recovery and other events change nothing.
        """
        base = state.base
        if not isinstance(event, Ack) or not _grows_by_base(state) or base.in_recovery:
            return
        least_bytes, remaining_bytes = self._avoidance(before, state, event)
        grown_bytes = base.cwnd_bytes - least_bytes
        if remaining_bytes == 0 or grown_bytes < 0:
            return
        share_bytes = self._share(base, least_bytes, remaining_bytes)
        credit_bytes = max(self._credit(least_bytes) + share_bytes - grown_bytes, Fraction(0))
        self.credit_bytes = min(credit_bytes, Fraction(_MOST_DATAGRAMS * base.max_datagram_size_bytes))
        self.window_bytes = base.cwnd_bytes
        self.grown_bytes += grown_bytes
        self.allowed_bytes += share_bytes
        # The ACK that ends slow start by a startup algorithm may leave the window unchanged.
        ends = before.base.ssthresh_bytes != base.ssthresh_bytes
        if not ends or grown_bytes or self._would_grow(before, state, event, least_bytes):
            self.least_bytes += self._least(event, share_bytes)

    def _avoidance(self, before: Any, state: Any, event: Event) -> tuple[int, int]:
        """Split an ACK at ssthresh: return the window after its slow-start part, and the bytes after ssthresh.

        The second value counts acknowledged bytes of congestion avoidance. Both are in bytes. The module function
        ``_avoidance`` computes them from window and ssthresh before the event. A startup algorithm may set both at an
        ACK that ends recovery or slow start. The computation then starts from the values that the startup algorithm
        sets.
        """
        base = before.base
        ends = base.in_recovery and not state.base.in_recovery
        if isinstance(event, Ack) and state.startup and (ends or base.ssthresh_bytes != state.base.ssthresh_bytes):
            unused = before.copy()
            self.advance(unused, replace(event, app_limited=True))
            if ends or unused.base.ssthresh_bytes == state.base.ssthresh_bytes:
                base = unused.base
        if base.ssthresh_bytes == base.cwnd_bytes and _reading(state, "at_threshold") == "slow_start":
            base = replace(base, ssthresh_bytes=base.cwnd_bytes + 1)  # the packet at the threshold is in slow start
        return _avoidance(base, event)

    def _would_grow(self, before: Any, state: Any, event: Event, least_bytes: int) -> bool:
        """Return whether an ACK that changes the threshold permits growth that the model rounds down to 0.

        Growth below one byte per packet is invisible. The ACK is therefore processed again with datagrams so large that
        each packet adds at least a byte. Return True if the window is then above ``least_bytes``, the window without
        growth, and the threshold is the same. Return False for other events.
        """
        if not isinstance(event, Ack) or before.base.ssthresh_bytes == state.base.ssthresh_bytes:
            return False
        larger = before.copy()
        larger.base.max_datagram_size_bytes = least_bytes // min(run.size_bytes for run in event.packets) + 1
        self.advance(larger, event)
        return bool(larger.base.ssthresh_bytes == state.base.ssthresh_bytes and larger.base.cwnd_bytes > least_bytes)

    def _credit(self, window_bytes: int) -> Fraction:
        """Return the credit in bytes: growth that earlier ACKs permitted and the sender has not used.

        If ``window_bytes`` is below the window at the last ACK, the credit rises in proportion. The acknowledged bytes
        that permitted the growth are a larger part of the smaller window.
        """
        if 0 < window_bytes < self.window_bytes:
            return self.credit_bytes * self.window_bytes / window_bytes
        return self.credit_bytes

    @staticmethod
    def _least(ack: Any, share_bytes: Fraction) -> Fraction:
        """Return the growth in bytes that an ACK permits, minus one byte for each of its packets, and at least 0.

        Implementations may round growth down at each packet. ``share_bytes``: the permitted growth, unrounded.
        """
        packets: int = sum(run.count for run in ack.packets)
        return max(share_bytes - packets, Fraction(0))

    @staticmethod
    def _share(base: Any, window_bytes: int, acked_bytes: int) -> Fraction:
        return Fraction(base.max_datagram_size_bytes * acked_bytes, window_bytes) if window_bytes > 0 else Fraction(0)


class GradualReduction(Bound):
    """Window in recovery, which reaches the reduced window before recovery ends (RFC 9002, section 7.3.2).

    The window decreases from the window before recovery, and does not rise above the reduced window again. With
    Proportional Rate Reduction an ACK lowers the window further if much of the flight is lost. The least window
    follows the conservative reduction bound (RFC 6937, section 3): bytes in flight plus bytes delivered minus bytes
    sent in recovery. From there the window rises to the reduced window. The first recovery of Rapid Start has its own
    rules. The model itself reduces at once. It continues from its own window after each event, so the implementation
    must reach that window at the end of recovery.
    ``held_bytes``: the window after the last event, or ``None`` for the model's own window.
    ``credit_bytes``: bytes delivered in recovery, less bytes sent.
    ``flight_bytes``: bytes in flight at the start of recovery if they exceeded the window, else 0. An idle period may
    lower the window below the flight. Proportional Rate Reduction then starts from these bytes.
    """

    held_bytes: int | None = None
    reduced_bytes: int | None = None
    credit_bytes = flight_bytes = 0

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Accept a window in recovery between the window after the last event and the reduced window.

        The upper end may also be the bytes in flight at the start of recovery. At an ACK the lower end may also be the
        bytes in flight plus the credit. The credit is the bytes delivered minus the bytes sent since recovery began, at
        least 0 (RFC 6937, section 3). This lower end is at least two datagrams. Return the window as the value taken.
        Return None for other windows, outside NewReno recovery, and if the window equals the model's.
        """
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
        reference = "of the reduced window"
        return Taken(self.point, "window in recovery", window_bytes, Fraction(window_bytes, reduced_bytes), reference)

    def settle(self, before: Any, state: Any, event: Event) -> None:
        """Set the model's window back to the reduced window, and update the credit.

        An accepted answer has set the model's window to another value; the model itself reduces its window at once. The
        credit is the bytes delivered minus the bytes sent since recovery began. At the event that begins recovery, set
        the credit to 0, and record the bytes in flight before a loss if they exceeded the window.
        """
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
        """Return the bytes delivered minus the bytes sent since the start of recovery, after an event."""
        if isinstance(event, Ack):
            return self.credit_bytes + event.bytes
        return self.credit_bytes - event.bytes if isinstance(event, Sent) else self.credit_bytes


def _begins_recovery(before: Any, state: Any) -> bool:
    return bool(state.base.recovery_start_ns != before.base.recovery_start_ns)


BOUNDS = {"avoidance-growth": AvoidanceGrowth, "gradual-reduction": GradualReduction}
