"""``firstflight judge``: behaviour of a connection, refuted profiles and possible profiles."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from firstflight_conformance.commands.judging import judge_and_report, judge_options, judging_of, recording_errors
from firstflight_conformance.commands.options import InputError, OutputFile
from firstflight_conformance.judge.formats import Source, connections, read_any
from firstflight_conformance.judge.sampled import lines as sampled_lines
from firstflight_conformance.judge.sampled import to_json as sampled_json
from firstflight_conformance.logs.capture.sockets import Sampled
from firstflight_conformance.logs.qlog.read import LogOptions
from firstflight_conformance.logs.recording import files
from firstflight_conformance.logs.recording.files import RecordingError
from firstflight_conformance.records.results import ExitCode
from firstflight_conformance.text import shown


@click.command("judge")
@click.argument("judged_files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--peer", type=click.Path(path_type=Path), help="The peer's qlog, if a qlog has no frames.")
@judge_options
@click.option("--list", "as_list", is_flag=True, help="Only list the connections of each FILE.")
@click.option("--connection", type=click.IntRange(min=1), metavar="N", help="Number in a capture, from --list.")
@click.option("--trace", type=click.IntRange(min=0), help="Index of the trace in a qlog with several traces.")
@click.option("--group", metavar="ID", help="group_id of the connection in a qlog with several.")
@click.option("--initial-window", type=click.IntRange(min=1), metavar="BYTES", help="If the file does not contain it.")
@click.option("--datagram", type=click.IntRange(1, 65535), metavar="BYTES", help="The controller's datagram size.")
@click.option("--columns", multiple=True, metavar="OURS=NAME", help="Name of a column in a table: t_us=time.")
@click.option("--save", type=OutputFile(), help="Write the recording to this file.")
def judge_command(
    *, judged_files: tuple[Path, ...], peer: Path | None, as_list: bool, save: Path | None, **options: Any
) -> None:
    """Judge the connection in each FILE; - is standard input.

    A FILE is a qlog, a TCP capture, a table of ACKs, a tcp_probe trace, output of ss -tinm or a recording. The command
    reports the behaviour of the sender, the refuted profiles and the possible profiles.

    Exit codes: 0 a profile explains all files; 1 no profile explains them, or the given profile does not;
    2 unreadable file; 4 undecided.
    """
    log_options = _log_options(options)
    judging = judging_of(**options)
    if len(judged_files) > 1 and (peer is not None or save is not None):
        raise InputError("--peer and --save require exactly one FILE")
    if as_list:
        raise SystemExit(ExitCode.USAGE if _list(judged_files) else ExitCode.OK)
    inputs, refused = _read(judged_files, peer, log_options)
    sources = [(path, source) for path, source in inputs if isinstance(source, Source)]
    sampled = [(path, samples) for path, samples in inputs if isinstance(samples, Sampled)]
    if sampled and (save is not None or (judging.as_json and len(judged_files) > 1)):
        raise InputError("output of ss: --save is not supported, and --json requires exactly one FILE")
    if save is not None and sources:
        with recording_errors():
            files.save(sources[0][1].recording, save)
    codes = [judge_and_report(sources, judging)] if sources else []
    for path, samples in sampled:
        codes.append(_report(path, samples, as_json=judging.as_json))
    raise SystemExit(ExitCode.USAGE if refused else _together(codes))


def _log_options(options: dict[str, Any]) -> LogOptions:
    """Remove the options about the files from ``options`` and return them."""
    return LogOptions(
        options.pop("trace"),
        options.pop("group"),
        options.pop("initial_window"),
        options.pop("datagram"),
        options.pop("connection"),
        _columns(options.pop("columns")),
    )


def _report(path: Path, sampled: Sampled, *, as_json: bool) -> int:
    """Print the report of a sampled socket and return its exit code."""
    if as_json:
        click.echo(json.dumps(sampled_json(sampled)))
        return ExitCode.NOTHING_RUN
    click.echo(shown(path.name))
    for line in sampled_lines(sampled):
        click.echo(shown(line, 1000))
    return ExitCode.NOTHING_RUN


def _together(codes: Sequence[int]) -> int:
    """Return the exit code of all files: a divergence takes precedence over an undecided file."""
    return next((code for code in (ExitCode.DIVERGENCE, ExitCode.NOTHING_RUN) if code in codes), ExitCode.OK)


def _read(
    paths: Sequence[Path], peer: Path | None, options: LogOptions
) -> tuple[list[tuple[Path, Source | Sampled]], bool]:
    """Return the readable files, and whether any file is unreadable. Print the errors of unreadable files."""
    sources: list[tuple[Path, Source | Sampled]] = []
    refused = False
    for path in paths:
        try:
            sources.append((path, read_any(path, peer, options)))
        except (RecordingError, OSError, ValueError) as error:
            refused = True
            click.echo(f"Error: {shown(str(error), 2000)}", err=True)
    return sources, refused


def _list(paths: Sequence[Path]) -> bool:
    """Print the connections of each file. Return whether any file is unreadable."""
    refused = False
    for path in paths:
        try:
            connection_lines = connections(path)
        except (RecordingError, OSError, ValueError) as error:
            refused = True
            click.echo(f"Error: {shown(str(error), 2000)}", err=True)
            continue
        for line in connection_lines:
            click.echo(shown(f"{path.name}: {line}" if len(paths) > 1 else line, 1000))
    return refused


def _columns(pairs: Sequence[str]) -> dict[str, str]:
    """Return our column names by column name in the file, from options OURS=NAME such as ``t_us=time``."""
    our_names = {}
    for pair in pairs:
        ours, _, name = pair.partition("=")
        if not ours or not name:
            raise InputError(f"--columns {pair}: expected OURS=NAME, for example t_us=time")
        our_names[name] = ours
    return our_names
