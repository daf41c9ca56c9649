"""Loads and checks scenarios of the path simulator."""

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
    """Invalid scenario; the text contains file, place and reason."""


@dataclass(frozen=True, slots=True)
class Link:
    """The bottleneck and the return path. ``steps``: times since the start, each with an additional forward delay.

    ``queue_packets``, if given, limits the queue instead of ``queue_bytes``. While the queue has more than
    ``early_drop_above_bytes``, ``early_drop_ppm`` packets per million are dropped before the queue.
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
        """Return the delay, without jitter, of a packet that leaves the link ``since_start_ns`` after the start."""
        longer_ns = 0
        for at_ns, step_ns in self.steps:
            if since_start_ns < at_ns:
                break
            longer_ns = step_ns
        return self.forward_delay_ns + longer_ns


@dataclass(frozen=True, slots=True)
class Scenario:
    """One path, one sender, one receiver. ``transfer_bytes`` is ``None`` for an unlimited transfer.

    ``saved_cwnd_bytes``: saved window offered to Careful Resume; the saved RTT is the RTT of the empty path.
    ``announced``: before the first packet the controller gets the amount of waiting data and the RTT of the empty path,
    as after a handshake. ``algorithms``: algorithms judged in closed loop (default: all), except the profiles
    ``not_for``, each ``algorithm/profile``.
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
        """RTT of the empty path at the start, in ns."""
        return self.link.forward_delay_at(0) + self.link.return_delay_ns

    @property
    def transfer(self) -> Transfer:
        """Settings of the sender."""
        return Transfer(
            self.config,
            self.transfer_bytes,
            Pacing.WINDOW if self.paced else Pacing.NONE,
            announced=self.announced,
            saved_cwnd_bytes=self.saved_cwnd_bytes,
            saved_rtt_ns=self.empty_rtt_ns,
        )


def read(path: Path) -> Any:
    """Return the content of a scenario file. Raise :class:`ScenarioError` for invalid JSON or non-integer numbers."""

    def refuse_float(text: str) -> None:
        raise ValueError(f"{text} is not an integer")

    def refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            names = [name for name, _ in pairs]
            raise ValueError(f"duplicate key {next(name for name in names if names.count(name) > 1)}")
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
    """Return the link of a scenario file. Its delay steps (time, additional forward delay in ns) are sorted by time.

    The members ``rise_at_ns`` and ``rise_ns`` of the file describe a single rise of the forward delay. They become the
    only delay step.
    """
    members = {name: value for name, value in raw.items() if not name.startswith("rise_")}
    steps = sorted((step["at_ns"], step["longer_ns"]) for step in members.pop("delay_steps", []))
    if "rise_ns" in raw:
        steps = [(raw["rise_at_ns"], raw["rise_ns"])]
    return Link(**members, steps=tuple(steps))


def _algorithms(path: Path, names: list[str]) -> tuple[str, ...]:
    for name in names:
        if name not in ALGORITHMS:
            raise ScenarioError(
                f"{path}: $.algorithms: unknown algorithm {name}; available algorithms: {', '.join(ALGORITHMS)}"
            )
    return tuple(names)


def _profiles(path: Path, names: list[str]) -> tuple[str, ...]:
    for name in names:
        algorithm, _, profile = name.partition("/")
        if profile not in profiles(composed=True).get(algorithm, ()):
            raise ScenarioError(f"{path}: $.not_for: unknown profile {name}; `firstflight list` shows all")
    return tuple(names)


def scenario_files(folder: str = "") -> dict[str, Path]:
    """Return the scenario files by name, from ``conformance/scenarios`` and ``stimuli/ALGORITHM``.

    ``folder``: a subfolder, such as ``closed-loop``. Raise :class:`FileNotFoundError` without files.
    """
    pattern = f"{folder}/*.json" if folder else "*.json"
    files = [*SCENARIOS.glob(pattern), *STIMULI.glob(f"*/{pattern}")]
    by_name = {path.name: path for path in sorted(files, key=lambda path: path.name)}
    if not files:
        raise FileNotFoundError(f"{SCENARIOS / folder}: no scenarios found")
    if len(by_name) < len(files):
        raise ScenarioError(
            f"{STIMULI}: two scenarios have the same name: {sorted(map(str, set(files) - set(by_name.values())))}"
        )
    return by_name
