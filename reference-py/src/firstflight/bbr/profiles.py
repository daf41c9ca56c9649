"""Readings and profiles of BBR. Generated from spec/bbr/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass, replace

from firstflight.enums import Enum


class GrowthOf(Enum):
    """Which rate is compared with 5/4 of the baseline, BBR.full_bw, at the start of a round?"""

    SAMPLE = "sample"
    MAX_BW = "max_bw"


class InitialRate(Enum):
    """Which RTT gives the initial pacing rate if the connection began without an RTT sample?"""

    FIRST_SAMPLE = "first_sample"
    ONCE = "once"


class DrainRounds(Enum):
    """After how many rounds does Drain end, whatever the bytes in flight are?"""

    FOURTH = "fourth"
    NEVER = "never"


class Saved(Enum):
    """When does the sender save the state that it restores after a spurious recovery?"""

    ROUNDS = "rounds"
    EPISODES = "episodes"


class Gains(Enum):
    """Which pacing and window gains do Startup and Drain have?"""

    DRAFT_06 = "draft_06"
    LINUX_V1 = "linux_v1"
    LINUX_V3 = "linux_v3"


class Units(Enum):
    """In which units are rates and volumes counted?"""

    BYTES = "bytes"
    PACKETS = "packets"
    PACKETS_V3 = "packets_v3"


class MaxBwWindow(Enum):
    """Over which period is BBR.max_bw the largest delivery rate?"""

    CONNECTION = "connection"
    TEN_ROUNDS = "ten_rounds"


class ShortSample(Enum):
    """How is a rate sample used if its interval is shorter than the smallest RTT?"""

    NO_RATE = "no_rate"
    NOTHING = "nothing"


class BwChanges(Enum):
    """When does BBR.bw, the bandwidth estimate, change?"""

    END = "end"
    AT_ONCE = "at_once"


class ExtraAcked(Enum):
    """Over which rounds is BBR.extra_acked the maximum, and when does it increase the window?"""

    DRAFT_06 = "draft_06"
    LINUX = "linux"
    LINUX_V3 = "linux_v3"


class Losses(Enum):
    """How do losses and ECN-CE marks change the window?"""

    BOUNDS = "bounds"
    CONSERVATION = "conservation"
    LINUX_V3 = "linux_v3"


class DrainCompares(Enum):
    """What is compared with BBR.bw times BBR.min_rtt to end Drain?"""

    IN_FLIGHT = "in_flight"
    AT_DEPARTURE = "at_departure"


class Threshold(Enum):
    """Does the sender have a slow start threshold?"""

    NONE = "none"
    EXIT = "exit"


class MinRttWindow(Enum):
    """Over which period is BBR.min_rtt the smallest RTT sample?"""

    TWO = "two"
    TWO_LINUX = "two_linux"
    ONE = "one"


class GrowthAt(Enum):
    """At which ACKs may a higher rate replace BBR.full_bw, the baseline of the test for a full pipe?"""

    ROUND = "round"
    ACK = "ack"


class LossExitCounts(Enum):
    """Which losses in a round are counted for the exit from Startup by loss?"""

    RANGES = "ranges"
    ACKS = "acks"


class LossExitRecovery(Enum):
    """In which recovery may losses end Startup?"""

    FULL_ROUND = "full_round"
    GOES_ON = "goes_on"


class FirstWindow(Enum):
    """Until when does the window of Startup grow without a limit from the path?"""

    DELIVERED = "delivered"
    TWICE = "twice"


class AppLimitedAcks(Enum):
    """What does an app-limited sample below BBR.max_bw change once cwnd has reached BBR.max_inflight?"""

    COUNTED = "counted"
    LINUX_V3 = "linux_v3"


@dataclass(frozen=True, slots=True)
class Readings:
    """The value that one profile (one version of the algorithm) has for each open question of the text."""

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
