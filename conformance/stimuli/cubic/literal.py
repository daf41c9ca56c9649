"""Hand-built stimuli of CUBIC: differences of the text as printed.

For gold vectors `why` derives the expectation.
"""

from firstflight_conformance.format.builder import MS, S, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.cubic.avoidance import RTT, WINDOW, AvoidanceBuilder, begin_stage, lose_at
from stimuli.newreno.persistent import established

CATALOGUE = Catalogue("rfc-9438", sources=("RFC 9438",), builder=AvoidanceBuilder)
add = CATALOGUE.add


@add(
    "cubic.literal.per-ack",
    "Literally, every ACK grows the window by one segment's share",
    """25200 after the loss. Packet 36 is acknowledged in slow start, as the window equals the threshold: 26200. Packet
    37 begins a stage at t = 0: W_est = 26200 + (9/17) * 1000 * 1000 / 26200 = 26220.206, and the window too. The
    curve covers 36000 - 26200 = 9800 in K, the cube root of 9800 / 400 = 24.5, 2.904393 s. An ACK of ten
    packets at t = 1 s: W_cubic(1 s) = 36000 - floor(400 * 1.904393^3) = 36000 - 2762 = 33238 is not less than W_est. The
    target is W_cubic(2 s) = 36000 - floor(400 * 0.904393^3) = 36000 - 295 = 35705. The window grows once: (35705 -
    26220) * 1000 / 26220 = 361.747 to 26581. If bytes count, growth is (35705 - 26220) * 10000 / 26220 = 3617.47, to
    26220.206 + 3617.47 = 29837.68.""",
    profiles=("rfc-9438-literal",),
    **WINDOW,
)
def literal_per_ack(b: StreamBuilder) -> None:
    begin_stage(b)
    b.expect(at=4, outcome="grown", cwnd_bytes=26_200, epoch_start_ns=None)
    b.ack(2 * S + MS, (37, 37))
    b.expect(outcome="grown_avoidance", cwnd_bytes=26_220, w_max_bytes=36_000)
    b.ack(3 * S + MS, (52, 61))
    b.expect(cwnd_bytes=26_581)


@add(
    "cubic.literal.at-threshold",
    "Literally, a window that equals the threshold is in slow start",
    """36000 falls to 25200, and so does the threshold. An ACK of two packets ends recovery. The first is acknowledged
    in slow start, 25200 + 1000 = 26200. The second, above the threshold, begins a stage: W_est = 26200 + (9/17) * 1000
    * 1000 / 26200 = 26220.2. RFC 9002 has congestion avoidance from the threshold on: 25200 + (9/17) * 1000 * 2000 /
    25200 = 25242.""",
    profiles=("rfc-9438", "rfc-9438-literal"),
    **WINDOW,
)
def literal_at_threshold(b: StreamBuilder) -> None:
    b.send(0, 36)
    b.lose(S, (0, 0))
    b.expect(cwnd_bytes=25_200, ssthresh_bytes=25_200, profile="rfc-9438")
    b.ack(S, (1, 35))
    b.send(S + MS, 25)
    b.ack(2 * S + MS, (36, 37))
    b.expect(cwnd_bytes=25_242, phase="congestion_avoidance", profile="rfc-9438")
    b.expect(cwnd_bytes=26_220, phase="congestion_avoidance", profile="rfc-9438-literal")


@add(
    "cubic.literal.flight",
    "Literally, seven tenths of the flight size remain",
    """18000 of 36000 bytes are in flight when packet 0 is lost: 12600. An ACK of six packets leaves 11000 in flight,
    one more packet is sent and marked: 12000 * 7 / 10 = 8400. cwnd_prior is still the window, and W_max 17/20 of
    it, 10710.""",
    profiles=("rfc-9438-literal",),
    **WINDOW,
)
def literal_flight(b: StreamBuilder) -> None:
    b.send(0, 18)
    b.lose(RTT, (0, 0))
    b.ack(RTT, (1, 6))
    b.send(RTT + MS, 1)
    b.ce(RTT + 2 * MS, 18, RTT + MS)
    b.expect(at=1, cwnd_bytes=12_600)
    b.expect(cwnd_bytes=8400, w_max_bytes=10_710, cwnd_prior_bytes=12_600)


