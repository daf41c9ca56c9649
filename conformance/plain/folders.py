"""Locates the plain headers of the C port, for compilers and archives."""

from pathlib import Path

from firstflight_conformance.paths import REFERENCE_C
from firstflight_conformance.port import drivers, some


def plain_headers(root: Path = REFERENCE_C) -> list[Path]:
    """Return the plain headers: headers with a driver next to them. Raise :class:`FileNotFoundError` without any."""
    return some(root, [path.with_name(f"{name}.h") for name, path in drivers(root).items()])


def plain_folders(root: Path = REFERENCE_C) -> list[Path]:
    """Return the include folders of plain headers, their invariants and the common files of drivers."""
    return [*sorted({path.parent for path in plain_headers(root)}), root / "drive"]
