"""Judges adapters case by case."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from firstflight.events import PersistentCongestion
from firstflight_conformance.adapters.compute import ComputationScript
from firstflight_conformance.adapters.conversation import Answers
from firstflight_conformance.adapters.faults import ConversationError, FaultKind
from firstflight_conformance.adapters.manifest import Deviation, Manifest
from firstflight_conformance.adapters.messages import (
    OPTIONAL_MEMBERS,
    PROTOCOL,
    PROTOCOLS,
    Declaration,
    names_of_protocol_2,
)
from firstflight_conformance.adapters.script import Script
from firstflight_conformance.compare.outputs import compare_outputs
from firstflight_conformance.compare.values import (
    agrees,
    avoids,
    compare,
    datagram_sizes_bytes,
    fits_float64,
    slack_bytes,
)
from firstflight_conformance.format.given import FLAGS
from firstflight_conformance.format.timeline import value_text
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.records import record_file
from firstflight_conformance.records.divergence import Divergence
from firstflight_conformance.records.record_file import Record
from firstflight_conformance.records.results import (
    AdapterReport,
    Growth,
    RecordedAnswers,
    Refused,
    Result,
    Undeclared,
    Verdict,
)
from firstflight_conformance.run.closed_loop import LoopAnswers
from firstflight_conformance.run.session import AnyScript, RunOptions, Session
from firstflight_conformance.run.up_to import ends_at_reduction, is_reduction
from firstflight_conformance.simulate.cases import AnyCase, StimulusCase, StimulusScript

#: Units of time from coarse to fine. A clock supports cases of its own and of coarser granularity.
_UNITS = ("s", "ms", "us", "ns")


def judge(
    manifest: Manifest,
    scripts: Sequence[AnyScript],
    options: RunOptions,
    on_result: Callable[[], None] = lambda: None,
    recorded: Record | None = None,
) -> AdapterReport:
    """Judge the adapter on the cases; call ``on_result`` after each, and compare the results with ``recorded`` ones."""
    (report,) = judge_together([AdapterJudge(manifest, options, recorded)], scripts, lambda _: on_result())
    return report


class AdapterJudge:
    """Judges one adapter case by case."""

    def __init__(self, manifest: Manifest, options: RunOptions, recorded: Record | None = None) -> None:
        """Create the judge without starting the adapter. ``recorded``: earlier results to compare with, or None."""
        self.skipped = manifest.missing()
        self._manifest, self._recorded = manifest, recorded
        self._session = Session(manifest, options)
        self._judged: list[Result] = []
        self._last: tuple[int, AnyCase] | None = None  # index of the result, and case, of the last played case

    def judge(self, script: AnyScript) -> None:
        """Judge a case. The result is final once the next case has begun without unexpected output."""
        session = self._session
        result = _verdict_by_declaration(session, script)
        if result is None:
            assert session.declaration is not None
            began_s = time.monotonic()
            answers, left_over = session.play(script, session.declaration)
            if left_over is not None:
                self._charge(left_over)
            result, self._last = verdict_on(script, session.declaration, answers), (len(self._judged), script.case)
            result = replace(result, seconds=time.monotonic() - began_s)
        self._judged.append(result)

    def report(self) -> AdapterReport:
        """End the process of the adapter and return the report on its cases, or why it was skipped."""
        if self.skipped is not None:
            return AdapterReport(self._manifest, skipped=self.skipped)
        fault = self._session.finish()
        if fault is not None:
            self._charge(fault)
        deviations = self._manifest.deviations
        explained = (_with_reason(_explain(result, deviations), self._manifest) for result in self._judged)
        results = tuple(_hold(result, self._recorded) for result in explained)
        return AdapterReport(self._manifest, None, self._session.declaration, results, disappeared(deviations, results))

    def stop(self) -> None:
        """Kill the process of the adapter, if it runs."""
        self._session.stop()

    def _charge(self, fault: ConversationError) -> None:
        """Assign a fault found after a case to the last played case."""
        if self._last is not None:
            place, case = self._last
            self._judged[place] = _errored(case, fault)


def judge_together(
    adapters: Sequence[AdapterJudge], scripts: Sequence[AnyScript], on_result: Callable[[int], None]
) -> list[AdapterReport]:
    """Judge several adapters case by case, so that they share the model's runs and equal answers.

    Call ``on_result`` with the index of the adapter after each case.
    """
    try:
        for script in scripts:
            for place, adapter in enumerate(adapters):
                if adapter.skipped is None:
                    adapter.judge(script)
                    on_result(place)
        return [adapter.report() for adapter in adapters]
    finally:
        for adapter in adapters:
            adapter.stop()


def killed(manifest: Manifest, scripts: Sequence[AnyScript]) -> AdapterReport:
    """Return the report on an adapter whose judging process was killed while nothing else ran."""
    reason = "the judging process was killed: by the adapter, or by the kernel for lack of memory"
    fault = ConversationError(FaultKind.JUDGE_KILLED, reason)
    return AdapterReport(manifest, None, None, tuple(_errored(script.case, fault) for script in scripts))


def _verdict_by_declaration(session: Session, script: AnyScript) -> Result | None:
    """Return the verdict on a case without asking the adapter, or ``None`` if it must be asked."""
    declaration = session.declared()
    if declaration is None or session.unusable is not None:
        return _errored(script.case, session.unusable)
    ruled_out = _ruled_out(script.case, declaration)
    return None if ruled_out is None else _unsupported(script.case, ruled_out)


def _errored(case: AnyCase, fault: ConversationError | None) -> Result:
    assert fault is not None
    return Result(case.id, Verdict.ERRORED, fault.reason, fault=fault.kind, log=fault.log)


def _unsupported(case: AnyCase, why: Undeclared | Refused) -> Result:
    return Result(case.id, Verdict.UNSUPPORTED, why.reason, unsupported=why)


@cache
def _undeclared(kind: str, name: str) -> Undeclared:
    return Undeclared(kind, name, f"does not declare the {kind} {name}")


def _ruled_out(case: AnyCase, declaration: Declaration) -> Undeclared | Refused | None:
    """Return the reason why the declaration of the adapter excludes the case, or ``None``."""
    algorithm = case.vector.algorithm
    if algorithm not in declaration.algorithms:
        return _undeclared("algorithm", algorithm)
    if case.profile not in declaration.algorithms[algorithm]:
        return _undeclared("profile", f"{algorithm}/{case.profile}")
    if isinstance(case, Case) and (exclusion := _later_protocol(case, declaration)) is not None:
        return exclusion
    if isinstance(case, Case) and _UNITS.index(case.vector.granularity) > _UNITS.index(declaration.clock):
        reason = f"computes in {declaration.clock}, the case needs {case.vector.granularity}"
        return Refused(reason, f"declares the clock {declaration.clock}")
    if isinstance(case, Case):
        return _without_event(case, declaration) or _only_stated(case, declaration)
    return None


def _later_protocol(case: Case, declaration: Declaration) -> Undeclared | None:
    """Return the reason if an event of the case does not exist in the declared protocol, or ``None``."""
    if declaration.protocol > PROTOCOL:
        return None
    later = names_of_protocol_2(case.vector.algorithm)
    events = case.vector.raw_events[: case.expectation.judged_events]
    name = next((name for event in events for name in (event["ev"], *event) if name in later), None)
    if name is None:
        return None
    reason = f"declares protocol {declaration.protocol}, but {name} belongs to protocol {PROTOCOLS[-1]}"
    return Undeclared("protocol", f"protocol {PROTOCOLS[-1]}", reason)


def _without_event(case: Case, declaration: Declaration) -> Refused | None:
    """Return the refusal for the first unsupported kind or optional member of an event in the case, or ``None``."""
    if not declaration.supports:
        return None
    events = case.vector.raw_events[: case.expectation.judged_events]
    names = (name for event in events for name in (event["ev"], *filter(event.__contains__, OPTIONAL_MEMBERS)))
    name = next((name for name in names if name not in declaration.supports), None)
    return None if name is None else _unsupported_event(name)


def _unsupported_event(name: str) -> Refused:
    return Refused(f"does not support the event {name}", f"declares no support of {name}", name)


def _only_stated(case: Case, declaration: Declaration) -> Refused | None:
    """Return the refusal of a case that prescribes an input that the stack computes itself, or ``None``.

    Such an input, for example ``app_limited``, does not follow from the events of the vector, so the stack may compute
    another value.
    """
    for name in declaration.works_out:
        if FLAGS[name] in case.vector.flags:
            reason = f"computes {name} itself; the vector only states it (flag {FLAGS[name]})"
            return Refused(reason, f"declares {name} in works_out")
    return None


def verdict_on(script: AnyScript, declaration: Declaration, answers: Answers) -> Result:
    """Return the verdict on the answers to a case, without trying alternatives at open points.

    An open point is a choice that the specification leaves to the implementer.
    """
    if isinstance(script, ComputationScript):
        return _verdict_on_computation(script, declaration, answers)
    if isinstance(script, StimulusScript):
        return _verdict_on_loop(script.case, declaration, answers)
    case, expected_after = script.case, script.case.expected()
    within_tolerance = avoiding = False
    judged_events: int | None = None
    sizes_bytes, allowed = _sizes_bytes(case), case.allowed()
    is_exact = len(answers.observed) == script.count and all(
        agrees(expected, observed, declaration)
        for expected, observed in zip(expected_after, answers.observed, strict=True)
    )
    compared = () if is_exact else zip(expected_after, answers.observed, strict=False)
    for index, (expected, observed) in enumerate(compared):
        if ends_at_reduction(case.vector.algorithm, declaration) and is_reduction(expected):
            judged_events = index
            break
        avoiding = avoiding or avoids(case, expected_after[index - 1] if index else None, expected)
        if _is_ahead(case, index, declaration):
            continue
        comparison = compare(expected, observed, declaration, sizes_bytes[index], allowed[index], avoiding=avoiding)
        if comparison.differences:
            # Events after a divergence are not judged, nor is a crash: the stream no longer fits the window.
            divergence = Divergence(
                index,
                case.vector.raw_events[index],
                comparison.differences,
                script.clauses_at(index),
                expected,
                fits_float64(comparison.differences, declaration, sizes_bytes[index], avoiding=avoiding),
            )
            return Result(
                case.id,
                Verdict.FAIL,
                _difference_text(divergence),
                divergence=divergence,
                growth=_growth(script, declaration, answers),
                recording=_recording(script, declaration, answers),
                about=f"{case.vector.title}. {case.vector.why}",
            )
        within_tolerance |= comparison.within_tolerance
    unfinished = _unfinished(case, answers)
    if unfinished is not None:
        return unfinished
    growth = _growth(script, declaration, answers)
    return Result(case.id, Verdict.PASS, within_tolerance=within_tolerance, growth=growth, judged_events=judged_events)


def _sizes_bytes(case: Case) -> list[int]:
    return datagram_sizes_bytes(case.vector.config["max_datagram_size_bytes"], case.events)


def _recording(script: Script, declaration: Declaration, answers: Answers) -> RecordedAnswers:
    """Return the judged answers, for the diagnosis."""
    end = len(answers.observed)
    if ends_at_reduction(script.case.vector.algorithm, declaration):
        expected = script.case.expected()[:end]
        end = next((index for index, step in enumerate(expected) if is_reduction(step)), end)
    return RecordedAnswers(script.case.events[:end], tuple(answers.observed[:end]))


def _is_ahead(case: Case, index: int, declaration: Declaration) -> bool:
    """Return whether the stack may act at event ``index`` on persistent congestion that the next event reports.

    True if the next event of the case is :class:`PersistentCongestion`, and the stack declares that it detects
    persistent congestion itself. The answer to event ``index`` is not compared then.
    """
    following = case.events[index + 1 : index + 2]
    stated = bool(following) and isinstance(following[0], PersistentCongestion)
    return stated and "persistent_congestion" in declaration.works_out


def _growth(script: Script, declaration: Declaration, answers: Answers) -> Growth:
    windows = [observed["cwnd_bytes"] for observed in answers.observed]
    slack = slack_bytes(declaration, max(_sizes_bytes(script.case)), max(windows, default=0))
    return Growth(script.growth_reduced(script.case.windows()), script.growth_reduced(windows, slack))


def _verdict_on_loop(case: StimulusCase, declaration: Declaration, answers: Answers) -> Result:
    loop, recording = (answers.loop, answers.recording) if isinstance(answers, LoopAnswers) else (None, None)
    if loop is not None and loop.divergence is not None:
        text = _difference_text(loop.divergence)
        return Result(case.id, Verdict.FAIL, text, divergence=loop.divergence, loop=loop, recording=recording)
    if answers.fault is None and answers.refused_event in declaration.without:
        return _unsupported(case, _unsupported_event(answers.refused_event))
    unfinished = _unfinished(case, answers)
    if unfinished is not None:
        return unfinished
    assert loop is not None
    return Result(
        case.id, Verdict.PASS, within_tolerance=loop.within_tolerance, loop=loop, judged_events=loop.judged_events
    )


def _unfinished(case: AnyCase, answers: Answers) -> Result | None:
    if answers.fault is not None:
        return _errored(case, answers.fault)
    if answers.unsupported is not None:
        return _unsupported(case, Refused(answers.unsupported))
    return None


def _verdict_on_computation(script: ComputationScript, declaration: Declaration, answers: Answers) -> Result:
    case = script.case
    unfinished = _unfinished(case, answers)
    if unfinished is not None:
        return unfinished
    comparison = compare_outputs(script.expected, answers.observed[0], declaration)
    if comparison.differences:
        clauses, expect = case.expectation.clauses, case.expectation.expect
        divergence = Divergence(None, case.inputs, comparison.differences, clauses, expect)
        recording = RecordedAnswers((), tuple(answers.observed))
        return Result(case.id, Verdict.FAIL, _difference_text(divergence), divergence=divergence, recording=recording)
    return Result(case.id, Verdict.PASS, within_tolerance=comparison.within_tolerance)


def _difference_text(divergence: Divergence) -> str:
    first = divergence.differences[0]
    place = "" if divergence.event_index is None else f"event {divergence.event_index}: "
    return f"{place}{first.observable}: expected {value_text(first.expected)}, observed {value_text(first.observed)}"


def _explain(result: Result, deviations: tuple[Deviation, ...]) -> Result:
    if result.divergence is None:
        return result
    clauses = result.divergence.clauses
    return replace(result, explained_by=next((d for d in deviations if d.explains(result.case_id, clauses)), None))


def _with_reason(result: Result, manifest: Manifest) -> Result:
    """Add the explanation of the manifest to a refusal, if any."""
    refused = result.unsupported
    if not isinstance(refused, Refused) or refused.why is not None:
        return result
    why = next((refusal.explanation for refusal in manifest.refusals if refusal.matches(refused.reason)), None)
    return replace(result, unsupported=replace(refused, why=why))


def _hold(result: Result, recorded: Record | None) -> Result:
    return result if recorded is None else replace(result, change=record_file.change(result, recorded))


def disappeared(deviations: tuple[Deviation, ...], results: tuple[Result, ...]) -> tuple[Deviation, ...]:
    """Return the known deviations of an adapter that its judged cases do not show any more.

    Such a deviation matches the id of at least one passed or failed case, but explains no failure. Deviations without a
    clause (kind ``other-version``, which match every case of a profile) are never returned. For their cases, the record
    of earlier results shows changes.
    """
    judged = [result for result in results if result.verdict in (Verdict.PASS, Verdict.FAIL)]

    def gone(deviation: Deviation) -> bool:
        covered = [result for result in judged if deviation.clause and deviation.matches(result.case_id)]
        return bool(covered) and all(result.explained_by != deviation for result in covered)

    return tuple(deviation for deviation in deviations if gone(deviation))
