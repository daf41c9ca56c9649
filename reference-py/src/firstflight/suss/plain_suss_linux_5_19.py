"""SUSS, the patch of its authors for Linux 5.19.10 (tcp_cubic.c, tcp_input.c, tcp_output.c), on NewReno.

The text is the code, and variables have its names. Windows are in bytes here. The position of an ACK is the largest
packet that it newly acknowledges. Growth ends where the code divides by zero. Bit fields and products of 32 bits are
integers. The author of the model wrote this program, with the model or after it.
"""

from dataclasses import dataclass

from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Sent
from firstflight.limits import TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase

PROFILE = "suss/linux-5-19"

#: The largest number of rounds that SUSS skips.
SUSS_MAX = 3
#: Position of the binary point of a rate, in bits.
BW_SCALE = 24
#: Below this window HyStart does not act, in packets.
HYSTART_LOW_WINDOW = 16
#: RTT samples per round before its delay is compared.
HYSTART_MIN_SAMPLES = 8
#: A longer time between ACKs ends their train.
HYSTART_ACK_DELTA_US = 2000
#: Added to the minimum RTT in the test of the train.
HYSTART_ACK_DELAY_US = 1000
#: Least increase of the RTT that ends slow start, in us.
HYSTART_DELAY_MIN = 4000
#: Upper bound of that increase, in us.
HYSTART_DELAY_MAX = 16_000
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
    """The variables of HyStart, of SUSS, and of the socket, with the names of the kernel.

    ``suss_state``: in state 1 (clocked) packets are sent at ACKs only. In state 2 (paced) the round is sped up, with
    additional paced packets. In state 3 the cap (a window set by SUSS) ended slow start, in state 4 a rise of the RTT.
    In state 9 a loss or CE mark ended SUSS. In state 10 SUSS is disabled, and only HyStart acts.
    """

    base: newreno.NewReno
    delay_min: int = 0
    curr_rtt: int = NONE
    sample_cnt: int = 0
    round_start: int = 0
    last_ack: int = 0
    end_seq: int = 0
    found: bool = False
    suss_head_seq: int = 0
    suss_tail_seq: int = 9
    suss_round_start_us: int = 0
    suss_round_no: int = 1
    suss_gf: bool = True
    suss_is_blue: int = 0
    suss_flag: bool = False
    suss_cap: int = 0
    suss_r_minupdate: int = 0
    suss_blue_cnt: int = 0
    suss_prev_delta_t_bat: int = 0
    suss_num_of_jump: int = 0
    suss_state: int = 1
    suss_limit: int = 0
    suss_pacing_start_ns: int = 0
    suss_rate: int = 0
    paced: bool = False
    tcp_wstamp_ns: int = 0
    in_flight: int = 0
    snd_nxt: int = 0

    @property
    def next_release_ns(self) -> int | None:
        """The earliest time of the next packet while SUSS paces."""
        return self.tcp_wstamp_ns if self.suss_state == 2 and self.paced else None


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> Suss:
    """Return the state at the start of a connection, as in the kernel's function bictcp_init."""
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
        outcome = cubictcp_acked(s, ack.t_ns, ack.latest_rtt_ns, seq, ack.next_packet)
    if s.suss_state < 3 and not s.suss_flag:
        outcome = cong_avoid(s, ack, seq)  # [suss.cap.last]
    grown = newreno.on_ack(s.base, ack)  # [suss.grow]
    if s.suss_state == 2:  # this project's rule: red ACKs do not lower the window below its minimum
        s.base.congestion_window = max(s.base.congestion_window, s.base.minimum_window)  # [suss.window.least]
    return grown if outcome is None else outcome


def hystart_reset(s: Suss, now: int, snd_nxt: int) -> None:
    """Begin a round of HyStart at ``now``, in us, without RTT samples (bictcp_hystart_reset of the kernel).

    The round ends with the ACK of packet ``snd_nxt``, the next packet to be sent.
    """
    s.round_start = s.last_ack = now
    s.end_seq = snd_nxt
    s.curr_rtt = NONE
    s.sample_cnt = 0