@add(
    "cubic.literal.estimate-counts-bytes",
    "Literally, too, W_est counts segments",
    """An ACK covers ten packets. The first is acknowledged in slow start, 25200 + 1000 = 26200, and the others begin
    the stage: W_est = 26200 + (9/17) * 1000 * 9000 / 26200 = 26381.9, and W_cubic(0) = 26200 is less. Counting the ACK once
    gives 26200 + (9/17) * 1000 * 1000 / 26200 = 26220.2.""",
    profiles=("rfc-9438-literal",),
    **WINDOW,
)
def literal_estimate_counts_bytes(b: StreamBuilder) -> None:
    lose_at(b, S)
    b.send(S + MS, 25)
    b.ack(2 * S + MS, (36, 45))
    b.expect(cwnd_bytes=26_381)


@add(
    "cubic.literal.small-packet",
    "Literally, an ACK counts as one segment, even if it empties the flight or covers a small packet",
    """The ACK of packets 36 and 37 begins a stage as in cubic.literal.per-ack: 26200 + (9/17) * 1000 * 1000 / 26200 =
    26220.206, with K = 2.904393 s. The whole flight is acknowledged at t = 1 s: growth is (35705 - 26220) * 1000 /
    26220 = 361.747, to 26220.206 + 361.747 = 26581.953. A packet of 220 bytes is the first of the next flight, and
    its ACK arrives at t = 2 s. The target W_cubic(3 s) is 36000 + floor(400 * 0.095607^3) = 36000: growth is (36000 -
    26581) * 1000 / 26581 = 354.351, to 26581.953 + 354.351 = 26936.304. A sender that counts 220 bytes has 26581.953
    + 354.351 * 220 / 1000 = 26659.910.""",
    profiles=("rfc-9438-literal",),
    flags=("same-time-order",),
    **WINDOW,
)
def literal_small_packet(b: StreamBuilder) -> None:
    lose_at(b, S)
    b.send(S + MS, 25)
    b.ack(2 * S + MS, (36, 37))
    b.expect(cwnd_bytes=26_220, w_max_bytes=36_000)
    b.send(2 * S + MS, 3)
    b.ack(3 * S + MS, (38, 63))
    b.expect(cwnd_bytes=26_581)
    b.send_sizes(3 * S + MS, [(1, 220), (26, 1000)])
    b.ack(4 * S + MS, (64, 64))
    b.expect(cwnd_bytes=26_936)


@add(
    "cubic.literal.flight-of-two-losses",
    "Literally, the flight size includes all packets that are lost together",
    """Packets 0 and 1 are lost together while 12000 bytes are in flight: 12000 * 7 / 10 = 8400. A sender that
    processes them one by one, after both have left the flight, counts 9600 + 1200 = 10800 bytes, and has 10800 * 7 /
    10 = 7560.""",
    profiles=("rfc-9438", "rfc-9438-literal"),
)
def literal_flight_of_two_losses(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 1))
    b.expect(outcome="reduced", cwnd_bytes=8400, ssthresh_bytes=8400)


@add(
    "cubic.literal.flight-after-ack",
    "Literally, acknowledged packets have left the flight when a CE mark arrives",
    """Three packets are acknowledged: 12000 + 3 * 1200 = 15600. The application is out of data, and 7 * 1200 = 8400
    bytes remain in flight. A CE mark leaves 8400 * 7 / 10 = 5880. Seven tenths of the window are 15600 * 7 / 10 =
    10920. A sender that still counts the acknowledged packets has 12000 * 7 / 10 = 8400.""",
    profiles=("rfc-9438", "rfc-9438-literal"),
)
def literal_flight_after_ack(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 2))
    b.expect(cwnd_bytes=15_600)
    b.ce(RTT + MS, 3, 0)
    b.expect(profile="rfc-9438", outcome="reduced", cwnd_bytes=10_920, ssthresh_bytes=10_920)
    b.expect(profile="rfc-9438-literal", outcome="reduced", cwnd_bytes=5880, ssthresh_bytes=5880)


@add(
    "cubic.literal.past-threshold",
    "Literally, too, a window of one byte more than the threshold is in congestion avoidance",
    """Three packets are in flight when they are lost: the threshold is 3000 * 7 / 10 = 2100. Persistent congestion
    leaves 2000. A packet of 101 bytes makes it 2000 + 101 = 2101, above the threshold. The next packet begins a
    stage with W_max = 2101: W_est = 2101 + (9/17) * 1000 * 1000 / 2101 = 2352.98. A sender that stays in slow start
    has 2101 + 1000 = 3101.""",
    profiles=("rfc-9438-literal",),
    flags=("same-time-order",),
    max_datagram_size_bytes=1000,
    initial_window_bytes=10_000,
)
def literal_past_threshold(b: StreamBuilder) -> None:
    now_ns = established(b)
    b.expect(outcome="collapsed", cwnd_bytes=2000, ssthresh_bytes=2100)
    b.send_sizes(now_ns, [(1, 101), (1, 1000)])
    b.ack(now_ns + 200 * MS, (5, 5))
    b.expect(outcome="grown", cwnd_bytes=2101, phase="congestion_avoidance")
    b.send(now_ns + 200 * MS, 1)
    b.ack(now_ns + 201 * MS, (6, 6))
    b.expect(outcome="grown_avoidance", cwnd_bytes=2352, w_max_bytes=2101)


