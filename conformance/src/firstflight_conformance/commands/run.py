"""``firstflight run``: judge adapters."""

import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click
from rich.console import Console

from firstflight_conformance.adapters.builds import Builds
from firstflight_conformance.adapters.compute import ComputationScript
from firstflight_conformance.adapters.manifest import Manifest
from firstflight_conformance.adapters.script import Script, Stream
from firstflight_conformance.commands import complete
from firstflight_conformance.commands.options import OutputFile, judged_cases, selection_options, usage_errors
from firstflight_conformance.commands.run_request import ReportFiles, RunRequest, request_of, requested_cases
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.files import write_whole
from firstflight_conformance.paths import ROOT, VECTORS
from firstflight_conformance.records import record_file
from firstflight_conformance.records.record_file import Record
from firstflight_conformance.records.results import AdapterReport, ExitCode, Verdict, exit_code
from firstflight_conformance.report import fit, json_document, tables, terminal
from firstflight_conformance.run.pool import Job, PoolReport, judge_all
from firstflight_conformance.run.selection import Selection
from firstflight_conformance.run.session import TIMEOUTS, AnyScript, RunOptions
from firstflight_conformance.simulate import native
from firstflight_conformance.simulate.cases import AnyCase, StimulusCase, StimulusScript
from firstflight_conformance.text import shown

if TYPE_CHECKING:
    from firstflight_conformance.run.blind import Drawn


def _site(_context: click.Context, _option: click.Parameter, address: str | None) -> str | None:
    """Return the address for links of the report.

    Raise :class:`click.BadParameter` if its scheme is not ``http``, ``https`` or ``file``. Addresses without a scheme
    are allowed.
    """
    if address is not None and urlsplit(address).scheme not in ("", "http", "https", "file"):
        raise click.BadParameter(f"{shown(address)}: expected an address with https://")
    return address


@click.command("run")
@click.option(
    "--adapter",
    "adapters",
    multiple=True,
    metavar="NAME|COMMAND|SO",
    shell_complete=complete.adapters,
    help="An adapter of the checkout, a command line or a shared object. Default: all adapters of the checkout. "
    "It runs with your rights, without a shell and without a sandbox: judge only programs that you trust.",
)
@click.option(
    "--closed-loop",
    "stimulus",
    is_flag=True,
    help="Judge in closed loop over simulated paths instead of by the vectors.",
)
@click.option("--both", is_flag=True, help="Judge by the vectors and in closed loop.")
@click.option(
    "--scenario",
    "scenarios",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="In closed loop: use this path instead of the paths of the checkout.",
)
@click.option(
    "--blind",
    type=click.IntRange(-1, 2**64 - 1),
    is_flag=False,
    flag_value=-1,
    metavar="[SEED]",
    help="Judge in closed loop over random paths. The seed is printed; without SEED, a new one is drawn.",
)
@selection_options
@click.option(
    "--deadline-s", type=click.FloatRange(min=0, min_open=True), default=10.0, help="Time for the answers of a case."
)
@click.option("--timeouts", type=click.IntRange(min=1), default=TIMEOUTS, help="Abandon an adapter after N timeouts.")
@click.option("--report-json", "json_path", type=OutputFile(), help="Write the results as JSON.")
@click.option("--junit", "junit_path", type=OutputFile(), help="Write the results as JUnit XML.")
@click.option(
    "--badge", "badge_path", type=OutputFile(), help="Write a badge: SVG if the file ends in .svg, otherwise JSON."
)
@click.option(
    "--html",
    "html_path",
    type=OutputFile(),
    help="Write the results as one HTML file with a plot for each cause.",
)
@click.option(
    "--site",
    metavar="ADDRESS",
    callback=_site,
    help="With --html: link failures to the page of this site that plays them.",
)
@click.option(
    "--first",
    type=click.IntRange(min=1),
    metavar="N",
    help="Per profile, only the N vectors that reject the most wrong implementations.",
)
@click.option("--validate", is_flag=True, help="Check every message of both sides against the schema of the protocol.")
@click.option("--record", "recording", is_flag=True, help="Record the first divergences of third-party stacks.")
@click.option(
    "--strict", is_flag=True, help="Count explained deviations, and other choices at open points, as divergences."
)
@click.option(
    "--no-refusals",
    "refusals",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Count refused cases of declared profiles as divergences, whatever the reason.",
)
@click.option("--all-failures", is_flag=True, help=f"Show all failures, not only the first {terminal.FAILURES_SHOWN}.")
@click.option("--verbose", is_flag=True, help=f"Print the complete report, even if longer than {fit.LINES} lines.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    show_default="one for each core",
    help="Number of adapters judged at the same time, each in a separate process.",
)
@click.option("--build", is_flag=True, help="Build adapters with make while others are judged.")
@click.pass_context
def run_command(context: click.Context, /, **values: Any) -> None:
    """Judge adapters: by the vectors, in closed loop over the path simulator, or both.

    Exit codes: 0 all cases passed, conform by other choices, or have an explained deviation or refusal; 1 divergence;
    2 usage; 3 adapter fault; 4 nothing was run, or no failure but not green. Not green: cases refused without a
    declared reason, rules not exercised, an algorithm that did not act, or an undecided case. Null adapters do not
    count: they contain no congestion control, and show the cases that pass without it. 70: internal error of the
    runner, without a verdict. 130, 143, 129: ended by Ctrl-C, TERM or HUP; all adapters are killed.
    """
    context.exit(_run(request_of(values)))


