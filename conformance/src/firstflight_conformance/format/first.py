"""Vectors to start with: they reject the most wrong implementations (``spec/first-vectors.json``)."""

import json
from functools import cache
from typing import Any

from firstflight_conformance.paths import SPEC

PATH = SPEC / "first-vectors.json"


@cache
def known() -> dict[str, Any]:
    """Return the data of each algorithm: its vectors in order, and the observables that show a rule."""
    by_algorithm: dict[str, Any] = json.loads(PATH.read_text("utf-8"))
    return by_algorithm
