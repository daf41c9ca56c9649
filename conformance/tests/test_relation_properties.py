"""Properties of the verdict on a case, for drawn controllers and drawn cases."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from firstflight_conformance.adapters.conversation import Answers
from firstflight_conformance.adapters.script import Script
from firstflight_conformance.compare import relation
from firstflight_conformance.compare.answers import failed, passed
from firstflight_conformance.compare.profile import compared
from firstflight_conformance.records.results import Verdict
from firstflight_conformance.run.judge import verdict_on
from freedoms_support import Variant, answers_of, program_of, scripts_of, together, variants

#: The examples of each property, in the usual run and in the long one.
_FEW, _MANY = 15, 1000
#: The most cases in one example.
_CASES = 6
#: Verdicts that mean "conforms": a clash conforms alone, but not with the choices of the other cases.
_CONFORMING = {"pass", "choice", "clash"}

#: Observables that the controllers answer; an adapter may declare fewer, but always the window.
_OBSERVED = ("cwnd_bytes", "ssthresh_bytes", "phase", "outcome")
_HIDEABLE = _OBSERVED[1:]

Property = Callable[..., None]


def drawn(*strategies: st.SearchStrategy[Any]) -> Callable[[Property], Property]:
    """Return a decorator that tests a property with few examples, and with many in the long tests."""

    def decorated(holds: Property) -> Property:
        counts = [_FEW, pytest.param(_MANY, marks=pytest.mark.long)]

        @pytest.mark.parametrize("examples", counts)
        def run(examples: int) -> None:
            settings(max_examples=examples)(given(*strategies)(holds))()

        run.__doc__ = holds.__doc__
        return run

    return decorated


@cache
def controllers(*, conforming: bool) -> list[Variant]:
    """Return the variants that declare both windows: all of them, or those that conform in every case."""
    usable = [variant for variant in variants() if not variant.declares and not variant.pending]
    return [variant for variant in usable if variant.conforms] if conforming else usable


@st.composite
def implementations(draw: st.DrawFn, *, conforming: bool = False, least: int = 1, most: int = 3) -> Variant:
    """Draw a controller with one or more changes at different open points."""
    first = draw(st.sampled_from(controllers(conforming=conforming)))
    fitting = [
        variant
        for variant in controllers(conforming=True)
        if (variant.profile, variant.program) == (first.profile, first.program)
    ]
    at_other_points = [variant for variant in fitting if variant.point_id != first.point_id]
    assume(least == 1 or at_other_points)
    count = st.lists(
        st.sampled_from(at_other_points),
        min_size=least - 1,
        max_size=most - 1,
        unique_by=lambda variant: variant.point_id,
    )
    parts = [first, *(draw(count) if at_other_points else [])]
    made = together(parts)
    assume(made is not None)
    assert made is not None
    return _noted(made)


def _noted(variant: Variant) -> Variant:
    """Register a controller in the cache of answers and return it."""
    _known()[variant.profile, variant.id] = variant
    return variant


@cache
def _known() -> dict[tuple[str, str], Variant]:
    return {}


@lru_cache(1000)
def _answered(profile: str, name: str, case: str) -> Answers:
    variant = _known()[profile, name]
    script = next(script for script in scripts_of(profile, whole=False) if script.case.id == case)
    return answers_of(_program(profile, name), script, variant.declaration.observables)


@lru_cache(1)
def _program(profile: str, name: str) -> Any:
    return program_of(_known()[profile, name])


def answered(variant: Variant, script: Script) -> Answers:
    """Return the answers of a controller to a case."""
    return _answered(variant.profile, variant.id, script.case.id)


def verdicts(variant: Variant, scripts_and_answers: Sequence[tuple[Script, Answers]]) -> dict[str, str]:
    """Return the verdict on each case of a run: pass, choice, clash, undecided, fail or errored."""
    results = [
        (script.case, verdict_on(script, variant.declaration, answers)) for script, answers in scripts_and_answers
    ]
    failing = [failed(result, case, variant.declaration) for case, result in results if result.verdict is Verdict.FAIL]
    passing = [passed(case, variant.declaration) for case, result in results if result.verdict is Verdict.PASS]
    by_case = {case.id: str(result.verdict.value) for case, result in results}
    if failing:
        run = compared(failing, passing)
        by_case |= dict.fromkeys(run.conforming, "choice")
        by_case |= dict.fromkeys(run.undecided, "undecided")
        by_case |= dict.fromkeys(run.joint.clashes, "clash")
    return by_case


def conforming(variant: Variant, scripts_and_answers: Sequence[tuple[Script, Answers]]) -> dict[str, bool]:
    """Return whether each case conforms."""
    return {case: verdict in _CONFORMING for case, verdict in verdicts(variant, scripts_and_answers).items()}


def selection(data: st.DataObject, variant: Variant, most: int = _CASES) -> list[Script]:
    """Draw cases of a controller's profile, in any order; prefer cases whose answers differ from the model."""
    scripts = st.sampled_from(scripts_of(variant.profile, whole=False))
    sampled = data.draw(st.lists(scripts, min_size=1, max_size=4 * most, unique_by=lambda script: script.case.id))
    differing = [script for script in sampled if _differs(variant, script)]
    return [*differing, *(script for script in sampled if script not in differing)][:most]


