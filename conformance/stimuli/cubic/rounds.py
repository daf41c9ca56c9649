"""Stimuli of CUBIC over many round trips, each recorded with the profile in the loop: the window is always full."""

from firstflight_conformance.format.builder import MS, US, S
from generate.catalogue import Catalogue
from stimuli.cubic.avoidance import RTT, AvoidanceBuilder

CATALOGUE = Catalogue("rfc-9438", sources=("RFC 9438",), builder=AvoidanceBuilder)
add = CATALOGUE.add


def after_loss(b: AvoidanceBuilder, rtt_ns: int = RTT) -> None:
    """Fill the window, lose a packet of it an RTT later, and continue a millisecond after that."""
    b.fill(0)
    b.lose_first(rtt_ns)
    b.now_ns = rtt_ns + MS


@add(
    "cubic.rounds.concave",
    "Eighteen round trips from a loss to just below the maximum",
    """A window of 60000: 42000 after the loss, K = cbrt(18000 / 480) = 3.347 s with datagrams of 1200. With an RTT of 180 ms the curve is ahead of Reno: the window rises fast,
    then more and more slowly, to the plateau at 60000.""",
    tier="core",
    initial_window_bytes=60_000,
)
def rounds_concave(b: AvoidanceBuilder) -> None:
    after_loss(b, 180 * MS)
    b.full_rounds(18, 180 * MS)


@add(
    "cubic.rounds.through-the-plateau",
    "From a loss over the plateau into the convex region",
    """300 ms of RTT and a window of 24000: 16800, K = cbrt(7200 / 480) = 2.466 s. After eight round trips the window is near W_max, after sixteen well above it.""",
    tier="core",
    initial_window_bytes=24_000,
)
def rounds_through_the_plateau(b: AvoidanceBuilder) -> None:
    after_loss(b, 300 * MS)
    b.full_rounds(16, 300 * MS)


@add(
    "cubic.rounds.reno-friendly",
    "A small bandwidth-delay product stays in the Reno-friendly region",
    """An RTT of 5 ms and a window of ten datagrams: the curve needs K = cbrt(3600 / 480) = 1.957 s, Reno far less. W_est grows by 9/17 of a datagram in each round trip until it reaches cwnd_prior
    12000, then by a whole datagram.""",
    tier="core",
)
def rounds_reno_friendly(b: AvoidanceBuilder) -> None:
    after_loss(b, 5 * MS)
    b.full_rounds(14, 5 * MS)


@add(
    "cubic.rounds.each-packet",
    "An ACK for each packet, and a window of a fractional number of datagrams",
    """An RTT of 5 ms, and eleven datagrams, 13200, that fall to 9240: the Reno-friendly region. Each ACK of one packet adds 9/17 of its share. A controller that counts acknowledged bytes
    up to a window and then subtracts the grown window falls below zero. With an unsigned count it grows by a datagram for every ACK from then on.""",
    tier="core",
    initial_window_bytes=13_200,
)
def rounds_each_packet(b: AvoidanceBuilder) -> None:
    after_loss(b, 5 * MS)
    b.full_rounds(7, 5 * MS, acks=65_535)


@add(
    "cubic.rounds.sawtooth",
    "Three losses: below, below and above the last maximum",
    """A loss every five round trips of 200 ms, the last after twelve. At the second and third loss the window is below the last maximum: fast convergence. At the fourth it is above.""",
    tier="core",
    initial_window_bytes=48_000,
)
def rounds_sawtooth(b: AvoidanceBuilder) -> None:
    after_loss(b, 200 * MS)
    for count in (5, 5, 12):
        b.full_rounds(count, 200 * MS)
        b.fill(b.now_ns)
        b.lose_first(b.now_ns + 200 * MS)
        b.now_ns += MS
    b.full_rounds(2, 200 * MS)


