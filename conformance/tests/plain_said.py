"""Test data of each self-contained reference implementation: ``conformance/stimuli/ALGORITHM/plain_NAME.toml``."""

import tomllib
from dataclasses import dataclass, field

from firstflight_conformance.paths import STIMULI


@dataclass(frozen=True)
class Said:
    """Test data of one program.

    ``planted``: errors that vectors and random streams must find, as pairs of a text and its replacement.
    ``most_bytes``: maximum size of the header's state. ``no_header``: reason for a missing header. ``seed``: of random
    streams that reach every outcome. ``python_only``: functions that differ in the header, with the reason. ``c_only``:
    functions only in the header: properties of its state, parts of ``on_event``, and functions of integers and base.
    """

    planted: list[list[str]] = field(default_factory=list)
    most_bytes: int = 640
    no_header: str = ""
    seed: int = 504
    python_only: dict[str, str] = field(default_factory=dict)
    c_only: list[str] = field(default_factory=list)


def said_of(name: str) -> Said:
    """Return the test data of a program."""
    (path,) = STIMULI.glob(f"*/plain_{name}.toml")
    return Said(**tomllib.loads(path.read_text(encoding="utf-8")))
