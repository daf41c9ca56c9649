"""SUSS, the patch of its authors for Linux 6.8 (tcp_cubic.c, tcp_input.c, tcp_output.c), on NewReno.

The text is the code, and variables have its names. Windows are in bytes here. The position of an ACK is the largest
packet that it newly acknowledges. Growth ends where the code divides by zero. Bit fields are integers.
The author of the model wrote this program, with the model or after it.
"""

from dataclasses import dataclass

from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Sent
from firstflight.limits import TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase

PROFILE = "suss/linux-6-8"

#: The initial window, in packets.
INIT_CWND = 10
#: The largest number of rounds that SUSS skips.
SUSS_MAX = 3
#: Below this window HyStart does not act, in packets.
LOW_WINDOW = 16
#: RTT samples per round before its delay is compared.
MIN_SAMPLES = 8
#: A longer time between ACKs ends their train, in us.
ACK_DELTA = 2000
#: Added to the minimum RTT in the test of the train, in us.
ACK_DELAY = 1000
#: Least increase of the RTT that ends slow start, in us.
DELAY_MIN = 4000
#: Upper bound of that increase, in us.
DELAY_MAX = 16_000
#: States of SUSS: below CAPPED it may act.
CLOCKING, PACING, CAPPED, DELAYED, REDUCED, DISABLED = 1, 2, 3, 4, 9, 10
#: Parts of a round: paced packets, packets that ACKs release, the last of these.
RED, BLUE, TAIL = 0, 1, 2
#: Unknown value.
NONE = 2**64 - 1
#: Limit of the count of rounds. This limit and the next four are this project's, so that 64 bits suffice.
ROUND_MAX = 31
#: Limit of the count of blue packets, in packets.
BLUE_MAX = 2**30
#: The longest train, in us.
TRAIN_MAX = 2**32 - 1
#: The largest pacing rate, in 1/2^24 bytes per us.
RATE_MAX = 2**43
#: The largest transmission that counts for the time of the next transmission, in bytes.
SENT_MAX = 2**33


@dataclass(slots=True)
class Suss:
    """The variables of HyStart, of SUSS, and of the socket, with the kernel's names but without the prefix suss."""

    base: newreno.NewReno
    delay_min: int = 0
    curr_rtt: int = NONE
    sample_cnt: int = 0
    round_start: int = 0
    last_ack: int = 0
    end_seq: int = 0
    found: bool = False
    head_seq: int = 0
    tail_seq: int = INIT_CWND - 1
    round_start_us: int = 0
    round_no: int = 1
    gf: bool = True
    is_blue: int = RED
    cap: int = NONE
    r_minupdate: int = 0
    blue_cnt: int = 0
    prev_delta_t_bat: int = 0
    num_of_jump: int = 0
    state: int = CLOCKING
    limit: int = 0
    pacing_start_ns: int = 0
    rate: int = 0
    wstamp_ns: int = NONE
    in_flight: int = 0
    snd_nxt: int = 0

    @property
    def next_release_ns(self) -> int | None:
        """The earliest time of the next packet while SUSS paces."""
        return self.wstamp_ns if self.state == PACING and self.wstamp_ns != NONE else None


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> Suss:
    """Return the state at the start of a connection, as in the kernel's function cubictcp_init."""
    return Suss(newreno.begin(max_datagram_size_bytes, initial_window_bytes))  # [suss.begin]


def on_event(s: Suss, event: Event) -> Outcome:
    """Call the kernel functions that the patch changes for this event, then NewReno for all that remains."""
    match event:
        case Ack():
            return on_ack(s, event)
        case Sent():
            return Outcome.SUSS_OPENED if on_sent(s, event) else newreno.on_event(s.base, event)
        case Lost():
            s.in_flight = min(event.bytes_in_flight, WINDOW_MAX_BYTES)
            init_cwnd_reduction(s, max(run.sent_t_ns for run in event.packets))
        case Ce():
            init_cwnd_reduction(s, event.sent_t_ns)
        case PersistentCongestion():
            enter_loss(s, event.t_ns)
    return newreno.on_event(s.base, event)


