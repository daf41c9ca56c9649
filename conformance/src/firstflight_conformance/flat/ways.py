"""Computes the conforming behaviours (*ways*) of a case. The flat form lists them for readers without a model.

A way is the model with one alternative at an open point, from the first event to the last. Way 0 is the model itself.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from firstflight.limits import WINDOW_MAX_BYTES
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.compare.options import NOTHING, Models
from firstflight_conformance.compare.position import PendingStep, is_same_state
from firstflight_conformance.compare.subject import Along, AnsweredCase
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.format.wire import NUMBER_MAX, observables
from firstflight_conformance.replay.answers import CRASHES

#: Observables that bounds may limit.
_BOUNDED = ("cwnd_bytes", "ssthresh_bytes", "next_release_ns")


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways of a case. A way is a conforming sequence of answers to all events of the case.

    Way 0 contains the answers of the model. Each other way contains the answers of the model with an alternative at an
    open point. An open point is a choice that the text leaves to the implementer.

    ``points``: for each way, its open points, joined by "or"; empty for way 0. ``differing``: for each event, by way,
    the observables that differ from way 0. ``within``: for each event, by observable, the smallest and the largest
    conforming value in way 0. They are the ends of the interval that the bounds accept. A bound is the rule of an open
    point that permits an interval instead of one value.
    """

    points: list[str]
    differing: list[dict[int, dict[str, Any]]]
    within: list[dict[str, list[int]]]


@dataclass(frozen=True, slots=True)
class _Default:
    """The step of the model at an event, and the alternatives at open points that may change this step.

    An alternative is a conforming change of the model. ``bits`` has one bit for each alternative of the profile. The
    bit is set if the step executed a function that the alternative changes.
    """

    step: PendingStep
    bits: int


def flat(observed: dict[str, Any]) -> dict[str, Any]:
    """Return the observables of one answer and the members of its state in one dict."""
    numbers: dict[str, Any] = observed["state"]
    return {name: value for name, value in observed.items() if name != "state"} | numbers


def ways(case: Case, models: Models) -> Ways:
    """Return the ways of a case: the conforming sequences of answers to its events.

    Way 0 contains the answers of the model. Each other way contains the answers with one alternative at an open point,
    a choice that the text leaves to the implementer. Alternatives with equal answers share a way. Alternatives with the
    answers of the model, or with a crash, are left out.

    ``models``: the models of the profile, by their alternatives. They include alternatives within a bound, an interval
    of values that the text permits.
    """
    subject = AnsweredCase(case, Declaration("", "", {}, ()), tuple(case.events), (), None)
    default = _default(subject, models)
    expected = [flat(observables(model_step.step.observation)) for model_step in default]
    begun = default[0].step.position.key
    groups: dict[str, tuple[set[str], list[dict[str, Any]]]] = {}
    for name in models.options:
        differing = (
            _differing(Along(subject, variant), models.bits[name], begun, default, expected)
            if (variant := models.variant(frozenset({name})))
            else []
        )
        if any(differing):
            groups.setdefault(repr(differing), (set(), differing))[0].add(models.options[name].point.id)
    answers = [differing for _, differing in groups.values()]
    return Ways(
        ["", *(" or ".join(sorted(points)) for points, _ in groups.values())],
        [
            {way: differences[at] for way, differences in enumerate(answers, 1) if differences[at]}
            for at in range(len(default))
        ],
        [_within(model_step.step, observed) for model_step, observed in zip(default, expected, strict=True)],
    )


def _default(subject: AnsweredCase, models: Models) -> list[_Default]:
    """Return the step of the unchanged model at each event of the case.

    ``subject``: the case with its events. ``models``: the models of its profile.
    """
    variant = models.variant(NOTHING)
    assert variant is not None
    along = Along(subject, variant)
    position, steps = along.begin(), list[_Default]()
    for index, event in enumerate(subject.events):
        step, bits = models.executed.call(lambda: along.step(position, event))  # noqa: B023 - called at once
        assert step.state
        steps.append(_Default(step, bits))
        observation = step.observation
        after = step.meets(index, {"cwnd_bytes": observation.cwnd_bytes, "ssthresh_bytes": observation.ssthresh_bytes})
        assert after is not None
        position = after
    return steps


