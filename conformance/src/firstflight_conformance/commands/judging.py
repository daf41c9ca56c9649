"""Options, reports and exit codes shared by the commands that judge connections."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from firstflight import profiles
from firstflight_conformance.commands.options import InputError
from firstflight_conformance.judge.cause import cause_lines, causes_json, causes_of
from firstflight_conformance.judge.formats import Source
from firstflight_conformance.judge.report import lines, result_lines
from firstflight_conformance.judge.subject import RULES
from firstflight_conformance.judge.verdict import ConnectionVerdict, judge, to_json, together
from firstflight_conformance.logs.recording.files import RecordingError
from firstflight_conformance.records.findings import Cause
from firstflight_conformance.records.results import ExitCode
from firstflight_conformance.run.selection import unknown_hint
from firstflight_conformance.text import shown

_Command = TypeVar("_Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--algorithm", metavar="NAME", help="Consider only profiles of this algorithm."),
    click.option("--profile", metavar="NAME", help="Consider only this profile; append +cubic for the base CUBIC."),
    click.option(
        "--start",
        type=click.Choice(("first-ack", "application")),
        default="first-ack",
        help="Begin the algorithm at the first ACK, or at the first ACK of application data.",
    ),
    click.option(
        "--app-limited",
        type=click.Choice(RULES),
        help="Which ACKs were app-limited. By default as stated, else growth: ACKs in slow start at which the window "
        "neither limited the sender nor changed.",
    ),
    click.option(
        "--cause",
        is_flag=True,
        help="With --profile: if the windows differ, search for the cause as `run` does. Takes up to a minute.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
)


@dataclass(frozen=True, slots=True)
class JudgingOptions:
    """Options for judging connections from logs.

    ``names``: the profiles to compare with, or ``None`` for all. ``start``: the ACK that starts the algorithm,
    ``first-ack`` or ``application`` (the first ACK of application data). ``app_limited``: rule that determines the
    app-limited ACKs, or ``None`` for the default. ``cause``: whether to search for the cause of a difference.
    ``as_json``: whether to print one JSON object.
    """

    names: list[str] | None
    start: str
    app_limited: str | None
    cause: bool
    as_json: bool


def judge_options(command: _Command) -> _Command:
    """Add the options of a judgement."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@contextmanager
def recording_errors() -> Iterator[None]:
    """Turn errors of a recording into a message with exit code 2."""
    try:
        yield
    except (RecordingError, OSError, ValueError) as error:
        raise InputError(str(error)) from error


def judging_of(
    *, algorithm: str | None, profile: str | None, start: str, app_limited: str | None, cause: bool, as_json: bool
) -> JudgingOptions:
    """Return the parsed options."""
    if cause and profile is None:
        raise InputError("--cause: add the expected profile with --profile ALGORITHM/NAME")
    return JudgingOptions(chosen_profiles(algorithm, profile), start, app_limited, cause, as_json)


def chosen_profiles(algorithm: str | None, profile: str | None) -> list[str] | None:
    """Return the profiles selected by the options, ``None`` for all."""
    known = profiles(composed=True)
    if profile is not None and "/" in profile and algorithm is None:
        algorithm, _, profile = profile.partition("/")
    if algorithm is None:
        if profile is not None:
            raise InputError(f"--profile {profile}: add its algorithm: --algorithm NAME or --profile ALGORITHM/NAME")
        return None
    if not known.get(algorithm):
        raise InputError(f"--algorithm {algorithm}: {unknown_hint(algorithm, list(known))}")
    if profile is not None and profile not in known[algorithm]:
        raise InputError(f"--profile {profile}: {unknown_hint(profile, list(known[algorithm]))}")
    return [f"{algorithm}/{name}" for name in known[algorithm] if profile in (None, name)]


def judge_and_report(sources: Sequence[tuple[Path, Source]], judging: JudgingOptions) -> int:
    """Judge connections, print the results and return the exit code of :func:`exit_code`."""
    with recording_errors():
        verdicts = [
            judge(source.recording, judging.names, start=judging.start, app_limited=judging.app_limited)
            for _, source in sources
        ]
    causes = [
        causes_of(verdict.subject, judging.names[0]) if judging.cause and judging.names else None
        for verdict in verdicts
    ]
    if judging.as_json:
        click.echo(json.dumps(_document(sources, verdicts, causes)))
    else:
        _print(sources, verdicts, causes)
    return exit_code(verdicts)


def exit_code(verdicts: Sequence[ConnectionVerdict]) -> int:
    """Return the exit code: 0 if a profile explains all runs, 1 if none does, 4 if undecided."""
    may_be, undecided = together(verdicts)
    if undecided is not None:
        return ExitCode.NOTHING_RUN
    return ExitCode.OK if may_be else ExitCode.DIVERGENCE


def _document(
    sources: Sequence[tuple[Path, Source]],
    verdicts: Sequence[ConnectionVerdict],
    causes: Sequence[tuple[Cause, ...] | None],
) -> dict[str, Any]:
    runs = []
    for (_, source), verdict, run_causes in zip(sources, verdicts, causes, strict=True):
        extra = {} if run_causes is None else {"causes": causes_json(run_causes)}
        runs.append(to_json(verdict, source.agreement, source.notes) | extra)
    if len(runs) == 1:
        return runs[0]
    may_be, undecided = together(verdicts)
    none_of_ours = undecided is None and not may_be
    return {"runs": runs, "may_be": may_be, "none_of_ours": none_of_ours, "undecided": undecided}


def _print(
    sources: Sequence[tuple[Path, Source]],
    verdicts: Sequence[ConnectionVerdict],
    causes: Sequence[tuple[Cause, ...] | None],
) -> None:
    for (path, source), verdict, run_causes in zip(sources, verdicts, causes, strict=True):
        name = source.recording.header.source["name"]
        click.echo(shown(path.name if name in (path.name, path.stem) else f"{path.name}: {name}"))
        lines_of_causes = () if run_causes is None else cause_lines(run_causes)
        for line in (*source.notes, *lines(verdict), *lines_of_causes):
            click.echo(shown(line, 1000))
    if len(verdicts) > 1:
        click.echo(f"all {len(verdicts)} connections together:")
        for line in result_lines(*together(verdicts)):
            click.echo(line)
