"""Compares the base controllers in the model and the C port after every event: observables, CUBIC state, refusals."""

import os

import pytest

from c_cubic import run_streams
from c_port import ffi, module_of
from firstflight.cubic import window
from firstflight.limits import DATAGRAM_MAX_BYTES, TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.observables import Outcome
from firstflight_conformance.prng import SplitMix64
from observed import outcomes_of

REACHABLE = [outcome for outcome in outcomes_of("slow-start", "cubic") if outcome is not Outcome.SENT]


def test_random_streams() -> None:
    """Model and port agree on 10000 random events with random readings, which reach every outcome and region."""
    total = run_streams(300, 10_000)
    assert [outcome.value for outcome in REACHABLE if total.outcomes.get(outcome, 0) < 5] == []
    assert total.outcomes[None] > 20
    assert [name for name, count in total.seen.items() if count < 30 and name != "largest"] == []


def test_random_streams_composed() -> None:
    """Model and port agree for every startup algorithm on CUBIC and for the base controllers by name."""
    total = run_streams(400, 10_000, composed=True)
    assert total.outcomes[Outcome.RESTORED] > 5
    assert total.seen["concave"] > 100


@pytest.mark.long
@pytest.mark.parametrize("composed", [False, True])
@pytest.mark.parametrize("share", range(10))
def test_random_streams_long(share: int, composed: bool) -> None:
    """Model and port agree on a million events; FIRSTFLIGHT_LONG_EVENTS overrides the number of each of ten shares."""
    run_streams(3000 + share, int(os.environ.get("FIRSTFLIGHT_LONG_EVENTS", "100000")), composed=composed)


@pytest.mark.parametrize("build", ["int128", "no_int128"])
def test_arithmetic(build: str) -> None:
    """Curve, root, share and Reno's growth agree over the whole domain, with and without 128-bit integers."""
    lib = module_of(build).lib
    rng = SplitMix64(9 + len(build))

    def some(most: int) -> int:
        return min((1 << rng.below(most.bit_length() + 1)) - 1 + rng.below(3), rng.below(most) + 1, most)

    for _ in range(10_000):
        datagram = max(some(DATAGRAM_MAX_BYTES), 1)
        w_max, k_ns, t_ns = some(WINDOW_MAX_BYTES), some(2**51), some(2 * TIME_MAX_NS)
        if rng.below(3) == 0:
            t_ns = max(k_ns + rng.below(3) - 1, 0)
        expected = window.window_bytes(w_max, k_ns, datagram, t_ns)
        assert lib.ff_cubic_window_bytes(w_max, k_ns, datagram, t_ns) == expected
        assert lib.ff_cubic_cube_time_ns(w_max, datagram) == window.cube_time_ns(w_max, datagram)
        cwnd = some(WINDOW_MAX_BYTES) + 1
        acked = min(some(2**48 - 1), cwnd)
        share = lib.ff_cubic_share(acked, cwnd // 2, cwnd)
        assert (share.whole, share.fraction) == window.share(acked, cwnd // 2, cwnd)
        for reached in (False, True):
            increase = window.friendly_increase(datagram, acked, cwnd, reached=reached)
            assert lib.ff_cubic_friendly_increase(datagram, acked, cwnd, reached) == increase
        assert lib.ff_cubic_seven_tenths(w_max) == window.seven_tenths(w_max)
        assert lib.ff_cubic_seventeen_twentieths(w_max) == window.seventeen_twentieths(w_max)


def test_cube_roots_are_exact_at_cubes() -> None:
    """Cube roots are exact at cubes and rounded down below; the largest distance fits the bits of the root."""
    assert ffi is not None
    for root in (1, 2, 3, 10**9, 2**51 - 1, 2**52 - 1):
        assert window.cube_root(root**3) == root
        assert window.cube_root(root**3 - 1) == root - 1
    assert window.cube_time_ns(WINDOW_MAX_BYTES, 1) < 2**window.ROOT_BITS - 1
