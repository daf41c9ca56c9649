"""Conditions that follow from the events, and conditions that events only state."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from every import vectors_by_id
from firstflight import Ack, Config, advance, create
from firstflight.events import Event, PathChange, PersistentCongestion
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.compare.answers import run_of
from firstflight_conformance.compare.options import models_of
from firstflight_conformance.compare.relation import judge as judge_alone
from firstflight_conformance.compare.subject import AnsweredCase as DiagnosedSubject
from firstflight_conformance.format.builder import MS, S, StreamBuilder
from firstflight_conformance.format.given import (
    FLAGS,
    Usage,
    app_limited_given,
    other_limit,
    persistent_congestion_given,
)
from firstflight_conformance.format.parse import VectorError
from firstflight_conformance.format.schemas import validator
from firstflight_conformance.format.stream import HUGE_ACK_PACKETS, StreamError, check_rtts, flags_of
from firstflight_conformance.format.vectors import Vector, load
from firstflight_conformance.records.results import AdapterReport, Result, Verdict
from firstflight_conformance.replay.measure import replay
from firstflight_conformance.replay.stimulus import to_json
from firstflight_conformance.report import json_document
from firstflight_conformance.run.judge import judge
from firstflight_conformance.run.session import RunOptions
from firstflight_conformance.simulate.cases import CLOSED_LOOP, StimulusScript, stimulus_cases
from firstflight_conformance.simulate.scenario import scenario_files
from generate.catalogue import Catalogue
from runner_support import QUICK, adapter, command, judged, write_vectors
from stimuli.newreno import growth, persistent

DATAGRAM = 1200


def limits_given(events: Sequence[Event]) -> bool:
    """Return whether app_limited is given for NewReno with the recommended initial window."""
    windows = [
        observation.cwnd_bytes
        for observation in replay(create("slow-start", "rfc-9002", Config(DATAGRAM)), list(events))
    ]
    return app_limited_given(events, windows, DATAGRAM)


def flight(packets: int, *, app_limited: bool) -> list[Event]:
    """Send this number of packets into a window of ten, and acknowledge all with one ACK."""
    b = StreamBuilder()
    b.send(0, packets, app_limited=app_limited)
    b.ack(100 * MS, (0, packets - 1), app_limited=app_limited)
    return b.events


@pytest.mark.parametrize(("packets", "follows"), [(4, True), (5, False), (9, False), (10, False)])
def test_less_than_half_used_window_is_app_limited(packets: int, follows: bool) -> None:
    """Below half of the window every rule returns app-limited; from half of the window on one rule does not."""
    assert limits_given(flight(packets, app_limited=True)) is not follows


@pytest.mark.parametrize(("packets", "follows"), [(10, True), (9, False), (5, False), (1, False)])
def test_full_window_is_not_app_limited(packets: int, follows: bool) -> None:
    """A window without room for a datagram is full; with room for one the rule at the ACK returns app-limited."""
    assert limits_given(flight(packets, app_limited=False)) is not follows


@pytest.mark.parametrize(("window", "follows"), [(13_199, True), (13_200, False)])
def test_room_for_less_than_a_datagram(window: int, follows: bool) -> None:
    """Ten packets of 1200 bytes fill a window with room for 1199 bytes more, not one with room for another packet."""
    assert app_limited_given(flight(10, app_limited=False), [window, window + 12_000], DATAGRAM) is not follows


def test_room_for_three_datagrams() -> None:
    """Two packets are less than half of a window of five, but fill it for a rule that tolerates room for three."""
    b = StreamBuilder(initial_window_bytes=6000)
    b.send(0, 2, app_limited=True)
    b.ack(100 * MS, (0, 1), app_limited=True)
    windows = [6000, 6000]
    assert app_limited_given(b.events, windows, DATAGRAM)
    assert not app_limited_given(b.events, [6001, 6001], DATAGRAM)


def test_rules_disagree_on_flight_acknowledged_in_two_parts() -> None:
    """Rules at sending time and at the ACK disagree on the second part, unless the window is filled in between."""
    for fill in (False, True):
        b = StreamBuilder()
        b.send(0, 10)
        b.ack(100 * MS, (0, 4))
        if fill:
            b.send(100 * MS, 10)
        b.ack(101 * MS, (5, 9))
        assert limits_given(b.events) is not fill


def test_few_bytes_in_flight_after_a_full_window() -> None:
    """Little is in flight before an ACK, but one of its packets was sent when the window was full."""
    for last, more in ((6, 0), (8, 1)):  # the full flight alone, and with a later packet sent app-limited
        b = StreamBuilder()
        b.send(0, 10)
        b.ack(100 * MS, (0, last))
        if more:
            b.send(100 * MS, more, app_limited=True)
        b.ack(101 * MS, (last + 1, 9 + more), app_limited=True)
        assert limits_given(b.events)


def test_window_full_after_reduction_is_not_used() -> None:
    """A window that is full at the ACK only because it shrank after sending does not count as used."""
    b = StreamBuilder()
    b.send(0, 4, app_limited=True)
    b.ack(100 * MS, (0, 0))
    sent, ack = b.events
    assert not app_limited_given([sent, ack], [4800, 4800], DATAGRAM)
    assert app_limited_given([sent, PersistentCongestion(ack.t_ns), ack], [12000, 4800, 4800], DATAGRAM)


def lossy(*times_ns: int, acked: tuple[int, ...] = (), stated: bool = False) -> list[Event]:
    """Lose the packets sent at these times, except the acknowledged ones. RTT 100 ms, initial variation 50 ms."""
    b = StreamBuilder()
    b.send(0, 1, app_limited=True)
    b.ack(100 * MS, (0, 0), app_limited=True)
    for t_ns in times_ns:
        b.send(t_ns, 1, app_limited=True)
    for packet in acked:
        b.ack(times_ns[-1] + 50 * MS, (packet, packet), app_limited=True, sample=False)
    for packet in range(1, len(times_ns) + 1):
        if packet not in acked:
            b.lose(times_ns[-1] + 50 * MS, (packet, packet))
    if stated:
        b.persistent_congestion(times_ns[-1] + 50 * MS)
    return b.events


def test_persistent_congestion_durations() -> None:
    """The duration is 900 ms without max_ack_delay and 975 ms with it; nothing follows from a time between them."""
    assert not persistent_congestion_given(lossy(S, S + 900 * MS))
    assert persistent_congestion_given(lossy(S, S + 901 * MS))

    def together(span_ms: int) -> list[Event]:
        b = StreamBuilder()
        b.send(0, 1, app_limited=True)
        b.ack(100 * MS, (0, 0), app_limited=True)
        b.send(S, 1, app_limited=True)
        b.send(S + span_ms * MS, 1, app_limited=True)
        b.lose(3 * S, (1, 2))
        b.persistent_congestion(3 * S)
        return b.events

    assert persistent_congestion_given(together(975))
    assert not persistent_congestion_given(together(976))


def test_ack_between_losses_prevents_persistent_congestion() -> None:
    """Losses on both sides of an acknowledged packet do not establish persistent congestion."""
    assert not persistent_congestion_given(lossy(S, 2 * S, 3 * S, acked=(2,)))
    assert persistent_congestion_given(lossy(S, 2 * S, 3 * S))


def test_packets_before_the_first_sample_are_ignored() -> None:
    """Only packets sent after the first sample count: one packet of two spans no time."""
    b = StreamBuilder()
    b.send(0, 1, app_limited=True)
    b.send(50 * MS, 1, app_limited=True)
    b.ack(100 * MS, (0, 0), app_limited=True)
    b.send(2 * S, 1, app_limited=True)
    b.lose(3 * S, (1, 2))
    assert not persistent_congestion_given(b.events)


def test_careful_resume_path_signal_keeps_rtt_samples() -> None:
    """A signal that the path changed, in Careful Resume, leaves the samples as they are."""
    lost = lossy(S, 3 * S)
    changed = [*lost[:-1], PathChange(lost[-1].t_ns), lost[-1]]
    assert not persistent_congestion_given(changed)
    assert persistent_congestion_given(changed, "careful-resume")


def test_persistent_congestion_across_several_loss_events() -> None:
    """Persistent congestion across several loss events does not follow: some stacks check each event alone."""
    assert persistent_congestion_given(lossy(S, 3 * S, stated=True))
    assert persistent_congestion_given(lossy(S, 2 * S, 3 * S, stated=True))


def test_persistent_congestion_event_without_a_loss() -> None:
    """Without a loss only the event itself states persistent congestion."""
    assert persistent_congestion_given([PersistentCongestion(S)])
    assert persistent_congestion_given([*lossy(), PersistentCongestion(S)])


@pytest.fixture
def vectors() -> dict[str, Vector]:
    """Every vector, by its id."""
    return vectors_by_id()


def test_full_window_stimuli_have_neither_flag(vectors: dict[str, Vector]) -> None:
    """The full-window stimuli have neither flag, and at least forty of them apply to neqo's profile."""
    full = [vector for name, vector in vectors.items() if name.startswith("search.full-window.")]
    assert [vector.id for vector in full if not set(FLAGS.values()).isdisjoint(vector.flags)] == []
    assert sum("neqo-2026" in vector.profiles for vector in full) >= 40


