"""The events that the compiled simulator tells its watcher of, and what the controller observed, as ``events.h`` lays them out."""

from ctypes import Structure, c_int, c_uint64, string_at
from itertools import starmap
from struct import Struct

from firstflight.events import Ack, Backlog, Event, Lost, PersistentCongestion, Pto, Run, SavedPath, Sent

#: A number that is not there.
NONE = 2**64 - 1
#: The members of the kinds of events, runs and ranges by where they are and how many. A transfer has a hundred thousand events: they are
#: unpacked at once, which takes a fraction of the time of a ctypes structure read member by member.
_RUN, _RANGE = Struct("@QQQQ"), Struct("@QQ")
_SENT, _ACK, _LOST = Struct("@PNQQ?PN"), Struct("@PNQQQ?QQQQQ"), Struct("@PNQQQ")
_BACKLOG, _SAVED_PATH = Struct("@QQQ"), Struct("@QQ??QQQQ")


class RawEvent(Structure):
    """``struct ff_event``: the kind, the time, and room for the members of the kind."""

    _fields_ = [("kind", c_int), ("t_ns", c_uint64), ("of", c_uint64 * (_ACK.size // 8))]


class RawObservation(Structure):
    """The first members of ``struct ff_observation``: those by which the sender goes."""

    _fields_ = [
        ("cwnd_bytes", c_uint64),
        ("ssthresh_bytes", c_uint64),
        ("phase", c_int),
        ("outcome", c_int),
        ("next_release_ns", c_uint64),
    ]


def event_of(raw: RawEvent) -> Event:
    """Return an event as Python has it."""
    return _READ[raw.kind](raw.t_ns, raw)


def _packets(runs: int, count: int) -> tuple[Run, ...]:
    return tuple(starmap(Run, _RUN.iter_unpack(string_at(runs, count * _RUN.size))))


def _sent(t_ns: int, raw: RawEvent) -> Event:
    runs, count, total, in_flight, app_limited, ranges, range_count = _SENT.unpack_from(raw, RawEvent.of.offset)
    retransmits = tuple(_RANGE.iter_unpack(string_at(ranges, range_count * _RANGE.size))) if range_count else ()
    return Sent(t_ns, _packets(runs, count), total, in_flight, app_limited, retransmits)


def _ack(t_ns: int, raw: RawEvent) -> Event:
    runs, count, total, in_flight, next_packet, app_limited, latest_ns, min_ns, smoothed_ns, delay_ns, oldest = (
        _ACK.unpack_from(raw, RawEvent.of.offset)
    )
    return Ack(
        t_ns, _packets(runs, count), total, in_flight, next_packet, app_limited, _number(latest_ns), _number(min_ns),
        _number(smoothed_ns), delay_ns, _number(oldest),
    )  # fmt: skip


def _lost(t_ns: int, raw: RawEvent) -> Event:
    runs, count, *rest = _LOST.unpack_from(raw, RawEvent.of.offset)
    return Lost(t_ns, _packets(runs, count), *rest)


def _backlog(t_ns: int, raw: RawEvent) -> Event:
    queued_bytes, receive_window_bytes, latest_rtt_ns = _BACKLOG.unpack_from(raw, RawEvent.of.offset)
    return Backlog(t_ns, queued_bytes, receive_window_bytes, _number(latest_rtt_ns))


def _saved_path(t_ns: int, raw: RawEvent) -> Event:
    cwnd_bytes, rtt_ns, matches, in_use, expires_t_ns, max_jump_bytes, *beta = _SAVED_PATH.unpack_from(
        raw, RawEvent.of.offset
    )
    return SavedPath(t_ns, cwnd_bytes, rtt_ns, matches, in_use, _number(expires_t_ns), _number(max_jump_bytes), *beta)


def _number(value: int) -> int | None:
    return None if value == NONE else value


#: By ``enum ff_event_kind``: those that the simulator makes.
_READ = {
    0: _sent,
    1: _ack,
    2: _lost,
    4: lambda t_ns, _: PersistentCongestion(t_ns),
    5: lambda t_ns, _: Pto(t_ns),
    6: _backlog,
    8: _saved_path,
}
