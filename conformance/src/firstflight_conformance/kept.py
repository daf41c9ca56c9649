"""What was worked out before and is kept below ``build/cache``, each under the digest of all that it depends on.

Nothing kept can be stale: where a source changes, its digest does, and what was kept is not found. The folder may be deleted at
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


@cache
def code_digest(*rooms: str) -> str:
    """Return the digest of the model, of the specification's data, and of these rooms of the tools; of this Python as well."""
    model = importlib.util.find_spec("firstflight")
    assert model is not None and model.origin is not None
    folders = [Path(model.origin).parent, *(_TOOLS / room for room in rooms), SPEC / "profiles", SPEC / "schemas"]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".toml", ".json")]
    return digest([sys.version.encode(), *(part for path in sorted(files) for part in (str(path), path.read_bytes()))])


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
        """Keep a value."""
        _write(self._folder / key, zlib.compress(marshal.dumps(value), 1))


def _write(path: Path, data: bytes) -> None:
    if IS_CHECKOUT:  # an installed package does not grow
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(path, data)
