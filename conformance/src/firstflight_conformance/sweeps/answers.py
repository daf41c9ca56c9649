"""What a sweep computes for one cell. An answer outside of the domain, or a run that stalls, is a row with its reason."""

from collections.abc import Callable
from typing import Any

from firstflight import Config, DomainError, create
from firstflight.transfer_time import transfer_time
from firstflight.transfer_time.transfer_time import Inputs
from firstflight_conformance.simulator import presets
from firstflight_conformance.simulator.loop import SLOW_START_ENDS, simulate
from firstflight_conformance.simulator.scenario import Link, Scenario, ScenarioError
from firstflight_conformance.simulator.transfer import Receiver
from firstflight_conformance.sweeps.grid import Cell

#: What a row holds beside its cell.
COLUMNS = {
    "simulate": (
        "completed_ns", "slow_start_ended_ns", "ended_by", "largest_cwnd_bytes", "dropped_packets", "lost_packets", "error",
    ),
    "fct": ("fct_ns", "sent_packets", "lost", "comparable", "error"),
    "model": ("response_time_ns", "error"),
}  # fmt: skip
#: A transfer that takes longer is cut off.
STOP_NS = 3_600 * 10**9
PRESET = "grigore-2025"


def answer(kind: str, cell: Cell) -> dict[str, Any]:
    """Return the row of a cell: the cell, and what was computed, ``None`` where there is nothing."""
    row: dict[str, Any] = {**cell, **dict.fromkeys(COLUMNS[kind])}
    try:
        row |= _ANSWERS[kind](cell)
    except (DomainError, ScenarioError) as error:
        row["error"] = str(error)
    return row


def _simulate(cell: Cell) -> dict[str, Any]:
    algorithm, _, profile = str(cell["algorithm"]).partition("/")
    config = Config(1200, 12000)
    rtt_ns = int(cell["rtt_ns"])
    there_ns = rtt_ns // 2
    queue_bytes, loss_ppm = int(cell["queue_bytes"]), int(cell["loss_ppm"])
    link = Link(int(cell["rate_bps"]), there_ns, rtt_ns - there_ns, queue_bytes, loss_ppm, jitter_ns=0)
    scenario = Scenario(
        name="sweep", title="", seed=int(cell["seed"]), stop_ns=STOP_NS, after_slow_start_ns=STOP_NS, config=config,
        transfer_bytes=int(cell["size_bytes"]), paced=False, saved_cwnd_bytes=None, link=link,
        receiver=Receiver(ack_every_packets=2, max_ack_delay_ns=25_000_000), vectors=(),
    )  # fmt: skip
    recording = simulate(scenario, create(algorithm, profile, config))
    began_ns = recording.events[0].t_ns
    ended = next(
        ((e, o) for e, o in zip(recording.events, recording.observations, strict=True) if o.outcome in SLOW_START_ENDS),
        None,
    )
    return {
        "completed_ns": recording.events[-1].t_ns - began_ns,
        "slow_start_ended_ns": ended[0].t_ns - began_ns if ended else None,
        "ended_by": ended[1].outcome.value if ended else None,
        "largest_cwnd_bytes": max(observation.cwnd_bytes for observation in recording.observations),
        "dropped_packets": recording.dropped_packets,
        "lost_packets": recording.lost_packets,
    }


def _fct(cell: Cell) -> dict[str, Any]:
    rate_mbps, rest_bps = divmod(int(cell["rate_bps"]), 10**6)
    delay_ms, rest_ns = divmod(int(cell["rtt_ns"]), 2 * 10**6)
    if rest_bps or rest_ns:
        raise DomainError("fct takes whole Mbit/s, and an RTT of an even number of ms")
    algorithm = str(cell["algorithm"])
    controller = presets.model(PRESET, *algorithm.split("/", 1)) if "/" in algorithm else None
    if controller is None and algorithm not in presets.algorithms(PRESET):
        raise DomainError(f"{algorithm}: there are {', '.join(presets.algorithms(PRESET))}, or ALGORITHM/PROFILE")
    found = presets.complete(PRESET, algorithm, rate_mbps, delay_ms, int(cell["size_bytes"]), controller)
    return {
        "fct_ns": found.fct_ns,
        "sent_packets": found.sent_packets,
        "lost": found.lost,
        "comparable": found.comparable,
    }


def _model(cell: Cell) -> dict[str, Any]:
    inputs = Inputs(rate_bps=int(cell["rate_bps"]), rtt_ns=int(cell["rtt_ns"]), size_bytes=int(cell["size_bytes"]))
    return {"response_time_ns": transfer_time.compute(str(cell["algorithm"]), inputs).response_time_ns}


_ANSWERS: dict[str, Callable[[Cell], dict[str, Any]]] = {"simulate": _simulate, "fct": _fct, "model": _model}
