"""The events that the compiled simulator tells its watcher of, and what the controller observed, as ``events.h`` lays them out."""

from ctypes import POINTER, Structure, Union, c_bool, c_int, c_size_t, c_uint64
from typing import Any

from firstflight.events import Ack, Backlog, Event, Lost, PersistentCongestion, Pto, Run, SavedPath, Sent

#: A number that is not there.
NONE = 2**64 - 1


class _Run(Structure):
    _fields_ = [(name, c_uint64) for name in ("first", "last", "size_bytes", "sent_t_ns")]


class _Range(Structure):
    _fields_ = [("first", c_uint64), ("last", c_uint64)]


class _Sent(Structure):
    _fields_ = [("packets", POINTER(_Run)), ("run_count", c_size_t), ("bytes", c_uint64), ("bytes_in_flight", c_uint64),
                ("app_limited", c_bool), ("retransmits", POINTER(_Range)), ("retransmit_count", c_size_t)]  # fmt: skip


class _Ack(Structure):
    _fields_ = [("packets", POINTER(_Run)), ("run_count", c_size_t), ("bytes", c_uint64), ("bytes_in_flight", c_uint64),
                ("next_packet", c_uint64), ("app_limited", c_bool), ("latest_rtt_ns", c_uint64), ("min_rtt_ns", c_uint64),
                ("smoothed_rtt_ns", c_uint64), ("ack_delay_ns", c_uint64), ("oldest_unacked_packet", c_uint64)]  # fmt: skip


class _Lost(Structure):
    _fields_ = [("packets", POINTER(_Run)), ("run_count", c_size_t), ("bytes", c_uint64), ("bytes_in_flight", c_uint64),
                ("next_packet", c_uint64)]  # fmt: skip


class _Backlog(Structure):
    _fields_ = [(name, c_uint64) for name in ("queued_bytes", "receive_window_bytes", "latest_rtt_ns")]


class _SavedPath(Structure):
    _fields_ = [("saved_cwnd_bytes", c_uint64), ("saved_rtt_ns", c_uint64), ("endpoint_matches", c_bool), ("in_use", c_bool),
                ("expires_t_ns", c_uint64), ("max_jump_bytes", c_uint64), ("beta_numerator", c_uint64), ("beta_denominator", c_uint64)]  # fmt: skip


class _Kinds(Union):
    _fields_ = [("sent", _Sent), ("ack", _Ack), ("lost", _Lost), ("backlog", _Backlog), ("saved_path", _SavedPath)]


class RawEvent(Structure):
    """``struct ff_event``."""

    _fields_ = [("kind", c_int), ("t_ns", c_uint64), ("of", _Kinds)]


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
    return _READ[raw.kind](raw.t_ns, raw.of)


def _packets(of: Any) -> tuple[Run, ...]:
    return tuple(Run(run.first, run.last, run.size_bytes, run.sent_t_ns) for run in of.packets[: of.run_count])


def _sent(t_ns: int, kinds: Any) -> Event:
    of = kinds.sent
    retransmits = tuple((one.first, one.last) for one in of.retransmits[: of.retransmit_count])
    return Sent(t_ns, _packets(of), of.bytes, of.bytes_in_flight, of.app_limited, retransmits)


def _ack(t_ns: int, kinds: Any) -> Event:
    of = kinds.ack
    return Ack(
        t_ns, _packets(of), of.bytes, of.bytes_in_flight, of.next_packet, of.app_limited, _number(of.latest_rtt_ns),
        _number(of.min_rtt_ns), _number(of.smoothed_rtt_ns), of.ack_delay_ns, _number(of.oldest_unacked_packet),
    )  # fmt: skip


def _lost(t_ns: int, kinds: Any) -> Event:
    of = kinds.lost
    return Lost(t_ns, _packets(of), of.bytes, of.bytes_in_flight, of.next_packet)


def _backlog(t_ns: int, kinds: Any) -> Event:
    of = kinds.backlog
    return Backlog(t_ns, of.queued_bytes, of.receive_window_bytes, _number(of.latest_rtt_ns))


def _saved_path(t_ns: int, kinds: Any) -> Event:
    of = kinds.saved_path
    return SavedPath(
        t_ns, of.saved_cwnd_bytes, of.saved_rtt_ns, of.endpoint_matches, of.in_use, _number(of.expires_t_ns),
        _number(of.max_jump_bytes), of.beta_numerator, of.beta_denominator,
    )  # fmt: skip


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
