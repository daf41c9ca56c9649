"""Readings and profiles of HyStart. Generated from spec/hystart/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass, replace

from firstflight.enums import Enum


class AckTrain(Enum):
    """Is the length of ACK trains watched?"""

    ON = "on"
    OFF = "off"


class TrainThreshold(Enum):
    """How long may a train of ACKs become?"""

    HALF = "half"
    WHOLE = "whole"


class BoundaryAck(Enum):
    """Does the ACK that ends a round belong to this round or to the next?"""

    NEXT = "next"
    ENDED = "ended"


class Decision(Enum):
    """When is the RTT of a round compared with the threshold above the minimum RTT?"""

    AFTER_EIGHT = "after_eight"
    EIGHTH = "eighth"


class LowWindow(Enum):
    """What does a window of less than 16 datagrams prevent?"""

    DETECTION = "detection"
    EVERYTHING = "everything"
    EXIT = "exit"


class Rtt(Enum):
    """Which RTT is a sample?"""

    LATEST = "latest"
    LESS_ACK_DELAY = "less_ack_delay"


class Clock(Enum):
    """In which unit does the sender store times and RTTs?"""

    US = "us"
    NS = "ns"


class Restart(Enum):
    """What does persistent congestion reset?"""

    EVERYTHING = "everything"
    ROUNDS = "rounds"


@dataclass(frozen=True, slots=True)
class Readings:
    """The value that one profile (one version of the algorithm) has for each open question of the text."""

    ack_train: AckTrain
    train_threshold: TrainThreshold
    boundary_ack: BoundaryAck
    decision: Decision
    low_window: LowWindow
    rtt: Rtt
    clock: Clock
    restart: Restart


LINUX = Readings(
    ack_train=AckTrain.ON,
    train_threshold=TrainThreshold.HALF,
    boundary_ack=BoundaryAck.NEXT,
    decision=Decision.AFTER_EIGHT,
    low_window=LowWindow.DETECTION,
    rtt=Rtt.LATEST,
    clock=Clock.US,
    restart=Restart.EVERYTHING,
)

LINUX_PACED = replace(
    LINUX,
    train_threshold=TrainThreshold.WHOLE,
)

LINUX_5_16 = replace(
    LINUX,
    low_window=LowWindow.EVERYTHING,
)

GOOGLE_QUIC = replace(
    LINUX,
    ack_train=AckTrain.OFF,
    boundary_ack=BoundaryAck.ENDED,
    decision=Decision.EIGHTH,
    low_window=LowWindow.EXIT,
    rtt=Rtt.LESS_ACK_DELAY,
    clock=Clock.NS,
    restart=Restart.ROUNDS,
)

PROFILES = {
    "linux": LINUX,
    "linux-paced": LINUX_PACED,
    "linux-5-16": LINUX_5_16,
    "google-quic": GOOGLE_QUIC,
}
