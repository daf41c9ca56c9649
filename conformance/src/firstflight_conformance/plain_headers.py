"""The plain headers of the C port (``reference-c/plain/*.h``), each behind its adapter, with the door of a plain program."""

import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

from firstflight.controller import Config
from firstflight.events import Ack, Event, Lost, Sent
from firstflight.observables import Outcome, Phase, Trigger
from firstflight_conformance.paths import REFERENCE_C
from firstflight_conformance.plain_judge import programs

PLAIN = REFERENCE_C / "plain"
#: Of the invariants, which the adapters assert after each event.
PROOF = REFERENCE_C / "proof"
HEADERS = sorted(path.stem for path in PLAIN.glob("*.h"))
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")

#: In the order of the C enumeration, and of the numbers of an event.
KINDS = (
    "Sent",
    "Ack",
    "Lost",
    "Ce",
    "PersistentCongestion",
    "Pto",
    "Backlog",
    "IdleRestart",
    "SavedPath",
    "PathChange",
    "SpuriousLoss",
)
FIELDS = (
    "t_ns",
    "bytes",
    "bytes_in_flight",
    "app_limited",
    "next_packet",
    "latest_rtt_ns",
    "min_rtt_ns",
    "smoothed_rtt_ns",
    "oldest_unacked_packet",
    "packet",
    "sent_t_ns",
    "queued_bytes",
    "receive_window_bytes",
    "saved_cwnd_bytes",
    "saved_rtt_ns",
    "endpoint_matches",
    "in_use",
    "expires_t_ns",
    "max_jump_bytes",
    "beta_numerator",
    "beta_denominator",
)
#: What the adapters answer beside the numbers of an enumeration.
BASE = {100: Outcome.UNCHANGED, 101: Outcome.SENT}
NONE = 2**64 - 1
#: The events of a connection with the line that each was answered by.
Answers: TypeAlias = Iterator[tuple[Event, str]]


def source(name: str) -> str:
    """Return the text of a header."""
    return (PLAIN / f"{name}.h").read_text(encoding="utf-8")


@cache
def outcomes(name: str) -> list[str]:
    """Return the names of the outcomes of a header, in the order of their numbers."""
    match = re.search(rf"enum {name}_outcome {{(.*?)}};", re.sub(r"/\*.*?\*/", "", source(name), flags=re.S), re.S)
    assert match
    return re.findall(rf"{name.upper()}_(\w+)", match[1])


def triggers(name: str) -> dict[int, Trigger]:
    """Return the triggers of a header by their bits."""
    found = re.findall(rf"{name.upper()}_TRIGGER_(\w+) = (\d+)", source(name))
    return {int(bit): Trigger[trigger] for trigger, bit in found}


def compiled(name: str, directory: Path, *command: str, folder: Path = PLAIN) -> Path:
    """Return the program that drives a header of a folder, compiled so."""
    program = directory / name
    sources = [str(folder / "drive" / file) for file in ("drive.c", f"{name}.c")]
    subprocess.run([*command, *WARNINGS, f"-I{PROOF}", *sources, "-o", str(program)], check=True)
    return program


def begin_line(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> str:
    """Return what begins a connection."""
    return f"begin {max_datagram_size_bytes} {initial_window_bytes or 0}"


def event_line(event: Event) -> str:
    """Return what asks for the answer to an event."""
    runs = event.packets if isinstance(event, Sent | Ack | Lost) else ()
    retransmits = event.retransmits if isinstance(event, Sent) else ()
    values = [_number(getattr(event, field, 0)) for field in FIELDS] + [len(runs), len(retransmits)]
    for run in runs:
        values += [run.first, run.last, run.size_bytes, run.sent_t_ns]
    for pair in retransmits:
        values += pair
    return f"event {KINDS.index(type(event).__name__)} {' '.join(map(str, values))}"


class Header:
    """A program whose answers are those of a process that has the header. It answers whole connections, one after the other.

    Its twin decides what is asked: whether it paces or has triggers.
    """

    def __init__(self, name: str, program: Path) -> None:
        """Take the compiled program of a header."""
        self._twin = programs()[name]
        self.PROFILE = self._twin.PROFILE
        self._outcomes = {header: outcomes(header) for header in HEADERS}
        self._triggers = triggers(name)
        self._program = program
        self._connections: Iterator[Answers] = iter(())

    def answer(self, connections: Iterable[tuple[Config, Sequence[Event]]]) -> None:
        """Let one process answer connections; then begin each of them in this order, and ask for its events."""
        asked, lines = [], []
        for config, events in connections:
            asked.append(events)
            lines.append(begin_line(config.max_datagram_size_bytes, config.initial_window_bytes))
            lines += map(event_line, events)
        answers = iter(self._ask(lines))
        self._connections = iter([zip(events, list(islice(answers, len(events))), strict=True) for events in asked])
        assert next(answers, None) is None

    def begin(self, max_datagram_size_bytes: int, initial_window_bytes: int | None) -> "State":
        """Begin the next connection."""
        return State(self._twin.begin(max_datagram_size_bytes, initial_window_bytes), next(self._connections))

    def on_event(self, state: "State", event: Event) -> Outcome:
        """Return what the process answered to the event."""
        asked, answer = next(state.answers)
        assert asked is event
        header, outcome, cwnd, ssthresh, phase, release, bits = answer.split()
        state.cwnd_bytes = int(cwnd)
        state.ssthresh_bytes = None if int(ssthresh) == NONE else int(ssthresh)
        state.phase = Phase(phase)
        if hasattr(state.twin, "next_release_ns"):
            state.next_release_ns = None if int(release) == NONE else int(release)
        if hasattr(state.twin, "triggers"):
            state.triggers = tuple(trigger for bit, trigger in sorted(self._triggers.items()) if int(bits) & bit)
        number = int(outcome)
        return BASE[number] if number in BASE else Outcome[self._outcomes[header][number]]

    def size(self) -> int:
        """Return how many bytes the state of a connection has."""
        return int(self._ask(["size"])[0])

    def _ask(self, lines: Iterable[str]) -> list[str]:
        """Return what a process answers; it must have found nothing wrong."""
        asked = "".join(f"{line}\n" for line in lines)
        done = subprocess.run([self._program], input=asked, stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.splitlines()


class State(SimpleNamespace):
    """What was answered last, and the answers to come; the twin at its beginning says what is asked."""

    def __init__(self, twin: Any, answers: Answers) -> None:
        """Hold them."""
        super().__init__(twin=twin, answers=answers)


def _number(value: int | None) -> int:
    return NONE if value is None else int(value)
