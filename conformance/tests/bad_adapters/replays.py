"""Replays answers from the vectors by the id of the case. For unknown cases the window never changes."""

import json
import sys

from firstflight_conformance.format import vectors
from firstflight_conformance.format.wire import encode_value
from firstflight_conformance.paths import VECTORS

KNOWN = {case.id: case for case in vectors.cases(vectors.load_all(VECTORS, ["slow-start"]))}
expected: list[dict[str, object]] = []
window = 12000

for text in sys.stdin:
    message = json.loads(text)
    answer: dict[str, object] = {"op": "ended"}
    if message["op"] == "hello":
        declared = {"algorithms": {"slow-start": ["rfc-9002"]}, "observables": ["cwnd_bytes", "ssthresh_bytes"]}
        answer = {"op": "hello", "protocol": 1, "name": "replays", "version": "1", **declared}
    elif message["op"] == "start" and (message["algorithm"], message["profile"]) != ("slow-start", "rfc-9002"):
        answer = {"op": "unsupported", "reason": "not in the vectors"}
    elif message["op"] == "start":
        case = KNOWN.get(message["case"])
        expected = [] if case is None else case.expected()
        window = message["config"]["initial_window_bytes"] or 12000
        answer = {"op": "started"}
    elif message["op"] == "event":
        now = expected[message["i"]] if expected else {"cwnd_bytes": window, "ssthresh_bytes": None}
        names = ("cwnd_bytes", "ssthresh_bytes")
        answer = {"op": "observed", "i": message["i"], **{name: encode_value(now[name]) for name in names}}
    print(json.dumps(answer), flush=True)
