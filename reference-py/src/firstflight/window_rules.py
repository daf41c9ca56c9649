"""The interface of a base controller: the rules by which its window grows and is reduced.

NewReno (``newreno``) keeps the windows and the recovery periods of every base, and asks the rules of that base through these hooks. A hook
that is left out is NewReno's own rule. A base is a package whose descriptor names its rules; no other file knows it.

Mirrors ``reference-c/firstflight/window_rules.h``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from firstflight.events import Ack, Sent
from firstflight.observables import Outcome
from firstflight.values import value


class RulesState(Protocol):
    """What the rules of a base keep of a connection."""

    def copy(self) -> "RulesState":
        """Return a copy that shares nothing that changes."""


@value
class Windows:
    """The windows and the last recovery period of a base, as NewReno has them."""

    cwnd_bytes: int
    ssthresh_bytes: int | None
    recovery_start_ns: int | None
    in_recovery: bool


def _nothing(*_: object) -> None:
    return None


def _no_numbers(_state: Any) -> dict[str, int | None]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRules:
    """The hooks. The first argument of each is the state of the rules; they change it in place.

    ``beta_tenths``: what a reduction leaves of the window, in tenths.
    ``slow_start_end_bytes``: from ssthresh, the smallest window that is not in slow start.
    ``on_sent``: packets were sent.
    ``on_ack``: an ACK, before NewReno looks at it: from ACK, datagram size, windows, and whether they are in slow start, the new window
    and the outcome; ``None`` leaves the ACK to the other rules.
    ``on_acked``: the growth of congestion avoidance by ACK, not by packet: from ACK, datagram size, window, and the bytes that may grow
    it in congestion avoidance, the new window. ACKs that grow nothing come here too.
    ``reduce``: a reduction: from time, datagram size, windows before it, bytes in flight (``None``: as after the last event) and whether a
    CE mark is the cause, the new window and ssthresh.
    ``set_flight``: the bytes in flight after a loss.
    ``reduced_bytes``: what a reduction leaves of a window that a startup algorithm names.
    ``note_startup_reduction``: a startup algorithm has reduced, at this time, from this window.
    ``forget``: a startup algorithm begins again from below: the congestion that was seen says nothing any more.
    ``restore``: the last losses were spurious: from the window, what the last reduction replaced, ``None`` where it stays.
    ``collapse``: persistent congestion.
    ``change_datagram_size``: the maximum datagram size changes.
    ``numbers``: the observables of the rules.
    """

    beta_tenths: int = 5
    slow_start_end_bytes: Callable[[Any, int], int] | None = None
    on_sent: Callable[[Any, Sent], None] = _nothing
    on_ack: Callable[[Any, Ack, int, Windows, bool], tuple[int, Outcome] | None] | None = None
    on_acked: Callable[[Any, Ack, int, int, int], int] | None = None
    reduce: Callable[[Any, int, int, Windows, int | None, bool], tuple[int, int]] | None = None
    set_flight: Callable[[Any, int], None] = _nothing
    reduced_bytes: Callable[[Any, int], int] | None = None
    note_startup_reduction: Callable[[Any, int, int], None] = _nothing
    forget: Callable[[Any], None] = _nothing
    restore: Callable[[Any, int], Windows | None] = _nothing
    collapse: Callable[[Any], None] = _nothing
    change_datagram_size: Callable[[Any], None] = _nothing
    numbers: Callable[[Any], dict[str, int | None]] = _no_numbers


#: Those of NewReno itself, which have no state.
NEWRENO = WindowRules()
