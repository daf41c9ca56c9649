"""The report for reading, on a terminal or in a log."""

import sys
from collections import defaultdict
from collections.abc import Iterable

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from firstflight_conformance.cases.timeline import milliseconds, observables_text
from firstflight_conformance.cases.wire import decode_int
from firstflight_conformance.run.report_causes import cause_lines, rule_line, seen, short_name
from firstflight_conformance.run.results import (
    UNDECLARED,
    AdapterReport,
    ClosedLoop,
    Divergence,
    Moment,
    Result,
    Verdict,
)
from firstflight_conformance.run.stimulus import PREFIX
from firstflight_conformance.spec.clauses import Clause, all_clauses

FAILURES_SHOWN = 5
_WIDTH_MIN = 100
_LOG_WIDTH = 120
#: Algorithms and profiles that are named as not declared.
_NAMES_SHOWN = 8
_COLUMNS = ("pass", "tolerance", "fail", "choice", "explained", "changed", "unsupported", "errored")


def console() -> Console:
    """Return the console that reports are printed on: at least 100 columns, no styles where there is no terminal."""
    plain = Console(highlight=False, markup=False, emoji=False, file=sys.stdout)
    width = max(plain.width, _WIDTH_MIN) if plain.is_terminal else _LOG_WIDTH
    return Console(highlight=False, markup=False, emoji=False, file=sys.stdout, width=width)


def print_report(out: Console, reports: list[AdapterReport], case_count: int, *, all_failures: bool) -> None:
    """Print what failed and why, then the table of results: the last thing printed is the first that is read."""
    judged = [report for report in reports if report.manifest.role != "null"]
    null = [report for report in reports if report.manifest.role == "null"]
    clauses = all_clauses()
    for report in judged:
        _print_details(out, report, clauses, None if all_failures else FAILURES_SHOWN)
    for report in judged:
        _print_loops(out, report)
    for report in null:
        _print_groups(out, report, Verdict.ERRORED, "dim")
    out.print(f"\n{case_count} cases")
    if null:
        out.print(_table(null, "Null adapters: what doing nothing scores"))
    if judged:
        out.print(_table(judged, "Adapters"))


def print_table(out: Console, reports: list[AdapterReport]) -> None:
    """Print the table of some adapters, while others are still judged."""
    out.print(_table(reports, "References"))


