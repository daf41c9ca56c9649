"""The judge of recordings: known answers, and what is not decided."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from firstflight import Config, Observation, create, profiles
from firstflight.events import Ack, Event, Lost
from firstflight_conformance.cases.measure import config_from_json, replay
from firstflight_conformance.cases.vectors import load
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.recording.exit import Answer, Exit, exit_of
from firstflight_conformance.recording.judge import Share, fit, judge
from firstflight_conformance.recording.margin import margins, precision_decides
from firstflight_conformance.recording.recorder import Recorder
from firstflight_conformance.recording.recording import Header, Recording, Step, Subject

MS = 1_000_000
PATH = ("search", "full-window.plateau-50-ms")


def recorded(profile: str, algorithm: str = PATH[0], rest: str = PATH[1]) -> Recording:
    """Return a subject that answers to the events of a vector as a profile does."""
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


def test_a_state_that_is_not_reported_is_not_asked_for() -> None:
    """HyStart++ begins its conservative phase unseen, and shows it by less growth: so does the model beside it."""
    silent = changed(recorded("rfc-9406", "hystartpp", "path.deep-queue"), _without_state)
    judgement = judge(silent, ["hystartpp/rfc-9406"])
    assert judgement.subject_exit is not None
    assert judgement.subject_exit.evidence == "growth"
    assert judgement.standings[0].exit == "same"


def _without_state(_index: int, subject: Subject) -> Subject:
    return Subject(cwnd_bytes=subject["cwnd_bytes"], ssthresh_bytes=subject["ssthresh_bytes"])


@pytest.mark.parametrize(
    ("algorithm", "rest", "profile"),
    [
        (*PATH, "linux-3"),
        (*PATH, "neqo-2026"),
        (*PATH, "draft-00+cubic"),
        ("hystartpp", "path.deep-queue", "rfc-9406"),
        ("hystart", "path.deep-queue", "linux"),
    ],
)
def test_the_true_profile_is_first(algorithm: str, rest: str, profile: str) -> None:
    """Every window and the exit are equal, and none is better."""
    judgement = fit(recorded(profile, algorithm, rest))
    (true,) = [standing for standing in judgement.standings if standing.profile == f"{algorithm}/{profile}"]
    assert (true.rank, true.exit, true.distance, true.first) == (1, "same", 0, None)
    assert true.growth.all and true.windows.all and true.growth.of > 20
    assert judgement.standings[0].rank == 1
    assert set(judgement.left_out) == {"careful-resume", "jumpstart", "tcb-sharing"}
    asked = {name for name in profiles(composed=True) if name not in judgement.left_out}
    assert {standing.profile.partition("/")[0] for standing in judgement.standings} == asked


def test_ranks_are_shared_and_fall() -> None:
    """Slow start without an exit is behind everything that leaves."""
    standings = fit(recorded("linux-3")).standings
    ranks = [standing.rank for standing in standings]
    assert ranks == sorted(ranks)
    for one, other in pairwise(standings):
        assert (one.rank == other.rank) == (one.key == other.key)
    (plain,) = [standing for standing in standings if standing.profile == "slow-start/rfc-9002"]
    assert (plain.exit, plain.model_exit) == ("differs", None)
    assert plain.rank > sum(standing.exit != "differs" for standing in standings)


def test_an_odd_rule_costs_its_own_events() -> None:
    """72 bytes that the subject did not count at its first ACK: one event of the growth, all windows after it."""
    first = next(index for index, event in enumerate(recorded("neqo-2026").events) if isinstance(event, Ack))

    def short(index: int, subject: Subject) -> Subject:
        less = 72 if index >= first else 0
        return {**subject, "cwnd_bytes": subject["cwnd_bytes"] - less}  # type: ignore[return-value,typeddict-item]

    recording = changed(recorded("neqo-2026"), short).filter(answers=["ssthresh_bytes"])
    (standing,) = judge(recording, ["search/neqo-2026"]).standings
    assert standing.exit == "same"
    assert (standing.first, standing.growth_to_exit.of - standing.growth_to_exit.equal) == (first, 1)
    assert standing.windows.equal == 0


def test_an_exit_seen_late_is_an_interval() -> None:
    """A subject that reports windows only: after the last ACK that grew in full, up to the first that grew less."""
    true = recorded("linux-3")
    left = judge(true, ["search/linux-3"]).subject_exit
    assert left is not None and left.exact and left.evidence == "threshold"
    bare = true.filter(answers=["ssthresh_bytes", "state"])
    seen = judge(bare, ["search/linux-3"]).subject_exit
    assert seen is not None and seen.after < left.by <= seen.by
    late = left.by + 6

    def labelled(index: int, subject: Subject) -> Subject:
        return Subject(cwnd_bytes=min(subject["cwnd_bytes"], top), state="slow_start" if index < late else "recovery")

    top = true.steps[left.after].subject["cwnd_bytes"]
    logged = replace(changed(bare, labelled), header=replace(bare.header, quality={}))
    judgement = judge(logged, ["search/linux-3", "slow-start/rfc-9002"])
    assert judgement.subject_exit is not None and judgement.subject_exit.by == late
    assert [standing.exit for standing in judgement.standings] == ["inside", "differs"]


def test_no_exit() -> None:
    """A recording that ends before: a profile that has not left either agrees, one that has does not."""
    whole = recorded("linux-3")
    left = judge(whole, ["search/linux-3"]).subject_exit
    assert left is not None
    judgement = judge(whole.cut(events=left.by), ["search/linux-3", "slow-start/rfc-9002"])
    assert judgement.subject_exit is None
    assert [standing.exit for standing in judgement.standings] == ["none", "none"]
    unchanged = changed(whole, lambda _index, subject: Subject(cwnd_bytes=subject["cwnd_bytes"]))
    endless = replace(unchanged, steps=tuple(replace(s, subject=Subject()) for s in unchanged.steps))
    (standing,) = judge(endless, ["search/linux-3"]).standings
    assert (standing.exit, standing.growth, standing.windows) == ("differs", Share(0, 0), Share(0, 0))


def test_the_rule_for_app_limited_acks() -> None:
    """What grows nothing in slow start was app-limited for the subject; where the source states it that holds."""
    recorder = Recorder()
    recorder.sent(1000 * MS, [1200] * 10)
    for packet in range(4):
        recorder.acked((1050 + packet) * MS, [packet])
        recorder.report(cwnd_bytes=12000 + (1200 if packet > 1 else 0) * (packet - 1), state="slow_start")
    header = Header({"kind": "peer", "name": "toy"}, Config(1200, 12000))
    recording = recorder.recording(header)
    inferred = judge(recording, ["slow-start/rfc-9002"])
    assert (inferred.rule, inferred.app_limited, inferred.standings[0].growth) == ("growth", 2, Share(4, 4))
    never = judge(recording, ["slow-start/rfc-9002"], app_limited="never")
    assert (never.app_limited, never.standings[0].growth) == (0, Share(2, 4))
    stated = judge(replace(recording, header=replace(header, quality={"app_limited": "stated"})), [])
    assert stated.rule == "stated"
    data = replace(recording, header=replace(header, quality={"first_data_step": 3, "last_data_step": 4}))
    assert judge(data, ["slow-start/rfc-9002"], app_limited="data").app_limited == 2
    with pytest.raises(ValueError, match="does not say which packets carry stream data"):
        judge(recording, [], app_limited="data")
    with pytest.raises(ValueError, match="the first of application data"):
        judge(recording, [], start="application")


def test_the_start() -> None:
    """Before the first ACK of application data the algorithm sees only what is sent."""
    recording = recorded("neqo-2026")
    acks = [index for index, event in enumerate(recording.events) if isinstance(event, Ack)]
    later = replace(recording, header=replace(recording.header, quality={"first_application_step": acks[20]}))
    first, application = (judge(later, ["search/neqo-2026"], start=s) for s in ("first-ack", "application"))
    assert (first.begin, application.begin) == (0, acks[20])
    assert first.standings[0].model_exit != application.standings[0].model_exit


def test_margin() -> None:
    """SEARCH takes its shift from the RTT: at some size of the noise the exit moves, and not with a nanosecond."""
    judgement = judge(recorded("draft-00"), ["search/draft-00"])
    found = margins(judgement, judgement.standings[0])
    assert [margin.by_ns for margin in found] == [1_000, 10_000, 100_000, 1_000_000]
    assert [margin.of for margin in found] == [6] * 4
    assert found[0].moved == 0 and found[0].farthest_ns == 0
    none = judge(recorded("draft-00"), ["slow-start/rfc-9002"])
    assert margins(none, none.standings[0]) == []


def test_a_coarse_log_does_not_decide() -> None:
    """RTTs in units in which the profile may as well leave where the subject did: inconclusive. In ns the log decides."""
    fine = recorded("lanman-2024", rest="path.long")
    unit_ns = 2 * MS
    steps = tuple(replace(step, event=_coarse(step.event, unit_ns)) for step in fine.steps)
    decides = {}
    for resolution_ns in (1, unit_ns):
        blurred = replace(fine, header=replace(fine.header, rtt_resolution_ns=resolution_ns), steps=steps)
        judgement = judge(blurred, ["search/lanman-2024"])
        assert judgement.standings[0].exit == "differs"
        decides[resolution_ns] = precision_decides(judgement, judgement.standings[0])
    assert decides == {1: True, unit_ns: False}


def _coarse(event: Event, unit_ns: int) -> Event:
    if not isinstance(event, Ack) or event.latest_rtt_ns is None:
        return event
    return replace(event, latest_rtt_ns=event.latest_rtt_ns // unit_ns * unit_ns)


def test_a_loss_is_an_exit() -> None:
    """Slow start that meets a loss leaves there, by the reduction."""
    recording = recorded("rfc-9002", "slow-start", "path.deep-queue")
    judgement = judge(recording, ["slow-start/rfc-9002"])
    assert judgement.subject_exit == Exit(judgement.subject_exit.by - 1, judgement.subject_exit.by, "threshold")
    assert isinstance(recording.events[judgement.subject_exit.by], Lost)
    assert judgement.standings[0].exit == "same"


def test_an_event_without_an_answer_costs_no_other() -> None:
    """Some logs tell the window only after the losses that an ACK revealed: before these it is not known, and the model's own serves."""
    whole = recorded("rfc-9002", "slow-start", "path.deep-queue")
    pairs = enumerate(pairwise(whole.events))
    silent = {index for index, (one, other) in pairs if isinstance(one, Ack) and isinstance(other, Lost)}
    judgement = judge(changed(whole, lambda i, s: Subject() if i in silent else s), ["slow-start/rfc-9002"])
    assert silent and judgement.standings[0].growth.all


def test_an_ack_whose_window_is_not_reported_shows_nothing() -> None:
    """The window that is carried forward over it is not one that has not grown."""
    events = recorded("draft-09").events
    acks = [event for event in events if isinstance(event, Ack) and not event.app_limited][:2]
    answers = [Answer(20_000), Answer(20_000, reported=False)]
    assert exit_of(acks, [20_000 - acks[0].bytes, 20_000], answers) is None
    silent = exit_of(acks, [20_000 - acks[0].bytes, 20_000], [answers[0], Answer(20_000)])
    assert silent is not None
    assert silent.evidence == "growth"
