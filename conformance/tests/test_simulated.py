"""20,000 random scenarios and networks, 4,000 experiments and 1,000 MAX_DATA networks match ``simulated.json``."""

import pytest

from simulated import block as block_of
from simulated import by_c, by_plain, experiment_block, limited_block, load, measured
from simulator_cases import (
    BLOCK,
    CASES,
    EXPERIMENTS,
    GROWING_MAX_DATA,
    LEAST,
    LIMITED,
    MAX_DATA,
    case,
    counted,
    experiment_case,
    inputs,
    limited_case,
)

PROGRAMS = {"c": by_c, "plain": by_plain}
DATA = load()
HASHES, EXPERIMENT_HASHES = DATA["cases"]["hashes"], DATA["experiments"]["hashes"]
LIMITED_HASHES = DATA["limited"]["hashes"]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("number", range(0, len(HASHES), 19))
def test_sampled_blocks_match_recorded_hashes(number: int, program: str) -> None:
    """Each program gives the recorded hash."""
    assert block_of(number, PROGRAMS[program]) == HASHES[number]


@pytest.mark.parametrize("number", range(0, len(EXPERIMENT_HASHES), 7))
def test_sampled_experiments_match_recorded_hashes(number: int) -> None:
    """The C simulator gives the recorded hash; the plain program lacks presets."""
    assert experiment_block(number) == EXPERIMENT_HASHES[number]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("number", range(0, len(LIMITED_HASHES), 5))
def test_sampled_max_data_networks_match_recorded_hashes(number: int, program: str) -> None:
    """Each program gives the recorded hash."""
    assert limited_block(number, PROGRAMS[program]) == LIMITED_HASHES[number]


@pytest.mark.long
def test_every_max_data_network_matches_the_file() -> None:
    """Both programs agree with the file, including the count of every feature."""
    assert measured(limited_case, LIMITED) == DATA["limited"]


@pytest.mark.long
def test_every_case_matches_the_file() -> None:
    """Both programs agree with the file, including the count of every feature of inputs and results."""
    assert measured(case, CASES) == DATA["cases"]


@pytest.mark.long
def test_every_experiment_matches_the_file() -> None:
    """The C simulator agrees with the file, including the count of every feature."""
    assert measured(experiment_case, EXPERIMENTS) == DATA["experiments"]


def test_each_feature_occurs_often() -> None:
    """Each feature is in at least 500 cases, and the inputs match the file; the long test counts the results."""
    assert (len(HASHES) * BLOCK, len(EXPERIMENT_HASHES) * BLOCK) == (CASES, EXPERIMENTS) == (20_000, 4_000)
    for part, make, total in (("cases", case, CASES), ("experiments", experiment_case, EXPERIMENTS)):
        features = DATA[part]["features"]
        assert min(features.values()) >= LEAST
        feature_counts = counted(inputs(make(number)) for number in range(total))
        assert feature_counts == {name: features[name] for name in feature_counts}
    limited = counted(inputs(limited_case(number)) for number in range(LIMITED))
    # Half of the networks have windows that grow.
    assert min(limited[MAX_DATA], limited[GROWING_MAX_DATA]) >= 2 * LIMITED // 5
    assert len(LIMITED_HASHES) * BLOCK == LIMITED
