"""Algorithms that the port enters in the common form, in the model and in the port: every observable, the state and every refusal, after every event."""

import importlib
import os
from types import ModuleType

import pytest

from c_compare import compare_streams
from firstflight.controller import ALGORITHMS
from firstflight_conformance.paths import STIMULI
from observed import outcomes_of


def _compared() -> dict[str, ModuleType]:
    """Return the modules of streams that say how model and port are compared, by algorithm."""
    modules = (importlib.import_module(f"stimuli.{path.parent.name}.streams") for path in STIMULI.glob("*/streams.py"))
    return {next(iter(module.STREAMS)): module for module in modules if hasattr(module, "COMPARED")}


COMPARED = dict(sorted(_compared().items()))


def _module(name: str) -> ModuleType:
    package = ALGORITHMS[name].package
    return importlib.import_module(f"firstflight.{package}.{package}")


def test_there_are_streams() -> None:
    """Those that have the common form are found."""
    assert {"suss", "hybla", "tcb-sharing"} <= set(COMPARED)


@pytest.mark.parametrize("name", COMPARED)
def test_random_streams(name: str) -> None:
    """In random readings both agree on all random events, and these reach every outcome."""
    compared = COMPARED[name].COMPARED
    total = compare_streams(_module(name), COMPARED[name].Stream, compared.seed, compared.events)
    reachable = outcomes_of(*compared.outcomes_of)
    assert {outcome.value for outcome in reachable if total[outcome] < 2} == set()
    assert total[None] > compared.events // 500


@pytest.mark.long
@pytest.mark.parametrize("share", range(10))
@pytest.mark.parametrize("name", COMPARED)
def test_random_streams_long(name: str, share: int) -> None:
    """The same on a million events; FIRSTFLIGHT_LONG_EVENTS is another number for each of ten shares."""
    events = int(os.environ.get("FIRSTFLIGHT_LONG_EVENTS", "100000"))
    compare_streams(_module(name), COMPARED[name].Stream, 10 * COMPARED[name].COMPARED.seed + share, events)
