"""Stateful-TCP, scubic_release.c at 995b6a36: a window from the cached bandwidth and minimum RTT, paced until the first ACK, on NewReno.

Names are from the code. The code counts packets; this program counts bytes. The code runs on CUBIC with HyStart, and
ends a startup in every connection; here a startup ends only in a connection with cached values. The event
``saved_path`` contains the cache: the bandwidth is its window divided by its RTT. The author of the model wrote this
program, with the model or after it.
"""

from dataclasses import dataclass

from firstflight.events import Ack, Event, SavedPath, Sent
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome

PROFILE = "tcb-sharing/stateful-tcp"

#: The initial window, in packets.
INIT_CWND = 10
#: A larger flight ends the startup, in packets.
MIN_INFLIGHT_TO_EXIT_STARTUP_PHASE = 5
#: ACKs with a higher number, counted from 0, end the startup with any flight.
LAST_COUNT = 10


@dataclass(slots=True)
class StatefulTcp:
    """A NewReno connection with a startup: from ``start_ns`` on, a cached window of ``bdp`` bytes is sent paced.

    ``used_flag``: the startup has ended or never began. ``sent``: bytes of this window sent so far. ``count``: ACKs
    with an RTT sample that did not end the startup.
    """

    base: newreno.NewReno
    in_use: bool = False
    used_flag: bool = True
    count: int = 0
    bdp: int = 0
    sent: int = 0
    start_ns: int = 0
    cached_window: int = 0
    min_rtt: int = 0

    @property
    def next_release_ns(self) -> int | None:
        """Release time of the next packet in the startup, in ns, at the cached rate: ``cached_window`` / ``min_rtt``.

        ``None`` outside the startup, and once ``bdp`` bytes are sent: the cached window, at most ``max_jump_bytes``, in
        whole packets.
        """
        if self.used_flag or self.sent >= self.bdp:
            return None
        return self.start_ns + self.sent * self.min_rtt // self.cached_window  # [tcb-sharing.startup.pacing]


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> StatefulTcp:
    """Begin a NewReno connection with its initial window. Cached values come later, with the event ``saved_path``."""
    return StatefulTcp(newreno.begin(max_datagram_size_bytes, initial_window_bytes))  # [tcb-sharing.begin]


def on_event(s: StatefulTcp, event: Event) -> Outcome:
    """Call the function for the event; the controller processes all other events."""
    match event:
        case SavedPath():
            return on_saved_path(s, event)
        case Ack():
            ended = on_ack(s, event)
            outcome = newreno.on_event(s.base, event)  # [tcb-sharing.growth]
            return Outcome.PACED_STARTUP_ENDED if ended else outcome
        case Sent():
            on_sent(s, event.bytes)
    outcome = newreno.on_event(s.base, event)
    if outcome in (Outcome.REDUCED, Outcome.COLLAPSED):
        on_congestion(s)
    return outcome


def on_saved_path(s: StatefulTcp, cached: SavedPath) -> Outcome:
    """Begin the startup with the cached window of this address (bictcp_cwnd_event, CA_EVENT_TX_START).

    The window, at most ``max_jump_bytes`` and in whole packets, must be above INIT_CWND, 10 packets. Return TCB_SHARED,
    or the reason for ignoring the cached window.
    """
    if s.in_use:
        return Outcome.UNCHANGED  # [tcb-sharing.initialisation]
    if cached.saved_cwnd_bytes == 0 or cached.saved_rtt_ns == 0:
        return Outcome.SAVED_SET_ABSENT  # [tcb-sharing.absent]
    if not cached.endpoint_matches:
        return Outcome.ENDPOINT_MISMATCH  # [tcb-sharing.host-pair]
    allowed = WINDOW_MAX_BYTES if cached.max_jump_bytes is None else cached.max_jump_bytes
    packets = min(cached.saved_cwnd_bytes, allowed) // s.base.max_datagram_size  # [tcb-sharing.window.allowed]
    if packets <= INIT_CWND:
        return Outcome.TCB_IGNORED  # [tcb-sharing.startup.small]
    s.in_use = True
    s.used_flag = False
    s.bdp = packets * s.base.max_datagram_size
    s.start_ns, s.cached_window, s.min_rtt = cached.t_ns, cached.saved_cwnd_bytes, cached.saved_rtt_ns
    s.base.congestion_window = s.bdp  # [tcb-sharing.startup.begin]
    return Outcome.TCB_SHARED


def on_sent(s: StatefulTcp, size: int) -> None:
    """Record that the connection is in use. In the startup add ``size`` to ``sent``, which is at most ``bdp``."""
    s.in_use = True  # [tcb-sharing.initialisation]
    if not s.used_flag:
        s.sent = min(s.sent + size, s.bdp)


def on_ack(s: StatefulTcp, ack: Ack) -> bool:
    """Check whether an ACK ends the paced startup, and return the answer (bictcp_acked, before the window grows).

    An ACK with more than 5 packets in flight ends it: the window becomes the bytes in flight, at least 10 packets.
    After 11 ACKs with at most 5, the next ACK ends it with a window of 10 packets. Only ACKs with an RTT sample count.
    """
    if s.used_flag or ack.latest_rtt_ns is None:
        return False  # [tcb-sharing.startup.sample]
    initial = INIT_CWND * s.base.max_datagram_size
    if s.count > LAST_COUNT:
        s.base.congestion_window = initial  # [tcb-sharing.startup.given-up]
    elif ack.bytes_in_flight > MIN_INFLIGHT_TO_EXIT_STARTUP_PHASE * s.base.max_datagram_size:
        in_flight = min(ack.bytes_in_flight, WINDOW_MAX_BYTES)
        s.base.congestion_window = max(in_flight, initial)  # [tcb-sharing.startup.end]
    else:
        s.count += 1  # [tcb-sharing.startup.few]
        return False
    s.used_flag = True
    return True


def on_congestion(s: StatefulTcp) -> None:
    """End the startup: the controller has reduced the window."""
    s.used_flag = True  # [tcb-sharing.startup.congestion]
