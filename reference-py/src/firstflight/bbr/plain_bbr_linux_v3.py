"""BBR v3 of Linux: Startup and Drain, from net/ipv4/tcp_bbr.c of the v3 branch, tcp_rate.c and tcp_input.c.

Written without reading the model. A bandwidth is packets per microsecond, times 2^24; a packet is a maximum datagram,
and parts of a packet count. Windows and volumes are in bytes, times are floored to microseconds. One ACK of the kernel
corresponds to several events of a stream. Therefore the losses since the last ACK count as losses of the next ACK.
Recovery is the period of RFC 9002, the timeout is persistent congestion. BBR's ECN needs a path enabled for it and is
left out. The phases after Drain that probe for bandwidth, and PROBE_RTT, are also left out.
"""

from dataclasses import dataclass, field

from firstflight.events import Ack, Event, Lost, PersistentCongestion, Sent, SpuriousLoss
from firstflight.limits import TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase

PROFILE = "bbr/linux-v3"

#: Positions of the binary point of bandwidths and of gains, in bits.
BW_SCALE, BBR_SCALE = 24, 8
#: Parts of a packet per microsecond, and of a gain of 1.
BW_UNIT, BBR_UNIT = 1 << BW_SCALE, 1 << BBR_SCALE
#: The largest bandwidth, 32 bits in the kernel, in 1/2^24 packets per us.
BW_MAX = 2**32 - 1
#: A microsecond and a second.
US_NS, SECOND_NS = 1000, 1_000_000_000
#: Pacing gains of Startup and Drain, in 1/256.
STARTUP_PACING_GAIN, DRAIN_GAIN = BBR_UNIT * 277 // 100 + 1, BBR_UNIT * 1000 // 2885
#: Gain of the window, in 1/256.
CWND_GAIN = 2 * BBR_UNIT
#: Pacing gains of the phases, in 1/256.
PACING_GAINS = {Phase.STARTUP: STARTUP_PACING_GAIN, Phase.DRAIN: DRAIN_GAIN, Phase.PROBE_BW: BBR_UNIT}
#: Microseconds of a second, minus the pacing margin of 1 %.
PACED = 10_000 * 99
#: A burst lasts 1/2^10 of a second.
PACING_SHIFT = 10
#: Addition to a burst, halved for each 2^9 us of the minimum RTT, in bytes.
GSO_LEGACY_MAX_SIZE = 65536
#: Each 2^9 us of the minimum RTT halve the addition, and 32 * 2^9 us end it.
TSO_RTT_SHIFT, TSO_RTT_SHIFTS = 9, 32
#: The longest burst that the kernel passes to the device, without headers, and the shortest burst.
LARGEST_GSO_BYTES, MIN_TSO_SEGMENTS = GSO_LEGACY_MAX_SIZE - 1 - 320, 2
#: A minimum RTT expires after 10 s; the RTT is probed after 5 s without a lower one.
MIN_RTT_WINDOW_NS, PROBE_RTT_WINDOW_NS = 10 * SECOND_NS, 5 * SECOND_NS
#: Growth of the bandwidth that continues Startup, in 1/256.
FULL_BW_THRESH = BBR_UNIT * 5 // 4
#: Startup ends after this number of rounds without enough growth of the bandwidth.
FULL_BW_ROUNDS = 3
#: Threshold of the loss rate, and factor of the short-term bounds, in 1/256.
LOSS_THRESH, LOSS_CUT = BBR_UNIT * 2 // 100, BBR_UNIT - BBR_UNIT * 30 // 100
#: Number of ACKs with losses in a round that can end Startup, and the largest count.
FULL_LOSS_COUNT, LOSS_EVENTS_MOST = 6, 0xF
#: The minimum window, the largest initial window, and the end of a period of aggregation, in packets.
CWND_MIN_PACKETS, INIT_CWND_MOST, EPOCH_MOST_PACKETS = 4, 0x7F, 1 << 20
#: Half the length of the maximum filter of the aggregation, and its bound as a time at the bandwidth.
EXTRA_ACKED_ROUNDS, EXTRA_ACKED_MOST_US = 5, 100_000
#: ~0U of the kernel: absent bounds and RTTs.
INFINITE = 1 << 64
#: TCP_CA_Open, TCP_CA_Recovery and TCP_CA_Loss: states of the connection.
OPEN, RECOVERY, LOSS = 0, 3, 4