def _table(reports: list[AdapterReport], title: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    for name in ("adapter", "version", "role"):
        table.add_column(name, overflow="fold")
    for name in _COLUMNS:
        table.add_column(name, justify="right")
    for report in reports:
        table.add_row(*_row(report))
    return table


def _row(report: AdapterReport) -> list[Text]:
    manifest, counts = report.manifest, report.counts
    version = report.declaration.version if report.declaration else "-"
    cells = [Text(short_name(report)), Text(version), Text(manifest.role)]
    if report.skipped is not None:
        return [*cells, Text("skipped", "yellow")]
    styles = {
        "fail": "red",
        "changed": "red",
        "errored": "red",
        "choice": "yellow",
        "explained": "yellow",
        "pass": "green",
    }
    keys = ("pass", "within_tolerance", *_COLUMNS[2:])
    return [*cells, *(Text(str(counts[key]), styles.get(key, "") if counts[key] else "dim") for key in keys)]


def _print_details(out: Console, report: AdapterReport, clauses: dict[str, Clause], limit: int | None) -> None:
    if report.skipped is not None:
        out.print(Text(f"\n{short_name(report)}: skipped: {report.skipped}", "yellow"))
        return
    _print_groups(out, report, Verdict.ERRORED, "red")
    _print_groups(out, report, Verdict.UNSUPPORTED, "dim")
    _print_explained(out, report)
    for deviation in report.disappeared:
        text = f"disappeared: {deviation.case} ({deviation.clause}): no case shows it any more"
        out.print(Text(f"\n{short_name(report)}: {text}", "red"))
    _print_changes(out, report, limit)
    _print_causes(out, report, clauses)
    failures = [result for result in report.results if result.status == "fail"]
    shown = failures if limit is None else [result for result in failures if result.cause is None][:limit]
    for result in shown:
        _print_failure(out, short_name(report), result, clauses)
    if len(failures) > len(shown) and limit is not None:
        out.print(
            f"\n{short_name(report)}: {len(failures)} failures; --all-failures shows each with its first divergence"
        )


def _print_causes(out: Console, report: AdapterReport, clauses: dict[str, Clause]) -> None:
    """Print each cause with the shortest case that it explains; one that no case tells from the one before is only named there."""
    if report.diagnosis is None:
        return
    done: set[tuple[str, ...]] = set()
    by_id = {result.case_id: result for result in report.results}
    for cause in report.diagnosis.causes:
        if cause.cases in done:
            continue
        done.add(cause.cases)
        shown = by_id[cause.cases[0]]
        kind, style = ("choice", "bold yellow") if cause.conforms else ("fail", "bold red")
        out.print(Text(f"\n{short_name(report)}: {kind}: {shown.case_id}", style))
        for line in cause_lines(report.diagnosis, cause, shown, clauses):
            _indent(out, line)


def _print_groups(out: Console, report: AdapterReport, verdict: Verdict, style: str) -> None:
    groups: dict[str, list[str]] = defaultdict(list)
    undeclared: list[str] = []
    for result in report.results:
        if result.undeclared and verdict is Verdict.UNSUPPORTED:
            undeclared.append(result.reason.rpartition(" ")[2])
        elif result.verdict is verdict:
            groups[result.reason].append(result.case_id)
    if undeclared:
        names = list(dict.fromkeys(undeclared))
        more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
        text = f"{len(undeclared)} cases: {UNDECLARED}{', '.join(names[:_NAMES_SHOWN])}{more}"
        out.print(Text(f"\n{short_name(report)}: {verdict.value}: {text}", style))
    for reason, case_ids in groups.items():
        others = f" and {len(case_ids) - 1} more" if len(case_ids) > 1 else ""
        out.print(Text(f"\n{short_name(report)}: {verdict.value}: {case_ids[0]}{others}", style))
        _indent(out, Text(reason))


def _print_explained(out: Console, report: AdapterReport) -> None:
    by_reason: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in report.results:
        if result.explained_by is not None:
            by_reason[result.explained_by.clause, result.explained_by.explanation].append(result)
    for (clause, explanation), results in by_reason.items():
        count = f"{len(results)} case{'s' if len(results) > 1 else ''}"
        out.print(Text(f"\n{short_name(report)}: explained deviation: {clause}, {count}", "yellow"))
        _indent(out, Text(explanation))
        _indent(out, Text(f"for example {results[0].case_id}: {results[0].reason}", "dim"))


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
        out.print(f"\n{short_name(report)}: if these changes are right, record them: {hint}")


def _print_loops(out: Console, report: AdapterReport) -> None:
    """Print what came of the closed loop; a reference that passes shows nothing new."""
    rows = [
        (result, result.loop)
        for result in report.results
        if result.loop is not None and (report.manifest.role != "reference" or result.verdict is not Verdict.PASS)
    ]
    if not rows:
        return
    title = f"{short_name(report)} in closed loop, and the model in its place (ms; a run begins at 1000)"
    table = Table(title=title, title_justify="left", title_style="bold")
    for name in ("case", "verdict", "diverges", "grows less", "the model", "lost", "the model"):
        table.add_column(name, overflow="fold", no_wrap=name == "case")
    for result, loop in rows:
        table.add_row(*_loop_cells(result, loop))
    out.print()
    out.print(table)


def _loop_cells(result: Result, loop: ClosedLoop) -> list[str]:
    divergence = result.divergence
    diverges = "-" if divergence is None else _place(divergence)
    lost = str(loop.stack.lost_packets) + ("" if loop.stack.end in ("complete", "stopped") else f", {loop.stack.end}")
    return [
        result.case_id.removeprefix(PREFIX),
        result.status,
        diverges,
        _moment(loop.stack.growth_reduced),
        _moment(loop.model.growth_reduced),
        lost,
        str(loop.model.lost_packets),
    ]


def _place(divergence: Divergence) -> str:
    return f"event {divergence.event_index}, {milliseconds(decode_int(divergence.event['t_ns']))}"


def _moment(moment: Moment | None) -> str:
    return "never" if moment is None else f"{milliseconds(moment.t_ns)}: {moment.cwnd_bytes} B"


def _print_failure(out: Console, adapter: str, result: Result, clauses: dict[str, Clause]) -> None:
    out.print(Text(f"\n{adapter}: fail: {result.case_id}", "bold red"))
    if result.divergence is not None:
        for line in _divergence_lines(result.divergence, clauses):
            _indent(out, line)
    if result.change is not None:
        _indent(out, Text(result.change, "dim"))


def _divergence_lines(divergence: Divergence, clauses: dict[str, Clause]) -> Iterable[Text]:
    yield from seen(divergence)
    for clause in divergence.clauses:
        yield rule_line(clauses[clause]) if clause in clauses else Text(f"[{clause}]", "cyan")
    yield Text(f"the model: {observables_text(divergence.expected)}", "dim")


def _indent(out: Console, text: Text) -> None:
    out.print(Padding(text, (0, 0, 0, 2), expand=False))
