"""The control parameters of BBR: pacing rate, send quantum and window (``spec/bbr/rules.md``).

One function for each step of the draft, in its order. They change the state and the base in place.

Mirrors ``reference-c/firstflight/bbr/control.c``.
"""

from firstflight.bbr.packets import (
    INIT_CWND_MOST_PACKETS,
    INIT_CWND_PACKETS,
    MICROSECOND_NS,
    in_packets,
    packets_bdp_bytes,
    packets_burst_bytes,
    packets_delivered_bytes,
    packets_even_bytes,
    packets_pacing_rate,
    packets_rate_of,
    packets_send_quantum_bytes,
)
from firstflight.bbr.profiles import ExtraAcked, FirstWindow, InitialRate, Readings, Units
from firstflight.bbr.rate import Rate, over, volume_bytes
from firstflight.bbr.state import GAIN_UNIT, Bbr, saturate, smaller_bound
from firstflight.events import Ack, Sent
from firstflight.limits import TIME_MAX_NS
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Phase

_SECOND_NS = 10**9
#: RTT of the initial pacing rate before the first sample, and send quanta per second.
INITIAL_RTT_NS = 10**6
QUANTA_PER_SECOND = 1000
#: 64 KBytes.
QUANTUM_MAX_BYTES = 65_536
#: Percentage that PacingMarginPercent leaves.
PACED_PERCENT = 99
#: MinPipeCwnd, and the smallest send quantum, in packets.
MIN_PIPE_PACKETS = 4
QUANTUM_PACKETS = 2
#: bbr_extra_acked_max_us: BBR.extra_acked counts up to the bytes delivered in this time.
EXTRA_ACKED_MAX_NS = 100 * 10**6


def min_pipe_cwnd_bytes(base: BaseState) -> int:
    """Return the smallest window."""
    return MIN_PIPE_PACKETS * base.max_datagram_size_bytes


def pace_sent(state: Bbr, sent: Sent) -> None:
    """Schedule the next departure after the duration of these packets at the pacing rate."""
    whole_ns = sent.bytes * _SECOND_NS // state.pacing_rate  # [bbr.pacing.delay]
    if whole_ns * state.pacing_rate < sent.bytes * _SECOND_NS:
        whole_ns += 1  # [bbr.rounding.delay]
    state.next_send_ns = min(max(sent.t_ns, state.next_send_ns or 0) + whole_ns, TIME_MAX_NS)  # [bbr.pacing.next]


def _at_least_one(rate: int) -> int:
    return max(rate, 1)  # [bbr.pacing.least]


def init_pacing_rate(readings: Readings, state: Bbr, base: BaseState, rtt_ns: int) -> None:
    """Set the pacing rate to the initial window per RTT, times the gain."""
    if in_packets(readings):
        rtt_ns = max(rtt_ns, MICROSECOND_NS)
        rate = packets_rate_of(base.cwnd_bytes, rtt_ns, base.max_datagram_size_bytes)  # [bbr.units.initial]
        state.pacing_rate = _at_least_one(packets_pacing_rate(rate, state.pacing_gain))
        return
    per_second = state.pacing_gain * _SECOND_NS // GAIN_UNIT
    state.pacing_rate = _at_least_one(over(state.initial_window_bytes, per_second, rtt_ns))  # [bbr.pacing.initial]


def _paced_rate(readings: Readings, state: Bbr) -> int:
    if in_packets(readings):
        return packets_pacing_rate(state.bw, state.pacing_gain)  # [bbr.units.pacing]
    per_second = state.pacing_gain * PACED_PERCENT * _SECOND_NS
    return over(state.bw.delivered_bytes, per_second, state.bw.interval_ns * GAIN_UNIT * 100)


def set_pacing_rate(readings: Readings, state: Bbr, base: BaseState, ack: Ack) -> None:
    """Set the pacing rate to BBR.bw times the gain, minus the margin."""
    if ack.smoothed_rtt_ns and not state.has_rtt and readings.initial_rate is InitialRate.FIRST_SAMPLE:
        init_pacing_rate(readings, state, base, ack.smoothed_rtt_ns)  # [bbr.pacing.initial.sample]
        state.has_rtt = True
    rate = _at_least_one(_paced_rate(readings, state))
    if state.full_bw_reached or rate > state.pacing_rate:  # [bbr.pacing.rises]
        state.pacing_rate = rate  # [bbr.pacing.rate]


