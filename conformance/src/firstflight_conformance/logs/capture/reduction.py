"""The first reduction of a captured sender: the flight a round after the loss or mark, divided by the flight before."""

from collections.abc import Iterable
from fractions import Fraction
from statistics import median_low

from firstflight_conformance.logs.capture.connection import Connection, distance
from firstflight_conformance.logs.capture.frames import Segment

#: Least and largest number of data segments that give the reduced flight, and number of segments searched.
_LEAST, _MOST, _SEARCHED = 4, 64, 100_000
#: Range of the factor of one reduction.
_FACTORS = Fraction(1, 4), Fraction(19, 20)


class Flight:
    """Bytes in flight of the sender (RFC 6675, pipe): data above the highest received byte, and resent data."""

    def __init__(self, connection: Connection) -> None:
        """Start with no data sent."""
        self._connection = connection
        self.sent_bytes = self.acked_bytes = self.highest_bytes = 0
        self._again: list[tuple[int, int]] = []

    @property
    def bytes(self) -> int:
        """Bytes in flight."""
        return self.sent_bytes - self.highest_bytes + sum(last - first for first, last in self._again)

    def take(self, segment: Segment) -> bool | None:
        """Process a segment. Return whether it is a retransmission, or None for a segment without the sender's data."""
        if segment.source != self._connection.sender:
            self._arrived(segment)
            return None
        if not segment.payload_bytes:
            return None
        first = self._offset(segment.seq, self.sent_bytes)
        end, again = first + segment.payload_bytes, first < self.sent_bytes
        if again and first < self.highest_bytes:
            self._again.append((first, min(end, self.highest_bytes)))
        self.sent_bytes = max(end, self.sent_bytes)
        return again

    def _arrived(self, segment: Segment) -> None:
        if segment.ack is None:
            return
        self.acked_bytes = max(self.acked_bytes, self._offset(segment.ack, self.acked_bytes))
        blocks = [tuple(self._offset(edge, self.acked_bytes) for edge in block) for block in segment.sack]
        self.highest_bytes = max(self.highest_bytes, self.acked_bytes, *(last for _, last in blocks), 0)
        if self._again:
            acked_ranges = [(0, self.acked_bytes), *blocks]
            self._again = [
                resent for resent in self._again if not any(a <= resent[0] and resent[1] <= b for a, b in acked_ranges)
            ]

    def _offset(self, number: int, near: int) -> int:
        return near + distance(number, self._connection.start + near)


def first_reduction(flight: Flight, most_bytes: int, rest: Iterable[Segment]) -> Fraction | None:
    """Return the factor of a reduction: the bytes in flight one round after a loss or mark, divided by ``most_bytes``.

    ``most_bytes``: largest bytes in flight before the loss or mark. ``flight``: the flight at the loss or mark.
    ``rest``: the segments after it. The sender reduces its flight over one round (RFC 6937). The round ends when the
    last data sent before the loss or mark arrives. The numerator is the median over the next 4 to 64 data segments.
    Return None with fewer data segments, or for a factor outside 1/4 to 19/20.
    """
    round_end, flights = flight.sent_bytes, list[int]()
    for number, segment in enumerate(rest):
        sent = flight.take(segment) is not None
        if sent and flight.highest_bytes >= round_end:
            flights.append(flight.bytes)
        if len(flights) == _MOST or number >= _SEARCHED:
            break
    if len(flights) < _LEAST or not most_bytes:
        return None
    factor = Fraction(median_low(flights), most_bytes)
    return factor if _FACTORS[0] <= factor <= _FACTORS[1] else None
