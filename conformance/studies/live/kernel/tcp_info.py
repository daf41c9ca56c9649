"""Reads the fields of TCP_INFO that a recording needs (``linux/tcp.h``)."""

import socket
import struct
from dataclasses import dataclass
from enum import IntEnum

#: Infinite threshold, in packets (``TCP_INFINITE_SSTHRESH``).
NO_THRESHOLD = 0x7FFFFFFF
# One byte each for eight small fields, the state of congestion control second; from there on 32-bit fields.
_WORDS_AT = 8
_FORMAT = struct.Struct("=40I")
_UNACKED, _LOST, _RTT, _SSTHRESH, _CWND, _MIN_RTT, _RATE = 4, 6, 15, 17, 18, 35, 38
_SIZE = _WORDS_AT + _FORMAT.size


class State(IntEnum):
    """The states of congestion control (``enum tcp_ca_state``)."""

    OPEN, DISORDER, CWR, RECOVERY, LOSS = range(5)


@dataclass(frozen=True, slots=True)
class TcpInfo:
    """TCP_INFO: windows and counts in packets, RTTs in us, delivery rate in bytes/s; ``ssthresh`` None: infinite."""

    state: State
    cwnd: int
    ssthresh: int | None
    unacked: int
    lost: int
    smoothed_rtt_us: int
    min_rtt_us: int
    delivery_rate: int


def parse(answer: bytes) -> TcpInfo:
    """Parse an answer of the kernel."""
    words = _FORMAT.unpack_from(answer, _WORDS_AT)
    ssthresh = words[_SSTHRESH]
    return TcpInfo(
        State(answer[1]),
        words[_CWND],
        None if ssthresh >= NO_THRESHOLD else ssthresh,
        words[_UNACKED],
        words[_LOST],
        words[_RTT],
        words[_MIN_RTT],
        words[_RATE] | words[_RATE + 1] << 32,
    )


def read(connection: socket.socket) -> TcpInfo:
    """Return TCP_INFO of a connection."""
    return parse(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _SIZE))
