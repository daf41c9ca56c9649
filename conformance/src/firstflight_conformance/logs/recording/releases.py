"""Releases of a sender with unknown window: packets sent after ACKs, and whether the window ended the release."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from firstflight.events import Ack, Event, Sent

#: A sender that waits for its window sends within this time of the ACK. The time is min(least RTT / 16, median interval
#: of ACKs / 4), limited to 0.2 ms to 1 ms.
_AT_ONCE_RTTS, _AT_ONCE_ACKS = 16, 4
_AT_ONCE_LEAST_NS, _AT_ONCE_MOST_NS = 200_000, 1_000_000


@dataclass(slots=True)
class Release:
    """A release: the packets sent between two ACKs. ``index``: index of its last ``Sent`` event.

    ``acked_bytes``: bytes acknowledged since the previous release. ``flight_bytes``: bytes in flight after the release.
    ``clocked``: the release began at once after an ACK. ``limited``: the window ended the release. More data was
    waiting, since the sender answered the next ACK at once.
    """

    index: int
    acked_bytes: int
    flight_bytes: int
    clocked: bool
    limited: bool = False


def releases_of(events: Sequence[Event]) -> list[Release]:
    """Return the releases of a connection: for each run of ``Sent`` events between ACKs, one :class:`Release`.

    The window ended a release (``limited``) if the next release began at once after an ACK. Exception: if the last
    ``Sent`` of the release is ``app_limited``, the application or the receiver ended the release.
    """
    releases = list(_releases(events, _at_once_ns(events)))
    for number, (release, event) in enumerate(
        zip(releases, (events[release.index] for release in releases), strict=True)
    ):
        following = releases[number + 1] if number + 1 < len(releases) else release
        release.limited = following.clocked and not (isinstance(event, Sent) and event.app_limited)
    return releases


def _releases(events: Sequence[Event], at_once_ns: int) -> Iterator[Release]:
    acked_bytes, acked_ns = 0, None
    release: Release | None = None
    for index, event in enumerate(events):
        if isinstance(event, Ack):
            if release is not None:
                yield release
                release, acked_bytes = None, 0
            acked_bytes, acked_ns = acked_bytes + event.bytes, event.t_ns
        elif isinstance(event, Sent):
            clocked = acked_ns is not None and event.t_ns - acked_ns <= at_once_ns
            release = Release(
                index, acked_bytes, event.bytes_in_flight, clocked if release is None else release.clocked
            )
    if release is not None:
        yield release


def _at_once_ns(events: Sequence[Event]) -> int:
    acks = [event for event in events if isinstance(event, Ack)]
    rtt_ns = min((event.min_rtt_ns for event in acks if event.min_rtt_ns), default=_AT_ONCE_MOST_NS)
    apart_ns = sorted(later.t_ns - ack.t_ns for ack, later in pairwise(acks)) or [_AT_ONCE_MOST_NS]
    at_once_ns = min(_AT_ONCE_MOST_NS, rtt_ns // _AT_ONCE_RTTS, apart_ns[len(apart_ns) // 2] // _AT_ONCE_ACKS)
    return max(_AT_ONCE_LEAST_NS, at_once_ns)


def initial_release(events: Sequence[Event]) -> tuple[Release, int] | None:
    """Return the first release that the congestion window ended, with the number of its round trip, from 1.

    A release is the packets sent between two ACKs. The window ended a release if its last ``Sent`` event is not marked
    application-limited, and the release after it began at once after an ACK. Return None if the window ended no
    release.
    """
    ends = {release.index: release for release in releases_of(events) if release.limited}
    number, remaining_bytes = 1, None
    for index, event in enumerate(events):
        if index in ends:
            return ends[index], number
        if isinstance(event, Ack):
            remaining_bytes = event.bytes_in_flight + event.bytes if remaining_bytes is None else remaining_bytes
            remaining_bytes -= event.bytes
            if remaining_bytes <= 0:
                number, remaining_bytes = number + 1, None
    return None
