"""Vectors to start with: they reject the most wrong implementations (``spec/first-vectors.json``)."""

import json
from functools import cache
from typing import Any

from firstflight_conformance.paths import SPEC

PATH = SPEC / "first-vectors.json"


@cache
def known() -> dict[str, Any]:
    """Return the entry of each algorithm in ``spec/first-vectors.json``. Cached.

    ``vectors``: in order, each rejects the largest number of wrong implementations that no earlier vector rejects.
    ``observables``: the observables in the expectations of these vectors that not every algorithm has.
    ``shown_only_by``: MUST rules with violations that ``cwnd_bytes`` does not show, with the observables that show
    them.
    """
    by_algorithm: dict[str, Any] = json.loads(PATH.read_text("utf-8"))
    return by_algorithm
