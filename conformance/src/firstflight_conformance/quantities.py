"""Parses rates, times and sizes such as ``10Mbit/s``, ``200ms`` and ``2MB`` exactly, without floating point."""

import re
from fractions import Fraction
from typing import Any

import click

_NUMBER = re.compile(r"(?P<number>[+-]?[0-9]{1,40}(?:\.[0-9]{1,40})?)\s*(?P<unit>[^0-9\s].*)?")
_DECIMAL = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}

RATES = {prefix + unit: factor for prefix, factor in _DECIMAL.items() for unit in ("bit/s", "bps", "b/s")}
TIMES = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9}
SIZES = {prefix + "B": factor for prefix, factor in (_DECIMAL | _BINARY).items()}


def parse(text: str, units: dict[str, int]) -> int:
    """Return the quantity in the base unit. Raise ``ValueError`` if it is malformed or not a whole number."""
    match = _NUMBER.fullmatch(text.strip())
    unit = match["unit"] if match else None
    if match is None or (unit is not None and unit.strip() not in units):
        raise ValueError(f"{text!r}: expected a number with one of the units {', '.join(units)}")
    value = Fraction(match["number"]) * (units[unit.strip()] if unit else 1)
    if value.denominator != 1:
        raise ValueError(
            f"{text!r}: expected a whole number of {next(name for name, factor in units.items() if factor == 1)}"
        )
    return int(value)


class Quantity(click.ParamType):  # type: ignore[type-arg]
    """An option for a quantity in one of the given units; a bare number is in the base unit."""

    def __init__(self, name: str, units: dict[str, int]) -> None:
        """Store the name of the type and its units."""
        self.name = name
        self._units = units

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read a value from the command line."""
        if isinstance(value, int):
            return value
        try:
            return parse(str(value), self._units)
        except ValueError as error:
            self.fail(str(error), param, ctx)


RATE = Quantity("rate", RATES)
TIME = Quantity("time", TIMES)
SIZE = Quantity("size", SIZES)


def readable(value: int, units: dict[str, int], prefer: tuple[str, ...]) -> str:
    """Return a quantity exactly, in the first preferred unit that gives at least 1."""
    unit = next((name for name in prefer if abs(value) >= units[name]), prefer[-1])
    whole, rest = divmod(value, units[unit])
    digits = len(str(units[unit])) - 1
    fraction = f".{rest:0{digits}d}".rstrip("0") if rest else ""
    return f"{whole}{fraction} {unit}"


def readable_rate(rate_bps: int) -> str:
    """Return a rate as readable text."""
    return readable(rate_bps, RATES, ("Gbit/s", "Mbit/s", "kbit/s", "bit/s"))


def readable_time(time_ns: int) -> str:
    """Return a time as readable text."""
    return readable(time_ns, TIMES, ("ms", "us", "ns")) if time_ns else "0 ms"
