"""Every vector written as a qlog, read and judged: every window and exit equal."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from every import every_vector
from firstflight import profiles
from firstflight.events import Ack, Event, Lost, Run, Sent
from firstflight_conformance.cases.qlog import case_qlog_text
from firstflight_conformance.cases.vectors import Case, cases, load
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.qlog import write
from firstflight_conformance.qlog.read import Log, read_qlog
from firstflight_conformance.recording.judge import judge

#: Long runs as one record each, which keeps this test quick; a few vectors are written packet by packet as well.
_RUN_RECORDS = 8
_PACKET_BY_PACKET = ("search/path.long", "hystartpp/path.deep-queue", "slow-start/path.random-loss")
_ALGORITHMS = tuple(profiles())


@pytest.mark.parametrize("algorithm", _ALGORITHMS)
def test_every_vector_in_every_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, algorithm: str) -> None:
    """Profiles with the same log share the reading."""
    monkeypatch.setattr(write, "RUN_RECORDS", _RUN_RECORDS)
    for vector in every_vector():
        if vector.algorithm == algorithm:
            _check(tmp_path / "log.sqlog", list(cases([vector])))


@pytest.mark.parametrize("name", _PACKET_BY_PACKET)
def test_packet_by_packet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """As `firstflight show --qlog` writes it, or with no run left."""
    vector = load(VECTORS / f"{name}.json")
    monkeypatch.setattr(write, "RUN_RECORDS", 10**6)
    _check(tmp_path / "log.sqlog", list(cases([vector]))[:1])


def _check(path: Path, same_stream: Sequence[Case]) -> None:
    logs: dict[str, Log] = {}
    for case in same_stream:
        text = case_qlog_text(case)
        key = text.partition("\n")[2]
        if key not in logs:
            path.write_text(text, encoding="utf-8")
            logs[key] = read_qlog(path)
        _judge(case, logs[key])


def _judge(case: Case, log: Log) -> None:
    recording = log.recording
    assert [_joined(event) for event in recording.events] == [_joined(event) for event in case.events], case.id
    (standing,) = judge(recording, [f"{case.vector.algorithm}/{case.profile}"]).standings
    assert log.agreement == 1, case.id
    assert standing.windows.all and standing.growth.all, case.id
    assert standing.exit in ("same", "none"), case.id


def _joined(event: Event) -> Event:
    """Return an event with its runs as long as they can be: a qlog has no runs."""
    if not isinstance(event, Sent | Ack | Lost):
        return event
    runs: list[Run] = []
    for run in event.packets:
        if runs and runs[-1] == replace(run, first=runs[-1].first, last=run.first - 1):
            run = replace(run, first=runs.pop().first)  # noqa: PLW2901
        runs.append(run)
    return replace(event, packets=tuple(runs))
