"""A vector with every kind of event, and malformed versions of it."""

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from firstflight import Config
from firstflight_conformance.format.builder import MS, StreamBuilder
from firstflight_conformance.format.canonical import vector_text
from firstflight_conformance.replay.stimulus import Stimulus, to_json

#: Bounds of a refusal on a busy machine: seconds, and MiB in addition to the memory of the loaded program.
AT_MOST_S, MORE_MIB = 5, 16
#: Exit code of a refusal.
CODE = 2
#: In place of a value: the key or item is removed.
GONE = object()
SENT, ACK, LOST, CE, PERSISTENT, PTO, SENT_AGAIN = range(7)
PROFILE = ("profiles", "rfc-9002")
EXPECT = (*PROFILE, "expect")

Place = tuple[str | int, ...]


@cache
def _good() -> dict[str, Any]:
    builder = StreamBuilder()
    builder.send(0, 10)
    builder.ack(100 * MS, (2, 3), (5, 6))
    builder.lose(100 * MS, (0, 1))
    builder.ce(110 * MS, 6, 0)
    builder.persistent_congestion(120 * MS)
    builder.pto(200 * MS)
    builder.ack(300 * MS, (4, 4), (7, 9), sample=False)
    builder.send_sizes(300 * MS, [(1, 1200), (1, 600)], app_limited=True)
    return to_json(
        Stimulus(
            "slow-start.every.kind", "A vector with every kind of event", "It is the one that is spoilt in many ways.", "core",
            ("rfc-9002",), {"kind": "hand", "sources": ["RFC 9002"]}, Config(1200, 12000), tuple(builder.events),
        )
    )  # fmt: skip


def good() -> dict[str, Any]:
    """Return a copy of a valid vector."""
    return copy.deepcopy(_good())


def change(raw: dict[str, Any], place: Place, value: object) -> dict[str, Any]:
    """Return a copy of ``raw`` with the value at ``place`` replaced, or removed."""
    raw = copy.deepcopy(raw)
    parent: Any = raw
    for key in place[:-1]:
        parent = parent[key]
    if value is GONE:
        del parent[place[-1]]
    else:
        parent[place[-1]] = value
    return raw


def places(value: Any, at: Place = ()) -> Iterator[Place]:
    """Yield the place of every value within ``value``."""
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*at, key)
        yield from places(inner, (*at, key))


@dataclass(frozen=True)
class Bad:
    """A change that makes the vector malformed, and the place and reason of its refusal, by the ``schema`` or not."""

    place: Place
    value: object
    where: str
    reason: str
    schema: bool = True


def event(index: int, key: str, *more: str | int) -> Place:
    """Return the place of a member of an event."""
    return ("events", index, key, *more)


_LARGE = 2**53

