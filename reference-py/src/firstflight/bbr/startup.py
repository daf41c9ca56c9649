"""The beginning and end of Startup and Drain (``spec/bbr/rules.md``).

One function for each step of the draft, in its order. They change the state in place and return an outcome or ``None``.

Mirrors ``reference-c/firstflight/bbr/startup.c``.
"""

from firstflight.bbr.control import delivers_bytes, inflight_bytes
from firstflight.bbr.model import reset_congestion_signals
from firstflight.bbr.packets import PART, in_packets, packets_has_grown, packets_share_bytes
from firstflight.bbr.profiles import (
    DrainCompares,
    DrainRounds,
    Gains,
    GrowthAt,
    GrowthOf,
    Losses,
    LossExitCounts,
    LossExitRecovery,
    Readings,
    Threshold,
    Units,
)
from firstflight.bbr.rate import ZERO, Rate, has_grown
from firstflight.bbr.state import GAIN_UNIT, Bbr, Sample
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Outcome, Phase

#: StartupPacingGain, DrainPacingGain, DefaultCwndGain.
STARTUP_PACING_GAIN = GAIN_UNIT * 277 // 100
DRAIN_PACING_GAIN = GAIN_UNIT // 2
DEFAULT_CWND_GAIN = GAIN_UNIT * 2
#: Gains of the first version: bbr_high_gain, also used for the window, and bbr_drain_gain.
V1_HIGH_GAIN = PART * 739
V1_DRAIN_GAIN = PART * 88
#: Startup gain of version 3, which uses the same Drain gain.
V3_STARTUP_GAIN = PART * 710
#: LossThresh is this part of the bytes in flight: 1/50, or 2 %.
LOSS_THRESH = 50
#: LossThresh in Linux, in parts of 256.
LOSS_THRESH_PARTS = 5
#: Rounds without growth that indicate a full pipe, and the largest number of rounds of Drain.
FULL_BW_ROUNDS = 3
DRAIN_ROUNDS = 3


def enter_startup(readings: Readings, state: Bbr) -> None:
    """Begin Startup."""
    state.phase = Phase.STARTUP
    state.pacing_gain = STARTUP_PACING_GAIN  # [bbr.startup]
    state.cwnd_gain = DEFAULT_CWND_GAIN
    if readings.gains is Gains.LINUX_V1:
        state.pacing_gain = state.cwnd_gain = V1_HIGH_GAIN  # [bbr.gains.v1]
    elif readings.gains is Gains.LINUX_V3:
        state.pacing_gain = V3_STARTUP_GAIN  # [bbr.gains.v3]


def reset_full_bw(state: Bbr) -> None:
    """Restart the search for a full pipe."""
    state.full_bw = ZERO  # [bbr.full-bw.reset]
    state.full_bw_count = 0
    state.full_bw_now = False


def _has_grown(readings: Readings, state: Bbr, base: BaseState, rate: Rate) -> bool:
    if in_packets(readings):
        return packets_has_grown(rate, state.full_bw, base.max_datagram_size_bytes)  # [bbr.units.grown]
    return has_grown(rate, state.full_bw)


def check_full_bw_reached(readings: Readings, state: Bbr, base: BaseState, sample: Sample) -> Outcome | None:
    """Check whether the delivery rate still grows in Startup or later, to detect a full pipe.

    The check takes place at ACKs that start a round, or at all ACKs with a sample with the reading ``growth_at`` =
    ``ack``. A rate of at least 5/4 of the baseline BBR.full_bw becomes the new baseline. A round that starts without
    such growth is counted; after three such rounds the pipe is full. App-limited samples are not checked. Return the
    outcome in Startup, or ``None``.
    """
    looked_at = state.round_start
    if readings.growth_at is GrowthAt.ACK:
        looked_at = sample.prior_delivered_bytes is not None  # [bbr.full-bw.any-ack]
    if state.full_bw_now or not looked_at:
        return None  # [bbr.full-bw.round]
    in_startup = state.phase is Phase.STARTUP
    if sample.app_limited:
        return Outcome.APP_LIMITED if in_startup and state.round_start else None  # [bbr.full-bw.app-limited]
    rate = state.max_bw if readings.growth_of is GrowthOf.MAX_BW else sample.rate  # [bbr.full-bw.max-bw]
    if _has_grown(readings, state, base, rate):  # [bbr.full-bw.grown]
        reset_full_bw(state)
        state.full_bw = rate
        return Outcome.BW_GROWN if in_startup else None
    if not state.round_start:
        return None  # [bbr.full-bw.any-ack.count]
    state.full_bw_count += 1  # [bbr.full-bw.count]
    state.full_bw_now = state.full_bw_count >= FULL_BW_ROUNDS
    if state.full_bw_now:
        state.full_bw_reached = True  # [bbr.full-bw.reached]
    return Outcome.PLATEAU_COUNTED if in_startup else None


