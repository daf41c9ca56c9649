"""Finds the rules of loss detection that a stream of events breaks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Pto, Run, Sent, SpuriousLoss
from firstflight_conformance.format.given import persistent_congestion_given
from firstflight_conformance.format.ledger import Ledger, RttEstimator

#: Packet threshold and time threshold of RFC 9002, section 6.1; the granularity of timers in ns.
_PACKET_THRESHOLD = 3
_TIME_THRESHOLD = (9, 8)
_GRANULARITY_NS = 1_000_000
#: Probe timeout before the first RTT sample (RFC 9002, section 6.2.2), and the default max_ack_delay (RFC 9000, section 18.2).
_INITIAL_PTO_NS = 999_000_000
_MAX_ACK_DELAY_NS = 25_000_000


def broken_rules(events: Sequence[Event]) -> frozenset[str]:
    """Return the rules of RFC 9002 that the events break; empty if a connection can produce them.

    ``threshold``: packets are lost by a threshold after an ACK of a later packet, and then without delay (6.1). ``sample``: an ACK has an
    RTT sample if and only if it newly acknowledges the largest packet (5.1). ``persistent``: duration and RTT sample of persistent
    congestion (7.6.2). ``mark``: a CE mark comes with an ACK (7.1). ``spurious``: a spurious loss follows a loss. ``probe``: probe
    timers expire (6.2.1). The ACK that reveals the last losses may be missing.
    """
    broken: set[str] = set()
    if any(isinstance(event, PersistentCongestion) for event in events) and persistent_congestion_given(events):
        broken.add("persistent")
    detector = _Detector()
    groups = [list(group) for _, group in groupby(events, key=lambda event: event.t_ns)]
    for group in groups:
        cut = group is groups[-1] and not any(isinstance(event, Ack) for event in group)
        broken.update(detector.broken(group, cut=cut))
    return frozenset(broken)


@dataclass(slots=True)
class _Detector:
    """The loss detector of a sender, which declares losses at the time of the ACK that reveals them."""

    ledger: Ledger = field(default_factory=Ledger)
    rtt: RttEstimator = field(default_factory=RttEstimator)
    largest: int = -1
    lost: bool = False
    last_sent_ns: int = 0

    def broken(self, group: Sequence[Event], *, cut: bool) -> Iterator[str]:
        """Process the events of one time; yield the rules that they break."""
        t_ns = group[0].t_ns
        if self.ledger.in_flight and t_ns - self.last_sent_ns > self._pto_ns() and not isinstance(group[0], Pto):
            yield "probe"
        if any(self._overdue(run, t_ns - 1) for run in self.ledger.in_flight):
            yield "threshold"
        for event in group:
            if isinstance(event, Ack):
                newest = max(run.last for run in event.packets) > self.largest
                if newest != (event.latest_rtt_ns is not None):
                    yield "sample"
                self.largest = max(self.largest, event.packets[-1].last)
                if event.latest_rtt_ns is not None:
                    self.rtt.sample(event.latest_rtt_ns, event.ack_delay_ns)
        if cut and self.ledger.in_flight:
            self.largest = max(self.largest, self.ledger.in_flight[-1].last)
        for event in group:
            yield from self._track_flight(event)
        if not cut and any(self._overdue(run, t_ns) for run in self.ledger.in_flight):
            yield "threshold"

    def _track_flight(self, event: Event) -> Iterator[str]:
        """Add the packets of an event to the packets in flight, or remove them."""
        match event:
            case Sent() | Pto():
                self.last_sent_ns = event.t_ns
                for run in event.packets if isinstance(event, Sent) else ():
                    self.ledger.send(run)
            case Lost():
                self.lost = True
                if not all(self._overdue(run, event.t_ns) for lost_run in event.packets for run in _ends(lost_run)):
                    yield "threshold"
            case Ce() if event.packet > self.largest:
                yield "mark"
            case SpuriousLoss() if not self.lost:
                yield "spurious"
            case _:
                pass
        for run in event.packets if isinstance(event, Ack | Lost) else ():
            self.ledger.take(run.first, run.last)

    def _overdue(self, run: Run, t_ns: int) -> bool:
        """Return whether the first packet of a run is lost by a threshold at a time."""
        if run.first >= self.largest:
            return False
        longest_ns = max(self.rtt.smoothed_ns or 0, self.rtt.latest_ns or 0)
        times, parts = _TIME_THRESHOLD
        late = longest_ns > 0 and t_ns - run.sent_t_ns >= max(times * longest_ns // parts, _GRANULARITY_NS)
        return run.first + _PACKET_THRESHOLD <= self.largest or late

    def _pto_ns(self) -> int:
        """Return the probe timeout."""
        if self.rtt.smoothed_ns is None:
            return _INITIAL_PTO_NS + _MAX_ACK_DELAY_NS
        return self.rtt.smoothed_ns + max(4 * self.rtt.variation_ns, _GRANULARITY_NS) + _MAX_ACK_DELAY_NS


def _ends(run: Run) -> tuple[Run, Run]:
    """Return the first and the last packet of a run."""
    return Run(run.first, run.first, run.size_bytes, run.sent_t_ns), Run(
        run.last, run.last, run.size_bytes, run.sent_t_ns
    )
