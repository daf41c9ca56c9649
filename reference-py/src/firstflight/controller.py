"""A whole controller: the base controller and, where the algorithm asks for one, a startup algorithm on top of it.

Mirrors ``reference-c/firstflight/controller.c``.
"""

from dataclasses import dataclass, replace
from typing import Any

from firstflight import events
from firstflight.algorithm import Algorithm, Base, Startup, discover
from firstflight.errors import DomainError
from firstflight.events import Ack, Ce, DatagramSize, Event, Lost, PathChange, Pto, Sent
from firstflight.limits import DATAGRAM_MAX_BYTES, WINDOW_MAX_BYTES
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Observation, Outcome
from firstflight.search.search import Search

#: Every algorithm by name, as the packages describe them.
ALGORITHMS: dict[str, Algorithm] = discover()
#: The default base of startup algorithms, and the other bases by the suffix of a profile.
DEFAULT_BASE = ("slow-start", "rfc-9002")
SUFFIXES = {
    f"+{name}": (name, found.carries) for name, found in ALGORITHMS.items() if isinstance(found, Base) and found.carries
}
_BASES_BY_READINGS = {found.readings: found for found in ALGORITHMS.values() if isinstance(found, Base)}
_BY_READINGS = {found.readings: found for found in ALGORITHMS.values() if isinstance(found, Startup)}


@dataclass(frozen=True, slots=True)
class Config:
    """Parameters of a connection. ``initial_window_bytes`` is ``None`` for the recommended one."""

    max_datagram_size_bytes: int
    initial_window_bytes: int | None = None


@dataclass(slots=True)
class Controller:
    """State of a controller. ``t_ns``: time of the last event. ``next_packet``: the number after the last packet sent.

    ``initial_window_bytes``: the window at the start of each path; ``None`` for the recommended one. ``path_start_ns``: time of the last change of the path, 0 before the first.
    ``readings`` and ``startup``, the state of the startup algorithm, are ``None`` for the base controller alone. The type of the
    readings identifies the algorithm.
    """

    base: BaseState
    readings: Any = None
    startup: Any = None
    t_ns: int = 0
    next_packet: int = 0
    initial_window_bytes: int | None = None
    path_start_ns: int = 0

    def copy(self) -> "Controller":
        """Return a copy that shares no mutable state."""
        startup = None if self.startup is None else self.startup.copy()
        numbers = (self.t_ns, self.next_packet, self.initial_window_bytes, self.path_start_ns)
        return Controller(self.base.copy(), self.readings, startup, *numbers)

    @property
    def search(self) -> Search:
        """The state of SEARCH, an empty state if another algorithm runs."""
        return self.startup if isinstance(self.startup, Search) else Search()


def profiles(*, composed: bool = False) -> dict[str, tuple[str, ...]]:
    """Return the profiles by algorithm. ``composed``: also profiles on another base, such as ``draft-09+cubic``."""
    named = {name: _profiles(found, composed=composed) for name, found in ALGORITHMS.items()}
    return {name: found for name, found in named.items() if found}


def _profiles(known: Algorithm, *, composed: bool) -> tuple[str, ...]:
    suffixes = ("", *known.on_bases) if composed and isinstance(known, Startup) else ("",)
    return tuple(profile + suffix for suffix in suffixes for profile in known.profiles)


def create(algorithm: str, profile: str, config: Config) -> Controller:
    """Return a new controller. Raise :class:`DomainError` for an unknown profile or a configuration out of range."""
    if algorithm not in ALGORITHMS or profile not in _profiles(ALGORITHMS[algorithm], composed=True):
        known = profiles(composed=True)
        there = ", ".join(known.get(algorithm, known))
        raise DomainError(
            f"{algorithm}/{profile}: no such {'profile' if algorithm in known else 'algorithm'}; there are {there}"
        )
    if isinstance(ALGORITHMS[algorithm], Base):
        return create_with(None, config, _readings(algorithm, profile))
    name, plus, base = profile.partition("+")
    base_readings = _readings(*SUFFIXES.get(plus + base, DEFAULT_BASE))
    return create_with(_readings(algorithm, name), config, base_readings)


def _readings(algorithm: str, profile: str) -> Any:
    return ALGORITHMS[algorithm].profiles[profile]


def create_with(readings: Any, config: Config, base_readings: Any = None) -> Controller:
    """Return a new controller with the algorithm of the readings, or with the base controller alone if ``None``.

    ``base_readings``: readings of the base controller; their type selects the base. ``None``: NewReno of RFC 9002.
    """
    if not 1 <= config.max_datagram_size_bytes <= DATAGRAM_MAX_BYTES:
        raise DomainError(
            f"max_datagram_size_bytes: {config.max_datagram_size_bytes} is not within 1..{DATAGRAM_MAX_BYTES}"
        )
    if config.initial_window_bytes is not None and not 1 <= config.initial_window_bytes <= WINDOW_MAX_BYTES:
        raise DomainError(f"initial_window_bytes: {config.initial_window_bytes} is not within 1..{WINDOW_MAX_BYTES}")
    base = newreno.begin(config.max_datagram_size_bytes, config.initial_window_bytes)
    if isinstance(base_readings, newreno.Readings):
        base.growth = base_readings.growth
    elif base_readings is not None:
        found = _BASES_BY_READINGS[type(base_readings)]
        begin = found.begin if readings is None else found.carry
        assert found.rules is not None and begin is not None
        newreno.use_rules(base, found.rules, begin(base_readings))
    if readings is None:
        return Controller(base, initial_window_bytes=config.initial_window_bytes)
    startup = _BY_READINGS[type(readings)].begin(readings, base)
    return Controller(base, readings, startup, initial_window_bytes=config.initial_window_bytes)


