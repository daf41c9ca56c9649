"""Errors planted together with conforming choices: checks whether the first cause still has the rule of the error."""

import random
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from firstflight_conformance.format.open_points import OpenPoint, open_points
from firstflight_conformance.records.results import ExitCode, exit_code
from freedoms_support import Variant, judged, together, variants
from planted_errors import PLANTED

#: The algorithms whose open points are used.
ALGORITHMS = ("careful-resume", "hystartpp")


@dataclass(frozen=True)
class Error:
    """An error in the implementation of a profile, with its accepted rules. A right cause has one of these rules."""

    change: Variant
    breaks: frozenset[str]


@dataclass(frozen=True)
class Judged:
    """The verdict on an error combined with a choice. ``cause``: id and rules of the first cause, or empty."""

    point: str
    error: str
    rejected: bool
    named: bool
    cause: str

    @property
    def line(self) -> str:
        """The verdict as a row of a table."""
        verdict = ("named" if self.named else "not named") if self.rejected else "conforms"
        return f"| {self.point} | {self.error} | {verdict} | {self.cause} |"


@cache
def errors(algorithm: str) -> tuple[Error, ...]:
    """Return the errors of an algorithm in the order of the file."""
    data = tomllib.loads((PLANTED / "with_choices.toml").read_text("utf-8"))["error"]
    return tuple(
        Error(
            Variant(
                error["id"], error["profile"], "", "", error["profile"].replace("/", "_").replace("-", "_"),
                error.get("replace", []), error.get("base", []), rule=error["breaks"][0],
            ),
            frozenset(error["breaks"]),
        )
        for error in data
        if error["profile"].startswith(f"{algorithm}/")
    )  # fmt: skip


def points(algorithm: str) -> list[OpenPoint]:
    """Return the open points of an algorithm that a self-contained implementation can use."""
    used = {variant.point_id for variant in _conforming(algorithm)}
    return [point for point in open_points() if point.algorithm == algorithm and point.id in used]


def cells(algorithm: str) -> list[tuple[OpenPoint, Error]]:
    """Return all pairs of an error and an open point, in an order drawn by seed."""
    pairs = [(point, error) for point in points(algorithm) for error in errors(algorithm)]
    random.Random(7).shuffle(pairs)
    return pairs


def judge(point: OpenPoint, error: Error) -> Judged | None:
    """Judge an error with the first choice at a point that edits other texts; return ``None`` if all edit the same."""
    both = next(_both(point, error), None)
    if both is None:
        return None
    report = judged(both, whole=False)
    causes = () if report.diagnosis is None else report.diagnosis.causes
    cause = f"{causes[0].cause} [{', '.join(causes[0].clauses)}]" if causes else ""
    named = bool(causes) and not error.breaks.isdisjoint(causes[0].clauses)
    rejected = exit_code([report], strict=False) == ExitCode.DIVERGENCE
    return Judged(point.id, error.change.id, rejected, named, cause)


def share(judgements: Iterable[Judged]) -> tuple[int, int]:
    """Return the number of rejected errors with their rule in the first cause, and the number of rejected errors."""
    rejected = [judgement for judgement in judgements if judgement.rejected]
    return sum(judgement.named for judgement in rejected), len(rejected)


def _both(point: OpenPoint, error: Error) -> Iterator[Variant]:
    """Yield implementations with the error and a choice at the point."""
    for choice in _conforming(point.algorithm):
        if choice.point_id != point.id:
            continue
        for parts in ((error.change, choice), (choice, error.change)):
            both = together(parts)
            if both is not None:
                yield replace(both, declares=choice.declares)


def _conforming(algorithm: str) -> list[Variant]:
    """Return the conforming variants of the profile of the errors."""
    profile = errors(algorithm)[0].change.profile
    return [
        variant for variant in variants() if variant.conforms and variant.profile == profile and not variant.pending
    ]
