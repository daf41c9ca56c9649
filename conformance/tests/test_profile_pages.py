"""The resolved model of each profile, which the pages of the profiles are made from, against the vectors of the profile."""

import ast
from types import SimpleNamespace
from typing import Any

import pytest

from every import every_case_of
from firstflight.algorithm import Computation
from firstflight.controller import ALGORITHMS
from firstflight_conformance.cases.measure import config_from_json
from firstflight_conformance.cases.vectors import Case
from firstflight_conformance.spec.profile_rules import holds
from pages import site
from pages.profiles import page
from pages.profiles.resolved import Program, resolved

PROFILES = [
    (name, profile)
    for name, known in ALGORITHMS.items()
    if not isinstance(known, Computation)
    for profile in known.profiles
]


def loaded(program: Program) -> Any:
    """Return the names that the text of a program defines."""
    found: dict[str, Any] = {}
    exec(compile(program.source, "<program>", "exec"), found)  # noqa: S102
    return SimpleNamespace(**{key: value for key, value in found.items() if key.isidentifier()})


def first_difference(program: Any, entries: list[str], case: Case) -> Any:
    """Return the first event on which a program answers otherwise than a case expects, or None."""
    config = config_from_json(case.vector.config)
    begin, *others = [getattr(program, name) for name in entries]
    base = begin(config.max_datagram_size_bytes, config.initial_window_bytes)
    is_base = len(others) == 3 or others[-1].__name__ == "observe"
    state = None
    if is_base and len(others) == 3:
        base.rules_state = others[0]()
    elif not is_base:
        state = others[0](base)
    for index, (event, expected) in enumerate(zip(case.events, case.expected(), strict=True)):
        observed = others[-1](base, others[-2](base, event)) if is_base else others[1](state, base, event)
        actual = {
            "cwnd_bytes": observed.cwnd_bytes,
            "ssthresh_bytes": observed.ssthresh_bytes,
            "phase": observed.phase.value,
            "outcome": observed.outcome.value,
        }
        if observed.paces:
            actual["next_release_ns"] = observed.next_release_ns
        differing = {key: (expected[key], value) for key, value in actual.items() if expected.get(key) != value}
        if differing:
            return index, differing
    return None


@pytest.mark.parametrize(("algorithm", "profile"), PROFILES)
def test_resolved_model_passes_the_vectors(algorithm: str, profile: str) -> None:
    """The program of a profile contains no reading and answers each judged event as the vectors expect."""
    program = resolved(algorithm, profile)
    assert "readings." not in "\n".join(line for line in program.source.splitlines() if '"""' not in line)
    code, entries = loaded(program), [program.names[entry] for entry in program.entries]
    cases = [case for case in every_case_of(algorithm) if case.profile == profile]
    assert cases
    assert {case.id: found for case in cases if (found := first_difference(code, entries, case))} == {}


@pytest.mark.parametrize(
    "name", ["search/draft-09", "careful-resume/rfc-9959", "jumpstart/pfldnet-2007", "slow-start/rfc-9002"]
)
def test_page_is_complete(name: str) -> None:
    """The sections before the program list every constant, every member of the state, and every clause that the program cites."""
    algorithm, _, profile = name.partition("/")
    program = resolved(algorithm, profile)
    found = next(one for of, one in page.profiles() if (of, one.name) == (algorithm, profile))
    before = page.page(algorithm, found).partition("## Program")[0]
    members = {
        ast.unparse(one.target)
        for part in program.of(ast.ClassDef)
        for one in part.node.body
        if isinstance(one, ast.AnnAssign)
    }
    constants = {program.names[part.target] for kind in (ast.Assign, ast.AnnAssign) for part in program.of(kind)}
    assert {name for name in members | constants if f"`{name}`" not in before} == set()
    cited = {one for one in program.clauses if holds(site.clauses()[one], algorithm, profile)}
    assert {one for one in cited if f"{{clause}}`{one}`" not in before} == set()
    assert len(members) >= 5
    assert constants
    assert cited
