"""The pages of the profiles: programs that pass the vectors, complete tables, and recommended profiles."""

import re
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from every import every_case_of
from firstflight.algorithm import Computation
from firstflight.controller import ALGORITHMS
from firstflight.events import DatagramSize
from firstflight.observables import Phase
from firstflight_conformance.format.profile_rules import rules_of
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.paths import ROOT
from pages.profiles import facts, page
from pages.profiles.resolved import Program, resolved
from plain.judge import judge_case

PROFILES = [
    (name, profile)
    for name, known in ALGORITHMS.items()
    if not isinstance(known, Computation)
    for profile in known.profiles
]
#: Programs that the short tests execute: plain ones, a resolved startup, a resolved base with its own rules.
SAMPLE = (
    "search/draft-09", "careful-resume/rfc-9959", "jumpstart/pfldnet-2007", "hystart/linux", "hystart/google-quic",
    "hystartpp/rfc-9406", "hybla/ns-3",
)  # fmt: skip


def loaded(program: Program, name: str) -> Any:
    """Return the text of a program as a module with the interface of a plain program."""
    module = ModuleType("program")
    sys.modules[module.__name__] = module  # where dataclass looks up the module
    exec(compile(program.source, "<program>", "exec"), vars(module))  # noqa: S102
    vars(module)["PROFILE"] = name
    if program.is_plain:
        return module
    begin, *functions = [getattr(module, program.names[entry]) for entry in program.entries]
    has_rules = len(functions) == 3
    is_base = has_rules or functions[-1].__name__ == "observe"

    def start(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> Any:
        base = begin(max_datagram_size_bytes, initial_window_bytes)
        if has_rules:
            base.rules_state = functions[0]()
        return SimpleNamespace(base=base, own=None if is_base else functions[0](base), phase=Phase.SLOW_START)

    def on_event(state: Any, event: Any) -> Any:
        if program.resizes is not None and isinstance(event, DatagramSize):
            getattr(module, program.names[program.resizes])(state.base, event)
        if is_base:
            observation = functions[-1](state.base, functions[-2](state.base, event))
        else:
            observation = functions[1](state.own, state.base, event)
        state.cwnd_bytes, state.ssthresh_bytes, state.phase = (
            observation.cwnd_bytes,
            observation.ssthresh_bytes,
            observation.phase,
        )
        state.next_release_ns, state.triggers = observation.next_release_ns, observation.triggers
        return observation.outcome

    entries = ModuleType("entries")
    vars(entries).update(begin=start, on_event=on_event, PROFILE=name)
    return entries


def cases(algorithm: str, profile: str) -> list[Case]:
    return [case for case in every_case_of(algorithm) if case.profile == profile]


def failing(algorithm: str, profile: str) -> dict[str, Any]:
    """Return the first differences of the program of a profile on its vectors."""
    program, mine = loaded(resolved(algorithm, profile), f"{algorithm}/{profile}"), cases(algorithm, profile)
    assert mine
    return {case.id: difference for case in mine if (difference := judge_case(program, case))}


@pytest.mark.parametrize("name", SAMPLE)
def test_program_passes_the_vectors(name: str) -> None:
    """The program on the page of a profile answers each judged event as the vectors expect."""
    assert failing(*name.split("/")) == {}


@pytest.mark.long
@pytest.mark.parametrize(("algorithm", "profile"), [pair for pair in PROFILES if "/".join(pair) not in SAMPLE])
def test_every_program_passes_the_vectors(algorithm: str, profile: str) -> None:
    """The programs outside the sample pass the vectors as well."""
    assert failing(algorithm, profile) == {}


def test_pages_are_complete() -> None:
    """Each profile has a page with its rules, its constants, its state, and a program without readings."""
    pages = page.pages()
    assert set(pages) == {f"profiles/{'-'.join(pair)}" for pair in PROFILES} | {"profiles/index"}
    for algorithm, profile in PROFILES:
        text, program = pages[f"profiles/{algorithm}-{profile}"], resolved(algorithm, profile)
        before, _, source = text.partition("## Program")
        assert "readings." not in re.sub(r'""".*?"""', "", source.partition("```\n")[0], flags=re.S), profile
        rules = {rule.clause.id for rule in rules_of(algorithm, profile, cases(algorithm, profile))}
        assert {rule for rule in rules if f"\n{{clause}}`{rule}` (" not in before} == set(), profile
        constants = section(before, "Constants")
        for part in program.constants:
            row = re.search(
                rf"\* - `{re.escape(program.names[part.target])}`\n  - (.+)\n  - (.+)\n  - .*\n  - (.+)\n", constants
            )
            assert row, program.names[part.target]
        members = {member for part in program.classes for member, _, _ in facts.members(part)}
        assert {member for member in members if f"* - `{member}`\n" not in section(before, "State")} == set(), profile
        assert len(rules) >= 5
        assert len(members) >= 3


@pytest.mark.parametrize(
    ("name", "units"),
    [
        ("suss/linux-6-8", {"INIT_CWND": "packets", "ACK_DELTA": "us", "RATE_MAX": "1/2^24 bytes per us"}),
        ("bbr/linux-v1", {"HIGH_GAIN": "1/256", "BW_MAX": "1/2^24 packets per us", "MIN_TSO_RATE": "bytes per second"}),
        ("cubic/rfc-9438", {"SECOND_CUBED": "ns^3", "LOSS_REDUCTION_DIVISOR": "none"}),
        ("search/lanman-2024", {"W": "bins", "OVERSHOOT_BINS": "bins"}),
        ("hystart/linux", {"_US": "ns", "DELAY_MIN_US": "us"}),
    ],
)
def test_constants_have_their_units(name: str, units: dict[str, str]) -> None:
    """The unit of a constant comes from its name or description, also for fractions and quotients."""
    constants = section(page.pages()[f"profiles/{name.replace('/', '-')}"], "Constants")
    units_by_constant = dict(re.findall(r"\* - `(.+)`\n  - .+\n  - (.*)\n", constants))
    assert {constant: units_by_constant[constant] for constant in units} == units


def section(text: str, title: str) -> str:
    """Return a section of a page."""
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_algorithm_pages_recommend_one_profile() -> None:
    """The page of each algorithm recommends a profile, with a reason, and its links lead to the same profile."""
    for name in {algorithm for algorithm, _ in PROFILES}:
        text = " ".join((ROOT / "docs" / "algorithms" / f"{name}.md").read_text("utf-8").split())
        (link,) = re.findall(r"\*\*A new implementation\*\* should use \{ref\}`(\S+) <profile-(\S+)>`\. \w", text)
        assert link[1] == link[0].replace("/", "-")
        assert tuple(link[0].split("/")) in PROFILES
        assert f"on one page: {{ref}}`{link[0]} <" in text
        assert f"controller `{link[0]}`" in text
