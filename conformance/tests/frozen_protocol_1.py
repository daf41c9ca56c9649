"""An adapter of protocol 1 as of July 2026, not to be changed: NewReno that refuses unknown members of events.

The adapter appends each received event to the file in its argument.
"""

import json
import sys
from pathlib import Path

EVENTS = {
    "sent": {"packets", "bytes", "bytes_in_flight", "app_limited", "retransmits"},
    "ack": {
        "packets", "bytes", "bytes_in_flight", "next_packet", "app_limited", "latest_rtt_ns", "min_rtt_ns", "smoothed_rtt_ns",
        "ack_delay_ns", "oldest_unacked_packet",
    },
    "lost": {"packets", "bytes", "bytes_in_flight", "next_packet"},
    "ce": {"packet", "sent_t_ns", "ce_count"},
    "persistent_congestion": set(),
    "pto": set(),
    "backlog": {"queued_bytes", "receive_window_bytes", "latest_rtt_ns"},
    "idle_restart": set(),
    "path_change": set(),
    "spurious_loss": set(),
}  # fmt: skip
HELLO = {
    "op": "hello", "protocol": 1, "name": "frozen", "version": "1", "algorithms": {"slow-start": ["rfc-9002"]},
    "observables": ["cwnd_bytes"],
}  # fmt: skip


class NewReno:
    """RFC 9002, appendix B."""

    def __init__(self, max_datagram_size_bytes, initial_window_bytes):
        self.datagram, self.minimum = max_datagram_size_bytes, 2 * max_datagram_size_bytes
        self.cwnd = int(initial_window_bytes or min(10 * self.datagram, max(14720, self.minimum)))
        self.ssthresh, self.recovery_start = float("inf"), None

    def in_recovery(self, sent_time):
        return self.recovery_start is not None and sent_time <= self.recovery_start

    def on_packet_acked(self, size, sent_time):
        if not self.in_recovery(sent_time):
            growth = size if self.cwnd < self.ssthresh else self.datagram * size // self.cwnd
            self.cwnd = min(self.cwnd + growth, 2**62 - 1)

    def on_congestion(self, now, sent_time):
        if not self.in_recovery(sent_time):
            self.recovery_start, self.ssthresh = now, self.cwnd // 2
            self.cwnd = max(self.ssthresh, self.minimum)

    def process(self, event):
        kind, now = event["ev"], int(event["t_ns"])
        if kind == "ack" and not event["app_limited"]:
            for first, last, size, sent_time in event["packets"]:
                for _ in range(first, last + 1):
                    self.on_packet_acked(size, int(sent_time))
        elif kind == "lost":
            self.on_congestion(now, max(int(sent_time) for *_, sent_time in event["packets"]))
        elif kind == "ce":
            self.on_congestion(now, int(event["sent_t_ns"]))
        elif kind == "persistent_congestion":
            self.recovery_start, self.cwnd = None, self.minimum


def answer(message, log):
    global newreno
    if message["op"] == "hello":
        assert message == {"op": "hello", "protocol": 1}, message
        return HELLO
    if message["op"] == "start":
        if (message["algorithm"], message["profile"]) != ("slow-start", "rfc-9002"):
            return {"op": "unsupported", "reason": "only slow-start/rfc-9002"}
        newreno = NewReno(**message["config"])
        return {"op": "started"}
    if message["op"] == "event":
        event = message["event"]
        print(json.dumps(event), file=log)
        assert set(event) <= EVENTS[event["ev"]] | {"ev", "t_ns"}, event
        newreno.process(event)
        cwnd = newreno.cwnd if newreno.cwnd < 2**53 else str(newreno.cwnd)
        return {"op": "observed", "i": message["i"], "cwnd_bytes": cwnd}
    return {"op": "ended"}


with Path(sys.argv[1]).open("a", encoding="utf-8") as log:
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), log)), flush=True)
