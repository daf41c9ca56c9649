"""The path simulator: properties of every run, the scenarios of the checkout, and refused scenarios."""

from dataclasses import replace
from functools import cache
from itertools import cycle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstflight import Ack, Backlog, Config, Lost, Phase, Sent, create
from firstflight_conformance.format.ledger import Ledger, RttEstimator
from firstflight_conformance.format.stream import check_stream
from firstflight_conformance.simulate.in_loop import ModelInLoop
from firstflight_conformance.simulate.loop import ORIGIN_NS, ModelLoopRun, Simulation, simulate
from firstflight_conformance.simulate.scenario import (
    Link,
    Receiver,
    Scenario,
    ScenarioError,
    load_scenario,
    scenario_files,
)

MS = 1_000_000
S = 1_000_000_000
INITIAL_RTT_NS = 333 * MS
NAMES = list(scenario_files())
LOOPS = [("slow-start", "rfc-9002"), ("search", "lanman-2024"), ("search", "lanman-2024-literal")]
#: 8 Mbit/s and 10 ms each way: a packet of 1000 bytes takes 1 ms.
PLAIN = Scenario(
    "plain.json", "A plain path for tests", 1, 2 * S, 2 * S, Config(1000, 10_000), None, False, None,
    Link(8_000_000, 10 * MS, 10 * MS, 50_000, 0, 0), Receiver(2, 25 * MS), (),
)  # fmt: skip


