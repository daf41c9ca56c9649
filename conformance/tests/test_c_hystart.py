"""Compares HyStart++ and HyStart in the model and the C port after every event: observables, state and refusals."""

import os
from types import ModuleType

import pytest

from c_hystart import REACHABLE, run_streams
from c_port import module_of
from firstflight.hystart import hystart
from firstflight.hystartpp import hystartpp

MODULES = pytest.mark.parametrize("module", [hystartpp, hystart], ids=["hystartpp", "hystart"])


@MODULES
def test_random_streams(module: ModuleType) -> None:
    """Model and port agree on 10000 random events with random readings, which reach every outcome."""
    total = run_streams(module, 100, 10_000)
    assert {outcome.value: total[outcome] for outcome in REACHABLE[module] if total[outcome] == 0} == {}
    assert total[None] > 10_000 // 500


@pytest.mark.long
@MODULES
@pytest.mark.parametrize("share", range(10))
def test_random_streams_long(module: ModuleType, share: int) -> None:
    """Model and port agree on a million events; FIRSTFLIGHT_LONG_EVENTS overrides the number of each of ten shares."""
    run_streams(module, 1000 + share, int(os.environ.get("FIRSTFLIGHT_LONG_EVENTS", "100000")))


def test_constants() -> None:
    """The constants of model and port have the same names and values."""
    lib = module_of("int128").lib
    for module, prefix in ((hystartpp, "FF_HYSTARTPP_"), (hystart, "FF_HYSTART_")):
        names = [name for name in vars(module) if name.isupper() and name != "PROFILES" and not name.startswith("_")]
        assert len(names) >= 5
        for name in names:
            assert getattr(lib, prefix + name) == getattr(module, name)
