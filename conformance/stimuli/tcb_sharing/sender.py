"""Shared by the stimuli of TCB sharing: profiles, sources, and the cached set.

Datagrams have 1000 bytes, the initial window is 10000. Defaults of the cache: a window of 40000, an RTT of 100 ms, and
a threshold of half of the window, 20000.
"""

from typing import Any

from firstflight_conformance.format.builder import MS
from stimuli.careful_resume.builder import ResumeBuilder

RFC, LINUX, FREEBSD, FREEBSD_WINDOW, STATEFUL = "rfc-9040", "linux", "freebsd", "freebsd-window", "stateful-tcp"
SOURCE = "RFC 9040, section 6"
METRICS = "torvalds/linux @ 00ca9c5b, net/ipv4/tcp_metrics.c"
HOSTCACHE = "freebsd/freebsd-src @ 007bb212, sys/netinet/tcp_input.c"
CODE = "mclab-cuhk/Stateful-TCP @ 995b6a36, scubic_release.c"
RTT = 100 * MS
GAP = 2500_000


def share(b: ResumeBuilder, cwnd_bytes: int = 40_000, **offer: Any) -> None:
    """Offer the cached set at the beginning."""
    b.saved_path(0, cwnd_bytes, RTT, **offer)


def paced(b: ResumeBuilder, packets: int) -> None:
    """Send packets at the cached rate: 40000 bytes in 100 ms, one each 2.5 ms."""
    for index in range(packets):
        b.send(index * GAP, 1)
