"""Finds the rules and algorithms that a run without failures did not show."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.compare.answers import failed
from firstflight_conformance.compare.base import acts, base_of, conforms_as_base
from firstflight_conformance.compare.rules import Seen, missing
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.records.findings import Choice
from firstflight_conformance.records.results import AdapterReport, Unseen, Verdict
from firstflight_conformance.simulate.cases import AnyCase

#: Results that make a run failed.
_WRONG = ("fail", "changed", "errored")


def with_unseen(judged: AdapterReport, diagnosed: AdapterReport, cases: Mapping[str, AnyCase]) -> AdapterReport:
    """Return the diagnosed report with the rules that no judged event exercised, and the profiles that no case shows.

    A profile (one version of an algorithm) is shown if some answers differ from its base controller. The report is
    unchanged for a failed run and for a null adapter, which contains no congestion control. ``judged``: the report
    before the diagnosis, with the answers to cases that conform by permitted choices other than the model's.
    """
    declaration = diagnosed.declaration
    wrong = any(diagnosed.counts[status] for status in _WRONG)
    if declaration is None or wrong or diagnosed.manifest.role == "null":
        return diagnosed
    rules: list[str] = []
    idle: list[str] = []
    for (algorithm, profile), case_results in _by_profile(judged, diagnosed, cases, declaration).items():
        rules += missing(case_results, _choices(diagnosed, case_results), declaration)
        if not _is_shown(case_results, declaration):
            idle.append(f"{algorithm}/{profile}")
    return replace(diagnosed, unseen=Unseen(tuple(dict.fromkeys(rules)), tuple(idle)))


def _by_profile(
    judged: AdapterReport, diagnosed: AdapterReport, cases: Mapping[str, AnyCase], declaration: Declaration
) -> dict[tuple[str, str], list[Seen]]:
    """Return the results of ``diagnosed`` by algorithm and profile, without undeclared profiles.

    Each item contains a result and its case. If the case conforms by permitted choices other than the model's, the item
    also contains its answers. They come from the same case in ``judged``, the report before the diagnosis.
    """
    results_by_profile: dict[tuple[str, str], list[Seen]] = defaultdict(list)
    for before, result in zip(judged.results, diagnosed.results, strict=True):
        if not result.undeclared:
            case = cases[result.case_id]
            subject = failed(before, case, declaration) if result.conforms else None
            results_by_profile[case.vector.algorithm, case.profile].append(Seen(result, case, subject))
    return results_by_profile


def _choices(report: AdapterReport, case_results: Sequence[Seen]) -> list[Choice]:
    """Return the permitted choices of the implementation that apply to a profile.

    ``case_results``: the results of the profile. A choice applies if it lists one of their cases, or no cases at all.
    """
    names = {case_result.result.case_id for case_result in case_results}
    choices = report.diagnosis.choices if report.diagnosis is not None else ()
    return [choice for choice in choices if not choice.cases or not names.isdisjoint(choice.cases)]


def _is_shown(case_results: Sequence[Seen], declaration: Declaration) -> bool:
    """Return whether the results of a profile show its algorithm.

    ``case_results``: all results of the profile. They show the algorithm if the base controller would give other
    answers to a case, or if the manifest of the adapter explains a deviation. Without a base controller, any passed or
    conforming case does.
    """
    if any(case_result.result.explained_by is not None for case_result in case_results):
        return True
    judged = [
        case_result
        for case_result in case_results
        if case_result.result.verdict is Verdict.PASS or case_result.result.conforms
    ]
    if base_of(case_results[0].case.vector.algorithm, case_results[0].case.profile) is None:
        return bool(judged)
    return any(_shows(judged, declaration))


def _shows(judged: Sequence[Seen], declaration: Declaration) -> Iterator[bool]:
    """Yield for each case whether it shows the algorithm: the base controller alone would give other answers.

    Passed cases come first, since their answers equal the model's. A conforming case shows the algorithm if the base
    cannot give its answers by any permitted choice. Passed computations are skipped.
    """
    for case_result in judged:
        if case_result.subject is None and not isinstance(case_result.case, ComputationCase):
            yield acts(case_result.case, declaration)
    for case_result in judged:
        if case_result.subject is not None:
            yield not conforms_as_base(case_result.subject)
