"""Parses the numbers and names of qlogs: exact decimals, digits in strings, different names for one member."""

from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from firstflight.limits import TIME_MAX_NS, WINDOW_MAX_BYTES

NS_PER_MS = 1_000_000
_PREFIX = "recovery_"
#: Packet number space by packet type, or by its own name.
_SPACES = {
    "initial": "initial",
    "handshake": "handshake",
    "0rtt": "application_data",
    "1rtt": "application_data",
    "zerortt": "application_data",
    "onertt": "application_data",
    "application_data": "application_data",
    "application": "application_data",
    "unknown": "application_data",  # gQUIC has one space
}


class FieldError(ValueError):
    """A member of a record is invalid."""


def event_name(name: object) -> str:
    """Return the name of an event without its namespace. Raise :class:`FieldError` if it is not a string."""
    if not isinstance(name, str):
        raise FieldError(f"name: {name!r} is not a string")
    return _event_name(name)


@lru_cache(maxsize=1024)
def _event_name(name: str) -> str:
    """Return the name; equal for ``recovery:metrics_updated``, ``quic:recovery_metrics_updated`` and upper case."""
    if name.startswith("firstflight:"):
        return name.replace(":", "_")
    return name.lower().rsplit(":", 1)[-1].removeprefix(_PREFIX)


def number(value: object, key: str) -> Decimal:
    """Return a logged value, an integer, a decimal or a string with a number, as an exact decimal.

    Raise :class:`FieldError` if the value is not a non-negative number. ``key``: name of the value in the error.
    """
    if isinstance(value, str):
        try:
            value = Decimal(value)
        except ArithmeticError as error:
            raise FieldError(f"{key}: {value!r} is not a number") from error
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not Decimal(value).is_finite() or value < 0:
        raise FieldError(f"{key}: {value!r} is not a non-negative number")
    return Decimal(value)


def whole(value: object, key: str, maximum: int = WINDOW_MAX_BYTES) -> int:
    """Return a logged value, an integer, a whole decimal or a string with one, as an integer from 0 to ``maximum``.

    Raise :class:`FieldError` for any other value. ``key``: name of the value in the error.
    """
    if type(value) is int and 0 <= value <= maximum:
        return value
    exact = number(value, key)
    if exact != exact.to_integral_value() or exact > maximum:
        raise FieldError(f"{key}: {value!r} is not an integer in 0..{maximum}")
    return int(exact)


def ns_of(value: object, key: str, unit_ns: int = NS_PER_MS) -> int:
    """Return a time, rounded to the nearest ns. ``unit_ns``: unit of the value in ns."""
    ns = int((number(value, key) * unit_ns).to_integral_value())
    if ns > TIME_MAX_NS * 64:
        raise FieldError(f"{key}: {value!r} is outside the range of times")
    return ns


def threshold(value: object) -> int | None:
    """Return ssthresh, or None for a value above ``WINDOW_MAX_BYTES``, which means infinite."""
    if value is None:
        return None
    bytes_ = whole(value, "ssthresh", 1 << 64)
    return None if bytes_ > WINDOW_MAX_BYTES else bytes_


def space_of(text: object) -> str | None:
    """Return the packet number space of a packet type, or ``None`` for packets without a number."""
    return _space_of(text) if isinstance(text, str) else None


@lru_cache(maxsize=1024)
def _space_of(text: str) -> str | None:
    return _SPACES.get(text.replace("_", "").lower(), _SPACES.get(text.lower()))


def member(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return an inner object, or an empty object if it is absent."""
    inner = data.get(key)
    if inner is None:
        return {}
    if not isinstance(inner, dict):
        raise FieldError(f"{key}: expected an object")
    return inner
