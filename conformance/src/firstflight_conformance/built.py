"""Builds C programs from the sources of the checkout or of the installed package, with a C compiler."""

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

from firstflight_conformance.paths import BUILD, IS_CHECKOUT

#: Timeout of the compiler, in s.
_PATIENCE_S = 300


class BuildError(RuntimeError):
    """A program could not be built; the text is the reason."""


def digest(parts: Iterable[str | bytes]) -> str:
    """Return the SHA-256 of several parts, each preceded by its length."""
    whole = sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        whole.update(len(data).to_bytes(8, "big") + data)
    return whole.hexdigest()


def built(
    name: str, sources: Sequence[Path], flags: Sequence[str], *, of: Sequence[Path] = (), libraries: Sequence[str] = ()
) -> Path:
    """Return the path of the program compiled from ``sources``; compile it unless an equal one exists.

    ``name``: file name, with a digest of command and contents inserted. ``flags`` and ``libraries``: arguments of the
    compiler before and after the sources. ``of``: files that the sources include (``#include``), also in the digest.

    Raise :class:`BuildError` without a compiler or if it fails. Several processes may build it at once: each writes an
    equal file.
    """
    compiler = shlex.split(os.environ.get("CC", "cc"))
    if not compiler or shutil.which(compiler[0]) is None:
        raise BuildError(f"C compiler not found: {' '.join(compiler)}")
    command, read = [*compiler, *flags, *map(str, sources), *libraries], (*sources, *of)
    try:
        digests = _content(command, read)
        stem, _, suffix = name.partition(".")
        path = _folder() / f"{stem}-{digests[0][:16]}{suffix and '.' + suffix}"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=path.parent) as folder:
                made = Path(folder) / path.name
                _compile([*command, "-o", str(made)])
                if _content(command, read) != digests:
                    raise BuildError(f"{name}: the sources changed during compilation")
                made.replace(path)
    except OSError as error:
        raise BuildError(f"{name}: {error}") from error
    return path


def _folder() -> Path:
    if IS_CHECKOUT:
        return BUILD / "simulator"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "firstflight"


def _content(command: Sequence[str], read: Sequence[Path]) -> tuple[str, int]:
    """Return a digest of the command, the machine type and the files ``read``, and their latest ctime in ns."""
    texts = [path.read_bytes() for path in read]
    return digest([repr((command, os.uname().machine)), *texts]), max(path.stat().st_ctime_ns for path in read)


def _compile(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False, timeout=_PATIENCE_S
        )
    except subprocess.TimeoutExpired as error:
        raise BuildError(f"{command[0]}: timeout after {_PATIENCE_S} s") from error
    if done.returncode != 0:
        raise BuildError(f"{command[0]}: {done.stderr.strip()[:500]}")
