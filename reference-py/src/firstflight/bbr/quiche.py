"""BBR of quiche: the flow of an event (``spec/bbr/rules.md``). The window is that of the base.

Mirrors ``reference-c/firstflight/bbr/quiche.c``.
"""

from firstflight.bbr.control import pace_sent
from firstflight.bbr.ieee754 import (
    DOUBLE_BITS,
    SINGLE_BITS,
    Number,
    number_of,
    product,
    quotient,
    to_nearest,
    truncated,
)
from firstflight.bbr.quiche_sampler import (
    BYTE_NS,
    RATE_MAX,
    acknowledge,
    delivers_bytes,
    note_sent,
    rate_of,
    update_height,
)
from firstflight.bbr.quiche_state import Largest
from firstflight.bbr.rate import Rate
from firstflight.bbr.state import Bbr, saturate, smaller_bound
from firstflight.events import Ack, Event, Lost, Sent
from firstflight.newreno.newreno import NewReno
from firstflight.observables import Outcome, Phase


def _decimal(thousandths: int, bits: int) -> Number:
    return quotient(number_of(thousandths, bits), number_of(1000, bits), bits)


#: 2.885 times the initial window is sent in an RTT of 333 ms at first.
INITIAL_GAIN = _decimal(2885, DOUBLE_BITS)
INITIAL_RTT_NS = 333 * 10**6
#: startup_pacing_gain, drain_pacing_gain, 1, and cwnd_gain.
STARTUP_GAIN = _decimal(2773, SINGLE_BITS)
DRAIN_GAIN = quotient(number_of(1, SINGLE_BITS), _decimal(2885, SINGLE_BITS), SINGLE_BITS)
STEADY_GAIN = number_of(1, SINGLE_BITS)
CWND_GAIN = number_of(2, SINGLE_BITS)
#: full_bw_threshold, 1 - beta, and loss_threshold.
GROWTH = _decimal(1250, SINGLE_BITS)
LEFT = _decimal(700, SINGLE_BITS)
LOSS_SHARE = _decimal(15, SINGLE_BITS)
#: startup_full_bw_rounds, startup_full_loss_count.
FULL_BW_ROUNDS = 3
FULL_LOSS_EVENTS = 8
#: MAX_WINDOW_PACKETS.
WINDOW_MAX_PACKETS = 20_000


def _times(rate: int, gain: Number) -> int:
    """Return a multiple of a rate."""
    scaled = to_nearest(product(number_of(rate, DOUBLE_BITS), gain, DOUBLE_BITS))  # [bbr.quiche.gain]
    return min(scaled, RATE_MAX)


def _share_bytes(volume_bytes: int, share: Number) -> int:
    """Return a share of a volume."""
    return truncated(product(number_of(volume_bytes, SINGLE_BITS), share, SINGLE_BITS))  # [bbr.quiche.share]


def _rate_of(state: Bbr) -> int:
    """Return the rate with which everything is computed but where Drain ends."""
    return smaller_bound(state.quiche.max_rate, state.quiche.rate_bound) or 0


def _bdp_bytes(state: Bbr, rate: int) -> int:
    return delivers_bytes(rate, state.min_rtt_ns or 0)


