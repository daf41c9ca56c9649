"""Loss and recovery of JumpStart: the reduction, R, and the window at the end (``spec/jumpstart/rules.md``).

Functions change the state and the base in place.

Mirrors ``reference-c/firstflight/jumpstart/loss.c``.
"""

from firstflight.cubic.window import seven_tenths
from firstflight.events import Ack, Ce, Lost, Run, Sent
from firstflight.jumpstart.profiles import (
    Accounting,
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
    TimeoutWindow,
)
from firstflight.jumpstart.state import JumpStart, in_flight, overlap, packets_in_flight, set_in_flight
from firstflight.limits import PACKET_MAX, WINDOW_MAX_BYTES
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Outcome


def _add_repeats(state: JumpStart, packets: int) -> None:
    """Add packets to R, the number of packets in this recovery that repeat data sent earlier.

    R is at most 2^62 - 1, the largest possible packet number.
    """
    state.repeats = min(state.repeats + packets, PACKET_MAX)


def count_repeats(readings: Readings, state: JumpStart, base: BaseState, sent: Sent) -> None:
    """Count the packets sent in a recovery that repeat earlier data: R, for the window (D - R) / 2 at its end.

    D is the number of packets of the first flight. Every recovery counts, because a later loss in it may decide that
    its end sets this window. With ``counted_data`` = ``first_flight`` only repeated data of the first flight counts.
    Only the reading ``accounting`` = ``half_of_rest`` has this rule.
    """
    if not base.in_recovery or readings.accounting is not Accounting.HALF_OF_REST:
        return
    first_flight = readings.counted_data is CountedData.FIRST_FLIGHT
    for first, last in sent.retransmits:
        packets = overlap(state, first, last) if first_flight else last - first + 1
        _add_repeats(state, packets)  # [jumpstart.loss.count] [jumpstart.loss.count.flight]


def _begins_recovery(readings: Readings, base: BaseState, sent_t_ns: int) -> bool:
    """Return whether a loss or CE mark of a packet sent at ``sent_t_ns`` begins a recovery.

    The packet must be sent after the last recovery began. With the reading ``recovery_end`` = ``all_data``, as in TCP,
    a recovery also prevents another one until it ends. It ends when all data sent before it began is acknowledged.
    """
    if base.in_recovery and readings.recovery_end is RecoveryEnd.ALL_DATA:
        return False  # [jumpstart.loss.once]
    return not newreno.sent_before_recovery(base, sent_t_ns)


def _takes_back(readings: Readings, state: JumpStart, base: BaseState, packet: int) -> bool:
    """Return whether a reduction reverts the jump, that is, does not start from the window that the jump set.

    A reduction reverts the jump under three conditions. The reading ``first_loss_window`` is ``acked_or_initial``. The
    threshold is still infinite (no reduction yet). ``packet``, the first lost or marked packet, precedes the end of the
    first flight.
    """
    if readings.first_loss_window is FirstLossWindow.UNCHANGED or base.ssthresh_bytes is not None:
        return False
    return state.flight_end is not None and packet < state.flight_end


