"""Compares a startup algorithm with its base controller: a case that the base passes does not show the algorithm."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from firstflight.algorithm import Startup
from firstflight.controller import ALGORITHMS, DEFAULT_BASE, SUFFIXES
from firstflight.events import Event
from firstflight_conformance.adapters.messages import OF_SOME_ALGORITHMS, Declaration
from firstflight_conformance.compare.answers import run_of
from firstflight_conformance.compare.options import models_of
from firstflight_conformance.compare.profile import judged_alone
from firstflight_conformance.compare.subject import AnsweredCase, config_of
from firstflight_conformance.compare.values import avoids, compare, datagram_sizes_bytes
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.format.wire import observables
from firstflight_conformance.replay.implementation import Model, drive
from firstflight_conformance.replay.variant import Variant
from firstflight_conformance.simulate.cases import StimulusCase


def base_of(algorithm: str, profile: str) -> tuple[str, str] | None:
    """Return algorithm and profile of the base of a startup algorithm, or ``None`` for other algorithms."""
    if not isinstance(ALGORITHMS.get(algorithm), Startup):
        return None
    _, plus, base = profile.partition("+")
    algorithm, carried = SUFFIXES.get(plus + base, DEFAULT_BASE)
    assert carried is not None
    return algorithm, carried


def acts(case: Case | StimulusCase, declaration: Declaration) -> bool:
    """Return whether the base controller alone would differ from the expected answers to a case.

    Only observables that the adapter declares count, and only differences above its tolerance. In closed loop the
    expected answers come from the model's own run. In ``state``, the internal numbers of the algorithm, only numbers
    that the base lacks count, and only if they change: a constant needs no algorithm. Return True without a base.
    """
    base = base_of(case.vector.algorithm, case.profile)
    if base is None:
        return True
    return _differs(base, case, *run_of(case, declaration), declaration)


def _differs(
    base: tuple[str, str],
    case: Case | StimulusCase,
    events: Sequence[Event],
    answers: Sequence[dict[str, Any]],
    declaration: Declaration,
) -> bool:
    config, ties = config_of(case), case.allowed() if isinstance(case, Case) else []
    sizes_bytes = datagram_sizes_bytes(config.max_datagram_size_bytes, events)
    windows = replace(declaration, observables=tuple(name for name in declaration.observables if name != "state"))
    shows_state, first = "state" in declaration.observables, None
    before: dict[str, Any] | None = None
    avoiding = False
    base_observables = map(observables, drive(Model(*base).begin(config), events))
    for index, (alone, expected) in enumerate(zip(base_observables, answers, strict=True)):
        avoiding = avoiding or avoids(case, before, expected)
        before = expected
        base_answer = {
            name: alone.get(name) for name in windows.observables if name in alone or name in OF_SOME_ALGORITHMS
        }
        allowed = ties[index] if ties else {}
        if compare(expected, base_answer, windows, sizes_bytes[index], allowed, avoiding=avoiding).differences:
            return True
        if shows_state:
            own = {name: value for name, value in expected["state"].items() if name not in alone["state"]}
            first = own if first is None else first
            if own != first:
                return True
    return False


def conforms_as_base(subject: AnsweredCase) -> bool:
    """Return whether the base controller alone, without the startup algorithm, can give all answers to a case.

    The base may make any permitted choice where its text permits several (an open point). Return True also if the
    search reaches its step limit. Return False for a computation, and for an algorithm without a base.
    """
    base = base_of(subject.case.vector.algorithm, subject.case.profile)
    if base is None or isinstance(subject.case, ComputationCase):
        return False
    models = models_of(*base)
    alone = replace(subject, case=_of_base(subject.case, base), right=Variant(), _walks={})
    judgement = judged_alone(alone, models)
    return bool(judgement.ways) or judgement.undecided


def _of_base(case: Case | StimulusCase, base: tuple[str, str]) -> Case | StimulusCase:
    """Return a copy of a case whose algorithm and profile are the base, with the same events or scenario."""
    algorithm, profile = base
    if isinstance(case, StimulusCase):
        return StimulusCase(replace(case.vector, algorithm=algorithm), profile)
    return Case(replace(case.vector, algorithm=algorithm, profiles={profile: case.expectation}), profile)
