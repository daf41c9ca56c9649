"""The window rules of Hybla (``spec/hybla/rules.md``): growth in slow start and congestion avoidance, in every profile.

``newreno`` keeps the windows and calls the hooks of ``RULES``; functions change the state in place. With
``Arithmetic.EIGHTHS``, 2^rho and the credit of growth are in units of 1/65536, otherwise of 1/2^30.

Mirrors ``reference-c/firstflight/hybla/hybla.c``.
"""

from dataclasses import dataclass

from firstflight.events import Ack, Run
from firstflight.hybla.profiles import PROFILES, Arithmetic, Gain, Readings, Rtt, Unit
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.observables import Outcome
from firstflight.values import copied
from firstflight.window_rules import WindowRules, Windows

__all__ = ["PROFILES", "RULES", "Hybla", "Readings", "begin", "carry", "rho"]

#: Units of 1. In eighths, 2^rho and the credit of growth are multiples of 1/65536, otherwise, like roots of two, of
#: 1/2^30.
ONE = 65_536
FINE_BITS = 30
#: The largest rho, and the largest exponent of the power.
RHO_LIMIT = 256
EXPONENT_MAX = 16
#: The largest window of Linux, in datagrams.
DATAGRAMS_MAX = 65_535
#: 2^(k/8) in 128ths, from Linux.
EIGHTHS = (128, 139, 152, 165, 181, 197, 215, 234)
#: 2^(1/2), 2^(1/4) ... in 2^30ths, to the nearest.
ROOTS = (
    1_518_500_250, 1_276_901_417, 1_170_923_762, 1_121_280_436, 1_097_253_708, 1_085_434_106, 1_079_572_136, 1_076_653_033,
    1_075_196_443, 1_074_468_888, 1_074_105_294, 1_073_923_544, 1_073_832_680, 1_073_787_251, 1_073_764_537, 1_073_753_181,
    1_073_747_502, 1_073_744_663, 1_073_743_244, 1_073_742_534, 1_073_742_179, 1_073_742_001, 1_073_741_913,
    1_073_741_868, 1_073_741_846, 1_073_741_835, 1_073_741_830, 1_073_741_827, 1_073_741_825, 1_073_741_825,
)  # fmt: skip
#: A millisecond, in ns.
_MS = 1_000_000


@dataclass(slots=True)
class Hybla:
    """State of Hybla. ``smallest_ns``: smallest smoothed RTT so far, ``None`` before the first.

    With ``Rtt.MINIMUM``, ``smallest_ns`` is the smallest ``min_rtt_ns`` of the ACKs, if they contain it.
    ``credit``: growth below a whole datagram, in 65536ths of a datagram with ``Arithmetic.EIGHTHS``, else in 2^-30.
    """

    readings: Readings
    smallest_ns: int | None = None
    credit: int = 0

    def copy(self) -> "Hybla":
        """Return a copy that shares no mutable state."""
        return copied(self)


def begin(readings: Readings) -> Hybla:
    """Return the state of a new connection."""
    return Hybla(readings)  # [hybla.begin]


def carry(readings: Readings) -> Hybla:
    """Return the state of a new connection under a startup algorithm."""
    return begin(readings)  # [hybla.search]


def _ratio(state: Hybla) -> tuple[int, int]:
    """Return rho as a numerator, below 2^16, and a denominator.

    The ratio rho is the smallest RTT so far divided by the reference RTT, ``reference_ms``. It is at least 1, and 1
    before an RTT is known. With ``Arithmetic.EIGHTHS`` rho is rounded down to a multiple of 1/8.
    """
    if state.smallest_ns is None:
        return 1, 1  # [hybla.rho.unknown]
    reference_ms = state.readings.reference_ms  # [hybla.rho]
    rtt_ns = min(state.smallest_ns, RHO_LIMIT * reference_ms * _MS - 1)  # [hybla.rho.limit]
    part, whole = rtt_ns // _MS, reference_ms  # [hybla.rho.fixed]
    if state.readings.arithmetic is Arithmetic.EIGHTHS:
        part, whole = 8 * rtt_ns // (reference_ms * _MS), 8  # [hybla.rho.eighths]
    return max(part, whole), whole  # [hybla.rho.minimum]


