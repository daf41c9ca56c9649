"""Transfer-time models of startup schemes (``spec/transfer-time/rules.md``): the duration of a response without loss.

Numbers are integers; the time is a fraction that is rounded once, at the end.
Mirrors ``reference-c/firstflight/transfer_time/transfer_time.c``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from firstflight.errors import DomainError
from firstflight.limits import TIME_MAX_NS
from firstflight.transfer_time.growth import Growth, begin_growth, next_round, sum_so_far, sum_to_next

#: The domain. Inside it no number of the C port needs more than 1024 bits.
RATE_MAX_BPS = 10**12
RTT_MAX_NS = 10**11
SIZE_MAX_BYTES = 2**48
PACKET_MAX_BYTES = 65535
INITIAL_WINDOW_MAX_SEGMENTS = 65535
SEGMENTS_PER_ACK_MAX = 8
#: Quick-Start rates are 40 kbit/s times 2 to the power of a code from 1 to 15 (RFC 4782, section 3.1).
QUICK_START_UNIT_BPS = 40_000
QUICK_START_CODE_MAX = 15
#: Bits in a byte times nanoseconds in a second.
BIT_NS_PER_BYTE_S = 8 * 10**9


@dataclass(frozen=True, slots=True)
class Inputs:
    """Inputs of the models. A scheme reads only its own inputs: see :data:`INPUTS`.

    ``rate_bps``: rate of the bottleneck, at the IP layer. ``rtt_ns``: RTT without queues. ``size_bytes``: size of the
    response. ``mss_bytes``, ``mtu_bytes``: payload and size of a full packet. ``threshold_bytes``: largest first flight
    of Jump-Start. ``approved_rate_bps``: initial rate of Quick-Start or More-Start, at the IP layer.
    """

    rate_bps: int
    rtt_ns: int
    size_bytes: int
    mss_bytes: int = 1448
    mtu_bytes: int = 1500
    initial_window_segments: int = 3
    segments_per_ack: int = 1
    threshold_bytes: int = 65536
    approved_rate_bps: int | None = None


@dataclass(frozen=True, slots=True)
class TransferTime:
    """The result of a transfer-time model.

    ``psi``: number of rounds, except the last, that leave the link idle (slow start) or are slower than the link (paced
    start). ``gamma``: the transfer time in ns, exactly. ``gamma_ns``: the same rounded down. ``response_time_ns``:
    ``gamma_ns`` plus the RTT before the first byte.
    """

    psi: int
    gamma: Fraction
    gamma_ns: int
    response_time_ns: int


@dataclass(frozen=True, slots=True)
class Pace:
    """The initial rate is ``initial`` / ``per_ns`` bytes per ns; ``per_ns`` 0 stands for no limit."""

    initial: int
    per_ns: int


_PATH = ("rate_bps", "rtt_ns", "size_bytes", "mss_bytes", "mtu_bytes", "segments_per_ack")

#: The inputs of each scheme.
INPUTS = {
    "slow-start": (*_PATH, "initial_window_segments"),
    "quick-start": (*_PATH, "approved_rate_bps"),
    "jump-start": (*_PATH, "threshold_bytes"),
    "more-start": (*_PATH, "approved_rate_bps"),
    "initial-start": (*_PATH, "initial_window_segments"),
}


def check_range(name: str, value: object, low: int, high: int) -> None:
    """Raise :class:`DomainError` unless the value is an integer from ``low`` to ``high``."""
    if type(value) is not int or not low <= value <= high:
        raise DomainError(f"{name}: {value!r} is not an integer within {low}..{high}")  # [transfer-time.domain.range]


def check(scheme: str, inputs: Inputs) -> None:
    """Raise :class:`DomainError` if an input of the scheme is outside the domain."""
    for name, low, high in (
        ("rate_bps", 1, RATE_MAX_BPS),
        ("rtt_ns", 0, RTT_MAX_NS),
        ("size_bytes", 0, SIZE_MAX_BYTES),
        ("mtu_bytes", 1, PACKET_MAX_BYTES),
        ("mss_bytes", 1, PACKET_MAX_BYTES),
        ("initial_window_segments", 1, INITIAL_WINDOW_MAX_SEGMENTS),
        ("segments_per_ack", 1, SEGMENTS_PER_ACK_MAX),
        ("threshold_bytes", 1, SIZE_MAX_BYTES),
        ("approved_rate_bps", 1, RATE_MAX_BPS),
    ):
        if name in INPUTS[scheme]:
            check_range(name, getattr(inputs, name), low, high)
    if inputs.mss_bytes > inputs.mtu_bytes:
        raise DomainError(f"mss_bytes: {inputs.mss_bytes} exceeds mtu_bytes")  # [transfer-time.domain.packet]


def _packet(inputs: Inputs) -> int:
    """Return the bits of a full packet times 10^9: its transmission time in ns multiplied by the rate in bit/s."""
    return BIT_NS_PER_BYTE_S * inputs.mtu_bytes


def _answer(inputs: Inputs, psi: int, gamma: Fraction) -> TransferTime:
    gamma_ns = gamma.numerator // gamma.denominator  # [transfer-time.floor]
    response_time_ns = gamma_ns + inputs.rtt_ns  # [transfer-time.response-time]
    if response_time_ns > TIME_MAX_NS:
        raise DomainError(f"the response takes more than {TIME_MAX_NS} ns")  # [transfer-time.domain.result]
    return TransferTime(psi, gamma, gamma_ns, response_time_ns)


def _window_idles(inputs: Inputs, growth: Growth) -> bool:
    """Return whether the link idles after the next round of slow start.

    It idles if the segments of the round take less time on the link than the RTT plus the time of one packet.
    """
    packet = _packet(inputs)
    limit = growth.denominator * (inputs.rate_bps * inputs.rtt_ns + packet)
    return inputs.initial_window_segments * growth.numerator * packet < limit  # [transfer-time.slow-start.idle]


def _window_ends(inputs: Inputs, growth: Growth, segments: int) -> bool:
    """Return whether the response ends within the next round."""
    sent = inputs.initial_window_segments * sum_to_next(growth)
    return sent >= segments * growth.denominator  # [transfer-time.slow-start.end]


def slow_start(inputs: Inputs) -> TransferTime:
    """Return the transfer time of slow start, by equations (1) and (2) of Scharf, Networking 2009.

    Each round sends a window of back-to-back segments, and the link may idle between rounds.
    """
    mss, packet = inputs.mss_bytes, _packet(inputs)
    segments = -(-inputs.size_bytes // mss)  # [transfer-time.slow-start.segments]
    growth = begin_growth(inputs.segments_per_ack)
    while not _window_ends(inputs, growth, segments) and _window_idles(inputs, growth):
        next_round(growth)
    psi = growth.rounds
    waited = psi * inputs.rtt_ns * inputs.rate_bps * mss
    packets = packet * (inputs.size_bytes + mss * psi)
    sent = packet * mss * inputs.initial_window_segments * sum_so_far(growth)
    numerator = growth.denominator * (waited + packets) - sent
    gamma = Fraction(numerator, inputs.rate_bps * mss * growth.denominator)  # [transfer-time.slow-start.gamma]
    return _answer(inputs, psi, gamma)


def initial_start(inputs: Inputs) -> TransferTime:
    """Return the transfer time of Initial-Start: slow start with an initial window above the standard one.

    ``initial_window_segments`` of the inputs is this window.
    """
    return slow_start(inputs)  # [transfer-time.initial-start]


def _rate_below_link(inputs: Inputs, growth: Growth, pace: Pace) -> bool:
    """Return whether the next round is slower than the link."""
    limit = inputs.mss_bytes * inputs.rate_bps * pace.per_ns * growth.denominator
    return pace.initial * growth.numerator * _packet(inputs) < limit  # [transfer-time.paced.rate]


def _rate_ends(inputs: Inputs, growth: Growth, pace: Pace) -> bool:
    """Return whether the response ends within the next round."""
    sent = pace.initial * inputs.rtt_ns * sum_to_next(growth)
    return sent >= inputs.size_bytes * pace.per_ns * growth.denominator  # [transfer-time.paced.end]


def _finish_below_link(inputs: Inputs, growth: Growth, pace: Pace) -> Fraction:
    """Return the time of the whole transfer in ns if its rest is sent at the rate reached, below the link's rate.

    The rest is the data not sent in the rounds of ``growth``. The time begins with the first byte.
    """
    waited = growth.rounds * inputs.rtt_ns * pace.initial * growth.numerator
    whole = inputs.size_bytes * pace.per_ns * growth.denominator
    sent = pace.initial * inputs.rtt_ns * sum_so_far(growth)
    return Fraction(waited + whole - sent, pace.initial * growth.numerator)  # [transfer-time.paced.below]


def _finish_at_link(inputs: Inputs, growth: Growth, pace: Pace) -> Fraction:
    """Return the time of the whole transfer in ns if its rest is sent at the rate of the link.

    The rest is the data not sent in the rounds of ``growth``. The time begins with the first byte.
    """
    link, packet = inputs.mss_bytes * inputs.rate_bps, _packet(inputs)
    waited = growth.rounds * inputs.rtt_ns * link
    whole = packet * inputs.size_bytes
    sent = packet * pace.initial * inputs.rtt_ns * sum_so_far(growth)
    numerator = growth.denominator * pace.per_ns * (waited + whole) - sent
    return Fraction(numerator, link * pace.per_ns * growth.denominator)  # [transfer-time.paced.link]


def _paced(inputs: Inputs, pace: Pace) -> TransferTime:
    """Return the transfer time of a paced start, by equations (3) and (4) of Scharf, Networking 2009.

    The first round lasts one RTT at the rate ``pace``. Each further round has (b + 1) / b times the previous rate,
    until the rate of the link is reached; b is ``segments_per_ack``.
    """
    growth = begin_growth(inputs.segments_per_ack)
    if inputs.size_bytes == 0:
        return _answer(inputs, 0, Fraction(0))  # [transfer-time.paced.nothing]
    if not _rate_below_link(inputs, growth, pace):
        gamma = Fraction(_packet(inputs) * inputs.size_bytes, inputs.mss_bytes * inputs.rate_bps)
        return _answer(inputs, 0, gamma)  # [transfer-time.paced.at-once]
    while _rate_below_link(inputs, growth, pace) and not _rate_ends(inputs, growth, pace):
        next_round(growth)
    finish = _finish_below_link if _rate_below_link(inputs, growth, pace) else _finish_at_link
    return _answer(inputs, growth.rounds, finish(inputs, growth, pace))


def more_start(inputs: Inputs) -> TransferTime:
    """Return the transfer time of More-Start: a paced start from a rate that the application chooses.

    The rate is ``approved_rate_bps`` of the inputs. Equations (3) and (4) of Scharf, Networking 2009, give the time.
    """
    initial = inputs.mss_bytes * (inputs.approved_rate_bps or 0)  # [transfer-time.more-start]
    return _paced(inputs, Pace(initial, _packet(inputs)))


def quick_start_code(requested_bps: int) -> tuple[int, int]:
    """Return code and rate of the largest Quick-Start rate that is not above the requested rate, or (0, 0)."""
    check_range("requested_rate_bps", requested_bps, 0, RATE_MAX_BPS)
    code, rate_bps = 0, QUICK_START_UNIT_BPS
    while code < QUICK_START_CODE_MAX and 2 * rate_bps <= requested_bps:
        code, rate_bps = code + 1, 2 * rate_bps  # [transfer-time.quick-start.code]
    return (code, rate_bps) if code else (0, 0)


def quick_start(inputs: Inputs) -> TransferTime:
    """Return the transfer time of Quick-Start: a paced start from ``approved_rate_bps``, which routers approved.

    Equations (3) and (4) of Scharf, Networking 2009, give the time. Raise :class:`DomainError` if the rate is not 40000
    * 2^N bit/s with N from 1 to 15.
    """
    approved_bps = inputs.approved_rate_bps or 0
    if quick_start_code(approved_bps)[1] != approved_bps:
        raise DomainError(  # [transfer-time.quick-start.valid]
            f"approved_rate_bps: {approved_bps} is not 40000 * 2^N with N in 1..{QUICK_START_CODE_MAX}"
        )
    return more_start(inputs)  # [transfer-time.quick-start]


def jump_start(inputs: Inputs) -> TransferTime:
    """Return the transfer time of Jump-Start: a paced start that sends the first flight in one RTT.

    The first flight is the response, at most ``threshold_bytes``. Equations (3) and (4) of Scharf, Networking 2009,
    give the time.
    """
    flight_bytes = min(inputs.size_bytes, inputs.threshold_bytes)  # [transfer-time.jump-start]
    return _paced(inputs, Pace(flight_bytes, inputs.rtt_ns))


SCHEMES: dict[str, Callable[[Inputs], TransferTime]] = {
    "slow-start": slow_start,
    "quick-start": quick_start,
    "jump-start": jump_start,
    "more-start": more_start,
    "initial-start": initial_start,
}


def compute(scheme: str, inputs: Inputs) -> TransferTime:
    """Return the transfer time under a scheme. Raise :class:`DomainError` outside the domain."""
    if scheme not in SCHEMES:
        raise DomainError(f"{scheme}: unknown scheme; choose one of {', '.join(SCHEMES)}")
    check(scheme, inputs)
    return SCHEMES[scheme](inputs)
