"""Seeds of the fuzzers: every number can be written, and streams are written compactly as differences."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from firstflight_conformance.cli import main
from firstflight_conformance.format.vectors import cases, load
from firstflight_conformance.paths import CONFORMANCE, VECTORS

NUMBERS = st.integers(0, 2**64 - 1)


@pytest.fixture(scope="module")
def seeds() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(CONFORMANCE / "fuzz"))
        return importlib.import_module("seeds")


def read(text: bytes, expected: int) -> int:
    """Decode a number in the format of ``fuzz_number`` in ``events.h``."""
    code = text[0]
    if code == 255:
        return 2**64 - 1
    if code >= 200:
        difference = 2 ** (code - 192)
    elif code < 160:
        difference = code
    else:
        difference = 159 - code if code < 192 else int.from_bytes(text[1:], "little")
        assert len(text) == (1 if code < 192 else code - 190)
    return (expected + difference) % 2**64


@given(value=NUMBERS, expected=NUMBERS)
def test_numbers_round_trip(seeds: ModuleType, value: int, expected: int) -> None:
    assert read(seeds.number(value, expected), expected) == value


def test_predictable_stream_is_mostly_zeros(seeds: ModuleType) -> None:
    """Bytes, flights, packet numbers and RTTs of a vector equal the predicted ones; only times and counts remain."""
    case = next(cases([load(VECTORS / "slow-start" / "growth.ack-of-two.json")]))
    text = seeds.stream(case)
    assert len(text) <= seeds.LONGEST and text.count(0) > len(text) // 2


def test_seeds_of_every_file_kind_are_accepted(tmp_path: Path) -> None:
    """The seed of each kind of file is accepted, because changes of a refused file would not have an effect."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(CONFORMANCE / "fuzz"))
        files = importlib.import_module("files")
    for name, kind in files.KINDS.items():
        path = tmp_path / name / kind.name
        path.parent.mkdir(parents=True)
        path.write_bytes(min(kind.seeds(), key=len))
        result = CliRunner().invoke(main, kind.words(path))
        assert result.exit_code in (0, 1, 4), (name, result.output)
