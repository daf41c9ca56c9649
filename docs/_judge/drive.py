"""Interface of judge.html to the packages: the answer of ``firstflight judge --json``, its report, and curves."""

import json
from pathlib import Path

from firstflight import Ack, Lost, Sent
from firstflight_conformance.judge.follow import windows_alone
from firstflight_conformance.judge.formats import read
from firstflight_conformance.judge.report import lines
from firstflight_conformance.judge.verdict import ConnectionVerdict, judge, to_json
from firstflight_conformance.logs.recording import files
from firstflight_conformance.logs.recording.files import RecordingError

FOLDER = Path("/logs")
# The schema check of recordings needs compiled code that is missing here; an invalid recording fails when it is read.
files.schema_error = lambda _schema, _raw: None  # type: ignore[attr-defined]


def judged(name: str, peer: str) -> str:
    """Judge a file of the folder; return JSON. ``peer``: the name of the log of the other side, or empty."""
    try:
        source = read(FOLDER / name, FOLDER / peer if peer else None)
        verdict = judge(source.recording)
    except (RecordingError, OSError, ValueError) as error:
        return json.dumps({"error": str(error).replace(f"{FOLDER}/", "")})
    except (KeyError, TypeError, AttributeError):
        return json.dumps(
            {"error": f"{name}: this recording violates its schema; `firstflight judge` reports the place"}
        )
    report = [*source.notes, *lines(verdict)]
    document = json.dumps(to_json(verdict, source.agreement, source.notes))
    return json.dumps({"judged": document, "report": report, "curve": _curve(verdict)})


def _curve(verdict: ConnectionVerdict) -> dict[str, object]:
    """Return curves over ms: windows and flight in bytes, RTT samples in ms, and the free-running windows of the nearest profile."""
    subject = verdict.subject
    profile = (
        verdict.may_be[0] if verdict.may_be else next((refutation.profile for refutation in verdict.refuted), None)
    )
    events = subject.events
    alone = windows_alone(profile, subject.recording.header.config, events, subject.begin) if profile else []
    begin_ns = events[0].t_ns
    times = [(event.t_ns - begin_ns) / 1e6 for event in events]
    timed = list(zip(times, events, strict=True))
    return {
        "profile": profile,
        "at_least": subject.at_least,
        "left": None if subject.left.by is None else times[subject.left.by],
        "connection": [[t, answer.cwnd_bytes] for t, answer in zip(times, subject.answers, strict=True)],
        "flight": [[t, event.bytes_in_flight] for t, event in timed if isinstance(event, Sent | Ack | Lost)],
        "rtt": [[t, event.latest_rtt_ns / 1e6] for t, event in timed if isinstance(event, Ack) and event.latest_rtt_ns],
        "model": [[t, window] for t, window in zip(times, alone, strict=False)],
    }
