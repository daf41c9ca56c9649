"""Scenarios of the path simulator: loaded and checked."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firstflight import Config, profiles
from firstflight.controller import ALGORITHMS
from firstflight_conformance.format.files import read_text
from firstflight_conformance.format.schemas import schema_error
from firstflight_conformance.paths import SCENARIOS, STIMULI
from firstflight_conformance.simulate.transfer import Pacing, Receiver, Transfer


class ScenarioError(ValueError):
    """A scenario was refused. The text names file, place and reason."""


@dataclass(frozen=True, slots=True)
class Link:
    """The bottleneck and the way back. From each of ``steps`` on, a time after the start, the forward delay is so much longer.

    ``queue_packets``, where it is given, bounds the queue instead of ``queue_bytes``. With more than ``early_drop_above_bytes`` in
    the queue, ``early_drop_ppm`` in a million packets are dropped before it.
    """

    rate_bps: int
    forward_delay_ns: int
    return_delay_ns: int
    queue_bytes: int
    loss_ppm: int
    jitter_ns: int
    steps: tuple[tuple[int, int], ...] = ()
    queue_packets: int | None = None
    early_drop_above_bytes: int = 0
    early_drop_ppm: int = 0

    def forward_delay_at(self, since_start_ns: int) -> int:
        """Return the delay of a packet that leaves the link so long after the start, in ns, without jitter."""
        longer_ns = 0
        for at_ns, step_ns in self.steps:
            if since_start_ns < at_ns:
                break
            longer_ns = step_ns
        return self.forward_delay_ns + longer_ns


@dataclass(frozen=True, slots=True)
class Scenario:
    """One path, one sender, one receiver. ``transfer_bytes`` is ``None`` for a transfer without end.

    ``saved_cwnd_bytes``: the saved window that Careful Resume is offered; the saved RTT is that of the empty path. ``announced``: before
    the first packet the controller is told how much data waits, and the RTT of the empty path is known, as after a handshake.
    ``algorithms`` are judged on it in closed loop, all if there are none, except the profiles ``not_for``, each ``algorithm/profile``.
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
    announced: bool = False
    algorithms: tuple[str, ...] = ()
    not_for: tuple[str, ...] = ()

    @property
    def empty_rtt_ns(self) -> int:
        """The RTT of the empty path, as it is at the start."""
        return self.link.forward_delay_at(0) + self.link.return_delay_ns

    @property
    def transfer(self) -> Transfer:
        """What the sender has to do."""
        return Transfer(
            self.config,
            self.transfer_bytes,
            Pacing.WINDOW if self.paced else Pacing.NONE,
            announced=self.announced,
            saved_cwnd_bytes=self.saved_cwnd_bytes,
            saved_rtt_ns=self.empty_rtt_ns,
        )


def read(path: Path) -> Any:
    """Return what a scenario file holds. Raise :class:`ScenarioError` if it is no JSON, or has numbers that are no integers."""

    def refuse_float(text: str) -> None:
        raise ValueError(f"{text} is no integer")

    def refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            names = [name for name, _ in pairs]
            raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)} is there twice")
        return members

    try:
        return json.loads(
            read_text(path), object_pairs_hook=refuse_duplicates, parse_float=refuse_float, parse_constant=refuse_float,
        )  # fmt: skip
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
        link=_link(raw["link"]),
        receiver=Receiver(**raw["receiver"]),
        vectors=tuple(raw.get("vectors", ())),
        announced=sender.get("announced", False),
        algorithms=_algorithms(path, raw.get("algorithms", [])),
        not_for=_profiles(path, raw.get("not_for", [])),
    )


def _link(raw: dict[str, Any]) -> Link:
    """Return the link; a rise is a single step."""
    members = {name: value for name, value in raw.items() if not name.startswith("rise_")}
    steps = sorted((step["at_ns"], step["longer_ns"]) for step in members.pop("delay_steps", []))
    if "rise_ns" in raw:
        steps = [(raw["rise_at_ns"], raw["rise_ns"])]
    return Link(**members, steps=tuple(steps))


def _algorithms(path: Path, names: list[str]) -> tuple[str, ...]:
    for name in names:
        if name not in ALGORITHMS:
            raise ScenarioError(
                f"{path}: $.algorithms: there is no algorithm {name}; there are {', '.join(ALGORITHMS)}"
            )
    return tuple(names)


def _profiles(path: Path, names: list[str]) -> tuple[str, ...]:
    for name in names:
        algorithm, _, profile = name.partition("/")
        if profile not in profiles(composed=True).get(algorithm, ()):
            raise ScenarioError(f"{path}: $.not_for: there is no profile {name}; `firstflight list` shows all")
    return tuple(names)


def scenario_files(folder: str = "") -> dict[str, Path]:
    """Return the scenario files by name: those for several algorithms in ``conformance/scenarios``, the others in ``stimuli/ALGORITHM``.

    ``folder`` is a folder in these, such as that of the closed loop. Raise :class:`FileNotFoundError` if there is none.
    """
    pattern = f"{folder}/*.json" if folder else "*.json"
    found = [*SCENARIOS.glob(pattern), *STIMULI.glob(f"*/{pattern}")]
    by_name = {path.name: path for path in sorted(found, key=lambda path: path.name)}
    if not found:
        raise FileNotFoundError(f"{SCENARIOS / folder}: there is no scenario")
    if len(by_name) < len(found):
        raise ScenarioError(
            f"{STIMULI}: two scenarios have one name: {sorted(map(str, set(found) - set(by_name.values())))}"
        )
    return by_name
