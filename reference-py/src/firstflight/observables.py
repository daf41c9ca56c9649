"""What a controller answers to an event (``spec/events.md``, section Observables)."""

from dataclasses import dataclass, field
from enum import Enum


class Phase(Enum):
    """The phases of RFC 9002, section 7.3, and that of a first flight which is paced."""

    SLOW_START = "slow_start"
    RECOVERY = "recovery"
    CONGESTION_AVOIDANCE = "congestion_avoidance"
    JUMP = "jump"


class Outcome(Enum):
    """What a controller did on an event, or why it did nothing. The value is the name in vectors."""

    # The base controller (``spec/slow-start.md``)
    SENT = "sent"
    GROWN = "grown"
    GROWN_AVOIDANCE = "grown_avoidance"
    APP_LIMITED = "app_limited"
    IN_RECOVERY = "in_recovery"
    REDUCED = "reduced"
    ALREADY_REDUCED = "already_reduced"
    COLLAPSED = "collapsed"
    UNCHANGED = "unchanged"
    # SEARCH (``spec/search.md``)
    NO_RTT_SAMPLE = "no_rtt_sample"
    STARTED = "started"
    SAME_BIN = "same_bin"
    WARMING_UP = "warming_up"
    RTT_INFLATED = "rtt_inflated"
    PREVIOUS_ZERO = "previous_zero"
    BELOW_THRESHOLD = "below_threshold"
    EXITED = "exited"
    RESTARTED = "restarted"
    RTT_BELOW_BIN = "rtt_below_bin"
    CURRENT_ZERO = "current_zero"
    DRAINING = "draining"
    DRAINED = "drained"
    # JumpStart (``spec/jumpstart.md``)
    JUMP_BEGUN = "jump_begun"
    JUMP_KEPT = "jump_kept"
    JUMP_CHANGED = "jump_changed"
    JUMP_SPENT = "jump_spent"
    JUMP_BARRED = "jump_barred"
    NOTHING_TO_JUMP = "nothing_to_jump"
    JUMP_TOO_SMALL = "jump_too_small"
    JUMP_SENT = "jump_sent"
    JUMP_ENDED = "jump_ended"
    JUMP_ACCOUNTED = "jump_accounted"
    JUMP_REARMED = "jump_rearmed"
    RAISED_IN_RECOVERY = "raised_in_recovery"
    WINDOW_NOT_FULL = "window_not_full"


@dataclass(frozen=True, slots=True)
class Observation:
    """The observables after one event. ``ssthresh_bytes`` is ``None`` while it is infinite.

    ``state`` holds the numbers that the page of the algorithm lists, for finding a difference. ``next_release_ns`` is when the next
    packet may leave, ``None`` while nothing is paced; it is an observable only of an algorithm that ``paces``.
    """

    cwnd_bytes: int
    ssthresh_bytes: int | None
    phase: Phase
    outcome: Outcome
    state: dict[str, int | None] = field(default_factory=dict)
    next_release_ns: int | None = None
    paces: bool = False
