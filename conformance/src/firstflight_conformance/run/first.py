"""The vectors with which to begin: those that reject the most wrong implementations (``spec/first-vectors.json``)."""

import json
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Any

from firstflight_conformance.paths import SPEC
from firstflight_conformance.run.selection import AnyCase

PATH = SPEC / "first-vectors.json"


@cache
def known() -> dict[str, Any]:
    """Return what is known of each algorithm: its vectors in this order, and which observables show which rules."""
    found: dict[str, Any] = json.loads(PATH.read_text("utf-8"))
    return found


def first_cases(cases: Sequence[AnyCase], count: int) -> list[AnyCase]:
    """Return of each profile the ``count`` vectors that reject most, in that order; all, where it has no more that reject something."""
    rank = {name: place for one in known().values() for place, (name, *_) in enumerate(one["vectors"])}
    profiles: dict[tuple[str, str], list[AnyCase]] = defaultdict(list)
    for case in cases:
        if case.vector.id in rank:
            profiles[case.vector.algorithm, case.profile].append(case)
    return [case for of in profiles.values() for case in sorted(of, key=lambda c: rank[c.vector.id])[:count]]
