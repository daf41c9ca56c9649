"""The report for reading, on a terminal or in a log."""

import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from firstflight_conformance.cases.timeline import milliseconds, observables_text
from firstflight_conformance.cases.wire import decode_int
from firstflight_conformance.run.report_causes import (
    cause_lines,
    choice_text,
    in_part_text,
    rule_line,
    seen,
    short_name,
)
from firstflight_conformance.run.report_explained import explained_lines, up_to_lines
from firstflight_conformance.run.report_fit import LINES, Blocks, Rank
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

if TYPE_CHECKING:
    from firstflight_conformance.diagnose.departures import Choice

FAILURES_SHOWN = 5
_WIDTH_MIN = 60
#: Below so many columns a table has no more than names and numbers.
_NARROW = 110
#: Lines of a table without a frame beside those of its rows: its title, and the names of the columns.
_HEAD = 2
#: Lines for details, however long the tables are.
_LEAST = 12
_LOG_WIDTH = 120
#: Algorithms and profiles that are named as not declared.
_NAMES_SHOWN = 8
_COLUMNS = ("pass", "tolerance", "fail", "choice", "explained", "changed", "unsupported", "errored")


def console() -> Console:
    """Return the console that reports are printed on: at least 60 columns, no styles where there is no terminal."""
    plain = Console(highlight=False, markup=False, emoji=False, file=sys.stdout)
    width = max(plain.width, _WIDTH_MIN) if plain.is_terminal else _LOG_WIDTH
    return Console(highlight=False, markup=False, emoji=False, file=sys.stdout, width=width)


def print_report(
    out: Console, reports: list[AdapterReport], case_count: int, *, all_failures: bool, lines: int | None
) -> None:
    """Print what failed and why, then the table of results: the last thing printed is the first that is read.

    All of it has at most so many ``lines``, if there is a bound and the tables alone have not more.
    """
    judged = [report for report in reports if report.manifest.role != "null"]
    null = [report for report in reports if report.manifest.role == "null"]
    blocks = Blocks(out)
    clauses = all_clauses()
    for report in judged:
        _details(out, blocks, report, clauses, None if all_failures else FAILURES_SHOWN)
    for report in judged:
        with blocks.block(Rank.LOOP):
            _print_loops(out, report)
    for report in null:
        with blocks.block(Rank.ERROR):
            _print_groups(out, report, Verdict.ERRORED, "dim")
    tables = Blocks(out)
    with tables.block(Rank.FAILURE):
        out.print(f"\n{case_count} cases")
        if null:
            out.print(_table(null, "Null adapters: what doing nothing scores", out.width))
        if judged:
            out.print(_table(judged, "Adapters", out.width))
    table = tables.fitted(None)
    for line in blocks.fitted(None if lines is None else max(lines - len(table), _LEAST)) + table:
        print(line, file=out.file)


def print_table(out: Console, reports: list[AdapterReport], title: str) -> None:
    """Print the table of some adapters, without a frame, while others are still judged."""
    table = _table(reports, title, out.width)
    table.box = None
    out.print(table)


def lines_left(printed: Sequence[int]) -> int:
    """Return how many lines a report may have after tables of so many adapters each were printed."""
    return LINES - sum(rows + _HEAD for rows in printed)


