"""A toy controller in the place of yours."""


class NewReno:
    """RFC 9002, section 7 and appendix B. ``app_limited_grows`` is a mistake, planted for the test."""

    def __init__(self, case, app_limited_grows=False):
        self.datagram = case["max_datagram_size_bytes"]
        self.cwnd = case["initial_window_bytes"] or min(10 * self.datagram, max(14720, 2 * self.datagram))
        self.ssthresh = None
        self.recovery_start = 0
        self.app_limited_grows = app_limited_grows

    def on_event(self, event):
        kind = event["ev"]
        if kind == "ack" and (self.app_limited_grows or not event["app_limited"]):
            for first, last, size, sent in event["packets"]:
                for _ in range(first, last + 1):
                    self.on_packet_acked(size, sent)
        elif kind == "lost":
            self.on_congestion(max(sent for *_, sent in event["packets"]), event["t_ns"])
        elif kind == "ce":
            self.on_congestion(event["sent_t_ns"], event["t_ns"])
        elif kind == "persistent_congestion":
            self.cwnd, self.recovery_start = 2 * self.datagram, 0
        return {"cwnd_bytes": self.cwnd, "ssthresh_bytes": self.ssthresh}

    def on_packet_acked(self, size, sent):
        if sent > self.recovery_start:
            slow_start = self.ssthresh is None or self.cwnd < self.ssthresh
            self.cwnd = min(self.cwnd + (size if slow_start else self.datagram * size // self.cwnd), 2**62 - 1)

    def on_congestion(self, sent, now):
        if sent > self.recovery_start:
            self.recovery_start, self.ssthresh = now, self.cwnd // 2
            self.cwnd = max(self.ssthresh, 2 * self.datagram)
