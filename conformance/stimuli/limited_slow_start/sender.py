"""Shared by the stimuli of Limited Slow-Start: profiles, sources, and the first window.

By default datagrams have 1000 bytes, so that max_ssthresh is 100000. The initial window is the tested window;
a few packets of it are enough.
"""

from firstflight_conformance.format.builder import MS, StreamBuilder

RFC, PACKETS, LINUX, TOR = "rfc-3742", "rfc-3742-packets", "linux", "tor"
RFCS = (RFC, PACKETS)
ALL = (RFC, PACKETS, LINUX, TOR)
SOURCE = "RFC 3742, section 2"
RTT = 100 * MS


def acks(b: StreamBuilder, count: int, *, packets: int = 1, first: int = 0) -> None:
    """Acknowledge ``packets`` packets in each of ``count`` frames from packet ``first`` on, one per ms from 100 ms."""
    for index in range(count):
        begin = first + index * packets
        b.ack(RTT + (first + index) * MS, (begin, begin + packets - 1))
