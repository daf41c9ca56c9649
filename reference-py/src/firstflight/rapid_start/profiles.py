"""Readings and profiles of Rapid Start. Generated from spec/rapid-start/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass, replace

from firstflight.enums import Enum


class FactorK(Enum):
    """Is K = 2/3 or K = 11/18 in the reduction factors K (1 - beta) and beta + K (1 - beta)?"""

    TWO_THIRDS = "two_thirds"
    ELEVEN_EIGHTEENTHS = "eleven_eighteenths"


class Beta(Enum):
    """Which beta is in the reduction factors K (1 - beta) and beta + K (1 - beta)?"""

    BASE = "base"
    SEVEN_TENTHS = "seven_tenths"


class QueueThreshold(Enum):
    """Above which value of rtt_floor, the smallest recent RTT sample, is a queue building up?"""

    SMALLER = "smaller"
    LARGER = "larger"


class RttFloor(Enum):
    """Over which samples is rtt_floor the minimum?"""

    ROUND = "round"
    QUARTERS = "quarters"
    QUARTERS_USED = "quarters_used"


class TinyRtt(Enum):
    """Which rules change if min_rtt is below 4 ms?"""

    KEPT = "kept"
    ORDINARY = "ordinary"


class Growth(Enum):
    """In which unit does the window grow: bytes or whole datagrams?"""

    BYTES = "bytes"
    DATAGRAMS = "datagrams"


class CountedLosses(Enum):
    """Which of the bytes declared lost reduce the window?"""

    ALL = "all"
    AFTER_FIRST = "after_first"


class EndingAck(Enum):
    """Do packets sent before recovery reduce the window if the ACK that ends recovery acknowledges them?"""

    COUNTED = "counted"
    NOT_COUNTED = "not_counted"
    AS_A_WHOLE = "as_a_whole"


class LateLosses(Enum):
    """Do packets reduce the window if they were sent before recovery and declared lost after recovery?"""

    NOT_COUNTED = "not_counted"
    COUNTED = "counted"


class LowerBound(Enum):
    """What is the lower bound of the window in recovery?"""

    THIRD = "third"
    THIRD_OR_INITIAL = "third_or_initial"
    THIRD_OR_HALF_INITIAL = "third_or_half_initial"


class Ssthresh(Enum):
    """What becomes of the threshold in the first recovery?"""

    FOLLOWS = "follows"
    AT_SIGNALS = "at_signals"


@dataclass(frozen=True, slots=True)
class Readings:
    """The value that one profile (one version of the algorithm) has for each open question of the text."""

    factor_k: FactorK
    beta: Beta
    queue_threshold: QueueThreshold
    rtt_floor: RttFloor
    tiny_rtt: TinyRtt
    growth: Growth
    counted_losses: CountedLosses
    ending_ack: EndingAck
    late_losses: LateLosses
    lower_bound: LowerBound
    ssthresh: Ssthresh


DRAFT_02 = Readings(
    factor_k=FactorK.TWO_THIRDS,
    beta=Beta.BASE,
    queue_threshold=QueueThreshold.SMALLER,
    rtt_floor=RttFloor.ROUND,
    tiny_rtt=TinyRtt.KEPT,
    growth=Growth.BYTES,
    counted_losses=CountedLosses.ALL,
    ending_ack=EndingAck.COUNTED,
    late_losses=LateLosses.NOT_COUNTED,
    lower_bound=LowerBound.THIRD,
    ssthresh=Ssthresh.FOLLOWS,
)

DRAFT_02_INITIAL = replace(
    DRAFT_02,
    lower_bound=LowerBound.THIRD_OR_INITIAL,
)

DRAFT_00 = replace(
    DRAFT_02,
    factor_k=FactorK.ELEVEN_EIGHTEENTHS,
    rtt_floor=RttFloor.QUARTERS,
)

QUICLY = replace(
    DRAFT_00,
    beta=Beta.SEVEN_TENTHS,
    queue_threshold=QueueThreshold.LARGER,
    rtt_floor=RttFloor.QUARTERS_USED,
    tiny_rtt=TinyRtt.ORDINARY,
    growth=Growth.DATAGRAMS,
    counted_losses=CountedLosses.AFTER_FIRST,
    ending_ack=EndingAck.AS_A_WHOLE,
    late_losses=LateLosses.COUNTED,
    lower_bound=LowerBound.THIRD_OR_HALF_INITIAL,
    ssthresh=Ssthresh.AT_SIGNALS,
)

PROFILES = {
    "draft-02": DRAFT_02,
    "draft-02-initial": DRAFT_02_INITIAL,
    "draft-00": DRAFT_00,
    "quicly": QUICLY,
}
