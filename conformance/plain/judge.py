"""Compares the plain programs (``plain_*.py`` of ``firstflight``) with the cases of their profile and the model."""

import importlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import firstflight
from firstflight.controller import Config
from firstflight.events import DatagramSize, Event, PathChange
from firstflight.observables import Observation, Outcome
from firstflight_conformance.format.computations import ComputationCase, decode_inputs
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.paths import of_algorithms
from firstflight_conformance.replay.measure import config_from_json
from plain.paths import Path as NetworkPath
from plain.paths import follows_paths

#: Observables of every program; a startup program may leave them to its base.
_READ = ("cwnd_bytes", "ssthresh_bytes", "phase")


@dataclass(frozen=True, slots=True)
class Difference:
    """The first event with a different answer, and the differing observables: expected value, then the program's."""

    event: int
    observables: dict[str, tuple[Any, Any]]


class Run:
    """One run of a plain program, or of an object with its interface."""

    def __init__(self, program: Any, config: Config) -> None:
        """Begin a connection."""
        self._program, self._config = program, config
        #: ``None`` if the program sees all paths: it has its own rules for them, or its process is told when to begin.
        whole = isinstance(program, ModuleType) and follows_paths(program.PROFILE)
        self._path = NetworkPath() if whole else None
        self._size_bytes = config.max_datagram_size_bytes
        self._begin()

    def _begin(self) -> None:
        self.state = self._program.begin(self._size_bytes, self._config.initial_window_bytes)

    def step(self, event: Event) -> dict[str, Any]:
        """Process an event; return the observables by name, as in vectors, with ``triggers`` as a tuple."""
        outcome = self._outcome(event)
        observed = {name: self._read(name) for name in _READ} | {"outcome": outcome.value}
        observed["phase"] = observed["phase"].value
        if hasattr(self.state, "next_release_ns"):
            observed["next_release_ns"] = self.state.next_release_ns
        if hasattr(self.state, "triggers"):
            observed["triggers"] = tuple(trigger.value for trigger in self.state.triggers or ())
        return observed

    def _outcome(self, event: Event) -> Outcome:
        """Let the program process an event; a new path restarts it."""
        if isinstance(event, DatagramSize):
            self._size_bytes = event.max_datagram_size_bytes
        part = event if self._path is None else self._path.of_packets(event)
        if part is not None:
            found: Outcome = self._program.on_event(self.state, part)
            return found
        if isinstance(event, PathChange):
            self._begin()
            return Outcome.PATH_CHANGED
        return Outcome.UNCHANGED

    def _read(self, name: str) -> Any:
        owner = self.state if hasattr(self.state, name) else self.state.base
        return getattr(owner, name)


def programs() -> dict[str, ModuleType]:
    """Return the plain programs by name."""
    files = {
        path.stem.removeprefix("plain_"): path for path in of_algorithms("plain_*.py", Path(firstflight.__path__[0]))
    }
    return {
        name: importlib.import_module(f"firstflight.{files[name].parent.name}.{files[name].stem}")
        for name in sorted(files)
    }


def controllers() -> dict[str, ModuleType]:
    """Return the plain programs that process events, by name."""
    return {name: program for name, program in programs().items() if hasattr(program, "on_event")}


def judge_case(program: Any, case: Case) -> Difference | None:
    """Return the first difference between a program and a case, or ``None``."""
    run = Run(program, config_from_json(case.vector.config))
    judged = zip(case.events, case.expected(), case.allowed(), strict=True)
    for index, (event, expected, allowed) in enumerate(judged):
        observed = run.step(event)
        if "trigger" in expected:
            triggers = observed.get("triggers")
            observed["trigger"] = triggers[0] if triggers else None
        differing = {
            name: (value, observed.get(name))
            for name, value in expected.items()
            if name != "state" and observed.get(name) not in (value, *allowed.get(name, ()))
        }
        if differing:
            return Difference(index, differing)
    return None


def judge_event(run: Run, observation: Observation, event: Event) -> dict[str, tuple[Any, Any]]:
    """Let a program process an event; return the values that differ from the model's observation, the model's first.

    The first trigger of a program is right if it is one of the model's triggers.
    """
    expected, observed = observed_by_model(observation), run.step(event)
    if expected.get("triggers") and observed.get("triggers", ("",))[0] in expected["triggers"]:
        expected["triggers"] = observed["triggers"]
    return {name: (value, observed.get(name)) for name, value in expected.items() if observed.get(name) != value}


def observed_by_model(observation: Observation) -> dict[str, Any]:
    """Return an observation of the model in the form of :meth:`Run.step`."""
    observed: dict[str, Any] = {
        "cwnd_bytes": observation.cwnd_bytes,
        "ssthresh_bytes": observation.ssthresh_bytes,
        "phase": observation.phase.value,
        "outcome": observation.outcome.value,
    }
    if observation.paces:
        observed["next_release_ns"] = observation.next_release_ns
    if observation.triggers is not None:
        observed["triggers"] = tuple(trigger.value for trigger in observation.triggers)
    return observed


def cases_of(program: Any, cases: Iterable[Case]) -> Iterator[Case]:
    """Yield the cases of the program's profile."""
    return (case for case in cases if f"{case.vector.algorithm}/{case.profile}" == program.PROFILE)


def computing() -> dict[str, ModuleType]:
    """Return the plain programs that compute, by name."""
    return {name: program for name, program in programs().items() if hasattr(program, "compute")}


def judge_computation(program: ModuleType, case: ComputationCase) -> dict[str, tuple[Any, Any]]:
    """Return the outputs that differ from a case. Cases outside the domain pass: programs do not check it."""
    expected = case.expected()
    return {} if "error" in expected else judge_inputs(program, case.profile, decode_inputs(case.inputs), expected)


def judge_inputs(
    program: ModuleType, profile: str, inputs: dict[str, int], expected: dict[str, Any]
) -> dict[str, tuple[Any, Any]]:
    """Let a program compute; return the differing outputs: the expected value, then the program's."""
    computed = program.compute(profile, inputs)
    if "gamma" in computed:
        computed["gamma"] = [computed["gamma"].numerator, computed["gamma"].denominator]
    return {name: (value, computed.get(name)) for name, value in expected.items() if computed.get(name) != value}