def _run(request: RunRequest) -> int:
    """Judge the adapters on the cases of a request, write the reports, and return the exit code."""
    scope, files = request.scope, request.files
    cases, drawn = requested_cases(request)
    if not cases or not request.manifests:
        why = scope.emptied() if request.manifests else "no adapter is selected"
        click.echo(f"nothing was run: {why}", err=True)
        _write(files, [], [], ExitCode.NOTHING_RUN, scope.root, drawn)
        return ExitCode.NOTHING_RUN
    scripts = _scripts(cases)
    judged, builds, rows = _judged(request, scripts)
    reports = _with_unseen(judged, _diagnose(judged, cases, scripts, request.options), cases)
    code = exit_code(reports, strict=files.strict, refusals=files.refusals)
    for target, output in (builds.failures if builds is not None else {}).items():
        click.echo(f"make {target} failed:\n{output}", err=True)
        code = ExitCode.FAULT
    lines = None if request.verbose or request.all_failures else terminal.lines_left(rows)
    terminal.print_report(terminal.console(), reports, len(cases), all_failures=request.all_failures, lines=lines)
    if code == ExitCode.NOTHING_RUN and not any(report.not_green for report in reports):
        click.echo("nothing was run: no adapter that counts has judged a case", err=True)
    with usage_errors():
        if request.recording:
            _record(reports, request.records, scope.root)
    _write(files, reports, [case.id for case in cases], code, scope.root, drawn)
    return code


def _judged(request: RunRequest, scripts: list[AnyScript]) -> tuple[list[AdapterReport], Builds | None, list[int]]:
    """Judge the adapters; return their reports, the builds, and the row counts of the tables printed meanwhile.

    The reports contain no diagnosis yet. The builds are the make targets of the adapters, with the outputs of failed
    targets, or None if the request does not include building.
    """
    builds = Builds(request.manifests) if request.build else None
    if any(isinstance(script, StimulusScript) for script in scripts):
        native.library()  # built once, not by each process
    # Blind runs and new records are not compared with a previous record.
    previous = {} if request.recording or request.scope.blind_seed is not None else request.records
    job = Job(request.manifests, scripts, request.options, previous)
    first = _FirstTables(request.manifests)
    judged = [_of_this_build(report, builds) for report in _judge_all(job, request.jobs, builds, first)]
    return judged, builds, first.rows


def _write(
    files: ReportFiles,
    reports: list[AdapterReport],
    case_ids: list[str],
    code: int,
    root: Path,
    drawn: Sequence["Drawn"],
) -> None:
    """Write the report files. Rarely used formats are imported on demand."""
    strict, refusals = files.strict, files.refusals
    with usage_errors():
        if files.json is not None:
            paths = [draw.numbers for draw in drawn]
            document = json_document.to_json(reports, case_ids, code, strict=strict, root=root, blind=paths)
            write_whole(files.json, json_document.text(document))
        if files.junit is not None:
            from firstflight_conformance.report import junit

            write_whole(files.junit, junit.text(reports, strict=strict, refusals=refusals))
        if files.badge is not None:
            from firstflight_conformance.report import badge

            write_whole(files.badge, badge.text(reports, files.badge, refusals=refusals))
        if files.html is not None:
            from firstflight_conformance.report import html_page

            write_whole(files.html, html_page.text(reports, code, strict=strict, site=files.site))


def _of_this_build(report: AdapterReport, builds: Builds | None) -> AdapterReport:
    """Return the report of an adapter. If its build failed, return a report without results, marked as skipped.

    After a failed build the judged program is an old one, built from outdated sources.
    """
    target = report.manifest.build
    if builds is None or target not in builds.failures:
        return report
    return AdapterReport(report.manifest, skipped=f"make {target} failed")


# The functions below import rarely used modules on demand.


def _with_unseen(
    judged: list[AdapterReport], reports: list[AdapterReport], cases: Sequence[AnyCase]
) -> list[AdapterReport]:
    """Add the rules that a run did not exercise, and the algorithms that did not act, to the diagnosed reports."""
    from firstflight_conformance.compare.unseen import with_unseen

    by_id = {case.id: case for case in cases}
    return [with_unseen(before, after, by_id) for before, after in zip(judged, reports, strict=True)]


