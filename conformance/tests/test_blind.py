"""Blind runs: paths that no file has. Who computes passes; who knows the vectors by heart does not."""

import re
import shlex

import pytest
from click.testing import CliRunner, Result

from firstflight import profiles
from firstflight_conformance.cli import main
from firstflight_conformance.run.blind import blind_cases
from firstflight_conformance.run.stimulus import stimulus_cases
from runner_support import command

REPLAYS = shlex.join(command("replays"))


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["run", *words, "--jobs", "1"])


def test_the_cases_of_a_seed() -> None:
    """The same each time, others for another seed, none of them of the checkout; every profile with a closed loop has some."""
    first, again, other = blind_cases(1), blind_cases(1), blind_cases(2)
    assert [(case.id, case.scenario) for case in first] == [(case.id, case.scenario) for case in again]
    scenarios = {case.scenario for case in first}
    assert not scenarios & {case.scenario for case in other}
    of_files = stimulus_cases()
    assert not {case.scenario for case in of_files} & scenarios
    assert not {case.id for case in of_files} & {case.id for case in first}
    looped = {(case.vector.algorithm, case.profile) for case in of_files}
    assert {(case.vector.algorithm, case.profile) for case in first} == looped
    assert {name for name, _ in looped} <= set(profiles())


def test_the_ids_say_nothing() -> None:
    """Beside algorithm and profile, which an adapter must know, only a number."""
    for case in blind_cases(3):
        assert re.fullmatch(r"stimulus:blind-\d\d@[a-z-]+/[a-z0-9+-]+", case.id), case.id


def test_an_adapter_that_replays_the_vectors() -> None:
    """By the vectors it passes, every one; blind it fails every case."""
    by_vectors = run("--adapter", REPLAYS, "--algorithm", "slow-start", "--profile", "rfc-9002")
    assert by_vectors.exit_code == 0, by_vectors.output
    blind = run("--adapter", REPLAYS, "--algorithm", "slow-start", "--profile", "rfc-9002", "--blind", "1")
    assert blind.exit_code == 1, blind.output


@pytest.mark.parametrize("algorithm", ["slow-start", pytest.param("suss", marks=pytest.mark.long)])
def test_an_adapter_that_computes(algorithm: str) -> None:
    """It passes under a seed that nobody has seen, which is printed and gives the same run again."""
    words = ("--adapter", "python-model", "--algorithm", algorithm)
    new = run(*words, "--blind")
    assert new.exit_code == 0, new.output
    (seed,) = re.findall(r"the same again with --blind (\d+)", new.output)
    assert run(*words, "--blind", seed).output == new.output


@pytest.mark.parametrize("option", ["--closed-loop", "--both", "--record"])
def test_what_it_does_not_go_with(option: str) -> None:
    result = run("--adapter", "null-echo", "--blind", "1", option)
    assert result.exit_code == 2
    assert "--record" in result.output


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 21))
def test_the_references_pass_blind(seed: int) -> None:
    """Every profile that has a closed loop, in C, under twenty seeds."""
    result = run("--adapter", "c-port", "--blind", str(seed))
    assert result.exit_code == 0, result.output
