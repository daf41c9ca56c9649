"""BBR v1 of Linux: Startup and Drain, from net/ipv4/tcp_bbr.c, lib/win_minmax.c and net/ipv4/tcp_rate.c.

Written without reading the model. A bandwidth is packets per microsecond, times 2^24 and rounded down; a packet is a
maximum datagram, and parts of a packet count. Windows and volumes are in bytes, times are floored to microseconds. One
ACK of the kernel corresponds to several events of a stream. Therefore the next ACK subtracts the bytes lost since the
last ACK. The first ACK in recovery is the first ACK after the loss that began recovery. Recovery is the period of RFC
9002, the timeout is persistent congestion. After Drain one phase follows, without the gain cycle (ours);
PROBE_RTT and the policer estimator are left out.
"""

from dataclasses import dataclass, field

from firstflight.events import Ack, Event, Lost, PersistentCongestion, Sent, SpuriousLoss
from firstflight.limits import TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase

PROFILE = "bbr/linux-v1"

#: Positions of the binary point of bandwidths and of gains, in bits.
BW_SCALE, BBR_SCALE = 24, 8
#: Parts of a packet per microsecond, and of a gain of 1.
BW_UNIT, BBR_UNIT = 1 << BW_SCALE, 1 << BBR_SCALE
#: The largest bandwidth, 32 bits in the kernel, in 1/2^24 packets per us.
BW_MAX = 2**32 - 1
#: A microsecond and a second in ns, a millisecond in us.
US_NS, MS_US, SECOND_NS = 1000, 1000, 1_000_000_000
#: Pacing gain of Startup, in 1/256.
HIGH_GAIN = BBR_UNIT * 2885 // 1000 + 1
#: Pacing gain of Drain, in 1/256.
DRAIN_GAIN = BBR_UNIT * 1000 // 2885
#: Gain of the window, in 1/256.
CWND_GAIN = 2 * BBR_UNIT
#: Microseconds of a second, minus the pacing margin of 1 %.
PACED = 10_000 * 99
#: Below this pacing rate a burst may be one segment, in bytes per second.
MIN_TSO_RATE = 1_200_000 >> 3
#: A burst lasts 1/2^10 of a second.
PACING_SHIFT = 10
#: The longest burst that the kernel passes to the device, without headers.
LARGEST_GSO_BYTES = 65536 - 1 - 320
#: The longest burst, in segments.
MOST_SEGMENTS = 0x7F
#: A minimum RTT expires after 10 s.
MIN_RTT_WINDOW_NS = 10 * SECOND_NS
#: Length of the maximum filter of the bandwidth.
BW_ROUNDS = 10
#: Growth of the bandwidth that continues Startup, in 1/256.
FULL_BW_THRESH = BBR_UNIT * 5 // 4
#: Startup ends after this number of rounds without enough growth of the bandwidth.
FULL_BW_ROUNDS = 3
#: The initial and the minimum window.
INIT_CWND_PACKETS, CWND_MIN_PACKETS = 10, 4
#: Half the length of the maximum filter of the aggregation.
EXTRA_ACKED_ROUNDS = 5
#: Upper bound of the aggregation, as a time at the bandwidth.
EXTRA_ACKED_MOST_US = 100 * MS_US
#: A period of aggregation ends before this number of packets is acknowledged.
EPOCH_MOST_PACKETS = 1 << 20
#: TCP_CA_Open, TCP_CA_Recovery and TCP_CA_Loss: states of the connection.
OPEN, RECOVERY, LOSS = 0, 3, 4


