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
    names = sorted({variant.profile for variant in variants()})
    return [name for name in names if not large or len(scripts_of(name)) > len(scripts_of(name, whole=False))]


def parameters(*, large: bool = False) -> list[object]:
    """Return the variants, or only variants of profiles with large cases; pending variants are expected failures.

    The usual run has the first variant of each side of a point in a profile; the long run has all variants.
    """
    selected_profiles = profiles(large=large)
    first = {(variant.profile, variant.point_id, variant.conforms): variant.id for variant in reversed(variants())}
    usual = {(profile, name) for (profile, _, _), name in first.items()}
    return [
        pytest.param(
            variant,
            id=f"{variant.algorithm}.{variant.id}",
            marks=_marks(variant, usual=(variant.profile, variant.id) in usual),
        )
        for variant in variants()
        if variant.profile in selected_profiles
    ]


def _marks(variant: Variant, *, usual: bool) -> list[pytest.MarkDecorator]:
    pending = [pytest.mark.xfail(run=False, reason=variant.pending)] if variant.pending else []
    return pending if usual else [*pending, pytest.mark.long]


@pytest.mark.parametrize("variant", parameters())
def test_only_conforming_variants_pass(variant: Variant) -> None:
    """A conforming variant ends with 0 and its choice in the report; a breaking variant is rejected.

    The long tests check causes and cases with millions of packets, which self-contained programs process one by one.
    """
    if variant.conforms:
        check(variant, judged(variant, whole=False))
    else:
        assert is_rejected(variant)


@pytest.mark.long
@pytest.mark.parametrize(
    "variant",
    [variant for variant in variants() if not variant.conforms],
    ids=lambda variant: f"{variant.algorithm}.{variant.id}",
)
def test_first_cause_of_a_breaking_variant_has_its_rule(variant: Variant) -> None:
    """The first cause of a breaking variant has its rule."""
    check(variant, judged(variant, whole=False))


@pytest.mark.long
@pytest.mark.parametrize("variant", parameters(large=True))
def test_variants_have_expected_verdicts_on_every_case(variant: Variant) -> None:
    """Variants pass or fail as expected with cases of millions of packets as well."""
    check(variant, judged(variant))


def test_few_cases_are_large() -> None:
    """Only two vectors have more than :data:`PACKETS_MAX` packets."""
    large_vectors = {s.case.vector.id for name in profiles() for s in scripts_of(name) if packets(s.case) > PACKETS_MAX}
    assert large_vectors == {"search.rtt.sixty-seconds", "search.threshold.huge-windows"}


def check(variant: Variant, report: AdapterReport) -> None:
    """Check that a report has the expected result of a variant."""
    code = exit_code([report], strict=False)
    causes = () if report.diagnosis is None else report.diagnosis.causes
    summary = [(c.cause, c.level.value, c.clauses, f"{len(c.cases)} of {c.of}", str(c.decision)[:300]) for c in causes]
    if variant.conforms:
        assert code == variant.exits, summary
        assert points_named(report) == variant.named, summary
    else:
        assert code == ExitCode.DIVERGENCE, [
            result.reason for result in report.results if result.verdict is not Verdict.PASS
        ]
        # A report cites our own rules only if no rule of a text is broken.
        cited, known = causes[0].clauses, known_clauses()
        assert variant.rule in cited or (
            known[variant.rule].ours and not any(known[clause].ours for clause in cited)
        ), summary


def test_ids_are_unique() -> None:
    assert [
        name for name, count in Counter((variant.algorithm, variant.id) for variant in variants()).items() if count > 1
    ] == []


@pytest.mark.parametrize("variant", variants(), ids=lambda variant: f"{variant.algorithm}.{variant.id}")
def test_variants_have_an_open_point_and_a_text(variant: Variant) -> None:
    """A variant has an open point and cites a text; the rule of a breaking variant is a clause."""
    assert point_of(variant) is not None
    assert variant.what
    assert variant.source or variant.rule
    assert not variant.rule or variant.rule in known_clauses()


def test_freedoms_have_conforming_and_breaking_variants() -> None:
    """Every freedom has a variant that conforms and one that does not."""
    sides = {(variant.point_id, variant.conforms) for variant in variants()}
    missing = {point.id for point in open_points() for conforms in (True, False) if (point.id, conforms) not in sides}
    assert missing == STATE_ONLY | ON_CUBIC


def test_points_without_variants_are_state_only_or_on_cubic() -> None:
    """Points without variants have choices that never change a window, or only choices on CUBIC."""
    for point in open_points():
        conforming = [mutant for mutant in mutants().values() if calls_conforming(point, mutant)]
        if point.id in STATE_ONLY:
            assert conforming
            assert all("state" in mutant.equivalent for mutant in conforming), point.id
        if point.id in ON_CUBIC:
            assert {mutant.id for mutant in conforming} == set(point.mutants)
            assert all(mutant.profile.endswith("+cubic") for mutant in conforming), point.id


def test_replaced_text_must_occur_once() -> None:
    """A replacement whose text occurs never or twice in the implementation is an error."""
    with pytest.raises(ValueError, match="0 times"):
        changed("newreno_rfc_9002", [["no such text", ""]], "unknown_text")
    with pytest.raises(ValueError, match=r"[2-9] times"):
        changed("newreno_rfc_9002", [["Outcome.IN_RECOVERY", ""], ["outcome", ""]], "text_twice")
