"""SUSS (``spec/suss/rules.md``) on top of the base controller, in every profile of ``suss/profiles.py``: the flow of an event.

Rounds, trains and the plan of a round are in ``rounds``, the pacing in ``state``; HyStart ends slow start by delay.
Functions change the state and the base in place and return the outcome or the documented value.

Mirrors ``reference-c/firstflight/suss/suss.c``.
"""

from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Sent
from firstflight.hystart import hystart
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Observation, Outcome, Phase
from firstflight.suss.profiles import PROFILES, Readings, Rounds
from firstflight.suss.rounds import follow_rounds
from firstflight.suss.state import Mode, Part, Suss, is_active, min_us, next_release_ns, pace_sent, set_in_flight

__all__ = ["PROFILES", "Readings", "Suss", "begin", "step"]

#: Growth of the window, in packets, when a sent packet fills it.
OPENED_PACKETS = 2
#: A timeout with a window of fewer packets disables SUSS.
TIMEOUT_PACKETS = 40
#: A longer gap between ACKs ends their train. Half of this time is added to the minimum RTT.
TRAIN_GAP_US = 2_000

_FROM_ANY = hystart.PROFILES["linux"]
_FROM_SIXTEEN = hystart.PROFILES["linux-5-16"]


def _hystart_readings(readings: Readings) -> hystart.Readings:
    return _FROM_SIXTEEN if readings.rounds is Rounds.SIXTEEN else _FROM_ANY  # [suss.hystart.sixteen]


def begin(readings: Readings, base: BaseState) -> Suss:
    """Return the state before the first event."""
    return Suss(hystart.begin(_hystart_readings(readings), base))  # [suss.begin]


def _take_sample(readings: Readings, state: Suss, ack: Ack, latest_rtt_ns: int) -> int:
    """Update the minimum RTT and the round of its last decrease; return the sample."""
    before_ns = state.hystart.min_ns
    rtt_ns = hystart.take_sample(_hystart_readings(readings), state.hystart, latest_rtt_ns, ack.ack_delay_ns)
    if state.hystart.min_ns != before_ns:
        state.min_round = state.round_no  # [suss.minimum.round]
    return rtt_ns


