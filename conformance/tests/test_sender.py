"""The sender of the simulator and its loss recovery, packet by packet, with a window that is given."""

from typing import Any

import pytest

from firstflight import Config
from firstflight.events import Ack, Event, Lost, PersistentCongestion, Pto, Sent
from firstflight_conformance.cases.stream import repeated
from firstflight_conformance.simulator import recovery
from firstflight_conformance.simulator.in_loop import Answer
from firstflight_conformance.simulator.sender import Sender
from firstflight_conformance.simulator.transfer import Pacing, Transfer

MS = 1_000_000


class Steady:
    """A controller whose window nothing moves."""

    samples_rate = False

    def __init__(self, window: int) -> None:
        self.initial_window_bytes = window

    def on_event(self, _event: Event) -> Answer:
        return Answer(self.initial_window_bytes)


def sender(window: int = 10_000, transfer_bytes: int | None = None, **changes: Any) -> Sender:
    """Return a sender of packets of 1000 bytes."""
    return Sender(Transfer(Config(1000, 10_000), transfer_bytes, **changes), Steady(window))


def last(sending: Sender, kind: type[Any]) -> Any:
    """Return the last event of a kind."""
    return next(event for event in reversed(sending.events) if isinstance(event, kind))


def ranges(event: Any) -> list[tuple[int, int]]:
    """Return the packets of an event."""
    return [(run.first, run.last) for run in event.packets]


@pytest.mark.parametrize(("window", "packets"), [(999, 0), (1000, 1), (1999, 1), (3000, 3)])
@pytest.mark.parametrize("pacing", [Pacing.NONE, Pacing.WINDOW])
def test_the_window_is_used_whole(pacing: Pacing, window: int, packets: int) -> None:
    """As many packets leave as fit, the last of them exactly; a paced sender sends one at a time."""
    sending = sender(window, pacing=pacing)
    sent = sum(run.count for run in sending.send(1))
    assert sent == (packets if pacing is Pacing.NONE else min(packets, 1))


@pytest.mark.parametrize(("window", "limited"), [(3000, False), (3999, False), (4000, True)])
def test_limited_by_the_data(window: int, limited: bool) -> None:
    """Three packets were all there was: whether another one would have fitted decides, in the event and at their ACK."""
    sending = sender(window, 3000)
    sending.send(1)
    sending.on_ack(100, [(0, 2)], 0)
    assert [event.app_limited for event in sending.events] == [limited] * 2  # type: ignore[union-attr]


def test_no_sample_of_what_is_not_new() -> None:
    """Only an ACK that raises the largest number gives a sample, that of its largest packet."""
    sending = sender()
    sending.send(1)
    sending.on_ack(101, [(2, 2)], 0)
    assert last(sending, Ack).latest_rtt_ns == 100
    sending.on_ack(102, [(1, 1)], 0)
    assert last(sending, Ack).latest_rtt_ns is None
    assert sending.rtt.latest_ns == 100


def test_a_sample_is_of_the_largest_packet() -> None:
    """Not of the oldest that the ACK names; the receiver's delay is told with it."""
    sending = sender(2000)
    sending.send(1)
    sending.on_ack(101, [(0, 0)], 0)
    sending.send(101)
    sending.on_ack(191, [(1, 2)], 7)
    ack = last(sending, Ack)
    assert (ranges(ack), ack.latest_rtt_ns, ack.ack_delay_ns) == ([(1, 1), (2, 2)], 90, 7)


def test_lost_and_new_data_leave_as_one_run() -> None:
    """Packets of one size that leave together are one run, be their data new or not."""
    sending = sender(named_data=True)
    sending.send(1)
    sending.on_ack(101, [(5, 5)], 0)
    assert ranges(last(sending, Lost)) == [(0, 0), (1, 1), (2, 2)]
    sending.send(101)
    event = last(sending, Sent)
    assert ranges(event) == [(10, 13)]
    assert repeated(event) == ((0, 2),)


