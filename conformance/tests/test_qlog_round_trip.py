"""Vectors written as qlogs, read and judged: every window and exit equal."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from every import every_vector
from firstflight import profiles
from firstflight.controller import ALGORITHMS
from firstflight.events import Ack, Event, Lost, Run, Sent
from firstflight_conformance.format.vectors import Case, Vector, cases, load
from firstflight_conformance.judge.follow import windows_alone
from firstflight_conformance.judge.verdict import judge
from firstflight_conformance.logs.case_qlog import case_qlog_text
from firstflight_conformance.logs.qlog import write
from firstflight_conformance.logs.qlog.read import read_qlog
from firstflight_conformance.logs.recording.answers import answers_of
from firstflight_conformance.paths import VECTORS

#: Long runs are one record each, which keeps this test short; some vectors are written packet by packet as well.
_RUN_RECORDS = 8
_PACKET_BY_PACKET = ("search/path.long", "hystartpp/path.deep-queue", "slow-start/path.random-loss")
_ALGORITHMS = tuple(profiles())


@pytest.mark.parametrize("algorithm", _ALGORITHMS)
def test_every_profile_is_written_and_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, algorithm: str) -> None:
    """The least judged of the profiles with equal logs is written and judged; each profile is judged at least once."""
    monkeypatch.setattr(write, "RUN_RECORDS", _RUN_RECORDS)
    vectors = [vector for vector in every_vector() if vector.algorithm == algorithm]
    vectors = [vector for vector in vectors if _shows_its_samples(vector) and _keeps_its_path(vector)]
    judged = Counter({profile: 0 for vector in vectors for profile in vector.profiles})
    for vector in vectors:
        for alike in _with_the_same_log(cases([vector])):
            least = min(alike, key=lambda case: judged[case.profile])
            for case in alike:
                if case is least or judged[case.profile] == 0:
                    _check(tmp_path / "log.sqlog", case)
                    judged[case.profile] += 1
    assert min(judged.values()) > 0, judged


@pytest.mark.parametrize("name", _PACKET_BY_PACKET)
def test_log_with_one_record_per_packet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The log has one record per packet, also for runs that `firstflight show --qlog` abbreviates."""
    vector = load(VECTORS / f"{name}.json")
    monkeypatch.setattr(write, "RUN_RECORDS", 10**6)
    _check(tmp_path / "log.sqlog", next(cases([vector])))


def _with_the_same_log(same_stream: Iterable[Case]) -> list[list[Case]]:
    """Group cases of one stream whose logs show the same answers."""
    groups: list[tuple[list[Any], list[Case]]] = []
    for case in same_stream:
        answers = [_shown(answer) for answer in case.expected()]
        for group_answers, alike in groups:
            if group_answers == answers:
                alike.append(case)
                break
        else:
            groups.append((answers, [case]))
    return [alike for _, alike in groups]


def _shown(answer: dict[str, Any]) -> tuple[Any, ...]:
    """Return the part of an answer that a log shows: windows and phase, and the state of Careful Resume."""
    state = answer["state"] if "pipesize_bytes" in answer["state"] else None
    return answer["cwnd_bytes"], answer["ssthresh_bytes"], answer["phase"], answer.get("trigger"), state


def _check(path: Path, case: Case) -> None:
    """Write a case as a qlog, read the log, and judge the recording."""
    path.write_text(case_qlog_text(case), encoding="utf-8")
    log = read_qlog(path)
    recording = log.recording
    if "not-in-flight" not in case.vector.flags:  # a recording omits such packets and renumbers the rest
        expected_events = [_joined(_unsampled(event)) for event in case.events]
        assert [_joined(_unsampled(event)) for event in recording.events] == expected_events, case.id
    assert log.agreement == 1, case.id
    name, config = f"{case.vector.algorithm}/{case.profile}", recording.header.config
    reported = [answer.cwnd_bytes for answer in answers_of(recording)]
    assert windows_alone(name, config, recording.events) == reported, case.id
    (explained,) = judge(recording, [name]).explained
    assert explained.refuted is None, (case.id, explained.refuted)


def _shows_its_samples(vector: Vector) -> bool:
    """Return whether a log of the packets gives the vector's delivery-rate samples, if its algorithm uses any."""
    if not ALGORITHMS[vector.algorithm].samples_rate:
        return True
    acks = [event for event in vector.events if isinstance(event, Ack)]
    return "delivery-rate-given" not in vector.flags and all(ack.rate_delivered_bytes is not None for ack in acks)


def _keeps_its_path(vector: Vector) -> bool:
    """Return whether no path change confirms a new address: a log does not show whether RTTs begin anew."""
    return "path-change" not in vector.flags


def _unsampled(event: Event) -> Event:
    """Return an event without its delivery-rate sample: it is computed from the packets, not logged in a qlog."""
    sample = [field.name for field in fields(event) if field.name.startswith("rate_")]
    return replace(event, **dict.fromkeys(sample))


def _joined(event: Event) -> Event:
    """Return an event with adjacent runs joined, since a qlog does not record runs."""
    if not isinstance(event, Sent | Ack | Lost) or len(event.packets) == 1:
        return event
    runs: list[Run] = []
    for run in event.packets:
        if runs and runs[-1] == replace(run, first=runs[-1].first, last=run.first - 1):
            run = replace(run, first=runs.pop().first)  # noqa: PLW2901
        runs.append(run)
    return replace(event, packets=tuple(runs))
