"""Binary floating point by integers, of model and port, beside the one of this machine."""

import random
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from c_port import module_of
from firstflight.bbr import ieee754
from firstflight.bbr.ieee754 import DOUBLE_BITS, SINGLE_BITS, WHOLE_MAX, Number

FORMATS = {SINGLE_BITS: "<f", DOUBLE_BITS: "<d"}
#: Where rounding is hardest: powers of two and what lies beside them and halfway between two numbers.
EDGES = [
    0, 1, 2, 3, 2885, 2**24 - 1, 2**24, 2**24 + 1, 2**24 + 3, 2**25 + 2, 2**53 - 1, 2**53 + 1, 2**53 + 3, 2**54 + 2, 2**54 + 6,
    2**63, 2**63 + 2**39, 2**63 + 2**39 + 1, 2**63 + 2**10, 2**63 + 3 * 2**10, 2**64 - 2**39 - 1, 2**64 - 2**39, 2**64 - 2**10, 2**64 - 1,
]  # fmt: skip


def of_machine(number: float, bits: int) -> float:
    """Return a number in the format of so many bits, rounded as the machine does."""
    return struct.unpack(FORMATS[bits], struct.pack(FORMATS[bits], number))[0]


def value_of(number: Number) -> float:
    """Return a number as one of the machine, which holds it exactly."""
    assert number.significand == 0 or 2**63 <= number.significand <= WHOLE_MAX
    return number.significand * 2.0**number.exponent


def wholes() -> Iterator[int]:
    """Yield integers below 2^64 of all lengths."""
    yield from EDGES
    draw = random.Random(1)
    for _ in range(2000):
        yield draw.getrandbits(draw.randint(1, 64))


def halfway_up(number: float) -> int:
    """Return the nearest integer, halfway the larger one."""
    below = int(number)
    return below + (number - below >= 0.5)


class Port:
    """The functions of a build of the port, as those of the model."""

    def __init__(self, build: str) -> None:
        """Load the build."""
        self._lib: Any = module_of(build).lib

    def number_of(self, whole: int, bits: int) -> Number:
        """Return the number nearest to an integer."""
        return self._number(self._lib.ff_bbr_number_of(whole, bits))

    def product(self, number: Number, factor: Number, bits: int) -> Number:
        """Return a product."""
        return self._number(self._lib.ff_bbr_product(self._c(number), self._c(factor), bits))

    def quotient(self, number: Number, divisor: Number, bits: int) -> Number:
        """Return a quotient."""
        return self._number(self._lib.ff_bbr_quotient(self._c(number), self._c(divisor), bits))

    def truncated(self, number: Number) -> int:
        """Return the integer below."""
        return int(self._lib.ff_bbr_truncated(self._c(number)))

    def to_nearest(self, number: Number) -> int:
        """Return the nearest integer."""
        return int(self._lib.ff_bbr_to_nearest(self._c(number)))

    @staticmethod
    def _c(number: Number) -> dict[str, int]:
        return {"significand": number.significand, "exponent": number.exponent}

    @staticmethod
    def _number(number: Any) -> Number:
        return Number(number.significand, number.exponent)


@pytest.fixture(params=["model", "int128", "no_int128"])
def arithmetic(request: pytest.FixtureRequest) -> Any:
    """Return the model or a build of the port."""
    return ieee754 if request.param == "model" else Port(request.param)


@pytest.mark.parametrize("bits", FORMATS)
def test_integers(arithmetic: Any, bits: int) -> None:
    """An integer becomes the number of the machine that is nearest to it."""
    for whole in wholes():
        seen = arithmetic.number_of(whole, bits)
        if whole < 2**53 or bits == DOUBLE_BITS:  # or the machine rounds twice
            assert value_of(seen) == of_machine(float(whole), bits), whole
        spacing = 2 ** max(whole.bit_length() - bits, 0)
        assert 2 * abs(int(value_of(seen)) - whole) <= spacing


@pytest.mark.parametrize("bits", FORMATS)
def test_operations(arithmetic: Any, bits: int) -> None:
    """Products and quotients are those of the machine, and what becomes an integer again."""
    draw, numbers = random.Random(2), list(wholes())
    for whole in numbers:
        other = draw.choice(numbers)
        number, factor = arithmetic.number_of(whole, bits), arithmetic.number_of(other, bits)
        results = [(arithmetic.product(number, factor, bits), value_of(number) * value_of(factor))]
        if other > 0:
            results.append((arithmetic.quotient(number, factor, bits), value_of(number) / value_of(factor)))
        for seen, exact in results:
            expected = of_machine(exact, bits)
            assert value_of(seen) == expected, (whole, other)
            assert arithmetic.truncated(seen) == min(int(expected), WHOLE_MAX)
            assert arithmetic.to_nearest(seen) == min(halfway_up(expected), WHOLE_MAX)


def test_constants() -> None:
    """A decimal constant in a source is the quotient of two integers that are numbers; single precision is a number of double precision too."""
    for thousandths, constant in ((2885, 2.885), (2773, 2.773), (750, 0.75), (980, 0.98)):
        single = ieee754.quotient(
            *(ieee754.number_of(whole, SINGLE_BITS) for whole in (thousandths, 1000)), SINGLE_BITS
        )
        assert value_of(single) == of_machine(constant, SINGLE_BITS)
        assert ieee754.product(single, ieee754.number_of(1, DOUBLE_BITS), DOUBLE_BITS) == single
