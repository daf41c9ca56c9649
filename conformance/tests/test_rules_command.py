"""The rules of a profile are the rules that its vectors exercise, with the values of its readings."""

import json
import re
from collections import defaultdict

import pytest
from click.testing import CliRunner

from firstflight import profiles
from firstflight_conformance.cli import main
from firstflight_conformance.format import vectors
from firstflight_conformance.format.clauses import known_clauses
from firstflight_conformance.format.profile_rules import rules_of
from firstflight_conformance.format.readings import load_tables
from firstflight_conformance.paths import VECTORS


def exercised(algorithm: str) -> dict[str, set[str]]:
    """Return the clauses of each profile in the vectors of an algorithm."""
    clauses_by_profile: dict[str, set[str]] = defaultdict(set)
    for path in (VECTORS / algorithm).glob("*.json"):
        for profile, expectation in json.loads(path.read_text(encoding="utf-8"))["profiles"].items():
            clauses_by_profile[profile].update(expectation["clauses"])
    return clauses_by_profile


@pytest.mark.parametrize("algorithm", sorted(profiles(composed=True)))
def test_rules_of_every_profile(algorithm: str) -> None:
    """The list equals the clauses of the files, without repetition, own page first, with the values of the profile."""
    cases = list(vectors.cases(vectors.load_all(VECTORS, (algorithm,))))
    files = exercised(algorithm)
    for profile in profiles(composed=True)[algorithm]:
        rules = rules_of(algorithm, profile, cases)
        names = [rule.clause.id for rule in rules]
        assert sorted(names) == sorted(files[profile]), profile
        own = [rule.clause.page == algorithm for rule in rules]
        assert own == sorted(own, reverse=True)
        table = load_tables().get(algorithm)
        chosen = (
            {} if table is None else next(p.readings for p in table.profiles if p.name == profile.partition("+")[0])
        )
        for rule in rules:
            if rule.clause.page == algorithm:
                assert {value.reading for value in rule.values} == set(rule.clause.readings) & set(chosen)
            assert all(value.value == chosen[value.reading] for value in rule.values)


def test_command_prints_rules_and_values() -> None:
    """The command prints each rule with its text, and the values of the profile."""
    result = CliRunner().invoke(main, ["rules", "search/draft-09"], catch_exceptions=False)
    assert result.exit_code == 0
    names = re.findall(r"^\[([a-z0-9.-]+)\] \(", result.output, re.MULTILINE)
    assert set(names) == exercised("search")["draft-09"]
    assert len(names) == len(set(names))
    output = " ".join(result.output.split())
    assert all(" ".join(known_clauses()[name].text.split()) in output for name in names)
    assert "here rtt = latest" in output
    wrong = CliRunner().invoke(main, ["rules", "search/draft-9"], catch_exceptions=False)
    assert wrong.exit_code == 2
    assert "search/draft-9: no such profile; did you mean search/draft-09?" in wrong.output