@add(
    "cubic.literal.large-flight",
    "A flight size of more than 16 bits at a CE mark",
    """A hundred packets fill the window of 100000 bytes. A CE mark leaves 100000 * 7 / 10 = 70000, of the flight size
    and of the window. In 16 bits the flight size is 100000 - 65536 = 34464, and 34464 * 7 / 10 = 24124.8.""",
    profiles=("rfc-9438", "rfc-9438-literal"),
    max_datagram_size_bytes=1000,
    initial_window_bytes=100_000,
)
def literal_large_flight(b: StreamBuilder) -> None:
    b.send(0, 100)
    b.ce(RTT, 99, 0)
    b.expect(outcome="reduced", cwnd_bytes=70_000, ssthresh_bytes=70_000)


@add(
    "cubic.literal.huge-flight",
    "A flight size of more than 32 bits at a CE mark",
    """2 * 65535 = 131070 packets of 65535 bytes are in flight, 131070 * 65535 = 8589672450 bytes. A CE mark leaves 8589672450 * 7 / 10 = 6012770715 of the
    flight size. In 32 bits the flight size is 8589672450 - 4294967296 = 4294705154. The window is 2^33, and seven tenths of it
    6012954214.""",
    profiles=("rfc-9438", "rfc-9438-literal"),
    max_datagram_size_bytes=65_535,
    initial_window_bytes=2**33,
)
def literal_huge_flight(b: StreamBuilder) -> None:
    b.send(0, 65_535)
    b.send(0, 65_535)
    b.ce(RTT, 131_069, 0)
    b.expect(profile="rfc-9438-literal", outcome="reduced", cwnd_bytes=6_012_770_715, ssthresh_bytes=6_012_770_715)
    b.expect(profile="rfc-9438", outcome="reduced", cwnd_bytes=6_012_954_214, ssthresh_bytes=6_012_954_214)


@add(
    "cubic.literal.low-maximum",
    "W_max below the window becomes the window, not cwnd_prior",
    """A loss leaves 2000 * 7 / 10 = 1400 of the flight, below the minimum: 2 * 1000 = 2000. Another loss leaves 2000 as
    well: cwnd_prior is 2000, and W_max 2000 * 17 / 20 = 1700. The ACK of packet 8 makes it 2000 + 1000 = 3000 in slow
    start. Packet 9 begins a stage: 3000 + 1000 * 100 / 3000 = 3033. At t = 1 s the target is at most
    floor(1.5 * 3033) = 4549. W_cubic(2 s) is higher: 3000 + 400 * 2^3 = 6200 if W_max becomes the window, more with a negative K. So
    growth is (4549 - 3033) * 1000 / 3033 = 499.8, to 3033.3 + 499.8 = 3533.1. If W_max becomes cwnd_prior, W_cubic(1 s)
    is 2000 + 400 = 2400, below W_est: the window becomes 3033.3 + 1000 * 100 / 3033 = 3066.3.""",
    profiles=("rfc-9438-literal",),
    flags=("same-time-order",),
    max_datagram_size_bytes=1000,
    initial_window_bytes=10_000,
)
def literal_low_maximum(b: StreamBuilder) -> None:
    b.send(0, 4, 500)
    b.lose(S, (0, 0))
    b.ack(S, (1, 3))
    b.send(S + MS, 4, 500)
    b.lose(2 * S + MS, (4, 4))
    b.expect(cwnd_bytes=2000, ssthresh_bytes=2000, w_max_bytes=1700, cwnd_prior_bytes=2000)
    b.ack(2 * S + MS, (5, 7))
    b.send_sizes(2 * S + 2 * MS, [(1, 1000), (1, 100)])
    b.ack(3 * S + 2 * MS, (8, 8))
    b.expect(outcome="grown", cwnd_bytes=3000)
    b.send(3 * S + 2 * MS, 1, 100)
    b.ack(3 * S + 3 * MS, (9, 9))
    b.expect(cwnd_bytes=3033, w_max_bytes=3000)
    b.ack(4 * S + 3 * MS, (10, 10))
    b.expect(cwnd_bytes=3533)
