"""How far the exit of a profile depends on the RTT samples: each is moved by a little, and the model runs again."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from firstflight_conformance.recording.follow import decision, with_samples
from firstflight_conformance.recording.judge import Judgement, Standing

MOVES_NS = (1_000, 10_000, 100_000, 1_000_000)
SEEDS = 6


@dataclass(frozen=True, slots=True)
class Margin:
    """With every sample moved by ``by_ns``, up or down: in how many of ``of`` runs the exit moved, and how far at most."""

    by_ns: int
    moved: int
    of: int
    farthest_ns: int | None


def margins(judgement: Judgement, standing: Standing) -> list[Margin]:
    """Return the margin of a profile's exit for each move; none if the profile does not leave slow start."""
    decided = standing.run.decided
    if decided is None:
        return []
    events = judgement.events
    found = []
    for by_ns in MOVES_NS:
        others = [_decision(judgement, standing, _either_way(seed, by_ns)) for seed in range(SEEDS)]
        moved = [index for index in others if index != decided]
        ways_ns = [abs(events[index].t_ns - events[decided].t_ns) for index in moved if index is not None]
        farthest_ns = None if None in moved else max(ways_ns, default=0)
        found.append(Margin(by_ns, len(moved), len(others), farthest_ns))
    return found


def precision_decides(judgement: Judgement, standing: Standing) -> bool:
    """Return whether the log is fine enough to say that the exits differ.

    It is not if the profile leaves where the subject did when the samples are moved by no more than the unit of the log: all alike, as
    where they were rounded down, or each by its own amount.
    """
    by_ns = judgement.recording.header.rtt_resolution_ns
    subject = judgement.subject_exit
    if standing.exit != "differs" or by_ns <= 1 or subject is None:
        return True
    movers = [_all_by(way * by_ns // 4) for way in (-4, -2, -1, 1, 2, 4)]
    movers += [_within(seed, by_ns) for seed in range(SEEDS)]
    decisions = (_decision(judgement, standing, mover) for mover in movers)
    return not any(index is not None and subject.after < index <= subject.by for index in decisions)


def _decision(judgement: Judgement, standing: Standing, mover: Callable[[int], int]) -> int | None:
    """Return where the profile decides to leave slow start when the samples are moved."""
    events, config = with_samples(judgement.events, mover), judgement.recording.header.config
    return decision(standing.profile, config, events, judgement.given, begin=judgement.begin)


def _either_way(seed: int, by_ns: int) -> Callable[[int], int]:
    random = Random(seed)
    return lambda rtt_ns: rtt_ns + random.choice((-by_ns, by_ns))


def _within(seed: int, by_ns: int) -> Callable[[int], int]:
    random = Random(seed)
    return lambda rtt_ns: rtt_ns + random.randint(-by_ns, by_ns)


def _all_by(by_ns: int) -> Callable[[int], int]:
    return lambda rtt_ns: rtt_ns + by_ns
