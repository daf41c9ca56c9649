"""Runs mutants."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from firstflight_conformance.replay.fresh import fresh_modules
from firstflight_conformance.replay.mutants import Mutant, changed_texts


@contextmanager
def mutated(mutant: Mutant) -> Iterator[Any]:
    """Yield a module like ``firstflight.controller`` that behaves like the mutant.

    Raise :class:`MutantError` unless its text occurs exactly once.
    """
    with fresh_modules(changed_texts(mutant)) as controller:
        if mutant.readings:
            known = controller.ALGORITHMS[mutant.algorithm]
            right = known.profiles[mutant.profile]
            profiles = {**known.profiles, mutant.profile: replace(right, **_choices(mutant, right))}
            controller.ALGORITHMS[mutant.algorithm] = replace(known, profiles=profiles)
        yield controller


def _choices(mutant: Mutant, right: Any) -> dict[str, Any]:
    return {name: type(getattr(right, name))(value) for name, value in mutant.readings.items()}
