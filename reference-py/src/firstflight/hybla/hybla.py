"""Hybla (``spec/hybla.md``) on top of the base controller, in every profile of ``hybla/profiles.py``: slow start and avoidance.

rho, 2^rho and what growth leaves are kept in 65536ths, of one, of a datagram or of a byte. Functions change the state and the base in
place and return the outcome, or what was asked.

Mirrors ``reference-c/src/hybla/hybla.c``.
"""

from dataclasses import dataclass, replace

from firstflight.events import Ack, Event, Run
from firstflight.hybla.profiles import PROFILES, Arithmetic, Gain, Initial, Readings, Rtt, Unit
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.newreno import newreno
from firstflight.newreno.newreno import NewReno
from firstflight.observables import Observation, Outcome, Phase

__all__ = ["PROFILES", "Hybla", "Readings", "begin", "step"]

#: Parts of one: rho, 2^rho and what growth leaves are multiples of 1/65536, and roots of two of 1/2^30.
ONE = 65_536
ROOT_BITS = 30
#: The largest rho, and the largest exponent of which the power is taken.
RHO_LIMIT = 256
EXPONENT_MAX = 16
#: Linux has no window of more datagrams.
DATAGRAMS_MAX = 65_535
#: 2^(k/8) in 128ths, as Linux has it.
EIGHTHS = (128, 139, 152, 165, 181, 197, 215, 234)
#: 2^(1/2), 2^(1/4) ... in 2^30ths, to the nearest.
ROOTS = (
    1_518_500_250, 1_276_901_417, 1_170_923_762, 1_121_280_436, 1_097_253_708, 1_085_434_106, 1_079_572_136, 1_076_653_033,
    1_075_196_443, 1_074_468_888, 1_074_105_294, 1_073_923_544, 1_073_832_680, 1_073_787_251, 1_073_764_537, 1_073_753_181,
)  # fmt: skip
_MS = 1_000_000


@dataclass(slots=True)
class Hybla:
    """State. ``smallest_ns``: the smallest RTT of those that count, ``None`` before the first. ``credit``: what growth has left."""

    initial_bytes: int
    smallest_ns: int | None = None
    credit: int = 0

    def copy(self) -> "Hybla":
        """Return a copy that shares nothing that changes."""
        return replace(self)


def begin(_readings: Readings, base: NewReno) -> Hybla:
    """Return the state before the first event."""
    return Hybla(base.cwnd_bytes)  # [hybla.begin]


def _rho(readings: Readings, state: Hybla) -> int:
    """Return rho in 65536ths: below 2^24."""
    if state.smallest_ns is None:
        return ONE  # [hybla.rho.unknown]
    reference_ns = readings.reference_ms * _MS  # [hybla.rho]
    rtt_ns = min(state.smallest_ns, RHO_LIMIT * reference_ns - 1)  # [hybla.rho.limit]
    if readings.arithmetic is Arithmetic.EIGHTHS:
        rho = 8 * rtt_ns // reference_ns * (ONE // 8)  # [hybla.rho.eighths]
    else:
        rho = ONE * rtt_ns // reference_ns  # [hybla.rho.fixed]
    return max(rho, ONE)  # [hybla.rho.minimum]


