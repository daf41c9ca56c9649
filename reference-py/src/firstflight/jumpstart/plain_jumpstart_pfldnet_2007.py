"""D. Liu, M. Allman, S. Jin, L. Wang, "Congestion Control Without a Startup Phase", PFLDnet 2007: Jump Start, section II.

The paper counts packets, here maximum datagrams; the window is in bytes. Its timeout is the event
``persistent_congestion``. "Open": the paper leaves the choice to the implementer; the page gives the reasons for the
choice here.
"""

from dataclasses import dataclass

from firstflight.events import Ack, Backlog, Ce, Event, Lost, PersistentCongestion, Sent
from firstflight.limits import JUMP_MAX_BYTES
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase

PROFILE = "jumpstart/pfldnet-2007"
#: A congestion event divides the window, and the end of recovery D - R, by this number.
REDUCTION_DIVISOR = 2


@dataclass(slots=True)
class JumpStart:
    """State of Jump Start and of the controller below it. The first flight is the packets sent while Jump Start lasted."""

    base: newreno.NewReno
    #: Whether Jump Start has begun; it begins at most once.
    begun: bool = False
    #: Whether Jump Start is in progress.
    jumping: bool = False
    #: D: packets paced over rtt_ns from start_ns on.
    paced_packets: int = 0
    #: RTT of the pacing schedule.
    rtt_ns: int = 0
    #: Start of the pacing schedule.
    start_ns: int = 0
    #: The D packets that the receiver allows.
    planned_packets: int = 0
    #: The D packets that have been sent.
    sent_packets: int = 0
    #: First packet of the first flight.
    first: int = 0
    #: Packet after the last packet of the first flight so far.
    end: int = 0
    #: R: packets of the current loss recovery that repeated data of the first flight.
    r: int = 0
    #: Loss recovery lasts until all data below this packet is acknowledged: ``next_packet`` at its beginning.
    recovery_point: int = 0
    #: Whether (D - R) / 2 ends the current loss recovery.
    lost_of_first_flight: bool = False
    #: Whether (D - R) / 2 was applied: it is applied once.
    accounted: bool = False
    #: Number after the last packet that was sent in flight.
    next_packet: int = 0

    @property
    def phase(self) -> Phase:
        """The phase: ``JUMP`` while Jump Start is in progress, otherwise the phase of normal congestion control."""
        return Phase.JUMP if self.jumping else self.base.phase

    @property
    def next_release_ns(self) -> int | None:
        """Earliest time of the next packet of Jump Start in ns; ``None`` if Jump Start is not in progress.

        The D packets of Jump Start are paced over one RTT: packet i, from 0, leaves i / D of the RTT after the start.
        The paper does not specify this formula.
        """
        if not self.jumping:
            return None
        return self.start_ns + self.sent_packets * self.rtt_ns // self.paced_packets  # [jumpstart.pacing.packets]


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> JumpStart:
    """Return the state of a new connection, with normal congestion control; Jump Start has not begun."""
    return JumpStart(newreno.begin(max_datagram_size_bytes, initial_window_bytes))


def on_event(s: JumpStart, event: Event) -> Outcome:
    """Call the function for the event; other events do not change Jump Start."""
    match event:
        case Backlog():
            return on_backlog(s, event)
        case Sent():
            return on_sent(s, event)
        case Ack():
            return on_ack(s, event)
        case Lost():
            return on_lost(s, event)
        case Ce():
            return on_ce(s, event)
        case PersistentCongestion():
            return on_timeout(s, event)
    return newreno.on_event(s.base, event)


