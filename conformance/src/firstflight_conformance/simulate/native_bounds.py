"""The bounds of ``simulator.h``. Within them, the expressions of the C simulator do not overflow."""

from collections.abc import Mapping

from firstflight.limits import DATAGRAM_MAX_BYTES, NUMBER_MAX, WINDOW_MAX_BYTES
from firstflight_conformance.simulate.network import FlowPlan, Network
from firstflight_conformance.simulate.presets import Experiment
from firstflight_conformance.simulate.scenario import Link, Scenario, ScenarioError
from firstflight_conformance.simulate.transfer import Pacing, Transfer

TIME_END_NS, RATE_MIN_BPS, SIZE_MAX_BYTES, DRAIN_MAX_NS = 1 << 42, 1000, 1 << 40, 1 << 58
BURST_MAX_BYTES, HEADER_MAX_BYTES = 1 << 29, 1 << 16

_TIME, _RATE, _SIZE = (0, TIME_END_NS - 1), (RATE_MIN_BPS, SIZE_MAX_BYTES), (0, SIZE_MAX_BYTES)
_WINDOW, _HEADER, _UNIT = (1, WINDOW_MAX_BYTES), (0, HEADER_MAX_BYTES), (1, SIZE_MAX_BYTES)
_NUMBER = (0, NUMBER_MAX)
#: Minimum and maximum of each member; ``None`` is always allowed.
_Bounds = Mapping[str, tuple[int, int]]
_LINK: _Bounds = {
    **dict.fromkeys(("forward_delay_ns", "return_delay_ns", "jitter_ns"), _TIME),
    **dict.fromkeys(("queue_bytes", "queue_packets", "early_drop_above_bytes"), _SIZE),
    **dict.fromkeys(("loss_ppm", "early_drop_ppm"), _NUMBER),
    "rate_bps": _RATE,
}
_TRANSFER: _Bounds = {
    **dict.fromkeys(("max_ack_delay_ns", "least_timeout_ns", "saved_rtt_ns"), _TIME),
    **dict.fromkeys(("transfer_bytes", "send_buffer_bytes"), _SIZE),
    **dict.fromkeys(("write_bytes", "rtt_tick_ns"), _UNIT),
    **dict.fromkeys(("header_bytes", "ack_bytes"), _HEADER),
    **dict.fromkeys(("receive_window_bytes", "first_receive_window_bytes"), _WINDOW),
    "saved_cwnd_bytes": (0, WINDOW_MAX_BYTES),
    "max_data_bytes": (1, SIZE_MAX_BYTES),
    "max_data_factor": (1, 16),
}
_CONFIG: _Bounds = {"max_datagram_size_bytes": (1, DATAGRAM_MAX_BYTES), "initial_window_bytes": _WINDOW}
_CONNECTION: _Bounds = {"syn_bytes": _HEADER, "data_after_ns": _TIME, "retry_ns": _TIME}
_RECEIVER: _Bounds = {"ack_every_packets": (1, NUMBER_MAX), "max_ack_delay_ns": _TIME}
_BUCKET: _Bounds = {"rate_bps": _RATE, "burst_bytes": (0, BURST_MAX_BYTES), "latency_ns": _TIME}


def check_scenario(scenario: Scenario) -> None:
    """Raise :class:`ScenarioError` if a member exceeds its bounds."""
    bounds = {"seed": _NUMBER, "stop_ns": _TIME, "after_slow_start_ns": _TIME}
    _check(scenario.name, scenario, bounds)
    check_link(f"{scenario.name}: link", scenario.link)
    _check_transfer(f"{scenario.name}: sender", scenario.transfer)
    _check(f"{scenario.name}: receiver", scenario.receiver, _RECEIVER)


def check_network(network: Network) -> None:
    """Raise :class:`ScenarioError` if a member exceeds its bounds."""
    bounds = {"seed": _NUMBER, "stop_ns": _TIME, "sample_ns": (1, TIME_END_NS - 1), "return_rate_bps": _RATE}
    _check(network.name, network, bounds)
    check_link(f"{network.name}: bottleneck", network.link)
    if network.return_rate_bps is not None:
        _check_drain(f"{network.name}: return path", network.link, network.return_rate_bps)
    for plan in network.flows:
        _check_plan(f"{network.name}: flow {plan.name}", plan)


def check_experiment(experiment: Experiment) -> None:
    """Raise :class:`ScenarioError` if a member exceeds its bounds."""
    bounds = {"delay_ns": _TIME, "access_delay_ns": _TIME, "access_rate_bps": _RATE}
    _check(experiment.preset, experiment, bounds)
    _check_transfer(experiment.preset, experiment.transfer)
    _check(experiment.preset, experiment.receiver, _RECEIVER)


def check_link(where: str, link: Link) -> None:
    """Raise :class:`ScenarioError` if a member exceeds its bounds."""
    _check(where, link, _LINK)
    for at_ns, longer_ns in link.steps:
        _check_number(f"{where}: delay step: at_ns", at_ns, _TIME)
        _check_number(f"{where}: delay step: longer_ns", longer_ns, _TIME)
    _check_drain(where, link, link.rate_bps)


def _check_drain(where: str, link: Link, rate_bps: int) -> None:
    """Raise :class:`ScenarioError` if a full queue takes too long to drain."""
    most_bytes = DATAGRAM_MAX_BYTES + HEADER_MAX_BYTES
    queue_bytes = link.queue_bytes if link.queue_packets is None else link.queue_packets * most_bytes
    _check_number(f"{where}: drain time of a full queue in ns", 8 * 10**9 * queue_bytes // rate_bps, (0, DRAIN_MAX_NS))


def _check_plan(where: str, plan: FlowPlan) -> None:
    _check(where, plan, {"start_ns": _TIME})
    _check_transfer(f"{where}: sender", plan.transfer)
    _check(f"{where}: receiver", plan.receiver, _RECEIVER)
    if plan.bucket is not None:
        _check(f"{where}: token_bucket", plan.bucket, _BUCKET)
    if plan.access is not None:
        _check(f"{where}: access", plan.access, {"rate_bps": _RATE, "delay_ns": _TIME})


def _check_transfer(where: str, transfer: Transfer) -> None:
    _check(where, transfer, _TRANSFER)
    _check(where, transfer.config, _CONFIG)
    if transfer.connection is not None:
        _check(where, transfer.connection, _CONNECTION)
    if transfer.send_buffer_bytes is not None and transfer.transfer_bytes is None:
        raise ScenarioError(f"{where}: send_buffer_bytes needs transfer_bytes")
    if transfer.pacing is Pacing.TIMER and transfer.rtt_tick_ns is None:
        raise ScenarioError(f"{where}: pacing by a timer needs rtt_tick_ns")


def _check(where: str, part: object, bounds: _Bounds) -> None:
    for name, within in bounds.items():
        _check_number(f"{where}: {name}", getattr(part, name), within)


def _check_number(name: str, value: int | None, within: tuple[int, int]) -> None:
    if value is not None and not within[0] <= value <= within[1]:
        raise ScenarioError(f"{name} {value} is outside {within[0]}..{within[1]}, the bounds of the simulator")
