"""Kills its judging process at the third case. ``ends_judge.py SIGNAL``: the name of the signal."""

import os
import signal
import sys

from base import Message, line, serve


def hook(case: str, message: Message, answer: Message) -> bytes:
    """Send the signal to the parent at the third case."""
    if message["op"] == "start" and ".third." in case:
        os.kill(os.getppid(), signal.Signals[sys.argv[1]])
    return line(answer)


serve(hook)
