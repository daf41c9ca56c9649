"""Connections under the BPF congestion controls have the model's windows, in this run and in the measurements."""

import json

import pytest

from bpf_support import kernel
from firstflight_conformance.paths import LIVE_PATHS
from studies.live.bpf.figures import RESULTS
from studies.live.bpf.measure import PATHS, RUNS
from studies.live.bpf.objects import Object, objects
from studies.live.bpf.windows import compare, connections, tracing
from studies.live.kernel.namespace import UnavailableError
from studies.live.kernel.record import record


@pytest.mark.live
@pytest.mark.parametrize("each", objects(), ids=lambda each: each.name)
def test_windows_are_the_models(each: Object) -> None:
    """On one path, up to the exit from slow start or the first loss."""
    with kernel():
        try:
            with tracing(each) as records:
                record(LIVE_PATHS / "long.json", each.name)
        except UnavailableError as reason:
            pytest.skip(f"needs BPF and namespaces: {reason}")
    found = compare(each, connections(records)[0])
    assert found.difference is None
    assert found.acks >= 50


def test_a_wrong_window_is_found() -> None:
    """The comparison of one object's records with another profile's model ends with a difference."""
    rapid, *_ = [each for each in objects() if each.profile.startswith("rapid-start/")]
    search, *_ = objects()
    with kernel(), tracing(rapid) as records:
        record(LIVE_PATHS / "long.json", rapid.name)
    found = compare(search, connections(records)[0])
    assert found.ended == "difference"
    assert found.difference is not None
    assert "window" in found.difference


def test_kept_windows_are_the_models() -> None:
    """Every object ran on every path, and no window differed."""
    rows = json.loads(RESULTS.read_text("utf-8"))["windows"]["rows"]
    assert {(row["name"], row["path"]) for row in rows} == {(each.name, path) for each in objects() for path in PATHS}
    runs = [run for row in rows for run in row["runs"]]
    assert len(runs) == RUNS * len(rows)
    assert [run["difference"] for run in runs if run["difference"]] == []
