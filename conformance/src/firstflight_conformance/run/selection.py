"""Selects cases. Values of one option add up, different options narrow."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase

from firstflight_conformance.format.first import known
from firstflight_conformance.simulate.cases import AnyCase

#: Maximum number of names in a message.
_LISTED = 20


class SelectionError(ValueError):
    """A selection option has a value that occurs in no case."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The selected cases. An empty member selects all.

    ``ids``: globs over case and vector ids. ``without_flags``: flags of excluded cases.
    """

    algorithms: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    without_flags: tuple[str, ...] = ()

    def check(self, cases: Sequence[AnyCase]) -> None:
        """Raise :class:`SelectionError` for a name without cases. The message lists profiles of selected algorithms."""
        _check("--algorithm", self.algorithms, {case.vector.algorithm for case in cases})
        every = {case.profile for case in cases}
        known_profiles = {case.profile for case in cases if _any(self.algorithms, {case.vector.algorithm})}
        _check("--profile", tuple(name for name in self.profiles if name not in every), known_profiles)
        _check("--tier", self.tiers, {case.vector.tier for case in cases})
        flags = {flag for case in cases for flag in case.vector.flags}
        _check("--flag", self.flags, flags)
        _check("--without-flag", self.without_flags, flags)

    def emptied(self, cases: Sequence[AnyCase]) -> str:
        """Return the option that excludes all cases, with the available values."""
        steps: tuple[tuple[str, tuple[str, ...], Callable[[AnyCase], set[str]]], ...] = (
            ("--algorithm", self.algorithms, lambda case: {case.vector.algorithm}),
            ("--profile", self.profiles, lambda case: {case.profile}),
            ("--tier", self.tiers, lambda case: {case.vector.tier}),
            ("--flag", self.flags, lambda case: set(case.vector.flags)),
            ("--id", self.ids, lambda case: {case.id}),
        )
        remaining, before = list(cases), "all cases"
        for option, names, names_of in steps:
            matching = [case for case in remaining if _matches(names, names_of(case), option)]
            selector = f"{option} {' '.join(names)}"
            if not matching:
                available = sorted({name for case in remaining for name in names_of(case)})
                return f"{selector}: no case among {before}; {_listed(available)}"
            if names:
                remaining, before = matching, f"the cases of {selector}"
        if remaining and self.without_flags:
            return f"--without-flag {' '.join(self.without_flags)}: excludes {before}"
        return "there are no cases"

    def takes(self, case: AnyCase) -> bool:
        """Return whether the case is selected."""
        vector = case.vector
        return (
            _any(self.algorithms, {vector.algorithm})
            and _any(self.profiles, {case.profile})
            and _any(self.tiers, {vector.tier})
            and _any(self.flags, set(vector.flags))
            and set(vector.flags).isdisjoint(self.without_flags)
            and (not self.ids or any(fnmatchcase(case.id, glob) or fnmatchcase(vector.id, glob) for glob in self.ids))
        )


def _any(names: tuple[str, ...], available: set[str]) -> bool:
    return not names or not available.isdisjoint(names)


def _matches(patterns: tuple[str, ...], names: set[str], option: str) -> bool:
    if option == "--id":
        return not patterns or any(
            fnmatchcase(name, glob) or fnmatchcase(name.rpartition("@")[0], glob) for glob in patterns for name in names
        )
    return _any(patterns, names)


def _check(option: str, names: tuple[str, ...], known: set[str]) -> None:
    for name in names:
        if known and name not in known:
            raise SelectionError(f"{option} {name}: {unknown_hint(name, sorted(known))}")


def unknown_hint(name: str, known: list[str]) -> str:
    """Return a message for an unknown name: a similar name and the available names."""
    spelt = name.lower().replace("+", "p")  # hystart++ is not hystart
    hint = f"did you mean {spelt}? " if spelt in known else near_hint(name, known)
    return f"unknown; {hint}{_listed(known)}"


def near_hint(name: str, known: Iterable[str]) -> str:
    """Return a question with the most similar name, or an empty text."""
    near = get_close_matches(name, known, 1)
    return f"did you mean {near[0]}? " if near else ""


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"available: {', '.join(names[:_LISTED]) or 'none'}{more}"


def first_cases(cases: Sequence[AnyCase], count: int) -> list[AnyCase]:
    """Return up to ``count`` cases per profile, by rank in ``spec/first-vectors.json``, without unranked cases.

    Cases whose vectors reject more wrong implementations come first.
    """
    rank = {name: place for algorithm in known().values() for place, (name, *_) in enumerate(algorithm["vectors"])}
    profiles: dict[tuple[str, str], list[AnyCase]] = defaultdict(list)
    for case in cases:
        if case.vector.id in rank:
            profiles[case.vector.algorithm, case.profile].append(case)
    return [
        case
        for profile_cases in profiles.values()
        for case in sorted(profile_cases, key=lambda c: rank[c.vector.id])[:count]
    ]
