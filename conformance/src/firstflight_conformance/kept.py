"""What was worked out before and is kept below ``build/cache``, each under the digest of the code and data that it was worked out with.

A value is kept only if every module of ours was loaded from a text that is in that digest, and if no data were touched since the command
began. So an edit while a run lasts keeps nothing that it has changed. The folder may be deleted at any time; where it cannot be written, as in
an installed package, nothing is kept.
"""

import importlib.util
import marshal
import os
import shutil
import sys
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from firstflight_conformance.cases.files import write_bytes
from firstflight_conformance.loaded import IS_NOTED, TEXTS
from firstflight_conformance.paths import BUILD, GENERATE, IS_CHECKOUT, ROOT, SPEC, STIMULI

CACHE = BUILD / "cache"
#: The package of the tools, as it runs, which may be that of another checkout than the data.
_TOOLS = Path(__file__).parent
#: Loaded before it is noted what is: they compute nothing.
_NOT_NOTED = {str(_TOOLS / name) for name in ("__init__.py", "loaded.py")}


@cache
def _model() -> Path:
    found = importlib.util.find_spec("firstflight")
    assert found is not None and found.origin is not None
    return Path(found.origin).parent


#: The data of the specification, which the model and the tools read, and the folders, which change with a file that is new.
_DATA = sorted(str(path) for path in SPEC.rglob("*") if path.is_dir() or path.suffix in (".toml", ".json"))


def _states() -> list[tuple[int, int, int]]:
    """Return what changes of data with each write to them, whatever is done about the times of files."""
    return [(stat.st_ino, stat.st_size, stat.st_ctime_ns) for stat in map(os.lstat, _DATA)]


#: The data when this module was loaded.
_STATES = _states()


@cache
def _hashes() -> dict[Path, bytes]:
    """Return the hashes of the data, of the code that is or may yet be loaded, and of the list of the libraries, when a digest is first asked for."""
    code = (path for folder in (_model(), _TOOLS, STIMULI, GENERATE) for path in folder.rglob("*.py"))
    read = {*code, *map(Path, _DATA), ROOT / "requirements" / "run.txt"}
    return {path: sha256(path.read_bytes()).digest() for path in sorted(read) if path.is_file()}


@cache
def code_digest(*folders: str) -> str:
    """Return the digest of the model, of the specification's data, and of these folders of the tools; of this Python and its libraries as well.

    A folder outside them is named by its path.

    What the folders share, the modules of the package itself, belongs to each. No tool loads a self-contained program.
    """
    roots = [_model(), SPEC, ROOT / "requirements", *(_TOOLS / name for name in folders)]
    used = [path for path in _hashes() if path.parent == _TOOLS or any(path.is_relative_to(root) for root in roots)]
    used = [path for path in used if not path.name.startswith("plain_")]
    return digest([sys.version.encode(), *(part for path in used for part in (str(path), _hashes()[path]))])


def portable_digest(folders: Iterable[str], more: Iterable[Path] = ()) -> str:
    """Return the digest of the model, of the specification's data, of these folders of the tools, and of more files as they are now.

    It is the same on every machine: names are relative, and neither the Python nor its libraries are in it.
    """
    roots = [_model(), SPEC, *(_TOOLS / name for name in folders)]
    parts: list[str | bytes] = []
    for root in roots:
        parts += (
            part
            for path in _hashes()
            if path.is_relative_to(root)
            for part in (path.relative_to(root.parent).as_posix(), _hashes()[path])
        )
    for path in more:
        parts += (path.name, path.read_bytes())
    return digest(parts)


def is_as_loaded() -> bool:
    """Return whether every module of ours was loaded from the text that is in the digests, and the data are those that were read."""
    return _agrees(unknown=False)


def was_changed() -> bool:
    """Return whether the code or the data are known not to be what the digests say; never those of an installed package, which nobody edits.

    Of a module that a program loaded before the tools it is not known.
    """
    return IS_NOTED and not _agrees(unknown=True)


def _agrees(*, unknown: bool) -> bool:
    try:
        return _has_digested(sum(map(len, TEXTS.values())), len(sys.modules), unknown) and _states() == _STATES
    except OSError:
        return False


@cache
def _has_digested(texts: int, modules: int, unknown: bool) -> bool:
    """Return whether the digests have the texts of all modules of ours, if need be of those that are known; it changes when more are loaded."""
    roots = (str(_model()), str(_TOOLS), str(STIMULI), str(GENERATE))
    found = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())} - _NOT_NOTED
    ours = (path for path in found if path.startswith(roots) and (path in TEXTS or not unknown))
    return all(TEXTS.get(path) == {_hashes().get(Path(path))} for path in ours)


def digest(parts: Iterable[str | bytes]) -> str:
    """Return one digest of several parts, which depends on where one ends and the next begins."""
    whole = sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        whole.update(len(data).to_bytes(8, "big") + data)
    return whole.hexdigest()


class Store:
    """Values of plain types that code has computed, each in a file of its own; those of other code are deleted."""

    def __init__(self, name: str, code: str) -> None:
        """Open what is kept under the name and this digest of the code."""
        self._folder = CACHE / f"{name}-{code[:32]}"
        for other in CACHE.glob(f"{name}-*"):
            if other != self._folder:
                shutil.rmtree(other, ignore_errors=True)

    def has(self, key: str) -> bool:
        """Return whether a value is there, be it whole or not."""
        return (self._folder / key).is_file()

    def get(self, key: str) -> Any:
        """Return the value, ``None`` if there is none."""
        try:
            data = (self._folder / key).read_bytes()
            head, packed = data[:32], data[32:]
            return marshal.loads(zlib.decompress(packed)) if head == self._seal(key, packed) else None
        except (OSError, zlib.error, EOFError, ValueError, TypeError):
            return None

    def _seal(self, key: str, packed: bytes) -> bytes:
        """Return what stands before a value: one that was written by something else, or for another key, is not found."""
        return sha256(f"{self._folder.name}/{key}:".encode() + packed).digest()

    def put(self, key: str, value: Any) -> None:
        """Keep a value, if the code that worked it out is known."""
        if IS_CHECKOUT and is_as_loaded():  # an installed package does not grow
            with suppress(OSError):
                self._folder.mkdir(parents=True, exist_ok=True)
                packed = zlib.compress(marshal.dumps(value), 1)
                write_bytes(self._folder / key, self._seal(key, packed) + packed)

    def kept(self, key: str | None, work_out: Callable[[], Any]) -> Any:
        """Return the value, worked out and kept if there is none; without a key nothing is kept."""
        value = self.get(key) if key else None
        if value is None:
            value = work_out()
            if key:
                self.put(key, value)
        return value
