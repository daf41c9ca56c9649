"""``firstflight show --qlog``: a case as a connection would have logged it."""

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firstflight_conformance.cli import main

B4 = "careful-resume.example.b4-loss@rfc-9959"
#: The edges of the qlog draft in the example of Appendix B.4.
B4_PHASES = [
    (None, "reconnaissance", None),
    ("reconnaissance", "unvalidated", "congestion_window_limited"),
    ("unvalidated", "validating", "first_unvalidated_packet_acknowledged"),
    ("validating", "safe_retreat", "packet_loss"),
    ("safe_retreat", "normal", "exit_recovery"),
]


def show(case_id: str) -> Result:
    """Run the command."""
    return CliRunner().invoke(main, ["show", case_id, "--qlog"])


def records(case_id: str) -> list[dict[str, Any]]:
    """Return the records of the qlog of a case."""
    result = show(case_id)
    assert result.exit_code == 0
    texts = result.output.split("\x1e")
    assert texts[0] == ""
    assert all(text.endswith("\n") for text in texts[1:])
    return [json.loads(text) for text in texts[1:]]


def named(log_records: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return the data of the records of one name, in any namespace."""
    return [record["data"] for record in log_records if record.get("name", "").partition(":")[2] == name]


def test_careful_resume_logs_phase_changes() -> None:
    """Every change of phase is a record with its trigger, followed by the numbers."""
    header, *log_records = records(B4)
    assert header["file_schema"] == "urn:ietf:params:qlog:file:sequential"
    assert header["title"] == B4
    phases = named(log_records, "careful_resume_phase_updated")
    assert [(data.get("old"), data["new"], data.get("trigger")) for data in phases] == B4_PHASES
    assert phases[0]["state_data"] == {"congestion_window": 12000}
    assert phases[0]["restored_data"] == {"saved_congestion_window": 360_000, "saved_rtt": 100.0}
    retreat = {"pipesize": 110_400, "first_unvalidated_packet": 59, "last_unvalidated_packet": 179}
    assert phases[3]["state_data"] == retreat | {"congestion_window": 55_200}
    assert phases[4]["state_data"]["ssthresh"] == 106_800
    assert "restored_data" not in phases[3]
    assert [record["time"] for record in log_records] == sorted(record["time"] for record in log_records)


def test_base_controller_logs_packets_metrics_and_phases() -> None:
    """The log contains each packet, metrics when they change, and the phases of RFC 9002."""
    log_records = records("slow-start.recovery.halved@rfc-9002")
    assert [data["header"]["packet_number"] for data in named(log_records, "packet_sent")] == list(range(10))
    assert named(log_records, "packet_lost") == [{"header": {"packet_type": "1RTT", "packet_number": 0}}]
    states = named(log_records, "congestion_state_updated")
    assert states == [{"new": "slow_start"}, {"old": "slow_start", "new": "recovery"}]
    assert named(log_records, "metrics_updated")[-1]["ssthresh"] == 7800


@pytest.mark.parametrize(
    ("case_id", "reason"),
    [
        (
            "careful-resume.example.b4-loss",
            "a qlog has one case; choose one of careful-resume.example.b4-loss@rfc-9959,",
        ),
        ("transfer-time.domain.approved-rate-beyond-codes", "a computation has no events to log"),
        ("no.such.case", "no.such.case"),
    ],
)
def test_invalid_cases_are_usage_errors(case_id: str, reason: str) -> None:
    """Anything but one case with events is a usage error."""
    result = show(case_id)
    assert result.exit_code == 2
    assert reason in result.output
