"""Mutants in place of an adapter, without a process: their answers to the vectors, as input of the diagnosis."""

from functools import cache

from every import every_case
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.compare.answers import passed
from firstflight_conformance.compare.subject import AnsweredCase
from firstflight_conformance.compare.values import compare
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.format.wire import observables
from firstflight_conformance.replay.answers import CRASHES
from firstflight_conformance.replay.candidates import Candidate
from firstflight_conformance.replay.mutants import Mutant, load_mutants
from firstflight_conformance.replay.variant import Variant

WINDOW_ONLY = Declaration("mutant", "1", {}, ("cwnd_bytes",))
#: Mutants whose windows conform. The first two reduce cwnd too little or not at all, but a sender may reduce step by
#: step and their streams end in recovery. The third grows after a collapse, as an old counter of bytes may. The fourth
#: never jumps, as a sender may.
UNSEEN = {
    "reduce-in-double",
    "first-lost-decides",
    "linux-3-slow-start-counters",
    "resume-probe-ends-reconnaissance",
}
#: Mutants whose windows alone match the windows of choices; ssthresh distinguishes them.
AS_CHOSEN = {
    "rapid-ending-ack-whole",
    "rapid-threshold-stays",
    "resume-pipesize-at-confirmation",
    "resume-pipesize-start-zero",
}


@cache
def mutants() -> dict[str, Mutant]:
    """Return the mutants by id."""
    return {mutant.id: mutant for mutant in load_mutants()}


def candidate(*ids: str) -> Candidate:
    """Return the candidate that combines these mutants."""
    return Candidate(" + ".join(ids), "mutant", "", tuple(mutants()[name] for name in ids))


def judged(variant: Variant, algorithm: str, profile: str) -> tuple[list[AnsweredCase], list[AnsweredCase]]:
    """Return the failing and the passing cases of a variant in a profile, judged by the window alone."""
    failing, passing = [], []
    for case in every_case():
        if (case.vector.algorithm, case.profile) == (algorithm, profile):
            subject = answered(case, variant)
            (passing if subject.first is None else failing).append(subject)
    return failing, passing


def answered(case: Case, variant: Variant) -> AnsweredCase:
    """Return the answers of a variant to a case, up to a crash."""
    right = passed(case, WINDOW_ONLY)
    answers: list[dict[str, object]] = []
    try:
        state = variant.create(case.vector.algorithm, case.profile, right.config)
        for event in case.events:
            observation = variant.advance(state, event)
            answers.append({"cwnd_bytes": observables(observation)["cwnd_bytes"]})
    except CRASHES:
        pass
    return subject_of(case, answers)


def subject_of(case: Case, answers: list[dict[str, object]]) -> AnsweredCase:
    """Return a case with these answers, compared with the expected ones."""
    right, allowed = passed(case, WINDOW_ONLY), case.allowed()
    size_bytes = right.config.max_datagram_size_bytes
    first = next(
        (
            index
            for index, answer in enumerate(answers)
            if compare(right.observed[index], answer, WINDOW_ONLY, size_bytes, allowed[index]).differences
        ),
        None,
    )
    return AnsweredCase(case, WINDOW_ONLY, case.events[: len(answers)], tuple(answers), first)


def told_apart(variant: Variant, other: Variant, algorithm: str, profile: str) -> bool:
    """Return whether a vector of the profile distinguishes two variants by the window."""
    return any(
        answered(case, variant).observed != answered(case, other).observed
        for case in every_case()
        if (case.vector.algorithm, case.profile) == (algorithm, profile)
    )
