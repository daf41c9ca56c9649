"""``firstflight record``: cut and convert recordings."""

from pathlib import Path

import click

from firstflight.events import KINDS, Event
from firstflight_conformance.commands.judging import (
    chosen_profiles,
    recording_errors,
)
from firstflight_conformance.commands.options import InputError, OutputFile
from firstflight_conformance.format.canonical import vector_text
from firstflight_conformance.format.files import write_whole
from firstflight_conformance.judge.subject import flagged
from firstflight_conformance.logs.qlog.write import qlog_text
from firstflight_conformance.logs.recording import files
from firstflight_conformance.logs.recording.recording import ANSWERS
from firstflight_conformance.logs.recording.to_vector import vector_of

_FILE = click.argument("recording_file", metavar="FILE", type=click.Path(path_type=Path))
_OUT = click.argument("out", metavar="OUT", type=OutputFile())


@click.group("record")
def record_command() -> None:
    """Cut and convert recordings of events with the answers of a sender."""


@record_command.command("cut")
@_FILE
@_OUT
@click.option("--events", type=click.IntRange(min=0), help="Keep at most this number of events.")
@click.option("--ms", type=click.IntRange(min=0), help="Keep this number of milliseconds.")
def cut_command(*, recording_file: Path, out: Path, events: int | None, ms: int | None) -> None:
    """Keep the beginning of a recording."""
    with recording_errors():
        recording = files.load(recording_file)
        files.save(recording.cut(events=events, duration_ns=None if ms is None else ms * 1_000_000), out)


@record_command.command("filter")
@_FILE
@_OUT
@click.option(
    "--without", multiple=True, metavar="NAME", help="A kind of event, as ce, or an answer, as ssthresh_bytes."
)
def filter_command(*, recording_file: Path, out: Path, without: tuple[str, ...]) -> None:
    """Remove kinds of events, or kinds of answers, from a recording.

    Each --without names a kind of event, or an answer: a value that the sender reported after events. The events sent,
    ack and lost cannot be removed, because later events depend on them.
    """
    events: list[type[Event]] = [KINDS[name] for name in without if name in KINDS]
    if unknown := [name for name in without if name not in KINDS and name not in ANSWERS]:
        raise InputError(f"--without {unknown[0]}: is neither an event ({', '.join(KINDS)}) nor an answer ({', '.join(ANSWERS)})")  # fmt: skip
    with recording_errors():
        files.save(files.load(recording_file).filter(events=events, answers=without), out)


@record_command.command("to-vector")
@_FILE
@_OUT
@click.option("--profile", required=True, metavar="ALGORITHM/PROFILE", help="The profile that answers the events.")
@click.option("--id", "vector_id", metavar="ID", help="Default: derived from the file name.")
def to_vector_command(*, recording_file: Path, out: Path, profile: str, vector_id: str | None) -> None:
    """Write the events of a recording as a vector, with the answers of the model in a profile."""
    (name,) = chosen_profiles(None, profile) or [""]
    algorithm, _, chosen = name.partition("/")
    with recording_errors():
        recording = flagged(files.load(recording_file), None)
        vector = vector_of(recording, algorithm, chosen, vector_id or f"{algorithm}.recorded.{_slug(recording_file)}")
        write_whole(out, vector_text(vector))
    click.echo(f"{vector['id']}: {len(vector['events'])} of {len(recording.steps)} events")


def _slug(path: Path) -> str:
    slug = "".join(c if c.isascii() and c.isalnum() else "-" for c in path.stem.lower())
    return "-".join(part for part in slug.split("-") if part) or "recording"


@record_command.command("to-qlog")
@_FILE
@_OUT
def to_qlog_command(*, recording_file: Path, out: Path) -> None:
    """Write a recording as a qlog, for qvis and other tools."""
    with recording_errors():
        recording = files.load(recording_file)
        write_whole(out, qlog_text(recording, recording_file.stem, f"recorded from {recording.header.source['name']}"))
