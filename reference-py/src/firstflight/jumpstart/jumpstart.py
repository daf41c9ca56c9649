"""JumpStart (``spec/jumpstart/rules.md``), in every profile of ``jumpstart/profiles.py``: the flow of an event.

The first flight and its pacing are in ``pacing``, loss and recovery in ``loss``. Functions change the state and the
base in place and return the outcome or the documented value.

Mirrors ``reference-c/firstflight/jumpstart/jumpstart.c``.
"""

from firstflight.events import Ack, Backlog, Ce, Event, IdleRestart, Lost, PersistentCongestion, Sent
from firstflight.jumpstart import loss
from firstflight.jumpstart.pacing import (
    amount_bytes,
    next_release_ns,
    packets_of,
    receive_window_bytes,
    rtt_ns,
    sent_at_once,
)
from firstflight.jumpstart.profiles import (
    PROFILES,
    Amount,
    EarlyAckWindow,
    EndingAck,
    EndingGrowth,
    Ends,
    EntryAfterLoss,
    Growth,
    Readings,
    Repeat,
    SmallAmount,
    ThresholdOnEntry,
    WindowOnEntry,
)
from firstflight.jumpstart.state import JumpStart, add_to_flight, set_in_flight
from firstflight.limits import PACKET_MAX, WINDOW_MAX_BYTES
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Observation, Outcome, Phase

__all__ = ["PROFILES", "Readings", "begin", "step"]

#: Acknowledged packets for one packet of growth in the reading `one_in_twenty`.
GROWTH_PACKETS = 20


def begin(_readings: Readings, base: BaseState) -> JumpStart:
    """Return the state before the first event."""
    return JumpStart(base.cwnd_bytes)


def _enter(readings: Readings, state: JumpStart, base: BaseState, flight_bytes: int) -> None:
    packets = packets_of(flight_bytes, base.max_datagram_size_bytes)
    window_bytes = flight_bytes  # [jumpstart.start.window] [jumpstart.start.cwnd]
    if readings.amount is Amount.CAP:
        packets = flight_bytes // base.max_datagram_size_bytes  # [jumpstart.flight.whole-packets]
    state.jumping = True
    state.spent = True
    state.amount_bytes = flight_bytes
    state.planned_packets = packets
    state.packet_bytes = base.max_datagram_size_bytes  # a later datagram size does not change the schedule
    state.limit_packets = packets
    state.sent_packets = 0
    state.flight_first = state.flight_end = state.next_packet
    state.acked_bytes = 0
    if readings.window_on_entry is WindowOnEntry.LARGER:
        window_bytes = max(flight_bytes, base.cwnd_bytes)  # [jumpstart.start.larger-window]
    base.cwnd_bytes = window_bytes
    if readings.threshold_on_entry is ThresholdOnEntry.WINDOW:
        base.ssthresh_bytes = window_bytes  # [jumpstart.start.threshold]


def _end_if_sent(readings: Readings, state: JumpStart) -> None:
    if readings.ends is not Ends.ACK and state.sent_packets >= state.limit_packets:
        state.jumping = False  # [jumpstart.end.sent]


def _on_later_backlog(readings: Readings, state: JumpStart, base: BaseState, backlog: Backlog) -> Outcome:
    """Process a write or a window update while the flight is being sent."""
    packet_bytes = base.max_datagram_size_bytes
    allowed_bytes = receive_window_bytes(readings, packet_bytes, backlog)
    if allowed_bytes is not None:
        limit_packets = state.sent_packets + packets_of(allowed_bytes, packet_bytes)
        if limit_packets < state.limit_packets:
            state.limit_packets = limit_packets  # [jumpstart.flight.window-shrinks]
            _end_if_sent(readings, state)
            return Outcome.JUMP_CHANGED
    return Outcome.JUMP_KEPT  # [jumpstart.flight.frozen]


