"""HyStart (``spec/hystart.md``) on top of the base controller, in every profile of ``hystart_profiles``.

Mirrors ``reference-c/src/hystart/hystart.c``.
"""

from dataclasses import dataclass, replace

from firstflight.events import Ack, Event, PersistentCongestion, Sent
from firstflight.hystart.profiles import (
    PROFILES,
    AckTrain,
    BoundaryAck,
    Clock,
    Decision,
    LowWindow,
    Readings,
    Restart,
    Rtt,
    TrainMargin,
    TrainThreshold,
)
from firstflight.newreno import pure as newreno
from firstflight.newreno.newreno import NewReno
from firstflight.observables import Observation, Outcome, Phase

__all__ = ["PROFILES", "HyStart", "Readings", "begin", "step"]

#: Datagrams that the window must have before slow start is left.
LOW_WINDOW_DATAGRAMS = 16
#: RTT samples that a round needs before its delay is compared.
RTT_SAMPLES = 8
#: Bounds of the rise of the RTT that ends slow start, in microseconds, and its share of the minimum RTT.
DELAY_MIN_US = 4_000
DELAY_MAX_US = 16_000
DELAY_DIVISOR = 8
#: ACKs no farther apart than this belong to one train, in ns.
TRAIN_GAP_NS = 2_000_000
#: What a train may exceed the minimum RTT for bursts, in ns.
TRAIN_MARGIN_NS = 1_000_000
_US = 1_000


@dataclass(frozen=True, slots=True)
class HyStart:
    """State of HyStart. RTTs are ``None`` while there was no sample.

    ``round_end_packet``: the packet whose acknowledgement ends the round, ``None`` where the next ACK begins one. ``rtt_samples`` and
    ``current_min_ns``: of this round, which began at ``round_start_ns``; the last ACK of its train came at ``train_ns``.
    ``min_ns``: the minimum RTT since the start. ``found``: slow start is to be left. ``next_packet``: the number after the last sent.
    """

    round_end_packet: int | None
    rtt_samples: int = 0
    current_min_ns: int | None = None
    min_ns: int | None = None
    round_start_ns: int = 0
    train_ns: int = 0
    found: bool = False
    next_packet: int = 0


def begin(readings: Readings, _base: NewReno) -> HyStart:
    """Return the state before the first event."""
    return HyStart(None if readings.boundary_ack is BoundaryAck.ENDED else 0)  # [hystart.begin]


def step(readings: Readings, state: HyStart, base: NewReno, event: Event) -> tuple[HyStart, NewReno, Observation]:
    """Process one event with HyStart in the given readings."""
    if isinstance(event, Ack):
        state, base, outcome = _on_ack(readings, state, base, event)
        return state, base, _observe(state, base, outcome)
    if isinstance(event, Sent):
        state = replace(state, next_packet=event.packets[-1].last + 1)
    base, outcome = newreno.on_event(base, event)  # [hystart.loss]
    if isinstance(event, PersistentCongestion):
        state = _restart(readings, state, event.t_ns)
    return state, base, _observe(state, base, outcome)


def _restart(readings: Readings, state: HyStart, t_ns: int) -> HyStart:
    state = _begin_round(readings, replace(state, found=False), t_ns, state.next_packet)  # [hystart.restart]
    if readings.boundary_ack is BoundaryAck.ENDED:
        state = replace(state, round_end_packet=None)
    if readings.restart is Restart.EVERYTHING:
        state = replace(state, min_ns=None)  # [hystart.restart.minimum]
    return state


def _on_ack(readings: Readings, state: HyStart, base: NewReno, ack: Ack) -> tuple[HyStart, NewReno, Outcome]:
    found = None
    if ack.latest_rtt_ns is not None:
        state, rtt_ns = _take_sample(readings, state, ack.latest_rtt_ns, ack.ack_delay_ns)
        if newreno.phase(base) is Phase.SLOW_START:
            state, found = _detect(readings, state, base, ack, rtt_ns)
    if found is not None:
        base = replace(base, ssthresh_bytes=base.cwnd_bytes)  # [hystart.exit]
    base, outcome = newreno.on_event(base, ack)  # [hystart.grow]
    if (
        readings.boundary_ack is BoundaryAck.ENDED
        and newreno.phase(base) is Phase.SLOW_START
        and state.round_end_packet is not None
        and ack.packets[-1].last >= state.round_end_packet
    ):
        state = replace(state, round_end_packet=None)  # [hystart.round.ended]
    return state, base, found or outcome


