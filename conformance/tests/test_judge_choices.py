"""Senders that use a freedom are not refuted, and the report lists the choice; similar wrong senders are refuted."""

from dataclasses import replace

import pytest

from firstflight_conformance.compare.relation import Limits
from firstflight_conformance.judge import choices
from firstflight_conformance.judge.report import lines
from firstflight_conformance.judge.verdict import TOO_MANY, ConnectionVerdict, judge, to_json, together

from freedoms_support import Variant, program_of, variants  # isort: skip
from known_senders import Path, Sender, recorded_program, recorded_sender  # isort: skip

_FAST, _SHORT = Path(packet_us=400), Path(delay_ms=15, packet_us=500)
_CAPPED = Path(packet_us=400, drops=900, caps=(500, 150))
_RESUMED = Path(packet_us=400, drops=160, saved_datagrams=400)
#: Algorithm, conforming variant, breaking variant, path, and the open point.
_CASES = [
    ("hystartpp", "boundary-in-the-ended-round", "round-for-each-ack", _FAST, "hystartpp H5"),
    ("hystartpp", "round-by-octets", "round-for-each-ack", _FAST, "hystartpp H13"),
    ("search", "windows-of-eleven-bins", "windows-of-nine-bins", _SHORT, "search A2"),
    ("search", "back-down", "back-seven", _SHORT, "search A13"),
    ("search", "draft-back-to-the-nearest", "draft-back-four", _SHORT, "search A13"),
    ("cubic", "reduces-the-flight", "leaves-eight-tenths", _CAPPED, "cubic U3"),
    ("careful-resume", "retreat-to-two-fifths", "retreat-to-nine-tenths", _RESUMED, "careful-resume A19"),
]


def variant(algorithm: str, name: str) -> Variant:
    """Return a variant of the open points, or Careful Resume that retreats to more than half of PipeSize."""
    if name == "retreat-to-nine-tenths":
        retreat = variant(algorithm, "retreat-to-two-fifths")
        ((old, new),) = retreat.replace
        return replace(retreat, id=name, replace=[[old, new.replace("* 2 // 5", "* 9 // 10")]])
    return next(candidate for candidate in variants() if (candidate.algorithm, candidate.id) == (algorithm, name))


def judged(algorithm: str, name: str, path: Path) -> ConnectionVerdict:
    """Return the verdict by the profile of a variant."""
    chosen = variant(algorithm, name)
    return judge(recorded_program(program_of(chosen), path), [chosen.profile])


@pytest.mark.parametrize(("algorithm", "conforming", "breaking", "path", "point"), _CASES)
def test_conforming_choice_is_listed_and_error_is_refuted(
    algorithm: str, conforming: str, breaking: str, path: Path, point: str
) -> None:
    """A profile with the alternatives at its open points explains the conforming sender but not the breaking one."""
    profile = variant(algorithm, conforming).profile
    verdict = judged(algorithm, conforming, path)
    assert (verdict.may_be, verdict.undecided) == ((profile,), None)
    (explained,) = to_json(verdict, None, ())["explained_with"]
    assert (explained["profile"], [choice["point"] for choice in explained["choices"]]) == (profile, [point])
    assert any(
        line.startswith(f"{profile} explained with: ") and point in line for line in lines(verdict, margins=False)
    )
    assert judged(algorithm, breaking, path).none_of_ours


def test_recording_explained_by_several_choices() -> None:
    """A recording may need two choices together, because neither explains it alone."""
    (explained,) = judged("search", "three-choices", _SHORT).explained_with
    assert {choice.cause for choice in explained.choices} == {"shift-floor", "rollback-floor"}


def test_unexplained_connection_is_nearest_profile_with_a_choice() -> None:
    """A connection that no profile explains may be the nearest profile with a choice."""
    verdict = judge(recorded_program(program_of(variant("hystartpp", "round-by-octets")), _FAST))
    assert (verdict.may_be, verdict.undecided) == (("hystartpp/rfc-9406",), None)
    assert [choice.cause for choice in verdict.explained_with[0].choices] == ["hystartpp-round-by-octets"]


def test_fixed_exit_identifies_no_profile() -> None:
    """A sender with an exit at a fixed window is still none of ours."""
    verdicts = [judge(recorded_sender(Sender(exit_bytes=size, queue_packets=200))) for size in (64_000, 90_000)]
    assert together(verdicts) == ([], None)


def test_runs_that_need_different_choices_are_refuted() -> None:
    """Two runs that need different choices, such as rounding down and up, are refuted together."""
    down, up = (judged("search", name, _SHORT) for name in ("shift-down", "shift-up"))
    assert down.may_be == up.may_be == ("search/lanman-2024",)
    assert together([down, down]) == (["search/lanman-2024"], None)
    assert together([down, up]) == ([], None)


def test_search_at_its_limit_does_not_refute(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that reaches its limit does not refute."""
    monkeypatch.setattr(choices, "_LIMITS", Limits(100, walks=((1, 6),)))
    verdict = judged("search", "windows-of-nine-bins", _SHORT)
    assert (verdict.may_be, verdict.undecided, verdict.none_of_ours) == ((), TOO_MANY, False)
