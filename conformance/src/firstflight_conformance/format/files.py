"""Finds vector files, reads files up to a limit, and writes files atomically."""

import os
import stat
from contextlib import suppress
from pathlib import Path

#: The largest vector that is read, about ten times the largest existing vector.
FILE_MAX_BYTES = 8 << 20
#: Flags for opening a temporary file.
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
#: The longest text of a vector.
TEXT_MAX = 4096


def json_files(folder: Path) -> list[Path]:
    """Return the files ``*.json`` below a folder, sorted. Raise :class:`OSError` for an unreadable folder."""

    def refuse(error: OSError) -> None:
        raise error

    paths = []
    for here, _, names in os.walk(folder, onerror=refuse):
        paths += [Path(here, name) for name in names if name.endswith(".json")]
    return sorted(paths)


def read_regular(path: Path, most_bytes: int = FILE_MAX_BYTES) -> bytes:
    """Return the content of a file. Raise :class:`OSError` unless it is a regular file of at most ``most_bytes``."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("is not a regular file")
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise OSError(f"is larger than {most_bytes} bytes")
    return data


def read_text(path: Path) -> str:
    """Return the UTF-8 text of a regular file.

    Raise :class:`OSError` if it is not a readable regular file of at most :data:`FILE_MAX_BYTES`, and
    :class:`ValueError` for bytes that are not UTF-8.
    """
    return read_regular(path).decode("utf-8")


def write_whole(path: Path, text: str) -> None:
    """Replace a file by a UTF-8 text, atomically and durably. Raise :class:`OSError` with the name of the file."""
    write_bytes(path, text.encode(), durable=True)


def write_bytes(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Replace the content of a file atomically; if ``path`` is a link, replace its target.

    ``durable``: flush the new content to the disk (fsync) before it replaces the old content. A device or a pipe is
    written directly. Raise :class:`OSError` with the name of the file.
    """
    place = Path(os.path.realpath(path))
    temporary = place.with_name(f".{os.urandom(8).hex()}")
    try:
        if path.exists() and not path.is_file():  # a device or a pipe cannot be replaced
            path.write_bytes(data)
            return
        with os.fdopen(os.open(temporary, _NEW, 0o666), "wb") as file:  # never through an existing link
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.replace(place)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