def _differs(variant: Variant, script: Script) -> bool:
    return verdict_on(script, variant.declaration, answered(variant, script)).verdict is Verdict.FAIL


def renamed(script: Script, name: str) -> Script:
    """Return a case with another name."""
    return Script(replace(script.case, vector=replace(script.case.vector, id=name)))


@drawn(implementations(), st.data())
def test_verdict_depends_on_the_case_alone(variant: Variant, data: st.DataObject) -> None:
    """Selection, order and names of other cases do not change the verdict on a case."""
    chosen = selection(data, variant)
    names = data.draw(st.permutations([f"case-{number}" for number in range(len(chosen))]))
    alone = [conforming(variant, [(script, answered(variant, script))]) for script in chosen]
    run = [(renamed(script, name), answered(variant, script)) for script, name in zip(chosen, names, strict=True)]
    conformity = conforming(variant, run)
    event(f"{len(set(conformity.values()))} kinds of verdicts")
    assert [conformity[script.case.id] for script, _ in run] == [
        next(iter(conformity_alone.values())) for conformity_alone in alone
    ]


@drawn(implementations(conforming=True, least=2, most=2), st.data())
def test_two_choices_conform_together(variant: Variant, data: st.DataObject) -> None:
    """Two choices that conform separately conform together."""
    chosen = selection(data, variant)
    by_case = verdicts(variant, [(script, answered(variant, script)) for script in chosen])
    assert set(by_case.values()) <= {"pass", "choice"}, by_case


@drawn(implementations(), st.sets(st.sampled_from(_HIDEABLE)), st.data())
def test_case_still_conforms_with_fewer_observables(variant: Variant, hidden: set[str], data: st.DataObject) -> None:
    """A case that conforms with all observables conforms with some of them."""
    every = _declaring(variant, _OBSERVED)
    less = _declaring(variant, [name for name in _OBSERVED if name not in hidden])
    for script in selection(data, every, 2):
        answers = answered(every, script)
        if conforming(every, [(script, answers)])[script.case.id]:
            visible = [{name: now[name] for name in less.declaration.observables} for now in answers.observed]
            by_case = verdicts(less, [(script, replace(answers, observed=visible))])
            event(f"{len(hidden)} hidden")
            assert set(by_case.values()) <= _CONFORMING, (hidden, by_case)


def _declaring(variant: Variant, names: Sequence[str]) -> Variant:
    made = replace(variant, id=f"{variant.id} {' '.join(names)}", declares={"observables": list(names)})
    return _noted(made)


@drawn(implementations(), st.integers(1, 300), st.data())
def test_verdict_within_step_limit_is_same_or_undecided(variant: Variant, steps: int, data: st.DataObject) -> None:
    """A case keeps its verdict within any step limit, or is undecided."""
    chosen = selection(data, variant, 2)
    run = [(script, answered(variant, script)) for script in chosen]
    whole = conforming(variant, run)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relation, "STEPS", steps)
        limited = verdicts(variant, run)
    event("undecided" if "undecided" in limited.values() else "decided")
    for case, verdict in limited.items():
        assert verdict == "undecided" or (verdict in _CONFORMING) == whole[case], (case, verdict)


@pytest.mark.parametrize("case", ["search.path.long@lanman-2024", "search.path.paced@lanman-2024"])
def test_two_alternatives_conform_despite_failing_others(case: str) -> None:
    """Two alternatives conform, although walks from the model reach the end by other ones, which fail elsewhere."""
    variant = _noted(next(variant for variant in variants() if variant.id == "windows-of-nine-bins"))
    script = next(script for script in scripts_of(variant.profile, whole=False) if script.case.id == case)
    assert verdicts(variant, [(script, answered(variant, script))]) == {case: "choice"}
