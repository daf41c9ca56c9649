"""Readings and profiles of BBR. Generated from spec/bbr/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass, replace

from firstflight.enums import Enum


class GrowthOf(Enum):
    """What is compared with 5/4 of the baseline at the start of a round?"""

    SAMPLE = "sample"
    MAX_BW = "max_bw"


class InitialRate(Enum):
    """What is the initial pacing rate computed from, where the connection began without an RTT?"""

    FIRST_SAMPLE = "first_sample"
    ONCE = "once"


class DrainRounds(Enum):
    """After how many rounds does Drain end whatever is in flight?"""

    FOURTH = "fourth"
    NEVER = "never"


class Saved(Enum):
    """When is the state saved that a spurious recovery restores?"""

    ROUNDS = "rounds"
    EPISODES = "episodes"


class Gains(Enum):
    """Which gains do Startup and Drain have?"""

    DRAFT_06 = "draft_06"
    LINUX_V1 = "linux_v1"
    LINUX_V3 = "linux_v3"


class Units(Enum):
    """In which units are rates and volumes counted?"""

    BYTES = "bytes"
    PACKETS = "packets"
    PACKETS_V3 = "packets_v3"


class MaxBwWindow(Enum):
    """Over which time is BBR.max_bw the largest rate?"""

    CONNECTION = "connection"
    TEN_ROUNDS = "ten_rounds"


class ShortSample(Enum):
    """What does a sample count for whose interval is below the smallest RTT?"""

    NO_RATE = "no_rate"
    NOTHING = "nothing"


class BwChanges(Enum):
    """When does BBR.bw change?"""

    END = "end"
    AT_ONCE = "at_once"


class ExtraAcked(Enum):
    """Of which rounds is BBR.extra_acked, and when does it count?"""

    DRAFT_06 = "draft_06"
    LINUX = "linux"
    LINUX_V3 = "linux_v3"


class Losses(Enum):
    """What do losses and marks do to the window?"""

    BOUNDS = "bounds"
    CONSERVATION = "conservation"
    LINUX_V3 = "linux_v3"


class DrainCompares(Enum):
    """What is compared with the product where Drain ends?"""

    IN_FLIGHT = "in_flight"
    AT_DEPARTURE = "at_departure"


class Threshold(Enum):
    """Is there a slow start threshold?"""

    NONE = "none"
    EXIT = "exit"


class MinRttWindow(Enum):
    """Of which time is BBR.min_rtt the smallest RTT?"""

    TWO = "two"
    TWO_LINUX = "two_linux"
    ONE = "one"


class GrowthAt(Enum):
    """At which ACKs may the baseline become a new one?"""

    ROUND = "round"
    ACK = "ack"


class LossExitCounts(Enum):
    """What is counted for the exit by loss?"""

    RANGES = "ranges"
    ACKS = "acks"


class LossExitRecovery(Enum):
    """In which recovery may losses end Startup?"""

    FULL_ROUND = "full_round"
    GOES_ON = "goes_on"


class FirstWindow(Enum):
    """Until when does the window of Startup grow whatever the path needs?"""

    DELIVERED = "delivered"
    TWICE = "twice"


class AppLimitedAcks(Enum):
    """What does an app-limited sample below BBR.max_bw change where the window is what the path needs?"""

    COUNTED = "counted"
    LINUX_V3 = "linux_v3"


@dataclass(frozen=True, slots=True)
class Readings:
    """A choice for every reading."""

    growth_of: GrowthOf
    initial_rate: InitialRate
    offload_quanta: int
    drain_rounds: DrainRounds
    saved: Saved
    loss_exit_count: int
    gains: Gains
    units: Units
    max_bw_window: MaxBwWindow
    short_sample: ShortSample
    bw_changes: BwChanges
    extra_acked: ExtraAcked
    losses: Losses
    drain_compares: DrainCompares
    threshold: Threshold
    min_rtt_window: MinRttWindow
    growth_at: GrowthAt
    loss_exit_counts: LossExitCounts
    loss_exit_recovery: LossExitRecovery
    first_window: FirstWindow
    app_limited_acks: AppLimitedAcks


DRAFT_06 = Readings(
    growth_of=GrowthOf.SAMPLE,
    initial_rate=InitialRate.FIRST_SAMPLE,
    offload_quanta=1,
    drain_rounds=DrainRounds.FOURTH,
    saved=Saved.ROUNDS,
    loss_exit_count=6,
    gains=Gains.DRAFT_06,
    units=Units.BYTES,
    max_bw_window=MaxBwWindow.CONNECTION,
    short_sample=ShortSample.NO_RATE,
    bw_changes=BwChanges.END,
    extra_acked=ExtraAcked.DRAFT_06,
    losses=Losses.BOUNDS,
    drain_compares=DrainCompares.IN_FLIGHT,
    threshold=Threshold.NONE,
    min_rtt_window=MinRttWindow.TWO,
    growth_at=GrowthAt.ROUND,
    loss_exit_counts=LossExitCounts.RANGES,
    loss_exit_recovery=LossExitRecovery.FULL_ROUND,
    first_window=FirstWindow.DELIVERED,
    app_limited_acks=AppLimitedAcks.COUNTED,
)

LINUX_V1 = replace(
    DRAFT_06,
    growth_of=GrowthOf.MAX_BW,
    offload_quanta=3,
    drain_rounds=DrainRounds.NEVER,
    saved=Saved.EPISODES,
    loss_exit_count=0,
    gains=Gains.LINUX_V1,
    units=Units.PACKETS,
    max_bw_window=MaxBwWindow.TEN_ROUNDS,
    short_sample=ShortSample.NOTHING,
    bw_changes=BwChanges.AT_ONCE,
    extra_acked=ExtraAcked.LINUX,
    losses=Losses.CONSERVATION,
    drain_compares=DrainCompares.AT_DEPARTURE,
    threshold=Threshold.EXIT,
    min_rtt_window=MinRttWindow.ONE,
)

LINUX_V3 = replace(
    DRAFT_06,
    offload_quanta=3,
    drain_rounds=DrainRounds.NEVER,
    saved=Saved.EPISODES,
    gains=Gains.LINUX_V3,
    units=Units.PACKETS_V3,
    short_sample=ShortSample.NOTHING,
    bw_changes=BwChanges.AT_ONCE,
    extra_acked=ExtraAcked.LINUX_V3,
    losses=Losses.LINUX_V3,
    drain_compares=DrainCompares.AT_DEPARTURE,
    threshold=Threshold.EXIT,
    min_rtt_window=MinRttWindow.TWO_LINUX,
    growth_at=GrowthAt.ACK,
    loss_exit_counts=LossExitCounts.ACKS,
    loss_exit_recovery=LossExitRecovery.GOES_ON,
    first_window=FirstWindow.TWICE,
    app_limited_acks=AppLimitedAcks.LINUX_V3,
)

PROFILES = {
    "draft-06": DRAFT_06,
    "linux-v1": LINUX_V1,
    "linux-v3": LINUX_V3,
}