def on_backlog(s: JumpStart, backlog: Backlog) -> Outcome:
    """After the handshake: begin Jump Start when data is queued, or return the reason for not beginning it.

    D, the number of its packets, is the minimum of the advertised receive window and the queued data. During Jump Start
    only the receive window limits sending. The paper does not specify cwnd in this time; here it becomes D packets.
    """
    size = s.base.max_datagram_size
    window_packets = backlog.receive_window_bytes // size
    if s.jumping:
        return on_window_update(s, window_packets)
    if s.begun:
        return Outcome.JUMP_SPENT  # [jumpstart.start.once]
    if s.base.in_recovery:
        return Outcome.JUMP_BARRED  # [jumpstart.start.barred]
    if backlog.latest_rtt_ns is None:
        return Outcome.NO_RTT_SAMPLE  # [jumpstart.start.no-rtt]
    queued_bytes = min(backlog.queued_bytes, JUMP_MAX_BYTES)  # [jumpstart.amount.maximum]
    queued_packets = -(-queued_bytes // size)  # [jumpstart.amount.queued]
    packets = min(window_packets, queued_packets)  # [jumpstart.amount.receive-window]
    if packets == 0:
        return Outcome.NOTHING_TO_JUMP  # [jumpstart.start.nothing]
    s.begun = s.jumping = True
    s.paced_packets = s.planned_packets = packets
    s.rtt_ns, s.start_ns = backlog.latest_rtt_ns, backlog.t_ns
    s.first = s.end = s.next_packet
    s.base.congestion_window = min(packets * size, JUMP_MAX_BYTES)  # [jumpstart.start.window]
    return Outcome.JUMP_BEGUN


def on_window_update(s: JumpStart, window_packets: int) -> Outcome:
    """Process a new receive window of ``window_packets`` packets during Jump Start.

    D, the number of packets for the pacing schedule, is determined once and stays. If the receive window is smaller
    than the rest of the D packets, only the packets that it allows are sent. The paper leaves this open. Without an
    allowed packet, Jump Start ends.
    """
    if s.sent_packets + window_packets >= s.planned_packets:
        return Outcome.JUMP_KEPT  # [jumpstart.flight.frozen]
    s.planned_packets = s.sent_packets + window_packets  # [jumpstart.flight.window-shrinks]
    if window_packets == 0:
        s.jumping = False
    return Outcome.JUMP_CHANGED


def on_sent(s: JumpStart, sent: Sent) -> Outcome:
    """Process sent packets: Jump Start terminates when all its D packets are transmitted.

    R counts the packets that retransmit data of the first flight, for the window (D - R) / 2 at the end of loss
    recovery. The paper leaves open whether other retransmissions count; here they do not.
    """
    s.next_packet = sent.packets[-1].last + 1
    # R counts during loss recovery: it is reset at its beginning and read at its end.
    s.r += sum(of_first_flight(s, first, last) for first, last in sent.retransmits)  # [jumpstart.loss.count]
    if not s.jumping:
        return newreno.on_sent(s.base, sent)
    if s.sent_packets == 0:
        s.first = sent.packets[0].first  # packets not in flight may have been sent since the jump began
    for run in sent.packets:
        packets = min(run.count, s.planned_packets - s.sent_packets)  # [jumpstart.flight]
        s.sent_packets += packets
        if packets > 0:
            s.end = run.first + packets
    if s.sent_packets < s.planned_packets:
        return Outcome.SENT
    s.jumping = False  # [jumpstart.end.sent]
    return Outcome.JUMP_SENT


def on_ack(s: JumpStart, ack: Ack) -> Outcome:
    """Process an ACK: Jump Start terminates, and normal congestion control processes the ACK.

    The paper leaves open which ACK terminates Jump Start. Here it is an ACK of a packet of the first flight or of a
    later packet.
    """
    ended = s.jumping and ack.packets[-1].last >= s.first
    if ended:
        s.jumping = False  # [jumpstart.end.ack]
    outcome = on_ack_in_recovery(s, ack) if s.base.in_recovery else newreno.on_ack(s.base, ack)
    return Outcome.JUMP_ENDED if ended else outcome


def of_first_flight(s: JumpStart, first: int, last: int) -> int:
    """Return the number of packets among ``first`` to ``last`` that belong to the first RTT of data transmission."""
    return max(min(last + 1, s.end) - max(first, s.first), 0)


def on_ack_in_recovery(s: JumpStart, ack: Ack) -> Outcome:
    """Standard loss recovery: the window does not grow until it ends."""
    if ack.oldest_unacked_packet is None:
        newreno.end_recovery(s.base, ack)
    elif ack.oldest_unacked_packet >= s.recovery_point:
        s.base.in_recovery = False  # [jumpstart.recovery.all-data]
    if s.base.in_recovery:
        return Outcome.IN_RECOVERY
    return account(s) if s.lost_of_first_flight else newreno.on_ack(s.base, ack)


def account(s: JumpStart) -> Outcome:
    """At the end of loss recovery, reduce cwnd further to (D - R) / 2 packets if it is larger.

    D: packets of the first flight that were sent, fewer than planned if Jump Start ended early. R: packets of this
    recovery that repeated data of the first flight. The result is rounded down and is at least one packet. ssthresh
    becomes cwnd, but at least two packets. The rule is applied once. All these details are open in the paper.
    """
    s.lost_of_first_flight, s.accounted = False, True
    d = s.sent_packets
    packets = max((d - s.r) // REDUCTION_DIVISOR, 1)  # [jumpstart.account.half] [jumpstart.account.floor]
    half = packets * s.base.max_datagram_size
    s.base.congestion_window = min(s.base.congestion_window, half)  # [jumpstart.account.never-raises]
    s.base.ssthresh = max(s.base.congestion_window, s.base.minimum_window)  # [jumpstart.account.threshold]
    return Outcome.JUMP_ACCOUNTED


def on_lost(s: JumpStart, lost: Lost) -> Outcome:
    """Process lost packets. If one belongs to the first flight, the end of recovery sets cwnd to (D - R) / 2.

    D: packets of the first flight. R: packets that repeat its data in the recovery.
    """
    sent_time_of_last_loss = max(run.sent_t_ns for run in lost.packets)
    packets = sum(of_first_flight(s, run.first, run.last) for run in lost.packets)
    return on_congestion_event(s, sent_time_of_last_loss, lost.t_ns, packets)


def on_ce(s: JumpStart, ce: Ce) -> Outcome:
    """Process a CE mark as a loss without retransmission. The paper does not cover ECN."""
    return on_congestion_event(s, ce.sent_t_ns, ce.t_ns, of_first_flight(s, ce.packet, ce.packet))


def on_congestion_event(s: JumpStart, sent_time: int, now: int, packets_of_first_flight: int) -> Outcome:
    """Upon detection of a loss, halve cwnd, per normal TCP, and begin loss recovery.

    A recovery in progress, or a packet sent before the last recovery began, prevents this. The paper cites Jacobson
    1988, which halves the window. The paper leaves open the minimum, here two packets, and whether Jump Start ends;
    here it does. ``packets_of_first_flight``: number of lost or marked packets of the first flight. If it is positive,
    the end of the recovery sets cwnd to (D - R) / 2 in :func:`account`, at most once. D: packets of the first flight;
    R: repeated packets.
    """
    outcome = Outcome.ALREADY_REDUCED
    if not s.base.in_recovery and not newreno.in_congestion_recovery(s.base, sent_time):
        half = s.base.congestion_window // REDUCTION_DIVISOR
        s.base.ssthresh = s.base.congestion_window = max(half, s.base.minimum_window)  # [jumpstart.loss.reduce]
        s.base.congestion_recovery_start_time = now
        s.base.in_recovery = True
        s.recovery_point, s.r = s.next_packet, 0
        s.jumping = False
        outcome = Outcome.REDUCED
    if s.base.in_recovery and packets_of_first_flight > 0 and not s.accounted:
        s.lost_of_first_flight = True  # [jumpstart.loss.scope]
    return outcome


def on_timeout(s: JumpStart, event: PersistentCongestion) -> Outcome:
    """IV-F, unchanged by Jump Start: after a timeout the window is one segment, and slow start follows.

    No recovery after the timeout ends with :func:`account`, the reduction for losses of the first flight. This holds
    even if Jump Start begins after the timeout. The paper leaves it open.
    """
    outcome = newreno.on_persistent_congestion(s.base, event)
    s.base.congestion_window = s.base.max_datagram_size  # [jumpstart.timeout.window]
    s.jumping = False
    s.lost_of_first_flight, s.accounted = False, True  # [jumpstart.timeout.discard]
    return outcome
