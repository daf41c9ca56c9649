"""What was worked out before and is kept below ``build/cache``, each under the digest of the code and data that it was worked out with.

The digest is of what was loaded: it is taken when this module is, before anything is computed, and a value is kept only if the files
are still those and every module of ours was loaded from their text. So an edit while a run lasts keeps nothing. The folder may be deleted at
any time; where it cannot be written, as in an installed package, nothing is kept.
"""

import importlib.util
import marshal
import shutil
import sys
import zlib
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from firstflight_conformance.cases.files import write_bytes
from firstflight_conformance.paths import BUILD, IS_CHECKOUT, SPEC

CACHE = BUILD / "cache"
#: The package of the tools, as it runs, which may be that of another checkout than the data.
_TOOLS = Path(__file__).parent
#: In the flags of a compiled module: it holds the hash of its source, and Python looks at that before it loads the module.
_CHECKED_HASH = 0b11


def _model() -> Path:
    found = importlib.util.find_spec("firstflight")
    assert found is not None and found.origin is not None
    return Path(found.origin).parent


def _files() -> list[Path]:
    """Return the files of the model, of the tools and of the data that both read, which decide what is worked out."""
    folders = (_model(), _TOOLS, SPEC / "profiles", SPEC / "schemas")
    found = (path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".toml", ".json"))
    return sorted({*found, *SPEC.glob("*.toml")})


def _hashes() -> dict[Path, bytes]:
    return {path: sha256(path.read_bytes()).digest() for path in _files()}


def _states() -> list[tuple[Path, int, int, int]]:
    """Return what changes of a file with each write to it, whatever is done about its times."""
    found = ((path, path.stat()) for path in _files())
    return [(path, stat.st_ino, stat.st_size, stat.st_ctime_ns) for path, stat in found]


#: The files when this module was loaded.
_STATES, _LOADED = _states(), _hashes()


@cache
def code_digest(*folders: str) -> str:
    """Return the digest of the loaded model, of the specification's data, and of these folders of the tools; of this Python as well.

    What the folders share, the modules of the package itself, belongs to each.
    """
    roots = [_model(), SPEC, *(_TOOLS / name for name in folders)]
    used = [p for p in _LOADED if p.parent == _TOOLS or any(p.is_relative_to(root) for root in roots)]
    return digest([sys.version.encode(), *(part for path in used for part in (str(path), _LOADED[path]))])


def is_as_loaded() -> bool:
    """Return whether the files are those that were loaded, and every module of ours was loaded from its file."""
    try:
        from_source = [_is_from_source(module) for module in _modules()]  # each: those that are not are mended
        return (_states() == _STATES or _hashes() == _LOADED) and all(from_source)
    except OSError:
        return False


def _modules() -> list[Any]:
    """Return the modules that were loaded of the model and of the tools."""
    roots = (str(_model()), str(_TOOLS))
    return [found for found in sys.modules.values() if (getattr(found, "__file__", None) or "").startswith(roots)]


@cache
def _is_from_source(module: Any) -> bool:
    """Return whether a module was compiled from the text that its file has: just now, or earlier with the hash of this very text.

    A compiled module that goes by size and time is replaced by one that holds the hash, for the next run.
    """
    source = Path(module.__file__)
    compiled = Path(getattr(module, "__cached__", None) or importlib.util.cache_from_source(str(source)))
    if not compiled.is_file():
        return True
    head, text = compiled.read_bytes()[:16], source.read_bytes()
    if head[4] & _CHECKED_HASH == _CHECKED_HASH:
        return head[8:] == importlib.util.source_hash(text)
    with suppress(OSError):
        code = compile(text, str(source), "exec", dont_inherit=True)
        head = head[:4] + _CHECKED_HASH.to_bytes(4, "little") + importlib.util.source_hash(text)
        write_bytes(compiled, head + marshal.dumps(code))
    return False


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
            return marshal.loads(zlib.decompress((self._folder / key).read_bytes()))
        except (OSError, zlib.error, EOFError, ValueError, TypeError):
            return None

    def put(self, key: str, value: Any) -> None:
        """Keep a value, if the code that worked it out is known."""
        if IS_CHECKOUT and is_as_loaded():  # an installed package does not grow
            with suppress(OSError):
                self._folder.mkdir(parents=True, exist_ok=True)
                write_bytes(self._folder / key, zlib.compress(marshal.dumps(value), 1))
