"""Where a window stopped growing as slow start lets it grow. Needs nothing but windows, so that it can be told of every stack."""

from collections.abc import Sequence

from firstflight.events import Ack, Event


def granted_bytes(event: Event) -> int | None:
    """Return by how much slow start grows at an event, ``None`` if it need not."""
    return event.bytes if isinstance(event, Ack) and not event.app_limited else None


def first_reduced_growth(granted: Sequence[int | None], windows: Sequence[int], slack_bytes: int = 0) -> int | None:
    """Return the index of the first event after which growth is below that of slow start, ``None`` if there is none.

    That is the first event that made the window smaller, or the first ``ack`` that is not app-limited and by which the window grew by
    fewer bytes than it acknowledged, less ``slack_bytes``. ``granted`` is :func:`granted_bytes` of each event, and ``windows`` are
    those after each, in bytes.
    """
    for index in range(1, min(len(granted), len(windows))):
        granted_now, grown_bytes = granted[index], windows[index] - windows[index - 1]
        if grown_bytes < -slack_bytes:
            return index
        if granted_now is not None and grown_bytes + slack_bytes < granted_now:
            return index
    return None
