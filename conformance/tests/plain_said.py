"""What the tests know of each self-contained reference implementation: ``conformance/stimuli/ALGORITHM/plain_NAME.toml``."""

import tomllib
from dataclasses import dataclass, field

from firstflight_conformance.paths import STIMULI


@dataclass(frozen=True)
class Said:
    """What is said of one program.

    ``planted``: errors that vectors and random streams must find: what is replaced, and what by. ``most_bytes``: of the state of its
    header. ``no_header``: why it has none, if so. ``seed``: of random streams that reach every outcome. ``python_only``: functions that the header has otherwise, with the reason; ``c_only``: functions of the header that the program
    has not: properties of its state, parts of its ``on_event``, and what its integers and its base do.
    """

    planted: list[list[str]] = field(default_factory=list)
    most_bytes: int = 640
    no_header: str = ""
    seed: int = 504
    python_only: dict[str, str] = field(default_factory=dict)
    c_only: list[str] = field(default_factory=list)


def said_of(name: str) -> Said:
    """Return what is said of a program."""
    (path,) = STIMULI.glob(f"*/plain_{name}.toml")
    return Said(**tomllib.loads(path.read_text(encoding="utf-8")))
