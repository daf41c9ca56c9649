"""JumpStart (``spec/jumpstart.md``), in every profile of ``jumpstart_profiles``: the flow of an event.

The first flight and its pacing are in ``jumpstart_pacing``, loss and recovery in ``jumpstart_loss``.
"""

from dataclasses import replace

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
    LaterWrites,
    Readings,
    Repeat,
    SmallAmount,
    ThresholdOnEntry,
    WindowOnEntry,
)
from firstflight.jumpstart.state import JumpStart, end_jump, with_in_flight
from firstflight.limits import JUMP_MAX_BYTES, PACKET_MAX, WINDOW_MAX_BYTES
from firstflight.newreno import pure as newreno
from firstflight.newreno.newreno import NewReno
from firstflight.observables import Observation, Outcome, Phase

__all__ = ["PROFILES", "Readings", "begin", "step"]

#: Acknowledged packets for one packet of growth in the reading `one_in_twenty`.
GROWTH_PACKETS = 20


def begin(_readings: Readings, base: NewReno) -> JumpStart:
    """Return the state before the first event."""
    return JumpStart(base.cwnd_bytes)


def step(readings: Readings, state: JumpStart, base: NewReno, event: Event) -> tuple[JumpStart, NewReno, Observation]:
    """Process one event with JumpStart in the given readings."""
    match event:
        case Backlog():
            state, base, outcome = _on_backlog(readings, state, base, event)
        case Sent():
            base, _ = newreno.on_sent(base, event)
            state, outcome = _on_sent(readings, state, base, event)
        case Ack():
            state, base, outcome = _on_ack(readings, state, base, event)
        case Lost():
            state, base, outcome = loss.on_lost(readings, state, base, event)
        case Ce():
            state, base, outcome = loss.on_ce(readings, state, base, event)
        case PersistentCongestion():
            state, base, outcome = loss.on_timeout(readings, state, base)
        case IdleRestart():
            state, outcome = _on_idle_restart(readings, state, base)
        case _:
            base, outcome = newreno.on_event(base, event)
    return state, base, _observe(readings, state, base, outcome)


def _on_backlog(
    readings: Readings, state: JumpStart, base: NewReno, backlog: Backlog
) -> tuple[JumpStart, NewReno, Outcome]:
    """Jump, or say why not."""
    if state.jumping:
        return _on_later_backlog(readings, state, base, backlog)
    if state.spent:
        return state, base, Outcome.JUMP_SPENT  # [jumpstart.start.once]
    if base.in_recovery or (state.reduced and readings.entry_after_loss is EntryAfterLoss.NEVER):
        return state, base, Outcome.JUMP_BARRED  # [jumpstart.start.barred]
    spread_ns = rtt_ns(readings, state, backlog)
    if spread_ns is None:
        return state, base, Outcome.NO_RTT_SAMPLE  # [jumpstart.start.no-rtt]
    flight_bytes = amount_bytes(readings, base.max_datagram_size_bytes, backlog)
    if flight_bytes == 0:
        return state, base, Outcome.NOTHING_TO_JUMP  # [jumpstart.start.nothing]
    usual_bytes = base.cwnd_bytes + state.in_flight_bytes
    if readings.small_amount is SmallAmount.NOT_ENTERED and flight_bytes <= usual_bytes:
        return replace(state, spent=True), base, Outcome.JUMP_TOO_SMALL  # [jumpstart.start.too-small]
    state = replace(state, start_ns=backlog.t_ns, rtt_ns=spread_ns, at_once=sent_at_once(readings, flight_bytes))
    return *_enter(readings, state, base, flight_bytes), Outcome.JUMP_BEGUN


