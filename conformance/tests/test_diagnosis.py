"""The diagnosis identifies the error of an implementation and never reports a wrong cause as exact."""

import random
import re
from fnmatch import fnmatchcase

import pytest

from adequacy.conforming import conforms
from diagnosis_support import AS_CHOSEN, UNSEEN, answered, candidate, judged, mutants, subject_of, told_apart
from every import every_case, every_computation
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.compare.answers import passed
from firstflight_conformance.compare.subject import AnsweredCase, shortest_first
from firstflight_conformance.explain.breaks import rules_of
from firstflight_conformance.explain.budget import Budget
from firstflight_conformance.explain.diagnosis import diagnose
from firstflight_conformance.explain.suspects import suspects_of
from firstflight_conformance.format.clauses import Author, Clause, known_clauses
from firstflight_conformance.format.computations import decode_outputs
from firstflight_conformance.format.levels import Level, at_most, level_of_clause, most_binding
from firstflight_conformance.format.open_points import open_points
from firstflight_conformance.format.readings import load_tables
from firstflight_conformance.paths import SPEC
from firstflight_conformance.prng import SplitMix64
from firstflight_conformance.records.findings import Diagnosis
from firstflight_conformance.records.results import ExitCode, exit_code
from firstflight_conformance.replay.candidates import Candidate, singles
from firstflight_conformance.replay.mutants import Mutant
from firstflight_conformance.replay.variant import Variant, build
from freedoms_support import WINDOWS, judged_mutant

#: A place in a text, or a source file that serves as the text.
PLACE = re.compile(r"\b(sections?|appendix|appendices|lines?) (\d|[A-Z]\b|[IVX]+\b)|\b(Algorithm|figure) \d|\.c`")
SHOWN = [
    mutant
    for mutant in mutants().values()
    if not mutant.equivalent and mutant.algorithm != "transfer-time"
]  # fmt: skip
#: Typical bugs, each with a rule that the report must list.
BUGS = {
    "hystartpp-clamp-always-16": "hystartpp.delay.minimum",
    "hystartpp-clamp-always-4": "hystartpp.delay.maximum",
    "hystartpp-against-connection": "hystartpp.delay",
    "hystartpp-minimum-of-connection": "hystartpp.round.end",
    "hystartpp-css-samples-any": "hystartpp.css.samples",
    "hystartpp-one-sample": "hystartpp.delay.samples",
    "hystartpp-half-growth": "hystartpp.css.grow",
    "hystartpp-four-rounds": "hystartpp.css.rounds",
}


def diagnosis_of(*ids: str) -> Diagnosis:
    """Return the diagnosis of these mutants together, when they report only the window."""
    first = mutants()[ids[0]]
    return diagnose(*judged(Variant(candidate(*ids)), first.algorithm, first.profile))


@pytest.mark.parametrize("name", BUGS)
def test_planted_bugs_are_identified(name: str) -> None:
    """The diagnosis identifies each bug exactly; its decision is where the outcome changes, not where the window does.

    Only a startup algorithm that never acts, and edits of lines that break the same rules, precede the bug.
    """
    causes = diagnosis_of(name).causes
    named = [cause.cause for cause in causes if cause.exact and cause.kind not in ("base", "operator")]
    assert named[0] == name and causes[0].exact
    assert BUGS[name] in causes[0].clauses
    assert len(causes[0].clauses) <= 6
    assert causes[0].decision.event_index is not None
    assert any(key in ("outcome", "phase", "cwnd_bytes") for key, _, _ in causes[0].decision.differences)


def test_decision_precedes_the_window_difference() -> None:
    """A missing start of CSS becomes visible in the window one event later, when the next ACK increases the window."""
    name = "hystartpp-clamp-always-16"
    cause = next(cause for cause in diagnosis_of(name).causes if cause.cause == name)
    subject = answered(next(c for c in every_case() if c.id == cause.cases[0]), Variant(candidate(name)))
    assert (cause.decision.event_index, subject.first) == (28, 29)
    assert cause.decision.model["outcome"] == "conservative_begun"
    assert cause.decision.other["outcome"] == "grown"
    assert cause.decision.model["state"]["current_min_rtt_ns"] == 8_000_000


