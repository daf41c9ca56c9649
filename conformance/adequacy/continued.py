"""Vectors continued at random. They detect edits in situations that random connections seldom reach."""

import zlib
from collections.abc import Iterable, Iterator

from adequacy.connections import Connection, actions, pick
from adequacy.kill import Replay
from firstflight.events import (
    Ack,
    Backlog,
    Ce,
    DatagramSize,
    Event,
    IdleRestart,
    Lost,
    PathChange,
    PersistentCongestion,
    Pto,
    SavedPath,
    Sent,
    SpuriousLoss,
)
from firstflight_conformance.format.builder import MS, StreamBuilder
from firstflight_conformance.format.ledger import DataLedger, RttEstimator
from firstflight_conformance.format.stream import confirms_address, flags_of
from firstflight_conformance.format.wire import optional_members
from firstflight_conformance.prng import SplitMix64

#: Numbers of actions after the events of a vector.
ACTIONS = (10, 20, 40)
#: Vectors with more events are not continued: a survivor would replay all of them each time.
_EVENTS = 400
#: RTT of a continuation in ns if the vector lacks an RTT sample.
_RTT_NS = 100 * MS


def continued(replays: Iterable[Replay], count: int) -> Iterator[Replay]:
    """Yield ``count`` continuations of each vector with the answers of the model, always the same.

    Skip impossible continuations, vectors of more than 400 events, and vectors with delivery-rate samples or with packets
    that contain only ACKs.
    """
    for replay in replays:
        if len(replay.events) > _EVENTS or any(map(_is_sampled, replay.events)):
            continue
        if "not-in-flight" in flags_of(replay.events):
            continue
        rng = SplitMix64(zlib.crc32(replay.id.encode()))
        for number in range(count):
            builder = _rebuilt(replay)
            connection = Connection(rng, replay, builder, builder.rtt.latest_ns or _RTT_NS)
            name = f"continuation {number} of {replay.id}"
            longer = connection.play(name, list(actions(rng, replay.algorithm, pick(rng, *ACTIONS))))
            if longer is not None:
                yield longer


def _is_sampled(event: Event) -> bool:
    return isinstance(event, Ack | Lost) and event.rate_lost_bytes is not None


def _rebuilt(replay: Replay) -> StreamBuilder:
    """Return a builder in the state after the vector's events."""
    repeats_data = any(map(optional_members, replay.events))
    builder = StreamBuilder(
        replay.config.max_datagram_size_bytes,
        replay.config.initial_window_bytes,
        origin_ns=0,
        data=DataLedger() if repeats_data else None,
    )
    for event in replay.events:
        _repeat(builder, event, replay.algorithm)
    return builder


def _repeat(builder: StreamBuilder, event: Event, algorithm: str) -> None:
    """Append an event of the vector, and change the ledgers of the builder as the event requires."""
    match event:
        case Sent():
            _repeat_sent(builder, event)
        case Ack():
            _repeat_ack(builder, event)
        case Lost():
            for run in event.packets:
                builder.ledger.take(run.first, run.last)
        case Ce():
            builder.ce_count = event.ce_count
        case DatagramSize():
            builder.max_datagram_size_bytes = event.max_datagram_size_bytes
        case PathChange() if confirms_address(algorithm):
            builder.path_start_ns, builder.rtt = event.t_ns, RttEstimator()
        case Backlog() | IdleRestart() | PathChange() | PersistentCongestion() | Pto() | SavedPath() | SpuriousLoss():
            pass  # These events leave the ledgers unchanged.
    builder.events.append(event)


def _repeat_sent(builder: StreamBuilder, event: Sent) -> None:
    for run in event.packets:
        builder.ledger.send(run)
    if builder.data is not None:
        first, last = event.packets[0].first, event.packets[-1].last
        builder.data.send(first, last, event.retransmits)


def _repeat_ack(builder: StreamBuilder, event: Ack) -> None:
    for run in event.packets:
        builder.ledger.take(run.first, run.last)
        if builder.data is not None:
            builder.data.acknowledge(run.first, run.last)
    if event.latest_rtt_ns is not None:
        builder.rtt.sample(event.latest_rtt_ns, event.ack_delay_ns)
