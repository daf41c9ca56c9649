"""A right adapter with hooks for errors. Tests start it hundreds of times, so it loads the model only if needed."""

import json
import sys
from collections.abc import Callable
from typing import Any

from newreno import Message, NewReno

HELLO: Message = {
    "op": "hello",
    "protocol": 1,
    "name": "bad",
    "version": "1",
    "algorithms": {"slow-start": ["rfc-9002"]},
    "observables": ["cwnd_bytes", "ssthresh_bytes", "phase", "outcome", "state"],
}

#: Function of the case, the message and the right answer, which returns the line to write.
Hook = Callable[[str, Message, Message], bytes]


def line(answer: Message) -> bytes:
    """Return an answer as a line of JSON."""
    return json.dumps(answer).encode() + b"\n"


def controller_of(start: Message) -> Any:
    """Return the controller for a case: NewReno for the base, the model for all others."""
    if (start["algorithm"], start["profile"]) == ("slow-start", "rfc-9002"):
        return NewReno(start["config"])
    from model import Model

    return Model(start)


def serve(hook: Hook = lambda _case, _message, answer: line(answer), hello: Message | None = None) -> None:
    """Answer messages until the input ends."""
    hello = hello or HELLO
    controller = None
    case = ""
    for text in sys.stdin:
        message = json.loads(text)
        match message["op"]:
            case "hello":
                answer = hello
            case "start":
                case = message["case"]
                if message["profile"] in hello["algorithms"].get(message["algorithm"], ()):
                    controller = controller_of(message)
                    answer = {"op": "started"}
                else:
                    answer = {"op": "unsupported", "reason": "not declared"}
            case "event":
                assert controller is not None
                answer = {"op": "observed", "i": message["i"], **controller.observe(message["event"])}
            case _:
                answer = {"op": "ended"}
        sys.stdout.buffer.write(hook(case, message, answer))
        sys.stdout.buffer.flush()
