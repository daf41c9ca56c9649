"""Right answers, written in the way that the first argument names; wrong by a byte at the event that the second one names."""

import json
import sys
from typing import Any

from base import Message, serve

mode = sys.argv[1]
wrong_at = int(sys.argv[2]) if len(sys.argv) > 2 else -1


def odd(answer: Message) -> str:
    """Return a line that no common writer gives, with tabs."""
    return json.dumps(answer).replace('": ', '":\t')


def write(_case: str, message: Message, answer: Any) -> bytes:
    """Write an answer."""
    if message.get("i") == wrong_at:
        answer = {**answer, "cwnd_bytes": answer["cwnd_bytes"] + 1}
    if mode in ("more", "at"):  # `at` is a member of what a vector expects, and of no answer
        answer = {**answer, mode: 1}
    text = {
        "compact": lambda: json.dumps(answer, separators=(",", ":")),
        "sorted": lambda: json.dumps(answer, sort_keys=True),
        "odd": lambda: odd(answer),
    }.get(mode, lambda: json.dumps(answer))()
    return text.encode() + b"\n"


serve(write)
