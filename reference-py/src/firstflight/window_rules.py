"""The interface of a base controller: rules for the growth and reduction of its window.

NewReno (``newreno``) keeps the windows and the recovery periods of every base and calls the rules of that base through
these hooks. The default of a hook is NewReno's rule. A base is a package whose descriptor contains its rules.

Mirrors ``reference-c/firstflight/window_rules.h``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from firstflight.events import Ack, Sent
from firstflight.observables import Outcome
from firstflight.values import value


class RulesState(Protocol):
    """Per-connection state of the window rules of a base controller, such as the window before the last reduction.

    A base controller is a congestion control that runs alone or under a startup algorithm. Its window rules define
    how cwnd and ssthresh grow and shrink.
    """

    def copy(self) -> "RulesState":
        """Return a copy that shares no mutable state."""


@value
class Windows:
    """cwnd, ssthresh and the last recovery period of a base controller at one moment.

    ``ssthresh_bytes``: ``None`` while infinite. ``recovery_start_ns``: start of the last recovery period, ``None``
    before the first and after persistent congestion. ``in_recovery``: the period has not ended.
    """

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
    """The rules of a base controller as hooks, functions that NewReno calls. "Windows" are cwnd and ssthresh.

    The first argument of each hook is the state of the rules, which the hook changes in place.

    ``beta_tenths`` is a number: the window after a reduction, in tenths of the window before.
    ``slow_start_end_bytes``: returns the smallest window outside slow start for an ssthresh.
    ``on_sent``: packets were sent.
    ``on_ack``: processes an ACK before NewReno does. Arguments: ACK, datagram size, windows, whether they are in slow
    start. Returns the new window and the outcome; ``None`` leaves the ACK to the other rules.
    ``on_acked``: growth of congestion avoidance per ACK, not per packet, also called for ACKs without growth.
    Arguments: ACK, datagram size, window, bytes that may grow the window in congestion avoidance. Returns the new
    window. ``reduce``: a reduction. Arguments: time, datagram size, windows before it, bytes in flight (``None``: as
    after the last event), whether a CE mark is the cause. Returns the new window and ssthresh.
    ``set_flight``: called after a loss. Argument: the bytes still in flight, to be stored in the state of the rules.
    ``reduced_bytes``: for reductions by a startup algorithm. Argument: a window. Returns this window after a reduction.
    ``note_startup_reduction``: a startup algorithm has reduced at this time, from this window.
    ``forget``: a startup algorithm begins again from a small window: earlier congestion no longer counts.
    ``restore``: the last losses were spurious. Argument: current window. Returns the windows before the last reduction,
    or ``None`` to keep the current window.
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


#: The rules of NewReno, without state.
NEWRENO = WindowRules()
