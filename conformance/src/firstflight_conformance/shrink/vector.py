"""Writes a shrunk stream as a vector, and as Python code that builds it."""

import re
from collections.abc import Sequence
from typing import Any

from firstflight.events import Ack, Backlog, Ce, DatagramSize, Event, Lost, PathChange, SavedPath, Sent
from firstflight_conformance.format.stream import confirms_address, repeated
from firstflight_conformance.format.wire import event_name
from firstflight_conformance.replay.implementation import drive
from firstflight_conformance.replay.stimulus import Stimulus, to_json
from firstflight_conformance.shrink.shrink import Contest, Parting, answer_of, tells_of_data

_MS = 1_000_000


def vector_of(contest: Contest, parting: Parting, case_id: str, names: tuple[str, str]) -> dict[str, Any]:
    """Return the vector of a shrunk stream: the events of ``parting``, with the answers of the model.

    ``parting``: the events up to the first difference of two implementations, and their different answers. ``contest``:
    both implementations, with algorithm, profile and configuration. ``names``: their names. ``case_id``: original case.
    """
    stimulus = Stimulus(
        id=f"{contest.algorithm}.shrunk.{_slug(case_id)}",
        title=f"Shrunk from {case_id}"[:110],
        why=_why(parting, names),
        tier="core",
        profiles=(contest.profile,),
        source={"kind": "hand", "sources": [f"shrunk from {case_id}"]},
        config=contest.config,
        events=parting.events,
    )
    return to_json(stimulus)


def _slug(case_id: str) -> str:
    """Return the part of a case id after its first ``.`` and before its ``@``, as a part of a new id.

    The result consists of lower-case letters, digits and single hyphens; it is ``case`` if the part is empty.
    """
    return re.sub(r"[^a-z0-9]+", "-", case_id.partition(".")[2].partition("@")[0].lower()).strip("-") or "case"


def _why(parting: Parting, names: tuple[str, str]) -> str:
    """Return a sentence on the different answers of two implementations to the last event of a stream.

    ``names``: the tested implementation, and the implementation whose answers are expected.
    """
    last = len(parting.events) - 1
    texts = [
        f"{d.observable} {_text(d.observed)} where {names[1]} has {_text(d.expected)}" for d in parting.differences
    ]
    return f"Smallest stream found for {names[0]} and {names[1]}: after event {last} {names[0]} has {', '.join(texts)}."


def _text(value: object) -> str:
    return "none" if value is None else str(value)


def snippet(contest: Contest, parting: Parting, expected: dict[str, Any]) -> str:
    """Return Python code that builds the stream with :class:`StreamBuilder` and states an expected last answer.

    ``parting``: the events up to the first difference of two implementations, and the observables that differ in their
    last answers. ``expected``: the expected last answer by observable. The code states only the values of the
    observables that differ.
    """
    config = contest.config
    sizes = (
        f"max_datagram_size_bytes={config.max_datagram_size_bytes}, initial_window_bytes={config.initial_window_bytes}"
    )
    data = ", data=DataLedger()" if tells_of_data(parting.events) else ""
    if any(isinstance(event, Ack) and event.rate_lost_bytes is not None for event in parting.events):
        data += ", sampler=RateSampler()"
    confirmed = confirms_address(contest.algorithm)
    calls = [_call(event, confirmed=confirmed) for event in parting.events]
    raw = SavedPath if confirmed else SavedPath | PathChange
    plain = sorted({type(event).__name__ for event in parting.events if isinstance(event, raw)})
    lines = [f"from firstflight.events import {', '.join(plain)}"] if plain else []
    lines += ["from firstflight.delivery_rate import RateSampler"] if "Rate" in data else []
    lines += ["from firstflight_conformance.format.ledger import DataLedger"] if "Data" in data else []
    lines += ["from firstflight_conformance.format.builder import MS, StreamBuilder", ""]
    lines += [f"b = StreamBuilder({sizes}, origin_ns=0{data})", *calls]
    names = [difference.observable for difference in parting.differences if difference.observable in expected]
    if names:
        lines.append(f"b.expect({', '.join(f'{name}={expected[name]!r}' for name in names)})")
    return "\n".join(lines) + "\n"


def _call(event: Event, *, confirmed: bool) -> str:
    match event:
        case Sent():
            words = [_ns(event.t_ns), str([(run.count, run.size_bytes) for run in event.packets])]
            words += ["app_limited=True"] if event.app_limited else []
            words += [f"repeats={ranges}"] if (ranges := repeated(event)) else []
            words += ["pmtu_probe=True"] if event.pmtu_probe else []
            words += ["not_in_flight=True"] if event.not_in_flight else []
            return f"b.send_sizes({', '.join(words)})"
        case Ack() if event.not_in_flight:
            return f"b.ack_not_in_flight({', '.join([_ns(event.t_ns), *_ranges(event)])})"
        case Ack():
            words = [_ns(event.t_ns), *_ranges(event)]
            words += ["sample=False"] if event.latest_rtt_ns is None else []
            words += [f"ack_delay_ns={event.ack_delay_ns}"] if event.ack_delay_ns else []
            words += ["app_limited=True"] if event.app_limited else []
            return f"b.ack({', '.join(words)})"
        case Lost():
            words = [_ns(event.t_ns), *_ranges(event), *(["pmtu_probe=True"] if event.pmtu_probe else [])]
            return f"b.lose({', '.join(words)})"
        case Ce():
            return f"b.ce({_ns(event.t_ns)}, {event.packet}, {_ns(event.sent_t_ns)})"
        case DatagramSize():
            words = [
                _ns(event.t_ns),
                str(event.max_datagram_size_bytes),
                *(["handshake=True"] if event.handshake else []),
            ]
            return f"b.datagram_size({', '.join(words)})"
        case Backlog():
            rtt = "None" if event.latest_rtt_ns is None else _ns(event.latest_rtt_ns)
            return f"b.backlog({_ns(event.t_ns)}, {event.queued_bytes}, {event.receive_window_bytes}, {rtt})"
        case PathChange() if confirmed:
            return f"b.path_change({_ns(event.t_ns)})"
        case _ if event_name(event) in ("pto", "persistent_congestion", "spurious_loss", "idle_restart"):
            return f"b.{event_name(event)}({_ns(event.t_ns)})"
        case _:
            return f"b.events.append({event!r})"


def _ns(t_ns: int) -> str:
    return f"{t_ns // _MS} * MS" if t_ns % _MS == 0 else str(t_ns)


def _ranges(event: Ack | Lost) -> list[str]:
    """Return the packets as text, in as few ranges "(first, last)" as possible."""
    ranges: list[tuple[int, int]] = []
    for run in event.packets:
        if ranges and ranges[-1][1] + 1 == run.first:
            ranges[-1] = (ranges[-1][0], run.last)
        else:
            ranges.append((run.first, run.last))
    return [str(entry) for entry in ranges]


def expected_at_end(contest: Contest, events: Sequence[Event]) -> dict[str, Any]:
    """Return the last answer to ``events``, by observable, of ``contest.right``: the model or a second adapter."""
    *_, last = drive(contest.right.begin(contest.config), events)
    return answer_of(last)