def is_inflight_too_high(readings: Readings, base: BaseState, sample: Sample) -> bool:
    """Return whether the bytes lost since the packet of the sample was sent exceed 2 % of the bytes in flight then.

    The bytes are integers, so rounding the share down changes nothing. In the units of BBR version 3 of Linux, the
    limit is 5/256 of the bytes in flight, rounded down to whole packets. Without bytes in flight, the result is false.
    """
    if readings.units is Units.PACKETS_V3:
        share_bytes = packets_share_bytes(sample.in_flight_bytes, LOSS_THRESH_PARTS, base.max_datagram_size_bytes)
        return sample.in_flight_bytes > 0 and sample.lost_bytes > share_bytes  # [bbr.units.v3.loss]
    return sample.lost_bytes > sample.in_flight_bytes // LOSS_THRESH  # [bbr.loss-exit.rate]


def _has_high_loss(readings: Readings, state: Bbr, base: BaseState, sample: Sample) -> bool:
    """Return whether the losses of the ended round indicate a full pipe."""
    counted = state.lost_acks if readings.loss_exit_counts is LossExitCounts.ACKS else state.lost_ranges
    if not state.loss_round_start or readings.loss_exit_count == 0 or counted < readings.loss_exit_count:
        return False  # [bbr.loss-exit.ranges]
    if not base.in_recovery or state.timeout:
        return False  # [bbr.loss-exit.recovery]
    prior_bytes = sample.prior_delivered_bytes
    full_round = prior_bytes is not None and prior_bytes >= state.recovery_delivered_bytes
    if readings.loss_exit_recovery is LossExitRecovery.GOES_ON:
        full_round = True  # [bbr.loss-exit.goes-on]
    if not full_round:
        return False  # [bbr.loss-exit.full-round]
    return is_inflight_too_high(readings, base, sample)


def _leave_by_loss(readings: Readings, state: Bbr, base: BaseState) -> None:
    state.full_bw_reached = True  # [bbr.loss-exit]
    if readings.losses is Losses.LINUX_V3:
        held_bytes = inflight_bytes(readings, state, base, state.max_bw)  # [bbr.loss-exit.long-term.v3]
        state.inflight_longterm_bytes = max(held_bytes, state.inflight_latest_bytes)
        return
    state.undo_startup = True  # [bbr.loss-exit.undo]
    state.inflight_longterm_bytes = max(state.bdp_bytes, state.inflight_latest_bytes)  # [bbr.loss-exit.long-term]


def check_startup_high_loss(readings: Readings, state: Bbr, base: BaseState, sample: Sample) -> Outcome | None:
    """Check at the end of a round whether its losses end Startup."""
    outcome = None
    if readings.loss_exit_counts is LossExitCounts.ACKS and state.newly_lost_bytes > 0:
        state.lost_acks += 1  # [bbr.loss-exit.acks]
    if state.phase is Phase.STARTUP and _has_high_loss(readings, state, base, sample):
        _leave_by_loss(readings, state, base)
        outcome = Outcome.EXITED_BY_LOSS
    if state.loss_round_start:
        state.lost_ranges = state.lost_acks = 0  # [bbr.loss-exit.ranges.round]
    return outcome


def _held_rate(readings: Readings, state: Bbr) -> Rate:
    """Return the rate whose bandwidth-delay product ends Drain: BBR.bw.

    With the choice ``linux_v3`` of ``losses`` it is BBR.max_bw, without the short-term bound.
    """
    if readings.losses is Losses.LINUX_V3:
        return state.max_bw  # [bbr.drain.v3.max-bw]
    return state.bw


def check_startup_done(readings: Readings, state: Bbr, base: BaseState, sample: Sample) -> Outcome | None:
    """End Startup if the pipe is full."""
    outcome = check_startup_high_loss(readings, state, base, sample)
    if state.phase is Phase.STARTUP and state.full_bw_reached:
        enter_drain(readings, state)  # [bbr.startup.done]
        if readings.threshold is Threshold.EXIT:
            state.ssthresh_bytes = inflight_bytes(readings, state, base, _held_rate(readings, state))  # [bbr.threshold]
        reset_congestion_signals(readings, state)
        return outcome or Outcome.EXITED_BY_PLATEAU
    return None