def _set_cap(state: Suss, base: BaseState, t_ns: int) -> bool:
    """Set the cap (slow start ends if the window exceeds it) if the train is long; return whether the cap was set.

    The train begins with HyStart's round and continues while each ACK arrives at most 2 ms after the one before. A
    later ACK ends the train: the cap is not set in the rest of HyStart's round. The length of the train is
    the time from its beginning to this ACK, at ``t_ns``. The train is long if this length, doubled for each of j
    sped-up rounds, exceeds half of (minimum RTT + 1 ms). The cap is the window plus n * (2^j - 1) packets, with n
    packets acknowledged in this round before this ACK.
    A cap is set only once. The blue part of a round has the ACKs of packets sent as in plain slow start. Only these
    ACKs and the first ACK after them can set the cap.
    """
    if state.cap_bytes is not None or not is_active(state) or state.part is Part.RED:
        return False  # [suss.cap.blue]
    now_us = t_ns // 1000
    if now_us - state.hystart.train_ns // 1000 > TRAIN_GAP_US:
        return False  # [suss.cap.broken]
    state.hystart.train_ns = now_us * 1000
    allowed_us = (min_us(state) + TRAIN_GAP_US // 2) // 2
    if (now_us - state.hystart.round_start_ns // 1000) << state.jumps <= allowed_us:
        return False  # [suss.cap.train]
    more_bytes = state.blue_packets * base.max_datagram_size_bytes * ((1 << state.jumps) - 1)
    state.cap_bytes = base.cwnd_bytes + more_bytes  # [suss.cap]
    return True


def _stop(state: Suss, base: BaseState) -> None:
    """End slow start; if more than one round was sped up, set the window to the bytes in flight."""
    state.mode = Mode.STOPPED  # [suss.exit.stopped]
    if state.jumps > 1:
        least_bytes = newreno.minimum_window_bytes(base)  # [suss.exit.in-flight.least]
        base.cwnd_bytes = max(state.in_flight_bytes, least_bytes)  # [suss.exit.in-flight]


def _detect(readings: Readings, state: Suss, base: BaseState, ack: Ack, rtt_ns: int) -> Outcome | None:
    """Check whether slow start ends; return the outcome, or ``None``. The caller sets ssthresh.

    It ends if the window exceeds the cap, a window set by SUSS, or if the RTT has risen too far. If SUSS is disabled,
    it also ends if the train of ACKs is too long. Without a cap, the cap may be set, which does not end slow start
    (SUSS_CAPPED).
    """
    found = None
    if state.cap_bytes is not None and base.cwnd_bytes > state.cap_bytes:
        _stop(state, base)  # [suss.exit.cap]
        found = Outcome.EXITED_BY_CAP
    elif _set_cap(state, base, ack.t_ns):
        found = Outcome.SUSS_CAPPED
    if state.mode is Mode.DISABLED and hystart.watch_train(_hystart_readings(readings), state.hystart, ack.t_ns):
        found = Outcome.EXITED_BY_TRAIN  # [suss.exit.train]
    if hystart.watch_delay(_hystart_readings(readings), state.hystart, rtt_ns) and found in (None, Outcome.SUSS_CAPPED):
        if is_active(state) or state.mode is Mode.STOPPED:
            _stop(state, base)
        found = Outcome.EXITED_BY_DELAY  # [suss.exit.delay]
    return found


def _watch(readings: Readings, state: Suss, base: BaseState, ack: Ack) -> Outcome | None:
    """Record the RTT sample of an ACK, and check whether slow start ends; return the outcome, or ``None``.

    It ends if the window exceeds the cap that SUSS has set, or by HyStart's tests of the train of ACKs and the RTT.
    There is no check without an RTT sample.
    """
    if ack.latest_rtt_ns is None:
        return None
    rtt_ns = _take_sample(readings, state, ack, ack.latest_rtt_ns)
    if state.hystart.found or newreno.phase(base) is not Phase.SLOW_START:
        return None  # [suss.hystart.once]
    if not hystart.follow_rounds(_hystart_readings(readings), state.hystart, base, ack) or hystart.is_low(base):
        return None
    found = _detect(readings, state, base, ack, rtt_ns)
    if found is not None and found is not Outcome.SUSS_CAPPED:
        state.hystart.found = True
        base.ssthresh_bytes = base.cwnd_bytes  # [suss.exit]
    return found


def _on_ack(readings: Readings, state: Suss, base: BaseState, ack: Ack) -> Outcome:
    set_in_flight(state, ack.bytes_in_flight)
    found = _watch(readings, state, base, ack)
    if is_active(state) and state.cap_bytes is None:
        found = follow_rounds(readings, state, base, ack)  # [suss.cap.last]
    outcome = newreno.on_ack(base, ack)  # [suss.grow]
    if state.mode is Mode.PACED:
        base.cwnd_bytes = max(base.cwnd_bytes, newreno.minimum_window_bytes(base))  # [suss.window.least]
    return found or outcome


def _on_sent(state: Suss, base: BaseState, sent: Sent) -> Outcome:
    newreno.on_sent(base, sent)
    state.hystart.next_packet = sent.packets[-1].last + 1
    set_in_flight(state, sent.bytes_in_flight)
    if state.mode is not Mode.PACED:
        return Outcome.SENT
    pace_sent(state, sent)
    size_bytes = base.max_datagram_size_bytes
    if base.cwnd_bytes >= state.limit_bytes or state.in_flight_bytes + size_bytes <= base.cwnd_bytes:
        return Outcome.SENT
    base.cwnd_bytes = min(base.cwnd_bytes + OPENED_PACKETS * size_bytes, WINDOW_MAX_BYTES)  # [suss.open]
    if state.release_ns is None:
        state.release_ns = state.start_ns  # [suss.pacing.begin]
    return Outcome.SUSS_OPENED


def _on_congestion(state: Suss, base: BaseState, event: Lost | Ce, sent_t_ns: int) -> Outcome:
    if not newreno.sent_before_recovery(base, sent_t_ns):
        if is_active(state):
            base.cwnd_bytes = max(state.in_flight_bytes, newreno.minimum_window_bytes(base))  # [suss.loss.in-flight]
        if state.mode is not Mode.DISABLED:
            state.mode = Mode.REDUCED  # [suss.loss]
    return newreno.on_event(base, event)


def _on_persistent_congestion(readings: Readings, state: Suss, base: BaseState, event: Event) -> Outcome:
    if base.cwnd_bytes < TIMEOUT_PACKETS * base.max_datagram_size_bytes:
        state.mode = Mode.DISABLED  # [suss.timeout]
    hystart.restart(_hystart_readings(readings), state.hystart, event.t_ns)  # [suss.timeout.hystart]
    return newreno.on_event(base, event)


def _on_event(readings: Readings, state: Suss, base: BaseState, event: Event) -> Outcome:
    match event:
        case Ack():
            return _on_ack(readings, state, base, event)
        case Sent():
            return _on_sent(state, base, event)
        case Lost():
            set_in_flight(state, event.bytes_in_flight)
            if event.pmtu_probe:
                return newreno.on_event(base, event)
            return _on_congestion(state, base, event, max(run.sent_t_ns for run in event.packets))
        case Ce():
            return _on_congestion(state, base, event, event.sent_t_ns)
        case PersistentCongestion():
            return _on_persistent_congestion(readings, state, base, event)
        case _:
            return newreno.on_event(base, event)


def _observe(state: Suss, base: BaseState, outcome: Outcome) -> Observation:
    numbers = {
        "suss_mode": state.mode.value,
        "suss_round": state.round_no,
        "head_packet": state.head_packet,
        "tail_packet": state.tail_packet,
        "blue_packets": state.blue_packets,
        "blue_train_us": state.train_us,
        "jumps": state.jumps,
        "limit_bytes": state.limit_bytes,
        "rate_bytes_per_s": state.rate,
        "cap_bytes": state.cap_bytes,
        "current_min_rtt_ns": state.hystart.current_min_ns,
        "min_rtt_ns": state.hystart.min_ns,
    }
    return Observation(
        base.cwnd_bytes,
        base.ssthresh_bytes,
        newreno.phase(base),
        outcome,
        numbers,
        next_release_ns(state),
        paces=True,
    )


def step(readings: Readings, state: Suss, base: BaseState, event: Event) -> Observation:
    """Process one event with SUSS; return the observables. ``readings``: the profile's choices for open questions."""
    return _observe(state, base, _on_event(readings, state, base, event))
