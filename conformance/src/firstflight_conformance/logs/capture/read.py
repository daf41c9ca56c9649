"""Reads a capture: chooses the connection, follows it from the place of the capture, and returns notes."""

from pathlib import Path

from firstflight_conformance.logs.capture.catalogue import Entry, catalogue, with_data
from firstflight_conformance.logs.capture.connection import RECEIVER, SENDER, Connection, UnfitError, connection_of
from firstflight_conformance.logs.capture.container import ContainerError, rest_bytes
from firstflight_conformance.logs.capture.flight import ENDED, Following
from firstflight_conformance.logs.capture.frames import FramesError
from firstflight_conformance.logs.capture.order import as_the_sender_saw, has_stamps, in_order
from firstflight_conformance.logs.recording.files import RecordingError
from firstflight_conformance.logs.recording.recording import Recording

#: A connection must have at least half of the data of the largest to be judged in its place.
_LARGE_ONE_OF = 2
#: Largest number of connections tried. Each try is a pass through the capture.
_TRIED = 8


def read_capture(
    path: Path, data: bytes, initial_window_bytes: int | None = None, number: int | None = None
) -> tuple[Recording, list[str]]:
    """Return the recording of a connection, with notes. Raise :class:`RecordingError` if it cannot be judged.

    ``number``: number of the connection by decreasing data, from 1. Default: the largest captured at its sender.
    """
    try:
        entries = with_data(catalogue(data))
        if not entries:
            raise UnfitError("has no TCP segment with data")
        connection = _chosen(data, entries, number)
        if connection.side == RECEIVER:
            segments = list(connection.segments)
            connection.stamped = has_stamps(segments, connection)
            connection.segments = as_the_sender_saw(segments, connection)
        else:
            connection.segments = in_order(connection.segments, connection.sender)
        following = Following(connection)
        following.follow()
        recording = following.recording(path.name, initial_window_bytes)
    except (UnfitError, FramesError, ContainerError) as error:
        raise RecordingError(path, "file", str(error)) from error
    return recording, _notes(data, connection, following, len(entries) - 1)


def capture_connections(path: Path, data: bytes) -> list[str]:
    """Return a line for each connection with data, by decreasing data.

    Raise :class:`RecordingError` for an unreadable capture.
    """
    try:
        return [f"{number}: {entry.text()}" for number, entry in enumerate(with_data(catalogue(data)), 1)]
    except (FramesError, ContainerError) as error:
        raise RecordingError(path, "file", str(error)) from error


def _chosen(data: bytes, entries: list[Entry], number: int | None) -> Connection:
    if number is not None:
        if number > len(entries):
            raise UnfitError(f"has {len(entries)} connections with data: --connection 1 to {len(entries)}")
        return connection_of(data, entries[number - 1])
    first: Connection | UnfitError | None = None
    for entry in entries[:_TRIED]:
        if entry.data_bytes * _LARGE_ONE_OF < entries[0].data_bytes:
            break
        try:
            connection = connection_of(data, entry)
        except UnfitError as error:
            first = first or error
            continue
        if connection.side == SENDER:
            return connection
        first = first if isinstance(first, Connection) else connection
    if isinstance(first, Connection):
        return first
    assert first is not None
    raise first


def _notes(data: bytes, connection: Connection, following: Following, more_connections: int) -> list[str]:
    notes = [f"capture of {following.packets} segments of {connection.mss} bytes, {following.ended}"]
    if more_connections:
        notes.append(
            f"note: {more_connections} more connections carry data; --list shows them, --connection chooses one"
        )
    if connection.side == RECEIVER:
        by = "the time stamps" if connection.stamped else "the times of the handshake: flights may be larger"
        notes.append(f"note: captured at the receiver or between; the flight of the sender is derived from {by}")
    if connection.moved_ns:
        ms = f"{connection.moved_ns / 1e6:.3f}"
        notes.append(f"note: the sender's segments were captured {ms} ms after it sent them; that delay is taken off")
    if following.missing:
        notes.append(f"note: {following.missing} segments are missing in the capture")
    if following.missing_acks:
        notes.append(f"note: {following.missing_acks} ACKs that the sender received are missing in the capture")
    if following.ended == ENDED and (rest := rest_bytes(data)):
        notes.append(f"note: the capture ends with an incomplete frame of {rest} bytes, which was ignored")
    return notes
