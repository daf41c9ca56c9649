"""Every wrong model answers: none is stale, none raises, and a diagnosis that fails takes no verdict away."""

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

#: How many vectors of a profile a wrong model is sent: those that add the most clauses.
_VECTORS = 3
#: An event more than these makes no difference to the types of what is answered.
_EVENTS = 150


@cache
def broad(algorithm: str, profile: str) -> tuple[Case, ...]:
    """Return few cases of a profile that exercise many of its clauses."""
    left = [case for case in every_case() if (case.vector.algorithm, case.profile) == (algorithm, profile)]
    chosen: list[Case] = []
    seen: set[str] = set()
    while left and len(chosen) < _VECTORS:
        best = max(left, key=lambda case: (len(set(case.expectation.clauses) - seen), -len(case.events)))
        left.remove(best)
        chosen.append(best)
        seen |= set(best.expectation.clauses)
    return tuple(chosen)


@pytest.mark.parametrize("algorithm", sorted(set(ALGORITHMS) - COMPUTED_ALGORITHMS))
def test_every_candidate_answers_in_every_profile(algorithm: str) -> None:
    """What the diagnosis tries in a profile gives values of the right types there.

    A text that was written for another profile may meet an assertion of the model: it explains nothing. It is not stale.
    """
    tried: dict[str, tuple[Candidate, set[str]]] = {}
    for profile in ALGORITHMS[algorithm].profiles:
        for found in singles(algorithm, [profile]):
            tried.setdefault(found.id, (found, set()))[1].add(profile)
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


def test_a_mutant_that_its_model_outgrew_kills_nothing() -> None:
    """A tuple where an outcome belongs, as the model answered once, is a crash and not a rejection."""
    from adequacy.kill import kills_of
    from firstflight_conformance.paths import VECTORS

    good = next(mutant for mutant in load_mutants() if mutant.id == "ce-ignored")
    stale = replace(good, replace="return state, Outcome.UNCHANGED")
    killed, crashed = kills_of(VECTORS, good), kills_of(VECTORS, stale)
    assert killed.by_windows and not killed.by_crash
    assert crashed.by_crash and not crashed.by_windows


def test_a_diagnosis_that_fails_leaves_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit code is that of the divergence, and the error is told with its place."""

    def broken(*_: object) -> None:
        raise AttributeError("'tuple' object has no attribute 'value'")

    monkeypatch.setattr(diagnosis, "diagnose", broken)
    adapter = Path(__file__).parent / "mutant_adapter.py"
    command = f"{sys.executable} {adapter} slow-start rfc-9002 - ce-ignored"
    result = CliRunner().invoke(main, ["run", "--adapter", command, "--algorithm", "slow-start", "--jobs", "1"])
    assert result.exit_code == 1, result.output
    assert "no diagnosis (test_mutants_answer.py:" in result.stderr
    assert "the verdict stands" in result.stderr


def test_a_stack_without_ecn_is_told_its_rule() -> None:
    """It exits 1 with the rule of RFC 9002 that it breaks, at the level of that rule."""
    adapter = Path(__file__).parent / "mutant_adapter.py"
    command = f"{sys.executable} {adapter} slow-start rfc-9002 - ce-ignored"
    result = CliRunner().invoke(main, ["run", "--adapter", command, "--algorithm", "slow-start", "--jobs", "1"])
    assert result.exit_code == 1, result.output
    assert "slow-start.ce" in result.output
    assert "MUST" in result.output
