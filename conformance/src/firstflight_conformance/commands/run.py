"""``firstflight run``: judge adapters."""

import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click
from rich.console import Console

from firstflight_conformance.adapters.builds import Builds
from firstflight_conformance.adapters.compute import ComputationScript
from firstflight_conformance.adapters.manifest import Manifest, load_manifests, resolve
from firstflight_conformance.adapters.script import Script, Stream
from firstflight_conformance.commands import complete
from firstflight_conformance.commands.options import OutputFile, judged_cases, selection_options, usage_errors
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.files import write_whole
from firstflight_conformance.paths import ROOT, VECTORS
from firstflight_conformance.records import record_file
from firstflight_conformance.records.record_file import Record
from firstflight_conformance.records.results import AdapterReport, ExitCode, Verdict, exit_code
from firstflight_conformance.report import fit, json_document, tables, terminal
from firstflight_conformance.run.pool import Job, PoolReport, judge_all
from firstflight_conformance.run.selection import Selection, first_cases
from firstflight_conformance.run.session import TIMEOUTS, AnyScript, RunOptions, declaration_of
from firstflight_conformance.simulate import native
from firstflight_conformance.simulate.cases import AnyCase, StimulusCase, StimulusScript, stimulus_cases
from firstflight_conformance.text import shown

if TYPE_CHECKING:
    from firstflight_conformance.run.blind import Drawn


def _site(_context: click.Context, _option: click.Parameter, address: str | None) -> str | None:
    """Return the address, which becomes a link of the report."""
    if address is not None and urlsplit(address).scheme not in ("", "http", "https", "file"):
        raise click.BadParameter(f"{shown(address)}: expected an address that begins with https://")
    return address


