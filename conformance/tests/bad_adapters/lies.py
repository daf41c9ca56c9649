"""Gives wrong answers in cases whose id has the topic ``target``. ``lies.py MODE``."""

import sys
from collections.abc import Callable

from base import HELLO, Message, line, serve

MODES: dict[str, Callable[[int], Message]] = {
    "huge-window": lambda _: {"cwnd_bytes": str(2**64 - 1)},
    "no-window": lambda _: {"cwnd_bytes": 0},
    "window-of-one": lambda _: {"cwnd_bytes": 1200},
    "never-release": lambda _: {"next_release_ns": 2**53 - 1},
    "release-in-the-past": lambda _: {"next_release_ns": 1},
    "flapping-window": lambda index: {"cwnd_bytes": (2**40, 0)[index % 2]},
    "true": lambda _: {},
}


def hook(case: str, message: Message, answer: Message) -> bytes:
    """Return the answer with the members of the mode replaced."""
    if ".target." in case and message["op"] == "event":
        answer = answer | MODES[sys.argv[1]](message["i"])
    return line(answer)


ALGORITHMS = HELLO["algorithms"] | {"jumpstart": ["pfldnet-2007"]}
serve(hook, HELLO | {"observables": [*HELLO["observables"], "next_release_ns"], "algorithms": ALGORITHMS})
