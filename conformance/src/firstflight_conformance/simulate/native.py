"""The C simulator as a shared library, with the C port as controllers: ``conformance/simulator``.

The library is built at first use, into ``build/simulator`` of a checkout or the user's cache.
"""

from ctypes import CDLL, POINTER, c_char_p, c_int, c_uint64, c_void_p
from enum import IntEnum
from functools import cache
from pathlib import Path

from firstflight_conformance import port
from firstflight_conformance.built import BuildError, built
from firstflight_conformance.paths import CONFORMANCE, REFERENCE_C
from firstflight_conformance.simulate import native_layout as layout
from firstflight_conformance.simulate.scenario import ScenarioError

SOURCES = CONFORMANCE / "simulator"
FLAGS = ("-std=c11", "-O2", "-fPIC", "-shared", f"-I{REFERENCE_C}")


class NativeError(BuildError):
    """The library cannot be built or loaded. The text contains the remedy."""


class Status(IntEnum):
    """How a run of the C simulator ended, with the values of ``enum sim_status``.

    ``STALLED``: the sender waits forever for ACKs, or a transfer does not end. ``REFUSED``: the controller is unknown
    or refuses an event. ``BEYOND``: a number exceeds the bounds of the simulator. ``ENDED``: a controller outside the
    library ended the run.
    """

    OK = 0
    STALLED = 1
    REFUSED = 2
    BEYOND = 3
    NO_MEMORY = 4
    ENDED = 5


def check(status: Status, name: str) -> None:
    """Raise :class:`ScenarioError` if ``status`` reports that the C simulator could not complete the run ``name``.

    Causes: a packet that leaves after 2^59 ns, a window above 2^60 bytes, or insufficient memory.
    """
    if status is Status.BEYOND:
        raise ScenarioError(
            f"{name}: beyond the bounds of the simulator: a packet leaves after 2^59 ns, or a window exceeds 2^60 bytes"
        )
    if status is Status.NO_MEMORY:
        raise ScenarioError(f"{name}: the simulator is out of memory")


@cache
def library() -> CDLL:
    """Load and return the shared library of the C simulator; build it if missing.

    Raise :class:`NativeError` if its sources are missing, or if it cannot be compiled or loaded.
    """
    try:
        loaded = CDLL(str(_built()))
    except FileNotFoundError as error:
        raise NativeError(
            f"the sources of the path simulator are missing: {error}; install Firstflight again"
        ) from error
    except (BuildError, OSError) as error:
        raise NativeError(
            f"the path simulator needs a C compiler: {error}; install one, or set CC to its command"
        ) from error
    pointer, watch = POINTER, POINTER(layout.Watch)
    scenario, summary = pointer(layout.ScenarioLayout), pointer(layout.SummaryLayout)
    results = pointer(layout.FlowResultLayout), pointer(layout.NetworkResultLayout)
    for function, arguments in (
        (loaded.sim_simulate, (scenario, c_char_p, c_char_p, watch, summary)),
        (loaded.sim_simulate_outside, (scenario, pointer(layout.Outside), c_uint64, summary)),
        (loaded.sim_run_network, (pointer(layout.NetworkLayout), watch, *results)),
        (loaded.sim_complete, (pointer(layout.PresetLayout), watch, pointer(layout.CompletionLayout))),
        (loaded.sim_path_carry, (c_void_p, c_uint64, c_uint64, pointer(layout.Carried))),
    ):
        function.argtypes = list(arguments)
        function.restype = c_int
    loaded.sim_path_begin.argtypes, loaded.sim_path_begin.restype = (
        [pointer(layout.LinkLayout), c_uint64, c_uint64],
        c_void_p,
    )
    loaded.sim_path_end.argtypes, loaded.sim_path_end.restype = [c_void_p], None
    return loaded


def _built() -> Path:
    """Return the path of the shared object compiled from the C simulator and the C port; build it if missing."""
    sources = [*port.some(SOURCES, [*SOURCES.glob("*.c")]), *port.sources()]
    headers = [*sorted(SOURCES.glob("*.h")), *port.headers()]
    return built("firstflight-simulator.so", sources, FLAGS, of=headers)
