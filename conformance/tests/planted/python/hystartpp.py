"""HyStart++, RFC 9406, over NewReno, in the first slow start of a connection."""

from newreno import Message, NewReno

MS = 10**6


class Paced(NewReno):
    """L is infinite."""

    limit: int | None = None

    def __init__(self, config: Message) -> None:
        super().__init__(config)
        self.window_end = 0
        self.last_min: int | None = None
        self.round_min: int | None = None
        self.samples = self.css_rounds = 0
        self.baseline: int | None = None
        self.in_css = False

    def on_ack(self, event: Message) -> None:
        if self.ssthresh is not None:
            super().on_ack(event)
            return
        ended = event["packets"][-1][1] >= self.window_end
        if ended:
            self.end_round(event)
        self.grow(event)
        if event["latest_rtt_ns"] is not None:
            self.on_sample(event["latest_rtt_ns"])
        if ended and self.in_css and self.css_rounds >= 5:
            self.ssthresh, self.in_css = self.cwnd, False

    def end_round(self, event: Message) -> None:
        self.window_end = event["next_packet"]
        self.last_min, self.round_min, self.samples = self.round_min, None, 0
        if self.in_css:
            self.css_rounds += 1

    def grow(self, event: Message) -> None:
        if event["app_limited"]:
            return
        acked = sum((last - first + 1) * size for first, last, size, sent in event["packets"] if not self.is_old(sent))
        if self.limit is not None:
            acked = min(acked, self.limit * self.datagram)
        if self.in_css:
            acked //= 4
        self.cwnd = min(self.cwnd + acked, 2**62 - 1)

    def on_sample(self, rtt: int) -> None:
        self.round_min = rtt if self.round_min is None else min(self.round_min, rtt)
        self.samples += 1
        if self.samples < 8:
            return
        if self.in_css:
            if self.round_min < self.baseline:
                self.in_css, self.baseline, self.css_rounds = False, None, 0
        elif self.last_min is not None:
            threshold = max(8 * 4 * MS, min(self.last_min, 8 * 16 * MS))
            if 8 * self.round_min >= 8 * self.last_min + threshold:
                self.in_css, self.baseline, self.css_rounds = True, self.round_min, 0

    def on_congestion(self, event: Message, sent: int) -> None:
        super().on_congestion(event, sent)
        self.in_css = self.in_css and self.ssthresh is None


class Unpaced(Paced):
    """L is eight datagrams."""

    limit = 8
