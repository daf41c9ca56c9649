"""The links of networks: queues, early drops, token bucket, wires and CoDel, by hand."""

import pytest

from firstflight_conformance.prng import SplitMix64
from firstflight_conformance.simulator.clock import Clock, Lane
from firstflight_conformance.simulator.codel import CoDelLink
from firstflight_conformance.simulator.links import AnyLink, Delay, TokenBucket, Wire, chain, transmission_ns
from firstflight_conformance.simulator.path import Bottleneck
from firstflight_conformance.simulator.scenario import Link

MS = 10**6


def test_early_drops_by_hand() -> None:
    """Above the limit a quarter is dropped, drawn from purpose 3 of the seed; below it nothing."""
    link = Bottleneck(Link(8_000_000, 0, 0, 10**9, 0, 0, early_drop_above_bytes=5000, early_drop_ppm=250_000), 7)
    draws = SplitMix64(7 ^ 3)
    waiting = 0
    for number in range(300):
        dropped = waiting > 5000 and draws.chance_ppm(250_000)
        assert (link.carry(0, 1000) is None) == dropped
        waiting += 0 if dropped or number == 0 else 1000
    assert 0 < link.early_dropped_packets == link.dropped_packets < 120


def test_a_queue_in_packets() -> None:
    """Two packets wait, of whatever size."""
    link = Bottleneck(Link(8_000_000, 0, 0, 0, 0, 0, queue_packets=2), 1)
    assert [link.carry(0, size) is None for size in (1000, 1, 60_000, 1)] == [False, False, False, True]


def arrivals(clock: Clock, links: list[AnyLink], packets: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Send packets of given sizes at given times over links; return which arrived when."""
    seen: list[tuple[int, int]] = []
    send = chain(clock, links, lambda got: seen.append((got[1], clock.now_ns)))
    for number, (t_ns, size) in enumerate(packets):
        clock.at(t_ns, send, (size, number))
    clock.run(10**15, lambda: False)
    return seen


@pytest.mark.parametrize(("wire_first", "seen"), [(True, [(0, MS), (1, 2 * MS)]), (False, [(0, MS)])])
def test_links_are_crossed_in_turn(wire_first: bool, seen: list[tuple[int, int]]) -> None:
    """A bucket for one packet passes two that a wire has put 1 ms apart, not two that come at once. The delay comes last."""
    links: list[AnyLink] = [Wire(8_000_000, 0), TokenBucket(0, 8_000_000, 1000, 0)]
    clock = Clock()
    later = [(number, t_ns + 5 * MS) for number, t_ns in seen]
    assert arrivals(clock, [*(links if wire_first else reversed(links)), Delay(5 * MS)], [(0, 1000)] * 2) == later


def test_token_bucket_by_hand() -> None:
    """A burst passes at once, what follows at the rate, and what would wait too long is dropped."""
    clock = Clock()
    bucket = TokenBucket(0, 8_000_000, 2000, 2 * MS)
    seen = arrivals(clock, [bucket], [(0, 1000)] * 6 + [(10 * MS, 1000)] * 3)
    # Tokens for two packets, then one for each ms; the fifth would wait 3 ms.
    assert seen == [(0, 0), (1, 0), (2, MS), (3, 2 * MS), (6, 10 * MS), (7, 10 * MS), (8, 11 * MS)]
    assert bucket.dropped_packets == 2


def test_a_wire_by_hand() -> None:
    """Packets follow one another, and times are rounded to the nearest ns."""
    clock = Clock()
    seen = arrivals(clock, [Wire(10**10, 1000)], [(0, 58), (0, 54), (5000, 54)])
    assert seen == [(0, 1046), (1, 1089), (2, 6043)]


@pytest.mark.parametrize(
    ("size", "rate", "ns"), [(58, 10**10, 46), (536, 11_650_844, 368_042), (1, 128_000_000, 62), (1, 16, 500_000_000)]
)
def test_transmission_times(size: int, rate: int, ns: int) -> None:
    """To the nearest ns; a half is cut off where binary digits do not end."""
    assert transmission_ns(size, rate) == ns


def test_codel_by_hand() -> None:
    """A queue that stands above 5 ms for 100 ms loses a packet, another 100 ms later, then 100 ms / sqrt(2); one that empties loses none."""
    clock = Clock()
    link = CoDelLink(clock, 8_000_000, 0, 3000)
    # 20 packets at first, then one each ms as the link takes them: about 20 ms of queue.
    arrivals(clock, [link], [(0, 1000)] * 20 + [(n * MS, 1000) for n in range(1, 80)])
    assert link.dropped_packets == 0
    clock = Clock()
    link = CoDelLink(clock, 8_000_000, 0, 3000)
    seen = arrivals(clock, [link], [(0, 1000)] * 20 + [(n * MS, 1000) for n in range(1, 300)])
    missing = sorted(set(range(319)) - {number for number, _ in seen})
    assert len(missing) == link.dropped_packets == 3
    # Dropped when taken out of the queue, 100 ms after packets began to wait longer than the target.
    assert 105 <= missing[0] <= 112
    assert 99 <= missing[1] - missing[0] <= 102
    assert 69 <= missing[2] - missing[1] <= 73


def test_lanes_run_as_the_clock_alone_would() -> None:
    """Actions in lanes and beside them come in the order of time and, at one time, of scheduling."""
    draws = SplitMix64(1)
    plain, lanes = Clock(), Clock()
    times, seen = [0, 0, 0], ([], [])  # type: tuple[list[int], list[int]]
    queues = [Lane(lanes, seen[1].append) for _ in range(3)]
    for number in range(500):
        which = draws.below(4)
        t_ns = draws.below(100)
        if which < 3:
            t_ns = times[which] = times[which] + draws.below(3)
        plain.at(t_ns, seen[0].append, number)
        if which < 3:
            queues[which].at(t_ns, number)
        else:
            lanes.at(t_ns, seen[1].append, number)
    assert plain.run(10**6, lambda: False) is lanes.run(10**6, lambda: False)
    assert len(seen[0]) == 500 and seen[0] == seen[1]