@dataclass(slots=True)
class Bbr:
    """struct bbr, and the fields of struct sock that it uses. ``None``: infinity, or an absent time.

    ``ca_state`` and ``prev_ca_state``: the present state, and the state at the last ACK. ``losses``: bytes lost since
    the last ACK. ``best``: the three samples of the bandwidth filter, each with its round.
    """

    mss: int
    snd_cwnd: int
    snd_ssthresh: int | None = None
    phase: Phase = Phase.STARTUP
    pacing_rate: int = 0
    next_release_ns: int | None = None
    delivered: int = 0
    app_limited: int = 0
    inflight: int = 0
    losses: int = 0
    ca_state: int = OPEN
    prev_ca_state: int = OPEN
    recovery_start: int = 0
    min_rtt_us: int | None = None
    min_rtt_stamp: int = 0
    best: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)] * 3)
    rtt_cnt: int = 0
    next_rtt_delivered: int = 0
    packet_conservation: bool = False
    round_start: bool = False
    pacing_gain: int = HIGH_GAIN
    cwnd_gain: int = HIGH_GAIN
    full_bw_reached: bool = False
    full_bw_cnt: int = 0
    full_bw: int = 0
    has_seen_rtt: bool = False
    prior_cwnd: int = 0
    ack_epoch_start: int = 0
    ack_epoch_acked: int = 0
    extra_acked: list[int] = field(default_factory=lambda: [0, 0])
    extra_acked_win_rtts: int = 0
    extra_acked_win_idx: int = 0

    @property
    def cwnd_bytes(self) -> int:
        """The congestion window in bytes, an observable."""
        return self.snd_cwnd

    @property
    def ssthresh_bytes(self) -> int | None:
        """The slow start threshold in bytes, an observable; ``None`` (infinite) until Startup ends."""
        return self.snd_ssthresh


@dataclass(slots=True)
class Sample:
    """struct rate_sample: ``delivered`` and ``interval_us`` are negative in an invalid sample."""

    acked: int
    delivered: int = -1
    interval_us: int = -1
    prior_delivered: int = 0
    is_app_limited: bool = False
    rtt_us: int = -1


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> Bbr:
    """bbr_init, before the first RTT."""
    window = newreno.begin(max_datagram_size_bytes, initial_window_bytes).congestion_window
    s = Bbr(max_datagram_size_bytes, window)
    init_pacing_rate_from_rtt(s, None)
    return s


