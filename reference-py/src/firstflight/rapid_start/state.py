"""The state of Rapid Start, and rtt_floor computed from it (``spec/rapid-start/rules.md``).

Mirrors ``reference-c/firstflight/rapid_start/state.c``.
"""

from dataclasses import dataclass, field

from firstflight.enums import Enum
from firstflight.rapid_start.profiles import Readings, RttFloor
from firstflight.values import copied

#: Number of quarters of min_rtt that rtt_floor covers.
SLOTS = 4


class Stage(Enum):
    """Stage of Rapid Start: before the first loss or CE mark, in the recovery that it begins, or after it."""

    STARTUP = "startup"  #: before the first loss or CE mark: the window may triple in a round
    RECOVERY = "recovery"  #: in the first recovery period: each ACK reduces the window by a share
    OVER = "over"  #: after it: the rules of the base controller apply


@dataclass(slots=True)
class RapidStart:
    """State of Rapid Start. RTTs are ``None`` before the first sample.

    ``min_rtt_ns``: minimum RTT of the connection. The smallest recent RTT, rtt_floor, is computed by rounds or by slots
    of time, each min_rtt / 4 long, as the profile's reading ``rtt_floor`` specifies. By rounds: ``round_end_packet`` is
    the packet whose acknowledgement ends the round, ``round_min_ns`` the smallest sample in it. By slots: ``slots_ns``
    are the smallest samples of the last four slots, latest first; the latest slot ends at ``slot_end_ns``.

    ``credit_bytes``: acknowledged bytes, not enough for a datagram of growth yet. ``lower_bound_bytes``: lower bound of
    the window in the first recovery, ``None`` before it. It excludes the minimum window, which depends on the datagram
    size.
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
        """Return a copy that shares no mutable state."""
        copy = copied(self)
        copy.slots_ns = list(self.slots_ns)
        return copy


def floor_ns(readings: Readings, state: RapidStart) -> int | None:
    """Return rtt_floor in ns: the smallest RTT sample of the round, or of the last four slots of time.

    Each slot is min_rtt / 4 long. The reading ``rtt_floor`` selects round or slots. Return ``None`` without a sample.
    """
    if readings.rtt_floor is RttFloor.ROUND:
        return state.round_min_ns
    return min((slot_ns for slot_ns in state.slots_ns if slot_ns is not None), default=None)
