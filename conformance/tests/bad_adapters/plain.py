"""NewReno as any profile. ``plain.py MEMBERS [FILE]``: members of hello as JSON; a file with ids of refused cases."""

import json
import sys
from pathlib import Path

from newreno import Message, NewReno

HELLO = {"op": "hello", "protocol": 1, "name": "plain NewReno", "version": "1"}
WINDOWS = ["cwnd_bytes", "ssthresh_bytes"]
hello: Message = HELLO | {"observables": WINDOWS} | json.loads(sys.argv[1])
refused = frozenset(Path(sys.argv[2]).read_text("utf-8").split()) if len(sys.argv) > 2 else frozenset()


def started(message: Message) -> NewReno | str:
    """Return the controller of a case, or the reason of a refusal."""
    if message["profile"] not in hello["algorithms"].get(message["algorithm"], ()):
        return "not declared"
    return "not implemented yet" if message["case"] in refused else NewReno(message["config"])


controller = None
for line in sys.stdin:
    message = json.loads(line)
    if message["op"] == "hello":
        answer = hello
    elif message["op"] == "start":
        controller = started(message)
        answer = {"op": "unsupported", "reason": controller} if isinstance(controller, str) else {"op": "started"}
    elif message["op"] == "event":
        observed = controller.observe(message["event"])
        answer = {"op": "observed", "i": message["i"], **{name: observed[name] for name in hello["observables"]}}
    else:
        answer = {"op": "ended"}
    print(json.dumps(answer), flush=True)