def service_ns(link: Link, size_bytes: int) -> int:
    """Return the service time of a packet on the link, rounded up."""
    return -(-8 * S * size_bytes // link.rate_bps)


def run(scenario: Scenario, loop: tuple[str, str] = LOOPS[0]) -> ModelLoopRun:
    """Run a scenario with a controller in the loop."""
    return simulate(scenario, create(*loop, scenario.config))


@cache
def recording(name: str, loop: tuple[str, str]) -> tuple[Scenario, ModelLoopRun]:
    """Return a scenario of the checkout and its run, shortened to two seconds."""
    scenario = load_scenario(scenario_files()[name])
    scenario = replace(scenario, stop_ns=min(scenario.stop_ns, 2 * S))
    return scenario, run(scenario, loop)


every_run = pytest.mark.parametrize(("name", "loop"), [(name, loop) for name in NAMES for loop in LOOPS])


def check_run(scenario: Scenario, loop_run: ModelLoopRun) -> None:
    """Check the properties of every run."""
    check_stream(loop_run.events, {"max_datagram_size_bytes": 1200})
    check_window(scenario, loop_run)
    check_conservation(loop_run)
    check_delays(scenario, loop_run)
    check_rate(scenario, loop_run)
    check_losses(loop_run)


def check_window(scenario: Scenario, loop_run: ModelLoopRun) -> None:
    """The sender never exceeds the window, and sends every packet that fits while data is left."""
    for event, observation in zip(loop_run.events, loop_run.observations, strict=True):
        if isinstance(event, Sent):
            assert event.bytes_in_flight <= observation.cwnd_bytes
            more = scenario.config.max_datagram_size_bytes
            fits = event.bytes_in_flight + more <= observation.cwnd_bytes
            assert not fits or scenario.paced or scenario.transfer_bytes is not None


def check_conservation(loop_run: ModelLoopRun) -> None:
    """Sent bytes are acknowledged, lost or in flight; declared losses do not exceed the drops of queue and link."""
    sent = acked = lost = lost_packets = 0
    for event in loop_run.events:
        if isinstance(event, Sent):
            sent += event.bytes
        elif isinstance(event, Ack):
            acked += event.bytes
        elif isinstance(event, Lost):
            lost += event.bytes
            lost_packets += sum(run.count for run in event.packets)
        if isinstance(event, Sent | Ack):
            assert sent == acked + lost + event.bytes_in_flight
    assert lost_packets <= loop_run.dropped_packets + loop_run.lost_packets


def check_delays(scenario: Scenario, loop_run: ModelLoopRun) -> None:
    """An RTT is at least both delays plus the service; an ACK is delayed no longer than the receiver's limit."""
    link = scenario.link
    rtt = RttEstimator()
    largest = -1
    for event in loop_run.events:
        if isinstance(event, Backlog) and event.latest_rtt_ns is not None:
            rtt.sample(event.latest_rtt_ns, 0)  # the handshake
        if isinstance(event, Ack):
            newest = event.packets[-1]
            least_ns = link.forward_delay_ns + link.return_delay_ns + service_ns(link, newest.size_bytes)
            assert event.t_ns - newest.sent_t_ns >= least_ns
            assert 0 <= event.ack_delay_ns <= scenario.receiver.max_ack_delay_ns
            assert (event.latest_rtt_ns is not None) == (newest.last > largest)
            if event.latest_rtt_ns is not None:
                assert event.latest_rtt_ns == event.t_ns - newest.sent_t_ns
                rtt.sample(event.latest_rtt_ns, event.ack_delay_ns)
            assert (event.min_rtt_ns, event.smoothed_rtt_ns) == (rtt.min_ns, rtt.smoothed_ns)
            largest = max(largest, newest.last)


def check_rate(scenario: Scenario, loop_run: ModelLoopRun) -> None:
    """Bytes acknowledged by a time have passed the link before it."""
    link = scenario.link
    acked = 0
    for event in loop_run.events:
        if isinstance(event, Ack):
            acked += event.bytes
            link_ns = event.t_ns - ORIGIN_NS - link.forward_delay_ns - link.return_delay_ns
            assert 8 * S * acked <= link.rate_bps * link_ns


def check_losses(loop_run: ModelLoopRun) -> None:
    """Lost packets are three numbers or 9/8 of an RTT behind; after an ACK no such packet is in flight."""
    largest, latest_ns, smoothed_ns = -1, 0, 0
    ledger = Ledger()

    def gone(packet: int, sent_t_ns: int, now_ns: int) -> bool:
        overdue = sent_t_ns + 9 * max(latest_ns, smoothed_ns) // 8 <= now_ns
        return packet + 3 <= largest or (packet < largest and overdue)

    for index, event in enumerate(loop_run.events):
        # The losses that a frame reveals come before its ACK.
        frame = loop_run.events[index + 1] if isinstance(event, Lost) and index + 1 < len(loop_run.events) else event
        if isinstance(frame, Ack) and frame.t_ns == event.t_ns:
            largest = max(largest, frame.packets[-1].last)
            latest_ns = latest_ns if frame.latest_rtt_ns is None else frame.latest_rtt_ns
            smoothed_ns = frame.smoothed_rtt_ns or 0
        if isinstance(event, Sent):
            for part in event.packets:
                ledger.send(part)
        elif isinstance(event, Ack | Lost):
            for part in event.packets:
                ledger.take(part.first, part.last)
                assert isinstance(event, Ack) or gone(part.last, part.sent_t_ns, event.t_ns)
        if isinstance(event, Ack):
            assert not any(gone(part.first, part.sent_t_ns, event.t_ns) for part in ledger.in_flight)


@every_run
def test_run_properties_hold_for_checkout_scenarios(name: str, loop: tuple[str, str]) -> None:
    """The properties of every run hold for the scenarios of the checkout, with every controller."""
    scenario, loop_run = recording(name, loop)
    check_run(scenario, loop_run)
    assert len(loop_run.events) > 10


@pytest.mark.parametrize(("name", "loop"), list(zip(NAMES, cycle(LOOPS), strict=False)))
def test_repeated_run_gives_the_same_events(name: str, loop: tuple[str, str]) -> None:
    """A second run gives the same events and answers, with each controller in turn."""
    scenario, loop_run = recording(name, loop)
    assert run(scenario, loop) == loop_run


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Draw short runs over any small path."""
    draw_int = lambda low, high: draw(st.integers(low, high))  # noqa: E731
    link = Link(
        draw(st.sampled_from([999_983, 8_000_000, 40_000_000])), draw_int(0, 20 * MS), draw_int(0, 20 * MS),
        draw(st.sampled_from([0, 1500, 10_000, 60_000])), draw(st.sampled_from([0, 0, 1000, 50_000])),
        draw(st.sampled_from([0, 0, 5 * MS])),
    )  # fmt: skip
    transfer = draw(st.sampled_from([None, None, 1, 999, 30_001]))
    receiver = Receiver(draw_int(1, 9), draw(st.sampled_from([0, 5 * MS, 40 * MS])))
    config = Config(draw(st.sampled_from([300, 1200])), draw(st.sampled_from([None, 2400, 30_000])))
    return Scenario(
        "any.json", "Any small path", draw_int(0, 2**53), draw_int(200 * MS, S), draw_int(50 * MS, S), config, transfer,
        draw(st.booleans()), None, link, receiver, (),
    )  # fmt: skip


@settings(max_examples=80)
@given(scenarios(), st.sampled_from(LOOPS))
def test_run_properties_hold_over_any_path(scenario: Scenario, loop: tuple[str, str]) -> None:
    """The properties of every run hold over any path, unless the run stalls, which takes a loss."""
    try:
        loop_run = run(scenario, loop)
    except ScenarioError:
        assert scenario.link.loss_ppm > 0 or scenario.link.queue_bytes < 30_000
        return
    check_run(scenario, loop_run)
    assert loop_run.events[-1].t_ns <= ORIGIN_NS + scenario.stop_ns


@pytest.mark.parametrize("loss_ppm", [0, 20_000, 100_000])
def test_complete_transfer_declares_all_drops_as_lost(loss_ppm: int) -> None:
    """At the end everything has arrived, and the declared losses equal the drops of queue and link."""
    link = replace(PLAIN.link, loss_ppm=loss_ppm, queue_bytes=20_000)
    scenario = replace(PLAIN, seed=5, stop_ns=60 * S, after_slow_start_ns=60 * S, transfer_bytes=300_500, link=link)
    loop_run = run(scenario)
    check_run(scenario, loop_run)
    assert sum(event.bytes for event in loop_run.events if isinstance(event, Ack)) == 300_500
    lost = sum(part.count for event in loop_run.events if isinstance(event, Lost) for part in event.packets)
    assert lost == loop_run.dropped_packets + loop_run.lost_packets
    assert (loop_run.lost_packets > 0) == (loss_ppm > 0)
    assert loop_run.dropped_packets > 0 or loss_ppm > 0


def test_first_round_by_hand() -> None:
    """Ten packets of 1 ms each over 10 ms each way: an ACK for every second packet, the first one after 22 ms."""
    loop_run = run(replace(PLAIN, stop_ns=31 * MS))
    acks = [event for event in loop_run.events if isinstance(event, Ack)]
    assert [ack.t_ns - ORIGIN_NS for ack in acks] == [22 * MS, 24 * MS, 26 * MS, 28 * MS, 30 * MS]
    assert [ack.latest_rtt_ns for ack in acks] == [n * MS for n in (22, 24, 26, 28, 30)]
    assert [ack.ack_delay_ns for ack in acks] == [0] * 5
    windows = [o.cwnd_bytes for e, o in zip(loop_run.events, loop_run.observations, strict=True) if isinstance(e, Ack)]
    assert windows == [12_000, 14_000, 16_000, 18_000, 20_000]
    sent = [event for event in loop_run.events if isinstance(event, Sent)]
    assert [event.bytes for event in sent] == [10_000] + [4000] * 5


def test_a_lone_packet_is_acknowledged_late() -> None:
    """The ACK of a single packet waits for the receiver's delay and reports it."""
    loop_run = run(replace(PLAIN, transfer_bytes=1))
    assert [type(event) for event in loop_run.events] == [Sent, Ack]
    ack = loop_run.events[1]
    assert isinstance(ack, Ack)
    # One byte takes a microsecond.
    assert (ack.t_ns - ORIGIN_NS, ack.ack_delay_ns, ack.app_limited) == (45 * MS + 1000, 25 * MS, True)


def test_burst_drops_are_revealed_by_acks() -> None:
    """With a queue for two packets, later packets of a burst are dropped, and the ACKs reveal it."""
    link = replace(PLAIN.link, queue_bytes=2000)
    loop_run = run(replace(PLAIN, config=Config(1000, 8000), link=link, stop_ns=100 * MS))
    lost = [event for event in loop_run.events if isinstance(event, Lost)]
    first = [(run.first, run.last) for run in lost[0].packets]
    # Packet 0 is in service and 1 and 2 wait; 3 to 7 are dropped.
    assert first[0][0] == 3
    assert loop_run.observations[-1].phase is not Phase.SLOW_START


@pytest.mark.parametrize("loop", LOOPS)
def test_pacing(loop: tuple[str, str]) -> None:
    """A paced packet delays the next by its share of 4/5 of the smoothed RTT, or of 333 ms before a sample."""
    scenario = replace(PLAIN, paced=True)
    loop_run = run(scenario, loop)
    smoothed_ns, window, release_ns, gaps = INITIAL_RTT_NS, 10_000, 0, 0
    for event, observation in zip(loop_run.events, loop_run.observations, strict=True):
        if isinstance(event, Sent):
            for part in event.packets:
                assert part.count == 1
                assert event.t_ns >= release_ns
                gaps += event.t_ns == release_ns
                share = -(-4 * part.size_bytes * smoothed_ns // (5 * window))
                assert share > 0
                release_ns = event.t_ns + share
        window = observation.cwnd_bytes
        if isinstance(event, Ack) and event.smoothed_rtt_ns is not None:
            smoothed_ns = event.smoothed_rtt_ns
    assert gaps > 20  # pacing limits some packets, not only the window


def test_run_ends_configured_time_after_slow_start() -> None:
    """A run ends the configured time after slow start, and not before."""
    link = replace(PLAIN.link, queue_bytes=5000)
    for after_ns in (0, 50 * MS):
        loop_run = run(replace(PLAIN, link=link, after_slow_start_ns=after_ns))
        pairs = zip(loop_run.events, loop_run.observations, strict=True)
        ended_ns = next(event.t_ns for event, o in pairs if o.phase is not Phase.SLOW_START)
        assert ended_ns <= loop_run.events[-1].t_ns <= ended_ns + after_ns + service_ns(link, 5000) + MS


def test_delay_rise() -> None:
    """Packets that leave the link after the rise take longer; earlier ones do not."""
    link = replace(PLAIN.link, steps=((30 * MS, 7 * MS),))
    loop_run = run(replace(PLAIN, link=link, receiver=Receiver(1, 25 * MS), stop_ns=80 * MS))
    acks_ms = [(event.t_ns - ORIGIN_NS) // MS for event in loop_run.events if isinstance(event, Ack)]
    # Ten packets leave from 1 ms on; their ACKs release packets that leave from 22 ms on, eight before the rise.
    assert acks_ms[:10] == list(range(21, 31))
    assert acks_ms[10:20] == [42, 43, 44, 45, 46, 47, 48, 49, 57, 58]
    # A step back: packets stay in order, so packets sent after it arrive with the last packets before it.
    back = replace(link, steps=((30 * MS, 7 * MS), (33 * MS, 0)))
    loop_run = run(replace(PLAIN, link=back, receiver=Receiver(1, 25 * MS), stop_ns=80 * MS))
    acks_ms = [(event.t_ns - ORIGIN_NS) // MS for event in loop_run.events if isinstance(event, Ack)]
    assert acks_ms[18:28] == [57, 58, 59, 59, 59, 59, 59, 59, 59, 59]


@pytest.mark.parametrize("clock_ns", [1000, MS, 5 * MS])
def test_coarse_clock(clock_ns: int) -> None:
    """With a coarse clock events happen at its multiples, never earlier, and the properties of every run hold."""
    link = replace(PLAIN.link, rate_bps=7_777_777, jitter_ns=12_345, loss_ppm=20_000)
    scenario = replace(PLAIN, link=link, paced=True, stop_ns=S)
    model = ModelInLoop(create(*LOOPS[0], scenario.config))
    simulation = Simulation(scenario, model, clock_ns)
    simulation.run()
    events = simulation.events
    assert len(events) > 50
    assert all(event.t_ns % clock_ns == 0 for event in events)
    check_stream(events, {"max_datagram_size_bytes": 1200})


def test_last_event_is_not_later_than_the_end() -> None:
    """The last event of a run is not later than its end."""
    for stop_ns in (1, 21 * MS, 22 * MS - 1, 22 * MS, 100 * MS):
        loop_run = run(replace(PLAIN, stop_ns=stop_ns))
        assert loop_run.events[-1].t_ns <= ORIGIN_NS + stop_ns
        assert any(isinstance(event, Ack) for event in loop_run.events) == (stop_ns >= 22 * MS)


@pytest.mark.parametrize(
    "stalling",
    [
        replace(PLAIN, link=replace(PLAIN.link, loss_ppm=1_000_000)),
        replace(PLAIN, config=Config(1200, 1199)),
        replace(PLAIN, transfer_bytes=10_000, seed=3, link=replace(PLAIN.link, loss_ppm=900_000)),
    ],
    ids=["everything lost", "no packet fits", "the last lost"],
)
def test_stalls_are_refused(stalling: Scenario) -> None:
    """A scenario is refused if no timer can wake the sender."""
    with pytest.raises(ScenarioError, match=r"plain\.json: stalls at \d+ ns"):
        run(stalling)
