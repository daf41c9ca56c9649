"""The toy controller behind the adapter protocol: firstflight run --adapter "python3 adapter.py" --algorithm slow-start"""

import json
import sys

from newreno import NewReno

PROFILE = ("slow-start", "rfc-9002")
CLAIMS = {"algorithms": {PROFILE[0]: [PROFILE[1]]}, "observables": ["cwnd_bytes", "ssthresh_bytes"]}


def decode(value):
    """Return numbers from 2^53 on, which are decimal strings, as integers."""
    if isinstance(value, dict):
        return {name: decode(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [decode(inner) for inner in value]
    return int(value) if isinstance(value, str) and value.isdigit() else value


def encode(value):
    return value if value is None or value < 2**53 else str(value)


def answer(message):
    global controller
    if message["op"] == "hello":
        return {"op": "hello", "protocol": 1, "name": "toy in Python", "version": "1", **CLAIMS}
    if message["op"] == "start":
        if (message["algorithm"], message["profile"]) != PROFILE:
            return {"op": "unsupported", "reason": "only slow-start/rfc-9002"}
        controller = NewReno(message["config"])
        return {"op": "started"}
    if message["op"] == "event":
        observed = controller.on_event(message["event"])
        return {"op": "observed", "i": message["i"], **{name: encode(observed[name]) for name in CLAIMS["observables"]}}
    return {"op": "ended"}


for line in sys.stdin:
    print(json.dumps(answer(decode(json.loads(line)))), flush=True)
