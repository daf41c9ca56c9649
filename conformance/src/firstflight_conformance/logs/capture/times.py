"""Compares the times of a capture with the sender's time stamps."""

from statistics import median_low

_STAMPS = 1 << 32
#: Units of time stamps: Linux with microseconds, most systems, Windows.
_UNITS_NS = (1_000, 1_000_000, 10_000_000)
#: A unit fits if the median rate of the time stamps differs from it by at most 1/4.
_FITS_ONE_OF = 4
#: A sender reads its clock once per burst; the capture assigns each segment its own time.
_BURST_NS = 1_000_000


class Times:
    """Capture time and TCP time stamp (RFC 7323) of each data segment of the sender that has a time stamp."""

    def __init__(self) -> None:
        """Begin without segments."""
        self._found: list[tuple[int, int]] = []
        self._first: int | None = None

    def take(self, t_ns: int, stamp: int) -> None:
        """Add the capture time and the time stamp of a segment."""
        if self._first is None:
            self._first = stamp
        self._found.append((t_ns, (stamp - self._first) % _STAMPS))

    @property
    def apart_ns(self) -> int:
        """Variation of the delay from time stamp to capture: largest minus smallest delay, in ns.

        0 if it is at most two units of the time stamp plus 1 ms, since a sender may read its clock once per burst. Also
        0 if no known unit fits the time stamps.
        """
        unit_ns = self._unit_ns()
        if unit_ns is None:
            return 0
        delays = [t_ns - stamp * unit_ns for t_ns, stamp in self._found]
        varies_ns = max(delays) - min(delays)
        return varies_ns if varies_ns > 2 * unit_ns + _BURST_NS else 0

    def _unit_ns(self) -> int | None:
        """Return the unit of the TCP time stamps in ns: the known unit that fits the measured time of a tick, or None.

        The measured time is the median over changes of the time stamp. Return None if no known unit is close to it.
        """
        steps = []
        t_ns, stamp = self._found[0] if self._found else (0, 0)
        for later_ns, later in self._found:
            if later != stamp:
                steps.append((later_ns - t_ns) / (later - stamp))
                t_ns, stamp = later_ns, later
        if not steps:
            return None
        rate_ns = median_low(steps)
        return next((unit for unit in _UNITS_NS if abs(rate_ns - unit) * _FITS_ONE_OF <= unit), None)
