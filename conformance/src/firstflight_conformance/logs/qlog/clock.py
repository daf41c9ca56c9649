"""Converts the times of a qlog (relative, absolute or differences, in ms or us) to ns, and finds their resolution."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from firstflight_conformance.logs.qlog.values import NS_PER_MS, FieldError, member, ns_of

#: Start of a recording: one second, as in vectors.
ORIGIN_NS = 1_000_000_000
#: Percentage of records that may be earlier than the record before. Clocks are corrected. neqo logs a packet that waits
#: for its keys with its arrival time.
_EARLY_PERCENT = 1
_EARLY_LEAST = 3
_UNITS_NS = (1_000_000_000, NS_PER_MS, 1000)
#: Formats of times, of all versions of qlog. The last two contain differences.
_FORMATS = ("absolute", "relative", "relative_to_epoch", "delta", "relative_to_previous_event")


class Clock:
    """Converts the times of records to ns that never decrease.

    ``early``: number of records with an earlier logged time than the record before; they get the time of that record.
    ``earliest_ns``: the largest correction. ``notes``: unknown units and formats of the header.
    """

    def __init__(self, header: Mapping[str, Any], *, as_logged: bool) -> None:
        """Read the unit and the format of the times (absolute, relative or differences) from the header.

        ``as_logged``: do not move the times to the origin of recordings.
        """
        trace = member(header, "trace")
        common = member(trace, "common_fields")
        kind = str(common.get("time_format", ""))
        self._differences = kind in _FORMATS[3:]
        units = (common.get("time_units"), member(trace, "configuration").get("time_units"))
        self._unit_ns = 1000 if "us" in units else NS_PER_MS
        self.notes = [
            f"time_units: {str(unit)[:40]!r} is unknown, and is treated as ms"
            for unit in units
            if unit not in (None, "ms", "us")
        ]
        if kind and kind not in _FORMATS:
            self.notes.append(f"time_format: {kind[:40]!r} is unknown, and is treated as relative")
        self._as_logged = as_logged
        self._first_ns: int | None = None
        self._last_ns = 0
        self.taken = self.early = self.earliest_ns = 0

    def ns(self, time: object) -> int:
        """Return the time of the next record in ns, at least the time of the record before.

        ``time``: the logged time of this record; in the delta formats, the difference from the record before. The first
        record is at one second, or with ``as_logged`` at its logged time. Raise :class:`FieldError` for invalid times.
        """
        t_ns = ns_of(time, "time", self._unit_ns)
        if self._differences:
            t_ns += self._last_ns
        elif t_ns < self._last_ns:
            self.early += 1
            self.earliest_ns = max(self.earliest_ns, self._last_ns - t_ns)
            t_ns = self._last_ns
        self.taken += 1
        self._last_ns = t_ns
        if self._first_ns is None:
            self._first_ns = t_ns
        return t_ns if self._as_logged else t_ns - self._first_ns + ORIGIN_NS

    def check(self) -> None:
        """Raise :class:`FieldError` if over 1% of the records, and more than 3, were before the previous record."""
        if self.early > max(self.taken * _EARLY_PERCENT // 100, _EARLY_LEAST):
            raise FieldError(f"{self.early} of {self.taken} records are before an earlier one: the log is not in order")


def resolution_ns(values: Iterable[int | Decimal], unit_ns: int) -> int:
    """Return in ns the largest unit of s, ms and us that divides all values, or 1."""
    values_ns = [
        int((value * unit_ns).to_integral_value()) if isinstance(value, Decimal) else value for value in values
    ]
    if not any(values_ns):
        return 1
    return next((unit for unit in _UNITS_NS if all(value % unit == 0 for value in values_ns)), 1)
