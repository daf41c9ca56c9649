"""HyStart (``spec/hystart/rules.md``) on top of the base controller, in every profile of ``hystart/profiles.py``.

Functions change the state and the base in place and return the outcome or the documented value. Public functions other
than ``begin`` and ``step`` are for algorithms that also run HyStart.

Mirrors ``reference-c/firstflight/hystart/hystart.c``.
"""

from dataclasses import dataclass

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
    TrainThreshold,
)
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Observation, Outcome, Phase
from firstflight.values import copied

__all__ = [
    "PROFILES",
    "HyStart",
    "Readings",
    "begin",
    "follow_rounds",
    "is_low",
    "restart",
    "step",
    "take_sample",
    "watch_delay",
    "watch_train",
]

#: Minimum window for leaving slow start, in datagrams.
LOW_WINDOW_DATAGRAMS = 16
#: RTT samples per round before its delay is compared.
RTT_SAMPLES = 8
#: Bounds of the rise of the RTT that ends slow start, in microseconds, and its share of the minimum RTT.
DELAY_MIN_US = 4_000
DELAY_MAX_US = 16_000
DELAY_DIVISOR = 8
#: ACKs no farther apart than this belong to one train, in ns.
TRAIN_GAP_NS = 2_000_000
#: Allowance for bursts: a train may exceed the minimum RTT by this time, in ns.
TRAIN_MARGIN_NS = 1_000_000
#: A microsecond, in ns.
_US = 1_000


@dataclass(slots=True)
class HyStart:
    """State of HyStart. RTTs are ``None`` before the first sample.

    ``round_end_packet``: the packet whose acknowledgement ends the round, ``None`` if the next ACK begins a round.
    ``rtt_samples``, ``current_min_ns``: samples and minimum RTT of this round, which began at ``round_start_ns``.
    ``train_ns``: time of the last ACK of the round's train. ``min_ns``: minimum RTT since the start. ``found``: slow
    start must end. ``next_packet``: the number after the last packet sent.
    """

    round_end_packet: int | None
    rtt_samples: int = 0
    current_min_ns: int | None = None
    min_ns: int | None = None
    round_start_ns: int = 0
    train_ns: int = 0
    found: bool = False
    next_packet: int = 0

    def copy(self) -> "HyStart":
        """Return a copy that shares no mutable state."""
        return copied(self)


def begin(readings: Readings, _base: BaseState) -> HyStart:
    """Return the state before the first event."""
    return HyStart(None if readings.boundary_ack is BoundaryAck.ENDED else 0)  # [hystart.begin]


def _unit_ns(readings: Readings) -> int:
    return _US if readings.clock is Clock.US else 1


def _rounded(readings: Readings, time_ns: int) -> int:
    return time_ns - time_ns % _unit_ns(readings)  # [hystart.clock]


def _begin_round(readings: Readings, state: HyStart, t_ns: int, next_packet: int) -> None:
    state.round_end_packet = next_packet
    state.rtt_samples = 0
    state.current_min_ns = None
    state.round_start_ns = _rounded(readings, t_ns)
    state.train_ns = state.round_start_ns


def restart(readings: Readings, state: HyStart, t_ns: int) -> None:
    """Begin HyStart anew after persistent congestion."""
    state.found = False
    _begin_round(readings, state, t_ns, state.next_packet)  # [hystart.restart]
    if readings.boundary_ack is BoundaryAck.ENDED:
        state.round_end_packet = None
    if readings.restart is Restart.EVERYTHING:
        state.min_ns = None  # [hystart.restart.minimum]


def take_sample(readings: Readings, state: HyStart, latest_rtt_ns: int, ack_delay_ns: int) -> int:
    """Update the minimum RTT, and return the RTT in ns that counts for the round.

    The RTT is ``latest_rtt_ns``, rounded down to the unit of the clock (1 ns or 1 us) and at least one unit. With
    ``Rtt.LESS_ACK_DELAY`` the ACK delay is subtracted, unless the result would be below the minimum RTT.
    """
    rtt_ns = max(_rounded(readings, latest_rtt_ns), _unit_ns(readings))  # [hystart.sample]
    state.min_ns = rtt_ns if state.min_ns is None else min(state.min_ns, rtt_ns)  # [hystart.sample.minimum]
    if readings.rtt is Rtt.LESS_ACK_DELAY and rtt_ns - state.min_ns >= ack_delay_ns:
        rtt_ns -= ack_delay_ns  # [hystart.sample.ack-delay]
    return rtt_ns


def is_low(base: BaseState) -> bool:
    """Return whether the window is too small for leaving slow start."""
    return base.cwnd_bytes < LOW_WINDOW_DATAGRAMS * base.max_datagram_size_bytes


def follow_rounds(readings: Readings, state: HyStart, base: BaseState, ack: Ack) -> bool:
    """Begin a round if this ACK begins one; return whether rounds are tracked at this window."""
    if is_low(base) and readings.low_window is LowWindow.EVERYTHING:
        return False  # [hystart.low-window.everything]
    if state.round_end_packet is None or (
        readings.boundary_ack is BoundaryAck.NEXT and ack.packets[-1].last >= state.round_end_packet
    ):
        _begin_round(readings, state, ack.t_ns, ack.next_packet)  # [hystart.round]
    return True