@pytest.mark.parametrize(("acked", "lost"), [(2, []), (3, [(0, 0)]), (4, [(0, 0), (1, 1)])])
def test_lost_by_number(acked: int, lost: list[tuple[int, int]]) -> None:
    """Three numbers behind is lost; the packets that this ACK takes are still in flight when the loss is told."""
    sending = sender()
    sending.send(1)
    sending.on_ack(101, [(acked, acked)], 0)
    assert sending.lost_packets == len(lost)
    assert [ranges(event) for event in sending.events if isinstance(event, Lost)] == ([lost] if lost else [])
    if lost:
        assert last(sending, Lost).bytes_in_flight == 10_000 - 1000 * len(lost)
        assert last(sending, Ack).bytes_in_flight == 9000 - 1000 * len(lost)
    unrecorded = sender()
    unrecorded.keep_events = False  # packets are kept in runs
    unrecorded.send(1)
    unrecorded.on_ack(101, [(acked, acked)], 0)
    assert unrecorded.lost_packets == len(lost)


def test_lost_by_time() -> None:
    """Nine eighths of the larger of the latest and the smoothed RTT after it was sent, not a ns before."""
    sending = sender(3000)
    sending.send(1)
    sending.on_ack(101, [(0, 0)], 0)
    assert recovery.loss_timer_ns(sending) is None
    sending.on_ack(201, [(2, 2)], 0)  # the latest is 200, the smoothed one 112
    assert recovery.loss_timer_ns(sending) == 1 + 200 * 9 // 8
    recovery.detect_losses(sending, 225)
    assert sending.lost_packets == 0
    recovery.detect_losses(sending, 226)
    assert ranges(last(sending, Lost)) == [(1, 1)]


def test_the_timer_is_that_of_the_oldest() -> None:
    """Of two packets below the largest acknowledged the one sent first; here the smoothed RTT is the larger."""
    sending = sender(2000)
    sending.sample_handshake(1000, 0)
    sending.send(1000)
    sending.on_ack(1100, [(0, 0)], 0)
    sending.controller.initial_window_bytes = sending.answer.cwnd_bytes = 3000  # type: ignore[misc]
    sending.send(1100)
    sending.on_ack(1200, [(3, 3)], 0)
    smoothed = (7 * ((7 * 1000 + 100) // 8) + 100) // 8
    assert recovery.loss_timer_ns(sending) == 1000 + smoothed * 9 // 8


def test_probe_timeouts() -> None:
    """Thrice the initial RTT before a sample, then the smoothed RTT and four times its variation; doubled by each probe, until an ACK."""
    sending = sender(probes=True, max_ack_delay_ns=25 * MS)
    assert recovery.probe_timer_ns(sending) is None
    sending.send(1)
    assert recovery.probe_timer_ns(sending) == 1 + 3 * 333 * MS + 25 * MS
    sending.on_ack(1 + 100 * MS, [(0, 0)], 0)
    timeout_ns = (100 + 4 * 50 + 25) * MS
    assert recovery.probe_timer_ns(sending) == 1 + timeout_ns
    for doubled in (2, 4):
        recovery.on_probe_timeout(sending, sending.last_sent_ns + timeout_ns)
        assert isinstance(sending.events[-1], Pto)
        assert sending.probe(sending.last_sent_ns + timeout_ns)
        assert recovery.probe_timer_ns(sending) == sending.last_sent_ns + doubled * timeout_ns
    sending.on_ack(2000 * MS, [(1, 1)], 0)
    assert sending.probes == 0


@pytest.mark.parametrize(("span_ms", "persistent"), [(750, False), (751, True)])
def test_persistent_congestion(span_ms: int, persistent: bool) -> None:
    """Two samples of 100 ms leave a variation of 37.5 ms: three timeouts are 3 * (100 + 4 * 37.5) = 750 ms, and a ms more is longer."""
    sending = sender(1000, probes=True)
    sending.sample_handshake(100 * MS, 0)
    sending.send(100 * MS)
    sending.controller.initial_window_bytes = sending.answer.cwnd_bytes = 5000  # type: ignore[misc]
    sending.send((100 + span_ms) * MS)
    sending.on_ack((100 + span_ms + 100) * MS, [(4, 4)], 0)
    assert ranges(last(sending, Lost)) == [(0, 0), (1, 1)]
    found = [event for event in sending.events if isinstance(event, PersistentCongestion)]
    assert bool(found) is persistent
