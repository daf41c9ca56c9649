"""Kept measurements of the BPF congestion controls are within their bounds."""

import json
from typing import Any

import pytest

from studies.live.bpf.figures import RESULTS
from studies.live.bpf.measure import LINKS, RUNS, SIZES
from studies.live.bpf.objects import objects

#: Cost of an ACK compared with the kernel's CUBIC as BPF program. Careful Resume also sets the window in recovery.
MOST, MOST_OF_RESUME = 1.5, 2.0
CLOSE, CLOSE_RUNS = 0.1, 7  # seven completion times of nine


def measured_part(part: str) -> Any:
    return json.loads(RESULTS.read_text("utf-8"))[part]["rows"]


def test_costs_are_comparable() -> None:
    """Every object has a cost, and all have about the same number of ACKs."""
    rows = {row["name"]: row for row in measured_part("cost")}
    names = {bpf_object.name for bpf_object in objects()}
    assert names <= rows.keys()
    cubic_segments = rows["ff_kernel_cubic"]["segments_per_ack"]
    assert max(rows[name]["segments_per_ack"] / cubic_segments for name in names) < 1.1


def test_costs_are_within_their_bounds() -> None:
    rows = {row["name"]: row for row in measured_part("cost")}
    names = {bpf_object.name for bpf_object in objects()}
    most = {name: MOST_OF_RESUME if name == "ff_resume" else MOST for name in names}
    ratios = {name: rows[name]["ns_per_ack"] / rows["ff_kernel_cubic"]["ns_per_ack"] for name in names}
    assert {name: ratio for name, ratio in ratios.items() if ratio > most[name]} == {}


@pytest.mark.parametrize(("part", "predicted"), [("jumpstart", "paced_s"), ("resume", "predicted_s")])
def test_most_completion_times_match_the_simulator(part: str, predicted: str) -> None:
    rows = measured_part(part)
    assert {(row["link"], row["size_bytes"]) for row in rows} == {(link, size) for link in LINKS for size in SIZES}
    medians = [(sorted(row["took_s"])[1], row[predicted]) for row in rows]
    assert sum(abs(took / expected - 1) <= CLOSE for took, expected in medians) >= CLOSE_RUNS


def test_slow_start_was_measured_with_each_variant() -> None:
    rows = {row["name"]: row for row in measured_part("overshoot")}
    assert {"ff_search_09", "ff_hystartpp", "ff_kernel_cubic", "ff_no_hystart"} <= rows.keys()
    assert {len(row[part]) for row in rows.values() for part in ("dropped_in_slow_start", "took_s")} == {RUNS}


def test_safe_retreat_reduces_the_window() -> None:
    """The queue drops segments of the jump, and the window falls below a third of its largest value at once."""
    row = measured_part("retreat")
    windows = [window for _, window, _ in row["windows"]]
    assert row["dropped"] > 0
    assert any(3 * later <= max(windows) for later in windows[windows.index(max(windows)) :][:2])
