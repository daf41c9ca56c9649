"""SEARCH, draft-chung-ccwg-search-09, over NewReno."""

from newreno import Message, NewReno

SLOTS = 32  # more bins than an evaluation reads
TICKS = 20  # in a ns, so that a bin of 0.35 RTT is a whole number of ticks


class Counter:
    """A count of bytes, and its value at the start of each of the last bins. Bins before bin 0 are empty."""

    def __init__(self) -> None:
        self.total = 0
        self.at = [0] * SLOTS

    def bins(self, before: int, count: int) -> int:
        """Return the bytes of the last ``count`` bins before a bin."""
        return self.at[before % SLOTS] - self.at[(before - count) % SLOTS]

    def advance(self, number: int, ended: int) -> None:
        """End bins; the last of them has all bytes counted since the start of the open bin."""
        for i in range(max(1, ended - SLOTS), ended):
            self.at[(number + i) % SLOTS] = self.at[number % SLOTS]
        self.at[(number + ended) % SLOTS] = self.total


class Search(NewReno):
    """Slow start ends when the delivered bytes fall behind the bytes sent an RTT earlier."""

    def __init__(self, config: Message) -> None:
        super().__init__(config)
        self.latest: int | None = None
        self.started = self.over = self.draining = False
        self.bin = self.bin_end = self.open = self.target = self.drained = 0
        self.sent, self.delivered = Counter(), Counter()

    def searches(self) -> bool:
        return self.is_slow() and not self.in_recovery

    def on_sent(self, event: Message) -> None:
        if self.started and self.searches():
            self.sent.total += event["bytes"]

    def on_ack(self, event: Message) -> None:
        if event["latest_rtt_ns"] is not None:
            self.latest = event["latest_rtt_ns"]
        if self.searches() and not self.over:
            if self.draining:
                self.drain(event)
                return
            if self.leaves(event):
                self.draining, self.drained = True, 0
                self.target = max(self.delivered.bins(self.open, 3), 10 * self.datagram)
                return
        super().on_ack(event)

    def leaves(self, event: Message) -> bool:
        """Count an ACK, and return whether slow start ends with it."""
        now = TICKS * event["t_ns"]
        if not self.started:
            if self.latest is not None:
                self.start(now)
            return False
        self.delivered.total += event["bytes"]
        if now <= self.bin_end:
            return False
        ended = (now - self.bin_end) // self.bin + 1
        self.sent.advance(self.open, ended)
        self.delivered.advance(self.open, ended)
        self.open += ended
        self.bin_end += ended * self.bin
        return self.evaluate()

    def start(self, now: int) -> None:
        self.started, self.bin, self.open = True, 7 * max(1, self.latest), 0
        self.bin_end = now + self.bin
        self.sent, self.delivered = Counter(), Counter()

    def evaluate(self) -> bool:
        shift, rest = divmod(TICKS * max(1, self.latest), self.bin)
        earlier = self.open - shift
        if earlier <= 10 or shift > 14:
            return False
        current = self.delivered.bins(self.open, 10) * self.bin
        previous = self.sent.bins(earlier, 10) * (self.bin - rest) + self.sent.bins(earlier - 1, 10) * rest
        return previous > 0 and 37 * previous >= 50 * current

    def drain(self, event: Message) -> None:
        self.drained += sum(last - first + 1 for first, last, *_ in event["packets"])
        leave, self.drained = divmod(self.drained, 3)
        self.cwnd = max(event["bytes_in_flight"] + leave * self.datagram, self.target)
        if self.cwnd == self.target:
            self.ssthresh, self.draining, self.over = self.target, False, True

    def on_persistent_congestion(self, event: Message) -> None:
        super().on_persistent_congestion(event)
        self.started = self.draining = self.over = False
