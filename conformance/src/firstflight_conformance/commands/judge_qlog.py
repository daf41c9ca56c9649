"""``firstflight judge-qlog``: which profile a connection followed, by the log of its stack."""

from pathlib import Path
from typing import Any

import click

from firstflight_conformance.commands.options import OutputFile
from firstflight_conformance.commands.recordings import judge_and_report, judge_options, recording_errors
from firstflight_conformance.qlog.read import Options, read_qlog
from firstflight_conformance.recording import files


@click.command("judge-qlog")
@click.argument("qlog_file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--peer", type=click.Path(path_type=Path), help="The log of the other side, for stacks that log no frames."
)
@judge_options
@click.option("--trace", type=click.IntRange(min=0), help="Which trace of a file with several.")
@click.option("--group", metavar="ID", help="Which connection of a log with several, by its group_id.")
@click.option("--initial-window", type=click.IntRange(min=1), metavar="BYTES", help="If the log does not say it.")
@click.option("--datagram", type=click.IntRange(1, 65535), metavar="BYTES", help="The controller's datagram size.")
@click.option("--save", type=OutputFile(), help="Write the recording to this file.")
def judge_qlog_command(
    *,
    qlog_file: Path,
    peer: Path | None,
    trace: int | None,
    group: str | None,
    initial_window: int | None,
    datagram: int | None,
    save: Path | None,
    as_json: bool,
    **judging: Any,
) -> None:
    """Judge the connection in the qlog FILE: where it left slow start, how its window grew, and which profiles do the same.

    Exit code 0: it was ranked, or agrees with the profile that is named; 1: it does not; 2: the log cannot be judged; 4: neither
    left slow start.
    """
    with recording_errors():
        log = read_qlog(qlog_file, peer, Options(trace, group, initial_window, datagram))
        if save is not None:
            files.save(log.recording, save)
    quality = log.recording.header.quality
    if not as_json:
        agreed = f"{quality['in_flight_agreed']} of {quality['in_flight_logged']}"
        click.echo(f"{qlog_file.name}: written by {log.recording.header.source['writer']}; {log.order}")
        click.echo(f"bytes in flight as logged: {agreed}")
        for note in log.notes:
            click.echo(f"note: {note}")
    code = judge_and_report(log.recording, agreement=round(log.agreement, 6), as_json=as_json, **judging)
    raise SystemExit(code)
