"""Events and observables in their JSON form (``spec/events.md``) and back."""

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, get_type_hints

from firstflight.events import KINDS, Event, Run, Sent
from firstflight.observables import Observation

#: The largest integer that every JSON parser reads exactly.
NUMBER_MAX = 2**53 - 1
_DECIMAL = re.compile(r"[1-9][0-9]{15,19}")

_NAMES = {kind: name for name, kind in KINDS.items()}
_MEMBERS = {kind: tuple(field.name for field in fields(kind)) for kind in KINDS.values()}
_TYPES = {name: hint for kind in KINDS.values() for name, hint in get_type_hints(kind).items()}
#: Optional members of events, with their defaults.
_OPTIONAL = {
    field.name: field.default for kind in KINDS.values() for field in fields(kind) if field.default is not MISSING
}
_OPTIONAL_OF = {kind: [name for name in members if name in _OPTIONAL] for kind, members in _MEMBERS.items()}
_NULLABLE = {name for name, hint in _TYPES.items() if hint == int | None and name not in _OPTIONAL}
_TRUTHS = {name for name, hint in _TYPES.items() if hint in (bool, bool | None)}
_RANGES = {name for name, hint in _TYPES.items() if hint == tuple[tuple[int, int], ...]}
_NUMBERS = {name for name, hint in _TYPES.items() if hint is int}
_RUN = ("packets: first", "packets: last", "packets: size_bytes", "packets: sent_t_ns")


def encode_int(value: int) -> int | str:
    """Return a non-negative integer as a JSON number, or as a decimal string above :data:`NUMBER_MAX`."""
    return value if value <= NUMBER_MAX else str(value)


def decode_int(value: object, key: str = "number") -> int:
    """Return the integer from its JSON form: a number up to 2^53 - 1, or a decimal string for larger 64-bit values.

    Raise :class:`ValueError` with ``key`` for any other value.
    """
    if type(value) is int and 0 <= value <= NUMBER_MAX:
        return value
    if isinstance(value, str) and _DECIMAL.fullmatch(value) and NUMBER_MAX < int(value) < 2**64:
        return int(value)
    raise ValueError(f"{key}: {_shown(value)} is not a number up to 2^53 - 1 or a larger 64-bit number as a string")


def event_from_json(raw: Mapping[str, Any]) -> Event:
    """Return the event. Raise :class:`ValueError` with the key that is unknown, missing or of the wrong type."""
    name = raw.get("ev")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise ValueError(f"ev: {_shown(name)} is not one of {', '.join(KINDS)}")
    members = _MEMBERS[kind]
    for key in raw:
        if key != "ev" and key not in members:
            raise ValueError(f"{key}: unknown in the event {name}")
    for key in members:
        if key not in raw and key not in _OPTIONAL:
            raise ValueError(f"{key}: missing in the event {name}")
    t_ns = decode_int(raw["t_ns"], "t_ns")
    values = {key: _member_from_json(key, raw[key], t_ns if kind is Sent else None) for key in members if key in raw}
    make: Callable[..., Event] = kind
    return make(**values)


def _member_from_json(key: str, value: object, sent_t_ns: int | None) -> object:
    if key in _NUMBERS:  # most are
        return decode_int(value, key)
    if key == "packets":
        if not isinstance(value, list | tuple):
            raise ValueError(f"packets: {_shown(value)} is not a list of runs")
        return tuple(_run_from_json(run, sent_t_ns) for run in value)
    if key in _RANGES:
        if not isinstance(value, list | tuple) or not value:
            raise ValueError(f"{key}: {_shown(value)} is not a list of ranges with at least one")
        return tuple(_range_from_json(key, entry) for entry in value)
    if key in _TRUTHS:
        if not isinstance(value, bool):
            raise ValueError(f"{key}: {_shown(value)} is neither true nor false")
        return value
    if key in _NULLABLE and value is None:
        return None
    return decode_int(value, key)


def _run_from_json(raw: object, sent_t_ns: int | None) -> Run:
    """Return a run, consecutive packets of one size sent at one time, from [first, last, size_bytes, sent_t_ns].

    In a ``sent`` event the list omits the last item: the time of the event is passed as ``sent_t_ns``, else ``None``.
    Raise ``ValueError`` if ``raw`` is not such a list.
    """
    names = _RUN if sent_t_ns is None else _RUN[:-1]
    if not isinstance(raw, list | tuple) or len(raw) != len(names):
        raise ValueError(f"packets: {_shown(raw)} is not [{', '.join(names).replace('packets: ', '')}]")
    first, last, size_bytes, *rest = map(decode_int, raw, names)
    return Run(first, last, size_bytes, rest[0] if sent_t_ns is None else sent_t_ns)


def _range_from_json(key: str, raw: object) -> tuple[int, int]:
    if not isinstance(raw, list | tuple) or len(raw) != 2:
        raise ValueError(f"{key}: {_shown(raw)} is not [first, last]")
    return decode_int(raw[0], f"{key}: first"), decode_int(raw[1], f"{key}: last")


def optional_members(event: Event) -> dict[str, Any]:
    """Return the optional members of an event that differ from their defaults, by name."""
    values = ((name, getattr(event, name)) for name in _OPTIONAL_OF[type(event)])
    return {name: value for name, value in values if value != _OPTIONAL[name]}


def event_name(event: Event) -> str:
    """Return the name of an event's kind, as in JSON."""
    return _NAMES[type(event)]


def event_to_json(event: Event) -> dict[str, Any]:
    """Return the JSON form of the event, with its members in the order of ``spec/events.md``."""
    kind = type(event)
    raw: dict[str, Any] = {"ev": _NAMES[kind]}
    for key in _MEMBERS[kind]:
        value = getattr(event, key)
        if key == "packets":
            raw[key] = [_run_to_json(run, kind is Sent) for run in value]
        elif key not in _OPTIONAL:
            raw[key] = value if value is None else encode_int(value)  # encode_int keeps booleans
        elif value != _OPTIONAL[key]:
            raw[key] = [list(map(encode_int, entry)) for entry in value] if key in _RANGES else encode_int(value)
    return raw


def _run_to_json(run: Run, sent_now: bool) -> list[int | str]:
    numbers = [run.first, run.last, run.size_bytes]
    return list(map(encode_int, numbers if sent_now else [*numbers, run.sent_t_ns]))


def observables(observation: Observation) -> dict[str, Any]:
    """Return the observables by name, as in comparisons."""
    values: dict[str, Any] = {
        "cwnd_bytes": observation.cwnd_bytes,
        "ssthresh_bytes": observation.ssthresh_bytes,
        "phase": observation.phase.value,
        "outcome": observation.outcome.value,
    }
    if observation.paces:
        values["next_release_ns"] = observation.next_release_ns
    if observation.triggers is not None:
        values["trigger"] = observation.triggers[0].value if observation.triggers else None
    return values | {"state": observation.state}


def observation_to_json(observation: Observation) -> dict[str, Any]:
    """Return the JSON form of the observables."""
    return {name: encode_value(value) for name, value in observables(observation).items()}


def encode_value(value: Any) -> Any:
    """Return the JSON form of an observable: a number, a text, ``None``, or the numbers of a state."""
    if type(value) is int:
        return encode_int(value)
    return {name: encode_value(number) for name, number in value.items()} if type(value) is dict else value


def _shown(value: object) -> str:
    """Return a value for a message, truncated to 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
