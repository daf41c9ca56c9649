"""Behaviour of a sender without reference to profiles: initial window, growth, end of slow start, first reduction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from itertools import takewhile
from typing import Any

from firstflight.events import Ack, Lost
from firstflight_conformance.judge.rounds import Round, exit_range, exit_round, rounds_of
from firstflight_conformance.judge.subject import JudgedSender
from firstflight_conformance.logs.recording.answers import initial_window_bytes

#: A factor within 1/100 of a multiple of 1/20 is treated as intended.
_STEP, _NEAR = Fraction(1, 20), Fraction(1, 100)
_NS_PER_MS = 1_000_000
#: The least MSS of IPv4 (RFC 9293, section 3.7.1), and the recommended initial window in datagrams (RFC 9002, section
#: 7.2).
_SMALL_BYTES, _RECOMMENDED = 536, 10
#: A growth above this is reported together with three ACKs that show it.
_FAST, _FAST_ACKS = Fraction(11, 10), 3


class Shown(Enum):
    """Part of slow start that a recording shows: all of it, only the initial window, or nothing."""

    ALL, WINDOW, NOTHING = "all", "window", "nothing"


@dataclass(frozen=True, slots=True)
class Reduction:
    """The first reduction of the window: its event, and its factor relative to ``of``: ``window`` or ``flight``.

    ``event``: None in a capture, where the reduced window is visible only after recovery.
    """

    event: int | None
    factor: Fraction
    of: str


@dataclass(frozen=True, slots=True)
class Did:
    """Behaviour of a sender. ``event``: its exit from slow start.

    ``shown``: part of slow start that the recording contains. ``growth``: window growth in bytes per acknowledged byte
    in slow start. ``fast``: if ``growth`` is above 1.1, events of the three ACKs with the fastest growth, all above
    1.1; otherwise empty. ``rtt_ratio``: RTT at the exit, divided by the least RTT so far. ``initial_window_round``: in
    a capture, the round that shows the initial window. ``initial_window_range`` and ``window_range``: smallest and
    largest window if the capture allows several. ``rounds``, ``exit_round``: set for a capture at the receiver. Members
    about parts that are not shown are None.
    """

    initial_window_bytes: int | None
    datagram_bytes: int
    growth: Fraction | None
    event: int | None
    t_ns: int | None
    window_bytes: int | None
    rtt_ratio: Fraction | None
    evidence: str
    reduction: Reduction | None
    limited_acks: int
    acks: int
    initial_window_round: int | None = None
    fast: tuple[int, ...] = ()
    shown: Shown = Shown.ALL
    initial_window_range: tuple[int, int] | None = None
    window_range: tuple[int, int] | None = None
    rounds: tuple[Round, ...] = ()
    exit_round: int | None = None


def did(subject: JudgedSender, visible_part: Shown = Shown.ALL, *, explained: bool = True) -> Did:
    """Return the sender's behaviour, as far as the recording shows it. ``explained``: a profile explains its exit."""
    behaviour = _did(subject, explained)
    if visible_part is Shown.ALL:
        return behaviour
    window_bytes = behaviour.initial_window_bytes if visible_part is Shown.WINDOW else None
    return replace(
        behaviour, initial_window_bytes=window_bytes, growth=None, event=None, t_ns=None, window_bytes=None,
        rtt_ratio=None, evidence="none", fast=(), shown=visible_part, window_range=None, rounds=(), exit_round=None,
        initial_window_range=behaviour.initial_window_range if visible_part is Shown.WINDOW else None,
    )  # fmt: skip


def _did(subject: JudgedSender, explained: bool) -> Did:
    sender_exit, config = subject.left, subject.recording.header.config
    by = sender_exit.by
    growth, fast = _growth(subject), _fast(subject)
    quality = subject.recording.header.quality
    far = quality.get("taken") is not None
    unsure = far or (subject.at_least and sender_exit.evidence == "growth" and not explained)
    if growth is not None and growth > _FAST and len(fast) < _FAST_ACKS:
        growth = None
    return Did(
        initial_window_bytes(subject.recording),
        config.max_datagram_size_bytes,
        growth,
        by,
        None if by is None else subject.events[by].t_ns - subject.events[0].t_ns,
        None if by is None else subject.before[by],
        None if by is None else _rtt_ratio(subject, by),
        sender_exit.evidence,
        _captured_reduction(subject) if subject.at_least else _reduction(subject),
        len(subject.limited),
        subject.acks,
        quality.get("initial_window_round"),
        fast if growth is not None and growth > _FAST else (),
        initial_window_range=_range(quality.get("initial_window_range")),
        window_range=exit_range(subject) if unsure else None,
        rounds=tuple(rounds_of(subject)) if far else (),
        exit_round=exit_round(subject) if far else None,
    )