@dataclass(slots=True)
class Bbr:
    """struct bbr, and the fields of struct sock that it uses.

    ``lost_since_ack``: whether packets were lost since the last ACK, rs->losses of the next ACK. ``max_bw``: the
    largest bandwidth so far. The kernel stores it as the larger of two values, bw_hi[0] and bw_hi[1]. Neither value is
    discarded before the first probe for bandwidth, which comes after Drain.
    """

    mss: int
    init_cwnd: int
    cwnd_bytes: int
    ssthresh_bytes: int | None = None
    phase: Phase = Phase.STARTUP
    pacing_rate: int = 0
    next_release_ns: int | None = None
    delivered: int = 0
    app_limited: int = 0
    inflight: int = 0
    lost_since_ack: bool = False
    ca_state: int = OPEN
    recovery_start: int = 0
    min_rtt_us: int = INFINITE
    min_rtt_stamp: int = 0
    probe_rtt_min_us: int = INFINITE
    probe_rtt_min_stamp: int = 0
    next_rtt_delivered: int = 0
    round_start: bool = False
    pacing_gain: int = STARTUP_PACING_GAIN
    has_seen_rtt: bool = False
    try_fast_path: bool = False
    prior_cwnd: int = 0
    full_bw: int = 0
    full_bw_cnt: int = 0
    full_bw_now: bool = False
    full_bw_reached: bool = False
    ack_epoch_start: int = 0
    ack_epoch_acked: int = 0
    extra_acked: list[int] = field(default_factory=lambda: [0, 0])
    extra_acked_win_rtts: int = 0
    extra_acked_win_idx: int = 0
    # Bounds, long-term and short-term, and the signals of a loss round.
    max_bw: int = 0
    inflight_hi: int = INFINITE
    bw_lo: int = INFINITE
    inflight_lo: int = INFINITE
    bw_latest: int = 0
    inflight_latest: int = 0
    loss_round_delivered: int = 0
    loss_round_start: bool = False
    loss_in_round: bool = False
    loss_events_in_round: int = 0
    undo_bounds: tuple[int, int, int] = (0, 0, 0)


@dataclass(slots=True)
class Sample:
    """struct rate_sample, with the bandwidth ``bw`` of bbr_context.

    ``interval_us`` is negative in an invalid sample.
    """

    acked: int
    losses: bool
    delivered: int = -1
    interval_us: int = -1
    prior_delivered: int = 0
    is_app_limited: bool = False
    tx_in_flight: int = 0
    lost: int = 0
    rtt_us: int = -1
    bw: int = 0


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> Bbr:
    """bbr_init, before the first RTT."""
    window = newreno.begin(max_datagram_size_bytes, initial_window_bytes).congestion_window
    s = Bbr(max_datagram_size_bytes, min(INIT_CWND_MOST * max_datagram_size_bytes, window), window)
    s.loss_round_delivered = s.mss  # [bbr.loss-round.v3]
    init_pacing_rate_from_rtt(s, None)
    return s


def on_event(s: Bbr, event: Event) -> Outcome:
    """Call the function for the event and return the outcome; events without a function change nothing.

    CE marks are such events: BBR uses ECN only on paths enabled for it.
    """
    match event:
        case Sent():
            return on_sent(s, event)
        case Ack():
            return on_ack(s, event)
        case Lost():
            return on_lost(s, event)
        case PersistentCongestion():
            return on_timeout(s, event.t_ns)
        case SpuriousLoss():
            return undo(s)
    return Outcome.UNCHANGED


