"""Paths of the C port: the folder of each algorithm contains sources, headers, plain headers and their tests."""

from pathlib import Path

from firstflight_conformance.paths import REFERENCE_C

#: Prefixes of file names outside the library.
_TEST_PREFIXES = ("test_", "drive_", "proof_")


def sources(root: Path = REFERENCE_C) -> list[Path]:
    """Return the sources of the library. Raise :class:`FileNotFoundError` if there are none."""
    return some(root, [path for path in root.glob("firstflight/**/*.c") if not path.name.startswith(_TEST_PREFIXES)])


def headers(root: Path = REFERENCE_C) -> list[Path]:
    """Return the headers of the library. Raise :class:`FileNotFoundError` if there are none."""
    apart = {
        *drivers(root),
        *(path.stem.removesuffix("_invariant") for path in root.glob("firstflight/*/*_invariant.h")),
    }
    paths = root.glob("firstflight/**/*.h")
    return some(root, [path for path in paths if path.stem.removesuffix("_invariant") not in apart])


def drivers(root: Path = REFERENCE_C) -> dict[str, Path]:
    """Return the paths of the drivers by header name; empty in an installed package.

    A driver is a C file that lets the tests call a plain header (one published text as a self-contained header).
    """
    return {path.stem.removeprefix("drive_"): path for path in sorted(root.glob("firstflight/*/drive_*.c"))}


def some(root: Path, paths: list[Path]) -> list[Path]:
    """Return the sorted paths. Raise :class:`FileNotFoundError` if there are none."""
    if not paths:
        raise FileNotFoundError(f"{root}: does not contain the C port")
    return sorted(paths)
