"""Stored agreement of runs, in rows that replace older rows, and the page generated from them."""

from dataclasses import replace
from pathlib import Path

import pytest

from firstflight import create
from firstflight_conformance.format.vectors import load as load_vector
from firstflight_conformance.logs.recording.recording import Header, Recording, Step, Subject
from firstflight_conformance.paths import LIVE_PATHS, VECTORS
from firstflight_conformance.replay.measure import config_from_json, replay
from firstflight_conformance.simulate.scenario import load_scenario
from pages import connections_page
from studies.live import agreement
from studies.live.agreement import Row, row
from studies.live.measure import KNOWN, KNOWN_PATHS

ROW = Row(
    "Linux cubic", "6.18", "long", "hystart/linux", 4, 4, 4, 0, ("hystart/linux",), 100_000, {"hystart/linux": "made"}
)


def recording(profile: str) -> Recording:
    """Return the recording of a SEARCH sender with this profile."""
    vector = load_vector(VECTORS / "search" / "full-window.plateau-50-ms.json")
    config = config_from_json(vector.config)
    answers = replay(create("search", profile, config), list(vector.events))
    steps = tuple(
        Step(event, Subject(cwnd_bytes=answer.cwnd_bytes, ssthresh_bytes=answer.ssthresh_bytes))
        for event, answer in zip(vector.events, answers, strict=True)
    )
    return Recording(Header({"kind": "vector", "name": vector.id}, config, quality={"app_limited": "stated"}), steps)


def test_row_counts_matching_runs() -> None:
    """A row counts the runs that match the expected profile: two of three, as one leaves slow start elsewhere."""
    runs = [recording("linux-3"), recording("linux-3"), recording("neqo-2026")]
    agreement_row = row("a stack", "1", "a path", "search/linux-3", runs)
    assert (agreement_row.runs, agreement_row.judged) == (3, 3)
    assert agreement_row.agree == 2
    assert "search/linux-3" in agreement_row.best
    assert row("a stack", "1", "a path", "search/linux-3", runs[:2]).growth == 0


def test_new_row_replaces_row_of_same_sender_and_path(tmp_path: Path) -> None:
    """A new row replaces the row of the same sender and path; other rows stay, and rows are sorted by name."""
    file = tmp_path / "connections.json"
    assert agreement.load(file) == []
    agreement.keep([ROW, replace(ROW, path="fast")], file)
    agreement.keep([replace(ROW, agree=3)], file)
    assert agreement.load(file) == [replace(ROW, path="fast"), replace(ROW, agree=3)]


def test_stored_rows_have_existing_paths_and_profiles() -> None:
    """Each stored row has an existing path and profile, and possible counts."""
    paths = {path.stem for path in LIVE_PATHS.glob("*.json")}
    rows = agreement.load()
    for agreement_row in rows:
        assert agreement_row.path in paths
        create(
            *agreement_row.profile.split("/"),
            config_from_json({"max_datagram_size_bytes": 1200, "initial_window_bytes": None}),
        )
        assert 0 <= agreement_row.agree <= agreement_row.judged <= agreement_row.runs
    carried = {(row.profile, row.path) for row in rows if row.stack.startswith("aioquic carrying")}
    assert carried <= {(profile, path) for profile in KNOWN for path in KNOWN_PATHS}


def test_stored_rows_use_current_profiles() -> None:
    """All stored rows were made with the current profiles."""
    older = {row.stack for row in agreement.load() if not agreement.is_current(row)}
    assert not older, "the profiles have changed: run `make live`, `make quinn`, `make firefox` and `make picoquic`"


def test_new_and_changed_profiles_outdate_a_row() -> None:
    """A row is outdated by new or changed profiles, and by removed profiles only if the row contains them."""
    marks = agreement.marks_now()
    current = replace(ROW, made_with=marks)
    assert agreement.is_current(current)
    assert agreement.is_current(replace(current, best=("search/linux-3+cubic",)))
    assert agreement.is_current(replace(current, made_with=marks | {"hystart/removed": "mark"}))
    without = {name: mark for name, mark in marks.items() if name != "search/linux-3"}
    for older in (
        replace(current, made_with=without),
        replace(current, made_with=marks | {"search/linux-3": "mark"}),
        replace(current, best=("hystart/removed",)),
        replace(current, profile="hystart/removed"),
    ):
        assert not agreement.is_current(older)


def test_profile_mark_depends_on_windows_not_title(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mark of a profile changes with a window on a path, but not with a title."""
    vector_file = tmp_path / "hystart" / "path.constant.json"
    vector_file.parent.mkdir()
    monkeypatch.setattr(agreement, "VECTORS", tmp_path)
    text = (VECTORS / "hystart" / "path.constant.json").read_text("utf-8")

    def mark(now: str) -> dict[str, str]:
        vector_file.write_text(now, "utf-8")
        agreement.marks_now.cache_clear()
        return agreement.marks_now()

    assert mark(text) == mark(text.replace('"title": "', '"title": "Again: '))
    assert mark(text) != mark(text.replace('"cwnd_bytes": 13200', '"cwnd_bytes": 13201', 1))
    agreement.marks_now.cache_clear()


def test_vectors_with_a_path_change_do_not_affect_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors with a path change do not affect the marks, because no run changes its path."""
    monkeypatch.setattr(agreement, "VECTORS", tmp_path)
    agreement.marks_now.cache_clear()
    before = agreement.marks_now()
    vector_file = tmp_path / "hystart" / "path.starts-again.json"
    vector_file.parent.mkdir()
    vector_file.write_text((VECTORS / "hystart" / "path.starts-again.json").read_text("utf-8"), "utf-8")
    agreement.marks_now.cache_clear()
    assert agreement.marks_now() == before
    vector_file.write_text((VECTORS / "hystart" / "path.constant.json").read_text("utf-8"), "utf-8")
    agreement.marks_now.cache_clear()
    assert agreement.marks_now() != before
    agreement.marks_now.cache_clear()


def test_page_lists_differing_runs_and_runs_without_exit() -> None:
    """The row on the page has the runs that differ and the runs without an exit."""
    cells = connections_page._cells(replace(ROW, judged=3, agree=2, growth=5, margin_ns=0))
    assert cells[3:5] == ("2 of 3<br>1 not decided", "5 ACKs differ")
    assert cells[-1] == "none"
    assert connections_page._cells(ROW)[4] == "all equal"
    nothing = connections_page._cells(replace(ROW, judged=0, agree=0, best=(), margin_ns=0))
    assert nothing[3:] == ("0 of 0<br>4 not decided", "-", "-", "-")
    assert "State of the connections" in connections_page.page()
    older = "judged by older profiles"
    assert older in connections_page._cells(ROW)[0]
    assert older not in connections_page._cells(replace(ROW, made_with=agreement.marks_now()))[0]


def test_live_paths_have_a_supported_datagram_size() -> None:
    """There are six live paths, with a datagram size that all senders support."""
    scenarios = [load_scenario(path) for path in sorted(LIVE_PATHS.glob("*.json"))]
    assert len(scenarios) == 6
    assert {scenario.config.max_datagram_size_bytes for scenario in scenarios} == {1200}