def test_persistent_congestion_stimuli_have_neither_flag(vectors: dict[str, Vector]) -> None:
    """The stimuli for this have neither flag; slow start, CUBIC and SEARCH have vectors where the event follows."""
    for stimulus in persistent.CATALOGUE.stimuli:
        assert set(FLAGS.values()).isdisjoint(vectors[stimulus.id].flags)
    follows = [
        vector.algorithm
        for vector in vectors.values()
        if "persistent-congestion" in vector.flags and "persistent-congestion-given" not in vector.flags
    ]
    assert {"slow-start", "cubic", "search"} <= set(follows)


def test_huge_acks_are_flagged(vectors: dict[str, Vector]) -> None:
    """Exactly the ACKs with more packets than an adapter can process one by one are flagged."""
    assert {name for name, vector in vectors.items() if "huge-ack" in vector.flags} == {
        "careful-resume.large.jump",
        "search.rtt.sixty-seconds",
        "search.threshold.huge-windows",
    }
    for packets, flagged in ((HUGE_ACK_PACKETS, False), (HUGE_ACK_PACKETS + 1, True)):
        b = StreamBuilder()
        b.send_bytes(0, packets * DATAGRAM)
        b.ack(100 * MS, (0, packets - 1))
        assert ("huge-ack" in flags_of(b.events)) is flagged


