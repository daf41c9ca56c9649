"""Lists the releases of a package by the client of its registry, without building them."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from studies.history.stacks import Stack

_RELEASE = re.compile(r"v?(\d+(?:\.\d+)*)")
_SECONDS = 300


class UnreachableError(RuntimeError):
    """A needed program is missing, or the registry cannot be reached."""


@dataclass(frozen=True, slots=True)
class Release:
    """A release: version, publication date and checksum of the package, if the registry lists them in advance."""

    version: str
    released: str | None = None
    checksum: str | None = None


class NotBuiltError(RuntimeError):
    """The adapter cannot be built against a ``release``, or does not run. The text is the first error."""

    release: Release | None = None


@contextmanager
def about(release: Release) -> Iterator[Release]:
    """Add the release to a :class:`NotBuiltError`."""
    try:
        yield release
    except NotBuiltError as error:
        error.release = release
        raise


def order(version: str) -> tuple[int, ...]:
    """Return the sort key of a version."""
    match = _RELEASE.match(version)
    return tuple(int(part) for part in match[1].split(".")) if match else ()


def releases(stack: Stack) -> list[Release]:
    """Return the releases of a stack, newest first, without pre-releases and withdrawn releases.

    Raise :class:`UnreachableError` if its registry does not answer.
    """
    listed: dict[str, Callable[[Stack], Iterator[Release]]] = {
        "cargo": _crates,
        "go": _modules,
        "python": _distributions,
        "archives": lambda stack: (Release(archive["version"]) for archive in stack.archives),
        "folder": lambda stack: (Release(path.name) for path in stack.folder.iterdir() if path.is_dir()),
    }
    full_releases = [release for release in listed[stack.registry](stack) if _RELEASE.fullmatch(release.version)]
    return sorted(full_releases, key=lambda release: order(release.version), reverse=True)


def called(*command: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """Return the output of a registry's client. Raise :class:`UnreachableError` if the client is missing, or fails."""
    words = [str(word) for word in command]
    if shutil.which(words[0]) is None:
        raise UnreachableError(f"needs the program {words[0]}")
    try:
        done = subprocess.run(
            words,
            cwd=cwd,
            env=env,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as error:
        raise UnreachableError(f"{' '.join(words[:3])}: no answer in {_SECONDS} s") from error
    if done.returncode:
        last = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "failed")
        raise UnreachableError(f"{' '.join(words[:3])}: {without_host(last.strip())}")
    return done.stdout


def without_host(text: str) -> str:
    """Return a message without addresses: the mirror of a machine is private."""
    return re.sub(r"\b\w+://\S+", "(address)", text)


def _crates(stack: Stack) -> Iterator[Release]:
    """Yield the releases in cargo's index, after an update of its cache."""
    folder = fresh(stack.work / "ask")
    called("cargo", "info", "--quiet", stack.package, cwd=folder)
    for entry in crate_index(stack.package):
        if not entry["yanked"]:
            yield Release(entry["vers"], (entry.get("pubtime") or "")[:10] or None, f"sha256:{entry['cksum']}")


def crate_index(package: str) -> Iterator[dict[str, str]]:
    """Yield the entries of a package in cargo's newest cached index. Raise :class:`UnreachableError` without any."""
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    places = [*home.glob(f"registry/index/*/.cache/*/*/{package}"), *home.glob(f"registry/index/*/.cache/*/{package}")]
    if not places:
        raise UnreachableError(f"cargo has no index of {package}")
    newest = max(places, key=lambda path: path.stat().st_mtime)
    yield from (json.loads(part) for part in newest.read_bytes().split(b"\0") if part.startswith(b"{"))


def _modules(stack: Stack) -> Iterator[Release]:
    folder = fresh(stack.work / "ask")
    listed = json.loads(called("go", "list", "-m", "-versions", "-json", stack.package, cwd=folder))
    yield from (Release(version) for version in listed.get("Versions", ()))


def _distributions(stack: Stack) -> Iterator[Release]:
    text = called(sys.executable, "-m", "pip", "index", "versions", stack.package)
    line = next((line for line in text.splitlines() if line.startswith("Available versions: ")), "")
    yield from (Release(version) for version in line.partition(": ")[2].split(", ") if version)


def fresh(folder: Path) -> Path:
    """Return the folder, emptied."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def newest_first(versions: Sequence[str]) -> list[str]:
    """Return the versions, newest first."""
    return sorted(versions, key=order, reverse=True)
