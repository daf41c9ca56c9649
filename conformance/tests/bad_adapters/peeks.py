"""NewReno that derives the exit from slow start from later events: `peeks.py ALGORITHM PROFILE OBSERVABLES ahead`.

At an ACK in slow start there are two candidates: continue, or exit now. The adapter chooses the candidate that fits
the bytes in flight of the events after the ACK, if they arrive before its answer. Without `ahead` it never exits.
"""

import copy
import json
import os
import select
import sys
from typing import Any

from newreno import Message, NewReno

ALGORITHM, PROFILE, OBSERVABLES, LOOKS_AHEAD = *sys.argv[1:3], sys.argv[3].split(","), sys.argv[4:] == ["ahead"]
HELLO = {
    "op": "hello",
    "protocol": 1,
    "name": "peeks",
    "version": "1",
    "algorithms": {ALGORITHM: [PROFILE]},
    "observables": OBSERVABLES,
}
#: Timeout for further events: longer than the runner needs to send the events of one message.
PATIENCE_S = 0.001


class Input:
    """Messages on standard input, including messages after the next one."""

    def __init__(self) -> None:
        self.waiting: list[Message] = []
        self._rest = b""

    def fill(self, timeout_s: float | None) -> bool:
        """Wait for input until the timeout; return whether input arrived."""
        if not select.select([0], [], [], timeout_s)[0]:
            return False
        chunk = os.read(0, 1 << 20)
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self.waiting += map(json.loads, lines)
        return bool(chunk)


def in_flight_before_the_next_ack(ahead: Input, event: Message) -> int | None:
    """Return the bytes in flight before the next event other than `sent`, or ``None`` if that event has not arrived."""
    while ahead.fill(PATIENCE_S):
        pass
    in_flight = int(event["bytes_in_flight"])
    for message in ahead.waiting:
        if message["op"] != "event" or message["event"]["ev"] != "sent":
            return in_flight
        in_flight = int(message["event"]["bytes_in_flight"])
    return None


def observe(controller: NewReno, ahead: Input, event: Message) -> NewReno:
    """Process an event; return the controller after the event."""
    exited = copy.copy(controller)
    controller.observe(event)
    if LOOKS_AHEAD and event["ev"] == "ack" and exited.ssthresh is None:
        exited.ssthresh = exited.cwnd
        exited.observe(event)
        in_flight = in_flight_before_the_next_ack(ahead, event)
        if in_flight is not None and in_flight + exited.datagram <= controller.cwnd:
            return exited
    return controller


def main() -> None:
    """Answer messages until the input ends."""
    controller, ahead = NewReno({"max_datagram_size_bytes": 1200, "initial_window_bytes": None}), Input()
    while ahead.waiting or ahead.fill(None):
        if not ahead.waiting:
            continue
        message = ahead.waiting.pop(0)
        answer: dict[str, Any] = {"op": "ended"}
        if message["op"] == "hello":
            answer = HELLO
        elif message["op"] == "start" and message["algorithm"] != ALGORITHM:
            answer = {"op": "unsupported", "reason": "not declared"}
        elif message["op"] == "start":
            controller, answer = NewReno(message["config"]), {"op": "started"}
        elif message["op"] == "event":
            controller = observe(controller, ahead, message["event"])
            observed = {
                "cwnd_bytes": controller.cwnd,
                "ssthresh_bytes": controller.ssthresh,
                "phase": controller.phase(),
            }
            answer = {
                "op": "observed",
                "i": message["i"],
                **{name: observed[name] for name in OBSERVABLES if name in observed},
            }
        print(json.dumps(answer), flush=True)


main()
