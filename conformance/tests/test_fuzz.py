"""What fuzzing begins with: every number can be written, and a stream of a vector is written shortly, by its differences from what follows."""

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
    """Read a number as ``fuzz_number`` in ``events.h`` says that it is written."""
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
def test_numbers(seeds: ModuleType, value: int, expected: int) -> None:
    assert read(seeds.number(value, expected), expected) == value


def test_a_stream_that_follows_is_mostly_zeros(seeds: ModuleType) -> None:
    """Bytes, flights, packet numbers and RTTs of a vector are what is expected: only times and counts remain."""
    case = next(cases([load(VECTORS / "slow-start" / "growth.ack-of-two.json")]))
    text = seeds.stream(case)
    assert len(text) <= seeds.LONGEST and text.count(0) > len(text) // 2


def test_files_of_every_kind_are_read(tmp_path: Path) -> None:
    """Where each kind of file begins is no refusal: what is changed in it would otherwise change nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(CONFORMANCE / "fuzz"))
        files = importlib.import_module("files")
    for name, kind in files.KINDS.items():
        path = tmp_path / name / kind.name
        path.parent.mkdir(parents=True)
        path.write_bytes(min(kind.seeds(), key=len))
        result = CliRunner().invoke(main, kind.words(path))
        assert result.exit_code in (0, 1, 4), (name, result.output)
