"""The window rules of the toy base: an ACK in congestion avoidance adds datagrams, a reduction leaves 3/4."""

from dataclasses import dataclass

from firstflight.toy_base.profiles import Readings

from firstflight.events import Ack
from firstflight.window_rules import WindowRules, Windows


@dataclass(slots=True)
class ToyBase:
    """State. ``reductions``: number of reductions."""

    readings: Readings
    reductions: int = 0

    def copy(self) -> "ToyBase":
        """Return a copy."""
        return ToyBase(self.readings, self.reductions)


def begin(readings: Readings) -> ToyBase:
    """Return the state of a new connection."""
    return ToyBase(readings)


def carry(readings: Readings) -> ToyBase:
    """Return the state of a new connection below a startup algorithm."""
    return begin(readings)


def on_acked(state: ToyBase, _ack: Ack, datagram_bytes: int, cwnd_bytes: int, acked_bytes: int) -> int:
    """Return the window after an ACK in congestion avoidance."""
    return cwnd_bytes + state.readings.gain_datagrams * datagram_bytes if acked_bytes > 0 else cwnd_bytes


def reduce(
    state: ToyBase, _now_ns: int, _datagram_bytes: int, base: Windows, _flight_bytes: int | None, _ce: bool
) -> tuple[int, int]:
    """Return window and ssthresh after a reduction."""
    state.reductions += 1
    reduced_bytes = base.cwnd_bytes * 3 // 4
    return reduced_bytes, reduced_bytes


RULES = WindowRules(on_acked=on_acked, reduce=reduce)
