"""RFC 3742, section 2: Limited Slow-Start on NewReno.

Written from the rule as code quotes it, since the whole text was not at hand: beyond max_ssthresh each arriving ACK in slow start
adds int(MSS / K) with K = int(cwnd / (0.5 max_ssthresh)). MSS is the datagram size; an ACK of less counts for its bytes (RFC 5681).
"""

from dataclasses import dataclass

from firstflight.events import Ack, Event
from firstflight.observables import Outcome, Phase
from firstflight.plain import newreno_rfc_9002 as newreno

PROFILE = "limited-slow-start/rfc-3742"

MAX_SSTHRESH_SEGMENTS = 100


@dataclass(slots=True)
class LimitedSlowStart:
    """It has no state of its own but ``max_ssthresh``, in bytes."""

    base: newreno.NewReno
    max_ssthresh: int


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> LimitedSlowStart:
    """Begin a connection."""
    base = newreno.begin(max_datagram_size_bytes, initial_window_bytes)  # [limited-slow-start.begin]
    return LimitedSlowStart(base, MAX_SSTHRESH_SEGMENTS * max_datagram_size_bytes)  # [limited-slow-start.maximum]


def on_event(s: LimitedSlowStart, event: Event) -> Outcome:
    """Take the ACKs that arrive in slow start, and leave everything else to NewReno."""
    if isinstance(event, Ack) and s.base.phase is Phase.SLOW_START:
        return on_ack(s, event)  # [limited-slow-start.scope]
    return newreno.on_event(s.base, event)  # [limited-slow-start.loss]


def on_ack(s: LimitedSlowStart, ack: Ack) -> Outcome:
    """Process an arriving ACK in slow start; not while the window is underused (RFC 9002, section 7.8)."""
    if ack.app_limited:
        return Outcome.APP_LIMITED  # [slow-start.app-limited]
    segment = min(ack.bytes, s.base.max_datagram_size)  # [limited-slow-start.unit.ack]
    if s.base.congestion_window <= s.max_ssthresh:
        newreno.increase(s.base, segment)  # [limited-slow-start.full]
        return Outcome.GROWN  # [limited-slow-start.threshold]
    newreno.increase(s.base, limited_increase(s, segment))  # [limited-slow-start.limited]
    return Outcome.LIMITED_GROWN


def limited_increase(s: LimitedSlowStart, segment: int) -> int:
    """Return int(MSS / K): at most half a segment, and nothing once K is larger than a segment has bytes."""
    k = 2 * s.base.congestion_window // s.max_ssthresh  # [limited-slow-start.k]
    return segment // k  # [limited-slow-start.share]
