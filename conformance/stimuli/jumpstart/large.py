"""Stimuli of JumpStart with numbers beyond 16, 31 and 32 bits: packets of a flight, windows, and a smoothed RTT."""

from firstflight_conformance.format.builder import MS, S, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import FOOTNOTE, PFLDNET, QUICLY, RTT, SCHARF, lose_and_ack, ready

CATALOGUE = Catalogue(PFLDNET, sources=("Liu et al., PFLDnet 2007", "Scharf, Networking 2009"))
add = CATALOGUE.add


@add(
    "jumpstart.large.seventy-thousand-packets",
    "A flight of more than 2^16 packets",
    """84000000 bytes are ready: D = 70000 packets of 1200 bytes. 65535 of them have left after 65534/70000 of the RTT. Then the
    receive window shrinks to 3000000 bytes, 3000000 / 1200 = 2500 packets: the flight ends with packet 65535 + 2500 = 68035. The loss of packet 30000
    halves the window to 42000000. Its repair makes R = 1, and the window floor((68035 - 1) / 2) = 34017
    packets, 40820400 bytes. In 16 bits a flight of 70000 packets ends after
    70000 - 65536 = 4464.""",
    profiles=(PFLDNET, FOOTNOTE),
    flags=("paced",),
)
def seventy_thousand_packets(b: StreamBuilder) -> None:
    ready(b, 84_000_000, 84_000_000)
    b.expect(outcome="jump_begun", cwnd_bytes=84_000_000, planned_packets=70_000)
    b.send(94 * MS, 65_535)
    b.expect(phase="jump", sent_packets=65_535)
    b.backlog(94 * MS, 84_000_000, 3_000_000)
    b.expect(outcome="jump_changed", phase="jump")
    b.send(98 * MS, 2500)
    b.expect(outcome="jump_sent", sent_packets=68_035)
    lose_and_ack(b, RTT, (30_000, 30_000), (0, 29_999), (30_001, 68_034))
    b.expect(outcome="in_recovery", cwnd_bytes=42_000_000)
    b.send(RTT, 1, repeats=((30_000, 30_000),))
    b.ack(2 * RTT, (68_035, 68_035))
    b.expect(profile=PFLDNET, outcome="jump_accounted", repeated_packets=1, cwnd_bytes=40_820_400)


@add(
    "jumpstart.large.initial-window",
    "A window beyond 32 bits is larger than the flight and stays",
    """The initial window is 2^33 = 8589934592 bytes and stays in a jump of ten packets. After the flight one ACK adds a
    packet: 8589935792. In 32 bits the window is 0 at the start of the jump.""",
    profiles=(SCHARF,),
    initial_window_bytes=2**33,
    flags=("paced",),
)
def initial_window(b: StreamBuilder) -> None:
    ready(b, 12_000)
    b.expect(outcome="jump_begun", cwnd_bytes=8_589_934_592, planned_packets=10)
    for packet in range(10):
        b.send(packet * RTT // 10, 1)
    b.ack(RTT, (0, 0))
    b.expect(outcome="grown", cwnd_bytes=8_589_935_792)


@add(
    "jumpstart.large.in-flight",
    "Half of more than 2^32 bytes in flight",
    """Two runs of 65535 packets make 131070 * 65535 = 8589672450 bytes in flight, of a window of 2^33. The loss of packet 0
    leaves half of the bytes in flight: 4294836225. In 32 bits 8589672450 - 4294967296 = 4294705154 bytes are in flight,
    and half of that is
    4294705154 / 2 = 2147352577.""",
    profiles=(SCHARF,),
    max_datagram_size_bytes=65_535,
    initial_window_bytes=2**33,
)
def in_flight(b: StreamBuilder) -> None:
    b.send(0, 65_535)
    b.send(0, 65_535)
    b.lose(RTT, (0, 0))
    b.expect(outcome="reduced", cwnd_bytes=4_294_836_225, ssthresh_bytes=4_294_836_225)


@add(
    "jumpstart.large.smoothed-rtt",
    "A smoothed RTT of five seconds",
    """The ACK of two packets gives the RTT 5 s. The flight of 20 packets lasts 5 s, and after the first ten packets
    the eleventh leaves 2 * 5 s / 20 = 500 ms after the start. In 31 bits the RTT is 5000000000 - 2 * 2147483648 =
    705032704, in ns, and the packet leaves after 70.5 ms.""",
    profiles=(QUICLY,),
    sources=("h2o/quicly, include/quicly/cc.h, lib/cc-reno.c, lib/quicly.c",),
    flags=("paced",),
)
def smoothed_rtt(b: StreamBuilder) -> None:
    b.send(0, 2)
    b.ack(5 * S, (0, 1))
    b.backlog(5 * S, 10**6, 10**6, 5 * S)
    b.expect(outcome="jump_begun", cwnd_bytes=24_000)
    b.send(5 * S, 10)
    b.expect(next_release_ns=6_500_000_000)
    b.send(5500 * MS, 2)
