"""The judge of connections: refuted profiles, undecided connections, and both ways to follow a recording."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from firstflight import Config, Observation, create, profiles
from firstflight.events import Ack, Event, Lost, Sent
from firstflight_conformance.commands.judging import exit_code
from firstflight_conformance.format.vectors import load
from firstflight_conformance.judge import follow
from firstflight_conformance.judge.follow import Follower, Question
from firstflight_conformance.judge.verdict import ConnectionVerdict, judge, margin
from firstflight_conformance.logs.recording.recorder import Recorder
from firstflight_conformance.logs.recording.recording import Header, Recording, Step, Subject
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.records.results import ExitCode
from firstflight_conformance.replay.measure import config_from_json, replay

MS = 1_000_000
PATH = ("search", "full-window.plateau-50-ms")


def recorded(profile: str, algorithm: str = PATH[0], rest: str = PATH[1]) -> Recording:
    """Return a recording of a subject that answers the events of a vector as a profile does."""
    vector = load(VECTORS / algorithm / f"{rest}.json")
    answers = replay(create(algorithm, profile, config_from_json(vector.config)), list(vector.events))
    header = Header(
        {"kind": "vector", "name": vector.id}, config_from_json(vector.config), quality={"app_limited": "stated"}
    )
    return Recording(header, tuple(map(_step, vector.events, answers)))


def _step(event: Event, answer: Observation) -> Step:
    state = answer.phase.value
    return Step(event, Subject(cwnd_bytes=answer.cwnd_bytes, ssthresh_bytes=answer.ssthresh_bytes, state=state))


def changed(recording: Recording, change: Callable[[int, Subject], Subject]) -> Recording:
    """Return the recording with other answers."""
    steps = (Step(step.event, change(index, step.subject)) for index, step in enumerate(recording.steps))
    return replace(recording, steps=tuple(steps))


def bbr(late: int = 0) -> tuple[Recording, int]:
    """Return a subject like BBR of Linux that sets its threshold some ACKs later, and the event of the threshold."""
    recording = recorded("linux-v1", "bbr", "path.plateau")
    at = next(index for index, step in enumerate(recording.steps) if step.subject.get("ssthresh_bytes") is not None)
    acks = [index for index, step in enumerate(recording.steps) if index >= at and isinstance(step.event, Ack)]
    at = acks[late]

    def with_late_threshold(index: int, subject: Subject) -> Subject:
        threshold = subject.get("ssthresh_bytes") if index >= at else None
        state = "slow_start" if threshold is None else "congestion_avoidance"
        return Subject(cwnd_bytes=subject["cwnd_bytes"], ssthresh_bytes=threshold, state=state)

    return changed(recording, with_late_threshold), at


def test_bbr_exit_is_the_threshold_event() -> None:
    """The exit is the event of the threshold, not the end of growth; a threshold one round later refutes BBR."""
    recording, at = bbr()
    verdict = judge(recording)
    assert (verdict.did.event, verdict.did.evidence) == (at, "threshold")
    assert found(verdict, "bbr/linux-v1")
    assert verdict.may_be == ("bbr/linux-v1",)
    assert not found(judge(bbr(late=20)[0]), "bbr/linux-v1")
    before = judge(recording.cut(events=at))
    assert before.undecided == "slow start is not left in this recording"
    assert "bbr/linux-v1" in before.may_be


def found(verdict: ConnectionVerdict, profile: str) -> bool:
    """Return whether a verdict is decided and includes a profile."""
    return verdict.undecided is None and profile in verdict.may_be


@pytest.mark.parametrize(
    ("algorithm", "rest", "profile"),
    [
        (*PATH, "linux-3"),
        (*PATH, "neqo-2026"),
        (*PATH, "draft-00"),
        ("hystartpp", "path.deep-queue", "rfc-9406"),
        ("hystart", "path.deep-queue", "linux"),
    ],
)
def test_true_profile_explains_recording(algorithm: str, rest: str, profile: str) -> None:
    """Every growth is equal up to the exit; plain slow start is refuted at the exit."""
    verdict = judge(recorded(profile, algorithm, rest))
    assert found(verdict, f"{algorithm}/{profile}")
    (true,) = [explanation for explanation in verdict.explained if explanation.profile == f"{algorithm}/{profile}"]
    assert true.equal == true.counted > 20
    assert "slow-start/rfc-9002" in {refutation.profile for refutation in verdict.refuted}
    assert set(verdict.left_out) == {"careful-resume", "jumpstart", "quick-start", "tcb-sharing"}
    tried = {explanation.profile.partition("/")[0] for explanation in verdict.explained}
    assert tried == set(profiles(composed=True)) - set(verdict.left_out)


def test_python_and_port_give_same_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python and the port give the same answers and give up at the same event; before `begin` they only send."""
    recording = recorded("linux-3")
    windows = [step.subject["cwnd_bytes"] for step in recording.steps]
    previous_windows = [None, *windows[:-1]]
    for most, begin, unit_bytes in ((5, 0, 1), (len(windows), 40, 1), (len(windows), 0, 1200)):
        question = Question(
            recording.header.config, recording.events, previous_windows, windows, begin, most, unit_bytes
        )
        native = Follower(question)
        assert native._function is not None, "the test needs a C compiler"
        monkeypatch.setattr(follow, "_function", _no_compiler)
        python = Follower(question)
        monkeypatch.undo()
        for name in ("search/draft-09", "search/linux-3+cubic", "hystart/linux", "hybla/linux", "suss/linux-6-8"):
            assert native.follow(name) == python.follow(name)


