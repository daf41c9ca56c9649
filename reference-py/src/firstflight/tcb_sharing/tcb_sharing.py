"""TCB sharing (``spec/tcb-sharing/rules.md``), in every profile of its ``profiles.py``: begins with cached values.

``cache`` computes the cache after a close. Functions change the state and the base in place and return the outcome or
the documented value.

Mirrors ``reference-c/firstflight/tcb_sharing/tcb_sharing.c``.
"""

from firstflight.events import Ack, Event, SavedPath, Sent
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Observation, Outcome
from firstflight.tcb_sharing.cache import TcbSharing, cached_cwnd_bytes, cached_ssthresh_bytes, saved_ssthresh_bytes
from firstflight.tcb_sharing.profiles import PROFILES, Concurrent, Lifetime, Readings, Threshold, Window

__all__ = ["PROFILES", "Readings", "TcbSharing", "begin", "step"]

#: Stateful-TCP, from its code: the initial window. An ACK that leaves more than ENDING_DATAGRAMS in flight ends the
#: startup; so does the first ACK after ENDING_ACKS others.
INITIAL_DATAGRAMS = 10
ENDING_DATAGRAMS = 5
ENDING_ACKS = 11


def begin(_readings: Readings, _base: BaseState) -> TcbSharing:
    """Return the state before the first event."""
    return TcbSharing()  # [tcb-sharing.begin]


def _judge(readings: Readings, state: TcbSharing, offer: SavedPath) -> Outcome:
    """Return ``TCB_SHARED`` if the offered set of cached values may be used, or the reason for refusing it.

    A set is refused if the connection is already in use, if window or RTT is missing, or for another endpoint. Some
    readings also refuse a set in use by another connection, or after its lifetime.
    """
    if state.initialised:
        return Outcome.UNCHANGED  # [tcb-sharing.initialisation] [tcb-sharing.initialisation.sent]
    if offer.saved_cwnd_bytes == 0 or offer.saved_rtt_ns == 0:
        return Outcome.SAVED_SET_ABSENT  # [tcb-sharing.absent]
    if not offer.endpoint_matches:
        return Outcome.ENDPOINT_MISMATCH  # [tcb-sharing.host-pair]
    if offer.in_use and readings.concurrent is Concurrent.REFUSED:
        return Outcome.SAVED_SET_IN_USE  # [tcb-sharing.temporal]
    late = offer.expires_t_ns is not None and offer.t_ns > offer.expires_t_ns
    if late and readings.lifetime is Lifetime.CHECKED:
        return Outcome.LIFETIME_EXCEEDED  # [tcb-sharing.lifetime]
    return Outcome.TCB_SHARED


def _allowed_bytes(offer: SavedPath, window_bytes: int) -> int:
    """Return ``window_bytes``, but at most ``offer.max_jump_bytes``, the limit of the endpoint, if there is one."""
    if offer.max_jump_bytes is not None and offer.max_jump_bytes < window_bytes:
        return offer.max_jump_bytes  # [tcb-sharing.window.allowed]
    return window_bytes


def _begin_startup(state: TcbSharing, base: BaseState, offer: SavedPath) -> bool:
    """Begin a paced startup with the cached cwnd of ``offer`` as window; return whether it began.

    The window is at most ``offer.max_jump_bytes``, rounded down to datagrams. If it is at most ten datagrams, nothing
    changes.
    """
    packets = _allowed_bytes(offer, offer.saved_cwnd_bytes) // base.max_datagram_size_bytes
    if packets <= INITIAL_DATAGRAMS:
        return False  # [tcb-sharing.startup.small]
    base.cwnd_bytes = packets * base.max_datagram_size_bytes  # [tcb-sharing.startup.begin]
    state.paced = True
    state.start_ns = offer.t_ns
    state.window_bytes = base.cwnd_bytes
    return True


def _set_window(readings: Readings, base: BaseState, offer: SavedPath) -> None:
    """Set the window from the cache, at least a datagram."""
    if readings.window is Window.INITIAL:
        return  # [tcb-sharing.window.initial]
    window_bytes = offer.saved_cwnd_bytes  # [tcb-sharing.window.saved]
    if readings.window is Window.HALF:
        window_bytes //= 2  # [tcb-sharing.window.half]
    window_bytes = _allowed_bytes(offer, window_bytes)
    base.cwnd_bytes = max(window_bytes, base.max_datagram_size_bytes)  # [tcb-sharing.window.least]


