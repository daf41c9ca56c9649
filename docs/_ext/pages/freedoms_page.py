"""The pages of freedoms: choices that a text leaves to the implementer, with the variants that the suite accepts and rejects."""

import tomllib
from collections.abc import Iterable
from functools import cache
from typing import Any

from adequacy.conforming import conforms
from firstflight.controller import ALGORITHMS
from firstflight_conformance.format.open_points import OpenPoint, open_points
from firstflight_conformance.paths import STIMULI, of_algorithms
from firstflight_conformance.replay.mutants import load_mutants
from pages import markdown as md
from pages import site

_INTRODUCTION = """A text leaves some choices to the implementer. An implementation that uses such a freedom conforms. `firstflight run` detects the
freedoms of your implementation, in any combination, lists them, and ends with exit code 0. Each algorithm has a page:"""
_EXPLANATION = """| kind | meaning |
|---|---|
| **choice** | one of several values, for the whole run |
| **bound** | an interval; the model uses the observed value, and continues from there |
| **moment** | the event when a condition is detected |

- Each freedom is listed in `spec/NAME/open-points.toml` with the section that leaves it open.
- The test suite judges it from both sides, with variants of the [plain programs](plain/index.md). Variants that use the freedom must be accepted, and the
  report must list the freedom. Similar variants that break a rule must be rejected, and the report must list the rule.
- A variant is a plain program with some lines replaced; it shares no code with the model that judges it.
- A freedom that can be argued either way is listed with the arguments against it."""


def pages() -> dict[str, str]:
    """Return the list and the pages of the algorithms, by the names of their documents."""
    by_algorithm: dict[str, list[OpenPoint]] = {}
    for point in open_points():
        by_algorithm.setdefault(point.algorithm, []).append(point)
    documents = {f"freedoms/{algorithm}": _page(algorithm, points) for algorithm, points in by_algorithm.items()}
    toctree = md.hidden_toctree(documents)
    return {
        "freedoms": md.page("# Freedoms", _INTRODUCTION, _overview(), _EXPLANATION, _second_readings(), toctree)
    } | documents


def _page(algorithm: str, points: list[OpenPoint]) -> str:
    return md.page(
        md.label(_anchor(algorithm)),
        f"# Freedoms of {md.plain(ALGORITHMS[algorithm].title)}",
        md.list_table(("No.", "Kind", "Conforms"), [_row(point) for point in points], (10, 12, 78), "compact"),
        "Each freedom has its reason, the variants that the suite accepts, and the variants that it rejects with the rule that they break. "
        "[Freedoms](../freedoms.md) explains the kinds.",
        *(_section(point) for point in points),
    )


def _anchor(algorithm: str) -> str:
    return f"freedoms-{algorithm}"


def _row(point: OpenPoint) -> tuple[str, ...]:
    return md.ref(point.number, _target(point)), point.kind.value, md.plain(point.conforms)


def _target(point: OpenPoint) -> str:
    return site.anchor("freedom", f"{point.algorithm}-{point.number}")


def _section(point: OpenPoint) -> str:
    facts = [
        ("Why", md.plain(point.why)),
        ("Against it", md.plain(point.against) if point.against else ""),
        ("Second reader, in doubt", md.plain(_doubts(point))),
        ("Source", f"*{md.plain(point.source)}*" if point.source else ""),
        ("Accepted", _list(_of([point], conforms=True))),
        ("Rejected, with the rule", _list(_of([point], conforms=False))),
    ]
    lines = (f"- **{name}**:{text if text.startswith(chr(10)) else f' {text}'}" for name, text in facts if text)
    return md.page(
        md.label(_target(point)),
        f"## {point.number}",
        f"**{md.plain(point.conforms)}**" if point.conforms else "",
        "\n".join(lines),
    )


@cache
def _variants() -> tuple[dict[str, Any], ...]:
    """Return the variants, each with the id of its point."""
    variants = []
    for path in of_algorithms("freedoms.toml", STIMULI):
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        for entry in data["variant"]:
            number = entry["point"]
            own = f"{entry.get('profile', data['profile']).split('/')[0]} {number}"
            variants.append({**entry, "point": number if " " in number else own})
    return tuple(variants)


def _of(points: Iterable[OpenPoint], *, conforms: bool) -> list[dict[str, Any]]:
    ids = {point.id for point in points}
    return [variant for variant in _variants() if variant["point"] in ids and ("rule" not in variant) is conforms]


def _overview() -> str:
    rows = []
    for algorithm in dict.fromkeys(point.algorithm for point in open_points()):
        points = [point for point in open_points() if point.algorithm == algorithm]
        counts = (_count(_of(points, conforms=conforms)) for conforms in (True, False))
        link = md.old_anchor(_anchor(algorithm), md.ref(ALGORITHMS[algorithm].title, _anchor(algorithm)))
        rows.append((link, str(len(points)), *counts))
    every = (_count(_of(open_points(), conforms=conforms)) for conforms in (True, False))
    rows.append(("**All**", str(len(open_points())), *every))
    header = ("Algorithm", "Freedoms", "Conforming variants: accepted", "Breaking variants: rejected")
    return md.list_table(header, rows, (31, 15, 27, 27), "compact")


def _second_readings() -> str:
    """Return the number of mutants that count as conforming, and the findings of a second reader."""
    called = sum(conforms(mutant) for mutant in load_mutants())
    covered = sum(len(point.covers) for point in open_points())
    doubts = sum(bool(_doubts(point)) for point in open_points())
    return f"""## Second readings

{called} mutants of the models conform by one of these freedoms: {covered} are within an interval, the others make another choice. A second reader, who had not proposed the
freedom, decided each freedom from the cited section, and agreed with {len(open_points()) - doubts}. The other {doubts} can be argued either way: they stay open, with the arguments against
them. If the second reader found that a text is not open, the freedom was removed: a restored t_epoch of CUBIC that counts app-limited time, and losses of Rapid Start
that are declared after its recovery."""


def _count(variants: list[dict[str, Any]]) -> str:
    """Return the number of variants that the suite judges correctly. Fail unless these are all but the pending ones."""
    pending = sum("pending" in variant for variant in variants)
    judged = len(variants) - pending
    return f"{judged} of {judged}" + (f", {pending} pending" if pending else "") if variants else "none yet"


def _doubts(point: OpenPoint) -> str:
    """Return the doubts of a second reader, or an empty text."""
    verdict, _, reason = point.second_reading.partition(": ")
    return f"{reason}." if verdict == "doubts" else ""


def _list(variants: list[dict[str, Any]]) -> str:
    """Return the variants as a nested list."""
    bullets = []
    for variant in variants:
        rule = f" ({md.clause(variant['rule'])})" if variant.get("rule") else ""
        pending = f" *Pending: {md.plain(variant['pending'])}.*" if "pending" in variant else ""
        bullets.append(f"\n  - {md.plain(variant['what'])}{rule}{pending}")
    return "".join(bullets) or "none yet"
