"""The tolerance classes for windows."""

from itertools import pairwise

import pytest

from every import vectors_by_id
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.compare.values import ValueComparison, avoids, compare, fits_float64
from firstflight_conformance.format.vectors import Case

DATAGRAM = 1200
BIG = 2**24


def compared(
    expected: int | None, observed: int | None, arithmetic: str = "integer", window: str = "bytes"
) -> ValueComparison:
    """Compare one window."""
    declaration = Declaration("x", "1", {}, ("cwnd_bytes",), window=window, arithmetic=arithmetic)
    return compare({"ssthresh_bytes": expected}, {"ssthresh_bytes": observed}, declaration, DATAGRAM)


@pytest.mark.parametrize(
    ("arithmetic", "window", "expected", "low", "high"),
    [
        ("integer", "bytes", 12000, 12000, 12000),
        ("float64", "bytes", 12000, 11999, 12001),
        ("float64", "bytes", 2**60, 2**60 - 1, 2**60 + 1),
        ("float32", "bytes", 2**23, 2**23 - 1, 2**23 + 1),
        ("float32", "bytes", BIG, BIG - 4, BIG + 4),
        ("float32", "bytes", BIG - 1, BIG - 4, BIG + 2),
        ("integer", "packets", 12000, 10801, 12000),
        ("float64", "packets", 12000, 10800, 12001),
    ],
)
def test_bounds_of_the_classes(arithmetic: str, window: str, expected: int, low: int, high: int) -> None:
    """The bounds are within the tolerance; values one byte further are not."""
    for observed in (low, high):
        comparison = compared(expected, observed, arithmetic, window)
        assert not comparison.differences
        assert comparison.within_tolerance == (observed != expected)
    for observed in (low - 1, high + 1):
        assert compared(expected, observed, arithmetic, window).differences


def test_datagram_class() -> None:
    """In congestion avoidance of CUBIC the class adds one datagram to the other tolerances; before, it adds nothing."""
    exact = Declaration("x", "1", {}, ("cwnd_bytes",))
    near = Declaration("x", "1", {}, ("cwnd_bytes",), avoidance="datagram", arithmetic="float64")
    for observed, right in ((12000, True), (13201, True), (10799, True), (13202, False), (10798, False)):
        comparison = compare({"cwnd_bytes": 12000}, {"cwnd_bytes": observed}, near, DATAGRAM, avoiding=True)
        assert (comparison.differences == ()) is right
        assert comparison.within_tolerance == (right and observed != 12000)
    off = {"cwnd_bytes": 12500}
    assert compare({"cwnd_bytes": 12000}, off, near, DATAGRAM).differences
    assert compare({"cwnd_bytes": 12000}, off, exact, DATAGRAM, avoiding=True).differences


def test_float64_in_congestion_avoidance() -> None:
    """In CUBIC's congestion avoidance the class allows the model's error, four bytes; such failures name the class."""
    declared = Declaration("x", "1", {}, ("cwnd_bytes",), arithmetic="float64")
    exact = Declaration("x", "1", {}, ("cwnd_bytes",))
    expected = {"cwnd_bytes": 12000}
    for observed, right in ((12004, True), (11996, True), (12005, False), (11995, False)):
        answer = {"cwnd_bytes": observed}
        assert (compare(expected, answer, declared, DATAGRAM, avoiding=True).differences == ()) is right
        differences = compare(expected, answer, exact, DATAGRAM, avoiding=True).differences
        assert fits_float64(differences, exact, DATAGRAM, avoiding=True) is right
        assert not fits_float64(differences, exact, DATAGRAM, avoiding=False)
        assert not fits_float64(differences, declared, DATAGRAM, avoiding=True)
    assert compare(expected, {"cwnd_bytes": 12002}, declared, DATAGRAM).differences
    large = {"cwnd_bytes": 2**50 + 4 + 2**13}
    assert not compare({"cwnd_bytes": 2**50}, large, declared, DATAGRAM, avoiding=True).differences
    large = {"cwnd_bytes": 2**50 + 5 + 2**13}
    assert compare({"cwnd_bytes": 2**50}, large, declared, DATAGRAM, avoiding=True).differences


def test_congestion_avoidance_starts_beyond_the_threshold() -> None:
    """Congestion avoidance starts with the first growth beyond the threshold, in cases of CUBIC alone."""
    vectors = vectors_by_id()
    case = Case(vectors["cubic.concave.one-ack"], "rfc-9438")
    expected = case.expected()
    avoiding = [avoids(case, before, now) for before, now in zip([None, *expected], expected, strict=False)]
    outcomes = [now["outcome"] == "grown_avoidance" for now in expected]
    assert avoiding == outcomes
    reno = Case(vectors["slow-start.acks.avoidance"], "rfc-9002")
    steps = reno.expected()
    assert not any(avoids(reno, before, now) for before, now in pairwise(steps))


def test_growth_below_the_threshold_is_slow_start() -> None:
    """Only growth beyond the threshold is congestion avoidance."""
    vectors = vectors_by_id()
    case = Case(vectors["cubic.concave.one-ack"], "rfc-9438")
    before = {"cwnd_bytes": 12000, "ssthresh_bytes": 14400}
    grown = [(window, avoids(case, before, before | {"cwnd_bytes": window})) for window in (13200, 14400, 14401)]
    assert grown == [(13200, False), (14400, False), (14401, True)]
    assert not avoids(case, before, {"cwnd_bytes": 13200, "ssthresh_bytes": None})


def test_infinite_threshold_has_no_tolerance() -> None:
    """An infinite threshold equals only itself."""
    assert compared(None, None) == ValueComparison((), within_tolerance=False)
    for expected, observed in ((None, 2**62), (2**62, None)):
        assert compared(expected, observed, "float32", "packets").differences


def test_phase_outcome_and_state_are_exact() -> None:
    """No class applies to phase, outcome or state; every differing number of the state is listed."""
    declaration = Declaration("x", "1", {}, (), window="packets", arithmetic="float32")
    expected = {"phase": "recovery", "outcome": "sent", "state": {"bin": 1, "shift_bins": None, "open_bin_bytes": 5}}
    observed = {"phase": "recovery", "outcome": "grown", "state": {"bin": 2, "shift_bins": None, "extra": 0}}
    comparison = compare(expected, observed, declaration, DATAGRAM)
    assert [(d.observable, d.expected, d.observed) for d in comparison.differences] == [
        ("outcome", "sent", "grown"),
        ("state.bin", 1, 2),
        ("state.open_bin_bytes", 5, "absent"),
        ("state.extra", "absent", 0),
    ]


def test_release_time_is_compared_if_expected() -> None:
    """A release time is compared if the case expects it: it must be present then, and may be present elsewhere."""
    declaration = Declaration("x", "1", {}, ("next_release_ns",))
    paced: dict[str, int | None] = {"next_release_ns": 5}
    assert not compare(paced, {"next_release_ns": 5}, declaration, DATAGRAM).differences
    assert not compare({"next_release_ns": None}, {"next_release_ns": None}, declaration, DATAGRAM).differences
    assert not compare({}, {"next_release_ns": None}, declaration, DATAGRAM).differences
    assert compare(paced, {"next_release_ns": 6}, declaration, DATAGRAM).differences[0].expected == 5
    assert compare(paced, {}, declaration, DATAGRAM).differences[0].observed == "absent"
