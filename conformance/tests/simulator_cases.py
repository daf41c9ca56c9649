"""Random scenarios, networks and experiments of the simulator, and their results as text: ``simulated.json`` has the hashes.

Cases 0 to 19,999 are scenarios (even numbers) and networks (odd numbers). Experiments, and networks whose receivers limit the data,
have numbers of their own. A case follows from its number alone, and every feature occurs in at least 500 cases.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from typing import Any, TypeVar

from firstflight import Config
from firstflight.events import Ack, Backlog, Event, Lost, PersistentCongestion, Pto, SavedPath, Sent
from firstflight_conformance.prng import SplitMix64
from firstflight_conformance.simulate.network import Access, Bucket, FlowPlan, Network
from firstflight_conformance.simulate.presets import Experiment, experiment
from firstflight_conformance.simulate.scenario import Link, Scenario
from firstflight_conformance.simulate.transfer import Handshake, Pacing, Receiver, Transfer

S, MS = 10**9, 10**6
#: Numbers of scenarios and networks, of experiments, of networks with MAX_DATA, and of cases per hash.
CASES, EXPERIMENTS, LIMITED, BLOCK = 20_000, 4_000, 1_000, 100
LEAST = 500
#: Features that only the networks with MAX_DATA have.
MAX_DATA, GROWING_MAX_DATA = "MAX_DATA", "MAX_DATA with a growing window"
#: Controllers with settled rules. The last one needs delivery-rate samples and is only in every tenth block.
CONTROLLERS = (
    "slow-start/rfc-9002",
    "cubic/rfc-9438",
    "jumpstart/pfldnet-2007",
    "careful-resume/rfc-9959",
    "bbr/draft-06",
)
PRESET = "grigore-2025"
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class ScenarioCase:
    """A scenario, its controller, and the unit of the controller's clock."""

    scenario: Scenario
    controller: str
    clock_ns: int


Case = ScenarioCase | Network | Experiment


class _Draw(SplitMix64):
    """Draws the members of a case."""

    def pick(self, *items: _Item) -> _Item:
        return items[self.below(len(items))]

    def in_(self, n: int) -> bool:
        """Return true in one of ``n`` cases."""
        return self.below(n) == 0


def case(number: int) -> Case:
    """Return a scenario or a network."""
    draw = _Draw(number << 32)
    controllers = CONTROLLERS[-1:] if number // BLOCK % 10 == 9 else CONTROLLERS[:-1]
    return _network(draw, controllers) if number % 2 else _scenario(draw, controllers)


def limited_case(number: int) -> Network:
    """Return a network whose receivers limit the data by MAX_DATA, where either all windows grow or none."""
    draw = _Draw(number << 32 | 2)
    network, factor = _network(draw, CONTROLLERS[:-1]), draw.pick(1, 2 + draw.below(2))
    transfers = [
        replace(
            plan.transfer,
            max_data_bytes=1 + draw.below(draw.pick(2_000, 20_000, 200_000)),
            max_data_factor=factor,
        )
        for plan in network.flows
    ]
    flows = [replace(plan, transfer=transfer) for plan, transfer in zip(network.flows, transfers, strict=True)]
    return replace(network, flows=tuple(flows))


def experiment_case(number: int) -> Experiment:
    """Return a transfer of a published experiment with changed members."""
    draw = _Draw(number << 32 | 1)
    algorithm = draw.pick("cubic", "cubic", "jumpstart", "jumpstart", "slow-start/rfc-9002")
    rate_mbps, delay_ms = 1 + draw.below(draw.pick(3, 100)), draw.below(draw.pick(3, 40, 40))
    todo = experiment(
        PRESET, algorithm, rate_mbps, delay_ms, 1 + draw.below(draw.pick(500, 6_000, 60_000, 300_000, 300_000))
    )
    transfer = todo.transfer
    connection = replace(transfer.connection or Handshake(0), fin_acknowledges=draw.in_(2))
    if draw.in_(3):
        buffer_bytes, write_bytes = 4_000 + draw.below(20_000), 1 + draw.below(3_000)
        transfer = replace(transfer, send_buffer_bytes=buffer_bytes, write_bytes=write_bytes)
    if draw.in_(3):
        transfer = replace(transfer, rtt_tick_ns=draw.pick(None, 7, 10 * MS) if algorithm != "jumpstart" else 7)
    if draw.in_(3):
        transfer = replace(transfer, receive_window_bytes=20_000, first_receive_window_bytes=draw.pick(None, 3_000))
    if draw.in_(3):
        transfer = replace(transfer, pacing=Pacing.WINDOW)
    receiver = Receiver(1 + draw.below(4), draw.below(200 * MS), draw.in_(2))
    return replace(todo, transfer=replace(transfer, connection=connection), receiver=receiver)


