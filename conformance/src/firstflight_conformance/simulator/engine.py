"""What simulates: the compiled simulator, where there is a C compiler, or Python. The results are the same."""

from collections.abc import Sequence
from enum import StrEnum

from firstflight_conformance.simulator import dumbbell, native, presets
from firstflight_conformance.simulator.clock import Clock
from firstflight_conformance.simulator.dumbbell import Arrivals, NetworkResult
from firstflight_conformance.simulator.network import Network
from firstflight_conformance.simulator.presets import Completion, Experiment
from firstflight_conformance.simulator.scenario import ScenarioError


class Engine(StrEnum):
    """What is asked for. ``AUTO``: what is there, and what takes the run."""

    AUTO = "auto"
    NATIVE = "native"
    PYTHON = "python"


def is_compiled(engine: Engine) -> bool:
    """Return whether the compiled simulator is there and not ruled out; it is built now. Raise :class:`ScenarioError` where it has to be."""
    if engine is Engine.PYTHON:
        return False
    try:
        native.library()
    except native.NativeError as error:
        if engine is Engine.NATIVE:
            raise ScenarioError(f"--engine native: {error}") from error
        return False
    return True


def complete(
    todo: Experiment, clock: Clock | None = None, *, engine: Engine = Engine.AUTO
) -> tuple[Completion, Engine]:
    """Return how a transfer of a preset went, and what computed it. Raise :class:`ScenarioError` and :class:`DomainError`."""
    found = native.complete(todo) if is_compiled(engine) else None
    if found is not None:
        return found, Engine.NATIVE
    _may_be_python(engine)
    return presets.run(todo, clock=clock), Engine.PYTHON


def run_network(
    network: Network,
    clock: Clock | None = None,
    *,
    events_of: Sequence[str] = (),
    arrivals: Arrivals | None = None,
    engine: Engine = Engine.AUTO,
) -> tuple[NetworkResult, Engine]:
    """Return how a network went, and what computed it. Raise :class:`ScenarioError` and :class:`DomainError`.

    The events of the flows that ``events_of`` names are kept; whether observations are as well depends on what computed. ``arrivals``:
    lists by the names of flows, to which is added what arrives.
    """
    found = native.run_network(network, events_of=events_of, arrivals=arrivals) if is_compiled(engine) else None
    if found is not None:
        return found, Engine.NATIVE
    _may_be_python(engine)
    for noted in (arrivals or {}).values():
        noted.clear()  # of a run that the compiled simulator did not end
    return dumbbell.run_network(network, clock, record=tuple(events_of), arrivals=arrivals), Engine.PYTHON


def _may_be_python(engine: Engine) -> None:
    if engine is Engine.NATIVE:
        raise ScenarioError(
            "--engine native: the compiled simulator does not take this run: its controller refuses it, or it is beyond the bounds"
        )
