"""The rules that answers with other choices exercise."""

from diagnosis_support import answered
from every import every_case
from firstflight_conformance.compare import rules
from firstflight_conformance.compare.options import models_of
from firstflight_conformance.records.findings import Choice
from firstflight_conformance.records.results import Result, Verdict
from firstflight_conformance.replay.measure import ClauseTracer
from firstflight_conformance.replay.variant import Variant


def test_moved_lines_do_not_change_the_exercised_rules() -> None:
    """A choice that moves lines of the model does not move the rules that the answers exercise."""
    option = models_of("cubic", "rfc-9438").options["cubic-negative-k"]
    case = next(case for case in every_case() if case.id == "cubic.rounds.concave@rfc-9438")
    subject = answered(case, Variant(option.candidate))
    with ClauseTracer(Variant(option.candidate).texts) as tracer:
        for _ in subject.steps(Variant(option.candidate), subject.length):
            pass
    choice = Choice(option.point, option.id, option.candidate.what, (), (case.id,))
    failed_case = rules.Seen(Result(case.id, Verdict.FAIL), case, subject)
    assert rules._exercised(failed_case, [choice], subject.declaration) == tracer.clauses
