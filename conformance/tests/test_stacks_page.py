"""The page "State of the stacks" shows the report of a run, and without a run the committed results."""

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firstflight.events import Ack
from firstflight_conformance.adapters.manifest import OTHER_VERSION, Deviation, Manifest
from firstflight_conformance.cli import main
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.report.json_document import vectors_digest
from pages import committed, site, stacks, stacks_deviations
from runner_support import IDS, adapter, command, write_vectors
from studies.defects.results import FILE, document

KNOWN = Deviation(
    "slow-start.target.*",
    "slow-start.grow",
    "halves *the* window",
    level="SHOULD",
    where="src/window_c.c, on_ack",
    section="RFC 9002, section 7.3.1",
    notice="It is half as fast.",
    id="known-growth",
)
CURRENT = committed.current
OPEN = replace(
    KNOWN, case="slow-start.first.*", kind="open", explanation="leaves it", level=None, where=None, notice=None, id=None
)


def page(monkeypatch: pytest.MonkeyPatch, report: Path) -> str:
    """Return the overview page made from a report, followed by the pages of its stacks."""
    current = CURRENT(report)
    monkeypatch.setattr(committed, "current", lambda: current)
    return "\n".join(stacks.pages().values())


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Write a report of five stacks, one of them missing, by vectors and on one path."""
    manifests = {
        "known": adapter(*command("answers", "half"), name="known", deviations=(KNOWN,)),
        "open": adapter(*command("answers", "half"), name="open", deviations=(replace(OPEN, case=KNOWN.case),)),
        "unknown": adapter(*command("answers", "wrong"), name="unknown"),
        "version": adapter(
            *command("answers", "half"),
            name="version",
            deviations=(Deviation("slow-start.*", None, "is another version", OTHER_VERSION),),
        ),
        "absent": Manifest("absent", "Absent 3", "C", "third-party", ("x",), tmp_path, requires=("no-such-program",)),
    }
    monkeypatch.setattr("firstflight_conformance.commands.run_request.load_manifests", lambda: manifests)
    path = tmp_path / "report.json"
    root = write_vectors(tmp_path / "vectors")
    words = f"run --both --algorithm slow-start --vectors {root} --id '*small' --id '*delay-rise*' --report-json {path}"
    assert CliRunner().invoke(main, shlex.split(words)).exit_code == 1
    return path


def test_page_without_a_run_has_committed_results(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The page shows the committed counts, divergences and explanations with their date; each stack has a page."""
    text = page(monkeypatch, tmp_path / "absent.json")
    results = json.loads(FILE.read_text("utf-8"))
    assert f"Results of {results['date']}, as committed" in stacks.pages()["stacks"]
    assert {*stacks.pages()} == {"stacks"} | {f"stacks/{stack['name']}" for stack in results["stacks"]}
    assert "built without" not in text
    assert "Careful Resume or JumpStart" in text


def test_committed_results_have_the_committed_counts() -> None:
    """Counting the results of each profile gives results.json again."""
    results = json.loads(FILE.read_text("utf-8"))
    again = document(committed.report() | {"checkout": {"date": results["date"]}})
    assert again["stacks"] == results["stacks"]


