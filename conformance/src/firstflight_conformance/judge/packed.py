"""Events of a recording in the layout of the C port, packed once for all profiles."""

from collections.abc import Callable, Sequence
from ctypes import Array, Structure, addressof, c_char, c_uint64, create_string_buffer
from struct import Struct
from typing import Any, get_type_hints

from firstflight import Config
from firstflight.events import KINDS, Event, Run
from firstflight_conformance.simulate.native_events import NONE, RawEvent

_RUN, _RANGE = Struct("@QQQQ"), Struct("@QQ")
_NUMBERS = {kind: number for number, kind in enumerate(KINDS.values())}
_HEAD, _SIZE_BYTES = Struct("@iQ"), RawEvent.of.offset + RawEvent.of.size


class ConfigLayout(Structure):
    """``struct ff_config``."""

    _fields_ = [("max_datagram_size_bytes", c_uint64), ("initial_window_bytes", c_uint64)]


def config_layout(config: Config) -> ConfigLayout:
    """Return a configuration in the layout of C. An initial window of 0 bytes means the recommended window."""
    return ConfigLayout(config.max_datagram_size_bytes, config.initial_window_bytes or 0)


class PackedEvents:
    """Events in the layout of the C port, with the tables of packet runs and packet ranges that they point to."""

    def __init__(self, events: Sequence[Event]) -> None:
        """Pack the events."""
        self.count = len(events)
        self.buffer: Array[c_char] = create_string_buffer(_SIZE_BYTES * max(self.count, 1))
        self._tables: list[Array[c_char]] = []  # keeps the pointers in the events valid
        for index, event in enumerate(events):
            at = _SIZE_BYTES * index
            _HEAD.pack_into(self.buffer, at, _NUMBERS[type(event)], event.t_ns)
            layout, members = _LAYOUTS[type(event)]
            values = [value for name, pack in members for value in pack(self, getattr(event, name))]
            layout.pack_into(self.buffer, at + RawEvent.of.offset, *values)

    def runs(self, runs: Sequence[Run]) -> tuple[int, int]:
        """Store packet runs as a C table; return its address and the number of runs, or (0, 0) without runs.

        A run is a range of consecutive packets with equal size and send time.
        """
        return self._table(_RUN, [(run.first, run.last, run.size_bytes, run.sent_t_ns) for run in runs])

    def ranges(self, ranges: Sequence[tuple[int, int]]) -> tuple[int, int]:
        """Store packet ranges as a C table; return its address and the number of ranges, or (0, 0) without ranges."""
        return self._table(_RANGE, ranges)

    def _table(self, entry: Struct, entries: Sequence[tuple[int, ...]]) -> tuple[int, int]:
        if not entries:
            return 0, 0
        table = create_string_buffer(entry.size * len(entries))
        for index, row in enumerate(entries):
            entry.pack_into(table, entry.size * index, *row)
        self._tables.append(table)
        return addressof(table), len(entries)


_Pack = Callable[[PackedEvents, Any], tuple[Any, ...]]
#: Layout in C of a member of each type, as read by :mod:`~firstflight_conformance.simulate.native_events`.
_AS: dict[Any, tuple[str, _Pack]] = {
    int: ("Q", lambda _, value: (value,)),
    int | None: ("Q", lambda _, value: (NONE if value is None else value,)),
    bool: ("?", lambda _, value: (value,)),
    bool | None: ("?", lambda _, value: (bool(value),)),
    tuple[Run, ...]: ("QQ", PackedEvents.runs),
    tuple[tuple[int, int], ...]: ("QQ", PackedEvents.ranges),
}


def _layout(kind: type[Event]) -> tuple[Struct, list[tuple[str, _Pack]]]:
    """Return the C layout of an event kind's members after ``t_ns``, and the name and packing function of each."""
    hints = {name: _AS[hint] for name, hint in get_type_hints(kind).items() if name != "t_ns"}
    return Struct("@" + "".join(code for code, _ in hints.values())), [(n, pack) for n, (_, pack) in hints.items()]


_LAYOUTS = {kind: _layout(kind) for kind in KINDS.values()}
