"""Files: which are vectors, how much of what others wrote is read, and reports that are whole or not there."""

import os
import stat
from contextlib import suppress
from pathlib import Path

#: The largest vector that is read, about ten times the largest that there is.
FILE_MAX_BYTES = 8 << 20
#: How a temporary file is opened.
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
#: The longest text of a vector.
TEXT_MAX = 4096


def json_files(folder: Path) -> list[Path]:
    """Return what is called ``*.json`` below a folder, sorted. Raise :class:`OSError` for a folder that cannot be read."""

    def refuse(error: OSError) -> None:
        raise error

    found = []
    for here, _, names in os.walk(folder, onerror=refuse):
        found += [Path(here, name) for name in names if name.endswith(".json")]
    return sorted(found)


def read_regular(path: Path, most_bytes: int = FILE_MAX_BYTES) -> bytes:
    """Return what a file holds. Raise :class:`OSError` for pipes, devices and whatever else is no regular file, and for a large one."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("is no regular file")
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise OSError(f"is larger than {most_bytes} bytes")
    return data


def read_text(path: Path) -> str:
    """Return the text of a regular file, in UTF-8. Raise :class:`OSError` as :func:`read_regular`, :class:`ValueError` for other bytes."""
    return read_regular(path).decode("utf-8")


def write_whole(path: Path, text: str) -> None:
    """Write a text, in UTF-8, so that the file is the old one or the new one. Raise :class:`OSError` with its name."""
    write_bytes(path, text.encode(), durable=True)


def write_bytes(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Write a file, or that to which a link leads, so that it is the old one or the new one, never half of it. Raise :class:`OSError` with its name."""
    place = Path(os.path.realpath(path))
    temporary = place.with_name(f".{os.urandom(8).hex()}")
    try:
        if path.exists() and not path.is_file():  # a device or a pipe cannot be replaced
            path.write_bytes(data)
            return
        with os.fdopen(os.open(temporary, _NEW, 0o666), "wb") as file:  # never through a link that is there
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
