"""Finds the profile that an implementation follows: compares its answers to all vectors with every profile."""

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

#: Maximum number of profiles about as near as the nearest, and their minimum relative nearness.
_CLOSE = 3
_ABOUT = 0.85
#: Minimum relative nearness of profiles to search for a single change that explains all answers.
_FAR = 0.4

Answers = tuple[dict[str, object], ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """Agreement of an implementation with a profile, one published version of an algorithm.

    ``agreeing``: the vectors whose answers agree on all judged events. ``differing``: the other vectors.
    """

    algorithm: str
    profile: str
    agreeing: tuple[AnsweredCase, ...]
    differing: tuple[AnsweredCase, ...]

    @property
    def of(self) -> int:
        """Number of compared vectors, agreeing and differing."""
        return len(self.agreeing) + len(self.differing)

    @property
    def nearness(self) -> float:
        """Share of vectors on which the implementation agrees with the profile, smoothed towards 1/2.

        Smoothing adds one agreeing and one differing vector.
        """
        return (len(self.agreeing) + 1) / (self.of + 2)

    def lead(self, other: "Standing") -> int:
        """Return the number of vectors that agree with this profile minus the number that agree with ``other``.

        Only vectors compared with both profiles count.
        """
        ours, theirs = _ids(self.agreeing), _ids(other.agreeing)
        return len(ours & (theirs | _ids(other.differing))) - len(theirs & (ours | _ids(self.differing)))

    def diagnosis(self) -> Diagnosis:
        """Return the differences of the implementation from the profile."""
        return diagnose(self.differing, self.agreeing) if self.differing else Diagnosis()

    def tells(self, other: "Standing") -> list[AnsweredCase]:
        """Return the vectors that refute ``other``: their answers differ from this other profile.

        Vectors that agree with the profile of this object come first, then the rest; each group has the shortest first.
        """
        ours = _ids(self.agreeing)
        return sorted(shortest_first(other.differing), key=lambda subject: subject.case.vector.id not in ours)


def _ids(subjects: Sequence[AnsweredCase]) -> set[str]:
    return {subject.case.vector.id for subject in subjects}


def standings(
    adapter: Adapter, algorithm: str, vectors: Sequence[Vector], on_vector: Callable[[], None] = lambda: None
) -> list[Standing]:
    """Return the agreement of the adapter with profiles of an algorithm, the nearest profile first.

    Only profiles on the base controller of the first declared profile are compared. Every vector is played once, up
    to the last judged event of any profile, under the first declared profile. Other profiles need not be declared.
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
    profile_standings = [
        Standing(algorithm, name, tuple(agreeing.get(name, ())), tuple(differing.get(name, ()))) for name in names
    ]
    claimed = adapter.declaration.algorithms[algorithm]
    wins = {
        standing.profile: sum(standing.lead(other) > 0 for other in profile_standings) for standing in profile_standings
    }
    return sorted(
        profile_standings,
        key=lambda standing: (
            -wins[standing.profile],
            standing.profile not in claimed,
            -standing.nearness,
            standing.profile,
        ),
    )


def nearest(ranking: Sequence[Standing], claimed: Collection[str] = ()) -> tuple[list[Standing], Diagnosis]:
    """Return the standings with the nearest first, and the differences of the implementation from the nearest.

    A standing is the agreement of the implementation with one profile. The nearest profile is one whose answers all
    agree, or agree after a single change; declared profiles come first. Otherwise it is the profile that needs the
    fewest changes of its model, among the first three with enough nearness. Nearness is the smoothed share of agreeing
    vectors. Enough is 85% of the nearness of the first profile in ``ranking``.
    """
    whole = [standing for standing in ranking if not standing.differing]
    claimed_first = sorted(whole or _close(ranking, _FAR), key=lambda standing: standing.profile not in claimed)
    single = next(
        (
            standing
            for standing in claimed_first
            if not standing.differing or Failures(standing.differing, standing.agreeing).exact
        ),
        None,
    )
    close = _close(ranking, _ABOUT)[:_CLOSE] if single is None else [single]
    diagnoses = {standing.profile: standing.diagnosis() for standing in close}
    best = min(close, key=lambda standing: _changes(diagnoses[standing.profile]))
    return [best, *(standing for standing in ranking if standing is not best)], diagnoses[best.profile]


def _close(ranking: Sequence[Standing], part: float) -> list[Standing]:
    """Return the profiles with at least ``part`` times the nearness of the first profile of the ranking.

    The nearness of a profile is its share of vectors that agree with the implementation, smoothed for few vectors.
    """
    return [standing for standing in ranking if standing.nearness >= part * ranking[0].nearness]


def _changes(diagnosis: Diagnosis) -> int:
    """Return the number of changes of the model in a diagnosis: its permitted choices, and changes of its first cause.

    If the first cause leaves some failures unexplained, it counts as three changes, more than a pair of changes.
    """
    chosen = len(diagnosis.choices)
    if not diagnosis.causes:
        return chosen
    return chosen + (diagnosis.causes[0].cause.count(" + ") + 1 if diagnosis.causes[0].exact else 3)


def _answers(adapter: Adapter, vector: Vector, profile: str) -> Answers:
    """Return the answers of the adapter to the events of a vector, up to the first event without an answer.

    ``profile``: the profile that the adapter runs. A crash or an unsupported event ends the answers.
    """
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
    """Return a case with the answers of the adapter and their first difference from the expected answers.

    ``answers``: one answer for each event of the vector, possibly more than the case judges. Return ``None`` if there
    are fewer.
    """
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
