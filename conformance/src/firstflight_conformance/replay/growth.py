"""Finds the first growth below slow start. Needs only windows, so it works for every stack."""

from collections.abc import Sequence

from firstflight.events import Ack, Event


def granted_bytes(event: Event) -> int | None:
    """Return the growth of the window in slow start at an event: the bytes of an ACK that is not app-limited.

    Return ``None`` for every other event, where slow start need not grow the window.
    """
    return event.bytes if isinstance(event, Ack) and not event.app_limited else None


def first_reduced_growth(granted: Sequence[int | None], windows: Sequence[int], slack_bytes: int = 0) -> int | None:
    """Return the index of the first event with less growth than in slow start, or ``None``.

    Such an event shrinks the window by more than ``slack_bytes``, or grows it by less than its number in ``granted``
    minus ``slack_bytes``. ``granted``: for each event the growth in slow start in bytes, or ``None`` if the window need
    not grow (:func:`granted_bytes`). ``windows``: the windows after each event, in bytes.
    """
    for index in range(1, min(len(granted), len(windows))):
        granted_now, grown_bytes = granted[index], windows[index] - windows[index - 1]
        if grown_bytes < -slack_bytes:
            return index
        if granted_now is not None and grown_bytes + slack_bytes < granted_now:
            return index
    return None
