"""Loss detection of the sender: packet and time threshold, probe timeout and persistent congestion (RFC 9002, sections 6 and 7.6)."""

from typing import Protocol

from firstflight.events import Event, Lost, PersistentCongestion, Pto, Run
from firstflight_conformance.cases.ledger import Ledger, RttEstimator
from firstflight_conformance.simulator.outbox import Outbox
from firstflight_conformance.simulator.transfer import Transfer

PACKET_THRESHOLD = 3
TIME_THRESHOLD = (9, 8)
GRANULARITY_NS = 1_000_000
INITIAL_RTT_NS = 333_000_000
PERSISTENT_CONGESTION_THRESHOLD = 3
#: Probe timeouts double up to so often, so that a run ends.
MOST_DOUBLINGS = 10


class Sending(Protocol):
    """What loss detection knows of the sender."""

    transfer: Transfer
    ledger: Ledger
    rtt: RttEstimator
    outbox: Outbox
    largest_acked: int
    last_sent_ns: int
    first_sample_ns: int | None
    probes: int
    lost_packets: int

    def record(self, event: Event) -> None:
        """Tell the controller of an event."""


def loss_delay_ns(sender: Sending) -> int:
    """Return how long a packet may be overdue, in ns (RFC 9002, section 6.1.2)."""
    numerator, denominator = TIME_THRESHOLD
    return numerator * max(sender.rtt.latest_ns or 0, sender.rtt.smoothed_ns or 0) // denominator


def detect_losses(sender: Sending, now_ns: int, acked_bytes: int = 0) -> None:
    """Declare packets lost. ``acked_bytes`` are gone from the ledger but still in flight for the controller."""
    if _oldest_below_largest(sender) is None:
        return
    older = _older_than_largest(sender)
    overdue_ns = now_ns - loss_delay_ns(sender)
    lost_runs = [
        run for run in older if run.last + PACKET_THRESHOLD <= sender.largest_acked or run.sent_t_ns <= overdue_ns
    ]
    if not lost_runs:
        return
    lost = [run for gone in lost_runs for run in sender.ledger.take(gone.first, gone.last)]
    lost_bytes = sum(run.count * run.size_bytes for run in lost)
    sender.lost_packets += sum(run.count for run in lost)
    sender.outbox.lost(lost)
    in_flight_bytes = sender.ledger.bytes_in_flight + acked_bytes
    sender.record(Lost(now_ns, tuple(lost), lost_bytes, in_flight_bytes, sender.ledger.next_packet))
    if sender.transfer.probes and _is_persistent(sender, lost):
        sender.record(PersistentCongestion(now_ns))
        sender.rtt.min_ns = None  # the minimum is taken anew (section 5.2)


def _oldest_below_largest(sender: Sending) -> Run | None:
    """Return the first run in flight if it begins below the largest acknowledged."""
    oldest = sender.ledger.oldest
    return None if oldest is None or oldest.first > sender.largest_acked else oldest


def _older_than_largest(sender: Sending) -> list[Run]:
    """Return the packets in flight below the largest acknowledged, one to a run where they border on the threshold."""
    border = sender.largest_acked - PACKET_THRESHOLD
    parts = []
    for run in sender.ledger.up_to(sender.largest_acked):
        if run.first <= border < run.last:
            parts += [
                Run(run.first, border, run.size_bytes, run.sent_t_ns),
                Run(border + 1, run.last, run.size_bytes, run.sent_t_ns),
            ]
        else:
            parts.append(run)
    return parts


def loss_timer_ns(sender: Sending) -> int | None:
    """Return when the oldest packet below the largest acknowledged becomes overdue."""
    oldest = _oldest_below_largest(sender)
    return None if oldest is None else oldest.sent_t_ns + loss_delay_ns(sender)


def probe_timer_ns(sender: Sending) -> int | None:
    """Return when a probe is due: so long after the last packet was sent (RFC 9002, section 6.2.1)."""
    if not sender.transfer.probes or sender.ledger.bytes_in_flight == 0:
        return None
    return sender.last_sent_ns + (_probe_timeout_ns(sender) << min(sender.probes, MOST_DOUBLINGS))


def on_probe_timeout(sender: Sending, now_ns: int) -> None:
    """Tell the controller of a probe timeout."""
    sender.record(Pto(now_ns))


def _probe_timeout_ns(sender: Sending) -> int:
    """Return the probe timeout without backoff; before the first sample that of RFC 9002, section 6.2.2."""
    rtt, transfer = sender.rtt, sender.transfer
    if rtt.smoothed_ns is None:
        timeout_ns = 3 * INITIAL_RTT_NS
    else:
        timeout_ns = rtt.smoothed_ns + max(4 * rtt.variation_ns, GRANULARITY_NS)
    return max(timeout_ns + transfer.max_ack_delay_ns, transfer.least_timeout_ns)


def _is_persistent(sender: Sending, lost: list[Run]) -> bool:
    """Return whether lost packets, with none between them that arrived, span so long (RFC 9002, section 7.6.1)."""
    if sender.first_sample_ns is None or sender.rtt.smoothed_ns is None:
        return False
    limit_ns = PERSISTENT_CONGESTION_THRESHOLD * _probe_timeout_ns(sender)
    began_ns, next_packet = None, -1
    for run in lost:
        if run.first != next_packet or began_ns is None or began_ns < sender.first_sample_ns:
            began_ns = run.sent_t_ns
        next_packet = run.last + 1
        if began_ns >= sender.first_sample_ns and run.sent_t_ns - began_ns > limit_ns:
            return True
    return False
