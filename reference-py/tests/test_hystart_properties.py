"""Properties of HyStart++ and HyStart on every connection, over streams in closed loop drawn by Hypothesis."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from firstflight.controller import Config, Controller, create, step
from firstflight.events import Ack, Event, Run, Sent
from firstflight.observables import Observation, Outcome, Phase

SIZE = 1200
MS = 1_000_000
HYSTARTPP = ("rfc-9406", "rfc-9406-unpaced", "ngtcp2")
HYSTART = ("linux", "linux-paced", "linux-5-16", "google-quic")


@dataclass(frozen=True)
class Frame:
    """An ACK of some packets with an RTT; ``rtt_ns`` is ``None`` without sample."""

    packets: int
    rtt_ns: int | None
    app_limited: bool
    wait_ns: int


def frames(rtts: st.SearchStrategy[int | None]) -> st.SearchStrategy[list[Frame]]:
    """Draw ACKs with such RTTs: parts of a connection with equal ACKs."""
    part = st.tuples(
        st.integers(1, 60),
        st.builds(Frame, st.integers(1, 12), rtts, st.booleans(), st.integers(0, 3 * MS)),
    )
    return st.lists(part, min_size=1, max_size=12).map(lambda parts: [frame for n, frame in parts for _ in range(n)])


def _rising(steady: int, packets: int, rise_ns: int, later: int) -> list[Frame]:
    before = [Frame(packets, 100 * MS, app_limited=False, wait_ns=MS)] * steady
    return before + [Frame(packets, 100 * MS + rise_ns, app_limited=False, wait_ns=MS)] * later


any_rtts = st.none() | st.integers(0, 400 * MS) | st.sampled_from([100 * MS, 112_500_000, 130 * MS, 90 * MS])

#: Connections with any RTTs, or with a lasting rise.
connections = frames(any_rtts) | st.builds(
    _rising, st.integers(9, 18), st.integers(1, 4), st.integers(10 * MS, 40 * MS), st.integers(100, 400)
)


def drive(algorithm: str, profile: str, acks: list[Frame]) -> Iterator[tuple[Controller, Event, Observation]]:
    """Fill the window and acknowledge; yield the controller before each event, the event, and the observation."""
    controller = create(algorithm, profile, Config(SIZE))
    t_ns, acked, sent, flights = 1_000_000_000, 0, 0, []
    for frame in acks:
        free = controller.base.cwnd_bytes // SIZE - (sent - acked)
        if free > 0:
            run = Run(sent, sent + free - 1, SIZE, t_ns)
            flights.append(run)
            sent += free
            event: Event = Sent(t_ns, (run,), free * SIZE, (sent - acked) * SIZE, False)
            before, (controller, observation) = controller, step(controller, event)
            yield before, event, observation
        t_ns += frame.wait_ns
        count = min(frame.packets, sent - acked)
        runs = tuple(
            Run(max(run.first, acked), min(run.last, acked + count - 1), SIZE, run.sent_t_ns)
            for run in flights
            if run.first < acked + count
        )
        acked += count
        flights = [run for run in flights if run.last >= acked]
        event = Ack(
            t_ns, runs, count * SIZE, (sent - acked) * SIZE, sent, frame.app_limited, frame.rtt_ns, frame.rtt_ns,
            frame.rtt_ns, 0,
        )  # fmt: skip
        before, (controller, observation) = controller, step(controller, event)
        yield before, event, observation


def test_random_streams_reach_every_outcome() -> None:
    """The random streams reach every outcome."""
    total: Counter[Outcome] = Counter()

    @settings(max_examples=150)
    @given(
        st.sampled_from([("hystartpp", name) for name in HYSTARTPP] + [("hystart", name) for name in HYSTART]),
        connections,
    )
    def collect(algorithm: tuple[str, str], acks: list[Frame]) -> None:
        total.update(observation.outcome for *_, observation in drive(*algorithm, acks))

    collect()
    outcomes = (
        *(Outcome.CONSERVATIVE_BEGUN, Outcome.CONSERVATIVE_GROWN, Outcome.SLOW_START_RESUMED, Outcome.EXITED),
        *(Outcome.EXITED_BY_DELAY, Outcome.EXITED_BY_TRAIN),
    )
    assert {outcome: total[outcome] for outcome in outcomes if total[outcome] < 3} == {}


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(HYSTARTPP), connections)
def test_hystartpp_growth_is_limited(profile: str, acks: list[Frame]) -> None:
    """In slow start the window grows by at most the acknowledged bytes, in CSS by a quarter; it never shrinks."""
    for before, event, observation in drive("hystartpp", profile, acks):
        grown = observation.cwnd_bytes - before.base.cwnd_bytes
        assert grown >= 0
        if isinstance(event, Ack):
            divisor = 4 if before.startup.conservative else 1
            assert grown <= event.bytes // divisor
            assert not (event.app_limited and grown)
            if before.readings.limit_datagrams and before.base.ssthresh_bytes is None:
                assert grown <= before.readings.limit_datagrams * SIZE // divisor
        else:
            assert grown == 0


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(HYSTARTPP), connections)
def test_hystartpp_sets_threshold_once_at_the_end_of_css(profile: str, acks: list[Frame]) -> None:
    """Without loss the threshold is set once, to the window, at the end of CSS; the rounds in CSS are limited."""
    thresholds = set()
    for before, _, observation in drive("hystartpp", profile, acks):
        assert (observation.phase is Phase.CONGESTION_AVOIDANCE) == (observation.ssthresh_bytes is not None)
        if observation.outcome is Outcome.EXITED:
            assert before.startup.conservative
            assert observation.ssthresh_bytes == observation.cwnd_bytes
        if observation.phase is Phase.CONSERVATIVE_SLOW_START:
            assert observation.state["css_rounds"] in range(before.readings.css_rounds)
            assert observation.state["baseline_rtt_ns"] is not None
        thresholds.add(observation.ssthresh_bytes)
    assert len(thresholds - {None}) <= 1


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(("rfc-9406", "ngtcp2")), frames(st.none() | st.integers(100 * MS, 112_499_999)))
def test_hystartpp_is_slow_start_with_small_rtt_rises(profile: str, acks: list[Frame]) -> None:
    """If RTTs stay within an eighth of the smallest, HyStart++ is slow start."""
    ours = list(drive("hystartpp", profile, acks))
    plain = list(drive("slow-start", "rfc-9002", acks))
    assert [observation.cwnd_bytes for *_, observation in ours] == [observation.cwnd_bytes for *_, observation in plain]


@settings(max_examples=60, deadline=None)
@given(connections)
def test_hystartpp_window_is_at_most_slow_start(acks: list[Frame]) -> None:
    """Before its exit the window of HyStart++ is at most the window of slow start after the same number of ACKs."""
    plain = {i: observation.cwnd_bytes for i, (*_, observation) in enumerate(_acks("slow-start", "rfc-9002", acks))}
    for index, (*_, observation) in enumerate(_acks("hystartpp", "rfc-9406", acks)):
        assert observation.cwnd_bytes <= plain[index]


def _acks(algorithm: str, profile: str, acks: list[Frame]) -> list[tuple[Controller, Event, Observation]]:
    return [entry for entry in drive(algorithm, profile, acks) if isinstance(entry[1], Ack)]


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(HYSTART), connections)
def test_hystart_sets_threshold_once(profile: str, acks: list[Frame]) -> None:
    """Without loss the threshold is set once, to the window before the ACK; from 16 packets unless delay came first."""
    thresholds = set()
    for before, _, observation in drive("hystart", profile, acks):
        if observation.outcome in (Outcome.EXITED_BY_TRAIN, Outcome.EXITED_BY_DELAY):
            assert before.base.ssthresh_bytes is None
            assert observation.ssthresh_bytes == before.base.cwnd_bytes
            assert before.base.cwnd_bytes >= 16 * SIZE or before.startup.found
            assert profile != "google-quic" or observation.outcome is Outcome.EXITED_BY_DELAY
        thresholds.add(observation.ssthresh_bytes)
    assert len(thresholds - {None}) <= 1


@settings(max_examples=60, deadline=None)
@given(frames(st.none() | st.integers(100 * MS, 112_499_999)))
def test_hystart_delay_ignores_small_rtt_rises(acks: list[Frame]) -> None:
    """If RTTs stay within an eighth of the smallest, the delay does not end slow start."""
    assert all(
        observation.outcome is not Outcome.EXITED_BY_DELAY for *_, observation in drive("hystart", "linux", acks)
    )
    ours = [observation.cwnd_bytes for *_, observation in drive("hystart", "google-quic", acks)]
    assert ours == [observation.cwnd_bytes for *_, observation in drive("slow-start", "rfc-9002", acks)]
