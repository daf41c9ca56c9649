"""What lies beside this package in a checkout and in no wheel: the stimuli, and the studies that some commands are for."""

import sys

from firstflight_conformance.paths import CONFORMANCE


def reach(package: str) -> None:
    """Let a package of the folder ``conformance`` be imported. Raise :class:`FileNotFoundError` if there is none."""
    if not (CONFORMANCE / package / "__init__.py").is_file():
        raise FileNotFoundError(
            f"{CONFORMANCE / package}: is not there: it needs the checkout of Firstflight, and no wheel has it"
        )
    if str(CONFORMANCE) not in sys.path:
        sys.path.insert(0, str(CONFORMANCE))
