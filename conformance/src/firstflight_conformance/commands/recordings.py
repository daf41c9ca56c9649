"""What the commands that judge recordings share: which profiles, by which rules, and how they end."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from firstflight import profiles
from firstflight_conformance.commands.options import InputError
from firstflight_conformance.recording.files import RecordingError
from firstflight_conformance.recording.judge import Judgement, judge
from firstflight_conformance.recording.limits import RULES
from firstflight_conformance.recording.recording import Recording
from firstflight_conformance.recording.report import judgement_json, print_judgement, to_json, verdict
from firstflight_conformance.run.report_terminal import console
from firstflight_conformance.run.results import ExitCode
from firstflight_conformance.run.selection import unknown_hint

_Command = TypeVar("_Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--fit", is_flag=True, help="Rank every profile, on either base; the default without a profile."),
    click.option("--algorithm", metavar="NAME", help="Judge by the profiles of this algorithm only."),
    click.option("--profile", metavar="NAME", help="Judge by this profile; +cubic puts it on that base."),
    click.option(
        "--start",
        type=click.Choice(("first-ack", "application")),
        default="first-ack",
        help="Where the algorithm begins: at the first ACK, or at the first of application data.",
    ),
    click.option(
        "--app-limited",
        type=click.Choice(RULES),
        help="Which ACKs were app-limited; by default as stated, or growth: those in slow start that left the window as it was.",
    ),
    click.option("--strict", is_flag=True, help="Exit code 1 if any growth or window differs, not only the exit."),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
)


def judge_options(command: _Command) -> _Command:
    """Add the options of a judgement."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@contextmanager
def recording_errors() -> Iterator[None]:
    """Turn what is wrong with a recording into a message with exit code 2."""
    try:
        yield
    except (RecordingError, OSError, ValueError) as error:
        raise InputError(str(error)) from error


def chosen_profiles(fit: bool, algorithm: str | None, profile: str | None) -> list[str] | None:
    """Return the profiles that the options name, ``None`` for all."""
    known = profiles(composed=True)
    if profile is not None and "/" in profile and algorithm is None:
        algorithm, _, profile = profile.partition("/")
    if fit and profile is not None:
        raise InputError("--fit ranks all profiles: leave --profile out")
    if algorithm is None:
        if profile is not None:
            raise InputError(f"--profile {profile}: name its algorithm too, as --algorithm NAME or algorithm/profile")
        return None
    if not known.get(algorithm):
        raise InputError(f"--algorithm {algorithm}: {unknown_hint(algorithm, list(known))}")
    if profile is not None and profile not in known[algorithm]:
        raise InputError(f"--profile {profile}: {unknown_hint(profile, list(known[algorithm]))}")
    return [f"{algorithm}/{name}" for name in known[algorithm] if profile in (None, name)]


def judge_and_report(
    recording: Recording,
    *,
    agreement: float | None,
    fit: bool,
    algorithm: str | None,
    profile: str | None,
    start: str,
    app_limited: str | None,
    strict: bool,
    as_json: bool,
) -> int:
    """Judge a recording, print what came of it, and return the exit code. ``agreement``: that of a qlog's bytes in flight."""
    names = chosen_profiles(fit, algorithm, profile)
    with recording_errors():
        judgement = judge(recording, names, start=start, app_limited=app_limited)
    if as_json:
        document: dict[str, Any] = {} if agreement is None else {"in_flight_agreement": agreement}
        document["fit"] = [to_json(standing) for standing in judgement.standings]
        click.echo(json.dumps(document | ({} if fit else judgement_json(judgement))))
    else:
        print_judgement(console(), judgement)
    return exit_code(judgement, strict=strict, ranked=names is None or len(names) > 1)


def exit_code(judgement: Judgement, *, strict: bool, ranked: bool) -> int:
    """Return the exit code: that of the best profile. A ranking is no verdict unless it is to be strict."""
    best = judgement.standings[0]
    if strict and not (best.growth.all and best.windows.all):
        return ExitCode.DIVERGENCE
    if ranked and not strict:
        return ExitCode.OK
    found = verdict(judgement, best)
    if found == "not judged":
        return ExitCode.NOTHING_RUN
    return ExitCode.DIVERGENCE if found == "differs" else ExitCode.OK
