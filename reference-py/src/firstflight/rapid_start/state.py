"""The state of Rapid Start, and rtt_floor as it has it (``spec/rapid-start/rules.md``).

Mirrors ``reference-c/firstflight/rapid_start/state.c``.
"""

from dataclasses import dataclass, field

from firstflight.enums import Enum
from firstflight.rapid_start.profiles import Readings, RttFloor
from firstflight.values import copied

#: Quarters of min_rtt of which the floor is kept.
SLOTS = 4


class Stage(Enum):
    """Where Rapid Start stands: before the first sign of congestion, in the recovery that this begins, or past it."""

    STARTUP = "startup"  #: before the first sign of congestion: the window may triple in a round
    RECOVERY = "recovery"  #: in the first recovery period: each ACK takes a share off the window
    OVER = "over"  #: past it: the ordinary rules hold


@dataclass(slots=True)
class RapidStart:
    """State of Rapid Start. RTTs are ``None`` while there is no sample.

    ``min_rtt_ns`` is that of the connection. By rounds: ``round_end_packet`` is the packet whose acknowledgement ends the round,
    ``round_min_ns`` the smallest sample in it. By quarters: ``slots_ns`` are the smallest samples of the last quarters, the present one
    first, which lasts until ``slot_end_ns``.

    ``credit_bytes``: acknowledged, and not enough for a datagram of growth yet. ``lower_bound_bytes``: below it recovery does not
    reduce, ``None`` before there was one; without the minimum window, which follows the datagram size.
    """

    initial_window_bytes: int
    stage: Stage = Stage.STARTUP
    min_rtt_ns: int | None = None
    round_end_packet: int = 0
    round_min_ns: int | None = None
    slots_ns: list[int | None] = field(default_factory=lambda: [None] * SLOTS)
    slot_end_ns: int = 1
    credit_bytes: int = 0
    lower_bound_bytes: int | None = None

    def copy(self) -> "RapidStart":
        """Return a copy that shares nothing that changes."""
        copy = copied(self)
        copy.slots_ns = list(self.slots_ns)
        return copy


def floor_ns(readings: Readings, state: RapidStart) -> int | None:
    """Return rtt_floor, ``None`` while there is no sample for it."""
    if readings.rtt_floor is RttFloor.ROUND:
        return state.round_min_ns
    return min((slot_ns for slot_ns in state.slots_ns if slot_ns is not None), default=None)