@add(
    "cubic.rounds.first-loss-in-slow-start",
    "From the first packet through slow start and a loss into the concave region",
    """10, 20 and 40 packets of 1200 bytes leave in slow start. At a loss of the third flight the window is 96000 - 1200 or so, and seven tenths remain.""",
    tier="core",
)
def rounds_first_loss_in_slow_start(b: AvoidanceBuilder) -> None:
    b.full_rounds(3)
    b.fill(b.now_ns)
    b.lose_first(b.now_ns + RTT)
    b.now_ns += MS
    b.full_rounds(5)


@add(
    "cubic.rounds.long-rtt",
    "A geostationary path: an RTT of 600 ms is a large part of K",
    """100000 bytes fall to 70000, K = cbrt(30000 / 480) = 3.969 s. The target one RTT ahead is far from the curve at the time of the ACK. A controller that aims at W_cubic(t)
    is late by a whole round trip.""",
    tier="core",
    initial_window_bytes=100_000,
)
def rounds_long_rtt(b: AvoidanceBuilder) -> None:
    after_loss(b, 600 * MS)
    b.full_rounds(9, 600 * MS)


@add(
    "cubic.rounds.tiny-rtt",
    "A path within a rack: an RTT of 20 microseconds",
    """K is 1.957 s, a hundred thousand round trips. In forty of them Reno is far above the curve; times in milliseconds are all 0.""",
    tier="core",
)
def rounds_tiny_rtt(b: AvoidanceBuilder) -> None:
    b.fill(0)
    b.lose_first(20 * US)
    b.now_ns = 25 * US
    for _ in range(12):
        b.fill(b.now_ns)
        b.acknowledge(b.now_ns + 20 * US)


@add(
    "cubic.rounds.huge-window",
    "A window of 2^50 bytes: K is two hours",
    """7/10 of 2^50, W_max - cwnd = 337769972052788 bytes, K = cbrt(337769972052788 / 480) s = 8894.9 s. The cubes are beyond 2^64 and 2^128; a controller in
    double precision has errors of several bytes. ACKs of full packets at times around K.""",
    tier="core",
    initial_window_bytes=2**50,
)
def rounds_huge_window(b: AvoidanceBuilder) -> None:
    b.send(0, 65_535)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 100))
    b.send(RTT + MS, 6)
    for packet, t_ns in enumerate((2 * RTT, S, 1000 * S, 8894 * S, 8896 * S, 100_000 * S)):
        b.ack(RTT + MS + t_ns, (65_535 + packet, 65_535 + packet))


@add(
    "cubic.rounds.largest-window",
    "Growth ends at the largest window",
    """The largest window, 2^62 - 1, falls to 7/10. Long after K the target is the largest window. An ACK of 2^48 - 1 bytes is too small to reach it; its share is exact.""",
    tier="core",
    max_datagram_size_bytes=65_535,
    initial_window_bytes=2**62 - 1,
)
def rounds_largest_window(b: AvoidanceBuilder) -> None:
    b.send(0, 65_535)
    b.lose(RTT, (0, 0))
    b.send(RTT + MS, 65_535)
    b.send(RTT + MS, 65_535)
    b.ack(2 * RTT, (65_535, 131_000))
    b.ack(10_000_000 * S, (131_001, 196_000))


