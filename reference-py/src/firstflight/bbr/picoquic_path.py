"""What BBR of picoquic knows of the path: rate, RTT, rounds and aggregation (``spec/bbr/rules.md``).

Mirrors ``reference-c/firstflight/bbr/picoquic_path.c``.
"""

from firstflight.bbr.packets import MICROSECOND_NS, whole_ns
from firstflight.bbr.picoquic_state import JITTER_RTTS, Picoquic
from firstflight.bbr.rate import ZERO, Rate, over
from firstflight.bbr.state import EXTRA_ACKED_ROUNDS, Bbr, Sample, saturate
from firstflight.events import Ack, Lost, Run, Sent
from firstflight.newreno.newreno import NewReno

_SECOND_NS = 10**9
#: PICOQUIC_BANDWIDTH_TIME_INTERVAL_MIN: a longer interval gives a rate.
INTERVAL_MIN_NS = 10**6
#: The time after which a packet that follows an idle one restarts.
IDLE_NS = 10**9
#: The time after which another RTT is taken.
JITTER_NS = 10**6
#: BBRProbeRTTInterval, and above BBRLongRttThreshold so many RTTs; BBRMinRTTFilterLen.
PROBE_RTT_NS = 5 * 10**9
LONG_RTT_NS = 250 * 10**6
LONG_RTTS = 100
MIN_RTT_NS = 10 * 10**9
#: BBRMinRttMarginPercent makes the margin of the smallest RTT one of so many parts.
MARGIN_PART = 2000
#: PICOQUIC_MINRTT_THRESHOLD and PICOQUIC_MINRTT_MARGIN.
SHORT_RTT_NS = 128_000


def note_sent(state: Bbr, own: Picoquic, sent: Sent) -> None:
    """Restart after idle time, and see whether the application leaves a gap."""
    now_ns = whole_ns(sent.t_ns)
    idle = own.sent_ns is not None and now_ns > own.sent_ns + IDLE_NS
    if idle and sent.bytes_in_flight <= sent.bytes and own.limited_bytes > 0:
        state.extra_acked_interval_start_ns = now_ns  # [bbr.picoquic.idle]
    own.sent_ns = now_ns
    if sent.app_limited:
        own.limited_bytes = max(saturate(state.delivered_bytes + saturate(sent.bytes_in_flight)), 1)


def note_lost(state: Bbr, own: Picoquic, lost: Lost) -> None:
    """Count what is lost until the next ACK, and its ranges."""
    state.newly_lost_bytes = saturate(state.newly_lost_bytes + lost.bytes)
    for run in lost.packets:
        if run.first != state.next_lost_packet:
            own.lost_ranges += 1  # [bbr.picoquic.loss-exit.separate]
        state.next_lost_packet = run.last + 1


def path_rtt_ns(own: Picoquic, ack: Ack, newest: Run) -> int:
    """Return the RTT of an ACK, and keep the smallest one of the path."""
    rtt_ns = whole_ns(ack.t_ns - newest.sent_t_ns)  # [bbr.picoquic.rtt]
    less_ns = rtt_ns - whole_ns(ack.ack_delay_ns)
    if own.path_rtt_ns is not None and own.path_rtt_ns < less_ns:
        rtt_ns = less_ns  # [bbr.picoquic.rtt.delay]
    own.path_rtt_ns = rtt_ns if own.path_rtt_ns is None else min(own.path_rtt_ns, rtt_ns)
    return rtt_ns


