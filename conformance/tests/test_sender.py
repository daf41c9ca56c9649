"""The sender of the simulator and its loss recovery, packet by packet, with a given window."""

from typing import Any

import pytest

from firstflight import Config
from firstflight.events import Ack, Lost, PersistentCongestion, Sent
from firstflight_conformance.format.stream import repeated
from firstflight_conformance.simulate.native_events import NONE
from firstflight_conformance.simulate.transfer import Pacing, Transfer
from simulator_parts import Sender

MS = 1_000_000


def sender(window: int = 10_000, transfer_bytes: int | None = None, **changes: Any) -> Sender:
    """Return a sender of packets of 1000 bytes with a fixed window."""
    return Sender(Transfer(Config(1000, 10_000), transfer_bytes, **changes), window)


def last(sending: Sender, kind: type[Any]) -> Any:
    """Return the last event of a kind."""
    return next(event for event in reversed(sending.events) if isinstance(event, kind))


def ranges(event: Any) -> list[tuple[int, int]]:
    """Return the packets of an event."""
    return [(run.first, run.last) for run in event.packets]


@pytest.mark.parametrize(("window", "packets"), [(999, 0), (1000, 1), (1999, 1), (3000, 3)])
@pytest.mark.parametrize("pacing", [Pacing.NONE, Pacing.WINDOW])
def test_sender_fills_the_window(pacing: Pacing, window: int, packets: int) -> None:
    """The sender sends all packets that the window allows, including an exact fit; with pacing one at a time."""
    sending = sender(window, pacing=pacing)
    assert sending.send(1) == (packets if pacing is Pacing.NONE else min(packets, 1))


@pytest.mark.parametrize(("window", "limited"), [(3000, False), (3999, False), (4000, True)])
def test_app_limited_if_another_packet_fits(window: int, limited: bool) -> None:
    """Three packets are all data: the event and their ACK are application-limited if another packet would have fit."""
    sending = sender(window, 3000)
    sending.send(1)
    sending.on_ack(100, (0, 2))
    assert [event.app_limited for event in sending.events] == [limited] * 2  # type: ignore[union-attr]


def test_only_new_largest_packet_gives_an_rtt_sample() -> None:
    """Only an ACK that raises the largest number gives a sample, from its largest packet."""
    sending = sender()
    sending.send(1)
    sending.on_ack(101, (2, 2))
    assert last(sending, Ack).latest_rtt_ns == 100
    sending.on_ack(102, (1, 1))
    assert last(sending, Ack).latest_rtt_ns is None
    assert sending.state.latest_rtt_ns == 100


def test_rtt_sample_is_from_the_largest_packet() -> None:
    """The sample is not from the oldest acknowledged packet; the ACK includes the receiver's delay."""
    sending = sender(2000)
    sending.send(1)
    sending.on_ack(101, (0, 0))
    sending.send(101)
    sending.on_ack(191, (1, 2), 7)
    ack = last(sending, Ack)
    assert (ranges(ack), ack.latest_rtt_ns, ack.ack_delay_ns) == ([(1, 1), (2, 2)], 90, 7)


def test_lost_and_new_data_are_sent_as_one_run() -> None:
    """Packets of one size that leave together are one run, for new and for repeated data."""
    sending = sender(named_data=True)
    sending.send(1)
    sending.on_ack(101, (5, 5))
    assert ranges(last(sending, Lost)) == [(0, 0), (1, 1), (2, 2)]
    sending.send(101)
    event = last(sending, Sent)
    assert ranges(event) == [(10, 13)]
    assert repeated(event) == ((0, 2),)


@pytest.mark.parametrize(("acked", "lost"), [(2, []), (3, [(0, 0)]), (4, [(0, 0), (1, 1)])])
def test_loss_by_packet_threshold(acked: int, lost: list[tuple[int, int]]) -> None:
    """A packet three numbers behind is lost; at the loss event, packets acknowledged by the ACK are still in flight."""
    sending = sender()
    sending.send(1)
    sending.on_ack(101, (acked, acked))
    assert sending.state.lost_packets == len(lost)
    assert [ranges(event) for event in sending.events if isinstance(event, Lost)] == ([lost] if lost else [])
    if lost:
        assert last(sending, Lost).bytes_in_flight == 10_000 - 1000 * len(lost)
        assert last(sending, Ack).bytes_in_flight == 9000 - 1000 * len(lost)


