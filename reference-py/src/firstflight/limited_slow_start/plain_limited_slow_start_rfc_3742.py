"""RFC 3742, section 2: Limited Slow-Start on NewReno.

The author of the model wrote it from the text, after the model. MSS is the maximum datagram size, and windows are in
bytes. "Ours": the text leaves the choice to the implementer.
"""

from dataclasses import dataclass

from firstflight.events import Ack, Event
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase

PROFILE = "limited-slow-start/rfc-3742"

#: max_ssthresh: above this window, growth is limited.
MAX_SSTHRESH_SEGMENTS = 100


@dataclass(slots=True)
class LimitedSlowStart:
    """State of a connection: NewReno's state (``base``), and the limit ``max_ssthresh`` in bytes."""

    base: newreno.NewReno
    max_ssthresh: int

    @property
    def phase(self) -> Phase:
        """Phase: recovery, slow start (also if the window equals ssthresh), or congestion avoidance."""
        return Phase.SLOW_START if not self.base.in_recovery and in_slow_start(self) else self.base.phase


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> LimitedSlowStart:
    """Begin a connection."""
    base = newreno.begin(max_datagram_size_bytes, initial_window_bytes)  # [limited-slow-start.begin]
    return LimitedSlowStart(base, MAX_SSTHRESH_SEGMENTS * max_datagram_size_bytes)  # [limited-slow-start.maximum]


def in_slow_start(s: LimitedSlowStart) -> bool:
    """Return whether slow start continues; it ends when ssthresh < cwnd."""
    ssthresh = s.base.ssthresh
    return ssthresh is None or s.base.congestion_window <= ssthresh  # [limited-slow-start.at-threshold]


def on_event(s: LimitedSlowStart, event: Event) -> Outcome:
    """Process ACKs that arrive in slow start; NewReno processes all other events."""
    if isinstance(event, Ack) and in_slow_start(s):
        return on_ack(s, event)  # [limited-slow-start.scope]
    return newreno.on_event(s.base, event)  # [limited-slow-start.loss]


def on_ack(s: LimitedSlowStart, ack: Ack) -> Outcome:
    """Grow the window for an ACK in slow start: up to max_ssthresh by MSS, above it by the limited increase.

    RFC 3742 lacks two rules of RFC 9002 that apply here. An app-limited ACK does not grow the window, and neither does
    an ACK of only packets that were sent before a recovery period began.
    """
    newreno.end_recovery(s.base, ack)
    if ack.app_limited:
        return Outcome.APP_LIMITED  # [slow-start.app-limited]
    if all(newreno.in_congestion_recovery(s.base, run.sent_t_ns) for run in ack.packets):
        return Outcome.IN_RECOVERY  # [slow-start.recovery.no-growth]
    if s.base.congestion_window <= s.max_ssthresh:
        newreno.increase(s.base, s.base.max_datagram_size)  # [limited-slow-start.full] [limited-slow-start.unit.ack]
        return Outcome.GROWN  # [limited-slow-start.threshold]
    newreno.increase(s.base, limited_increase(s))  # [limited-slow-start.limited]
    return Outcome.LIMITED_GROWN


def limited_increase(s: LimitedSlowStart) -> int:
    """Return the growth in bytes for an ACK above max_ssthresh: int(MSS / K), with K = int(cwnd / (max_ssthresh / 2)).

    It is at most half of MSS, and 0 if K exceeds MSS.
    """
    k = 2 * s.base.congestion_window // s.max_ssthresh  # [limited-slow-start.k]
    return s.base.max_datagram_size // k  # [limited-slow-start.share]
