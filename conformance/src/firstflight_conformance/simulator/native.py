"""The compiled simulator: the same loop in C (``conformance/simulator``), with the C port as its controller, where there is a C compiler.

It is built when it is first asked for, into ``build/simulator`` of a checkout or the user's cache, and gives the same results to the
nanosecond. What it does not take is left to the simulator in Python.
"""

import os
import shlex
import shutil
import subprocess
import tempfile
from ctypes import CDLL, POINTER, Structure, byref, c_char_p, c_int, c_uint64, c_void_p
from functools import cache
from pathlib import Path

from firstflight.limits import DATAGRAM_MAX_BYTES, WINDOW_MAX_BYTES
from firstflight.observables import Outcome
from firstflight_conformance.kept import digest
from firstflight_conformance.paths import BUILD, CONFORMANCE, IS_CHECKOUT, REFERENCE_C
from firstflight_conformance.simulator.loop import StallError, Summary
from firstflight_conformance.simulator.scenario import Scenario

#: What sim_simulate answers.
OK, STALLED = 0, 1
#: ``SIM_NONE``.
NONE = 2**64 - 1
#: The bounds of ``simulator.h``.
TIME_END_NS, RATE_MIN_BPS, SIZE_MAX_BYTES, DRAIN_MAX_NS = 1 << 42, 1000, 1 << 40, 1 << 58
_FLAGS = ("-std=c11", "-O2", "-fPIC", "-shared")
#: A compiler that takes longer is ended.
_PATIENCE_S = 300


class NativeError(RuntimeError):
    """There is no compiled simulator. The text says why."""


class _Step(Structure):
    _fields_ = [("at_ns", c_uint64), ("longer_ns", c_uint64)]


class _Scenario(Structure):
    """``struct sim_scenario``."""

    _fields_ = [
        *((name, c_uint64) for name in (
            "seed", "stop_ns", "after_slow_start_ns", "max_datagram_size_bytes", "initial_window_bytes", "transfer_bytes", "paced",
            "announced", "saved_cwnd_bytes", "rate_bps", "forward_delay_ns", "return_delay_ns", "queue_bytes", "loss_ppm", "jitter_ns",
            "step_count",
        )),
        ("steps", POINTER(_Step)),
        ("ack_every_packets", c_uint64),
        ("max_ack_delay_ns", c_uint64),
    ]  # fmt: skip


class _Summary(Structure):
    """``struct sim_summary``."""

    _fields_ = [
        (name, c_uint64)
        for name in (
            "events", "began_ns", "ended_ns", "now_ns", "done", "slow_start_ended_ns", "ended_by", "largest_cwnd_bytes",
            "final_cwnd_bytes", "dropped_packets", "lost_packets",
        )
    ]  # fmt: skip


def supports(scenario: Scenario) -> bool:
    """Return whether a scenario is within the bounds of the compiled simulator."""
    link, receiver, config = scenario.link, scenario.receiver, scenario.config
    times_ns = (
        scenario.stop_ns, scenario.after_slow_start_ns, link.forward_delay_ns, link.return_delay_ns, link.jitter_ns,
        receiver.max_ack_delay_ns, *(time_ns for step in link.steps for time_ns in step),
    )  # fmt: skip
    sizes = (scenario.transfer_bytes or 0, link.queue_bytes)
    return (
        all(0 <= time_ns < TIME_END_NS for time_ns in times_ns)
        and all(0 <= size_bytes <= SIZE_MAX_BYTES for size_bytes in sizes)
        and link.rate_bps >= RATE_MIN_BPS
        and 8 * 10**9 * link.queue_bytes // link.rate_bps <= DRAIN_MAX_NS
        and link.queue_packets is None
        and link.early_drop_ppm == 0
        and not receiver.first_at_once
        and 0 <= scenario.seed <= NONE
        and 0 <= link.loss_ppm <= NONE
        and 1 <= receiver.ack_every_packets <= NONE
        and 1 <= config.max_datagram_size_bytes <= DATAGRAM_MAX_BYTES
        and (config.initial_window_bytes is None or 1 <= config.initial_window_bytes <= WINDOW_MAX_BYTES)
        and (scenario.saved_cwnd_bytes is None or 0 <= scenario.saved_cwnd_bytes <= WINDOW_MAX_BYTES)
    )


