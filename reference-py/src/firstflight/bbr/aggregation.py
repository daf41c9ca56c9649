"""BBR.extra_acked: the bytes acknowledged in excess of the delivery by the path (``spec/bbr/rules.md``).

Mirrors ``reference-c/firstflight/bbr/aggregation.c``.
"""

from firstflight.bbr.control import delivers_bytes
from firstflight.bbr.profiles import ExtraAcked, Readings
from firstflight.bbr.sample import clocked_ns
from firstflight.bbr.state import EXTRA_ACKED_ROUNDS, Bbr, Sample, saturate
from firstflight.events import Ack
from firstflight.newreno.newreno import BaseState

#: Rounds of each of the two samples in Linux, and the packets that restart the interval of a sample.
EXTRA_ACKED_LINUX_ROUNDS = 5
EXTRA_ACKED_LINUX_PACKETS = 2**20


def _begin_slot(readings: Readings, state: Bbr) -> int:
    """Return the index (0 or 1) of the current one of two samples of BBR.extra_acked.

    A sample is the largest excess of acknowledged bytes in five rounds. In BBR version 3 of Linux it covers one round
    until the pipe is full. If the rounds of a sample begin with this ACK, reset this sample to 0.
    """
    if readings.extra_acked is ExtraAcked.LINUX:
        slot = state.round_count // EXTRA_ACKED_LINUX_ROUNDS % 2
        if state.round_start and state.round_count % EXTRA_ACKED_LINUX_ROUNDS == 0:
            state.extra_acked_rounds[slot] = 0  # [bbr.extra-acked.linux]
        return slot
    if state.round_start:
        state.extra_acked_age += 1
        if state.extra_acked_age >= (EXTRA_ACKED_LINUX_ROUNDS if state.full_bw_reached else 1):
            state.extra_acked_age = 0  # [bbr.extra-acked.v3]
            state.extra_acked_slot = 1 - state.extra_acked_slot
            state.extra_acked_rounds[state.extra_acked_slot] = 0
    return state.extra_acked_slot


def _update_ack_aggregation_linux(readings: Readings, state: Bbr, base: BaseState, ack: Ack, sample: Sample) -> None:
    """Update BBR.extra_acked as Linux does: the larger of two samples of five rounds each.

    A sample is the largest excess of acknowledged bytes over the bytes that BBR.bw delivers. In BBR version 3, samples
    cover one round each until the pipe is full. ACKs without a rate sample change nothing.
    """
    if sample.prior_delivered_bytes is None:
        return  # [bbr.extra-acked.linux.sample]
    slot = _begin_slot(readings, state)
    size_bytes = base.max_datagram_size_bytes
    time_ns = clocked_ns(readings, ack.t_ns) - clocked_ns(readings, state.extra_acked_interval_start_ns)
    expected_bytes = delivers_bytes(readings, state, base, time_ns)
    acked_bytes = state.extra_acked_delivered_bytes
    if acked_bytes <= expected_bytes or acked_bytes + ack.bytes >= EXTRA_ACKED_LINUX_PACKETS * size_bytes:
        acked_bytes = expected_bytes = 0  # [bbr.extra-acked.linux.anew]
        state.extra_acked_interval_start_ns = ack.t_ns
    most_bytes = (EXTRA_ACKED_LINUX_PACKETS - 1) * size_bytes
    state.extra_acked_delivered_bytes = min(acked_bytes + ack.bytes, most_bytes)
    extra_bytes = min(state.extra_acked_delivered_bytes - expected_bytes, base.cwnd_bytes)
    state.extra_acked_rounds[slot] = max(state.extra_acked_rounds[slot], extra_bytes)
    state.extra_acked_bytes = max(state.extra_acked_rounds[:2])


def update_ack_aggregation(readings: Readings, state: Bbr, base: BaseState, ack: Ack, sample: Sample) -> None:
    """Update BBR.extra_acked, the bytes acknowledged in excess of the delivery at BBR.bw."""
    if readings.extra_acked in (ExtraAcked.LINUX, ExtraAcked.LINUX_V3):
        _update_ack_aggregation_linux(readings, state, base, ack, sample)
        return
    expected_bytes = delivers_bytes(readings, state, base, ack.t_ns - state.extra_acked_interval_start_ns)
    if state.extra_acked_delivered_bytes <= expected_bytes:
        state.extra_acked_delivered_bytes = 0  # [bbr.extra-acked.anew]
        state.extra_acked_interval_start_ns = ack.t_ns
        expected_bytes = 0
    state.extra_acked_delivered_bytes = saturate(state.extra_acked_delivered_bytes + ack.bytes)
    extra_bytes = min(state.extra_acked_delivered_bytes - expected_bytes, base.cwnd_bytes)  # [bbr.extra-acked.sample]
    slot = state.round_count % EXTRA_ACKED_ROUNDS
    if state.round_start:
        state.extra_acked_rounds[slot] = 0
    state.extra_acked_rounds[slot] = max(state.extra_acked_rounds[slot], extra_bytes)
    if state.full_bw_reached:
        state.extra_acked_bytes = max(state.extra_acked_rounds)  # [bbr.extra-acked]
    else:
        state.extra_acked_bytes = state.extra_acked_rounds[slot]  # [bbr.extra-acked.startup]