STRUCTURE = {
    "unknown key of the file": Bad(("extra",), 1, "file", "'extra' was unexpected"),
    "unknown key of the config": Bad(("config", "mtu"), 1, "config", "'mtu' was unexpected"),
    "unknown key of an event": Bad(event(ACK, "rtt"), 1, "events[1]", "rtt: unknown in the event ack"),
    "unknown key of a profile": Bad((*PROFILE, "note"), 1, "profiles", "'note' was unexpected"),
    "unknown key of an expectation": Bad((*EXPECT, 1, "window"), 1, "expect[1]", "'window' was unexpected"),
    "unknown key of the source": Bad(("source", "scenario"), "x.json", "source", "was expected|was unexpected"),
    "no id": Bad(("id",), GONE, "file", "'id' is a required property"),
    "no events": Bad(("events",), GONE, "file", "'events' is a required property"),
    "empty events": Bad(("events",), [], "events", "non-empty|too short"),
    "events that are none": Bad(("events",), "sent", "events", "is not of type 'array'"),
    "an event that is none": Bad(("events", 1), 5, "events[1]", "is not"),
    "no profiles": Bad(("profiles",), {}, "profiles", "enough properties|non-empty"),
    "profiles that are none": Bad(("profiles",), ["rfc-9002"], "profiles", "is not of type 'object'"),
    "no expectations": Bad(EXPECT, [], "expect", "non-empty|too short"),
    "no judged_events": Bad((*PROFILE, "judged_events"), GONE, "profiles", "'judged_events' is a required property"),
    "judged_events 0": Bad((*PROFILE, "judged_events"), 0, "judged_events", "less than the minimum"),
    "no size": Bad(("config", "max_datagram_size_bytes"), GONE, "config", "is a required property"),
    "size 0": Bad(("config", "max_datagram_size_bytes"), 0, "config.max_datagram_size_bytes", "less than the minimum"),
    "size above 65535": Bad(("config", "max_datagram_size_bytes"), 65536, "config.max_datagram_size_bytes", "greater than"),
    "size as text": Bad(("config", "max_datagram_size_bytes"), "1200", "config.max_datagram_size_bytes", "is not of type"),
    "size true": Bad(("config", "max_datagram_size_bytes"), True, "config.max_datagram_size_bytes", "is not of type"),
    "size with fraction": Bad(("config", "max_datagram_size_bytes"), 1200.5, "file", "1200.5: is not an integer"),
    "window with fraction 0": Bad(("config", "initial_window_bytes"), 12000.0, "file", "12000.0: is not an integer", False),
    "window 0": Bad(("config", "initial_window_bytes"), 0, "config", "initial_window_bytes: 0 is not within", False),
    "window of a small decimal string": Bad(
        ("config", "initial_window_bytes"), "1000000000000000", "config", "initial_window_bytes: '1000000000000000'", False
    ),
    "window above 64 bits": Bad(
        ("config", "initial_window_bytes"), "99999999999999999999", "config", "initial_window_bytes", False
    ),
    "other format": Bad(("format",), 2, "format", "1 was expected"),
    "format true": Bad(("format",), True, "format", "1 was expected"),
    "id in capitals": Bad(("id",), "slow-start.Every.kind", "id", "does not match"),
    "id of two parts": Bad(("id",), "slow-start.every", "id", "does not match"),
    "id of another algorithm": Bad(("id",), "search.every.kind", "id", "does not begin with slow-start.", False),
    "other tier": Bad(("tier",), "silver", "tier", "is not one of"),
    "other flag": Bad(("flags", 0), "lossy", "flags[0]", "is not one of"),
    "flag twice": Bad(("flags",), ["loss", "loss"], "flags", "non-unique"),
    "flag missing": Bad(("flags",), ["ce"], "flags", "should be ['app-limited', 'ce', 'loss'", False),
    "flag too many": Bad(
        ("flags",), [*_good()["flags"], "lossless"], "flags", "should be", False,
    ),
    "other granularity": Bad(("granularity",), "min", "granularity", "is not one of"),
    "granularity too fine": Bad(("granularity",), "us", "granularity", "should be ms", False),
    "granularity too coarse": Bad(("granularity",), "s", "granularity", "should be ms", False),
    "other kind of source": Bad(("source", "kind"), "guess", "source", "is not valid"),
    "no sources": Bad(("source", "sources"), [], "source", "was expected|non-empty"),
    "short title": Bad(("title",), "A", "title", "too short"),
    "no why": Bad(("why",), GONE, "file", "'why' is a required property"),
    "profile name": Bad(("profiles", "RFC"), {}, "profiles", "does not match|required"),
}  # fmt: skip

