"""Suspects of unexplained divergences: the probable event of the decision, and the rules relevant to it."""

from collections.abc import Iterable, Sequence
from itertools import islice

from firstflight_conformance.compare.subject import AnsweredCase, sample_of
from firstflight_conformance.explain.breaks import rules_of
from firstflight_conformance.explain.budget import BUILT, Budget
from firstflight_conformance.explain.decision import (
    at_event,
    computed,
    first_decision,
    first_visible,
    observations,
)
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.profile_rules import by_weight
from firstflight_conformance.format.wire import observables
from firstflight_conformance.records.findings import Decision
from firstflight_conformance.replay.candidates import Candidate, together
from firstflight_conformance.replay.variant import Variant, build

#: Number of further failures to compare candidates with, and limit of the index of their first divergence.
_CASES, _EVENTS = 6, 300
#: Number of rules from candidates before the rules applied by the model.
_ALIKE = 4
#: Scores of a candidate that first differs at the same event: in any observable, in the same ones, with equal values.
_EVENT, _OBSERVABLES, _ANSWER = 1, 3, 4


def suspects_of(
    failing: Sequence[AnsweredCase], candidates: Iterable[Candidate], choices: Candidate | None, budget: Budget
) -> tuple[Decision, tuple[str, ...]]:
    """Return the probable decision behind the first divergence of ``failing[0]``, and rules that it may violate.

    Candidates are possible causes: changed models with the permitted ``choices``. If a candidate first differs visibly
    at the event of the divergence, it votes for the event of its own first differing decision. The event with most
    votes is returned, or without votes the divergence itself.

    The first four rules are from candidates. Candidates that resemble the failures most, in event and observables, come
    first. Then come the rules that the model applies at the event of the decision, and then other rules of candidates.
    Reason for this order: the right model may not apply the violated rule at this event, for example on an ACK that
    wrongly ends recovery.
    """
    subject = failing[0]
    if isinstance(subject.case, ComputationCase):
        decision = computed(subject, None)
        return decision, tuple(by_weight(decision.clauses))
    divergence_index = subject.first or 0
    other_failures = [failure for failure in sample_of(failing[1:], _CASES) if (failure.first or 0) < _EVENTS]
    votes: dict[int, int] = {}
    scores: list[tuple[int, Candidate]] = []
    for candidate in candidates:
        if budget.is_spent:
            break
        budget.spend(BUILT + 2 * sum((failure.first or 0) + 1 for failure in (subject, *other_failures)))
        variant = build(candidate if choices is None else together([choices, candidate]))
        if variant is None:
            continue
        score = _likeness(subject, variant)
        if score > 0:
            index = first_decision(subject, variant)
            index = divergence_index if index is None else index
            votes[index] = votes.get(index, 0) + 1
        scores.append((score + sum(_likeness(failure, variant) for failure in other_failures), candidate))
    decision = at_event(subject, max(votes, key=lambda index: (votes[index], index), default=divergence_index), None)
    best = sorted((score for score in scores if score[0] > 0), key=lambda score: -score[0])
    similar_rules = [
        rule for _, candidate in best for part in candidate.parts for rule in rules_of(part, decision.clauses)
    ]
    alike = list(dict.fromkeys(similar_rules))
    rules = [*alike[:_ALIKE], *by_weight(decision.clauses), *alike[_ALIKE:]]
    return decision, tuple(dict.fromkeys(rules))


def _likeness(subject: AnsweredCase, variant: Variant) -> int:
    """Return a score for the likeness of a variant's first visible difference to the observed divergence.

    Both are differences from the right model; ``variant`` is a changed model. The score is 4 for the observed answer at
    the same event, 3 for a difference in the same observables, and 1 in other observables. It is 0 if the variant does
    not differ up to this event, and -3 if it differs earlier.
    """
    divergence_index, visible = subject.first or 0, first_visible(subject, variant)
    if visible != divergence_index:
        return 0 if visible is None else -_OBSERVABLES
    if subject.reproduced(variant, divergence_index + 1) > divergence_index:
        return _ANSWER
    right, variant_answer = (
        observables(next(islice(observations(subject, model), divergence_index, None)))
        for model in (subject.right, variant)
    )
    observed = subject.observed[divergence_index]
    alike = all(
        (right.get(name) != value) == (right.get(name) != variant_answer.get(name)) for name, value in observed.items()
    )
    return _OBSERVABLES if alike else _EVENT
