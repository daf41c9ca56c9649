"""Loads networks (dumbbells: several flows over one bottleneck) from ``conformance/scenarios/networks``."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from firstflight import Config
from firstflight_conformance.format.schemas import schema_error
from firstflight_conformance.simulate.scenario import Link, ScenarioError, read
from firstflight_conformance.simulate.transfer import Handshake, Pacing, Receiver, Transfer


@dataclass(frozen=True, slots=True)
class Bucket:
    """A token bucket at the sender: rate, bytes of a burst, and maximum waiting time of packets."""

    rate_bps: int
    burst_bytes: int
    latency_ns: int


@dataclass(frozen=True, slots=True)
class Access:
    """The links of one flow at both ends of the bottleneck, both ways."""

    rate_bps: int
    delay_ns: int


@dataclass(frozen=True, slots=True)
class FlowPlan:
    """One flow of a network. ``controller``: ALGORITHM/PROFILE of the model."""

    name: str
    controller: str
    start_ns: int
    transfer: Transfer
    receiver: Receiver
    bucket: Bucket | None = None
    access: Access | None = None


@dataclass(frozen=True, slots=True)
class Network:
    """One bottleneck and its flows. ``return_rate_bps`` is ``None`` for an unlimited return path."""

    name: str
    title: str
    sources: tuple[str, ...]
    seed: int
    stop_ns: int
    sample_ns: int
    link: Link
    return_rate_bps: int | None
    flows: tuple[FlowPlan, ...]

    def changed(
        self,
        flow: str,
        *,
        controller: str | None = None,
        transfer_bytes: int | None = None,
        max_data: tuple[int, int] | None = None,
    ) -> "Network":
        """Return a copy of this network with changes in the flow with the name ``flow``; None leaves a value unchanged.

        ``controller``: ALGORITHM/PROFILE. ``transfer_bytes``: size of the transfer. ``max_data``: the first receive
        window (MAX_DATA) in bytes, and the factor that multiplies the window at each new MAX_DATA. Raise
        :class:`ScenarioError` for an unknown flow.
        """
        if flow not in {plan.name for plan in self.flows}:
            raise ScenarioError(f"{self.name}: unknown flow {flow}")

        def change(plan: FlowPlan) -> FlowPlan:
            if plan.name != flow:
                return plan
            size_bytes = plan.transfer.transfer_bytes if transfer_bytes is None else transfer_bytes
            transfer = replace(plan.transfer, transfer_bytes=size_bytes)
            if max_data is not None:
                transfer = replace(transfer, max_data_bytes=max_data[0], max_data_factor=max_data[1])
            return replace(plan, transfer=transfer, controller=controller or plan.controller)

        return replace(self, flows=tuple(change(plan) for plan in self.flows))

    def without(self, flow: str) -> "Network":
        """Return this network without one flow."""
        return replace(self, flows=tuple(plan for plan in self.flows if plan.name != flow))


def load_network(path: Path) -> Network:
    """Load one network. Raise :class:`ScenarioError` if it is malformed."""
    raw = read(path)
    error = schema_error("urn:firstflight:network:1", raw)
    if error is not None:
        raise ScenarioError(f"{path}: {error.json_path}: {error.message}")
    link = dict(raw["bottleneck"])
    return_rate_bps = link.pop("return_rate_bps", None)
    early = link.pop("early_drop", {"above_bytes": 0, "drop_ppm": 0})
    link["early_drop_above_bytes"], link["early_drop_ppm"] = early["above_bytes"], early["drop_ppm"]
    flows = tuple(_flow(entry) for entry in raw["flows"])
    if len({flow.name for flow in flows}) < len(flows):
        raise ScenarioError(f"{path}: $.flows: two flows have the same name")
    return Network(
        name=path.name,
        title=raw["title"],
        sources=tuple(raw["sources"]),
        seed=raw["seed"],
        stop_ns=raw["stop_ns"],
        sample_ns=raw["sample_ns"],
        link=Link(**{"queue_bytes": 0, "loss_ppm": 0, "jitter_ns": 0, **link}),
        return_rate_bps=return_rate_bps,
        flows=flows,
    )


def _flow(raw: dict[str, Any]) -> FlowPlan:
    sender, receiver = raw["sender"], Receiver(**raw["receiver"])
    syn_bytes, receiver_limit = sender.get("syn_bytes"), sender.get("max_data", {})
    transfer = Transfer(
        Config(sender["max_datagram_size_bytes"], sender["initial_window_bytes"]),
        sender["transfer_bytes"],
        Pacing(sender["pacing"]),
        named_data=True,
        probes=True,
        max_ack_delay_ns=receiver.max_ack_delay_ns,
        header_bytes=sender.get("header_bytes", 0),
        ack_bytes=sender.get("ack_bytes", 0),
        receive_window_bytes=sender.get("receive_window_bytes"),
        announced=True,
        saved_cwnd_bytes=sender.get("saved_cwnd_bytes"),
        saved_rtt_ns=sender.get("saved_rtt_ns", 0),
        connection=None if syn_bytes is None else Handshake(syn_bytes),
        max_data_bytes=receiver_limit.get("window_bytes"),
        max_data_factor=receiver_limit.get("factor", 1),
    )
    return FlowPlan(
        raw["name"],
        raw["controller"],
        raw["start_ns"],
        transfer,
        receiver,
        Bucket(**raw["token_bucket"]) if "token_bucket" in raw else None,
        Access(**raw["access"]) if "access" in raw else None,
    )
