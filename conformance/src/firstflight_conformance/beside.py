"""Imports packages that exist in a checkout but not in the wheel: stimuli, and studies used by some commands."""

import sys

from firstflight_conformance.paths import CONFORMANCE


def reach(package: str) -> None:
    """Make a package of the folder ``conformance`` importable. Raise :class:`FileNotFoundError` if it is missing."""
    if not (CONFORMANCE / package / "__init__.py").is_file():
        raise FileNotFoundError(
            f"{CONFORMANCE / package}: does not exist; it is part of the checkout of Firstflight, not of the wheel"
        )
    if str(CONFORMANCE) not in sys.path:
        sys.path.insert(0, str(CONFORMANCE))
