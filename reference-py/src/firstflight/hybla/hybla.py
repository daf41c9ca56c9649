"""The law of Hybla (``spec/hybla.md``): how the base controller grows in slow start and in congestion avoidance, in every profile.

``newreno`` carries the windows and asks here; functions change the state in place. rho, 2^rho and what growth leaves are kept in 65536ths,
of one, of a datagram or of a byte.

Mirrors ``reference-c/src/hybla/hybla.c``.
"""

from dataclasses import dataclass

from firstflight.events import Ack, Run
from firstflight.hybla.profiles import PROFILES, Arithmetic, Gain, Initial, Readings, Rtt, Unit
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.values import copied

__all__ = ["PROFILES", "Hybla", "Readings", "begin", "on_acked", "rho", "take_sample", "widened_bytes"]

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

    readings: Readings
    initial_bytes: int
    smallest_ns: int | None = None
    credit: int = 0

    def copy(self) -> "Hybla":
        """Return a copy that shares nothing that changes."""
        return copied(self)


def begin(readings: Readings, initial_bytes: int) -> Hybla:
    """Return the state of a new connection."""
    return Hybla(readings, initial_bytes)  # [hybla.begin]


def rho(state: Hybla) -> int:
    """Return rho in 65536ths: below 2^24."""
    if state.smallest_ns is None:
        return ONE  # [hybla.rho.unknown]
    reference_ns = state.readings.reference_ms * _MS  # [hybla.rho]
    rtt_ns = min(state.smallest_ns, RHO_LIMIT * reference_ns - 1)  # [hybla.rho.limit]
    if state.readings.arithmetic is Arithmetic.EIGHTHS:
        found = 8 * rtt_ns // reference_ns * (ONE // 8)  # [hybla.rho.eighths]
    else:
        found = ONE * rtt_ns // reference_ns  # [hybla.rho.fixed]
    return max(found, ONE)  # [hybla.rho.minimum]


def _power(state: Hybla) -> int:
    """Return 2^rho in 65536ths: below 2^33."""
    whole, fraction = divmod(rho(state), ONE)
    exponent = min(whole, EXPONENT_MAX)  # [hybla.power.limit]
    if state.readings.arithmetic is Arithmetic.EIGHTHS:
        return EIGHTHS[fraction // (ONE // 8)] * (ONE // 128) << exponent  # [hybla.power.eighths]
    root = 1 << ROOT_BITS
    for index, factor in enumerate(ROOTS):
        if fraction >> (15 - index) & 1:
            root = root * factor >> ROOT_BITS  # [hybla.power.fixed]
    return (root << exponent) >> (ROOT_BITS - 16)


def take_sample(state: Hybla, ack: Ack) -> None:
    """Remember the RTT of an ACK if it is the smallest."""
    rtt_ns = ack.smoothed_rtt_ns
    if state.readings.rtt is Rtt.MINIMUM and ack.min_rtt_ns is not None:
        rtt_ns = ack.min_rtt_ns - ack.min_rtt_ns % _MS  # [hybla.rtt.minimum]
    if rtt_ns is not None and (state.smallest_ns is None or rtt_ns < state.smallest_ns):
        state.smallest_ns = rtt_ns  # [hybla.rtt]


def widened_bytes(state: Hybla, cwnd_bytes: int) -> int:
    """Return the window that an ACK in the first slow start meets: at least the initial one times rho, where that is scaled."""
    if state.readings.initial is Initial.CONFIGURED:
        return cwnd_bytes
    initial_bytes = min(state.initial_bytes, WINDOW_MAX_BYTES // RHO_LIMIT)
    return max(cwnd_bytes, initial_bytes * rho(state) // ONE)  # [hybla.initial.scaled]


def _gain(state: Hybla, datagram_bytes: int, cwnd_bytes: int, parts: int) -> int:
    """Collect 65536ths of a datagram; return the bytes of the whole datagrams that are there now."""
    state.credit += parts
    whole, state.credit = divmod(state.credit, ONE)  # [hybla.gain.datagrams]
    gained_bytes = whole * datagram_bytes
    if state.readings.arithmetic is Arithmetic.EIGHTHS:
        room_bytes = max(DATAGRAMS_MAX * datagram_bytes - cwnd_bytes, 0)
        gained_bytes = min(gained_bytes, room_bytes)  # [hybla.window.maximum]
    return gained_bytes


def _collect(state: Hybla, parts: int) -> int:
    """Collect 65536ths of a byte; return the whole bytes that are there now."""
    parts += state.credit
    gained_bytes, state.credit = divmod(parts, ONE)  # [hybla.gain.bytes]
    return gained_bytes


def _slow_start_bytes(state: Hybla, datagram_bytes: int, cwnd_bytes: int, units: Run) -> int:
    """Return by how much units of one size widen the window in slow start."""
    increase = _power(state) - ONE  # [hybla.slow-start]
    if state.readings.gain is Gain.DATAGRAMS:
        return _gain(state, datagram_bytes, cwnd_bytes, units.count * increase)
    if state.readings.gain is Gain.MIXED:
        return units.count * (increase * units.size_bytes // ONE)  # [hybla.gain.mixed]
    return _collect(state, units.count * increase * units.size_bytes)


def _avoidance_bytes(state: Hybla, datagram_bytes: int, cwnd_bytes: int, units: Run, met_bytes: int) -> int:
    """Return by how much they do in congestion avoidance; ``met_bytes``: the window that the ACK met."""
    parts = rho(state)
    if state.readings.gain is Gain.BYTES:
        square = parts * parts // ONE
        share = square * units.size_bytes * datagram_bytes // max(met_bytes, 1)  # [hybla.avoidance]
        return _collect(state, units.count * share)
    step_parts = ONE // 128 if state.readings.arithmetic is Arithmetic.EIGHTHS else 1
    datagrams = max(met_bytes // datagram_bytes, 1)
    share = parts * parts // (ONE * step_parts) // datagrams * step_parts  # [hybla.avoidance.datagrams]
    return _gain(state, datagram_bytes, cwnd_bytes, units.count * share)


def _units(state: Hybla, datagram_bytes: int, slow: bool, acked: list[Run]) -> list[Run]:
    """Return what counts as runs of units of one size."""
    by_packet = state.readings.unit is Unit.PACKET or (state.readings.unit is Unit.MIXED and not slow)
    if by_packet or not acked:
        return acked  # [hybla.unit.packet]
    return [Run(0, 0, datagram_bytes, 0)]  # [hybla.unit.ack]


def on_acked(
    state: Hybla, datagram_bytes: int, cwnd_bytes: int, ssthresh_bytes: int | None, acked: list[Run], *, slow: bool
) -> int:
    """Let acknowledged packets grow the window, in slow start or in congestion avoidance; return it."""
    met_bytes = cwnd_bytes
    for units in _units(state, datagram_bytes, slow, acked):
        if slow:
            more_bytes = _slow_start_bytes(state, datagram_bytes, cwnd_bytes, units)
        else:
            more_bytes = _avoidance_bytes(state, datagram_bytes, cwnd_bytes, units, met_bytes)
        cwnd_bytes = min(cwnd_bytes + more_bytes, WINDOW_MAX_BYTES)
    if slow and ssthresh_bytes is not None:
        cwnd_bytes = min(cwnd_bytes, ssthresh_bytes)  # [hybla.threshold]
    return cwnd_bytes
