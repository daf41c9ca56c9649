"""The plain headers of the C port (``reference-c/firstflight/*/TEXT.h``) behind drivers, used like plain programs."""

import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from functools import cache
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias, get_type_hints

from firstflight.controller import Config
from firstflight.events import KINDS, Ack, DatagramSize, Event, Lost, PathChange, Sent
from firstflight.observables import Outcome, Phase, Trigger
from firstflight_conformance import port
from firstflight_conformance.format.stream import repeated
from firstflight_conformance.paths import REFERENCE_C
from plain.folders import plain_folders
from plain.judge import programs
from plain.paths import Path as NetworkPath
from plain.paths import follows_paths

HEADERS = sorted(port.drivers())
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")

#: The numbers of an event in the order of the driver: all members except lists, each once.
FIELDS = tuple(
    dict.fromkeys(
        field.name
        for kind in KINDS.values()
        for field in fields(kind)
        if "tuple" not in str(get_type_hints(kind)[field.name])
    )
)
#: Optional booleans, false if absent from the stream.
_FLAGS = {name for kind in KINDS.values() for name, found in get_type_hints(kind).items() if found == bool | None}
#: The kinds and their numbers in the C enumeration.
_NUMBERS = {kind: number for number, kind in enumerate(KINDS.values())}
#: Outcomes of the drivers in addition to the enumeration of the header, by number.
BASE = {100: Outcome.UNCHANGED, 101: Outcome.SENT}
NONE = 2**64 - 1
#: The events of a connection, each with the answer line of the driver.
Answers: TypeAlias = Iterator[tuple[Event, str]]


def source(name: str) -> str:
    """Return the text of a header."""
    return port.drivers()[name].with_name(f"{name}.h").read_text(encoding="utf-8")


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


def compiled(name: str, directory: Path, *command: str, changed: Path | None = None) -> Path:
    """Compile the driver of a header with ``command`` and return its path. Headers in ``changed`` have precedence."""
    program = directory / name
    driver = directory / f"drive_{name}.c"  # without headers next to the copy
    driver.write_bytes(port.drivers()[name].read_bytes())
    folders = [*([] if changed is None else [changed]), *plain_folders()]
    sources = [str(REFERENCE_C / "drive" / "drive.c"), str(driver)]
    subprocess.run(
        [*command, *WARNINGS, *(f"-I{folder}" for folder in folders), *sources, "-o", str(program)], check=True
    )
    return program


def begin_line(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> str:
    """Return the line that begins a connection."""
    return f"begin {max_datagram_size_bytes} {initial_window_bytes or 0}"


def event_line(event: Event) -> str:
    """Return the line that passes an event to the driver."""
    runs = event.packets if isinstance(event, Sent | Ack | Lost) else ()
    ranges = repeated(event)
    values = [_number(getattr(event, field, 0), field) for field in FIELDS] + [len(runs), len(ranges)]
    for run in runs:
        values += [run.first, run.last, run.size_bytes, run.sent_t_ns]
    for pair in ranges:
        values += pair
    return f"event {_NUMBERS[type(event)]} {' '.join(map(str, values))}"


class Header:
    """A plain header with the interface of a plain program. A process answers whole connections, one after another.

    The Python counterpart determines its observables: release times, triggers.
    """

    def __init__(self, name: str, program: Path) -> None:
        """Initialize with the compiled driver of a header."""
        self._counterpart = programs()[name]
        self.PROFILE = self._counterpart.PROFILE
        self._outcomes = {header: outcomes(header) for header in HEADERS}
        self._triggers = triggers(name)
        self._program = program
        self._connections: Iterator[Answers] = iter(())

    def answer(self, connections: Iterable[tuple[Config, Sequence[Event]]]) -> None:
        """Let one process answer connections. Afterwards call ``begin`` and ``on_event`` for each in the same order."""
        asked: list[Sequence[Event]] = []
        lines: list[str] = []
        for config, events in connections:
            asked.append(events)
            lines += self._lines(config, events)
        answers = iter(self._ask(lines))
        self._connections = iter([zip(events, list(islice(answers, len(events))), strict=True) for events in asked])
        assert next(answers, None) is None

    def _lines(self, config: Config, events: Sequence[Event]) -> Iterator[str]:
        """Yield the lines of a connection. A new path restarts the header and keeps the datagram size.

        Events without packets of the current path are passed as ``path_change``, which changes nothing.
        """
        path, whole = NetworkPath(), not follows_paths(self.PROFILE)
        size_bytes = config.max_datagram_size_bytes
        yield begin_line(size_bytes, config.initial_window_bytes)
        for event in events:
            if isinstance(event, DatagramSize):
                size_bytes = event.max_datagram_size_bytes
            part = event if whole else path.of_packets(event)
            if part is None and isinstance(event, PathChange):
                yield begin_line(size_bytes, config.initial_window_bytes)
            yield event_line(PathChange(event.t_ns) if part is None else part)

    def begin(self, max_datagram_size_bytes: int, initial_window_bytes: int | None) -> "State":
        """Begin the next connection."""
        return State(self._counterpart.begin(max_datagram_size_bytes, initial_window_bytes), next(self._connections))

    def on_event(self, state: "State", event: Event) -> Outcome:
        """Return the answer of the process to the event."""
        asked, answer = next(state.answers)
        assert asked is event
        header, outcome, cwnd, ssthresh, phase, release, bits = answer.split()
        state.cwnd_bytes = int(cwnd)
        state.ssthresh_bytes = None if int(ssthresh) == NONE else int(ssthresh)
        state.phase = Phase(phase)
        if hasattr(state.counterpart, "next_release_ns"):
            state.next_release_ns = None if int(release) == NONE else int(release)
        if hasattr(state.counterpart, "triggers"):
            state.triggers = tuple(trigger for bit, trigger in sorted(self._triggers.items()) if int(bits) & bit)
        number = int(outcome)
        if isinstance(event, PathChange) and follows_paths(self.PROFILE):
            return Outcome.PATH_CHANGED
        return BASE[number] if number in BASE else Outcome[self._outcomes[header][number]]

    def size(self) -> int:
        """Return the size of a connection's state, in bytes."""
        return int(self._ask(["size"])[0])

    def _ask(self, lines: Iterable[str]) -> list[str]:
        """Return the answers of a process. Raise :class:`subprocess.CalledProcessError` if it fails."""
        asked = "".join(f"{line}\n" for line in lines)
        done = subprocess.run([self._program], input=asked, stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.splitlines()


class State(SimpleNamespace):
    """The last answer and the remaining ones; the initial Python counterpart determines the observables."""

    def __init__(self, counterpart: Any, answers: Answers) -> None:
        """Initialize with the counterpart and the answers."""
        super().__init__(counterpart=counterpart, answers=answers)


def _number(value: int | None, field: str) -> int:
    return (0 if field in _FLAGS else NONE) if value is None else int(value)
