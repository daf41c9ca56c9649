"""What a controller answers to an event (``spec/events.md``, section Observables)."""

from dataclasses import dataclass, field

from firstflight.enums import Enum


class Phase(Enum):
    """The phases of RFC 9002, section 7.3, and that of a first flight which is paced."""

    SLOW_START = "slow_start"
    RECOVERY = "recovery"
    CONGESTION_AVOIDANCE = "congestion_avoidance"
    JUMP = "jump"
    # Those of Careful Resume (``spec/careful-resume.md``), with their names in its qlog draft
    NORMAL = "normal"
    RECONNAISSANCE = "reconnaissance"
    UNVALIDATED = "unvalidated"
    VALIDATING = "validating"
    SAFE_RETREAT = "safe_retreat"
    # That of HyStart++ (``spec/hystartpp.md``)
    CONSERVATIVE_SLOW_START = "conservative_slow_start"


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
    # CUBIC (``spec/cubic.md``)
    RESTORED = "restored"
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
    # Careful Resume (``spec/careful-resume.md``)
    RESUMING = "resuming"
    ALREADY_USED = "already_used"
    SAVED_SET_ABSENT = "saved_set_absent"
    SAVED_SET_IN_USE = "saved_set_in_use"
    ENDPOINT_MISMATCH = "endpoint_mismatch"
    LIFETIME_EXCEEDED = "lifetime_exceeded"
    RTT_NOT_VALIDATED = "rtt_not_validated"
    JUMP_NOT_LARGER = "jump_not_larger"
    THRESHOLD_SET = "threshold_set"
    JUMPED = "jumped"
    WINDOW_KEPT = "window_kept"
    RATE_LIMITED = "rate_limited"
    VALIDATION_BEGUN = "validation_begun"
    VALIDATED = "validated"
    RETREATED = "retreated"
    RETREAT_ENDED = "retreat_ended"
    PATH_CHANGED = "path_changed"
    # HyStart++ (``spec/hystartpp.md``)
    CONSERVATIVE_BEGUN = "conservative_begun"
    CONSERVATIVE_GROWN = "conservative_grown"
    SLOW_START_RESUMED = "slow_start_resumed"
    # HyStart (``spec/hystart.md``)
    EXITED_BY_TRAIN = "exited_by_train"
    EXITED_BY_DELAY = "exited_by_delay"


class Trigger(Enum):
    """Why Careful Resume changed its phase, as in its qlog draft."""

    CONGESTION_WINDOW_LIMITED = "congestion_window_limited"
    RTT_NOT_VALIDATED = "rtt_not_validated"
    LAST_UNVALIDATED_PACKET_SENT = "last_unvalidated_packet_sent"
    FIRST_UNVALIDATED_PACKET_ACKNOWLEDGED = "first_unvalidated_packet_acknowledged"
    RTT_EXCEEDED = "rtt_exceeded"
    RATE_LIMITED = "rate_limited"
    LAST_UNVALIDATED_PACKET_ACKNOWLEDGED = "last_unvalidated_packet_acknowledged"
    PATH_CHANGED = "path_changed"
    PACKET_LOSS = "packet_loss"
    ECN_CE = "ECN_CE"
    EXIT_RECOVERY = "exit_recovery"


@dataclass(frozen=True, slots=True)
class Observation:
    """The observables after one event. ``ssthresh_bytes`` is ``None`` while it is infinite.

    ``state`` holds the numbers that the page of the algorithm lists, for finding a difference. ``next_release_ns`` is when the next
    packet may leave, ``None`` while nothing is paced; it is an observable only of an algorithm that ``paces``.
    ``triggers``: why Careful Resume changed its phase; the first is reported, the others hold as well. It is empty if the phase
    stays or its reason has no name, and ``None`` for other algorithms.
    """

    cwnd_bytes: int
    ssthresh_bytes: int | None
    phase: Phase
    outcome: Outcome
    state: dict[str, int | None] = field(default_factory=dict)
    next_release_ns: int | None = None
    paces: bool = False
    triggers: tuple[Trigger, ...] | None = None