def _enter(readings: Readings, state: JumpStart, base: NewReno, flight_bytes: int) -> tuple[JumpStart, NewReno]:
    packets = packets_of(flight_bytes, base.max_datagram_size_bytes)
    if readings.amount is Amount.CAP:
        packets = flight_bytes // base.max_datagram_size_bytes  # [jumpstart.flight.whole-packets]
    state = replace(
        state,
        jumping=True,
        spent=True,
        amount_bytes=flight_bytes,
        planned_packets=packets,
        limit_packets=packets,
        sent_packets=0,
        flight_first=state.next_packet,
        flight_end=None,
        acked_bytes=0,
    )
    window_bytes = flight_bytes  # [jumpstart.start.window]
    if readings.window_on_entry is WindowOnEntry.LARGER:
        window_bytes = max(flight_bytes, base.cwnd_bytes)  # [jumpstart.start.larger-window]
    base = replace(base, cwnd_bytes=window_bytes)
    if readings.threshold_on_entry is ThresholdOnEntry.WINDOW:
        base = replace(base, ssthresh_bytes=window_bytes)  # [jumpstart.start.threshold]
    return state, base


def _on_later_backlog(
    readings: Readings, state: JumpStart, base: NewReno, backlog: Backlog
) -> tuple[JumpStart, NewReno, Outcome]:
    """Process a write or a window update while the flight is being sent."""
    packet_bytes = base.max_datagram_size_bytes
    sent_packets = min(state.sent_packets, state.limit_packets)
    if readings.later_writes is LaterWrites.COUNTED:
        more_bytes = sent_packets * packet_bytes + amount_bytes(readings, packet_bytes, backlog)
        flight_bytes = max(min(more_bytes, JUMP_MAX_BYTES), 1)
        packets = packets_of(flight_bytes, packet_bytes)
        state = replace(state, amount_bytes=flight_bytes, planned_packets=packets, limit_packets=packets)
        return state, replace(base, cwnd_bytes=flight_bytes), Outcome.JUMP_CHANGED
    allowed_bytes = receive_window_bytes(readings, packet_bytes, backlog)
    if allowed_bytes is not None:
        limit_packets = sent_packets + packets_of(allowed_bytes, packet_bytes)
        if limit_packets < state.limit_packets:
            state = replace(state, limit_packets=limit_packets)  # [jumpstart.flight.window-shrinks]
            return _end_if_sent(readings, state), base, Outcome.JUMP_CHANGED
    return state, base, Outcome.JUMP_KEPT  # [jumpstart.flight.frozen]


def _end_if_sent(readings: Readings, state: JumpStart) -> JumpStart:
    if readings.ends is not Ends.ACK and state.sent_packets >= state.limit_packets:
        return end_jump(readings, state)  # [jumpstart.end.sent]
    return state


def _on_sent(readings: Readings, state: JumpStart, base: NewReno, sent: Sent) -> tuple[JumpStart, Outcome]:
    state = loss.on_sent(readings, state, base, sent)
    state = with_in_flight(replace(state, next_packet=sent.packets[-1].last + 1), sent.bytes_in_flight)
    full = state.in_flight_bytes + base.max_datagram_size_bytes > base.cwnd_bytes
    state = replace(state, window_full=full)
    if not state.jumping:
        return state, Outcome.SENT
    count = sum(run.count for run in sent.packets)
    # No more than are planned: the rest is none of the flight, and a bound is needed.
    state = replace(state, sent_packets=min(state.sent_packets + count, state.limit_packets))
    after = _end_if_sent(readings, state)
    return after, Outcome.SENT if after.jumping else Outcome.JUMP_SENT


