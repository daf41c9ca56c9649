"""RFC 9040, section 6: temporal sharing of the TCP control block (TCB), on NewReno.

By Table 1 a new TCB begins with ssthresh and sendcwnd of the cached TCB. The rest of the table, RTT, MSS, PMTU and
options, does not concern the congestion controller. The text does not specify the function for the cache after a close.
"Open": the text leaves the choice to the implementer; the page gives the reasons for the choice here. The event
``saved_path`` contains the cache; its ssthresh is Beta times its sendcwnd. The author of the model wrote this program,
with the model or after it.
"""

from dataclasses import dataclass

from firstflight.events import Event, SavedPath, Sent
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome

PROFILE = "tcb-sharing/rfc-9040"


@dataclass(slots=True)
class TcbSharing:
    """A NewReno connection. ``initialized``: its TCB began with cached values, or a packet was sent without them."""

    base: newreno.NewReno
    initialized: bool = False


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> TcbSharing:
    """Begin a NewReno connection with its initial window. Cached values come later, with the event ``saved_path``."""
    return TcbSharing(newreno.begin(max_datagram_size_bytes, initial_window_bytes))  # [tcb-sharing.begin]


def on_event(s: TcbSharing, event: Event) -> Outcome:
    """Sharing affects only the initialisation of the TCB; NewReno processes all later events."""
    match event:
        case SavedPath():
            return on_saved_path(s, event)
        case Sent():
            on_sent(s)
    return newreno.on_event(s.base, event)  # [tcb-sharing.growth]


def on_sent(s: TcbSharing) -> None:
    """Record that the TCB is in use, so that a later cache is ignored.

    The text leaves open when a TCB is in use. This program decides: from the first sent packet on.
    """
    s.initialized = True  # [tcb-sharing.initialisation]


def on_saved_path(s: TcbSharing, cached: SavedPath) -> Outcome:
    """6.1: initialise ssthresh and the window from the cached TCB, or return the reason for ignoring it.

    The text leaves open whether a cached TCB is too old (8.1), and whether its connection must be closed (5). This
    program ignores a TCB after its lifetime, and a TCB in use by another connection.
    """
    if s.initialized:
        return Outcome.UNCHANGED  # [tcb-sharing.initialisation]
    if cached.saved_cwnd_bytes == 0 or cached.saved_rtt_ns == 0:
        return Outcome.SAVED_SET_ABSENT  # [tcb-sharing.absent]
    if not cached.endpoint_matches:
        return Outcome.ENDPOINT_MISMATCH  # [tcb-sharing.host-pair]
    if cached.in_use:
        return Outcome.SAVED_SET_IN_USE  # [tcb-sharing.temporal]
    if cached.expires_t_ns is not None and cached.t_ns > cached.expires_t_ns:
        return Outcome.LIFETIME_EXCEEDED  # [tcb-sharing.lifetime]
    s.initialized = True
    s.base.ssthresh = old_ssthresh(cached)  # [tcb-sharing.threshold]
    s.base.congestion_window = max(old_sendcwnd(cached), s.base.max_datagram_size)  # [tcb-sharing.window.least]
    return Outcome.TCB_SHARED


def old_ssthresh(cached: SavedPath) -> int:
    """Return the cached ssthresh; events give it as a share of the cached sendcwnd."""
    return cached.saved_cwnd_bytes * cached.beta_numerator // cached.beta_denominator  # [tcb-sharing.cached-threshold]


def old_sendcwnd(cached: SavedPath) -> int:
    """Return the cached sendcwnd in bytes, but at most ``max_jump_bytes``, the limit of the endpoint, if there is one.

    The text leaves open whether an endpoint has such a limit.
    """
    if cached.max_jump_bytes is not None:
        return min(cached.saved_cwnd_bytes, cached.max_jump_bytes)  # [tcb-sharing.window.allowed]
    return cached.saved_cwnd_bytes  # [tcb-sharing.window.saved]
