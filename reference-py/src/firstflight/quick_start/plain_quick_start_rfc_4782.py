"""RFC 4782, section 4: Quick-Start of a TCP sender, on NewReno, with the required Limited Slow-Start (RFC 3742).

The routers' answer is the constant ``RATE_REQUEST``, 5.12 Mbit/s, because events do not contain it. The request is in
the handshake. The first ``backlog`` is the answer; after an idle period, the ACK of the packet with the next request.
"Open": the text leaves the choice to the implementer; the page gives the reasons for the choice here. A window is
QS-cwnd packets of the maximum datagram size. The author of the model wrote this program, with the model or after it.
"""

from dataclasses import dataclass

from firstflight.events import Ack, Backlog, Ce, Event, IdleRestart, Lost, Run, Sent
from firstflight.limits import JUMP_MAX_BYTES, WINDOW_MAX_BYTES
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase

PROFILE = "quick-start/rfc-4782"

#: The rate that the routers approve: 40 kbit/s times 2^7 (section 3.1).
RATE_REQUEST = 7
#: Headers of IPv4 and TCP in each packet.
HEADER_BYTES = 40
#: max_ssthresh: above this window, growth is limited.
MAX_SSTHRESH_SEGMENTS = 100


@dataclass(slots=True)
class QuickStart:
    """State of Quick-Start on the base controller NewReno.

    Quick-Start packets have numbers from ``first`` up to, not including, ``end``: sent while in Quick-Start mode.
    """

    base: newreno.NewReno
    awaits_handshake: bool = True
    request_next: bool = False
    #: The packet with the pending request, or -1.
    request: int = -1
    failed: bool = False
    mode: bool = False
    midway: bool = False
    used: bool = False
    start_ns: int = 0
    qs_packets: int = 0
    sent_packets: int = 0
    default_window: int = 0
    first: int = 0
    end: int = 0
    lost: int = 0
    in_flight: int = 0
    next_packet: int = 0

    @property
    def phase(self) -> Phase:
        """Quick-Start mode, or the phase of TCP's default congestion control."""
        return Phase.QUICK_START if self.mode else self.base.phase

    @property
    def next_release_ns(self) -> int | None:
        """The earliest time of the next packet in Quick-Start mode, in ns; None outside the mode.

        Packets, with 40 bytes of headers, are paced at the approved rate of 40000 * 2^7 bit/s. The rate is a constant,
        because events do not contain the answer of the routers. None also after all QS-cwnd packets of the mode have
        been sent.
        """
        if not self.mode or self.sent_packets >= self.qs_packets:
            return None
        return self.start_ns + (self.sent_packets * bits_ns(self) >> RATE_REQUEST)  # [quick-start.pacing]


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> QuickStart:
    """Return the state of a new connection. NewReno alone controls it until a Quick-Start request is answered.

    A Quick-Start request asks the routers of the path to approve a sending rate.
    """
    return QuickStart(newreno.begin(max_datagram_size_bytes, initial_window_bytes))


def bits_ns(s: QuickStart) -> int:
    """Return the time of a packet of MSS + 40 bytes at 40000 bit/s, in ns: 25000 ns for each bit."""
    return 8 * (s.base.max_datagram_size + HEADER_BYTES) * 25_000


def on_event(s: QuickStart, event: Event) -> Outcome:
    """Process one event in place; return its outcome.

    A timeout, the event of persistent congestion, ends Quick-Start mode; the RFC leaves this open. Events without a
    case here do not change Quick-Start.
    """
    match event:
        case Backlog():
            return on_backlog(s, event)
        case IdleRestart():
            return on_idle_restart(s)
        case Sent():
            return on_sent(s, event)
        case Ack():
            return on_ack(s, event)
        case Lost():
            return on_lost(s, event)
        case Ce():
            return on_ce(s, event)
    outcome = newreno.on_event(s.base, event)
    if outcome is Outcome.COLLAPSED:
        end_mode(s)
    return outcome


def on_backlog(s: QuickStart, backlog: Backlog) -> Outcome:
    """4.7: when the first data is ready, process the routers' answer to the request on the SYN by ``on_response``.

    Begin Quick-Start mode if ``on_response`` allows it, and return its outcome. Later events change nothing.
    """
    if not s.awaits_handshake:
        return Outcome.UNCHANGED
    outcome = on_response(s, backlog.t_ns, backlog.latest_rtt_ns)
    s.awaits_handshake = False  # [quick-start.request.handshake]
    return outcome


