"""RFC 9002, section 7 and appendix B: the NewReno controller of QUIC, and the base of the other plain programs.

Events contain ``bytes_in_flight``; persistent congestion and a rise of the ECN-CE counter are separate events.
An endpoint begins another controller for a new path and passes it no packets of the old path (RFC 9000, section 9.4).
"""

from dataclasses import dataclass

from firstflight.events import Ack, Ce, DatagramSize, Event, IdleRestart, Lost, PersistentCongestion, Run, Sent
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.observables import Outcome, Phase

PROFILE = "slow-start/rfc-9002"
#: The recommended initial window (section 7.2).
INITIAL_WINDOW_PACKETS = 10
#: Limit of the recommended initial window, unless two packets are larger (section 7.2).
INITIAL_WINDOW_BYTES = 14720
#: kMinimumWindow (section 7.2).
MINIMUM_WINDOW_PACKETS = 2
#: kLossReductionFactor (appendix B.1) is 1/2: a congestion event divides the window by this number.
LOSS_REDUCTION_DIVISOR = 2


@dataclass(slots=True)
class NewReno:
    """Variables of RFC 9002, appendix B.2."""

    #: Maximum size of a packet, in bytes.
    max_datagram_size: int
    #: Congestion window, in bytes.
    congestion_window: int
    #: Slow start threshold, in bytes; None while it is infinite.
    ssthresh: int | None = None
    #: Start of the last recovery period, in ns; 0 if none has begun since the last persistent congestion.
    #: No packet is sent at time 0: with 0 no packet counts as sent before a recovery period.
    congestion_recovery_start_time: int = 0
    #: Whether no packet sent in the recovery period has been acknowledged yet (section 7.3.2).
    in_recovery: bool = False

    @property
    def cwnd_bytes(self) -> int:
        """The congestion window in bytes, an observable."""
        return self.congestion_window

    @property
    def ssthresh_bytes(self) -> int | None:
        """The slow start threshold in bytes, an observable; ``None`` while it is infinite."""
        return self.ssthresh

    @property
    def minimum_window(self) -> int:
        """The minimum window, kMinimumWindow."""
        return MINIMUM_WINDOW_PACKETS * self.max_datagram_size  # [slow-start.window.minimum]

    @property
    def in_slow_start(self) -> bool:
        """Whether the congestion window is below the slow start threshold."""
        return self.ssthresh is None or self.congestion_window < self.ssthresh

    @property
    def phase(self) -> Phase:
        """The state of section 7.3."""
        if self.in_recovery:
            return Phase.RECOVERY
        return Phase.SLOW_START if self.in_slow_start else Phase.CONGESTION_AVOIDANCE


def initial_window(max_datagram_size: int) -> int:
    """7.2: the recommended initial window, in bytes."""
    largest = max(INITIAL_WINDOW_BYTES, MINIMUM_WINDOW_PACKETS * max_datagram_size)
    return min(INITIAL_WINDOW_PACKETS * max_datagram_size, largest)  # [slow-start.window.initial]


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> NewReno:
    """B.3: return the state of a new connection. ``None`` selects the initial window that section 7.2 recommends."""
    if initial_window_bytes is None:
        initial_window_bytes = initial_window(max_datagram_size_bytes)
    return NewReno(max_datagram_size_bytes, initial_window_bytes)  # [slow-start.begin]


def on_event(s: NewReno, event: Event) -> Outcome:
    """Call the function for the event. Section 7 changes nothing on other events, such as a probe timeout."""
    match event:
        case Sent():
            return on_sent(s, event)
        case Ack():
            return on_ack(s, event)
        case Lost():
            return on_lost(s, event)
        case Ce():
            return on_ce(s, event)
        case PersistentCongestion():
            return on_persistent_congestion(s, event)
        case IdleRestart():
            return Outcome.UNCHANGED  # [slow-start.idle.window] [slow-start.idle.threshold] [slow-start.idle.recovery]
        case DatagramSize():
            return on_datagram_size(s, event.max_datagram_size_bytes, handshake=event.handshake)
    return Outcome.UNCHANGED  # [slow-start.pto]


def on_sent(s: NewReno, sent: Sent) -> Outcome:
    """B.4: OnPacketSentCC only counts bytes in flight."""
    return Outcome.SENT  # [slow-start.sent]


def on_ack(s: NewReno, ack: Ack) -> Outcome:
    """B.5: OnPacketsAcked for each run (packets of one size and send time). Returns the last packet's outcome."""
    end_recovery(s, ack)
    if ack.app_limited:
        return Outcome.APP_LIMITED  # [slow-start.app-limited]
    for run in ack.packets:
        outcome = on_packets_acked(s, run)
    return outcome


def in_congestion_recovery(s: NewReno, sent_time: int) -> bool:
    """B.5: InCongestionRecovery."""
    return sent_time <= s.congestion_recovery_start_time