@click.command("run")
@click.option(
    "--adapter",
    "adapters",
    multiple=True,
    metavar="NAME|COMMAND|SO",
    shell_complete=complete.adapters,
    help="An adapter of the checkout, a command line or a shared object; without it all adapters of the checkout. It is run with your "
    "rights, without a shell and without a sandbox: judge only what you would run.",
)
@click.option(
    "--closed-loop",
    "stimulus",
    is_flag=True,
    help="Judge in closed loop over paths, instead of by the vectors.",
)
@click.option("--both", is_flag=True, help="Judge by the vectors and in closed loop.")
@click.option(
    "--scenario",
    "scenarios",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="In closed loop: this path, instead of those of the checkout.",
)
@click.option(
    "--blind",
    type=click.IntRange(-1, 2**64 - 1),
    is_flag=False,
    flag_value=-1,
    metavar="[SEED]",
    help="In closed loop over paths that no file has, drawn from the seed, or from a new one, which is printed.",
)
@selection_options
@click.option(
    "--deadline-s", type=click.FloatRange(min=0, min_open=True), default=10.0, help="Time for the answers of a case."
)
@click.option("--timeouts", type=click.IntRange(min=1), default=TIMEOUTS, help="Abandon an adapter after so many.")
@click.option("--report-json", "json_path", type=OutputFile(), help="Write the results as JSON.")
@click.option("--junit", "junit_path", type=OutputFile(), help="Write the results as JUnit XML.")
@click.option(
    "--badge", "badge_path", type=OutputFile(), help="Write a badge: SVG if the file ends in .svg, otherwise JSON."
)
@click.option(
    "--html",
    "html_path",
    type=OutputFile(),
    help="Write the results for reading: one HTML file with a plot for each cause.",
)
@click.option(
    "--site",
    metavar="ADDRESS",
    callback=_site,
    help="With --html: link what fails to the page of this site that plays it.",
)
@click.option(
    "--first",
    type=click.IntRange(min=1),
    metavar="N",
    help="Of each profile the N vectors that reject the most wrong implementations.",
)
@click.option("--validate", is_flag=True, help="Hold every message of both sides to the schema of the protocol.")
@click.option("--record", "recording", is_flag=True, help="Record the first divergences of the third-party stacks.")
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
@click.option("--all-failures", is_flag=True, help=f"Show all failures, not the first {terminal.FAILURES_SHOWN}.")
@click.option("--verbose", is_flag=True, help=f"Print more than {fit.LINES} lines, if there is more to say.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    show_default="one for each core",
    help="Adapters judged at the same time, each in a process of its own.",
)
@click.option("--build", is_flag=True, help="Build the adapters with make while others are judged.")
@click.pass_context
def run_command(
    context: click.Context,
    /,
    adapters: tuple[str, ...],
    root: Path,
    stimulus: bool,
    both: bool,
    scenarios: tuple[Path, ...],
    blind: int | None,
    deadline_s: float,
    timeouts: int,
    json_path: Path | None,
    junit_path: Path | None,
    badge_path: Path | None,
    html_path: Path | None,
    site: str | None,
    first: int | None,
    validate: bool,
    recording: bool,
    strict: bool,
    refusals: bool,
    all_failures: bool,
    verbose: bool,
    jobs: int,
    build: bool,
    **selection: tuple[str, ...],
) -> None:
    """Judge adapters: by the vectors, in closed loop over the path simulator, or both.

    Exit codes: 0 all passed, conform by other choices, or deviate or are refused as explained; 1 a divergence; 2 usage; 3 an adapter
    fault; 4 nothing was run, or no failure but not green: cases refused without a declared reason, rules not exercised, an algorithm
    that did not act, or an undecided case. Null adapters do not count. 70: an error of the runner itself, no verdict. 130, 143, 129:
    ended by Ctrl-C, TERM or HUP; no adapter is left behind.
    """
    with usage_errors():
        manifests = _wanted(adapters)
        records = _records(manifests)
    if recording and (scenarios or not records):
        what = (
            "--scenario: only cases of the checkout are recorded"
            if scenarios
            else "no third-party stack with a manifest"
        )
        raise click.UsageError(f"--record: {what}")
    _refuse_one_place_for_two(json_path, junit_path, badge_path, html_path)
    looped = stimulus or both or bool(scenarios)

    def write(reports: list[AdapterReport], case_ids: list[str], code: int) -> None:
        with usage_errors():
            if json_path is not None:
                paths = [one.numbers for one in drawn]
                document = json_document.to_json(reports, case_ids, code, strict=strict, root=root, blind=paths)
                write_whole(json_path, json_document.text(document))
            if junit_path is not None:
                from firstflight_conformance.report import junit

                write_whole(junit_path, junit.text(reports, strict=strict, refusals=refusals))
            if badge_path is not None:
                from firstflight_conformance.report import badge

                write_whole(badge_path, badge.text(reports, badge_path, refusals=refusals))
            if html_path is not None:
                from firstflight_conformance.report import html_page

                write_whole(html_path, html_page.text(reports, code, strict=strict, site=site))

    chosen = Selection(**selection)
    drawn: list[Drawn] = []
    cases: list[AnyCase]
    if blind is not None:
        if looped or recording:
            raise click.UsageError("--blind: goes with none of --closed-loop, --both, --scenario and --record")
        with usage_errors():
            drawn = _blind_draws(blind, chosen, manifests, RunOptions(deadline_s, validate, timeouts))
        cases, records = [case for one in drawn for case in one.cases if chosen.takes(case)], {}
    else:
        cases = judged_cases(
            root, Selection(**selection), vectors=both or not looped, stimulus=looped, scenarios=scenarios
        )
    if first is not None:
        if looped or blind is not None:
            raise click.UsageError(
                "--first: takes vectors; it goes with none of --closed-loop, --both, --scenario and --blind"
            )
        cases = first_cases(cases, first)
    if not cases or not manifests:
        why = (
            "no adapter is selected"
            if not manifests
            else _emptied(root, Selection(**selection), looped=looped, both=both)
        )
        click.echo(f"nothing was run: {why}", err=True)
        write([], [], ExitCode.NOTHING_RUN)
        context.exit(ExitCode.NOTHING_RUN)
    builds = Builds(manifests) if build else None
    if any(isinstance(case, StimulusCase) for case in cases):
        native.library()  # built once, not by each process
    job = Job(manifests, _scripts(cases), RunOptions(deadline_s, validate, timeouts), {} if recording else records)
    tables = _FirstTables(manifests)
    judged = [_of_this_build(report, builds) for report in _judge_all(job, jobs, builds, tables)]
    reports = _with_unseen(judged, _diagnose(judged, cases, job), cases)
    code = exit_code(reports, strict=strict, refusals=refusals)
    for target, output in (builds.failures if builds is not None else {}).items():
        click.echo(f"make {target} failed:\n{output}", err=True)
        code = ExitCode.FAULT
    lines = None if verbose or all_failures else terminal.lines_left(tables.rows)
    terminal.print_report(terminal.console(), reports, len(cases), all_failures=all_failures, lines=lines)
    if code == ExitCode.NOTHING_RUN and not any(report.not_green for report in reports):
        click.echo("nothing was run: no adapter that counts has judged a case", err=True)
    with usage_errors():
        if recording:
            _record(reports, records, root)
        write(reports, [case.id for case in cases], code)
    context.exit(code)


def _of_this_build(report: AdapterReport, builds: Builds | None) -> AdapterReport:
    """Return the report; where the build failed, one without results: what was judged is a program of other sources."""
    target = report.manifest.build
    if builds is None or target not in builds.failures:
        return report
    return AdapterReport(report.manifest, skipped=f"make {target} failed")


def _emptied(root: Path, selection: Selection, *, looped: bool, both: bool) -> str:
    """Return which option left no case."""
    every = judged_cases(root, Selection(), vectors=both or not looped, stimulus=looped)
    return selection.emptied(every)


def _refuse_one_place_for_two(*reports: Path | None) -> None:
    """Refuse two reports to one regular file. A device or a pipe may take several."""
    places = [path.resolve() for path in reports if path is not None and (path.is_file() or not path.exists())]
    for path in places:
        if places.count(path) > 1:
            raise click.UsageError(f"{path}: two reports to one file; name another for one of them")


