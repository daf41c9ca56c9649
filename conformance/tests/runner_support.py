"""Three small vectors, and the adapters in ``bad_adapters``."""

import json
import sys
from pathlib import Path
from typing import Any

from firstflight import Config, create, step
from firstflight_conformance.adapters.manifest import Deviation, Manifest
from firstflight_conformance.adapters.script import Script
from firstflight_conformance.format import vectors
from firstflight_conformance.format.stream import flags_of, granularity_of, read_stream
from firstflight_conformance.format.wire import observation_to_json
from firstflight_conformance.records.results import AdapterReport
from firstflight_conformance.run.judge import judge
from firstflight_conformance.run.session import RunOptions

HERE = Path(__file__).parent
BAD = HERE / "bad_adapters"
NAMES = ("slow-start.first.small", "slow-start.target.small", "slow-start.third.small")
IDS = tuple(f"{name}@rfc-9002" for name in NAMES)
QUICK = RunOptions(deadline_s=10.0)

_T0_NS = 1_000_000_000
_RTT_NS = 100_000_000


def events(tick_ns: int = _RTT_NS) -> list[dict[str, Any]]:
    """Return four events: ten packets sent, two acknowledged, one lost, a probe timeout."""
    rtts = {"latest_rtt_ns": tick_ns, "min_rtt_ns": tick_ns, "smoothed_rtt_ns": tick_ns, "ack_delay_ns": 0}
    now_ns = _T0_NS + tick_ns
    return [
        {"ev": "sent", "t_ns": _T0_NS, "packets": [[0, 9, 1200]], "bytes": 12000, "bytes_in_flight": 12000,
         "app_limited": False},
        {"ev": "ack", "t_ns": now_ns, "packets": [[0, 1, 1200, _T0_NS]], "bytes": 2400, "bytes_in_flight": 9600,
         "next_packet": 10, "app_limited": False, **rtts},
        {"ev": "lost", "t_ns": now_ns, "packets": [[2, 2, 1200, _T0_NS]], "bytes": 1200, "bytes_in_flight": 8400,
         "next_packet": 10},
        {"ev": "pto", "t_ns": now_ns + tick_ns},
    ]  # fmt: skip


def vector(vector_id: str, stream: list[dict[str, Any]], tier: str = "gold") -> dict[str, Any]:
    """Return a vector of the base controller, with the answers of the model to the stream."""
    controller = create("slow-start", "rfc-9002", Config(1200))
    expect, parsed = [], read_stream(stream)
    for index, event in enumerate(parsed):
        controller, observation = step(controller, event)
        expect.append({"at": index, **observation_to_json(observation)})
    return {
        "format": 1,
        "id": vector_id,
        "title": "A small vector for the tests of the runner",
        "why": "It has one event of several kinds each.",
        "algorithm": "slow-start",
        "tier": tier,
        "flags": flags_of(parsed),
        "granularity": granularity_of(parsed),
        "source": {"kind": "hand", "sources": ["RFC 9002"]},
        "config": {"max_datagram_size_bytes": 1200, "initial_window_bytes": None},
        "events": stream,
        "profiles": {"rfc-9002": {"judged_events": len(stream), "clauses": [], "expect": expect}},
    }


def write_vectors(root: Path, *more: dict[str, Any]) -> Path:
    """Write the three vectors and further ones below ``root``."""
    folder = root / "slow-start"
    folder.mkdir(parents=True)
    for raw in (*(vector(name, events()) for name in NAMES), *more):
        (folder / f"{raw['id']}.json").write_text(json.dumps(raw), encoding="utf-8")
    return root


def scripts(root: Path) -> list[Script]:
    """Return the scripts of the cases below ``root``."""
    return [Script(case) for case in vectors.cases(vectors.load_all(root))]


def command(script: str, *arguments: str) -> tuple[str, ...]:
    """Return the command of a bad adapter."""
    return (sys.executable, str(BAD / f"{script}.py"), *arguments)


def adapter(
    *words: str, name: str = "bad", role: str = "third-party", deviations: tuple[Deviation, ...] = ()
) -> Manifest:
    """Return the manifest of an adapter with this command."""
    return Manifest(name, "Bad", "Python", role, words, HERE, deviations=deviations)


def judged(
    root: Path, *words: str, options: RunOptions = QUICK, deviations: tuple[Deviation, ...] = ()
) -> AdapterReport:
    """Judge a command over the vectors below ``root``."""
    return judge(adapter(*words, deviations=deviations), scripts(root), options)
