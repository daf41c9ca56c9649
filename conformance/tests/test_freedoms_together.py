"""Combinations of freedoms conform and hide no wrong decision. Claiming a freedom excuses no failure."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations

import pytest

from diagnosis_support import AS_CHOSEN, UNSEEN, candidate, judged, mutants
from firstflight.controller import ALGORITHMS
from firstflight_conformance.compare.options import Option, options_of
from firstflight_conformance.explain.diagnosis import diagnose
from firstflight_conformance.format.open_points import open_points
from firstflight_conformance.format.vectors import COMPUTED_ALGORITHMS
from firstflight_conformance.records.findings import Diagnosis
from firstflight_conformance.records.results import ExitCode, exit_code
from firstflight_conformance.replay import candidates
from firstflight_conformance.replay.mutants import Mutant
from firstflight_conformance.replay.variant import Variant as Model
from firstflight_conformance.replay.variant import build
from freedoms_hide import Profile, alone, known, open_profiles, wrong
from freedoms_support import Variant, together, variants
from freedoms_support import judged as judged_variant
from plain.judge import controllers

#: Number of combinations in the usual run and in the long run.
_FEW, _MANY = 6, 200


@cache
def profiles() -> list[tuple[str, str]]:
    """Return the profiles with at least two open points."""
    return [
        (algorithm, profile)
        for algorithm, definition in sorted(ALGORITHMS.items())
        if algorithm not in COMPUTED_ALGORITHMS
        for profile in definition.profiles
        if len({option.point.id for option in options_of(algorithm, profile)}) >= 2
    ]


def combined(draw: random.Random) -> Variant | None:
    """Combine two to four conforming variants of one implementation; return ``None`` if they exclude each other."""
    conforming = [
        variant
        for variant in variants()
        if variant.conforms and variant.exits == ExitCode.OK and not variant.pending and not variant.declares
    ]
    first = draw.choice(conforming)
    fitting = [
        variant for variant in conforming if (variant.profile, variant.program) == (first.profile, first.program)
    ]
    chosen = {first.point_id: first}
    for variant in draw.sample(fitting, len(fitting)):
        if len(chosen) < draw.randint(2, 4):
            chosen.setdefault(variant.point_id, variant)
    return together(list(chosen.values())) if len(chosen) > 1 else None


def drawn(seed: int, count: int) -> list[Variant]:
    """Return combinations of variants, drawn by seed."""
    draw = random.Random(seed)
    combinations: dict[str, Variant] = {}
    for _ in range(50 * count):
        made = combined(draw)
        if made is not None:
            combinations.setdefault(f"{made.profile} {made.id}", made)
        if len(combinations) == count:
            break
    return list(combinations.values())


def refused(made: list[Variant]) -> list[tuple[str, int]]:
    """Return the variants that do not end with exit code 0."""
    codes = [
        (f"{variant.profile} {variant.id}", exit_code([judged_variant(variant)], strict=False)) for variant in made
    ]
    return [(name, code) for name, code in codes if code != ExitCode.OK]


def test_combinations_conform() -> None:
    """Implementations that use two to four freedoms at once conform."""
    assert refused(drawn(1, _FEW)) == []


@pytest.mark.parametrize(
    ("profile", "names"),
    [
        ("slow-start/rfc-9002", ("half-a-datagram", "recovery-by-packet-number")),
        ("slow-start/rfc-9002", ("proportional-rate-reduction", "restart-window-at-sent")),
        ("careful-resume/rfc-9959", ("beta-of-one", "threshold-raised")),
        ("search/lanman-2024", ("back-down", "rtt-smoothed", "exit-grows", "shift-up")),
        pytest.param("search/lanman-2024", ("three-choices", "prev-of-ten"), marks=pytest.mark.long),
        pytest.param(
            "search/lanman-2024",
            ("rtt-without-the-delay", "one-bin-for-each-ack", "three-choices", "windows-of-eleven-bins"),
            marks=pytest.mark.long,
        ),
    ],
)
def test_listed_combinations_conform(profile: str, names: tuple[str, ...]) -> None:
    """These combinations of freedoms conform, including two choices that are visible only together."""
    parts = [
        next(variant for variant in variants() if (variant.profile, variant.id) == (profile, name)) for name in names
    ]
    replaced = [pair for variant in parts for pair in variant.replace]
    made = replace(
        parts[0], id="-".join(names), replace=replaced, base=[pair for variant in parts for pair in variant.base]
    )
    assert refused([made]) == []


@pytest.mark.long
def test_many_combinations_conform() -> None:
    """Two hundred combinations of freedoms conform."""
    assert refused(drawn(2, _MANY)) == []


@dataclass(frozen=True)
class Beside:
    """A visible mutant, the choices combined with it, and the diagnosis of the combination."""

    mutant: Mutant
    chosen: tuple[Option, ...]
    both: Model
    diagnosis: Diagnosis

    @property
    def name(self) -> str:
        return f"{self.mutant.id} beside {candidates.together([option.candidate for option in self.chosen]).id}"

    @property
    def is_hidden(self) -> bool:
        """Whether the diagnosis is without a cause, although no subset of the choices gives the same answers."""
        return not self.diagnosis.causes and not equals_choices(self.both, self.chosen, self.mutant)


def equals_choices(both: Model, chosen: Sequence[Option], mutant: Mutant) -> bool:
    """Return whether a subset of the choices gives the answers of the combination: the mutant reverts a choice."""
    for count in range(len(chosen)):
        for part in combinations(chosen, count):
            model = build(candidates.together([option.candidate for option in part])) if part else Model()
            if model is not None and not shows(model, both, mutant.algorithm, mutant.profile):
                return True
    return False


def wrong_beside(draw: random.Random) -> Beside:
    """Return a visible mutant combined with two to four choices."""
    while True:
        algorithm, profile = draw.choice(profiles())
        breaking = [mutant for mutant in wrong(algorithm, profile) if mutant.id not in UNSEEN | AS_CHOSEN]
        every = options_of(algorithm, profile)
        options = {option.point.id: option for option in draw.sample(every, len(every))}
        if not breaking:
            continue
        mutant = draw.choice(breaking)
        points = draw.sample(sorted(options), min(len(options), draw.randint(2, 4)))
        chosen = [options[name] for name in points]
        right = build(candidates.together([option.candidate for option in chosen]))
        parts = [*(option.candidate for option in chosen), candidate(mutant.id)]
        both = build(candidates.together(parts)) or build(candidates.together(parts[::-1]))
        if right is None or both is None or not shows(right, both, algorithm, profile):
            continue
        return Beside(mutant, tuple(chosen), both, diagnose(*judged(both, algorithm, profile)))


def shows(right: Model, both: Model, algorithm: str, profile: str) -> bool:
    """Return whether a vector distinguishes the combination from its choices by the window."""
    judged_right, judged_both = judged(right, algorithm, profile), judged(both, algorithm, profile)
    answers = [
        {subject.case.id: subject.observed for group in groups for subject in group}
        for groups in (judged_right, judged_both)
    ]
    return answers[0] != answers[1]


def is_first(mutant: Mutant, diagnosis: Diagnosis) -> bool:
    """Return whether the mutant is the first cause, or the first cause breaks one of the mutant's rules."""
    if not diagnosis.causes:
        return False
    first = diagnosis.causes[0]
    own = diagnose(*judged(Model(candidate(mutant.id)), mutant.algorithm, mutant.profile)).causes
    rules = {rule for cause in own[:1] for rule in cause.clauses}
    return mutant.id in first.cause.split(" + ") or bool(rules & set(first.clauses))


