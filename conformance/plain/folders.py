"""Where the plain headers of the C port lie, for compilers and archives."""

from pathlib import Path

from firstflight_conformance.paths import REFERENCE_C
from firstflight_conformance.port import drivers, some


def plain_headers(root: Path = REFERENCE_C) -> list[Path]:
    """Return the plain headers: each has a driver beside it. Raise :class:`FileNotFoundError` if there are none."""
    return some(root, [path.with_name(f"{name}.h") for name, path in drivers(root).items()])


def plain_folders(root: Path = REFERENCE_C) -> list[Path]:
    """Return where the compiler finds plain headers, their invariants and what all drivers share."""
    return [*sorted({path.parent for path in plain_headers(root)}), root / "drive"]