def _take_sample(readings: Readings, state: HyStart, latest_rtt_ns: int, ack_delay_ns: int) -> tuple[HyStart, int]:
    """Return the state with the minimum RTT, and the RTT that counts for the round."""
    rtt_ns = max(_rounded(readings, latest_rtt_ns), _unit_ns(readings))  # [hystart.sample]
    min_ns = rtt_ns if state.min_ns is None else min(state.min_ns, rtt_ns)  # [hystart.sample.minimum]
    if readings.rtt is Rtt.LESS_ACK_DELAY and rtt_ns - min_ns >= ack_delay_ns:
        rtt_ns -= ack_delay_ns  # [hystart.sample.ack-delay]
    return replace(state, min_ns=min_ns), rtt_ns


def _unit_ns(readings: Readings) -> int:
    return _US if readings.clock is Clock.US else 1


def _rounded(readings: Readings, time_ns: int) -> int:
    return time_ns - time_ns % _unit_ns(readings)  # [hystart.clock]


def _detect(readings: Readings, state: HyStart, base: NewReno, ack: Ack, rtt_ns: int) -> tuple[HyStart, Outcome | None]:
    """Watch the round; return why slow start is to be left, if it is."""
    low = base.cwnd_bytes < LOW_WINDOW_DATAGRAMS * base.max_datagram_size_bytes
    if low and readings.low_window is LowWindow.EVERYTHING:
        return state, None  # [hystart.low-window.everything]
    if state.round_end_packet is None or (
        readings.boundary_ack is BoundaryAck.NEXT and ack.packets[-1].last >= state.round_end_packet
    ):
        state = _begin_round(readings, state, ack.t_ns, ack.next_packet)  # [hystart.round]
    if low and readings.low_window is LowWindow.DETECTION:
        return state, None  # [hystart.low-window]
    if state.found:
        return state, Outcome.EXITED_BY_DELAY  # [hystart.low-window.found]
    by_train = False
    if readings.ack_train is AckTrain.ON:
        state, by_train = _watch_train(readings, state, ack.t_ns)
    state, by_delay = _watch_delay(readings, state, rtt_ns)
    if by_train:
        return state, Outcome.EXITED_BY_TRAIN
    if by_delay and low:
        return replace(state, found=True), None  # [hystart.low-window.exit]
    return state, Outcome.EXITED_BY_DELAY if by_delay else None


def _begin_round(readings: Readings, state: HyStart, t_ns: int, next_packet: int) -> HyStart:
    now_ns = _rounded(readings, t_ns)
    return replace(
        state,
        round_end_packet=next_packet,
        rtt_samples=0,
        current_min_ns=None,
        round_start_ns=now_ns,
        train_ns=now_ns,
    )


def _watch_train(readings: Readings, state: HyStart, t_ns: int) -> tuple[HyStart, bool]:
    now_ns = _rounded(readings, t_ns)
    if now_ns - state.train_ns > TRAIN_GAP_NS:
        return state, False  # [hystart.train.broken]
    threshold_ns = state.min_ns or 0
    if readings.train_margin is TrainMargin.ONE_MS:
        threshold_ns += TRAIN_MARGIN_NS  # [hystart.train.margin]
    if readings.train_threshold is TrainThreshold.HALF:
        threshold_ns = _rounded(readings, threshold_ns // 2)  # [hystart.train.half]
    return replace(state, train_ns=now_ns), now_ns - state.round_start_ns > threshold_ns  # [hystart.train]


def _watch_delay(readings: Readings, state: HyStart, rtt_ns: int) -> tuple[HyStart, bool]:
    if readings.decision is Decision.EIGHTH and state.rtt_samples == RTT_SAMPLES:
        return state, False  # [hystart.delay.eighth]
    current_min_ns = rtt_ns if state.current_min_ns is None else min(state.current_min_ns, rtt_ns)
    state = replace(state, current_min_ns=current_min_ns)
    if state.rtt_samples < RTT_SAMPLES:
        state = replace(state, rtt_samples=state.rtt_samples + 1)  # [hystart.delay.samples]
        if readings.decision is Decision.AFTER_EIGHT or state.rtt_samples < RTT_SAMPLES:
            return state, False
    min_ns = state.min_ns or 0
    share_us = min(max(min_ns // _US // DELAY_DIVISOR, DELAY_MIN_US), DELAY_MAX_US)  # [hystart.delay.threshold]
    return state, current_min_ns > min_ns + share_us * _US  # [hystart.delay]


def _observe(state: HyStart, base: NewReno, outcome: Outcome) -> Observation:
    numbers = {
        "round_end_packet": state.round_end_packet,
        "rtt_samples": state.rtt_samples,
        "current_min_rtt_ns": state.current_min_ns,
        "min_rtt_ns": state.min_ns,
        "round_start_ns": state.round_start_ns,
        "train_ns": state.train_ns,
    }
    return Observation(base.cwnd_bytes, base.ssthresh_bytes, newreno.phase(base), outcome, numbers)
