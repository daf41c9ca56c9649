"""Changes members in the events of a recording: ``app_limited`` of ACKs, and RTT samples."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from firstflight.events import Ack, Event
from firstflight_conformance.format.ledger import RttEstimator


def with_flags(events: Sequence[Event], app_limited: Callable[[int, Ack], bool]) -> tuple[Event, ...]:
    """Return the events with ``app_limited`` of each ACK replaced."""
    return tuple(
        replace(event, app_limited=app_limited(index, event)) if isinstance(event, Ack) else event
        for index, event in enumerate(events)
    )


def with_samples(events: Sequence[Event], move: Callable[[int], int]) -> tuple[Event, ...]:
    """Return the events with each RTT sample changed by ``move``, and the estimates recomputed."""
    rtt = RttEstimator()
    changed_events: list[Event] = []
    for event in events:
        if not isinstance(event, Ack) or event.latest_rtt_ns is None:
            changed_events.append(event)
            continue
        rtt.sample(max(move(event.latest_rtt_ns), 1), event.ack_delay_ns)
        changed_events.append(
            replace(event, latest_rtt_ns=rtt.latest_ns, min_rtt_ns=rtt.min_ns, smoothed_rtt_ns=rtt.smoothed_ns)
        )
    return tuple(changed_events)