def test_a_skipped_stack_has_its_committed_results(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    skipped = {
        "name": "kwik",
        "title": "Kwik",
        "role": "third-party",
        "skipped": "needs the program javac",
        "results": [],
    }
    path.write_text(json.dumps({"vectors_sha256": None, "adapters": [skipped]}), "utf-8")
    (kwik,) = committed.current(path)["adapters"]
    assert (kwik["skipped"], kwik["declaration"]["version"]) == (None, "0.10.1")


def test_page_of_a_run_has_verdicts_and_skips(monkeypatch: pytest.MonkeyPatch, report: Path) -> None:
    """The page has verdicts, the first divergence, its clause as a link, the explanation, and skipped stacks."""
    text = page(monkeypatch, report)
    assert "Other vectors" in text  # about the small vectors
    assert "- Absent 3\n  - C\n  - needs the program no-such-program" in text
    row = "{ref}`Bad <stack-known>`\n  - 1\n  - Python\n  - `slow-start/rfc-9002`"
    assert f"{row}\n  - 3\n  - 1\n  - 0\n  - 0" in text  # two vectors and the path agree, one vector shows the defect
    assert f"{row.replace('stack-known', 'stack-open')}\n  - 3\n  - 0\n  - 1\n  - 0" in text
    assert f"{row.replace('stack-known', 'stack-unknown')}\n  - 3\n  - 0\n  - 0\n  - 1" in text
    assert list(stacks.pages()) == ["stacks", "stacks/known", "stacks/open", "stacks/unknown", "stacks/version"]
    assert "stacks/known\nstacks/open\nstacks/unknown\nstacks/version\n```" in text
    assert "**Not explained yet:**" in text
    assert "cwnd 14400\n  - cwnd 14401" in text
    assert "Cause `unknown` (rule), 0 of 1 cases: {clause}`slow-start.grow`" in text
    assert "### As slow-start/rfc-9002" in text
    assert IDS[1] in text


def test_defects_begin_with_effect_and_level(monkeypatch: pytest.MonkeyPatch, report: Path) -> None:
    """Defects begin with effect, level, section and place in the code; explanation and cases follow, folded."""
    text = page(monkeypatch, report)
    should = '<span class="state state-should">◐ SHOULD</span>'
    place = "1, src/window\\_c.c, on\\_ack"
    where = place.removeprefix("1, ")
    overview = f"**{{ref}}`Bad <stack-known>`**\n\n- {should} It is half as fast. *RFC 9002, section 7.3.1; {where}.* Shown by `slow-start/rfc-9002`."
    assert overview in text
    assert text.index("## Stacks and profiles") < text.index("All other deviations are grey") < text.index("## Defects")
    stack_page = stacks.pages()["stacks/known"]
    assert "**1 defect**, 0 other deviations." in stack_page
    assert (
        f"**It is half as fast.**\n\n{should} RFC 9002, section 7.3.1. {place}\n\nhalves \\*the\\* window" in stack_page
    )
    assert "<summary>1 case with the first divergence</summary>\n\nShows at {clause}`slow-start.grow`." in stack_page
    assert "event 1, 100 ms: ack of 1\n  - cwnd 14400; outcome grown\n  - cwnd 7200; outcome unchanged" in stack_page
    assert "other-deviations" not in stack_page


def test_other_deviations_are_counted_separately_from_defects(monkeypatch: pytest.MonkeyPatch, report: Path) -> None:
    """Such a deviation is counted separately and is not in a list of defects."""
    stack_page = page(monkeypatch, report) and stacks.pages()["stacks/open"]
    assert "**No defect**, 1 other deviation." in stack_page
    assert "## Defects" not in stack_page
    target = f"({stacks_deviations.anchor_of('open', 'leaves it')})="
    assert (
        f'<div class="other-deviations">\n\n{target}\n\n<span class="state state-other">○ open</span> leaves it'
        in stack_page
    )
    assert "No defect is known of {ref}`Bad <stack-open>`, {ref}`Bad <stack-unknown>`." in stacks.pages()["stacks"]


def test_other_version_has_neither_defects_nor_rules(monkeypatch: pytest.MonkeyPatch, report: Path) -> None:
    """The stack has neither defects nor rules, and is not in the list of stacks without defects."""
    overview = page(monkeypatch, report)
    stack_page = stacks.pages()["stacks/version"]
    assert "**Another version of the algorithm.** Each case shows the first difference." in stack_page
    assert '<span class="state state-other">○ other-version</span> is another version' in stack_page
    assert "event 1, 100 ms: ack of 1\n  - cwnd 14400; outcome grown\n  - cwnd 7200; outcome unchanged" in stack_page
    assert "Shows at" not in stack_page
    assert "which is not searched for defects: {ref}`Bad <stack-version>`." in overview
    assert '<span class="state state-other">○ another version</span>' in overview


def test_matrix_counts_causes(monkeypatch: pytest.MonkeyPatch, report: Path) -> None:
    """A cell contains the causes, and the cases in small print."""
    text = page(monkeypatch, report)
    small = '<span class="small-print">3 of 4 cases agree</span>'
    assert f'<span class="state state-should">◐ 1 defect</span><br>{small}' in text
    assert f'<span class="state state-other">○ 1 other</span><br>{small}' in text
    assert f'<span class="state state-unknown">? 1 not explained</span><br>{small}' in text


@pytest.mark.parametrize(("changed", "words"), [(False, "."), (True, ", with uncommitted changes.")])
def test_page_has_judged_commit_and_stack_version(
    monkeypatch: pytest.MonkeyPatch, report: Path, changed: bool, words: str
) -> None:
    """The page has the commit with its date, not the build date, together with the version of the stack."""
    document = json.loads(report.read_text(encoding="utf-8"))
    document["checkout"] = {"commit": "0123456789abcdef" * 3, "date": "2026-11-05", "changed": changed}
    report.write_text(json.dumps(document), encoding="utf-8")
    text = page(monkeypatch, report)
    sentence = f"Judged with Firstflight at commit `0123456789ab` of 2026-11-05{words}"
    assert text.count(sentence) == 5  # the page and four stacks
    assert (
        f"bad 1; reports `cwnd_bytes`, `ssthresh_bytes`, `phase`, `outcome`, `state`; clock ns, windows in bytes, arithmetic integer. {sentence}"
        in text
    )
    del document["checkout"]
    report.write_text(json.dumps(document), encoding="utf-8")
    assert "Judged with" not in page(monkeypatch, report)


def test_ack_with_reduced_growth_is_identified(monkeypatch: pytest.MonkeyPatch, report: Path) -> None:
    """The ACK with reduced growth is identified by its packet."""
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
    assert "Other vectors" not in text
    assert "ACK of 38, 330.4 ms\n  - 57600 B" in text
    assert "`rfc-9406`\n  - ACK of 37\n  - ACK of 39\n  - later\n  - agrees" in text
    result["growth"]["observed"] = acks[37]
    result["divergence"] = {
        "event_index": 3,
        "differences": [{"observable": "cwnd_bytes", "expected": 60024, "observed": 60000}],
    }
    report.write_text(json.dumps(document), encoding="utf-8")
    same = "`rfc-9406`\n  - ACK of 37\n  - ACK of 37\n  - as expected\n  - event 3: cwnd 60000 for 60024"
    assert same in page(monkeypatch, report)
    assert "330.4 ms<br>57600 B<br>no loss" in text
