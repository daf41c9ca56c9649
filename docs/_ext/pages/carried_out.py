"""Clauses that the vectors of a page exercise: clauses of every vector once for the page, the others at each vector."""

import re
from collections.abc import Mapping, Sequence, Set
from typing import TypeAlias

from firstflight_conformance.format.vectors import Vector
from pages import markdown as md

#: Clauses by profile.
Clauses: TypeAlias = Mapping[str, Set[str]]


def of_vector(vector: Vector) -> Clauses:
    """Return the clauses that each profile of a vector exercises."""
    return {profile: set(expectation.clauses) for profile, expectation in vector.profiles.items()}


def of_every(vectors: Sequence[Vector]) -> Clauses:
    """Return the clauses that each profile exercises in all vectors where it is judged; empty for a single vector."""
    common: dict[str, Set[str]] = {}
    for vector in vectors:
        for profile, mine in of_vector(vector).items():
            common[profile] = common.get(profile, mine) & mine
    return common if len(vectors) > 1 else {}


def remaining_clauses(vector: Vector, every: Clauses) -> Clauses:
    """Return the other clauses that the profiles of a vector exercise."""
    return {profile: mine - every.get(profile, set()) for profile, mine in of_vector(vector).items()}


def listed(title: str, clauses: Clauses) -> str:
    """Return a list under a title: each clause once, grouped by its profiles; clauses of all profiles come first."""
    together = _together(clauses)
    if not together:
        return ""
    if len(clauses) == 1:
        return _container(f"{title}: {_links(together[next(iter(together))])}.")
    items = [f"- {_where(profiles, list(clauses))}: {_links(names)}" for profiles, names in together.items()]
    return _container(f"{title}:\n\n" + "\n".join(items))


def _together(clauses: Clauses) -> dict[tuple[str, ...], list[str]]:
    """Return the clauses grouped by the profiles that exercise them, the largest sets of profiles first."""
    carried_out: dict[str, tuple[str, ...]] = {}
    for name in sorted({name for mine in clauses.values() for name in mine}):
        carried_out[name] = tuple(profile for profile, mine in clauses.items() if name in mine)
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, profiles in sorted(carried_out.items(), key=lambda pair: -len(pair[1])):
        groups.setdefault(profiles, []).append(name)
    return groups


def _where(profiles: Sequence[str], every: Sequence[str]) -> str:
    remaining = [profile for profile in every if profile not in profiles]
    if not remaining:
        return "all profiles"
    few, before = (remaining, "all but ") if len(remaining) < len(profiles) else (profiles, "")
    return before + ", ".join(md.code(profile) for profile in few)


def _links(names: Sequence[str]) -> str:
    return ", ".join(md.clause(name) for name in names)


def _container(text: str) -> str:
    return f":::{{container}} carried-out\n{text}\n:::"


def linked_once(page: str) -> str:
    """Return a page where only the first mention of each clause is a link: all links would be a fifth of the pages."""
    seen: set[str] = set()

    def link_or_name(link: re.Match[str]) -> str:
        again = link[1] in seen
        seen.add(link[1])
        return link[1] if again else link[0]

    return re.sub(r"\{clause\}`([^`]+)`", link_or_name, page)