def _set_pacing_rate(state: Bbr, rate: int) -> None:
    state.quiche.pacing_rate = rate
    state.pacing_rate = max(rate // 8, 1)


def begin(state: Bbr, base: NewReno) -> None:
    """Begin with the initial window in an RTT that nobody measured."""
    state.min_rtt_ns = INITIAL_RTT_NS  # [bbr.quiche.min-rtt.initial]
    rate = _times(rate_of(base.cwnd_bytes, INITIAL_RTT_NS), INITIAL_GAIN)  # [bbr.quiche.pacing.initial]
    _set_pacing_rate(state, rate)


def _begin_round(state: Bbr) -> None:
    quiche = state.quiche
    quiche.lost_bytes = quiche.loss_events = quiche.delivered_bytes = 0


def _adapt_lower_bounds(state: Bbr, base: NewReno) -> None:
    quiche = state.quiche
    if not state.round_start or state.phase is Phase.STARTUP or quiche.lost_bytes == 0:
        return
    bound = quiche.max_rate if quiche.rate_bound is None else quiche.rate_bound
    quiche.rate_bound = max(quiche.latest_rate, _times(bound, LEFT))  # [bbr.quiche.short-term]
    volume_bytes = base.cwnd_bytes if state.inflight_shortterm_bytes is None else state.inflight_shortterm_bytes
    state.inflight_shortterm_bytes = max(quiche.latest_bytes, _share_bytes(volume_bytes, LEFT))


def _update_latest(state: Bbr, base: NewReno, sample: Largest) -> None:
    """Take a sample into the largest ones of the round, which begin anew where a round ends."""
    quiche = state.quiche
    quiche.latest_rate = max(quiche.latest_rate, sample.rate)
    quiche.latest_bytes = max(quiche.latest_bytes, sample.delivered_bytes)
    _adapt_lower_bounds(state, base)
    if state.round_start and sample.is_valid:
        quiche.latest_rate, quiche.latest_bytes = sample.rate, sample.delivered_bytes  # [bbr.quiche.latest]


def _update_model(state: Bbr, base: NewReno, ack: Ack) -> tuple[Largest, int]:
    """Take an ACK into what is known of the path; return its sample, and how much it acknowledges."""
    quiche = state.quiche
    state.round_start = quiche.round_end_packet is None or ack.packets[-1].last > quiche.round_end_packet
    if state.round_start:
        quiche.round_end_packet = quiche.last_sent_packet  # [bbr.quiche.round]
        state.round_count += 1
    before_bytes = quiche.acked_bytes
    sample = acknowledge(quiche, ack)
    acked_bytes = quiche.acked_bytes - before_bytes
    grown = sample.rate > quiche.max_rate
    quiche.max_rate = max(quiche.max_rate, sample.rate)  # [bbr.quiche.max-bw]
    update_height(quiche, _rate_of(state), state.round_count, acked_bytes, grown=grown)
    if sample.is_valid:
        state.min_rtt_ns = min(state.min_rtt_ns or 0, sample.rtt_ns)  # [bbr.quiche.min-rtt]
        quiche.delivered_bytes = max(quiche.delivered_bytes, quiche.acked_bytes - sample.acked_bytes)
    _update_latest(state, base, sample)
    return sample, acked_bytes


def _has_high_loss(state: Bbr, sample: Largest) -> bool:
    quiche = state.quiche
    if quiche.loss_events < FULL_LOSS_EVENTS:
        return False  # [bbr.quiche.loss-exit.events]
    return sample.in_flight_bytes > 0 and quiche.lost_bytes > _share_bytes(sample.in_flight_bytes, LOSS_SHARE)


def _check_startup(state: Bbr, sample: Largest) -> Outcome | None:
    """See at the end of a round whether the rate still grows, or too much was lost."""
    quiche = state.quiche
    if quiche.max_rate >= _times(quiche.full_rate, GROWTH):
        quiche.full_rate, state.full_bw_count = quiche.max_rate, 0  # [bbr.quiche.growth]
        return Outcome.BW_GROWN
    if not sample.is_valid:
        return None  # [bbr.quiche.growth.none]
    if sample.app_limited:
        return Outcome.APP_LIMITED  # [bbr.quiche.growth.app-limited]
    state.full_bw_count += 1
    if state.full_bw_count >= FULL_BW_ROUNDS:
        state.full_bw_reached = True
        return Outcome.EXITED_BY_PLATEAU
    if _has_high_loss(state, sample):
        state.full_bw_reached = True  # [bbr.quiche.loss-exit]
        held_bytes = _bdp_bytes(state, quiche.max_rate)
        state.inflight_longterm_bytes = max(held_bytes, quiche.delivered_bytes)  # [bbr.quiche.loss-exit.long-term]
        return Outcome.EXITED_BY_LOSS
    return Outcome.PLATEAU_COUNTED


def _check_drain(state: Bbr) -> Outcome | None:
    """End Drain where no more is in flight than the product of the largest rate."""
    if state.phase is not Phase.DRAIN or state.in_flight_bytes > _bdp_bytes(state, state.quiche.max_rate):
        return None
    state.phase = Phase.PROBE_BW  # [bbr.quiche.drain]
    state.quiche.round_end_packet = state.quiche.last_sent_packet
    _begin_round(state)
    return Outcome.DRAINED


def _pacing_gain(state: Bbr) -> Number:
    if state.phase is Phase.STARTUP:
        return STARTUP_GAIN
    return DRAIN_GAIN if state.phase is Phase.DRAIN else STEADY_GAIN


def _update_pacing_rate(state: Bbr, base: NewReno, acked_bytes: int) -> None:
    quiche = state.quiche
    if _rate_of(state) == 0:
        return
    if quiche.acked_bytes == acked_bytes:
        _set_pacing_rate(state, rate_of(base.cwnd_bytes, state.min_rtt_ns or 0))  # [bbr.quiche.pacing.first]
        return
    rate = _times(_rate_of(state), _pacing_gain(state))
    if state.full_bw_reached or rate > quiche.pacing_rate:
        _set_pacing_rate(state, rate)  # [bbr.quiche.pacing]


def _update_window(state: Bbr, base: NewReno, acked_bytes: int) -> None:
    quiche, initial_bytes = state.quiche, state.initial_window_bytes
    state.bdp_bytes = _bdp_bytes(state, _rate_of(state))
    state.extra_acked_bytes = quiche.first_height.extra_bytes
    state.max_inflight_bytes = max(_bdp_bytes(state, _times(_rate_of(state), CWND_GAIN)), initial_bytes)
    grown_bytes = saturate(base.cwnd_bytes + acked_bytes)
    if state.full_bw_reached:
        state.max_inflight_bytes = saturate(state.max_inflight_bytes + state.extra_acked_bytes)  # [bbr.quiche.window]
        base.cwnd_bytes = min(state.max_inflight_bytes, grown_bytes)
    elif base.cwnd_bytes < state.max_inflight_bytes or base.cwnd_bytes < 2 * initial_bytes:
        base.cwnd_bytes = grown_bytes  # [bbr.quiche.window.startup]
    if state.inflight_shortterm_bytes is not None:
        base.cwnd_bytes = min(base.cwnd_bytes, state.inflight_shortterm_bytes)  # [bbr.quiche.window.bound]
    base.cwnd_bytes = max(base.cwnd_bytes, initial_bytes)  # [bbr.quiche.window.least]
    most_bytes = saturate(WINDOW_MAX_PACKETS * base.max_datagram_size_bytes)
    base.cwnd_bytes = min(base.cwnd_bytes, most_bytes)  # [bbr.quiche.window.most]


def _show(state: Bbr) -> None:
    quiche = state.quiche
    if quiche.max_rate > 0:
        state.max_bw = Rate(quiche.max_rate, BYTE_NS)
    if quiche.full_rate > 0:
        state.full_bw = Rate(quiche.full_rate, BYTE_NS)


def _control(state: Bbr, base: NewReno, acked_bytes: int) -> None:
    _update_pacing_rate(state, base, acked_bytes)
    _update_window(state, base, acked_bytes)
    if state.round_start:
        _begin_round(state)  # [bbr.quiche.round.anew]
    _show(state)


def _on_ack(state: Bbr, base: NewReno, ack: Ack) -> Outcome:
    before_bytes = base.cwnd_bytes
    state.in_flight_bytes = saturate(ack.bytes_in_flight)
    sample, acked_bytes = _update_model(state, base, ack)
    outcome = None
    if state.phase is Phase.STARTUP and state.round_start:
        outcome = _check_startup(state, sample)
        if state.full_bw_reached:
            state.phase = Phase.DRAIN
    drained = _check_drain(state)
    _control(state, base, acked_bytes)
    return outcome or drained or (Outcome.GROWN if base.cwnd_bytes > before_bytes else Outcome.UNCHANGED)


def _on_lost(state: Bbr, base: NewReno, lost: Lost) -> Outcome:
    quiche = state.quiche
    state.in_flight_bytes = saturate(lost.bytes_in_flight)
    state.round_start = quiche.flight_goes_on = False
    first = quiche.loss_events == 0
    quiche.lost_bytes = saturate(quiche.lost_bytes + lost.bytes)
    quiche.loss_events += 1  # [bbr.quiche.lost]
    drained = _check_drain(state)
    _control(state, base, 0)
    return drained or (Outcome.LOSS_NOTED if first else Outcome.ALREADY_NOTED)


def on_event(state: Bbr, base: NewReno, event: Event) -> Outcome:
    """Process an event."""
    match event:
        case Ack():
            return _on_ack(state, base, event)
        case Sent():
            pace_sent(state, event)
            note_sent(state.quiche, event, base.cwnd_bytes)
            return Outcome.SENT
        case Lost():
            return _on_lost(state, base, event)
        case _:
            return Outcome.UNCHANGED  # [bbr.quiche.no-answer]
