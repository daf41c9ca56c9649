"""Hand-built stimuli of JumpStart for Scharf's profile and the simulator of the thesis.

`why` derives the expectation. By default packets have 1200 bytes and the initial window has ten packets,
as in quicly's unit tests.
"""

from firstflight_conformance.format.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import NS3, RTT, SCHARF, ready

CATALOGUE = Catalogue(NS3, sources=("Grigore, TU Delft 2025, and the code of its simulator",))
add = CATALOGUE.add


@add(
    "jumpstart.scharf.cap",
    "At most u = 65536 bytes, the last packet short",
    """10^6 bytes are queued: 65536 bytes leave in 46 packets, the last with 65536 - 45 * 1448 = 376 bytes. Packet i leaves
    after i times 1448/65536 of the RTT, rounded down. The second leaves after floor(1448 * 100 ms / 65536) = 2209472 ns,
    the last after floor(45 * 1448 * 100 ms / 65536) = 99426269 ns. Whole packets only would be 45.""",
    profiles=(SCHARF,),
    sources=("Scharf, Networking 2009",),
    max_datagram_size_bytes=1448,
    flags=("paced",),
)
def scharf_cap(b: StreamBuilder) -> None:
    ready(b, 10**6, 10**6)
    for index in range(45):
        b.send(index * 1448 * RTT // 65536, 1)
    b.send(45 * 1448 * RTT // 65536, 1, 376)
    b.ack(RTT, (0, 0))
    b.expect(at=0, cwnd_bytes=65_536, planned_packets=46)
    b.expect(at=1, next_release_ns=1_002_209_472)
    b.expect(at=45, next_release_ns=1_099_426_269)


@add(
    "jumpstart.ns3.schedule",
    "The simulator: 122 packets at 6/5 of the rate, then silence",
    """65536 bytes hold 122 whole packets of 536. At 6/5 of 65536 bytes in 54 ms one leaves every 536 * 54 * 5 / (65536
    * 6) ms = 0.36804199 ms, the second after 368041 ns, the last after 44.533081 ms. Then the sender waits for the first
    ACK. The window is full, and grows by a packet for 20 acknowledged packets: the ACKs of 1, 2, ... 2 packets reach 21 with
    the eleventh: 66072. One packet is left over, so 19 more suffice: nine ACKs of 2 and one of 1, 66608.""",
    max_datagram_size_bytes=536,
    initial_window_bytes=5360,
    flags=("paced",),
)
def ns3_schedule(b: StreamBuilder) -> None:
    rtt_ns = 54 * MS
    ready(b, 10**6, 2**20, rtt_ns)
    for index in range(122):
        b.send(index * 536 * rtt_ns * 5 // (65536 * 6), 1)
    b.ack(54 * MS, (0, 0))
    for first in range(1, 39, 2):
        b.ack(54 * MS + (first + 1) * 368 * US, (first, first + 1))
    b.ack(54 * MS + 40 * 368 * US, (39, 39))
    b.expect(at=0, cwnd_bytes=65_536, planned_packets=122)
    b.expect(at=1, next_release_ns=1_000_368_041)
    b.expect(at=121, next_release_ns=1_044_533_081)
    b.expect(at=133, cwnd_bytes=66_072)
    b.expect(cwnd_bytes=66_608)


@add(
    "jumpstart.ns3.loss",
    "The simulator: 7/10 of the whole packets at a loss, without accounting",
    """The window of 65536 bytes holds 122 packets, 7/10 of them are 85: 85 * 536 = 45560, threshold too. At the end
    of recovery the repair only adds the growth of congestion avoidance. The behaviour of CUBIC after a loss is not described.""",
    max_datagram_size_bytes=536,
    initial_window_bytes=5360,
)
def ns3_loss(b: StreamBuilder) -> None:
    ready(b, 10**6, 2**20, 54 * MS)
    b.send(45 * MS, 122)
    b.lose(110 * MS, (0, 0))
    b.expect(cwnd_bytes=45_560, ssthresh_bytes=45_560)
    b.ack(110 * MS, (1, 121))


@add(
    "jumpstart.ns3.no-sample",
    "100 ms without an RTT sample, as in the code of the simulator",
    """65536 bytes in 0.1 s at 6/5 of the rate: the second packet of 1200 leaves after 1200 * 100 * 5 / (65536 * 6) ms =
    1.525878 ms. floor(65536 / 1200) = 54 packets fit. The remaining 65536 - 54 * 1200 = 736 bytes are too few for a packet.""",
    flags=("paced",),
)
def ns3_no_sample(b: StreamBuilder) -> None:
    ready(b, 10**6, 10**6, None)
    b.send(0, 1)
    b.expect(at=0, cwnd_bytes=65_536, planned_packets=54)
    b.expect(next_release_ns=1_001_525_878)


@add(
    "jumpstart.ns3.part-of-a-packet",
    "The simulator: a window of a fractional number of packets",
    """floor(65536 / 1200) = 54 packets fit, and packet 53 leaves after floor(53 * 1200 * 100 ms * 5 / (65536 * 6)) =
    80871582 ns. The ACK of 20 packets adds one: 65536 + 1200 = 66736. Packet 20 is lost: floor(66736 / 1200) = 55
    packets, floor(55 * 7 / 10) = 38, and 38 * 1200 = 45600.""",
    flags=("paced", "same-time-order"),
)
def ns3_part_of_a_packet(b: StreamBuilder) -> None:
    ready(b, 54 * 1200, 10**6)
    b.send(80 * MS, 53)
    b.expect(next_release_ns=1_080_871_582)
    b.send(81 * MS, 1)
    b.ack(180 * MS, (0, 19))
    b.expect(cwnd_bytes=66_736)
    b.lose(181 * MS, (20, 20))
    b.expect(cwnd_bytes=45_600, ssthresh_bytes=45_600)
    b.ack(181 * MS, (21, 53))


@add(
    "jumpstart.ns3.slow-start-before",
    "The simulator: slow start until data for the jump is ready",
    """Ten packets fill the initial window, 10 * 1200 = 12000. Two of them are acknowledged: 12000 + 2 * 1200 = 14400, as
    the threshold is infinite. Counting 20 packets for one of growth leaves 12000. One more packet leaves: 8 * 1200 +
    1200 = 10800 are in flight, and 10800 + 1200 = 12000 is within 14400. The window is not full, so the ACK of two
    more packets leaves 14400. Then the jump sets window and threshold to 65536. The simulator jumps at the start;
    that a later jump keeps this test is ours.""",
)
def ns3_slow_start_before(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 1))
    b.expect(outcome="grown", cwnd_bytes=14_400, phase="slow_start")
    b.send(RTT, 1)
    b.ack(RTT + MS, (2, 3))
    b.expect(outcome="window_not_full", cwnd_bytes=14_400, phase="slow_start")
    b.backlog(RTT + MS, 10**6, 10**6)
    b.expect(outcome="jump_begun", cwnd_bytes=65_536, ssthresh_bytes=65_536)


@add(
    "jumpstart.ns3.no-sample-later-packet",
    "The simulator: the default RTT, to the nanosecond",
    """Without a sample the RTT is 0.1 s. At 6/5 of the rate packet 50 leaves after floor(50 * 1200 * 100000000 * 5 /
    (65536 * 6)) = 76293945, in ns. With an RTT that is 1 ns shorter it is floor(50 * 1200 * 99999999 * 5 / (65536 *
    6)) = 76293944. With an RTT that is 1 ns longer it is floor(50 * 1200 * 100000001 * 5 / (65536 * 6)) = 76293946.""",
    flags=("paced",),
)
def ns3_no_sample_later_packet(b: StreamBuilder) -> None:
    ready(b, 10**6, 10**6, None)
    b.send(75 * MS, 50)
    b.expect(sent_packets=50, next_release_ns=1_076_293_945)


@add(
    "jumpstart.ns3.larger-window-not-full",
    "The simulator: a grown window counts again once it is full",
    """54 packets of 1200 bytes leave, which fill the window of 65536. The ACK of 20 adds one: 65536 + 1200 = 66736.
    20 new packets make it 54 in flight again: 64800 + 1200 = 66000 is within 66736, so one more packet fits. The ACK
    of the next 20 does not count. 21 new packets make it 55 in flight: 66000 + 1200 = 67200, and the window is full.
    The ACKs of 14 and 6 packets are 20 again: 66736 + 1200 = 67936.""",
)
def ns3_larger_window_not_full(b: StreamBuilder) -> None:
    ready(b, 10**6, 10**6)
    b.send(81 * MS, 54)
    b.ack(181 * MS, (0, 19))
    b.expect(outcome="grown_avoidance", cwnd_bytes=66_736)
    b.send(181 * MS, 20)
    b.ack(190 * MS, (20, 39))
    b.expect(outcome="window_not_full", cwnd_bytes=66_736)
    b.send(190 * MS, 21)
    b.ack(200 * MS, (40, 53))
    b.expect(outcome="grown_avoidance", cwnd_bytes=66_736)
    b.ack(281 * MS, (54, 59))
    b.expect(outcome="grown_avoidance", cwnd_bytes=67_936)


@add(
    "jumpstart.ns3.full-before-jump",
    "The simulator: packets that filled the window before the jump count in it",
    """Ten packets of 1200 bytes fill the initial window: 10 * 1200 = 12000. A millisecond before their ACK more data
    is ready, and window and threshold become 65536. No packet of the flight has left yet, so the last sent packets
    still fill their window. The ACK counts ten. 54 packets leave, 54 * 1200 = 64800 bytes, which fill the window
    again. The ACK of their first ten makes 20: 65536 + 1200 = 66736. The simulator jumps at the start; that a later
    jump keeps this test is ours.""",
)
def ns3_full_before_jump(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.backlog(99 * MS, 10**6, 10**6)
    b.expect(outcome="jump_begun", cwnd_bytes=65_536, ssthresh_bytes=65_536)
    b.ack(RTT, (0, 9))
    b.expect(outcome="grown_avoidance", cwnd_bytes=65_536)
    b.send(180 * MS, 54)
    b.ack(280 * MS, (10, 19))
    b.expect(outcome="grown_avoidance", cwnd_bytes=66_736)


@add(
    "jumpstart.ns3.one-packet-left",
    "The simulator: a window with room for exactly one packet is not full",
    """65536 bytes hold 64 packets of 1024. Only 63 packets are written and leave: 63 * 1024 = 64512 bytes are in
    flight, and 64512 + 1024 = 65536 is within the window. The ACK of 20 packets does not count. 21 packets are written
    later and make it 63 - 20 + 21 = 64 in flight, which fill the window. The ACK of the next 20 adds one packet:
    65536 + 1024 = 66560.""",
    max_datagram_size_bytes=1024,
    initial_window_bytes=10_240,
)
def ns3_one_packet_left(b: StreamBuilder) -> None:
    ready(b, 63 * 1024, 10**6)
    b.expect(planned_packets=64, cwnd_bytes=65_536)
    b.send(81 * MS, 63)
    b.ack(181 * MS, (0, 19))
    b.expect(outcome="window_not_full", cwnd_bytes=65_536)
    b.send(182 * MS, 21)
    b.expect(sent_packets=64, cwnd_bytes=65_536)
    b.ack(183 * MS, (20, 39))
    b.expect(outcome="grown_avoidance", cwnd_bytes=66_560)


@add(
    "jumpstart.ns3.large-window",
    "The simulator: a window of more than 16 bits stays, and more than 255 packets count",
    """The initial window is configured as 300000 bytes, more than 2^16 = 65536: window and threshold are 300000. 300 packets
    fill it. One ACK of all of them finds at least 20 packets, and adds one: 300000 + 1000 = 301000. 300 - 20 = 280 are
    left. 301 packets fill the window. Their first ACK finds 280 + 1 = 281: 302000. The second one finds 281 - 20 + 1 =
    262: 303000. In 8 bits the count is 300 - 256 = 44, then 44 - 20 + 1 = 25 and 25 - 20 + 1 = 6: 302000 stays.""",
    max_datagram_size_bytes=1000,
    initial_window_bytes=300_000,
)
def ns3_large_window(b: StreamBuilder) -> None:
    ready(b, 10**6, 10**6)
    b.expect(outcome="jump_begun", cwnd_bytes=300_000, ssthresh_bytes=300_000)
    b.send(RTT, 300)
    b.ack(2 * RTT, (0, 299))
    b.expect(outcome="grown_avoidance", cwnd_bytes=301_000)
    b.send(2 * RTT, 301)
    b.ack(3 * RTT, (300, 300))
    b.expect(outcome="grown_avoidance", cwnd_bytes=302_000)
    b.ack(3 * RTT + MS, (301, 301))
    b.expect(outcome="grown_avoidance", cwnd_bytes=303_000)
