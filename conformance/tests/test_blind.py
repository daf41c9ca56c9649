"""Blind runs on random paths: an adapter that computes passes, an adapter that replays the vectors fails."""

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firstflight import profiles
from firstflight_conformance.adapters.messages import OBSERVABLES, Declaration
from firstflight_conformance.cli import main
from firstflight_conformance.compare.base import acts, base_of
from firstflight_conformance.format.schemas import schema_error
from firstflight_conformance.paths import ROOT
from firstflight_conformance.run.blind import ACTING, DRAWS, OTHERS, blind_cases
from firstflight_conformance.simulate.cases import stimulus_cases
from plain_newreno import command as command_of
from runner_support import command

RECOMMENDED = 1
#: Profiles with the window of the base on every path.
NEVER_ACT = ("quick-start/rfc-4782-refused", "search/draft-00-literal")
REPLAYS = shlex.join(command("replays"))


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["run", *words, "--jobs", "1"])


def test_seed_determines_the_cases() -> None:
    """A seed always gives the same cases, none from the checkout; every profile with a closed loop has enough cases."""
    first, again, second_seed = (blind_cases(seed, "hystart", "linux").cases for seed in (1, 1, 2))
    assert [(case.id, case.scenario) for case in first] == [(case.id, case.scenario) for case in again]
    scenarios = {case.scenario for case in first}
    assert not scenarios & {case.scenario for case in second_seed}
    stimuli = stimulus_cases()
    assert not {case.scenario for case in stimuli} & scenarios
    assert not {case.id for case in stimuli} & {case.id for case in first}
    for algorithm, profile in {(case.vector.algorithm, case.profile) for case in stimuli if "+" not in case.profile}:
        assert len(blind_cases(1, algorithm, profile).cases) >= ACTING


def test_ids_contain_only_number_algorithm_and_profile() -> None:
    """The ids contain only a number, and the algorithm and profile that an adapter needs."""
    for algorithm, profile in (("search", "draft-09"), ("slow-start", "rfc-9002")):
        for case in blind_cases(3, algorithm, profile).cases:
            assert re.fullmatch(r"stimulus:blind-\d\d\d@[a-z-]+/[a-z0-9+-]+", case.id), case.id


@pytest.mark.parametrize(
    ("algorithm", "profile", "acting"),
    [
        ("search", "draft-09", ACTING),
        ("tcb-sharing", "linux", ACTING),
        ("slow-start", "rfc-9002", ACTING),
        ("search", "draft-00-literal", 0),
    ],
)
def test_draws_until_the_algorithm_acts(algorithm: str, profile: str, acting: int) -> None:
    """Draws end after five paths where the window differs from the base's, or after 100; at most five others stay."""
    drawn = blind_cases(7, algorithm, profile)
    assert drawn.acting == acting
    assert drawn.draws == DRAWS if acting < ACTING else drawn.draws < DRAWS
    assert len(drawn.cases) == acting + min(drawn.draws - acting, OTHERS)
    declaration = Declaration("x", "1", {}, OBSERVABLES)
    windows = replace(declaration, observables=("cwnd_bytes",))
    if base_of(algorithm, profile) is not None and algorithm != "tcb-sharing":
        assert sum(acts(case, windows) for case in drawn.cases) == acting


def test_report_counts_draws_and_acting_paths(tmp_path: Path) -> None:
    """Output and JSON have the number of draws and of paths where the algorithm acts, for declared profiles only."""
    report = tmp_path / "report.json"
    done = run("--adapter", command_of("tcb-sharing", "linux"), "--blind", "1", "--report-json", str(report))
    assert done.exit_code == 1, done.output
    drawn = blind_cases(1, "tcb-sharing", "linux")
    assert f"tcb-sharing/linux: the algorithm acts on 5 of {drawn.draws} paths drawn" in done.output
    document = json.loads(report.read_text("utf-8"))
    assert document["blind"] == [
        {"profile": "tcb-sharing/linux", "acting": 5, "draws": drawn.draws, "judged": len(drawn.cases)}
    ]
    assert schema_error("urn:firstflight:report:1", document) is None


def test_missing_hello_is_reported() -> None:
    """The fault of an adapter without hello is reported, as without --blind."""
    done = run("--adapter", "null-silent", "--algorithm", "slow-start", "--blind", "1")
    assert done.exit_code == 4, done.output
    assert "null-silent: errored" in done.output


def test_recommended_seed_makes_startup_profiles_act() -> None:
    """README, tutorial and CI page use one seed, which has paths where every startup profile acts, except NEVER_ACT."""
    pages = [ROOT / "README.md", ROOT / "docs" / "tutorial.md", ROOT / "docs" / "ci.md"]
    seeds = {seed for page in pages for seed in re.findall(r"--blind (\d+)", page.read_text("utf-8"))}
    assert seeds == {str(RECOMMENDED)}
    for algorithm, known in profiles().items():
        for profile in known:
            drawn = blind_cases(RECOMMENDED, algorithm, profile)
            assert drawn.acting == ACTING or f"{algorithm}/{profile}" in NEVER_ACT, drawn.text


def test_adapter_replaying_vectors_fails_the_blind_run() -> None:
    """An adapter that replays the vectors passes them but fails the blind run."""
    by_vectors = run("--adapter", REPLAYS, "--algorithm", "slow-start", "--profile", "rfc-9002")
    assert by_vectors.exit_code == 0, by_vectors.output
    blind = run("--adapter", REPLAYS, "--algorithm", "slow-start", "--profile", "rfc-9002", "--blind", "1")
    assert blind.exit_code == 1, blind.output


@pytest.mark.parametrize("algorithm", ["slow-start", pytest.param("suss", marks=pytest.mark.long)])
def test_computing_adapter_passes_with_a_new_seed(algorithm: str) -> None:
    """An adapter that computes passes with a new seed; the printed seed reproduces the run."""
    words = ("--adapter", "python-model", "--algorithm", algorithm)
    new = run(*words, "--blind")
    assert new.exit_code == 0, new.output
    (seed,) = re.findall(r"repeat with --blind (\d+)", new.output)
    assert run(*words, "--blind", seed).output == new.output


@pytest.mark.parametrize("option", ["--closed-loop", "--both", "--record"])
def test_incompatible_options_are_refused(option: str) -> None:
    result = run("--adapter", "null-echo", "--blind", "1", option)
    assert result.exit_code == 2
    assert "--record" in result.output


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 21))
def test_c_port_passes_with_twenty_seeds(seed: int) -> None:
    """The C port passes every profile with a closed loop under twenty seeds."""
    result = run("--adapter", "c-port", "--blind", str(seed))
    assert result.exit_code == 0, result.output
