"""Operators on events: events are ignored, processed as another kind, in parts, or twice."""

from collections.abc import Iterator
from dataclasses import replace

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
    SpuriousLoss,
)
from firstflight_conformance.explain.operators.edits import Transform

#: Names, for readers of the specification, of the kinds that an implementation may ignore.
_NAMES: dict[type, str] = {
    Lost: "losses", Ce: "CE marks", PersistentCongestion: "persistent congestion", SpuriousLoss: "spurious losses",
    Pto: "probe timeouts", IdleRestart: "the end of an idle time", PathChange: "a change of the path",
    DatagramSize: "changes of the maximum datagram size", Backlog: "data that becomes ready", SavedPath: "saved parameters of the path",
}  # fmt: skip


def transforms(algorithm: str, kinds: set[type]) -> Iterator[tuple[str, Transform]]:
    """Yield changes of events that a wrong implementation may make, each after a sentence that describes it.

    A change returns the events to process in place of an event. ``kinds``: the kinds of events before the first
    divergence of a case. Losses, marks and other rare events are changed only if their kind is among them.
    """
    for kind, name in _NAMES.items():
        if kind in kinds:
            yield f"ignores {name}", _instead(kind, _neutral(algorithm))
            if kind in (Lost, Ce):
                yield f"processes {name} twice", _twice(kind)
            elif kind is not PersistentCongestion:
                collapse = _instead(kind, PersistentCongestion)
                yield f"processes {name} as persistent congestion", collapse
    if Lost in kinds:
        yield "processes losses as CE marks", _loss_as_ce
        yield "processes each lost packet as an event of its own", _each_loss
    yield "processes application-limited ACKs as others", _limited(app_limited=False)
    yield "processes each ACK as application-limited", _limited(app_limited=True)
    yield "processes each ACK twice", _twice(Ack)
    yield "processes each acknowledged range as an ACK of its own", _each_run


def _neutral(algorithm: str) -> type:
    """Return an event kind without an effect in an algorithm."""
    return IdleRestart if algorithm == "careful-resume" else Pto


def _instead(kind: type, replacement: type) -> Transform:
    return lambda event: (replacement(event.t_ns),) if isinstance(event, kind) else (event,)


def _twice(kind: type) -> Transform:
    return lambda event: (event, event) if isinstance(event, kind) else (event,)


def _limited(*, app_limited: bool) -> Transform:
    return lambda event: (replace(event, app_limited=app_limited) if isinstance(event, Ack) else event,)


def _loss_as_ce(event: Event) -> tuple[Event, ...]:
    if not isinstance(event, Lost):
        return (event,)
    last = max(event.packets, key=lambda run: run.sent_t_ns)
    return (Ce(event.t_ns, last.last, last.sent_t_ns, 1),)


def _each_loss(event: Event) -> tuple[Event, ...]:
    if not isinstance(event, Lost):
        return (event,)
    packets = [
        replace(run, first=number, last=number) for run in event.packets for number in range(run.first, run.last + 1)
    ]
    return tuple(replace(event, packets=(packet,), bytes=packet.size_bytes) for packet in packets)


def _each_run(event: Event) -> tuple[Event, ...]:
    if not isinstance(event, Ack):
        return (event,)
    return tuple(replace(event, packets=(run,), bytes=run.count * run.size_bytes) for run in event.packets)