@add(
    "cubic.rounds.delayed-acks",
    "ACKs of two packets grow the window like ACKs of single packets",
    """Half as many ACKs as packets. A controller that counts ACKs stays behind the curve. The model reaches the same window.""",
    tier="core",
    initial_window_bytes=60_000,
)
def rounds_delayed_acks(b: AvoidanceBuilder) -> None:
    after_loss(b, 180 * MS)
    for _ in range(8):
        b.fill(b.now_ns)
        b.acknowledge(b.now_ns + 180 * MS, acks=b.packets_in_flight() // 2)


@add(
    "cubic.rounds.rtt-shrinks",
    "When the RTT shrinks the window waits for the curve",
    """Six round trips of 500 ms bring the window ahead of the curve by its RTT. Then packets return after 10 ms: the target falls below the window. The window stays until the curve or W_est has reached it.""",
    tier="core",
    initial_window_bytes=36_000,
)
def rounds_rtt_shrinks(b: AvoidanceBuilder) -> None:
    after_loss(b, 500 * MS)
    b.full_rounds(3, 500 * MS)
    b.full_rounds(30, 10 * MS, acks=1)


@add(
    "cubic.rounds.no-rtt-sample",
    "Without any RTT sample the target is the curve itself",
    """No ACK gives a sample. If the curve is above W_est the window aims at W_cubic(t).""",
    tier="core",
    max_datagram_size_bytes=1000,
    initial_window_bytes=36_000,
)
def rounds_no_rtt_sample(b: AvoidanceBuilder) -> None:
    b.fill(0)
    b.lose(S, (0, 0))
    b.ack(S, (1, 35), sample=False)
    b.now_ns = S + MS
    for _ in range(4):
        b.fill(b.now_ns)
        b.acknowledge(b.now_ns + S, sample=False)


@add(
    "cubic.rounds.app-limited",
    "An application that pauses, sends little, and fills the window again",
    """Two full round trips of 200 ms, five app-limited round trips with two packets each, a second without packets, and two full round trips. Only the full rounds count.""",
    tier="core",
    initial_window_bytes=48_000,
)
def rounds_app_limited(b: AvoidanceBuilder) -> None:
    after_loss(b, 200 * MS)
    b.full_rounds(2, 200 * MS)
    for _ in range(5):
        b.fill(b.now_ns, most=2, app_limited=True)
        b.acknowledge(b.now_ns + 200 * MS, app_limited=True)
    b.now_ns += S
    b.full_rounds(3, 200 * MS)


@add(
    "cubic.rounds.ce-in-the-convex-region",
    "A CE mark far above the last maximum",
    """The window of 12000 falls to 8400, and twenty-five round trips of 150 ms take it above W_max. A CE mark then sets W_max to the window, without fast convergence.""",
    tier="core",
)
def rounds_ce_in_the_convex_region(b: AvoidanceBuilder) -> None:
    after_loss(b, 150 * MS)
    b.full_rounds(25, 150 * MS, acks=1)
    b.fill(b.now_ns)
    first, sent_ns = b.ledger.in_flight[0].first, b.now_ns
    b.ce(b.now_ns + 150 * MS, first, sent_ns)
    b.acknowledge(b.now_ns + 150 * MS)
    b.now_ns += MS
    b.full_rounds(3, 150 * MS)


@add(
    "cubic.rounds.persistent",
    "Persistent congestion, slow start to the threshold, and a stage that begins at its own maximum",
    """30000 falls to 21000, then to 2400. Slow start doubles it to 21000; K is 0 there, and the window rises only with the convex part of the curve.""",
    tier="core",
    initial_window_bytes=30_000,
)
def rounds_persistent(b: AvoidanceBuilder) -> None:
    b.fill(0)
    b.lose(RTT, (0, 24))
    b.persistent_congestion(RTT)
    b.now_ns = RTT + MS
    b.full_rounds(9, 250 * MS)


@add(
    "cubic.rounds.idle",
    "Five seconds with an empty flight do not advance the curve",
    """Four round trips of 200 ms, five seconds of silence, and six more: the window continues from its value. If the silence counts the curve is far beyond K, and the window grows by half in each round trip.""",
    tier="core",
    initial_window_bytes=96_000,
)
def rounds_idle(b: AvoidanceBuilder) -> None:
    after_loss(b, 200 * MS)
    b.full_rounds(4, 200 * MS)
    b.now_ns += 5 * S
    b.full_rounds(6, 200 * MS)


@add(
    "cubic.rounds.spurious",
    "After a spurious loss the curve continues to the old maximum",
    """Four round trips of 200 ms follow a loss that left 67200 of 96000. Then comes a loss that proves spurious a millisecond later, and eight more round trips. The window is restored, with W_max 96000 and the old stage. A sender that keeps W_max, the stage
    or the reduction follows another curve.""",
    tier="core",
    initial_window_bytes=96_000,
)
def rounds_spurious(b: AvoidanceBuilder) -> None:
    after_loss(b, 200 * MS)
    b.full_rounds(4, 200 * MS)
    b.fill(b.now_ns)
    first = b.ledger.in_flight[0].first
    b.lose(b.now_ns + 200 * MS, (first, first))
    b.spurious_loss(b.now_ns + 201 * MS)
    b.now_ns += 201 * MS
    b.acknowledge(b.now_ns)
    b.full_rounds(8, 200 * MS)


@add(
    "cubic.rounds.two-losses-beyond-32-bits",
    "Fast convergence beyond 32 bits",
    """2^34 falls to 12025908428, and a second loss leaves 8418135899: cwnd_prior is 12025908428, and W_max is
    floor(12025908428 * 17 / 20) = 10222022163. K = cbrt((10222022163 - 8418135899) * 5 / 131070) = 40.979 s. The first ACK of a packet begins
    the stage with the target W_cubic(0.1 s) = 8431309713: growth is 65535 * (8431309713 - 8418135899) / 8418135899 =
    102.56. The second ACK comes 1 ms later, the smoothed RTT is 100.125 ms, and the target W_cubic(0.101125 s) = 8431457553. Five hundred packets
    add 500 * 65535 * (8431457553 - 8418136001) / 8418136001 = 51853.99. With W_max in 32 bits the window is above W_max, K is 0, and both ACKs add
    less than a byte for each packet.""",
    tier="core",
    max_datagram_size_bytes=65_535,
    initial_window_bytes=2**34,
)
def rounds_two_losses_beyond_32_bits(b: AvoidanceBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 9))
    b.send(RTT + MS, 10)
    b.lose(2 * RTT + MS, (10, 10))
    b.ack(2 * RTT + MS, (11, 19))
    b.send(2 * RTT + 2 * MS, 501)
    b.ack(3 * RTT + 2 * MS, (20, 20))
    b.expect(cwnd_bytes=8_418_136_001)
    b.ack(3 * RTT + 3 * MS, (21, 520))
    b.expect(cwnd_bytes=8_418_187_855)


