"""What the scenarios of published results share: the base controller, networks with one thing changed, and what is noted of a flow."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from firstflight.events import Ack, Lost
from firstflight.observables import Outcome
from firstflight_conformance.paths import NETWORKS
from firstflight_conformance.simulator.clock import Clock
from firstflight_conformance.simulator.dumbbell import Dumbbell, FlowResult, NetworkResult, Turn
from firstflight_conformance.simulator.flow import Delivered, Flow
from firstflight_conformance.simulator.network import Network, load_network
from firstflight_conformance.simulator.outbox import NamedOutbox
from firstflight_conformance.simulator.transfer import Transfer

#: The controller under every startup algorithm, and what is added to the name of its profile.
BASELINE, ON_BASE = "cubic/rfc-9438", "+cubic"
S, MS, MB = 10**9, 10**6, 10**6


def on_base(controller: str) -> str:
    """Return the name of a startup algorithm's controller on the base."""
    return controller + ON_BASE


def network(name: str) -> Network:
    """Load a network of the checkout."""
    return load_network(NETWORKS / f"{name}.json")


def with_transfer(net: Network, flow: str, **changes: Any) -> Network:
    """Return a network in which the transfer of one flow is changed."""

    def changed(transfer: Transfer) -> Transfer:
        window = changes.get("initial_window_bytes")
        rest = {name: value for name, value in changes.items() if name != "initial_window_bytes"}
        config = transfer.config if window is None else replace(transfer.config, initial_window_bytes=window)
        return replace(transfer, config=config, **rest)

    plans = (replace(p, transfer=changed(p.transfer)) if p.name == flow else p for p in net.flows)
    return replace(net, flows=tuple(plans))


def exit_turn(flow: FlowResult) -> Turn | None:
    """Return when the startup algorithm decided to leave slow start, ``None`` if it did not."""
    return next((turn for turn in flow.turns if turn.outcome.value.startswith("exited")), None)


def noted(result: NetworkResult, flow: FlowResult) -> dict[str, Any]:
    """Return what is kept of every run: times since the flow began, in ns."""
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
    """Return a time since the start, ``None`` for what did not happen."""
    return None if t_ns is None else t_ns - start_ns


def phases(flow: FlowResult) -> list[list[int | str]]:
    """Return the phases of a flow, each with when it began, in ns since the flow did."""
    found: list[list[int | str]] = []
    for turn in flow.turns:
        if not found or found[-1][1] != turn.phase.value:
            found.append([turn.t_ns - (flow.started_ns or 0), turn.phase.value])
    return found


def reductions(flow: FlowResult) -> list[list[int]]:
    """Return when the window was reduced after a loss, in ns since the flow began, and to what."""
    start_ns = flow.started_ns or 0
    return [[t.t_ns - start_ns, t.cwnd_bytes] for t in flow.turns if t.outcome is Outcome.REDUCED]


def exit_reduction(found: dict[str, Any]) -> Fraction | None:
    """Return by what part of itself the window was lowered at the exit, ``None`` without one."""
    before = found["exit_before_bytes"]
    return None if before is None else Fraction(before - found["exit_cwnd_bytes"], before)


def first_round_of_loss(flow: FlowResult) -> dict[str, int]:
    """Return how many packets were found lost, and how many acknowledged, in the RTT that begins with the first loss.

    The RTT is the latest sample before it. The flow has to be recorded.
    """
    rtt_ns = 0
    end_ns: int | None = None
    lost = acked = 0
    for event in flow.events:
        if end_ns is not None and event.t_ns > end_ns:
            break
        if isinstance(event, Lost):
            end_ns = event.t_ns + rtt_ns if end_ns is None else end_ns
            lost += sum(run.count for run in event.packets)
        elif isinstance(event, Ack) and end_ns is None:
            rtt_ns = event.latest_rtt_ns or rtt_ns
        elif isinstance(event, Ack):
            acked += sum(run.count for run in event.packets)
    return {"first_loss_rtt_ns": rtt_ns, "first_round_lost_packets": lost, "first_round_acked_packets": acked}


class Milestones(Delivered):
    """Notes when every ``step_bytes`` of new data have arrived: in any order, and in order, as an application reads them."""

    def __init__(self, clock: Clock, step_bytes: int) -> None:
        """Begin with nothing."""
        super().__init__()
        self.clock = clock
        self.step_bytes = step_bytes
        self.arrived_ns: list[int] = []
        self.readable_ns: list[int] = []
        #: Numbers of packets that repeat data: they name nothing.
        self.repeats: set[int] = set()
        self._ahead: dict[int, int] = {}
        self._next = 0
        self._readable_bytes = 0

    def add(self, packet: int, name: int | None, size_bytes: int) -> None:
        """Count a packet; ``name`` is the packet whose data it repeats."""
        super().add(packet, name, size_bytes)
        self._note(self.arrived_ns, self.bytes)
        key = packet if name is None else name
        if key >= self._next:
            self._ahead[key] = size_bytes
        while self._next in self._ahead or self._next in self.repeats:
            self._readable_bytes += self._ahead.pop(self._next, 0)
            self._next += 1
        self._note(self.readable_ns, self._readable_bytes)

    def _note(self, times_ns: list[int], count_bytes: int) -> None:
        while count_bytes >= (len(times_ns) + 1) * self.step_bytes:
            times_ns.append(self.clock.now_ns)


class _NotedOutbox(NamedOutbox):
    """Tells which packets repeat data."""

    milestones: Milestones

    def take(self, packet: int, size_bytes: int, count: int) -> int | None:
        """Put data into packets."""
        name = super().take(packet, size_bytes, count)
        if name is not None:
            self.milestones.repeats.add(packet)
        return name


def watch(dumbbell: Dumbbell, flow: Flow, step_bytes: int) -> Milestones:
    """Have the milestones of a flow noted. To be called before the run."""
    milestones = Milestones(dumbbell.clock, step_bytes)
    outbox = _NotedOutbox(flow.transfer.transfer_bytes, flow.transfer)
    outbox.milestones = milestones
    flow.sender.outbox = outbox
    flow.delivered = milestones
    return milestones


def median(values: Sequence[int]) -> int:
    """Return the middle one of an odd number of values."""
    return sorted(values)[len(values) // 2]


def quartiles(values: Sequence[int]) -> tuple[int, int, int]:
    """Return the quartiles of 4 n + 1 values, which are values themselves."""
    ordered, step = sorted(values), (len(values) - 1) // 4
    return ordered[step], ordered[2 * step], ordered[3 * step]