def on_sent(s: Bbr, sent: Sent) -> Outcome:
    """Process sent packets: pacing, the application-limited mark, and CA_EVENT_TX_START of bbr_cwnd_event."""
    if sent.bytes_in_flight == sent.bytes and s.app_limited:
        s.ack_epoch_start, s.ack_epoch_acked = sent.t_ns, 0
    s.inflight = min(sent.bytes_in_flight, WINDOW_MAX_BYTES)
    if sent.app_limited:
        s.app_limited = max(s.delivered + s.inflight, 1)
    delay = -(-sent.bytes * SECOND_NS // s.pacing_rate)
    s.next_release_ns = min(max(sent.t_ns, s.next_release_ns or 0) + delay, TIME_MAX_NS)
    return Outcome.SENT


def on_ack(s: Bbr, ack: Ack) -> Outcome:
    """tcp_ack: end recovery if a packet sent after its beginning is acknowledged, and then call bbr_main.

    If the phase changes, the outcome is this change. Otherwise the outcome in Startup is the result of the search for a
    full pipe, if any. In all other cases the outcome is whether the window has grown.
    """
    before, was = s.cwnd_bytes, s.phase
    s.inflight = min(ack.bytes_in_flight, WINDOW_MAX_BYTES)
    if s.ca_state != OPEN and any(run.sent_t_ns > s.recovery_start for run in ack.packets):
        if s.ca_state == LOSS:  # bbr_exit_loss_recovery
            s.cwnd_bytes, s.try_fast_path = max(s.cwnd_bytes, s.prior_cwnd), False  # [bbr.recovery.v3]
        s.ca_state = OPEN  # [bbr.recovery.v3.first]
    counted = main(s, rate_gen(s, ack), ack)
    if s.phase is not was and was is Phase.DRAIN:
        return Outcome.DRAINED
    if s.phase is not was:
        return Outcome.EXITED_BY_LOSS if counted is Outcome.EXITED_BY_LOSS else Outcome.EXITED_BY_PLATEAU
    if was is Phase.STARTUP and counted is not None:
        return counted
    return Outcome.GROWN if s.cwnd_bytes > before else Outcome.UNCHANGED


def main(s: Bbr, rs: Sample, ack: Ack) -> Outcome | None:
    """bbr_main: update the model, and then pacing gain, pacing rate, and window; return the outcome or ``None``.

    The fast path (bbr_run_fast_path) is for an application-limited sample below max_bw, without losses in the round,
    after the window has reached its target (try_fast_path). It skips the bandwidth, the aggregation, and the tests for
    high loss and a full pipe. It also skips gain, pacing rate, and window, unless the phase or the minimum RTT changes.

    The outcome is the result of these tests, or APP_LIMITED if an application-limited sample begins a round.
    """
    counted, was = None, (s.phase, s.min_rtt_us)
    s.round_start = rs.interval_us > 0 and rs.prior_delivered >= s.next_rtt_delivered
    if s.round_start:  # bbr_update_round_start
        s.next_rtt_delivered = s.delivered  # [bbr.round]
    update_latest_delivery_signals(s, rs)
    fast = s.try_fast_path and rs.is_app_limited and rs.bw < s.max_bw and not s.loss_in_round
    if not fast:
        update_congestion_signals(s, rs)
        update_ack_aggregation(s, rs, ack.t_ns)
        by_loss, by_rate = check_loss_too_high_in_startup(s, rs), check_full_bw_reached(s, rs)
        counted = by_loss or by_rate
    check_drain(s, ack.t_ns)
    if s.full_bw_reached and s.inflight_hi != INFINITE and not is_inflight_too_high(s, rs):
        s.inflight_hi = max(s.inflight_hi, rs.tx_in_flight)  # [bbr.long-term.v3] bbr_adapt_upper_bounds
    update_min_rtt(s, rs, ack)
    if not fast or was != (s.phase, s.min_rtt_us) or not s.try_fast_path:
        s.pacing_gain = PACING_GAINS[s.phase]  # [bbr.gains.v3]
        set_pacing_rate(s, ack.smoothed_rtt_ns)
        set_cwnd(s, rs.acked)
    if s.loss_round_start:  # bbr_advance_latest_delivery_signals
        s.bw_latest, s.inflight_latest = rs.bw, rs.delivered  # [bbr.latest.advance]
    return Outcome.APP_LIMITED if s.round_start and rs.is_app_limited and counted is None else counted


def rate_gen(s: Bbr, ack: Ack) -> Sample:
    """tcp_rate_gen: an interval below the smallest RTT is invalid, but the lost bytes and the flight are valid."""
    rs, s.lost_since_ack = Sample(ack.bytes, s.lost_since_ack), False
    if ack.latest_rtt_ns is not None:
        rs.rtt_us = ack.latest_rtt_ns // US_NS
    if ack.rate_delivered_bytes is None:
        s.delivered = min(s.delivered + ack.bytes, WINDOW_MAX_BYTES)
    else:
        assert ack.rate_interval_ns is not None and ack.rate_prior_delivered_bytes is not None
        assert ack.rate_in_flight_bytes is not None and ack.rate_lost_bytes is not None
        rs.delivered, rs.prior_delivered = ack.rate_delivered_bytes, ack.rate_prior_delivered_bytes
        rs.is_app_limited = bool(ack.rate_app_limited)
        rs.tx_in_flight, rs.lost = ack.rate_in_flight_bytes, ack.rate_lost_bytes
        s.delivered = min(rs.prior_delivered + rs.delivered, WINDOW_MAX_BYTES)
        interval_us = ack.rate_interval_ns // US_NS  # [bbr.units.time]
        if interval_us > 0 and ack.min_rtt_ns is not None and interval_us >= ack.min_rtt_ns // US_NS:
            rs.interval_us = interval_us
            rs.bw = min(-(-rs.delivered * BW_UNIT // (s.mss * interval_us)), BW_MAX)  # [bbr.units.v3.rate]
    if s.delivered > s.app_limited:
        s.app_limited = 0
    return rs


def update_latest_delivery_signals(s: Bbr, rs: Sample) -> None:
    """bbr_update_latest_delivery_signals: raise bw_latest and inflight_latest to this sample.

    They are the largest bandwidth and delivered volume of the loss round. Also check whether the loss round ends.
    """
    s.loss_round_start = False
    if rs.interval_us < 0:
        return
    s.bw_latest = max(s.bw_latest, rs.bw)
    s.inflight_latest = max(s.inflight_latest, rs.delivered)
    if rs.prior_delivered >= s.loss_round_delivered:
        s.loss_round_delivered = s.delivered
        s.loss_round_start = True


def update_congestion_signals(s: Bbr, rs: Sample) -> None:
    """bbr_update_congestion_signals: update the largest bandwidth, and lower the short-term bounds on losses.

    The bounds are lowered outside Startup, at the end of a loss round with losses.
    """
    if rs.interval_us < 0:
        return
    if not rs.is_app_limited or rs.bw >= s.max_bw:
        s.max_bw = max(s.max_bw, rs.bw)
    s.loss_in_round = s.loss_in_round or rs.losses
    if s.loss_round_start and s.loss_in_round and s.phase is not Phase.STARTUP:  # bbr_adapt_lower_bounds
        bw_lo = s.max_bw if s.bw_lo == INFINITE else s.bw_lo
        inflight_lo = s.cwnd_bytes if s.inflight_lo == INFINITE else s.inflight_lo
        s.bw_lo = max(s.bw_latest, bw_lo * LOSS_CUT >> BBR_SCALE, 1)  # [bbr.units.v3.cut]
        s.inflight_lo = max(s.inflight_latest, share(s, inflight_lo, LOSS_CUT))  # [bbr.short-term]
    s.loss_in_round = s.loss_in_round and not s.loss_round_start


def share(s: Bbr, volume: int, parts: int) -> int:
    """Return ``parts`` / 256 of a volume, rounded down to whole packets."""
    return volume * parts // (BBR_UNIT * s.mss) * s.mss


def bw(s: Bbr) -> int:
    """bbr_bw: return the smaller of max_bw, the largest bandwidth, and bw_lo, the short-term bound set on losses.

    The unit is packets per microsecond, times 2^24.
    """
    return min(s.max_bw, s.bw_lo)


def delivers(s: Bbr, us: int) -> int:
    """Return the bytes that the bandwidth ``bw`` delivers in ``us`` microseconds, rounded down to whole packets."""
    return (bw(s) * us >> BW_SCALE) * s.mss  # [bbr.units.delivers]


def update_ack_aggregation(s: Bbr, rs: Sample, now: int) -> None:
    """bbr_update_ack_aggregation: update extra_acked, the maximum of the excess in the last five to ten rounds.

    Until the pipe is full, it is the maximum of the last one to two rounds. The excess is the number of bytes
    acknowledged in a period beyond the bytes that the bandwidth delivers in it.
    """
    if rs.interval_us < 0:
        return
    if s.round_start:
        s.extra_acked_win_rtts = min(0x1F, s.extra_acked_win_rtts + 1)
        if s.extra_acked_win_rtts >= (EXTRA_ACKED_ROUNDS if s.full_bw_reached else 1):
            s.extra_acked_win_rtts = 0
            s.extra_acked_win_idx = 1 - s.extra_acked_win_idx
            s.extra_acked[s.extra_acked_win_idx] = 0  # [bbr.extra-acked.v3]
    expected = delivers(s, now // US_NS - s.ack_epoch_start // US_NS)
    if s.ack_epoch_acked <= expected or s.ack_epoch_acked + rs.acked >= EPOCH_MOST_PACKETS * s.mss:
        s.ack_epoch_acked = expected = 0
        s.ack_epoch_start = now
    s.ack_epoch_acked = min((EPOCH_MOST_PACKETS - 1) * s.mss, s.ack_epoch_acked + rs.acked)
    extra = min(s.ack_epoch_acked - expected, s.cwnd_bytes)
    s.extra_acked[s.extra_acked_win_idx] = max(extra, s.extra_acked[s.extra_acked_win_idx])


def is_inflight_too_high(s: Bbr, rs: Sample) -> bool:
    """bbr_is_inflight_too_high: return whether the lost bytes of a sample exceed 5/256 of its bytes in flight.

    5/256 is the loss threshold of 2 %. The share is rounded down to whole packets. Without bytes in flight the result
    is False.
    """
    return rs.tx_in_flight > 0 and rs.lost > share(s, rs.tx_in_flight, LOSS_THRESH)  # [bbr.units.v3.loss]


def check_loss_too_high_in_startup(s: Bbr, rs: Sample) -> Outcome | None:
    """bbr_check_loss_too_high_in_startup: at the end of a loss round, check if its losses end Startup.

    This is the case in Recovery with at least six ACKs with losses in the round, if the lost bytes of the sample exceed
    5/256 (2 %) of its bytes in flight. Then mark the pipe as full, and return EXITED_BY_LOSS. The long-term bound
    inflight_hi becomes one bandwidth-delay product (inflight_at_bdp), or inflight_latest if that is larger. Otherwise
    return ``None``.
    """
    if s.full_bw_reached:
        return None
    s.loss_events_in_round = min(s.loss_events_in_round + rs.losses, LOSS_EVENTS_MOST)  # [bbr.loss-exit.acks]
    if not s.loss_round_start:
        return None
    enough = s.ca_state == RECOVERY and s.loss_events_in_round >= FULL_LOSS_COUNT
    if enough and is_inflight_too_high(s, rs):
        s.full_bw_reached = True  # bbr_handle_queue_too_high_in_startup
        s.inflight_hi = max(inflight_at_bdp(s), s.inflight_latest)  # [bbr.loss-exit.long-term.v3]
        return Outcome.EXITED_BY_LOSS
    s.loss_events_in_round = 0
    return None


def check_full_bw_reached(s: Bbr, rs: Sample) -> Outcome | None:
    """bbr_check_full_bw_reached: the pipe is full after three rounds that begin without enough growth.

    Any ACK with a bandwidth of at least 5/4 of the baseline full_bw sets a new baseline and the count to 0. Another ACK
    adds 1 to the count if it begins a round. Application-limited samples are ignored.
    """
    if s.full_bw_now or rs.is_app_limited:
        return None
    if rs.bw >= s.full_bw * FULL_BW_THRESH >> BBR_SCALE:
        s.full_bw, s.full_bw_cnt, s.full_bw_now = rs.bw, 0, False  # [bbr.full-bw.any-ack]
        return Outcome.BW_GROWN if rs.interval_us > 0 else None
    s.full_bw_cnt += s.round_start  # [bbr.full-bw.any-ack.count]
    s.full_bw_now = s.full_bw_cnt >= FULL_BW_ROUNDS
    s.full_bw_reached = s.full_bw_reached or s.full_bw_now
    return Outcome.PLATEAU_COUNTED if s.round_start else None


def check_drain(s: Bbr, now: int) -> None:
    """bbr_check_drain: begin Drain when the pipe is full, and end Drain when little enough is in flight.

    Drain ends if the bytes in flight expected at the next departure are at most inflight_at_bdp. This is one
    bandwidth-delay product, but at least three bursts of :func:`tso_segments` packets, and at least four packets. Drain
    may end on the ACK that begins it. The next phase begins a round (bbr_start_bw_probe_down).
    """
    if s.phase is Phase.STARTUP and s.full_bw_reached:
        s.phase = Phase.DRAIN
        s.ssthresh_bytes = inflight_at_bdp(s)  # [bbr.threshold]
        s.loss_in_round, s.bw_latest, s.inflight_latest = False, 0, 0  # [bbr.signals.v3] bbr_reset_congestion_signals
    if s.phase is Phase.DRAIN and in_net_at_edt(s, now) <= inflight_at_bdp(s):
        s.phase = Phase.PROBE_BW
        s.loss_in_round, s.bw_latest, s.inflight_latest = False, 0, 0  # [bbr.signals.v3]
        s.next_rtt_delivered = s.delivered  # [bbr.drain.v3.round]
        s.try_fast_path = False


def update_min_rtt(s: Bbr, rs: Sample, ack: Ack) -> None:
    """bbr_update_min_rtt, without PROBE_RTT: update two minimum RTTs, ``probe_rtt_min_us`` and ``min_rtt_us``.

    The first takes an RTT sample that is smaller, or any sample once the first is older than 5 s. Then the second takes
    value and time of the first, if the first is not larger or the second is older than 10 s. Both begin with the
    minimum RTT of the connection.
    """
    now = ack.t_ns
    if s.probe_rtt_min_us == INFINITE and ack.min_rtt_ns is not None:
        s.probe_rtt_min_us = s.min_rtt_us = ack.min_rtt_ns // US_NS  # [bbr.min-rtt.v3]
        s.probe_rtt_min_stamp = s.min_rtt_stamp = now
    expired = now > s.probe_rtt_min_stamp + PROBE_RTT_WINDOW_NS
    if rs.rtt_us >= 0 and (rs.rtt_us < s.probe_rtt_min_us or expired):
        s.probe_rtt_min_us, s.probe_rtt_min_stamp = rs.rtt_us, now
    if s.probe_rtt_min_us <= s.min_rtt_us or now > s.min_rtt_stamp + MIN_RTT_WINDOW_NS:
        s.min_rtt_us, s.min_rtt_stamp = s.probe_rtt_min_us, s.probe_rtt_min_stamp  # [bbr.min-rtt.v3.equal]


def to_pacing_rate(s: Bbr, bandwidth: int, gain: int) -> int:
    """bbr_bw_to_pacing_rate, in bytes per second, at least 1."""
    rate = (bandwidth * s.mss * gain >> BBR_SCALE) * PACED >> BW_SCALE  # [bbr.units.pacing]
    return max(min(rate, WINDOW_MAX_BYTES), 1)


def init_pacing_rate_from_rtt(s: Bbr, srtt_ns: int | None) -> None:
    """bbr_init_pacing_rate_from_rtt: set the pacing rate to the window per smoothed RTT, times the gain of Startup.

    The margin of 1 % is subtracted. ``srtt_ns``: the smoothed RTT; without it the RTT is 1 ms.
    """
    rtt_us = 1000
    if srtt_ns:
        rtt_us = max(srtt_ns // US_NS, 1)
        s.has_seen_rtt = True
    scaled = min(s.cwnd_bytes * BW_UNIT // s.mss, WINDOW_MAX_BYTES)  # at most the largest window (ours)
    s.pacing_rate = to_pacing_rate(s, min(scaled // rtt_us, BW_MAX), STARTUP_PACING_GAIN)


def set_pacing_rate(s: Bbr, srtt_ns: int | None) -> None:
    """bbr_set_pacing_rate: set the pacing rate to the bandwidth ``bw`` times the pacing gain, minus 1 %.

    Until the pipe is full, this step only raises the rate. Before this step, the first smoothed RTT
    (``srtt_ns``) sets the rate to the window per RTT, times the gain of Startup, minus 1 %.
    """
    rate = to_pacing_rate(s, bw(s), s.pacing_gain)
    if not s.has_seen_rtt and srtt_ns:
        init_pacing_rate_from_rtt(s, srtt_ns)
    if s.full_bw_reached or rate > s.pacing_rate:
        s.pacing_rate = rate


def tso_segments(s: Bbr) -> int:
    """bbr_tso_segs_goal: return the packets of a burst, at least two.

    The burst is the bytes of 1/1024 s at the pacing rate, plus an addition. The addition is 64 KBytes, halved for each
    512 us of the minimum RTT. The sum is limited to the longest burst of the device.
    """
    bytes_ = s.pacing_rate >> PACING_SHIFT
    if s.min_rtt_us >> TSO_RTT_SHIFT < TSO_RTT_SHIFTS:
        bytes_ += GSO_LEGACY_MAX_SIZE >> (s.min_rtt_us >> TSO_RTT_SHIFT)
    return max(min(bytes_, LARGEST_GSO_BYTES) // s.mss, MIN_TSO_SEGMENTS)  # [bbr.units.v3.quantum]


def bdp(s: Bbr, bandwidth: int, gain: int) -> int:
    """bbr_bdp: return ``bandwidth`` times the minimum RTT times ``gain`` / 256 in bytes, rounded up to whole packets.

    ``bandwidth``: packets per microsecond, times 2^24. Without an RTT the result is the initial window.
    """
    if s.min_rtt_us == INFINITE:
        return s.init_cwnd
    scaled = bandwidth * s.min_rtt_us * gain >> BBR_SCALE
    return -(-scaled // BW_UNIT) * s.mss  # [bbr.units.bdp]


def budget(s: Bbr, volume: int) -> int:
    """bbr_quantization_budget: return the largest of ``volume``, three bursts, and four packets, in bytes.

    A burst has :func:`tso_segments` packets.
    """
    return min(max(volume, 3 * tso_segments(s) * s.mss, CWND_MIN_PACKETS * s.mss), WINDOW_MAX_BYTES)


def inflight_at_bdp(s: Bbr) -> int:
    """bbr_inflight of the largest bandwidth at a gain of 1."""
    return budget(s, bdp(s, s.max_bw, BBR_UNIT))


def in_net_at_edt(s: Bbr, now: int) -> int:
    """bbr_packets_in_net_at_edt: expected bytes in flight when the next packet may leave (earliest departure time)."""
    edt = max(s.next_release_ns or 0, now)
    at_edt = s.inflight + (tso_segments(s) * s.mss if s.pacing_gain > BBR_UNIT else 0)
    return max(at_edt - delivers(s, (edt - now) // US_NS), 0)


def set_cwnd(s: Bbr, acked: int) -> None:
    """bbr_set_cwnd: grow the window by ``acked``, the acknowledged bytes, and apply the bounds set on losses.

    The target is twice the bandwidth-delay product plus ``aggregation``, but at least three bursts and four packets
    (:func:`budget`). ``aggregation``: the largest recent excess of acknowledged bytes over those expected from the
    bandwidth, at most the bytes delivered in 100 ms. Until the pipe is full, the window grows below the target or below
    twice the initial window. When it is full, the target limits the window.
    """
    aggregation = min(max(s.extra_acked), delivers(s, EXTRA_ACKED_MOST_US))  # bbr_ack_aggregation_cwnd
    target = budget(s, bdp(s, bw(s), CWND_GAIN) + aggregation)
    grown = min(s.cwnd_bytes + acked, WINDOW_MAX_BYTES)
    if s.full_bw_reached:
        s.try_fast_path = grown >= target
        s.cwnd_bytes = min(grown, target)
    else:
        s.try_fast_path = s.cwnd_bytes >= target and s.cwnd_bytes >= 2 * s.init_cwnd  # [bbr.cwnd.grow.twice]
        s.cwnd_bytes = s.cwnd_bytes if s.try_fast_path else grown
    s.cwnd_bytes = max(s.cwnd_bytes, CWND_MIN_PACKETS * s.mss)
    # bbr_bound_cwnd_for_inflight_model: the short-term bound in every phase, the long-term bound after Drain.
    cap = min(s.inflight_hi if s.phase is Phase.PROBE_BW else INFINITE, s.inflight_lo)
    s.cwnd_bytes = min(s.cwnd_bytes, max(cap, CWND_MIN_PACKETS * s.mss))  # [bbr.cwnd.cap.least]


def save_for_undo(s: Bbr) -> None:
    """bbr_ssthresh: save the bounds, and the window before recovery (bbr_save_cwnd)."""
    s.prior_cwnd = s.cwnd_bytes if s.ca_state == OPEN else max(s.prior_cwnd, s.cwnd_bytes)
    s.undo_bounds = s.bw_lo, s.inflight_lo, s.inflight_hi


def on_lost(s: Bbr, lost: Lost) -> Outcome:
    """bbr_skb_marked_lost: note the loss for the next ACK and for the loss round.

    If a packet sent after the last recovery began is lost, recovery begins, and the state is saved (bbr_ssthresh).
    During recovery such a loss only sets the start of recovery to now. The outcome is LOSS_NOTED for the first loss of
    a round.
    """
    s.inflight = min(lost.bytes_in_flight, WINDOW_MAX_BYTES)
    s.lost_since_ack = True
    noted, s.loss_in_round = s.loss_in_round, True  # bbr_note_loss
    if not noted:
        s.loss_round_delivered = s.delivered
    if max(run.sent_t_ns for run in lost.packets) > s.recovery_start:
        if s.ca_state == OPEN:
            save_for_undo(s)
            s.ca_state = RECOVERY
        s.recovery_start = lost.t_ns
    return Outcome.ALREADY_NOTED if noted else Outcome.LOSS_NOTED


def on_timeout(s: Bbr, now: int) -> Outcome:
    """tcp_enter_loss: set the window to the bytes in flight plus one packet, and enter the state LOSS.

    Outside recovery, first save window and bounds (bbr_ssthresh). Then restart the search for a full pipe, and outside
    Startup set an infinite inflight_lo to the larger of the new and the saved window (bbr_set_state).
    """
    if s.ca_state == OPEN:
        save_for_undo(s)
    s.cwnd_bytes = min(s.inflight + s.mss, WINDOW_MAX_BYTES)
    s.ca_state, s.recovery_start, s.lost_since_ack = LOSS, now, False
    s.full_bw, s.full_bw_cnt, s.full_bw_now = 0, 0, False  # [bbr.timeout.v3]
    if s.phase is not Phase.STARTUP and s.inflight_lo == INFINITE:
        s.inflight_lo = max(s.cwnd_bytes, s.prior_cwnd)  # [bbr.timeout.v3.short-term]
    return Outcome.COLLAPSED


def undo(s: Bbr) -> Outcome:
    """bbr_undo_cwnd: restore window and bounds, and restart the search for a full pipe."""
    s.full_bw, s.full_bw_cnt, s.full_bw_now = 0, 0, False  # bbr_reset_full_bw
    s.loss_in_round = s.lost_since_ack = False
    bounds = zip((s.bw_lo, s.inflight_lo, s.inflight_hi), s.undo_bounds, strict=True)
    s.bw_lo, s.inflight_lo, s.inflight_hi = (max(bound) for bound in bounds)
    s.try_fast_path = False
    s.cwnd_bytes = s.prior_cwnd or s.cwnd_bytes  # [bbr.undo.v3]; 0 if nothing was saved
    s.ca_state = OPEN
    return Outcome.RESTORED
