"""Readings and profiles of Careful Resume. Generated from spec/careful-resume/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass, replace

from firstflight.enums import Enum


class PipesizeCounts(Enum):
    """Which acknowledged packets increase PipeSize, the validated capacity in bytes?"""

    ALL = "all"
    UNVALIDATED = "unvalidated"


class PipesizeStart(Enum):
    """What is PipeSize, the validated capacity, on entry to the Unvalidated phase?"""

    FLIGHT = "flight"
    WINDOW = "window"


class JumpNotLarger(Enum):
    """What happens if the jump window is not larger than the congestion window?"""

    STOP = "stop"
    JUMP = "jump"


class RttLow(Enum):
    """Does an RTT of exactly half the saved one stop Careful Resume?"""

    AT_HALF = "at_half"
    BELOW_HALF = "below_half"


class RttMeasured(Enum):
    """Which RTT is compared with the saved one in Reconnaissance?"""

    MINIMUM = "minimum"
    FIRST = "first"


class InitialData(Enum):
    """What confirms the path of a saved set: the ACK of all initial data, or an RTT sample?"""

    ALL = "all"
    NONE = "none"


class LimitRtt(Enum):
    """How long may the Unvalidated phase last?"""

    LATEST = "latest"
    SMOOTHED = "smoothed"
    MINIMUM = "minimum"


class LimitChecked(Enum):
    """On which events is the time limit of the Unvalidated phase checked?"""

    EVERY_EVENT = "every_event"
    ACKS = "acks"


class WindowFull(Enum):
    """When is the jump, the window that the Unvalidated phase sends, used up?"""

    DATAGRAM = "datagram"
    EXACT = "exact"


class FlightCheck(Enum):
    """At which bytes in flight does Careful Resume end because too little of the jump was used?"""

    BOTH = "both"
    PIPESIZE = "pipesize"


class RetreatFloor(Enum):
    """What is the minimum window on entry to Safe Retreat?"""

    TWO_DATAGRAMS = "two_datagrams"
    INITIAL_WINDOW = "initial_window"


class RetreatEnd(Enum):
    """When does Safe Retreat end?"""

    LAST_UNVALIDATED = "last_unvalidated"
    NONE_OUTSTANDING = "none_outstanding"


class RetreatCongestion(Enum):
    """What does congestion do in Safe Retreat?"""

    ABSORBED = "absorbed"
    REDUCES = "reduces"


class Observed(Enum):
    """Which quantity is saved as the capacity of the path?"""

    ACKNOWLEDGED = "acknowledged"
    WINDOW = "window"


class PathValidating(Enum):
    """What does a change of the path do in the Validating phase?"""

    IGNORED = "ignored"
    RETREATS = "retreats"


class ThresholdSet(Enum):
    """May the window jump if slow start has ended in Reconnaissance without congestion?"""

    JUMPS = "jumps"
    STOPS = "stops"


class AtThreshold(Enum):
    """Does a window equal to the threshold count as slow start?"""

    SLOW_START = "slow_start"
    AVOIDANCE = "avoidance"


class Search(Enum):
    """Which algorithm ends slow start?"""

    NONE = "none"
    LANMAN_2024 = "lanman_2024"


@dataclass(frozen=True, slots=True)
class Readings:
    """The value that one profile (one version of the algorithm) has for each open question of the text."""

    pipesize_counts: PipesizeCounts
    pipesize_start: PipesizeStart
    jump_not_larger: JumpNotLarger
    rtt_low: RttLow
    rtt_measured: RttMeasured
    initial_data: InitialData
    limit_rtt: LimitRtt
    limit_checked: LimitChecked
    window_full: WindowFull
    flight_check: FlightCheck
    retreat_floor: RetreatFloor
    retreat_end: RetreatEnd
    retreat_congestion: RetreatCongestion
    observed: Observed
    path_validating: PathValidating
    threshold_set: ThresholdSet
    at_threshold: AtThreshold
    search: Search


RFC_9959 = Readings(
    pipesize_counts=PipesizeCounts.ALL,
    pipesize_start=PipesizeStart.FLIGHT,
    jump_not_larger=JumpNotLarger.STOP,
    rtt_low=RttLow.AT_HALF,
    rtt_measured=RttMeasured.MINIMUM,
    initial_data=InitialData.ALL,
    limit_rtt=LimitRtt.LATEST,
    limit_checked=LimitChecked.EVERY_EVENT,
    window_full=WindowFull.DATAGRAM,
    flight_check=FlightCheck.BOTH,
    retreat_floor=RetreatFloor.TWO_DATAGRAMS,
    retreat_end=RetreatEnd.LAST_UNVALIDATED,
    retreat_congestion=RetreatCongestion.ABSORBED,
    observed=Observed.ACKNOWLEDGED,
    path_validating=PathValidating.IGNORED,
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
