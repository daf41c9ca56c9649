"""Compares JumpStart in the model and in the C port after every event: observables, state and refusals."""

import os

import pytest

from c_jumpstart import REACHABLE, Pair, run_streams
from firstflight.controller import Config
from firstflight.events import Backlog, Run, Sent
from firstflight.jumpstart.profiles import PROFILES
from firstflight.limits import TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight_conformance.prng import SplitMix64


def test_random_streams() -> None:
    """Model and port agree on 10000 random events with random readings, which reach every outcome."""
    total = run_streams(102, 10_000)
    assert {outcome.value: total.get(outcome, 0) for outcome in REACHABLE if total.get(outcome, 0) < 2} == {}
    assert total[None] > 10_000 // 500


@pytest.mark.long
@pytest.mark.parametrize("share", range(10))
def test_random_streams_long(share: int) -> None:
    """Model and port agree on a million events; FIRSTFLIGHT_LONG_EVENTS overrides the number of each of ten shares."""
    run_streams(1000 + share, int(os.environ.get("FIRSTFLIGHT_LONG_EVENTS", "100000")))


def test_release_times_of_flights_agree() -> None:
    """Release times of whole flights agree, for RTTs and amounts up to the largest."""
    rng = SplitMix64(7)
    for _ in range(400):
        readings = list(PROFILES.values())[rng.below(len(PROFILES))]
        size = (1, 3, 536, 1448, 65535)[rng.below(5)]
        queued = (1 + rng.below(200 * size), 1 + rng.below(2**31), WINDOW_MAX_BYTES)[rng.below(3)]
        rtt_ns = (rng.below(10**9), rng.below(TIME_MAX_NS), TIME_MAX_NS)[rng.below(3)]
        pair = Pair.of(readings, Config(size, 1))
        pair.step(Backlog(1, queued, WINDOW_MAX_BYTES, rtt_ns))
        packet = 0
        while pair.model.startup.jumping and packet < 2**31:
            remaining_packets = pair.model.startup.limit_packets - pair.model.startup.sent_packets
            count = min(max(remaining_packets // 3, 1), 65535)
            pair.step(Sent(1, (Run(packet, packet + count - 1, size, 1),), count * size, 0, False))
            packet += count
            if remaining_packets > 65535 * 40 or remaining_packets == 0:
                break