def _on_backlog(readings: Readings, state: JumpStart, base: BaseState, backlog: Backlog) -> Outcome:
    """Jump, or return the reason for not jumping."""
    if state.jumping:
        return _on_later_backlog(readings, state, base, backlog)
    if state.spent:
        return Outcome.JUMP_SPENT  # [jumpstart.start.once]
    if base.in_recovery or (state.reduced and readings.entry_after_loss is EntryAfterLoss.NEVER):
        return Outcome.JUMP_BARRED  # [jumpstart.start.barred]
    spread_ns = rtt_ns(readings, state, backlog)
    if spread_ns is None:
        return Outcome.NO_RTT_SAMPLE  # [jumpstart.start.no-rtt]
    flight_bytes = amount_bytes(readings, base.max_datagram_size_bytes, backlog, spread_ns)
    if flight_bytes == 0:
        return Outcome.NOTHING_TO_JUMP  # [jumpstart.start.nothing]
    usual_bytes = base.cwnd_bytes + state.in_flight_bytes
    if readings.small_amount is SmallAmount.NOT_ENTERED and flight_bytes <= usual_bytes:
        state.spent = True  # [jumpstart.start.too-small]
        return Outcome.JUMP_TOO_SMALL
    state.start_ns = backlog.t_ns
    state.rtt_ns = spread_ns
    state.at_once = sent_at_once(readings, flight_bytes)
    _enter(readings, state, base, flight_bytes)
    return Outcome.JUMP_BEGUN


def _on_sent(readings: Readings, state: JumpStart, base: BaseState, sent: Sent) -> Outcome:
    newreno.on_sent(base, sent)
    loss.count_repeats(readings, state, base, sent)
    state.next_packet = sent.packets[-1].last + 1
    set_in_flight(state, sent.bytes_in_flight)
    state.window_full = state.in_flight_bytes + base.max_datagram_size_bytes > base.cwnd_bytes
    if not state.jumping:
        return Outcome.SENT
    add_to_flight(readings, state, sent.packets)
    _end_if_sent(readings, state)
    return Outcome.SENT if state.jumping else Outcome.JUMP_SENT


def _after_ack(state: JumpStart, ack: Ack) -> None:
    set_in_flight(state, ack.bytes_in_flight)
    if ack.smoothed_rtt_ns is not None:
        state.smoothed_rtt_ns = ack.smoothed_rtt_ns


def _end_by_ack(readings: Readings, state: JumpStart, base: BaseState, ack: Ack) -> bool:
    """End the jump if this ACK ends it; return whether it did.

    ``state.in_flight_bytes`` must be the value before the ACK: with ``EarlyAckWindow.IN_FLIGHT`` it becomes the window.
    """
    if not state.jumping or readings.ends is Ends.SENT:
        return False
    if readings.ending_ack is EndingAck.FLIGHT and ack.packets[-1].last < (state.flight_first or 0):
        return False  # [jumpstart.end.other-ack]
    state.jumping = False  # [jumpstart.end.ack] [jumpstart.end.flight-ack]
    if readings.early_ack_window is EarlyAckWindow.IN_FLIGHT:
        base.cwnd_bytes = state.in_flight_bytes  # [jumpstart.end.in-flight]
    return True


def _grow_one_in_twenty(state: JumpStart, base: BaseState, new_packets: int) -> Outcome:
    state.counted_packets = min(state.counted_packets + new_packets, PACKET_MAX)
    if state.counted_packets >= GROWTH_PACKETS:
        state.counted_packets -= GROWTH_PACKETS  # [jumpstart.growth.one-in-twenty]
        base.cwnd_bytes = min(base.cwnd_bytes + base.max_datagram_size_bytes, WINDOW_MAX_BYTES)
    return Outcome.GROWN_AVOIDANCE