def _set_threshold(readings: Readings, base: BaseState, ssthresh_bytes: int) -> None:
    if readings.threshold is Threshold.INFINITE:
        return  # [tcb-sharing.threshold.infinite]
    least_bytes = newreno.minimum_window_bytes(base)
    if readings.threshold is Threshold.TWO_DATAGRAMS and ssthresh_bytes < least_bytes:
        ssthresh_bytes = least_bytes  # [tcb-sharing.threshold.least]
    base.ssthresh_bytes = ssthresh_bytes  # [tcb-sharing.threshold]


def _on_saved_path(readings: Readings, state: TcbSharing, base: BaseState, offer: SavedPath) -> Outcome:
    """Begin with the cached values, or return the reason for not using them."""
    outcome = _judge(readings, state, offer)
    if outcome is not Outcome.TCB_SHARED:
        return outcome
    if readings.window is not Window.DATAGRAMS:
        _set_window(readings, base, offer)
    elif not _begin_startup(state, base, offer):
        return Outcome.TCB_IGNORED
    state.initialised = True
    state.old_cwnd_bytes = offer.saved_cwnd_bytes
    state.old_ssthresh_bytes = saved_ssthresh_bytes(offer)
    state.old_rtt_ns = offer.saved_rtt_ns
    _set_threshold(readings, base, state.old_ssthresh_bytes)
    return outcome


def _on_sent(state: TcbSharing, base: BaseState, sent: Sent) -> Outcome:
    state.initialised = True
    if state.paced:
        state.sent_bytes = min(state.sent_bytes + sent.bytes, state.window_bytes)
    return newreno.on_sent(base, sent)


def _end_startup(state: TcbSharing, base: BaseState, ack: Ack) -> bool:
    """End the paced startup if this ACK ends it; return whether it did."""
    if not state.paced or ack.latest_rtt_ns is None:
        return False  # [tcb-sharing.startup.sample]
    datagram_bytes = base.max_datagram_size_bytes
    initial_bytes = INITIAL_DATAGRAMS * datagram_bytes
    if state.acks >= ENDING_ACKS:
        base.cwnd_bytes = initial_bytes  # [tcb-sharing.startup.given-up]
    elif ack.bytes_in_flight > ENDING_DATAGRAMS * datagram_bytes:
        flight_bytes = min(ack.bytes_in_flight, WINDOW_MAX_BYTES)
        base.cwnd_bytes = max(flight_bytes, initial_bytes)  # [tcb-sharing.startup.end]
    else:
        state.acks += 1  # [tcb-sharing.startup.few]
        return False
    state.paced = False
    return True


def _on_ack(state: TcbSharing, base: BaseState, ack: Ack) -> Outcome:
    ended = _end_startup(state, base, ack)
    outcome = newreno.on_ack(base, ack)  # [tcb-sharing.growth]
    return Outcome.PACED_STARTUP_ENDED if ended else outcome


def _on_event(readings: Readings, state: TcbSharing, base: BaseState, event: Event) -> Outcome:
    match event:
        case SavedPath():
            return _on_saved_path(readings, state, base, event)
        case Sent():
            return _on_sent(state, base, event)
        case Ack():
            return _on_ack(state, base, event)
    outcome = newreno.on_event(base, event)
    if outcome in (Outcome.REDUCED, Outcome.COLLAPSED):
        state.paced = False  # [tcb-sharing.startup.congestion]
    return outcome


def _next_release_ns(state: TcbSharing) -> int | None:
    """Return the earliest time of the next packet of the startup, which may be past, or ``None`` without a packet."""
    if not state.paced or state.sent_bytes >= state.window_bytes:
        return None
    offset_ns = state.sent_bytes * state.old_rtt_ns // state.old_cwnd_bytes  # [tcb-sharing.startup.pacing]
    return state.start_ns + offset_ns  # [tcb-sharing.startup.times]


def step(readings: Readings, state: TcbSharing, base: BaseState, event: Event) -> Observation:
    """Process one event with TCB sharing in these readings."""
    outcome = _on_event(readings, state, base, event)
    numbers = {
        "cached_cwnd_bytes": cached_cwnd_bytes(readings, state, base),
        "cached_ssthresh_bytes": cached_ssthresh_bytes(readings, state, base),
    }
    return Observation(
        base.cwnd_bytes,
        base.ssthresh_bytes,
        newreno.phase(base),
        outcome,
        numbers,
        _next_release_ns(state),
        paces=True,
    )
