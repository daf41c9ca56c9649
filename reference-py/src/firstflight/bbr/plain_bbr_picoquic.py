"""BBR of picoquic: Startup and Drain, written from picoquic/bbr.c, with what it uses of frames.c, loss_recovery.c, timing.c and sender.c.

It was written without a look at the model, from commit d199d45b of private-octopus/picoquic. A bandwidth is bytes per second, a time is floored to
microseconds, and doubles are exact: a pacing rate is a number of 1/10000 byte per second, and 0.7 of a number the whole number below, where picoquic's
product may be one less. Of the samples of a rate picoquic's own differ a little; those of the stream are taken. A timeout is the probe timer, as in picoquic. Left out are ProbeRTT, the start with HyStart above 250 ms, ECN, the
resumption after a timeout with what was known before (startup_resume), and what follows Drain: the phases that probe for bandwidth.
"""

from dataclasses import dataclass, field

from firstflight.events import Ack, Event, Lost, Pto, Sent, SpuriousLoss
from firstflight.limits import TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase

PROFILE = "bbr/picoquic"

US_NS, SECOND_US, SECOND_NS = 1000, 1_000_000, 1_000_000_000
INFINITE = 1 << 64  # in place of UINT64_MAX
#: Pacing gains in parts of 100, and what makes of a bandwidth a number of 1/10000 byte per second: 1 % is the margin.
PACING_GAINS = {Phase.STARTUP: 277, Phase.DRAIN: 50, Phase.PROBE_BW: 100}
RATE_UNIT, MARGIN = 10_000, 99
CWND_GAIN = 2
INITIAL_RTT_US = 250_000
MIN_PIPE_PACKETS, LEAST_CONSERVED_PACKETS = 4, 2
EXTRA_ACKED_ROUNDS = 10
FULL_BW_ROUNDS, FULL_LOSS_RANGES = 3, 6
LOSS_PERCENT, LOSS_PACKETS = 2, 3
BETA_TENTHS = 7
RTT_SAMPLES, RTT_SPACING_US = 7, 1000
MIN_RTT_THRESHOLD_US = MIN_RTT_MARGIN_US = 128
LONG_RTT_US, MIN_RTT_WINDOW_US, PROBE_RTT_WINDOW_US = 250_000, 10_000_000, 5_000_000
ESTIMATE_LEAST_US, IDLE_LEAST_US = 1000, 1_000_000
QUANTUM_MOST_BYTES, SLOW_RATE = 0x10000, 150_000


@dataclass(slots=True)
class Bbr:
    """picoquic_bbr_state_t, and below what it uses of picoquic_path_t, with what losses the next ACK is told of."""

    mtu: int
    initial_window: int
    cwnd_bytes: int
    ssthresh_bytes: int | None = None  # picoquic has only a flag
    phase: Phase = Phase.STARTUP
    round_start_pn: int = 0
    round_count: int = 0
    round_start: bool = False
    pacing_rate: int = 0
    send_quantum: int = 0
    prior_cwnd: int = 0
    packet_conservation: bool = False
    max_bw: int = 0
    bw_lo: int = INFINITE
    bw: int = 0
    min_rtt: int = INFINITE
    rtt_jitter_buffer: list[int] = field(default_factory=lambda: [0] * RTT_SAMPLES)
    rtt_jitter_cycle: int = 0
    rtt_short_term_min: int = INFINITE
    rtt_short_term_max: int = INFINITE
    last_rtt_sample_stamp: int = 0
    nb_rtt_excess: int = 0
    bdp: int = 0
    extra_acked: int = 0
    max_inflight: int = 0
    inflight_hi: int = 0
    inflight_lo: int = INFINITE
    bw_latest: int = 0
    inflight_latest: int = 0
    extra_acked_interval_start: int = 0
    extra_acked_delivered: int = 0
    extra_acked_filter: list[int] = field(default_factory=lambda: [0] * EXTRA_ACKED_ROUNDS)
    filled_pipe: bool = False
    full_bw: int = 0
    full_bw_count: int = 0
    min_rtt_stamp: int = 0
    probe_rtt_min_delay: int = INFINITE
    probe_rtt_min_stamp: int = 0
    loss_in_round: bool = False
    loss_round_start: bool = False
    loss_round_delivered: int = 0
    startup_inflight_too_high_in_round: bool = False
    startup_loss_ranges_in_round: int = 0
    is_in_recovery: bool = False
    is_pto_recovery: bool = False
    recovery_packet_number: int = 0
    recovery_delivered: int = 0
    # Of the path.
    next_release_ns: int | None = None
    delivered: int = 0
    delivered_limited_index: int = 0
    delivered_sent_last: int = 0
    bandwidth_estimate: int = 0
    bytes_in_transit: int = 0
    highest_acknowledged: int = 0
    send_sequence: int = 0
    rtt_min: int | None = None
    last_sent_time: int | None = None
    newly_lost: int = 0
    newly_lost_ranges: int = 0
    latest_repeat_loss_packet_number: int | None = None


