"""Protocol 2: only adapters that declare it receive its events (``spec/adapter-protocol.md``)."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firstflight.events import KINDS
from firstflight_conformance.adapters.messages import Declaration, names_of_protocol_2
from firstflight_conformance.cli import main
from firstflight_conformance.format import vectors
from firstflight_conformance.format.stream import StreamError, check_rtts, check_stream, read_stream
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.run.judge import _ruled_out
from runner_support import BAD

FROZEN = Path(__file__).parent / "frozen_protocol_1.py"


def _is_later(path: Path) -> bool:
    return any(f'"{name}"' in path.read_text("utf-8") for name in names_of_protocol_2(path.parent.name))


PROBES = sorted(filter(_is_later, VECTORS.glob("*/*.json")))


def run(adapter: str, *options: str, folder: Path) -> dict[str, Any]:
    """Run an adapter on the cases of slow-start/rfc-9002; return its part of the JSON report, with the exit code."""
    report = folder / "report.json"
    selection = ["--algorithm", "slow-start", "--profile", "rfc-9002", *options]
    result = CliRunner().invoke(main, ["run", "--adapter", adapter, *selection, "--report-json", str(report)])
    (adapter_report,) = json.loads(report.read_text("utf-8"))["adapters"]
    return {**adapter_report, "exit_code": result.exit_code}


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the report on the frozen adapter, and the events that it received."""
    folder = tmp_path_factory.mktemp("frozen")
    log = folder / "events"
    adapter_report = run(f"{sys.executable} {FROZEN} {log}", folder=folder)
    return adapter_report, [json.loads(line) for line in log.read_text("utf-8").splitlines()]


def test_protocol_2_has_vectors() -> None:
    assert {path.parent.name for path in PROBES} >= {"slow-start", "cubic", "hystartpp", "careful-resume", "search"}
    assert VECTORS / "hystart" / "path.starts-again.json" in PROBES
    assert VECTORS / "cubic" / "idle.concave.json" in PROBES
    assert VECTORS / "search" / "idle-restart.sent.json" not in PROBES