def on_event(s: Bbr, event: Event) -> Outcome:
    """Call the function for the event; other events, including marks, change nothing."""
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
    """Process sent packets: pacing, the application-limited mark, and CA_EVENT_TX_START."""
    if sent.bytes_in_flight == sent.bytes and s.app_limited:
        s.ack_epoch_start, s.ack_epoch_acked = sent.t_ns, 0  # [bbr.idle.linux]
    s.inflight = min(sent.bytes_in_flight, WINDOW_MAX_BYTES)
    if sent.app_limited:
        s.app_limited = max(s.delivered + s.inflight, 1)
    delay = -(-sent.bytes * SECOND_NS // s.pacing_rate)
    s.next_release_ns = min(max(sent.t_ns, s.next_release_ns or 0) + delay, TIME_MAX_NS)
    return Outcome.SENT


def on_ack(s: Bbr, ack: Ack) -> Outcome:
    """bbr_main, with a sample as in tcp_rate_gen."""
    before, was = s.snd_cwnd, s.phase
    s.inflight = min(ack.bytes_in_flight, WINDOW_MAX_BYTES)
    if s.min_rtt_us is None and ack.min_rtt_ns is not None:
        s.min_rtt_us, s.min_rtt_stamp = ack.min_rtt_ns // US_NS, ack.t_ns  # [bbr.min-rtt.connection]
    rs = rate_gen(s, ack)
    ended = s.ca_state != OPEN and any(run.sent_t_ns > s.recovery_start for run in ack.packets)
    update_bw(s, rs)
    update_ack_aggregation(s, rs, ack.t_ns)
    counted = check_full_bw_reached(s, rs)
    check_drain(s, ack.t_ns)
    update_min_rtt(s, rs, ack.t_ns)
    update_gains(s)
    set_pacing_rate(s, ack.smoothed_rtt_ns)
    set_cwnd(s, rs, ended=ended)
    if was is Phase.STARTUP and s.phase is not was:
        return Outcome.EXITED_BY_PLATEAU
    if s.phase is not was:
        return Outcome.DRAINED
    if was is Phase.STARTUP and counted is not None:
        return counted
    return Outcome.GROWN if s.snd_cwnd > before else Outcome.UNCHANGED


def rate_gen(s: Bbr, ack: Ack) -> Sample:
    """tcp_rate_gen: an interval below the smallest RTT is invalid."""
    rs = Sample(ack.bytes)
    if ack.latest_rtt_ns is not None:
        rs.rtt_us = ack.latest_rtt_ns // US_NS
    if ack.rate_delivered_bytes is None:
        s.delivered = min(s.delivered + ack.bytes, WINDOW_MAX_BYTES)
    else:
        assert ack.rate_interval_ns is not None and ack.rate_prior_delivered_bytes is not None
        rs.prior_delivered, rs.is_app_limited = ack.rate_prior_delivered_bytes, bool(ack.rate_app_limited)
        s.delivered = min(rs.prior_delivered + ack.rate_delivered_bytes, WINDOW_MAX_BYTES)
        interval_us = ack.rate_interval_ns // US_NS  # [bbr.units.time]
        if ack.min_rtt_ns is not None and interval_us >= ack.min_rtt_ns // US_NS and interval_us > 0:
            rs.delivered, rs.interval_us = ack.rate_delivered_bytes, interval_us
    if s.delivered > s.app_limited:
        s.app_limited = 0
    return rs


def bandwidth(s: Bbr, bytes_: int, us: int) -> int:
    """Return the bandwidth of ``bytes_`` in ``us`` microseconds: packets per microsecond, times 2^24, rounded down.

    The result is at most BW_MAX. The packets times 2^24 are first limited to WINDOW_MAX_BYTES, the largest integer of
    this project; the kernel does not have this limit.
    """
    return min(min(bytes_ * BW_UNIT // s.mss, WINDOW_MAX_BYTES) // us, BW_MAX)  # [bbr.units.rate]


def update_bw(s: Bbr, rs: Sample) -> None:
    """bbr_update_bw: rounds, and the largest bandwidth of ten rounds."""
    s.round_start = False
    if rs.delivered < 0 or rs.interval_us <= 0:
        return
    if rs.prior_delivered >= s.next_rtt_delivered:
        s.next_rtt_delivered = s.delivered
        s.rtt_cnt += 1
        s.round_start = True
        s.packet_conservation = False  # [bbr.conservation.round]
    bw = bandwidth(s, rs.delivered, rs.interval_us)
    if not rs.is_app_limited or bw >= max_bw(s):
        running_max(s, bw)


def max_bw(s: Bbr) -> int:
    """Return the maximum of the filter."""
    return s.best[0][1]


def running_max(s: Bbr, bw: int) -> None:
    """minmax_running_max: three samples represent all samples of the last ten rounds."""
    first, second, third = s.best
    now, new = s.rtt_cnt, (s.rtt_cnt, bw)
    if bw >= first[1] or now - third[0] > BW_ROUNDS:
        s.best = [new, new, new]  # [bbr.max-bw.ten.anew]
        return
    if bw >= second[1]:
        second = third = new  # [bbr.max-bw.ten.second]
    elif bw >= third[1]:
        third = new
    age = now - first[0]
    if age > BW_ROUNDS:
        first, second, third = second, third, new  # [bbr.max-bw.ten]
        if now - first[0] > BW_ROUNDS:
            first, second, third = second, third, new
    elif second[0] == first[0] and age > BW_ROUNDS // 4:
        second = third = new
    elif third[0] == second[0] and age > BW_ROUNDS // 2:
        third = new
    s.best = [first, second, third]


def packets(bw: int, us: int) -> int:
    """Return the whole packets that a bandwidth delivers in a time."""
    return bw * us >> BW_SCALE  # [bbr.units.delivers]


def update_ack_aggregation(s: Bbr, rs: Sample, now: int) -> None:
    """bbr_update_ack_aggregation: update extra_acked, the maximum of the excess in the last five to ten rounds.

    The excess is the number of bytes acknowledged in a period beyond the bytes that max_bw delivers in it.
    """
    if rs.acked <= 0 or rs.delivered < 0 or rs.interval_us <= 0:
        return
    if s.round_start:
        s.extra_acked_win_rtts = min(0x1F, s.extra_acked_win_rtts + 1)
        if s.extra_acked_win_rtts >= EXTRA_ACKED_ROUNDS:
            s.extra_acked_win_rtts = 0
            s.extra_acked_win_idx = 1 - s.extra_acked_win_idx
            s.extra_acked[s.extra_acked_win_idx] = 0  # [bbr.extra-acked.linux]
    expected = packets(max_bw(s), now // US_NS - s.ack_epoch_start // US_NS) * s.mss
    if s.ack_epoch_acked <= expected or s.ack_epoch_acked + rs.acked >= EPOCH_MOST_PACKETS * s.mss:
        s.ack_epoch_acked = expected = 0
        s.ack_epoch_start = now
    s.ack_epoch_acked = min((EPOCH_MOST_PACKETS - 1) * s.mss, s.ack_epoch_acked + rs.acked)
    extra = min(s.ack_epoch_acked - expected, s.snd_cwnd)
    s.extra_acked[s.extra_acked_win_idx] = max(extra, s.extra_acked[s.extra_acked_win_idx])


def check_full_bw_reached(s: Bbr, rs: Sample) -> Outcome | None:
    """bbr_check_full_bw_reached: test the growth of the bandwidth at the start of a round; return the outcome."""
    if s.full_bw_reached or not s.round_start:
        return None
    if rs.is_app_limited:
        return Outcome.APP_LIMITED
    if max_bw(s) >= s.full_bw * FULL_BW_THRESH >> BBR_SCALE:  # [bbr.units.grown]
        s.full_bw, s.full_bw_cnt = max_bw(s), 0
        return Outcome.BW_GROWN
    s.full_bw_cnt += 1
    s.full_bw_reached = s.full_bw_cnt >= FULL_BW_ROUNDS
    return Outcome.PLATEAU_COUNTED


def check_drain(s: Bbr, now: int) -> None:
    """bbr_check_drain: begin Drain when the pipe is full, and end Drain when little enough is in flight.

    Drain ends if the bytes in flight expected at the next departure are at most inflight_at_bdp, one bandwidth-delay
    product plus three bursts. It may end on the ACK that begins it.
    """
    if s.phase is Phase.STARTUP and s.full_bw_reached:
        s.phase = Phase.DRAIN
        s.snd_ssthresh = inflight_at_bdp(s)  # [bbr.threshold]
    if s.phase is Phase.DRAIN and in_net_at_edt(s, now) <= inflight_at_bdp(s):
        s.phase = Phase.PROBE_BW


def update_min_rtt(s: Bbr, rs: Sample, now: int) -> None:
    """bbr_update_min_rtt, without PROBE_RTT: take a smaller sample, or any sample over 10 s after the last one used."""
    expired = now > s.min_rtt_stamp + MIN_RTT_WINDOW_NS
    if rs.rtt_us >= 0 and (s.min_rtt_us is None or rs.rtt_us < s.min_rtt_us or expired):
        s.min_rtt_us, s.min_rtt_stamp = rs.rtt_us, now  # [bbr.min-rtt.alone]


def update_gains(s: Bbr) -> None:
    """bbr_update_gains: set the gains of the pacing rate and of the window for the phase.

    In PROBE_BW the kernel cycles through several pacing gains. Here the pacing gain is always 1, as in the kernel's
    cruise phase. This project made that choice, because it judges only Startup and Drain.
    """
    s.pacing_gain = {Phase.STARTUP: HIGH_GAIN, Phase.DRAIN: DRAIN_GAIN}.get(s.phase, BBR_UNIT)
    s.cwnd_gain = CWND_GAIN if s.phase is Phase.PROBE_BW else HIGH_GAIN


def to_pacing_rate(s: Bbr, bw: int, gain: int) -> int:
    """bbr_bw_to_pacing_rate, in bytes per second, at least 1.

    This minimum is not in the kernel: a rate of 0 would stop sending.
    """
    rate = (bw * s.mss * gain >> BBR_SCALE) * PACED >> BW_SCALE  # [bbr.units.pacing]
    return max(min(rate, WINDOW_MAX_BYTES), 1)


def init_pacing_rate_from_rtt(s: Bbr, srtt_ns: int | None) -> None:
    """bbr_init_pacing_rate_from_rtt: set the pacing rate to the window per smoothed RTT, times the gain of Startup.

    The margin of 1 % is subtracted. ``srtt_ns``: the smoothed RTT; without it the RTT is 1 ms.
    """
    rtt_us = MS_US
    if srtt_ns:
        rtt_us = max(srtt_ns // US_NS, 1)
        s.has_seen_rtt = True
    s.pacing_rate = to_pacing_rate(s, bandwidth(s, s.snd_cwnd, rtt_us), HIGH_GAIN)  # [bbr.units.initial]


def set_pacing_rate(s: Bbr, srtt_ns: int | None) -> None:
    """bbr_set_pacing_rate: set the pacing rate to max_bw times the pacing gain, minus 1 %.

    Until the pipe is full, this step only raises the rate. Before this step, the first smoothed RTT
    (``srtt_ns``) sets the rate to the window per RTT, times the gain of Startup, minus 1 %.
    """
    rate = to_pacing_rate(s, max_bw(s), s.pacing_gain)
    if not s.has_seen_rtt and srtt_ns:
        init_pacing_rate_from_rtt(s, srtt_ns)
    if s.full_bw_reached or rate > s.pacing_rate:
        s.pacing_rate = rate


def tso_segments(s: Bbr) -> int:
    """bbr_tso_segs_goal: return the packets of a burst, which lasts 1/1024 s at the pacing rate.

    The burst is at least two packets (one packet below 1.2 Mbit/s), and at most 127.
    """
    bytes_ = min(s.pacing_rate >> PACING_SHIFT, LARGEST_GSO_BYTES)
    return min(max(bytes_ // s.mss, 1 if s.pacing_rate < MIN_TSO_RATE else 2), MOST_SEGMENTS)


def bdp(s: Bbr, gain: int) -> int:
    """bbr_bdp: return the bandwidth-delay product times ``gain`` / 256 in bytes, rounded up to whole packets.

    Without an RTT the result is ten packets, the kernel's default of the initial window.
    """
    if s.min_rtt_us is None:
        return INIT_CWND_PACKETS * s.mss  # [bbr.units.ten]
    scaled = max_bw(s) * s.min_rtt_us * gain >> BBR_SCALE
    return -(-scaled // BW_UNIT) * s.mss  # [bbr.units.bdp]


def budget(s: Bbr, volume: int) -> int:
    """bbr_quantization_budget: add three bursts of :func:`tso_segments` to a volume in bytes.

    The sum is rounded up to an even number of packets.
    """
    volume += 3 * tso_segments(s) * s.mss
    return min(-(-volume // (2 * s.mss)) * 2 * s.mss, WINDOW_MAX_BYTES)  # [bbr.units.budget]


def inflight_at_bdp(s: Bbr) -> int:
    """bbr_inflight at a gain of 1: the bandwidth-delay product plus three bursts, in bytes.

    bbr_quantization_budget adds the bursts of :func:`tso_segments` packets, and rounds up to an even number of packets.
    """
    return budget(s, bdp(s, BBR_UNIT))


def in_net_at_edt(s: Bbr, now: int) -> int:
    """bbr_packets_in_net_at_edt: expected bytes in flight when the next packet may leave (earliest departure time)."""
    edt = max(s.next_release_ns or 0, now)
    at_edt = s.inflight
    if s.pacing_gain > BBR_UNIT:
        at_edt += tso_segments(s) * s.mss  # [bbr.drain.departure.exit]
    return max(at_edt - packets(max_bw(s), (edt - now) // US_NS) * s.mss, 0)


def aggregation_cwnd(s: Bbr) -> int:
    """bbr_ack_aggregation_cwnd: return the bytes added to the window target for aggregated ACKs.

    These are the largest extra acknowledged bytes, at most the bytes delivered in 100 ms; 0 until the pipe is full.
    """
    if not s.full_bw_reached:
        return 0
    return min(max(s.extra_acked), packets(max_bw(s), EXTRA_ACKED_MOST_US) * s.mss)


def recover_or_restore(s: Bbr, acked: int, *, ended: bool) -> bool:
    """bbr_set_cwnd_to_recover_or_restore: adapt the window to losses and recovery.

    First subtract the bytes lost since the last ACK, down to one packet. If this ACK ends recovery (``ended``), raise
    the window to at least the saved one. The first ACK in recovery sets it to the bytes in flight plus ``acked``, the
    bytes that this ACK acknowledges. Packet conservation is then active for a round. In this round, each ACK raises
    the window to at least the bytes in flight plus its own ``acked``. Return whether packet conservation is active.
    """
    if s.losses > 0:
        s.snd_cwnd = max(s.snd_cwnd - s.losses, s.mss)  # [bbr.conservation.lost]
    s.losses = 0
    if ended:
        s.snd_cwnd = max(s.snd_cwnd, s.prior_cwnd)
        s.packet_conservation, s.ca_state = False, OPEN
    elif s.ca_state == RECOVERY and s.prev_ca_state != RECOVERY:
        s.packet_conservation = True
        s.next_rtt_delivered = s.delivered
        s.snd_cwnd = min(s.inflight + acked, WINDOW_MAX_BYTES)  # [bbr.conservation.begin]
    s.prev_ca_state = s.ca_state
    if s.packet_conservation:
        s.snd_cwnd = max(s.snd_cwnd, min(s.inflight + acked, WINDOW_MAX_BYTES))  # [bbr.conservation]
    return s.packet_conservation


def set_cwnd(s: Bbr, rs: Sample, *, ended: bool) -> None:
    """bbr_set_cwnd: unless packet conservation of a recovery is active, grow the window by the acknowledged bytes.

    The target is the bandwidth-delay product times the window gain, plus an allowance for aggregated ACKs
    (:func:`aggregation_cwnd`). Then :func:`budget` adds three bursts and rounds up to an even number of packets. Until
    the pipe is full, the window grows only below the target, or before ten packets are delivered. When it is full, the
    target limits the window. ``ended``: this ACK ends recovery.
    """
    if recover_or_restore(s, rs.acked, ended=ended):
        return
    target = budget(s, bdp(s, s.cwnd_gain) + aggregation_cwnd(s))
    grown = min(s.snd_cwnd + rs.acked, WINDOW_MAX_BYTES)
    if s.full_bw_reached:
        s.snd_cwnd = min(grown, target)  # [bbr.cwnd.bounded]
    elif s.snd_cwnd < target or s.delivered < INIT_CWND_PACKETS * s.mss:
        s.snd_cwnd = grown
    s.snd_cwnd = max(s.snd_cwnd, CWND_MIN_PACKETS * s.mss)


def save_cwnd(s: Bbr) -> None:
    """bbr_save_cwnd, called by bbr_ssthresh: save the window, in recovery only if larger than the saved window."""
    s.prior_cwnd = s.snd_cwnd if s.prev_ca_state < RECOVERY else max(s.prior_cwnd, s.snd_cwnd)


def on_lost(s: Bbr, lost: Lost) -> Outcome:
    """Begin recovery on the loss of a packet sent after the last recovery began."""
    s.inflight = min(lost.bytes_in_flight, WINDOW_MAX_BYTES)
    s.losses = min(s.losses + lost.bytes, WINDOW_MAX_BYTES)
    if max(run.sent_t_ns for run in lost.packets) <= s.recovery_start:
        return Outcome.ALREADY_NOTED
    s.recovery_start = lost.t_ns
    if s.ca_state != OPEN:
        return Outcome.ALREADY_NOTED
    save_cwnd(s)
    s.ca_state = RECOVERY
    return Outcome.LOSS_NOTED


def on_timeout(s: Bbr, now: int) -> Outcome:
    """tcp_enter_loss: set the window to the bytes in flight plus one packet, and enter the state LOSS.

    Outside recovery, first save the window (bbr_ssthresh). Set full_bw, the baseline of the growth, to 0
    (bbr_set_state), and discard the losses since the last ACK.
    """
    if s.ca_state == OPEN:
        save_cwnd(s)
    s.snd_cwnd = min(s.inflight + s.mss, WINDOW_MAX_BYTES)
    s.ca_state = s.prev_ca_state = LOSS
    s.recovery_start, s.losses = now, 0
    s.full_bw = 0  # [bbr.conservation.timeout]
    return Outcome.COLLAPSED


def undo(s: Bbr) -> Outcome:
    """bbr_undo_cwnd: restart the search for a full pipe, and end recovery after spurious losses.

    The end of packet conservation and the return to the window saved before recovery are done here. The kernel does
    them at the next ACK.
    """
    s.full_bw, s.full_bw_cnt, s.losses = 0, 0, 0  # [bbr.conservation.undo]
    s.ca_state = s.prev_ca_state = OPEN
    s.packet_conservation = False
    s.snd_cwnd = max(s.snd_cwnd, s.prior_cwnd)
    return Outcome.RESTORED
