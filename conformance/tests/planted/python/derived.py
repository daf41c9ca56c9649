"""NewReno that counts ACKs, and NewReno that detects application limits and persistent congestion by itself."""

from newreno import Message, NewReno

MS = 10**6


class AckCounting(NewReno):
    """RFC 5681, section 3.1, equations 2 and 3."""

    def on_ack(self, event: Message) -> None:
        acked = sum((last - first + 1) * size for first, last, size, sent in event["packets"] if not self.is_old(sent))
        self.in_recovery = self.in_recovery and acked == 0
        if event["app_limited"] or not acked:
            return
        share = max(self.datagram**2 // self.cwnd, 1)
        self.cwnd = min(self.cwnd + (min(acked, self.datagram) if self.is_slow() else share), 2**62 - 1)


class Derived(NewReno):
    """An ACK is app-limited beyond the last packet that left half of cwnd, or later cwnd - 2 datagrams, in flight."""

    def __init__(self, config: Message) -> None:
        super().__init__(config)
        self.used_before = 0
        self.flight = 0
        self.first_sample: int | None = None
        self.variation = 0
        self.smoothed = 0

    def on_sent(self, event: Message) -> None:
        self.flight = event["bytes_in_flight"]
        least = self.cwnd // 2 if self.is_slow() else self.cwnd - 2 * self.datagram
        if self.flight >= least:
            self.used_before = event["packets"][-1][1] + 1

    def on_ack(self, event: Message) -> None:
        limited = event["packets"][-1][1] >= self.used_before
        super().on_ack(event | {"app_limited": limited})
        self.flight = event["bytes_in_flight"]
        self.on_sample(event)

    def on_sample(self, event: Message) -> None:
        latest, smoothed = event["latest_rtt_ns"], event["smoothed_rtt_ns"]
        if latest is None:
            return
        if self.first_sample is None:
            self.first_sample, self.variation = event["t_ns"], latest // 2
        else:
            delay = event["ack_delay_ns"]
            adjusted = latest - delay if latest - delay >= event["min_rtt_ns"] else latest
            self.variation = (3 * self.variation + abs(self.smoothed - adjusted)) // 4
        self.smoothed = smoothed

    def on_lost(self, event: Message) -> None:
        self.flight = event["bytes_in_flight"]
        super().on_lost(event)
        if self.first_sample is None:
            return
        longest = 3 * (self.smoothed + max(4 * self.variation, MS) + 25 * MS)
        oldest = before = None
        for first, last, _, sent in event["packets"]:
            if before is None or first != before + 1:
                oldest = None
            before = last
            if sent > self.first_sample:
                oldest = sent if oldest is None else oldest
                if sent - oldest > longest:
                    self.collapse()

    def collapse(self) -> None:
        self.cwnd, self.recovery_start, self.in_recovery = 2 * self.datagram, None, False

    def on_persistent_congestion(self, _: Message) -> None:
        """Do nothing: this controller detects persistent congestion by itself."""
