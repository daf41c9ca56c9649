"""Keeps state across cases. ``keeps.py static``: a variable of the module; ``keeps.py reset``: the controller."""

import sys

from base import Message, line, serve
from newreno import encode

FORM = sys.argv[1]
memory = {"halves": False, "window_bytes": 0, "more_bytes": 0}


def hook(_case: str, message: Message, answer: Message) -> bytes:
    """Return an answer that depends on the state of an earlier case."""
    if message["op"] == "start":
        memory["more_bytes"] = memory["window_bytes"]
    if message["op"] != "event":
        return line(answer)
    window_bytes = int(answer["cwnd_bytes"])
    if FORM == "reset":
        answer = answer | {"cwnd_bytes": encode(window_bytes + memory["more_bytes"])}
        memory["window_bytes"] = window_bytes
    if FORM == "static":
        if memory["halves"] and message["event"]["ev"] == "ack":
            answer = answer | {"cwnd_bytes": encode(window_bytes // 2)}
        memory["halves"] = memory["halves"] or message["event"]["ev"] == "lost"
    return line(answer)


serve(hook)
