"""Copies and packs files independently of the machine: fixed times, owners, modes and order."""

import gzip
import hashlib
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path

#: The time of every file, in seconds: the default of hatchling.
EPOCH_S = 1580601600
#: Names of files and folders in a checkout that are not sources.
_LEFT_OUT = frozenset({"__pycache__", "target", "build", "node_modules", "Cargo.lock"})


def sources(folder: Path) -> Iterator[Path]:
    """Yield the source files below a folder in sorted order, without build products."""
    for path in sorted(folder.iterdir()):
        if path.name in _LEFT_OUT or path.name.startswith(".") or path.suffix == ".pyc":
            continue
        if path.is_dir():
            yield from sources(path)
        else:
            yield path


def copy(part: Path, target: Path) -> None:
    """Copy a file, or the sources below a folder."""
    for path in sources(part) if part.is_dir() else (part,):
        place = target / path.relative_to(part)
        write(place, path.read_bytes(), executable=bool(path.stat().st_mode & 0o100))


def write(place: Path, content: bytes, *, executable: bool = False) -> None:
    """Write a world-readable file."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    place.chmod(0o755 if executable else 0o644)


def pack(folder: Path, archive: Path) -> None:
    """Write a folder as ``archive``, a compressed tar file. The folder in it has the archive's name."""
    name = archive.name.removesuffix(".tar.gz")
    with (
        archive.open("wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=9, mtime=0) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for path in sources(folder):
            entry = tarfile.TarInfo(f"{name}/{path.relative_to(folder).as_posix()}")
            entry.size, entry.mtime = path.stat().st_size, EPOCH_S
            entry.mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
            with path.open("rb") as content:
                tar.addfile(entry, content)


def checksums(files: Iterable[Path]) -> str:
    """Return the checksums in the format of ``sha256sum --check``."""
    named = sorted(files, key=lambda path: path.name)
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in named)
