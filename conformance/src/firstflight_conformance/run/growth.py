"""Where a window stopped growing as slow start lets it grow. Needs nothing but windows, so that it can be told of every stack."""

from collections.abc import Sequence

from firstflight.events import Ack, Event


def first_reduced_growth(events: Sequence[Event], windows: Sequence[int], slack_bytes: int = 0) -> int | None:
    """Return the index of the first event after which growth is below that of slow start, ``None`` if there is none.

    That is the first event that made the window smaller, or the first ``ack`` that is not app-limited and by which the window grew by
    fewer bytes than it acknowledged, less ``slack_bytes``. ``windows`` are those after each event, in bytes.
    """
    for index in range(1, min(len(events), len(windows))):
        event, grown_bytes = events[index], windows[index] - windows[index - 1]
        if grown_bytes < -slack_bytes:
            return index
        if isinstance(event, Ack) and not event.app_limited and grown_bytes + slack_bytes < event.bytes:
            return index
    return None
