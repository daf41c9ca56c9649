"""The sender: asks the controller for the window, keeps the ledger, and makes every event. Losses are found in ``recovery``."""

from dataclasses import dataclass, field

from firstflight.delivery_rate import RateSampler
from firstflight.events import Ack, Backlog, Event, Run, SavedPath, Sent
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight_conformance.cases.ledger import Ledger, RttEstimator
from firstflight_conformance.simulator import recovery
from firstflight_conformance.simulator.in_loop import Answer, InLoop
from firstflight_conformance.simulator.links import transmission_ns
from firstflight_conformance.simulator.outbox import NamedOutbox, Outbox
from firstflight_conformance.simulator.transfer import Pacing, Transfer

INITIAL_RTT_NS = 333_000_000
#: The sample that a clock of coarse ticks gives where no tick has passed (ns-3).
LEAST_SAMPLE_NS = 1000


@dataclass(slots=True)
class Sender:
    """Everything the sender knows. ``answer`` is what the controller answered last; ``events`` stays empty unless ``keep_events``."""

    transfer: Transfer
    controller: InLoop
    keep_events: bool = True
    ledger: Ledger = field(default_factory=Ledger)
    rtt: RttEstimator = field(default_factory=RttEstimator)
    events: list[Event] = field(default_factory=list)
    outbox: Outbox = field(init=False)
    answer: Answer = field(init=False)
    receive_window_bytes: int | None = None
    largest_acked: int = -1
    app_limited_from: int | None = None
    release_ns: int = 0
    slow_start_end_ns: int | None = None
    first_sent_ns: int | None = None
    last_sent_ns: int = 0
    first_sample_ns: int | None = None
    probes: int = 0
    probe_timeouts: int = 0
    lost_packets: int = 0
    #: Of the packets sent last: those that repeat data, and whose.
    repeated: dict[int, int] = field(default_factory=dict)
    #: Set where samples are taken.
    sampler: RateSampler | None = None
    _begun: bool = False

    def __post_init__(self) -> None:
        """Take what there is to send, and the initial window from the controller."""
        transfer = self.transfer
        named = transfer.named_data
        self.outbox = NamedOutbox(transfer.transfer_bytes, transfer) if named else Outbox(transfer.transfer_bytes)
        self.answer = Answer(self.controller.initial_window_bytes)
        if transfer.samples_rate or self.controller.samples_rate:
            self.sampler = RateSampler()
        self.receive_window_bytes = transfer.receive_window_bytes
        if transfer.first_receive_window_bytes is not None:
            self.receive_window_bytes = transfer.first_receive_window_bytes

    @property
    def cwnd_bytes(self) -> int:
        """The congestion window now."""
        return self.answer.cwnd_bytes

    @property
    def window_bytes(self) -> int:
        """What may be in flight now."""
        if self.receive_window_bytes is None:
            return self.answer.cwnd_bytes
        return min(self.answer.cwnd_bytes, self.receive_window_bytes)

    @property
    def done(self) -> bool:
        """Whether all data is acknowledged."""
        return self.ledger.bytes_in_flight == 0 and self.outbox.empty

    def sample_handshake(self, now_ns: int, sent_ns: int) -> None:
        """Take the RTT sample of the handshake."""
        self._sample(now_ns, sent_ns, sent_ns, 0)

    def send(self, now_ns: int) -> list[Run]:
        """Send what the windows, the pacer and the data allow; return the packets."""
        if not self._begun:
            self._begin(now_ns)
        return self._send(now_ns, probing=False)

    def probe(self, now_ns: int) -> list[Run]:
        """Send one packet whatever the window says: new data, or that of the oldest packet (RFC 9002, section 6.2.4)."""
        self.check_app_limited()
        self.probes += 1
        self.probe_timeouts += 1
        self.outbox.probe(self.ledger.oldest)
        return self._send(now_ns, probing=True)

    def _send(self, now_ns: int, *, probing: bool) -> list[Run]:
        """Send what may leave now; the first packet whatever may, if it is ``probing``."""
        runs: list[Run] = []
        before_bytes = self.ledger.bytes_in_flight
        self.repeated.clear()
        full_bytes, paced = self.transfer.config.max_datagram_size_bytes, self._paced()
        while size_bytes := self.outbox.next_size_bytes(full_bytes):
            if probing and not runs:
                alike = 1
            elif paced:  # packets leave one by one
                alike = int(self.release_ns <= now_ns and self._fits(size_bytes))
            else:
                alike = self.outbox.count_alike(size_bytes, self._room_bytes() // size_bytes)
            if alike <= 0:
                break
            self._append(runs, size_bytes, alike, now_ns)
            if paced:
                self._hold_back(size_bytes, now_ns)
            if self.answer.next_release_ns is not None:  # the controller says when the next one may leave
                size_bytes = self.outbox.next_size_bytes(full_bytes)
                break
        if runs:
            nothing_left = size_bytes == 0
            sent_bytes = self.ledger.bytes_in_flight - before_bytes
            self._record_sent(runs, now_ns, sent_bytes, limited=nothing_left and self._fits(full_bytes))
        return runs

    def _record_sent(self, runs: list[Run], now_ns: int, sent_bytes: int, *, limited: bool) -> None:
        self.app_limited_from = runs[0].first if limited else None
        self.last_sent_ns = now_ns
        if self.first_sent_ns is None:
            self.first_sent_ns = now_ns
        in_flight_bytes = self.ledger.bytes_in_flight
        self.record(Sent(now_ns, tuple(runs), sent_bytes, in_flight_bytes, limited, _ranges(self.repeated)))

    def _begin(self, now_ns: int) -> None:
        """Offer the saved set before anything else, and say how much data waits."""
        self._begun = True
        transfer = self.transfer
        if transfer.saved_cwnd_bytes is not None:
            saved_bytes, rtt_ns = transfer.saved_cwnd_bytes, transfer.saved_rtt_ns
            self.record(SavedPath(now_ns, saved_bytes, rtt_ns, True, False, None, None, 1, 2))
        if transfer.saved_cwnd_bytes is not None or transfer.announced:
            waiting_bytes = WINDOW_MAX_BYTES if transfer.transfer_bytes is None else transfer.transfer_bytes
            allowed_bytes = transfer.receive_window_bytes
            allowed_bytes = WINDOW_MAX_BYTES if allowed_bytes is None else allowed_bytes
            self.record(Backlog(now_ns, waiting_bytes, allowed_bytes, self.rtt.latest_ns))

    def _room_bytes(self) -> int:
        return self.window_bytes - self.ledger.bytes_in_flight

    def _fits(self, size_bytes: int) -> bool:
        return size_bytes <= self._room_bytes()

    def _paced(self) -> bool:
        return self.answer.next_release_ns is not None or self.transfer.pacing is not Pacing.NONE

    def wants_pacer(self) -> bool:
        """Return whether only the pacer holds a packet back."""
        if not self._paced():
            return False
        size_bytes = self.outbox.next_size_bytes(self.transfer.config.max_datagram_size_bytes)
        return size_bytes > 0 and self._fits(size_bytes)

    def _append(self, runs: list[Run], size_bytes: int, count: int, now_ns: int) -> None:
        """Send packets of one size, which become one run with those before them if these have that size as well."""
        packet = self.ledger.next_packet
        name = self.outbox.take(packet, size_bytes, count)
        if name is not None:
            self.repeated[packet] = name
        run = Run(packet, packet + count - 1, size_bytes, now_ns)
        if self.keep_events:  # recorded ACKs name packet by packet, as the vectors do
            for number in range(packet, packet + count):
                self.ledger.send(Run(number, number, size_bytes, now_ns))
        else:
            self.ledger.send(run)
        if runs and runs[-1].size_bytes == size_bytes:
            runs[-1] = Run(runs[-1].first, run.last, size_bytes, now_ns)
        else:
            runs.append(run)

    def _hold_back(self, size_bytes: int, now_ns: int) -> None:
        """Say when the packet after one that left now may leave."""
        if self.transfer.pacing is Pacing.TIMER:
            self.release_ns = now_ns + transmission_ns(size_bytes, self._rate_bps())
            return
        rtt_ns = INITIAL_RTT_NS if self.rtt.smoothed_ns is None else self.rtt.smoothed_ns
        self.release_ns = max(self.release_ns, now_ns) - (-4 * size_bytes * rtt_ns // (5 * max(self.cwnd_bytes, 1)))

    def _rate_bps(self) -> int:
        """Return 6/5 of a window per smoothed RTT, cut off to whole bit/s.

        The one place with floating point: in double precision, as ns-3 computes it, whole rates come out one lower.
        """
        rtt_ns = INITIAL_RTT_NS if self.rtt.smoothed_ns is None else self.rtt.smoothed_ns
        return max(int(8 * self.cwnd_bytes * 1.2 / (rtt_ns / 1e9)), 1)

    def on_ack(self, now_ns: int, ranges: list[tuple[int, int]], ack_delay_ns: int) -> None:
        """Process an ACK frame: losses first, then what it acknowledges (RFC 9002, appendix A.7)."""
        self.check_app_limited()
        self.receive_window_bytes = self.transfer.receive_window_bytes
        before_bytes = self.ledger.bytes_in_flight
        acked = [run for first, last in ranges for run in self.ledger.take_what_is_there(first, last)]
        acked_bytes = before_bytes - self.ledger.bytes_in_flight
        self.outbox.acked(ranges, acked_bytes)
        if not acked:
            return  # all of it was declared lost before
        latest_ns = None
        if acked[-1].last > self.largest_acked:
            self.largest_acked = acked[-1].last
            latest_ns = self._sample(now_ns, acked[-1].sent_t_ns, acked[0].sent_t_ns, ack_delay_ns)
        self.probes = 0
        recovery.detect_losses(self, now_ns, acked_bytes)
        limited = self.app_limited_from is not None and acked[-1].last >= self.app_limited_from
        self.record(
            Ack(
                now_ns, tuple(acked), acked_bytes, self.ledger.bytes_in_flight, self.ledger.next_packet, limited,
                latest_ns, self.rtt.min_ns, self.rtt.smoothed_ns, ack_delay_ns,
                self.outbox.oldest_unacked(self.ledger.next_packet),
            )
        )  # fmt: skip

    def _sample(self, now_ns: int, sent_ns: int, oldest_ns: int, ack_delay_ns: int) -> int:
        """Take an RTT sample and return it: from exact times, or from timestamps, which the oldest packet of an ACK carries."""
        if self.first_sample_ns is None:
            self.first_sample_ns = now_ns
        tick_ns = self.transfer.rtt_tick_ns
        if tick_ns is None:
            latest_ns = now_ns - sent_ns
        else:
            latest_ns = (now_ns // tick_ns - oldest_ns // tick_ns) * tick_ns or LEAST_SAMPLE_NS
            ack_delay_ns = 0
        self.rtt.sample(latest_ns, ack_delay_ns)
        return latest_ns

    def check_app_limited(self) -> None:
        """Look whether the application holds the sender back: at the beginning of an ACK or of a timer."""
        in_flight_bytes = self.ledger.bytes_in_flight
        if self.sampler is not None and in_flight_bytes < self.cwnd_bytes and self.outbox.next_size_bytes(1) == 0:
            self.sampler.hold_back(in_flight_bytes)

    def record(self, event: Event) -> None:
        """Tell the controller of an event, with its sample where it asks for samples."""
        if self.sampler is not None:
            event = self.sampler.sampled(event)
        if self.keep_events:
            self.events.append(event)
        answer = self.answer = self.controller.on_event(event)
        if answer.next_release_ns is not None:
            self.release_ns = answer.next_release_ns
        if self.slow_start_end_ns is None and not answer.in_slow_start:
            self.slow_start_end_ns = event.t_ns


def _ranges(repeated: dict[int, int]) -> tuple[tuple[int, int], ...]:
    """Return whose data is repeated as ranges, in the order of the packets."""
    ranges: list[tuple[int, int]] = []
    for packet in repeated.values():
        if ranges and ranges[-1][1] == packet - 1:
            ranges[-1] = (ranges[-1][0], packet)
        else:
            ranges.append((packet, packet))
    return tuple(ranges)
