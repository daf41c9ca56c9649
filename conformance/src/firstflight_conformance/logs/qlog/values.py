"""Numbers and names as the writers of qlogs put them: exact decimals, digits as texts, one name for each thing."""

from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from firstflight.limits import TIME_MAX_NS, WINDOW_MAX_BYTES

NS_PER_MS = 1_000_000
_PREFIX = "recovery_"
#: The packet number space of a packet type, or as it is called itself.
_SPACES = {
    "initial": "initial",
    "handshake": "handshake",
    "0rtt": "application_data",
    "1rtt": "application_data",
    "zerortt": "application_data",
    "onertt": "application_data",
    "application_data": "application_data",
    "application": "application_data",
    "unknown": "application_data",  # of gQUIC, which has one space
}


class FieldError(ValueError):
    """A member of a record is not what it should be."""


def event_name(name: object) -> str:
    """Return the name of an event without its namespace. Raise :class:`FieldError` if it is no text."""
    if not isinstance(name, str):
        raise FieldError(f"name: {name!r} is no text")
    return _event_name(name)


@lru_cache(maxsize=1024)
def _event_name(name: str) -> str:
    """Return it: ``recovery:metrics_updated`` and ``quic:recovery_metrics_updated`` are one. Some writers use upper case."""
    if name.startswith("firstflight:"):
        return name.replace(":", "_")
    return name.lower().rsplit(":", 1)[-1].removeprefix(_PREFIX)


def number(value: object, key: str) -> Decimal:
    """Return a number that is not negative; digits may be a text."""
    if isinstance(value, str):
        try:
            value = Decimal(value)
        except ArithmeticError as error:
            raise FieldError(f"{key}: {value!r} is no number") from error
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not Decimal(value).is_finite() or value < 0:
        raise FieldError(f"{key}: {value!r} is no number from 0 on")
    return Decimal(value)


def whole(value: object, key: str, maximum: int = WINDOW_MAX_BYTES) -> int:
    """Return an integer from 0 to ``maximum``."""
    if type(value) is int and 0 <= value <= maximum:
        return value
    exact = number(value, key)
    if exact != exact.to_integral_value() or exact > maximum:
        raise FieldError(f"{key}: {value!r} is no integer from 0 to {maximum}")
    return int(exact)


def ns_of(value: object, key: str, unit_ns: int = NS_PER_MS) -> int:
    """Return a time in ns, to the nearest; ``unit_ns`` is what 1 stands for."""
    ns = int((number(value, key) * unit_ns).to_integral_value())
    if ns > TIME_MAX_NS * 64:
        raise FieldError(f"{key}: {value!r} is beyond any time")
    return ns


def threshold(value: object) -> int | None:
    """Return a slow-start threshold; what is above every window means that there is none."""
    if value is None:
        return None
    bytes_ = whole(value, "ssthresh", 1 << 64)
    return None if bytes_ > WINDOW_MAX_BYTES else bytes_


def space_of(text: object) -> str | None:
    """Return the packet number space of a packet type, ``None`` for packets without a number."""
    return _space_of(text) if isinstance(text, str) else None


@lru_cache(maxsize=1024)
def _space_of(text: str) -> str | None:
    return _SPACES.get(text.replace("_", "").lower(), _SPACES.get(text.lower()))


def member(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return an inner object, an empty one if it is not there."""
    inner = data.get(key)
    if inner is None:
        return {}
    if not isinstance(inner, dict):
        raise FieldError(f"{key}: is no object")
    return inner
