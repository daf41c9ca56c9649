"""Causes from operators: small edits of the model that reproduce a wrong implementation."""

import json
import sys
from time import process_time

import pytest

from diagnosis_support import answered, candidate, judged
from every import every_case, every_computation
from firstflight.algorithm import Startup
from firstflight.controller import ALGORITHMS
from firstflight_conformance.adapters.conversation import Answers
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.adapters.script import Script
from firstflight_conformance.explain.budget import RESERVE, Budget
from firstflight_conformance.explain.diagnosis import diagnose
from firstflight_conformance.explain.operators import bench
from firstflight_conformance.explain.operators.bench import Bench, limited
from firstflight_conformance.explain.operators.search import Search
from firstflight_conformance.format.layers import layers
from firstflight_conformance.format.schemas import schema_error
from firstflight_conformance.format.wire import event_to_json
from firstflight_conformance.records.findings import Cause
from firstflight_conformance.replay.variant import Variant
from firstflight_conformance.report import json_document
from freedoms_support import WINDOWS, _reported, scripts_of, variants
from freedoms_support import Variant as Planted
from freedoms_support import judged as judged_variant
from runner_support import BAD

sys.path.append(str(BAD))
from newreno import NewReno

#: Startup profiles with few cases, one of each way to fail without the algorithm.
QUICK = [("hystart", "linux"), ("limited-slow-start", "rfc-3742"), ("rapid-start", "draft-02")]
EVERY = [
    (name, own)
    for name, algorithm in ALGORITHMS.items()
    if isinstance(algorithm, Startup)
    for own in algorithm.profiles
]
#: A planted error without a named mutant, and its description.
ALPHA = Planted(
    "alpha-one-by-w-max", "cubic/rfc-9438", "U1", "grows W_est as Reno from W_max on, not from cwnd_prior", "cubic_rfc_9438",
    [["s.w_est >= s.cwnd_prior * UNIT", "s.w_est >= (s.w_max or 0) * UNIT"]], rule="cubic.friendly.alpha-one",
)  # fmt: skip


def plain(script: Script) -> Answers:
    """Return the answers of NewReno to a case of any algorithm."""
    controller, answers = NewReno(script.case.vector.config), Answers()
    for event in script.case.events:
        observed = controller.observe(event_to_json(event))
        answers.observed.append({name: observed[name] for name in WINDOWS})
    return answers


def causes_without(algorithm: str, profile: str) -> tuple[Cause, ...]:
    """Return the causes of a NewReno that declares a startup profile."""
    scripts = scripts_of(f"{algorithm}/{profile}")
    declaration = Declaration("plain", "1", {algorithm: (profile,)}, WINDOWS)
    diagnosis = _reported(scripts, declaration, [plain(script) for script in scripts]).diagnosis
    assert diagnosis is not None
    return diagnosis.causes


def never_acts(algorithm: str, profile: str) -> None:
    """Check that the first cause, if any, is a startup algorithm that never acts, with rules of the profile."""
    causes = causes_without(algorithm, profile)
    assert all(cause.kind == "base" for cause in causes[:1]), causes[0]
    pages = {name for name, _ in layers(algorithm, profile)}
    assert {clause.partition(".")[0] for cause in causes for clause in cause.clauses} <= pages


@pytest.mark.parametrize(("algorithm", "profile"), QUICK)
def test_plain_newreno_is_diagnosed_as_inactive_startup(algorithm: str, profile: str) -> None:
    assert causes_without(algorithm, profile)
    never_acts(algorithm, profile)


@pytest.mark.long
@pytest.mark.parametrize(("algorithm", "profile"), EVERY)
def test_plain_newreno_diagnosis_in_every_profile(algorithm: str, profile: str) -> None:
    never_acts(algorithm, profile)


def test_an_operator_describes_a_planted_error() -> None:
    """An operator explains an error in a self-contained program, which shares no code with the model."""
    diagnosis = judged_variant(ALPHA).diagnosis
    assert diagnosis is not None
    first = diagnosis.causes[0]
    assert (first.kind, first.what, first.exact) == (
        "operator",
        "uses w_max where the specification uses cwnd_prior",
        True,
    )
    assert ALPHA.rule in first.clauses