def small(*, app_limited: bool) -> dict[str, Any]:
    """Return a vector of a full window whose ACK has this ``app_limited``: right if ``False``."""
    catalogue = Catalogue("rfc-9002", sources=("RFC 9002",))

    @catalogue.add("slow-start.given.small", "Ten packets and their ACK", "A vector for the tests of what is given.")
    def _(b: StreamBuilder) -> None:
        b.send(0, 10)
        b.ack(100 * MS, (0, 9), app_limited=app_limited)

    return to_json(catalogue.stimuli[0])


def test_generator_adds_the_flag_where_needed(tmp_path: Path) -> None:
    """The generator adds the flag only where it applies, and the loader refuses a vector without it."""
    assert "app-limited-given" not in small(app_limited=False)["flags"]
    raw = small(app_limited=True)
    assert "app-limited-given" in raw["flags"]
    raw["flags"].remove("app-limited-given")
    root = write_vectors(tmp_path / "vectors", raw)
    with pytest.raises(VectorError, match="app-limited-given"):
        load(root / "slow-start" / "slow-start.given.small.json")


def judge_declaring(
    tmp_path: Path, raw: dict[str, Any], works_out: list[str], mode: str = ""
) -> tuple[Result, AdapterReport]:
    """Judge an adapter that declares ``works_out``; return the result of one vector and the report."""
    hello = json.dumps({"works_out": works_out, "observables": ["cwnd_bytes"]})
    root = write_vectors(tmp_path / "vectors", raw)
    report = judged(root, *command("declares", hello, mode), options=RunOptions(10.0, validate=True))
    return next(result for result in report.results if result.case_id.startswith(raw["id"])), report


