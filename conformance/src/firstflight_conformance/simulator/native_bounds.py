"""What the compiled simulator takes: the bounds that its arithmetic relies on. What lies beyond is left to Python."""

from collections.abc import Iterable

from firstflight.limits import DATAGRAM_MAX_BYTES, NUMBER_MAX, WINDOW_MAX_BYTES
from firstflight_conformance.simulator.network import FlowPlan, Network
from firstflight_conformance.simulator.presets import Experiment
from firstflight_conformance.simulator.scenario import Link, Scenario
from firstflight_conformance.simulator.transfer import Connection, Pacing, Receiver, Transfer

#: The bounds of ``simulator.h``.
TIME_END_NS, RATE_MIN_BPS, SIZE_MAX_BYTES, DRAIN_MAX_NS = 1 << 42, 1000, 1 << 40, 1 << 58
BURST_MAX_BYTES, HEADER_MAX_BYTES = 1 << 29, 1 << 16


def takes_scenario(scenario: Scenario) -> bool:
    """Return whether a scenario is within the bounds."""
    times_ns = (scenario.stop_ns, scenario.after_slow_start_ns)
    return (
        _are_times(times_ns)
        and 0 <= scenario.seed <= NUMBER_MAX
        and _takes_link(scenario.link)
        and _takes_transfer(scenario.transfer)
        and _takes_receiver(scenario.receiver)
    )


def takes_network(network: Network) -> bool:
    """Return whether a network is within the bounds."""
    return (
        _are_times((network.stop_ns, network.sample_ns))
        and network.sample_ns > 0
        and 0 <= network.seed <= NUMBER_MAX
        and _takes_link(network.link)
        and (network.return_rate_bps is None or _drains(network.link, network.return_rate_bps))
        and all(_takes_plan(plan) for plan in network.flows)
    )


def takes_experiment(experiment: Experiment) -> bool:
    """Return whether a transfer of a preset is within the bounds."""
    return (
        _are_times((experiment.delay_ns, experiment.access_delay_ns))
        and RATE_MIN_BPS <= experiment.access_rate_bps <= SIZE_MAX_BYTES
        and _takes_transfer(experiment.transfer)
        and _takes_receiver(experiment.receiver)
    )


def _are_times(times_ns: Iterable[int]) -> bool:
    return all(0 <= time_ns < TIME_END_NS for time_ns in times_ns)


def _are_sizes(sizes_bytes: Iterable[int | None], most: int = SIZE_MAX_BYTES, least: int = 0) -> bool:
    return all(size_bytes is None or least <= size_bytes <= most for size_bytes in sizes_bytes)


def _takes_link(link: Link) -> bool:
    times_ns = (link.forward_delay_ns, link.return_delay_ns, link.jitter_ns)
    return (
        _are_times((*times_ns, *(time_ns for step in link.steps for time_ns in step)))
        and _are_sizes((link.queue_bytes, link.queue_packets, link.early_drop_above_bytes))
        and _drains(link, link.rate_bps)
        and 0 <= link.loss_ppm <= NUMBER_MAX
        and 0 <= link.early_drop_ppm <= NUMBER_MAX
    )


def _drains(link: Link, rate_bps: int) -> bool:
    """Return whether a full queue is served in time."""
    most_bytes = DATAGRAM_MAX_BYTES + HEADER_MAX_BYTES
    queue_bytes = link.queue_bytes if link.queue_packets is None else link.queue_packets * most_bytes
    return RATE_MIN_BPS <= rate_bps <= SIZE_MAX_BYTES and 8 * 10**9 * queue_bytes // rate_bps <= DRAIN_MAX_NS


def _takes_receiver(receiver: Receiver) -> bool:
    return 1 <= receiver.ack_every_packets <= NUMBER_MAX and _are_times((receiver.max_ack_delay_ns,))


def _takes_transfer(transfer: Transfer) -> bool:
    connection = transfer.connection or Connection(0)
    windows = (transfer.receive_window_bytes, transfer.first_receive_window_bytes, transfer.config.initial_window_bytes)
    times_ns = (
        transfer.max_ack_delay_ns, transfer.least_timeout_ns, transfer.saved_rtt_ns, connection.data_after_ns, connection.retry_ns,
    )  # fmt: skip
    return (
        _are_times(times_ns)
        and _are_sizes((transfer.transfer_bytes, transfer.send_buffer_bytes))
        and _are_sizes((transfer.write_bytes, transfer.rtt_tick_ns), least=1)
        and _are_sizes((transfer.header_bytes, transfer.ack_bytes, connection.syn_bytes), HEADER_MAX_BYTES)
        and _are_sizes((transfer.config.max_datagram_size_bytes,), DATAGRAM_MAX_BYTES, 1)
        and _are_sizes(windows, WINDOW_MAX_BYTES, 1)
        and _are_sizes((transfer.saved_cwnd_bytes,), WINDOW_MAX_BYTES)
        and (transfer.send_buffer_bytes is None or transfer.transfer_bytes is not None)
        and (transfer.pacing is not Pacing.TIMER or transfer.rtt_tick_ns is not None)
    )


def _takes_plan(plan: FlowPlan) -> bool:
    bucket, access = plan.bucket, plan.access
    return (
        _are_times((plan.start_ns,))
        and _takes_transfer(plan.transfer)
        and _takes_receiver(plan.receiver)
        and (
            bucket is None
            or (
                RATE_MIN_BPS <= bucket.rate_bps <= SIZE_MAX_BYTES
                and _are_sizes((bucket.burst_bytes,), BURST_MAX_BYTES)
                and _are_times((bucket.latency_ns,))
            )
        )
        and (access is None or (RATE_MIN_BPS <= access.rate_bps <= SIZE_MAX_BYTES and _are_times((access.delay_ns,))))
    )
