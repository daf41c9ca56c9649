"""Hand-built stimuli of JumpStart at a rate set by the application: Scharf's More-Start.

`why` derives the expectation. Defaults: packets of 1000 bytes, an initial window of ten packets, an RTT of 100 ms,
a rate of 10 Mbit/s (0.8 ms per packet).
"""

from functools import partial

from firstflight_conformance.format.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import RTT, SCHARF, lose_and_ack, ready

MORE = "more-start"
GAP = 800 * US

CATALOGUE = Catalogue(MORE, sources=("Scharf, Networking 2009, as notes have it",))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000)


def at_rate(b: StreamBuilder, packets: int) -> None:
    """Send packets at the rate."""
    for index in range(packets):
        b.send(index * GAP, 1)


@add(
    "jumpstart.more-start.flight",
    "The first flight is the rate times an RTT",
    """10 Mbit/s are 10000000 / 8 = 1250000 bytes a second, 125000 in 100 ms: 125 packets, one every 8000 * 1000 / 10 = 800000, in ns. Jump-Start sends at most 64 * 1024 =
    65536 bytes, a packet every floor(1000 * 100000000 / 65536) = 1525878.""",
    profiles=(MORE, SCHARF),
    flags=("paced",),
)
def more_start_flight(b: StreamBuilder) -> None:
    ready(b, 10**6, 10**6)
    b.expect(outcome="jump_begun", cwnd_bytes=125_000, planned_packets=125, profile=MORE)
    b.expect(cwnd_bytes=65_536, planned_packets=66, profile=SCHARF)
    b.send(0, 1)
    b.expect(next_release_ns=1_000_800_000, profile=MORE)
    b.expect(next_release_ns=1_001_525_878, profile=SCHARF)


@add(
    "jumpstart.more-start.little-queued",
    "Queued data leaves at the rate, not over an RTT",
    """20000 bytes are queued: 20 packets, one every 0.8 ms. Jump-Start spreads them over the RTT, one every 5 ms. The window is 20000 in both.""",
    profiles=(MORE, SCHARF),
    flags=("paced",),
)
def more_start_little_queued(b: StreamBuilder) -> None:
    ready(b)
    b.expect(cwnd_bytes=20_000, planned_packets=20)
    b.send(0, 1)
    b.expect(next_release_ns=1_000_800_000, profile=MORE)
    b.expect(next_release_ns=1_005_000_000, profile=SCHARF)


@add(
    "jumpstart.more-start.rounded-down",
    "The bytes of an RTT are rounded down",
    """The RTT is a nanosecond too short for 125 packets: floor(99999999 * 10 / 8000) = 124999 bytes, in 125 packets; the last packet lacks a byte.""",
)
def more_start_rounded_down(b: StreamBuilder) -> None:
    ready(b, 10**6, 10**6, RTT - 1)
    b.expect(cwnd_bytes=124_999, planned_packets=125)


@add(
    "jumpstart.more-start.larger-window",
    "A rate below the initial window per RTT does not change the window",
    "In 1 ms the rate sends 1000000 * 10 / 8000 = 1250 bytes, two packets. The window stays 10000. The second packet leaves after 0.8 ms.",
    flags=("paced",),
)
def more_start_larger_window(b: StreamBuilder) -> None:
    ready(b, 10**6, 10**6, MS)
    b.expect(cwnd_bytes=10_000, planned_packets=2)
    b.send(0, 1)
    b.expect(next_release_ns=1_000_800_000)


@add(
    "jumpstart.more-start.receive-window",
    "The receive window bounds the flight as in Jump-Start",
    "10000000 / 80 = 125000 bytes would leave in the RTT; 50000 are allowed, 50 packets.",
)
def more_start_receive_window(b: StreamBuilder) -> None:
    ready(b, 10**6, 50_000)
    b.expect(cwnd_bytes=50_000, planned_packets=50)


@add(
    "jumpstart.more-start.growth",
    "After the flight slow start continues by a packet per ACK",
    "All 20 packets that are queued leave by 15.2 ms. Ten ACKs of two packets grow the window from 20000 to 30000.",
    flags=("paced",),
)
def more_start_growth(b: StreamBuilder) -> None:
    ready(b)
    at_rate(b, 20)
    b.expect(outcome="jump_sent", next_release_ns=None)
    for packet in range(0, 20, 2):
        b.ack(RTT + (packet + 1) * GAP, (packet, packet + 1))
    b.expect(outcome="grown", cwnd_bytes=30_000, phase="slow_start")


@add(
    "jumpstart.more-start.loss",
    "A loss in the flight is accounted for as in Jump-Start",
    """D = 20. Packet 0 is lost: half of the 20000 bytes in flight, 10000. Packet 0 is repeated once, so that the end of recovery leaves (20 - 1) / 2 packets, 9000 bytes.""",
    flags=("paced",),
)
def more_start_loss(b: StreamBuilder) -> None:
    ready(b)
    at_rate(b, 20)
    lose_and_ack(b, RTT + 3 * GAP, (0, 0), (1, 19))
    b.expect(at=21, outcome="reduced", cwnd_bytes=10_000)
    b.send(RTT + 4 * GAP, 1, repeats=((0, 0),))
    b.ack(2 * RTT + 4 * GAP, (20, 20))
    b.expect(outcome="jump_accounted", cwnd_bytes=9000, ssthresh_bytes=9000)


@add(
    "jumpstart.more-start.after-idle",
    "After an idle period More-Start uses the rate again",
    "The 20 packets arrive. After five idle seconds as many leave at the rate, the second 0.8 ms after the first. The window is already larger: 20000 + 1000 = 21000.",
    flags=("paced",),
)
def more_start_after_idle(b: StreamBuilder) -> None:
    ready(b)
    at_rate(b, 20)
    b.ack(2 * RTT, (0, 19))
    b.idle_restart(5000 * MS)
    b.expect(outcome="jump_rearmed")
    b.backlog(5000 * MS, 20_000)
    b.expect(outcome="jump_begun", cwnd_bytes=21_000)
    b.send(5000 * MS, 1)
    b.expect(next_release_ns=6_000_800_000)
