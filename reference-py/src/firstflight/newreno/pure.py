"""For a room that does not change states in place yet: the functions of ``newreno`` on a copy."""

from firstflight.events import Ack, Event, Sent
from firstflight.newreno import newreno
from firstflight.newreno.newreno import NewReno, minimum_window_bytes, phase, reduced_bytes, sent_before_recovery
from firstflight.observables import Outcome

__all__ = ["minimum_window_bytes", "phase", "reduced_bytes", "sent_before_recovery"]


def on_event(base: NewReno, event: Event) -> tuple[NewReno, Outcome]:
    base = base.copy()
    return base, newreno.on_event(base, event)


def on_ack(base: NewReno, ack: Ack) -> tuple[NewReno, Outcome]:
    return on_event(base, ack)


def on_sent(base: NewReno, sent: Sent) -> tuple[NewReno, Outcome]:
    return on_event(base, sent)


def on_persistent_congestion(base: NewReno) -> tuple[NewReno, Outcome]:
    base = base.copy()
    return base, newreno.on_persistent_congestion(base)


def begin_recovery(base: NewReno, now_ns: int, window_bytes: int, prior_bytes: int) -> NewReno:
    base = base.copy()
    newreno.begin_recovery(base, now_ns, window_bytes, prior_bytes)
    return base


def forget_congestion(base: NewReno) -> NewReno:
    base = base.copy()
    newreno.forget_congestion(base)
    return base