def points_of(diagnosis: Diagnosis) -> set[str]:
    """Return the open points where the subject makes another choice than the model."""
    return {choice.point.id for choice in diagnosis.choices}


def test_open_rounding_is_reported_as_a_choice() -> None:
    """A rounding that the text leaves open is reported as a choice, and every failure is explained."""
    diagnosis = diagnosis_of("hystartpp-rounds-eighth-down")
    assert not diagnosis.causes
    assert [(choice.point.id, choice.cause) for choice in diagnosis.choices] == [
        ("hystartpp H9", "hystartpp-rounds-eighth-down")
    ]
    assert set(diagnosis.choices[0].cases) == set(diagnosis.conforming)


def test_combined_choices_conform() -> None:
    """Two choices together conform, and so do five."""
    diagnosis = diagnosis_of("hystartpp-rounds-eighth-down", "hystartpp-quarter-up")
    assert not diagnosis.causes
    assert points_of(diagnosis) == {"hystartpp H7", "hystartpp H9"}
    several = ("cubic-growth-per-ack", "cubic-reduces-flight", "cubic-friendly-lowers", "cubic-ce-two-datagrams")
    diagnosis = diagnosis_of(*several, "cubic-slow-start-above-threshold")
    assert not diagnosis.causes
    assert points_of(diagnosis) >= {"cubic U1", "cubic U3", "cubic U9"}


def test_choice_and_bug_are_reported_together() -> None:
    """No case conforms because the bug is visible in each; the choice and the bug are reported together."""
    diagnosis = diagnosis_of("hystartpp-rounds-eighth-down", "hystartpp-half-growth")
    names = "hystartpp-half-growth + hystartpp-rounds-eighth-down"
    assert [(cause.cause, cause.exact) for cause in diagnosis.causes] == [(names, True)]
    assert not diagnosis.conforming


def test_an_inconsistent_choice_does_not_conform() -> None:
    """An implementation that uses a choice in one case but not in a case that distinguishes it has made no choice."""
    failing, _ = judged(Variant(candidate("rollback-floor")), "search", "lanman-2024")
    failing.sort(key=lambda subject: subject.length)
    assert diagnose(failing[:2], []).choices
    diagnosis = diagnose(failing[:2], [answered(failing[2].case, Variant())])  # type: ignore[arg-type]
    assert not diagnosis.choices
    assert diagnosis.causes and not any(cause.exact for cause in diagnosis.causes)


@pytest.mark.parametrize("seed", [1, 2])
def test_random_answers_are_unknown(seed: int) -> None:
    """A stream of random windows gets the cause "unknown" and the rules whose decision can differ."""
    draw = SplitMix64(seed)
    subjects = [
        subject_of(case, [{"cwnd_bytes": 2400 + draw.below(100_000)} for _ in case.events])
        for case in every_case()
        if (case.vector.algorithm, case.profile) == ("search", "draft-09") and len(case.events) > 5
    ]
    (cause,) = diagnose(subjects, []).causes
    assert (cause.cause, cause.kind, cause.explains, cause.exact) == ("unknown", "rule", 0, False)
    assert cause.level.value.startswith("at most ")
    assert cause.clauses


def test_unknown_cause_has_rules_of_similar_candidates() -> None:
    """No candidate swaps the interpolation weights; candidates that break that rule first differ at the same events."""
    right = "(state.bin_ticks - rest_ticks) * window + rest_ticks * shifted"
    wrong = "rest_ticks * window + (state.bin_ticks - rest_ticks) * shifted"
    swapped = Mutant("swapped", "search", "draft-09", "", {}, "search/windows.py", right, wrong, "")
    variant = Variant(Candidate(swapped.id, "mutant", "", (swapped,)))
    cases = [case for case in every_case() if (case.vector.algorithm, case.profile) == ("search", "draft-09")]
    subjects = [answered(case, variant) for case in cases if len(case.events) < 60]
    failing = shortest_first([subject for subject in subjects if subject.first is not None])
    _, clauses = suspects_of(failing, singles("search", ["draft-09"]), None, Budget())
    assert clauses[0] == "search.interpolation.exact"