def set_send_quantum(readings: Readings, state: Bbr, base: BaseState) -> None:
    """Set the send quantum: the bytes of a millisecond at the pacing rate."""
    if readings.units is Units.PACKETS:
        size_bytes = base.max_datagram_size_bytes
        state.send_quantum_bytes = packets_send_quantum_bytes(state.pacing_rate, size_bytes)  # [bbr.units.quantum]
        return
    if readings.units is Units.PACKETS_V3:
        size_bytes, rtt_ns = base.max_datagram_size_bytes, state.min_rtt_ns
        state.send_quantum_bytes = packets_burst_bytes(state.pacing_rate, rtt_ns, size_bytes)  # [bbr.units.v3.quantum]
        return
    quantum_bytes = min(state.pacing_rate // QUANTA_PER_SECOND, QUANTUM_MAX_BYTES)  # [bbr.quantum]
    state.send_quantum_bytes = max(quantum_bytes, QUANTUM_PACKETS * base.max_datagram_size_bytes)


def delivers_bytes(readings: Readings, state: Bbr, base: BaseState, time_ns: int) -> int:
    """Return the bytes that BBR.bw delivers in a time."""
    if in_packets(readings):
        return packets_delivered_bytes(state.bw, time_ns, base.max_datagram_size_bytes)  # [bbr.units.delivers]
    return volume_bytes(state.bw, time_ns)


def least_window_bytes(readings: Readings, state: Bbr, base: BaseState) -> int:
    """Return the bytes of the first window. Until they are delivered, the window always grows.

    The draft uses the initial window. Version 1 of Linux uses ten packets, version 3 the initial window, at most 127
    packets. With the reading ``first_window`` = ``twice``, the window always grows until it reaches twice these bytes.
    The same bytes replace the bandwidth-delay product before the first RTT.
    """
    if readings.units is Units.PACKETS:
        return INIT_CWND_PACKETS * base.max_datagram_size_bytes  # [bbr.units.ten]
    if readings.units is Units.PACKETS_V3:
        most_bytes = INIT_CWND_MOST_PACKETS * base.max_datagram_size_bytes
        return min(state.initial_window_bytes, most_bytes)  # [bbr.units.v3.initial]
    return state.initial_window_bytes


def bdp_multiple_bytes(readings: Readings, state: Bbr, base: BaseState, rate: Rate, gain: int) -> int:
    """Return ``rate`` times the minimum RTT times ``gain`` / GAIN_UNIT (64000), in bytes.

    Linux profiles compute the result in whole packets. Without a minimum RTT, return :func:`least_window_bytes`.
    """
    if state.min_rtt_ns is None:
        return least_window_bytes(readings, state, base)  # [bbr.bdp.none]
    if in_packets(readings):
        size_bytes = base.max_datagram_size_bytes
        return packets_bdp_bytes(rate, state.min_rtt_ns, gain, size_bytes)  # [bbr.units.bdp]
    return over(volume_bytes(rate, state.min_rtt_ns), gain, GAIN_UNIT)  # [bbr.bdp]


def quantization_budget_bytes(readings: Readings, state: Bbr, base: BaseState, volume: int) -> int:
    """Return a volume in flight in bytes, raised so that aggregated packets (offload) do not limit the rate.

    The result is at least ``offload_quanta`` (a number in the readings) send quanta, and at least four packets. In
    version 1 of Linux, these quanta are added to the volume, and the sum is rounded up to an even number of packets.
    """
    offload_bytes = readings.offload_quanta * state.send_quantum_bytes  # [bbr.offload]
    if readings.units is Units.PACKETS:
        return packets_even_bytes(volume + offload_bytes, base.max_datagram_size_bytes)  # [bbr.units.budget]
    return max(volume, offload_bytes, min_pipe_cwnd_bytes(base))  # [bbr.budget]


def inflight_bytes(readings: Readings, state: Bbr, base: BaseState, rate: Rate) -> int:
    """Return the bandwidth-delay product of ``rate`` in bytes, raised so that offload does not limit the rate.

    :func:`quantization_budget_bytes` raises the product.
    """
    return quantization_budget_bytes(readings, state, base, bdp_multiple_bytes(readings, state, base, rate, GAIN_UNIT))


def _aggregated_bytes(readings: Readings, state: Bbr, base: BaseState) -> int:
    """Return the part of BBR.extra_acked that increases BBR.max_inflight, in bytes.

    In the draft it is all of BBR.extra_acked. In Linux it is at most the bytes that BBR.bw delivers in 100 ms. In
    version 1 of Linux it is 0 until the pipe is full.
    """
    if readings.extra_acked not in (ExtraAcked.LINUX, ExtraAcked.LINUX_V3):
        return state.extra_acked_bytes
    if readings.extra_acked is ExtraAcked.LINUX and not state.full_bw_reached:
        return 0  # [bbr.extra-acked.linux.startup]
    most_bytes = delivers_bytes(readings, state, base, EXTRA_ACKED_MAX_NS)
    return min(state.extra_acked_bytes, most_bytes)  # [bbr.extra-acked.linux.most]


def update_max_inflight(readings: Readings, state: Bbr, base: BaseState) -> None:
    """Set BBR.max_inflight, the target of the window, and BBR.bdp, the bandwidth-delay product.

    The target is the bandwidth-delay product times the window gain, plus ``_aggregated_bytes`` for aggregated ACKs.
    These bytes are the largest recent excess of acknowledged bytes over those expected from the bandwidth; Linux limits
    them. :func:`quantization_budget_bytes` raises this sum if necessary. Without an RTT, BBR.bdp does not change.
    """
    if state.min_rtt_ns is not None:
        state.bdp_bytes = bdp_multiple_bytes(readings, state, base, state.bw, GAIN_UNIT)
    multiple_bytes = bdp_multiple_bytes(readings, state, base, state.bw, state.cwnd_gain)
    volume = saturate(multiple_bytes + _aggregated_bytes(readings, state, base))  # [bbr.max-inflight]
    state.max_inflight_bytes = quantization_budget_bytes(readings, state, base, volume)


def bound_cwnd_for_model(state: Bbr, base: BaseState) -> None:
    """Bound the window by the volumes set on losses."""
    cap_bytes = None
    if state.phase is Phase.PROBE_BW:
        cap_bytes = state.inflight_longterm_bytes  # [bbr.cwnd.long-term]
    cap_bytes = smaller_bound(cap_bytes, state.inflight_shortterm_bytes)  # [bbr.cwnd.short-term]
    if cap_bytes is not None:
        cap_bytes = max(cap_bytes, min_pipe_cwnd_bytes(base))  # [bbr.cwnd.cap.least]
        base.cwnd_bytes = min(base.cwnd_bytes, cap_bytes)


def _is_first_window(readings: Readings, state: Bbr, base: BaseState) -> bool:
    """Return whether the window may still grow beyond BBR.max_inflight, as at the start of a connection.

    With the reading ``twice``, this is the case while the window is below twice :func:`least_window_bytes`. Otherwise
    it is the case until :func:`least_window_bytes` bytes are delivered.
    """
    least_bytes = least_window_bytes(readings, state, base)
    if readings.first_window is FirstWindow.TWICE:
        return base.cwnd_bytes < 2 * least_bytes  # [bbr.cwnd.grow.twice]
    return state.delivered_bytes < least_bytes


def set_cwnd(readings: Readings, state: Bbr, base: BaseState, ack: Ack) -> None:
    """Move the window towards BBR.max_inflight, the target; growth is at most the acknowledged bytes.

    Once the pipe is full, the window is at most the target. Before, it grows only below the target, or if
    ``_is_first_window`` is true. In packet conservation it is only raised to the bytes in flight plus the
    acknowledged bytes.
    """
    update_max_inflight(readings, state, base)
    if state.packet_conservation:
        in_flight_bytes = saturate(state.in_flight_bytes + ack.bytes)
        base.cwnd_bytes = max(base.cwnd_bytes, in_flight_bytes)  # [bbr.conservation]
        return
    grown_bytes = saturate(base.cwnd_bytes + ack.bytes)
    state.window_reached = False
    if state.full_bw_reached:
        state.window_reached = grown_bytes >= state.max_inflight_bytes
        base.cwnd_bytes = min(grown_bytes, state.max_inflight_bytes)  # [bbr.cwnd.bounded]
    elif base.cwnd_bytes < state.max_inflight_bytes or _is_first_window(readings, state, base):
        base.cwnd_bytes = grown_bytes  # [bbr.cwnd.grow]
    else:
        state.window_reached = True
    base.cwnd_bytes = max(base.cwnd_bytes, min_pipe_cwnd_bytes(base))  # [bbr.cwnd.least]
    bound_cwnd_for_model(state, base)
