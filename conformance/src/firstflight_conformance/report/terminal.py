"""The report as text for terminals and logs."""

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from firstflight_conformance.adapters.declared import declared_otherwise
from firstflight_conformance.adapters.faults import FaultKind
from firstflight_conformance.format.clauses import Clause, all_clauses
from firstflight_conformance.format.timeline import observables_text
from firstflight_conformance.records.divergence import Divergence
from firstflight_conformance.records.results import AdapterReport, Result, Undeclared, Verdict
from firstflight_conformance.report.causes import (
    cause_lines,
    choice_texts,
    clash_text,
    difference_lines,
    in_part_text,
    rule_line,
    short_name,
)
from firstflight_conformance.report.explained import explained_lines, up_to_lines
from firstflight_conformance.report.fit import LINES, Blocks, Rank
from firstflight_conformance.report.not_judged import not_judged_lines, other_losses
from firstflight_conformance.report.tables import print_counts, print_loops

if TYPE_CHECKING:
    from firstflight_conformance.records.findings import Choice

FAILURES_SHOWN = 5
_WIDTH_MIN = 60
#: Lines of a table above its rows: title and column names.
_HEAD = 2
#: Minimum number of lines for details.
_LEAST = 12
_LOG_WIDTH = 120
#: Maximum number of listed rules that were not exercised.
_RULES_SHOWN = 12
#: Maximum number of listed undeclared algorithms and profiles.
_NAMES_SHOWN = 8


def console() -> Console:
    """Return the console for reports: at least 60 columns on a terminal; 120 columns and no styles elsewhere."""
    plain = Console(highlight=False, markup=False, emoji=False, file=sys.stdout)
    width = max(plain.width, _WIDTH_MIN) if plain.is_terminal else _LOG_WIDTH
    return Console(highlight=False, markup=False, emoji=False, file=sys.stdout, width=width)


def print_report(
    out: Console, reports: list[AdapterReport], case_count: int, *, all_failures: bool, lines: int | None
) -> None:
    """Print failures and their causes, then the table of results: the summary comes last, so that it stays visible.

    ``lines``: limit of lines, or None. The tables are never cut, and details get at least ``_LEAST`` lines.
    """
    judged = [report for report in reports if report.manifest.role != "null"]
    null = [report for report in reports if report.manifest.role == "null"]
    blocks = Blocks(out)
    clauses = all_clauses()
    for report in judged:
        _details(out, blocks, report, clauses, None if all_failures else FAILURES_SHOWN)
    for report in judged:
        _print_loops(out, blocks, report)
    for report in null:
        with blocks.block(Rank.ERROR):
            _print_groups(out, report, Verdict.ERRORED, "dim")
    tables = Blocks(out)
    with tables.block(Rank.FAILURE):
        out.print(f"\n{case_count} cases")
        if null:
            print_counts(out, null, "Null adapters: scores of doing nothing")
            for report in null:
                if passed := report.rules_passed:
                    out.print(Text(f"{short_name(report)}: {passed[0]} of {passed[1]} rules with a MUST exercised"))
        if judged:
            print_counts(out, judged, "Adapters")
            _print_headlines(out, judged)
            _print_gaps(out, judged)
    table = tables.fitted(None)
    for line in blocks.fitted(None if lines is None else max(lines - len(table), _LEAST)) + table:
        print(line, file=out.file)


def _print_headlines(out: Console, reports: Sequence[AdapterReport]) -> None:
    """Print per adapter the numbers of passed, refused and all cases, and the reasons why the run is not green.

    With several adapters, only those with refused cases or such a reason get a line.
    """
    for report in reports:
        if report.skipped is None and (len(reports) == 1 or report.refused or report.not_green):
            explained = f", {report.counts['explained']} deviate as explained" if report.counts["explained"] else ""
            text = f"{report.passed} of {report.total} cases passed{explained}, {len(report.refused)} refused"
            reasons = f"; not green: {'; '.join(report.not_green)}" if report.not_green else ""
            out.print(Text(f"{short_name(report)}: {text}{reasons}", "yellow" if reasons else ""))


def _print_gaps(out: Console, reports: Sequence[AdapterReport]) -> None:
    """Print, for groups of adapters, the observables, rules and profiles that were not judged.

    Then print, for each adapter, the passing closed-loop cases that lose more or fewer packets than the model.
    """
    for adapters, text in not_judged_lines(reports):
        whose = "" if len(adapters) == len(reports) else f"{', '.join(map(short_name, adapters))}: "
        out.print(Text(f"{whose}{text}", "yellow"))
    for report in reports:
        losses = other_losses(report)
        if losses:
            out.print(Text(f"{short_name(report)} {losses}", "yellow"))