def watch_train(readings: Readings, state: HyStart, t_ns: int) -> bool:
    """Return whether the train of ACKs has become too long."""
    if readings.ack_train is AckTrain.OFF:
        return False
    now_ns = _rounded(readings, t_ns)
    if now_ns - state.train_ns > TRAIN_GAP_NS:
        return False  # [hystart.train.broken]
    threshold_ns = (state.min_ns or 0) + TRAIN_MARGIN_NS  # [hystart.train.margin]
    if readings.train_threshold is TrainThreshold.HALF:
        threshold_ns = _rounded(readings, threshold_ns // 2)  # [hystart.train.half]
    state.train_ns = now_ns
    return now_ns - state.round_start_ns > threshold_ns  # [hystart.train]


def watch_delay(readings: Readings, state: HyStart, rtt_ns: int) -> bool:
    """Return whether the RTT of the round has risen too far above the minimum."""
    eighth = readings.decision is Decision.EIGHTH
    if eighth and state.rtt_samples == RTT_SAMPLES:
        return False  # [hystart.delay.eighth]
    state.current_min_ns = rtt_ns if state.current_min_ns is None else min(state.current_min_ns, rtt_ns)
    if state.rtt_samples < RTT_SAMPLES:
        state.rtt_samples += 1  # [hystart.delay.samples]
        if not eighth or state.rtt_samples < RTT_SAMPLES:
            return False
    min_ns = state.min_ns or 0
    share_us = min(max(min_ns // _US // DELAY_DIVISOR, DELAY_MIN_US), DELAY_MAX_US)  # [hystart.delay.threshold]
    return state.current_min_ns > min_ns + share_us * _US  # [hystart.delay]


def _detect(readings: Readings, state: HyStart, base: BaseState, ack: Ack, rtt_ns: int) -> Outcome | None:
    """Update the round; return the outcome that ends slow start, or ``None``."""
    low = is_low(base)
    if low and readings.low_window is LowWindow.DETECTION:
        return None  # [hystart.low-window]
    if state.found:
        return Outcome.EXITED_BY_DELAY  # [hystart.low-window.found]
    by_train = watch_train(readings, state, ack.t_ns)
    by_delay = watch_delay(readings, state, rtt_ns)
    if by_train:
        return Outcome.EXITED_BY_TRAIN
    if by_delay and low:
        state.found = True  # [hystart.low-window.exit]
        return None
    return Outcome.EXITED_BY_DELAY if by_delay else None


def _end_round(readings: Readings, state: HyStart, base: BaseState, ack: Ack) -> None:
    """End the round with an ACK that belongs to it; the next ACK begins another round."""
    if readings.boundary_ack is BoundaryAck.NEXT or newreno.phase(base) is not Phase.SLOW_START:
        return
    if state.round_end_packet is not None and ack.packets[-1].last >= state.round_end_packet:
        state.round_end_packet = None  # [hystart.round.ended]


def _on_ack(readings: Readings, state: HyStart, base: BaseState, ack: Ack) -> Outcome:
    found = None
    if ack.latest_rtt_ns is not None:
        rtt_ns = take_sample(readings, state, ack.latest_rtt_ns, ack.ack_delay_ns)
        if newreno.phase(base) is Phase.SLOW_START and follow_rounds(readings, state, base, ack):
            found = _detect(readings, state, base, ack, rtt_ns)
    if found is not None:
        base.ssthresh_bytes = base.cwnd_bytes  # [hystart.exit]
    outcome = newreno.on_ack(base, ack)  # [hystart.grow]
    _end_round(readings, state, base, ack)
    return outcome if found is None else found


def _on_event(readings: Readings, state: HyStart, base: BaseState, event: Event) -> Outcome:
    if isinstance(event, Ack):
        return _on_ack(readings, state, base, event)
    if isinstance(event, Sent):
        state.next_packet = event.packets[-1].last + 1
    if isinstance(event, PersistentCongestion):
        restart(readings, state, event.t_ns)
    return newreno.on_event(base, event)  # [hystart.loss]


def _observe(state: HyStart, base: BaseState, outcome: Outcome) -> Observation:
    numbers = {
        "round_end_packet": state.round_end_packet,
        "rtt_samples": state.rtt_samples,
        "current_min_rtt_ns": state.current_min_ns,
        "min_rtt_ns": state.min_ns,
        "round_start_ns": state.round_start_ns,
        "train_ns": state.train_ns,
    }
    return Observation(base.cwnd_bytes, base.ssthresh_bytes, newreno.phase(base), outcome, numbers)


def step(readings: Readings, state: HyStart, base: BaseState, event: Event) -> Observation:
    """Process one event with HyStart and the choices of ``readings``; return the observables."""
    return _observe(state, base, _on_event(readings, state, base, event))
