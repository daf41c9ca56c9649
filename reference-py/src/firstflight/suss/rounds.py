"""The rounds of SUSS: trains of ACKs, the decision to continue growth, and additional packets (``spec/suss/rules.md``).

Mirrors ``reference-c/firstflight/suss/rounds.c``.
"""

from firstflight.events import Ack
from firstflight.limits import TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Outcome
from firstflight.suss.profiles import Guard, Readings, Red
from firstflight.suss.state import FIRST_PACKETS, Mode, Part, Suss, min_us

#: The last round that may be sped up: at most three rounds are.
LAST_ROUND = 4
#: The minimum RTT must exceed this number, in microseconds.
LEAST_RTT_US = 10_000
#: Limits of counters; the fields of the kernel are narrower or wrap.
ROUND_MAX = 31
BLUE_MAX = 2**30
TRAIN_MAX_US = 2**32 - 1
#: The largest exact rate, in units of 2^-24 bytes per microsecond.
RATE_MAX = 2**43


def _blue_packets(state: Suss) -> int:
    """Return the number of packets that plain slow start sends in this round: 10 in round 1, doubled in each round."""
    return FIRST_PACKETS << (state.round_no - 1)  # [suss.round.blue]


def _begin_round(state: Suss, ack: Ack) -> None:
    state.part = Part.BLUE
    state.blue_packets = 0
    state.round_no = min(state.round_no + 1, ROUND_MAX)  # [suss.round]
    state.round_start_us = ack.t_ns // 1000
    state.head_packet = ack.next_packet
    state.mode = Mode.CLOCKED  # [suss.round.clocked]
    state.release_ns = None


