"""Compares algorithms of the common form in model and C port after every event: observables, state and refusals."""

import importlib
import os
from types import ModuleType

import pytest

from c_compare import compare_streams
from firstflight.controller import ALGORITHMS
from firstflight_conformance.paths import STIMULI
from observed import outcomes_of


def _compared() -> dict[str, ModuleType]:
    """Return the modules of streams with a comparison of model and port, by algorithm."""
    modules = (importlib.import_module(f"stimuli.{path.parent.name}.streams") for path in STIMULI.glob("*/streams.py"))
    return {next(iter(module.STREAMS)): module for module in modules if hasattr(module, "COMPARED")}


COMPARED = dict(sorted(_compared().items()))


def _module(name: str) -> ModuleType:
    package = ALGORITHMS[name].package
    return importlib.import_module(f"firstflight.{package}.{package}")


def test_algorithms_have_streams() -> None:
    """The algorithms of the common form have streams."""
    assert {"suss", "hybla", "tcb-sharing"} <= set(COMPARED)


@pytest.mark.parametrize("name", COMPARED)
def test_random_streams(name: str) -> None:
    """Model and port agree on random events with random readings, which reach every outcome."""
    compared = COMPARED[name].COMPARED
    total = compare_streams(_module(name), COMPARED[name].Stream, compared.seed, compared.events)
    reachable = outcomes_of(*compared.outcomes_of)
    assert {outcome.value for outcome in reachable if total[outcome] < 2} == set()
    assert total[None] > compared.events // 500


@pytest.mark.long
@pytest.mark.parametrize("share", range(10))
@pytest.mark.parametrize("name", COMPARED)
def test_random_streams_long(name: str, share: int) -> None:
    """Model and port agree on a million events; FIRSTFLIGHT_LONG_EVENTS overrides the number of each of ten shares."""
    events = int(os.environ.get("FIRSTFLIGHT_LONG_EVENTS", "100000"))
    compare_streams(_module(name), COMPARED[name].Stream, 10 * COMPARED[name].COMPARED.seed + share, events)