EVENTS = {
    "no ev": Bad(event(PTO, "ev"), GONE, "events[5]", "ev: None is not one of"),
    "unknown ev": Bad(event(PTO, "ev"), "timeout", "events[5]", "ev: 'timeout' is not one of"),
    "ev of a list": Bad(event(PTO, "ev"), ["pto"], "events[5]", "ev: ['pto'] is not one of"),
    "no time": Bad(event(PTO, "t_ns"), GONE, "events[5]", "t_ns: missing in the event pto"),
    "time 0": Bad(event(SENT, "t_ns"), 0, "events[0]", "t_ns: 0 is not within", False),
    "time backwards": Bad(event(PTO, "t_ns"), 1_119_999_999, "events[5].t_ns", "goes backwards: 1119999999 after 1120000000",
                          False),
    "time negative": Bad(event(PTO, "t_ns"), -1, "events[5]", "t_ns: -1 is not a number"),
    "time true": Bad(event(PTO, "t_ns"), True, "events[5]", "t_ns: True is not a number"),
    "time null": Bad(event(PTO, "t_ns"), None, "events[5]", "t_ns: None is not a number"),
    "time with fraction": Bad(event(PTO, "t_ns"), 1.5e9, "file", "1500000000.0: is not an integer", False),
    "time above 2^53 as a number": Bad(event(PTO, "t_ns"), _LARGE, "events[5]", f"t_ns: {_LARGE} is not a number"),
    "time below 2^53 as text": Bad(event(PTO, "t_ns"), "1200000000", "events[5]", "t_ns: '1200000000' is not a number"),
    "time with a sign": Bad(event(PTO, "t_ns"), "+9007199254740992", "events[5]", "is not a number"),
    "time with leading 0": Bad(event(PTO, "t_ns"), "09007199254740992", "events[5]", "is not a number"),
    "time in other digits": Bad(event(PTO, "t_ns"), "\u0669" * 16, "events[5]", "is not a number"),
    "time beyond the domain": Bad(event(PTO, "t_ns"), str(2**59), "events[5]", "t_ns: 576460752303423488 is not within", False),
    "no packets": Bad(event(ACK, "packets"), GONE, "events[1]", "packets: missing"),
    "empty packets": Bad(event(ACK, "packets"), [], "events[1]", "at least one run"),
    "packets of text": Bad(event(ACK, "packets"), "2-3", "events[1]", "is not a list of runs"),
    "run of text": Bad(event(ACK, "packets", 0), "2-3", "events[1]", "is not [first, last, size_bytes, sent_t_ns]"),
    "run of three": Bad(event(ACK, "packets", 0), [2, 3, 1200], "events[1]", "is not [first, last, size_bytes, sent_t_ns]"),
    "sent run of four": Bad(event(SENT, "packets", 0), [0, 9, 1200, 10**9], "events[0]", "is not [first, last, size_bytes]"),
    "packet as text": Bad(event(ACK, "packets", 0, 0), "2", "events[1]", "packets: first: '2' is not a number"),
    "packet negative": Bad(event(ACK, "packets", 0, 0), -2, "events[1]", "packets: first: -2 is not a number"),
    "app_limited 0": Bad(event(ACK, "app_limited"), 0, "events[1]", "app_limited: 0 is neither true nor false"),
    "rtt negative": Bad(event(ACK, "latest_rtt_ns"), -1, "events[1]", "latest_rtt_ns: -1 is not a number"),
    "rtt false": Bad(event(ACK, "latest_rtt_ns"), False, "events[1]", "latest_rtt_ns: False is not a number"),
    "other rtt": Bad(event(ACK, "smoothed_rtt_ns"), 99_000_000, "events[1].smoothed_rtt_ns", "is 99000000, but the events give",
                     False),
    "ack_delay null": Bad(event(ACK, "ack_delay_ns"), None, "events[1]", "ack_delay_ns: None is not a number"),
    "sum": Bad(event(ACK, "bytes"), 4799, "events[1]", "bytes: is not the sum over the runs", False),
    "sum sent": Bad(event(SENT, "bytes"), 12001, "events[0]", "bytes: is not the sum over the runs", False),
    "sum lost": Bad(event(LOST, "bytes"), 1200, "events[2]", "bytes: is not the sum over the runs", False),
    "flight sent": Bad(event(SENT, "bytes_in_flight"), 0, "events[0].bytes_in_flight", "is 0, but the events give 12000", False),
    "flight acked": Bad(event(ACK, "bytes_in_flight"), 7201, "events[1].bytes_in_flight", "is 7201, but", False),
    "flight lost": Bad(event(LOST, "bytes_in_flight"), 7200, "events[2].bytes_in_flight", "is 7200, but", False),
    "next acked": Bad(event(ACK, "next_packet"), 9, "events[1].next_packet", "is 9, but the events give 10", False),
    "next lost": Bad(event(LOST, "next_packet"), 11, "events[2].next_packet", "is 11, but the events give 10", False),
    "gap in the numbers": Bad(event(SENT, "packets", 0), [1, 10, 1200], "events[0].packets", "next packet number is 0", False),
    "packet larger than the datagram": Bad(("config", "max_datagram_size_bytes"), 1199, "events[0].packets",
                                           "1200 bytes is larger than max_datagram_size_bytes", False),
    "packet above 65535": Bad(event(SENT, "packets", 0, 2), 65536, "events[0]", "size_bytes: 65536 is not within"),
    "packet of 0": Bad(event(SENT, "packets", 0, 2), 0, "events[0]", "is not within"),
    "never sent": Bad(event(ACK, "packets", 1), [9, 10, 1200, 10**9], "events[1].packets", "packet 10 was never sent", False),
    "acknowledged twice": Bad(event(6, "packets", 0), [3, 3, 1200, 10**9], "events[6].packets",
                              "packet 3 is not in flight any more", False),
    "lost after it was acknowledged": Bad(event(LOST, "packets", 0), [2, 3, 1200, 10**9], "events[2].packets",
                                          "packet 2 is not in flight any more", False),
    "acknowledged after it was lost": Bad(event(6, "packets", 0), [1, 1, 1200, 10**9], "events[6].packets",
                                          "packet 1 is not in flight any more", False),
    "other size": Bad(event(ACK, "packets"), [[2, 3, 1199, 10**9], [5, 6, 1201, 10**9]], "events[1].packets",
                      "size or time differ from those sent: 2..3 of 1200 bytes at 1000000000", False),
    "other time": Bad(event(ACK, "packets", 0, 3), 10**9 - 1, "events[1].packets", "size or time differ", False),
    "falling runs": Bad(event(ACK, "packets"), [[5, 6, 1200, 10**9], [2, 3, 1200, 10**9]], "events[1]",
                        "run: first: 2 is not above", False),
    "overlapping runs": Bad(event(ACK, "packets"), [[2, 3, 1200, 10**9], [3, 4, 1200, 10**9]], "events[1]",
                            "run: first: 3 is not above", False),
    "backward run": Bad(event(ACK, "packets", 1), [6, 5, 1200, 10**9], "events[1]", "run: packets: 0 is not within", False),
    "sent after now": Bad(event(ACK, "packets", 0, 3), 2 * 10**9, "events[1]", "sent_t_ns: 2000000000 is not within", False),
    "mark on a packet never sent": Bad(event(CE, "packet"), 10, "events[3].packet", "packet 10 was never sent", False),
    "mark sent after now": Bad(event(CE, "sent_t_ns"), 2 * 10**9, "events[3]", "sent_t_ns: 2000000000 is not within", False),
    "mark of another time": Bad(event(CE, "sent_t_ns"), 10**9 + 1, "events[3].sent_t_ns", "is 1000000001, but the events give 1000000000", False),
    "mark without counter": Bad(event(CE, "ce_count"), GONE, "events[3]", "ce_count: missing in the event ce"),
}  # fmt: skip

