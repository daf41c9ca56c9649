"""Results of runs of a real sender: how many agree with a profile, and which profiles explain them; not per run."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from firstflight.controller import ALGORITHMS
from firstflight_conformance.format.files import write_whole
from firstflight_conformance.judge.verdict import Margin, judge, margin
from firstflight_conformance.logs.recording.recording import Recording
from firstflight_conformance.paths import STUDIES, VECTORS

CONNECTIONS = STUDIES / "live" / "connections.json"
# No stored run has such an event.
EVENTS_OF_NO_RUN = {"path_change", "datagram_size"}


@dataclass(frozen=True, slots=True)
class Row:
    """The runs of one sender over one path, judged by one profile.

    ``judged``: number of ``runs`` that decide about the profile; ``agree``: number of these that it explains.
    ``growth``: most ACKs before the exit that grew the window by another amount than the profile. ``best``: the
    profiles that explain most runs, without their base if both bases do. ``margin_ns``: the largest error of all RTT
    samples of each run that does not move the profile's exit. ``made_with``: the profiles compared with the runs, each
    with its mark.
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
    made_with: Mapping[str, str]


@cache
def marks_now() -> dict[str, str]:
    """Return a mark of each profile: the hash of its windows and thresholds in path vectors that runs can follow."""
    known: dict[str, dict[str, list[Any]]] = defaultdict(dict)
    for file in sorted(VECTORS.glob("*/path.*.json")):
        raw = json.loads(file.read_bytes())
        if any(event["ev"] in EVENTS_OF_NO_RUN for event in raw["events"]):
            continue
        for profile, expected in raw["profiles"].items():
            windows = [
                (change["at"], change.get("cwnd_bytes"), change.get("ssthresh_bytes")) for change in expected["expect"]
            ]
            known[f"{raw['algorithm']}/{profile}"][raw["id"]] = windows
    names = sorted(
        f"{algorithm}/{profile}" for algorithm, definition in ALGORITHMS.items() for profile in definition.profiles
    )
    return {name: _mark(known[name]) for name in names}


def is_current(row: Row) -> bool:
    """Return whether every present profile was compared with the runs, and every profile of the row is present.

    Other removed profiles do not count: they explained fewer runs.
    """
    marks = marks_now()
    compared = all(row.made_with.get(name) == mark for name, mark in marks.items())
    return compared and {name.partition("+")[0] for name in (row.profile, *row.best)} <= marks.keys()


def row(
    stack: str,
    version: str,
    path: str,
    profile: str,
    recordings: Sequence[Recording],
    *,
    app_limited: str | None = None,
) -> Row:
    """Judge recordings by the expected profile, and by all profiles. ``app_limited``: as in ``judge``."""
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
    return Row(stack, version, path, profile, len(recordings), judged, agree, growth, best, held, marks_now())


def line(row: Row) -> str:
    """Return a row as text, for the job that makes the runs."""
    return f"{row.stack}, {row.path}: {row.agree} of {row.judged} as {row.profile}; best: {', '.join(row.best)}"


def _held_ns(margins: Sequence[Margin]) -> int:
    """Return the largest tried error of all RTT samples, in ns, that does not move the exit (nor any smaller), or 0."""
    held_ns = 0
    for tried_margin in margins:
        if tried_margin.moved:
            break
        held_ns = tried_margin.by_ns
    return held_ns


def load(path: Path = CONNECTIONS) -> list[Row]:
    """Return the stored rows."""
    if not path.exists():
        return []
    known = json.loads(path.read_text(encoding="utf-8"))
    return [
        Row(**raw | {"best": tuple(raw["best"]), "made_with": known["profiles"][raw["made_with"]]})
        for raw in known["rows"]
    ]


def keep(rows: Sequence[Row], path: Path = CONNECTIONS) -> None:
    """Store the rows. A row replaces the older row of the same sender and path."""
    new = {(row.stack, row.path) for row in rows}
    older = [row for row in load(path) if (row.stack, row.path) not in new]
    ordered = sorted([*older, *rows], key=lambda row: (row.stack, row.path))
    known = {
        "profiles": {_mark(row.made_with): row.made_with for row in ordered},
        "rows": [asdict(row) | {"made_with": _mark(row.made_with)} for row in ordered],
    }
    write_whole(path, json.dumps(known, indent=2, ensure_ascii=False) + "\n")


def _mark(known: Mapping[str, Any]) -> str:
    return sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:16]
