"""Settings of one flow: its sender and its receiver."""

from dataclasses import dataclass

from firstflight import Config
from firstflight.enums import Enum


class Pacing(Enum):
    """Pacing of a sender if the controller does not give release times."""

    NONE = "none"  #: packets leave as the window allows
    #: 5/4 of a window per smoothed RTT (RFC 9002, section 7.7).
    WINDOW = "window"
    #: A timer after each packet, at 6/5 of a window per smoothed RTT, in whole bit/s.
    TIMER = "timer"


@dataclass(frozen=True, slots=True)
class Receiver:
    """Settings of ACKs. ``first_at_once``: the first packet is acknowledged at once."""

    ack_every_packets: int
    max_ack_delay_ns: int
    first_at_once: bool = False


@dataclass(frozen=True, slots=True)
class Handshake:
    """Handshake and teardown. ``syn_bytes``: size of a SYN or SYN-ACK on the wire.

    The flow begins with a SYN. The data follows ``data_after_ns`` after the ACK of the SYN-ACK; its last packet has the
    FIN. The receiver answers with an ACK and its own FIN; the ACK of this FIN ends the flow. ``retry_ns``: timeout of
    the first SYN, doubled for each further SYN. ``fin_acknowledges``: if the last data fills a gap before a FIN that
    has already arrived, the receiver's FIN carries the ACK.
    """

    syn_bytes: int
    data_after_ns: int = 0
    retry_ns: int = 1_000_000_000
    fin_acknowledges: bool = False


@dataclass(frozen=True, slots=True)
class Transfer:
    """Settings of a sender. ``transfer_bytes`` is ``None`` for an unlimited transfer.

    Packet sizes exclude headers, which add ``header_bytes`` on the wire; an ACK has ``ack_bytes`` on the wire.
    ``named_data``: packets contain the origin of repeated data, and ACKs the end of contiguous data. ``probes``: probe
    timeouts and persistent congestion; the timeout is at least ``least_timeout_ns``. ``rtt_tick_ns``: timestamp clock
    of a sender that takes RTT samples from the oldest packet of an ACK; ``None`` for exact times of the largest packet.
    ``announced``: the controller gets the amount of waiting data. ``saved_cwnd_bytes``: saved window offered to Careful
    Resume, with ``saved_rtt_ns``. ``samples_rate``: events have delivery-rate samples even if the controller does not
    use them. ``max_data_bytes``: first window of a receiver that limits the data (MAX_DATA); each new limit multiplies
    the window by ``max_data_factor``.
    """

    config: Config
    transfer_bytes: int | None
    pacing: Pacing = Pacing.NONE
    named_data: bool = False
    probes: bool = False
    max_ack_delay_ns: int = 0
    least_timeout_ns: int = 0
    header_bytes: int = 0
    ack_bytes: int = 0
    receive_window_bytes: int | None = None
    first_receive_window_bytes: int | None = None
    send_buffer_bytes: int | None = None
    write_bytes: int = 1
    rtt_tick_ns: int | None = None
    announced: bool = False
    saved_cwnd_bytes: int | None = None
    saved_rtt_ns: int = 0
    connection: Handshake | None = None
    samples_rate: bool = False
    max_data_bytes: int | None = None
    max_data_factor: int = 1
