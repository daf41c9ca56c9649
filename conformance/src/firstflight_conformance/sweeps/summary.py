"""Summary of a sweep: times and dropped packets of each algorithm, compared with the first algorithm."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median_low

from firstflight_conformance.quantities import readable_time
from firstflight_conformance.sweeps.store import Row

#: Column of the time for each kind of sweep.
TIME = {"simulate": "completed_ns", "fct": "fct_ns", "model": "response_time_ns"}


def summary(kind: str, rows: Sequence[Row]) -> list[str]:
    """Return the lines of a table: a heading, and one line per algorithm.

    The algorithms are in the order of their first rows in ``rows``.
    """
    by_algorithm: dict[str, dict[tuple[object, ...], Row]] = {}
    for row in rows:
        by_algorithm.setdefault(row["algorithm"], {})[_path(row)] = row
    first = next(iter(by_algorithm.values()), {})
    table = [("algorithm", "cells", "median time", "longest", "faster", "slower", "dropped")]
    for name, cells in by_algorithm.items():
        times = [row[TIME[kind]] for row in cells.values() if row[TIME[kind]] is not None]
        against = _compared(cells, first, TIME[kind])
        dropped = sum(row.get("dropped_packets") or row.get("lost") or 0 for row in cells.values())
        times_text = [readable_time(time) for time in (median_low(times), max(times))] if times else ["-", "-"]
        compared = ["-", "-"] if cells is first else [str(against[-1]), str(against[1])]
        table.append((name, str(len(cells)), *times_text, *compared, str(dropped)))  # type: ignore[arg-type]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in table]


def _path(row: Row) -> tuple[object, ...]:
    """Return the values of a row that describe its path: rate, RTT, queue, loss, size, and seed; None if absent.

    Rows of different algorithms with equal values are compared.
    """
    names = ("rate_bps", "rtt_ns", "queue_bytes", "loss_ppm", "size_bytes", "seed")
    return tuple(row.get(name) for name in names)


def _compared(
    cells: Mapping[tuple[object, ...], Row], first: Mapping[tuple[object, ...], Row], column: str
) -> Counter[int]:
    """Return the numbers of cells with a time below (-1) and above (1) the first algorithm's."""
    pairs = ((row[column], first[path][column]) for path, row in cells.items() if path in first)
    return Counter((a > b) - (a < b) for a, b in pairs if a is not None and b is not None)
