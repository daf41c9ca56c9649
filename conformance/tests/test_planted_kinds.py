"""Bugs of public reports by kind: a short vector rejects each, and the controller without the bug passes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from every import every_case, packets
from firstflight_conformance.records.results import ExitCode
from freedoms_support import PACKETS_MAX
from plain.judge import cases_of, judge_case, programs
from planted_kinds import MOST_EVENTS, Planted, entries, exit_code, judged_outcome

ENTRIES = {entry.id: entry for entry in entries()}
PROGRAMS = sorted({entry.program for entry in ENTRIES.values() if entry.program})


def controllers() -> Iterator[Planted]:
    """Yield one entry for each controller behind the adapter protocol."""
    seen = set()
    for entry in ENTRIES.values():
        if entry.bug is not None and (key := (entry.profile, str(entry.bug.hello), str(entry.bug.fixed))) not in seen:
            seen.add(key)
            yield entry


FIXED = {entry.id: entry for entry in controllers()}


def test_table_is_consistent() -> None:
    """Ids are unique, each kind has a bug, and no vector has more events than the kind allows."""
    assert len(ENTRIES) == len(list(entries()))
    assert {entry.kind for entry in ENTRIES.values()} == MOST_EVENTS.keys()
    assert all(entry.bug is None or entry.bug.profile == entry.profile for entry in ENTRIES.values())
    events = {name: len(entry.case.events) for name, entry in ENTRIES.items()}
    assert {name: count for name, count in events.items() if count > MOST_EVENTS[ENTRIES[name].kind]} == {}


@pytest.mark.parametrize("name", ENTRIES)
def test_a_bug_is_rejected(name: str, tmp_path: Path) -> None:
    """The vector of the table rejects the bug, or the program ends; a bug that an open point allows is a choice."""
    entry = ENTRIES[name]
    is_open = entry.bug is not None and entry.bug.open
    assert judged_outcome(entry, tmp_path) == ("open" if is_open else "ended" if entry.ends else "rejected")


@pytest.mark.parametrize("name", FIXED)
def test_a_fixed_controller_passes(name: str, tmp_path: Path) -> None:
    """The fixed controller passes all vectors of the profile that its adapter accepts."""
    bug = FIXED[name].bug
    assert bug is not None
    assert exit_code(bug, tmp_path) == ExitCode.OK


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_passes(name: str) -> None:
    """The unchanged program has the expected windows, thresholds, phases and outcomes in all vectors of its profile."""
    program = programs()[name]
    cases = [case for case in cases_of(program, every_case()) if packets(case) <= PACKETS_MAX]
    assert cases
    assert {case.id: difference for case in cases if (difference := judge_case(program, case))} == {}
