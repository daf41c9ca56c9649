"""Finds the first growth below slow start. Needs only windows, so it works for every stack."""

from collections.abc import Sequence

from firstflight.events import Ack, Event


def granted_bytes(event: Event) -> int | None:
    """Return the growth of slow start at an event in bytes, or ``None`` if it need not grow."""
    return event.bytes if isinstance(event, Ack) and not event.app_limited else None


def first_reduced_growth(granted: Sequence[int | None], windows: Sequence[int], slack_bytes: int = 0) -> int | None:
    """Return the index of the first event with less growth than in slow start, or ``None``.

    Such an event shrinks the window by more than ``slack_bytes``, or is an ``ack`` with too little growth. An ``ack``
    that is not app-limited must grow the window by the acknowledged bytes minus ``slack_bytes``. ``granted``:
    :func:`granted_bytes` of each event. ``windows``: the windows after each event, in bytes.
    """
    for index in range(1, min(len(granted), len(windows))):
        granted_now, grown_bytes = granted[index], windows[index] - windows[index - 1]
        if grown_bytes < -slack_bytes:
            return index
        if granted_now is not None and grown_bytes + slack_bytes < granted_now:
            return index
    return None
