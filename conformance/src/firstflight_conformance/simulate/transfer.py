"""What one flow has to do and how: the settings of a sender and its receiver."""

from dataclasses import dataclass

from firstflight import Config
from firstflight.enums import Enum


class Pacing(Enum):
    """How a sender spaces its packets, where the controller gives no release times."""

    NONE = "none"  #: packets leave as the window allows
    #: 5/4 of a window per smoothed RTT (RFC 9002, section 7.7).
    WINDOW = "window"
    #: A timer after each packet, at 6/5 of a window per smoothed RTT, in whole bit/s.
    TIMER = "timer"


@dataclass(frozen=True, slots=True)
class Receiver:
    """When ACKs are sent. ``first_at_once``: the first packet is acknowledged at once."""

    ack_every_packets: int
    max_ack_delay_ns: int
    first_at_once: bool = False


@dataclass(frozen=True, slots=True)
class Handshake:
    """Handshake and teardown. ``syn_bytes``: a SYN or SYN-ACK on the wire.

    The flow begins with a SYN. ``data_after_ns`` after the ACK of the SYN-ACK the data follows; the FIN is part of its last packet. The
    receiver answers with an ACK and a FIN of its own, and the ACK of that is the end. ``retry_ns``: how long a SYN waits, twice that
    for each further one. ``fin_acknowledges``: where the last data to arrive fills a gap before a FIN that has come already, the receiver's FIN
    carries the ACK.
    """

    syn_bytes: int
    data_after_ns: int = 0
    retry_ns: int = 1_000_000_000
    fin_acknowledges: bool = False


@dataclass(frozen=True, slots=True)
class Transfer:
    """What a sender has to do. ``transfer_bytes`` is ``None`` for a transfer without end.

    Sizes of packets are without headers, which add ``header_bytes`` on the wire; an ACK has ``ack_bytes`` there. ``named_data``: packets
    say whose data they repeat, and ACKs how far all data has arrived. ``probes``: probe timeouts and persistent congestion; the timeout
    is at least ``least_timeout_ns``. ``rtt_tick_ns``: the clock of the timestamps from which RTT samples are taken, where the sender
    takes them so, from the oldest packet of an ACK; ``None`` for exact times of its largest. ``announced``: the controller is told how
    much data waits. ``saved_cwnd_bytes``: the saved window that Careful Resume is offered, with ``saved_rtt_ns``. ``samples_rate``:
    events have delivery-rate samples, also those for a controller that does not ask for them. ``max_data_bytes``: the first
    window of a receiver that limits the data (MAX_DATA); each new limit multiplies the window by ``max_data_factor``.
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
