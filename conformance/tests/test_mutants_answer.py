"""Every wrong model answers without errors, and a failing diagnosis keeps the verdict."""

import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from every import every_case
from firstflight.controller import ALGORITHMS
from firstflight_conformance.cli import main
from firstflight_conformance.explain import diagnosis
from firstflight_conformance.format.vectors import COMPUTED_ALGORITHMS, Case
from firstflight_conformance.replay.answers import CRASHES, check_types
from firstflight_conformance.replay.candidates import Candidate, singles
from firstflight_conformance.replay.measure import config_from_json
from firstflight_conformance.replay.mutants import load_mutants
from firstflight_conformance.replay.variant import build

#: Number of vectors per profile for a wrong model, chosen to add the most clauses.
_VECTORS = 3
#: Number of events per case: later events do not add types of answers.
_EVENTS = 150


@cache
def broad(algorithm: str, profile: str) -> tuple[Case, ...]:
    """Return a few cases of a profile that exercise many of its clauses."""
    remaining = [case for case in every_case() if (case.vector.algorithm, case.profile) == (algorithm, profile)]
    chosen: list[Case] = []
    covered_clauses: set[str] = set()
    while remaining and len(chosen) < _VECTORS:
        best = max(
            remaining, key=lambda case: (len(set(case.expectation.clauses) - covered_clauses), -len(case.events))
        )
        remaining.remove(best)
        chosen.append(best)
        covered_clauses |= set(best.expectation.clauses)
    return tuple(chosen)


@pytest.mark.parametrize("algorithm", sorted(set(ALGORITHMS) - COMPUTED_ALGORITHMS))
def test_every_candidate_answers_in_every_profile(algorithm: str) -> None:
    """Every candidate of the diagnosis gives answers of the right types in each of its profiles.

    A candidate written for another profile may fail an assertion of the model: it is useless there, but up to date.
    """
    tried: dict[str, tuple[Candidate, set[str]]] = {}
    for profile in ALGORITHMS[algorithm].profiles:
        for single in singles(algorithm, [profile]):
            tried.setdefault(single.id, (single, set()))[1].add(profile)
    for candidate, profiles in tried.values():
        variant = build(candidate)
        assert variant is not None, candidate.id
        for profile in sorted(profiles):
            for case in broad(algorithm, profile):
                state = variant.create(algorithm, profile, config_from_json(case.vector.config))
                for event in case.events[:_EVENTS]:
                    try:
                        check_types(variant.advance(state, event))
                    except AssertionError:
                        assert all(part.profile.partition("+")[0] != profile for part in candidate.parts)
                        break
                    except CRASHES as error:
                        pytest.fail(f"{candidate.id} in {profile}, {case.id}: {error!r}")


def test_outdated_mutant_crashes_and_is_not_rejected() -> None:
    """A mutant that returns a tuple instead of an outcome, as older models did, crashes and is not rejected."""
    from adequacy.kill import kills_of
    from firstflight_conformance.paths import VECTORS

    good = next(mutant for mutant in load_mutants() if mutant.id == "ce-ignored")
    stale = replace(good, replace="return state, Outcome.UNCHANGED")
    killed, crashed = kills_of(VECTORS, good), kills_of(VECTORS, stale)
    assert killed.by_windows and not killed.by_crash
    assert crashed.by_crash and not crashed.by_windows


def test_failing_diagnosis_keeps_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the diagnosis raises, the exit code is still a divergence, and the error is printed with its place."""

    def broken(*_: object) -> None:
        raise AttributeError("'tuple' object has no attribute 'value'")

    monkeypatch.setattr(diagnosis, "diagnose", broken)
    adapter = Path(__file__).parent / "mutant_adapter.py"
    command = f"{sys.executable} {adapter} slow-start rfc-9002 - ce-ignored"
    result = CliRunner().invoke(main, ["run", "--adapter", command, "--algorithm", "slow-start", "--jobs", "1"])
    assert result.exit_code == 1, result.output
    assert "no diagnosis (test_mutants_answer.py:" in result.stderr
    assert "the verdict is valid" in result.stderr


def test_broken_rule_is_reported_for_stack_without_ecn() -> None:
    """A stack without ECN ends with exit code 1, with the broken rule of RFC 9002 and its level."""
    adapter = Path(__file__).parent / "mutant_adapter.py"
    command = f"{sys.executable} {adapter} slow-start rfc-9002 - ce-ignored"
    result = CliRunner().invoke(main, ["run", "--adapter", command, "--algorithm", "slow-start", "--jobs", "1"])
    assert result.exit_code == 1, result.output
    assert "slow-start.ce" in result.output
    assert "MUST" in result.output
