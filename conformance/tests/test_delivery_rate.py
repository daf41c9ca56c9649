"""Delivery-rate samples: compared with hand calculations and a second computation, refused alike, written as read."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from c_port import Port
from firstflight import Config, DomainError, create, step
from firstflight.delivery_rate import RateSampler, samples_follow, with_samples
from firstflight.events import Ack, Event, Lost, Sent, check
from firstflight.limits import TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight_conformance.format.builder import MS, StreamBuilder
from firstflight_conformance.format.given import given_flags
from firstflight_conformance.format.schemas import schema_error
from firstflight_conformance.format.stream import StreamError, check_stream
from firstflight_conformance.format.wire import event_from_json, event_to_json
from firstflight_conformance.judge.follow import windows_alone
from firstflight_conformance.paths import ROOT
from firstflight_conformance.simulate.dumbbell import run_network
from firstflight_conformance.simulate.loop import simulate
from firstflight_conformance.simulate.network import Network
from firstflight_conformance.simulate.scenario import load_scenario
from simulator_cases import case

OF_ACK = (
    "rate_delivered_bytes",
    "rate_interval_ns",
    "rate_prior_delivered_bytes",
    "rate_app_limited",
    "rate_in_flight_bytes",
    "rate_lost_bytes",
)
OF_LOST = ("rate_in_flight_bytes", "rate_app_limited", "rate_lost_bytes")


def sample(event: Event) -> tuple[int | bool | None, ...]:
    """Return the sample of an event in the order of its members."""
    return tuple(getattr(event, name) for name in (OF_ACK if isinstance(event, Ack) else OF_LOST))


def builder() -> StreamBuilder:
    return StreamBuilder(sampler=RateSampler())


def test_builder_gives_the_worked_samples() -> None:
    """The builder gives the samples of the worked example on the page of BBR."""
    made = builder()
    made.send(0, 10)
    made.ack(102 * MS, (0, 0))
    assert sample(made.events[-1]) == (1200, 102 * MS, 0, True, 1200, 0)
    made.send(102 * MS, 2)
    for packet in range(1, 10):
        made.ack((102 + 2 * packet) * MS, (packet, packet))
    made.ack(204 * MS, (10, 10))
    assert sample(made.events[-1]) == (12000, 102 * MS, 1200, False, 12000, 0)
    row = re.search(
        r"^\| (\d+) \| (\d+) \| 102 - 0 ms \| 204 - 102 ms \|", (ROOT / "docs" / "bbr.md").read_text(), re.M
    )
    assert row and int(row[1]) == made.sampler.delivered_bytes == 13200 and int(row[2]) == 1200  # type: ignore[union-attr]


def test_slow_sending_uses_the_send_interval() -> None:
    """If packets are sent slowly and acknowledged at once, the interval is the time of sending."""
    made = builder()
    for number in range(5):
        made.send(number * 20 * MS, 1)
    made.ack(100 * MS, (0, 0))
    made.ack(101 * MS, (1, 4))
    assert sample(made.events[-1]) == (6000, 101 * MS, 0, True, 6000, 0)
    made.send(101 * MS, 1)
    made.send(151 * MS, 1)
    made.ack(201 * MS, (5, 6))
    # No bytes were in flight when packet 5 was sent: both times begin there.
    assert sample(made.events[-1]) == (2400, 100 * MS, 6000, False, 2400, 0)


def test_loss_sample_is_for_the_lost_packet_sent_last() -> None:
    """The sample of a loss is for the lost packet sent last; the lost bytes count in it and in later samples."""
    made = builder()
    made.send(0, 4)
    made.send(10 * MS, 4)
    made.ack(100 * MS, (5, 7))
    made.lose(100 * MS, (0, 1), (4, 4))
    assert sample(made.events[-1]) == (6000, True, 3600)
    made.send(100 * MS, 1)
    made.ack(110 * MS, (2, 3))
    assert sample(made.events[-1]) == (6000, 110 * MS, 0, True, 4800, 3600)
    made.lose(120 * MS, (8, 8))
    assert sample(made.events[-1]) == (3600, False, 1200)


def test_app_limited_ends_with_the_ack_after_the_flight() -> None:
    """Packets sent before the ACK of the packet after an application-limited flight are marked app-limited."""
    made = builder()
    made.send(0, 2)
    made.ack(100 * MS, (0, 1))
    made.send(100 * MS, 3, app_limited=True)
    made.send(150 * MS, 1)
    made.ack(200 * MS, (2, 4))
    made.send(200 * MS, 1)
    made.ack(250 * MS, (5, 5))
    made.send(250 * MS, 1)
    made.ack(300 * MS, (6, 6))
    made.ack(350 * MS, (7, 7))
    limited = [event.rate_app_limited for event in made.events if isinstance(event, Ack)]
    assert limited == [True, False, True, True, False]


def test_resample_replaces_given_members() -> None:
    made = builder()
    made.send(0, 2)
    made.ack(100 * MS, (0, 0))
    made.resample(rate_app_limited=False, rate_interval_ns=5)
    assert sample(made.events[-1]) == (1200, 5, 0, False, 1200, 0)


def test_packets_without_sent_event_get_no_sample() -> None:
    made = StreamBuilder()
    made.send(0, 2)
    made.ack(100 * MS, (0, 0))
    made.lose(100 * MS, (1, 1))
    sampler = RateSampler()
    assert [sampler.sampled(event) for event in made.events[1:]] == made.events[1:]


def second_look(events: list[Event]) -> Iterator[tuple[int, ...]]:
    """Yield the sample of each ACK and loss, without marks, from all earlier events instead of state per packet."""
    for index, event in enumerate(events):
        if not isinstance(event, Ack | Lost):
            continue
        last = event.packets[-1].last
        sent_at = next(
            at
            for at, e in enumerate(events)
            if isinstance(e, Sent) and e.packets[0].first <= last <= e.packets[-1].last
        )
        sent = events[sent_at]
        assert isinstance(sent, Sent)
        sizes = [run.size_bytes * (min(run.last, last) - run.first + 1) for run in sent.packets if run.first <= last]
        in_flight = sent.bytes_in_flight - sent.bytes + sum(sizes)
        lost = sum(e.bytes for e in events[sent_at : index + 1] if isinstance(e, Lost))
        if isinstance(event, Lost):
            yield in_flight, lost
            continue
        acks = [e for e in events[:sent_at] if isinstance(e, Ack)]
        begun = [e.t_ns for e in events[: sent_at + 1] if isinstance(e, Sent) and e.bytes_in_flight == e.bytes]
        starts = [(e.t_ns, e.packets[-1].sent_t_ns) for e in acks[-1:] if not begun or acks[-1].t_ns > begun[-1]]
        # An ACK at the time of a restart from idle precedes the restart, because packets are sent after the ACK.
        delivered_ns, first_ns = starts[0] if starts else (begun[-1], begun[-1])
        prior = sum(e.bytes for e in acks)
        delivered = sum(e.bytes for e in events[sent_at : index + 1] if isinstance(e, Ack))
        interval = max(event.packets[-1].sent_t_ns - first_ns, event.t_ns - delivered_ns)
        yield delivered, interval, prior, in_flight, lost


#: Odd cases are networks; the first flow of case 11 gets no ACK.
NETWORKS = [number for number in range(1, 27, 2) if number != 11]


@pytest.mark.parametrize("number", NETWORKS)
def test_samples_match_a_second_computation(number: int) -> None:
    """All numbers of all samples agree with the second computation on networks with overflows, losses and probes."""
    network = case(number)
    assert isinstance(network, Network)
    flows = tuple(
        replace(flow, transfer=replace(flow.transfer, samples_rate=place == 0))
        for place, flow in enumerate(network.flows)
    )
    network = replace(network, flows=flows)
    events = run_network(network, record=("flow 0",)).flows[0].events
    sampled = [event for event in events if isinstance(event, Ack | Lost)]
    numbers = [tuple(v for v in sample(event) if type(v) is int) for event in sampled]
    assert numbers == list(second_look(events))
    assert sampled and all(event.rate_app_limited is not None for event in sampled)
    for flow in (plan for plan in network.flows[1:] if not plan.controller.startswith("bbr/")):  # BBR asks for samples
        other_events = run_network(network, record=(flow.name,)).flow(flow.name).events
        assert all(sample(event)[0] is None for event in other_events if isinstance(event, Ack | Lost))
        break


def an_event(kind: type[Ack | Lost]) -> Ack | Lost:
    made = builder()
    made.send(0, 4)
    made.ack(100 * MS, (3, 3))
    made.lose(100 * MS, (0, 1))
    return next(event for event in made.events if isinstance(event, kind))


@pytest.mark.parametrize(("kind", "names"), [(Ack, OF_ACK), (Lost, OF_LOST)])
def test_partial_sample_is_refused(kind: type[Ack | Lost], names: tuple[str, ...]) -> None:
    """Model and schema refuse a partial sample; the port ignores one without its first number, to save instructions."""
    whole = an_event(kind)
    for present in product((True, False), repeat=len(names)):
        part = replace(whole, **{name: None for name, is_present in zip(names, present, strict=True) if not is_present})  # type: ignore[arg-type]
        numbers = [is_present for name, is_present in zip(names, present, strict=True) if name != "rate_app_limited"]
        raw = event_to_json(part)
        assert event_from_json(raw) == part
        if all(present) or not any(present):
            check(part)
            Port(None, Config(1200)).step(part)
            assert schema_error("urn:firstflight:event:1", raw) is None
            continue
        with pytest.raises(DomainError, match="is missing; another member of its group is present"):
            check(part)
        assert schema_error("urn:firstflight:event:1", raw) is not None
        if numbers[0] and not all(numbers):
            with pytest.raises(DomainError):
                Port(None, Config(1200)).step(part)
        elif not numbers[0]:
            none = replace(part, **dict.fromkeys(names))  # type: ignore[arg-type]
            answers = [Port(None, Config(1200)).step(event) for event in (part, none)]
            assert answers[0] == answers[1]


@pytest.mark.parametrize(("kind", "names"), [(Ack, OF_ACK), (Lost, OF_LOST)])
def test_samples_outside_the_bounds_are_refused(kind: type[Ack | Lost], names: tuple[str, ...]) -> None:
    whole = an_event(kind)
    for name in names:
        if name == "rate_app_limited":
            continue
        high = TIME_MAX_NS if name.endswith("_ns") else WINDOW_MAX_BYTES
        for value in (0, high, high + 1, 2**64 - 2):
            event = replace(whole, **{name: value})  # type: ignore[arg-type]
            if value <= high:
                check(event)
                Port(None, Config(1200)).step(event)
                continue
            with pytest.raises(DomainError, match=f"^{name}: "):
                check(event)
            with pytest.raises(DomainError):
                Port(None, Config(1200)).step(event)


def test_unused_samples_do_not_change_answers() -> None:
    """Samples do not change the answers of a controller that does not ask for them."""
    controller = create("slow-start", "rfc-9002", Config(1200))
    made, plain = builder(), StreamBuilder()
    for stream in (made, plain):
        stream.send(0, 4)
        stream.ack(100 * MS, (3, 3))
        stream.lose(100 * MS, (0, 1))
    for sampled, bare in zip(made.events, plain.events, strict=True):
        assert step(controller, sampled)[1] == step(controller, bare)[1]


def test_samples_restart_after_a_path_change() -> None:
    """After a path change samples begin as on a new connection; a change with bytes in flight is refused."""
    b, other = builder(), builder()
    b.send(0, 4)
    b.ack(100 * MS, (0, 3))
    b.path_change(150 * MS)
    for stream, first in ((b, 4), (other, 0)):
        stream.send(200 * MS, 4)
        stream.ack(300 * MS, (first, first + 3))
    assert sample(b.events[-1]) == sample(other.events[-1])
    assert samples_follow(b.events)
    check_stream(b.events, {"max_datagram_size_bytes": 1200})
    b.send(400 * MS, 1)
    b.path_change(401 * MS)
    with pytest.raises(StreamError, match="1200 bytes are in flight"):
        check_stream(b.events, {"max_datagram_size_bytes": 1200})


def test_samples_follow_from_the_events() -> None:
    """The builder's samples and streams without samples follow from the events; a changed number does not."""
    made, plain = builder(), StreamBuilder()
    for stream in (made, plain):
        stream.send(0, 4)
        stream.ack(100 * MS, (3, 3))
        stream.lose(100 * MS, (0, 1))
    assert samples_follow(made.events) and samples_follow(plain.events)
    assert with_samples(made.events) is made.events
    assert with_samples(plain.events) == made.events
    made.resample(rate_lost_bytes=1)
    assert not samples_follow(made.events)
    assert given_flags(made.events, {"max_datagram_size_bytes": 1200}, {}) == {"delivery-rate-given"}
    assert given_flags(plain.events, {"max_datagram_size_bytes": 1200}, {}) == set()


def test_missing_samples_are_computed_for_bbr() -> None:
    """Missing samples are computed when a BBR profile follows a recording: its windows equal the run's."""
    scenario = load_scenario(ROOT / "conformance" / "scenarios" / "deep-queue.json")
    run = simulate(scenario, create("bbr", "draft-06", scenario.config))
    bare = [
        replace(event, **dict.fromkeys(OF_ACK if isinstance(event, Ack) else OF_LOST))  # type: ignore[arg-type]
        if isinstance(event, Ack | Lost)
        else event
        for event in run.events
    ]
    assert not any(event.rate_lost_bytes for event in bare if isinstance(event, Ack | Lost))
    assert windows_alone("bbr/draft-06", scenario.config, bare) == [
        observation.cwnd_bytes for observation in run.observations
    ]
