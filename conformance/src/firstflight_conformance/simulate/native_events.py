"""Events and observations of the C simulator, in the layout of ``events.h``."""

from collections.abc import Callable, Iterator
from ctypes import Structure, c_int, c_uint64, string_at
from itertools import starmap
from struct import Struct
from typing import Any, get_type_hints

from firstflight.events import KINDS, Event, Run

#: Encoding of a missing number.
NONE = 2**64 - 1
_RUN, _RANGE = Struct("@QQQQ"), Struct("@QQ")


def _packets(values: Iterator[int]) -> tuple[Run, ...]:
    runs, count = next(values), next(values)
    return tuple(starmap(Run, _RUN.iter_unpack(string_at(runs, count * _RUN.size))))


def _ranges(values: Iterator[int]) -> tuple[tuple[int, int], ...]:
    ranges, count = next(values), next(values)
    return tuple(_RANGE.iter_unpack(string_at(ranges, count * _RANGE.size))) if count else ()


def _number(values: Iterator[int]) -> int | None:
    value = next(values)
    return None if value == NONE else value


#: Layout in C of a member by type, and the function that reads the member from the numbers of an event.
_AS: dict[Any, tuple[str, Callable[[Iterator[int]], Any]]] = {
    int: ("Q", next),
    int | None: ("Q", _number),
    bool: ("?", next),
    bool | None: ("?", next),
    tuple[Run, ...]: ("PN", _packets),
    tuple[tuple[int, int], ...]: ("PN", _ranges),
}


class _Layout:
    """Layout of the members of an event kind.

    A transfer has a hundred thousand events. Unpacking all numbers of an event at once takes a fraction of the time of
    reading a ctypes structure member by member.
    """

    def __init__(self, kind: type[Event]) -> None:
        """Compute the layout of the members after ``t_ns``."""
        types = [member_type for name, member_type in get_type_hints(kind).items() if name != "t_ns"]
        members = [_AS[member_type] for member_type in types]
        self.struct = Struct("@" + "".join(code for code, _ in members))
        self._make: Any = kind
        self._readers = [read for _, read in members]
        self._flags = [at for at, member_type in enumerate(types) if member_type == bool | None]

    def read(self, raw: "RawEvent") -> Event:
        """Return the event."""
        values = iter(self.struct.unpack_from(raw, RawEvent.of.offset))
        members = [read(values) for read in self._readers]
        for at in self._flags:  # each flag follows a number of its group
            members[at] = None if members[at - 1] is None else members[at]
        event: Event = self._make(raw.t_ns, *members)
        return event


#: By ``enum ff_event_kind``.
_LAYOUTS = tuple(map(_Layout, KINDS.values()))


class RawEvent(Structure):
    """``struct ff_event``: the kind, the time, and room for the members of the kind."""

    _fields_ = [
        ("kind", c_int),
        ("t_ns", c_uint64),
        ("of", c_uint64 * -(-max(layout.struct.size for layout in _LAYOUTS) // 8)),
    ]


class RawObservation(Structure):
    """The first members of ``struct ff_observation``, used by the sender."""

    _fields_ = [
        ("cwnd_bytes", c_uint64),
        ("ssthresh_bytes", c_uint64),
        ("phase", c_int),
        ("outcome", c_int),
        ("next_release_ns", c_uint64),
    ]


def event_of(raw: RawEvent) -> Event:
    """Return an event as a Python object."""
    event: Event = _LAYOUTS[raw.kind].read(raw)
    return event