def lines_left(printed: Sequence[int]) -> int:
    """Return the number of lines left for a report of at most LINES lines after printed tables.

    ``printed``: number of rows of each table, without the two lines of its head.
    """
    return LINES - sum(rows + _HEAD for rows in printed)


def _details(
    out: Console, blocks: Blocks, report: AdapterReport, clauses: dict[str, Clause], limit: int | None
) -> None:
    if report.skipped is not None:
        with blocks.block(Rank.SKIPPED):
            out.print(Text(f"\n{short_name(report)}: skipped: {report.skipped}", "yellow"))
        return
    with blocks.block(Rank.ERROR):
        _print_groups(out, report, Verdict.ERRORED, "red")
    with blocks.block(Rank.UNSUPPORTED):
        _print_groups(out, report, Verdict.UNSUPPORTED, "dim")
    for line in up_to_lines(report):
        with blocks.block(Rank.EXPLANATION):
            out.print(line)
    for title, lines in explained_lines(report):
        with blocks.block(Rank.EXPLANATION):
            out.print(title)
            for line in lines:
                _indent(out, line)
    with blocks.block(Rank.CHANGE):
        for deviation in report.disappeared:
            text = f"disappeared: {deviation.case} ({deviation.clause}): no case shows it any more"
            out.print(Text(f"\n{short_name(report)}: {text}", "red"))
        _print_changes(out, report, limit)
    _causes(out, blocks, report, clauses)
    with blocks.block(Rank.CHOICE):
        _print_not_exercised(out, report)
        _print_undecided(out, report)
    with blocks.block(Rank.FAILURE):
        _print_clashes(out, report)
        _print_failures(out, report, clauses, limit)


def _print_failures(out: Console, report: AdapterReport, clauses: dict[str, Clause], limit: int | None) -> None:
    failures = [result for result in report.results if result.status == "fail"]
    printed = failures if limit is None else [result for result in failures if result.cause is None][:limit]
    for result in printed:
        _print_failure(out, short_name(report), result, clauses)
    if len(failures) > len(printed) and limit is not None:
        count = f"{len(failures)} failure{'s' if len(failures) > 1 else ''}"
        note = f"{count}; --all-failures shows each with its first divergence"
        out.print(f"\n{short_name(report)}: {note}")


def _causes(out: Console, blocks: Blocks, report: AdapterReport, clauses: dict[str, Clause]) -> None:
    """Print each cause with its shortest case. A cause with the same cases as an earlier one is not printed again."""
    if report.diagnosis is None:
        return
    if report.diagnosis.choices:
        with blocks.block(Rank.CHOICE):
            _print_choices(out, report, report.diagnosis.choices)
    done: set[tuple[str, ...]] = set()
    by_id = {result.case_id: result for result in report.results}
    for cause in report.diagnosis.causes:
        if cause.cases in done:
            continue
        done.add(cause.cases)
        shortest = by_id[cause.cases[0]]
        with blocks.block(Rank.FAILURE):
            out.print(Text(f"\n{short_name(report)}: fail: {shortest.case_id}", "bold red"))
            for line in cause_lines(report.diagnosis, cause, shortest, clauses):
                _indent(out, line)


def _print_choices(out: Console, report: AdapterReport, choices: Sequence["Choice"]) -> None:
    """Print the choices of the adapter at open points, if a case conforms by them."""
    conforming = sum(result.conforms for result in report.results)
    if not conforming:
        return
    cases = f"{conforming} case{'s' if conforming != 1 else ''}"
    out.print(Text(f"\n{short_name(report)}: {cases} with other choices, which conform:", "bold yellow"))
    for line in choice_texts(choices):
        _indent(out, Text(line))
    if report.diagnosis is not None and report.diagnosis.exercised.in_part:
        _indent(out, Text(in_part_text(report.diagnosis.exercised), "dim"))


def _print_not_exercised(out: Console, report: AdapterReport) -> None:
    if report.not_exercised:
        names = report.not_exercised
        more = f" and {len(names) - _RULES_SHOWN} more" if len(names) > _RULES_SHOWN else ""
        out.print(
            Text(f"\n{short_name(report)}: not exercised: {', '.join(names[:_RULES_SHOWN])}{more}", "bold yellow")
        )
        _indent(out, Text("No judged event exercises these rules."))


