"""``firstflight judge-kernel``: the congestion control of the running kernel, recorded and judged."""

import json
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from firstflight import profiles
from firstflight_conformance.commands.judging import exit_code
from firstflight_conformance.commands.options import InputError, usage_errors
from firstflight_conformance.format.timeline import milliseconds
from firstflight_conformance.judge.report import choice_lines, result_lines
from firstflight_conformance.judge.verdict import ConnectionVerdict, judge, to_json, together
from firstflight_conformance.logs.recording import files
from firstflight_conformance.logs.recording.recording import Recording
from firstflight_conformance.paths import LIVE_PATHS
from firstflight_conformance.records.results import ExitCode
from firstflight_conformance.simulate.scenario import load_scenario
from firstflight_conformance.text import shown
from studies.live.bpf.command import answered, wanted_object
from studies.live.bpf.objects import loaded, require
from studies.live.kernel.namespace import UnavailableError
from studies.live.kernel.record import RunError, record, refusal
from studies.live.kernel.verdict import PROFILES


@click.command("judge-kernel")
@click.option(
    "--scenario",
    "scenario_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=LIVE_PATHS / "deep-queue.json",
    show_default="live/deep-queue.json",
    help="The path and the receiver: a scenario of the closed loop.",
)
@click.option(
    "--congestion-control", default="cubic", metavar="cubic|reno|search|...", help="The kernel's control to judge."
)
@click.option(
    "--profile",
    "profile",
    metavar="ALGORITHM/PROFILE",
    help="Profile; default: hystart/linux for cubic (linux-paced if paced), slow-start/rfc-9002 for reno, or all.",
)
@click.option("--bpf", is_flag=True, help="Load our object of --profile for the runs, and judge it (root).")
@click.option("--runs", type=click.IntRange(1, 1000), default=1, help="Number of consecutive connections.")
@click.option(
    "--clock",
    type=click.Choice(["kernel", "calls"]),
    default="kernel",
    help="Times from the kernel's timestamps (since 6.7, otherwise `calls`), or from the system calls around them.",
)
@click.option(
    "--record", "folder", type=click.Path(file_okay=False, path_type=Path), help="Write the recordings to this folder."
)
@click.option("--json", "as_lines", is_flag=True, help="Print one JSON object for each run.")
def judge_kernel_command(
    *,
    scenario_file: Path,
    congestion_control: str,
    profile: str | None,
    bpf: bool,
    runs: int,
    clock: str,
    folder: Path | None,
    as_lines: bool,
) -> None:
    """Record connections of the running kernel over an emulated path, and judge their exit from slow start.

    Needs no privilege: each run has its own user and network namespace. The kernel is judged up to its exit. Runs
    differ, as stalls of the machine move the exit; profile and kernel get the same events.

    Exit codes. 0: a profile explains all runs. 1: no profile does, or not the requested one. 3: a run failed. 4:
    nothing was recorded, or the runs do not decide it; the reason is printed.
    """
    names = _profiles(scenario_file, congestion_control, profile)
    with ExitStack() as stack:
        if bpf:
            if profile is None:
                raise InputError("--bpf needs --profile: the object to load")
            control = wanted_object(profile)
            stack.enter_context(answered())
            require()
            congestion_control = stack.enter_context(loaded(control)).name
        code = _judge_runs(scenario_file, congestion_control, names, runs, clock, folder, as_lines=as_lines)
    raise SystemExit(code)


def _judge_runs(
    scenario_file: Path,
    congestion_control: str,
    names: list[str] | None,
    runs: int,
    clock: str,
    folder: Path | None,
    *,
    as_lines: bool,
) -> int:
    """Record and judge runs; return the exit code."""
    verdicts: list[ConnectionVerdict] = []
    for number in range(1, runs + 1):
        recording = _record(scenario_file, congestion_control, exact=clock == "kernel")
        if folder is not None:
            with usage_errors():
                folder.mkdir(parents=True, exist_ok=True)
                files.save(recording, folder / f"{scenario_file.stem}-{congestion_control}-{number}.jsonl")
        verdicts.append(judge(recording, names))
        if as_lines:
            source = recording.header.source
            run: dict[str, Any] = {"kernel": os.uname().release, "congestion_control": congestion_control}
            run |= {"ended": source["ended"], "clock": source["clock"]}
            click.echo(json.dumps(run | to_json(verdicts[-1], None, ())))
        else:
            _print(number, recording, verdicts[-1], described=names is not None)
    if not as_lines and runs > 1:
        click.echo("\n".join(["all runs together:", *result_lines(*together(verdicts))]))
    return exit_code(verdicts)


def _profiles(scenario_file: Path, congestion_control: str, profile: str | None) -> list[str] | None:
    """Return the profiles to judge by, or ``None`` for all."""
    with usage_errors():
        scenario = load_scenario(scenario_file)
    if reason := refusal(scenario):
        raise InputError(f"{scenario_file}: {reason}")
    if profile is None:
        return [PROFILES[congestion_control][scenario.paced]] if congestion_control in PROFILES else None
    algorithm, _, name = profile.partition("/")
    if name not in profiles(composed=True).get(algorithm, ()):
        raise InputError(f"{profile}: no such profile; `firstflight list` has them, as ALGORITHM/PROFILE")
    return [profile]


def _record(scenario_file: Path, congestion_control: str, *, exact: bool) -> Recording:
    try:
        return record(scenario_file, congestion_control, exact=exact)
    except UnavailableError as reason:
        click.echo(f"skipped: the kernel cannot be recorded here: {shown(str(reason))}", err=True)
        raise SystemExit(ExitCode.NOTHING_RUN) from reason
    except RunError as reason:
        click.echo(f"errored: {shown(str(reason), 500)}", err=True)
        raise SystemExit(ExitCode.FAULT) from reason


def _print(number: int, recording: Recording, verdict: ConnectionVerdict, *, described: bool) -> None:
    source, did = recording.header.source, verdict.did
    if number == 1:
        click.echo(f"{source['name']}, kernel {source['version']}, clock: {source['clock']}; {source['scenario']}")
        if not described:
            click.echo(f"no profile describes {source['name']}: comparing it with all profiles")
    where = f"slow start is not left ({source['ended']})"
    if did.event is not None:
        where = f"slow start is left by event {did.event}, {milliseconds(did.t_ns or 0)} ms, by {did.evidence}"
    click.echo(f"run {number}: {where}; {'; '.join(result_lines(verdict.may_be, verdict.undecided))}")
    for line in choice_lines(verdict):
        click.echo(f"  {line}")
    for refutation in verdict.refuted if described else ():
        click.echo(
            f"  {refutation.profile}, event {refutation.event}: "
            f"expected: {refutation.expected}; observed: {refutation.observed}"
        )
