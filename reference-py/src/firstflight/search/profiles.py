"""Readings and profiles of SEARCH. Generated from spec/search/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass, replace

from firstflight.enums import Enum


class Clock(Enum):
    """In which unit does the implementation count time?"""

    NS = "ns"
    US = "us"
    MS = "ms"


class BinDuration(Enum):
    """How is the bin duration, 35 % of the initial RTT, rounded?"""

    EXACT = "exact"
    CLOCK = "clock"
    CLOCK_OR_RESTART = "clock_or_restart"


class InitialRtt(Enum):
    """Which RTT sample gives the bin duration?"""

    AT_START = "at_start"
    FIRST_SAMPLE = "first_sample"


class FirstAck(Enum):
    """Do the bytes of the ACK that starts SEARCH count in bin 0?"""

    IN_BIN_0 = "in_bin_0"
    BEFORE_BIN_0 = "before_bin_0"


class MissingRtt(Enum):
    """What does an ACK without RTT sample do?"""

    REUSE = "reuse"
    SKIP = "skip"


class AppLimited(Enum):
    """Are the bytes of app-limited ACKs counted?"""

    COUNT = "count"
    SKIP = "skip"
    COUNT_BYTES = "count_bytes"
    RESTART = "restart"


class CountedIn(Enum):
    """In which phases are bytes counted?"""

    SLOW_START = "slow_start"
    EVERY_PHASE = "every_phase"


class Compared(Enum):
    """With which bytes of the earlier window are the bytes delivered in the later window compared?"""

    DELIVERED = "delivered"
    SENT = "sent"


class CrossingCredit(Enum):
    """To which bin are the bytes of an ACK added if this ACK ends a bin?"""

    NEW_BIN = "new_bin"
    LAST_BIN = "last_bin"


class Evaluated(Enum):
    """When are the windows evaluated?"""

    AT_BOUNDARY = "at_boundary"
    EVERY_ACK = "every_ack"


class CatchUp(Enum):
    """What if an ACK comes several bins after the end of the open one?"""

    ONE = "one"
    ALL = "all"


class Boundary(Enum):
    """Does an ACK at the very end of a bin belong to it?"""

    AFTER = "after"
    AT = "at"


class EndedBins(Enum):
    """How many bins end with an ACK that comes late?"""

    EACH_TESTED = "each_tested"
    FORMULA = "formula"


class MissedBinsRestart(Enum):
    """How does SEARCH start again after too many missed bins?"""

    NOW = "now"
    NOW_OLD_DURATION = "now_old_duration"
    NEXT_ACK = "next_ack"
    NEXT_ACK_THIS_RTT = "next_ack_this_rtt"


class RestartCounters(Enum):
    """What becomes of the byte counters when SEARCH starts again?"""

    KEPT = "kept"
    ZEROED = "zeroed"


class Rtt(Enum):
    """By which RTT is the earlier window shifted back?"""

    LATEST = "latest"
    SMOOTHED = "smoothed"
    MINIMUM = "minimum"


class AckDelay(Enum):
    """Is the acknowledgement delay subtracted from the latest RTT sample?"""

    KEPT = "kept"
    OFF_AT_LEAST = "off_at_least"
    OFF_ABOVE = "off_above"
    OFF_ABOVE_NEAREST = "off_above_nearest"


class Shift(Enum):
    """How is the shift, RTT / BIN_DURATION, rounded to a whole number of bins?"""

    FLOOR = "floor"
    NEAREST = "nearest"
    NEAREST_UP = "nearest_up"


class Interpolation(Enum):
    """What happens to the fraction of a bin that remains after the RTT is divided by the bin duration?"""

    NONE = "none"
    BACKWARD = "backward"
    FORWARD = "forward"


class Fraction(Enum):
    """How exact is the interpolation between two neighbouring windows?"""

    EXACT = "exact"
    ROUNDED_DOWN = "rounded_down"
    PERCENT = "percent"
    PERCENT_TERMS = "percent_terms"


class ShiftWidth(Enum):
    """How wide is the integer variable that contains the shift, the RTT as a number of bins?"""

    FULL = "full"
    EIGHT_BITS = "eight_bits"


class Guard(Enum):
    """How large must prev, the index of the earlier window, be for an evaluation?"""

    AT_LEAST = "at_least"
    MORE_THAN = "more_than"


class Windows(Enum):
    """Which bins form the window with index i?"""

    THROUGH_OPEN = "through_open"
    COMPLETED = "completed"
    LIVE = "live"


class Ring(Enum):
    """In a ring of 25 slots, which bin does a read of the bin 25 bins back return?"""

    AMPLE = "ample"
    OPEN_BIN = "open_bin"
    NEWEST_BIN = "newest_bin"


class KeptBins(Enum):
    """Which completed bins keep their bytes when an ACK ends bins?"""

    ALL = "all"
    NEWEST = "newest"


class BeforeBin0(Enum):
    """Which total of delivered or sent bytes counts at the start of bin -1, the bin before the first?"""

    NEVER_READ = "never_read"
    ZERO = "zero"


class Precision(Enum):
    """How exact are the byte counters from which SEARCH computes the bytes of its windows of bins?"""

    FULL = "full"
    SHIFTED_16 = "shifted_16"


class Difference(Enum):
    """At which (e - d) / e does slow start end, with d bytes delivered and e expected from one RTT before?"""

    SEVEN_TWENTIETHS = "seven_twentieths"
    THIRTEEN_FIFTIETHS = "thirteen_fiftieths"


class Threshold(Enum):
    """Does slow start end if (e - d) / e equals its threshold, with d bytes delivered and e expected?"""

    AT_LEAST = "at_least"
    MORE_THAN = "more_than"


class CurrentZero(Enum):
    """How does the difference (e - d) / e of expected and delivered bytes count if d is 0?"""

    DECIDES = "decides"
    NO_DECISION = "no_decision"


class Rollback(Enum):
    """In how many last bins are the bytes of the overshoot, the bytes delivered in the last two RTTs?"""

    NONE = "none"
    FLOOR = "floor"
    NEAREST = "nearest"
    CURRENT_RTT = "current_rtt"


class Lower(Enum):
    """Which quantities does the exit from slow start lower?"""

    WINDOW_AND_THRESHOLD = "window_and_threshold"
    THRESHOLD_ONLY = "threshold_only"
    NOTHING = "nothing"
    DRAIN = "drain"


class DrainUnit(Enum):
    """In which unit does the drain, a decrease of the bytes in flight before slow start ends, count?"""

    PACKETS = "packets"
    WHOLE_PACKETS = "whole_packets"
    BYTES = "bytes"


class WindowFloor(Enum):
    """What if the overshoot is larger than the window?"""

    ZERO = "zero"
    MINIMUM = "minimum"
    UNCHANGED = "unchanged"


class ExitGrowth(Enum):
    """Does the ACK that ends slow start, at once or after a drain of the flight, still grow the window?"""

    NONE = "none"
    AVOIDANCE = "avoidance"
    SLOW_START = "slow_start"


class ExitBin(Enum):
    """If the ACK that ends slow start also completes a bin, is that bin closed?"""

    ENDS = "ends"
    LEFT_OPEN = "left_open"


class Persistent(Enum):
    """What becomes of the bins when persistent congestion leads back to slow start?"""

    RESUME = "resume"
    REINITIALISE = "reinitialise"


class IdleRestart(Enum):
    """What becomes of the bins when the connection was idle so long that its window is not validated any more?"""

    KEPT = "kept"
    REINITIALISE = "reinitialise"


class SlowStarts(Enum):
    """In which slow starts does SEARCH run?"""

    EVERY = "every"
    UNBOUNDED = "unbounded"


@dataclass(frozen=True, slots=True)
class Readings:
    """The value that one profile (one version of the algorithm) has for each open question of the text."""

    clock: Clock
    bin_duration: BinDuration
    initial_rtt: InitialRtt
    first_ack: FirstAck
    missing_rtt: MissingRtt
    app_limited: AppLimited
    counted_in: CountedIn
    compared: Compared
    crossing_credit: CrossingCredit
    evaluated: Evaluated
    catch_up: CatchUp
    boundary: Boundary
    ended_bins: EndedBins
    missed_bins_maximum: int
    missed_bins_restart: MissedBinsRestart
    restart_counters: RestartCounters
    rtt: Rtt
    ack_delay: AckDelay
    shift: Shift
    interpolation: Interpolation
    fraction: Fraction
    shift_width: ShiftWidth
    shift_minimum_bins: int
    shift_maximum_bins: int
    guard: Guard
    windows: Windows
    ring: Ring
    kept_bins: KeptBins
    before_bin_0: BeforeBin0
    precision: Precision
    difference: Difference
    threshold: Threshold
    current_zero: CurrentZero
    rollback: Rollback
    lower: Lower
    drain_unit: DrainUnit
    window_floor: WindowFloor
    exit_growth: ExitGrowth
    exit_bin: ExitBin
    persistent: Persistent
    idle_restart: IdleRestart
    slow_starts: SlowStarts


LANMAN_2024_LITERAL = Readings(
    clock=Clock.NS,
    bin_duration=BinDuration.EXACT,
    initial_rtt=InitialRtt.AT_START,
    first_ack=FirstAck.IN_BIN_0,
    missing_rtt=MissingRtt.REUSE,
    app_limited=AppLimited.COUNT,
    counted_in=CountedIn.SLOW_START,
    compared=Compared.DELIVERED,
    crossing_credit=CrossingCredit.NEW_BIN,
    evaluated=Evaluated.AT_BOUNDARY,
    catch_up=CatchUp.ONE,
    boundary=Boundary.AFTER,
    ended_bins=EndedBins.EACH_TESTED,
    missed_bins_maximum=0,
    missed_bins_restart=MissedBinsRestart.NOW,
    restart_counters=RestartCounters.ZEROED,
    rtt=Rtt.LATEST,
    ack_delay=AckDelay.KEPT,
    shift=Shift.FLOOR,
    interpolation=Interpolation.NONE,
    fraction=Fraction.EXACT,
    shift_width=ShiftWidth.FULL,
    shift_minimum_bins=0,
    shift_maximum_bins=15,
    guard=Guard.AT_LEAST,
    windows=Windows.THROUGH_OPEN,
    ring=Ring.OPEN_BIN,
    kept_bins=KeptBins.ALL,
    before_bin_0=BeforeBin0.NEVER_READ,
    precision=Precision.FULL,
    difference=Difference.SEVEN_TWENTIETHS,
    threshold=Threshold.AT_LEAST,
    current_zero=CurrentZero.DECIDES,
    rollback=Rollback.FLOOR,
    lower=Lower.WINDOW_AND_THRESHOLD,
    drain_unit=DrainUnit.PACKETS,
    window_floor=WindowFloor.ZERO,
    exit_growth=ExitGrowth.AVOIDANCE,
    exit_bin=ExitBin.ENDS,
    persistent=Persistent.RESUME,
    idle_restart=IdleRestart.KEPT,
    slow_starts=SlowStarts.EVERY,
)

LANMAN_2024 = replace(
    LANMAN_2024_LITERAL,
    catch_up=CatchUp.ALL,
    shift=Shift.NEAREST,
    shift_minimum_bins=1,
    shift_maximum_bins=14,
    guard=Guard.MORE_THAN,
    windows=Windows.COMPLETED,
    ring=Ring.AMPLE,
    rollback=Rollback.NEAREST,
    window_floor=WindowFloor.MINIMUM,
    exit_growth=ExitGrowth.NONE,
    persistent=Persistent.REINITIALISE,
)

REPORT_2024_LITERAL = replace(
    LANMAN_2024_LITERAL,
    lower=Lower.THRESHOLD_ONLY,
)

REPORT_2024 = replace(
    LANMAN_2024,
    bin_duration=BinDuration.CLOCK,
    missed_bins_maximum=26,
    threshold=Threshold.MORE_THAN,
    rollback=Rollback.NONE,
    lower=Lower.NOTHING,
    exit_bin=ExitBin.LEFT_OPEN,
    persistent=Persistent.RESUME,
)

DRAFT_00 = replace(
    LANMAN_2024_LITERAL,
    first_ack=FirstAck.BEFORE_BIN_0,
    counted_in=CountedIn.EVERY_PHASE,
    crossing_credit=CrossingCredit.LAST_BIN,
    catch_up=CatchUp.ALL,
    ended_bins=EndedBins.FORMULA,
    interpolation=Interpolation.BACKWARD,
    guard=Guard.MORE_THAN,
    windows=Windows.COMPLETED,
    ring=Ring.NEWEST_BIN,
)

DRAFT_00_LITERAL = replace(
    DRAFT_00,
    kept_bins=KeptBins.NEWEST,
)

DRAFT_09 = replace(
    DRAFT_00,
    counted_in=CountedIn.SLOW_START,
    compared=Compared.SENT,
    shift_maximum_bins=14,
    ring=Ring.AMPLE,
    difference=Difference.THIRTEEN_FIFTIETHS,
    rollback=Rollback.NONE,
    lower=Lower.DRAIN,
    window_floor=WindowFloor.MINIMUM,
    exit_growth=ExitGrowth.NONE,
    persistent=Persistent.REINITIALISE,
)

QUICLY_PR583 = replace(
    REPORT_2024,
    clock=Clock.MS,
    app_limited=AppLimited.SKIP,
    ack_delay=AckDelay.OFF_ABOVE_NEAREST,
    shift_width=ShiftWidth.EIGHT_BITS,
)

LINUX_3 = replace(
    DRAFT_00,
    clock=Clock.US,
    bin_duration=BinDuration.CLOCK_OR_RESTART,
    missing_rtt=MissingRtt.SKIP,
    boundary=Boundary.AT,
    missed_bins_maximum=2,
    restart_counters=RestartCounters.KEPT,
    fraction=Fraction.PERCENT_TERMS,
    shift_maximum_bins=13,
    guard=Guard.AT_LEAST,
    ring=Ring.AMPLE,
    before_bin_0=BeforeBin0.ZERO,
    precision=Precision.SHIFTED_16,
    rollback=Rollback.NONE,
    lower=Lower.NOTHING,
    window_floor=WindowFloor.MINIMUM,
    persistent=Persistent.REINITIALISE,
    idle_restart=IdleRestart.REINITIALISE,
)

LINUX_3_1 = replace(
    LINUX_3,
    app_limited=AppLimited.RESTART,
    missed_bins_maximum=0,
)

LINUX_4 = replace(
    LINUX_3_1,
    bin_duration=BinDuration.CLOCK,
    compared=Compared.SENT,
    shift_maximum_bins=38,
    lower=Lower.DRAIN,
    drain_unit=DrainUnit.WHOLE_PACKETS,
)

FREEBSD_4 = replace(
    LINUX_4,
    bin_duration=BinDuration.CLOCK_OR_RESTART,
    missing_rtt=MissingRtt.REUSE,
    app_limited=AppLimited.COUNT,
    missed_bins_maximum=4,
    missed_bins_restart=MissedBinsRestart.NOW_OLD_DURATION,
    difference=Difference.THIRTEEN_FIFTIETHS,
    drain_unit=DrainUnit.BYTES,
    exit_growth=ExitGrowth.NONE,
)

NEQO_2026 = replace(
    DRAFT_09,
    bin_duration=BinDuration.CLOCK_OR_RESTART,
    app_limited=AppLimited.COUNT_BYTES,
    missed_bins_maximum=10,
    missed_bins_restart=MissedBinsRestart.NEXT_ACK,
    ack_delay=AckDelay.OFF_AT_LEAST,
    fraction=Fraction.PERCENT,
    lower=Lower.NOTHING,
    exit_growth=ExitGrowth.AVOIDANCE,
)

PICOQUIC_FORK = replace(
    LANMAN_2024,
    clock=Clock.US,
    bin_duration=BinDuration.CLOCK,
    initial_rtt=InitialRtt.FIRST_SAMPLE,
    app_limited=AppLimited.SKIP,
    evaluated=Evaluated.EVERY_ACK,
    boundary=Boundary.AT,
    ended_bins=EndedBins.FORMULA,
    missed_bins_maximum=6,
    missed_bins_restart=MissedBinsRestart.NEXT_ACK_THIS_RTT,
    ack_delay=AckDelay.OFF_ABOVE,
    shift=Shift.FLOOR,
    interpolation=Interpolation.FORWARD,
    fraction=Fraction.ROUNDED_DOWN,
    shift_minimum_bins=0,
    windows=Windows.LIVE,
    precision=Precision.SHIFTED_16,
    current_zero=CurrentZero.NO_DECISION,
    rollback=Rollback.CURRENT_RTT,
    window_floor=WindowFloor.UNCHANGED,
    exit_growth=ExitGrowth.SLOW_START,
    persistent=Persistent.RESUME,
    slow_starts=SlowStarts.UNBOUNDED,
)

PROFILES = {
    "lanman-2024-literal": LANMAN_2024_LITERAL,
    "lanman-2024": LANMAN_2024,
    "report-2024-literal": REPORT_2024_LITERAL,
    "report-2024": REPORT_2024,
    "draft-00": DRAFT_00,
    "draft-00-literal": DRAFT_00_LITERAL,
    "draft-09": DRAFT_09,
    "quicly-pr583": QUICLY_PR583,
    "linux-3": LINUX_3,
    "linux-3-1": LINUX_3_1,
    "linux-4": LINUX_4,
    "freebsd-4": FREEBSD_4,
    "neqo-2026": NEQO_2026,
    "picoquic-fork": PICOQUIC_FORK,
}