def _differing(
    along: Along, bit: int, begun: str, default: Sequence[_Default], expected: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the observables that an alternative changes, for each event; an empty list if it crashes.

    An alternative is the model with another permitted choice. ``along`` runs it along the events. ``begun``: the
    initial state of the unchanged model as a text. An alternative with another initial state is compared from the first
    event on. Otherwise the comparison starts at the first event where the alternative changes the state or an
    observable; earlier events get an empty entry. ``default``: the steps of the unchanged model, each
    with a bit mask of the alternatives that may change it. ``bit``: the bit of this alternative. ``expected``: the
    observables of the unchanged model. A negative value among the changed observables is treated as a crash: the
    alternative does not fit the profile (a version of the algorithm).
    """
    changes: list[dict[str, Any]] = []
    try:
        position = along.begin()
        departed, controller = position.key != begun, position.controller
        for event, model_step, right in zip(along.subject.events, default, expected, strict=True):
            if departed:
                observation = along.variant.advance(controller, event)
            elif model_step.bits & bit:
                step = along.step(model_step.step.position, event)
                observation, controller = step.observation, step.controller
                departed = (
                    not is_same_state(step.state, model_step.step.state) or observation != model_step.step.observation
                )
            observed = flat(observables(observation)) if departed else {}
            changes.append({name: value for name, value in observed.items() if value != right[name]})
    except CRASHES:
        return []
    numbers = (value for changed in changes for value in changed.values() if isinstance(value, int))
    return changes if all(value >= 0 for value in numbers) else []


def _within(step: PendingStep, observed: dict[str, Any]) -> dict[str, list[int]]:
    """Return, by observable, the smallest and the largest value around the model's value that bounds accept.

    A bound is a rule that accepts an interval of values at an open point of the text. Observables without such an
    interval are left out.
    """
    ranges: dict[str, list[int]] = {}
    for name in observed.keys() & _BOUNDED:
        # For an infinite ssthresh, or without a release time, the search starts at the window.
        own = observed["cwnd_bytes"] if observed[name] is None else observed[name]
        # An unbounded interval does not turn a 53-bit case into a 64-bit case.
        most = NUMBER_MAX if own < NUMBER_MAX else WINDOW_MAX_BYTES
        ends = [end for bound in step.position.bounds for end in _ends(own, most, _accepts(step, bound, name))]
        if ends:
            ranges[name] = [min(own, *ends), max(own, *ends)]
    return {name: ranges[name] for name in _BOUNDED if name in ranges}


def _accepts(step: PendingStep, bound: Any, name: str) -> Callable[[int], bool]:
    """Return a function that tests whether a bound accepts a value of the observable ``name`` after this step.

    A bound is a rule that accepts an interval of values at an open point of the text. The function returns True if the
    model can continue from exactly this value.
    """

    def accepts(value: int) -> bool:
        state, variant = step.controller.copy(), step.along.variant
        trial = bound.copy(variant.advance)
        acceptance = trial.follow(step.before, state, step.event, step.observation, {name: value})
        return (
            acceptance is not None
            and getattr(variant.followed(step.observation, state, acceptance.shows), name) == value
        )

    return accepts


def _ends(own: int, most: int, accepts: Callable[[int], bool]) -> list[int]:
    """Return the ends of the accepted range around ``own`` in 0..``most``, each only if it differs from ``own``."""
    ends = []
    for sign, room in ((-1, own), (1, most - own)):
        if room > 0 and accepts(own + sign):
            # Distances of the last accepted value and of the first rejected value.
            inside, outside = (room, room + 1) if accepts(own + sign * room) else (1, room)
            while outside - inside > 1:
                middle = min((inside + outside) // 2, 2 * inside)
                inside, outside = (middle, outside) if accepts(own + sign * middle) else (inside, middle)
            ends.append(own + sign * inside)
    return ends
