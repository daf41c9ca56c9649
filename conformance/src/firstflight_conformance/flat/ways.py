"""The ways in which a case conforms, found without answers: the flat form lists them for readers without a model.

A *way* is the model with one alternative at an open point, from the first event to the last. Way 0 is the model itself.
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

#: The observables that bounds are about.
_BOUNDED = ("cwnd_bytes", "ssthresh_bytes", "next_release_ns")


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways of a case. ``points``: the open points of each way, none of way 0.

    ``differing``: for each event, the observables of each way that differ from those of way 0. ``within``: for each event, the least
    and the most that bounds accept of an observable in way 0.
    """

    points: list[str]
    differing: list[dict[int, dict[str, Any]]]
    within: list[dict[str, list[int]]]


@dataclass(frozen=True, slots=True)
class _Default:
    """The step of the model at an event, and the bits of the alternatives that it may concern."""

    step: PendingStep
    bits: int


def flat(observed: dict[str, Any]) -> dict[str, Any]:
    """Return observables and the numbers of the state by name."""
    numbers: dict[str, Any] = observed["state"]
    return {name: value for name, value in observed.items() if name != "state"} | numbers


def ways(case: Case, models: Models) -> Ways:
    """Return the ways of a case. ``models``: those of its profile, with the alternatives that bounds cover."""
    subject = AnsweredCase(case, Declaration("", "", {}, ()), tuple(case.events), (), None)
    default = _default(subject, models)
    expected = [flat(observables(one.step.observation)) for one in default]
    begun = default[0].step.position.key
    found: dict[str, tuple[set[str], list[dict[str, Any]]]] = {}
    for name in models.options:
        differing = (
            _differing(Along(subject, variant), models.bits[name], begun, default, expected)
            if (variant := models.variant(frozenset({name})))
            else []
        )
        if any(differing):
            found.setdefault(repr(differing), (set(), differing))[0].add(models.options[name].point.id)
    answers = [differing for _, differing in found.values()]
    return Ways(
        ["", *(" or ".join(sorted(points)) for points, _ in found.values())],
        [{way: of[at] for way, of in enumerate(answers, 1) if of[at]} for at in range(len(default))],
        [_within(one.step, observed) for one, observed in zip(default, expected, strict=True)],
    )


def _default(subject: AnsweredCase, models: Models) -> list[_Default]:
    """Return the steps of the model."""
    variant = models.variant(NOTHING)
    assert variant is not None
    along = Along(subject, variant)
    position, found = along.begin(), list[_Default]()
    for index, event in enumerate(subject.events):
        step, bits = models.executed.call(lambda: along.step(position, event))  # noqa: B023 - called at once
        assert step.state
        found.append(_Default(step, bits))
        observation = step.observation
        after = step.meets(index, {"cwnd_bytes": observation.cwnd_bytes, "ssthresh_bytes": observation.ssthresh_bytes})
        assert after is not None
        position = after
    return found


def _differing(
    along: Along, bit: int, begun: str, default: Sequence[_Default], expected: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the observables of the model with an alternative that differ from those of the model, none if it crashes.

    ``begun``: the key of the position of the model before the first event. A number below zero is as a crash: the alternative does
    not fit the profile.
    """
    found: list[dict[str, Any]] = []
    try:
        position = along.begin()
        departed, controller = position.key != begun, position.controller
        for event, one, right in zip(along.subject.events, default, expected, strict=True):
            if departed:
                observation = along.variant.advance(controller, event)
            elif one.bits & bit:
                step = along.step(one.step.position, event)
                observation, controller = step.observation, step.controller
                departed = not is_same_state(step.state, one.step.state) or observation != one.step.observation
            observed = flat(observables(observation)) if departed else {}
            found.append({name: value for name, value in observed.items() if value != right[name]})
    except CRASHES:
        return []
    numbers = (value for one in found for value in one.values() if isinstance(value, int))
    return found if all(value >= 0 for value in numbers) else []


def _within(step: PendingStep, observed: dict[str, Any]) -> dict[str, list[int]]:
    """Return the least and the most that bounds accept of the observables around the values of the model."""
    found: dict[str, list[int]] = {}
    for name in observed.keys() & _BOUNDED:
        # A bound of an infinite threshold, and of no release time, is sought around the window.
        own = observed["cwnd_bytes"] if observed[name] is None else observed[name]
        # An interval without an upper end does not make a case one of 64 bits.
        most = NUMBER_MAX if own < NUMBER_MAX else WINDOW_MAX_BYTES
        ends = [end for bound in step.position.bounds for end in _ends(own, most, _accepts(step, bound, name))]
        if ends:
            found[name] = [min(own, *ends), max(own, *ends)]
    return {name: found[name] for name in _BOUNDED if name in found}


def _accepts(step: PendingStep, bound: Any, name: str) -> Callable[[int], bool]:
    """Return the question whether a bound accepts a value."""

    def accepts(value: int) -> bool:
        state, variant = step.controller.copy(), step.along.variant
        asked = bound.copy(variant.advance)
        taken = asked.follow(step.before, state, step.event, step.observation, {name: value})
        return taken is not None and getattr(variant.followed(step.observation, state, taken.shows), name) == value

    return accepts


def _ends(own: int, most: int, accepts: Callable[[int], bool]) -> list[int]:
    """Return the last value up to ``most`` that is accepted below a value, and above it, each if the next one is."""
    found = []
    for sign, room in ((-1, own), (1, most - own)):
        if room > 0 and accepts(own + sign):
            # The distances of the last accepted value and of the first one that is not.
            inside, outside = (room, room + 1) if accepts(own + sign * room) else (1, room)
            while outside - inside > 1:
                middle = min((inside + outside) // 2, 2 * inside)
                inside, outside = (middle, outside) if accepts(own + sign * middle) else (inside, middle)
            found.append(own + sign * inside)
    return found
