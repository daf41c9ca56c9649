"""``firstflight judge``: what a connection did, which profiles that refutes, and which it may be."""

from pathlib import Path
from typing import Any

import click

from firstflight_conformance.commands.judging import judge_and_report, judge_options, judging_of, recording_errors
from firstflight_conformance.commands.options import InputError, OutputFile
from firstflight_conformance.judge.formats import Source, read
from firstflight_conformance.qlog.read import Options
from firstflight_conformance.recording import files


@click.command("judge")
@click.argument("judged_files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--peer", type=click.Path(path_type=Path), help="The qlog of the other side, where one has no frames.")
@judge_options
@click.option("--trace", type=click.IntRange(min=0), help="Which trace of a qlog with several.")
@click.option("--group", metavar="ID", help="Which connection of a qlog with several, by its group_id.")
@click.option("--initial-window", type=click.IntRange(min=1), metavar="BYTES", help="If the file does not say it.")
@click.option("--datagram", type=click.IntRange(1, 65535), metavar="BYTES", help="The controller's datagram size.")
@click.option("--save", type=OutputFile(), help="Write the recording to this file.")
def judge_command(
    *,
    judged_files: tuple[Path, ...],
    peer: Path | None,
    trace: int | None,
    group: str | None,
    initial_window: int | None,
    datagram: int | None,
    save: Path | None,
    **options: Any,
) -> None:
    """Judge the connection in each FILE, a qlog, a TCP capture taken at the sender, a table of ACKs or a recording: what the sender did, what that refutes, and which profiles it may be.

    Exit code 0: a profile explains all files; 1: none of ours does, or not the one asked for; 2: a file cannot be read; 4: these
    recordings do not decide it.
    """
    judging = judging_of(**options)
    if len(judged_files) > 1 and (peer is not None or save is not None):
        raise InputError("--peer and --save go with one FILE")
    with recording_errors():
        sources = [(path, read(path, peer, Options(trace, group, initial_window, datagram))) for path in judged_files]
        if save is not None:
            files.save(_only(sources).recording, save)
    raise SystemExit(judge_and_report(sources, judging))


def _only(sources: list[tuple[Path, Source]]) -> Source:
    ((_, source),) = sources
    return source
