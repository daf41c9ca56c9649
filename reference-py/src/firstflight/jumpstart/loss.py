"""Loss and recovery of JumpStart: the reduction, R, and the window at the end (``spec/jumpstart.md``)."""

from dataclasses import replace

from firstflight.cubic.cubic import seven_tenths
from firstflight.events import Ack, Ce, Lost, Run, Sent
from firstflight.jumpstart.profiles import (
    Accounting,
    AccountingScope,
    Counted,
    CountedData,
    Ecn,
    FirstLossEnd,
    FirstLossWindow,
    Readings,
    RecoveryEnd,
    ReductionBasis,
    ReductionFactor,
    ResultFloor,
    ResultRaise,
    ResultRounding,
    ResultThreshold,
    TimeoutAccounting,
    TimeoutWindow,
)
from firstflight.jumpstart.state import JumpStart, end_jump, in_flight, overlap, packets_in_flight, with_in_flight
from firstflight.limits import PACKET_MAX, WINDOW_MAX_BYTES
from firstflight.newreno import pure as newreno
from firstflight.newreno.newreno import NewReno
from firstflight.observables import Outcome


def on_sent(readings: Readings, state: JumpStart, base: NewReno, sent: Sent) -> JumpStart:
    """Count what is sent again in a recovery: whether its end is accounted for may show later in it."""
    if not base.in_recovery or readings.accounting is not Accounting.HALF_OF_REST:
        return state
    if readings.counted is not Counted.RETRANSMISSIONS:
        return state
    if readings.counted_data is CountedData.FIRST_FLIGHT:
        repeated = sum(overlap(state, first, last) for first, last in sent.retransmits)
    else:
        repeated = sum(last - first + 1 for first, last in sent.retransmits)
    return _repeated(state, repeated)  # [jumpstart.loss.count]


def _repeated(state: JumpStart, packets: int) -> JumpStart:
    """Add to R, which saturates: no flight has more packets."""
    return replace(state, repeats=min(state.repeats + packets, PACKET_MAX))


def on_lost(readings: Readings, state: JumpStart, base: NewReno, lost: Lost) -> tuple[JumpStart, NewReno, Outcome]:
    """Process packets declared lost. ``state`` still has what was in flight before."""
    latest_sent_t_ns = max(run.sent_t_ns for run in lost.packets)
    outcome = Outcome.ALREADY_REDUCED
    of_flight = packets_in_flight(state, lost.packets) > 0
    if _reduces(readings, base, latest_sent_t_ns):
        state, base = _reduce(readings, state, base, lost.t_ns, lost.packets[0].first, of_flight=of_flight)
        outcome = Outcome.REDUCED
    elif base.in_recovery:
        state = _in_recovery(readings, state, of_flight=of_flight)
    if state.accounting and readings.counted is Counted.LOSSES:
        state = _repeated(state, packets_in_flight(state, lost.packets))
    return with_in_flight(state, lost.bytes_in_flight), base, outcome


def on_ce(readings: Readings, state: JumpStart, base: NewReno, ce: Ce) -> tuple[JumpStart, NewReno, Outcome]:
    """Process a rise of the ECN-CE counter."""
    of_flight = readings.ecn is Ecn.ACCOUNTED and in_flight(state, ce.packet)  # [jumpstart.loss.ecn]
    if _reduces(readings, base, ce.sent_t_ns):
        return *_reduce(readings, state, base, ce.t_ns, ce.packet, of_flight=of_flight), Outcome.REDUCED
    if base.in_recovery:
        state = _in_recovery(readings, state, of_flight=of_flight)
    return state, base, Outcome.ALREADY_REDUCED


def _reduces(readings: Readings, base: NewReno, sent_t_ns: int) -> bool:
    """Return whether a sign of congestion begins a recovery: TCP's lasts until the data before it is acknowledged."""
    if base.in_recovery and readings.recovery_end is RecoveryEnd.ALL_DATA:
        return False  # [jumpstart.loss.once]
    return not newreno.sent_before_recovery(base, sent_t_ns)


def _reduce(
    readings: Readings, state: JumpStart, base: NewReno, now_ns: int, packet: int, *, of_flight: bool
) -> tuple[JumpStart, NewReno]:
    """Begin a recovery. ``packet``: the first that was lost or marked."""
    window_bytes = base.cwnd_bytes
    if readings.reduction_basis is ReductionBasis.IN_FLIGHT:
        window_bytes = state.in_flight_bytes  # [jumpstart.loss.in-flight]
    if _takes_back(readings, state, base, packet):
        window_bytes = max(state.acked_bytes, state.initial_window_bytes)  # [jumpstart.loss.take-back]
    reduced_bytes = max(_reduced(readings, base, window_bytes), newreno.minimum_window_bytes(base))
    base = newreno.begin_recovery(base, now_ns, reduced_bytes, window_bytes)  # [jumpstart.loss.reduce]
    if state.jumping and readings.first_loss_end is FirstLossEnd.LOST_PACKET:
        flight_end = max(packet, state.flight_first or 0)  # [jumpstart.loss.flight-end]
        state = replace(state, jumping=False, flight_end=flight_end)
    state = end_jump(readings, state)
    state = replace(state, reduced=True, accounting=False, repeats=0, recovery_point=state.next_packet)
    return _in_recovery(readings, state, of_flight=of_flight), base