def _power(readings: Readings, rho: int) -> int:
    """Return 2^rho in 65536ths: below 2^33."""
    exponent = min(rho // ONE, EXPONENT_MAX)  # [hybla.power.limit]
    if readings.arithmetic is Arithmetic.EIGHTHS:
        return EIGHTHS[rho % ONE // (ONE // 8)] * (ONE // 128) << exponent  # [hybla.power.eighths]
    fraction, root = rho % ONE, 1 << ROOT_BITS
    for index, factor in enumerate(ROOTS):
        if fraction >> (15 - index) & 1:
            root = root * factor >> ROOT_BITS  # [hybla.power.fixed]
    return (root << exponent) >> (ROOT_BITS - 16)


def _take_sample(readings: Readings, state: Hybla, ack: Ack) -> None:
    rtt_ns = ack.smoothed_rtt_ns
    if readings.rtt is Rtt.MINIMUM and ack.min_rtt_ns is not None:
        rtt_ns = ack.min_rtt_ns - ack.min_rtt_ns % _MS  # [hybla.rtt.minimum]
    if rtt_ns is not None and (state.smallest_ns is None or rtt_ns < state.smallest_ns):
        state.smallest_ns = rtt_ns  # [hybla.rtt]


def _widen_initial(readings: Readings, state: Hybla, base: NewReno) -> None:
    """Give the first slow start a window of the initial one times rho, once an RTT is known."""
    if readings.initial is Initial.SCALED and base.ssthresh_bytes is None:
        initial_bytes = min(state.initial_bytes, WINDOW_MAX_BYTES // RHO_LIMIT)
        least_bytes = initial_bytes * _rho(readings, state) // ONE  # [hybla.initial.scaled]
        base.cwnd_bytes = max(base.cwnd_bytes, least_bytes)


def _gain(readings: Readings, state: Hybla, base: NewReno, datagrams: int) -> int:
    """Collect a share of a datagram, in 65536ths; return the bytes of the whole datagrams that are there now."""
    state.credit += datagrams
    whole, state.credit = divmod(state.credit, ONE)  # [hybla.gain.datagrams]
    gained_bytes = whole * base.max_datagram_size_bytes
    if readings.arithmetic is Arithmetic.EIGHTHS:
        room_bytes = max(DATAGRAMS_MAX * base.max_datagram_size_bytes - base.cwnd_bytes, 0)
        gained_bytes = min(gained_bytes, room_bytes)  # [hybla.window.maximum]
    return gained_bytes


def _collect(state: Hybla, parts: int) -> int:
    """Collect 65536ths of a byte; return the whole bytes that are there now."""
    parts += state.credit
    gained_bytes, state.credit = divmod(parts, ONE)  # [hybla.gain.bytes]
    return gained_bytes


def _slow_start_bytes(readings: Readings, state: Hybla, base: NewReno, size_bytes: int) -> int:
    """Return by how much a unit widens the window in slow start."""
    increase = _power(readings, _rho(readings, state)) - ONE  # [hybla.slow-start]
    if readings.gain is Gain.DATAGRAMS:
        return _gain(readings, state, base, increase)
    if readings.gain is Gain.MIXED:
        return increase * size_bytes // ONE  # [hybla.gain.mixed]
    return _collect(state, increase * size_bytes)


def _avoidance_bytes(readings: Readings, state: Hybla, base: NewReno, size_bytes: int, window_bytes: int) -> int:
    """Return by how much a unit widens the window in congestion avoidance; ``window_bytes``: that which the ACK met."""
    rho = _rho(readings, state)
    if readings.gain is Gain.BYTES:
        square = rho * rho // ONE
        return _collect(state, square * size_bytes * base.max_datagram_size_bytes // window_bytes)  # [hybla.avoidance]
    step_parts = ONE // 128 if readings.arithmetic is Arithmetic.EIGHTHS else 1
    datagrams = max(window_bytes // base.max_datagram_size_bytes, 1)
    share = rho * rho // (ONE * step_parts) // datagrams * step_parts  # [hybla.avoidance.datagrams]
    return _gain(readings, state, base, share)


def _units(readings: Readings, base: NewReno, slow: bool, acked: list[Run]) -> list[Run]:
    """Return what counts as runs of units of one size."""
    by_packet = readings.unit is Unit.PACKET or (readings.unit is Unit.MIXED and not slow)
    if by_packet or not acked:
        return acked  # [hybla.unit.packet]
    return [Run(0, 0, base.max_datagram_size_bytes, 0)]  # [hybla.unit.ack]


def _grow(readings: Readings, state: Hybla, base: NewReno, slow: bool, acked: list[Run]) -> None:
    window_bytes = base.cwnd_bytes
    for run in _units(readings, base, slow, acked):
        for _ in range(run.count):
            if slow:
                more_bytes = _slow_start_bytes(readings, state, base, run.size_bytes)
            else:
                more_bytes = _avoidance_bytes(readings, state, base, run.size_bytes, window_bytes)
            base.cwnd_bytes = min(base.cwnd_bytes + more_bytes, WINDOW_MAX_BYTES)
    if slow and base.ssthresh_bytes is not None:
        base.cwnd_bytes = min(base.cwnd_bytes, base.ssthresh_bytes)  # [hybla.threshold]


def _on_ack(readings: Readings, state: Hybla, base: NewReno, ack: Ack) -> Outcome:
    """Let the base controller process the ACK without growth, and put the rules in the place of its growth."""
    slow = newreno.phase(base) is Phase.SLOW_START
    if slow:
        _widen_initial(readings, state, base)
    before_bytes, ssthresh_bytes = base.cwnd_bytes, base.ssthresh_bytes
    base.ssthresh_bytes = None
    outcome = newreno.on_ack(base, ack)
    base.cwnd_bytes, base.ssthresh_bytes = before_bytes, ssthresh_bytes
    if ack.app_limited:
        return outcome
    acked = [run for run in ack.packets if not newreno.sent_before_recovery(base, run.sent_t_ns)]
    _grow(readings, state, base, slow, acked)
    return Outcome.GROWN_AVOIDANCE if outcome is Outcome.GROWN and not slow else outcome


def _on_event(readings: Readings, state: Hybla, base: NewReno, event: Event) -> Outcome:
    if isinstance(event, Ack):
        _take_sample(readings, state, event)
        if newreno.phase(base) is not Phase.RECOVERY:
            return _on_ack(readings, state, base, event)  # [hybla.scope]
    return newreno.on_event(base, event)  # [hybla.loss]


def _observe(readings: Readings, state: Hybla, base: NewReno, outcome: Outcome) -> Observation:
    numbers = {
        "smallest_rtt_ns": state.smallest_ns,
        "rho_fixed": _rho(readings, state),
        "credit_fixed": state.credit,
    }
    return Observation(base.cwnd_bytes, base.ssthresh_bytes, newreno.phase(base), outcome, numbers)


def step(readings: Readings, state: Hybla, base: NewReno, event: Event) -> Observation:
    """Process one event with Hybla in the given readings."""
    return _observe(readings, state, base, _on_event(readings, state, base, event))
