"""The Python model as an adapter steps in place and answers many lines at once, with the same answers."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from firstflight_conformance.adapters import messages
from firstflight_conformance.adapters.manifest import load_manifests
from firstflight_conformance.adapters.script import Script
from firstflight_conformance.format.vectors import Case, cases, load
from firstflight_conformance.paths import VECTORS

VECTOR = load(VECTORS / "slow-start" / "growth.ack-of-two.json")


@contextmanager
def adapter() -> "Iterator[subprocess.Popen[bytes]]":
    """Start the adapter; end it afterwards."""
    command = load_manifests()["python-model"].command
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process
        process.kill()


def answered(lines: bytes) -> list[dict[str, Any]]:
    """Return the answers to lines that are sent in one write."""
    done = subprocess.run(
        load_manifests()["python-model"].command, input=lines, capture_output=True, check=True, timeout=60
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def case() -> Case:
    """Return a short case."""
    return next(cases([VECTOR]))


def test_event_outside_domain_ends_answers_of_case() -> None:
    """Half of the event may have been processed, so the case has no more answers. The next case begins anew."""
    script = Script(case())
    start, events = messages.encode(script.start), script.stream.lines
    backwards = messages.encode(messages.event_message(1, {**VECTOR.raw_events[0], "t_ns": 1}))
    stream = [start, events[1], backwards, events[1], messages.encode(messages.END), start, script.lines]
    answers = answered(b"".join(stream))
    assert [answer["op"] for answer in answers[:5]] == ["started", "observed", "unsupported", "unsupported", "ended"]
    assert "before the last event" in answers[2]["reason"]
    right = [answer for answer in answered(start + script.lines) if answer["op"] == "observed"]
    assert [answer for answer in answers[6:] if answer["op"] == "observed"] == right
    assert len(right) == script.count


def test_complete_line_is_answered_at_once() -> None:
    """A line in two pieces is answered when it is complete, and no line waits for the next."""
    hello = messages.encode(messages.HELLO)
    with adapter() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(hello + hello[:9])
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["op"] == "hello"
        process.stdin.write(hello[9:])
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["op"] == "hello"
