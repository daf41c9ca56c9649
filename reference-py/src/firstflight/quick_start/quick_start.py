"""Quick-Start (``spec/quick-start/rules.md``), in every profile of ``quick_start/profiles.py``: the flow of an event.

``state`` identifies Quick-Start packets and computes their release times. Functions change the state and the base in
place and return the outcome or the documented value.

Mirrors ``reference-c/firstflight/quick_start/quick_start.c``.
"""

from firstflight.events import Ack, Backlog, Ce, Event, IdleRestart, Lost, Run, Sent
from firstflight.limited_slow_start import limited_slow_start
from firstflight.limited_slow_start.limited_slow_start import LimitedSlowStart
from firstflight.limits import PACKET_MAX, WINDOW_MAX_BYTES
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Observation, Outcome, Phase
from firstflight.quick_start.profiles import PROFILES, FirstRequest, Growth, LeastUsed, LossThreshold, Readings
from firstflight.quick_start.state import (
    QuickStart,
    delivered_packets,
    end_mode,
    next_release_ns,
    quick_packets,
    quick_packets_of,
    set_in_flight,
    window_packets,
)

__all__ = ["PROFILES", "QuickStart", "Readings", "begin", "step"]

#: The limit of slow start after a rate was used, without state.
LIMITED = limited_slow_start.PROFILES["rfc-3742-packets"]


def begin(readings: Readings, _base: BaseState) -> QuickStart:
    """Return the state before the first event."""
    at_handshake = readings.first_request is FirstRequest.HANDSHAKE
    return QuickStart(at_handshake=at_handshake, armed=not at_handshake)  # [quick-start.request.data]


def _enter(state: QuickStart, base: BaseState, now_ns: int, packets: int) -> None:
    state.quick = True
    state.midway = not state.at_handshake
    state.start_ns = now_ns
    state.planned_packets = packets
    state.sent_packets = 0
    state.window_bytes = packets * base.max_datagram_size_bytes
    state.usual_bytes = base.cwnd_bytes
    state.first_quick = state.next_packet
    state.end_quick = None
    state.lost_packets = 0
    base.cwnd_bytes = state.window_bytes  # [quick-start.begin]


def _is_barred(state: QuickStart, base: BaseState) -> bool:
    """Return whether requests and answers are ignored."""
    if state.barred:
        return True  # [quick-start.request.barred]
    if base.in_recovery:  # noqa: SIM103 - a line for each clause
        return True  # [quick-start.request.recovery]
    return False


def _on_answer(readings: Readings, state: QuickStart, base: BaseState, now_ns: int, rtt_ns: int | None) -> Outcome:
    """Use the approved rate, or return the reason for not using it; then the window does not change."""
    if _is_barred(state, base):
        return Outcome.QUICK_START_BARRED
    if readings.rate_code == 0:
        return Outcome.QUICK_START_REFUSED  # [quick-start.refused]
    if rtt_ns is None:
        return Outcome.NO_RTT_SAMPLE  # [quick-start.no-rtt]
    packets = window_packets(readings, base.max_datagram_size_bytes, rtt_ns)
    if packets * base.max_datagram_size_bytes <= base.cwnd_bytes:
        return Outcome.QUICK_START_IGNORED  # [quick-start.ignored]
    _enter(state, base, now_ns, packets)
    state.limited = readings.growth is Growth.LIMITED  # [quick-start.limited]
    return Outcome.QUICK_START_BEGUN


def _on_backlog(readings: Readings, state: QuickStart, base: BaseState, backlog: Backlog) -> Outcome:
    """Process the first data: the answer to the request of the handshake has arrived."""
    if not state.at_handshake:
        return newreno.on_event(base, backlog)
    outcome = _on_answer(readings, state, base, backlog.t_ns, backlog.latest_rtt_ns)  # [quick-start.request.handshake]
    state.at_handshake = False
    return outcome


def _on_idle_restart(state: QuickStart, base: BaseState) -> Outcome:
    """Request again, unless a request is pending or a rate is in use."""
    if _is_barred(state, base):
        return Outcome.QUICK_START_BARRED
    if state.at_handshake or state.request_packet is not None:
        return Outcome.UNCHANGED  # [quick-start.request.one]
    if state.quick:
        return Outcome.UNCHANGED  # [quick-start.request.in-use]
    state.armed = True  # [quick-start.request.idle]
    return Outcome.QUICK_START_ARMED


def _on_sent(state: QuickStart, base: BaseState, sent: Sent) -> Outcome:
    newreno.on_sent(base, sent)
    state.next_packet = sent.packets[-1].last + 1
    set_in_flight(state, sent.bytes_in_flight)
    if state.armed:
        state.armed = False
        state.request_packet = sent.packets[0].first
        return Outcome.QUICK_START_REQUESTED
    if state.quick:
        packets = sum(run.count for run in sent.packets)
        state.sent_packets = min(state.sent_packets + packets, state.planned_packets)
    return Outcome.SENT


def _take_request(state: QuickStart, runs: tuple[Run, ...]) -> bool:
    """Return whether ``runs`` include the packet with the pending request; if so, the request is no longer pending."""
    if state.request_packet is None or not any(run.first <= state.request_packet <= run.last for run in runs):
        return False
    state.request_packet = None
    return True


def _end_by_ack(readings: Readings, state: QuickStart, base: BaseState, ack: Ack) -> bool:
    """End Quick-Start mode if this ACK acknowledges a packet sent in this mode; return whether the mode ended.

    The window then becomes at most the bytes in flight before the ACK, or a minimum if that is larger. The caller
    updates ``state.in_flight_bytes`` after this call.
    """
    if quick_packets_of(state, ack.packets) == 0 or not state.quick:
        return False  # [quick-start.older-ack]
    end_mode(state)  # [quick-start.end]
    least_bytes = newreno.minimum_window_bytes(base)  # [quick-start.end.least]
    if readings.least_used is LeastUsed.USUAL_WINDOW:
        least_bytes = state.usual_bytes
    used_bytes = max(state.in_flight_bytes, least_bytes)
    base.cwnd_bytes = min(base.cwnd_bytes, used_bytes)  # [quick-start.end.used]
    return True


