"""The parts of the path simulator: bottleneck and receiver."""

import pytest

from firstflight_conformance.prng import SplitMix64
from firstflight_conformance.simulate.path import Bottleneck
from firstflight_conformance.simulate.scenario import Link
from firstflight_conformance.simulate.transfer import Receiver
from simulator_parts import AckPolicy

MS = 1_000_000
S = 1_000_000_000


def test_bottleneck_serves_in_order() -> None:
    """One packet is in service; others wait within the queue limit, and leave the queue when their service begins."""
    link = Bottleneck(Link(8_000_000, 5, 0, 2000, 0, 0), 1)
    ms = [link.carry(0, 1000) for _ in range(4)]
    assert ms == [MS + 5, 2 * MS + 5, 3 * MS + 5, None]
    assert link.dropped_packets == 1
    assert link.carry(MS - 1, 1) is None
    assert link.carry(MS, 1000) == 4 * MS + 5
    assert link.carry(10 * MS, 1000) == 11 * MS + 5
    assert link.dropped_packets == 2


def test_packet_without_queue_needs_an_idle_link() -> None:
    """Without a queue a packet is accepted only if the link is idle, which includes the very end of a service."""
    link = Bottleneck(Link(8_000_000, 0, 0, 0, 0, 0), 1)
    assert [link.carry(0, 1000), link.carry(MS - 1, 1000), link.carry(MS, 1000)] == [MS, None, 2 * MS]


@pytest.mark.parametrize(("size", "rate", "ns"), [(1, 8 * S, 1), (1, 3 * S, 3), (1500, 1000, 12 * S), (1, 2**40, 1)])
def test_service_is_rounded_up(size: int, rate: int, ns: int) -> None:
    """The service of a packet is a whole number of ns, rounded up."""
    assert Bottleneck(Link(rate, 0, 0, 0, 0, 0), 1).carry(5, size) == 5 + ns


def test_jitter_keeps_the_order() -> None:
    """Jitter is drawn from purpose 2 of the seed, up to its bound, and packets stay in order."""
    link = Bottleneck(Link(8_000_000_000, 100, 0, 10**9, 0, 10_000), 99)
    draws = SplitMix64(99 ^ 2)
    arrivals, last = [], 0
    for number in range(200):
        arrivals.append(link.carry(number * 1000, 1000))
        last = max(last, (number + 1) * 1000 + 100 + draws.below(10_001))
        assert arrivals[-1] == last
    assert arrivals == sorted(arrivals, key=lambda t_ns: t_ns or 0)


def test_losses_are_drawn_after_the_queue() -> None:
    """Loss is drawn from purpose 1 of the seed, for packets that the queue accepted."""
    link = Bottleneck(Link(8_000_000, 0, 0, 10**9, 300_000, 0), 42)
    draws = SplitMix64(42 ^ 1)
    lost = [link.carry(0, 1000) is None for _ in range(500)]
    assert lost == [draws.chance_ppm(300_000) for _ in range(500)]
    assert link.lost_packets == sum(lost)
    assert link.busy_until_ns == 500 * MS  # a lost packet was served


def test_ack_is_due_after_packet_count_or_delay() -> None:
    """An ACK is due with every third packet, and otherwise a delay after the first waiting packet."""
    acks = AckPolicy(Receiver(3, 50))
    assert [acks.arrived(10, 0), acks.arrived(20, 1)] == [False, False]
    assert acks.deadline_ns == 60
    assert acks.arrived(30, 2)
    assert acks.acknowledge(35) == ([(0, 2)], 5)
    assert not acks.arrived(40, 3)
    assert acks.deadline_ns == 90


def test_first_packet_is_acknowledged_at_once() -> None:
    """Only the first packet is acknowledged at once."""
    acks = AckPolicy(Receiver(3, 50, first_at_once=True))
    assert acks.arrived(10, 0)
    assert acks.acknowledge(10) == ([(0, 0)], 0)
    assert not acks.arrived(20, 1)


def test_gap_is_acknowledged_at_once() -> None:
    """A gap is acknowledged at once, with waiting packets; the ACK delay is the delay of the largest packet."""
    acks = AckPolicy(Receiver(10, 50))
    assert not acks.arrived(10, 0)
    assert acks.arrived(20, 4)
    assert acks.acknowledge(30) == ([(0, 0), (4, 4)], 10)
    assert not acks.arrived(40, 5)
    assert acks.deadline_ns == 90