def end_recovery(s: NewReno, ack: Ack) -> None:
    """7.3.2: the recovery period ends when a packet sent during this period is acknowledged."""
    if any(not in_congestion_recovery(s, run.sent_t_ns) for run in ack.packets):
        s.in_recovery = False  # [slow-start.recovery.end]


def on_packets_acked(s: NewReno, run: Run) -> Outcome:
    """B.5: the growth of OnPacketAcked, for packets of one size that were sent at one time."""
    if in_congestion_recovery(s, run.sent_t_ns):
        return Outcome.IN_RECOVERY  # [slow-start.recovery.no-growth]
    packets = slow_start_packets(s, run)
    if packets > 0:
        outcome = slow_start(s, packets * run.size_bytes)
    for _ in range(run.count - packets):
        outcome = congestion_avoidance(s, run.size_bytes)
    return outcome


def slow_start_packets(s: NewReno, run: Run) -> int:
    """Return the number of packets of a run acknowledged in slow start.

    Slow start ends with the packet that brings the window to the threshold; if none does, all packets count. Return 0
    if the window is at or above the threshold before the run.
    """
    if s.ssthresh is None:
        return run.count
    missing_bytes = max(s.ssthresh - s.congestion_window, 0)
    return min(run.count, -(-missing_bytes // run.size_bytes))


def slow_start(s: NewReno, acked_bytes: int) -> Outcome:
    """RFC 9002, section 7.3.1: grow by the acknowledged bytes."""
    increase(s, acked_bytes)  # [slow-start.grow]
    return Outcome.GROWN


def congestion_avoidance(s: NewReno, acked_bytes: int) -> Outcome:
    """RFC 9002, section 7.3.3, for one packet of ``acked_bytes``; the quotient is rounded down.

    A startup algorithm may leave a window of 0, which does not grow.
    """
    if s.congestion_window > 0:
        increase(s, s.max_datagram_size * acked_bytes // s.congestion_window)  # [slow-start.avoidance.grow]
    return Outcome.GROWN_AVOIDANCE


def increase(s: NewReno, more_bytes: int) -> None:
    """Increase the congestion window up to the bound of this project's integers."""
    s.congestion_window = min(s.congestion_window + more_bytes, WINDOW_MAX_BYTES)  # [slow-start.window.maximum]


def on_congestion_event(s: NewReno, sent_time: int, now: int) -> Outcome:
    """B.6: OnCongestionEvent: begin a recovery period, with ssthresh = window / 2 and the window = ssthresh.

    The quotient is rounded down; the window is at least the minimum window. If the lost or marked packet was sent
    (``sent_time``, in ns) before or when the last recovery period began, nothing changes.
    """
    if in_congestion_recovery(s, sent_time):
        return Outcome.ALREADY_REDUCED  # [slow-start.recovery.once]
    s.congestion_recovery_start_time = now
    s.in_recovery = True
    s.ssthresh = s.congestion_window // LOSS_REDUCTION_DIVISOR  # [slow-start.recovery.begin]
    s.congestion_window = max(s.ssthresh, s.minimum_window)
    return Outcome.REDUCED


def on_ce(s: NewReno, ce: Ce) -> Outcome:
    """B.7: ProcessECN, after the counter rose."""
    return on_congestion_event(s, ce.sent_t_ns, ce.t_ns)  # [slow-start.ce]


def on_lost(s: NewReno, lost: Lost) -> Outcome:
    """B.8: the congestion event of OnPacketsLost; not for PMTU probes (RFC 9000, section 14.4)."""
    if lost.pmtu_probe:
        return Outcome.UNCHANGED  # [slow-start.loss.pmtu-probe]
    sent_time_of_last_loss = max(run.sent_t_ns for run in lost.packets)  # [slow-start.loss.latest]
    return on_congestion_event(s, sent_time_of_last_loss, lost.t_ns)


def on_persistent_congestion(s: NewReno, event: PersistentCongestion) -> Outcome:
    """B.8: the reset of OnPacketsLost."""
    s.congestion_window = s.minimum_window  # [slow-start.persistent.collapse]
    s.congestion_recovery_start_time = 0
    s.in_recovery = False
    return Outcome.COLLAPSED


def on_datagram_size(s: NewReno, max_datagram_size: int, *, handshake: bool) -> Outcome:
    """7.2: set a new maximum datagram size; the window in bytes does not grow with it (RFC 8899, section 3).

    A decrease in the handshake limits the window to the initial window recommended for the new size. This also applies
    to a connection with a configured initial window. A window below the recommended one does not change.
    """
    if handshake and max_datagram_size < s.max_datagram_size:
        window = initial_window(max_datagram_size)
        s.congestion_window = min(s.congestion_window, window)  # [slow-start.datagram-size.handshake]
    s.max_datagram_size = max_datagram_size  # [slow-start.datagram-size.growth]
    return Outcome.UNCHANGED
