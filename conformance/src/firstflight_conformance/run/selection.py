"""Selects cases. Values of one option add up, different options narrow."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase

from firstflight_conformance.cases.computations import ComputationCase
from firstflight_conformance.cases.vectors import Case
from firstflight_conformance.run.stimulus import StimulusCase

AnyCase = Case | ComputationCase | StimulusCase


class SelectionError(ValueError):
    """An option names something that no case has."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is asked for. An empty member asks for everything. ``ids`` are globs over case and vector ids."""

    algorithms: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    def check(self, cases: Sequence[AnyCase]) -> None:
        """Raise :class:`SelectionError` if a name occurs in no case, saying which there are."""
        _check("--algorithm", self.algorithms, {case.vector.algorithm for case in cases})
        _check("--profile", self.profiles, {case.profile for case in cases})
        _check("--tier", self.tiers, {case.vector.tier for case in cases})
        _check("--flag", self.flags, {flag for case in cases for flag in case.vector.flags})

    def takes(self, case: AnyCase) -> bool:
        """Return whether the case is selected."""
        vector = case.vector
        return (
            _any(self.algorithms, {vector.algorithm})
            and _any(self.profiles, {case.profile})
            and _any(self.tiers, {vector.tier})
            and _any(self.flags, set(vector.flags))
            and (not self.ids or any(fnmatchcase(case.id, glob) or fnmatchcase(vector.id, glob) for glob in self.ids))
        )


def _any(wanted: tuple[str, ...], there: set[str]) -> bool:
    return not wanted or not there.isdisjoint(wanted)


def _check(option: str, wanted: tuple[str, ...], known: set[str]) -> None:
    for name in wanted:
        if known and name not in known:
            raise SelectionError(f"{option} {name}: {unknown_hint(name, sorted(known))}")


def unknown_hint(name: str, known: list[str]) -> str:
    """Return what exists instead of an unknown name."""
    spelt = name.lower().replace("+", "p")  # hystart++ is not hystart
    near = [spelt] if spelt in known else get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    shown = ", ".join(known[:20]) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
    return f"unknown; {hint}there are {shown or 'none'}"
