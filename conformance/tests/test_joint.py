"""Search for one combination of choices for a run with contradicting cases."""

from types import SimpleNamespace
from typing import Any

import pytest

from firstflight_conformance.compare import joint
from firstflight_conformance.compare.relation import ConformingWay

A, B = frozenset({"a"}), frozenset({"b"})


def case(name: str, *fitting: frozenset[str]) -> Any:
    """Return a case that fits these combinations."""
    return SimpleNamespace(case=SimpleNamespace(id=name), length=1, first=0, fitting=fitting)


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return models of two alternatives; each case has the combinations that it fits."""
    nothing = ConformingWay(frozenset(), frozenset())
    monkeypatch.setattr(joint, "fits", lambda subject, _, combination: combination in subject.fitting)
    monkeypatch.setattr(joint, "explained", lambda *_: nothing)
    monkeypatch.setattr(joint, "judge", lambda *_: SimpleNamespace(ways=(nothing,)))
    return SimpleNamespace(settled=("a", "b"), variant=lambda names: names)


def test_remaining_choice_survives_a_contradicted_one(models: Any) -> None:
    """If a passing case contradicts one of two choices, the other remains, and the case that needs both is a clash."""
    both = case("both", A | B), (ConformingWay(A | B, frozenset()),)
    first = case("first", A, A | B), (ConformingWay(A, frozenset()),)
    passing = case("passing", frozenset(), A)
    joined = joint.join([both, first], [passing], models)
    assert joined.taken == A
    assert joined.clashes == {"both": "passing"}


def test_all_failing_cases_clash_if_every_choice_is_contradicted(models: Any) -> None:
    """If a passing case contradicts every choice, no choice is taken and failing cases are clashes."""
    first = case("first", A), (ConformingWay(A, frozenset()),)
    joined = joint.join([first], [case("passing", frozenset())], models)
    assert joined.taken == frozenset()
    assert set(joined.clashes) == {"first"}