def cubictcp_acked(s: Suss, now_ns: int, rtt_ns: int, seq: int, snd_nxt: int) -> Outcome | None:
    """Update the minimum RTT with a sample; then let HyStart check whether slow start ends (cubictcp_acked).

    HyStart acts only in slow start, with a window of at least 16 packets, until it has ended slow start once. Return
    its outcome, or None. ``seq``: the largest packet that the ACK newly acknowledges; ``snd_nxt``: the next packet to
    send.
    """
    delay = max(rtt_ns // 1000, 1)
    if s.delay_min == 0 or s.delay_min > delay:
        s.delay_min = delay
        s.suss_r_minupdate = s.suss_round_no  # [suss.minimum.round]
    if s.found or s.base.phase is not Phase.SLOW_START:
        return None  # [suss.hystart.once]
    if s.base.congestion_window < HYSTART_LOW_WINDOW * s.base.max_datagram_size:
        return None  # [suss.hystart.sixteen]
    return hystart_update(s, now_ns // 1000, delay, seq, snd_nxt)


def hystart_update(s: Suss, now: int, delay: int, seq: int, snd_nxt: int) -> Outcome | None:
    """Check whether slow start ends (hystart_update of the kernel); return the outcome, or None if nothing happens.

    The checks, in this order: 1. If the window exceeds the cap, a window set earlier by SUSS, slow start ends, without
    further checks. 2. The cap may be set (SUSS_CAPPED). 3. If SUSS is disabled, a train of ACKs that is too long ends
    slow start. 4. An RTT that has risen too far ends slow start. ``now`` and ``delay``, the RTT sample, are in us.
    """
    if seq >= s.end_seq:
        hystart_reset(s, now, snd_nxt)
    if s.suss_flag and s.base.congestion_window > s.suss_cap:
        end_growth(s, 3)  # [suss.exit.cap]
        return Outcome.EXITED_BY_CAP
    outcome = set_cap(s, now)
    if s.suss_state == 10 and now - s.last_ack <= HYSTART_ACK_DELTA_US:
        s.last_ack = now
        if now - s.round_start > (s.delay_min + HYSTART_ACK_DELAY_US) >> 1:
            end_growth(s, 3)
            outcome = Outcome.EXITED_BY_TRAIN  # [suss.exit.train]
    s.curr_rtt = min(s.curr_rtt, delay)
    if s.sample_cnt < HYSTART_MIN_SAMPLES:
        s.sample_cnt += 1
    elif s.curr_rtt > s.delay_min + min(max(s.delay_min >> 3, HYSTART_DELAY_MIN), HYSTART_DELAY_MAX):
        end_growth(s, 4)
        outcome = outcome if outcome is Outcome.EXITED_BY_TRAIN else Outcome.EXITED_BY_DELAY  # [suss.exit.delay]
    return outcome


def end_growth(s: Suss, state: int) -> None:
    """End slow start: ssthresh becomes the window. HyStart does not act again until persistent congestion.

    If a loss or CE mark has ended SUSS, or SUSS is disabled, only this happens. Otherwise ``suss_state`` becomes
    ``state``: 3 for an end by the cap, 4 by the RTT. If in addition at least two rounds were sped up, the window is set
    to the bytes in flight, but at least the minimum window. The new window then becomes ssthresh.
    """
    s.found = True
    if s.suss_state < 9:
        s.suss_state = state  # [suss.exit.stopped]
        if s.suss_num_of_jump > 1:
            s.base.congestion_window = max(s.in_flight, s.base.minimum_window)  # [suss.exit.in-flight]
    s.base.ssthresh = s.base.congestion_window  # [suss.exit]


def set_cap(s: Suss, now: int) -> Outcome | None:
    """Set ``suss_cap`` once the ACKs of a round predict the end of growth. Slow start ends if the window exceeds it.

    This part of hystart_update acts until a cap is set, at blue ACKs (of packets sent as in plain slow start) and the
    first ACK after the blue part of a round. The ACK must arrive within 2 ms of the previous one. The time since
    HyStart's round began, doubled for each of j sped-up rounds, must exceed half of (minimum RTT + 1 ms). The cap is
    the window plus n * (2^j - 1) packets, with n blue packets counted in this round before this ACK. ``now`` is in us.
    Return SUSS_CAPPED if the cap was set, otherwise None.
    """
    if s.suss_flag or s.suss_state >= 3 or s.suss_is_blue == 0:
        return None  # [suss.cap.blue]
    if now - s.last_ack > HYSTART_ACK_DELTA_US:
        return None  # [suss.cap.broken]
    s.last_ack = now
    if (now - s.round_start) << s.suss_num_of_jump <= (s.delay_min + HYSTART_ACK_DELAY_US) >> 1:
        return None  # [suss.cap.train]
    packets = s.suss_blue_cnt * ((1 << s.suss_num_of_jump) - 1)
    s.suss_flag = True
    s.suss_cap = s.base.congestion_window + packets * s.base.max_datagram_size  # [suss.cap]
    return Outcome.SUSS_CAPPED


def cong_avoid(s: Suss, ack: Ack, seq: int) -> Outcome | None:
    """Follow the rounds of SUSS at an ACK (added by the patch to cubictcp_cong_avoid); ``seq``: its largest packet.

    An ACK of ``suss_head_seq`` or later begins a round. The first ACKs of a round are blue: their packets were sent as
    in plain slow start, without pacing. The ACK of ``suss_tail_seq`` ends this part and decides whether to speed the
    round up; return that outcome, or None for other ACKs. In a paced round, which is one sped up, the ACKs after this
    part ("red") do not grow the window.
    """
    outcome = None
    if s.suss_is_blue == 2:
        s.suss_is_blue = 0
    if seq >= s.suss_head_seq:
        s.suss_is_blue = 1
        s.suss_blue_cnt = 0
        s.suss_round_no = min(s.suss_round_no + 1, ROUND_MAX)  # [suss.round]
        s.suss_round_start_us = ack.t_ns // 1000
        s.suss_head_seq = ack.next_packet
        s.suss_state = 1  # [suss.round.clocked]
        s.paced = False
    if seq >= s.suss_tail_seq:
        outcome = blue_tail(s, ack.t_ns, ack.bytes)
    if s.suss_is_blue != 0:
        packets = sum(run.count for run in ack.packets)
        s.suss_blue_cnt = min(s.suss_blue_cnt + packets, BLUE_MAX)  # [suss.round.count]
    elif s.suss_state == 2:
        s.base.congestion_window = max(s.base.congestion_window - ack.bytes, 0)  # [suss.red.no-growth]
    return outcome


def blue_tail(s: Suss, now_ns: int, acked_bytes: int) -> Outcome:
    """Decide whether to speed the round up, at the ACK that ends its first, blue part (in cubictcp_cong_avoid).

    Blue ACKs acknowledge packets sent as in plain slow start. The train is the time from the first to the last blue ACK
    of the round. Its estimate is t * B / (2 * n), where t is the time since the round began. B is the number of packets
    that plain slow start sends in this round, n the number of packets acknowledged in it before this ACK. If the train
    predicts further growth and leaves time for pacing, the round is paced (SUSS_PACED). The sender then also sends in
    this round packets that plain slow start would send in later rounds. Otherwise the round stays clocked by ACKs
    (SUSS_CLOCKED). If growth is not predicted in round 2, SUSS is disabled (SUSS_DISABLED).
    """
    s.suss_is_blue = 2
    blue = 10 << (s.suss_round_no - 1)  # [suss.round.blue]
    s.suss_tail_seq = s.suss_head_seq + blue - 1  # [suss.round.tail]
    if s.suss_blue_cnt == 0:
        s.suss_gf = False  # [suss.train.none]
    if not s.suss_gf:
        return Outcome.SUSS_CLOCKED
    elapsed = min(now_ns // 1000 - s.suss_round_start_us, TRAIN_MAX)
    delta_t_bat = elapsed * blue // (s.suss_blue_cnt << 1)  # [suss.train]
    s.suss_gf = measure_g(s, delta_t_bat)  # [suss.ends]
    if not s.suss_gf:
        return Outcome.SUSS_DISABLED if s.suss_state == 10 else Outcome.SUSS_CLOCKED
    s.suss_num_of_jump += 1
    s.suss_prev_delta_t_bat = delta_t_bat
    plan(s, blue, acked_bytes)
    free = s.delay_min >> (s.suss_round_no - 1)
    if free >> 1 <= delta_t_bat >> 1:
        s.suss_num_of_jump -= 1
        return Outcome.SUSS_CLOCKED  # [suss.guard.none]
    s.suss_state = 2
    gap_ns = ((free >> 1) - (delta_t_bat >> 1)) * 1000  # [suss.guard.halves]
    s.suss_pacing_start_ns = min(now_ns + gap_ns, TIME_MAX_NS)
    return Outcome.SUSS_PACED


def measure_g(s: Suss, delta_t_bat: int) -> bool:
    """Return whether the window is predicted to double again in the next round (func_measure_g of the patch).

    ``delta_t_bat``: the estimated train in us, the time from the first to the last blue ACK of the round. Blue ACKs
    acknowledge packets sent as in plain slow start. M: minimum RTT. In round 2, M must exceed 10 ms and the train be
    below M / 4; if either fails, SUSS is disabled. Rounds 3 and 4 have two conditions. The predicted train, 2^(r - 1) *
    delta_t_bat^2 / p, is at most M (r: number of the round; p: train of the round before). The smallest RTT of
    HyStart's round is at most M + (M / 8) * k / (k + 1), with k rounds since M changed. Later rounds return false.
    """
    if s.suss_round_no == 2:
        if s.delay_min > 10_000 and delta_t_bat < s.delay_min >> 2:
            return True  # [suss.second]
        s.suss_state = 10  # [suss.second.disabled]
        return False
    delta_t = delta_t_bat << (s.suss_round_no - 2)
    prev_delta_t = s.suss_prev_delta_t_bat << (s.suss_round_no - 3)
    if prev_delta_t == 0 or s.curr_rtt == NONE:
        return False  # [suss.later.none] [suss.later.no-sample]
    mu = (delta_t << 10) // (prev_delta_t << 1)  # [suss.later.ratio]
    if mu * delta_t >> 9 > s.delay_min:
        return False  # [suss.later.train]
    if s.suss_round_no >= SUSS_MAX + 2:
        return False  # [suss.later.last]
    k = s.suss_round_no - s.suss_r_minupdate
    return (k + 1) * s.curr_rtt <= (k + 1) * s.delay_min + (k * s.delay_min >> 3)  # [suss.later.delay]


def plan(s: Suss, blue: int, acked_bytes: int) -> None:
    """Set the limit of the window, ``suss_limit``, and the pacing rate, ``suss_rate`` in bytes/s, of a sped-up round.

    Plain slow start sends ``blue`` packets in this round. j is the number of rounds sped up so far, including this one.
    The round sends blue * (2^j - 1) additional packets. The rate spreads them over the time M - M / 2^(r - 1), where M
    is the minimum RTT and r the number of this round. Round 2 begins with the first ACK. Rounds that are not sped up
    count in r, but not in j. The limit is the window, plus ``acked_bytes`` of the current ACK, plus the additional
    packets in excess of their number in the round before.
    """
    extra = blue * ((1 << s.suss_num_of_jump) - 1)  # [suss.red.jumps]
    red_in_flight = (blue >> 1) * ((1 << (s.suss_num_of_jump - 1)) - 1)  # [suss.red.in-flight]
    size = s.base.max_datagram_size
    limit = s.base.congestion_window + acked_bytes + (extra - red_in_flight) * size
    s.suss_limit = min(limit, WINDOW_MAX_BYTES)  # [suss.limit]
    duration = s.delay_min - (s.delay_min >> (s.suss_round_no - 1))  # [suss.pacing.span]
    rate = min((extra * size << BW_SCALE) // duration, RATE_MAX)
    s.suss_rate = rate * 10**6 >> BW_SCALE  # [suss.pacing.rate]


def on_sent(s: Suss, sent: Sent) -> bool:
    """Process sent packets; return whether this enlarged the window (tcp_update_skb_after_send of the patch).

    The round must be paced, that is, sped up by additional packets. The window must be below ``suss_limit``, set when
    the round was sped up. A transmission that leaves room for less than a packet then enlarges the window by two
    packets. The first enlargement starts the pacing.
    """
    size = s.base.max_datagram_size
    s.snd_nxt = sent.packets[-1].last + 1
    s.in_flight = min(sent.bytes_in_flight, WINDOW_MAX_BYTES)
    if s.suss_state != 2:
        return False
    if s.paced and s.suss_rate > 0:
        pace(s, sent.t_ns, sent.bytes)
    if s.base.congestion_window >= s.suss_limit or s.base.congestion_window >= s.in_flight + size:
        return False
    s.base.congestion_window = min(s.base.congestion_window + 2 * size, WINDOW_MAX_BYTES)  # [suss.open]
    if not s.paced:
        s.paced = True
        s.tcp_wstamp_ns = s.suss_pacing_start_ns  # [suss.pacing.begin]
    return True


def pace(s: Suss, now_ns: int, sent_bytes: int) -> None:
    """Set ``tcp_wstamp_ns``, the release time of the next packet, after ``sent_bytes`` left at ``now_ns``.

    The gap is sent_bytes / suss_rate. Lateness is the time from the old release time to ``now_ns``, at least 0. It
    shortens the gap, by at most half of the gap. The new release time is the later of the old one and ``now_ns``, plus
    the gap. This is the usual pacing of the kernel (tcp_update_skb_after_send).
    """
    len_ns = min(sent_bytes, SENT_MAX) * 10**9 // s.suss_rate  # [suss.pacing.gap]
    len_ns -= min(len_ns // 2, max(now_ns - s.tcp_wstamp_ns, 0))  # [suss.pacing.late]
    s.tcp_wstamp_ns = min(max(s.tcp_wstamp_ns, now_ns) + len_ns, TIME_MAX_NS)


def init_cwnd_reduction(s: Suss, sent_time: int) -> None:
    """End SUSS at a loss or CE mark that begins a recovery period (tcp_init_cwnd_reduction of the patch).

    SUSS that has ended by a loss or is disabled stays so. In the modes clocked (ACKs release all packets) and paced
    (additional packets are paced), the window becomes the bytes in flight, at least its minimum. NewReno then reduces
    the window. ``sent_time``: when the lost or marked packet was sent, in ns.
    """
    if newreno.in_congestion_recovery(s.base, sent_time) or s.suss_state >= 9:
        return
    if s.suss_state < 3:
        s.base.congestion_window = max(s.in_flight, s.base.minimum_window)  # [suss.loss.in-flight]
    s.suss_state = 9  # [suss.loss]


def enter_loss(s: Suss, now_ns: int) -> None:
    """Process persistent congestion before NewReno collapses the window (tcp_enter_loss and cubictcp_state).

    With a window below 40 packets SUSS is disabled. HyStart starts again, without a minimum RTT.
    """
    if s.base.congestion_window < 40 * s.base.max_datagram_size:
        s.suss_state = 10  # [suss.timeout]
    s.found = False
    s.delay_min = 0
    hystart_reset(s, now_ns // 1000, s.snd_nxt)  # [suss.timeout.hystart]
