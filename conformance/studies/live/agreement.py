"""What runs of a real sender come to: how many agree with a profile, and which profiles explain them. Never a run's own numbers."""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from firstflight.controller import ALGORITHMS
from firstflight_conformance.cases.files import write_whole
from firstflight_conformance.judge.verdict import Margin, judge, margin
from firstflight_conformance.paths import STUDIES, VECTORS
from firstflight_conformance.recording.recording import Recording

CONNECTIONS = STUDIES / "live" / "connections.json"


@dataclass(frozen=True, slots=True)
class Row:
    """The runs of one sender over one path, judged by one profile.

    ``judged`` of ``runs`` decide about the profile; ``agree`` of these it explains. ``growth``: how many ACKs before the exit, at most,
    grew the window by another amount than the profile. ``best``: the profiles that explain most runs, without their base where either
    will do. ``margin_ns``: how far all RTT samples of each run may be off without the profile's exit moving. ``made_with``: the profiles
    that there were when the runs were judged.
    """

    stack: str
    version: str
    path: str
    profile: str
    runs: int
    judged: int
    agree: int
    growth: int
    best: tuple[str, ...]
    margin_ns: int
    made_with: str


@cache
def profiles_now() -> str:
    """Return what stands for all profiles: their windows and thresholds on the vectors of whole paths, whatever words describe them."""
    known: dict[str, dict[str, list[Any]]] = defaultdict(dict)
    for file in sorted(VECTORS.glob("*/path.*.json")):
        raw = json.loads(file.read_bytes())
        for profile, expected in raw["profiles"].items():
            windows = [(each["at"], each.get("cwnd_bytes"), each.get("ssthresh_bytes")) for each in expected["expect"]]
            known[f"{raw['algorithm']}/{profile}"][raw["id"]] = windows
    names = {f"{algorithm}/{profile}" for algorithm, found in ALGORITHMS.items() for profile in found.profiles}
    return sha256(json.dumps([sorted(names), known], sort_keys=True).encode()).hexdigest()[:16]


def row(
    stack: str,
    version: str,
    path: str,
    profile: str,
    recordings: Sequence[Recording],
    *,
    app_limited: str | None = None,
) -> Row:
    """Judge recordings by the profile that is expected, and by all. ``app_limited``: as in ``judge``."""
    judged = agree = growth = 0
    named: Counter[str] = Counter()
    held_ns = []
    for recording in recordings:
        verdict = judge(recording, [profile], app_limited=app_limited)
        if verdict.undecided is not None:
            continue
        judged += 1
        agree += profile in verdict.may_be
        growth = max(growth, verdict.explained[0].counted - verdict.explained[0].equal)
        among = judge(recording, app_limited=app_limited)
        if among.undecided is None:
            named.update(among.may_be)
        if profile in verdict.may_be:
            held_ns.append(_held_ns(margin(verdict, profile)))
    most = max(named.values(), default=0)
    best = tuple(sorted(name for name, count in named.items() if count == most))
    held = min(held_ns, default=0)
    return Row(stack, version, path, profile, len(recordings), judged, agree, growth, best, held, profiles_now())


def _held_ns(margins: Sequence[Margin]) -> int:
    """Return by how much every RTT sample may be off at least without the exit moving, of the moves that are tried; 0 for less."""
    held_ns = 0
    for each in margins:
        if each.moved:
            break
        held_ns = each.by_ns
    return held_ns


def load(path: Path = CONNECTIONS) -> list[Row]:
    """Return the rows that are kept."""
    if not path.exists():
        return []
    return [Row(**raw | {"best": tuple(raw["best"])}) for raw in json.loads(path.read_text(encoding="utf-8"))]


def keep(rows: Sequence[Row], path: Path = CONNECTIONS) -> None:
    """Write the rows; of the same sender and path the older one goes."""
    new = {(each.stack, each.path) for each in rows}
    kept = [each for each in load(path) if (each.stack, each.path) not in new]
    ordered = sorted([*kept, *rows], key=lambda each: (each.stack, each.path))
    write_whole(path, json.dumps([asdict(each) for each in ordered], indent=2, ensure_ascii=False) + "\n")