def _range(bounds: Sequence[int] | None) -> tuple[int, int] | None:
    return None if bounds is None else (bounds[0], bounds[1])


def to_json(behaviour: Did) -> dict[str, Any]:
    """Return the behaviour as JSON."""
    reduction = behaviour.reduction
    return {
        "initial_window_bytes": behaviour.initial_window_bytes,
        "initial_window_datagrams": datagrams(behaviour),
        "initial_window_range_bytes": None
        if behaviour.initial_window_range is None
        else list(behaviour.initial_window_range),
        "initial_window_round": behaviour.initial_window_round,
        "slow_start_growth": _number(behaviour.growth),
        "exit": {
            "event": behaviour.event,
            "t_ms": None if behaviour.t_ns is None else behaviour.t_ns / _NS_PER_MS,
            "window_bytes": behaviour.window_bytes,
            "window_range_bytes": None if behaviour.window_range is None else list(behaviour.window_range),
            "round": behaviour.exit_round,
            "rtt_ratio": _number(behaviour.rtt_ratio),
            "evidence": behaviour.evidence,
        },
        "round_flights_bytes": [round_.flight_bytes for round_ in behaviour.rounds],
        "first_reduction": None
        if reduction is None
        else {"factor": _number(reduction.factor), "of": reduction.of, "event": reduction.event},
        "window_limited_acks": _number(Fraction(behaviour.limited_acks, max(behaviour.acks, 1))),
    }


def datagrams(behaviour: Did) -> int | None:
    """Return the initial window in datagrams, or None if it is uncertain, not a whole number, or implausibly large.

    A log with only small packets does not show the datagram size.
    """
    if behaviour.initial_window_bytes is None or behaviour.initial_window_range is not None:
        return None
    count, rest = divmod(behaviour.initial_window_bytes, behaviour.datagram_bytes)
    small = behaviour.datagram_bytes < _SMALL_BYTES and count > _RECOMMENDED
    return None if rest or small else count


def _number(value: Fraction | None) -> float | int | None:
    """Return a number for reports, or None for None.

    It is rounded to three decimals, since the value itself is less accurate.
    """
    if value is None:
        return None
    return int(value) if value.denominator == 1 else round(float(value), 3)


def _growth(subject: JudgedSender) -> Fraction | None:
    """Return the bytes of window growth per acknowledged byte, over window-limited ACKs in slow start.

    Return None if these ACKs acknowledge no bytes.
    """
    until = subject.left.grown_until
    end = len(subject.events) if until is None else until
    points = [point for point in subject.limited if point.index < end]
    acked = sum(point.acked_bytes for point in points)
    return Fraction(sum(point.grown_bytes for point in points), acked) if acked else None


def _fast(subject: JudgedSender) -> tuple[int, ...]:
    """Return the events of up to three ACKs with the fastest growth in slow start, sorted by index.

    The window must grow by more than 1.1 bytes per byte that the ACK acknowledges.
    """
    until = subject.left.grown_until
    end = len(subject.events) if until is None else until
    points = [point for point in subject.limited if point.index < end and point.acked_bytes]
    points = [point for point in points if point.grown_bytes > _FAST * point.acked_bytes]
    points.sort(key=lambda point: Fraction(point.grown_bytes, point.acked_bytes), reverse=True)
    return tuple(sorted(point.index for point in points[:_FAST_ACKS]))


def _rtt_ratio(subject: JudgedSender, by: int) -> Fraction | None:
    samples = [
        event.latest_rtt_ns for event in subject.events[: by + 1] if isinstance(event, Ack) and event.latest_rtt_ns
    ]
    return Fraction(samples[-1], min(samples)) if samples else None


