"""Shared by the stimuli of HyStart: profiles, sources, and the sender in the loop with the model.

Defaults: packets of 1200 bytes and an initial window of ten. At every ACK the sender fills the
window: two packets in slow start. The initial window is spread over 10 ms, so that ACKs come in trains of
10 ms, which half of 101 ms allows.
"""

from firstflight_conformance.format.builder import StreamBuilder
from stimuli.clocked import Clocked

LINUX, PACED, OLD, GOOGLE = "linux", "linux-paced", "linux-5-16", "google-quic"
SOURCES = ("Linux, net/ipv4/tcp_cubic.c", "quic-go, internal/congestion/hybrid_slow_start.go")


def clocked(b: StreamBuilder, profile: str = LINUX) -> Clocked:
    """Return a sender in the loop with HyStart."""
    return Clocked(b, "hystart", profile)