def named_of(seed: int, count: int) -> tuple[int, list[str]]:
    """Return the number of combinations whose first cause is the mutant or its rule, and those that hide it."""
    draw = random.Random(seed)
    runs = [wrong_beside(draw) for _ in range(count)]
    return sum(is_first(run.mutant, run.diagnosis) for run in runs), [run.name for run in runs if run.is_hidden]


def test_choices_do_not_hide_a_mutant() -> None:
    """Choices combined with a mutant do not hide it."""
    first, hidden = named_of(3, 3)
    assert hidden == []
    assert first >= 2


def test_mutant_that_reverts_a_choice_conforms() -> None:
    """Leaving recovery with any ACK reverts the choice to stay in recovery for later losses, so the mutant conforms."""
    options = {option.candidate.id: option for option in options_of("slow-start", "rfc-9002")}
    chosen = tuple(options[name] for name in ("reduce-rounded-up", "recovery-lasts", "recovery-tie-after"))
    mutant = next(mutant for mutant in wrong("slow-start", "rfc-9002") if mutant.id == "recovery-ends-with-any-ack")
    both = build(candidates.together([*(option.candidate for option in chosen), candidate(mutant.id)]))
    assert both is not None
    assert equals_choices(both, chosen, mutant)
    assert not equals_choices(both, chosen[:2], mutant)


@pytest.mark.long
def test_choices_do_not_hide_many_mutants() -> None:
    """No mutant of two hundred is hidden; the mutant or its rule is the first cause in at least 85 of 100."""
    first, hidden = named_of(4, _MANY)
    assert hidden == []
    assert first * 100 >= 85 * _MANY


