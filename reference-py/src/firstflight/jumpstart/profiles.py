"""Readings and profiles of JumpStart. Generated from spec/jumpstart/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass, replace

from firstflight.enums import Enum


class Amount(Enum):
    """How large is the first flight?"""

    QUEUED = "queued"
    QUEUED_TO_CAP = "queued_to_cap"
    CAP = "cap"
    PACKETS = "packets"
    RATE = "rate"


class ReceiveWindow(Enum):
    """How does the receive window bound the first flight?"""

    DOWN = "down"
    BYTES = "bytes"
    IGNORED = "ignored"


class MissingRtt(Enum):
    """What if there is no RTT sample when data is ready?"""

    NO_JUMP = "no_jump"
    DEFAULT = "default"


class Rtt(Enum):
    """Over which RTT is the first flight spread?"""

    HANDSHAKE = "handshake"
    SMOOTHED = "smoothed"


class WindowOnEntry(Enum):
    """What is the congestion window when the jump begins?"""

    AMOUNT = "amount"
    LARGER = "larger"


class ThresholdOnEntry(Enum):
    """What is the threshold when the jump begins, and so the growth after it?"""

    UNCHANGED = "unchanged"
    WINDOW = "window"


class Gap(Enum):
    """How long is the interval between two packets of the first flight?"""

    PACKETS = "packets"
    INTERVALS = "intervals"
    BYTES = "bytes"
    RATE = "rate"


class Gain(Enum):
    """By what is the pacing rate multiplied?"""

    ONE = "one"
    SIX_FIFTHS = "six_fifths"


class Burst(Enum):
    """May packets leave together?"""

    NONE = "none"
    TEN_THEN_PAIRS = "ten_then_pairs"


class SmallAmount(Enum):
    """What if the first flight is no more than an initial window?"""

    PACED = "paced"
    AT_ONCE = "at_once"
    NOT_ENTERED = "not_entered"


class Ends(Enum):
    """What ends the jump?"""

    SENT_OR_ACK = "sent_or_ack"
    SENT = "sent"
    ACK = "ack"


class EndingAck(Enum):
    """Which ACK ends the jump?"""

    FLIGHT = "flight"
    ANY = "any"


class EarlyAckWindow(Enum):
    """What is the window after an ACK has ended the jump?"""

    KEPT = "kept"
    IN_FLIGHT = "in_flight"


class Growth(Enum):
    """Which quantity does the growth of the window count: acknowledged bytes, ACKs or packets?"""

    BYTES = "bytes"
    ACKS = "acks"
    ONE_IN_TWENTY = "one_in_twenty"


class EntryAfterLoss(Enum):
    """May a jump begin after a loss or CE mark has reduced the window?"""

    ALLOWED = "allowed"
    NEVER = "never"


class Repeat(Enum):
    """Is there a second jump in a connection?"""

    ONCE = "once"
    AFTER_IDLE = "after_idle"


class ReductionBasis(Enum):
    """What is reduced at the detection of a loss?"""

    WINDOW = "window"
    IN_FLIGHT = "in_flight"


class ReductionFactor(Enum):
    """To which part does the detection of a loss reduce the window or the bytes in flight?"""

    HALF = "half"
    HALF_THEN_SEVEN_TENTHS = "half_then_seven_tenths"
    SEVEN_TENTHS_OF_PACKETS = "seven_tenths_of_packets"


class FirstLossWindow(Enum):
    """Which quantity is reduced if the first lost packet is a packet of the first flight?"""

    UNCHANGED = "unchanged"
    ACKED_OR_INITIAL = "acked_or_initial"


class FirstLossEnd(Enum):
    """Where does the flight end if a loss cuts it short?"""

    NEXT_PACKET = "next_packet"
    LOST_PACKET = "lost_packet"


class RecoveryEnd(Enum):
    """When does recovery end?"""

    ALL_DATA = "all_data"
    NEW_PACKET = "new_packet"


class Accounting(Enum):
    """What becomes of the window after a loss in the first flight?"""

    HALF_OF_REST = "half_of_rest"
    ACKED_SHARE = "acked_share"
    NONE = "none"


class CountedData(Enum):
    """Which retransmitted packets count as R in the window (D - R)/2 after a first flight of D packets?"""

    FIRST_FLIGHT = "first_flight"
    ALL = "all"


class ResultRounding(Enum):
    """How is the window (D - R)/2 rounded (D: packets of the first flight, R: retransmitted packets)?"""

    DOWN = "down"
    UP = "up"


class ResultFloor(Enum):
    """Which minimum applies to the window (D - R)/2 (D: first-flight packets, R: retransmitted packets)?"""

    ONE_PACKET = "one_packet"
    MINIMUM_WINDOW = "minimum_window"


class ResultRaise(Enum):
    """May (D - R)/2 after recovery raise the window (D: first-flight packets, R: retransmitted packets)?"""

    NEVER = "never"
    ALLOWED = "allowed"


class ResultThreshold(Enum):
    """What is ssthresh if recovery ends at window (D - R)/2 (D: first-flight packets, R: retransmitted)?"""

    FOLLOWS = "follows"
    KEPT = "kept"


class Ecn(Enum):
    """What does a CE mark on the first flight do?"""

    ACCOUNTED = "accounted"
    HALVED_ONLY = "halved_only"


class EndingGrowth(Enum):
    """Does an ACK that ends recovery at (D - R)/2 (D: first-flight packets, R: retransmitted) grow cwnd?"""

    NONE = "none"
    NORMAL = "normal"


class TimeoutWindow(Enum):
    """What is the window after a timeout?"""

    ONE_PACKET = "one_packet"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class Readings:
    """The value that one profile (one version of the algorithm) has for each open question of the text."""

    amount: Amount
    rate_mbit: int
    cap_kib: int
    jump_packets: int
    receive_window: ReceiveWindow
    missing_rtt: MissingRtt
    rtt: Rtt
    window_on_entry: WindowOnEntry
    threshold_on_entry: ThresholdOnEntry
    gap: Gap
    gain: Gain
    burst: Burst
    small_amount: SmallAmount
    ends: Ends
    ending_ack: EndingAck
    early_ack_window: EarlyAckWindow
    growth: Growth
    entry_after_loss: EntryAfterLoss
    repeat: Repeat
    reduction_basis: ReductionBasis
    reduction_factor: ReductionFactor
    first_loss_window: FirstLossWindow
    first_loss_end: FirstLossEnd
    recovery_end: RecoveryEnd
    accounting: Accounting
    counted_data: CountedData
    result_rounding: ResultRounding
    result_floor: ResultFloor
    result_raise: ResultRaise
    result_threshold: ResultThreshold
    ecn: Ecn
    ending_growth: EndingGrowth
    timeout_window: TimeoutWindow


PFLDNET_2007 = Readings(
    amount=Amount.QUEUED,
    rate_mbit=10,
    cap_kib=0,
    jump_packets=0,
    receive_window=ReceiveWindow.DOWN,
    missing_rtt=MissingRtt.NO_JUMP,
    rtt=Rtt.HANDSHAKE,
    window_on_entry=WindowOnEntry.AMOUNT,
    threshold_on_entry=ThresholdOnEntry.UNCHANGED,
    gap=Gap.PACKETS,
    gain=Gain.ONE,
    burst=Burst.NONE,
    small_amount=SmallAmount.PACED,
    ends=Ends.SENT_OR_ACK,
    ending_ack=EndingAck.FLIGHT,
    early_ack_window=EarlyAckWindow.KEPT,
    growth=Growth.BYTES,
    entry_after_loss=EntryAfterLoss.ALLOWED,
    repeat=Repeat.ONCE,
    reduction_basis=ReductionBasis.WINDOW,
    reduction_factor=ReductionFactor.HALF,
    first_loss_window=FirstLossWindow.UNCHANGED,
    first_loss_end=FirstLossEnd.NEXT_PACKET,
    recovery_end=RecoveryEnd.ALL_DATA,
    accounting=Accounting.HALF_OF_REST,
    counted_data=CountedData.FIRST_FLIGHT,
    result_rounding=ResultRounding.DOWN,
    result_floor=ResultFloor.ONE_PACKET,
    result_raise=ResultRaise.NEVER,
    result_threshold=ResultThreshold.FOLLOWS,
    ecn=Ecn.ACCOUNTED,
    ending_growth=EndingGrowth.NONE,
    timeout_window=TimeoutWindow.ONE_PACKET,
)

PFLDNET_2007_FOOTNOTE = replace(
    PFLDNET_2007,
    small_amount=SmallAmount.AT_ONCE,
)

SCHARF_2009 = replace(
    PFLDNET_2007,
    amount=Amount.QUEUED_TO_CAP,
    cap_kib=64,
    receive_window=ReceiveWindow.BYTES,
    window_on_entry=WindowOnEntry.LARGER,
    gap=Gap.BYTES,
    ends=Ends.SENT,
    growth=Growth.ACKS,
    repeat=Repeat.AFTER_IDLE,
    reduction_basis=ReductionBasis.IN_FLIGHT,
)

MORE_START = replace(
    SCHARF_2009,
    amount=Amount.RATE,
    cap_kib=0,
    gap=Gap.RATE,
)

QUICLY = replace(
    PFLDNET_2007,
    amount=Amount.PACKETS,
    jump_packets=20,
    receive_window=ReceiveWindow.IGNORED,
    rtt=Rtt.SMOOTHED,
    gap=Gap.BYTES,
    burst=Burst.TEN_THEN_PAIRS,
    small_amount=SmallAmount.NOT_ENTERED,
    ends=Ends.ACK,
    early_ack_window=EarlyAckWindow.IN_FLIGHT,
    entry_after_loss=EntryAfterLoss.NEVER,
    reduction_factor=ReductionFactor.HALF_THEN_SEVEN_TENTHS,
    first_loss_window=FirstLossWindow.ACKED_OR_INITIAL,
    first_loss_end=FirstLossEnd.LOST_PACKET,
    recovery_end=RecoveryEnd.NEW_PACKET,
    accounting=Accounting.ACKED_SHARE,
    timeout_window=TimeoutWindow.UNCHANGED,
)

NS3_2025 = replace(
    PFLDNET_2007,
    amount=Amount.CAP,
    cap_kib=64,
    receive_window=ReceiveWindow.IGNORED,
    missing_rtt=MissingRtt.DEFAULT,
    window_on_entry=WindowOnEntry.LARGER,
    threshold_on_entry=ThresholdOnEntry.WINDOW,
    gap=Gap.BYTES,
    gain=Gain.SIX_FIFTHS,
    ends=Ends.SENT,
    growth=Growth.ONE_IN_TWENTY,
    reduction_factor=ReductionFactor.SEVEN_TENTHS_OF_PACKETS,
    accounting=Accounting.NONE,
)

PROFILES = {
    "pfldnet-2007": PFLDNET_2007,
    "pfldnet-2007-footnote": PFLDNET_2007_FOOTNOTE,
    "scharf-2009": SCHARF_2009,
    "more-start": MORE_START,
    "quicly": QUICLY,
    "ns3-2025": NS3_2025,
}
