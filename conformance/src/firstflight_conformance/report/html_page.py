"""The report as one self-contained HTML file: verdict, table, causes with plots, and folded lists of cases."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, Template

from firstflight_conformance.format.clauses import known_clauses
from firstflight_conformance.format.levels import level_of_clause
from firstflight_conformance.records.findings import Cause, Diagnosis
from firstflight_conformance.records.results import AdapterReport, ExitCode, Result, Verdict
from firstflight_conformance.report.causes import (
    choice_texts,
    clash_text,
    decision_lines,
    difference_lines,
    how_sure,
    in_part_text,
    short_name,
)
from firstflight_conformance.report.curve import svg
from firstflight_conformance.report.not_judged import not_judged, other_losses
from firstflight_conformance.report.play import play_link
from firstflight_conformance.version import __version__

#: Columns of the table: statuses of results with signs that do not depend on colour.
STATUSES = {
    "pass": "✓",
    "choice": "○",
    "undecided": "?",
    "explained": "◐",
    "fail": "✗",
    "changed": "≠",
    "unsupported": "-",
    "errored": "!",
}
_VERDICTS = {
    ExitCode.OK: ("✓", "good", "conforms"),
    ExitCode.DIVERGENCE: ("✗", "bad", "diverges"),
    ExitCode.FAULT: ("!", "bad", "adapter fault"),
    ExitCode.NOTHING_RUN: ("-", "none", "nothing was judged"),
}
_NOT_GREEN = ("-", "some", "conforms as far as it was judged; not green")
_UNDECIDED = ("?", "some", "undecided: the step budget ended before a verdict")
_EXPLAINED = ("◐", "some", "diverges as explained")


@dataclass(frozen=True, slots=True)
class ResultGroup:
    """Results with the same status and text."""

    status: str
    says: str
    results: tuple[Result, ...]

    @property
    def log(self) -> tuple[str, ...]:
        """The last log lines of the first result."""
        return self.results[0].log


def text(reports: list[AdapterReport], code: int, *, strict: bool, site: str | None = None) -> str:
    """Return the report as HTML. ``site``: address of a built site, for links to the page that plays vectors."""
    judged = [report for report in reports if report.manifest.role != "null"]
    return _template().render(
        verdict=verdict(judged, code),
        headline=_headline(judged),
        strict=strict,
        statuses=STATUSES,
        columns=[status for status in STATUSES if status in ("pass", "fail") or any(r.counts[status] for r in judged)],
        reports=[_adapter(report, site) for report in judged],
        null=[(short_name(r), *r.rules_passed) for r in reports if r.manifest.role == "null" and r.rules_passed],
        version=__version__,
    )


@cache
def _template() -> Template:
    loader = PackageLoader("firstflight_conformance.report", "")
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.get_template("report.html.jinja")


def verdict(reports: list[AdapterReport], code: int) -> tuple[str, str, str]:
    """Return sign, CSS class and text of the verdict on a run. ``code``: its exit code.

    Code 0 means "conforms", or "diverges as explained" if manifests explain deviations. Code 4 means a run without
    failures, but with gaps or without judged cases. Its verdict is "undecided" if a search ended early. With another
    gap, such as rules not exercised, it is "not green", otherwise "nothing was judged". Other codes have one verdict
    each.
    """
    if code == ExitCode.NOTHING_RUN and any(report.counts["undecided"] for report in reports):
        return _UNDECIDED
    if code == ExitCode.NOTHING_RUN and any(report.not_green for report in reports):
        return _NOT_GREEN
    explained = any(report.counts["explained"] for report in reports)
    return _EXPLAINED if code == ExitCode.OK and explained else _VERDICTS[code]


def _headline(reports: list[AdapterReport]) -> str:
    failing = sum(report.counts["fail"] for report in reports)
    passed, total = sum(report.passed for report in reports), sum(report.total for report in reports)
    refused = sum(len(report.refused) for report in reports)
    causes = sum(len(report.diagnosis.causes) for report in reports if report.diagnosis)
    adapters = f"{len(reports)} adapters" if len(reports) != 1 else "one adapter"
    line = f"{passed} of {total} cases of {adapters} passed, {refused} refused, {failing} failed"
    return f"{line}; {causes} cause{'s' if causes != 1 else ''} listed below" if causes else line


def _adapter(report: AdapterReport, site: str | None) -> dict[str, Any]:
    by_id = {result.case_id: result for result in report.results}
    return {
        "name": short_name(report),
        "title": short_name(report) if report.manifest.title == report.manifest.name else report.manifest.title,
        "version": report.declaration.version
        if report.declaration and report.declaration.version not in report.manifest.title
        else "",
        "skipped": report.skipped,
        "counts": report.counts,
        "causes": [_cause(report.diagnosis, cause, by_id[cause.cases[0]]) for cause in report.diagnosis.causes]
        if report.diagnosis
        else [],
        "choices": list(choice_texts(report.diagnosis.choices)) if report.diagnosis else [],
        "not_exercised": report.not_exercised,
        "not_green": report.not_green,
        "clashes": [(r.case_id, clash_text(r.clash)) for r in report.results if r.clash is not None],
        "open": [text for text in (not_judged(report).text(), other_losses(report)) if text],
        "in_part": in_part_text(report.diagnosis.exercised)
        if report.diagnosis and report.diagnosis.exercised.in_part
        else "",
        "groups": list(_groups(report)),
        "plays": {result.case_id: play_link(site, result, short_name(report)) for result in report.results},
        "disappeared": report.disappeared,
    }


def _cause(diagnosis: Diagnosis, cause: Cause, example: Result) -> dict[str, Any]:
    clauses = known_clauses()
    divergence = cause.divergence or example.divergence
    return {
        "cause": cause,
        "sure": how_sure(diagnosis, cause),
        "decision": [line.plain for line in decision_lines(cause.decision, divergence)],
        "seen": [*(line.plain for line in difference_lines(divergence)), *cause.notes]
        if divergence
        else [*cause.notes],
        "rules": [
            (name, " ".join(clauses[name].text.split()), level_of_clause(clauses[name]).value, clauses[name].source)
            for name in cause.clauses
            if name in clauses
        ],
        "plot": svg(cause.curve) if cause.curve is not None else None,
        "case": example.case_id,
    }


def _groups(report: AdapterReport) -> Iterator[ResultGroup]:
    """Yield groups of results with the same status and reason or explanation, errors and failures first."""
    groups: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in report.results:
        if not result.undeclared:
            groups[result.status, _says(result)].append(result)
    order = ("errored", "fail", "changed", "undecided", "choice", "explained", "unsupported", "pass")
    for (status, says), results in sorted(groups.items(), key=lambda group: order.index(group[0][0])):
        yield ResultGroup(status, says, tuple(results))


def _says(result: Result) -> str:
    """Return the text that results of a group on the page share, in addition to their status; empty for a pass.

    It is the explanation of a known deviation, the cause of a failure, or the reason for another verdict.
    """
    if result.explained_by is not None:
        return f"{result.explained_by.clause or result.explained_by.kind}: {result.explained_by.explanation}"
    if result.undecided:
        return "the step budget ended before a verdict"
    if result.verdict is Verdict.FAIL:
        return f"cause: {result.cause}" if result.cause else "no cause is known"
    return "" if result.verdict is Verdict.PASS else result.reason
