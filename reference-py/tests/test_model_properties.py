"""Properties of every controller, over random valid streams."""

import copy
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstflight import (
    Ack,
    Ce,
    Config,
    Event,
    Lost,
    Observation,
    Outcome,
    PathChange,
    PersistentCongestion,
    Phase,
    Run,
    Sent,
    create,
    step,
)
from firstflight.limits import WINDOW_MAX_BYTES
from model_streams import PROFILES, S, Step, controllers, drive, run_ack, streams
from oracles import NewReno

Stream = tuple[Config, tuple[Event, ...]]


def all_steps(stream: Stream) -> list[list[Step]]:
    """Return the steps of every profile."""
    config, events = stream
    return [drive(controller, events) for controller in controllers(config)]


def latest_sent_ns(event: Event) -> int:
    """Return the send time that decides about a reduction."""
    return max(run.sent_t_ns for run in event.packets) if isinstance(event, Lost) else event.sent_t_ns  # type: ignore[union-attr]


def reached(stream: Stream) -> Counter[tuple[str, Outcome]]:
    """Return the number of times that each profile reached each outcome."""
    return Counter(
        (profile, s.observation.outcome)
        for (_, profile), steps in zip(PROFILES, all_steps(stream), strict=True)
        for s in steps
    )


def test_random_streams_reach_every_outcome() -> None:
    """The random streams reach every outcome except those reserved for the tests of SEARCH and CUBIC."""
    total: Counter[tuple[str, Outcome]] = Counter()

    @settings(max_examples=100)
    @given(streams(migrates=True))
    def collect(stream: Stream) -> None:
        total.update(reached(stream))

    collect()
    every = list(Outcome)
    base = every[: every.index(Outcome.UNCHANGED) + 1]
    searching = {Outcome.NO_RTT_SAMPLE, Outcome.STARTED, Outcome.SAME_BIN, Outcome.WARMING_UP, Outcome.RTT_INFLATED}
    rare = [outcome for outcome in base if total["rfc-9002", outcome] < 20]
    rare += [outcome for outcome in searching if total["lanman-2024", outcome] < 20]
    assert not rare


@given(streams(migrates=True))
def test_windows_stay_in_range(stream: Stream) -> None:
    """Window and threshold are from 0 to the largest window."""
    for s in (s for steps in all_steps(stream) for s in steps):
        assert 0 <= s.observation.cwnd_bytes <= WINDOW_MAX_BYTES
        assert s.observation.ssthresh_bytes is None or 0 <= s.observation.ssthresh_bytes <= WINDOW_MAX_BYTES


@given(streams(migrates=True))
def test_path_change_restores_the_initial_window(stream: Stream) -> None:
    """A path change restores the initial window and clears the threshold and the recovery period."""
    for steps in all_steps(stream):
        initial_bytes = steps[0].before.base.cwnd_bytes
        for s in steps:
            assert (s.observation.outcome is Outcome.PATH_CHANGED) == isinstance(s.event, PathChange)
            if isinstance(s.event, PathChange):
                assert (s.observation.cwnd_bytes, s.observation.ssthresh_bytes) == (initial_bytes, None)
                assert s.after.base.recovery_start_ns is None


@given(streams())
def test_phase_follows_from_the_windows(stream: Stream) -> None:
    """Outside recovery the window decides the phase; recovery ends with an ACK of a packet sent after it began."""
    for s in (s for steps in all_steps(stream) for s in steps):
        observation = s.observation
        if isinstance(s.event, Ack):
            start_ns = s.before.base.recovery_start_ns or 0
            old = all(run.sent_t_ns <= start_ns for run in s.event.packets)
            assert s.after.base.in_recovery == (s.before.base.in_recovery and old)
        if s.after.base.in_recovery:
            assert observation.phase is Phase.RECOVERY
            assert s.after.base.recovery_start_ns is not None
        else:
            below = observation.ssthresh_bytes is None or observation.cwnd_bytes < observation.ssthresh_bytes
            assert observation.phase is (Phase.SLOW_START if below else Phase.CONGESTION_AVOIDANCE)
        assert (
            s.after.base.in_recovery or not s.before.base.in_recovery or isinstance(s.event, Ack | PersistentCongestion)
        )
        assert not s.after.base.in_recovery or s.before.base.in_recovery or observation.outcome is Outcome.REDUCED


