"""draft-ietf-ccwg-bbr-06: Startup and Drain, written from the draft without reading the model.

A delivery rate is bytes over ns, compared by cross multiplication. Results in bytes are rounded down, departure times
up. SMSS is the maximum datagram size. "Open" marks a choice that the draft leaves to the implementer; the page gives
the reason for the choice here. After Drain the connection paces at the measured rate: it neither probes for bandwidth
nor enters ProbeRTT (ours), because only the start is judged.

The sender takes the samples of 4.1: an ACK contains the sample of the packet sent last among the acknowledged packets.
"""

from dataclasses import dataclass, field

from firstflight.events import Ack, Ce, DatagramSize, Event, Lost, PersistentCongestion, Sent, SpuriousLoss
from firstflight.limits import TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase

PROFILE = "bbr/draft-06"

#: Delivered bytes, and the duration of their delivery in ns.
Rate = tuple[int, int]
#: The rate before the first sample.
NOTHING: Rate = (0, 1)

#: A millisecond and a second.
MILLISECOND_NS, SECOND_NS = 1_000_000, 1_000_000_000
#: Pacing gains of Startup, of Drain, and of the phases after them, in 1/100.
STARTUP_PACING_GAIN, DRAIN_PACING_GAIN, CRUISE_PACING_GAIN = 277, 50, 100
#: Factor from the BDP to the window.
CWND_GAIN = 2
#: Startup ends after this number of rounds without enough growth of the bandwidth.
FULL_BW_ROUNDS = 3
#: Ranges of lost packets in a round that can end Startup.
FULL_LOSS_COUNT = 6
#: Largest number of rounds of Drain.
DRAIN_ROUNDS = 3
#: Pacing is slower than the bandwidth by this share.
PACING_MARGIN_PERCENT = 1
#: Length of the maximum filter of the aggregation.
EXTRA_ACKED_ROUNDS = 10
#: Upper bound of the send quantum.
LARGEST_QUANTUM_BYTES = 65536
#: MinRTTFilterLen: a minimum RTT expires after 10 s.
MIN_RTT_FILTER_NS = 10_000 * MILLISECOND_NS
#: ProbeRTTInterval: the RTT is probed after 5 s without a lower one.
PROBE_RTT_INTERVAL_NS = 5_000 * MILLISECOND_NS


@dataclass(slots=True)
class Bbr:
    """Variables of section 2. ``None``: infinity for a limit, otherwise an absent value.

    ``pacing_rate``: in bytes per second. ``app_limited``: C.app_limited, 0 while not application-limited.
    ``undo_state``: the phase that losses ended; BBR returns to it if they were spurious. ``None``: no such phase.
    """

    smss: int
    initial_cwnd: int
    cwnd: int
    phase: Phase = Phase.STARTUP
    pacing_gain: int = STARTUP_PACING_GAIN
    pacing_rate: int = 0
    srtt_known: bool = False
    next_release_ns: int | None = None
    send_quantum: int = 0
    inflight: int = 0
    delivered: int = 0
    app_limited: int = 0
    # 5.5.1 and 5.5.10.3: rounds, and loss rounds.
    round_count: int = 0
    round_start: bool = False
    next_round_delivered: int = 0
    loss_round_start: bool = False
    loss_round_delivered: int = 0
    is_loss_in_round: bool = False
    lost_ranges: int = 0
    after_lost: int | None = None
    # The model of the path.
    bw: Rate = NOTHING
    max_bw: Rate = NOTHING
    bw_latest: Rate = NOTHING
    bw_shortterm: Rate | None = None
    inflight_latest: int = 0
    inflight_shortterm: int | None = None
    inflight_longterm: int | None = None
    bdp: int = 0
    min_rtt: int | None = None
    min_rtt_stamp: int = 0
    probe_rtt_min_delay: int | None = None
    probe_rtt_min_stamp: int = 0
    extra_acked_interval_start: int = 0
    extra_acked_delivered: int = 0
    extra_acked: int = 0
    extra_acked_rounds: dict[int, int] = field(default_factory=dict)
    # 5.3.1.2 and 5.3.2.
    full_bw_reached: bool = False
    full_bw_now: bool = False
    full_bw: Rate = NOTHING
    full_bw_count: int = 0
    drain_start_round: int = 0
    # Loss recovery, here a recovery period of RFC 9002 (open), and the state saved for its end.
    in_recovery: bool = False
    by_timeout: bool = False
    recovery_start: int = 0
    recovery_delivered: int = 0
    prior_cwnd: int = 0
    undo_state: Phase | None = None
    undo_bw_shortterm: Rate | None = NOTHING
    undo_inflight_shortterm: int | None = 0
    undo_inflight_longterm: int | None = 0

    @property
    def cwnd_bytes(self) -> int:
        """The congestion window in bytes, an observable."""
        return self.cwnd

    @property
    def ssthresh_bytes(self) -> int | None:
        """The slow start threshold, an observable: ``None``, because BBR does not use one."""
        return None


