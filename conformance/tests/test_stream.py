"""Streams of events: contradictions, and values computed from them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from firstflight.events import Event, PathChange, Run, Sent
from firstflight_conformance.format.builder import MS, US, S, StreamBuilder
from firstflight_conformance.format.stream import StreamError, check_rtts, check_stream, flags_of, granularity_of

CONFIG = {"max_datagram_size_bytes": 1200}


def stream() -> list[Event]:
    """Send eight packets of two sizes and two times; acknowledge some, mark one, lose one."""
    b = StreamBuilder()
    b.send_sizes(0, [(4, 1200), (2, 600)])
    b.send_sizes(MS, [(2, 600)])
    b.ack(100 * MS, (1, 2), (4, 4))
    b.ce(100 * MS, 7, MS)
    b.lose(100 * MS, (0, 0))
    b.ack(110 * MS, (5, 5), (6, 6), ack_delay_ns=5 * MS)
    return b.events


def changed(events: list[Event], index: int, **members: Any) -> list[Event]:
    """Return the events with members of one event replaced."""
    return [*events[:index], replace(events[index], **members), *events[index + 1 :]]


def refused(events: list[Event], check: Callable[[list[Event]], None] = lambda e: check_stream(e, CONFIG)) -> str:
    """Return the event and the member of the error for a stream."""
    with pytest.raises(StreamError) as error:
        check(events)
    return f"{error.value.index}{error.value.member}"


def test_unmodified_stream_is_valid() -> None:
    """The stream is valid until a test breaks it. Events at one time and a mark on the last packet are valid."""
    check_stream(stream(), CONFIG)
    check_rtts(stream())


def test_packet_larger_than_the_datagram_is_refused() -> None:
    """One packet too large is refused, at any place among smaller ones."""
    for sizes in ([(1, 1201), (2, 600)], [(2, 600), (1, 1201)]):
        b = StreamBuilder()
        b.send_sizes(0, sizes)
        assert refused(b.events) == "0.packets"


def test_invalid_event_is_refused_with_its_index() -> None:
    """An event outside the domain is refused with its index."""
    assert refused(changed(stream(), 0, t_ns=0)) == "0"


def test_event_earlier_than_predecessor_is_refused() -> None:
    """An event earlier than its predecessor is refused, even if it is later than the first."""
    events = stream()
    assert refused(changed(events, 5, t_ns=events[4].t_ns - 1)) == "5.t_ns"


@pytest.mark.parametrize("index", [0, 2, 4])
def test_bytes_in_flight_are_checked(index: int) -> None:
    """The bytes in flight are checked after sending, an ACK and a loss."""
    event: Any = stream()[index]
    assert refused(changed(stream(), index, bytes_in_flight=event.bytes_in_flight + 1)) == f"{index}.bytes_in_flight"


@pytest.mark.parametrize("index", [2, 4])
def test_next_packet_is_checked(index: int) -> None:
    """The next packet is checked at an ACK and a loss."""
    assert refused(changed(stream(), index, next_packet=9)) == f"{index}.next_packet"


def test_mark_of_unsent_packet_is_refused() -> None:
    """Packet 8 is not sent yet."""
    assert refused(changed(stream(), 3, packet=8)) == "3.packet"


def test_mark_must_have_the_sending_time_of_its_packet() -> None:
    """Packet 7 was sent 1 ms after the first packets."""
    assert refused(changed(stream(), 3, sent_t_ns=S)) == "3.sent_t_ns"


@pytest.mark.parametrize("difference", [{"size_bytes": 1199}, {"sent_t_ns": S - 1}])
def test_wrong_size_or_time_of_packet_is_refused(difference: dict[str, int]) -> None:
    """An acknowledged packet must have the size and the time of the sent packet."""
    events = stream()
    first, second = events[2].packets  # type: ignore[union-attr]
    run = replace(first, **difference)
    total = run.count * run.size_bytes + second.count * second.size_bytes
    assert refused(changed(events, 2, packets=(run, second), bytes=total)) == "2.packets"


def test_run_over_packets_of_two_times_is_refused() -> None:
    """One run over packets of two times is true of the first half only."""
    events = stream()
    first, second = events[5].packets  # type: ignore[union-attr]
    assert refused(changed(events, 5, packets=(replace(first, last=second.last),))) == "5.packets"


@pytest.mark.parametrize("member", ["latest_rtt_ns", "min_rtt_ns", "smoothed_rtt_ns"])
def test_wrong_rtts_are_refused(member: str) -> None:
    """The sample of the newest packet is 110 - 1 = 109 ms; less its delay of 5 ms it has a weight of 1/8."""
    events = stream()
    ack: Any = events[5]
    stated = (ack.latest_rtt_ns, ack.min_rtt_ns, ack.smoothed_rtt_ns)
    assert stated == (109 * MS, 100 * MS, (7 * 100 * MS + 104 * MS) // 8)
    assert refused(changed(events, 5, **{member: 101 * MS}), check_rtts) == f"5.{member}"


@pytest.mark.parametrize(
    ("rtt_ns", "delay_ns", "unit"),
    [(S, 0, "s"), (S, S, "s"), (S, MS, "ms"), (MS, S, "ms"), (S, US, "us"), (US, S, "us"), (1, S, "ns"), (S, 1, "ns")],
)
def test_granularity_divides_all_times(rtt_ns: int, delay_ns: int, unit: str) -> None:
    """The granularity is the largest unit that divides times, RTTs and delays."""
    b = StreamBuilder()
    b.send(0, 1)
    b.ack(S, (0, 0))
    assert granularity_of(changed(b.events, 1, latest_rtt_ns=rtt_ns, ack_delay_ns=delay_ns)) == unit


def stream_flags(build: Callable[[StreamBuilder], object], *, limited: bool = False) -> set[str]:
    """Return the flags of a stream with five packets and one more event."""
    b = StreamBuilder()
    b.send(0, 5, app_limited=limited)
    build(b)
    return set(flags_of(b.events))


@pytest.mark.parametrize(
    ("build", "flags"),
    [
        (lambda b: b.ack(MS, (0, 1)), {"lossless"}),
        (lambda b: b.ack(MS, (0, 2)), {"lossless", "stretch-ack"}),
        (lambda b: b.ack(MS, (0, 0), sample=False), {"lossless", "no-rtt-sample"}),
        (lambda b: b.ack(MS, (0, 0), app_limited=True), {"lossless", "app-limited"}),
        (lambda b: b.ce(MS, 4, 0), {"ce"}),
        (lambda b: b.lose(MS, (0, 0)), {"loss"}),
        (lambda b: b.persistent_congestion(MS), {"persistent-congestion"}),
        (lambda b: b.idle_restart(MS), {"lossless", "idle"}),
        (lambda b: b.pto(MS), {"lossless"}),
    ],
)
def test_events_set_their_own_flags(build: Callable[[StreamBuilder], object], flags: set[str]) -> None:
    """Each event sets only its own flag."""
    assert stream_flags(build) == flags


def test_sending_sets_app_limited() -> None:
    """The flag is not set by ACKs alone."""
    assert stream_flags(lambda _: None, limited=True) == {"lossless", "app-limited"}


def test_event_at_time_of_path_change_is_refused() -> None:
    """No event is at the time of a path change, except in Careful Resume, where the event is not a new path."""
    for events in (
        [*stream(), PathChange(2 * S), Sent(2 * S, (Run(9, 9, 1200, 2 * S),), 1200, 1200, False)],
        [*stream()[:1], PathChange(stream()[0].t_ns)],
    ):
        with pytest.raises(StreamError, match="at the time of"):
            check_stream(events, CONFIG)
    at_once = [*stream()[:1], PathChange(stream()[0].t_ns)]
    check_stream(at_once, CONFIG, "careful-resume")
    assert "path-change" in flags_of(at_once)
    assert "path-change" not in flags_of(at_once, "careful-resume")