def test_loss_by_time_threshold() -> None:
    """A packet is lost 9/8 of the larger of the latest and the smoothed RTT after its sending, and not a ns before."""
    sending = sender(3000)
    sending.send(1)
    sending.on_ack(101, (0, 0))
    assert sending.state.loss_timer_ns == NONE
    sending.on_ack(201, (2, 2))  # latest 200, smoothed 112
    assert sending.state.loss_timer_ns == 1 + 200 * 9 // 8
    sending.detect_losses(225)
    assert sending.state.lost_packets == 0
    sending.detect_losses(226)
    assert ranges(last(sending, Lost)) == [(1, 1)]


def test_loss_timer_is_for_the_earlier_packet() -> None:
    """The timer is for the earlier of two packets below the largest acknowledged; here the smoothed RTT is larger."""
    sending = sender(2000)
    sending.handshake(1000, 0)
    sending.send(1000)
    sending.on_ack(1100, (0, 0))
    sending.window(3000)
    sending.send(1100)
    sending.on_ack(1200, (3, 3))
    smoothed = (7 * ((7 * 1000 + 100) // 8) + 100) // 8
    assert sending.state.loss_timer_ns == 1000 + smoothed * 9 // 8


def test_probe_timeouts() -> None:
    """Three initial RTTs before a sample, then the smoothed RTT plus four variations; probes double it until an ACK."""
    sending = sender(probes=True, max_ack_delay_ns=25 * MS)
    assert sending.state.probe_timer_ns == NONE
    sending.send(1)
    assert sending.state.probe_timer_ns == 1 + 3 * 333 * MS + 25 * MS
    sending.on_ack(1 + 100 * MS, (0, 0))
    timeout_ns = (100 + 4 * 50 + 25) * MS
    assert sending.state.probe_timer_ns == 1 + timeout_ns
    for doubled in (2, 4):
        assert sending.probe(sending.state.last_sent_ns + timeout_ns) == 1
        assert sending.state.probe_timer_ns == sending.state.last_sent_ns + doubled * timeout_ns
    sending.on_ack(2000 * MS, (1, 1))
    assert sending.state.probes == 0


@pytest.mark.parametrize(("span_ms", "persistent"), [(750, False), (751, True)])
def test_persistent_congestion(span_ms: int, persistent: bool) -> None:
    """Two samples of 100 ms leave a variation of 37.5 ms: only over 3 * (100 + 4 * 37.5) = 750 ms is persistent."""
    sending = sender(1000, probes=True)
    sending.handshake(100 * MS, 0)
    sending.send(100 * MS)
    sending.window(5000)
    sending.send((100 + span_ms) * MS)
    sending.on_ack((100 + span_ms + 100) * MS, (4, 4))
    assert ranges(last(sending, Lost)) == [(0, 0), (1, 1)]
    persistent_events = [event for event in sending.events if isinstance(event, PersistentCongestion)]
    assert bool(persistent_events) is persistent


def test_probe_repeats_packet_after_ack_of_earlier_probe() -> None:
    """Packet 1 probes packet 0, and its ACK comes first: the next probe repeats packet 0, so the sender cannot hang."""
    sending = sender(transfer_bytes=1000, named_data=True, probes=True)
    sending.handshake(10_000 * MS, 0)  # an RTT so long that packet 0 is not lost
    sending.send(10_000 * MS)
    assert sending.probe(11_000 * MS) == 1
    sending.on_ack(11_100 * MS, (1, 1))
    assert sending.send(11_100 * MS) == 0
    assert sending.probe(12_000 * MS) == 1
    assert [repeated(event) for event in sending.events if isinstance(event, Sent)] == [(), ((0, 0),), ((0, 0),)]
