"""Two sides of every freedom: a controller that uses it conforms, a similar controller just outside does not."""

from collections import Counter

import pytest

from adequacy.conforming import calls_conforming
from diagnosis_support import mutants
from every import packets
from firstflight_conformance.format.clauses import known_clauses
from firstflight_conformance.format.open_points import open_points
from firstflight_conformance.records.results import AdapterReport, ExitCode, Verdict, exit_code
from freedoms_support import (
    PACKETS_MAX,
    Variant,
    changed,
    is_rejected,
    judged,
    point_of,
    points_named,
    scripts_of,
    variants,
)

#: Points visible only in the saved set of the state, which no self-contained implementation has.
STATE_ONLY = {"bbr B8", "careful-resume A32", "tcb-sharing T5"}
#: Points of a startup algorithm on CUBIC, which no self-contained implementation composes.
ON_CUBIC = {"careful-resume A47", "jumpstart B25"}


def profiles(*, large: bool = False) -> list[str]:
    """Return the profiles that have variants: all, or only profiles with large cases."""
    found = sorted({one.profile for one in variants()})
    return [name for name in found if not large or len(scripts_of(name)) > len(scripts_of(name, whole=False))]


def parameters(*, large: bool = False) -> list[object]:
    """Return the variants, or only variants of profiles with large cases; pending variants are expected failures.

    The usual run has the first variant of each side of a point in a profile; the long run has all variants.
    """
    of = profiles(large=large)
    first = {(one.profile, one.point_id, one.conforms): one.id for one in reversed(variants())}
    usual = {(profile, name) for (profile, _, _), name in first.items()}
    return [
        pytest.param(one, id=f"{one.algorithm}.{one.id}", marks=_marks(one, usual=(one.profile, one.id) in usual))
        for one in variants()
        if one.profile in of
    ]


def _marks(one: Variant, *, usual: bool) -> list[pytest.MarkDecorator]:
    pending = [pytest.mark.xfail(run=False, reason=one.pending)] if one.pending else []
    return pending if usual else [*pending, pytest.mark.long]


@pytest.mark.parametrize("one", parameters())
def test_variants(one: Variant) -> None:
    """A conforming variant ends with 0 and its choice in the report; a breaking variant is rejected.

    The long tests check causes and cases with millions of packets, which self-contained programs process one by one.
    """
    if one.conforms:
        check(one, judged(one, whole=False))
    else:
        assert is_rejected(one)


@pytest.mark.long
@pytest.mark.parametrize(
    "one", [one for one in variants() if not one.conforms], ids=lambda one: f"{one.algorithm}.{one.id}"
)
def test_the_cause_of_a_breaking_variant(one: Variant) -> None:
    """The first cause of a breaking variant has its rule."""
    check(one, judged(one, whole=False))


@pytest.mark.long
@pytest.mark.parametrize("one", parameters(large=True))
def test_variants_by_every_case(one: Variant) -> None:
    """Variants pass or fail as expected with cases of millions of packets as well."""
    check(one, judged(one))


def test_few_cases_are_large() -> None:
    """Only two vectors have more than :data:`PACKETS_MAX` packets."""
    left = {s.case.vector.id for name in profiles() for s in scripts_of(name) if packets(s.case) > PACKETS_MAX}
    assert left == {"search.rtt.sixty-seconds", "search.threshold.huge-windows"}


def check(one: Variant, report: AdapterReport) -> None:
    """Check that a report has the expected result of a variant."""
    code = exit_code([report], strict=False)
    causes = () if report.diagnosis is None else report.diagnosis.causes
    shown = [(c.cause, c.level.value, c.clauses, f"{len(c.cases)} of {c.of}", str(c.decision)[:300]) for c in causes]
    if one.conforms:
        assert code == one.exits, shown
        assert points_named(report) == one.named, shown
    else:
        assert code == ExitCode.DIVERGENCE, [
            result.reason for result in report.results if result.verdict is not Verdict.PASS
        ]
        # A report cites our own rules only if no rule of a text is broken.
        cited, known = causes[0].clauses, known_clauses()
        assert one.rule in cited or (known[one.rule].ours and not any(known[clause].ours for clause in cited)), shown


def test_ids_are_unique() -> None:
    assert [name for name, count in Counter((one.algorithm, one.id) for one in variants()).items() if count > 1] == []


@pytest.mark.parametrize("one", variants(), ids=lambda one: f"{one.algorithm}.{one.id}")
def test_variants_are_of_a_point(one: Variant) -> None:
    """A variant has an open point and cites a text; the rule of a breaking variant is a clause."""
    assert point_of(one) is not None
    assert one.what
    assert one.source
    assert not one.rule or one.rule in known_clauses()


def test_every_freedom_has_two_sides() -> None:
    """Every freedom has a variant that conforms and one that does not."""
    sides = {(one.point_id, one.conforms) for one in variants()}
    missing = {point.id for point in open_points() for conforms in (True, False) if (point.id, conforms) not in sides}
    assert missing == STATE_ONLY | ON_CUBIC


def test_why_five_points_have_no_variant() -> None:
    """Points without variants have choices that never change a window, or only choices on CUBIC."""
    for point in open_points():
        others = [mutant for mutant in mutants().values() if calls_conforming(point, mutant)]
        if point.id in STATE_ONLY:
            assert others
            assert all("state" in mutant.equivalent for mutant in others), point.id
        if point.id in ON_CUBIC:
            assert {mutant.id for mutant in others} == set(point.mutants)
            assert all(mutant.profile.endswith("+cubic") for mutant in others), point.id


def test_a_text_that_is_not_there_is_refused() -> None:
    """A replacement whose text occurs never or twice in the implementation is an error."""
    with pytest.raises(ValueError, match="0 times"):
        changed("newreno_rfc_9002", [["no such text", ""]], "unknown_text")
    with pytest.raises(ValueError, match=r"[2-9] times"):
        changed("newreno_rfc_9002", [["Outcome.IN_RECOVERY", ""], ["outcome", ""]], "text_twice")
