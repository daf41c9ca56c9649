"""Which profile an implementation follows: its answers to every vector of an algorithm, beside those of every profile."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from firstflight_conformance.adapters.live import BROKEN, Adapter, UnsupportedError
from firstflight_conformance.compare.answers import passed
from firstflight_conformance.compare.subject import AnsweredCase, shortest_first
from firstflight_conformance.compare.values import compare
from firstflight_conformance.explain.diagnosis import diagnose
from firstflight_conformance.explain.explain import Failures
from firstflight_conformance.format.vectors import Case, Vector
from firstflight_conformance.records.findings import Diagnosis
from firstflight_conformance.replay.implementation import drive
from firstflight_conformance.replay.measure import config_from_json

#: How many profiles may be about as near as the nearest, and how near that is.
_CLOSE = 3
_ABOUT = 0.85
#: Farther than this no profile is looked at for one change that leads to all the answers.
_FAR = 0.4

Answers = tuple[dict[str, object], ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """How near an implementation is to a profile: the vectors that agree to the end of what the profile is judged on, and the others."""

    algorithm: str
    profile: str
    agreeing: tuple[AnsweredCase, ...]
    differing: tuple[AnsweredCase, ...]

    @property
    def of(self) -> int:
        """The number of vectors."""
        return len(self.agreeing) + len(self.differing)

    @property
    def nearness(self) -> float:
        """The share that agrees; of a profile with few vectors it says less."""
        return (len(self.agreeing) + 1) / (self.of + 2)

    def lead(self, other: "Standing") -> int:
        """Return how many more than with another profile agree, of the vectors that both have."""
        ours, theirs = _ids(self.agreeing), _ids(other.agreeing)
        return len(ours & (theirs | _ids(other.differing))) - len(theirs & (ours | _ids(self.differing)))

    def diagnosis(self) -> Diagnosis:
        """Return in what the implementation departs from the profile."""
        return diagnose(self.differing, self.agreeing) if self.differing else Diagnosis()

    def tells(self, other: "Standing") -> list[AnsweredCase]:
        """Return the vectors that speak against another profile, those first that agree with this one, then the shortest."""
        ours = _ids(self.agreeing)
        return sorted(shortest_first(other.differing), key=lambda subject: subject.case.vector.id not in ours)


def _ids(subjects: Sequence[AnsweredCase]) -> set[str]:
    return {subject.case.vector.id for subject in subjects}


def standings(
    adapter: Adapter, algorithm: str, vectors: Sequence[Vector], on_vector: Callable[[], None] = lambda: None
) -> list[Standing]:
    """Return how near the adapter is to each profile of an algorithm on the same base, the nearest first.

    Every vector is played once, to the last event that a profile is judged on, under the first profile that the adapter declares:
    it need claim no other.
    """
    profile = adapter.declaration.algorithms[algorithm][0]
    base = profile.partition("+")[2]
    agreeing: dict[str, list[AnsweredCase]] = {}
    differing: dict[str, list[AnsweredCase]] = {}
    for vector in vectors:
        answers = _answers(adapter, vector, profile)
        on_vector()
        for name in (known for known in vector.profiles if known.partition("+")[2] == base):
            subject = _subject(adapter, Case(vector, name), answers)
            if subject is not None:
                (agreeing if subject.first is None else differing).setdefault(name, []).append(subject)
    names = dict.fromkeys([*agreeing, *differing])
    found = [Standing(algorithm, name, tuple(agreeing.get(name, ())), tuple(differing.get(name, ()))) for name in names]
    claimed = adapter.declaration.algorithms[algorithm]
    wins = {one.profile: sum(one.lead(other) > 0 for other in found) for one in found}
    return sorted(found, key=lambda one: (-wins[one.profile], one.profile not in claimed, -one.nearness, one.profile))


def nearest(found: Sequence[Standing], claimed: Collection[str] = ()) -> tuple[list[Standing], Diagnosis]:
    """Return the standings with the nearest first, and in what the implementation departs from that.

    A profile from which one change leads to all the answers is nearer than any other that is left; of several the claimed one. Where there
    is none, of profiles that are about as near that from which the fewest changes do.
    """
    whole = [standing for standing in found if not standing.differing]
    claimed_first = sorted(whole or _close(found, _FAR), key=lambda standing: standing.profile not in claimed)
    single = next(
        (one for one in claimed_first if not one.differing or Failures(one.differing, one.agreeing).exact), None
    )
    close = _close(found, _ABOUT)[:_CLOSE] if single is None else [single]
    diagnoses = {standing.profile: standing.diagnosis() for standing in close}
    best = min(close, key=lambda standing: _changes(diagnoses[standing.profile]))
    return [best, *(standing for standing in found if standing is not best)], diagnoses[best.profile]


def _close(found: Sequence[Standing], part: float) -> list[Standing]:
    """Return the profiles of which not less than a part of what agrees with the first agrees."""
    return [standing for standing in found if standing.nearness >= part * found[0].nearness]


def _changes(diagnosis: Diagnosis) -> int:
    """Return how many changes lead to all the answers; of what is not known more than any pair."""
    chosen = len(diagnosis.choices)
    if not diagnosis.causes:
        return chosen
    return chosen + (diagnosis.causes[0].cause.count(" + ") + 1 if diagnosis.causes[0].exact else 3)


def _answers(adapter: Adapter, vector: Vector, profile: str) -> Answers:
    """Return what the adapter answers, up to an event that it does not support."""
    end, answers = max(case.judged_events for case in vector.profiles.values()), list[dict[str, object]]()
    try:
        run = adapter.begin(vector.algorithm, profile, config_from_json(vector.config))
        for answer in drive(run, vector.events[:end]):
            if answer is BROKEN:
                break
            answers.append(answer)
    except UnsupportedError:
        adapter.stop()  # the rest of the case is not needed
    return tuple(answers)


def _subject(adapter: Adapter, case: Case, answers: Answers) -> AnsweredCase | None:
    """Return the answers as those to a case, ``None`` if they end before it does."""
    count = case.expectation.judged_events
    if len(answers) < count:
        return None
    right, allowed = passed(case, adapter.declaration), case.allowed()
    size_bytes = right.config.max_datagram_size_bytes
    first = None
    for index, (expected, observed) in enumerate(zip(right.observed, answers[:count], strict=True)):
        common = {name: value for name, value in observed.items() if name in expected}
        if compare(expected, common, adapter.declaration, size_bytes, allowed[index]).differences:
            first = index
            break
    return AnsweredCase(case, adapter.declaration, case.events, answers[:count], first)
