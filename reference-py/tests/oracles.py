"""Second implementations in the simplest form: packet by packet, with fractions, with bins never overwritten."""

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

from firstflight import Ack, Ce, Config, Event, Lost, Outcome, PersistentCongestion
from firstflight.limits import WINDOW_MAX_BYTES


@dataclass
class NewReno:
    """The pseudocode of RFC 9002, appendix B."""

    config: Config
    cwnd: int = 0
    ssthresh: int | None = None
    recovery_start_ns: int | None = None

    def __post_init__(self) -> None:
        size = self.config.max_datagram_size_bytes
        initial = self.config.initial_window_bytes
        self.cwnd = min(10 * size, max(14720, 2 * size)) if initial is None else initial

    def process(self, event: Event) -> None:
        """Process an event."""
        match event:
            case Ack() if not event.app_limited:
                for run in event.packets:
                    for _ in range(run.count):
                        self._on_packet_acked(run.size_bytes, run.sent_t_ns)
            case Lost():
                self._on_congestion(event.t_ns, max(run.sent_t_ns for run in event.packets))
            case Ce():
                self._on_congestion(event.t_ns, event.sent_t_ns)
            case PersistentCongestion():
                self.cwnd, self.recovery_start_ns = 2 * self.config.max_datagram_size_bytes, None

    def _in_recovery(self, sent_t_ns: int) -> bool:
        return self.recovery_start_ns is not None and sent_t_ns <= self.recovery_start_ns

    def _on_packet_acked(self, size: int, sent_t_ns: int) -> None:
        if self._in_recovery(sent_t_ns):
            return
        if self.ssthresh is None or self.cwnd < self.ssthresh:
            self.cwnd += size
        elif self.cwnd:
            self.cwnd += self.config.max_datagram_size_bytes * size // self.cwnd
        self.cwnd = min(self.cwnd, WINDOW_MAX_BYTES)

    def _on_congestion(self, now_ns: int, sent_t_ns: int) -> None:
        if not self._in_recovery(sent_t_ns):
            self.recovery_start_ns = now_ns
            self.ssthresh = self.cwnd // 2
            self.cwnd = max(self.ssthresh, 2 * self.config.max_datagram_size_bytes)


@dataclass
class Bins:
    """SEARCH of either profile on ACKs that all arrive in slow start. Every bin is kept."""

    literal: bool
    initial_rtt_ns: int = 0
    start_ns: int = 0
    rtt_ns: int = 0
    curr: int = 0
    bins: dict[int, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def bin_ns(self) -> Fraction:
        """Return the bin duration."""
        return Fraction(7, 20) * self.initial_rtt_ns

    def process(self, ack: Ack) -> tuple[Outcome, int, int]:
        """Process an ACK; return the outcome and the sums of the later and the earlier window, 0 if not computed."""
        if ack.latest_rtt_ns is not None:
            self.rtt_ns = max(ack.latest_rtt_ns, 1)
        if self.initial_rtt_ns == 0:
            if self.rtt_ns == 0:
                return Outcome.NO_RTT_SAMPLE, 0, 0
            self.initial_rtt_ns = self.rtt_ns
            self.start_ns = ack.t_ns
            self.bins[0] = ack.bytes
            return Outcome.STARTED, 0, 0
        result = Outcome.SAME_BIN, 0, 0
        if ack.t_ns > self.start_ns + (self.curr + 1) * self.bin_ns:
            # The bin i covers the times above start + i bins, up to start + (i + 1) bins.
            covering = -((self.start_ns - ack.t_ns) // self.bin_ns) - 1
            self.curr = self.curr + 1 if self.literal else covering
            result = self._evaluate()
        self.bins[self.curr] += ack.bytes
        return result

    def overshoot(self, ack: Ack) -> int:
        """Return the number of bytes that the last ACK subtracts from the window if it ended slow start."""
        return self._sum(self.curr - (5 if self.literal else 6), self.curr) - ack.bytes

    def _evaluate(self) -> tuple[Outcome, int, int]:
        quotient = self.rtt_ns / self.bin_ns
        if self.literal:
            shift, most, first = int(quotient // 1), 15, 10
        else:
            shift, most, first = max(-int((Fraction(1, 2) - quotient) // 1), 1), 14, 11
        earlier = self.curr - shift
        if earlier < first:
            return Outcome.WARMING_UP, 0, 0
        if shift > most:
            return Outcome.RTT_INFLATED, 0, 0
        open_bins = 1 if self.literal else 0
        current = self._sum(self.curr - 10, self.curr - 1 + open_bins)
        # A ring of 25 does not include the oldest bin at a shift of 15.
        previous = self._sum(max(earlier - 10, self.curr - 24), earlier - 1 + open_bins)
        if previous == 0:
            return Outcome.PREVIOUS_ZERO, current, previous
        ended = Fraction(2 * previous - current, 2 * previous) >= Fraction(7, 20)
        return Outcome.EXITED if ended else Outcome.BELOW_THRESHOLD, current, previous

    def _sum(self, first: int, last: int) -> int:
        return sum(self.bins[index] for index in range(first, last + 1))
