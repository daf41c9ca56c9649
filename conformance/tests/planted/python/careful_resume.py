"""Careful Resume, RFC 9959, over NewReno: only windows, without release times and the saved set."""

from newreno import Message, NewReno


class CarefulResume(NewReno):
    """A window equal to the threshold is in slow start, as in section 3.7."""

    def __init__(self, config: Message) -> None:
        super().__init__(config)
        self.initial, self.stage, self.used = self.cwnd, "normal", False
        self.saved: Message = {}
        self.latest: int | None = None
        self.lowest: int | None = None
        self.flight = self.waiting = self.unacked = self.entered = self.pipe = 0
        self.first_sent = self.initial_end = self.last_sent = self.highest_acked = -1
        self.first_unvalidated: int | None = None
        self.last_unvalidated: int | None = None

    def is_slow(self) -> bool:
        return self.ssthresh is None or self.cwnd <= self.ssthresh

    def observe(self, event: Message) -> Message:
        self.flight = event.get("bytes_in_flight", self.flight)
        if event["ev"] == "ack" and event["latest_rtt_ns"] is not None:
            self.latest = event["latest_rtt_ns"]
        if event["ev"] not in (
            "sent",
            "ack",
            "lost",
            "ce",
            "persistent_congestion",
            "saved_path",
            "backlog",
            "path_change",
        ):
            self.on_time(event)
        return super().observe(event)

    def on_saved_path(self, offer: Message) -> None:
        self.on_time(offer)
        usable = (
            offer["saved_cwnd_bytes"] and offer["saved_rtt_ns"] and offer["endpoint_matches"] and not offer["in_use"]
        )
        if self.stage == "normal" and not self.used and usable and not self.expired(offer, offer["t_ns"]):
            self.used, self.saved, self.stage = True, offer, "reconnaissance"

    def expired(self, offer: Message, now: int) -> bool:
        return offer["expires_t_ns"] is not None and now > offer["expires_t_ns"]

    def on_sent(self, event: Message) -> None:
        self.last_sent = event["packets"][-1][1]
        if self.stage == "reconnaissance":
            self.waiting = max(self.waiting - event["bytes"], 0)
            if self.first_sent < 0:
                self.first_sent = event["packets"][0][0]
            if self.initial_end < 0:
                self.unacked += sum(last - first + 1 for first, last, _ in event["packets"])
        elif self.stage == "unvalidated":
            if self.first_unvalidated is None:
                self.first_unvalidated = event["packets"][0][0]
            self.last_unvalidated = self.last_sent
            if self.flight + self.datagram > self.cwnd:
                self.end_unvalidated()
                return
        self.on_time(event)

    def on_backlog(self, event: Message) -> None:
        self.waiting = min(event["queued_bytes"], event["receive_window_bytes"])
        self.on_time(event)

    def on_time(self, event: Message) -> None:
        """Take decisions that depend only on the time, at any event."""
        if self.stage == "reconnaissance":
            confirmed = self.initial_end >= 0 and self.unacked == 0 and self.lowest is not None
            if self.expired(self.saved, event["t_ns"]):
                self.stage = "normal"
            elif confirmed and self.waiting > self.cwnd - self.flight:
                self.jump(event["t_ns"])
        elif self.stage == "unvalidated" and event["t_ns"] - self.entered > self.latest:
            self.end_unvalidated()

    def jump(self, now: int) -> None:
        window = self.saved["saved_cwnd_bytes"] // 2
        if self.saved["max_jump_bytes"] is not None:
            window = min(window, self.saved["max_jump_bytes"])
        if window <= self.cwnd:
            self.stage = "normal"
            return
        self.cwnd, self.pipe, self.entered, self.stage = window, self.flight, now, "unvalidated"

    def fits(self, low: int, high: int) -> bool:
        return 2 * low > self.saved["saved_rtt_ns"] and high <= 10 * self.saved["saved_rtt_ns"]

    def on_ack(self, event: Message) -> None:
        window, sample = self.cwnd, event["latest_rtt_ns"]
        super().on_ack(event)
        self.highest_acked = max(self.highest_acked, event["packets"][-1][1])
        self.pipe += event["bytes"]
        if self.stage == "reconnaissance":
            self.reconnoitre(event, sample)
        elif self.stage == "unvalidated":
            self.cwnd = window
            if sample is not None and not self.fits(sample, sample):
                self.retreat(event["t_ns"])
            elif self.first_unvalidated is not None and self.highest_acked >= self.first_unvalidated:
                self.end_unvalidated()
            else:
                self.on_time(event)
        elif self.stage == "validating":
            if self.highest_acked >= self.last_unvalidated:
                self.stage = "normal"
        elif self.stage == "safe_retreat":
            self.cwnd = window
            if self.highest_acked >= self.last_unvalidated:
                self.leave_retreat()

    def reconnoitre(self, event: Message, sample: int | None) -> None:
        if sample is not None:
            self.lowest = sample if self.lowest is None else min(self.lowest, sample)
        if 0 <= self.first_sent <= event["packets"][-1][1]:
            if self.initial_end < 0:
                self.initial_end = self.last_sent
            for first, last, *_ in event["packets"]:
                self.unacked -= max(min(last, self.initial_end) - max(first, self.first_sent) + 1, 0)
        if self.lowest is None or self.fits(self.lowest, self.latest):
            self.on_time(event)
        else:
            self.stage = "normal"

    def end_unvalidated(self) -> None:
        if self.flight < self.initial or self.flight <= self.pipe:
            self.cwnd, self.stage = max(self.pipe, self.initial), "normal"
        else:
            self.cwnd, self.stage = self.flight, "validating"

    def on_congestion(self, event: Message, sent: int) -> None:
        if self.stage in ("unvalidated", "validating"):
            self.retreat(event["t_ns"])
        elif self.stage != "safe_retreat":
            super().on_congestion(event, sent)
            self.stage = "normal"

    def retreat(self, now: int) -> None:
        self.cwnd = max(self.pipe // 2, 2 * self.datagram)
        self.recovery_start, self.in_recovery, self.stage = now, True, "safe_retreat"
        if self.last_unvalidated is None:
            self.last_unvalidated = self.last_sent

    def leave_retreat(self) -> None:
        bound = self.pipe * self.saved["beta_numerator"] // self.saved["beta_denominator"]
        self.ssthresh = bound if self.ssthresh is None else min(self.ssthresh, bound)
        self.stage = "normal"

    def on_persistent_congestion(self, event: Message) -> None:
        super().on_persistent_congestion(event)
        if self.stage == "safe_retreat":
            self.leave_retreat()
        self.stage = "normal"

    def on_path_change(self, event: Message) -> None:
        if self.stage == "reconnaissance":
            self.stage = "normal"
        elif self.stage == "unvalidated":
            self.retreat(event["t_ns"])