def samples_rate(controller: Controller) -> bool:
    """Return whether the algorithm asks for the delivery-rate samples of ``ack`` and ``lost`` events."""
    return controller.readings is not None and _BY_READINGS[type(controller.readings)].samples_rate


def step(controller: Controller, event: Event) -> tuple[Controller, Observation]:
    """Process one event; return a new controller and the observables after the event. Do not change ``controller``.

    Raise :class:`DomainError` for an event outside the domain: an invalid value, a time before the last event, or a
    packet number that was sent already.
    """
    after = controller.copy()
    return after, advance(after, event)


def advance(controller: Controller, event: Event) -> Observation:
    """Process one event and change the controller in place; return the observables after the event.

    Raise :class:`DomainError` for an event outside the domain: an invalid value, a time before the last event, or a
    packet number that was sent already. The controller must not be used after this error.
    """
    events.check(event)
    if event.t_ns < controller.t_ns:
        raise DomainError(f"t_ns: {event.t_ns} is before the last event at {controller.t_ns}")
    if isinstance(event, Sent):
        if event.packets[0].first < controller.next_packet:
            raise DomainError(f"packets: {event.packets[0].first} is sent after {controller.next_packet - 1}")
        controller.next_packet = event.packets[-1].last + 1
    controller.t_ns = event.t_ns
    if isinstance(event, Sent | Ack) and event.not_in_flight:
        return _step_algorithm(controller, _ignored(controller, event.t_ns))  # [slow-start.not-in-flight]
    if isinstance(event, DatagramSize):
        newreno.on_datagram_size(controller.base, event)
    if isinstance(event, PathChange) and _resets(controller):
        return _begin_path(controller, event)
    if controller.path_start_ns > 0:
        event = _of_this_path(event, controller.path_start_ns)
    return _step_algorithm(controller, event)


def _resets(controller: Controller) -> bool:
    """Return whether a path change resets the controller. Careful Resume has its own rules for the event."""
    return controller.readings is None or not _BY_READINGS[type(controller.readings)].answers_path_change


def _ignored(controller: Controller, t_ns: int) -> Event:
    """Return the event that the algorithm processes in place of an event of packets that are not in flight.

    For most algorithms this event is a path change, which they ignore. At a real path change :func:`advance` resets the
    state itself, before the algorithm processes the event. Careful Resume has its own rules for a path change, and gets
    an expired probe timer instead. As at any event, it then only checks whether its phase has ended.
    """
    return PathChange(t_ns) if _resets(controller) else Pto(t_ns)


def _begin_path(controller: Controller, event: PathChange) -> Observation:
    """Reset the controller to its initial values."""
    newreno.reset(controller.base, controller.initial_window_bytes)
    controller.path_start_ns = event.t_ns
    if controller.readings is not None:
        begin = _BY_READINGS[type(controller.readings)].begin
        controller.startup = begin(controller.readings, controller.base)  # [slow-start.path.startup]
    return replace(_step_algorithm(controller, event), outcome=Outcome.PATH_CHANGED)


def _of_this_path(event: Event, path_start_ns: int) -> Event:
    """Return the event without the packets of the old path, which were sent no later than ``path_start_ns``.

    If only such packets are in the event, return a path change at its time, which algorithms ignore.
    """
    match event:
        case Ce() if event.sent_t_ns <= path_start_ns:
            return PathChange(event.t_ns)  # [slow-start.path.old-packets]
        case Ack() | Lost() if event.packets[0].sent_t_ns <= path_start_ns:
            old = next((i for i, run in enumerate(event.packets) if run.sent_t_ns > path_start_ns), len(event.packets))
            if old == len(event.packets):
                return PathChange(event.t_ns)  # [slow-start.path.old-packets]
            old_bytes = sum(run.count * run.size_bytes for run in event.packets[:old])
            left = event.packets[old:]
            return replace(event, packets=left, bytes=event.bytes - old_bytes)  # [slow-start.path.old-packets]
    return event


def _step_algorithm(controller: Controller, event: Event) -> Observation:
    """Let the algorithm, or the base controller alone, process an event; return its observation."""
    base, readings = controller.base, controller.readings
    if readings is None:
        return newreno.observe(base, newreno.on_event(base, event))
    return _BY_READINGS[type(readings)].step(readings, controller.startup, base, event)
