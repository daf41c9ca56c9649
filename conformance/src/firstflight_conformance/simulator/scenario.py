"""Scenarios of the path simulator: loaded and checked."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firstflight import Config
from firstflight_conformance.cases.schemas import schema_error
from firstflight_conformance.paths import SCENARIOS
from firstflight_conformance.simulator.transfer import Pacing, Receiver, Transfer


class ScenarioError(ValueError):
    """A scenario was refused. The text names file, place and reason."""


@dataclass(frozen=True, slots=True)
class Link:
    """The bottleneck and the way back. From ``rise_at_ns`` after the start the forward delay is ``rise_ns`` longer.

    ``queue_packets``, where it is given, bounds the queue instead of ``queue_bytes``. With more than ``early_drop_above_bytes`` in
    the queue, ``early_drop_ppm`` in a million packets are dropped before it.
    """

    rate_bps: int
    forward_delay_ns: int
    return_delay_ns: int
    queue_bytes: int
    loss_ppm: int
    jitter_ns: int
    rise_at_ns: int = 0
    rise_ns: int = 0
    queue_packets: int | None = None
    early_drop_above_bytes: int = 0
    early_drop_ppm: int = 0

    def forward_delay_at(self, since_start_ns: int) -> int:
        """Return the delay of a packet that leaves the link so long after the start, in ns, without jitter."""
        return self.forward_delay_ns + (self.rise_ns if since_start_ns >= self.rise_at_ns else 0)

    def service_ns(self, size_bytes: int) -> int:
        """Return how long the link serves a packet, in ns, rounded up."""
        return -(-8 * 1_000_000_000 * size_bytes // self.rate_bps)


@dataclass(frozen=True, slots=True)
class Scenario:
    """One path, one sender, one receiver. ``transfer_bytes`` is ``None`` for a transfer without end.

    ``saved_cwnd_bytes``: the saved window that Careful Resume is offered; the saved RTT is that of the empty path.
    """

    name: str
    title: str
    seed: int
    stop_ns: int
    after_slow_start_ns: int
    config: Config
    transfer_bytes: int | None
    paced: bool
    saved_cwnd_bytes: int | None
    link: Link
    receiver: Receiver
    vectors: tuple[dict[str, Any], ...]

    @property
    def transfer(self) -> Transfer:
        """What the sender has to do."""
        return Transfer(
            self.config,
            self.transfer_bytes,
            Pacing.WINDOW if self.paced else Pacing.NONE,
            saved_cwnd_bytes=self.saved_cwnd_bytes,
            saved_rtt_ns=self.link.forward_delay_ns + self.link.return_delay_ns,
        )


def read(path: Path) -> Any:
    """Return what a scenario file holds. Raise :class:`ScenarioError` if it is no JSON, or has numbers that are no integers."""

    def refuse_float(text: str) -> None:
        raise ValueError(f"{text} is no integer")

    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_float=refuse_float, parse_constant=refuse_float)
    except (OSError, ValueError, RecursionError) as cause:
        raise ScenarioError(f"{path}: {cause}") from cause


def load_scenario(path: Path) -> Scenario:
    """Load one scenario. Raise :class:`ScenarioError` if it is malformed."""
    raw = read(path)
    error = schema_error("urn:firstflight:scenario:1", raw)
    if error is not None:
        raise ScenarioError(f"{path}: {error.json_path}: {error.message}")
    sender = raw["sender"]
    return Scenario(
        name=path.name,
        title=raw["title"],
        seed=raw["seed"],
        stop_ns=raw["stop_ns"],
        after_slow_start_ns=raw["after_slow_start_ns"],
        config=Config(sender["max_datagram_size_bytes"], sender["initial_window_bytes"]),
        transfer_bytes=sender["transfer_bytes"],
        paced=sender["paced"],
        saved_cwnd_bytes=sender.get("saved_cwnd_bytes"),
        link=Link(**raw["link"]),
        receiver=Receiver(**raw["receiver"]),
        vectors=tuple(raw.get("vectors", ())),
    )


def load_scenarios() -> list[Scenario]:
    """Load every scenario of ``conformance/scenarios``, by name."""
    return [load_scenario(path) for path in sorted(SCENARIOS.glob("*.json"))]