EXPECTATIONS = {
    "judged_events too large": Bad((*PROFILE, "judged_events"), 9, "judged_events", "there are only 8 events", False),
    "judged_events true": Bad((*PROFILE, "judged_events"), True, "judged_events", "is not of type 'integer'"),
    "judged_events with fraction": Bad((*PROFILE, "judged_events"), 8.0, "file", "8.0: is not an integer", False),
    "at not rising": Bad((*EXPECT, 2, "at"), 1, "profiles.rfc-9002.expect", "`at` must begin with 0, rise", False),
    "at not beginning": Bad((*EXPECT, 0), GONE, "profiles.rfc-9002.expect", "`at` must begin with 0", False),
    "at beyond judged_events": Bad((*PROFILE, "judged_events"), 7, "profiles.rfc-9002.expect", "stay below judged_events",
                                   False),
    "no at": Bad((*EXPECT, 1, "at"), GONE, "expect[1]", "'at' is a required property"),
    "at negative": Bad((*EXPECT, 0, "at"), -1, "expect[0].at", "less than the minimum"),
    "at alone": Bad((*EXPECT, 1), {"at": 1}, "expect[1]", "enough properties"),
    "first without window": Bad((*EXPECT, 0, "cwnd_bytes"), GONE, "profiles.rfc-9002.expect[0]", "needs cwnd_bytes", False),
    "first without threshold": Bad((*EXPECT, 0, "ssthresh_bytes"), GONE, "profiles.rfc-9002.expect[0]",
                                   "needs ssthresh_bytes", False),
    "first without phase": Bad((*EXPECT, 0, "phase"), GONE, "profiles.rfc-9002.expect[0]", "needs phase", False),
    "first without outcome": Bad((*EXPECT, 0, "outcome"), GONE, "profiles.rfc-9002.expect[0]", "needs outcome", False),
    "first without state": Bad((*EXPECT, 0, "state"), GONE, "profiles.rfc-9002.expect[0]", "needs state", False),
    "window null": Bad((*EXPECT, 0, "cwnd_bytes"), None, "expect[0].cwnd_bytes", "is not valid|is not of type"),
    "window negative": Bad((*EXPECT, 0, "cwnd_bytes"), -1, "expect[0].cwnd_bytes", "minimum|is not valid|is not of type"),
    "window above 2^53 as a number": Bad((*EXPECT, 0, "cwnd_bytes"), _LARGE, "expect[0].cwnd_bytes", "maximum|is not"),
    "window as a small decimal string": Bad((*EXPECT, 1, "cwnd_bytes"), "1000000000000000", "profiles.rfc-9002.expect[1]",
                                            "cwnd_bytes: '1000000000000000' is not a number", False),
    "state as a small decimal string": Bad(
        (*EXPECT, 2, "state"), {"recovery_start_ns": "1000000000000000"}, "profiles.rfc-9002.expect[2]",
        "recovery_start_ns: '1000000000000000' is not a number", False),
    "other phase": Bad((*EXPECT, 0, "phase"), "warm_up", "expect[0].phase", "is not one of"),
    "outcome with space": Bad((*EXPECT, 0, "outcome"), "sent it", "expect[0].outcome", "does not match"),
    "state of a list": Bad((*EXPECT, 0, "state"), [], "expect[0].state", "is not of type 'object'"),
    "clauses of numbers": Bad((*PROFILE, "clauses"), [1], "clauses[0]", "is not of type 'string'"),
    "clause twice": Bad((*PROFILE, "clauses"), ["a", "a"], "clauses", "non-unique"),
}  # fmt: skip

