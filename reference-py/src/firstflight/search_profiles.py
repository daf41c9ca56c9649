"""Readings and profiles of SEARCH. Generated from spec/profiles/search.toml by `make generate`; do not edit."""

from dataclasses import dataclass
from enum import Enum


class Shift(Enum):
    """How does RTT / BIN_DURATION become a whole number of bins?"""

    FLOOR = "floor"
    NEAREST = "nearest"
    NEAREST_UP = "nearest_up"


class Windows(Enum):
    """Which bins make a window?"""

    THROUGH_OPEN = "through_open"
    COMPLETED = "completed"


class CatchUp(Enum):
    """What if an ACK comes several bins after the end of the open one?"""

    ONE = "one"
    ALL = "all"


class Boundary(Enum):
    """Does an ACK at the very end of a bin belong to it?"""

    AFTER = "after"
    AT = "at"


class Guard(Enum):
    """How many bins must precede the shifted window?"""

    AT_LEAST = "at_least"
    MORE_THAN = "more_than"


class Threshold(Enum):
    """Does a difference of exactly 7/20 end slow start?"""

    AT_LEAST = "at_least"
    MORE_THAN = "more_than"


class CrossingCredit(Enum):
    """To which bin do the bytes of the ACK belong that ends a bin?"""

    NEW_BIN = "new_bin"
    COMPLETED_BIN = "completed_bin"


class Rollback(Enum):
    """How does 2 * Initial_RTT / BIN_DURATION = 40/7 become a whole number of bins?"""

    FLOOR = "floor"
    NEAREST = "nearest"


class Lower(Enum):
    """What is lowered at the exit?"""

    WINDOW_AND_THRESHOLD = "window_and_threshold"
    THRESHOLD_ONLY = "threshold_only"
    NOTHING = "nothing"


class WindowFloor(Enum):
    """What if the overshoot is larger than the window?"""

    ZERO = "zero"
    MINIMUM = "minimum"


class ExitGrowth(Enum):
    """Does the ACK that ends slow start still grow the window?"""

    NONE = "none"
    AVOIDANCE = "avoidance"
    SLOW_START = "slow_start"


class Rtt(Enum):
    """Which RTT shifts the window?"""

    LATEST = "latest"
    SMOOTHED = "smoothed"
    MINIMUM = "minimum"


class AppLimited(Enum):
    """Do app-limited ACKs count?"""

    COUNT = "count"
    SKIP = "skip"


class Restart(Enum):
    """What becomes of the bins when persistent congestion leads back to slow start?"""

    RESUME = "resume"
    REINITIALISE = "reinitialise"


@dataclass(frozen=True, slots=True)
class Readings:
    """A choice for every reading."""

    shift: Shift
    shift_minimum_bins: int
    shift_maximum_bins: int
    windows: Windows
    catch_up: CatchUp
    boundary: Boundary
    guard: Guard
    threshold: Threshold
    crossing_credit: CrossingCredit
    rollback: Rollback
    lower: Lower
    window_floor: WindowFloor
    exit_growth: ExitGrowth
    rtt: Rtt
    app_limited: AppLimited
    restart: Restart


PROFILES = {
    "lanman-2024-literal": Readings(
        shift=Shift.FLOOR,
        shift_minimum_bins=0,
        shift_maximum_bins=15,
        windows=Windows.THROUGH_OPEN,
        catch_up=CatchUp.ONE,
        boundary=Boundary.AFTER,
        guard=Guard.AT_LEAST,
        threshold=Threshold.AT_LEAST,
        crossing_credit=CrossingCredit.NEW_BIN,
        rollback=Rollback.FLOOR,
        lower=Lower.WINDOW_AND_THRESHOLD,
        window_floor=WindowFloor.ZERO,
        exit_growth=ExitGrowth.AVOIDANCE,
        rtt=Rtt.LATEST,
        app_limited=AppLimited.COUNT,
        restart=Restart.RESUME,
    ),
    "lanman-2024": Readings(
        shift=Shift.NEAREST,
        shift_minimum_bins=1,
        shift_maximum_bins=14,
        windows=Windows.COMPLETED,
        catch_up=CatchUp.ALL,
        boundary=Boundary.AFTER,
        guard=Guard.MORE_THAN,
        threshold=Threshold.AT_LEAST,
        crossing_credit=CrossingCredit.NEW_BIN,
        rollback=Rollback.NEAREST,
        lower=Lower.WINDOW_AND_THRESHOLD,
        window_floor=WindowFloor.MINIMUM,
        exit_growth=ExitGrowth.NONE,
        rtt=Rtt.LATEST,
        app_limited=AppLimited.COUNT,
        restart=Restart.REINITIALISE,
    ),
}
