"""Binary floating point of IEEE 754, by integers: what stacks compute with gains that are no integers (``spec/bbr/rules.md``).

Results are rounded to the nearest number, and halfway to the even one. Numbers are not negative and never become too large or too small:
64-bit integers and constants, with few operations.

Mirrors ``reference-c/firstflight/bbr/ieee754.c``.
"""

from firstflight.values import value

#: The bits of a significand: binary32 and binary64.
SINGLE_BITS = 24
DOUBLE_BITS = 53
#: A significand is stored in so many bits, the first of which is 1.
STORED_BITS = 64
WHOLE_MAX = 2**64 - 1


@value
class Number:
    """``significand`` times 2 to the power of ``exponent``. The significand is from 2^63 to 2^64 - 1, and 0 for 0."""

    significand: int
    exponent: int


def _rounded_to(bits: int, significand: int, exponent: int) -> Number:
    """Return the nearest number whose significand has so many bits. It is stored in 64."""
    surplus = significand.bit_length() - STORED_BITS
    if surplus > 0:
        dropped = significand % (1 << surplus)
        significand = (significand >> surplus) | (dropped > 0)  # the last bit says that something was dropped
    else:
        significand <<= -surplus
    step = 1 << (STORED_BITS - bits)
    rest = significand % step
    significand -= rest
    if 2 * rest > step or (2 * rest == step and significand & step):
        significand += step
    if significand > WHOLE_MAX:
        return Number(significand >> 1, exponent + surplus + 1)
    return Number(significand, exponent + surplus if significand else 0)


def number_of(whole: int, bits: int) -> Number:
    """Return the number nearest to an integer below 2^64."""
    return _rounded_to(bits, whole, 0)


def product(number: Number, factor: Number, bits: int) -> Number:
    """Return a product."""
    return _rounded_to(bits, number.significand * factor.significand, number.exponent + factor.exponent)


def quotient(number: Number, divisor: Number, bits: int) -> Number:
    """Return a quotient. The divisor is not 0."""
    whole, rest = divmod(number.significand << STORED_BITS, divisor.significand)
    return _rounded_to(bits, 2 * whole + (rest > 0), number.exponent - divisor.exponent - STORED_BITS - 1)


def truncated(number: Number) -> int:
    """Return the integer below, at most 2^64 - 1."""
    if number.exponent > 0:
        return WHOLE_MAX
    return number.significand >> -number.exponent


def to_nearest(number: Number) -> int:
    """Return the nearest integer, halfway the larger one, at most 2^64 - 1."""
    if number.exponent >= 0:
        return truncated(number)
    return ((number.significand >> (-number.exponent - 1)) + 1) >> 1