def test_vector_with_only_stated_app_limited_is_skipped(tmp_path: Path) -> None:
    """An adapter that works out app_limited skips vectors that only state it; the skip is counted with a reason."""
    result, report = judge_declaring(tmp_path, small(app_limited=True), ["app_limited"])
    assert result.verdict is Verdict.UNSUPPORTED
    assert "computes app_limited itself" in result.reason
    assert "app-limited-given" in result.reason
    assert (report.counts["unsupported"], report.counts["pass"]) == (1, 3)
    document = json.loads(json_document.text(json_document.to_json([report], [], 0, strict=False)))
    validator("urn:firstflight:report:1").validate(document)
    assert document["adapters"][0]["declaration"]["works_out"] == ["app_limited"]


@pytest.mark.parametrize(
    ("app_limited", "works_out"), [(True, []), (True, ["persistent_congestion"]), (False, ["app_limited"])]
)
def test_other_adapters_get_all_applicable_vectors(tmp_path: Path, app_limited: bool, works_out: list[str]) -> None:
    """Adapters that read app_limited from the events get all vectors; other adapters get those where it follows."""
    result, _ = judge_declaring(tmp_path, small(app_limited=app_limited), works_out)
    assert result.verdict is Verdict.PASS


@pytest.mark.parametrize(("works_out", "verdict"), [(["persistent_congestion"], Verdict.PASS), ([], Verdict.FAIL)])
def test_persistent_congestion_at_the_loss(tmp_path: Path, works_out: list[str], verdict: Verdict) -> None:
    """Only an adapter that works out persistent congestion may collapse at the loss that establishes it."""
    stimulus = next(s for s in persistent.CATALOGUE.stimuli if s.id == "slow-start.persistent.established-by-losses")
    result, _ = judge_declaring(tmp_path, to_json(stimulus), works_out, "collapses-at-loss")
    assert result.verdict is verdict


def test_collapse_without_persistent_congestion_fails(tmp_path: Path) -> None:
    """If persistent congestion does not follow from a loss, the answer to the loss is compared."""
    stimulus = next(s for s in persistent.CATALOGUE.stimuli if s.id == "slow-start.persistent.losses-too-close")
    result, _ = judge_declaring(tmp_path, to_json(stimulus), ["persistent_congestion"], "collapses-at-loss")
    assert result.verdict is Verdict.FAIL


@pytest.mark.parametrize("works_out", ["app_limited", ["loss"], [1], None])
def test_invalid_works_out_is_refused(tmp_path: Path, works_out: Any) -> None:
    """A ``works_out`` with an unknown condition or of a wrong type is refused."""
    result, _ = judge_declaring(tmp_path, small(app_limited=False), works_out)
    assert result.verdict is Verdict.ERRORED
    assert "works_out" in result.reason


@pytest.mark.parametrize(
    ("member", "value", "reason"),
    [("latest_rtt_ns", 99 * MS, "100000000"), ("min_rtt_ns", None, "is null"), ("smoothed_rtt_ns", 1, "100000000")],
)
def test_rtt_that_differs_from_the_estimate_is_refused(member: str, value: int | None, reason: str) -> None:
    """A stream with an RTT that differs from the estimate of its events is refused."""
    events = list(flight(10, app_limited=False))
    check_rtts(events)
    events[1] = replace(events[1], **{member: value})
    with pytest.raises(StreamError, match=reason) as refusal:
        check_rtts(events)
    assert refusal.value.member == f".{member}"


