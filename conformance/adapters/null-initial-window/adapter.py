"""Speaks the protocol without fault and controls nothing: the window is always the initial one.

A vector that it passes tells nothing apart.
"""

import json
import sys

ALGORITHMS = {"slow-start": ["rfc-9002"], "search": ["lanman-2024", "lanman-2024-literal"]}
OBSERVABLES = ["cwnd_bytes", "ssthresh_bytes", "phase"]

window = None
for line in sys.stdin:
    message = json.loads(line)
    match message["op"]:
        case "hello":
            answer = {"op": "hello", "protocol": 1, "name": "null-initial-window", "version": "1"}
            answer |= {"algorithms": ALGORITHMS, "observables": OBSERVABLES}
        case "start" if message["profile"] in ALGORITHMS.get(message["algorithm"], ()):
            config = message["config"]
            datagram, window = config["max_datagram_size_bytes"], config["initial_window_bytes"]
            if window is None:
                window = min(10 * datagram, max(14720, 2 * datagram))
            answer = {"op": "started"}
        case "start":
            answer = {"op": "unsupported", "reason": f"{message['algorithm']}/{message['profile']} is not known here"}
        case "event":
            answer = {"op": "observed", "i": message["i"]}
            answer |= {"cwnd_bytes": window, "ssthresh_bytes": None, "phase": "slow_start"}
        case "end":
            answer = {"op": "ended"}
    print(json.dumps(answer), flush=True)