@pytest.mark.long
@pytest.mark.parametrize(("algorithm", "profile"), open_profiles(), ids=map("/".join, open_profiles()))
def test_every_mutant_is_visible_under_every_freedom(algorithm: str, profile: str) -> None:
    """Every mutant is visible alone and under every freedom of its profile, except the pairs in `hidden.toml`."""
    rate = Profile(algorithm, profile).rate()
    print(f"{algorithm}/{profile}: {rate.rejected} of {rate.pairs - rate.unseen} pairs that show are rejected")
    assert set(rate.hidden) == set(known(algorithm, profile))


@pytest.mark.parametrize("name", alone())
def test_mutant_conforms_by_windows_alone(name: str) -> None:
    """The mutant differs from the model, and a choice explains its windows without the other observables."""
    mutant = mutants()[name]
    assert Profile(mutant.algorithm, mutant.profile).conforms_alone(mutant)


def test_hidden_pairs_have_an_open_point_and_section() -> None:
    """Each hidden pair has an open point of its algorithm, and the section that leaves the point open."""
    points = {point.id: point for point in open_points()}
    pairs = [pair for names in open_profiles() for pair in known(*names).values()]
    assert len(pairs) == 5
    pairs += alone().values()
    for pair in pairs:
        point = points[pair["point"]]
        assert point.is_of(mutants()[pair["mutant"]].profile)
        assert pair["why"] and any(character.isdigit() for character in pair["source"])


#: Variants of NewReno with a recovery state of their own, because startup programs set the state of the base. Gradual
#: reductions exclude programs that read or set the window in recovery.
_NO_BASE = {"recovery-by-packet-number", "recovery-as-a-state", "recovery-as-a-state-alone"}
_AT_ONCE = {"comes-down-step-by-step", "comes-down-at-the-end", "comes-down-by-a-byte-then-at-the-end"}
_OWN_WINDOW = {"limited_slow_start_rfc_3742", "quick_start_rfc_4782", "suss_linux_5_19", "suss_linux_6_8"}
#: Proportional Rate Reduction needs every event and the threshold of RFC 9002. Careful Resume raises this threshold
#: during an ACK; Rapid Start handles events of its first recovery itself.
_PROPORTIONAL = {"proportional-rate-reduction", "proportional-rate-reduction-conservative"}
_WITHOUT_PROPORTIONAL = {*_OWN_WINDOW, "careful_resume_rfc_9959", "rapid_start_draft_02"}


@cache
def on_changed_bases() -> dict[str, list[Variant]]:
    """Return the conforming variants of NewReno as base of each startup program on NewReno."""
    bases = [
        variant
        for variant in variants()
        if variant.program == "newreno_rfc_9002"
        and variant.conforms
        and not variant.declares
        and variant.id not in _NO_BASE
    ]
    by_program = {}
    for name, program in controllers().items():
        if hasattr(program, "newreno") and not program.PROFILE.startswith(("cubic/", "hybla/")):
            fitting = [
                variant
                for variant in bases
                if not (variant.id in _AT_ONCE and name in _OWN_WINDOW)
                and not (variant.id in _PROPORTIONAL and name in _WITHOUT_PROPORTIONAL)
            ]
            by_program[name] = [
                replace(variant, profile=program.PROFILE, program=name, base=variant.replace, replace=[])
                for variant in fitting
            ]
    return by_program


#: Variants of the base that the usual run combines with each startup program.
_USUAL = {"counts-bytes", "one-share-for-an-ack"}


@pytest.mark.parametrize("name", on_changed_bases())
def test_base_freedoms_remain_with_a_startup_algorithm(name: str) -> None:
    """Freedoms of RFC 9002 remain freedoms when another algorithm starts the connection."""
    assert refused([variant for variant in on_changed_bases()[name] if variant.id in _USUAL]) == []


@pytest.mark.parametrize(
    ("name", "freedom"),
    [
        ("search_draft_09", "caps-at-twice-the-flight"),
        ("search_lanman_2024", "caps-in-both-phases"),
        ("search_report_2024", "half-a-datagram"),
        ("careful_resume_rfc_9959", "caps-at-twice-the-flight"),
        ("quick_start_rfc_4782", "caps-at-twice-the-flight"),
    ],
)
def test_base_freedoms_conform_at_startup_algorithm_events(name: str, freedom: str) -> None:
    """Freedoms of the base conform at events where the startup algorithm ends a phase or bounds the window."""
    assert refused([variant for variant in on_changed_bases()[name] if variant.id == freedom]) == []


@pytest.mark.long
@pytest.mark.parametrize("name", on_changed_bases())
def test_every_base_freedom_remains_with_every_startup_program(name: str) -> None:
    """Every freedom of RFC 9002 remains a freedom below every startup program."""
    assert refused(on_changed_bases()[name]) == []
