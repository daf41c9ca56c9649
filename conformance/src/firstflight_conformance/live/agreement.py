"""What runs of a real sender come to: how many agree with a profile, and which profiles explain them best. Never a run's own numbers."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from firstflight_conformance.cases.files import write_whole
from firstflight_conformance.paths import CONFORMANCE
from firstflight_conformance.recording.judge import Judgement, Share, Standing, fit, judge
from firstflight_conformance.recording.margin import margins
from firstflight_conformance.recording.recording import Recording

CONNECTIONS = CONFORMANCE / "connections.json"


@dataclass(frozen=True, slots=True)
class Row:
    """The runs of one sender over one path, judged by one profile.

    ``judged`` of ``runs`` left slow start, or the profile did; in ``agree`` of these the exit of the profile is the sender's. ``growth``:
    how many ACKs before the exit, at most, grew the window by another amount than the profile; ``windows``: how many windows before it,
    at most, are others with the profile left alone. ``best``: the profiles that explain most runs best, without their base where either
    will do. ``margin_ns``: how far all RTT samples of each run may be off without the profile's exit moving.
    """

    stack: str
    version: str
    path: str
    profile: str
    runs: int
    judged: int
    agree: int
    growth: int
    windows: int
    best: tuple[str, ...]
    margin_ns: int


def row(
    stack: str,
    version: str,
    path: str,
    profile: str,
    recordings: Sequence[Recording],
    *,
    app_limited: str | None = None,
) -> Row:
    """Judge recordings by all profiles, and say how the one that is expected stands. ``app_limited``: as in ``judge``."""
    judged = agree = growth = windows = 0
    firsts: Counter[str] = Counter()
    held_ns = []
    for recording in recordings:
        judgement = fit(recording, app_limited=app_limited)
        standing = next(each for each in judgement.standings if each.profile == profile)
        if standing.exit == "none":
            continue
        judged += 1
        agree += standing.exit in ("same", "inside")
        growth = max(growth, _differing(standing.growth_to_exit))
        windows = max(windows, _differing(windows_to_exit(judgement, profile, app_limited)))
        firsts.update(_best(judgement))
        held_ns.append(margin_ns(judgement, standing) or 0)
    most = max(firsts.values(), default=0)
    best = tuple(sorted(name for name, count in firsts.items() if count == most))
    held = min(held_ns, default=0)
    return Row(stack, version, path, profile, len(recordings), judged, agree, growth, windows, best, held)


def windows_to_exit(judgement: Judgement, profile: str, app_limited: str | None = None) -> Share:
    """Return how many windows before the sender's exit are those of the profile, left alone."""
    left, recording = judgement.subject_exit, judgement.recording
    before = recording if left is None else recording.cut(events=left.by)
    return judge(before, [profile], app_limited=app_limited).standings[0].windows


def margin_ns(judgement: Judgement, standing: Standing) -> int | None:
    """Return by how much every RTT sample may be off at least without the exit moving, of the moves that are tried; ``None`` for less."""
    held = None
    for margin in margins(judgement, standing):
        if margin.moved:
            break
        held = margin.by_ns
    return held


def _differing(share: Share) -> int:
    return share.of - share.equal


def _best(judgement: Judgement) -> set[str]:
    """Return the profiles that come first; one that does so on several bases is named once."""
    names = {each.profile for each in judgement.standings if each.rank == 1}
    return {name for name in names if "+" not in name or name.partition("+")[0] not in names}


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
