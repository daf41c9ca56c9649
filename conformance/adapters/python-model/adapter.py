"""The Python model behind the adapter protocol."""

import json
import os
import sys
from functools import lru_cache

import firstflight
from firstflight.errors import DomainError
from firstflight_conformance.format import computations
from firstflight_conformance.format.computations import INPUTS
from firstflight_conformance.format.wire import NUMBER_MAX, decode_int, encode_value, event_from_json, observables

HELLO = {
    "op": "hello",
    "protocol": 2,
    "name": "firstflight",
    "version": firstflight.__version__,
    "algorithms": {**firstflight.profiles(composed=True), "transfer-time": list(INPUTS)},
    "observables": ["cwnd_bytes", "ssthresh_bytes", "phase", "outcome", "next_release_ns", "trigger", "state"],
}
to_json = json.JSONEncoder(separators=(",", ":")).encode
from_json = json.JSONDecoder().decode


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


@lru_cache(1 << 13)
def read(line):
    """Return a message with its event as a value of the model. Cached, because all profiles receive the same events."""
    message = from_json(line.decode())
    if message["op"] == "event":
        message["event"] = event_from_json(message["event"])
    return message


@lru_cache(1 << 8)
def form(names, state):
    """Return a format string for answers, with places for the index, these observables and the numbers of the state."""
    members = [f"{to_json(name)}:%s" for name in names]
    numbers = ",".join(f"{to_json(name)}:%s" for name in state)
    return ",".join(['{"op":"observed","i":%d', *members, f'"state":{{{numbers}}}}}'])


@lru_cache(1 << 12)
def text(value):
    """Return a value other than a small number as JSON."""
    return to_json(encode_value(value))


def observed(index, observation):
    """Return the answer to an event. For speed, only the changing parts are formatted again."""
    members = observables(observation)
    state = members.pop("state")
    values = [
        value if type(value) is int and value <= NUMBER_MAX else text(value)
        for value in (*members.values(), *state.values())
    ]
    return form(tuple(members), tuple(state)) % (index, *values)


class Model:
    """The model of the current case, if any."""

    controller = None

    def answer(self, message):
        """Return the answer to a message, as JSON."""
        match message["op"]:
            case "event":
                return observed(message["i"], self.observe(message["event"]))
            case "start":
                self.controller = start(message)
                return to_json({"op": "started"})
            case "end":
                self.controller = None
                return to_json({"op": "ended"})
            case "compute":
                return to_json(compute(message))
            case "hello":
                return to_json(HELLO)

    def observe(self, event):
        """Process an event in place: nobody asks for a state of before. After one outside the domain there is none."""
        controller, self.controller = self.controller, None
        if controller is None:
            raise DomainError("an event before was outside the domain")
        observation = firstflight.advance(controller, event)
        self.controller = controller
        return observation

    def reply(self, line):
        """Return the answer to a line, as one."""
        try:
            return self.answer(read(line)) + "\n"
        except DomainError as error:
            return to_json({"op": "unsupported", "reason": str(error)}) + "\n"


model, rest = Model(), b""
while chunk := os.read(0, 1 << 16):  # many lines at once: the runner does not wait for one answer before the next event
    *lines, rest = (rest + chunk).split(b"\n")
    sys.stdout.write("".join(map(model.reply, lines)))
    sys.stdout.flush()