def _reduced_bytes(readings: Readings, base: BaseState, window_bytes: int) -> int:
    match readings.reduction_factor:
        case ReductionFactor.HALF:
            return newreno.reduced_bytes(base, window_bytes)
        case ReductionFactor.HALF_THEN_SEVEN_TENTHS:
            if base.ssthresh_bytes is None:
                return window_bytes // 2
            return seven_tenths(window_bytes)  # [jumpstart.loss.seven-tenths]
        case ReductionFactor.SEVEN_TENTHS_OF_PACKETS:
            packets = seven_tenths(window_bytes // base.max_datagram_size_bytes)
            return packets * base.max_datagram_size_bytes  # [jumpstart.loss.whole-packets]


def _decide_accounting(readings: Readings, state: JumpStart, *, of_flight: bool) -> None:
    """Decide whether the end of the present recovery sets the window to (D - R) / 2.

    D: packets of the first flight that were sent. R: packets of the recovery that repeat data. ``of_flight``: a packet
    of the first flight was lost or marked, at the beginning of the recovery or in it. Such a packet decides for (D - R)
    / 2, unless an earlier recovery ended in this way or a timeout dropped the rule. Only the reading ``accounting`` =
    ``half_of_rest`` has this rule.
    """
    if readings.accounting is not Accounting.HALF_OF_REST:
        return
    state.accounting = state.accounting or (of_flight and not state.accounted)  # [jumpstart.loss.scope]


def _reduce(
    readings: Readings, state: JumpStart, base: BaseState, now_ns: int, packet: int, *, of_flight: bool
) -> None:
    """Begin a recovery. ``packet``: the first lost or marked packet."""
    window_bytes = base.cwnd_bytes
    if readings.reduction_basis is ReductionBasis.IN_FLIGHT:
        window_bytes = state.in_flight_bytes  # [jumpstart.loss.in-flight]
    if _takes_back(readings, state, base, packet):
        window_bytes = max(state.acked_bytes, state.initial_window_bytes)  # [jumpstart.loss.take-back]
    reduced_bytes = max(_reduced_bytes(readings, base, window_bytes), newreno.minimum_window_bytes(base))
    newreno.begin_recovery(base, now_ns, reduced_bytes, window_bytes)  # [jumpstart.loss.reduce]
    if state.jumping and readings.first_loss_end is FirstLossEnd.LOST_PACKET:
        state.flight_end = max(packet, state.flight_first or 0)  # [jumpstart.loss.flight-end]
    state.jumping = False  # [jumpstart.loss.reduce.least]
    state.reduced = True
    state.accounting = False
    state.repeats = 0
    state.recovery_point = state.next_packet
    _decide_accounting(readings, state, of_flight=of_flight)


def on_lost(readings: Readings, state: JumpStart, base: BaseState, lost: Lost) -> Outcome:
    """Process packets declared lost. ``in_flight_bytes`` is still the value before the loss."""
    if lost.pmtu_probe:
        set_in_flight(state, lost.bytes_in_flight)
        return newreno.on_lost(base, lost)
    outcome = Outcome.ALREADY_REDUCED
    latest_sent_t_ns = max(run.sent_t_ns for run in lost.packets)
    of_flight = packets_in_flight(state, lost.packets) > 0
    if _begins_recovery(readings, base, latest_sent_t_ns):
        _reduce(readings, state, base, lost.t_ns, lost.packets[0].first, of_flight=of_flight)
        outcome = Outcome.REDUCED
    elif base.in_recovery:
        _decide_accounting(readings, state, of_flight=of_flight)
    set_in_flight(state, lost.bytes_in_flight)
    return outcome


def on_ce(readings: Readings, state: JumpStart, base: BaseState, ce: Ce) -> Outcome:
    """Process a rise of the ECN-CE counter."""
    of_flight = readings.ecn is Ecn.ACCOUNTED and in_flight(state, ce.packet)  # [jumpstart.loss.ecn]
    if _begins_recovery(readings, base, ce.sent_t_ns):
        _reduce(readings, state, base, ce.t_ns, ce.packet, of_flight=of_flight)
        return Outcome.REDUCED
    if base.in_recovery:
        _decide_accounting(readings, state, of_flight=of_flight)
    return Outcome.ALREADY_REDUCED


def recovery_ended(readings: Readings, state: JumpStart, base: BaseState, ack: Ack) -> bool:
    """Return whether an ACK that arrives in recovery ends it."""
    if readings.recovery_end is RecoveryEnd.ALL_DATA and ack.oldest_unacked_packet is not None:
        return ack.oldest_unacked_packet >= state.recovery_point  # [jumpstart.recovery.all-data]
    return any(not newreno.sent_before_recovery(base, run.sent_t_ns) for run in ack.packets)


def account(readings: Readings, state: JumpStart, base: BaseState) -> None:
    """Set the window to (D - R) / 2 packets at the end of the recovery that repaired the first flight.

    D: packets of the first flight that were sent. R: packets of the recovery that repeat data. Readings decide the
    rounding, the minimum, whether the window may rise, and the threshold.
    """
    packet_bytes = base.max_datagram_size_bytes
    flight_packets = state.sent_packets
    rest_packets = max(flight_packets - state.repeats, 0)  # [jumpstart.account.half] [jumpstart.account.rounding]
    half_packets = rest_packets // 2 if readings.result_rounding is ResultRounding.DOWN else (rest_packets + 1) // 2
    least_packets = 1 if readings.result_floor is ResultFloor.ONE_PACKET else 2
    packets = max(half_packets, least_packets)  # [jumpstart.account.floor]
    window_bytes = min(packets, WINDOW_MAX_BYTES // packet_bytes) * packet_bytes
    if readings.result_raise is ResultRaise.NEVER:
        window_bytes = min(window_bytes, base.cwnd_bytes)  # [jumpstart.account.never-raises]
    base.cwnd_bytes = window_bytes
    if readings.result_threshold is ResultThreshold.FOLLOWS:
        base.ssthresh_bytes = max(window_bytes, 2 * packet_bytes)  # [jumpstart.account.threshold]
    state.accounting = False
    state.accounted = True  # [jumpstart.loss.scope.once]


def count_acked(readings: Readings, state: JumpStart, ack: Ack) -> None:
    """Add the bytes of an ACK to ``acked_bytes`` if its largest packet belongs to the first flight.

    The first flight is the packets sent in the jump. Only the reading ``accounting`` = ``acked_share`` has this rule.
    """
    if readings.accounting is not Accounting.ACKED_SHARE or not in_flight(state, ack.packets[-1].last):
        return
    state.acked_bytes = min(state.acked_bytes + ack.bytes, WINDOW_MAX_BYTES)  # [jumpstart.acked.count]


def raise_to_share(readings: Readings, state: JumpStart, base: BaseState, last: Run) -> bool:
    """Raise the window to at least 7/10 of the acknowledged bytes of the flight; return whether it rose.

    The flight is the packets of the jump. ``last``: the run with the largest packet of the ACK. The window stays if
    this packet is outside the flight, or if the reading ``accounting`` is not ``acked_share``.
    """
    if readings.accounting is not Accounting.ACKED_SHARE or not in_flight(state, last.last):
        return False
    share_bytes = seven_tenths(state.acked_bytes)
    if base.cwnd_bytes >= share_bytes:
        return False
    base.cwnd_bytes = share_bytes  # [jumpstart.acked.share]
    return True


def _timeout_window_bytes(readings: Readings, base: BaseState) -> int | None:
    """Return the window after a timeout, or ``None`` if it does not change."""
    match readings.timeout_window:
        case TimeoutWindow.ONE_PACKET:
            return base.max_datagram_size_bytes  # [jumpstart.timeout.window] [jumpstart.timeout.ends]
        case TimeoutWindow.UNCHANGED:
            return None  # [jumpstart.timeout.none]


def on_timeout(readings: Readings, state: JumpStart, base: BaseState) -> Outcome:
    """Process persistent congestion, the equivalent of a TCP timeout."""
    window_bytes = _timeout_window_bytes(readings, base)
    if window_bytes is None:
        return Outcome.UNCHANGED
    state.jumping = False
    newreno.on_persistent_congestion(base)
    state.accounting = False  # [jumpstart.timeout.discard]
    state.accounted = True  # [jumpstart.timeout.discard]
    base.cwnd_bytes = window_bytes
    return Outcome.COLLAPSED