def _grow(readings: Readings, state: JumpStart, base: BaseState, ack: Ack) -> Outcome:
    """Grow the window for an ACK as the reading ``growth`` specifies, and return the outcome.

    ``acks``: one packet per ACK in slow start. ``one_in_twenty``: no growth in any phase unless the window was full;
    then one packet per 20 acknowledged packets in congestion avoidance. All else is left to the base controller: slow
    start with ``one_in_twenty``, congestion avoidance with ``acks``, and the reading ``bytes``. So are
    application-limited ACKs, and ACKs of only packets sent before the last recovery period began.
    """
    phase = newreno.phase(base)
    new_packets = sum(run.count for run in ack.packets if not newreno.sent_before_recovery(base, run.sent_t_ns))
    if new_packets > 0 and not ack.app_limited:
        if readings.growth is Growth.ACKS and phase is Phase.SLOW_START:
            grown_bytes = base.cwnd_bytes + base.max_datagram_size_bytes
            base.cwnd_bytes = min(grown_bytes, WINDOW_MAX_BYTES)  # [jumpstart.growth.acks]
            return Outcome.GROWN
        if readings.growth is Growth.ONE_IN_TWENTY and not state.window_full:
            return Outcome.WINDOW_NOT_FULL  # [jumpstart.growth.not-full]
        if readings.growth is Growth.ONE_IN_TWENTY and phase is Phase.CONGESTION_AVOIDANCE:
            return _grow_one_in_twenty(state, base, new_packets)
    return newreno.on_ack(base, ack)  # [jumpstart.growth]


def _on_ack(readings: Readings, state: JumpStart, base: BaseState, ack: Ack) -> Outcome:
    last = ack.packets[-1]
    loss.count_acked(readings, state, ack)
    if newreno.sent_before_recovery(base, last.sent_t_ns) and loss.raise_to_share(readings, state, base, last):
        _after_ack(state, ack)
        return Outcome.RAISED_IN_RECOVERY
    ended = _end_by_ack(readings, state, base, ack)
    _after_ack(state, ack)
    if base.in_recovery:
        if not loss.recovery_ended(readings, state, base, ack):
            return Outcome.IN_RECOVERY
        base.in_recovery = False
        if state.accounting:
            loss.account(readings, state, base)  # [jumpstart.account] [jumpstart.account.no-growth]
            if readings.ending_growth is EndingGrowth.NONE:
                return Outcome.JUMP_ACCOUNTED
    outcome = _grow(readings, state, base, ack)
    return Outcome.JUMP_ENDED if ended else outcome


def _on_idle_restart(readings: Readings, state: JumpStart, base: BaseState) -> Outcome:
    if readings.repeat is Repeat.ONCE or state.jumping or base.in_recovery:
        return Outcome.UNCHANGED
    state.spent = False  # [jumpstart.start.after-idle]
    state.accounted = False
    state.accounting = False
    return Outcome.JUMP_REARMED


def _on_event(readings: Readings, state: JumpStart, base: BaseState, event: Event) -> Outcome:
    match event:
        case Backlog():
            return _on_backlog(readings, state, base, event)
        case Sent():
            return _on_sent(readings, state, base, event)
        case Ack():
            return _on_ack(readings, state, base, event)
        case Lost():
            return loss.on_lost(readings, state, base, event)
        case Ce():
            return loss.on_ce(readings, state, base, event)
        case PersistentCongestion():
            return loss.on_timeout(readings, state, base)
        case IdleRestart():
            return _on_idle_restart(readings, state, base)
        case _:
            return newreno.on_event(base, event)


def _observe(readings: Readings, state: JumpStart, base: BaseState, outcome: Outcome) -> Observation:
    numbers = {
        "planned_packets": state.planned_packets,
        "sent_packets": state.sent_packets,
        "repeated_packets": state.repeats,
        "acked_bytes": state.acked_bytes,
        "recovery_start_ns": base.recovery_start_ns,
    }
    return Observation(
        base.cwnd_bytes,
        base.ssthresh_bytes,
        Phase.JUMP if state.jumping else newreno.phase(base),
        outcome,
        numbers,
        next_release_ns(readings, state, state.packet_bytes),
        paces=True,
    )


def step(readings: Readings, state: JumpStart, base: BaseState, event: Event) -> Observation:
    """Process one event with JumpStart; ``readings`` are the profile's choices where the text is open."""
    return _observe(readings, state, base, _on_event(readings, state, base, event))
