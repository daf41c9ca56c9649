"""Mutants in the closed loop: paths reject typical bugs, and every survivor has a reason."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from adequacy.in_loop import load_survivors, loop_kills_of, loop_matrix, reasons, replay
from adequacy.kill import Kills, kills_of
from adequacy.mutated import mutated
from every import every_vector
from firstflight_conformance.adapters.messages import OBSERVABLES
from firstflight_conformance.cli import main
from firstflight_conformance.format.vectors import COMPUTED_ALGORITHMS
from firstflight_conformance.format.wire import event_name
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.replay.mutants import Mutant, load_mutants
from firstflight_conformance.simulate.cases import stimulus_cases
from firstflight_conformance.simulate.model_run import observed_run
from generate.simulated import load_scenarios

MUTANTS = {mutant.id: mutant for mutant in load_mutants()}
#: Bugs that a maintainer planted in his HyStart++, each with the path that must reject it. The loop once missed some.
BUGS = {
    "hystartpp-clamp-always-16": "delay-below",
    "hystartpp-against-connection": "delay-below",
    "hystartpp-css-samples-any": "delay-recovers",
    "hystartpp-half-growth": "delay-rise",
    "hystartpp-four-rounds": "delay-rise",
    "hystartpp-nine-samples": "delay-rise",
}


#: A mutant that no event of the domain reveals.
EQUIVALENT = "hystartpp-stays-conservative-after-loss"
#: Vectors allow both choices of this tie, so it counts as equivalent; paths have only the model's choice.
TIED = ("resume-at-threshold-avoidance",)


@pytest.mark.parametrize("name", BUGS)
def test_planted_bugs_change_the_window(name: str) -> None:
    """The window alone, which every stack reports, reveals each bug on its path."""
    mutant = MUTANTS[name]
    case = next(c for c in stimulus_cases() if c.id == f"stimulus:{BUGS[name]}@hystartpp/{mutant.profile}")
    replayed = replay(case)
    with mutated(mutant) as controller:
        state = controller.create(replayed.algorithm, replayed.profile, replayed.config)
        windows = []
        for event in replayed.events:
            state, observation = controller.step(state, event)
            windows.append(observation.cwnd_bytes)
    assert windows != [expected["cwnd_bytes"] for expected in replayed.expected]


@pytest.mark.parametrize("name", list(BUGS)[:3])
def test_planted_bugs_in_an_adapter_are_diagnosed(name: str) -> None:
    """Each bug fails as an adapter in the loop; the first cause is exactly the mutant or an equivalent edit."""
    adapter = shlex.join(
        [sys.executable, str(Path(__file__).with_name("mutant_adapter.py")), "hystartpp", "rfc-9406", "-", name]
    )
    words = ["run", "--adapter", adapter, "--closed-loop", "--id", "stimulus:delay-*@hystartpp/rfc-9406"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 1, result.output
    first = " ".join(result.output.partition("  level:")[0].split())
    assert f"cause: {name} " in first or f"exact, but cannot be distinguished from {name} " in first


def test_choice_in_an_adapter_is_reported_as_open_point() -> None:
    """Congestion avoidance at the threshold differs on a path; the run ends with 0 and reports an open point.

    Vectors allow both choices. One ACK with less growth is within the bound of congestion avoidance as well.
    """
    name = "resume-at-threshold-avoidance"
    adapter = [sys.executable, str(Path(__file__).with_name("mutant_adapter.py")), "careful-resume", "rfc-9959", "-"]
    words = ["--adapter", shlex.join([*adapter, name]), "--id", "stimulus:resume@careful-resume/rfc-9959"]
    result = CliRunner().invoke(main, ["run", "--closed-loop", *words])
    assert result.exit_code == 0, result.output
    assert "1 case with other choices" in result.output
    assert "careful-resume A39 is open" in result.output or "slow-start S2 is open" in result.output


def test_unchanged_mutant_survives() -> None:
    """No path rejects a mutant without a change; more than five paths reject a wrong one."""
    mutant = MUTANTS["hystartpp-half-growth"]
    right = Mutant(**{name: getattr(mutant, name) for name in mutant.__slots__} | {"replace": mutant.find})
    assert loop_kills_of(right).survives
    assert len(loop_kills_of(mutant).by_windows) > 5


@pytest.mark.parametrize("jobs", [1, 2])
def test_matrix_is_independent_of_process_count(jobs: int) -> None:
    """One process and two give the same matrix, without computations, which cannot run in the loop."""
    chosen = [MUTANTS[name] for name in ("hystartpp-one-sample", "tt-segments-fluid")]
    (kills,) = loop_matrix(chosen, jobs)
    assert kills.mutant.id == "hystartpp-one-sample"
    assert "stimulus:deep-queue@hystartpp/rfc-9406" in kills.by_windows


def test_survivors_have_a_reason() -> None:
    """Every survivor is a mutant for the loop that is not argued to be equivalent, and has a reason."""
    named = reasons()
    assert set(named) <= set(MUTANTS)
    for name, why in named.items():
        assert not MUTANTS[name].equivalent, name
        assert MUTANTS[name].algorithm not in COMPUTED_ALGORITHMS
        assert len(why) > 40


def test_paths_lack_the_events_that_survivors_need() -> None:
    """Runs of the model do not contain the events that survivors need."""
    needs = {group.needs for group in load_survivors() if group.needs}
    assert len(needs) == 6
    profiles = ("slow-start/rfc-9002", "careful-resume/rfc-9959", "jumpstart/pfldnet-2007", "search/draft-09")
    for case in stimulus_cases():
        if case.id.endswith(profiles):
            kinds = {event_name(event) for event, _ in observed_run(case, 1, OBSERVABLES)}
            assert not needs & kinds, case.id


def test_command_prints_score_and_survivors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command prints the score and the reason of each survivor. ``make mutants`` runs it on all mutants."""
    few = [MUTANTS[name] for name in (*BUGS, "hystartpp-ignores-ce", "grow-twice", EQUIVALENT)]
    monkeypatch.setattr("adequacy.mutants.load_mutants", lambda: few)
    file = tmp_path / "matrix.json"
    result = CliRunner().invoke(
        main, ["dev", "mutants", "--closed-loop", "--algorithm", "hystartpp", "--jobs", "1", "--json", str(file)]
    )
    assert result.exit_code == 0, result.output
    matrix = json.loads(file.read_text(encoding="utf-8"))
    killed = [name for name, entry in matrix.items() if entry["killed_by"]]
    assert f"score: {len(killed)} of {len(matrix)} mutants killed in closed loop, 1 argued equivalent" in result.output
    assert set(killed) == set(BUGS)
    assert set(matrix) == {*BUGS, "hystartpp-ignores-ce", EQUIVALENT}
    assert matrix["hystartpp-ignores-ce"]["survives_because"].startswith("It shows at a CE mark")
    assert "hystartpp-ignores-ce: It shows at a CE mark" in result.output
    assert "SURVIVES WITHOUT" not in result.output


def _recorded() -> set[str]:
    return {entry["id"] for scenario in load_scenarios() for entry in scenario.vectors}


@pytest.mark.long
def test_paths_reject_exactly_the_mutants_without_a_reason() -> None:
    """The paths reject exactly the mutants without a reason to survive."""
    named = reasons()
    for kills in loop_matrix(list(MUTANTS.values()), 2):
        why = "" if kills.mutant.id in TIED else kills.mutant.equivalent or named.get(kills.mutant.id, "")
        assert kills.is_explained(why), kills.mutant.id


@pytest.mark.long
def test_survivor_groups_match_the_vectors() -> None:
    """Vectors that reject a survivor have the event its group needs; without such an event no recorded vector does."""
    events = {vector.id: {event["ev"] for event in vector.raw_events} for vector in every_vector()}
    recorded = _recorded()
    for group in load_survivors():
        for name in group.mutants:
            kills: Kills = kills_of(VECTORS, MUTANTS[name])
            vectors = {case.partition("@")[0] for case in kills.by_windows}
            assert vectors, name
            if group.needs:
                assert all(group.needs in events[vector] for vector in vectors), name
            elif "recorded" not in group.why:
                assert not vectors & recorded, name