def rho(state: Hybla) -> int:
    """Return rho as an integer in units of 1/65536, rounded down. The integer is below 2^24.

    The ratio rho is the smallest RTT so far divided by the reference RTT, ``reference_ms``. It is at least 1, and 1
    before an RTT is known.
    """
    part, whole = _ratio(state)
    return part * ONE // whole


def _one(state: Hybla) -> int:
    """Return the integer that represents 1 in fixed-point numbers: 65536 with ``Arithmetic.EIGHTHS``, otherwise 2^30.

    The credit (the stored fraction of a datagram) and 2^rho have this scale. The exponent rho is the RTT divided by the
    reference RTT.
    """
    return ONE if state.readings.arithmetic is Arithmetic.EIGHTHS else 1 << FINE_BITS


def _power(state: Hybla) -> int:
    """Return 2^rho as a fixed-point number. The exponent rho is the RTT divided by the reference RTT, at least 1.

    A whole part of rho above 16 is replaced by 16; the fraction of rho stays. With ``Arithmetic.EIGHTHS`` the
    returned integer counts 65536ths and is below 2^33. Otherwise it counts multiples of 2^-30 and is below 2^47.
    """
    part, denominator = _ratio(state)
    whole, fraction = divmod(part, denominator)
    exponent = min(whole, EXPONENT_MAX)  # [hybla.power.limit]
    if state.readings.arithmetic is Arithmetic.EIGHTHS:
        return EIGHTHS[8 * fraction // denominator] * (ONE // 128) << exponent  # [hybla.power.eighths]
    bits, root = (fraction << FINE_BITS) // denominator, 1 << FINE_BITS
    for index, factor in enumerate(ROOTS):
        if bits >> (FINE_BITS - 1 - index) & 1:
            root = root * factor >> FINE_BITS  # [hybla.power.fixed]
    return root << exponent


def _take_sample(state: Hybla, ack: Ack) -> None:
    """Remember the RTT of an ACK if it is the smallest."""
    rtt_ns = ack.smoothed_rtt_ns
    if state.readings.rtt is Rtt.MINIMUM and ack.min_rtt_ns is not None:
        rtt_ns = ack.min_rtt_ns  # [hybla.rtt.minimum]
    if rtt_ns is not None and (state.smallest_ns is None or rtt_ns < state.smallest_ns):
        state.smallest_ns = rtt_ns  # [hybla.rtt]


def _gain(state: Hybla, datagram_bytes: int, cwnd_bytes: int, parts: int) -> int:
    """Add growth to the credit, remove whole datagrams from the credit, and return the bytes of these datagrams.

    The credit is the stored growth, in fractions of a datagram; after the call it is less than one datagram.
    ``parts``: growth in fractions of a datagram: 65536ths with ``Arithmetic.EIGHTHS``, otherwise 2^-30. With
    ``Arithmetic.EIGHTHS`` the result is limited so that ``cwnd_bytes``, the present window, grows to at most 65535
    datagrams.
    """
    state.credit += parts
    whole, state.credit = divmod(state.credit, _one(state))  # [hybla.gain.datagrams]
    gained_bytes = whole * datagram_bytes
    if state.readings.arithmetic is Arithmetic.EIGHTHS:
        room_bytes = max(DATAGRAMS_MAX * datagram_bytes - cwnd_bytes, 0)
        gained_bytes = min(gained_bytes, room_bytes)  # [hybla.window.maximum]
    return gained_bytes


def _slow_start_bytes(state: Hybla, datagram_bytes: int, cwnd_bytes: int, units: Run) -> int:
    """Return the growth of the window in bytes, in slow start.

    ``units``: the unit of growth. In slow start each ACK is one unit with the size of a datagram, whatever it
    acknowledges. The unit adds 2^rho - 1 datagrams; rho is the RTT divided by the reference RTT, at least 1. With
    ``Gain.DATAGRAMS`` add this growth to the stored fraction of a datagram, return the whole datagrams of the sum, and
    store the rest. Otherwise round the growth down to bytes. ``cwnd_bytes``: the present window.
    """
    increase = _power(state) - _one(state)  # [hybla.slow-start]
    if state.readings.gain is Gain.DATAGRAMS:
        return _gain(state, datagram_bytes, cwnd_bytes, units.count * increase)
    return units.count * (increase * units.size_bytes // _one(state))  # [hybla.gain.mixed]


def _avoidance_bytes(state: Hybla, datagram_bytes: int, cwnd_bytes: int, units: Run, met_bytes: int) -> int:
    """Return the growth of the window in bytes, in congestion avoidance.

    ``units``: a number of units of growth, each an ACK or an acknowledged packet. Each unit adds rho^2 / w datagrams.
    The ratio rho is the RTT divided by the reference RTT, at least 1. The divisor w is ``met_bytes``, the window before
    the ACK, in whole datagrams, at least 1. ``cwnd_bytes``: the window including the growth by earlier
    units of the same ACK.
    """
    part, whole = _ratio(state)
    datagrams = max(met_bytes // datagram_bytes, 1)
    if state.readings.arithmetic is Arithmetic.EIGHTHS:
        share = 128 * part * part // (whole * whole) // datagrams * (ONE // 128)  # [hybla.avoidance.datagrams]
    else:
        share = -(-(part * part << FINE_BITS) // (whole * whole * datagrams))  # [hybla.avoidance.fixed]
    return _gain(state, datagram_bytes, cwnd_bytes, units.count * share)


def _counts(run: Run, recovery_start_ns: int | None) -> bool:
    """Return whether the acknowledged packets of a run count for growth: they were sent after the last recovery began.

    ``recovery_start_ns``: its beginning, or None if no recovery has begun; all packets count then.
    """
    return recovery_start_ns is None or run.sent_t_ns > recovery_start_ns


def _units(state: Hybla, datagram_bytes: int, slow: bool, acked: list[Run]) -> list[Run]:
    """Return the units of growth of an ACK, as runs of units of one size.

    The whole ACK is one unit with the size of a datagram. With ``Unit.MIXED`` outside slow start, each packet is a
    unit. ``acked``: the acknowledged packets sent after recovery began; without any, the result is empty.
    """
    if not acked or (state.readings.unit is Unit.MIXED and not slow):
        return acked  # [hybla.unit.packet]
    return [Run(0, 0, datagram_bytes, 0)]  # [hybla.unit.ack]


def _on_acked(state: Hybla, ack: Ack, datagram_bytes: int, base: Windows, slow: bool) -> int:
    """Grow the window by acknowledged packets, in slow start or in congestion avoidance; return the window."""
    acked = [run for run in ack.packets if _counts(run, base.recovery_start_ns)]
    met_bytes = cwnd_bytes = base.cwnd_bytes
    for units in _units(state, datagram_bytes, slow, acked):
        if slow:
            more_bytes = _slow_start_bytes(state, datagram_bytes, cwnd_bytes, units)
        else:
            more_bytes = _avoidance_bytes(state, datagram_bytes, cwnd_bytes, units, met_bytes)
        cwnd_bytes = min(cwnd_bytes + more_bytes, WINDOW_MAX_BYTES)
    if slow and base.ssthresh_bytes is not None:
        cwnd_bytes = min(cwnd_bytes, base.ssthresh_bytes)  # [hybla.threshold]
    return cwnd_bytes


def _on_ack_outside_recovery(
    state: Hybla, ack: Ack, datagram_bytes: int, base: Windows, slow: bool
) -> tuple[int, Outcome]:
    if ack.app_limited:
        return base.cwnd_bytes, Outcome.APP_LIMITED  # [hybla.loss]
    cwnd_bytes = _on_acked(state, ack, datagram_bytes, base, slow)
    if not _counts(ack.packets[-1], base.recovery_start_ns):
        return cwnd_bytes, Outcome.IN_RECOVERY
    return cwnd_bytes, Outcome.GROWN if slow else Outcome.GROWN_AVOIDANCE


def on_ack(state: Hybla, ack: Ack, datagram_bytes: int, base: Windows, slow: bool) -> tuple[int, Outcome] | None:
    """Return the window and the outcome of an ACK outside of recovery; in recovery ``None``: NewReno's rules apply."""
    _take_sample(state, ack)
    if base.in_recovery:
        return None
    return _on_ack_outside_recovery(state, ack, datagram_bytes, base, slow)  # [hybla.scope]


def numbers(state: Hybla) -> dict[str, int | None]:
    """Return the observables."""
    return {"smallest_rtt_ns": state.smallest_ns, "rho_fixed": rho(state), "credit_fixed": state.credit}


RULES = WindowRules(on_ack=on_ack, numbers=numbers)
