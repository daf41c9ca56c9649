"""Editable form of event streams: parts can be removed, and derived values are recomputed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from firstflight.delivery_rate import RateSampler
from firstflight.events import Ack, Ce, Event, Lost, PathChange, Run, Sent
from firstflight_conformance.format.builder import StreamBuilder
from firstflight_conformance.format.ledger import DataLedger, LedgerError
from firstflight_conformance.format.stream import confirms_address, repeated

#: The longest run that is shortened packet by packet.
_FEW = 16
#: A part of a run of packets: key of the run, and indices of the first and last packet within the run.
Part = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Sending:
    """Sent packets in editable form: runs of (key, size in bytes, number of packets).

    The key identifies the run while other steps are removed or made smaller. ``repeats``: earlier sent packets whose
    data is sent again.
    """

    t_ns: int
    runs: tuple[tuple[int, int, int], ...]
    app_limited: bool
    repeats: tuple[Part, ...]
    pmtu_probe: bool = False
    not_in_flight: bool = False


@dataclass(frozen=True, slots=True)
class Taking:
    """An ACK or a loss in editable form: takes ``parts`` of earlier sent runs out of flight.

    ``lost``: whether it is a loss. ``sample``: whether the ACK has an RTT sample. ``sampled``: whether it has a
    delivery-rate sample.
    """

    t_ns: int
    lost: bool
    parts: tuple[Part, ...]
    sample: bool = True
    ack_delay_ns: int = 0
    app_limited: bool = False
    sampled: bool = False
    pmtu_probe: bool = False
    not_in_flight: bool = False


@dataclass(frozen=True, slots=True)
class Other:
    """An event other than sent, acknowledged or lost packets, stored unchanged. ``marked``: the packet of a CE mark."""

    event: Event
    marked: Part | None = None

    @property
    def t_ns(self) -> int:
        """Time of the event in ns."""
        return self.event.t_ns


Step = Sending | Taking | Other


def steps_of(events: Sequence[Event]) -> tuple[Step, ...]:
    """Return the events in editable form, one step for each event.

    A run is a range of packets that a ``Sent`` event contains. Steps refer to a packet by its run and its index in the
    run. They contain no packet numbers, so that earlier steps can be removed.
    """
    sent: list[tuple[Run, int]] = []
    steps: list[Step] = []
    for event in events:
        match event:
            case Sent():
                runs = []
                for run in event.packets:
                    runs.append((len(sent), run.size_bytes, run.count))
                    sent.append((run, len(sent)))
                repeats = _parts(sent, repeated(event))
                flags = event.app_limited, repeats, event.pmtu_probe, event.not_in_flight
                steps.append(Sending(event.t_ns, tuple(runs), *flags))
            case Ack():
                parts = _parts(sent, [(run.first, run.last) for run in event.packets])
                has = event.latest_rtt_ns is not None, event.rate_lost_bytes is not None
                step = Taking(event.t_ns, False, parts, has[0], event.ack_delay_ns, event.app_limited, has[1])
                steps.append(replace(step, not_in_flight=event.not_in_flight))
            case Lost():
                parts = _parts(sent, [(run.first, run.last) for run in event.packets])
                steps.append(Taking(event.t_ns, True, parts, pmtu_probe=event.pmtu_probe))
            case Ce():
                steps.append(Other(event, _parts(sent, [(event.packet, event.packet)])[0]))
            case _:
                steps.append(Other(event))
    return tuple(steps)


def _parts(sent: Sequence[tuple[Run, int]], ranges: Sequence[tuple[int, int]]) -> tuple[Part, ...]:
    return tuple(
        (key, max(first, run.first) - run.first, min(last, run.last) - run.first)
        for first, last in ranges
        for run, key in sent
        if run.first <= last and first <= run.last
    )


def events_of(
    steps: Sequence[Step], datagram_bytes: int, window_bytes: int | None, *, data: bool, algorithm: str = ""
) -> list[Event] | None:
    """Return the events of editable steps, or ``None`` if the steps are inconsistent.

    Packet numbers and other derived values are recomputed. ``data``: whether to track which data is acknowledged, for
    events that report repeated or missing data. ``window_bytes``: the initial window.
    """
    builder = StreamBuilder(datagram_bytes, window_bytes, origin_ns=0, data=DataLedger() if data else None)
    if any(isinstance(step, Taking) and step.sampled for step in steps):
        builder.sampler = RateSampler()
    places: dict[int, tuple[int, int, int]] = {}  # by key of a sent run: first packet, packets, time
    try:
        for step in steps:
            if isinstance(step, Other) and isinstance(step.event, PathChange) and confirms_address(algorithm):
                builder.path_change(step.t_ns)
            else:
                _apply(builder, step, places)
    except (LedgerError, ValueError, IndexError):
        return None
    return builder.events


def _apply(builder: StreamBuilder, step: Step, places: dict[int, tuple[int, int, int]]) -> None:
    match step:
        case Sending():
            first = builder.ledger.next_packet
            for key, _, count in step.runs:
                places[key] = (first, count, step.t_ns)
                first += count
            sizes = [(count, size_bytes) for _, size_bytes, count in step.runs]
            repeats = tuple(_ranges(step.repeats, places))
            flags = {
                "app_limited": step.app_limited,
                "pmtu_probe": step.pmtu_probe,
                "not_in_flight": step.not_in_flight,
            }
            builder.send_sizes(step.t_ns, sizes, repeats=repeats, **flags)
        case Taking():
            ranges = sorted(_ranges(step.parts, places))
            if not ranges:
                return
            if step.lost:
                builder.lose(step.t_ns, *ranges, pmtu_probe=step.pmtu_probe)
            elif step.not_in_flight:
                builder.ack_not_in_flight(step.t_ns, *ranges)
            else:
                builder.ack(
                    step.t_ns, *ranges, sample=step.sample, ack_delay_ns=step.ack_delay_ns, app_limited=step.app_limited
                )
        case Other(event=Ce()):
            for first, _ in _ranges([step.marked] if step.marked else [], places):
                sent_t_ns = next(t_ns for low, count, t_ns in places.values() if low <= first < low + count)
                builder.ce(step.t_ns, first, sent_t_ns)
        case Other():
            builder.events.append(step.event)


def _ranges(parts: Sequence[Part], places: dict[int, tuple[int, int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the packet numbers in the edited stream of parts of sent runs, as ranges (first, last).

    A part is the key of a run, and the indices of its first and last packet within the run. ``places``: by key of a run
    in the edited stream, its first packet number there, number of packets and time. Packets of removed or shortened
    runs are omitted. Adjacent ranges are joined.
    """
    before: tuple[int, int] | None = None
    for key, low, high in parts:
        if key in places and low < places[key][1]:
            first, count, _ = places[key]
            now = (first + low, first + min(high, count - 1))
            if before is not None and before[1] + 1 == now[0]:
                before = (before[0], now[1])
                continue
            if before is not None:
                yield before
            before = now
    if before is not None:
        yield before


