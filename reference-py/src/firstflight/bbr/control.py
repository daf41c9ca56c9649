"""What BBR controls: pacing rate, send quantum and window (``spec/bbr/rules.md``).

One function for each step of the draft, in its order. They change the state and the base in place.

Mirrors ``reference-c/firstflight/bbr/control.c``.
"""

from firstflight.bbr.profiles import DrainCap, InitialRate, Readings
from firstflight.bbr.rate import over, volume_bytes
from firstflight.bbr.state import GAIN_UNIT, Bbr, saturate, smaller_bound
from firstflight.events import Ack, Sent
from firstflight.limits import TIME_MAX_NS
from firstflight.newreno.newreno import NewReno
from firstflight.observables import Phase

_SECOND_NS = 10**9
#: The RTT of the initial pacing rate where there is none, and the time of a send quantum.
INITIAL_RTT_NS = 10**6
QUANTA_PER_SECOND = 1000
#: 64 KBytes.
QUANTUM_MAX_BYTES = 65_536
#: PacingMarginPercent leaves 99 %.
PACED_PERCENT = 99
#: MinPipeCwnd, and the smallest send quantum, in packets.
MIN_PIPE_PACKETS = 4
QUANTUM_PACKETS = 2


def min_pipe_cwnd_bytes(base: NewReno) -> int:
    """Return the smallest window."""
    return MIN_PIPE_PACKETS * base.max_datagram_size_bytes


def pace_sent(state: Bbr, sent: Sent) -> None:
    """Let the next packet leave when these have taken their time."""
    whole_ns = sent.bytes * _SECOND_NS // state.pacing_rate  # [bbr.pacing.delay]
    if whole_ns * state.pacing_rate < sent.bytes * _SECOND_NS:
        whole_ns += 1  # [bbr.rounding.delay]
    state.next_send_ns = min(max(sent.t_ns, state.next_send_ns or 0) + whole_ns, TIME_MAX_NS)  # [bbr.pacing.next]


def _at_least_one(rate: int) -> int:
    return max(rate, 1)  # [bbr.pacing.least]


def init_pacing_rate(state: Bbr, rtt_ns: int) -> None:
    """Pace the initial window over an RTT, times the gain."""
    per_second = state.pacing_gain * _SECOND_NS // GAIN_UNIT
    state.pacing_rate = _at_least_one(over(state.initial_window_bytes, per_second, rtt_ns))  # [bbr.pacing.initial]


def set_pacing_rate(readings: Readings, state: Bbr, ack: Ack) -> None:
    """Pace at the rate times the gain, less the margin."""
    if ack.smoothed_rtt_ns and not state.has_rtt and readings.initial_rate is InitialRate.FIRST_SAMPLE:
        init_pacing_rate(state, ack.smoothed_rtt_ns)  # [bbr.pacing.initial.sample]
        state.has_rtt = True
    per_second = state.pacing_gain * PACED_PERCENT * _SECOND_NS
    rate = _at_least_one(over(state.bw.delivered_bytes, per_second, state.bw.interval_ns * GAIN_UNIT * 100))
    if state.full_bw_reached or rate > state.pacing_rate:  # [bbr.pacing.rises]
        state.pacing_rate = rate  # [bbr.pacing.rate]


def set_send_quantum(state: Bbr, base: NewReno) -> None:
    """Set how much may leave at once: a millisecond at the pacing rate."""
    quantum_bytes = min(state.pacing_rate // QUANTA_PER_SECOND, QUANTUM_MAX_BYTES)  # [bbr.quantum]
    state.send_quantum_bytes = max(quantum_bytes, QUANTUM_PACKETS * base.max_datagram_size_bytes)


def bdp_multiple_bytes(state: Bbr, gain: int) -> int:
    """Return a multiple of the bandwidth-delay product."""
    if state.min_rtt_ns is None:
        return state.initial_window_bytes  # [bbr.bdp.none]
    state.bdp_bytes = volume_bytes(state.bw, state.min_rtt_ns)  # [bbr.bdp]
    return over(state.bdp_bytes, gain, GAIN_UNIT)


def quantization_budget_bytes(readings: Readings, state: Bbr, base: NewReno, volume: int) -> int:
    """Return a volume, or what is in flight at least where packets leave and arrive together."""
    offload_bytes = readings.offload_quanta * state.send_quantum_bytes  # [bbr.offload]
    return max(volume, offload_bytes, min_pipe_cwnd_bytes(base))  # [bbr.budget]


def inflight_bytes(readings: Readings, state: Bbr, base: NewReno, gain: int) -> int:
    """Return what is in flight at a multiple of the bandwidth-delay product."""
    return quantization_budget_bytes(readings, state, base, bdp_multiple_bytes(state, gain))


def update_max_inflight(readings: Readings, state: Bbr, base: NewReno) -> None:
    """Set how much the path needs in flight."""
    volume = saturate(bdp_multiple_bytes(state, state.cwnd_gain) + state.extra_acked_bytes)  # [bbr.max-inflight]
    state.max_inflight_bytes = quantization_budget_bytes(readings, state, base, volume)


def _bound_cwnd_for_model(readings: Readings, state: Bbr, base: NewReno) -> None:
    cap_bytes = None
    if state.phase is Phase.PROBE_BW:
        cap_bytes = state.inflight_longterm_bytes  # [bbr.cwnd.long-term]
    elif state.phase is Phase.DRAIN and readings.drain_cap is DrainCap.BOTH:
        cap_bytes = state.inflight_longterm_bytes  # [bbr.cwnd.long-term.drain]
    cap_bytes = smaller_bound(cap_bytes, state.inflight_shortterm_bytes)  # [bbr.cwnd.short-term]
    if cap_bytes is not None:
        cap_bytes = max(cap_bytes, min_pipe_cwnd_bytes(base))  # [bbr.cwnd.cap.least]
        base.cwnd_bytes = min(base.cwnd_bytes, cap_bytes)


def set_cwnd(readings: Readings, state: Bbr, base: NewReno, ack: Ack) -> None:
    """Move the window towards what the path needs, by no more than was acknowledged."""
    update_max_inflight(readings, state, base)
    grown_bytes = saturate(base.cwnd_bytes + ack.bytes)
    if state.full_bw_reached:
        base.cwnd_bytes = min(grown_bytes, state.max_inflight_bytes)  # [bbr.cwnd.bounded]
    elif base.cwnd_bytes < state.max_inflight_bytes or state.delivered_bytes < state.initial_window_bytes:
        base.cwnd_bytes = grown_bytes  # [bbr.cwnd.grow]
    base.cwnd_bytes = max(base.cwnd_bytes, min_pipe_cwnd_bytes(base))  # [bbr.cwnd.least]
    _bound_cwnd_for_model(readings, state, base)
