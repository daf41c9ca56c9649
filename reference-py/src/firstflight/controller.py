"""A whole controller: the base controller and, where the algorithm asks for one, a startup algorithm on top of it.

Mirrors ``reference-c/src/controller.c``.
"""

from dataclasses import dataclass, field, replace

from firstflight import events, search, slow_start
from firstflight.errors import DomainError
from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Pto, Sent
from firstflight.limits import DATAGRAM_MAX_BYTES, WINDOW_MAX_BYTES
from firstflight.observables import Observation, Outcome, Phase
from firstflight.search import Base, Decision, Search
from firstflight.search_profiles import PROFILES as SEARCH_PROFILES
from firstflight.search_profiles import ExitGrowth, Lower, Readings
from firstflight.search_windows import Evaluation
from firstflight.slow_start import SlowStart


@dataclass(frozen=True, slots=True)
class Config:
    """Parameters of a connection. ``initial_window_bytes`` is ``None`` for the recommended one."""

    max_datagram_size_bytes: int
    initial_window_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Controller:
    """State of a controller. ``readings`` is ``None`` for the base controller alone. ``t_ns``: time of the last event."""

    base: SlowStart
    readings: Readings | None = None
    search: Search = field(default_factory=Search)
    t_ns: int = 0


def profiles() -> dict[str, tuple[str, ...]]:
    """Return the profiles by algorithm."""
    return {"slow-start": ("rfc-9002",), "search": tuple(SEARCH_PROFILES)}


def create(algorithm: str, profile: str, config: Config) -> Controller:
    """Return a new controller. Raise :class:`DomainError` for an unknown profile or a configuration out of range."""
    if profile not in profiles().get(algorithm, ()):
        raise DomainError(f"{algorithm}/{profile}: no such profile")
    return create_with(SEARCH_PROFILES[profile] if algorithm == "search" else None, config)


def create_with(readings: Readings | None, config: Config) -> Controller:
    """Return a new controller with SEARCH in the given readings, or with the base controller alone."""
    if not 1 <= config.max_datagram_size_bytes <= DATAGRAM_MAX_BYTES:
        raise DomainError(
            f"max_datagram_size_bytes: {config.max_datagram_size_bytes} is not within 1..{DATAGRAM_MAX_BYTES}"
        )
    if config.initial_window_bytes is not None and not 1 <= config.initial_window_bytes <= WINDOW_MAX_BYTES:
        raise DomainError(f"initial_window_bytes: {config.initial_window_bytes} is not within 1..{WINDOW_MAX_BYTES}")
    return Controller(slow_start.begin(config.max_datagram_size_bytes, config.initial_window_bytes), readings)


def step(controller: Controller, event: Event) -> tuple[Controller, Observation]:
    """Process one event; return the new state and the observables. Raise :class:`DomainError` outside the domain."""
    events.check(event)
    if event.t_ns < controller.t_ns:
        raise DomainError(f"t_ns: {event.t_ns} is before the last event at {controller.t_ns}")
    controller = replace(controller, t_ns=event.t_ns)
    evaluation = None
    if controller.readings is not None and isinstance(event, Ack):
        controller, outcome, evaluation = _on_ack_searching(controller, controller.readings, event)
    else:
        controller, outcome = _on_event_base(controller, event)
    return controller, _observe(controller, outcome, evaluation)


def _on_event_base(controller: Controller, event: Event) -> tuple[Controller, Outcome]:
    base = controller.base
    match event:
        case Sent():
            base, outcome = slow_start.on_sent(base)
            if controller.readings is not None:
                slow = slow_start.phase(base) is Phase.SLOW_START
                counted = search.on_sent(controller.readings, controller.search, event.bytes, slow_start=slow)
                controller = replace(controller, search=counted)
        case Ack():
            base, outcome = slow_start.on_ack(base, event)
        case Lost():
            base, outcome = slow_start.on_lost(base, event)
        case Ce():
            base, outcome = slow_start.on_ce(base, event)
        case PersistentCongestion():
            base, outcome = slow_start.on_persistent_congestion(base)
            if controller.readings is not None:
                controller = replace(
                    controller, search=search.on_persistent_congestion(controller.readings, controller.search)
                )
        case Pto():
            base, outcome = slow_start.on_pto(base)
    return replace(controller, base=base), outcome


def _on_ack_searching(
    controller: Controller, readings: Readings, ack: Ack
) -> tuple[Controller, Outcome, Evaluation | None]:
    base = controller.base
    if slow_start.phase(base) is not Phase.SLOW_START:
        counted = search.on_ack_elsewhere(readings, controller.search, ack)
        return (*_on_event_base(replace(controller, search=counted), ack), None)
    view = Base(base.cwnd_bytes, slow_start.minimum_window_bytes(base), base.max_datagram_size_bytes)
    state, decision = search.on_ack(readings, controller.search, ack, view)
    base = _apply(readings, base, decision, ack)
    return replace(controller, base=base, search=state), decision.evaluation.outcome, decision.evaluation


def _apply(readings: Readings, base: SlowStart, decision: Decision, ack: Ack) -> SlowStart:
    """Let the base controller grow the window for an ACK on which SEARCH has decided."""
    leaving = decision.exit
    if leaving is not None:
        ssthresh_bytes = base.ssthresh_bytes if leaving.ssthresh_bytes is None else leaving.ssthresh_bytes
        base = replace(base, cwnd_bytes=leaving.cwnd_bytes, ssthresh_bytes=ssthresh_bytes)
        if leaving.growth is not ExitGrowth.AVOIDANCE:
            return base  # [search.exit.growth]
    elif decision.evaluation.outcome is Outcome.EXITED and readings.lower is Lower.DRAIN:
        return base  # [search.drain.no-growth]
    base, _ = slow_start.on_ack(base, ack)
    return base


def _observe(controller: Controller, outcome: Outcome, evaluation: Evaluation | None) -> Observation:
    base = controller.base
    state: dict[str, int | None]
    if controller.readings is None:
        state = {"recovery_start_ns": base.recovery_start_ns}
    else:
        bins = controller.search
        state = {
            "bin": bins.curr,
            "open_bin_bytes": bins.delivered.open_bytes,
            "shift_bins": evaluation.shift_bins if evaluation else None,
            "current_bytes": evaluation.current_bytes if evaluation else None,
            "previous_bytes": evaluation.previous_bytes if evaluation else None,
            "target_bytes": bins.target_bytes,
        }
    return Observation(base.cwnd_bytes, base.ssthresh_bytes, slow_start.phase(base), outcome, state)
