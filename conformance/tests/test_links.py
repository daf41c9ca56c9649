"""The links of networks, compared with hand calculations: queues, early drops, token bucket, wires and CoDel."""

import pytest

from firstflight_conformance.prng import SplitMix64
from firstflight_conformance.simulate.path import Bottleneck
from firstflight_conformance.simulate.scenario import Link
from simulator_parts import Kind, cross, transmission_ns

MS = 10**6


def test_early_drops_above_the_limit() -> None:
    """Above the limit a quarter of the packets is dropped, drawn from purpose 3 of the seed; below it none."""
    link = Bottleneck(Link(8_000_000, 0, 0, 10**9, 0, 0, early_drop_above_bytes=5000, early_drop_ppm=250_000), 7)
    draws = SplitMix64(7 ^ 3)
    waiting = 0
    for number in range(300):
        dropped = waiting > 5000 and draws.chance_ppm(250_000)
        assert (link.carry(0, 1000) is None) == dropped
        waiting += 0 if dropped or number == 0 else 1000
    assert 0 < link.early_dropped_packets == link.dropped_packets < 120


def test_queue_limit_in_packets() -> None:
    """A queue of two packets accepts two waiting packets of any size."""
    link = Bottleneck(Link(8_000_000, 0, 0, 0, 0, 0, queue_packets=2), 1)
    assert [link.carry(0, size) is None for size in (1000, 1, 60_000, 1)] == [False, False, False, True]


@pytest.mark.parametrize(("wire_first", "arrivals"), [(True, [(0, MS), (1, 2 * MS)]), (False, [(0, MS)])])
def test_token_bucket_after_a_wire(wire_first: bool, arrivals: list[tuple[int, int]]) -> None:
    """A bucket of one packet passes two packets 1 ms apart after a wire, but one of two that arrive together."""
    links = [(Kind.WIRE, 8_000_000, 0, 0), (Kind.BUCKET, 8_000_000, 0, 1000)]
    later = [(number, t_ns + 5 * MS) for number, t_ns in arrivals]
    crossed, dropped = cross([*(links if wire_first else reversed(links)), (Kind.DELAY, 0, 5 * MS, 0)], [(0, 1000)] * 2)
    assert (crossed, dropped) == (later, 2 - len(arrivals))


def test_token_bucket_delays_and_drops() -> None:
    """A burst passes at once, later packets pass at the rate, and packets that would wait too long are dropped."""
    bucket = (Kind.BUCKET, 8_000_000, 2 * MS, 2000)
    arrivals, dropped = cross([bucket], [(0, 1000)] * 6 + [(10 * MS, 1000)] * 3)
    # Tokens for two packets, then one for each ms; the fifth would wait 3 ms.
    assert arrivals == [(0, 0), (1, 0), (2, MS), (3, 2 * MS), (6, 10 * MS), (7, 10 * MS), (8, 11 * MS)]
    assert dropped == 2


def test_wire_sends_packets_one_after_another() -> None:
    """A wire sends packets one after another, and rounds times to the nearest ns."""
    arrivals, _ = cross([(Kind.WIRE, 10**10, 1000, 0)], [(0, 58), (0, 54), (5000, 54)])
    assert arrivals == [(0, 1046), (1, 1089), (2, 6043)]


@pytest.mark.parametrize(
    ("size", "rate", "ns"), [(58, 10**10, 46), (536, 11_650_844, 368_042), (1, 128_000_000, 62), (1, 16, 500_000_000)]
)
def test_transmission_times_are_rounded_to_the_nearest_ns(size: int, rate: int, ns: int) -> None:
    """Transmission times are rounded to the nearest ns; a half is rounded down if its binary digits do not end."""
    assert transmission_ns(size, rate) == ns


def test_codel_drop_times() -> None:
    """A queue above 5 ms drops packets after 100 ms, after 100 ms more and after 100 ms / sqrt(2); a short one none."""
    link = (Kind.CODEL, 8_000_000, 0, 3000)
    # 20 packets at first, then one per ms, the rate of the link: about 20 ms of queue.
    _, dropped = cross([link], [(0, 1000)] * 20 + [(n * MS, 1000) for n in range(1, 80)])
    assert dropped == 0
    arrivals, dropped = cross([link], [(0, 1000)] * 20 + [(n * MS, 1000) for n in range(1, 300)])
    missing = sorted(set(range(319)) - {number for number, _ in arrivals})
    assert len(missing) == dropped == 3
    # A packet is dropped at dequeue, 100 ms after packets began to wait longer than the target.
    assert 105 <= missing[0] <= 112
    assert 99 <= missing[1] - missing[0] <= 102
    assert 69 <= missing[2] - missing[1] <= 73