def _no_compiler() -> None:
    raise follow.NativeError("none")


def test_missing_growth_costs_one_event() -> None:
    """72 bytes missing from the growth of the first ACK cost one event, and no later one."""
    first = next(index for index, event in enumerate(recorded("neqo-2026").events) if isinstance(event, Ack))

    def short(index: int, subject: Subject) -> Subject:
        less = 72 if index >= first else 0
        return {**subject, "cwnd_bytes": subject["cwnd_bytes"] - less}  # type: ignore[return-value,typeddict-item]

    verdict = judge(changed(recorded("neqo-2026"), short).filter(answers=["ssthresh_bytes"]), ["search/neqo-2026"])
    assert found(verdict, "search/neqo-2026")
    assert verdict.explained[0].counted - verdict.explained[0].equal == 1


def test_exit_from_windows_alone_is_an_interval() -> None:
    """With windows alone, the exit is between the last ACK of full growth and the first ACK of smaller growth."""
    true = recorded("linux", "hystart", "path.deep-queue")
    exact = judge(true).subject.left
    bare = judge(true.filter(answers=["ssthresh_bytes", "state"]))
    assert (exact.evidence, bare.subject.left.evidence) == ("threshold", "growth")
    assert exact.by is not None and bare.subject.left.by is not None
    assert bare.subject.left.after < exact.by <= bare.subject.left.by
    assert found(bare, "hystart/linux")


def test_stall_in_slow_start_is_not_an_exit() -> None:
    """A stall of three ACKs in the middle of slow start is not an exit."""
    true = recorded("linux", "hystart", "path.deep-queue")
    sender_exit = judge(true).subject.left
    grows = [
        i
        for i, event in enumerate(true.events)
        if isinstance(event, Ack) and i < sender_exit.after and not event.app_limited
    ]
    stalled = set(grows[-30:-27])
    lost_bytes = [0] * len(true.events)
    for index in range(1, len(lost_bytes)):
        event = true.events[index]
        lost_bytes[index] = lost_bytes[index - 1] + (event.bytes if index in stalled and isinstance(event, Ack) else 0)

    def less(index: int, subject: Subject) -> Subject:
        return Subject(cwnd_bytes=subject["cwnd_bytes"] - lost_bytes[index])

    stalling = judge(changed(true, less).filter(answers=["ssthresh_bytes", "state"])).subject.left
    assert stalling.evidence == "growth"
    assert stalling.after >= grows[-1] - 1