def on_ack(s: Suss, ack: Ack) -> Outcome:
    """Process an ACK: HyStart (cubictcp_acked, with an RTT sample), then the rounds of SUSS, then growth by NewReno.

    Rounds are followed while SUSS is clocked (ACKs release all packets) or paced (additional packets are paced), until
    HyStart sets the cap, the window above which slow start ends.
    """
    s.in_flight = min(ack.bytes_in_flight, WINDOW_MAX_BYTES)
    seq, outcome = ack.packets[-1].last, None
    if ack.latest_rtt_ns is not None:
        outcome = acked(s, ack.t_ns, ack.latest_rtt_ns, seq, ack.next_packet)
    if is_active(s) and s.cap == NONE:
        packets = sum(run.count for run in ack.packets)
        outcome = measurements(s, ack.t_ns, seq, ack.next_packet, packets, ack.bytes)  # [suss.cap.last]
    grown = newreno.on_ack(s.base, ack)  # [suss.grow]
    keep_minimum(s)
    return grown if outcome is None else outcome


def is_active(s: Suss) -> bool:
    """Return whether SUSS is clocked (ACKs release all packets) or paced (additional packets are paced).

    That is, neither HyStart nor a loss has ended SUSS, and SUSS is not disabled.
    """
    return s.state < CAPPED


def keep_minimum(s: Suss) -> None:
    """Raise the window to its minimum while the round is paced, where the kernel's code can lower it to 0.

    This is a rule of this project.
    """
    if s.state == PACING:
        s.base.congestion_window = max(s.base.congestion_window, s.base.minimum_window)  # [suss.window.least]


def hystart_reset(s: Suss, now: int, snd_nxt: int) -> None:
    """Begin a round of HyStart at ``now``, in us, without RTT samples (bictcp_hystart_reset of the kernel).

    The round ends with the ACK of packet ``snd_nxt``, the next packet to be sent.
    """
    s.round_start = s.last_ack = now
    s.end_seq = snd_nxt
    s.curr_rtt = NONE
    s.sample_cnt = 0


