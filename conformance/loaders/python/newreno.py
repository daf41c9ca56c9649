"""A toy controller in the place of yours."""


class NewReno:
    """RFC 9002, section 7 and appendix B. The mistakes are planted for the test: ``app_limited_grows``, ``stays_in_recovery``."""

    def __init__(self, case, app_limited_grows=False, stays_in_recovery=False):
        self.datagram = case["max_datagram_size_bytes"]
        self.configured = case["initial_window_bytes"]
        self.cwnd = self.configured or self.initial_window()
        self.path_start = 0
        self.ssthresh = None
        self.recovery_start = 0
        self.in_recovery = False
        self.app_limited_grows, self.stays_in_recovery = app_limited_grows, stays_in_recovery

    def on_event(self, event):
        kind = event["ev"]
        if kind == "ack" and not event.get("not_in_flight"):
            for first, last, size, sent in event["packets"]:
                if sent > self.recovery_start and not self.stays_in_recovery:
                    self.in_recovery = False
                for _ in range(first, last + 1) if self.app_limited_grows or not event["app_limited"] else ():
                    self.on_packet_acked(size, sent)
        elif kind == "lost" and not event.get("pmtu_probe"):  # ignore lost PMTU probes
            self.on_congestion(max(sent for *_, sent in event["packets"]), event["t_ns"])
        elif kind == "ce":
            self.on_congestion(event["sent_t_ns"], event["t_ns"])
        elif kind == "persistent_congestion":
            self.cwnd, self.recovery_start, self.in_recovery = 2 * self.datagram, 0, False
        elif kind == "path_change":
            self.cwnd, self.ssthresh = self.configured or self.initial_window(), None
            self.recovery_start, self.in_recovery = 0, False
            self.path_start = event["t_ns"]
        elif kind == "datagram_size":
            smaller, self.datagram = event["max_datagram_size_bytes"] < self.datagram, event["max_datagram_size_bytes"]
            self.cwnd = min(self.cwnd, self.initial_window()) if smaller and event["handshake"] else self.cwnd
        phase = "recovery" if self.in_recovery else "slow_start" if self.is_in_slow_start() else "congestion_avoidance"
        return {
            "cwnd_bytes": self.cwnd,
            "ssthresh_bytes": self.ssthresh,
            "phase": phase,
            "recovery_start_ns": self.recovery_start or None,
        }

    def initial_window(self):
        return min(10 * self.datagram, max(14720, 2 * self.datagram))

    def is_in_slow_start(self):
        return self.ssthresh is None or self.cwnd < self.ssthresh

    def is_old(self, sent):
        return sent <= max(self.recovery_start, self.path_start)

    def on_packet_acked(self, size, sent):
        if not self.is_old(sent):
            growth = size if self.is_in_slow_start() else self.datagram * size // self.cwnd
            self.cwnd = min(self.cwnd + growth, 2**62 - 1)

    def on_congestion(self, sent, now):
        if not self.is_old(sent):
            self.recovery_start, self.ssthresh, self.in_recovery = now, self.cwnd // 2, True
            self.cwnd = max(self.ssthresh, 2 * self.datagram)
