"""The generator gives the numbers of its page."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstflight_conformance.paths import SPEC
from firstflight_conformance.prng import SplitMix64

#: The numbers of the page, from the public-domain generator by S. Vigna.
FIRST_THREE = [6457827717110365317, 3203168211198807973, 9817491932198370423]
seeds = st.integers(0, 2**64 - 1)


def test_first_three_numbers() -> None:
    """The seed 1234567 gives the three numbers of the page."""
    generator = SplitMix64(1234567)
    assert [generator.next() for _ in range(3)] == FIRST_THREE
    page = (SPEC / "prng.md").read_text(encoding="utf-8")
    assert [int(number) for number in re.findall(r"\b\d{19}\b", page)] == FIRST_THREE


@given(seeds)
def test_same_seed_gives_same_sequence(seed: int) -> None:
    """Two generators of one seed agree; only the low 64 bits of a seed count."""
    generator, other = SplitMix64(seed), SplitMix64(seed + 2**64)
    numbers = [generator.next() for _ in range(5)]
    assert numbers == [other.next() for _ in range(5)]
    assert all(0 <= number < 2**64 for number in numbers)
    assert len(set(numbers)) == 5


@given(seeds, st.one_of(st.integers(1, 1000), st.sampled_from([2**32, 2**63, 2**64])))
def test_below(seed: int, n: int) -> None:
    """A number below n is the number drawn modulo n."""
    assert SplitMix64(seed).below(n) == SplitMix64(seed).next() % n


@pytest.mark.parametrize("n", [0, -1, 2**64 + 1])
def test_below_refuses_invalid_bounds(n: int) -> None:
    """Only bounds from 1 to 2^64 are valid."""
    with pytest.raises(ValueError, match=f"below: {n} "):
        SplitMix64(1).below(n)


@given(seeds, st.integers(0, 1_000_000))
def test_chance(seed: int, p: int) -> None:
    """An event of p parts per million occurs if the number drawn, modulo a million, is below p."""
    assert SplitMix64(seed).chance_ppm(p) == (SplitMix64(seed).next() % 1_000_000 < p)


def test_chance_is_fair() -> None:
    """Chances of 0 and 1 are exact, and the count of a chance between them is near its expectation."""
    generator = SplitMix64(7)
    assert not any(generator.chance_ppm(0) for _ in range(1000))
    assert all(generator.chance_ppm(1_000_000) for _ in range(1000))
    assert 2800 < sum(generator.chance_ppm(300_000) for _ in range(10_000)) < 3200