def acked(s: Suss, now_ns: int, rtt_ns: int, seq: int, snd_nxt: int) -> Outcome | None:
    """Update the minimum RTT with a sample; then let HyStart check whether slow start ends (cubictcp_acked).

    HyStart acts only in slow start, until it has ended slow start once. Return its outcome, or None. ``seq``: the
    largest packet that the ACK newly acknowledges; ``snd_nxt``: the next packet to send.
    """
    delay = max(rtt_ns // 1000, 1)
    if s.delay_min == 0 or s.delay_min > delay:
        s.delay_min = delay
        s.r_minupdate = s.round_no  # [suss.minimum.round]
    if s.found or s.base.phase is not Phase.SLOW_START:
        return None  # [suss.hystart.once]
    return hystart_update(s, now_ns // 1000, delay, seq, snd_nxt)


def hystart_update(s: Suss, now: int, delay: int, seq: int, snd_nxt: int) -> Outcome | None:
    """Check whether slow start ends (hystart_update of the kernel); return the outcome, or None if nothing happens.

    HyStart's rounds begin at any window, but the checks need a window of at least 16 packets. Slow start ends if the
    window exceeds the cap or if the RTT has risen too far. If SUSS is disabled, it also ends if the train of ACKs is
    too long. The cap is a window that the function suss_cap sets once the ACKs of a round predict the end of growth. At
    the ACK that sets it, the outcome is SUSS_CAPPED unless slow start ends. ``now`` and ``delay``, the RTT sample, are
    in us.
    """
    if seq >= s.end_seq:
        hystart_reset(s, now, snd_nxt)
    if s.base.congestion_window < LOW_WINDOW * s.base.max_datagram_size:
        return None
    outcome = suss_cap(s, now)
    if s.state == DISABLED and train_is_long(s, now):
        outcome = Outcome.EXITED_BY_TRAIN  # [suss.exit.train]
    if delay_is_long(s, delay) and outcome in (None, Outcome.SUSS_CAPPED):
        if s.state < REDUCED:
            stop(s, DELAYED)
        outcome = Outcome.EXITED_BY_DELAY  # [suss.exit.delay]
    if outcome not in (None, Outcome.SUSS_CAPPED):
        s.found = True
        s.base.ssthresh = s.base.congestion_window  # [suss.exit]
    return outcome


def suss_cap(s: Suss, now: int) -> Outcome | None:
    """End SUSS if the window exceeds the cap (EXITED_BY_CAP); without a cap, set one if growth is about to end.

    With EXITED_BY_CAP the caller also ends slow start. The cap is set once (SUSS_CAPPED), at a blue ACK (of packets
    sent as in plain slow start) or the first ACK after the blue part of a round. The ACK must arrive within 2 ms of the
    previous one. The time since HyStart's round began, doubled for each of j sped-up rounds, must exceed half of
    (minimum RTT + 1 ms). The cap is then the window plus n * (2^j - 1) packets, with n blue packets counted in this
    round before this ACK. In all other cases return None. ``now`` is in us.
    """
    if s.cap != NONE and s.base.congestion_window > s.cap:
        stop(s, CAPPED)  # [suss.exit.cap]
        return Outcome.EXITED_BY_CAP
    if s.cap != NONE or not is_active(s) or s.is_blue == RED:
        return None  # [suss.cap.blue]
    if now - s.last_ack > ACK_DELTA:
        return None  # [suss.cap.broken]
    s.last_ack = now
    if (now - s.round_start) << s.num_of_jump <= (s.delay_min + ACK_DELAY) // 2:
        return None  # [suss.cap.train]
    packets = s.blue_cnt * ((1 << s.num_of_jump) - 1)
    s.cap = s.base.congestion_window + packets * s.base.max_datagram_size  # [suss.cap]
    return Outcome.SUSS_CAPPED


def stop(s: Suss, state: int) -> None:
    """End SUSS: its state becomes ``state``, CAPPED or DELAYED. The caller sets ssthresh.

    If at least two rounds were sped up, the window becomes the bytes in flight, but not less than the minimum window.
    """
    s.state = state  # [suss.exit.stopped]
    if s.num_of_jump > 1:
        s.base.congestion_window = max(s.in_flight, s.base.minimum_window)  # [suss.exit.in-flight]


def train_is_long(s: Suss, now: int) -> bool:
    """Return whether the train of closely spaced ACKs is too long: HyStart's test HYSTART_ACK_TRAIN.

    The train ends at a gap of more than 2 ms between ACKs. It is too long once the time since the round began exceeds
    half of (minimum RTT + 1 ms). ``now`` is in us.
    """
    if now - s.last_ack > ACK_DELTA:
        return False
    s.last_ack = now
    return now - s.round_start > (s.delay_min + ACK_DELAY) // 2


def delay_is_long(s: Suss, delay: int) -> bool:
    """Count the RTT sample ``delay``, in us; return whether the RTT has risen too far: HyStart's test HYSTART_DELAY.

    After eight samples of the round, the smallest RTT of the round is compared with the minimum RTT. It is too large if
    it exceeds the minimum by more than an eighth of the minimum, bounded to 4..16 ms.
    """
    s.curr_rtt = min(s.curr_rtt, delay)
    if s.sample_cnt < MIN_SAMPLES:
        s.sample_cnt += 1
        return False
    return s.curr_rtt > s.delay_min + min(max(s.delay_min // 8, DELAY_MIN), DELAY_MAX)


def measurements(s: Suss, now_ns: int, seq: int, snd_nxt: int, packets: int, acked_bytes: int) -> Outcome | None:
    """Follow the rounds of SUSS at an ACK (suss_measurements of the patch); ``seq``: its largest packet.

    An ACK of ``head_seq`` or later begins a round. The first ACKs of a round are blue: their packets were sent as in
    plain slow start, without pacing. The ACK of ``tail_seq`` ends this part and decides whether to speed the round up;
    return that outcome, or None for other ACKs. In a paced round, which is one sped up, the ACKs after this part
    ("red") do not grow the window.
    """
    outcome = None
    if s.is_blue == TAIL:
        s.is_blue = RED
    if seq >= s.head_seq:
        s.is_blue = BLUE
        s.blue_cnt = 0
        s.round_no = min(s.round_no + 1, ROUND_MAX)  # [suss.round]
        s.round_start_us = now_ns // 1000
        s.head_seq = snd_nxt
        s.state = CLOCKING  # [suss.round.clocked]
        s.wstamp_ns = NONE
    if seq >= s.tail_seq:
        outcome = tail(s, now_ns, acked_bytes)
    if s.is_blue != RED:
        s.blue_cnt = min(s.blue_cnt + packets, BLUE_MAX)  # [suss.round.count]
    elif s.state == PACING:
        s.base.congestion_window = max(s.base.congestion_window - acked_bytes, 0)  # [suss.red.no-growth]
    return outcome


def blue_pkt(s: Suss) -> int:
    """Return the number of packets that plain slow start sends in this round: 10 in round 1, doubled in each round."""
    return INIT_CWND << (s.round_no - 1)  # [suss.round.blue]


def tail(s: Suss, now_ns: int, acked_bytes: int) -> Outcome:
    """Decide at the last blue ACK of a round whether to pace more packets in this round; return the outcome.

    Blue ACKs acknowledge packets that ACKs released, as in plain slow start. The train is the time from the first to
    the last blue ACK of the round. Its estimate is t * B / (2 * n), where t is the time since the round began. B is the
    number of packets that plain slow start sends in this round, n the number of packets acknowledged in it before this
    ACK. SUSS_PACED: the train predicts further growth, and the RTT leaves time for pacing. In this round the sender
    then also sends, paced, packets that plain slow start would send in later rounds. SUSS_DISABLED: the function
    speedup has disabled SUSS. SUSS_CLOCKED: the round sends packets only when ACKs arrive. Part of the function
    suss_measurements in the kernel.
    """
    s.is_blue = TAIL
    s.tail_seq = s.head_seq + blue_pkt(s) - 1  # [suss.round.tail]
    if not s.gf or s.blue_cnt == 0 or s.round_no >= SUSS_MAX + 2:
        s.gf = False  # [suss.train.none] [suss.later.last]
        return Outcome.SUSS_CLOCKED
    elapsed = min(now_ns // 1000 - s.round_start_us, TRAIN_MAX)
    delta_t_bat = blue_pkt(s) * elapsed // (2 * s.blue_cnt)  # [suss.train]
    s.gf = speedup(s, delta_t_bat)  # [suss.ends]
    if not s.gf:
        return Outcome.SUSS_DISABLED if s.state == DISABLED else Outcome.SUSS_CLOCKED
    s.prev_delta_t_bat = delta_t_bat
    quadruple(s, acked_bytes)
    rest = s.delay_min >> (s.round_no - 1)
    if rest <= delta_t_bat:
        return Outcome.SUSS_CLOCKED  # [suss.guard.none]
    s.state = PACING
    s.num_of_jump += 1
    s.pacing_start_ns = min(now_ns + (rest - delta_t_bat) // 2 * 1000, TIME_MAX_NS)  # [suss.guard]
    return Outcome.SUSS_PACED


def speedup(s: Suss, delta_t_bat: int) -> bool:
    """Return whether the window is predicted to double again in the next round (suss_speedup of the patch).

    ``delta_t_bat``: the estimated train in us, the time from the first to the last blue ACK of the round. Blue ACKs
    acknowledge packets sent as in plain slow start. M: minimum RTT. In round 2, M must exceed 10 ms and the train be
    below M / 4; if either fails, SUSS is disabled. Later rounds have two conditions. The predicted train, 2^(r - 1) *
    delta_t_bat^2 / p, is at most M (r: number of the round; p: train of the round before). The smallest RTT of
    HyStart's round is at most M + (M / 8) * k / (k + 1), with k rounds since M changed.
    """
    if s.round_no == 2:
        if s.delay_min > 10_000 and delta_t_bat < s.delay_min >> 2:
            return True  # [suss.second]
        s.state = DISABLED  # [suss.second.disabled]
        return False
    delta_t = delta_t_bat << (s.round_no - 2)
    prev_delta_t = s.prev_delta_t_bat << (s.round_no - 3)
    if prev_delta_t == 0 or s.curr_rtt == NONE:
        return False  # [suss.later.none] [suss.later.no-sample]
    mu = (delta_t << 10) // (prev_delta_t << 1)  # [suss.later.ratio]
    # mu * delta_t >> 9 <= delay_min, without the product
    if delta_t > 0 and mu > (((s.delay_min + 1) << 9) - 1) // delta_t:
        return False  # [suss.later.train]
    k = s.round_no - s.r_minupdate
    return (k + 1) * s.curr_rtt <= (k + 1) * s.delay_min + (k * s.delay_min >> 3)  # [suss.later.delay]


def quadruple(s: Suss, acked_bytes: int) -> None:
    """Set the limit of the window, ``limit``, and the pacing rate, ``rate`` in bytes/s, of a sped-up round.

    Round r sends b * (2^(r - 1) - 1) additional packets. r: number of the round, 1 for the initial window; b: number of
    its packets in plain slow start. The rate spreads them over M - M / 2^(r - 1), where M is the minimum RTT. The limit
    is the window, plus ``acked_bytes`` of the current ACK, plus the additional packets in excess of their number in the
    round before.
    """
    mss = s.base.max_datagram_size
    blue_ack = blue_pkt(s) >> 1
    red_pkt = (blue_pkt(s) << (s.round_no - 1)) - blue_pkt(s)  # [suss.red]
    red_ack = (blue_ack << (s.round_no - 2)) - blue_ack  # [suss.red.in-flight]
    limit = s.base.congestion_window + acked_bytes + (red_pkt - red_ack) * mss
    s.limit = min(limit, WINDOW_MAX_BYTES)  # [suss.limit]
    pacing_duration = s.delay_min - (s.delay_min >> (s.round_no - 1))  # [suss.pacing.span]
    rate = min((red_pkt * mss << 24) // pacing_duration, RATE_MAX)
    s.rate = rate * 10**6 >> 24  # [suss.pacing.rate]


def on_sent(s: Suss, sent: Sent) -> bool:
    """Process sent packets; return whether this enlarged the window (tcp_update_skb_after_send of the patch).

    The round must be paced, that is, sped up by additional packets. The window must be below ``limit``, set when the
    round was sped up. A transmission that leaves room for less than a packet then enlarges the window by two packets.
    The first enlargement starts the pacing.
    """
    mss = s.base.max_datagram_size
    s.snd_nxt = sent.packets[-1].last + 1
    s.in_flight = min(sent.bytes_in_flight, WINDOW_MAX_BYTES)
    if s.state != PACING:
        return False
    if s.wstamp_ns != NONE and s.rate > 0:
        pace(s, sent.t_ns, sent.bytes)
    if s.base.congestion_window >= s.limit or s.in_flight + mss <= s.base.congestion_window:
        return False
    s.base.congestion_window = min(s.base.congestion_window + 2 * mss, WINDOW_MAX_BYTES)  # [suss.open]
    if s.wstamp_ns == NONE:
        s.wstamp_ns = s.pacing_start_ns  # [suss.pacing.begin]
    return True


def pace(s: Suss, now_ns: int, sent_bytes: int) -> None:
    """Advance ``wstamp_ns``, the release time of the next packet, by sent_bytes / rate.

    If these packets left late, their lateness shortens this gap by at most half. This is the usual pacing of the kernel
    (tcp_update_skb_after_send).
    """
    len_ns = min(sent_bytes, SENT_MAX) * 10**9 // s.rate  # [suss.pacing.gap]
    credit = max(now_ns - s.wstamp_ns, 0)
    len_ns -= min(len_ns // 2, credit)  # [suss.pacing.late]
    s.wstamp_ns = min(max(s.wstamp_ns, now_ns) + len_ns, TIME_MAX_NS)


def init_cwnd_reduction(s: Suss, sent_time: int) -> None:
    """End SUSS at a loss or CE mark that begins a recovery period (tcp_init_cwnd_reduction of the patch).

    SUSS that has ended by a loss or is disabled stays so. In the modes clocked (ACKs release all packets) and paced
    (additional packets are paced), the window becomes the bytes in flight, at least its minimum. NewReno then reduces
    the window. ``sent_time``: when the lost or marked packet was sent, in ns.
    """
    if newreno.in_congestion_recovery(s.base, sent_time):
        return
    if is_active(s):
        s.base.congestion_window = max(s.in_flight, s.base.minimum_window)  # [suss.loss.in-flight]
    if s.state < REDUCED:
        s.state = REDUCED  # [suss.loss]


def enter_loss(s: Suss, now_ns: int) -> None:
    """Process persistent congestion before NewReno collapses the window (tcp_enter_loss and cubictcp_state).

    With a window below 40 packets SUSS is disabled. HyStart starts again, without a minimum RTT.
    """
    if s.base.congestion_window < 40 * s.base.max_datagram_size:
        s.state = DISABLED  # [suss.timeout]
    s.found = False
    s.delay_min = 0
    hystart_reset(s, now_ns // 1000, s.snd_nxt)  # [suss.timeout.hystart]
