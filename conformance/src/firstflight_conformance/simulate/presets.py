"""Presets: parameters of published experiments (``conformance/presets``), or of the user's file ``NAME.toml``."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from firstflight import Config
from firstflight_conformance.format.files import read_text
from firstflight_conformance.format.schemas import schema_error
from firstflight_conformance.paths import PRESETS
from firstflight_conformance.simulate.scenario import ScenarioError
from firstflight_conformance.simulate.transfer import Handshake, Pacing, Receiver, Transfer

NAMES = tuple(sorted(path.stem for path in PRESETS.glob("*.toml")))
#: Limits of parameters: beyond them, results are meaningless or take hours.
MOST_MBPS, MOST_DELAY_MS, MOST_BYTES = 10_000, 10_000, 1_000_000_000
#: The device of the published simulator stalls if its queue is too small for a packet of this size.
_MTU_BYTES = 1500


@dataclass(frozen=True, slots=True)
class Completion:
    """Result of a transfer. ``fct_ns``: time from the SYN to the arrival of the ACK of the receiver's FIN.

    ``comparable``: whether the number is comparable with the published experiment; if not, ``reason`` is set.
    """

    fct_ns: int
    lost: int
    sent_packets: int
    events: int
    comparable: bool
    reason: str | None = None


@cache
def load(name: str) -> dict[str, Any]:
    """Return the parameters of a preset. Raise :class:`ScenarioError` if the file is malformed."""
    path = Path(name) if name.endswith(".toml") else PRESETS / f"{name}.toml"
    try:
        raw = tomllib.loads(read_text(path))
    except (OSError, ValueError) as error:
        raise ScenarioError(f"{path}: {error}") from error
    violation = schema_error("urn:firstflight:preset:1", raw)
    if violation is not None:
        raise ScenarioError(f"{path}: {violation.json_path}: {violation.message}")
    return raw


def transfer(name: str, algorithm: str, size_bytes: int) -> Transfer:
    """Return the settings of the sender of a preset."""
    preset = load(name)
    tcp = preset["tcp"]
    segment_bytes = tcp["segment_bytes"]
    return Transfer(
        Config(segment_bytes, segment_bytes * tcp["initial_window_segments"]),
        size_bytes,
        Pacing(preset["pacing"].get(algorithm, "none")),
        named_data=True,
        probes=True,
        least_timeout_ns=tcp["least_timeout_ns"],
        header_bytes=tcp["header_bytes"],
        ack_bytes=tcp["ack_bytes"],
        receive_window_bytes=tcp["receive_window_bytes"],
        first_receive_window_bytes=tcp["first_receive_window_bytes"],
        send_buffer_bytes=tcp["send_buffer_bytes"],
        write_bytes=tcp["write_bytes"],
        rtt_tick_ns=tcp["rtt_tick_ns"],
        announced=True,
        connection=Handshake(tcp["syn_bytes"], tcp["data_after_ns"], tcp["syn_retry_ns"], tcp["fin_acknowledges"]),
    )


def algorithms(name: str) -> tuple[str, ...]:
    """Return the algorithms of a preset: algorithms of the published experiment that this simulator supports."""
    return tuple(load(name)["pacing"])


@dataclass(frozen=True, slots=True)
class Experiment:
    """A transfer of a preset (the parameters of a published experiment) and its path.

    ``algorithm`` is a congestion control of the published experiment, such as ``cubic`` or ``jumpstart``, or
    ALGORITHM/PROFILE of the model. ``rate_bps``, ``delay_ns`` (one-way) and ``queue_bytes`` describe the bottleneck.
    """

    preset: str
    algorithm: str
    rate_bps: int
    delay_ns: int
    queue_bytes: int
    access_rate_bps: int
    access_delay_ns: int
    transfer: Transfer
    receiver: Receiver

    def completion(
        self, fct_ns: int, lost: int, sent_packets: int, events: int, probe_timeouts: int, *, foreign: bool
    ) -> Completion:
        """Return the result, with a reason if it is not comparable with the paper whose parameters the preset contains.

        ``fct_ns``: flow completion time. ``foreign``: the paper does not test the algorithm. Other reasons: CoDel
        dropped packets, the preset is a file of the user, the sender's timer expired, or the queue is below one packet.
        """
        reason = None
        if lost:
            reason = f"CoDel dropped {lost} packets: the published simulator has another recovery"
        elif foreign:
            reason = "the published experiment does not contain this algorithm"
        elif self.preset not in NAMES:
            reason = "an unpublished preset"
        elif probe_timeouts:
            reason = "the sender's timer expired"
        elif self.queue_bytes < _MTU_BYTES:
            reason = (
                f"a queue of {self.queue_bytes} bytes is below a packet of {_MTU_BYTES}: the published simulator stalls"
            )
        return Completion(fct_ns, lost, sent_packets, events, reason is None, reason)


def experiment(name: str, algorithm: str, rate_mbps: int, one_way_delay_ms: int, size_bytes: int) -> Experiment:
    """Return one transfer of a preset (parameters of a published experiment).

    ``algorithm``: an algorithm of the preset, or ALGORITHM/PROFILE of the model. Raise :class:`ScenarioError` for
    another name, or for parameters out of range.

    ``rate_mbps`` and ``one_way_delay_ms`` describe the bottleneck.
    """
    if "/" not in algorithm and algorithm not in algorithms(name):
        known = ", ".join(algorithms(name))
        raise ScenarioError(f"algorithm: {algorithm}: unknown; {name} has {known}; the model has ALGORITHM/PROFILE")
    _within("rate_mbps", rate_mbps, 1, MOST_MBPS)
    _within("one_way_delay_ms", one_way_delay_ms, 0, MOST_DELAY_MS)
    _within("size_bytes", size_bytes, 1, MOST_BYTES)
    preset = load(name)
    rate_bps, delay_ns = 1_000_000 * rate_mbps, 1_000_000 * one_way_delay_ms
    return Experiment(
        name,
        algorithm,
        rate_bps,
        delay_ns,
        rate_bps * delay_ns // 8_000_000_000,
        preset["access"]["rate_bps"],
        preset["access"]["delay_ns"],
        transfer(name, algorithm, size_bytes),
        Receiver(**preset["receiver"]),
    )


def _within(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise ScenarioError(f"{name}: {value} is outside {low}..{high}")