def _reduction(subject: JudgedSender) -> Reduction | None:
    """Return the first event that reduces the window with the factor of the reduction, or None.

    The event is the first of these two: after a loss, a new ssthresh below the window before the loss; or a smaller
    window. The reduced window is this ssthresh or this smaller window. After a loss, a window can shrink by less than
    1/20 and shrink further later: then the reduced window is the smallest window of the recovery.

    The factor is the reduced window divided by the window before the loss (before the event, if no packet was lost).
    The function :func:`_factor` divides by the bytes in flight, or a window with unlogged growth, if the quotient is
    nearer to a multiple of 1/20.
    """
    lost: int | None = None
    threshold_bytes: int | None = None
    for index, (event, old_bytes, now) in enumerate(zip(subject.events, subject.before, subject.answers, strict=True)):
        if isinstance(event, Lost) and lost is None:
            lost = index
        new_bytes = now.ssthresh_bytes
        if lost is not None and new_bytes not in (None, threshold_bytes) and (new_bytes or 0) < subject.before[lost]:
            return _factor(subject, lost, index, new_bytes or 0)
        if now.cwnd_bytes < old_bytes:
            cause = index if lost is None or now.cwnd_bytes >= subject.before[lost] else lost
            little = lost is not None and now.cwnd_bytes > old_bytes * (1 - _STEP)
            reduced_index = _lowest(subject, index) if little else index
            return _factor(subject, cause, reduced_index, subject.answers[reduced_index].cwnd_bytes)
        threshold_bytes = now.ssthresh_bytes
    return None


def _lowest(subject: JudgedSender, index: int) -> int:
    """Return the event with the smallest window from ``index`` until a packet sent after ``index`` is acknowledged."""
    since_ns, lowest = subject.events[index].t_ns, index
    for at in range(index, len(subject.events)):
        event = subject.events[at]
        if isinstance(event, Ack) and any(run.sent_t_ns > since_ns for run in event.packets):
            break
        if subject.answers[at].cwnd_bytes < subject.answers[lowest].cwnd_bytes:
            lowest = at
    return lowest


def _captured_reduction(subject: JudgedSender) -> Reduction | None:
    """Return the first reduction in a capture, or None: the flight after recovery, divided by the flight before."""
    factor = subject.recording.header.quality.get("first_reduction")
    return None if factor is None else Reduction(None, Fraction(*factor), "flight")


def _factor(subject: JudgedSender, cause: int, index: int, new_bytes: int) -> Reduction:
    """Return the reduction at event ``index`` to ``new_bytes``, with its factor.

    ``cause``: event of the loss or reduction. The factor is ``new_bytes`` divided by one of three divisors. They are
    tried in this order: the window before ``cause``; this window plus unlogged growth; the bytes in flight before
    ``cause``. The first divisor is the default. A later divisor replaces the chosen one if its quotient is nearer to a
    multiple of 1/20, and less than 1/100 away from it. The third divisor must also differ from the window by more than
    1/20 of the window, and its quotient must be below 1.
    """
    window_bytes, event = subject.before[cause], subject.events[cause]
    window_factor = Fraction(new_bytes, window_bytes)
    grown_factor = Fraction(new_bytes, window_bytes + _untold_bytes(subject, cause))
    if _off(grown_factor) < min(_NEAR, _off(window_factor)):
        window_factor = grown_factor
    flight_bytes = event.bytes_in_flight + event.bytes if isinstance(event, Lost | Ack) else window_bytes
    flight_factor = Fraction(new_bytes, max(flight_bytes, 1))
    apart = flight_factor < 1 and 20 * abs(window_bytes - flight_bytes) > window_bytes
    chosen = apart and _off(flight_factor) < min(_NEAR, _off(window_factor))
    return Reduction(index, flight_factor, "flight") if chosen else Reduction(index, window_factor, "window")


def _untold_bytes(subject: JudgedSender, cause: int) -> int:
    """Return the estimated growth in slow start, in bytes, that the log does not show before event ``cause``.

    ``cause``: event of the loss or reduction. The estimate is the growth per acknowledged byte, multiplied by the bytes
    of the ACKs between the last event with a logged window and ``cause``. Return 0 after slow start, or if the growth
    per byte is unknown.
    """
    before = zip(reversed(subject.events[:cause]), reversed(subject.answers[:cause]), strict=True)
    untold = takewhile(lambda pair: not pair[1].reported, before)
    acked_bytes = sum(event.bytes for event, _ in untold if isinstance(event, Ack))
    by, growth = subject.left.by, subject.left.growth
    return int(acked_bytes * growth) if growth and (by is None or cause <= by) else 0


def _off(factor: Fraction) -> Fraction:
    """Return the distance of a factor from the nearest multiple of 1/20."""
    return abs(factor - round(factor / _STEP) * _STEP)
