"""The plain headers of the C port (``reference-c/plain/*.h``), each behind its adapter, with the door of a plain program."""

import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

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


def source(name: str) -> str:
    """Return the text of a header."""
    return (PLAIN / f"{name}.h").read_text(encoding="utf-8")


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
    """A program whose state is in the process that has the header.

    Its twin goes along, for what decides what is asked: whether it paces or has triggers, and where its text is open.
    """

    def __init__(self, name: str, program: Path) -> None:
        """Start the process."""
        self._twin = programs()[name]
        self.PROFILE = self._twin.PROFILE
        self._outcomes = {header: outcomes(header) for header in HEADERS}
        self._triggers = triggers(name)
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def begin(self, max_datagram_size_bytes: int, initial_window_bytes: int | None) -> "State":
        """Begin a connection."""
        self._write(begin_line(max_datagram_size_bytes, initial_window_bytes))
        return State(self._twin.begin(max_datagram_size_bytes, initial_window_bytes))

    def on_event(self, state: "State", event: Event) -> Outcome:
        """Let the process answer an event, and the twin go along."""
        self._twin.on_event(state.twin, event)
        self._write(event_line(event))
        header, outcome, cwnd, ssthresh, phase, release, bits = self._read().split()
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
        self._write("size")
        return int(self._read())

    def _write(self, line: str) -> None:
        stdin = cast(Any, self._process.stdin)
        stdin.write(line + "\n")
        stdin.flush()

    def _read(self) -> str:
        return str(cast(Any, self._process.stdout).readline())

    def close(self) -> None:
        """End the process; it must have found nothing wrong."""
        self._process.communicate()
        assert self._process.returncode == 0


class State(SimpleNamespace):
    """What was answered last; what is not answered is that of the twin."""

    def __init__(self, twin: Any) -> None:
        """Hold the state of the twin."""
        super().__init__(twin=twin)

    def __getattr__(self, name: str) -> Any:
        if name in ("twin", "next_release_ns", "triggers", "cwnd_bytes", "ssthresh_bytes", "phase"):
            raise AttributeError(name)
        return getattr(self.twin, name)


def _number(value: int | None) -> int:
    return NONE if value is None else int(value)