def test_unknown_cause_lists_event_quantities() -> None:
    """A window that rises in recovery matches no edit of the model: the cause lists the quantities of the event."""
    diagnosis = judged_variant(next(variant for variant in variants() if variant.id == "rises-in-recovery")).diagnosis
    assert diagnosis is not None
    assert any(
        note.startswith("used at event 2: ") and "cwnd_bytes 6000" in note for note in diagnosis.causes[-1].notes
    )


def test_search_restores_model_code() -> None:
    """Candidates change a copy of the model; afterwards the copy has its original code again."""
    failing, passing = judged(Variant(candidate("avoidance-two-datagrams")), "slow-start", "rfc-9002")
    search = Search(failing, passing, None, Budget())
    assert search.exact()
    case = next(case for case in every_case() if case.vector.algorithm == "slow-start")
    assert answered(case, Variant()).first is None
    assert answered(case, search._bench.right).first is None


def test_unknown_cause_reports_spent_budget() -> None:
    """A spent budget is reported in the block of the unknown cause."""
    search = Search(*judged(Variant(candidate("avoidance-two-datagrams")), "slow-start", "rfc-9002"), None, Budget(1))
    assert search.exact() == []
    assert search.budget.is_spent


@pytest.mark.parametrize("events", [0, 5_000])
def test_causes_report_spent_budget(events: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every search has the same budget; causes note its end, in JSON too, and an unknown cause still has rules."""
    budgets = [Budget(RESERVE + events) for _ in range(2)]
    causes_by_run = []
    for budget in budgets:
        monkeypatch.setattr(Budget, "of", classmethod(lambda _cls, _algorithm, budget=budget: budget))
        report = judged_variant(next(variant for variant in variants() if variant.id == "rises-in-recovery"))
        assert report.diagnosis is not None
        causes_by_run.append(report.diagnosis.causes)
    assert any("stopped at its limit" in note for cause in causes_by_run[0] for note in cause.notes)
    assert all(cause.clauses for cause in causes_by_run[0])
    assert causes_by_run[0] == causes_by_run[1] and budgets[0] == budgets[1] and budgets[0].is_spent
    document = json.loads(json_document.text(json_document.to_json([report], [], 0, strict=False)))
    assert schema_error("urn:firstflight:report:1", document) is None
    notes = [note for cause in document["adapters"][0]["diagnosis"] for note in cause.get("notes", ())]
    assert notes == [note for cause in causes_by_run[1] for note in cause.notes]


def test_endless_candidate_is_stopped() -> None:
    with pytest.raises(ArithmeticError, match="too much time"), limited():
        while True:
            pass


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_time_limit_applies_in_finalizers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time limit also applies in the finalizer of an object, where Python ignores exceptions."""
    monkeypatch.setattr(bench, "_SECONDS", 0.1)

    class Freed:
        def __del__(self) -> None:
            end = process_time() + 10
            while process_time() < end:
                pass

    begin = process_time()
    with pytest.raises(ArithmeticError, match="too much time"), limited():
        Freed()
        while True:
            pass
    assert process_time() - begin < 5


def test_model_copy_answers_computations() -> None:
    """Computations have answers in the copy of the model that operators change."""
    cases = every_computation()[::40]
    assert all(Bench(None).right.compute(case.profile, case.inputs) == case.expectation.expect for case in cases)


def test_edit_without_change_is_not_a_candidate() -> None:
    bench = Bench(None)
    assert bench.variant() is None


def test_shown_case_is_explained_by_cause() -> None:
    failing, passing = judged(Variant(candidate("avoidance-two-datagrams")), "slow-start", "rfc-9002")
    for cause in diagnose(failing, passing).causes:
        assert cause.decision.case_id == cause.cases[0]
        assert cause.divergence is not None and cause.decision.event_index is not None
        assert cause.decision.event_index <= (cause.divergence.event_index or 0)