@dataclass(slots=True)
class Sample:
    """RS, the sample of one ACK. The defaults, for an ACK without sample, deliver nothing and end no round."""

    rate: Rate = NOTHING
    delivered: int = 0
    prior_delivered: int = -1
    is_app_limited: bool = False
    tx_in_flight: int = 0
    lost: int = 0
    newly_acked: int = 0


def less(a: Rate, b: Rate) -> bool:
    """Return whether ``a`` is the lower rate."""
    return a[0] * b[1] < b[0] * a[1]


def higher(a: Rate, b: Rate) -> Rate:
    """Return the higher of two rates, the first if they are equal."""
    return b if less(a, b) else a


def lower(a: Rate, b: Rate | None) -> Rate:
    """Return the lower of two rates; the second may be infinite."""
    return b if b is not None and less(b, a) else a


def at_least(a: int, b: int | None) -> int | None:
    """Return the larger of two volumes; the second may be infinite."""
    return None if b is None else max(a, b)


def at_most(a: int, b: int | None) -> int:
    """Return the smaller of two volumes; the second may be infinite."""
    return a if b is None else min(a, b)


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> Bbr:
    """5.2.1: OnInit. The transport sets the initial window (5.6.4.1)."""
    window = newreno.begin(max_datagram_size_bytes, initial_window_bytes).congestion_window
    s = Bbr(max_datagram_size_bytes, window, window)  # [bbr.begin]
    init_pacing_rate(s, MILLISECOND_NS)  # [bbr.pacing.initial.none]
    return s


def init_pacing_rate(s: Bbr, srtt: int) -> None:
    """5.6.2: set the pacing rate to the initial window per ``srtt``, times 2.77, the pacing gain of Startup.

    ``srtt``: the smoothed RTT in ns, or 1 ms before the first sample.
    """
    s.pacing_rate = paced((s.initial_cwnd, srtt), STARTUP_PACING_GAIN * 100)  # [bbr.pacing.initial]


