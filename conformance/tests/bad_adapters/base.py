"""A right adapter around the Python model, with hooks for what is wrong with it."""

import json
import sys
from collections.abc import Callable
from typing import Any

import firstflight
from firstflight.errors import DomainError
from firstflight_conformance.cases.measure import config_from_json
from firstflight_conformance.cases.wire import event_from_json, observation_to_json

HELLO: dict[str, Any] = {
    "op": "hello",
    "protocol": 1,
    "name": "bad",
    "version": "1",
    "algorithms": {"slow-start": ["rfc-9002"]},
    "observables": ["cwnd_bytes", "ssthresh_bytes", "phase", "outcome", "state"],
}

Message = dict[str, Any]
#: Takes the case, the message and the right answer; returns the line to write instead.
Hook = Callable[[str, Message, Message], bytes]


def line(answer: Message) -> bytes:
    """Return an answer as a line."""
    return json.dumps(answer).encode() + b"\n"


def serve(hook: Hook = lambda _case, _message, answer: line(answer), hello: Message | None = None) -> None:
    """Answer until the input ends."""
    controller = None
    case = ""
    for text in sys.stdin:
        message = json.loads(text)
        match message["op"]:
            case "hello":
                answer = hello or HELLO
            case "start":
                case = message["case"]
                try:
                    config = config_from_json(message["config"])
                    controller = firstflight.create(message["algorithm"], message["profile"], config)
                    answer = {"op": "started"}
                except DomainError as error:
                    answer = {"op": "unsupported", "reason": str(error)}
            case "event":
                assert controller is not None
                controller, observation = firstflight.step(controller, event_from_json(message["event"]))
                answer = {"op": "observed", "i": message["i"], **observation_to_json(observation)}
            case _:
                answer = {"op": "ended"}
        sys.stdout.buffer.write(hook(case, message, answer))
        sys.stdout.buffer.flush()
