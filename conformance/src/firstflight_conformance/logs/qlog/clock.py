"""The times of a qlog: relative, absolute or differences, in ms or us, as ns of a recording. And how fine they are."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from firstflight_conformance.logs.qlog.values import NS_PER_MS, FieldError, member, ns_of

#: Where recordings begin: at one second, as vectors do.
ORIGIN_NS = 1_000_000_000
#: How many of a hundred records may be before an earlier one. Clocks are corrected, and neqo logs a packet that had to wait for its
#: keys with the time at which it came.
_EARLY_PERCENT = 1
_EARLY_LEAST = 3
_UNITS_NS = (1_000_000_000, NS_PER_MS, 1000)
#: Formats of times, of all versions of qlog. Those with differences end in the last two.
_FORMATS = ("absolute", "relative", "relative_to_epoch", "delta", "relative_to_previous_event")


class Clock:
    """Turns the times of records into ns that do not fall.

    ``early``: how many were before an earlier one, and were moved to that; ``earliest_ns``: by how much at most. ``notes``: what the header
    says of times that is not known.
    """

    def __init__(self, header: Mapping[str, Any], *, as_logged: bool) -> None:
        """Read the format from the header. ``as_logged``: the times are not moved to the origin of recordings."""
        trace = member(header, "trace")
        common = member(trace, "common_fields")
        kind = str(common.get("time_format", ""))
        self._differences = kind in _FORMATS[3:]
        units = (common.get("time_units"), member(trace, "configuration").get("time_units"))
        self._unit_ns = 1000 if "us" in units else NS_PER_MS
        self.notes = [
            f"time_units: {str(unit)[:40]!r} is not known, and is taken as ms"
            for unit in units
            if unit not in (None, "ms", "us")
        ]
        if kind and kind not in _FORMATS:
            self.notes.append(f"time_format: {kind[:40]!r} is not known, and is taken as relative")
        self._as_logged = as_logged
        self._first_ns: int | None = None
        self._last_ns = 0
        self.taken = self.early = self.earliest_ns = 0

    def ns(self, time: object) -> int:
        """Return the time of the next record."""
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
        """Raise :class:`FieldError` if too many records were before an earlier one."""
        if self.early > max(self.taken * _EARLY_PERCENT // 100, _EARLY_LEAST):
            raise FieldError(f"{self.early} of {self.taken} records are before an earlier one: the log is not in order")


def resolution_ns(values: Iterable[int | Decimal], unit_ns: int) -> int:
    """Return the largest unit of s, ms or us of which all values are whole, 1 if there is none."""
    found = [int((value * unit_ns).to_integral_value()) if isinstance(value, Decimal) else value for value in values]
    if not any(found):
        return 1
    return next((unit for unit in _UNITS_NS if all(value % unit == 0 for value in found)), 1)