def _diagnose(
    reports: list[AdapterReport], cases: Sequence[AnyCase], scripts: Sequence[AnyScript], options: RunOptions
) -> list[AdapterReport]:
    """Return the reports with the causes of failures. Without any failure return them unchanged.

    Null adapters contain no congestion control. They get the rules exercised by their passed cases instead of causes.
    """
    from firstflight_conformance.explain.diagnosis import scored

    if not any(result.verdict is Verdict.FAIL for report in reports for result in report.results):
        return reports
    by_id, by_case = {case.id: case for case in cases}, {script.case.id: script for script in scripts}
    return [
        scored(report, by_id) if report.manifest.role == "null" else _diagnosed(report, by_id, by_case, options)
        for report in reports
    ]


def _diagnosed(
    report: AdapterReport, cases: dict[str, AnyCase], scripts: dict[str, AnyScript], options: RunOptions
) -> AdapterReport:
    """Return the report with its causes. If the diagnosis raises, print the error and return the report unchanged."""
    from firstflight_conformance.explain.diagnosis import diagnosed
    from firstflight_conformance.run.kept_state import with_kept_state

    try:
        return with_kept_state(diagnosed(report, cases), scripts, options)
    except Exception as error:
        trace = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(trace.filename).name}:{trace.lineno}"
        text = f"{report.manifest.name}: no diagnosis ({place}: {type(error).__name__}: {error}); the verdict is valid"
        click.echo(f"{text}. This is an error of firstflight: please report it.", err=True)
        return report


def _scripts(cases: Sequence[AnyCase]) -> list[AnyScript]:
    """Return the scripts of the cases. Cases of one vector share its stream."""
    streams: dict[str, Stream] = {}
    scripts: list[AnyScript] = []
    for case in cases:
        if isinstance(case, ComputationCase):
            scripts.append(ComputationScript(case))
        elif isinstance(case, StimulusCase):
            scripts.append(StimulusScript(case))
        else:
            scripts.append(Script(case, streams.setdefault(case.vector.id, Stream(case.vector))))
    return scripts


def _record(reports: list[AdapterReport], records: dict[str, Record], root: Path) -> None:
    """Write the record of each judged adapter, a file with its failed cases. Skip adapters without a record.

    If ``root`` is the folder of this checkout's vectors, drop entries of cases that no longer exist.
    """
    every = judged_cases(root, Selection(), vectors=True, stimulus=True) if root == VECTORS else None
    known = None if every is None else {case.id for case in every}
    for report in reports:
        path = report.manifest.record
        if path is not None and report.declaration is not None:
            new = record_file.updated(records[report.manifest.name], report, known)
            write_whole(path, record_file.text(new))
            click.echo(
                f"recorded: {path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}: {len(new.cases)} cases"
            )


class _FirstTables:
    """Prints the results of the reference adapters (Python model and C port) while other adapters are being judged.

    The first table contains the results by the vectors. The second table also contains the closed loop. Each is printed
    as soon as all references have these results, unless only references are judged.
    """

    def __init__(self, manifests: Sequence[Manifest]) -> None:
        """Find the references among ``manifests``, the adapters of the run.

        ``rows``: for each table of references printed so far, its number of rows.
        """
        references = {index for index, manifest in enumerate(manifests) if manifest.role == "reference"}
        self.rows: list[int] = []
        self._references = references if len(references) < len(manifests) else set()
        self._by_vectors: dict[int, AdapterReport] = {}
        self._whole: dict[int, AdapterReport] = {}

    def add(self, judged: PoolReport) -> None:
        """Add the report of a reference adapter (Python model or C port). Ignore the report of any other adapter.

        Reports on the vectors alone and complete reports (``judged.whole``) are in separate tables. Print a table once
        it contains a report of every reference adapter. Print no table if all adapters of the run are references.
        """
        if judged.adapter in self._references:
            reports = self._whole if judged.whole else self._by_vectors
            reports[judged.adapter] = judged.report
            if self._references <= reports.keys():
                title = "References" if judged.whole else "References, by the vectors; closed loop follows"
                tables.print_counts(terminal.console(), [reports[i] for i in sorted(reports)], title)
                self.rows.append(len(reports))


def _judge_all(job: Job, jobs: int, builds: Builds | None, tables: _FirstTables) -> list[AdapterReport]:
    """Return the reports in the order of the manifests."""
    reports: dict[int, AdapterReport] = {}
    ready = (lambda _: True) if builds is None else builds.ready
    with _progress(job) as advance:
        for judged in judge_all(job, jobs, advance, ready):
            tables.add(judged)
            if judged.whole:
                reports[judged.adapter] = judged.report
    return [reports[index] for index in range(len(job.manifests))]


@contextmanager
def _progress(job: Job) -> Iterator[Callable[[int, int], None]]:
    """Show progress: bars on a terminal, else a line for each finished adapter."""
    cases = len(job.scripts)
    if not sys.stderr.isatty():
        reported: set[int] = set()

        def tell(index: int, count: int) -> None:
            if count == cases and index not in reported and len(job.manifests) > 1:
                reported.add(index)
                click.echo(f"judged {len(reported)} of {len(job.manifests)}: {job.manifests[index].name}", err=True)

        yield tell
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        tasks = [progress.add_task(manifest.name, total=cases) for manifest in job.manifests]
        yield lambda index, count: progress.update(tasks[index], completed=count)