def enter_drain(readings: Readings, state: Bbr) -> None:
    """Begin Drain."""
    state.phase = Phase.DRAIN
    state.pacing_gain = DRAIN_PACING_GAIN  # [bbr.drain]
    state.cwnd_gain = DEFAULT_CWND_GAIN
    if readings.gains is Gains.LINUX_V1:
        state.pacing_gain = V1_DRAIN_GAIN  # [bbr.gains.v1.drain]
        state.cwnd_gain = V1_HIGH_GAIN
    elif readings.gains is Gains.LINUX_V3:
        state.pacing_gain = V1_DRAIN_GAIN  # [bbr.gains.v3.drain]
    state.drain_start_round = state.round_count


def _has_timed_out(readings: Readings, state: Bbr) -> bool:
    rounds = state.round_count - state.drain_start_round
    return readings.drain_rounds is DrainRounds.FOURTH and rounds > DRAIN_ROUNDS  # [bbr.drain.rounds]


def _in_flight_bytes(readings: Readings, state: Bbr, base: BaseState, now_ns: int, *, exited: bool) -> int:
    """Return the bytes in flight for the test that ends Drain.

    With the choice ``in_flight`` of ``drain_compares``, these are the present bytes in flight. With ``at_departure``,
    the bytes delivered at BBR.bw until the next departure are subtracted. Before that, a send quantum is added if this
    ACK ends Startup (``exited``).
    """
    if readings.drain_compares is DrainCompares.IN_FLIGHT:
        return state.in_flight_bytes
    wait_ns = max(state.next_send_ns or 0, now_ns) - now_ns
    volume = state.in_flight_bytes
    if exited:
        volume += state.send_quantum_bytes  # [bbr.drain.departure.exit]
    return max(volume - delivers_bytes(readings, state, base, wait_ns), 0)  # [bbr.drain.departure]


def check_drain_done(readings: Readings, state: Bbr, base: BaseState, now_ns: int, *, exited: bool) -> Outcome | None:
    """End Drain if at most one BDP is in flight, or by the limit of its rounds.

    With the reading ``drain_rounds`` = ``fourth``, Drain ends at the latest in the fourth round after its first round.
    ``exited``: Startup ends with this ACK. Return the outcome, or ``None`` if Drain continues or the phase differs.
    """
    if state.phase is not Phase.DRAIN:
        return None
    in_flight_bytes = _in_flight_bytes(readings, state, base, now_ns, exited=exited)
    if in_flight_bytes <= inflight_bytes(readings, state, base, _held_rate(readings, state)):
        enter_probe_bw(state)  # [bbr.drain.done]
        if readings.losses is Losses.LINUX_V3:
            reset_congestion_signals(readings, state)
            state.next_round_delivered_bytes = state.delivered_bytes  # [bbr.drain.v3.round]
        return Outcome.DRAINED
    if _has_timed_out(readings, state):
        enter_probe_bw(state)
        return Outcome.DRAIN_TIMED_OUT
    return None


def enter_probe_bw(state: Bbr) -> None:
    """Continue after Drain at the measured rate: pacing gain 1, window gain 2.

    The draft begins to probe for bandwidth here. This project does not model probing.
    """
    state.phase = Phase.PROBE_BW
    state.pacing_gain = GAIN_UNIT  # [bbr.probe-bw]
    state.cwnd_gain = DEFAULT_CWND_GAIN


def raise_long_term(readings: Readings, state: Bbr, base: BaseState, sample: Sample) -> None:
    """Raise BBR.inflight_longterm to the bytes in flight when the packet of the sample was sent.

    This is a step of BBR version 3 of Linux only, once the pipe is full. Change nothing if the sample has a loss above
    2 % (:func:`is_inflight_too_high`), or if BBR.inflight_longterm is infinite (``None``).
    """
    if readings.losses is not Losses.LINUX_V3 or not state.full_bw_reached or state.inflight_longterm_bytes is None:
        return
    if not is_inflight_too_high(readings, base, sample):
        state.inflight_longterm_bytes = max(state.inflight_longterm_bytes, sample.in_flight_bytes)  # [bbr.long-term.v3]