def _on_ack(readings: Readings, state: JumpStart, base: NewReno, ack: Ack) -> tuple[JumpStart, NewReno, Outcome]:
    state = loss.count_acked(readings, state, ack)
    if newreno.sent_before_recovery(base, ack.packets[-1].sent_t_ns):
        raised = loss.raise_to_share(readings, state, base, ack.packets[-1])
        if raised is not None:
            return _after_ack(state, ack), raised, Outcome.RAISED_IN_RECOVERY
    before, state = state, _end_by_ack(readings, state, ack)
    ended = before.jumping and not state.jumping
    if ended and readings.early_ack_window is EarlyAckWindow.IN_FLIGHT:
        base = replace(base, cwnd_bytes=state.in_flight_bytes)  # [jumpstart.end.in-flight]
    state = _after_ack(state, ack)
    if base.in_recovery:
        if not loss.recovery_ended(readings, state, base, ack):
            return state, base, Outcome.IN_RECOVERY
        base = replace(base, in_recovery=False)
        if state.accounting:
            state, base = loss.account(readings, state, base)  # [jumpstart.account]
            if readings.ending_growth is EndingGrowth.NONE:
                return state, base, Outcome.JUMP_ACCOUNTED
    state, base, outcome = _grow(readings, state, base, ack)
    return state, base, Outcome.JUMP_ENDED if ended else outcome


def _after_ack(state: JumpStart, ack: Ack) -> JumpStart:
    smoothed_ns = state.smoothed_rtt_ns if ack.smoothed_rtt_ns is None else ack.smoothed_rtt_ns
    return replace(with_in_flight(state, ack.bytes_in_flight), smoothed_rtt_ns=smoothed_ns)


def _end_by_ack(readings: Readings, state: JumpStart, ack: Ack) -> JumpStart:
    if not state.jumping or readings.ends is Ends.SENT:
        return state
    if readings.ending_ack is EndingAck.FLIGHT and ack.packets[-1].last < (state.flight_first or 0):
        return state  # [jumpstart.end.other-ack]
    return end_jump(readings, state)  # [jumpstart.end.ack]


def _grow(readings: Readings, state: JumpStart, base: NewReno, ack: Ack) -> tuple[JumpStart, NewReno, Outcome]:
    """Grow the window as the reading says; app-limited and old packets are left to the base controller."""
    new_packets = sum(run.count for run in ack.packets if not newreno.sent_before_recovery(base, run.sent_t_ns))
    phase = newreno.phase(base)
    if new_packets and not ack.app_limited:
        if readings.growth is Growth.ACKS and phase is Phase.SLOW_START:
            grown_bytes = min(base.cwnd_bytes + base.max_datagram_size_bytes, WINDOW_MAX_BYTES)
            return state, replace(base, cwnd_bytes=grown_bytes), Outcome.GROWN  # [jumpstart.growth.acks]
        if readings.growth is Growth.ONE_IN_TWENTY and phase is Phase.CONGESTION_AVOIDANCE:
            return _grow_one_in_twenty(state, base, new_packets)
    base, outcome = newreno.on_ack(base, ack)  # [jumpstart.growth]
    return state, base, outcome


def _grow_one_in_twenty(state: JumpStart, base: NewReno, new_packets: int) -> tuple[JumpStart, NewReno, Outcome]:
    if not state.window_full:
        return state, base, Outcome.WINDOW_NOT_FULL  # [jumpstart.growth.not-full]
    counted = min(state.counted_packets + new_packets, PACKET_MAX)
    if counted >= GROWTH_PACKETS:
        counted -= GROWTH_PACKETS  # [jumpstart.growth.one-in-twenty]
        grown_bytes = min(base.cwnd_bytes + base.max_datagram_size_bytes, WINDOW_MAX_BYTES)
        base = replace(base, cwnd_bytes=grown_bytes)
    return replace(state, counted_packets=counted), base, Outcome.GROWN_AVOIDANCE


def _on_idle_restart(readings: Readings, state: JumpStart, base: NewReno) -> tuple[JumpStart, Outcome]:
    if readings.repeat is Repeat.ONCE or state.jumping or base.in_recovery:
        return state, Outcome.UNCHANGED
    state = replace(state, spent=False, accounted=False, accounting=False)  # [jumpstart.start.after-idle]
    return state, Outcome.JUMP_REARMED


def _observe(readings: Readings, state: JumpStart, base: NewReno, outcome: Outcome) -> Observation:
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
        next_release_ns(readings, state, base.max_datagram_size_bytes),
        paces=True,
    )