def test_recording_without_exit_is_undecided() -> None:
    """Profiles that have left slow start by then are refuted; all others remain."""
    whole = recorded("linux-3")
    sender_exit = judge(whole).subject.left
    verdict = judge(whole.cut(events=sender_exit.by))
    assert verdict.undecided == "slow start is not left in this recording"
    assert {"search/linux-3", "slow-start/rfc-9002"} <= set(verdict.may_be)
    assert not verdict.none_of_ours
    assert exit_code([verdict]) == ExitCode.NOTHING_RUN


def test_exit_by_loss_is_undecided_among_all_profiles() -> None:
    """Every profile leaves slow start at a loss. A requested profile is also judged by its reaction to the loss."""
    recording = recorded("rfc-9002", "slow-start", "path.deep-queue")
    among = judge(recording)
    assert among.did.evidence == "loss"
    assert among.undecided is not None and among.undecided.startswith("slow start ends by loss")
    assert found(judge(recording, ["slow-start/rfc-9002"]), "slow-start/rfc-9002")
    (refuted,) = judge(recording, ["cubic/rfc-9438"]).refuted
    assert refuted.event == among.did.event
    assert refuted.expected.startswith("ssthresh ")


def test_the_same_exit_with_another_threshold_is_refuted() -> None:
    """For example, BBR sets its threshold to the capacity of the path when it drains."""

    def half(_index: int, subject: Subject) -> Subject:
        threshold = subject["ssthresh_bytes"]
        return {**subject, "ssthresh_bytes": None if threshold is None else threshold // 2}

    verdict = judge(changed(recorded("linux", "hystart", "path.deep-queue"), half))
    assert verdict.none_of_ours


def test_too_few_acks_are_undecided() -> None:
    """A sender that the window hardly ever limited may use any profile."""
    verdict = judge(recorded("linux-3").cut(events=12))
    assert verdict.undecided is not None and "where 8 are needed" in verdict.undecided
    nothing = replace(verdict, explained=(), may_be=())
    assert exit_code([nothing]) == ExitCode.NOTHING_RUN


def test_ack_without_growth_counts_as_app_limited() -> None:
    """An ACK without growth in slow start, with unused window, counts as app-limited; stated flags are kept."""
    recorder = Recorder()
    recorder.sent(1000 * MS, [1200] * 4)
    for packet in range(4):
        recorder.acked((1050 + packet) * MS, [packet])
        recorder.report(cwnd_bytes=12000 + (1200 if packet > 1 else 0) * (packet - 1), state="slow_start")
    header = Header({"kind": "peer", "name": "toy"}, Config(1200, 12000))
    recording = recorder.recording(header)

    def flags(rule: str | None, judged_recording: Recording = recording) -> list[bool]:
        return [
            event.app_limited
            for event in judge(judged_recording, [], app_limited=rule).subject.events
            if isinstance(event, Ack)
        ]

    assert flags(None) == [True, True, False, False]
    assert flags("never") == [False] * 4
    assert flags(None, replace(recording, header=replace(header, quality={"app_limited": "stated"}))) == [False] * 4
    data = replace(recording, header=replace(header, quality={"first_data_step": 3, "last_data_step": 4}))
    assert flags("data", data) == [True, True, False, False]
    with pytest.raises(ValueError, match="does not show the packets with stream data"):
        judge(recording, [], app_limited="data")
    with pytest.raises(ValueError, match="the first ACK of application data"):
        judge(recording, [], start="application")


def test_only_sent_packets_before_first_application_ack() -> None:
    """Before the first ACK of application data the algorithm receives only sent packets."""
    recording = recorded("neqo-2026")
    acks = [index for index, event in enumerate(recording.events) if isinstance(event, Ack)]
    later = replace(recording, header=replace(recording.header, quality={"first_application_step": acks[20]}))
    first, application = (judge(later, ["search/neqo-2026"], start=s) for s in ("first-ack", "application"))
    assert (first.subject.begin, application.subject.begin) == (0, acks[20])
    assert first.explained[0].exits != application.explained[0].exits


def test_search_margin_with_rtt_noise() -> None:
    """SEARCH derives its shift from the RTT: with enough noise the exit moves, but not with a microsecond."""
    verdict = judge(recorded("draft-00"))
    margins = margin(verdict, "search/draft-00")
    assert [(row.by_ns, row.of) for row in margins] == [(1_000, 6), (10_000, 6), (100_000, 6), (1_000_000, 6)]
    assert margins[0].moved == 0
    assert margin(judge(recorded("draft-00").cut(events=30), ["slow-start/rfc-9002"]), "slow-start/rfc-9002") == []


def test_a_coarse_log_does_not_decide() -> None:
    """If the profile may leave at the same ACK within the RTT unit, nothing is decided. In ns the log refutes it."""
    fine, coarse = _judged_coarsely("lanman-2024", "path.long", -1)
    assert (fine.undecided is not None, fine.none_of_ours) == (False, True)
    assert (coarse.undecided is not None, coarse.none_of_ours) == (True, False)


def test_a_coarse_log_does_not_decide_an_early_exit() -> None:
    """A profile that leaves a bin earlier grows less than the subject at over 5 % of the ACKs, all after its exit."""
    fine, coarse = _judged_coarsely("draft-09", "path.jitter", 1)
    (explanation,) = fine.explained
    assert 20 * (explanation.counted - explanation.equal) > explanation.counted
    assert explanation.by_exit
    assert (fine.undecided is not None, fine.none_of_ours) == (False, True)
    assert (coarse.undecided is not None, coarse.none_of_ours) == (True, False)


def _judged_coarsely(profile: str, rest: str, way: int) -> list[ConnectionVerdict]:
    """Return the verdicts on RTTs rounded down (-1) or up (1) to 2 ms, with a resolution of 1 ns and of 2 ms."""
    fine, unit_ns = recorded(profile, rest=rest), 2 * MS
    steps = tuple(replace(step, event=_coarse(step.event, unit_ns, way)) for step in fine.steps)
    headers = [replace(fine.header, rtt_resolution_ns=resolution_ns) for resolution_ns in (1, unit_ns)]
    return [judge(replace(fine, header=header, steps=steps), [f"search/{profile}"]) for header in headers]


def _coarse(event: Event, unit_ns: int, way: int) -> Event:
    if not isinstance(event, Ack) or event.latest_rtt_ns is None:
        return event
    return replace(event, latest_rtt_ns=-way * (-way * event.latest_rtt_ns // unit_ns) * unit_ns)


def test_model_window_replaces_missing_window() -> None:
    """Some logs omit the window between an ACK and the losses that it reveals; the model's own window replaces it."""
    whole = recorded("rfc-9002", "slow-start", "path.deep-queue")
    pairs = enumerate(zip(whole.events, whole.events[1:], strict=False))
    silent = {index for index, (event, following) in pairs if isinstance(event, Ack) and isinstance(following, Lost)}
    verdict = judge(changed(whole, lambda i, s: Subject() if i in silent else s), ["slow-start/rfc-9002"])
    assert silent
    assert verdict.explained[0].equal == verdict.explained[0].counted


def met_a_loss(threshold_datagrams: int) -> Recording:
    """Return a sender that had 80 datagrams and logs no window at an ACK of 70 that comes with a loss."""
    size_bytes, recorder = 1200, Recorder()
    window, first = 10, 0
    for number in range(1, 4):
        begin_ns = number * 100 * MS
        recorder.sent(begin_ns, [(window, size_bytes)])
        recorder.report(cwnd_bytes=window * size_bytes)
        for at in range(0, window, 5):
            recorder.acked(begin_ns + 50 * MS + at * MS // 10, [(first + at, first + at + 4)])
            recorder.report(cwnd_bytes=(window + at + 5) * size_bytes)
        first, window = first + window, 2 * window
    recorder.sent(400 * MS, [(window, size_bytes)])
    recorder.report(cwnd_bytes=window * size_bytes)
    recorder.acked(450 * MS, [(first + 1, first + 70)])
    recorder.lost(450 * MS, [first])
    recorder.report(cwnd_bytes=threshold_datagrams * size_bytes, ssthresh_bytes=threshold_datagrams * size_bytes)
    recorder.sent(460 * MS, [size_bytes])
    return recorder.recording(Header({"kind": "peer", "name": "a toy"}, Config(size_bytes, 10 * size_bytes)))


@pytest.mark.parametrize(("threshold", "explained"), [(105, True), (56, True), (30, False), (200, False)])
def test_ack_without_logged_window_may_grow_the_window(threshold: int, *, explained: bool) -> None:
    """quinn logs one window for an ACK and the loss that it reveals: 0.7 of the window with or without the growth."""
    verdict = judge(met_a_loss(threshold), ["cubic/rfc-9438"])
    assert verdict.did.evidence == "loss"
    assert ("cubic/rfc-9438" in verdict.may_be) == explained


def test_reduction_factor_after_growth_is_at_most_one() -> None:
    """BBR grows through losses and falls later: reduction factors are at most one."""

    recording = met_a_loss(90)
    last = len(recording.steps) - 1
    recording = changed(recording, lambda index, subject: Subject(cwnd_bytes=60_000) if index == last else subject)
    steps = [
        replace(step, subject=Subject(cwnd_bytes=96_000)) if index == last - 1 else step
        for index, step in enumerate(recording.steps)
    ]
    reduction = judge(replace(recording, steps=tuple(steps)), ["cubic/rfc-9438"]).did.reduction
    assert reduction is not None
    assert (reduction.event, reduction.of, reduction.factor) == (last, "window", Fraction(5, 8))


def test_sender_without_new_data_is_not_window_limited() -> None:
    """A sender without new data repeats one packet much later; in between, its window is full and does not change."""
    recorder, window_bytes = Recorder(), 12_000
    recorder.sent(1_000 * MS, [(10, 1200)])
    recorder.report(cwnd_bytes=window_bytes)
    for acked in range(0, 60, 2):
        recorder.acked((1_040 + acked) * MS, [(acked, acked + 1)])
        window_bytes += 2400
        recorder.report(cwnd_bytes=window_bytes)
        recorder.sent((1_040 + acked) * MS, [(4, 1200)])
        recorder.report(cwnd_bytes=window_bytes)
    for acked in range(60, 80, 2):
        recorder.acked((1_040 + acked) * MS, [(acked, acked + 1)])
        recorder.report(cwnd_bytes=window_bytes)
    recorder.sent(1_200 * MS, [1200])
    recorder.report(cwnd_bytes=window_bytes)
    verdict = judge(recorder.recording(Header({"kind": "peer", "name": "a toy"}, Config(1200, 12_000))))
    assert verdict.did.growth == 1
    assert not verdict.none_of_ours
    assert "slow-start/rfc-9002" in verdict.may_be


def test_sender_is_not_window_limited_after_its_last_packet() -> None:
    """A sender without more data does not grow, however full its window is."""
    recording = recorded("linux", "hystart", "path.deep-queue")
    last = max(index for index, event in enumerate(recording.events) if isinstance(event, Sent))
    limited = judge(recording, ["hystart/linux"]).subject.limited
    assert limited
    assert all(point.index < last for point in limited)
