"""The page "State of the stacks" says what the report of a run says, and that there is none if there is none."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firstflight.events import Ack
from firstflight_conformance.cli import main
from firstflight_conformance.docs_ext import site, stacks
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.run.manifest import Deviation, Manifest
from firstflight_conformance.run.report_json import vectors_digest
from runner_support import IDS, adapter, command, write_vectors

KNOWN = Deviation("slow-start.target.*", "slow-start.grow", "halves *the* window")


def page(monkeypatch: pytest.MonkeyPatch, report: Path) -> str:
    """Return the page made from a report, and those of its stacks below it."""
    monkeypatch.setattr(stacks, "REPORT", report)
    return "\n".join(stacks.pages().values())


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A report of three stacks, one of them missing, by vectors and on one path."""
    manifests = {
        "known": adapter(*command("answers", "half"), name="known", deviations=(KNOWN,)),
        "unknown": adapter(*command("answers", "wrong"), name="unknown"),
        "absent": Manifest("absent", "Absent 3", "C", "third-party", ("x",), tmp_path, requires=("no-such-program",)),
    }
    monkeypatch.setattr("firstflight_conformance.commands.run.load_manifests", lambda: manifests)
    path = tmp_path / "report.json"
    root = write_vectors(tmp_path / "vectors")
    words = f"run --both --algorithm slow-start --vectors {root} --id '*small' --id '*delay-rise*' --report-json {path}"
    assert CliRunner().invoke(main, shlex.split(words)).exit_code == 1
    return path


def test_without_a_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It says so, and what to do; what no run can say is there all the same."""
    text = page(monkeypatch, tmp_path / "absent.json")
    assert "No run" in text
    assert "`make conformance`" in text
    assert "Careful Resume or JumpStart" in text


def test_page_of_a_run(monkeypatch: pytest.MonkeyPatch, report: Path) -> None:
    """Verdicts, the first divergence with its numbers, the clause as a link, the explanation as it stands, what was skipped."""
    text = page(monkeypatch, report)
    assert "Another run" in text  # of the small vectors
    assert "- Absent 3\n  - C\n  - needs the program no-such-program" in text
    row = "{ref}`Bad <stack-known>`\n  - 1\n  - Python\n  - `slow-start/rfc-9002`"
    assert f"{row}\n  - 3\n  - 1\n  - 0" in text  # two vectors and the path agree, one vector is explained
    unknown = row.replace("stack-known", "stack-unknown")
    assert f"{unknown}\n  - 3\n  - 0\n  - 1" in text
    assert list(stacks.pages()) == ["stacks", "stacks/known", "stacks/unknown"]
    assert "stacks/known\nstacks/unknown\n```" in text
    assert "{ref}`Bad <stack-known>`\n  - ◑ {clause}`slow-start.grow` 1" in text
    assert "{ref}`Bad <stack-unknown>`\n  - not explained: 1" in text
    assert "(stack-known)=\n\n# Bad" in text
    assert (
        '<span class="state state-definition">◑ definition</span> {clause}`slow-start.grow`, one case. halves \\*the\\* window'
        in text
    )
    assert "event 1, 100 ms: ack of 1\n  - cwnd 14400; outcome grown\n  - cwnd 7200; outcome unchanged" in text
    assert "**Not explained yet:**" in text
    assert "cwnd 14400\n  - cwnd 14401" in text
    assert "## Stacks and profiles" in text
    assert '<span class="state state-definition">◑ 3 of 4<br>definition</span>' in text
    assert "Departures by level: 1 definition." in text
    assert "Cause `unknown` (rule), 0 of 1 cases: {clause}`slow-start.grow`" in text
    assert "### As slow-start/rfc-9002" in text
    assert IDS[1] in text


def test_delay_step(monkeypatch: pytest.MonkeyPatch, report: Path) -> None:
    """The ACK with reduced growth is named by its packet."""
    document: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    for result in document["adapters"][0]["results"]:
        if "loop" in result:
            result["loop"]["stack"]["growth_reduced"] = {
                "event_index": 9, "t_ns": 1_330_400_000, "packet": 38, "cwnd_bytes": 57600,
            }  # fmt: skip
    step = next(vector for vector in site.vectors() if vector.id == "hystartpp.delay.step-in-round-three")
    acks = {event.packets[-1].last: index for index, event in enumerate(step.events) if isinstance(event, Ack)}
    result = document["adapters"][0]["results"][0]
    result |= {"case": f"{step.id}@rfc-9406", "growth": {"expected": acks[37], "observed": acks[39]}}
    document["vectors_sha256"] = vectors_digest(VECTORS)
    report.write_text(json.dumps(document), encoding="utf-8")
    text = page(monkeypatch, report)
    assert "Another run" not in text
    assert "ACK of 38, 330.4 ms\n  - 57600 B" in text
    assert "`rfc-9406`\n  - ACK of 37\n  - ACK of 39\n  - pass" in text
    assert "330.4 ms<br>57600 B<br>no loss" in text
