"""The page of freedoms: what each text leaves to the implementer, and the variants by which the suite holds both sides of it."""

import tomllib
from collections.abc import Iterable
from functools import cache
from typing import Any

from adequacy.conforming import calls_conforming, conforms
from firstflight.controller import ALGORITHMS
from firstflight_conformance.format.open_points import Kind, OpenPoint, open_points
from firstflight_conformance.paths import STIMULI, of_algorithms
from firstflight_conformance.replay.mutants import Mutant, load_mutants
from pages import markdown as md

_INTRODUCTION = """A text leaves things to the implementer: a choice among values, any value of an interval, or when a condition is noticed. An
implementation that uses such a freedom conforms. `firstflight run` finds the freedoms that one uses, any number together, lists them, and ends with exit
code 0.

- A **choice** is taken once, for the whole run.
- A **bound** is an interval; the model takes the value that it observes, and goes on from there.
- A **moment** is when a condition is noticed.

Each freedom is listed in `spec/NAME/open-points.toml` with the section that leaves it open. The test suite judges it from both sides, with variants of the [plain
programs](plain/index.md): some that use the freedom, which must be accepted with the freedom named, and neighbours that break a rule, which must be rejected with the
rule named. A variant is a program with some lines replaced, and nothing of the model that judges it. Where it can be argued whether a text leaves something open, it is
listed, with what speaks against it."""


def page() -> str:
    """Return the page."""
    blocks = ["# Freedoms", _INTRODUCTION, _overview(), _second_readings()]
    for algorithm in dict.fromkeys(point.algorithm for point in open_points()):
        points = [point for point in open_points() if point.algorithm == algorithm]
        blocks += [md.label(f"freedoms-{algorithm}"), f"## {md.plain(ALGORITHMS[algorithm].title)}", _table(points)]
    return md.page(*blocks)


@cache
def _variants() -> tuple[dict[str, Any], ...]:
    """Return the variants, each with the id of its point."""
    found = []
    for path in of_algorithms("freedoms.toml", STIMULI):
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["variant"]:
            number = entry["point"]
            own = f"{entry['profile'].split('/')[0]} {number}"
            found.append({**entry, "point": number if " " in number else own})
    return tuple(found)


def _of(points: Iterable[OpenPoint], *, conforms: bool) -> list[dict[str, Any]]:
    ids = {point.id for point in points}
    return [one for one in _variants() if one["point"] in ids and one["conforms"] is conforms]


def _overview() -> str:
    rows = []
    for algorithm in dict.fromkeys(point.algorithm for point in open_points()):
        points = [point for point in open_points() if point.algorithm == algorithm]
        counts = (_count(_of(points, conforms=conforms)) for conforms in (True, False))
        rows.append((md.ref(ALGORITHMS[algorithm].title, f"freedoms-{algorithm}"), str(len(points)), *counts))
    every = (_count(_of(open_points(), conforms=conforms)) for conforms in (True, False))
    rows.append(("**All**", str(len(open_points())), *every))
    header = ("Algorithm", "Freedoms", "Conforming variants: accepted", "Breaking variants: rejected")
    return md.list_table(header, rows, (31, 15, 27, 27), "compact")


@cache
def _mutants() -> tuple[Mutant, ...]:
    return tuple(load_mutants())


def _second_readings() -> str:
    """Return how many wrong decisions of the suite are called conforming, and what a second reader found."""
    called = {one.id: one.second_reading for one in _mutants() if conforms(one)}
    doubts = sum(said.startswith("doubts") for said in called.values())
    return f"""## Second readings

Of the mutants of the models, {len(called)} are conforming by one of these freedoms: {sum(len(point.covers) for point in open_points())} lie in an interval, the others take another choice. Somebody who had not proposed the
freedom decided each from the cited section, and agreed with {len(called) - doubts}. The other {doubts} can be argued either way: they stay open, with what speaks against
them. Where the second reader found that a text is not open, the freedom was removed: a restored t_epoch of CUBIC that counts app-limited time, and losses of Rapid Start
that are declared after its recovery."""


def _count(found: list[dict[str, Any]]) -> str:
    """Return how many of the variants the suite judges as they must be; it fails unless that is all but those pending."""
    pending = sum("pending" in one for one in found)
    judged = len(found) - pending
    return f"{judged} of {judged}" + (f", {pending} pending" if pending else "") if found else "none yet"


def _table(points: list[OpenPoint]) -> str:
    rows = [
        (
            f"**{point.number}**{'' if point.kind is Kind.CHOICE else f' ({point.kind.value})'}",
            _text(point),
            _list(_of([point], conforms=True)),
            _list(_of([point], conforms=False)),
        )
        for point in points
    ]
    return md.list_table(
        ("No.", "What the text leaves open", "Accepted", "Rejected, with the rule"), rows, (8, 42, 25, 25)
    )


def _text(point: OpenPoint) -> str:
    parts = [point.conforms and f"**{md.plain(point.conforms)}**", md.plain(point.why)]
    parts.append(f"Against it: {md.plain(point.against)}" if point.against else "")
    parts.append(_readings(point))
    parts.append(f"*{md.plain(point.source)}*" if point.source else "")
    return " ".join(part for part in parts if part)


def _readings(point: OpenPoint) -> str:
    """Return the reasons of a second reader who doubts."""
    found = [point.second_reading, *(one.second_reading for one in _mutants() if calls_conforming(point, one))]
    said = dict.fromkeys(text.removeprefix("doubts: ") for text in found if text.startswith("doubts"))
    return f"Second reader, in doubt: {md.plain('; '.join(said))}." if said else ""


def _list(found: list[dict[str, Any]]) -> str:
    said = []
    for one in found:
        rule = f" ({md.clause(one['rule'])})" if one.get("rule") else ""
        pending = f" *Pending: {md.plain(one['pending'])}.*" if "pending" in one else ""
        said.append(f"{md.plain(one['what'])}{rule}{pending}")
    return "; ".join(said) or "none yet"