def summarize(scenario: Scenario, algorithm: str, profile: str) -> Summary | None:
    """Return what a run comes to; ``None`` if Python has to say it: beyond the bounds, or where the controller refuses.

    Raise :class:`StallError` and :class:`NativeError`.
    """
    if not supports(scenario):
        return None
    summary = _Summary()
    status = simulate(_scenario(scenario), algorithm, profile, summary)
    if status == STALLED:
        raise StallError(scenario.name, summary.now_ns)
    if status != OK:
        return None
    ended = summary.slow_start_ended_ns != NONE
    return Summary(
        events=summary.events,
        duration_ns=summary.ended_ns - summary.began_ns,
        slow_start_ended_ns=summary.slow_start_ended_ns - summary.began_ns if ended else None,
        ended_by=_OUTCOMES[summary.ended_by] if ended else None,
        largest_cwnd_bytes=summary.largest_cwnd_bytes,
        final_cwnd_bytes=summary.final_cwnd_bytes,
        dropped_packets=summary.dropped_packets,
        lost_packets=summary.lost_packets,
        done=bool(summary.done),
    )


#: As in ``enum ff_outcome``.
_OUTCOMES = tuple(Outcome)


def simulate(scenario: "_Scenario", algorithm: str, profile: str, summary: "_Summary", trace: object = None) -> int:
    """Call sim_simulate. ``trace``: a C function that is told every event, ``None`` for none."""
    return int(
        library().sim_simulate(byref(scenario), algorithm.encode(), profile.encode(), trace, None, byref(summary))
    )


def _scenario(scenario: Scenario) -> _Scenario:
    link, receiver, config = scenario.link, scenario.receiver, scenario.config
    steps = (_Step * len(link.steps))(*(_Step(*step) for step in link.steps))
    return _Scenario(
        seed=scenario.seed,
        stop_ns=scenario.stop_ns,
        after_slow_start_ns=scenario.after_slow_start_ns,
        max_datagram_size_bytes=config.max_datagram_size_bytes,
        initial_window_bytes=config.initial_window_bytes or 0,
        transfer_bytes=_optional(scenario.transfer_bytes),
        paced=scenario.paced,
        announced=scenario.announced,
        saved_cwnd_bytes=_optional(scenario.saved_cwnd_bytes),
        rate_bps=link.rate_bps,
        forward_delay_ns=link.forward_delay_ns,
        return_delay_ns=link.return_delay_ns,
        queue_bytes=link.queue_bytes,
        loss_ppm=link.loss_ppm,
        jitter_ns=link.jitter_ns,
        step_count=len(steps),
        steps=steps,
        ack_every_packets=receiver.ack_every_packets,
        max_ack_delay_ns=receiver.max_ack_delay_ns,
    )


def _optional(value: int | None) -> int:
    return NONE if value is None else value


@cache
def library() -> CDLL:
    """Return the compiled simulator; it is built if it is not there. Raise :class:`NativeError` if there is none."""
    path = _built()
    try:
        loaded = CDLL(str(path))
    except OSError as error:
        raise NativeError(f"{path}: {error}") from error
    loaded.sim_simulate.argtypes = [POINTER(_Scenario), c_char_p, c_char_p, c_void_p, c_void_p, POINTER(_Summary)]
    loaded.sim_simulate.restype = c_int
    return loaded


def _built() -> Path:
    """Return the shared object of these sources. Who builds it at the same time as others replaces it by the same."""
    sources = sorted(
        [
            *(CONFORMANCE / "simulator").glob("*.[ch]"),
            *REFERENCE_C.glob("src/**/*.c"),
            *REFERENCE_C.glob("include/**/*.h"),
        ]
    )
    compiler = shlex.split(os.environ.get("CC", "cc"))
    if not sources or not compiler or shutil.which(compiler[0]) is None:
        raise NativeError(f"there is no C compiler {' '.join(compiler)}" if sources else "its sources are not here")
    what = digest([repr((compiler, os.uname().machine)), *(source.read_bytes() for source in sources)])
    path = _folder() / f"firstflight-simulator-{what[:16]}.so"
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            _compile(compiler, [str(source) for source in sources if source.suffix == ".c"], path)
    except OSError as error:
        raise NativeError(f"{path}: {error}") from error
    return path


def _folder() -> Path:
    if IS_CHECKOUT:
        return BUILD / "simulator"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "firstflight"


def _compile(compiler: list[str], sources: list[str], path: Path) -> None:
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        made = Path(folder) / path.name
        command = [*compiler, *_FLAGS, f"-I{REFERENCE_C / 'include'}", *sources, "-o", str(made)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", check=False, timeout=_PATIENCE_S
            )
        except subprocess.TimeoutExpired as error:
            raise NativeError(f"{compiler[0]} takes longer than {_PATIENCE_S} s") from error
        if done.returncode != 0:
            raise NativeError(f"{compiler[0]}: {done.stderr.strip()[:500]}")
        made.replace(path)
