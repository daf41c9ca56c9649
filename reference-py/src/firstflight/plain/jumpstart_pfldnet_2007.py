"""Liu, Allman, Jin, Wang: "Congestion Control Without a Startup Phase", PFLDnet 2007: Jump Start, section II.

The paper counts in packets; a packet is one maximum datagram. What it leaves open says so.
"""

from dataclasses import dataclass

from firstflight.events import Ack, Backlog, Ce, Event, Lost, PersistentCongestion, Run, Sent
from firstflight.limits import JUMP_MAX_BYTES
from firstflight.observables import Outcome, Phase
from firstflight.plain import newreno_rfc_9002 as newreno

PROFILE = "jumpstart/pfldnet-2007"


@dataclass(slots=True)
class JumpStart:
    """``d``: the packets D of the first RTT, of which ``sent`` have left; 0 before there is a jump."""

    base: newreno.NewReno
    jumping: bool = False
    d: int = 0
    sent: int = 0
    rtt_ns: int = 0
    start_ns: int = 0
    first_packet: int | None = None
    last_packet: int = -1
    r: int = 0
    #: The loss recovery of the first flight: while it goes on, the first packet number after those in flight when it began.
    recovery_point: int | None = None
    accounted: bool = False

    @property
    def phase(self) -> Phase:
        """Jump Start terminates into TCP's normal congestion control."""
        return Phase.JUMP if self.jumping else self.base.phase

    @property
    def next_release_ns(self) -> int | None:
        """The D packets are paced over the first RTT: packet i leaves at i / D of it, never before."""
        if not self.jumping:
            return None
        return self.start_ns + -(-self.sent * self.rtt_ns // self.d)


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> JumpStart:
    """Before the jump the connection is an ordinary one."""
    return JumpStart(newreno.begin(max_datagram_size_bytes, initial_window_bytes))


def on_event(s: JumpStart, event: Event) -> Outcome:
    """Hand the event to its function; on the others Jump Start is normal congestion control."""
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
            return on_persistent_congestion(s, event)
    return newreno.on_event(s.base, event)


def on_backlog(s: JumpStart, backlog: Backlog) -> Outcome:
    """After the handshake: determine D, the minimum of the receiver's advertised window and the data queued."""
    packet = s.base.max_datagram_size
    window_packets = backlog.receive_window_bytes // packet
    if s.jumping:
        return shrink(s, s.sent + window_packets)
    if s.d:
        return Outcome.JUMP_SPENT
    if s.base.in_recovery:
        return Outcome.JUMP_BARRED
    if backlog.latest_rtt_ns is None:
        return Outcome.NO_RTT_SAMPLE
    d = min(window_packets, -(-backlog.queued_bytes // packet), JUMP_MAX_BYTES // packet)
    if d == 0:
        return Outcome.NOTHING_TO_JUMP
    s.jumping, s.d, s.rtt_ns, s.start_ns = True, d, backlog.latest_rtt_ns, backlog.t_ns
    s.base.congestion_window = max(s.base.congestion_window, d * packet)
    return Outcome.JUMP_BEGUN


def shrink(s: JumpStart, d: int) -> Outcome:
    """D is determined once; but nobody sends more than the receiver's advertised window allows."""
    if d >= s.d:
        return Outcome.JUMP_KEPT
    s.d = d
    s.jumping = s.sent < s.d
    return Outcome.JUMP_CHANGED


def on_sent(s: JumpStart, sent: Sent) -> Outcome:
    """Count the packets of the first flight, and the retransmissions R during its loss recovery."""
    retransmissions = sum(last - first + 1 for first, last in sent.retransmits)
    if s.recovery_point is not None:
        for first, last in sent.retransmits:
            s.r += max(0, min(last, s.last_packet) - max(first, s.first_packet) + 1)
    if not s.jumping:
        return newreno.on_sent(s.base, sent)
    if s.first_packet is None:
        s.first_packet = sent.packets[0].first
    s.last_packet = sent.packets[-1].last
    s.sent += sum(run.count for run in sent.packets) - retransmissions
    s.jumping = s.sent < s.d
    return Outcome.SENT if s.jumping else Outcome.JUMP_SENT


def of_first_flight(s: JumpStart, runs: tuple[Run, ...]) -> bool:
    """Whether packets of the first RTT of data transmission are among them."""
    return s.first_packet is not None and any(
        run.last >= s.first_packet and run.first <= s.last_packet for run in runs
    )


def on_ack(s: JumpStart, ack: Ack) -> Outcome:
    """An acknowledgment ends the jump; then it is processed as usual."""
    ended = s.jumping and of_first_flight(s, ack.packets)
    if ended:
        s.jumping = False
    outcome = newreno.on_ack(s.base, ack)
    if s.recovery_point is not None and recovered(s, ack):
        return account(s)
    return Outcome.JUMP_ENDED if ended else outcome


def recovered(s: JumpStart, ack: Ack) -> bool:
    """Loss recovery with SACK ends when everything is acknowledged that was sent before it."""
    if ack.oldest_unacked_packet is None:
        return not s.base.in_recovery
    return ack.oldest_unacked_packet >= s.recovery_point


def account(s: JumpStart) -> Outcome:
    """At the end of loss recovery: cwnd = (D - R) / 2, roughly half of the load that the network was able to support."""
    s.recovery_point = None
    half = max((s.sent - s.r) // 2, 1) * s.base.max_datagram_size
    s.base.congestion_window = min(s.base.congestion_window, half)
    s.base.ssthresh = s.base.congestion_window
    return Outcome.JUMP_ACCOUNTED


def on_lost(s: JumpStart, lost: Lost) -> Outcome:
    """Upon loss detection cwnd is halved as usual; the recovery of a loss from the first flight is accounted for, once."""
    s.jumping = False
    outcome = newreno.on_lost(s.base, lost)
    if of_first_flight(s, lost.packets) and not s.accounted:
        s.accounted = True
        s.recovery_point = lost.next_packet
    return outcome


def on_ce(s: JumpStart, ce: Ce) -> Outcome:
    """The paper is silent on ECN: TCP's normal algorithms."""
    return newreno.on_ce(s.base, ce)


def on_persistent_congestion(s: JumpStart, event: PersistentCongestion) -> Outcome:
    """IV-F: the response to a retransmission timeout is unchanged."""
    s.jumping = False
    s.recovery_point = None
    return newreno.on_persistent_congestion(s.base, event)
