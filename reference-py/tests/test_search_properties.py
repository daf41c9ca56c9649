"""Properties of SEARCH in both profiles, over random deliveries: a second implementation, and transformations."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstflight import Ack, Config, Controller, Event, Observation, Outcome, Phase, create
from firstflight.search.bins import KEPT_BINS, Search, Series
from model_streams import SEARCH_PROFILES, Delivery, Step, acks, deliveries, drive, streams
from oracles import Bins

CONFIG = Config(1200, 10**9)
EVALUATED = (Outcome.PREVIOUS_ZERO, Outcome.BELOW_THRESHOLD, Outcome.EXITED)
both = pytest.mark.parametrize("profile", SEARCH_PROFILES)


def searching(profile: str, events: list[Ack], config: Config = CONFIG) -> list[Step]:
    """Return the steps in slow start, up to the exit."""
    return drive(create("search", profile, config), events, until=Outcome.EXITED)


@both
def test_random_deliveries_reach_every_outcome(profile: str) -> None:
    """The random deliveries reach every outcome often enough."""
    total: Counter[Outcome] = Counter()

    @given(deliveries())
    def collect(drawn: list[Delivery]) -> None:
        total.update(s.observation.outcome for s in searching(profile, acks(drawn)))

    collect()
    # An inflated RTT needs 25 bins; test_search_numbers tests it.
    outcomes = {Outcome.SAME_BIN, Outcome.WARMING_UP, *EVALUATED}
    if profile == "lanman-2024-literal":
        outcomes.remove(Outcome.PREVIOUS_ZERO)  # with a step per ACK no bin stays empty
    assert not {outcome.value: total[outcome] for outcome in outcomes if total[outcome] < 10}


@both
@settings(max_examples=100)
@given(drawn=deliveries())
def test_model_agrees_with_fractions_and_unbounded_bins(profile: str, drawn: list[Delivery]) -> None:
    """Fractions and bins without a ring give the same outcomes, sums and exits."""
    literal = profile == "lanman-2024-literal"
    oracle = Bins(literal)
    for s in searching(profile, acks(drawn)):
        assert isinstance(s.event, Ack)
        outcome, current, previous = oracle.process(s.event)
        assert s.observation.outcome is outcome
        assert (s.observation.state["current_bytes"] or 0, s.observation.state["previous_bytes"] or 0) == (
            current,
            previous,
        )
        assert (s.observation.state["bin"], s.observation.state["open_bin_bytes"]) == (
            oracle.curr,
            oracle.bins[oracle.curr],
        )
        if outcome is Outcome.EXITED:
            floor = 0 if literal else 2400
            lowered = max(s.before.base.cwnd_bytes - oracle.overshoot(s.event), floor)
            assert s.observation.ssthresh_bytes == lowered
            grown = sum(1200 * run.size_bytes // lowered * run.count for run in s.event.packets) if lowered else 0
            assert lowered <= s.observation.cwnd_bytes <= lowered + (grown if literal else 0)


@both
@given(drawn=deliveries())
def test_slow_start_ends_exactly_at_the_threshold_fraction(profile: str, drawn: list[Delivery]) -> None:
    """Slow start ends exactly if (2 previous - current) / (2 previous) is at least 7/20."""
    for s in searching(profile, acks(drawn)):
        current, previous = s.observation.state["current_bytes"], s.observation.state["previous_bytes"]
        assert (current is None) == (previous is None) == (s.observation.outcome not in EVALUATED)
        if current is not None and previous is not None:
            norm_diff = Fraction(2 * previous - current, 2 * previous) if previous else None
            ended = norm_diff is not None and norm_diff >= Fraction(7, 20)
            assert (s.observation.outcome is Outcome.EXITED) == ended
            assert (s.observation.outcome is Outcome.PREVIOUS_ZERO) == (norm_diff is None)


@both
@given(drawn=deliveries())
def test_bins_contain_at_most_the_acknowledged_bytes(profile: str, drawn: list[Delivery]) -> None:
    """The bins have at most the acknowledged bytes, and all of them until bins are dropped; the index never falls."""
    acknowledged = started = 0
    for s in searching(profile, acks(drawn)):
        assert isinstance(s.event, Ack)
        before, after = s.before.search, s.after.search
        started = started or after.bin_ticks
        acknowledged += s.event.bytes if started else 0
        held = sum(after.delivered.completed) + after.delivered.open_bytes
        assert 0 <= held <= acknowledged
        assert after.curr > KEPT_BINS or held == acknowledged
        assert after.curr >= before.curr
        assert after.bin_end_ticks >= before.bin_end_ticks
        assert after.bin_ticks == started
        assert (after.curr > before.curr) == (
            s.observation.outcome not in (Outcome.STARTED, Outcome.SAME_BIN, Outcome.NO_RTT_SAMPLE)
        )
        assert after.delivered.open_bytes == s.observation.state["open_bin_bytes"]
        assert after.delivered.counter_bytes == acknowledged


@both
@given(drawn=deliveries())
def test_open_bin_covers_the_ack_time(profile: str, drawn: list[Delivery]) -> None:
    """With the recommended readings the open bin covers the time of every ACK; with the literal ones it may lag."""
    for s in searching(profile, acks(drawn)):
        state, now_ticks = s.after.search, 20 * s.event.t_ns
        assert state.curr == 0 or now_ticks > state.bin_end_ticks - state.bin_ticks
        assert profile == "lanman-2024-literal" or now_ticks <= state.bin_end_ticks


@pytest.mark.parametrize(("profile", "bins"), [("lanman-2024", [0, 5, 5, 5]), ("lanman-2024-literal", [0, 1, 2, 3])])
def test_catching_up_after_a_silence_of_five_bins(profile: str, bins: list[int]) -> None:
    """After a silence of five bins one profile catches up at once, the other by one step per ACK."""
    waits_ns = [0, 5 * 35 + 1, 1, 1]
    steps = searching(profile, acks(Delivery(wait_ns, 1, 1200, 100) for wait_ns in waits_ns))
    assert [s.observation.state["bin"] for s in steps] == bins


@both
@given(stream=streams())
def test_search_state_is_unchanged_outside_slow_start(profile: str, stream: tuple[Config, tuple[Event, ...]]) -> None:
    """Only an ACK in slow start and persistent congestion change its state; only such an ACK has its outcomes."""
    config, events = stream
    every = list(Outcome)  # its own outcomes are the last; two are shared
    search_outcomes = {Outcome.NO_RTT_SAMPLE, Outcome.EXITED, *every[every.index(Outcome.STARTED) :]}
    for s in drive(create("search", profile, config), events):
        base = s.before.base
        in_slow_start = not base.in_recovery and (base.ssthresh_bytes is None or base.cwnd_bytes < base.ssthresh_bytes)
        acts = isinstance(s.event, Ack) and in_slow_start
        assert acts == (s.observation.outcome in search_outcomes)
        if not acts and s.observation.outcome is not Outcome.COLLAPSED:
            unmoved = {"sent": Series(), "sample": None}
            assert replace(s.after.search, **unmoved) == replace(s.before.search, **unmoved)


@both
@given(stream=streams())
def test_bins_after_persistent_congestion(profile: str, stream: tuple[Config, tuple[Event, ...]]) -> None:
    """With the recommended readings persistent congestion discards the bins; literally they stay."""
    config, events = stream
    for s in drive(create("search", profile, config), events):
        if s.observation.outcome is Outcome.COLLAPSED:
            assert s.after.search == (
                s.before.search if profile == "lanman-2024-literal" else Search(sample=s.before.search.sample)
            )


@both
@given(stream=streams())
def test_exited_outcome_means_slow_start_ended(profile: str, stream: tuple[Config, tuple[Event, ...]]) -> None:
    """The outcome is exited exactly if the exit is applied: slow start ended on an ACK, and the threshold moved."""
    config, events = stream
    for s in drive(create("search", profile, config), events):
        was_slow = not s.before.base.in_recovery and (
            s.before.base.ssthresh_bytes is None or s.before.base.cwnd_bytes < s.before.base.ssthresh_bytes
        )
        on_ack = isinstance(s.event, Ack) and was_slow
        moved = s.after.base.ssthresh_bytes != s.before.base.ssthresh_bytes
        if s.observation.outcome is Outcome.EXITED:
            assert on_ack
            assert s.observation.phase is Phase.CONGESTION_AVOIDANCE
            assert s.observation.ssthresh_bytes is not None and s.observation.cwnd_bytes >= s.observation.ssthresh_bytes
        elif on_ack:
            assert not moved


@both
@given(drawn=deliveries(), at=st.lists(st.integers(0, 60), max_size=20))
def test_splitting_an_ack_within_a_bin(profile: str, drawn: list[Delivery], at: list[int]) -> None:
    """Two ACKs at one time within a bin fill the bins like one ACK of both."""
    whole = searching(profile, acks(drawn))
    splits = {number % len(whole) for number in at}
    split, last_part = [], []
    for number, s in enumerate(whole):
        assert isinstance(s.event, Ack)
        crossing = s.observation.outcome is not Outcome.SAME_BIN
        parts = halves(s.event) if number in splits and not crossing else [s.event]
        split += parts
        last_part.append(len(split) - 1)
    again = searching(profile, split)
    for s, number in zip(whole, last_part, strict=True):
        assert again[number].after == s.after
        assert again[number].observation == s.observation


def halves(ack: Ack) -> list[Ack]:
    """Return two ACKs for the packets of one ACK, or the same ACK if it has a single packet."""
    (run,) = ack.packets
    if run.count == 1:
        return [ack]
    middle = run.first + run.count // 2
    parts = [replace(run, last=middle - 1), replace(run, first=middle)]
    return [replace(ack, packets=(part,), bytes=part.count * part.size_bytes) for part in parts]


@both
@given(drawn=deliveries(), factor=st.integers(2, 600))
def test_scaling_bytes_does_not_change_decisions(profile: str, drawn: list[Delivery], factor: int) -> None:
    """Multiplying all bytes of a path by a factor multiplies the byte counts and changes nothing else."""
    small = searching(profile, acks(drawn), Config(100, 10**7))
    events = acks(replace(delivery, size_bytes=factor * delivery.size_bytes) for delivery in drawn)
    large = searching(profile, events, Config(100 * factor, 10**7 * factor))
    assert [scaled(s.observation, factor) for s in small[:-1]] == [s.observation for s in large[:-1]]
    assert scaled(replace(small[-1].observation, cwnd_bytes=0), factor) == replace(large[-1].observation, cwnd_bytes=0)


def scaled(observation: Observation, factor: int) -> Observation:
    """Return the observables with every number of bytes multiplied."""
    state = {
        name: factor * value if name.endswith("_bytes") and value is not None else value
        for name, value in observation.state.items()
    }
    ssthresh = None if observation.ssthresh_bytes is None else factor * observation.ssthresh_bytes
    return replace(observation, cwnd_bytes=factor * observation.cwnd_bytes, ssthresh_bytes=ssthresh, state=state)


@both
@given(drawn=deliveries(), factor=st.integers(2, 10**6))
def test_scaling_time_does_not_change_decisions(profile: str, drawn: list[Delivery], factor: int) -> None:
    """A path that is slower by a factor gives the same decisions."""
    fast = searching(profile, acks(drawn))
    slow = searching(
        profile,
        acks(
            replace(d, wait_ns=factor * d.wait_ns, rtt_ns=None if d.rtt_ns is None else factor * d.rtt_ns)
            for d in drawn
        ),
    )
    assert [s.observation for s in slow] == [s.observation for s in fast]
    assert slow[-1].after.search.delivered == fast[-1].after.search.delivered


@both
@given(drawn=deliveries(), samples=deliveries())
def test_samples_within_a_bin_do_not_change_decisions(
    profile: str, drawn: list[Delivery], samples: list[Delivery]
) -> None:
    """If each ACK that ends a bin has a sample, the samples of ACKs within a bin do not change a decision."""
    events = [replace(ack, latest_rtt_ns=ack.latest_rtt_ns or 1) for ack in acks(drawn)]
    steps = searching(profile, events)
    samples_ns = [delivery.rtt_ns for delivery in samples]
    changed: list[Ack] = []
    for number, s in enumerate(steps):
        assert isinstance(s.event, Ack)
        rtt_ns = (
            samples_ns[number % len(samples_ns)] if s.observation.outcome is Outcome.SAME_BIN else s.event.latest_rtt_ns
        )
        changed.append(replace(s.event, latest_rtt_ns=rtt_ns))
    assert [s.observation for s in searching(profile, changed)] == [s.observation for s in steps]


def test_profiles_start_with_the_same_bin_duration() -> None:
    """Both profiles begin with the same bin duration: 7/20 of the first sample."""
    first = acks([Delivery(0, 1, 1200, 100)])
    states: list[Controller] = [searching(profile, first)[0].after for profile in SEARCH_PROFILES]
    assert {state.search.bin_ticks for state in states} == {700}
    assert {state.search.bin_end_ticks for state in states} == {20 * 100 * 10**9 + 700}
