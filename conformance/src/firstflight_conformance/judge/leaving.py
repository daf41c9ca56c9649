"""Finds the exit from slow start and its evidence.

The exit is an interval of events: most senders decide it earlier than they show it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Sent
from firstflight_conformance.logs.recording.answers import SLOW_START, Answer

#: An ACK grows the window as in slow start if its growth is at least 3/4 of the growth in the first round.
_FULL = Fraction(3, 4)
#: Least number of ACKs that give the growth of slow start, and least number of ACKs with less growth that are evidence.
_FIRST_ACKS, _LESS_ACKS = 4, 2

#: A smaller window or a threshold is attributed to a loss at most this many RTTs before.
_LOSS_RTTS = 3
#: Evidence of BBR in a capture: the sender drains its queue.
DRAIN = "drain"


@dataclass(frozen=True, slots=True)
class Point:
    """A window-limited ACK: the growth of the window, and the acknowledged bytes."""

    index: int
    grown_bytes: int
    acked_bytes: int


@dataclass(frozen=True, slots=True)
class Left:
    """The exit from slow start, after event ``after`` and at the latest at ``by`` (``None``: slow start was not left).

    ``after`` is -1 without a lower bound. ``evidence``: kind of evidence for the exit, such as ``growth`` or ``loss``.
    ``until``: the first event with evidence other than growth that slow start is over. ``growth``: window growth per
    acknowledged byte at the first ACKs of slow start, or ``None`` without suitable ACKs. ``slower``: first event of the
    slower growth of BBR's bytes in flight, some rounds before BBR leaves slow start; otherwise ``None``.
    """

    after: int
    by: int | None
    evidence: str
    growth: Fraction | None
    until: int
    slower: int | None = None

    @property
    def grown_until(self) -> int | None:
        """The event that ends the growth of slow start, or None."""
        return self.by if self.slower is None else self.slower


def left_slow_start(
    events: Sequence[Event],
    before: Sequence[int],
    answers: Sequence[Answer],
    limited: Sequence[Point],
    *,
    at_least: bool = False,
) -> Left:
    """Return the exit from slow start. ``before``: window before each event. ``limited``: the window-limited ACKs.

    Growth is evidence only at window-limited ACKs. ``at_least``: only the flight is known, which does not show the
    window after a loss.
    """
    known = _first_loss(events) if at_least else _at_an_ack(events, _first_evidence(events, before, answers))
    end = len(events) if known is None else known[0]
    points = [point for point in limited if point.index < end]
    growth = growth_of(points, before)
    full, less = _last_full(points, growth)
    after = max(full - 1, -1)  # the ACK of the decision may still grow the window fully, as in HyStart++
    if less is not None and _lasting(
        points, less, before, confirmed=known is not None and known[1] not in ("loss", "window")
    ):
        return Left(after, less, "growth", growth, end)
    if known is None:
        return Left(after, None, "none", growth, end)
    exact = known[1] in ("threshold", "loss")
    return Left(end - 1 if exact else after, end, known[1], growth, end)


def growth_of(points: Sequence[Point], before: Sequence[int]) -> Fraction | None:
    """Return the growth of the window per acknowledged byte at the first window-limited ACKs, or None without ACKs.

    ``points``: window-limited ACKs. The function uses the first four, and more until they acknowledge twice the window
    before the first of them; all ACKs if there are fewer. ``before``: window before each event, in bytes.
    """
    grown = acked = 0
    for number, point in enumerate(points):
        if number >= _FIRST_ACKS and acked >= 2 * before[points[0].index]:
            break
        grown, acked = grown + point.grown_bytes, acked + point.acked_bytes
    return Fraction(max(grown, 0), acked) if acked else None


def _last_full(points: Sequence[Point], growth: Fraction | None) -> tuple[int, int | None]:
    """Return the last ACK with growth as in slow start, and the first later ACK with less growth.

    Both are event indices: -1 without an ACK of the first kind, None without one of the second. ``points``: the
    window-limited ACKs. ``growth``: growth of the window per acknowledged byte at the start of slow start. An ACK needs
    at least 3/4 of it. With None or 0 the result is (-1, None). Growth is summed over ACKs: an ACK with less growth is
    ignored if later ACKs compensate it. One whole datagram per round, as in congestion avoidance, is not full growth.
    """
    if not growth:
        return -1, None
    least = growth * _FULL
    total = best = Fraction(0)
    full = -1
    for point in points:
        total += point.grown_bytes - least * point.acked_bytes
        if total >= best:
            best, full = total, point.index
    less = (point.index for point in points if point.index > full and point.grown_bytes < least * point.acked_bytes)
    return full, next(less, None)


def _lasting(points: Sequence[Point], less: int, before: Sequence[int], *, confirmed: bool) -> bool:
    """Return whether slower growth from event ``less`` on shows an exit, and not a stall or the end of the data.

    The slower growth must last for at least two ACKs that together acknowledge half of the window before event
    ``less``. ``points``: the window-limited ACKs. ``before``: the sender's window before each event, in bytes. With
    ``confirmed`` the duration does not matter: a threshold or a logged state shows the exit as well.
    """
    rest = [point for point in points if point.index >= less]
    return confirmed or (len(rest) >= _LESS_ACKS and 2 * sum(point.acked_bytes for point in rest) >= before[less])


def _first_loss(events: Sequence[Event]) -> tuple[int, str] | None:
    losses = (index for index, event in enumerate(events) if isinstance(event, Lost | Ce | PersistentCongestion))
    return next(((index, "loss") for index in losses), None)


def _first_evidence(
    events: Sequence[Event], before: Sequence[int], answers: Sequence[Answer]
) -> tuple[int, str] | None:
    """Return the first event that shows the end of slow start, and the kind of evidence, or None.

    Evidence is a smaller window, an ssthresh that the window has reached or that follows a loss, or a logged state
    other than slow start. Such a state does not count if slow start is logged again before other evidence.
    """
    first_evidence: tuple[int, str] | None = None
    lost_ns = rtt_ns = None
    for index, (event, old_bytes, now) in enumerate(zip(events, before, answers, strict=True)):
        if isinstance(event, Lost | Ce | PersistentCongestion):
            lost_ns = event.t_ns
        elif isinstance(event, Ack):
            rtt_ns = event.smoothed_rtt_ns or rtt_ns
        lost = lost_ns is not None and (rtt_ns is None or event.t_ns - lost_ns <= _LOSS_RTTS * rtt_ns)
        if now.cwnd_bytes < old_bytes or (now.ssthresh_bytes is not None and lost):
            return first_evidence or (index, "loss" if lost else "window")
        if now.ssthresh_bytes is not None and now.cwnd_bytes >= now.ssthresh_bytes:
            return first_evidence or (index, "threshold")
        first_evidence = (
            None if now.state in (None, SLOW_START) else first_evidence or (index, "loss" if lost else "state")
        )
    return first_evidence


def _at_an_ack(events: Sequence[Event], first_evidence: tuple[int, str] | None) -> tuple[int, str] | None:
    """Move an exit that a logged state shows to the next event that does not send packets, normally an ACK.

    A log may contain the new state before the ACK that causes it. ``first_evidence``: event and kind of the evidence.
    Other kinds than ``state`` are returned unchanged.
    """
    if first_evidence is None or first_evidence[1] != "state":
        return first_evidence
    index = next(
        (at for at in range(first_evidence[0], len(events)) if not isinstance(events[at], Sent)), first_evidence[0]
    )
    return index, first_evidence[1]