def test_rtt_is_missing_before_the_first_sample() -> None:
    """The RTT is missing before the first sample, which sets the estimate and ignores its ACK delay."""
    b = StreamBuilder()
    b.send(0, 3)
    b.ack(100 * MS, (0, 0), sample=False)
    b.ack(110 * MS, (1, 1), ack_delay_ns=25 * MS)
    b.ack(120 * MS, (2, 2), sample=False)
    acks = [event for event in b.events if isinstance(event, Ack)]
    assert [(ack.min_rtt_ns, ack.smoothed_rtt_ns) for ack in acks] == [
        (None, None),
        (110 * MS, 110 * MS),
        (110 * MS, 110 * MS),
    ]
    assert b.rtt.variation_ns == 55 * MS


@pytest.mark.parametrize("rule", ["half-at-sending", "last-send"])
def test_closed_loop_accepts_rules_in_use(rule: str) -> None:
    """The rules of neqo and quinn pass, though they disagree if a transfer ends with 93 % of the window in flight."""
    assert loop_verdict(rule) is Verdict.PASS


def test_closed_loop_rejects_missing_growth_of_a_full_window() -> None:
    """A sender that does not grow a full window fails, because every rule grows it."""
    assert loop_verdict("always") is Verdict.FAIL


def loop_verdict(rule: str) -> Verdict:
    """Return the verdict on a rule for the scenario where a transfer ends in slow start."""
    cases = stimulus_cases([scenario_files(CLOSED_LOOP)["app-limited.json"]])
    scripts = [StimulusScript(case) for case in cases if case.id.endswith("@slow-start/rfc-9002")]
    (result,) = judge(adapter(*command("works_out", rule)), scripts, QUICK).results
    return result.verdict


@pytest.mark.parametrize(("rule", "verdict"), [("half-at-sending", Verdict.PASS), ("never", Verdict.FAIL)])
def test_bursts_are_judged(tmp_path: Path, rule: str, verdict: Verdict) -> None:
    """Stacks are judged on bursts of three packets, because every rule treats the window as unused."""
    stimulus = next(s for s in growth.CATALOGUE.stimuli if s.id == "slow-start.app-limited.bursts")
    report = judged(write_vectors(tmp_path / "vectors", to_json(stimulus)), *command("works_out", rule))
    assert next(result for result in report.results if result.case_id.startswith(stimulus.id)).verdict is verdict


@pytest.mark.parametrize(("works_out", "conforms"), [(("app_limited",), True), ((), False)])
def test_relation_accepts_both_ack_forms_only_with_works_out(works_out: tuple[str, ...], conforms: bool) -> None:
    """A CUBIC stack that differs wherever app_limited does not follow conforms only if it declares ``works_out``."""
    stimuli = stimulus_cases([scenario_files(CLOSED_LOOP)["app-limited.json"]])
    case = next(case for case in stimuli if case.id.endswith("@cubic/rfc-9438"))
    declared = Declaration("x", "1", {"cubic": ("rfc-9438",)}, observables=("cwnd_bytes",), works_out=works_out)
    events, _ = run_of(case, declared)
    model, usage, observed = case.controller(), Usage(case.scenario.config.max_datagram_size_bytes), []
    for event in events:
        is_given = usage.is_given(event, model.base.cwnd_bytes)
        form = other_limit(event) if is_given and isinstance(event, Ack) else event
        observed.append({"cwnd_bytes": advance(model, form).cwnd_bytes})
        usage.window_bytes = model.base.cwnd_bytes
    judgement = judge_alone(
        DiagnosedSubject(case, declared, events, tuple(observed), 0), models_of("cubic", "rfc-9438")
    )
    assert bool(judgement.ways) is conforms
