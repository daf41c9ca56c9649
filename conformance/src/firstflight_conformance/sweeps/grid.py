"""Grids: axes of readable values, and their cells."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from fractions import Fraction
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

from firstflight import profiles
from firstflight_conformance.format.files import read_text
from firstflight_conformance.quantities import RATES, SIZES, TIMES, parse
from firstflight_conformance.simulate.scenario import Scenario, ScenarioError, load_scenario

#: Axes of each kind of sweep, with default values. The last axis varies fastest.
AXES: dict[str, dict[str, str | None]] = {
    "simulate": {
        "algorithm": None, "rate": None, "rtt": None, "queue": "1bdp", "loss-ppm": "0", "size": "10MB", "seed": "1",
    },
    "fct": {"algorithm": None, "rate": None, "rtt": None, "size": None},
    "model": {"algorithm": None, "rate": None, "rtt": None, "size": None},
}  # fmt: skip
#: Limit of cells, because each takes a few hundred bytes of memory.
CELLS_MAX = 1_000_000
_PRODUCTS = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*bdp")
Cell = dict[str, int | str]


class GridError(ValueError):
    """Invalid grid; the text contains axis, value and reason."""


def read_grid(path: Path) -> dict[str, Any]:
    """Read a grid from a TOML file: ``kind``, ``scenario``, and a value or list of values for each axis."""
    try:
        return tomllib.loads(read_text(path))
    except (OSError, ValueError, RecursionError) as error:
        raise GridError(f"{path}: {error}") from error


def read_scenario(path: Path) -> Scenario:
    """Load the scenario of a grid. Raise :class:`GridError`."""
    try:
        return load_scenario(path)
    except ScenarioError as error:
        raise GridError(str(error)) from error


def defaults(kind: str, scenario: Scenario | None) -> dict[str, str | None]:
    """Return the default value of each axis of a sweep, as text, or None for an axis without a default.

    ``kind``: kind of the sweep: ``simulate``, ``fct`` or ``model``. With a scenario, its rate, RTT, queue, loss, size
    and seed replace the defaults. Raise :class:`GridError` for an unknown kind, or for a scenario with a kind other
    than ``simulate``.
    """
    if kind not in AXES:
        raise GridError(f"kind: {kind!r} is not one of {', '.join(AXES)}")
    if scenario is None:
        return AXES[kind]
    if kind != "simulate":
        raise GridError(f"scenario: not supported by {kind}")
    link = scenario.link
    scenario_values = {
        "rate": link.rate_bps, "rtt": link.forward_delay_ns + link.return_delay_ns, "queue": link.queue_bytes,
        "loss-ppm": link.loss_ppm, "size": scenario.transfer_bytes, "seed": scenario.seed,
    }  # fmt: skip
    return AXES[kind] | {axis: str(value) for axis, value in scenario_values.items() if value is not None}


def cells(kind: str, values_by_axis: Mapping[str, Sequence[str]], scenario: Scenario | None = None) -> list[Cell]:
    """Return the cells of a sweep without duplicates: one for each combination of the values of all axes.

    An axis is a parameter, such as ``rate``. A cell maps names with units, such as ``rate_bps``, to values. ``kind``:
    kind of the sweep (``simulate``, ``fct`` or ``model``), which determines the axes and their order in :data:`AXES`.
    The last axis varies fastest. Axes missing in ``values_by_axis`` have the default value, or the value of
    ``scenario``. Raise :class:`GridError` for unknown axes, missing or invalid values, and too many cells.
    """
    missing = defaults(kind, scenario)
    unknown = [axis for axis in values_by_axis if axis not in missing]
    if unknown:
        raise GridError(f"{unknown[0]}: unknown axis; {kind} has {', '.join(missing)}")
    axes = {axis: list(values_by_axis.get(axis) or ([default] if default else ())) for axis, default in missing.items()}
    axes["algorithm"] = [name for pattern in axes["algorithm"] for name in algorithms(pattern)]
    for axis, values in axes.items():
        if not values:
            raise GridError(f"{axis}: {kind} needs at least one value")
    count = 1
    for values in axes.values():
        count *= len(values)
    if count > CELLS_MAX:
        raise GridError(f"{count} cells exceed the limit of {CELLS_MAX}")
    unique_cells = {tuple(cell.items()): cell for cell in _spanned(axes)}
    if scenario is not None:
        return [{**cell, "scenario": _fingerprint(scenario)} for cell in unique_cells.values()]
    return list(unique_cells.values())


def _fingerprint(scenario: Scenario) -> str:
    """Return the name of a scenario for the result rows. It has a digest, since a changed file is another sweep."""
    return f"{scenario.name}#{sha256(repr(scenario).encode()).hexdigest()[:8]}"


def algorithms(pattern: str) -> list[str]:
    """Return the controllers that match a pattern such as ``search/*``; a name without glob characters is kept."""
    if not set(pattern) & set("*?["):
        return [pattern]
    known = [
        f"{name}/{profile}" for name, profile_names in profiles(composed=True).items() for profile in profile_names
    ]
    meant = [name for name in known if fnmatchcase(name, pattern)]
    if not meant:
        raise GridError(
            f"algorithm: {pattern} does not match any profile; available algorithms: {', '.join(profiles())}"
        )
    return meant


def _spanned(axes: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    for values in product(*axes.values()):
        written = dict(zip(axes, values, strict=True))
        cell: Cell = {"algorithm": written["algorithm"]}
        cell["rate_bps"] = _quantity(written, "rate", RATES)
        if not cell["rate_bps"]:
            raise GridError(f"rate: expected more than 0, got {written['rate']}")
        cell["rtt_ns"] = _quantity(written, "rtt", TIMES)
        if "queue" in written:
            cell["queue_bytes"] = _queue(written, int(cell["rate_bps"]) * int(cell["rtt_ns"]))
            cell["loss_ppm"] = _quantity(written, "loss-ppm", {"": 1})
        cell["size_bytes"] = _quantity(written, "size", SIZES)
        if "seed" in written:
            cell["seed"] = _quantity(written, "seed", {"": 1})
        yield cell


def _quantity(written: Mapping[str, str], axis: str, units: dict[str, int]) -> int:
    try:
        value = parse(written[axis], units)
    except ValueError as error:
        raise GridError(f"{axis}: {error}") from error
    if value < 0:
        raise GridError(f"{axis}: {value} is below 0")
    return value


def _queue(written: Mapping[str, str], rate_by_time: int) -> int:
    """Return the size in bytes of a queue given as a size or as a multiple of the bandwidth-delay product.

    ``rate_by_time``: the rate in bit/s times the RTT in ns.
    """
    match = _PRODUCTS.fullmatch(written["queue"].strip())
    if match is None:
        return _quantity(written, "queue", SIZES)
    return int(Fraction(match[1]) * rate_by_time / (8 * 10**9))