def named(mutant: Mutant) -> bool | None:
    """Return whether the first cause is the mutant or an indistinguishable one, or ``None`` if no window differs.

    A conforming mutant is identified by its choices. Fail if an exact edit breaks other rules, or if a vector
    distinguishes another exact cause from the mutant. Exact causes that use values within a bound come after the
    other exact causes, and with these values they give the mutant's answers.
    """
    right = Variant(candidate(mutant.id))
    failing, passing = judged(right, mutant.algorithm, mutant.profile)
    if not failing:
        return None
    diagnosis = diagnose(failing, passing)
    causes = diagnosis.causes
    if not causes:
        assert conforms(mutant) or mutant.id in UNSEEN | AS_CHOSEN, f"{mutant.id} is called conforming"
        return bool(diagnosis.choices)
    chosen = [name for choice in diagnosis.choices if not choice.point.bound for name in (choice.cause,)]
    for cause in causes:
        if cause.exact and cause.kind == "operator":
            rules = rules_of(mutant)
            assert not set(cause.clauses).isdisjoint(rules) or any(known_clauses()[rule].ours for rule in rules)
        elif cause.exact:
            # A cause that edits the same text as a choice replaces the choice.
            alternative = build(rebuilt(" + ".join([*chosen, cause.cause]), mutant)) or build(
                rebuilt(cause.cause, mutant)
            )
            assert alternative is not None
            apart = told_apart(right, alternative, mutant.algorithm, mutant.profile)
            assert cause.cause == mutant.id or cause.followed or not apart, (
                f"{mutant.id}: {cause.cause} is called exact"
            )
            assert not cause.followed or all(subject.explained_by(alternative) for subject in (*failing, *passing))
    assert not causes[0].followed or all(cause.followed for cause in causes if cause.exact)
    return causes[0].exact


def is_within_bounds(mutant: Mutant) -> bool:
    """Return whether the mutant's windows differ, but the model gives the same ones with values within a bound."""
    wrong, within = Variant(candidate(mutant.id)), False
    cases = (
        case for case in every_case() if (case.vector.algorithm, case.profile) == (mutant.algorithm, mutant.profile)
    )
    for case in sorted(cases, key=lambda case: len(case.events)):
        subject = answered(case, wrong)
        if subject.length < len(case.events) or not (subject.first is None or subject.explained_by(subject.right)):
            return False
        within = within or subject.first is not None
    return within


def test_bounds_do_not_hide_mutants() -> None:
    """Values within a bound explain no complete run of a nonconforming mutant, except those in ``UNSEEN``."""
    assert {mutant.id for mutant in SHOWN if not conforms(mutant) and is_within_bounds(mutant)} == UNSEEN


@pytest.mark.parametrize("name", sorted(AS_CHOSEN))
def test_mutant_is_visible_only_in_ssthresh(name: str) -> None:
    """The mutant conforms by its window alone, but not together with its ssthresh."""
    assert named(mutants()[name])
    mutant = mutants()[name]
    declared = Declaration(name, "1", {mutant.algorithm: (mutant.profile,)}, WINDOWS)
    assert exit_code([judged_mutant(mutant, declared)], strict=False) == ExitCode.DIVERGENCE


def rebuilt(cause: str, mutant: Mutant) -> Candidate:
    """Return the candidate with this id."""
    parts = tuple(part for name in cause.split(" + ") for part in _part(name, mutant))
    return Candidate(cause, "", "", parts)


def _part(name: str, mutant: Mutant) -> tuple[Mutant, ...]:
    if name in mutants():
        return (mutants()[name],)
    algorithm = name.partition(".")[0]
    profile = mutant.profile if algorithm == mutant.algorithm else "rfc-9438"
    return next(single.parts for single in singles(algorithm, (profile,)) if single.id == name)


def shares(sample: list[Mutant]) -> tuple[int, int]:
    """Return the number of identified mutants and the number of mutants visible in the window."""
    verdicts = [verdict for mutant in sample if (verdict := named(mutant)) is not None]
    return sum(verdicts), len(verdicts)


@pytest.mark.long
def test_most_sampled_mutants_are_identified() -> None:
    """At least nine of ten mutants drawn by seed are identified, exactly or as an indistinguishable cause."""
    sample = random.Random(20).sample(SHOWN, 10)
    right, visible = shares(sample)
    assert visible >= 8
    assert right * 10 >= visible * 9


