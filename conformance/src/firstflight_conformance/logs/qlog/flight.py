"""Maps the packets in flight to the numbers of the recording, which are consecutive over all packet number spaces."""

from bisect import bisect_right
from dataclasses import dataclass, field
from operator import attrgetter

from firstflight_conformance.logs.qlog.items import Range


class SentTwiceError(ValueError):
    """A packet number is used twice."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """Packets ``first`` to ``last``, numbered as in the log. ``number``: the number of ``first`` in the recording."""

    first: int
    last: int
    number: int


_FIRST = attrgetter("first")


@dataclass(slots=True)
class Space:
    """The packets in flight of one packet number space."""

    pieces: list[_Piece] = field(default_factory=list)
    sent: set[int] = field(default_factory=set)
    largest: int = -1
    #: Pairs (packet, offset), in rising order: from this packet on, recorded numbers are smaller by the offset.
    shifts: list[tuple[int, int]] = field(default_factory=list)

    def send(self, first: int, last: int, number: int) -> None:
        """Add packets to flight. Raise :class:`SentTwiceError` for a packet number that was used before."""
        if first <= self.largest and (first in self.sent or any(first <= piece.first <= last for piece in self.pieces)):
            raise SentTwiceError(f"packet {first} is sent twice")
        self.sent.add(first)
        self.largest = max(self.largest, last)
        self.pieces.insert(bisect_right(self.pieces, first, key=_FIRST), _Piece(first, last, number))
        if not self.shifts or self.shifts[-1][1] != first - number:
            self.shifts.append((first, first - number))

    def recorded(self, packet: int) -> int:
        """Return the number in the recording of a packet with the number ``packet`` in the log.

        The recording numbers only packets that count in flight, over all packet number spaces. ``packet`` must be such
        a packet, or the next packet to send.
        """
        index = bisect_right(self.shifts, packet, key=lambda shift: shift[0]) - 1
        return packet - self.shifts[index][1] if index >= 0 else packet

    def take(self, ranges: list[Range]) -> list[Range]:
        """Remove the packets of the ranges, numbered as in the log, from flight; skip packets that are not in flight.

        Return the removed packets as ranges (first, last) of their numbers in the recording, in rising order.
        """
        removed = []
        for first, last in ranges:
            index = max(bisect_right(self.pieces, first, key=_FIRST) - 1, 0)
            while index < len(self.pieces) and self.pieces[index].first <= last:
                piece = self.pieces[index]
                low, high = max(piece.first, first), min(piece.last, last)
                if low > high:
                    index += 1
                    continue
                rest = [(piece.first, low - 1), (high + 1, piece.last)]
                remaining_pieces = [_Piece(a, b, piece.number + a - piece.first) for a, b in rest if a <= b]
                self.pieces[index : index + 1] = remaining_pieces
                index += len(remaining_pieces) and remaining_pieces[0].first < low
                removed.append((piece.number + low - piece.first, piece.number + high - piece.first))
        return sorted(removed)

    def take_all(self) -> list[Range]:
        """Remove all packets of this packet number space from flight.

        Return them as ranges (first, last) of their numbers in the recording, in rising order.
        """
        removed = [(piece.number, piece.number + piece.last - piece.first) for piece in self.pieces]
        self.pieces.clear()
        return sorted(removed)

    def holds(self, packet: int) -> bool:
        """Return whether a packet is in flight."""
        index = bisect_right(self.pieces, packet, key=_FIRST) - 1
        return index >= 0 and packet <= self.pieces[index].last

    def take_number(self, number: int) -> list[Range]:
        """Remove from flight the packet with the number ``number`` in the recording.

        Return it as one range (number, number), or an empty list if it is not in flight in this packet number space.
        """
        for piece in self.pieces:
            if piece.number <= number <= piece.number + piece.last - piece.first:
                own = piece.first + number - piece.number
                return self.take([(own, own)])
        return []
