"""A controller of your own, and an adapter around it. Needs nothing but Python."""

import json
import sys


class MyController:
    """Slow start and recovery after RFC 9002. Congestion avoidance is not implemented yet."""

    def __init__(self, max_datagram_size_bytes, initial_window_bytes):
        self.minimum_window = 2 * max_datagram_size_bytes
        self.cwnd = int(initial_window_bytes or min(10 * max_datagram_size_bytes, max(14720, self.minimum_window)))
        self.recovery_start = None

    def in_recovery(self, sent_time):
        return self.recovery_start is not None and sent_time <= self.recovery_start

    def on_packet_acked(self, size, sent_time):
        if not self.in_recovery(sent_time):
            self.cwnd = min(self.cwnd + size, 2**62 - 1)

    def on_congestion(self, now, sent_time):
        if not self.in_recovery(sent_time):
            self.recovery_start = now
            self.cwnd = max(self.cwnd // 2, self.minimum_window)


def process(controller, event):
    kind, now = event["ev"], int(event["t_ns"])
    if kind == "ack" and not event["app_limited"]:
        for first, last, size, sent_time in event["packets"]:
            for _ in range(first, last + 1):
                controller.on_packet_acked(size, int(sent_time))
    elif kind == "lost":
        controller.on_congestion(now, max(int(sent_time) for *_, sent_time in event["packets"]))
    elif kind == "ce":
        controller.on_congestion(now, int(event["sent_t_ns"]))
    elif kind == "persistent_congestion":
        controller.recovery_start, controller.cwnd = None, controller.minimum_window


def answer(message):
    global controller
    if message["op"] == "hello":
        claims = {"algorithms": {"slow-start": ["rfc-9002"]}, "observables": ["cwnd_bytes"]}
        return {"op": "hello", "protocol": 1, "name": "my controller", "version": "0.1", **claims}
    if message["op"] == "start":
        if (message["algorithm"], message["profile"]) != ("slow-start", "rfc-9002"):
            return {"op": "unsupported", "reason": "only slow-start/rfc-9002"}
        controller = MyController(**message["config"])
        return {"op": "started"}
    if message["op"] == "event":
        process(controller, message["event"])
        cwnd = controller.cwnd if controller.cwnd < 2**53 else str(controller.cwnd)  # JSON numbers end there
        return {"op": "observed", "i": message["i"], "cwnd_bytes": cwnd}
    return {"op": "ended"}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