@given(streams())
def test_window_and_threshold_change_only_at_allowed_outcomes(stream: Stream) -> None:
    """Only a reduction, a collapse or an exit lowers the window; only a reduction or an exit moves the threshold."""
    for s in (s for steps in all_steps(stream) for s in steps):
        if s.observation.cwnd_bytes < s.before.base.cwnd_bytes:
            assert s.observation.outcome in (Outcome.REDUCED, Outcome.COLLAPSED, Outcome.EXITED)
        if s.observation.ssthresh_bytes != s.before.base.ssthresh_bytes:
            assert s.observation.outcome in (Outcome.REDUCED, Outcome.EXITED)
        if s.observation.cwnd_bytes > s.before.base.cwnd_bytes and s.observation.outcome not in (
            Outcome.REDUCED,
            Outcome.COLLAPSED,
        ):
            assert isinstance(s.event, Ack)
            assert not s.event.app_limited


@given(streams())
def test_reduction_halves_window_once_per_recovery_period(stream: Stream) -> None:
    """A reduction halves the window down to the minimum window, and happens once per recovery period."""
    for steps in all_steps(stream):
        period_ns = None
        for s in steps:
            if s.observation.outcome is Outcome.REDUCED:
                minimum = 2 * s.after.base.max_datagram_size_bytes
                assert s.observation.ssthresh_bytes == s.before.base.cwnd_bytes // 2
                assert s.observation.cwnd_bytes == max(s.before.base.cwnd_bytes // 2, minimum)
                assert period_ns is None or latest_sent_ns(s.event) > period_ns
                period_ns = s.event.t_ns
            elif s.observation.outcome is Outcome.ALREADY_REDUCED:
                assert period_ns is not None and latest_sent_ns(s.event) <= period_ns
                assert s.after.base == s.before.base
            elif s.observation.outcome is Outcome.COLLAPSED:
                period_ns = None
            assert s.after.base.recovery_start_ns == period_ns


@given(streams())
def test_persistent_congestion_sets_the_minimum_window(stream: Stream) -> None:
    """Persistent congestion sets the minimum window, keeps the threshold and clears the recovery period."""
    for s in (s for steps in all_steps(stream) for s in steps):
        if isinstance(s.event, PersistentCongestion):
            assert s.observation.outcome is Outcome.COLLAPSED
            assert s.observation.cwnd_bytes == 2 * s.after.base.max_datagram_size_bytes
            assert s.observation.ssthresh_bytes == s.before.base.ssthresh_bytes
            assert s.observation.phase is not Phase.RECOVERY
            assert s.after.base.recovery_start_ns is None


@given(streams())
def test_slow_start_grows_by_acknowledged_bytes(stream: Stream) -> None:
    """With an infinite threshold an ACK grows the window by its bytes, up to the largest window, in every profile."""
    for s in (s for steps in all_steps(stream) for s in steps):
        first_slow_start = s.before.base.ssthresh_bytes is None and s.before.base.recovery_start_ns is None
        if isinstance(s.event, Ack) and not s.event.app_limited and first_slow_start:
            grown = min(s.before.base.cwnd_bytes + s.event.bytes, WINDOW_MAX_BYTES)
            assert s.observation.outcome is Outcome.EXITED or s.observation.cwnd_bytes == grown


@given(streams())
def test_base_equals_the_pseudocode_on_single_packets(stream: Stream) -> None:
    """Runs only abbreviate packets: the pseudocode on single packets gives the same windows."""
    config, events = stream
    pseudocode = NewReno(config)
    for s in drive(create("slow-start", "rfc-9002", config), events):
        pseudocode.process(s.event)
        assert (s.observation.cwnd_bytes, s.observation.ssthresh_bytes) == (pseudocode.cwnd, pseudocode.ssthresh)
        assert s.observation.state == {"recovery_start_ns": pseudocode.recovery_start_ns}


@given(streams())
def test_splitting_runs_does_not_change_observations(stream: Stream) -> None:
    """Splitting a run into one run per packet changes no observation."""
    config, events = stream
    split = [
        replace(event, packets=tuple(Run(n, n, r.size_bytes, r.sent_t_ns) for r in event.packets for n in packets(r)))
        if isinstance(event, Ack | Lost)
        else event
        for event in events
    ]
    for controller in controllers(config):
        assert [s.observation for s in drive(controller, split)] == [s.observation for s in drive(controller, events)]


def packets(run: Run) -> range:
    """Return the packet numbers of a run."""
    return range(run.first, run.last + 1)


@given(streams(), st.integers(-S + 1, 2**50))
def test_shifting_time_does_not_change_decisions(stream: Stream, shift_ns: int) -> None:
    """The origin of the clock affects only the times of the state."""
    config, events = stream
    for controller in controllers(config):
        for s, moved in zip(
            drive(controller, events), drive(controller, [shifted(e, shift_ns) for e in events]), strict=True
        ):
            assert moved.observation == replace(s.observation, state=shifted_state(s.observation, shift_ns))
            before, after = s.after.search, moved.after.search
            end_ticks = before.bin_end_ticks + 20 * shift_ns if before.bin_ticks else 0
            assert after == replace(before, bin_end_ticks=end_ticks)


def shifted(event: Event, shift_ns: int) -> Event:
    """Return the event, shifted in time."""
    if isinstance(event, Sent | Ack | Lost):
        runs = tuple(replace(run, sent_t_ns=run.sent_t_ns + shift_ns) for run in event.packets)
        event = replace(event, packets=runs)
    elif isinstance(event, Ce):
        event = replace(event, sent_t_ns=event.sent_t_ns + shift_ns)
    return replace(event, t_ns=event.t_ns + shift_ns)


def shifted_state(observation: Observation, shift_ns: int) -> dict[str, int | None]:
    """Return the observable state, shifted in time."""
    return {
        name: value + shift_ns if name == "recovery_start_ns" and value is not None else value
        for name, value in observation.state.items()
    }


@given(streams())
def test_steps_are_pure(stream: Stream) -> None:
    """The same state and event give the same answer again, and neither changes."""
    config, events = stream
    for controller in controllers(config):
        for s in drive(controller, events):
            before, event = copy.deepcopy(s.before), copy.deepcopy(s.event)
            again, observation = step(s.before, s.event)
            assert (again, observation) == (s.after, s.observation)
            assert (s.before, s.event) == (before, event)


@given(streams())
def test_refused_event_does_not_change_the_controller(stream: Stream) -> None:
    """After a refusal the controller continues without a change."""
    config, events = stream
    for controller in controllers(config):
        for s in drive(controller, events):
            before = copy.deepcopy(s.before)
            for bad in (replace(s.event, t_ns=0), replace(s.event, t_ns=2**59)):
                with pytest.raises(ValueError, match="t_ns"):
                    step(s.before, bad)
            assert s.before == before
            assert step(s.before, s.event) == (s.after, s.observation)


@pytest.mark.parametrize("algorithm", ["slow-start", "search"])
def test_equal_times_are_accepted_and_earlier_ones_refused(algorithm: str) -> None:
    """An event at the time of the previous event is processed, an earlier one is refused."""
    profile = {"slow-start": "rfc-9002", "search": "lanman-2024"}[algorithm]
    controller, _ = step(create(algorithm, profile, Config(1200)), run_ack(2 * S, 1, 1200, S))
    step(controller, run_ack(2 * S, 1, 1200, S))
    with pytest.raises(ValueError, match="before the last event"):
        step(controller, run_ack(2 * S - 1, 1, 1200, S))
