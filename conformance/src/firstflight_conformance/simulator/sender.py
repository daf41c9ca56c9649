"""The sender: asks the controller for the window, keeps the ledger, finds losses, and records every event."""

from dataclasses import dataclass, field

from firstflight.events import Ack, Backlog, Event, Lost, Run, SavedPath, Sent
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight_conformance.ledger import Ledger, RttEstimator
from firstflight_conformance.simulator.in_loop import Answer, InLoop
from firstflight_conformance.simulator.scenario import Scenario

PACKET_THRESHOLD = 3
TIME_THRESHOLD = (9, 8)
INITIAL_RTT_NS = 333_000_000


@dataclass(slots=True)
class Sender:
    """Everything the sender knows. ``answer`` is what the controller answered last."""

    scenario: Scenario
    controller: InLoop
    ledger: Ledger = field(default_factory=Ledger)
    rtt: RttEstimator = field(default_factory=RttEstimator)
    events: list[Event] = field(default_factory=list)
    answer: Answer = field(init=False)
    left_bytes: int | None = None
    largest_acked: int = -1
    app_limited_from: int | None = None
    release_ns: int = 0
    slow_start_end_ns: int | None = None

    def __post_init__(self) -> None:
        """Take what there is to send from the scenario, and the initial window from the controller."""
        self.left_bytes = self.scenario.transfer_bytes
        self.answer = Answer(self.controller.initial_window_bytes)

    @property
    def cwnd_bytes(self) -> int:
        """The congestion window now."""
        return self.answer.cwnd_bytes

    @property
    def done(self) -> bool:
        """Whether all data is acknowledged."""
        return self.left_bytes == 0 and self.ledger.bytes_in_flight == 0

    def send(self, now_ns: int) -> list[Run]:
        """Send what the window, the pacer and the data allow; return the packets."""
        self._offer(now_ns)
        runs: list[Run] = []
        while self._may_send(now_ns):
            self._append_packet(runs, now_ns)
            if self._paced_by_controller():
                break  # the controller says when the next one may leave
        if runs:
            limited = self.left_bytes == 0 and self._fits(self.scenario.config.max_datagram_size_bytes)
            self.app_limited_from = runs[0].first if limited else None
            total = sum(run.count * run.size_bytes for run in runs)
            self._record(Sent(now_ns, tuple(runs), total, self.ledger.bytes_in_flight, limited))
        return runs

    def _offer(self, now_ns: int) -> None:
        """Offer the saved set before anything else, and say how much data waits."""
        if self.scenario.saved_cwnd_bytes is None or self.events:
            return
        link = self.scenario.link
        rtt_ns = link.forward_delay_ns + link.return_delay_ns
        waiting_bytes = WINDOW_MAX_BYTES if self.left_bytes is None else self.left_bytes
        self._record(SavedPath(now_ns, self.scenario.saved_cwnd_bytes, rtt_ns, True, False, None, None, 1, 2))
        self._record(Backlog(now_ns, waiting_bytes, WINDOW_MAX_BYTES, None))

    def _paced_by_controller(self) -> bool:
        return self.answer.next_release_ns is not None

    def _fits(self, size_bytes: int) -> bool:
        return self.ledger.bytes_in_flight + size_bytes <= self.cwnd_bytes

    def _next_size_bytes(self) -> int:
        full = self.scenario.config.max_datagram_size_bytes
        return full if self.left_bytes is None else min(full, self.left_bytes)

    def _may_send(self, now_ns: int) -> bool:
        size_bytes = self._next_size_bytes()
        paced = self.scenario.paced or self._paced_by_controller()
        return size_bytes > 0 and self._fits(size_bytes) and (not paced or self.release_ns <= now_ns)

    def wants_pacer(self) -> bool:
        """Return whether only the pacer holds a packet back."""
        size_bytes = self._next_size_bytes()
        paced = self.scenario.paced or self._paced_by_controller()
        return paced and size_bytes > 0 and self._fits(size_bytes)

    def _append_packet(self, runs: list[Run], now_ns: int) -> None:
        size_bytes = self._next_size_bytes()
        packet = self.ledger.next_packet
        self.ledger.send(Run(packet, packet, size_bytes, now_ns))
        if runs and runs[-1].size_bytes == size_bytes:
            runs[-1] = Run(runs[-1].first, packet, size_bytes, now_ns)
        else:
            runs.append(Run(packet, packet, size_bytes, now_ns))
        if self.left_bytes is not None:
            self.left_bytes -= size_bytes
        rtt_ns = INITIAL_RTT_NS if self.rtt.smoothed_ns is None else self.rtt.smoothed_ns
        self.release_ns = max(self.release_ns, now_ns) - (-4 * size_bytes * rtt_ns // (5 * max(self.cwnd_bytes, 1)))

    def on_ack(self, now_ns: int, ranges: list[tuple[int, int]], ack_delay_ns: int) -> None:
        """Process an ACK frame: losses first, then what it acknowledges (RFC 9002, appendix A.7)."""
        ranges = [part for first, last in ranges for part in self._still_in_flight(first, last)]
        if not ranges:
            return
        acked = [run for first, last in ranges for run in self.ledger.take(first, last)]
        acked_bytes = sum(run.count * run.size_bytes for run in acked)
        latest_ns = None
        if acked[-1].last > self.largest_acked:
            self.largest_acked = acked[-1].last
            latest_ns = now_ns - acked[-1].sent_t_ns
            self.rtt.sample(latest_ns, ack_delay_ns)
        self.detect_losses(now_ns, acked_bytes)
        limited = self.app_limited_from is not None and acked[-1].last >= self.app_limited_from
        self._record(
            Ack(
                now_ns, tuple(acked), acked_bytes, self.ledger.bytes_in_flight, self.ledger.next_packet, limited,
                latest_ns, self.rtt.min_ns, self.rtt.smoothed_ns, ack_delay_ns,
            )
        )  # fmt: skip

    def _still_in_flight(self, first: int, last: int) -> list[tuple[int, int]]:
        """Return the parts of a range that were not declared lost before."""
        parts = [
            (max(first, run.first), min(last, run.last))
            for run in self.ledger.in_flight
            if run.first <= last and run.last >= first
        ]
        merged: list[tuple[int, int]] = []
        for part in parts:
            if merged and merged[-1][1] == part[0] - 1:
                merged[-1] = (merged[-1][0], part[1])
            else:
                merged.append(part)
        return merged

    def loss_delay_ns(self) -> int:
        """Return how long a packet may be overdue, in ns (RFC 9002, section 6.1.2)."""
        numerator, denominator = TIME_THRESHOLD
        return numerator * max(self.rtt.latest_ns or 0, self.rtt.smoothed_ns or 0) // denominator

    def detect_losses(self, now_ns: int, acked_bytes: int = 0) -> None:
        """Declare packets lost. ``acked_bytes`` are gone from the ledger but still in flight for the controller."""
        lost_runs = [
            run
            for run in self._older_than_largest()
            if run.last + PACKET_THRESHOLD <= self.largest_acked or run.sent_t_ns + self.loss_delay_ns() <= now_ns
        ]
        if not lost_runs:
            return
        lost = [run for gone in lost_runs for run in self.ledger.take(gone.first, gone.last)]
        lost_bytes = sum(run.count * run.size_bytes for run in lost)
        if self.left_bytes is not None:
            self.left_bytes += lost_bytes
        in_flight_bytes = self.ledger.bytes_in_flight + acked_bytes
        self._record(Lost(now_ns, tuple(lost), lost_bytes, in_flight_bytes, self.ledger.next_packet))

    def _older_than_largest(self) -> list[Run]:
        """Return the packets in flight below the largest acknowledged, one to a run where they border on the threshold."""
        border = self.largest_acked - PACKET_THRESHOLD
        parts = []
        for run in self.ledger.in_flight:
            last = min(run.last, self.largest_acked)
            if run.first > last:
                break
            if run.first <= border < last:
                parts += [_part(run, run.first, border), _part(run, border + 1, last)]
            else:
                parts.append(_part(run, run.first, last))
        return parts

    def loss_timer_ns(self) -> int | None:
        """Return when the oldest packet below the largest acknowledged becomes overdue."""
        older = self._older_than_largest()
        return min(run.sent_t_ns for run in older) + self.loss_delay_ns() if older else None

    def _record(self, event: Event) -> None:
        self.events.append(event)
        self.answer = self.controller.on_event(event)
        if self.answer.next_release_ns is not None:
            self.release_ns = self.answer.next_release_ns
        if self.slow_start_end_ns is None and not self.answer.in_slow_start:
            self.slow_start_end_ns = event.t_ns


def _part(run: Run, first: int, last: int) -> Run:
    return Run(first, last, run.size_bytes, run.sent_t_ns)
