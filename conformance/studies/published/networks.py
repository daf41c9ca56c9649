"""Common parts of the scenarios of published results: the base controller, changed networks, and the data of a flow."""

from collections.abc import Container, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from firstflight.events import Ack, Lost, Sent
from firstflight.observables import Outcome
from firstflight_conformance.format.stream import repeated
from firstflight_conformance.paths import NETWORKS
from firstflight_conformance.simulate.dumbbell import Arrival, FlowResult, NetworkResult, Turn
from firstflight_conformance.simulate.network import Network, load_network
from firstflight_conformance.simulate.transfer import Transfer

#: The controller under every startup algorithm, and the suffix for the names of profiles on it.
BASELINE, ON_BASE = "cubic/rfc-9438", "+cubic"
S, MS, MB = 10**9, 10**6, 10**6


def on_base(controller: str) -> str:
    """Return the name of a startup algorithm's controller on the base."""
    return controller + ON_BASE


def network(name: str) -> Network:
    """Load a network of the checkout."""
    return load_network(NETWORKS / f"{name}.json")


def with_transfer(net: Network, flow: str, **changes: Any) -> Network:
    """Return a network with changes to the transfer of one flow."""

    def changed(transfer: Transfer) -> Transfer:
        window = changes.get("initial_window_bytes")
        rest = {name: value for name, value in changes.items() if name != "initial_window_bytes"}
        config = transfer.config if window is None else replace(transfer.config, initial_window_bytes=window)
        return replace(transfer, config=config, **rest)

    plans = (replace(p, transfer=changed(p.transfer)) if p.name == flow else p for p in net.flows)
    return replace(net, flows=tuple(plans))


def goodput_bps(flow: FlowResult, from_ns: int, to_ns: int, sample_ns: int) -> int:
    """Return the delivery rate between two multiples of the sample interval, rounded down."""
    at = [0, *flow.samples.delivered_bytes]
    first, last = min(from_ns // sample_ns, len(at) - 1), min(to_ns // sample_ns, len(at) - 1)
    return 8 * 10**9 * (at[last] - at[first]) // (to_ns - from_ns)


def exit_turn(flow: FlowResult) -> Turn | None:
    """Return the turn when the startup algorithm decided to leave slow start, or ``None``."""
    return next((turn for turn in flow.turns if turn.outcome.value.startswith("exited")), None)


def noted(result: NetworkResult, flow: FlowResult) -> dict[str, Any]:
    """Return the stored data of a run, with times in ns since the flow began."""
    start_ns = flow.started_ns or 0
    exit_ = exit_turn(flow)
    return {
        "completed_ns": since(flow.completed_ns, start_ns),
        "exit_ns": since(exit_.t_ns if exit_ else None, start_ns),
        "exit_cwnd_bytes": exit_.cwnd_bytes if exit_ else None,
        "exit_before_bytes": exit_.before_bytes if exit_ else None,
        "first_loss_ns": since(flow.first_loss_ns, start_ns),
        "sent_packets": flow.sent_packets,
        "lost_packets": flow.lost_packets,
        "dropped_packets": result.dropped_packets,
    }


def since(t_ns: int | None, start_ns: int) -> int | None:
    """Return a time since the start, or ``None`` for an event that did not happen."""
    return None if t_ns is None else t_ns - start_ns


def phases(flow: FlowResult) -> list[list[int | str]]:
    """Return the phases of a flow, each with its start in ns since the flow began."""
    flow_phases: list[list[int | str]] = []
    for turn in flow.turns:
        if not flow_phases or flow_phases[-1][1] != turn.phase.value:
            flow_phases.append([turn.t_ns - (flow.started_ns or 0), turn.phase.value])
    return flow_phases


def reductions(flow: FlowResult) -> list[list[int]]:
    """Return the reductions after losses: time in ns since the flow began, and new window."""
    start_ns = flow.started_ns or 0
    return [[t.t_ns - start_ns, t.cwnd_bytes] for t in flow.turns if t.outcome is Outcome.REDUCED]


def exit_reduction(numbers: dict[str, Any]) -> Fraction | None:
    """Return the relative reduction of the window at the exit, or ``None`` without an exit."""
    before = numbers["exit_before_bytes"]
    return None if before is None else Fraction(before - numbers["exit_cwnd_bytes"], before)


def rtt_at_first_loss(flow: FlowResult) -> int:
    """Return the latest RTT sample before the first loss. The flow must be recorded."""
    rtt_ns = 0
    for event in flow.events:
        if isinstance(event, Lost):
            break
        if isinstance(event, Ack):
            rtt_ns = event.latest_rtt_ns or rtt_ns
    return rtt_ns


def milestones(arrivals: Sequence[Arrival], repeats: Container[int], step_bytes: int) -> tuple[list[int], list[int]]:
    """Return the arrival times of each ``step_bytes`` of new data: in any order, and in order, as an application reads.

    ``repeats``: the numbers of all packets that repeat data, arrived or not: their data belongs to other packets.
    """
    arrived_ns: list[int] = []
    readable_ns: list[int] = []
    arrived, ahead = set[int](), dict[int, int]()
    next_packet = readable_bytes = delivered_bytes = 0
    for t_ns, packet, name, size_bytes in arrivals:
        key = packet if name is None else name
        delivered_bytes += 0 if key in arrived else size_bytes
        arrived |= {packet, key}
        if key >= next_packet:
            ahead[key] = size_bytes
        while next_packet in ahead or next_packet in repeats:
            readable_bytes += ahead.pop(next_packet, 0)
            next_packet += 1
        arrived_ns += [t_ns] * (delivered_bytes // step_bytes - len(arrived_ns))
        readable_ns += [t_ns] * (readable_bytes // step_bytes - len(readable_ns))
    return arrived_ns, readable_ns


def repeats_of(flow: FlowResult) -> set[int]:
    """Return the packets of a flow that repeat data: the first of each ``sent`` event. The flow must be recorded."""
    repeats: set[int] = set()
    for event in flow.events:
        if isinstance(event, Sent):
            first = event.packets[0].first
            repeats.update(range(first, first + sum(last - low + 1 for low, last in repeated(event))))
    return repeats


def median(values: Sequence[int]) -> int:
    """Return the median of an odd number of values."""
    return sorted(values)[len(values) // 2]


def quartiles(values: Sequence[int]) -> tuple[int, int, int]:
    """Return the quartiles of 4 n + 1 values; each is one of the values."""
    ordered, step = sorted(values), (len(values) - 1) // 4
    return ordered[step], ordered[2 * step], ordered[3 * step]