def paced(rate: Rate, parts: int) -> int:
    """Return ``parts`` / 10,000 of a rate in bytes per second, at least 1.

    This minimum is not in the draft: a rate of 0 would stop sending.
    """
    bytes_, ns = rate
    return max(min(bytes_ * parts * SECOND_NS // (ns * 10_000), WINDOW_MAX_BYTES), 1)  # [bbr.pacing.least]


def on_event(s: Bbr, event: Event) -> Outcome:
    """Call the function for the event; other events change nothing."""
    match event:
        case Sent():
            return on_transmit(s, event)
        case Ack():
            return on_ack(s, event)
        case Lost():
            return on_lost(s, event)
        case Ce():
            return on_congestion(s, event.sent_t_ns, event.t_ns)  # [bbr.ecn] how is open
        case PersistentCongestion():
            return on_enter_rto(s, event)
        case SpuriousLoss():
            return handle_spurious_loss_detection(s)
        case DatagramSize():
            return on_datagram_size(s, event)
    return Outcome.UNCHANGED


def on_transmit(s: Bbr, sent: Sent) -> Outcome:
    """5.2.2 and 5.6.2: packets depart at the pacing rate. After idle periods measure the aggregation again (5.4.1)."""
    if sent.bytes_in_flight == sent.bytes and s.app_limited:
        s.extra_acked_interval_start = sent.t_ns  # [bbr.idle]
    s.inflight = min(sent.bytes_in_flight, WINDOW_MAX_BYTES)
    if sent.app_limited:
        s.app_limited = max(s.delivered + s.inflight, 1)  # [bbr.idle.limited]
    delay = -(-sent.bytes * SECOND_NS // s.pacing_rate)  # [bbr.pacing.delay]
    s.next_release_ns = min(max(sent.t_ns, s.next_release_ns or 0) + delay, TIME_MAX_NS)  # [bbr.pacing.next]
    return Outcome.SENT


def on_ack(s: Bbr, ack: Ack) -> Outcome:
    """5.2.3: UpdateOnACK: update the model and the state, then the pacing rate, send quantum, and window.

    An ACK of a packet sent in recovery ends recovery. This happens after the update of model and state, and before the
    pacing rate is set. The exit of Startup by loss, part of that update, needs an active recovery. Return the outcome.
    """
    before, s.inflight = s.cwnd, min(ack.bytes_in_flight, WINDOW_MAX_BYTES)
    rs = generate_rate_sample(s, ack)  # [bbr.order]
    outcome = update_model_and_state(s, rs, ack)
    if s.in_recovery and any(run.sent_t_ns > s.recovery_start for run in ack.packets):
        s.in_recovery = False  # [bbr.recovery.end]
        s.cwnd = max(s.cwnd, s.prior_cwnd)  # [bbr.restored.cwnd]
    set_pacing_rate(s, ack)
    set_send_quantum(s)
    set_cwnd(s, rs.newly_acked)
    if outcome is not None:
        return outcome
    return Outcome.GROWN if s.cwnd > before else Outcome.UNCHANGED


def update_model_and_state(s: Bbr, rs: Sample, ack: Ack) -> Outcome | None:
    """5.2.3: update the model and the state; return the outcome or None.

    A change from Startup or Drain to the next state has its own outcome. Without a change, the outcome in Startup is
    the outcome of the search for a full pipe, and other states have none.
    """
    was_startup = s.phase is Phase.STARTUP
    update_latest_delivery_signals(s, rs)
    update_congestion_signals(s, rs)
    update_ack_aggregation(s, rs, ack.t_ns)
    counted = check_full_bw_reached(s, rs)
    exited = check_startup_done(s, rs)
    drained = check_drain_done(s)
    update_min_rtt(s, ack)
    if s.loss_round_start:  # AdvanceLatestDeliverySignals
        s.bw_latest, s.inflight_latest = rs.rate, rs.delivered  # [bbr.latest.advance]
    s.bw = lower(s.max_bw, s.bw_shortterm)  # [bbr.bw]
    return exited or drained or (counted if was_startup else None)


def generate_rate_sample(s: Bbr, ack: Ack) -> Sample:
    """4.1.2.3: a sample with an interval below the minimum RTT, or of 0, gives a rate of 0."""
    rs = Sample(newly_acked=ack.bytes)
    if ack.rate_delivered_bytes is None:
        s.delivered += ack.bytes  # [bbr.sample.none]
        clear_app_limited(s)
        return rs
    assert ack.rate_interval_ns is not None and ack.rate_prior_delivered_bytes is not None
    assert ack.rate_in_flight_bytes is not None and ack.rate_lost_bytes is not None
    rs.delivered, rs.prior_delivered = ack.rate_delivered_bytes, ack.rate_prior_delivered_bytes
    rs.is_app_limited = bool(ack.rate_app_limited)
    rs.tx_in_flight, rs.lost = ack.rate_in_flight_bytes, ack.rate_lost_bytes
    s.delivered = rs.prior_delivered + rs.delivered  # [bbr.sample.delivered]
    clear_app_limited(s)
    interval_ns = ack.rate_interval_ns
    if interval_ns > 0 and interval_ns >= (ack.min_rtt_ns or 0):  # [bbr.sample.short] [bbr.sample.no-time]
        rs.rate = (rs.delivered, interval_ns)  # [bbr.sample.rate]
    return rs


def clear_app_limited(s: Bbr) -> None:
    """4.1.2.3: end the application-limited phase after its bytes are acknowledged."""
    if s.delivered > s.app_limited:
        s.app_limited = 0  # [bbr.idle.cleared]


def update_latest_delivery_signals(s: Bbr, rs: Sample) -> None:
    """5.5.10.3: raise bw_latest and inflight_latest to this sample, and check whether the loss round ends.

    They are the largest delivery rate and the largest delivered volume of the loss round.
    """
    s.loss_round_start = False
    s.bw_latest = higher(s.bw_latest, rs.rate)  # [bbr.latest]
    s.inflight_latest = max(s.inflight_latest, rs.delivered)
    if rs.prior_delivered >= s.loss_round_delivered:
        s.loss_round_delivered = s.delivered  # [bbr.loss-round]
        s.loss_round_start = True


def update_congestion_signals(s: Bbr, rs: Sample) -> None:
    """5.5.10.3: update the largest bandwidth, and at the end of a loss round the bounds set on losses.

    UpdateMaxBw: max_bw is the largest rate since the connection began. Its samples do not expire, because the max_bw
    filter only advances in the probing for bandwidth after Drain. An application-limited sample below max_bw does not
    count. Losses in Startup do not set bounds.
    """
    update_round(s, rs)
    if not rs.is_app_limited or not less(rs.rate, s.max_bw):
        s.max_bw = higher(s.max_bw, rs.rate)  # [bbr.max-bw] [bbr.max-bw.app-limited]
    if s.loss_round_start:
        if s.is_loss_in_round and s.phase is not Phase.STARTUP:
            adapt_lower_bounds(s)  # [bbr.short-term.startup]
        s.is_loss_in_round = False  # [bbr.loss-round.ends]


def update_round(s: Bbr, rs: Sample) -> None:
    """5.5.1: a round ends when a packet sent after its beginning is acknowledged."""
    s.round_start = rs.prior_delivered >= s.next_round_delivered
    if s.round_start:
        s.next_round_delivered = s.delivered
        s.round_count += 1  # [bbr.round]


def adapt_lower_bounds(s: Bbr) -> None:
    """InitLowerBounds and LossLowerBounds: lower the short-term bounds of rate and volume after losses.

    An infinite bound first becomes max_bw or cwnd. Then each bound becomes 7/10 (Beta) of itself, but at least
    bw_latest or inflight_latest, the largest delivery rate or delivered volume of the loss round.
    """
    bytes_, ns = s.bw_shortterm or s.max_bw  # [bbr.short-term.begin]
    s.bw_shortterm = higher(s.bw_latest, (7 * bytes_ // 10, ns))  # [bbr.short-term] [bbr.short-term.beta]
    inflight = s.cwnd if s.inflight_shortterm is None else s.inflight_shortterm
    s.inflight_shortterm = max(s.inflight_latest, 7 * inflight // 10)


def update_ack_aggregation(s: Bbr, rs: Sample, now: int) -> None:
    """5.5.9: the bytes acknowledged in excess of the bandwidth: the largest of this round, or of ten after Startup."""
    bytes_, ns = s.bw
    expected = min(bytes_ * (now - s.extra_acked_interval_start) // ns, WINDOW_MAX_BYTES)
    if s.extra_acked_delivered <= expected:
        s.extra_acked_delivered = expected = 0
        s.extra_acked_interval_start = now  # [bbr.extra-acked.anew]
    s.extra_acked_delivered += rs.newly_acked
    extra = min(s.extra_acked_delivered - expected, s.cwnd)  # [bbr.extra-acked.sample]
    rounds = EXTRA_ACKED_ROUNDS if s.full_bw_reached else 1  # [bbr.extra-acked] [bbr.extra-acked.startup]
    most = s.extra_acked_rounds
    most[s.round_count] = max(extra, most.get(s.round_count, 0))
    most.pop(s.round_count - EXTRA_ACKED_ROUNDS, None)
    s.extra_acked = max(bytes_ for at, bytes_ in most.items() if s.round_count - at < rounds)


def check_full_bw_reached(s: Bbr, rs: Sample) -> Outcome | None:
    """5.3.1.2: the pipe is full after three rounds with a delivery rate below 5/4 of a baseline rate.

    Check the rate sample at the start of each round. A rate of at least 5/4 of the baseline becomes the new baseline,
    and the count of rounds restarts at 0. Application-limited samples neither count nor restart it. Return the outcome,
    or ``None`` if no round starts or ``full_bw_now`` is already set.
    """
    if s.full_bw_now or not s.round_start:  # [bbr.full-bw.round]
        return None
    if rs.is_app_limited:
        return Outcome.APP_LIMITED  # [bbr.full-bw.app-limited]
    baseline_bytes, baseline_ns = s.full_bw
    if not less(rs.rate, (5 * baseline_bytes, 4 * baseline_ns)):
        reset_full_bw(s)
        s.full_bw = rs.rate  # [bbr.full-bw.grown]
        return Outcome.BW_GROWN
    s.full_bw_count += 1  # [bbr.full-bw.count]
    s.full_bw_now = s.full_bw_count >= FULL_BW_ROUNDS
    s.full_bw_reached = s.full_bw_reached or s.full_bw_now  # [bbr.full-bw.reached]
    return Outcome.PLATEAU_COUNTED


def reset_full_bw(s: Bbr) -> None:
    """5.3.1.2: restart the search for a full pipe."""
    s.full_bw, s.full_bw_count, s.full_bw_now = NOTHING, 0, False  # [bbr.full-bw.reset]


def check_startup_done(s: Bbr, rs: Sample) -> Outcome | None:
    """5.3.1.1: end Startup on a plateau or on losses."""
    by_loss = check_startup_high_loss(s, rs)
    if s.phase is Phase.STARTUP and s.full_bw_reached:
        s.phase, s.pacing_gain = Phase.DRAIN, DRAIN_PACING_GAIN  # [bbr.startup.done] [bbr.drain]
        s.drain_start_round = s.round_count
        return Outcome.EXITED_BY_LOSS if by_loss else Outcome.EXITED_BY_PLATEAU
    return None


def check_startup_high_loss(s: Bbr, rs: Sample) -> bool:
    """5.3.1.3: return whether losses end Startup; if so, set ``full_bw_reached``. Check at the start of a loss round.

    Three conditions are necessary. Fast recovery has lasted a full round. The last loss round had at least six ranges
    of lost packets. More than 2 % of the bytes in flight were lost, by the rate sample ``rs``.
    """
    if not s.loss_round_start:
        return False
    ranges, s.lost_ranges, s.after_lost = s.lost_ranges, 0, None  # [bbr.loss-exit.ranges.round]
    recovering = s.in_recovery and not s.by_timeout  # [bbr.loss-exit.recovery]
    a_round = recovering and rs.prior_delivered >= s.recovery_delivered  # [bbr.loss-exit.full-round]
    enough = ranges >= FULL_LOSS_COUNT  # [bbr.loss-exit.ranges]
    too_high = 100 * rs.lost > 2 * rs.tx_in_flight  # [bbr.loss-exit.rate]
    if s.phase is not Phase.STARTUP or not (a_round and enough and too_high):
        return False
    s.undo_state = Phase.STARTUP  # [bbr.loss-exit.undo]
    s.full_bw_reached = True  # [bbr.loss-exit]
    s.inflight_longterm = max(s.bdp, s.inflight_latest)  # [bbr.loss-exit.long-term]
    return True


def check_drain_done(s: Bbr) -> Outcome | None:
    """5.3.2: end Drain at one BDP in flight or less, or when more than three rounds have begun since its start.

    The fourth round follows the pseudocode. The text has three rounds. Return the outcome, or ``None`` if Drain does
    not end.
    """
    if s.phase is not Phase.DRAIN:
        return None
    by_flight = s.inflight <= quantized(s, bdp_multiple(s, 1))  # [bbr.drain.done]
    if not by_flight and s.round_count <= s.drain_start_round + DRAIN_ROUNDS:  # [bbr.drain.rounds]
        return None
    s.phase, s.pacing_gain = Phase.PROBE_BW, CRUISE_PACING_GAIN  # [bbr.probe-bw]
    return Outcome.DRAINED if by_flight else Outcome.DRAIN_TIMED_OUT


def update_min_rtt(s: Bbr, ack: Ack) -> None:
    """5.3.4.3: update min_rtt, the smallest RTT sample of about ten seconds.

    First update probe_rtt_min_delay: a smaller sample replaces it, and after five seconds any sample. Then set min_rtt
    to probe_rtt_min_delay if that is smaller, or if min_rtt is older than ten seconds.
    """
    now, rtt = ack.t_ns, ack.latest_rtt_ns
    expired = now > s.probe_rtt_min_stamp + PROBE_RTT_INTERVAL_NS
    if rtt is not None and (s.probe_rtt_min_delay is None or rtt < s.probe_rtt_min_delay or expired):
        s.probe_rtt_min_delay, s.probe_rtt_min_stamp = rtt, now  # [bbr.min-rtt.delay]
    if s.probe_rtt_min_delay is None:
        return
    if s.min_rtt is None or s.probe_rtt_min_delay < s.min_rtt or now > s.min_rtt_stamp + MIN_RTT_FILTER_NS:
        s.min_rtt, s.min_rtt_stamp = s.probe_rtt_min_delay, s.probe_rtt_min_stamp  # [bbr.min-rtt]


def set_pacing_rate(s: Bbr, ack: Ack) -> None:
    """5.6.2: set the pacing rate to bw times the pacing gain, minus 1 %. Until the pipe is full, the rate only rises.

    Before this, the first smoothed RTT above 0 sets the rate to the initial window per RTT, times the gain of Startup.
    The draft leaves this step open: its pseudocode sets the initial rate only once, before any ACK.
    """
    if ack.smoothed_rtt_ns and not s.srtt_known:
        s.srtt_known = True
        init_pacing_rate(s, ack.smoothed_rtt_ns)  # [bbr.pacing.initial.sample]
    rate = paced(s.bw, s.pacing_gain * (100 - PACING_MARGIN_PERCENT))  # [bbr.pacing.rate]
    if s.full_bw_reached or rate > s.pacing_rate:  # [bbr.pacing.rises]
        s.pacing_rate = rate


def set_send_quantum(s: Bbr) -> None:
    """5.6.3: set the send quantum to the bytes that the pacing rate delivers in 1 ms.

    The quantum is at most 64 KBytes (65536 bytes), but at least two packets.
    """
    s.send_quantum = max(min(s.pacing_rate // 1000, LARGEST_QUANTUM_BYTES), 2 * s.smss)  # [bbr.quantum]


def bdp_multiple(s: Bbr, gain: int) -> int:
    """5.6.4.2: ``gain`` (1 or 2) times the product of bandwidth and minimum RTT; without an RTT the initial window."""
    if s.min_rtt is None:
        return s.initial_cwnd  # [bbr.bdp.none]
    bytes_, ns = s.bw
    s.bdp = min(bytes_ * s.min_rtt // ns, WINDOW_MAX_BYTES)  # [bbr.bdp]
    return min(gain * s.bdp, WINDOW_MAX_BYTES)


def quantized(s: Bbr, inflight_cap: int) -> int:
    """QuantizationBudget (5.5.8.2): return the largest of ``inflight_cap``, send quantum and four packets, in bytes.

    One send quantum is the offload budget of QUIC.
    """
    return max(inflight_cap, s.send_quantum, 4 * s.smss)  # [bbr.offload] [bbr.budget]


def set_cwnd(s: Bbr, newly_acked: int) -> None:
    """5.6.4.6: the window grows by the acknowledged bytes towards max_inflight."""
    max_inflight = quantized(s, bdp_multiple(s, CWND_GAIN) + s.extra_acked)  # [bbr.max-inflight]
    grown = min(s.cwnd + newly_acked, WINDOW_MAX_BYTES)
    if s.full_bw_reached:
        s.cwnd = min(grown, max_inflight)  # [bbr.cwnd.bounded]
    elif s.cwnd < max_inflight or s.delivered < s.initial_cwnd:
        s.cwnd = grown  # [bbr.cwnd.grow]
    s.cwnd = max(s.cwnd, 4 * s.smss)  # [bbr.cwnd.least]
    bound_cwnd_for_model(s)


def bound_cwnd_for_model(s: Bbr) -> None:
    """5.6.4.7: limit the window to inflight_shortterm, and in ProbeBW also to inflight_longterm.

    The limit is at least four packets.
    """
    cap = s.inflight_longterm if s.phase is Phase.PROBE_BW else None  # [bbr.cwnd.long-term]
    if s.inflight_shortterm is not None:
        cap = at_most(s.inflight_shortterm, cap)  # [bbr.cwnd.short-term]
    if cap is not None:
        s.cwnd = min(s.cwnd, max(cap, 4 * s.smss))  # [bbr.cwnd.cap.least]


def on_lost(s: Bbr, lost: Lost) -> Outcome:
    """5.2.4: process lost packets as a congestion event, and count the ranges of lost packets in this round (5.3.1.3).

    The number of ranges decides whether losses end Startup. A run of packets directly after the last lost packet
    continues its range instead of a new range; the draft leaves this open. The loss of a PMTU probe only reduces the
    bytes in flight (RFC 9000, section 14.4). Return the outcome.
    """
    s.inflight = min(lost.bytes_in_flight, WINDOW_MAX_BYTES)
    if lost.pmtu_probe:
        return Outcome.UNCHANGED  # [slow-start.loss.pmtu-probe]
    outcome = on_congestion(s, max(run.sent_t_ns for run in lost.packets), lost.t_ns)
    for run in lost.packets:
        s.lost_ranges += run.first != s.after_lost
        s.after_lost = run.last + 1
    return outcome


def on_congestion(s: Bbr, sent_time: int, now: int) -> Outcome:
    """5.6.4.4: OnEnterFastRecovery, for a loss or mark; recovery is a recovery period of RFC 9002.

    A packet sent after the last recovery period began starts recovery now, and the state is saved for an undo. During
    recovery such a packet only extends recovery: the period starts again now. The draft leaves this extension open. In
    all cases the loss or mark is noted as a loss in the loss round. The outcome is LOSS_NOTED for the first one of a
    loss round, otherwise ALREADY_NOTED.
    """
    if sent_time > s.recovery_start:  # [bbr.recovery.once]
        if not s.in_recovery:
            save_state_upon_loss(s)  # [bbr.recovery.begin]
            s.recovery_delivered, s.by_timeout = s.delivered, False
        s.in_recovery, s.recovery_start = True, now  # [bbr.recovery.goes-on]
    return note_loss(s)


def note_loss(s: Bbr) -> Outcome:
    """5.5.10.2: the first loss of a round begins a new loss round."""
    if s.is_loss_in_round:
        return Outcome.ALREADY_NOTED
    s.is_loss_in_round = True
    s.loss_round_delivered = s.delivered  # [bbr.loss-round.begins]
    save_state_upon_loss(s)
    return Outcome.LOSS_NOTED


def save_state_upon_loss(s: Bbr) -> None:
    """5.5.11.1: save the bounds set on losses for an undo, and with SaveCwnd (5.6.4.4) the window.

    In recovery, a larger window saved before stays.
    """
    s.prior_cwnd = max(s.prior_cwnd, s.cwnd) if s.in_recovery else s.cwnd  # [bbr.saved.cwnd] [bbr.saved.recovery]
    s.undo_state = None  # [bbr.saved]
    s.undo_bw_shortterm = s.bw_shortterm
    s.undo_inflight_shortterm = s.inflight_shortterm
    s.undo_inflight_longterm = s.inflight_longterm


def on_enter_rto(s: Bbr, event: PersistentCongestion) -> Outcome:
    """5.6.4.4: on a timeout, here persistent congestion, begin recovery.

    The window and the bounds set on losses are saved for an undo (save_state_upon_loss).

    cwnd becomes the bytes in flight plus one packet. The draft leaves the size of this packet open; here it is SMSS,
    the maximum datagram size.
    """
    save_state_upon_loss(s)
    s.in_recovery = s.by_timeout = True
    s.recovery_start, s.recovery_delivered = event.t_ns, s.delivered
    s.cwnd = min(s.inflight + s.smss, WINDOW_MAX_BYTES)  # [bbr.timeout]
    return Outcome.COLLAPSED


def handle_spurious_loss_detection(s: Bbr) -> Outcome:
    """5.5.11.2: restore window and bounds, and return to Startup if the losses ended it."""
    s.cwnd = max(s.cwnd, s.prior_cwnd)  # [bbr.undo]
    s.in_recovery = s.is_loss_in_round = False
    reset_full_bw(s)
    if s.bw_shortterm is not None:
        s.bw_shortterm = None if s.undo_bw_shortterm is None else higher(s.bw_shortterm, s.undo_bw_shortterm)
    if s.inflight_shortterm is not None:
        s.inflight_shortterm = at_least(s.inflight_shortterm, s.undo_inflight_shortterm)
    if s.inflight_longterm is not None:
        s.inflight_longterm = at_least(s.inflight_longterm, s.undo_inflight_longterm)
    undo, s.undo_state = s.undo_state, None
    if undo is Phase.STARTUP and s.phase is not Phase.STARTUP:
        s.full_bw_reached = False  # [bbr.undo.startup]
        s.phase, s.pacing_gain = Phase.STARTUP, STARTUP_PACING_GAIN
        return Outcome.STARTUP_RESUMED
    return Outcome.RESTORED


def on_datagram_size(s: Bbr, event: DatagramSize) -> Outcome:
    """Change SMSS; a decrease in the handshake may reduce the window (RFC 9002, section 7.2)."""
    smaller = event.max_datagram_size_bytes < s.smss
    s.smss = event.max_datagram_size_bytes  # [slow-start.datagram-size.minimum]
    if event.handshake and smaller:
        s.cwnd = min(s.cwnd, newreno.initial_window(s.smss))  # [slow-start.datagram-size.handshake]
    return Outcome.UNCHANGED
