"""Identity of the code that computes a sweep: version and digest of the sources."""

from pathlib import Path

import firstflight
from firstflight_conformance import port
from firstflight_conformance.built import digest
from firstflight_conformance.paths import CONFORMANCE, SPEC
from firstflight_conformance.version import __version__

_MODEL, _TOOLS = Path(firstflight.__file__).parent, Path(__file__).parents[1]
#: Source folders that rows depend on: the model and its data, the tools, and the C simulator with its presets.
_FOLDERS = (
    _MODEL,
    SPEC,
    *(_TOOLS / name for name in ("format", "simulate", "sweeps")),
    CONFORMANCE / "simulator",
    CONFORMANCE / "presets",
)
_SUFFIXES = frozenset({".py", ".toml", ".json", ".c", ".h"})


def code() -> str:
    """Return the version and a digest of the sources, equal on every machine."""
    parts: list[str | bytes] = []
    for folder in _FOLDERS:
        for path in sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES and path.is_file()):
            parts += (path.relative_to(folder.parent).as_posix(), path.read_bytes())
    for path in sorted([*port.sources(), *port.headers()]):
        parts += (path.name, path.read_bytes())
    return f"{__version__}+{digest(parts)[:12]}"
