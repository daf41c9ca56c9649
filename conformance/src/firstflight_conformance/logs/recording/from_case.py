"""Turns a case into a recording with the answers of its profile. Any judgement of it has a known answer."""

from typing import Any

from firstflight_conformance.format.vectors import Case
from firstflight_conformance.logs.recording.recording import STATES, Header, Recording, Step, Subject
from firstflight_conformance.replay.measure import config_from_json


def recording_of(case: Case) -> Recording:
    """Return the recording of a case."""
    source = {"kind": "vector", "name": case.id}
    header = Header(source, config_from_json(case.vector.config), quality={"app_limited": "stated"})
    steps = (Step(event, _subject(answer)) for event, answer in zip(case.events, case.expected(), strict=True))
    return Recording(header, tuple(steps))


def _subject(answer: dict[str, Any]) -> Subject:
    subject = Subject(cwnd_bytes=answer["cwnd_bytes"], ssthresh_bytes=answer["ssthresh_bytes"])
    if answer["phase"] in STATES:
        subject["state"] = answer["phase"]
    return subject