def _blind_draws(seed: int, selection: Selection, manifests: Sequence[Manifest], options: RunOptions) -> list["Drawn"]:
    """Return the paths drawn for the selected profiles that an adapter declares; print the seed and the numbers.

    An adapter without a valid hello is asked for one profile, which reports its fault.
    """
    from firstflight_conformance.run import blind

    seed = blind.new_seed() if seed < 0 else seed
    known = stimulus_cases()
    selection.check(known)
    of_profiles = replace(selection, ids=())
    wanted = dict.fromkeys((case.vector.algorithm, case.profile) for case in known if of_profiles.takes(case))
    found = [declaration_of(manifest, options) for manifest in manifests]
    declared = {
        (name, of) for one in found if one is not None for name, every in one.algorithms.items() for of in every
    }
    profiles = [name for name in wanted if name in declared] or list(wanted)[:1]
    click.echo(f"blind: seed {seed}; the same again with --blind {seed}")
    drawn = [blind.blind_cases(seed, *name) for name in profiles]
    for one in drawn:
        click.echo(f"blind: {one.text}")
    return drawn


# What few runs need is loaded by those.


def _with_unseen(
    judged: list[AdapterReport], reports: list[AdapterReport], cases: Sequence[AnyCase]
) -> list[AdapterReport]:
    """Return the diagnosed reports with the rules and algorithms that their runs did not show."""
    from firstflight_conformance.compare.unseen import with_unseen

    by_id = {case.id: case for case in cases}
    return [with_unseen(before, after, by_id) for before, after in zip(judged, reports, strict=True)]


def _diagnose(reports: list[AdapterReport], cases: Sequence[AnyCase], job: Job) -> list[AdapterReport]:
    """Return the reports with the causes of what failed. Null adapters have none, but what the cases that they pass exercise."""
    from firstflight_conformance.explain.diagnosis import scored

    if not any(result.verdict is Verdict.FAIL for report in reports for result in report.results):
        return reports
    by_id, scripts = {case.id: case for case in cases}, {script.case.id: script for script in job.scripts}
    return [
        scored(report, by_id) if report.manifest.role == "null" else _diagnosed(report, by_id, scripts, job.options)
        for report in reports
    ]


def _diagnosed(
    report: AdapterReport, cases: dict[str, AnyCase], scripts: dict[str, AnyScript], options: RunOptions
) -> AdapterReport:
    """Return the report with its causes, or as it is where the diagnosis fails: it explains a verdict and never takes one away."""
    from firstflight_conformance.explain.diagnosis import diagnosed
    from firstflight_conformance.run.kept_state import with_kept_state

    try:
        return with_kept_state(diagnosed(report, cases), scripts, options)
    except Exception as error:
        trace = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(trace.filename).name}:{trace.lineno}"
        text = f"{report.manifest.name}: no diagnosis ({place}: {type(error).__name__}: {error}); the verdict stands"
        click.echo(f"{text}. This is an error of firstflight: please report it.", err=True)
        return report


def _scripts(cases: Sequence[AnyCase]) -> list[AnyScript]:
    """Return the cases as they are played; those of one vector share its events."""
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


def _wanted(names: tuple[str, ...]) -> list[Manifest]:
    if names and all(" " in name for name in names):  # command lines: none is the name of an adapter of the checkout
        return [resolve(name, {}) for name in dict.fromkeys(names)]
    manifests = load_manifests()
    if not names:
        return sorted(manifests.values(), key=lambda manifest: manifest.role != "reference")
    return [resolve(name, manifests) for name in dict.fromkeys(names)]


def _records(manifests: list[Manifest]) -> dict[str, Record]:
    return {manifest.name: record_file.load(manifest.record) for manifest in manifests if manifest.record is not None}


def _record(reports: list[AdapterReport], records: dict[str, Record], root: Path) -> None:
    """Write the records of the adapters that were run. Entries of cases that exist no more are dropped."""
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
    """The tables of the references, by the vectors and whole, printed as soon as they are known, if other adapters are judged as well."""

    def __init__(self, manifests: Sequence[Manifest]) -> None:
        """Begin with none printed. ``rows``: of each that is."""
        references = {index for index, manifest in enumerate(manifests) if manifest.role == "reference"}
        self.rows: list[int] = []
        self._references = references if len(references) < len(manifests) else set()
        self._by_vectors: dict[int, AdapterReport] = {}
        self._whole: dict[int, AdapterReport] = {}

    def add(self, judged: PoolReport) -> None:
        """Take a report; print the table that it makes whole."""
        if judged.adapter in self._references:
            reports = self._whole if judged.whole else self._by_vectors
            reports[judged.adapter] = judged.report
            if self._references <= reports.keys():
                title = "References" if judged.whole else "References, by the vectors; in closed loop next"
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
    """Show how many cases are judged: bars while it lasts on a terminal, else a line for each adapter that is done."""
    cases = len(job.scripts)
    if not sys.stderr.isatty():
        told: set[int] = set()

        def tell(index: int, count: int) -> None:
            if count == cases and index not in told and len(job.manifests) > 1:
                told.add(index)
                click.echo(f"judged {len(told)} of {len(job.manifests)}: {job.manifests[index].name}", err=True)

        yield tell
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        tasks = [progress.add_task(manifest.name, total=cases) for manifest in job.manifests]
        yield lambda index, count: progress.update(tasks[index], completed=count)
