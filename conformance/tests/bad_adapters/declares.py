"""Declares the given members. ``declares.py MEMBERS [MODE]``: members of hello as JSON; a mode of answering."""

import json
import sys

from base import HELLO, Message, line, serve
from newreno import encode

MODE = sys.argv[2] if len(sys.argv) > 2 else ""


def hook(_case: str, message: Message, answer: Message) -> bytes:
    """Return the answer in this mode."""
    if MODE == "claims-all" and message["op"] == "start":
        return line({"op": "started"})
    if MODE == "garbled-probe" and message["op"] == "start":
        return b"?\n"
    if message["op"] == "event" and MODE.startswith("off-by="):
        off_bytes = int(MODE.removeprefix("off-by="))
        answer = answer | {"cwnd_bytes": encode(int(answer["cwnd_bytes"]) + off_bytes)}
    if message["op"] == "event" and MODE == "collapses-at-loss" and message["event"]["ev"] == "lost":
        answer = answer | {"cwnd_bytes": 2400}
    return line(answer)


hello = HELLO | json.loads(sys.argv[1])
serve(hook, {name: value for name, value in hello.items() if value != "absent"})