@dataclass(slots=True)
class Sample:
    """bbr_per_ack_state_t."""

    delivered: int
    rtt_sample: int
    newly_acked: int
    newly_lost: int
    newly_lost_ranges: int
    delivery_rate: int = 0
    prior_delivered: int = 0
    tx_in_flight: int = 0
    lost: int = 0
    is_app_limited: bool = False


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> Bbr:
    """BBROnInit, at time 0: without an RTT, which no later one replaces in the initial pacing rate."""
    window = newreno.begin(max_datagram_size_bytes, initial_window_bytes).congestion_window
    s = Bbr(max_datagram_size_bytes, window, window)
    in_a_second = window * SECOND_US // INITIAL_RTT_US  # [bbr.picoquic.initial]
    s.pacing_rate = bounded_rate(PACING_GAINS[Phase.STARTUP] * 100 * in_a_second)
    return s


def on_event(s: Bbr, event: Event) -> Outcome:
    """Call the function of the event; the others are nothing to picoquic, nor are marks, of which it needs more counts."""
    match event:
        case Sent():
            return on_sent(s, event)
        case Ack():
            return on_ack(s, event)
        case Lost():
            return on_lost(s, event)
        case Pto():
            return on_enter_rto(s)
        case SpuriousLoss():
            return on_spurious_loss(s, event.t_ns // US_NS)
    return Outcome.UNCHANGED


def clipped(number: int) -> int:
    """Return a number where a u64 ends here (ours)."""
    return min(number, WINDOW_MAX_BYTES)


def bounded_rate(rate: int) -> int:
    """Return a pacing rate, at least the least: picoquic hands its pacer none of 0 (ours)."""
    return max(min(rate, WINDOW_MAX_BYTES * RATE_UNIT), 1)


def on_sent(s: Bbr, sent: Sent) -> Outcome:
    """picoquic_finalize_and_protect_packet_tuple: idle for more than a second while limited by the application; and the pacing (ours)."""
    now = sent.t_ns // US_NS
    idle = sent.bytes_in_flight == sent.bytes and s.delivered_limited_index != 0
    if idle and s.last_sent_time is not None and now > s.last_sent_time + IDLE_LEAST_US:
        s.extra_acked_interval_start = now  # [bbr.picoquic.idle] BBRHandleRestartFromIdle
    s.last_sent_time = now
    s.bytes_in_transit = clipped(sent.bytes_in_flight)
    if sent.app_limited:  # picoquic_mark_path_app_limited
        s.delivered_limited_index = max(clipped(s.delivered + s.bytes_in_transit), 1)
    delay = -(
        -sent.bytes * SECOND_NS // max(s.pacing_rate // RATE_UNIT, 1)
    )  # by whole bytes, as picoquic states the rate
    s.next_release_ns = min(max(sent.t_ns, s.next_release_ns or 0) + delay, TIME_MAX_NS)
    return Outcome.SENT


def on_ack(s: Bbr, ack: Ack) -> Outcome:
    """process_decoded_packet_data, of which BBR hears only where an RTT was measured."""
    before, was = s.cwnd_bytes, s.phase
    s.bytes_in_transit = clipped(ack.bytes_in_flight)
    s.highest_acknowledged = max(s.highest_acknowledged, ack.packets[-1].last)
    s.send_sequence = ack.next_packet
    rs = rs_from_ack(s, ack)
    s.newly_lost = s.newly_lost_ranges = 0
    if rs.rtt_sample == 0:
        return Outcome.UNCHANGED  # [bbr.picoquic.rtt.none]
    outcome = update_on_ack(s, rs, ack.t_ns // US_NS)
    if outcome is not None:
        return outcome
    if was is Phase.DRAIN and s.phase is Phase.PROBE_BW:
        return Outcome.DRAINED
    return Outcome.GROWN if s.cwnd_bytes > before else Outcome.UNCHANGED


def rtt_sample(s: Bbr, ack: Ack) -> int:
    """picoquic_update_path_rtt: since the packet was sent, without the delay where more than the smallest is left."""
    sample = (ack.t_ns - ack.packets[-1].sent_t_ns) // US_NS  # [bbr.picoquic.rtt]
    delay = ack.ack_delay_ns // US_NS
    if s.rtt_min is not None and s.rtt_min + delay < sample:
        sample -= delay  # [bbr.picoquic.rtt.delay]
    s.rtt_min = sample if s.rtt_min is None else min(s.rtt_min, sample)
    return sample


def rs_from_ack(s: Bbr, ack: Ack) -> Sample:
    """picoquic_estimate_path_bandwidth and BBRSetRsFromAckState: without a new estimate the last one goes on."""
    rs = Sample(ack.bytes, rtt_sample(s, ack), ack.bytes, s.newly_lost, s.newly_lost_ranges)
    if ack.rate_delivered_bytes is None:
        s.delivered = clipped(s.delivered + ack.bytes)  # [bbr.picoquic.rate.none]
    else:
        assert ack.rate_interval_ns is not None and ack.rate_prior_delivered_bytes is not None
        assert ack.rate_in_flight_bytes is not None and ack.rate_lost_bytes is not None
        last = ack.packets[-1]
        rs.delivered, rs.lost, rs.is_app_limited = (
            ack.rate_delivered_bytes,
            ack.rate_lost_bytes,
            bool(ack.rate_app_limited),
        )
        rs.tx_in_flight = max(ack.rate_in_flight_bytes - last.size_bytes, 0)  # [bbr.picoquic.before]
        s.delivered = clipped(ack.rate_prior_delivered_bytes + rs.delivered)
        interval, sent = ack.rate_interval_ns // US_NS, last.sent_t_ns // US_NS
        if interval > ESTIMATE_LEAST_US and sent >= s.delivered_sent_last:
            s.bandwidth_estimate = clipped(rs.delivered * SECOND_US // interval)  # [bbr.picoquic.rate]
            s.delivered_sent_last = sent
            if s.delivered >= s.delivered_limited_index:
                s.delivered_limited_index = 0
    rs.prior_delivered = s.delivered - rs.delivered
    if s.bandwidth_estimate > 0:
        rs.delivery_rate = s.bandwidth_estimate
    elif rs.rtt_sample > 0:
        rs.delivery_rate = clipped(rs.delivered * SECOND_US // rs.rtt_sample)  # [bbr.picoquic.rate.rtt]
    return rs


def update_on_ack(s: Bbr, rs: Sample, now: int) -> Outcome | None:
    """BBRUpdateOnACK: the model, then the controls."""
    update_latest_delivery_signals(s, rs)
    update_congestion_signals(s, rs)
    update_ack_aggregation(s, rs, now)
    outcome = check_startup_done(s, rs)  # [bbr.picoquic.order]
    resumed = check_recovery(s, rs, now)
    check_drain(s)
    if s.filled_pipe and not is_inflight_too_high(s, rs):  # BBRAdaptUpperBounds
        s.inflight_hi = max(s.inflight_hi, rs.tx_in_flight)  # [bbr.picoquic.long-term]
    update_min_rtt(s, rs, now)
    if s.loss_round_start:  # BBRAdvanceLatestDeliverySignals
        s.bw_latest, s.inflight_latest = rs.delivery_rate, rs.delivered
    s.bw = min(s.max_bw, s.bw_lo)  # BBRBoundBWForModel
    set_pacing_rate(s)
    set_send_quantum(s)
    set_cwnd(s, rs)
    return Outcome.STARTUP_RESUMED if resumed else outcome


def update_latest_delivery_signals(s: Bbr, rs: Sample) -> None:
    """BBRUpdateLatestDeliverySignals: the most of the last round, and whether that ends now."""
    s.bw_latest = max(s.bw_latest, rs.delivery_rate)
    s.inflight_latest = max(s.inflight_latest, rs.delivered)
    s.loss_round_start = rs.prior_delivered >= s.loss_round_delivered
    if s.loss_round_start:
        s.loss_round_delivered = s.delivered


def update_congestion_signals(s: Bbr, rs: Sample) -> None:
    """BBRUpdateCongestionSignals: round and largest bandwidth, and once in a round the bounds that losses set."""
    update_round(s)
    if rs.delivery_rate >= s.max_bw or not rs.is_app_limited:  # BBRUpdateMaxBw; the first cycle never ends
        s.max_bw = max(s.max_bw, rs.delivery_rate)  # [bbr.picoquic.max-bw]
    s.loss_in_round = s.loss_in_round or rs.newly_lost > 0  # [bbr.picoquic.lost.noted]
    if not s.loss_round_start:
        return
    if s.loss_in_round and s.phase is not Phase.STARTUP:  # BBRAdaptLowerBoundsFromCongestion
        bw_lo = s.max_bw if s.bw_lo == INFINITE else s.bw_lo
        inflight_lo = s.cwnd_bytes if s.inflight_lo == INFINITE else s.inflight_lo
        s.bw_lo = max(s.bw_latest, BETA_TENTHS * bw_lo // 10)
        s.inflight_lo = max(s.inflight_latest, BETA_TENTHS * inflight_lo // 10)
    s.loss_in_round = False


def update_round(s: Bbr) -> None:
    """BBRUpdateRound: by packet numbers."""
    s.round_start = s.highest_acknowledged >= s.round_start_pn  # [bbr.picoquic.round]
    if s.round_start:
        s.round_start_pn = s.send_sequence
        s.round_count += 1
        s.extra_acked_filter[s.round_count % EXTRA_ACKED_ROUNDS] = 0


def update_ack_aggregation(s: Bbr, rs: Sample, now: int) -> None:
    """BBRUpdateACKAggregation, whose expectation is not divided by the microseconds of a second: but in the same one it is never met."""
    expected = s.bw * (now - s.extra_acked_interval_start)  # [bbr.picoquic.extra-acked]
    if s.extra_acked_delivered <= expected:
        s.extra_acked_delivered = expected = 0
        s.extra_acked_interval_start = now
    s.extra_acked_delivered = clipped(s.extra_acked_delivered + rs.newly_acked)
    extra = min(s.extra_acked_delivered - expected, s.cwnd_bytes)
    slot = s.round_count % EXTRA_ACKED_ROUNDS
    s.extra_acked_filter[slot] = max(s.extra_acked_filter[slot], extra)
    s.extra_acked = max(s.extra_acked_filter)  # [bbr.picoquic.extra-acked.ten]


def is_inflight_too_high(s: Bbr, rs: Sample) -> bool:
    """IsInflightTooHigh: of packets sent after the last recovery, and more than three lost."""
    if rs.prior_delivered <= s.recovery_delivered:
        return False  # [bbr.picoquic.too-high.after]
    most = max(LOSS_PERCENT * rs.tx_in_flight, 100 * LOSS_PACKETS * s.mtu)  # [bbr.picoquic.too-high.datagrams]
    return 100 * rs.lost > most


def check_startup_done(s: Bbr, rs: Sample) -> Outcome | None:
    """BBRCheckStartupDone: the bandwidth, the losses, or RTTs that were too long for longer than the buffer of them."""
    if s.phase is not Phase.STARTUP:
        return None
    counted = check_startup_full_bandwidth(s, rs)
    by_plateau = s.filled_pipe
    by_loss = check_startup_high_loss(s, rs)
    by_delay = s.min_rtt > MIN_RTT_THRESHOLD_US and s.nb_rtt_excess > RTT_SAMPLES  # [bbr.picoquic.delay-exit]
    if not (by_plateau or by_loss or by_delay):
        return counted
    s.filled_pipe, s.full_bw_count, s.phase = True, 0, Phase.DRAIN  # [bbr.picoquic.exit] BBREnterDrain
    if by_loss:
        return Outcome.EXITED_BY_LOSS
    return Outcome.EXITED_BY_PLATEAU if by_plateau else Outcome.EXITED_BY_DELAY


def check_startup_full_bandwidth(s: Bbr, rs: Sample) -> Outcome | None:
    """BBRCheckStartupFullBandwidth: once in a round, by the largest bandwidth."""
    if not s.round_start:
        return None
    if rs.is_app_limited:
        return Outcome.APP_LIMITED
    if 4 * s.max_bw >= 5 * s.full_bw:
        s.full_bw, s.full_bw_count = s.max_bw, 0
        return Outcome.BW_GROWN
    s.full_bw_count += 1
    s.filled_pipe = s.full_bw_count >= FULL_BW_ROUNDS
    return Outcome.PLATEAU_COUNTED


def check_startup_high_loss(s: Bbr, rs: Sample) -> bool:
    """BBRCheckStartupHighLoss: at the end of a round with six ranges lost, and an ACK in it that found too much in flight."""
    s.startup_loss_ranges_in_round += rs.newly_lost_ranges
    if is_inflight_too_high(s, rs):
        s.startup_inflight_too_high_in_round = True  # [bbr.picoquic.loss-exit.any-ack]
    if not s.round_start:
        return False
    enough = s.startup_loss_ranges_in_round >= FULL_LOSS_RANGES  # [bbr.picoquic.loss-exit]
    found = s.startup_inflight_too_high_in_round and enough
    s.startup_inflight_too_high_in_round, s.startup_loss_ranges_in_round = False, 0
    return found


def check_recovery(s: Bbr, rs: Sample, now: int) -> bool:
    """BBRCheckRecovery: a round of packet conservation where too much is in flight. Return whether Startup begins anew."""
    if s.is_in_recovery:
        return s.highest_acknowledged >= s.recovery_packet_number and on_exit_recovery(s, now)
    if is_inflight_too_high(s, rs):  # BBROnEnterFastRecovery
        s.prior_cwnd = s.cwnd_bytes
        s.cwnd_bytes = clipped(s.bytes_in_transit + max(s.mtu, rs.newly_acked))  # [bbr.picoquic.recovery]
        s.recovery_packet_number, s.recovery_delivered = s.send_sequence, s.delivered
        s.is_in_recovery, s.packet_conservation = True, True
    return False


def on_exit_recovery(s: Bbr, now: int) -> bool:
    """BBROnExitRecovery: the window of before, and after a timeout Startup as at the beginning (BBRReEnterStartup)."""
    resumed = s.is_pto_recovery
    s.cwnd_bytes = max(s.prior_cwnd, s.cwnd_bytes)  # [bbr.picoquic.recovery.end]
    s.packet_conservation = s.is_in_recovery = s.is_pto_recovery = False
    if resumed:
        s.full_bw, s.full_bw_count, s.filled_pipe, s.phase = 0, 0, False, Phase.STARTUP  # [bbr.picoquic.timeout.end]
    s.recovery_delivered = s.delivered
    s.probe_rtt_min_stamp = s.min_rtt_stamp = now  # [bbr.picoquic.recovery.end.rtt]
    return resumed


def check_drain(s: Bbr) -> None:
    """BBRCheckDrain, and of BBRStartProbeBW_DOWN what begins anew."""
    if s.phase is Phase.DRAIN and s.bytes_in_transit <= budget(s, bdp_multiple(s, 1)):
        s.phase = Phase.PROBE_BW
        s.loss_in_round, s.bw_latest, s.inflight_latest = False, 0, 0
        s.round_start_pn = s.send_sequence  # [bbr.picoquic.drained]
        s.nb_rtt_excess = 0


def update_min_rtt(s: Bbr, rs: Sample, now: int) -> None:
    """BBRUpdateMinRTT: the least of the largest of seven samples; until there are seven the largest so far."""
    margin = s.min_rtt * 5 * 100 // 1_000_000  # [bbr.picoquic.min-rtt.margin]
    if s.max_bw > 0:
        margin += 2 * s.mtu * SECOND_US // s.max_bw
    update_rtt_jitter_buffer(s, rs, now)
    expired = False
    if s.min_rtt != INFINITE:
        window = PROBE_RTT_WINDOW_US if s.min_rtt <= LONG_RTT_US else 100 * s.min_rtt
        expired = now > s.probe_rtt_min_stamp + window
    filling = s.rtt_jitter_cycle < RTT_SAMPLES
    if s.rtt_short_term_max < s.probe_rtt_min_delay or expired or filling:
        s.probe_rtt_min_delay, s.probe_rtt_min_stamp = s.rtt_short_term_max, now  # [bbr.picoquic.min-rtt.delay]
    elif s.rtt_short_term_min < s.min_rtt + margin:
        s.probe_rtt_min_stamp = s.min_rtt_stamp = now  # [bbr.picoquic.min-rtt.near]
    if s.probe_rtt_min_delay < s.min_rtt or now > s.min_rtt_stamp + MIN_RTT_WINDOW_US or filling:
        s.min_rtt, s.min_rtt_stamp = s.probe_rtt_min_delay, s.probe_rtt_min_stamp  # [bbr.picoquic.min-rtt]
    if s.rtt_short_term_min > s.min_rtt > MIN_RTT_THRESHOLD_US:
        delta_max = MIN_RTT_MARGIN_US + s.min_rtt // 4  # [bbr.picoquic.excess]
        s.nb_rtt_excess += s.rtt_short_term_min > s.min_rtt + delta_max
    else:
        s.nb_rtt_excess = 0  # [bbr.picoquic.excess.over]


def update_rtt_jitter_buffer(s: Bbr, rs: Sample, now: int) -> None:
    """BBRUpdateRTTJitterBuffer: at most a sample in a millisecond."""
    if now <= s.last_rtt_sample_stamp + RTT_SPACING_US:
        return  # [bbr.picoquic.jitter.spaced]
    s.rtt_jitter_buffer[s.rtt_jitter_cycle % RTT_SAMPLES] = rs.rtt_sample  # [bbr.picoquic.jitter]
    s.rtt_jitter_cycle += 1
    s.last_rtt_sample_stamp = now
    samples = s.rtt_jitter_buffer[: s.rtt_jitter_cycle]
    s.rtt_short_term_min, s.rtt_short_term_max = min(samples), max(samples)


def bdp_multiple(s: Bbr, gain: int) -> int:
    """BBRBDPMultiple; without an RTT the initial window times that of a packet."""
    if s.min_rtt == INFINITE:
        return clipped(s.initial_window * s.mtu)  # [bbr.picoquic.bdp.none]
    s.bdp = clipped(s.min_rtt * s.bw // SECOND_US)
    return clipped(gain * s.bdp)


def budget(s: Bbr, inflight: int) -> int:
    """BBRQuantizationBudget: at least three bursts, and four packets."""
    return clipped(max(inflight, 3 * s.send_quantum, MIN_PIPE_PACKETS * s.mtu))


def set_pacing_rate(s: Bbr) -> None:
    """BBRSetPacingRate: until the pipe is full it only rises."""
    rate = bounded_rate(PACING_GAINS[s.phase] * s.bw * MARGIN)
    if s.filled_pipe or rate > s.pacing_rate:
        s.pacing_rate = rate


def set_send_quantum(s: Bbr) -> None:
    """BBRSetSendQuantum: what a millisecond paces."""
    least = s.mtu if s.pacing_rate < SLOW_RATE * RATE_UNIT else 2 * s.mtu  # [bbr.quantum.slow]
    s.send_quantum = max(min(s.pacing_rate // (1000 * RATE_UNIT), QUANTUM_MOST_BYTES), least)


def set_cwnd(s: Bbr, rs: Sample) -> None:
    """BBRSetCwnd: losses are taken off in every state, then the window grows towards the target, but not in packet conservation."""
    s.max_inflight = budget(s, bdp_multiple(s, CWND_GAIN) + s.extra_acked)
    if rs.newly_lost > 0:  # [bbr.picoquic.lost] BBRModulateCwndForRecovery
        s.cwnd_bytes = s.cwnd_bytes - rs.newly_lost if s.cwnd_bytes > rs.newly_lost + s.mtu else s.mtu
    if s.packet_conservation:
        s.cwnd_bytes = max(s.cwnd_bytes, clipped(s.bytes_in_transit + rs.newly_acked))
    else:
        grown = clipped(s.cwnd_bytes + rs.newly_acked)
        if s.filled_pipe:
            s.cwnd_bytes = min(grown, s.max_inflight)
        elif s.cwnd_bytes < s.max_inflight or s.delivered < s.initial_window:
            s.cwnd_bytes = grown
        s.cwnd_bytes = max(s.cwnd_bytes, MIN_PIPE_PACKETS * s.mtu)
    # BBRBoundCwndForModel: the short-term bound in every state, the other one after Drain.
    cap = s.inflight_hi if s.phase is Phase.PROBE_BW and s.inflight_hi > 0 else INFINITE
    s.cwnd_bytes = min(s.cwnd_bytes, max(min(cap, s.inflight_lo), MIN_PIPE_PACKETS * s.mtu))


def on_lost(s: Bbr, lost: Lost) -> Outcome:
    """picoquic_count_and_notify_loss of each packet, and what the next ACK is told of them."""
    s.bytes_in_transit = clipped(lost.bytes_in_flight)
    noted = s.newly_lost > 0
    s.newly_lost = clipped(s.newly_lost + lost.bytes)
    for run in lost.packets:
        follows = s.latest_repeat_loss_packet_number
        s.newly_lost_ranges += follows is None or run.first != follows + 1  # [bbr.picoquic.loss-exit.separate]
        s.latest_repeat_loss_packet_number = run.last
        if s.is_pto_recovery and s.cwnd_bytes > run.size_bytes:  # BBRUpdatePtoRecoveryOnRepeatLoss, packet by packet
            times = min(run.count, (s.cwnd_bytes - 1) // run.size_bytes)
            left = s.cwnd_bytes - times * run.size_bytes  # [bbr.picoquic.timeout.lost]
            s.cwnd_bytes = max(left, LEAST_CONSERVED_PACKETS * s.mtu)
    return Outcome.ALREADY_NOTED if noted else Outcome.LOSS_NOTED


def on_enter_rto(s: Bbr) -> Outcome:
    """BBROnEnterRTO: what is in flight and a packet, until any packet of these is acknowledged."""
    if s.is_pto_recovery:
        return Outcome.UNCHANGED  # [bbr.picoquic.timeout.once]
    if not s.is_in_recovery:
        s.prior_cwnd = s.cwnd_bytes
    s.cwnd_bytes = clipped(s.bytes_in_transit + s.mtu)  # [bbr.picoquic.timeout]
    s.is_in_recovery = s.is_pto_recovery = True
    s.recovery_packet_number, s.recovery_delivered = 0, s.delivered
    return Outcome.COLLAPSED


def on_spurious_loss(s: Bbr, now: int) -> Outcome:
    """BBROnSpuriousLoss: of the packet of a timeout."""
    if not s.is_pto_recovery:
        return Outcome.UNCHANGED
    on_exit_recovery(s, now)  # [bbr.picoquic.undo]
    return Outcome.RESTORED
