"""The numbers of SEARCH on paths computed by hand: doubling, a full link, an inflated RTT."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import log

import pytest

from firstflight import Ack, Config, Controller, Observation, Outcome
from firstflight.controller import create_with
from firstflight.search.profiles import PROFILES, Readings, Shift
from model_streams import MS, Delivery, S, acks, drive, run_ack
from oracles import Bins

LITERAL, RECOMMENDED = PROFILES["lanman-2024-literal"], PROFILES["lanman-2024"]
ROUNDED = replace(LITERAL, shift=Shift.NEAREST)
R0 = 100 * MS
BIN = 35 * MS
WINDOW = 2**61


def observed(readings: Readings, sizes: list[int], rtts_ns: list[int] | int = R0) -> list[Observation]:
    """Return the observations of SEARCH with one ACK in each bin, 1 ms after its start, up to the exit."""
    rtts = [rtts_ns] * len(sizes) if isinstance(rtts_ns, int) else rtts_ns
    events = [
        run_ack(10 * S + index * BIN + (MS if index else 0), packets=1, size_bytes=1, rtt_ns=rtt_ns)
        for index, rtt_ns in enumerate(rtts)
    ]
    # The bins are filled through the state: packets of such sizes would need millions of runs.
    controller: Controller = create_with(readings, Config(1, WINDOW))
    observations = []
    for event, size in zip(events, sizes, strict=True):
        (step,) = drive(controller, [event])
        search = step.after.search
        counter, filled = search.delivered.counter_bytes + size - 1, search.delivered.open_bytes + size - 1
        delivered = replace(search.delivered, counter_bytes=counter, open_bytes=filled)
        controller = replace(step.after, startup=replace(search, delivered=delivered))
        observations.append(step.observation)
        if step.observation.outcome is Outcome.EXITED:
            break
    return observations


def norm_diffs(observations: list[Observation]) -> list[Fraction]:
    """Return (2 previous - current) / (2 previous) of every evaluation."""
    return [
        1 - Fraction(s.state["current_bytes"] or 0, 2 * (s.state["previous_bytes"] or 0))
        for s in observations
        if s.state["previous_bytes"] is not None
    ]


def doubling(bins: int) -> list[int]:
    """Return bytes per bin that grow by 2^(7/20), which doubles them in an RTT of 20/7 bins."""
    return [round(10**9 * 2 ** (7 * index / 20)) for index in range(bins)]


@pytest.mark.parametrize(
    ("readings", "expected", "exits"),
    [(LITERAL, "0.376", True), (ROUNDED, "0.204", False), (RECOMMENDED, "-0.035", False)],
    ids=["literal", "literal-rounded", "recommended"],
)
def test_perfect_doubling_with_each_shift_rounding(readings: Readings, expected: str, exits: bool) -> None:
    """Rounding the shift down makes perfect doubling look like a full link; rounding to the nearest does not."""
    observations = observed(readings, doubling(24))
    values = norm_diffs(observations)
    assert values
    assert all(abs(value - Fraction(expected)) < Fraction(1, 2000) for value in values)
    assert (observations[-1].outcome is Outcome.EXITED) == exits
    assert not exits or len(values) == 1


@pytest.mark.parametrize(("readings", "first"), [(LITERAL, 12), (ROUNDED, 13), (RECOMMENDED, 14)])
def test_first_evaluation_is_ten_or_eleven_bins_after_the_shift(readings: Readings, first: int) -> None:
    """The first evaluation is ten or eleven bins after the shift; all earlier outcomes are warming up."""
    observations = observed(readings, doubling(24))
    evaluated = [s.state["bin"] for s in observations if s.state["current_bytes"] is not None]
    assert evaluated[0] == first
    assert {s.outcome for s in observations[1:first]} == {Outcome.WARMING_UP}


@pytest.mark.parametrize("bins", [1, 2, 3, 5])
def test_doubling_within_whole_bins(bins: int) -> None:
    """If the RTT is a whole number of bins, doubling in an RTT gives a difference of exactly 0."""
    observations = observed(RECOMMENDED, [2 ** (index // bins) for index in range(30)], [R0] + [bins * BIN] * 29)
    assert set(norm_diffs(observations)) == {Fraction(0)}
    assert observations[-1].outcome is Outcome.BELOW_THRESHOLD


@pytest.mark.parametrize(("bins", "rate"), [(2, 2), (3, 3), (4, 5)])
def test_growth_by_a_factor_within_whole_bins(bins: int, rate: int) -> None:
    """A factor f in an RTT of whole bins gives 1 - f / 2 exactly."""
    observations = observed(RECOMMENDED, [rate ** (index // bins) for index in range(28)], [R0] + [bins * BIN] * 27)
    assert set(norm_diffs(observations)) == {1 - Fraction(rate, 2)}


@pytest.mark.parametrize(("readings", "bins"), [(RECOMMENDED, 7), (ROUNDED, 4)], ids=["recommended", "literal-rounded"])
@pytest.mark.parametrize("full_at", [16, 20, 30])
def test_delay_of_exit_after_the_link_is_full(readings: Readings, bins: int, full_at: int) -> None:
    """The link is full 2.32 RTTs, 6.6 bins, before the threshold is crossed; with eleven bins 1.22 RTTs, 3.5 bins."""
    rate = 10**9 * 2 ** (7 * full_at / 20)
    filling = [round(growth / log(2) * 20 / 7) for growth in differences(full_at)]
    observations = observed(readings, filling + [round(rate)] * 30)
    assert observations[-1].outcome is Outcome.EXITED
    assert observations[-1].state["bin"] == full_at + bins
    values = norm_diffs(observations)
    assert values[-2] < Fraction(7, 20) <= values[-1]


def differences(bins: int) -> list[float]:
    """Return the growth of a rate that doubles in 20/7 bins, by bin: ln 2 * 7/20 times the bytes of the bin."""
    rates = [10**9 * 2 ** (7 * index / 20) for index in range(bins + 1)]
    return [after - before for before, after in pairwise(rates)]


@pytest.mark.parametrize(
    ("readings", "limit"),
    [(RECOMMENDED, Fraction(1, 2)), (ROUNDED, 1 - Fraction(10, 22)), (LITERAL, 1 - Fraction(10, 22))],
)
def test_windows_are_equal_at_constant_rate(readings: Readings, limit: Fraction) -> None:
    """At a constant rate both windows are equal: 1/2, or 6/11 with an empty open bin."""
    observations = observed(readings, [7777] * 30)
    assert norm_diffs(observations) == [limit]
    assert observations[-1].outcome is Outcome.EXITED


@pytest.mark.parametrize(
    ("readings", "largest_ns"),
    # 5.6 initial RTTs are 16 bins; 5.075 are 14 and a half, and a tie goes down.
    [(LITERAL, 560 * MS - 1), (RECOMMENDED, 507_500_000)],
    ids=["literal", "recommended"],
)
def test_rtt_above_the_largest_is_not_evaluated(readings: Readings, largest_ns: int) -> None:
    """One nanosecond more than the largest RTT is not evaluated."""
    # Growth of a half per bin, so that the literal readings do not exit earlier.
    for rtt_ns, inflated in ((largest_ns, False), (largest_ns + 1, True)):
        observations = observed(readings, [10 * 3**index // 2**index for index in range(28)], [R0] * 27 + [rtt_ns])
        assert len(observations) == 28
        assert (observations[-1].outcome is Outcome.RTT_INFLATED) == inflated


@pytest.mark.parametrize("literal", [False, True], ids=["recommended", "literal"])
@pytest.mark.parametrize("shift", [*range(17), 255, 256, 259, 2**16 + 3, 2**32 + 3])
def test_every_shift_agrees_with_unlimited_bins(literal: bool, shift: int) -> None:
    """Every shift, within the ring and above, agrees with bins that are never overwritten."""
    sizes = [10 * 3**index // 2**index for index in range(28)]
    observations = observed(LITERAL if literal else RECOMMENDED, sizes, [R0] * 27 + [shift * BIN])
    oracle = Bins(literal)
    for index, size in enumerate(sizes):
        t_ns = 10 * S + index * BIN + (MS if index else 0)
        ack = replace(run_ack(t_ns, 1, 1, R0 if index < 27 else shift * BIN), bytes=size)
        outcome, current, previous = oracle.process(ack)
    assert (observations[-1].outcome, observations[-1].state["bin"]) == (outcome, 27)
    assert (observations[-1].state["current_bytes"] or 0, observations[-1].state["previous_bytes"] or 0) == (
        current,
        previous,
    )


@pytest.mark.parametrize(
    ("previous", "current", "exits"),
    [(1000, 1300, True), (1000, 1301, False), (9999, 13000, False)]
    + [(1000 * 2**45, 1300 * 2**45 + more, more == 0) for more in (0, 1)],
)
@pytest.mark.parametrize(
    ("readings", "last", "earlier_bins"), [(RECOMMENDED, 23, 10), (LITERAL, 22, 11)], ids=["recommended", "literal"]
)
def test_the_threshold_is_exact(
    readings: Readings, last: int, earlier_bins: int, previous: int, current: int, exits: bool
) -> None:
    """Exactly 7/20 ends slow start, a byte less does not, near 2^56 as well."""
    # With an RTT of twelve bins the windows do not overlap. Every bin has a byte, one bin of each window the rest.
    sizes = [1] * (last + 1)
    sizes[5], sizes[15] = previous - earlier_bins + 1, current - 9
    observations = observed(readings, sizes, [R0] + [12 * BIN] * last)
    assert (observations[-1].state["previous_bytes"], observations[-1].state["current_bytes"]) == (previous, current)
    assert (observations[-1].outcome is Outcome.EXITED) == exits


@pytest.mark.parametrize(("readings", "bins"), [(RECOMMENDED, 6), (LITERAL, 5)], ids=["recommended", "literal"])
def test_overshoot_is_subtracted_at_the_exit(readings: Readings, bins: int) -> None:
    """The exit subtracts the last six bins, or five, and the empty open bin; literally the ACK then adds growth."""
    events = acks([Delivery(0, 1, 1000, R0)] + [Delivery(BIN, 1, 1000, R0)] * 14)
    events = [replace(event, t_ns=event.t_ns + 1) if index else event for index, event in enumerate(events)]
    for step in drive(create_with(readings, Config(1000, 100_000)), events):
        if step.observation.outcome is Outcome.EXITED:
            lowered = step.before.base.cwnd_bytes - 1000 * bins
            assert step.observation.ssthresh_bytes == lowered
            assert step.observation.cwnd_bytes == lowered + (1000 * 1000 // lowered if readings is LITERAL else 0)
            return
    pytest.fail("no exit")


@pytest.mark.parametrize(
    ("readings", "windows"),
    [(RECOMMENDED, (2000, 2000)), (LITERAL, (0, 0))],
    ids=["recommended", "literal"],
)
def test_window_after_large_overshoot_has_a_minimum(readings: Readings, windows: tuple[int, int]) -> None:
    """The lowered window is at least the minimum window, or 0."""
    controller = create_with(readings, Config(1000, 20_000))
    events: list[Ack] = acks([Delivery(0, 20, 1000, R0)] + [Delivery(BIN + 1, 20, 1000, R0)] * 14)
    for event in events:
        controller = replace(controller, base=replace(controller.base, cwnd_bytes=20_000))
        (step,) = drive(controller, [event])
        controller = step.after
        if step.observation.outcome is Outcome.EXITED:
            assert (step.observation.cwnd_bytes, step.observation.ssthresh_bytes) == windows
            return
    pytest.fail("no exit")
