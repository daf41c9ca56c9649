"""Detects state shared between cases: a case fails after other cases but passes alone, in a fresh process."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from firstflight_conformance.records.findings import UNKNOWN, Cause, Diagnosis
from firstflight_conformance.records.results import AdapterReport, Result, Verdict
from firstflight_conformance.run.judge import judge
from firstflight_conformance.run.session import AnyScript, RunOptions

#: Name of the cause.
KEPT = "state kept from an earlier case"
_WHAT = "These cases pass alone, in a fresh process. Look for static or global variables, or data not reset by `start`."
#: Maximum number of replayed failures, each in a separate process.
_REPLAYED = 12


def with_kept_state(report: AdapterReport, scripts: Mapping[str, AnyScript], options: RunOptions) -> AdapterReport:
    """Return the report, corrected if an adapter keeps state from earlier cases.

    A cause of failures is refuted if its first (shortest) case passes alone, in a fresh process of the adapter. Without
    a refuted cause, return the report unchanged. Otherwise replay up to 12 cases of the refuted causes. The cases that
    pass get the cause "state kept from an earlier case", first in the diagnosis; the others get an unknown cause.
    """
    diagnosis = report.diagnosis
    if diagnosis is None:
        return report
    alone = _Alone(report, scripts, options)
    refuted = [cause for cause in diagnosis.causes if alone.passes(cause.cases[0])]
    if not refuted:
        return report
    refuted.sort(key=lambda cause: cause.kind != "rule")
    suspects = [case for cause in refuted for case in cause.cases]
    state_cases = [case for case in suspects[:_REPLAYED] if alone.passes(case)]
    causes = tuple(_causes(diagnosis, refuted, state_cases))
    return replace(
        report,
        diagnosis=replace(diagnosis, causes=causes),
        results=tuple(_renamed(result, causes, suspects) for result in report.results),
    )


class _Alone:
    """Judges cases one by one, each once and in a fresh process of the adapter."""

    def __init__(self, report: AdapterReport, scripts: Mapping[str, AnyScript], options: RunOptions) -> None:
        self._report, self._scripts, self._options = report, scripts, options
        self._passed: dict[str, bool] = {}

    def passes(self, case: str) -> bool:
        """Return whether the case with this id passes in a fresh process of the adapter."""
        if case not in self._passed:
            results = judge(self._report.manifest, [self._scripts[case]], self._options).results
            self._passed[case] = bool(results) and results[0].verdict is Verdict.PASS
        return self._passed[case]


def _causes(diagnosis: Diagnosis, refuted: Sequence[Cause], state_cases: Sequence[str]) -> Iterator[Cause]:
    """Yield the causes of the corrected diagnosis.

    First comes the cause "state kept from an earlier case", for ``state_cases``, which pass alone in a fresh process.
    Then come the causes of ``diagnosis`` that are not in ``refuted``. Last comes an unknown cause for the other cases
    of refuted causes, if any.
    """
    first = next(cause for cause in refuted if cause.cases[0] in state_cases)
    yield replace(first, cause=KEPT, kind="state", what=_WHAT, clauses=(), cases=tuple(state_cases))
    yield from (cause for cause in diagnosis.causes if cause not in refuted)
    rest = tuple(case for cause in refuted for case in cause.cases if case not in state_cases)
    if rest:
        yield replace(refuted[0], cause=UNKNOWN, kind="rule", what="no known cause", cases=rest)


def _renamed(result: Result, causes: Sequence[Cause], suspects: Sequence[str]) -> Result:
    if result.case_id not in suspects:
        return result
    return replace(result, cause=next(cause.cause for cause in causes if result.case_id in cause.cases))
