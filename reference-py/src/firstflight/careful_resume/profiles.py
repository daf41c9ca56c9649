"""Readings and profiles of Careful Resume. Generated from spec/careful-resume/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass, replace

from firstflight.enums import Enum


class PipesizeCounts(Enum):
    """Which acknowledged packets increase PipeSize?"""

    ALL = "all"
    UNVALIDATED = "unvalidated"


class PipesizeStart(Enum):
    """What is PipeSize on entry to the Unvalidated phase?"""

    FLIGHT = "flight"
    WINDOW = "window"
    ZERO = "zero"


class Jump(Enum):
    """How much of the saved window is jumped to?"""

    HALF = "half"
    WHOLE = "whole"


class JumpNotLarger(Enum):
    """What if the jump is not larger than the window?"""

    STOP = "stop"
    JUMP = "jump"


class RttLow(Enum):
    """Does an RTT of exactly half the saved one stop Careful Resume?"""

    AT_HALF = "at_half"
    BELOW_HALF = "below_half"


class RttHigh(Enum):
    """Which RTT is too long for the saved path?"""

    ABOVE_TEN = "above_ten"
    AT_TEN = "at_ten"
    NONE = "none"


class RttMeasured(Enum):
    """Which RTT is compared with the saved one in Reconnaissance?"""

    MINIMUM = "minimum"
    FIRST = "first"
    SMOOTHED = "smoothed"
    LATEST = "latest"


class InitialData(Enum):
    """What confirms the path?"""

    ALL = "all"
    WINDOW = "window"
    NONE = "none"


class JumpWhen(Enum):
    """When does a confirmed path lead to the jump?"""

    WINDOW_LIMITED = "window_limited"
    CONFIRMED = "confirmed"


class FirstMark(Enum):
    """Which number is the first unvalidated packet?"""

    FIRST_SENT = "first_sent"
    LAST_BEFORE = "last_before"


class LimitFrom(Enum):
    """From when is the time in the Unvalidated phase measured?"""

    ENTRY = "entry"
    FIRST_SENT = "first_sent"


class LimitRtt(Enum):
    """How long may the Unvalidated phase last?"""

    LATEST = "latest"
    SMOOTHED = "smoothed"
    MINIMUM = "minimum"
    NONE = "none"


class LimitEqual(Enum):
    """Does the phase end after exactly that time?"""

    STAYS = "stays"
    EXITS = "exits"


class LimitChecked(Enum):
    """On which events is the time looked at?"""

    EVERY_EVENT = "every_event"
    ACKS = "acks"


class WindowFull(Enum):
    """When is the jump used up?"""

    DATAGRAM = "datagram"
    EXACT = "exact"
    NEVER = "never"


class FlightAtCheck(Enum):
    """Do the bytes just acknowledged count as in flight when the phase ends?"""

    NET = "net"
    GROSS = "gross"


class FlightCheck(Enum):
    """When was the jump too little used to go on?"""

    BOTH = "both"
    PIPESIZE = "pipesize"
    NONE = "none"


class GrowthUnvalidated(Enum):
    """Does an acknowledgement increase the window in the Unvalidated phase?"""

    NONE = "none"
    BASE = "base"


class GrowthRetreat(Enum):
    """Does an acknowledgement increase the window in Safe Retreat?"""

    NONE = "none"
    BASE = "base"


class RetreatFloor(Enum):
    """Below what does the window not fall on entry to Safe Retreat?"""

    TWO_DATAGRAMS = "two_datagrams"
    INITIAL_WINDOW = "initial_window"
    NONE = "none"


class RetreatThreshold(Enum):
    """What is the threshold at the end of Safe Retreat at most?"""

    BETA = "beta"
    PIPESIZE = "pipesize"
    WINDOW = "window"


class RetreatEnd(Enum):
    """When does Safe Retreat end?"""

    LAST_UNVALIDATED = "last_unvalidated"
    LAST_SENT = "last_sent"
    NONE_OUTSTANDING = "none_outstanding"


class LastMark(Enum):
    """Which number is the last unvalidated packet?"""

    LAST_SENT = "last_sent"
    NEXT_PACKET = "next_packet"


class RetreatCongestion(Enum):
    """What does congestion do in Safe Retreat?"""

    ABSORBED = "absorbed"
    REDUCES = "reduces"


class Persistent(Enum):
    """What does persistent congestion do?"""

    STOPS = "stops"
    RETREATS = "retreats"


class Ce(Enum):
    """What does an ECN-CE mark do in the Unvalidated and the Validating phase?"""

    RETREATS = "retreats"
    BASE = "base"


class BaseReduction(Enum):
    """Does normal congestion control reduce as well when Safe Retreat begins?"""

    SUPPRESSED = "suppressed"
    ALSO = "also"


class SavedSet(Enum):
    """What becomes of the saved set in Safe Retreat?"""

    DELETED = "deleted"
    KEPT = "kept"


class UseLock(Enum):
    """May a saved set be used that another connection uses?"""

    CHECKED = "checked"
    IGNORED = "ignored"


class Endpoint(Enum):
    """May a saved set be used for another Remote Endpoint?"""

    CHECKED = "checked"
    IGNORED = "ignored"


class Lifetime(Enum):
    """Until when is the Lifetime of the saved set looked at?"""

    UNTIL_JUMP = "until_jump"
    AT_START = "at_start"
    IGNORED = "ignored"


class Observed(Enum):
    """What is saved as the capacity?"""

    ACKNOWLEDGED = "acknowledged"
    WINDOW = "window"


class PathValidating(Enum):
    """What does a change of the path do in the Validating phase?"""

    IGNORED = "ignored"
    RETREATS = "retreats"


class PacingGain(Enum):
    """How much faster than the jump per RTT are packets of the Unvalidated phase released?"""

    ONE = "one"
    FIVE_QUARTERS = "five_quarters"


class ThresholdSet(Enum):
    """May the window jump if slow start has ended in Reconnaissance without congestion?"""

    JUMPS = "jumps"
    STOPS = "stops"


class AtThreshold(Enum):
    """Is a window equal to the threshold in slow start?"""

    SLOW_START = "slow_start"
    AVOIDANCE = "avoidance"


class Search(Enum):
    """Which algorithm ends slow start?"""

    NONE = "none"
    LANMAN_2024 = "lanman_2024"


@dataclass(frozen=True, slots=True)
class Readings:
    """A choice for every reading."""

    pipesize_counts: PipesizeCounts
    pipesize_start: PipesizeStart
    jump: Jump
    jump_not_larger: JumpNotLarger
    rtt_low: RttLow
    rtt_high: RttHigh
    rtt_measured: RttMeasured
    initial_data: InitialData
    jump_when: JumpWhen
    first_mark: FirstMark
    limit_from: LimitFrom
    limit_rtt: LimitRtt
    limit_equal: LimitEqual
    limit_checked: LimitChecked
    window_full: WindowFull
    flight_at_check: FlightAtCheck
    flight_check: FlightCheck
    growth_unvalidated: GrowthUnvalidated
    growth_retreat: GrowthRetreat
    retreat_floor: RetreatFloor
    retreat_threshold: RetreatThreshold
    retreat_end: RetreatEnd
    last_mark: LastMark
    retreat_congestion: RetreatCongestion
    persistent: Persistent
    ce: Ce
    base_reduction: BaseReduction
    saved_set: SavedSet
    use_lock: UseLock
    endpoint: Endpoint
    lifetime: Lifetime
    observed: Observed
    path_validating: PathValidating
    pacing_gain: PacingGain
    threshold_set: ThresholdSet
    at_threshold: AtThreshold
    search: Search


RFC_9959 = Readings(
    pipesize_counts=PipesizeCounts.ALL,
    pipesize_start=PipesizeStart.FLIGHT,
    jump=Jump.HALF,
    jump_not_larger=JumpNotLarger.STOP,
    rtt_low=RttLow.AT_HALF,
    rtt_high=RttHigh.ABOVE_TEN,
    rtt_measured=RttMeasured.MINIMUM,
    initial_data=InitialData.ALL,
    jump_when=JumpWhen.WINDOW_LIMITED,
    first_mark=FirstMark.FIRST_SENT,
    limit_from=LimitFrom.ENTRY,
    limit_rtt=LimitRtt.LATEST,
    limit_equal=LimitEqual.STAYS,
    limit_checked=LimitChecked.EVERY_EVENT,
    window_full=WindowFull.DATAGRAM,
    flight_at_check=FlightAtCheck.NET,
    flight_check=FlightCheck.BOTH,
    growth_unvalidated=GrowthUnvalidated.NONE,
    growth_retreat=GrowthRetreat.NONE,
    retreat_floor=RetreatFloor.TWO_DATAGRAMS,
    retreat_threshold=RetreatThreshold.BETA,
    retreat_end=RetreatEnd.LAST_UNVALIDATED,
    last_mark=LastMark.LAST_SENT,
    retreat_congestion=RetreatCongestion.ABSORBED,
    persistent=Persistent.STOPS,
    ce=Ce.RETREATS,
    base_reduction=BaseReduction.SUPPRESSED,
    saved_set=SavedSet.DELETED,
    use_lock=UseLock.CHECKED,
    endpoint=Endpoint.CHECKED,
    lifetime=Lifetime.UNTIL_JUMP,
    observed=Observed.ACKNOWLEDGED,
    path_validating=PathValidating.IGNORED,
    pacing_gain=PacingGain.ONE,
    threshold_set=ThresholdSet.JUMPS,
    at_threshold=AtThreshold.SLOW_START,
    search=Search.NONE,
)

RFC_9959_UNVALIDATED = replace(
    RFC_9959,
    pipesize_counts=PipesizeCounts.UNVALIDATED,
)

RFC_9959_SEARCH = replace(
    RFC_9959,
    search=Search.LANMAN_2024,
)

DRAFT_10 = replace(
    RFC_9959,
    pipesize_start=PipesizeStart.WINDOW,
    rtt_low=RttLow.BELOW_HALF,
    rtt_measured=RttMeasured.FIRST,
    initial_data=InitialData.NONE,
    limit_rtt=LimitRtt.MINIMUM,
    limit_checked=LimitChecked.ACKS,
    window_full=WindowFull.EXACT,
    flight_check=FlightCheck.PIPESIZE,
    retreat_floor=RetreatFloor.INITIAL_WINDOW,
    retreat_end=RetreatEnd.NONE_OUTSTANDING,
)

PROFILES = {
    "rfc-9959": RFC_9959,
    "rfc-9959-unvalidated": RFC_9959_UNVALIDATED,
    "rfc-9959-search": RFC_9959_SEARCH,
    "draft-10": DRAFT_10,
}