def _link(draw: _Draw, size_bytes: int, most_loss_ppm: int) -> Link:
    rtt_ns = MS + draw.below(draw.pick(20 * MS, 200 * MS))
    steps = sorted((draw.below(600 * MS), draw.below(60 * MS)) for _ in range(draw.pick(0, 0, 1, 3)))
    link = Link(
        rate_bps=400_000 << draw.below(8),
        forward_delay_ns=rtt_ns // 3,
        return_delay_ns=rtt_ns - rtt_ns // 3,
        queue_bytes=size_bytes * draw.below(draw.pick(6, 30)),
        loss_ppm=draw.pick(0, 0, 5_000, 50_000, 200_000, most_loss_ppm),
        jitter_ns=draw.pick(0, 0, 1 + draw.below(20 * MS)),
        steps=tuple(steps),
        queue_packets=draw.below(draw.pick(5, 30)) if draw.in_(4) else None,
    )
    if draw.in_(3):
        above_bytes, ppm = draw.below(draw.pick(1, 4 * size_bytes)), draw.pick(50_000, 500_000)
        link = replace(link, early_drop_above_bytes=above_bytes, early_drop_ppm=ppm)
    return link


def _transfer_bytes(draw: _Draw, size_bytes: int) -> int:
    packets = draw.pick(1, 1 + draw.below(12), 1 + draw.below(50), 1 + draw.below(150))
    return max(packets * size_bytes - draw.pick(0, draw.below(size_bytes)), 1)


def _receiver(draw: _Draw) -> Receiver:
    return Receiver(draw.pick(1, 2, 3 + draw.below(8)), draw.pick(0, draw.below(60 * MS)), draw.in_(2))


def _scenario(draw: _Draw, controllers: Sequence[str]) -> ScenarioCase:
    size_bytes = 200 + draw.below(1300)
    transfer_bytes = None if draw.in_(8) else _transfer_bytes(draw, size_bytes)
    scenario = Scenario(
        name="random.json",
        title="",
        seed=draw.next() >> 11,
        stop_ns=20 * S if transfer_bytes and not draw.in_(6) else 20 * MS + draw.below(200 * MS),
        after_slow_start_ns=20 * S if draw.in_(2) else draw.below(200 * MS),
        config=Config(size_bytes, None if draw.in_(6) else size_bytes * (1 + draw.below(12))),
        transfer_bytes=transfer_bytes,
        paced=draw.in_(3),
        saved_cwnd_bytes=size_bytes * (1 + draw.below(40)) if draw.in_(2) else None,
        link=_link(draw, size_bytes, 20_000),
        receiver=_receiver(draw),
        vectors=(),
        announced=transfer_bytes is not None and draw.in_(2),
    )
    return ScenarioCase(scenario, draw.pick(*controllers), draw.pick(1, 1, 1, 1, 1_000, MS))


def _plan(draw: _Draw, number: int, controllers: Sequence[str]) -> FlowPlan:
    size_bytes, receiver = 200 + draw.below(1300), _receiver(draw)
    saved = draw.in_(2)
    connection = Handshake(draw.below(80), draw.below(2), draw.pick(S, 100 * MS), draw.in_(2)) if draw.in_(2) else None
    transfer = Transfer(
        Config(size_bytes, None if draw.in_(6) else size_bytes * (1 + draw.below(12))),
        _transfer_bytes(draw, size_bytes),
        draw.pick(Pacing.NONE, Pacing.NONE, Pacing.WINDOW),
        named_data=True,
        probes=True,
        max_ack_delay_ns=receiver.max_ack_delay_ns,
        header_bytes=draw.pick(0, draw.below(60)),
        ack_bytes=draw.pick(0, draw.below(80)),
        receive_window_bytes=size_bytes * (1 + draw.below(12)) if draw.in_(3) else None,
        announced=not draw.in_(3),
        saved_cwnd_bytes=size_bytes * (1 + draw.below(40)) if saved else None,
        saved_rtt_ns=1 + draw.below(200 * MS) if saved else 0,
        connection=connection,
        samples_rate=draw.in_(3),
    )
    bucket = Bucket(500_000 << draw.below(5), 2_000 + draw.below(4_000), draw.below(draw.pick(5 * MS, 100 * MS)))
    access = Access(2_000_000 << draw.below(10), draw.below(10 * MS))
    return FlowPlan(
        f"flow {number}",
        draw.pick(*controllers),
        draw.pick(0, draw.below(S)),
        transfer,
        receiver,
        bucket if draw.in_(4) else None,
        access if draw.in_(2) else None,
    )


