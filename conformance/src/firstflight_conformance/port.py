"""Where the parts of the C port lie: in the folder of an algorithm its sources, its headers, and its plain headers with what tests them."""

from pathlib import Path

from firstflight_conformance.paths import REFERENCE_C

#: How the names of files begin that are no part of the library.
_BESIDE = ("test_", "drive_", "proof_")


def sources(root: Path = REFERENCE_C) -> list[Path]:
    """Return the sources of the library. Raise :class:`FileNotFoundError` if there are none."""
    return _some(root, [path for path in root.glob("firstflight/**/*.c") if not path.name.startswith(_BESIDE)])


def headers(root: Path = REFERENCE_C) -> list[Path]:
    """Return the headers of the library. Raise :class:`FileNotFoundError` if there are none."""
    apart = {
        *drivers(root),
        *(path.stem.removesuffix("_invariant") for path in root.glob("firstflight/*/*_invariant.h")),
    }
    found = root.glob("firstflight/**/*.h")
    return _some(root, [path for path in found if path.stem.removesuffix("_invariant") not in apart])


def drivers(root: Path = REFERENCE_C) -> dict[str, Path]:
    """Return what drives the plain headers, by their names; an installed package has none."""
    return {path.stem.removeprefix("drive_"): path for path in sorted(root.glob("firstflight/*/drive_*.c"))}


def plain_headers(root: Path = REFERENCE_C) -> list[Path]:
    """Return the plain headers: each has a driver beside it. Raise :class:`FileNotFoundError` if there are none."""
    return _some(root, [path.with_name(f"{name}.h") for name, path in drivers(root).items()])


def plain_folders(root: Path = REFERENCE_C) -> list[Path]:
    """Return where the compiler finds plain headers, their invariants and what all drivers share."""
    return [*sorted({path.parent for path in plain_headers(root)}), root / "drive"]


def _some(root: Path, found: list[Path]) -> list[Path]:
    if not found:
        raise FileNotFoundError(f"{root}: the C port is not here")
    return sorted(found)
