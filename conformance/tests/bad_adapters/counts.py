"""Writes each requested case to a file in the folder ``COUNTS``, breaks one case, and kills the run once."""

import os
import signal
from pathlib import Path

from base import Message, line, serve

_SEEN = Path(os.environ["COUNTS"], "seen")


def hook(case: str, message: Message, answer: Message) -> bytes:
    """Kill the runner at the first start of the third case."""
    if message["op"] == "start" and answer["op"] == "started":
        before = _SEEN.read_text(encoding="utf-8") if _SEEN.exists() else ""
        _SEEN.write_text(f"{before}{case}\n", encoding="utf-8")
        if ".third." in case and case not in before:
            os.kill(os.getppid(), signal.SIGKILL)
    if ".target." in case and message.get("i") == 1:
        return b"garbage\n"
    return line(answer)


serve(hook)
