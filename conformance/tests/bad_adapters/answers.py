"""Answers wrongly in one case. ``answers.py MODE``: the error in cases whose id has the topic ``target``."""

import sys
from collections.abc import Callable

from base import Message, line, serve

MODES: dict[str, Callable[[Message], bytes]] = {
    "garbage": lambda _: b"Segmentation fault (core dumped)\n",
    "not-utf8": lambda _: b"\xff\xfe\n",
    "nested": lambda _: b"[" * 50_000 + b"\n",
    "many-digits": lambda answer: line(answer).replace(b"14400", b"9" * 5000),
    "nan": lambda answer: line(answer | {"cwnd_bytes": float("nan")}),
    "array": lambda _: b"[]\n",
    "no-op": lambda _: b"{}\n",
    "member-twice": lambda answer: b'{"op":"observed",' + line(answer)[1:],
    "twice": lambda answer: 2 * line(answer),
    "wrong-op": lambda _: line({"op": "started"}),
    "wrong-index": lambda answer: line(answer | {"i": answer["i"] + 1}),
    "index-true": lambda answer: line(answer | {"i": True}),
    "missing": lambda answer: line({name: value for name, value in answer.items() if name != "ssthresh_bytes"}),
    "float": lambda answer: line(answer | {"cwnd_bytes": float(answer["cwnd_bytes"])}),
    "huge": lambda answer: line(answer | {"cwnd_bytes": 2**53}),
    "huger": lambda answer: line(answer | {"cwnd_bytes": str(2**64)}),
    "negative": lambda answer: line(answer | {"cwnd_bytes": -1}),
    "null": lambda answer: line(answer | {"cwnd_bytes": None}),
    "phase-number": lambda answer: line(answer | {"phase": 1}),
    "state-list": lambda answer: line(answer | {"state": []}),
    "extra-member": lambda answer: line(answer | {"window": 1}),
    "unsupported": lambda _: line({"op": "unsupported", "reason": "not today"}),
    "wrong": lambda answer: line(answer | {"cwnd_bytes": answer["cwnd_bytes"] + 1}),
    "half": lambda answer: line(answer | {"cwnd_bytes": answer["cwnd_bytes"] // 2, "outcome": "unchanged"}),
}


def hook(case: str, message: Message, answer: Message) -> bytes:
    """Return a wrong answer to event 1, to the last event or to the end; otherwise the right answer."""
    mode = sys.argv[1]
    if ".target." not in case:
        return line(answer)
    if mode == "ended-twice" and message["op"] == "end":
        return 2 * line(answer)
    if mode == "twice-at-end" and message.get("i") == 3:
        return 2 * line(answer)
    if mode == "late-divergence" and message.get("i") == 2:
        sys.stdout.buffer.write(MODES["wrong"](answer))
        sys.stdout.buffer.flush()
        sys.exit(7)
    if mode in MODES and message.get("i") == 1:
        return MODES[mode](answer)
    return line(answer)


serve(hook)