def _network(draw: _Draw, controllers: Sequence[str]) -> Network:
    return Network(
        name="random.json",
        title="",
        sources=(),
        seed=draw.next() >> 11,
        stop_ns=200 * MS + draw.below(S) if draw.in_(5) else 120 * S,
        sample_ns=50 * MS + draw.below(S),
        link=_link(draw, 1_500, 500_000),
        return_rate_bps=100_000 << draw.below(6) if draw.in_(3) else None,
        flows=tuple(_plan(draw, number, controllers) for number in range(draw.pick(1, 1, 2, 3))),
    )


# Features


def inputs(case: Case) -> set[str]:
    """Return the features of a case that its members show."""
    if isinstance(case, Experiment):
        return _named(_of_transfer(case.transfer, case.receiver), _of_experiment(case))
    if isinstance(case, Network):
        plans = [_named(_of_transfer(plan.transfer, plan.receiver), _of_plan(plan)) for plan in case.flows]
        return _named(_of_link(case.link), _of_network(case)).union(*plans)
    scenario = case.scenario
    rest = {
        f"scenario with {case.controller}": True,
        "coarse clock": case.clock_ns > 1,
        "saved window in a scenario": scenario.saved_cwnd_bytes is not None,
        "announced in a scenario": scenario.announced,
        "paced scenario": scenario.paced,
    }
    return _named(_of_link(scenario.link), _of_transfer(scenario.transfer, scenario.receiver), rest)


def _named(*features: Mapping[str, bool]) -> set[str]:
    return {name for group in features for name, is_present in group.items() if is_present}


def _of_link(link: Link) -> dict[str, bool]:
    longer = [longer_ns for _, longer_ns in link.steps]
    return {
        "loss": link.loss_ppm > 0,
        "jitter": link.jitter_ns > 0,
        "delay step": len(longer) == 1,
        "several delay steps": len(longer) > 1,
        "delay step back": longer != sorted(longer),
        "queue in bytes": link.queue_packets is None,
        "queue in packets": link.queue_packets is not None,
        "no queue": link.queue_bytes == 0,
        "early drop": link.early_drop_ppm > 0,
    }


def _of_transfer(transfer: Transfer, receiver: Receiver) -> dict[str, bool]:
    size_bytes, all_bytes = transfer.config.max_datagram_size_bytes, transfer.transfer_bytes
    return {
        "recommended initial window": transfer.config.initial_window_bytes is None,
        "data without end": all_bytes is None,
        "one packet": all_bytes is not None and all_bytes <= size_bytes,
        "short last packet": all_bytes is not None and all_bytes % size_bytes > 0,
        "pacing by the window": transfer.pacing is Pacing.WINDOW,
        "pacing by a timer": transfer.pacing is Pacing.TIMER,
        "no pacing": transfer.pacing is Pacing.NONE,
        "announced": transfer.announced,
        "not announced": not transfer.announced,
        "saved window": transfer.saved_cwnd_bytes is not None,
        "receive window": transfer.receive_window_bytes is not None,
        MAX_DATA: transfer.max_data_bytes is not None and transfer.max_data_factor == 1,
        GROWING_MAX_DATA: transfer.max_data_bytes is not None and transfer.max_data_factor > 1,
        "an ACK for each packet": receiver.ack_every_packets == 1,
        "an ACK for two packets": receiver.ack_every_packets == 2,
        "an ACK for more packets": receiver.ack_every_packets > 2,
        "no ACK delay": receiver.max_ack_delay_ns == 0,
        "first ACK at once": receiver.first_at_once,
        "delivery-rate samples": transfer.samples_rate,
        "headers": transfer.header_bytes > 0,
        "ACKs with a size": transfer.ack_bytes > 0,
        "handshake": transfer.connection is not None,
    }


def _of_plan(plan: FlowPlan) -> dict[str, bool]:
    connection = plan.transfer.connection
    return {
        f"flow with {plan.controller}": True,
        "later start": plan.start_ns > 0,
        "token bucket": plan.bucket is not None,
        "access links": plan.access is not None,
        "both": plan.bucket is not None and plan.access is not None,
        "data later than the handshake": connection is not None and connection.data_after_ns > 0,
        "SYN repeated early": connection is not None and connection.retry_ns < S,
        "FIN that acknowledges": connection is not None and connection.fin_acknowledges,
    }


def _of_network(network: Network) -> dict[str, bool]:
    return {
        "one flow": len(network.flows) == 1,
        "two flows": len(network.flows) == 2,
        "three flows": len(network.flows) == 3,
        "rate of the way back": network.return_rate_bps is not None,
    }


