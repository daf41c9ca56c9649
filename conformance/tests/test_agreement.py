"""What is kept of runs: agreement, in rows that replace older ones; and the page that is made of it."""

from dataclasses import replace
from pathlib import Path

from firstflight import create
from firstflight_conformance.cases.measure import config_from_json, replay
from firstflight_conformance.cases.vectors import load as load_vector
from firstflight_conformance.docs_ext import connections_page
from firstflight_conformance.live import agreement
from firstflight_conformance.live.agreement import Row, row
from firstflight_conformance.live.measure import KNOWN, KNOWN_PATHS
from firstflight_conformance.paths import LIVE_PATHS, VECTORS
from firstflight_conformance.recording.recording import Header, Recording, Step, Subject
from firstflight_conformance.simulator.scenario import load_scenario

ROW = Row("Linux cubic", "6.18", "long", "hystart/linux", 4, 4, 4, 0, 0, ("hystart/linux",), 100_000)


def recording(profile: str) -> Recording:
    """Return a sender that is SEARCH in this profile."""
    vector = load_vector(VECTORS / "search" / "full-window.plateau-50-ms.json")
    config = config_from_json(vector.config)
    answers = replay(create("search", profile, config), list(vector.events))
    steps = tuple(
        Step(event, Subject(cwnd_bytes=answer.cwnd_bytes, ssthresh_bytes=answer.ssthresh_bytes))
        for event, answer in zip(vector.events, answers, strict=True)
    )
    return Recording(Header({"kind": "vector", "name": vector.id}, config, quality={"app_limited": "stated"}), steps)


def test_a_row_counts_what_agrees() -> None:
    """Two of three runs are of the profile that is expected; one leaves slow start elsewhere."""
    runs = [recording("linux-3"), recording("linux-3"), recording("neqo-2026")]
    found = row("a stack", "1", "a path", "search/linux-3", runs)
    assert (found.runs, found.judged) == (3, 3)
    assert found.agree == 2
    assert "search/linux-3" in found.best
    assert row("a stack", "1", "a path", "search/linux-3", runs[:2]).growth == 0


def test_rows_replace_those_of_the_same_sender_and_path(tmp_path: Path) -> None:
    """Others stay; the order is that of the names."""
    file = tmp_path / "connections.json"
    assert agreement.load(file) == []
    agreement.keep([ROW, replace(ROW, path="fast")], file)
    agreement.keep([replace(ROW, agree=3)], file)
    assert agreement.load(file) == [replace(ROW, path="fast"), replace(ROW, agree=3)]


def test_what_is_kept_is_what_the_paths_and_profiles_are() -> None:
    """Each row is of a path and by a profile that there are, and counts what can be."""
    paths = {path.stem for path in LIVE_PATHS.glob("*.json")}
    rows = agreement.load()
    for each in rows:
        assert each.path in paths
        create(
            *each.profile.split("/"), config_from_json({"max_datagram_size_bytes": 1200, "initial_window_bytes": None})
        )
        assert 0 <= each.agree <= each.judged <= each.runs
    carried = {(each.profile, each.path) for each in rows if each.stack.startswith("aioquic carrying")}
    assert carried <= {(profile, path) for profile in KNOWN for path in KNOWN_PATHS}


def test_the_page_says_what_does_not_agree() -> None:
    """Runs that differ, and those without an exit, are in the row."""
    cells = connections_page._cells(replace(ROW, judged=3, agree=2, growth=5, margin_ns=0))
    assert cells[3:5] == ("2 of 3<br>1 did not leave", "growth: 5 differ")
    assert cells[-1] == "none"
    assert connections_page._cells(ROW)[4] == "all equal"
    nothing = connections_page._cells(replace(ROW, judged=0, agree=0, best=(), margin_ns=0))
    assert nothing[3:] == ("0 of 0<br>4 did not leave", "-", "-", "-")
    assert "State of the connections" in connections_page.page()


def test_the_paths_are_scenarios() -> None:
    """Six, with datagrams that all senders here can have."""
    scenarios = [load_scenario(path) for path in sorted(LIVE_PATHS.glob("*.json"))]
    assert len(scenarios) == 6
    assert {scenario.config.max_datagram_size_bytes for scenario in scenarios} == {1200}