@add(
    "cubic.rounds.persistent-beyond-32-bits",
    "After persistent congestion the first window above 32 bits becomes W_max",
    """6500000000 falls to 4550000000, and persistent congestion leaves 2 * 65535 = 131070. Slow start doubles that
    fifteen times to 65536 * 65535 = 4294901760, and 3893 of the next packets reach the threshold: 4550029515 begins a stage with K = 0
    and W_max = 4550029515. The other 61642 packets of the ACK raise W_est by (9/17) * 65535 * 61642 * 65535 / 4550029515
    = 30803.4, to 4550060318. The next flight returns after 10 s: W_cubic(10 s) = 4550029515 + 26214 * 10^3 is above W_est, and the
    target W_cubic(11.3375 s) = 4588231435. 32767 packets add 32767 * 65535 * (4588231435 - 4550060318) / 4550060318 =
    18014727.6, to 4568075046. In 32 bits W_max is 4550029515 - 4294967296 = 255062219, and the window follows W_est.""",
    tier="core",
    max_datagram_size_bytes=65_535,
    initial_window_bytes=6_500_000_000,
)
def rounds_persistent_beyond_32_bits(b: AvoidanceBuilder) -> None:
    b.send(0, 1)
    b.ack(RTT, (0, 0), app_limited=True)
    for t_ns in (200 * MS, 300 * MS, 1900 * MS, 2 * S):
        b.send(t_ns, 1, app_limited=True)
    b.ack(2 * S + RTT, (4, 4), app_limited=True)
    b.lose(2 * S + RTT, (1, 3))
    b.persistent_congestion(2 * S + RTT)
    b.expect(cwnd_bytes=131_070, ssthresh_bytes=4_550_000_000)
    b.now_ns = 2 * S + RTT + MS
    for _ in range(16):
        b.fill(b.now_ns)
        b.acknowledge(b.now_ns + RTT, acks=1)
    b.expect(outcome="grown_avoidance", cwnd_bytes=4_550_060_318, w_max_bytes=4_550_029_515)
    b.fill(b.now_ns)
    b.acknowledge(b.now_ns + 10 * S, acks=2)
    b.expect(at=len(b.events) - 2, cwnd_bytes=4_568_075_046)
