"""Candidates for differences of an implementation: another reading, a mutant, or a pair of them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

from firstflight.algorithm import Computation
from firstflight.controller import ALGORITHMS, DEFAULT_BASE
from firstflight_conformance.format.layers import layers
from firstflight_conformance.format.open_points import OpenPoint
from firstflight_conformance.format.readings import ProfileTable, Reading, load_tables
from firstflight_conformance.replay.mutants import Mutant, load_mutants


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A change of the model that may explain why an implementation differs from it. ``what`` describes the change.

    ``parts``: the single changes, each another reading (choice at an ambiguity of the text) or a mutant (an edit of the
    model's source). Most candidates have one part, a pair has two. ``kind`` is the kind in the report, for example
    ``reading``, ``mutant`` or ``pair``.
    """

    id: str
    kind: str
    what: str
    parts: tuple[Mutant, ...]

    @property
    def algorithms(self) -> set[str]:
        """The algorithms with changed readings or text."""
        return {part.algorithm for part in self.parts}


def pair(first: Candidate, second: Candidate) -> Candidate:
    """Return a candidate with the changes of both."""
    return Candidate(f"{first.id} + {second.id}", "pair", f"{first.what}; {second.what}", first.parts + second.parts)


def singles(algorithm: str, profiles: Collection[str]) -> list[Candidate]:
    """Return the candidates with one change of ``algorithm``, without changes of the base controller below it.

    A candidate is a possible cause of a difference in an implementation of one of ``profiles``. Candidates with another
    reading (choice at an ambiguity of the text) come first, then mutants (edits of the model's source). A mutant
    applies to every profile, though it is written for one. A reading that is also listed as a mutant has the id of the
    mutant.
    """
    names = {profile.partition("+")[0] for profile in profiles}
    bases = {profile.partition("+")[2] for profile in profiles}
    candidates = [
        *_readings(algorithm, names),
        *(candidate for candidate in _mutants(algorithm, names) if _on(candidate, bases)),
    ]
    return list({candidate.id: candidate for candidate in candidates}.values())


def _on(candidate: Candidate, bases: set[str]) -> bool:
    """Return whether each change of a candidate applies on one of ``bases``, names of base controllers.

    A change applies if its profile is without a base suffix, or has the suffix ``+NAME`` of one of ``bases``.
    """
    return all(part.profile.partition("+")[2] in {"", *bases} for part in candidate.parts)


def of_the_base(algorithm: str, profiles: Collection[str]) -> list[Candidate]:
    """Return the candidates of the layers below the algorithm: base controllers, and SEARCH below Careful Resume.

    A candidate is a change of the model that may explain why an implementation differs from it.
    """
    if isinstance(ALGORITHMS[algorithm], Computation):
        return []
    below = {DEFAULT_BASE, *(layer for name in profiles for layer in layers(algorithm, name)[1:])}
    return [
        candidate for name, profile in sorted(below) if name != algorithm for candidate in singles(name, [str(profile)])
    ]


def _readings(algorithm: str, profiles: set[str]) -> list[Candidate]:
    table = load_tables().get(algorithm)
    if table is None:
        return []
    flips: dict[tuple[str, str | int], set[str]] = {}
    for profile in table.profiles:
        if profile.name in profiles:
            for reading in table.readings:
                for value in _values(reading, table, algorithm):
                    if value != profile.readings[reading.name]:
                        flips.setdefault((reading.name, value), set()).add(profile.name)
    return [_reading(table, name, value, sorted(profile_names)[0]) for (name, value), profile_names in flips.items()]


def _values(reading: Reading, table: ProfileTable, algorithm: str) -> list[str | int]:
    """Return the values to try: all choices; for a number, the values in profiles and mutants."""
    if reading.bounds is None:
        return list(reading.choices)
    used = [profile.readings[reading.name] for profile in table.profiles]
    flipped = [m.readings.get(reading.name) for m in _known() if m.algorithm == algorithm]
    return list(dict.fromkeys(value for value in (*used, *flipped) if value is not None))


def alternatives(point: OpenPoint, profile: str) -> list[Candidate]:
    """Return the conforming alternatives at an open point in a profile of its algorithm."""
    table = load_tables().get(point.algorithm)
    if table is None:
        return []
    own = next(table_profile for table_profile in table.profiles if table_profile.name == profile)
    readings = [
        _reading(table, name, value, profile)
        for name, values in point.readings.items()
        for value in values
        if value != own.readings[name]
    ]
    return [*readings, *(Candidate(m.id, "mutant", m.what, (m,)) for m in _known() if m.id in point.mutants)]


def together(parts: Sequence[Candidate]) -> Candidate:
    """Return a candidate with all changes; without parts it is the right model."""
    names, texts = " + ".join(part.id for part in parts), "; ".join(part.what for part in parts)
    return Candidate(names, "choices", texts, tuple(mutant for part in parts for mutant in part.parts))


def _reading(table: ProfileTable, name: str, value: str | int, profile: str) -> Candidate:
    flip = {name: value}
    for mutant in _known():
        if (mutant.algorithm, mutant.profile, mutant.readings) == (table.algorithm, profile, flip):
            return Candidate(mutant.id, "reading", mutant.what, (mutant,))
    reading = next(reading for reading in table.readings if reading.name == name)
    description = f"{reading.question} {reading.choices.get(str(value), value)}"
    part = Mutant(f"{table.algorithm}.{name}={value}", table.algorithm, profile, description, flip, "", "", "", "")
    return Candidate(part.id, "reading", description, (part,))


def _mutants(algorithm: str, profiles: set[str]) -> list[Candidate]:
    """Return a candidate for each mutant (known mistake) of the algorithm: first mutants of ``profiles``, then others.

    Mutants of ``profiles`` that change exactly one reading are omitted: :func:`_readings` returns them. Mutants of
    other profiles are included only if they edit the model's source text.
    """
    other_mutants = [m for m in _known() if m.algorithm == algorithm and m.profile.partition("+")[0] not in profiles]
    own = [m for m in _known() if m.algorithm == algorithm and m not in other_mutants and len(m.readings) != 1]
    return [
        Candidate(m.id, "mutant", m.what, (m,)) for m in (*own, *(mutant for mutant in other_mutants if mutant.file))
    ]


@cache
def _known() -> tuple[Mutant, ...]:
    return tuple(load_mutants())
