"""Adversarial implementations: bounds at their edge, inconsistent freedoms, no actions, and random windows."""

import random
from types import ModuleType

import pytest

from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.prng import SplitMix64
from firstflight_conformance.records.results import AdapterReport, ExitCode, exit_code
from firstflight_conformance.report.badge import badge
from freedoms_support import WINDOWS, changed, judged_programs, program_of, scripts_of, variants

_NEWRENO = "newreno_rfc_9002"
_GROW = "        increase(s, s.max_datagram_size * acked_bytes // s.congestion_window)"
_LESS_GROWTH = "        increase(s, max(0, s.max_datagram_size * acked_bytes // s.congestion_window - 1))"


def declaration(profile: str) -> Declaration:
    algorithm, _, name = profile.partition("/")
    return Declaration("adversary", "1", {algorithm: (name,)}, WINDOWS)


def judged(profile: str, *programs: ModuleType) -> AdapterReport:
    return judged_programs(profile, declaration(profile), programs)


def is_green(report: AdapterReport) -> bool:
    return badge([report])["color"] == "brightgreen" and exit_code([report], strict=False) == ExitCode.OK


@pytest.mark.parametrize("less", [1, 599, 10**9], ids=["one byte", "half a datagram", "everything"])
def test_less_growth_in_avoidance_is_not_green(less: int) -> None:
    """A window that grows less than allowed sends less than the vectors, so they are judged in part: not green."""
    text = _GROW.replace("increase(s, ", "increase(s, max(0, ").replace(
        "congestion_window)", f"congestion_window - {less}))"
    )
    report = judged("slow-start/rfc-9002", changed(_NEWRENO, [[_GROW, text]], f"less_{less}"))
    assert not is_green(report)
    assert report.counts["choice"] > 0 or exit_code([report], strict=False) == ExitCode.DIVERGENCE


#: Program of each profile, and edits that use a byte less at its bounds: growth, jump, window and threshold.
_A_BYTE_LESS: dict[str, tuple[str, list[list[str]]]] = {
    "slow-start/rfc-9002": (_NEWRENO, [[_GROW, _LESS_GROWTH]]),
    "careful-resume/rfc-9959": (
        "careful_resume_rfc_9959",
        [
            ["saved_cwnd_bytes // JUMP_DIVISOR", "saved_cwnd_bytes // JUMP_DIVISOR - 1"],
            [
                "max(s.pipesize // PIPE_DIVISOR, s.base.minimum_window)",
                "max(s.pipesize // PIPE_DIVISOR - 1, s.base.minimum_window)",
            ],
            ["// s.saved.beta_denominator", "// s.saved.beta_denominator - 1"],
        ],
    ),
}


@pytest.mark.parametrize("profile", _A_BYTE_LESS)
def test_a_byte_less_at_every_bound_is_not_green(profile: str) -> None:
    """A byte less breaks no rule, but the vectors judge it only in part: exit code 0 or 4, and a yellow badge."""
    name, replaced = _A_BYTE_LESS[profile]
    program = changed(name, replaced, f"byte_less_{name}")
    if name != _NEWRENO:
        vars(program)["newreno"] = changed(_NEWRENO, [[_GROW, _LESS_GROWTH]], f"byte_less_base_{name}")
    report = judged(profile, program)
    assert exit_code([report], strict=False) in (ExitCode.OK, ExitCode.NOTHING_RUN)
    assert report.is_seen_in_part
    assert badge([report])["color"] == "yellow"


def test_saved_growth_is_not_spent_at_once() -> None:
    """Saved growth of many windows may not be spent as five datagrams at one ACK."""
    burst = """        s.saved = s.saved + s.max_datagram_size * acked_bytes / s.congestion_window
        if s.saved >= 5 * s.max_datagram_size:
            increase(s, int(s.saved))
            s.saved = 0.0"""
    state = ["    in_recovery: bool = False\n", "    in_recovery: bool = False\n    saved: float = 0.0\n"]
    report = judged("slow-start/rfc-9002", changed(_NEWRENO, [[_GROW, burst], state], "burst"))
    assert not is_green(report)


@pytest.mark.parametrize("profile", ["slow-start/rfc-9002", "search/lanman-2024", "careful-resume/rfc-9959"])
def test_random_windows_break_a_rule(profile: str) -> None:
    """Random windows break a rule."""
    draw = SplitMix64(7)
    program = next(made for name, made in _programs().items() if name == profile)
    wild = changed(program, [], f"wild_{program}")
    own = wild.on_event

    def on_event(state: object, event: object) -> object:
        outcome = own(state, event)
        base = getattr(state, "base", state)
        base.congestion_window = 2400 + draw.below(200_000)
        return outcome

    vars(wild)["on_event"] = on_event
    assert exit_code([judged(profile, wild)], strict=False) == ExitCode.DIVERGENCE


def _programs() -> dict[str, str]:
    return {
        "slow-start/rfc-9002": _NEWRENO,
        "search/lanman-2024": "search_lanman_2024",
        "careful-resume/rfc-9959": "careful_resume_rfc_9959",
    }


@pytest.mark.parametrize("profile", ["slow-start/rfc-9002", "search/lanman-2024", "careful-resume/rfc-9959"])
def test_constant_window_is_not_green(profile: str) -> None:
    """An adapter that never changes its window is not green."""
    still = changed(_programs()[profile], [], "still")
    vars(still)["on_event"] = lambda _state, _event: None
    assert not is_green(judged(profile, still))


@pytest.mark.parametrize("profile", ["", pytest.param("search/", marks=pytest.mark.long)])
def test_inconsistent_choice_does_not_conform(profile: str) -> None:
    """A choice that is used in all but one of the cases that show it does not conform. SEARCH takes long."""
    draw = random.Random(5)
    chosen = [
        variant
        for variant in variants()
        if variant.conforms
        and not variant.declares
        and not variant.pending
        and variant.named
        and variant.profile.startswith(profile or ("hystart/", "limited-slow-start/", "slow-start/"))
    ]
    rejected = 0
    for variant in draw.sample(chosen, len(chosen)):
        program, right = program_of(variant), changed(variant.program, [], f"plain_{variant.program}")
        whole = judged(variant.profile, program)
        choices = () if whole.diagnosis is None else whole.diagnosis.choices
        case_ids = choices[0].cases if len(choices) == 1 and not choices[0].point.bound else ()
        if len(case_ids) > 1:
            turns = [right if script.case.id == case_ids[0] else program for script in scripts_of(variant.profile)]
            mixed = judged(variant.profile, *turns)  # another freedom may explain this mix
            rejected += exit_code([mixed], strict=False) == ExitCode.DIVERGENCE
        if rejected == 2:
            break
    assert rejected == 2