def _in_recovery(readings: Readings, state: JumpStart, *, of_flight: bool) -> JumpStart:
    """Return the state after a sign of congestion that began a recovery or came in one: will its end be accounted for?"""
    if readings.accounting is not Accounting.HALF_OF_REST:
        return state
    if readings.accounting_scope is AccountingScope.EVERY_RECOVERY:
        return replace(state, accounting=state.flight_first is not None)
    return replace(state, accounting=state.accounting or (of_flight and not state.accounted))  # [jumpstart.loss.scope]


def _takes_back(readings: Readings, state: JumpStart, base: NewReno, packet: int) -> bool:
    """Return whether the window before the jump is what the first loss reduces."""
    if readings.first_loss_window is FirstLossWindow.UNCHANGED or base.ssthresh_bytes is not None:
        return False
    return state.flight_first is not None and (state.flight_end is None or packet < state.flight_end)


def _reduced(readings: Readings, base: NewReno, window_bytes: int) -> int:
    match readings.reduction_factor:
        case ReductionFactor.HALF_THEN_SEVEN_TENTHS if base.ssthresh_bytes is not None:
            return seven_tenths(window_bytes)  # [jumpstart.loss.seven-tenths]
        case ReductionFactor.HALF_THEN_SEVEN_TENTHS:
            return window_bytes // 2
        case ReductionFactor.SEVEN_TENTHS_OF_PACKETS:
            packets = window_bytes // base.max_datagram_size_bytes
            return seven_tenths(packets) * base.max_datagram_size_bytes  # [jumpstart.loss.whole-packets]
    return newreno.reduced_bytes(base, window_bytes)


def recovery_ended(readings: Readings, state: JumpStart, base: NewReno, ack: Ack) -> bool:
    """Return whether an ACK that arrives in recovery ends it."""
    if readings.recovery_end is RecoveryEnd.ALL_DATA and ack.oldest_unacked_packet is not None:
        return ack.oldest_unacked_packet >= state.recovery_point  # [jumpstart.recovery.all-data]
    return any(not newreno.sent_before_recovery(base, run.sent_t_ns) for run in ack.packets)


def account(readings: Readings, state: JumpStart, base: NewReno) -> tuple[JumpStart, NewReno]:
    """Set the window at the end of the recovery that repaired the first flight."""
    flight_packets = 0
    if state.flight_first is not None and state.flight_end is not None:
        flight_packets = state.flight_end - state.flight_first
    rest_packets = max(flight_packets - state.repeats, 0)  # [jumpstart.account.half]
    half_packets = rest_packets // 2 if readings.result_rounding is ResultRounding.DOWN else (rest_packets + 1) // 2
    least_packets = 1 if readings.result_floor is ResultFloor.ONE_PACKET else 2
    packets = max(half_packets, least_packets)  # [jumpstart.account.floor]
    packet_bytes = base.max_datagram_size_bytes
    window_bytes = min(packets, WINDOW_MAX_BYTES // packet_bytes) * packet_bytes
    if readings.result_raise is ResultRaise.NEVER:
        window_bytes = min(window_bytes, base.cwnd_bytes)  # [jumpstart.account.never-raises]
    base = replace(base, cwnd_bytes=window_bytes)
    if readings.result_threshold is ResultThreshold.FOLLOWS:
        ssthresh_bytes = max(window_bytes, 2 * packet_bytes)  # [jumpstart.account.threshold]
        base = replace(base, ssthresh_bytes=ssthresh_bytes)
    return replace(state, accounting=False, accounted=True), base


def count_acked(readings: Readings, state: JumpStart, ack: Ack) -> JumpStart:
    """Count the bytes of an ACK whose largest packet is of the flight."""
    if readings.accounting is not Accounting.ACKED_SHARE or not in_flight(state, ack.packets[-1].last):
        return state
    return replace(state, acked_bytes=min(state.acked_bytes + ack.bytes, WINDOW_MAX_BYTES))  # [jumpstart.acked.count]


def raise_to_share(readings: Readings, state: JumpStart, base: NewReno, last: Run) -> NewReno | None:
    """Return the base with the window raised to the share of what got through, ``None`` if it is not raised."""
    if readings.accounting is not Accounting.ACKED_SHARE or not in_flight(state, last.last):
        return None
    share_bytes = seven_tenths(state.acked_bytes)
    if base.cwnd_bytes >= share_bytes:
        return None
    return replace(base, cwnd_bytes=share_bytes)  # [jumpstart.acked.share]


def on_timeout(readings: Readings, state: JumpStart, base: NewReno) -> tuple[JumpStart, NewReno, Outcome]:
    """Process persistent congestion, which stands for a timeout of TCP."""
    if readings.timeout_window is TimeoutWindow.UNCHANGED:
        return state, base, Outcome.UNCHANGED  # [jumpstart.timeout.none]
    window_bytes = newreno.minimum_window_bytes(base)
    if readings.timeout_window is TimeoutWindow.ONE_PACKET:
        window_bytes = base.max_datagram_size_bytes  # [jumpstart.timeout.window]
    state = end_jump(readings, state)
    if readings.timeout_accounting is TimeoutAccounting.KEPT:
        return state, replace(base, cwnd_bytes=window_bytes), Outcome.COLLAPSED
    base, outcome = newreno.on_persistent_congestion(base)
    state = replace(state, accounting=False, accounted=True)  # [jumpstart.timeout.discard]
    return state, replace(base, cwnd_bytes=window_bytes), outcome
