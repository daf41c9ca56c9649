"""Times and volumes at which something changes in the BBR of quinn, for random events."""

from firstflight.bbr.quinn import ONE, PROBE_RTT_AFTER_NS, PROBE_RTT_GAIN, PROBE_RTT_NS, target_cwnd_bytes
from firstflight.bbr.quinn_state import Quinn
from firstflight.newreno.newreno import NewReno
from firstflight.observables import Phase


def times_ns(state: Quinn, size_bytes: int) -> tuple[int, ...]:
    """Return times from now: with the next ACK the rate grows by a quarter, or hardly; ProbeRTT ends, or is due."""
    grown = state.bw_at_last_round * 5 // 4
    times = [size_bytes * 10**9 // grown + more for more in (0, 1) if grown > 0]
    times = [max(time - 1, 0) for time in times] + times
    if state.phase is Phase.PROBE_RTT:
        return (*times, PROBE_RTT_NS - 1, PROBE_RTT_NS)
    if state.probe_rtt_last_started_ns is not None:
        times.append(max(state.probe_rtt_last_started_ns + PROBE_RTT_AFTER_NS - max(state.acked_ns or 0, 1), 0) // 9)
    return tuple(times)


def volumes_bytes(state: Quinn, base: NewReno) -> tuple[int, ...]:
    """Return volumes in flight: what ends Drain, what ProbeRTT waits for, and a byte more."""
    product_bytes = target_cwnd_bytes(state, base, ONE)
    probe_bytes = target_cwnd_bytes(state, base, PROBE_RTT_GAIN) + base.max_datagram_size_bytes
    return (0, 0, product_bytes, product_bytes + 1, 2 * product_bytes, probe_bytes - 1, probe_bytes, 10 * probe_bytes)
