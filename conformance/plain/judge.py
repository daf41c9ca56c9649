"""The plain programs (``firstflight.plain``), found beside the models and held against the cases of their profile and against the model."""

import importlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import firstflight
from firstflight.controller import Config
from firstflight.events import Event
from firstflight.observables import Observation
from firstflight_conformance.format.computations import ComputationCase, decode_inputs
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.paths import of_algorithms
from firstflight_conformance.replay.measure import config_from_json

#: What a startup program may leave to its base, and what only some programs have.
_READ = ("cwnd_bytes", "ssthresh_bytes", "phase")


@dataclass(frozen=True, slots=True)
class Difference:
    """The first event on which a program answers otherwise, and the observables that differ: expected, then the program's."""

    event: int
    observables: dict[str, tuple[Any, Any]]


class Run:
    """One run of a plain program, or of what has the interface of one: a state and what can be read from it."""

    def __init__(self, program: Any, config: Config) -> None:
        """Begin a connection."""
        self._program = program
        self.state = program.begin(config.max_datagram_size_bytes, config.initial_window_bytes)

    def step(self, event: Event) -> dict[str, Any]:
        """Process an event; return the observables by their names in vectors, ``triggers`` as a tuple."""
        outcome = self._program.on_event(self.state, event)
        observed = {name: self._read(name) for name in _READ} | {"outcome": outcome.value}
        observed["phase"] = observed["phase"].value
        if hasattr(self.state, "next_release_ns"):
            observed["next_release_ns"] = self.state.next_release_ns
        if hasattr(self.state, "triggers"):
            observed["triggers"] = tuple(trigger.value for trigger in self.state.triggers or ())
        return observed

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
    """Return those programs that are driven by events; the others compute."""
    return {name: program for name, program in programs().items() if hasattr(program, "on_event")}


def judge_case(program: Any, case: Case) -> Difference | None:
    """Return the first difference between a program and a case, ``None`` if there is none."""
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
    """Let a program process an event that the model answered with the observation; return what differs: the model's, then its own.

    The trigger that a program reports, its first, is right if it is any of the model's.
    """
    expected, observed = observed_by_model(observation), run.step(event)
    if expected.get("triggers") and observed.get("triggers", ("",))[0] in expected["triggers"]:
        expected["triggers"] = observed["triggers"]
    return {name: (value, observed.get(name)) for name, value in expected.items() if observed.get(name) != value}


def observed_by_model(observation: Observation) -> dict[str, Any]:
    """Return what the model observed in the form of :meth:`Run.step`."""
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
    """Return those programs that compute."""
    return {name: program for name, program in programs().items() if hasattr(program, "compute")}


def judge_computation(program: ModuleType, case: ComputationCase) -> dict[str, tuple[Any, Any]]:
    """Return the outputs that differ from those of a case. A program does not check the domain."""
    expected = case.expected()
    return {} if "error" in expected else judge_inputs(program, case.profile, decode_inputs(case.inputs), expected)


def judge_inputs(
    program: ModuleType, profile: str, inputs: dict[str, int], expected: dict[str, Any]
) -> dict[str, tuple[Any, Any]]:
    """Let a program compute; return the outputs that differ: the expected ones, then its own."""
    computed = program.compute(profile, inputs)
    if "gamma" in computed:
        computed["gamma"] = [computed["gamma"].numerator, computed["gamma"].denominator]
    return {name: (value, computed.get(name)) for name, value in expected.items() if computed.get(name) != value}
