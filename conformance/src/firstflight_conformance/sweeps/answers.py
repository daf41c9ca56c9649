"""Computes the row of one cell of a sweep. A domain error or a stalled run gives a row with the reason."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from firstflight import Backlog, Config, DomainError, SavedPath
from firstflight.controller import ALGORITHMS
from firstflight.quick_start.profiles import FirstRequest
from firstflight.transfer_time import transfer_time
from firstflight.transfer_time.transfer_time import Inputs
from firstflight_conformance.simulate import presets
from firstflight_conformance.simulate.completion import complete
from firstflight_conformance.simulate.loop import run_port
from firstflight_conformance.simulate.native_bounds import check_scenario
from firstflight_conformance.simulate.scenario import Link, Scenario, ScenarioError
from firstflight_conformance.simulate.transfer import Receiver
from firstflight_conformance.sweeps.grid import Cell

#: Columns of a row in addition to its cell.
COLUMNS = {
    "simulate": (
        "completed_ns", "slow_start_ended_ns", "ended_by", "largest_cwnd_bytes", "dropped_packets", "lost_packets", "error",
    ),
    "fct": ("fct_ns", "sent_packets", "lost", "comparable", "error"),
    "model": ("response_time_ns", "error"),
}  # fmt: skip
#: Time limit of a transfer.
STOP_NS = 3_600 * 10**9
PRESET = "grigore-2025"
#: Default scenario of `simulate`. As after a handshake, the RTT is known and the waiting data is announced.
PLAIN = Scenario(
    name="sweep", title="", seed=1, stop_ns=STOP_NS, after_slow_start_ns=STOP_NS, config=Config(1200, 12000),
    transfer_bytes=None, paced=False, saved_cwnd_bytes=None, link=Link(1, 0, 0, 0, 0, 0),
    receiver=Receiver(ack_every_packets=2, max_ack_delay_ns=25_000_000), vectors=(), announced=True,
)  # fmt: skip


def answer(kind: str, cell: Cell, scenario: Scenario | None = None) -> dict[str, Any]:
    """Return the row of a cell: the cell and the computed columns, ``None`` in columns without a result.

    A cell is one combination of the parameters of a sweep, such as algorithm, rate and RTT. ``kind``: kind of the
    sweep, ``simulate``, ``fct`` or ``model``. ``scenario``: for ``simulate``, replaces the default scenario ``PLAIN``.
    """
    row: dict[str, Any] = {**cell, **dict.fromkeys(COLUMNS[kind])}
    try:
        if kind == "simulate":
            row |= _simulate(cell, PLAIN if scenario is None else scenario)
        else:
            row |= _fct(cell) if kind == "fct" else _model(cell)
    except (DomainError, ScenarioError) as error:
        row["error"] = str(error)
    return row


def check(cells: Sequence[Cell], scenario: Scenario | None) -> None:
    """Raise :class:`ScenarioError` if a simulation exceeds the bounds of the simulator.

    ``cells``: the simulations, each with algorithm, rate, RTT, queue, loss, size and seed. ``scenario``: all other
    parameters, or ``None`` for the default scenario ``PLAIN``.
    """
    for cell in cells:
        check_scenario(_on(cell, PLAIN if scenario is None else scenario))


def _on(cell: Cell, scenario: Scenario) -> Scenario:
    """Return a scenario with the path, size and seed of a cell, and the time limit of all sweeps, one hour.

    The path is the rate, RTT, queue and loss of the cell. An RTT other than the scenario's is split into equal delays
    of both directions.
    """
    link, rtt_ns = scenario.link, int(cell["rtt_ns"])
    if rtt_ns != link.forward_delay_ns + link.return_delay_ns:
        link = replace(link, forward_delay_ns=rtt_ns // 2, return_delay_ns=rtt_ns - rtt_ns // 2)
    rate_bps, queue_bytes, loss_ppm = int(cell["rate_bps"]), int(cell["queue_bytes"]), int(cell["loss_ppm"])
    return replace(
        scenario,
        link=replace(link, rate_bps=rate_bps, queue_bytes=queue_bytes, loss_ppm=loss_ppm),
        transfer_bytes=int(cell["size_bytes"]),
        seed=int(cell["seed"]),
        stop_ns=STOP_NS,
        after_slow_start_ns=STOP_NS,
    )


def _simulate(cell: Cell, scenario: Scenario) -> dict[str, Any]:
    algorithm, _, profile = str(cell["algorithm"]).partition("/")
    _check_starting_values(scenario, algorithm, profile)
    summary = run_port(_on(cell, scenario), algorithm, profile)
    if not summary.done:
        raise ScenarioError(f"the transfer does not end within {STOP_NS // 10**9} s")
    return {
        "completed_ns": summary.duration_ns,
        "slow_start_ended_ns": summary.slow_start_ended_ns,
        "ended_by": None if summary.ended_by is None else summary.ended_by.value,
        "largest_cwnd_bytes": summary.largest_cwnd_bytes,
        "dropped_packets": summary.dropped_packets,
        "lost_packets": summary.lost_packets,
    }


def _check_starting_values(scenario: Scenario, algorithm: str, profile: str) -> None:
    """Raise :class:`ScenarioError` if the scenario lacks starting values of the algorithm, so that it would never act.

    The starting values are an RTT before the first ACK or a saved window. Without them the base controller would act
    alone. The result would have the name of the algorithm but the numbers of slow start.
    """
    definition = ALGORITHMS.get(algorithm)
    started_by = None if definition is None else definition.started_by
    readings = None if definition is None else definition.profiles.get(profile.partition("+")[0])
    asks_in_handshake = getattr(readings, "first_request", None) is FirstRequest.HANDSHAKE
    has_rtt = scenario.announced or scenario.saved_cwnd_bytes is not None
    if (started_by is Backlog or asks_in_handshake) and not has_rtt:
        raise ScenarioError(
            "no RTT before the first ACK, so this would be slow start: the scenario's sender needs announced = true"
        )
    if started_by is SavedPath and scenario.saved_cwnd_bytes is None:
        raise ScenarioError(
            "no saved window, so this would be slow start: the scenario's sender needs saved_cwnd_bytes"
        )


def _fct(cell: Cell) -> dict[str, Any]:
    rate_mbps, rest_bps = divmod(int(cell["rate_bps"]), 10**6)
    delay_ms, rest_ns = divmod(int(cell["rtt_ns"]), 2 * 10**6)
    if rest_bps or rest_ns:
        raise DomainError("fct needs a rate in whole Mbit/s and an RTT of an even number of ms")
    algorithm = str(cell["algorithm"])
    completion = complete(presets.experiment(PRESET, algorithm, rate_mbps, delay_ms, int(cell["size_bytes"])))
    return {
        "fct_ns": completion.fct_ns,
        "sent_packets": completion.sent_packets,
        "lost": completion.lost,
        "comparable": completion.comparable,
    }


def _model(cell: Cell) -> dict[str, Any]:
    inputs = Inputs(rate_bps=int(cell["rate_bps"]), rtt_ns=int(cell["rtt_ns"]), size_bytes=int(cell["size_bytes"]))
    return {"response_time_ns": transfer_time.compute(str(cell["algorithm"]), inputs).response_time_ns}
