"""Right answers in an unusual format: ``writes.py MODE [EVENT]``. At the event the window is wrong by a byte."""

import json
import sys
from typing import Any

from base import Message, serve

mode = sys.argv[1]
wrong_at = int(sys.argv[2]) if len(sys.argv) > 2 else -1


def odd(answer: Message) -> str:
    """Return a line with tabs, which common writers do not produce."""
    return json.dumps(answer).replace('": ', '":\t')


def write(_case: str, message: Message, answer: Any) -> bytes:
    """Return an answer in the format of the mode."""
    if message.get("i") == wrong_at:
        answer = {**answer, "cwnd_bytes": answer["cwnd_bytes"] + 1}
    if mode in ("more", "at"):  # `at` is a member of expectations in vectors, but not of answers
        answer = {**answer, mode: 1}
    text = {
        "compact": lambda: json.dumps(answer, separators=(",", ":")),
        "sorted": lambda: json.dumps(answer, sort_keys=True),
        "odd": lambda: odd(answer),
    }.get(mode, lambda: json.dumps(answer))()
    return text.encode() + b"\n"


serve(write)
