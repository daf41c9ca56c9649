"""Connections under the BPF congestion controls have the model's windows, in this run and in the measurements."""

import json
from dataclasses import replace

import pytest

from bpf_support import kernel
from firstflight import Config
from firstflight.events import Ack
from firstflight_conformance.logs.recording.recorder import Recorder
from firstflight_conformance.logs.recording.recording import Header
from firstflight_conformance.paths import LIVE_PATHS
from studies.live.bpf.figures import RESULTS
from studies.live.bpf.measure import PATHS, RUNS
from studies.live.bpf.objects import Object, objects
from studies.live.bpf.windows import ACK, INFINITE_SSTHRESH, RATE, Record, compare, connections, tracing, with_inputs
from studies.live.kernel.namespace import UnavailableError
from studies.live.kernel.record import record

MS = 1_000_000


@pytest.mark.live
@pytest.mark.parametrize("bpf_object", objects(), ids=lambda bpf_object: bpf_object.name)
def test_windows_equal_the_model(bpf_object: Object) -> None:
    """Windows on one path equal the model's up to the exit from slow start or the first loss."""
    with kernel():
        try:
            with tracing(bpf_object) as records:
                record(LIVE_PATHS / "long.json", bpf_object.name)
        except UnavailableError as reason:
            pytest.skip(f"needs BPF and namespaces: {reason}")
    comparison = compare(bpf_object, connections(records)[0])
    assert comparison.difference is None
    assert comparison.acks >= 50


def test_windows_differ_from_another_profile() -> None:
    """Comparing the records of one object with the model of another profile gives a difference."""
    rapid, *_ = [bpf_object for bpf_object in objects() if bpf_object.profile.startswith("rapid-start/")]
    search, *_ = objects()
    with kernel(), tracing(rapid) as records:
        record(LIVE_PATHS / "long.json", rapid.name)
    comparison = compare(search, connections(records)[0])
    assert comparison.ended == "difference"
    assert comparison.difference is not None
    assert "window" in comparison.difference


def test_late_acks_get_kernel_time_and_samples() -> None:
    """An ACK recorded 2 ms late gets the kernel's time and samples; an ACK without a record keeps its own."""
    recorder = Recorder()
    recorder.sent(5 * MS, [1200] * 4)
    recorder.acked(12 * MS, [0, 1])
    recorder.acked(13 * MS, [2, 3])
    header = Header({"kind": "test"}, Config(1200, 12_000), time_resolution_ns=1000, rtt_resolution_ns=1000)
    state = {"cwnd": 12, "rest": 0, "ssthresh": INFINITE_SSTHRESH, "state": 0, "mss": 1200, "srtt_us": 5000}
    ack = Record(ACK, 1, 10 * MS, 5 * MS, 4800, 2400, 2400, **state, values=(10, 2, 0, 0, 0, 0))
    rate = replace(ack, kind=RATE, values=(2400, 5 * MS, 0, 4800, 0, 1))
    events = with_inputs(recorder.recording(header), [rate, ack]).events
    acks = [event for event in events if isinstance(event, Ack)]
    assert [(event.t_ns, event.latest_rtt_ns, event.min_rtt_ns) for event in acks] == [
        (10 * MS, 5 * MS, 5 * MS),
        (13 * MS, 8 * MS, 7 * MS),
    ]
    assert [(event.rate_delivered_bytes, event.rate_interval_ns) for event in acks] == [(2400, 5 * MS), (None, None)]


def test_stored_runs_are_not_refuted() -> None:
    """The judge refutes the profile of an object in no run; SEARCH and HyStart++ remain in each decided run."""
    rows = json.loads(RESULTS.read_text("utf-8"))["windows"]["rows"]
    assert [(row["name"], row["path"], run["refuted"]) for row in rows for run in row["runs"] if run["refuted"]] == []
    profiles = {bpf_object.name: bpf_object.profile for bpf_object in objects()}
    exits = [row for row in rows if profiles[row["name"]].startswith(("search/", "hystartpp/"))]
    assert all(run["among"] for row in exits for run in row["runs"] if run["decided"])


def test_stored_windows_equal_the_model() -> None:
    """Every object ran on every path, and no window differed."""
    rows = json.loads(RESULTS.read_text("utf-8"))["windows"]["rows"]
    assert {(row["name"], row["path"]) for row in rows} == {
        (bpf_object.name, path) for bpf_object in objects() for path in PATHS
    }
    runs = [run for row in rows for run in row["runs"]]
    assert len(runs) == RUNS * len(rows)
    assert [run["difference"] for run in runs if run["difference"]] == []