def _of_experiment(todo: Experiment) -> dict[str, bool]:
    transfer = todo.transfer
    return {
        f"experiment with {todo.algorithm.partition('/')[0]}": True,
        "small send buffer": (transfer.send_buffer_bytes or S) < 2**20,
        "exact RTT samples or other ticks": transfer.rtt_tick_ns != MS,
        "receive window of the first flight": transfer.first_receive_window_bytes is not None,
        "queue without room": todo.queue_bytes < 1_500,
    }


def outcomes(case: Case, result: "Result") -> set[str]:
    """Return the features of a case that its result shows."""
    features = {f"{result.kind} {result.end}"} | {
        f"{result.kind}: {name}" for name in ("dropped", "dropped early", "lost") if result.numbers.get(name)
    }
    for flow in result.flows:
        features |= _of_flow(result.kind, flow)
    if isinstance(case, Network):
        for plan, flow in zip(case.flows, result.flows, strict=True):
            first_ns, connection = flow.numbers["first_sent_ns"], plan.transfer.connection
            if connection is not None and first_ns is not None and first_ns - plan.start_ns >= connection.retry_ns:
                features.add("SYN repeated")
    return features


def _of_flow(kind: str, flow: "FlowOf") -> set[str]:
    features = {f"{kind}: {type(event).__name__}" for event in flow.events}
    for event, after in pairwise([*flow.events, None]):
        if isinstance(event, Sent):
            features |= _named({f"{kind}: retransmission": bool(event.retransmits), "app-limited": event.app_limited})
        if isinstance(event, Ack):
            features |= _named({"late ACK": event.ack_delay_ns > 0})
        if isinstance(event, Lost):
            by_ack = isinstance(after, Ack) and after.t_ns == event.t_ns
            features.add(f"{kind}: loss found by {'an ACK' if by_ack else 'the timer'}")
    names = ("lost_packets", "probe_timeouts", "dropped_by_bucket_packets")
    return features | {f"{kind}: {name}" for name in names if flow.numbers.get(name)}


# Results


@dataclass(slots=True)
class FlowOf:
    """The result of a flow: its numbers and events, and in a network turns, samples and arrivals, all as tuples."""

    numbers: dict[str, int | None]
    events: Sequence[Event] = ()
    watched: tuple[Sequence[object], ...] = ()


@dataclass(slots=True)
class Result:
    """The result of a case: its end, its numbers, and its flows."""

    kind: str
    end: str
    numbers: dict[str, Any]
    flows: list[FlowOf]

    @property
    def text(self) -> str:
        """The result as text, without members that events may get later."""
        lines = [f"{self.kind} {self.end} {sorted(self.numbers.items())}"]
        for flow in self.flows:
            lines.append(str(sorted(flow.numbers.items())))
            lines += map(_line, flow.events)
            lines += [str(entry) for entries in flow.watched for entry in entries]
        return "\n".join(lines) + "\n"


_RATES = ("rate_in_flight_bytes", "rate_app_limited", "rate_lost_bytes")
_MEMBERS: dict[type, tuple[str, ...]] = {
    Sent: ("bytes", "bytes_in_flight", "app_limited", "retransmits"),
    Ack: (
        "bytes", "bytes_in_flight", "next_packet", "app_limited", "latest_rtt_ns", "min_rtt_ns", "smoothed_rtt_ns", "ack_delay_ns",
        "oldest_unacked_packet", "rate_delivered_bytes", "rate_interval_ns", "rate_prior_delivered_bytes", *_RATES,
    ),
    Lost: ("bytes", "bytes_in_flight", "next_packet", *_RATES),
    Pto: (),
    PersistentCongestion: (),
    Backlog: ("queued_bytes", "receive_window_bytes", "latest_rtt_ns"),
    SavedPath: ("saved_cwnd_bytes", "saved_rtt_ns", "endpoint_matches", "in_use", "expires_t_ns", "max_jump_bytes"),
}  # fmt: skip


def _line(event: Event) -> str:
    members = [getattr(event, name) for name in _MEMBERS[type(event)]]
    runs = [(run.first, run.last, run.size_bytes, run.sent_t_ns) for run in getattr(event, "packets", ())]
    return f"{type(event).__name__} {event.t_ns} {members} {runs}"


def block_hash(texts: Iterable[str]) -> str:
    """Return the hash of the results of a block."""
    return sha256("".join(texts).encode()).hexdigest()


def numbers(block: int, total: int) -> range:
    """Return the numbers of the cases in a block; ``total``: total number of cases."""
    return range(block * BLOCK, min((block + 1) * BLOCK, total))


def counted(features: Iterable[set[str]]) -> dict[str, int]:
    """Return the number of cases with each feature."""
    counts = Counter(name for names in features for name in names)
    return dict(sorted(counts.items()))