def _estimate(state: Bbr, own: Picoquic, newest: Run, delivered_bytes: int, interval_ns: int) -> None:
    sent_ns = whole_ns(newest.sent_t_ns)
    if interval_ns <= INTERVAL_MIN_NS or sent_ns < own.estimate_sent_ns:
        return  # [bbr.picoquic.rate.kept]
    own.estimate_bytes_per_s = over(delivered_bytes, _SECOND_NS // MICROSECOND_NS, interval_ns // MICROSECOND_NS)
    own.estimate_sent_ns = sent_ns  # [bbr.picoquic.rate]
    if state.delivered_bytes >= own.limited_bytes:
        own.limited_bytes = 0


def rate_sample(state: Bbr, own: Picoquic, ack: Ack, rtt_ns: int) -> Sample:
    """Return the sample of an ACK, and keep what is delivered in all, the rate of the path and its last packet."""
    newest = ack.packets[-1]
    own.highest_packet = max(own.highest_packet, newest.last)
    state.in_flight_bytes = saturate(ack.bytes_in_flight)
    delivered_bytes, interval_ns, prior_bytes = (
        ack.rate_delivered_bytes,
        ack.rate_interval_ns,
        ack.rate_prior_delivered_bytes,
    )
    in_flight_bytes, lost_bytes = ack.rate_in_flight_bytes or 0, ack.rate_lost_bytes or 0
    if delivered_bytes is None or interval_ns is None or prior_bytes is None:
        delivered_bytes, in_flight_bytes, lost_bytes = saturate(ack.bytes), 0, 0
        state.delivered_bytes = saturate(state.delivered_bytes + delivered_bytes)  # [bbr.picoquic.rate.none]
    else:
        state.delivered_bytes = saturate(prior_bytes + delivered_bytes)
        _estimate(state, own, newest, delivered_bytes, whole_ns(interval_ns))
    rate = own.estimate_bytes_per_s
    if rate == 0 and rtt_ns > 0:
        rate = over(delivered_bytes, _SECOND_NS // MICROSECOND_NS, rtt_ns // MICROSECOND_NS)  # [bbr.picoquic.rate.rtt]
    return Sample(
        Rate(rate, _SECOND_NS) if rate else ZERO,
        delivered_bytes,
        state.delivered_bytes - delivered_bytes,
        bool(ack.rate_app_limited),
        max(in_flight_bytes - newest.size_bytes, 0),  # [bbr.picoquic.before]
        lost_bytes,
    )


def update_round(state: Bbr, own: Picoquic, ack: Ack) -> None:
    """See whether a round begins: where a packet is acknowledged that was sent after the last one began."""
    state.round_start = own.highest_packet >= own.round_end_packet
    if state.round_start:
        own.round_end_packet = ack.next_packet  # [bbr.picoquic.round]
        state.round_count += 1
        state.extra_acked_rounds[state.round_count % EXTRA_ACKED_ROUNDS] = 0


def update_ack_aggregation(state: Bbr, base: NewReno, ack: Ack) -> None:
    """Estimate how much more is acknowledged at once than is expected, which is a product that is not divided."""
    now_ns = whole_ns(ack.t_ns)
    time_us = (now_ns - state.extra_acked_interval_start_ns) // MICROSECOND_NS
    expected_bytes = over(state.bw.delivered_bytes, time_us, 1)  # [bbr.picoquic.extra-acked]
    if state.extra_acked_delivered_bytes <= expected_bytes:
        state.extra_acked_delivered_bytes = expected_bytes = 0
        state.extra_acked_interval_start_ns = now_ns
    state.extra_acked_delivered_bytes = saturate(state.extra_acked_delivered_bytes + ack.bytes)
    extra_bytes = min(state.extra_acked_delivered_bytes - expected_bytes, base.cwnd_bytes)
    slot = state.round_count % EXTRA_ACKED_ROUNDS
    state.extra_acked_rounds[slot] = max(state.extra_acked_rounds[slot], extra_bytes)
    state.extra_acked_bytes = max(state.extra_acked_rounds)  # [bbr.picoquic.extra-acked.ten]


def _take_rtt(own: Picoquic, now_ns: int, rtt_ns: int) -> None:
    if now_ns <= own.rtt_stamp_ns + JITTER_NS:
        return  # [bbr.picoquic.jitter.spaced]
    own.rtts_ns[own.rtt_count % JITTER_RTTS] = rtt_ns  # [bbr.picoquic.jitter]
    own.rtt_count += 1
    own.rtt_stamp_ns = now_ns
    taken = own.rtts_ns[: own.rtt_count]
    own.shortest_ns, own.longest_ns = min(taken), max(taken)


def _is_due(state: Bbr, min_rtt_ns: int, now_ns: int) -> bool:
    """Return whether the smallest RTT is so old that ProbeRTT would look for it."""
    old_ns = PROBE_RTT_NS
    if min_rtt_ns > LONG_RTT_NS:
        old_ns = min_rtt_ns * LONG_RTTS  # [bbr.picoquic.min-rtt.long]
    return now_ns > state.probe_rtt_min_stamp_ns + old_ns


def _margin_ns(state: Bbr, base: NewReno, min_rtt_ns: int) -> int:
    margin_ns = whole_ns(min_rtt_ns // MARGIN_PART)  # [bbr.picoquic.min-rtt.margin]
    rate = state.max_bw.delivered_bytes
    if rate > 0:
        margin_ns += 2 * base.max_datagram_size_bytes * (_SECOND_NS // MICROSECOND_NS) // rate * MICROSECOND_NS
    return margin_ns


def _count_excess(own: Picoquic, shortest_ns: int, min_rtt_ns: int) -> None:
    if min_rtt_ns <= SHORT_RTT_NS or shortest_ns <= min_rtt_ns:
        own.rtt_excess = 0  # [bbr.picoquic.excess.over]
    elif shortest_ns > min_rtt_ns + SHORT_RTT_NS + whole_ns(min_rtt_ns // 4):
        own.rtt_excess += 1  # [bbr.picoquic.excess]


def update_min_rtt(state: Bbr, base: NewReno, own: Picoquic, ack: Ack, rtt_ns: int) -> None:
    """Take the RTT into the smallest one, which is the longest of the last seven."""
    now_ns = whole_ns(ack.t_ns)
    _take_rtt(own, now_ns, rtt_ns)
    shortest_ns, longest_ns, delay_ns = own.shortest_ns, own.longest_ns, state.probe_rtt_min_delay_ns
    if shortest_ns is None or longest_ns is None:
        return  # [bbr.picoquic.jitter.first]
    few, min_rtt_ns = own.rtt_count < JITTER_RTTS, state.min_rtt_ns
    if delay_ns is None or min_rtt_ns is None or few or longest_ns < delay_ns or _is_due(state, min_rtt_ns, now_ns):
        state.probe_rtt_min_delay_ns = delay_ns = longest_ns  # [bbr.picoquic.min-rtt.delay]
        state.probe_rtt_min_stamp_ns = now_ns
    elif shortest_ns < min_rtt_ns + _margin_ns(state, base, min_rtt_ns):
        state.probe_rtt_min_stamp_ns = state.min_rtt_stamp_ns = now_ns  # [bbr.picoquic.min-rtt.near]
    is_old = now_ns > state.min_rtt_stamp_ns + MIN_RTT_NS
    if min_rtt_ns is None or delay_ns < min_rtt_ns or is_old or few:
        state.min_rtt_ns = min_rtt_ns = delay_ns  # [bbr.picoquic.min-rtt]
        state.min_rtt_stamp_ns = state.probe_rtt_min_stamp_ns
    _count_excess(own, shortest_ns, min_rtt_ns)
