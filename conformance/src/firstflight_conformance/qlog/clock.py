"""The times of a qlog: relative, absolute or differences, in ms or us, as ns of a recording. And how fine they are."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from firstflight_conformance.qlog.values import NS_PER_MS, FieldError, member, ns_of

#: Where recordings begin: at one second, as vectors do.
ORIGIN_NS = 1_000_000_000
#: By how much a time may be before the one of an earlier record: clocks are corrected.
BACKWARDS_NS = 1_000_000
#: The same for a packet that was received before its keys: neqo logs it once they are there, with the time at which it came.
KEPT_NS = 1_000_000_000
_UNITS_NS = (1_000_000_000, NS_PER_MS, 1000)


class Clock:
    """Turns the times of records into ns that do not fall. ``backwards``: how many were before an earlier one, by a little."""

    def __init__(self, header: Mapping[str, Any], *, as_logged: bool) -> None:
        """Read the format from the header. ``as_logged``: the times are not moved to the origin of recordings."""
        trace = member(header, "trace")
        common = member(trace, "common_fields")
        kind = str(common.get("time_format", ""))
        self._differences = kind == "delta" or kind.endswith("previous_event")
        units = (common.get("time_units"), member(trace, "configuration").get("time_units"))
        self._unit_ns = 1000 if "us" in units else NS_PER_MS
        self._as_logged = as_logged
        self._first_ns: int | None = None
        self._last_ns = 0
        self.backwards = 0

    def ns(self, time: object, *, received: bool = False) -> int:
        """Return the time of the next record. Raise :class:`FieldError` for one that is before an earlier one.

        ``received``: it is of a packet received.
        """
        t_ns = ns_of(time, "time", self._unit_ns)
        if self._differences:
            t_ns += self._last_ns
        elif t_ns < self._last_ns:
            if self._last_ns - t_ns > (KEPT_NS if received else BACKWARDS_NS):
                raise FieldError(
                    f"time: {(self._last_ns - t_ns) // NS_PER_MS} ms before the record above it: the log is not in order"
                )
            self.backwards += 1
            t_ns = self._last_ns
        self._last_ns = t_ns
        if self._first_ns is None:
            self._first_ns = t_ns
        return t_ns if self._as_logged else t_ns - self._first_ns + ORIGIN_NS


def resolution_ns(values: Iterable[int | Decimal], unit_ns: int) -> int:
    """Return the largest unit of s, ms or us of which all values are whole, 1 if there is none."""
    found = [int((value * unit_ns).to_integral_value()) if isinstance(value, Decimal) else value for value in values]
    if not any(found):
        return 1
    return next((unit for unit in _UNITS_NS if all(value % unit == 0 for value in found)), 1)