def _print_undecided(out: Console, report: AdapterReport) -> None:
    cases = [result.case_id for result in report.results if result.undecided]
    if cases:
        out.print(Text(f"\n{short_name(report)}: undecided: {', '.join(cases)}", "bold yellow"))
        _indent(out, Text("The step budget of a case ended before its choices were found."))


def _print_clashes(out: Console, report: AdapterReport) -> None:
    for result in report.results:
        if result.clash is not None:
            out.print(Text(f"\n{short_name(report)}: {result.case_id}: {clash_text(result.clash)}", "bold red"))


def _print_groups(out: Console, report: AdapterReport, verdict: Verdict, style: str) -> None:
    groups: dict[str, list[Result]] = defaultdict(list)
    undeclared: list[str] = []
    for result in report.results:
        if isinstance(result.unsupported, Undeclared) and verdict is Verdict.UNSUPPORTED:
            undeclared.append(result.unsupported.name)
        elif result.verdict is verdict:
            groups[_kind_of(result)].append(result)
    if undeclared:
        names = list(dict.fromkeys(undeclared))
        more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
        text = f"{len(undeclared)} cases: does not declare {', '.join(names[:_NAMES_SHOWN])}{more}"
        out.print(Text(f"\n{short_name(report)}: {verdict.value}: {text}", style))
        for line in declared_otherwise(report.declaration):
            _indent(out, Text(line, "bold yellow"))
    logged: set[tuple[str, ...]] = {()}
    for results in groups.values():
        more_cases = f" and {len(results) - 1} more" if len(results) > 1 else ""
        out.print(Text(f"\n{short_name(report)}: {verdict.value}: {results[0].case_id}{more_cases}", style))
        _indent(out, Text(results[0].reason))
        log = results[0].log
        if log not in logged:
            _indent(out, Text("\n".join(["end of the log:", *log]), "dim"))
        logged.add(log)


def _kind_of(result: Result) -> str:
    """Return the group of a result: "not JSON" if the adapter sent a message that is not a valid JSON object.

    For other results, the group is the reason of the result with each number replaced by "#".
    """
    return "not JSON" if result.fault is FaultKind.NOT_JSON else re.sub(r"\d+(?:\.\d+)?", "#", result.reason)


def _print_changes(out: Console, report: AdapterReport, limit: int | None) -> None:
    changed = [result for result in report.results if result.status == "changed"]
    for result in changed[:limit]:
        out.print(Text(f"\n{short_name(report)}: changed: {result.case_id}", "bold red"))
        _indent(out, Text(str(result.change)))
    if limit is not None and len(changed) > limit:
        out.print(
            f"\n{short_name(report)}: {len(changed) - limit} more changes are not shown; --all-failures shows them"
        )
    if changed:
        hint = f"firstflight run --both --record --adapter {report.manifest.name}"
        out.print(f"\n{short_name(report)}: if these changes are correct, record them: {hint}")


def _print_loops(out: Console, blocks: Blocks, report: AdapterReport) -> None:
    """Print the closed-loop results of an adapter. Passes of a reference adapter are omitted: they equal the model."""
    results = [
        result
        for result in report.results
        if result.loop is not None and (report.manifest.role != "reference" or result.verdict is not Verdict.PASS)
    ]
    if results:
        with blocks.rows(Rank.LOOP) as begins:
            begins.extend(print_loops(out, results, short_name(report)))


def _print_failure(out: Console, adapter: str, result: Result, clauses: dict[str, Clause]) -> None:
    out.print(Text(f"\n{adapter}: fail: {result.case_id}", "bold red"))
    if result.divergence is not None:
        for line in _divergence_lines(result.divergence, clauses):
            _indent(out, line)
    if result.about:
        _indent(out, Text(f"the vector: {result.about}", "dim"))
    if result.change is not None:
        _indent(out, Text(result.change, "dim"))


def _divergence_lines(divergence: Divergence, clauses: dict[str, Clause]) -> Iterable[Text]:
    from firstflight_conformance.format.profile_rules import by_weight  # few runs need it

    yield from difference_lines(divergence)
    for clause in by_weight(divergence.clauses):
        yield rule_line(clauses[clause]) if clause in clauses else Text(f"[{clause}]", "cyan")
    yield Text(f"the model: {observables_text(divergence.expected)}", "dim")


def _indent(out: Console, text: Text) -> None:
    out.print(Padding(text, (0, 0, 0, 2), expand=False))