def _table(reports: list[AdapterReport], title: str, width: int) -> Table:
    """Return the table of results. A name is broken between words only; where there is little room only columns with a number stay."""
    table = Table(title=title, title_justify="left", title_style="bold")
    names = [short_name(report) for report in reports]
    longest = max(len(word) for name in names for word in name.split() or [""])
    table.add_column("adapter", overflow="fold", min_width=min(longest, width // 3))
    narrow = width < _NARROW
    if not narrow:
        table.add_column("version", overflow="fold")
        table.add_column("role", no_wrap=True)
    columns = [name for name in _COLUMNS if not narrow or name == "pass" or any(_count(r, name) for r in reports)]
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for report in reports:
        table.add_row(*_row(report, columns, narrow=narrow))
    return table


def _count(report: AdapterReport, column: str) -> int:
    return report.counts["within_tolerance" if column == "tolerance" else column]


def _row(report: AdapterReport, columns: list[str], *, narrow: bool) -> list[Text]:
    version = report.declaration.version if report.declaration else "-"
    cells = [Text(short_name(report))]
    if not narrow:
        cells += [Text(version), Text(report.manifest.role)]
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
    return [
        *cells,
        *(Text(str(_count(report, name)), styles.get(name, "") if _count(report, name) else "dim") for name in columns),
    ]


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
    with blocks.block(Rank.FAILURE):
        _print_failures(out, report, clauses, limit)


def _print_failures(out: Console, report: AdapterReport, clauses: dict[str, Clause], limit: int | None) -> None:
    failures = [result for result in report.results if result.status == "fail"]
    shown = failures if limit is None else [result for result in failures if result.cause is None][:limit]
    for result in shown:
        _print_failure(out, short_name(report), result, clauses)
    if len(failures) > len(shown) and limit is not None:
        note = f"{len(failures)} failures; --all-failures shows each with its first divergence"
        out.print(f"\n{short_name(report)}: {note}")


def _causes(out: Console, blocks: Blocks, report: AdapterReport, clauses: dict[str, Clause]) -> None:
    """Print each cause with the shortest case that it explains; one that no case tells from the one before is only named there."""
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
        shown = by_id[cause.cases[0]]
        with blocks.block(Rank.FAILURE):
            out.print(Text(f"\n{short_name(report)}: fail: {shown.case_id}", "bold red"))
            for line in cause_lines(report.diagnosis, cause, shown, clauses):
                _indent(out, line)


def _print_choices(out: Console, report: AdapterReport, choices: Sequence["Choice"]) -> None:
    """Print what the adapter chooses at points that its text leaves open; the same choice in several profiles once."""
    conforming = sum(result.conforms for result in report.results)
    cases = f"{conforming} case{'s' if conforming != 1 else ''}"
    out.print(Text(f"\n{short_name(report)}: {cases} of other choices, which conform:", "bold yellow"))
    for line in dict.fromkeys(map(choice_text, choices)):
        _indent(out, Text(line))
    if report.diagnosis is not None and report.diagnosis.exercised.in_part:
        _indent(out, Text(in_part_text(report.diagnosis.exercised), "dim"))
    if report.not_exercised:
        out.print(Text(f"\n{short_name(report)}: not exercised: {', '.join(report.not_exercised)}", "bold yellow"))
        _indent(out, Text("No judged event carries out these rules, which have a MUST; the closed loop may (--both)."))


def _print_groups(out: Console, report: AdapterReport, verdict: Verdict, style: str) -> None:
    groups: dict[str, list[Result]] = defaultdict(list)
    undeclared: list[str] = []
    for result in report.results:
        if result.undeclared and verdict is Verdict.UNSUPPORTED:
            undeclared.append(result.reason.rpartition(" ")[2])
        elif result.verdict is verdict:
            groups[result.reason].append(result)
    if undeclared:
        names = list(dict.fromkeys(undeclared))
        more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
        text = f"{len(undeclared)} cases: {UNDECLARED}{', '.join(names[:_NAMES_SHOWN])}{more}"
        out.print(Text(f"\n{short_name(report)}: {verdict.value}: {text}", style))
    logged: set[tuple[str, ...]] = {()}
    for reason, results in groups.items():
        others = f" and {len(results) - 1} more" if len(results) > 1 else ""
        out.print(Text(f"\n{short_name(report)}: {verdict.value}: {results[0].case_id}{others}", style))
        _indent(out, Text(reason))
        log = results[0].log
        if log not in logged:
            _indent(out, Text("\n".join(["the end of its log:", *log]), "dim"))
        logged.add(log)


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