def smaller(step: Step) -> Iterator[Step]:
    """Yield smaller forms of a step, the smallest first."""
    if isinstance(step, Sending):
        for key, size_bytes, count in step.runs[:1]:
            for fewer in dict.fromkeys((1, 2, count // 2, count - 1 if count <= _FEW else count)):
                if 0 < fewer < count:
                    yield replace(step, runs=((key, size_bytes, fewer), *step.runs[1:]))
        if len(step.runs) > 1:
            yield from (replace(step, runs=(run,)) for run in step.runs)
        if step.app_limited:
            yield replace(step, app_limited=False)
    elif isinstance(step, Taking):
        if len(step.parts) > 1:
            yield from (replace(step, parts=(part,)) for part in step.parts)
        key, low, high = step.parts[0]
        if len(step.parts) == 1 and high > low:
            yield from (replace(step, parts=((key, low, low + n),)) for n in dict.fromkeys((0, (high - low) // 2)))
        if step.app_limited:
            yield replace(step, app_limited=False)
        if step.ack_delay_ns:
            yield replace(step, ack_delay_ns=0)


def merged(earlier: Step, later: Step) -> Step | None:
    """Return two neighbours of one kind as one step, or None.

    A merged sending step has the earlier of the two times, a merged ACK or loss the later.
    """
    if isinstance(earlier, Other) or isinstance(later, Other):
        return None
    if (earlier.pmtu_probe, earlier.not_in_flight) != (later.pmtu_probe, later.not_in_flight):
        return None
    if isinstance(earlier, Sending) and isinstance(later, Sending) and not earlier.repeats and not later.repeats:
        return replace(earlier, runs=earlier.runs + later.runs)
    if isinstance(earlier, Taking) and isinstance(later, Taking) and earlier.lost == later.lost:
        return replace(later, parts=earlier.parts + later.parts)
    return None
