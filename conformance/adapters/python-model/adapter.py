"""The Python model behind the adapter protocol."""

import json
import sys

import firstflight
from firstflight.errors import DomainError
from firstflight_conformance.cases import computations
from firstflight_conformance.cases.computations import INPUTS
from firstflight_conformance.cases.wire import decode_int, event_from_json, observation_to_json


def start(message):
    config = dict(message["config"])
    if config["initial_window_bytes"] is not None:
        config["initial_window_bytes"] = decode_int(config["initial_window_bytes"], "initial_window_bytes")
    return firstflight.create(message["algorithm"], message["profile"], firstflight.Config(**config))


def compute(message):
    if message["algorithm"] != "transfer-time" or message["profile"] not in INPUTS:
        return {"op": "unsupported", "reason": "no such computation"}
    try:
        outputs = computations.compute(message["profile"], computations.decode_inputs(message["inputs"]))
    except DomainError as error:
        return {"op": "refused", "reason": str(error)}
    return {"op": "computed", **outputs}


controller = None
for line in sys.stdin:
    message = json.loads(line)
    try:
        match message["op"]:
            case "hello":
                answer = {
                    "op": "hello",
                    "protocol": 1,
                    "name": "firstflight",
                    "version": firstflight.__version__,
                    "algorithms": {**firstflight.profiles(composed=True), "transfer-time": list(INPUTS)},
                    "observables": [
                        "cwnd_bytes",
                        "ssthresh_bytes",
                        "phase",
                        "outcome",
                        "next_release_ns",
                        "trigger",
                        "state",
                    ],
                }
            case "start":
                controller = start(message)
                answer = {"op": "started"}
            case "event":
                controller, observation = firstflight.step(controller, event_from_json(message["event"]))
                answer = {"op": "observed", "i": message["i"], **observation_to_json(observation)}
            case "compute":
                answer = compute(message)
            case "end":
                controller = None
                answer = {"op": "ended"}
    except DomainError as error:
        answer = {"op": "unsupported", "reason": str(error)}
    print(json.dumps(answer), flush=True)