@pytest.mark.long
@pytest.mark.parametrize("algorithm", sorted({mutant.algorithm for mutant in SHOWN}))
def test_most_mutants_of_each_algorithm_are_identified(algorithm: str) -> None:
    """At least nine of ten mutants of each algorithm are identified."""
    right, visible = shares([mutant for mutant in SHOWN if mutant.algorithm == algorithm])
    assert right * 10 >= visible * 9


@pytest.mark.parametrize("name", ["rapid-may-without-beta", "rapid-no-initial-window"])
def test_rapid_start_window_is_not_a_gradual_reduction(name: str) -> None:
    """A window above the result of these rules is not treated as the gradual reduction that RFC 9002 allows."""
    assert named(mutants()[name])


def pairs(seed: int) -> list[tuple[Mutant, Mutant]]:
    """Return sixty pairs of wrong mutants of one profile that can be combined and are visible in the window."""
    draw = random.Random(seed)
    mutant_pairs: list[tuple[Mutant, Mutant]] = []
    wrong = [mutant for mutant in SHOWN if not conforms(mutant) and mutant.id not in UNSEEN | AS_CHOSEN]
    while len(mutant_pairs) < 60:
        first, second = draw.sample(wrong, 2)
        if (first.algorithm, first.profile) == (second.algorithm, second.profile):
            variant = build(candidate(first.id, second.id))
            if variant is not None and judged(variant, first.algorithm, first.profile)[0]:
                mutant_pairs.append((first, second))
    return mutant_pairs


def pair_named(mutant: Mutant, other: Mutant) -> bool:
    """Return whether the diagnosis of both mutants together is exact."""
    return diagnosis_of(mutant.id, other.id).causes[0].exact


@pytest.mark.parametrize(
    "both",
    [
        pytest.param(("hystartpp-four-rounds", "hystartpp-nine-samples"), marks=pytest.mark.long),
        pytest.param(("resume-loss-filter", "resume-lifetime-ignored"), marks=pytest.mark.long),
        ("jumpstart-seven-tenths", "jumpstart-twice-r"),
    ],
    ids=" + ".join,
)
def test_two_bugs_are_diagnosed_as_a_pair(both: tuple[str, str]) -> None:
    """Two bugs at once are diagnosed exactly, as a pair."""
    causes = diagnosis_of(*both).causes
    assert causes[0].exact
    assert set(causes[0].cause.split(" + ")) == set(both)


@pytest.mark.long
def test_most_sampled_pairs_are_identified() -> None:
    """At least six of ten pairs are identified, in a sample of sixty drawn by seed."""
    assert sum(pair_named(*both) for both in pairs(60)) >= 36


def test_mutant_of_a_computation_is_identified() -> None:
    """Computations, with one answer per case, are diagnosed in the same way."""
    variant = Variant(candidate("tt-segments-fluid"))
    declaration = Declaration("mutant", "1", {}, ("cwnd_bytes",))
    failing, passing = [], []
    for case in every_computation():
        answer = decode_outputs(variant.compute(case.profile, case.inputs))
        subject = AnsweredCase(case, declaration, (), (answer,), None if answer == case.expected() else 0)
        (passing if subject.first is None else failing).append(subject)
    causes = diagnose(failing, passing).causes
    assert (causes[0].cause, causes[0].exact, causes[0].decision.event_index) == ("tt-segments-fluid", True, None)


def test_model_reproduces_every_expected_answer() -> None:
    """A variant without a candidate is the model: it reproduces the expected answers of every case."""
    right = Variant()
    declaration = Declaration("model", "1", {}, ("cwnd_bytes", "ssthresh_bytes", "phase", "outcome", "state"))
    for case in every_case()[::40]:
        assert passed(case, declaration).explained_by(right), case.id


