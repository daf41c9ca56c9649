"""Turns a recording into a vector: the events of a real connection, with the answers of the model."""

from dataclasses import replace
from typing import Any

from firstflight import create, samples_rate
from firstflight.delivery_rate import with_samples
from firstflight.events import Ack, Event, PathChange
from firstflight_conformance.format.ledger import RttEstimator
from firstflight_conformance.format.stream import check_stream, confirms_address
from firstflight_conformance.logs.recording.recording import Header, Recording
from firstflight_conformance.replay.measure import replay
from firstflight_conformance.replay.stimulus import Stimulus, judged_events, to_json


def vector_of(recording: Recording, algorithm: str, profile: str, vector_id: str) -> dict[str, Any]:
    """Return the vector in its JSON form, with the answers of the model in the profile.

    It ends before the first packets sent that do not fit the model's window: later events belong to another controller.
    RTTs are computed from the times. The sender's RTTs may include the lateness of its clock, while vectors contain
    only exact values. Raise :class:`ValueError` if no event is left, or if a packet exceeds the controller's datagram
    size.
    """
    config = recording.header.config
    events = with_computed_rtts(recording.in_full_flight(), algorithm)
    controller = create(algorithm, profile, config)
    if samples_rate(controller):
        events = tuple(with_samples(events))
    observations = replay(controller, events)
    events = events[: judged_events(events, observations)]
    if not events:
        raise ValueError(f"{algorithm}/{profile}: the first packets sent do not fit its window")
    check_stream(events, {"max_datagram_size_bytes": config.max_datagram_size_bytes}, algorithm)
    name = _name(recording.header)
    stimulus = Stimulus(
        id=vector_id,
        title=f"Recorded: {name}"[:110],
        why=f"The events of a recording ({name}), with RTTs from its times and the answers of the model.",
        tier="core",
        profiles=(profile,),
        source={"kind": "hand", "sources": [f"recorded from {name}"]},
        config=config,
        events=events,
    )
    return to_json(stimulus)


def with_computed_rtts(events: tuple[Event, ...], algorithm: str) -> tuple[Event, ...]:
    """Return the events with recomputed RTT samples, minimum RTTs and smoothed RTTs in their ACKs.

    A sample is the time from the sending of the largest acknowledged packet to the ACK. ACKs without a sample in
    ``events`` get none. At a ``PathChange`` the estimates start again, and packets sent before it give no sample.
    Careful Resume is the exception: there a ``PathChange`` is only a signal.
    """
    rtt, path_start_ns = RttEstimator(), 0
    computed_events: list[Event] = []
    for event in events:
        if isinstance(event, PathChange) and confirms_address(algorithm):
            rtt, path_start_ns = RttEstimator(), event.t_ns
        if isinstance(event, Ack):
            sent_t_ns = event.packets[-1].sent_t_ns
            latest_ns = None
            if event.latest_rtt_ns is not None and sent_t_ns > path_start_ns:
                latest_ns = event.t_ns - sent_t_ns
                rtt.sample(latest_ns, event.ack_delay_ns)
            computed_events.append(
                replace(event, latest_rtt_ns=latest_ns, min_rtt_ns=rtt.min_ns, smoothed_rtt_ns=rtt.smoothed_ns)
            )
        else:
            computed_events.append(event)
    return tuple(computed_events)


def _name(header: Header) -> str:
    source = header.source
    return " ".join(str(source[key]) for key in ("kind", "name", "version") if source.get(key))
