"""Saved sets: accept a set for use, and measure values to save (``spec/careful-resume/rules.md``).

Mirrors ``reference-c/firstflight/careful_resume/saved.c``.
"""

from firstflight.careful_resume import profiles as cr
from firstflight.careful_resume.profiles import Readings
from firstflight.careful_resume.state import CarefulResume, Initial, Round, SavedSet, highest, saturated
from firstflight.events import Ack, SavedPath
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Outcome, Phase


def expired(offer: SavedPath, now_ns: int) -> bool:
    """Return whether the time is past the end of the Lifetime of a saved set."""
    return offer.expires_t_ns is not None and now_ns > offer.expires_t_ns


def on_saved_path(state: CarefulResume, offer: SavedPath) -> Outcome:
    """Accept a saved set for use; return the outcome, or the reason for refusing it."""
    if state.used.saved_cwnd_bytes != 0:
        return Outcome.ALREADY_USED  # [careful-resume.saved.one-use]
    if offer.saved_cwnd_bytes == 0 or offer.saved_rtt_ns == 0:
        return Outcome.SAVED_SET_ABSENT  # [careful-resume.saved.absent]
    if offer.in_use:
        return Outcome.SAVED_SET_IN_USE  # [careful-resume.saved.in-use]
    if not offer.endpoint_matches:
        return Outcome.ENDPOINT_MISMATCH  # [careful-resume.saved.endpoint]
    if expired(offer, offer.t_ns):
        state.saved = None  # [careful-resume.saved.lifetime]
        return Outcome.LIFETIME_EXCEEDED
    state.phase = Phase.RECONNAISSANCE  # [careful-resume.reconnaissance.begin]
    state.used = offer
    state.saved = SavedSet(offer.saved_cwnd_bytes, offer.saved_rtt_ns, in_use=True)
    first = 0 if state.marks.sent is None else state.marks.sent + 1
    state.initial = Initial(first)
    state.rtt.phase_first_ns = None
    state.rtt.phase_minimum_ns = None
    return Outcome.RESUMING


def _begin_round(state: CarefulResume, ack: Ack) -> None:
    """Begin a round with this ACK. The round ends with the first ACK of a packet that has not been sent yet."""
    next_first = highest(state.marks.sent, ack.packets[-1].last) + 1
    state.round_trip = Round(next_first, ack.bytes, ack.app_limited)


def _save(readings: Readings, state: CarefulResume, base: BaseState, ack: Ack) -> None:
    """Save the capacity measured in the round that ends."""
    if ack.min_rtt_ns is None or ack.min_rtt_ns == 0:
        return  # a set needs an RTT
    measured_bytes = state.round_trip.bytes  # [careful-resume.observe.capacity]
    if readings.observed is cr.Observed.WINDOW:
        measured_bytes = base.cwnd_bytes
    elif newreno.phase(base) is Phase.SLOW_START:
        measured_bytes = min(measured_bytes, base.cwnd_bytes // 2)  # [careful-resume.observe.overshoot]
    if measured_bytes < 4 * state.initial_window_bytes:
        return  # [careful-resume.observe.small]
    if state.round_trip.limited and state.saved is not None:
        measured_bytes = max(measured_bytes, state.saved.cwnd_bytes)  # [careful-resume.observe.rate-limited]
    state.saved = SavedSet(measured_bytes, ack.min_rtt_ns, in_use=False)  # [careful-resume.observe.replace]


def measure(readings: Readings, state: CarefulResume, base: BaseState, ack: Ack) -> None:
    """Measure the capacity in bytes, once per round trip, while only normal congestion control acts.

    ``base``: the base controller, which has already processed the ACK.
    """
    current = state.round_trip
    if current.next_first is None:
        _begin_round(state, ack)  # [careful-resume.observe.after]
        return
    if ack.packets[-1].last < current.next_first:
        current.bytes = saturated(current.bytes + ack.bytes)
        current.limited = current.limited or ack.app_limited
        return
    _save(readings, state, base, ack)
    _begin_round(state, ack)  # [careful-resume.observe.round]
