"""A controller behind the adapter protocol: ``adapter.py ALGORITHM/PROFILE MEMBERS``, with further members of hello as JSON."""

import importlib
import json
import sys
from typing import Any

MODULES = {
    "slow-start/rfc-9002": "newreno.NewReno",
    "slow-start/ack-counting": "derived.AckCounting",
    "cubic/rfc-9438": "cubic.Cubic",
    "hystartpp/rfc-9406": "hystartpp.Paced",
    "hystartpp/rfc-9406-unpaced": "hystartpp.Unpaced",
    "search/draft-09": "search.Search",
    "careful-resume/rfc-9959": "careful_resume.CarefulResume",
}


def decoded(value: Any) -> Any:
    """Return a value with numbers in place of decimal strings."""
    if isinstance(value, dict):
        return {name: decoded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [decoded(one) for one in value]
    return int(value) if isinstance(value, str) and value.isdigit() else value


def encoded(number: int | None) -> int | str | None:
    """Return a number in the form of the protocol's JSON."""
    return number if number is None or number < 2**53 else str(number)


algorithm, profile = sys.argv[1].split("/")
hello = {
    "op": "hello",
    "protocol": 1,
    "name": sys.argv[1],
    "version": "1",
    "observables": ["cwnd_bytes", "ssthresh_bytes"],
}
hello |= {"algorithms": {algorithm: [profile]}} | json.loads(sys.argv[2])
derives = "works_out" in hello
module, name = ("derived.Derived" if derives else MODULES[sys.argv[1]]).split(".")
maker = getattr(importlib.import_module(module), name)
controller = None
for line in sys.stdin:
    message = json.loads(line)
    if message["op"] == "hello":
        answer = hello
    elif message["op"] == "start" and (message["algorithm"], message["profile"]) != (algorithm, profile):
        answer = {"op": "unsupported", "reason": "not declared"}
    elif message["op"] == "start":
        controller, answer = maker(decoded(message["config"])), {"op": "started"}
    elif message["op"] == "event":
        event = decoded(message["event"])
        controller.observe(event)
        windows = {"cwnd_bytes": encoded(controller.cwnd), "ssthresh_bytes": encoded(controller.ssthresh)}
        answer = {"op": "observed", "i": message["i"], **windows}
    else:
        answer = {"op": "ended"}
    print(json.dumps(answer), flush=True)