def on_response(s: QuickStart, now: int, rtt_ns: int | None) -> Outcome:
    """4.4: begin Quick-Start mode with the approved rate R, if its window is greater than cwnd.

    QS-cwnd is R * T / (MSS + H) packets of MSS bytes, rounded down. T is ``rtt_ns``; H is 40, the bytes of the headers.
    The window cwnd stays without an RTT, after a Quick-Start loss, and in recovery; the RFC leaves recovery open.
    Return the outcome: begun, or the reason for an unchanged cwnd. ``now``: time of the answer in ns.
    """
    if s.failed or s.base.in_recovery:
        return Outcome.QUICK_START_BARRED  # [quick-start.request.barred]
    if rtt_ns is None:
        return Outcome.NO_RTT_SAMPLE  # [quick-start.no-rtt]
    size = s.base.max_datagram_size
    packets = min((rtt_ns << RATE_REQUEST) // bits_ns(s), JUMP_MAX_BYTES // size)  # [quick-start.window]
    if packets * size <= s.base.congestion_window:
        return Outcome.QUICK_START_IGNORED  # [quick-start.ignored]
    s.mode = s.used = True
    s.midway = not s.awaits_handshake
    s.start_ns, s.qs_packets, s.sent_packets = now, packets, 0
    s.default_window = s.base.congestion_window
    s.first, s.lost = s.next_packet, 0
    s.base.congestion_window = packets * size  # [quick-start.begin]
    return Outcome.QUICK_START_BEGUN


def on_idle_restart(s: QuickStart) -> Outcome:
    """4.8: let the next data packet after an idle period carry a request for a rate.

    One request may be pending at a time. After a Quick-Start loss, in recovery, or in Quick-Start mode no request is
    made.
    """
    if s.failed or s.base.in_recovery:
        return Outcome.QUICK_START_BARRED  # [quick-start.loss.bar]
    if s.awaits_handshake or s.request >= 0 or s.mode:
        return Outcome.UNCHANGED  # [quick-start.request.one]
    s.request_next = True  # [quick-start.request.idle]
    return Outcome.QUICK_START_ARMED


def on_sent(s: QuickStart, sent: Sent) -> Outcome:
    """Store the bytes in flight and the packet with a request; in Quick-Start mode count the packets sent.

    The ACK that ends the mode needs the bytes in flight before it.
    """
    s.next_packet = sent.packets[-1].last + 1
    s.in_flight = sent.bytes_in_flight
    if s.request_next:
        s.request_next, s.request = False, sent.packets[0].first
        return Outcome.QUICK_START_REQUESTED
    if s.mode:
        packets = sum(run.count for run in sent.packets)
        s.sent_packets = min(s.sent_packets + packets, s.qs_packets)
    return newreno.on_sent(s.base, sent)


def on_ack(s: QuickStart, ack: Ack) -> Outcome:
    """Run Quick-Start before and after default congestion control processes the ACK."""
    ended = before_growth(s, ack)
    outcome = limited_slow_start(s, ack) if limits(s, ack) else newreno.on_ack(s.base, ack)
    if has_request(s, ack.packets):
        return after_growth(s, ack)
    return Outcome.QUICK_START_ENDED if ended else outcome


def before_growth(s: QuickStart, ack: Ack) -> bool:
    """4.4: end Quick-Start mode at the first ACK of a Quick-Start packet; return whether it ended.

    If so, lower the window to the bytes in flight before this ACK (the used window), but not below two packets. The RFC
    leaves this minimum open.
    """
    ended = s.mode and ack.packets[-1].last >= s.first
    if ended:
        end_mode(s)  # [quick-start.end]
        used = max(s.in_flight, s.base.minimum_window)  # [quick-start.end.least]
        s.base.congestion_window = min(s.base.congestion_window, used)  # [quick-start.end.used]
    s.in_flight = ack.bytes_in_flight
    return ended


def after_growth(s: QuickStart, ack: Ack) -> Outcome:
    """4.8: process the routers' answer, which the ACK of the packet with the request contains.

    Begin Quick-Start mode if ``on_response`` allows it, and return its outcome. The request is no longer pending.
    """
    s.request = -1
    return on_response(s, ack.t_ns, ack.latest_rtt_ns)  # [quick-start.request.answer]


def has_request(s: QuickStart, runs: tuple[Run, ...]) -> bool:
    """Return whether these packets include the packet with the request."""
    return any(run.first <= s.request <= run.last for run in runs)


def end_mode(s: QuickStart) -> None:
    """End Quick-Start mode, if in progress: packets sent from now on are not Quick-Start packets."""
    if s.mode:
        s.mode, s.end = False, s.next_packet


def limits(s: QuickStart, ack: Ack) -> bool:
    """Return whether this ACK grows the window by Limited Slow-Start (RFC 3742) instead of slow start.

    4.4 requires this after the use of an approved rate, until the loss of a Quick-Start packet reverts the window. It
    applies in slow start, unless the ACK is app-limited.
    """
    return s.used and s.base.phase is Phase.SLOW_START and not ack.app_limited  # [quick-start.limited]


def limited_slow_start(s: QuickStart, ack: Ack) -> Outcome:
    """Grow the window by an ACK as in RFC 3742, packet by packet; the RFC leaves this unit open.

    Packets sent before the last recovery period began do not grow the window. Return the outcome of the last packet
    that grows it, or IN_RECOVERY if none does.
    """
    outcome = Outcome.IN_RECOVERY
    for run in ack.packets:
        if not newreno.in_congestion_recovery(s.base, run.sent_t_ns):
            outcome = limited_growth(s, run)
    return outcome


def limited_growth(s: QuickStart, run: Run) -> Outcome:
    """Grow the window by each packet of a run, packets of one size; return the outcome of the last.

    Up to max_ssthresh, 100 packets of MSS bytes, a packet adds its bytes. Above it a packet adds int(bytes / K), where
    K is int(cwnd / (max_ssthresh / 2)).
    """
    max_ssthresh = MAX_SSTHRESH_SEGMENTS * s.base.max_datagram_size
    limited = False
    for _ in range(run.count):
        limited = s.base.congestion_window > max_ssthresh
        k = 2 * s.base.congestion_window // max_ssthresh if limited else 1  # [limited-slow-start.k]
        newreno.increase(s.base, run.size_bytes // k)  # [limited-slow-start.share]
    return Outcome.LIMITED_GROWN if limited else Outcome.GROWN


def quick_packets(s: QuickStart, first: int, last: int) -> int:
    """Return the number of Quick-Start packets from ``first`` to ``last``."""
    end = last + 1 if s.mode else min(last + 1, s.end)
    return max(end - max(first, s.first), 0)


def on_lost(s: QuickStart, lost: Lost) -> Outcome:
    """Process lost packets: a lost request gets no answer; section 4.6 defines the response to Quick-Start losses."""
    if has_request(s, lost.packets):
        s.request = -1  # [quick-start.request.lost]
    packets = sum(quick_packets(s, run.first, run.last) for run in lost.packets)
    s.lost += packets
    outcome = on_congestion_event(s, lost, packets > 0)
    s.in_flight = lost.bytes_in_flight
    return outcome


def on_ce(s: QuickStart, ce: Ce) -> Outcome:
    """4.6: process a CE mark. The mark of a Quick-Start packet acts as its loss, but the packet counts as delivered."""
    return on_congestion_event(s, ce, quick_packets(s, ce.packet, ce.packet) > 0)  # [quick-start.loss.ecn]


def on_congestion_event(s: QuickStart, event: Lost | Ce, of_quick_start: bool) -> Outcome:
    """4.6: process losses or a CE mark; ``of_quick_start``: whether they concern a Quick-Start packet.

    The first event of Quick-Start packets returns to the window without Quick-Start, by ``revert``. Default congestion
    control processes all others. If it reduces the window, Quick-Start mode ends; the RFC leaves this end open. Each
    event of Quick-Start packets also lowers ssthresh, to half of the Quick-Start packets not declared lost, in bytes.
    """
    if of_quick_start and not s.failed:
        revert(s, event.t_ns)
        outcome = Outcome.QUICK_START_REVERTED
    else:
        outcome = newreno.on_event(s.base, event)  # [quick-start.loss.other]
        if outcome is Outcome.REDUCED:
            end_mode(s)  # [quick-start.end.congestion]
    if of_quick_start:
        lower_threshold(s)
    return outcome


def lower_threshold(s: QuickStart) -> None:
    """4.6: lower ssthresh to half of the Quick-Start packets not declared lost, in bytes.

    The result is at least two packets; the RFC leaves this minimum open. A smaller ssthresh stays.
    """
    end = s.next_packet if s.mode else s.end
    delivered = min(max(end - s.first - s.lost, 0), WINDOW_MAX_BYTES // s.base.max_datagram_size)
    half = max(delivered * s.base.max_datagram_size // 2, s.base.minimum_window)
    s.base.ssthresh = half if s.base.ssthresh is None else min(s.base.ssthresh, half)  # [quick-start.loss.threshold]


def revert(s: QuickStart, now: int) -> None:
    """4.6: continue with the window that would have been used without Quick-Start, and begin a recovery period.

    The window is the one before Quick-Start mode. 4.8: if the mode began after a request in a data packet, it is at
    most half of QS-cwnd. It is also at most the current cwnd, and at least two packets; the RFC leaves both open.
    Quick-Start mode ends, and later requests are barred. ``now``: time in ns.
    """
    window = s.default_window
    if s.midway:
        window = min(window, s.qs_packets * s.base.max_datagram_size // 2)  # [quick-start.loss.midway]
    window = max(min(window, s.base.congestion_window), s.base.minimum_window)
    s.base.congestion_window = window  # [quick-start.loss.revert]
    s.base.congestion_recovery_start_time = now
    s.base.in_recovery = True
    end_mode(s)
    s.failed, s.used = True, False