def _train_us(state: Suss, t_ns: int) -> int | None:
    """Return the estimated train in us: the time from the first to the last blue ACK of the round.

    Blue ACKs acknowledge packets sent as in plain slow start. The estimate extrapolates from those before the tail, the
    ACK at ``t_ns`` that ends the blue part of the round. Without blue ACKs before it, return ``None``.
    """
    if state.blue_packets == 0:
        return None  # [suss.train.none]
    elapsed_us = min(t_ns // 1000 - state.round_start_us, TRAIN_MAX_US)
    return _blue_packets(state) * elapsed_us // (2 * state.blue_packets)  # [suss.train]


def _train_fits(state: Suss, train_us: int) -> bool:
    """Return whether the predicted train of the next round is at most the minimum RTT.

    A train is the time from the first to the last ACK of packets sent as in plain slow start. The prediction is
    2^(r - 1) * train_us^2 / p, where r is the number of this round and p the train of the round before. With p = 0
    return false.
    """
    before_us = state.train_us << (state.round_no - 3)
    if before_us == 0:
        return False  # [suss.later.none]
    whole_us = train_us << (state.round_no - 2)
    ratio = (whole_us << 10) // (2 * before_us)  # [suss.later.ratio]
    return ratio * whole_us >> 9 <= min_us(state)  # [suss.later.train]


def _delay_fits(state: Suss) -> bool:
    """Return whether the RTT is predicted to rise by at most an eighth until the next round."""
    current_ns = state.hystart.current_min_ns
    if current_ns is None:
        return False  # [suss.later.no-sample]
    rounds = state.round_no - state.min_round
    allowed_us = (rounds + 1) * min_us(state) + (rounds * min_us(state) >> 3)
    return (rounds + 1) * (current_ns // 1000) <= allowed_us  # [suss.later.delay]


def _goes_on(state: Suss, train_us: int) -> bool:
    """Return whether the window is expected to double in the next round as well. In round 2, disable SUSS if not."""
    if state.round_no > 2:
        return _train_fits(state, train_us) and _delay_fits(state)
    if min_us(state) > LEAST_RTT_US and train_us < min_us(state) >> 2:
        return True  # [suss.second]
    state.mode = Mode.DISABLED  # [suss.second.disabled]
    return False


def _set_limit(readings: Readings, state: Suss, base: BaseState, acked_bytes: int) -> None:
    """Set ``limit_bytes``, the limit of the window's growth in this round, and ``rate``, the pacing rate in bytes/s.

    Red packets are sent in addition to plain slow start, paced. The limit is the window, plus ``acked_bytes``, plus the
    red packets of this round, minus the red packets of the previous round. The rate is the bytes of the red packets of
    this round per M - M / 2^(r - 1). M: minimum RTT; r: number of this round.
    """
    blue = _blue_packets(state)
    doublings = state.jumps + 1 if readings.red is Red.JUMPS else state.round_no - 1  # [suss.red.jumps]
    red = (blue << doublings) - blue  # [suss.red]
    red_acks = (blue // 2 << (doublings - 1)) - blue // 2  # [suss.red.in-flight]
    size_bytes = base.max_datagram_size_bytes
    limit_bytes = base.cwnd_bytes + acked_bytes + (red - red_acks) * size_bytes  # [suss.limit]
    state.limit_bytes = min(limit_bytes, WINDOW_MAX_BYTES)
    span_us = min_us(state) - (min_us(state) >> (state.round_no - 1))  # [suss.pacing.span]
    per_us = min((red * size_bytes << 24) // span_us, RATE_MAX)
    state.rate = per_us * 10**6 >> 24  # [suss.pacing.rate]


def _set_guard(readings: Readings, state: Suss, t_ns: int, train_us: int) -> bool:
    """Set the start of the pacing of this round, after a guard interval. Return false if the train is too long.

    ``train_us``: the train, the time from the first to the last ACK of packets sent as in plain slow start. The guard
    interval begins at ``t_ns``. Its length is half of the difference M / 2^(r - 1) - train. M: minimum RTT; r: number
    of this round of SUSS, where round 2 begins with the first ACK. The train is too long if the difference is not
    positive. With ``readings.guard`` = HALVES both terms are first halved and rounded down to microseconds.
    """
    rest_us = min_us(state) >> (state.round_no - 1)
    if readings.guard is Guard.HALVES:
        rest_us, train_us = rest_us // 2, train_us // 2  # [suss.guard.halves]
        guard_us = rest_us - train_us
    else:
        guard_us = (rest_us - train_us) // 2
    if rest_us <= train_us:
        return False  # [suss.guard.none]
    state.start_ns = min(t_ns + guard_us * 1000, TIME_MAX_NS)  # [suss.guard]
    return True


def _end_train(readings: Readings, state: Suss, base: BaseState, ack: Ack) -> Outcome:
    """Speed the round up at its tail, the last ACK of its blue part: SUSS_PACED, or the reason for not doing so.

    Blue packets are those that plain slow start sends at ACKs.
    """
    state.part = Part.TAIL
    state.tail_packet = state.head_packet + _blue_packets(state) - 1  # [suss.round.tail]
    if not state.growing or state.round_no > LAST_ROUND:
        state.growing = False  # [suss.later.last]
        return Outcome.SUSS_CLOCKED
    train_us = _train_us(state, ack.t_ns)
    if train_us is None or not _goes_on(state, train_us):
        state.growing = False  # [suss.ends]
        return Outcome.SUSS_DISABLED if state.mode is Mode.DISABLED else Outcome.SUSS_CLOCKED
    _set_limit(readings, state, base, ack.bytes)
    state.train_us = train_us
    if not _set_guard(readings, state, ack.t_ns, train_us):
        return Outcome.SUSS_CLOCKED
    state.mode = Mode.PACED
    state.jumps += 1
    return Outcome.SUSS_PACED


def follow_rounds(readings: Readings, state: Suss, base: BaseState, ack: Ack) -> Outcome | None:
    """Update the round of SUSS for an ACK. Return the outcome of the ACK that ends the blue part, else ``None``.

    Blue packets are the packets that plain slow start sends at ACKs. The first ACKs of a round acknowledge blue packets
    of the round before. The tail is the first ACK of the last of these packets, or of a later packet. The tail ends the
    blue part and decides whether the round is sped up. In a sped-up round the ACKs after the tail do not grow the
    window.
    """
    last, outcome = ack.packets[-1].last, None
    if state.part is Part.TAIL:
        state.part = Part.RED
    if last >= state.head_packet:
        _begin_round(state, ack)
    if last >= state.tail_packet:
        outcome = _end_train(readings, state, base, ack)
    if state.part is not Part.RED:
        acked = sum(run.count for run in ack.packets)
        state.blue_packets = min(state.blue_packets + acked, BLUE_MAX)  # [suss.round.count]
    elif state.mode is Mode.PACED:
        base.cwnd_bytes = max(base.cwnd_bytes - ack.bytes, 0)  # [suss.red.no-growth]
    return outcome
