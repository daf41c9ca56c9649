"""Writes a case with the answers of its profile as a qlog, as a connection would have logged them.

For Careful Resume with ``quic:careful_resume_phase_updated`` of draft-ietf-tsvwg-careful-resume-qlog-02. The draft
requires PipeSize and the numbers of the first and last unvalidated packet, without a value for "none yet". These
members are omitted until they are known. A trigger that the draft does not define is omitted too.
"""

from typing import Any

from firstflight_conformance.format.vectors import Case
from firstflight_conformance.logs.qlog.write import ms, qlog_text
from firstflight_conformance.logs.recording.from_case import recording_of

Record = dict[str, Any]


def case_qlog_text(case: Case) -> str:
    """Return the qlog of a case."""
    answers = case.expected()

    def phases(index: int) -> list[tuple[str, Record]]:
        return _phases(answers[index - 1] if index else {}, answers[index])

    return qlog_text(recording_of(case), case.id, case.vector.title, phases)


def _phases(before: Record, now: Record) -> list[tuple[str, Record]]:
    old, new = before.get("phase"), now["phase"]
    if old == new or "pipesize_bytes" not in now["state"]:
        return []
    change = {"new": new} if old is None else {"old": old, "new": new}
    return [("quic:careful_resume_phase_updated", change | _resume_data(now))]


def _resume_data(now: Record) -> Record:
    state = now["state"]
    state_data = {
        "pipesize": state["pipesize_bytes"],
        "first_unvalidated_packet": state["first_unvalidated_packet"],
        "last_unvalidated_packet": state["last_unvalidated_packet"],
        "congestion_window": now["cwnd_bytes"],
        "ssthresh": now["ssthresh_bytes"],
    }
    data: Record = {"state_data": {name: value for name, value in state_data.items() if value is not None}}
    if state["saved_cwnd_bytes"] is not None:
        saved_rtt = ms(state["saved_rtt_ns"])
        data["restored_data"] = {"saved_congestion_window": state["saved_cwnd_bytes"], "saved_rtt": saved_rtt}
    if now["trigger"] is not None:
        data["trigger"] = now["trigger"]
    return data
