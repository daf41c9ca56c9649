"""The state of TCB sharing, and the cache after a close of the connection (``spec/tcb-sharing/rules.md``).

Mirrors ``reference-c/firstflight/tcb_sharing/cache.c``.
"""

from dataclasses import dataclass

from firstflight.events import SavedPath
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Phase
from firstflight.tcb_sharing.profiles import Merge, Readings
from firstflight.values import copied


@dataclass(slots=True)
class TcbSharing:
    """State of TCB sharing. A set is the cached window, threshold and RTT of earlier connections to the same host.

    ``initialised``: a set was used or a packet sent; later sets are ignored. The set in use: ``old_cwnd_bytes``,
    ``old_ssthresh_bytes``, ``old_rtt_ns``, all 0 without one.

    Paced startup: ``paced`` while it is in progress. It began at ``start_ns`` with a window of ``window_bytes``;
    ``sent_bytes`` of them have been sent. ``acks``: ACKs that did not end it.
    """

    initialised: bool = False
    old_cwnd_bytes: int = 0
    old_ssthresh_bytes: int = 0
    old_rtt_ns: int = 0
    paced: bool = False
    start_ns: int = 0
    window_bytes: int = 0
    sent_bytes: int = 0
    acks: int = 0

    def copy(self) -> "TcbSharing":
        """Return a copy that shares no mutable state."""
        return copied(self)


def saved_ssthresh_bytes(offer: SavedPath) -> int:
    """Return the cached threshold."""
    return offer.saved_cwnd_bytes * offer.beta_numerator // offer.beta_denominator  # [tcb-sharing.cached-threshold]


def _mean_bytes(old_bytes: int, current_bytes: int) -> int:
    """Return the mean of a cached value, 0 for none, and a value of the connection."""
    if old_bytes == 0:
        return current_bytes  # [tcb-sharing.merge.first]
    return (old_bytes + current_bytes) // 2  # [tcb-sharing.merge.mean]


def cached_cwnd_bytes(readings: Readings, state: TcbSharing, base: BaseState) -> int | None:
    """Return the window that the cache would contain if the connection closed now.

    ``merge``, a choice of the readings, combines the cached window with the window of the connection. ``None`` if
    ``merge`` is ``none``: the events do not determine the window then.
    """
    if readings.merge is Merge.NONE:
        return None  # [tcb-sharing.merge.none]
    if readings.merge is Merge.MEAN:
        return _mean_bytes(state.old_cwnd_bytes, base.cwnd_bytes)
    if base.ssthresh_bytes is None:
        return max(state.old_cwnd_bytes, base.cwnd_bytes)  # [tcb-sharing.merge.linux.initial]
    if newreno.phase(base) is Phase.CONGESTION_AVOIDANCE:
        return (state.old_cwnd_bytes + base.cwnd_bytes) // 2  # [tcb-sharing.merge.linux.avoidance]
    return (state.old_cwnd_bytes + base.ssthresh_bytes) // 2  # [tcb-sharing.merge.linux.unfinished]


def cached_ssthresh_bytes(readings: Readings, state: TcbSharing, base: BaseState) -> int | None:
    """Return the ssthresh that the cache would contain if the connection closed now.

    ``merge``, a choice of the readings, combines the cached ssthresh with the ssthresh of the connection. ``None`` if
    ``merge`` is ``none``, or if the cache would contain no ssthresh.
    """
    if readings.merge is Merge.NONE:
        return None
    old_bytes = state.old_ssthresh_bytes or None
    if base.ssthresh_bytes is None:
        return old_bytes  # [tcb-sharing.merge.infinite]
    if readings.merge is Merge.MEAN:
        return _mean_bytes(state.old_ssthresh_bytes, base.ssthresh_bytes)
    if newreno.phase(base) is Phase.CONGESTION_AVOIDANCE:
        return max(base.cwnd_bytes // 2, base.ssthresh_bytes)  # [tcb-sharing.merge.linux.threshold]
    if old_bytes is not None and base.ssthresh_bytes > old_bytes:
        return base.ssthresh_bytes  # [tcb-sharing.merge.linux.raised]
    return old_bytes
