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
    """Behaviour of a sender. ``rtt_ratio``: RTT at the exit from slow start, divided by the least RTT so far.

    ``initial_window_round``: in a capture, the round that shows the initial window. ``fast``: events of three ACKs that
    show a growth above 1.1. ``initial_window_range`` and ``window_range``: smallest and largest window if the capture
    allows several. ``rounds``, ``exit_round``: set for a capture at the receiver. ``shown``: part of slow start that
    the recording shows; members about the rest are None.
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


def did(subject: JudgedSender, shown: Shown = Shown.ALL, *, explained: bool = True) -> Did:
    """Return the sender's behaviour, as far as the recording shows it. ``explained``: a profile explains its exit."""
    found = _did(subject, explained)
    if shown is Shown.ALL:
        return found
    window_bytes = found.initial_window_bytes if shown is Shown.WINDOW else None
    return replace(
        found, initial_window_bytes=window_bytes, growth=None, event=None, t_ns=None, window_bytes=None, rtt_ratio=None,
        evidence="none", fast=(), shown=shown, window_range=None, rounds=(), exit_round=None,
        initial_window_range=found.initial_window_range if shown is Shown.WINDOW else None,
    )  # fmt: skip


def _did(subject: JudgedSender, explained: bool) -> Did:
    left, config = subject.left, subject.recording.header.config
    by = left.by
    growth, fast = _growth(subject), _fast(subject)
    quality = subject.recording.header.quality
    far = quality.get("taken") is not None
    unsure = far or (subject.at_least and left.evidence == "growth" and not explained)
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
        left.evidence,
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


def _range(found: Sequence[int] | None) -> tuple[int, int] | None:
    return None if found is None else (found[0], found[1])


def to_json(found: Did) -> dict[str, Any]:
    """Return the behaviour as JSON."""
    reduction = found.reduction
    return {
        "initial_window_bytes": found.initial_window_bytes,
        "initial_window_datagrams": datagrams(found),
        "initial_window_range_bytes": None if found.initial_window_range is None else list(found.initial_window_range),
        "initial_window_round": found.initial_window_round,
        "slow_start_growth": _number(found.growth),
        "exit": {
            "event": found.event,
            "t_ms": None if found.t_ns is None else found.t_ns / _NS_PER_MS,
            "window_bytes": found.window_bytes,
            "window_range_bytes": None if found.window_range is None else list(found.window_range),
            "round": found.exit_round,
            "rtt_ratio": _number(found.rtt_ratio),
            "evidence": found.evidence,
        },
        "round_flights_bytes": [each.flight_bytes for each in found.rounds],
        "first_reduction": None
        if reduction is None
        else {"factor": _number(reduction.factor), "of": reduction.of, "event": reduction.event},
        "window_limited_acks": _number(Fraction(found.limited_acks, max(found.acks, 1))),
    }


def datagrams(found: Did) -> int | None:
    """Return the initial window in datagrams, or None if it is uncertain, not a whole number, or implausibly large.

    A log with only small packets does not show the datagram size.
    """
    if found.initial_window_bytes is None or found.initial_window_range is not None:
        return None
    count, rest = divmod(found.initial_window_bytes, found.datagram_bytes)
    small = found.datagram_bytes < _SMALL_BYTES and count > _RECOMMENDED
    return None if rest or small else count


def _number(value: Fraction | None) -> float | int | None:
    """Return a number for reports, rounded to three decimals, more than its accuracy."""
    if value is None:
        return None
    return int(value) if value.denominator == 1 else round(float(value), 3)


def _growth(subject: JudgedSender) -> Fraction | None:
    """Return the window growth per acknowledged byte, over window-limited ACKs in slow start."""
    until = subject.left.grown_until
    end = len(subject.events) if until is None else until
    points = [point for point in subject.limited if point.index < end]
    acked = sum(point.acked_bytes for point in points)
    return Fraction(sum(point.grown_bytes for point in points), acked) if acked else None


def _fast(subject: JudgedSender) -> tuple[int, ...]:
    """Return the events of up to three ACKs in slow start with the largest growth above ``_FAST``."""
    until = subject.left.grown_until
    end = len(subject.events) if until is None else until
    points = [each for each in subject.limited if each.index < end and each.acked_bytes]
    points = [each for each in points if each.grown_bytes > _FAST * each.acked_bytes]
    points.sort(key=lambda each: Fraction(each.grown_bytes, each.acked_bytes), reverse=True)
    return tuple(sorted(each.index for each in points[:_FAST_ACKS]))


def _rtt_ratio(subject: JudgedSender, by: int) -> Fraction | None:
    samples = [each.latest_rtt_ns for each in subject.events[: by + 1] if isinstance(each, Ack) and each.latest_rtt_ns]
    return Fraction(samples[-1], min(samples)) if samples else None


def _reduction(subject: JudgedSender) -> Reduction | None:
    """Return the first reduction. If the window decreases in steps, ssthresh set by a loss gives the reduction."""
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
            shown = _lowest(subject, index) if little else index
            return _factor(subject, cause, shown, subject.answers[shown].cwnd_bytes)
        threshold_bytes = now.ssthresh_bytes
    return None


def _lowest(subject: JudgedSender, index: int) -> int:
    """Return the event of the smallest window until the end of recovery: the ACK of a packet sent after an event."""
    since_ns, found = subject.events[index].t_ns, index
    for at in range(index, len(subject.events)):
        event = subject.events[at]
        if isinstance(event, Ack) and any(run.sent_t_ns > since_ns for run in event.packets):
            break
        if subject.answers[at].cwnd_bytes < subject.answers[found].cwnd_bytes:
            found = at
    return found


def _captured_reduction(subject: JudgedSender) -> Reduction | None:
    """Return the first reduction in a capture: after recovery, relative to the bytes in flight."""
    factor = subject.recording.header.quality.get("first_reduction")
    return None if factor is None else Reduction(None, Fraction(*factor), "flight")


def _factor(subject: JudgedSender, cause: int, index: int, new_bytes: int) -> Reduction:
    window_bytes, event = subject.before[cause], subject.events[cause]
    of_window = Fraction(new_bytes, window_bytes)
    of_grown = Fraction(new_bytes, window_bytes + _untold_bytes(subject, cause))
    if _off(of_grown) < min(_NEAR, _off(of_window)):
        of_window = of_grown
    flight_bytes = event.bytes_in_flight + event.bytes if isinstance(event, Lost | Ack) else window_bytes
    of_flight = Fraction(new_bytes, max(flight_bytes, 1))
    apart = of_flight < 1 and 20 * abs(window_bytes - flight_bytes) > window_bytes
    chosen = apart and _off(of_flight) < min(_NEAR, _off(of_window))
    return Reduction(index, of_flight, "flight") if chosen else Reduction(index, of_window, "window")


def _untold_bytes(subject: JudgedSender, cause: int) -> int:
    """Return the window growth in slow start at the ACKs before a loss without a logged window, in bytes."""
    before = zip(reversed(subject.events[:cause]), reversed(subject.answers[:cause]), strict=True)
    untold = takewhile(lambda each: not each[1].reported, before)
    acked_bytes = sum(event.bytes for event, _ in untold if isinstance(event, Ack))
    by, growth = subject.left.by, subject.left.growth
    return int(acked_bytes * growth) if growth and (by is None or cause <= by) else 0


def _off(factor: Fraction) -> Fraction:
    """Return the distance of a factor from the nearest multiple of 1/20."""
    return abs(factor - round(factor / _STEP) * _STEP)
