"""Loss detection in the reports of defects: broken rules are found, and possible events break none."""

import pytest

from firstflight_conformance.format.builder import MS, StreamBuilder
from studies.defects.described import described
from studies.defects.possible import broken_rules
from studies.defects.streams import STREAMS


def _flight() -> StreamBuilder:
    b = StreamBuilder()
    b.send(0, 10)
    return b


@pytest.mark.parametrize("name", list(STREAMS))
def test_handmade_events_keep_loss_detection_rules(name: str) -> None:
    """Events made by hand keep all rules of loss detection."""
    assert broken_rules(STREAMS[name].events().events) == frozenset()


def test_packet_at_the_packet_threshold_must_be_lost() -> None:
    """A packet three below the largest acknowledged packet must be declared lost at that ACK."""
    b = _flight()
    b.ack(100 * MS, (3, 3))
    assert broken_rules(b.events) == {"threshold"}
    b = _flight()
    b.lose(100 * MS, (0, 0))
    b.ack(100 * MS, (1, 3))
    assert broken_rules(b.events) == frozenset()


def test_loss_below_packet_threshold_needs_time_threshold() -> None:
    """A packet one below the acknowledged packet is lost only after 9/8 of the RTT."""
    b = _flight()
    b.lose(100 * MS, (0, 0))
    b.ack(100 * MS, (1, 1))
    assert broken_rules(b.events) == {"threshold"}
    b = StreamBuilder()
    b.send(0, 2)
    b.ack(100 * MS, (1, 1))
    b.lose(112_500_000, (0, 0))
    assert broken_rules(b.events) == frozenset()
    b = StreamBuilder()
    b.send(0, 2)
    b.ack(100 * MS, (1, 1))
    b.lose(113 * MS, (0, 0))
    assert broken_rules(b.events) == {"threshold"}


def test_only_acks_of_a_new_largest_packet_have_rtt_samples() -> None:
    """Exactly the ACKs of a new largest packet have an RTT sample."""
    b = _flight()
    b.ack(100 * MS, (0, 0), sample=False)
    assert "sample" in broken_rules(b.events)
    b = _flight()
    b.ack(100 * MS, (0, 0), (2, 2))
    b.ack(101 * MS, (1, 1))
    assert broken_rules(b.events) == {"sample"}


def test_persistent_congestion_needs_losses_and_rtt_sample() -> None:
    """Persistent congestion needs two lost packets and an RTT sample."""
    b = _flight()
    b.lose(100 * MS, (0, 0))
    b.persistent_congestion(100 * MS)
    assert broken_rules(b.events) == {"persistent"}


def test_misplaced_marks_losses_and_probes_break_rules() -> None:
    """A mark comes with an ACK, a spurious loss after a loss, and a probe timer expires in silence."""
    b = _flight()
    b.ce(100 * MS, 3, 0)
    b.ack(101 * MS, (0, 3))
    assert broken_rules(b.events) == {"mark"}
    b = _flight()
    b.spurious_loss(100 * MS)
    assert broken_rules(b.events) == {"spurious"}
    b = _flight()
    b.ack(1025 * MS, (0, 9))
    assert broken_rules(b.events) == {"probe"}


def test_event_descriptions_join_runs_of_one_size() -> None:
    """Events in words join runs of one size and list different sizes."""
    b = StreamBuilder()
    b.send_sizes(0, [(1, 77), (4, 1200), (2, 1200)])
    b.ack(100 * MS, (0, 1), (3, 3), app_limited=True)
    assert [described(event) for event in b.events] == [
        "send 0 (77 bytes), 1-6 (7200 bytes), 7277 in flight",
        "ACK of 0 (77 bytes), 1,3 (2400 bytes), 4800 in flight, RTT 100 ms, application-limited",
    ]