def test_frozen_adapter_receives_only_old_members(frozen: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
    """The frozen adapter ends with an error at an unknown member, so it receives only old members."""
    _, received = frozen
    assert len(received) > 1000
    assert not [event for event in received if {event["ev"], *event} & set(names_of_protocol_2("slow-start"))]


def test_frozen_adapter_results_do_not_change(
    frozen: tuple[dict[str, Any], list[dict[str, Any]]], tmp_path: Path
) -> None:
    """The vectors of protocol 2 change no result: they cause no refusal, and the exit code is the same."""
    adapter_report, _ = frozen
    excluded = (
        "--without-flag",
        "pmtu-probe",
        "--without-flag",
        "datagram-size",
        "--without-flag",
        "path-change",
        "--without-flag",
        "not-in-flight",
        "--without-flag",
        "idle",
    )
    before = run(f"{sys.executable} {FROZEN} {tmp_path / 'events'}", *excluded, folder=tmp_path)
    assert adapter_report["exit_code"] == before["exit_code"] == 0
    assert adapter_report["seen"] == before["seen"]
    assert {name: count for name, count in adapter_report["counts"].items() if name != "unsupported"} == {
        name: count for name, count in before["counts"].items() if name != "unsupported"
    }


def test_no_refusals_option_ignores_protocol_2_cases(tmp_path: Path) -> None:
    """With --no-refusals a refused case is a divergence, but not a case of protocol 2."""
    adapter_report = run(f"{sys.executable} {FROZEN} {tmp_path / 'events'}", "--no-refusals", folder=tmp_path)
    assert adapter_report["exit_code"] == 0


def test_protocol_2_vectors_are_sent_to_protocol_2_adapters(tmp_path: Path) -> None:
    """The model passes the vectors; the frozen adapter, if it claims protocol 2, ends with an error at the first."""
    adapter_report = run("python-model", "--id", "slow-start.pmtu-probe.*", folder=tmp_path)
    assert adapter_report["counts"]["pass"] == 4
    claims = FROZEN.read_text("utf-8").replace('"protocol": 1, "name"', '"protocol": 2, "name"')
    (tmp_path / "claims.py").write_text(claims, "utf-8")
    adapter = f"{sys.executable} {tmp_path / 'claims.py'} {tmp_path / 'events'}"
    adapter_report = run(adapter, "--id", "slow-start.pmtu-probe.*", folder=tmp_path)
    assert adapter_report["counts"]["errored"] == 4


def test_vectors_are_refused_without_pmtu_probe_support(tmp_path: Path) -> None:
    """Without probes in `supports` the vectors are refused for a declared reason, and the result is green."""
    kinds = [name for name in KINDS if name not in ("path_change", "datagram_size")]
    badge = tmp_path / "badge.json"

    def judged(*supports: str) -> dict[str, Any]:
        hello = {"algorithms": {"slow-start": ["rfc-9002"]}, "protocol": 2, "supports": supports}
        adapter = shlex.join([sys.executable, str(BAD / "plain.py"), json.dumps(hello)])
        return run(adapter, "--badge", str(badge), "--validate", folder=tmp_path)

    adapter_report = judged(*kinds)
    assert adapter_report["exit_code"] == 0
    assert json.loads(badge.read_text("utf-8"))["color"] == "brightgreen"
    reasons = [result.get("refused_why") for result in adapter_report["results"]]
    assert reasons.count("declares no support of pmtu_probe") == 4
    passed = adapter_report["counts"]["pass"]
    adapter_report = judged(*kinds, "pmtu_probe")
    assert adapter_report["exit_code"] == 0
    assert "declares no support of pmtu_probe" not in [
        result.get("refused_why") for result in adapter_report["results"]
    ]
    assert adapter_report["counts"]["pass"] == passed + 4


@pytest.mark.parametrize("path", PROBES, ids=[f"{path.parent.name}.{path.stem}" for path in PROBES])
def test_protocol_1_declaration_rules_out_vectors(path: Path) -> None:
    vector = vectors.load(path)
    assert isinstance(vector, vectors.Vector)
    for case in vectors.cases([vector]):
        claims = {vector.algorithm: (case.profile,)}
        for protocol, ruled_out in ((1, True), (2, False)):
            declared = Declaration("x", "1", claims, ("cwnd_bytes",), protocol=protocol)
            assert (_ruled_out(case, declared) is not None) == ruled_out


def _probe() -> list[dict[str, Any]]:
    raw = json.loads((VECTORS / "slow-start" / "pmtu-probe.lost.json").read_text("utf-8"))
    return list(raw["events"])


@pytest.mark.parametrize(
    ("index", "change", "reason"),
    [
        (1, {"pmtu_probe": False}, "is larger than max_datagram_size_bytes"),
        (4, {"pmtu_probe": False}, "packets 5..5: 1 of them were sent as PMTU probes"),
        (0, {"pmtu_probe": True}, None),
        (4, {"pmtu_probe": 1}, "neither true nor false"),
    ],
)
def test_loader_checks_probe_flag(index: int, change: dict[str, Any], reason: str | None) -> None:
    """A packet that is lost as a probe must have been sent as a probe."""
    events = _probe()
    events[index] = events[index] | change
    config = {"max_datagram_size_bytes": 1200, "initial_window_bytes": 12000}
    if reason is None:
        check_stream(read_stream(events), config)
        return
    with pytest.raises(StreamError, match=reason):
        check_stream(read_stream(events), config)


@pytest.mark.parametrize(
    ("index", "change", "reason"),
    [
        (1, {"not_in_flight": False}, "bytes_in_flight: is 12000, but the events give 12080"),
        (4, {"not_in_flight": False}, "packet 10 is not in flight any more"),
        (2, {"not_in_flight": True}, r"packets 0\.\.9: not all were sent with not_in_flight"),
        (4, {"latest_rtt_ns": 100_000_000}, "latest_rtt_ns: is 100000000, but the events give null"),
        (4, {"app_limited": True}, "app_limited: is true, but an ACK of packets that are not in flight has false"),
        (1, {"pmtu_probe": True}, "not_in_flight: a PMTU probe is in flight"),
    ],
)
def test_loader_checks_packets_outside_flight(index: int, change: dict[str, Any], reason: str) -> None:
    """Packets outside flight must have been sent as such, do not count, and give no RTT sample."""
    raw = json.loads((VECTORS / "slow-start" / "not-in-flight.acknowledged.json").read_text("utf-8"))
    raw["events"][index] |= change
    with pytest.raises(StreamError, match=reason):
        check_stream(events := read_stream(raw["events"]), raw["config"])
        check_rtts(events)


def test_probe_flag_on_loss_without_probes_is_refused() -> None:
    events = _probe()
    del events[1]["pmtu_probe"]
    events[1]["packets"][0][2] = 1200
    with pytest.raises(StreamError, match=r"0 of them were sent as PMTU probes"):
        check_stream(read_stream(_smaller(events)), {"max_datagram_size_bytes": 1200, "initial_window_bytes": 12000})


def _smaller(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the events with a probe of 1200 bytes."""
    events[1]["bytes"] = 1200
    for event in events[1:4]:
        event["bytes_in_flight"] -= 200
    events[4]["packets"][0][2] = events[4]["bytes"] = 1200
    return events