def test_open_points_list_existing_profiles_and_mutants() -> None:
    """Every profile, reading, value and mutant in the list exists, and the page of its algorithm lists every point."""
    tables = load_tables()
    for point in open_points():
        table = tables[point.algorithm]
        for pattern in point.profiles:
            assert any(fnmatchcase(profile.name, pattern) for profile in table.profiles), (point.number, pattern)
        readings = {reading.name: reading for reading in table.readings}
        assert all(readings[name].allows(value) for name, values in point.readings.items() for value in values)
        assert set(point.mutants) | set(point.covers) <= set(mutants()), point.number
        page = "".join(path.read_text("utf-8") for path in (SPEC / point.algorithm).glob("*.md"))
        assert f"| {point.number} |" in page, point.number
    assert len({point.number + point.algorithm for point in open_points()}) == len(open_points())
    assert len({point.algorithm for point in open_points()}) > 8


def test_open_points_cite_their_text() -> None:
    """Each open point has its conforming choices, a reason, and its text with the section or source file."""
    for point in open_points():
        assert point.conforms and point.why, point.id
        assert PLACE.search(point.source), (point.id, point.source)


@pytest.mark.parametrize(
    ("level", "author", "expected"),
    [
        ("MUST NOT", Author.TEXT, Level.MUST),
        ("RECOMMENDED", Author.TEXT, Level.SHOULD),
        ("-", Author.TEXT, Level.DEFINITION),
        ("MAY", Author.TEXT, Level.DEFINITION),
        ("-", Author.OURS, Level.OUR_DEFINITION),
        ("domain", Author.OURS, Level.OUR_DEFINITION),
    ],
)
def test_clause_has_the_level_of_its_text(level: str, author: Author, expected: Level) -> None:
    """A clause has the level of its text; a clause without a text is our definition, whatever its source contains."""
    assert level_of_clause(Clause("a.b", level, "RFC 1", "", "a", {}, author)) is expected


def test_clauses_of_this_project_have_no_level_of_a_text() -> None:
    """Clauses with this project as source, alone or with a text, have neither a keyword nor the level of a text."""
    named = [clause for clause in known_clauses().values() if re.search(r"\bours?\b", clause.source)]
    assert named
    assert [clause.id for clause in named if not clause.ours or clause.level not in ("-", "domain")] == []
    assert {level_of_clause(clause) for clause in known_clauses().values() if clause.ours} == {Level.OUR_DEFINITION}
    assert {clause.id for clause in known_clauses().values() if clause.ours} == {clause.id for clause in named}


def test_rules_never_have_the_level_of_an_open_point() -> None:
    """No single rule and no set of rules has the level of an open point: failures have other levels."""
    for clause in known_clauses().values():
        assert level_of_clause(clause) is not Level.OPEN_POINT
        assert most_binding((clause.id,)) is not Level.OPEN_POINT
        assert at_most((clause.id,)) is not Level.OPEN_POINT
    assert most_binding(()) is not Level.OPEN_POINT
    assert at_most(()) is not Level.OPEN_POINT


@pytest.mark.parametrize(
    ("mutant", "level", "clauses"),
    [
        ("reduce-by-cubic-factor", Level.MUST, ("slow-start.recovery.begin",)),
        ("cubic-alpha-constant", Level.SHOULD, ("cubic.friendly.alpha-one",)),
        ("jumpstart-later-writes", Level.OUR_DEFINITION, ("jumpstart.flight.frozen",)),
    ],
)
def test_cause_has_the_level_of_the_broken_rule(mutant: str, level: Level, clauses: tuple[str, ...]) -> None:
    """A cause has the level of the rule that it breaks, or our definition for our own rules, never an open point."""
    cause = diagnosis_of(mutant).causes[0]
    assert (cause.level, cause.clauses) == (level, clauses)


def test_cause_lists_only_rules_of_the_used_base() -> None:
    """A cause in the base lists rules only of the base that the stack uses."""
    for name in ("reduce-by-cubic-factor", "app-limited-ignored"):
        assert not any(clause.startswith(("cubic.", "hybla.")) for clause in diagnosis_of(name).causes[0].clauses)
    (choice,) = diagnosis_of("jumpstart-cubic-halves").choices
    assert choice.clauses == ("cubic.startup.reduce",)


def test_the_most_binding_rule_gives_the_level() -> None:
    """The most binding rule gives the level of several rules; the level of an empty list is a definition."""
    assert most_binding(("hystartpp.css.grow", "hystartpp.css.divisor")) is Level.MUST
    assert most_binding(()) is Level.DEFINITION
    assert set(known_clauses())