TABLE = {**STRUCTURE, **EVENTS, **EXPECTATIONS}

_TEXT = vector_text(_good())
#: Files that are refused before their members are checked: content, place, reason.
FILES: dict[str, tuple[bytes, str, str]] = {
    "empty": (b"", "line 1, column 1", "Expecting value"),
    "truncated": (_TEXT[: len(_TEXT) // 2].encode(), "line ", "column"),
    "two objects": ((_TEXT + _TEXT).encode(), "line ", "Extra data"),
    "no UTF-8": (_TEXT.encode().replace(b"spoilt", b"sp\xffilt"), "byte ", "is not UTF-8"),
    "UTF-16": (_TEXT.encode("utf-16"), "byte 0", "is not UTF-8"),
    "byte order mark": (_TEXT.encode("utf-8-sig"), "line 1, column 1", "BOM|Expecting"),
    "a list": (b"[]", "file", "is not a JSON object"),
    "a number": (b"1", "file", "is not a JSON object"),
    "key twice": (_TEXT.replace('"tier":', '"id": "a.b.c",\n  "tier":', 1).encode(), "id", "duplicate key"),
    "key of an event twice": (
        _TEXT.replace('{"ev": "pto",', '{"ev": "pto", "ev": "pto",', 1).encode(), "ev", "duplicate key"
    ),
    "control character": (_TEXT.replace("A vector", "A\\u001b vector").encode(), "file", "a control character"),
    "NaN": (_TEXT.replace('"format": 1', '"format": NaN').encode(), "file", "NaN: is not an integer"),
    "NaN in an event": (_TEXT.replace('"ack_delay_ns": 0', '"ack_delay_ns": NaN').encode(), "file", "NaN: is not an integer"),
    "Infinity": (_TEXT.replace("12000", "Infinity").encode(), "file", "Infinity: is not an integer"),
    "-Infinity": (_TEXT.replace("12000", "-Infinity").encode(), "file", "-Infinity: is not an integer"),
    "exponent": (_TEXT.replace('"format": 1', '"format": 1e0').encode(), "file", "1e0: is not an integer"),
    "number of 5000 digits": (_TEXT.replace("12000", "1" * 5000).encode(), "file", "digits"),
    "nested deeply": (b'{"id": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "file", "nested too deeply"),
    "nested": (b'{"id": ' + b"[" * 900 + b"]" * 900 + b"}", "file", "required property|nested too deeply"),
    "objects nested": (b'{"id": ' * 900 + b"1" + b"}" * 900, "file", "required property|nested too deeply"),
    "event nested": (
        _TEXT.replace('"ack_delay_ns": 0', '"ack_delay_ns": ' + "[" * 900 + "]" * 900).encode(), "events[1]",
        "ack_delay_ns|nested too deeply",
    ),
}  # fmt: skip


def write(folder: Path, content: dict[str, Any] | bytes, name: str = "every.kind") -> Path:
    """Write a vector or any bytes to a file where the loader finds it; return its path."""
    path = folder / "slow-start" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path
