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
            raise NotBuiltError(next((one.reason for one in report.results), "the adapter does not answer"))
        for profile, of in counts(report.results).items():
            click.echo(f"{manifest.name} {profile}: {of['pass']} of {of['pass'] + of['fail']} cases pass")
        lines = [*differences(report)]
        for line in lines or ["no difference from the pinned release"]:
            click.echo(f"{manifest.name}: {line}")
        if any(one.verdict is Verdict.ERRORED for one in report.results):
            code = ExitCode.FAULT
    return code


def differences(report: AdapterReport) -> Iterator[str]:
    """Yield a line for each deviation that is gone, new or shows otherwise than recorded, with its cases."""
    found: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in report.results:
        if result.conforms:
            continue
        if result.verdict is Verdict.FAIL and result.explained_by is None:
            found["new", f"cause {result.cause or 'unknown'}"].append(result)
        elif result.change is not None and result.verdict is not Verdict.ERRORED:
            told = result.explained_by or _recorded(report, result)
            kind = "gone" if result.verdict is Verdict.PASS else "changed"
            found[kind, _title(told)].append(result)
        elif result.verdict is Verdict.ERRORED:
            found["errored", result.reason].append(result)
    for (kind, title), results in sorted(found.items(), key=lambda one: one[0]):
        first = results[0]
        place = f"event {first.divergence.event_index}" if first.divergence else first.reason
        count = f"{len(results)} case{'s' if len(results) > 1 else ''}"
        yield f"{kind}: {title}: {count}, such as {first.case_id}: {first.change or place}"


def _recorded(report: AdapterReport, result: Result) -> Deviation | None:
    """Return the deviation of the manifest that has the case."""
    return next((one for one in report.manifest.deviations if one.matches(result.case_id)), None)


def _title(told: Deviation | None) -> str:
    if told is None:
        return "without an explanation"
    return f"{told.id}, {told.summary}" if told.id else f"{told.kind}, {told.explanation[:120]}"