def _grow(state: QuickStart, base: BaseState, ack: Ack) -> Outcome:
    if state.limited and newreno.phase(base) is Phase.SLOW_START:
        return limited_slow_start.step(LIMITED, LimitedSlowStart(), base, ack).outcome  # [quick-start.limited.packets]
    return newreno.on_ack(base, ack)  # [quick-start.growth]


def _on_ack(readings: Readings, state: QuickStart, base: BaseState, ack: Ack) -> Outcome:
    ended = _end_by_ack(readings, state, base, ack)
    set_in_flight(state, ack.bytes_in_flight)
    outcome = _grow(state, base, ack)
    if _take_request(state, ack.packets):
        return _on_answer(readings, state, base, ack.t_ns, ack.latest_rtt_ns)  # [quick-start.request.answer]
    return Outcome.QUICK_START_ENDED if ended else outcome


def _lower_threshold(readings: Readings, state: QuickStart, base: BaseState) -> None:
    if readings.loss_threshold is LossThreshold.KEPT:
        return
    packets = min(delivered_packets(state), WINDOW_MAX_BYTES // base.max_datagram_size_bytes)
    half_bytes = max(packets * base.max_datagram_size_bytes // 2, newreno.minimum_window_bytes(base))
    if base.ssthresh_bytes is None or half_bytes < base.ssthresh_bytes:
        base.ssthresh_bytes = half_bytes  # [quick-start.loss.threshold]


def _revert(state: QuickStart, base: BaseState, now_ns: int) -> None:
    """Begin a recovery period with the window that would have been used without the approved rate."""
    usual_bytes, threshold_bytes = state.usual_bytes, base.ssthresh_bytes
    if state.midway:
        usual_bytes = min(state.window_bytes // 2, usual_bytes)  # [quick-start.loss.midway]
    lower_bytes = min(usual_bytes, base.cwnd_bytes)  # [quick-start.loss.revert]
    window_bytes = max(lower_bytes, newreno.minimum_window_bytes(base))  # [quick-start.loss.revert.least]
    newreno.begin_recovery(base, now_ns, window_bytes, base.cwnd_bytes)  # [quick-start.loss.revert.recovery]
    newreno.forget_congestion(base)
    base.ssthresh_bytes = threshold_bytes
    end_mode(state)
    state.limited = False
    state.barred = True  # [quick-start.loss.bar]


def _on_congestion(readings: Readings, state: QuickStart, base: BaseState, event: Lost | Ce, of_quick: bool) -> Outcome:
    """Revert at the first loss or mark of a Quick-Start packet; the base controller processes all others."""
    if of_quick and not state.barred:
        _revert(state, base, event.t_ns)
        _lower_threshold(readings, state, base)
        return Outcome.QUICK_START_REVERTED
    outcome = newreno.on_event(base, event)  # [quick-start.loss.other]
    if outcome is Outcome.REDUCED:
        end_mode(state)  # [quick-start.end.congestion]
    if of_quick:
        _lower_threshold(readings, state, base)
    return outcome


def _on_lost(readings: Readings, state: QuickStart, base: BaseState, lost: Lost) -> Outcome:
    if lost.pmtu_probe:
        set_in_flight(state, lost.bytes_in_flight)
        return newreno.on_lost(base, lost)
    _take_request(state, lost.packets)  # [quick-start.request.lost]
    packets = quick_packets_of(state, lost.packets)
    state.lost_packets = min(state.lost_packets + packets, PACKET_MAX)
    outcome = _on_congestion(readings, state, base, lost, packets > 0)
    set_in_flight(state, lost.bytes_in_flight)
    return outcome


def _on_event(readings: Readings, state: QuickStart, base: BaseState, event: Event) -> Outcome:
    match event:
        case Backlog():
            return _on_backlog(readings, state, base, event)
        case Sent():
            return _on_sent(state, base, event)
        case Ack():
            return _on_ack(readings, state, base, event)
        case Lost():
            return _on_lost(readings, state, base, event)
        case Ce():
            of_quick = quick_packets(state, event.packet, event.packet) > 0  # [quick-start.loss.ecn]
            return _on_congestion(readings, state, base, event, of_quick)
        case IdleRestart():
            return _on_idle_restart(state, base)
        case _:
            outcome = newreno.on_event(base, event)
            if outcome is Outcome.COLLAPSED:
                end_mode(state)
            return outcome


def _observe(readings: Readings, state: QuickStart, base: BaseState, outcome: Outcome) -> Observation:
    numbers: dict[str, int | None] = {
        "planned_packets": state.planned_packets,
        "sent_packets": state.sent_packets,
        "usual_cwnd_bytes": state.usual_bytes,
        "quick_lost_packets": state.lost_packets,
    }
    return Observation(
        base.cwnd_bytes,
        base.ssthresh_bytes,
        Phase.QUICK_START if state.quick else newreno.phase(base),
        outcome,
        numbers,
        next_release_ns(readings, state, base.max_datagram_size_bytes),
        paces=True,
    )


def step(readings: Readings, state: QuickStart, base: BaseState, event: Event) -> Observation:
    """Process one event with Quick-Start in place; return the observable state, with the outcome, after it.

    ``readings``: the profile's choices where the RFC is unclear or implementations differ.
    """
    return _observe(readings, state, base, _on_event(readings, state, base, event))
