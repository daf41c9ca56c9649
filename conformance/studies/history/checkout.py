"""Judges a checkout of a stack that the user has, such as a branch before a release, and compares it with the pinned release."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import click

from firstflight_conformance.adapters.manifest import Deviation
from firstflight_conformance.explain.diagnosis import diagnosed
from firstflight_conformance.paths import ADAPTERS
from firstflight_conformance.records import record_file
from firstflight_conformance.records.results import AdapterReport, ExitCode, Result, Verdict
from firstflight_conformance.run.judge import judge
from firstflight_conformance.run.session import RunOptions
from studies.history.build import from_checkout
from studies.history.judging import Suite, counts
from studies.history.registry import NotBuiltError
from studies.history.stacks import Stack


def judge_checkout(stack: Stack, source: Path) -> int:
    """Print counts and differences from the record of each adapter; return the exit code. Raise :class:`NotBuiltError`."""
    built, suite = from_checkout(stack, source), Suite()
    code = ExitCode.OK
    for manifest in built.manifests(stack):
        recorded = record_file.load(ADAPTERS / manifest.name / "record.json") if stack.adapters else None
        report = diagnosed(judge(manifest, suite.scripts, RunOptions(), recorded=recorded), suite.cases)
        if report.declaration is None:
            raise NotBuiltError(next((result.reason for result in report.results), "the adapter does not answer"))
        for profile, verdicts in counts(report.results).items():
            click.echo(
                f"{manifest.name} {profile}: {verdicts['pass']} of {verdicts['pass'] + verdicts['fail']} cases pass"
            )
        lines = [*differences(report)]
        for line in lines or ["no difference from the pinned release"]:
            click.echo(f"{manifest.name}: {line}")
        if any(result.verdict is Verdict.ERRORED for result in report.results):
            code = ExitCode.FAULT
    return code


def differences(report: AdapterReport) -> Iterator[str]:
    """Yield a line for each deviation that is gone, new or shows otherwise than recorded, with its cases."""
    groups: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in report.results:
        if result.conforms:
            continue
        if result.verdict is Verdict.FAIL and result.explained_by is None:
            groups["new", f"cause {result.cause or 'unknown'}"].append(result)
        elif result.change is not None and result.verdict is not Verdict.ERRORED:
            deviation = result.explained_by or _recorded(report, result)
            kind = "gone" if result.verdict is Verdict.PASS else "changed"
            groups[kind, _title(deviation)].append(result)
        elif result.verdict is Verdict.ERRORED:
            groups["errored", result.reason].append(result)
    for (kind, title), results in sorted(groups.items(), key=lambda group: group[0]):
        first = results[0]
        place = f"event {first.divergence.event_index}" if first.divergence else first.reason
        count = f"{len(results)} case{'s' if len(results) > 1 else ''}"
        yield f"{kind}: {title}: {count}, such as {first.case_id}: {first.change or place}"


def _recorded(report: AdapterReport, result: Result) -> Deviation | None:
    """Return the deviation of the manifest that has the case."""
    return next((deviation for deviation in report.manifest.deviations if deviation.matches(result.case_id)), None)


def _title(deviation: Deviation | None) -> str:
    if deviation is None:
        return "without an explanation"
    return (
        f"{deviation.id}, {deviation.summary}" if deviation.id else f"{deviation.kind}, {deviation.explanation[:120]}"
    )
