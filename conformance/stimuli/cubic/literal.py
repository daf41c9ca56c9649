"""Hand-built stimuli of CUBIC: where the text as printed differs.

Where the tier is gold, `why` derives the expectation.
"""

from firstflight_conformance.format.builder import MS, S, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.cubic.avoidance import RTT, WINDOW, AvoidanceBuilder, begin_stage, lose_at

CATALOGUE = Catalogue("rfc-9438", sources=("RFC 9438",), builder=AvoidanceBuilder)
add = CATALOGUE.add


@add(
    "cubic.literal.per-ack",
    "Literally, every ACK grows the window by one segment's share",
    """25200 after the loss. Packet 36 is acknowledged in slow start, as the window equals the threshold: 26200. Packet
    37 begins a stage at t = 0: W_est = 26200 + (9/17) * 1000 * 1000 / 26200 = 26220.206, and the window too; K is the
    time over which the curve covers 36000 - 26200 = 9800: the cube root of 9800 / 400 = 24.5, 2.904393 s. An ACK of ten
    packets at t = 1 s: W_cubic(1 s) = 36000 - floor(400 * 1.904393^3) = 36000 - 2762 = 33238 is no less than W_est. The
    target is W_cubic(2 s) = 36000 - floor(400 * 0.904393^3) = 36000 - 295 = 35705. It grows the window once: (35705 -
    26220) * 1000 / 26220 = 361.747 to 26581. Where bytes count that is (35705 - 26220) * 10000 / 26220 = 3617.47, to
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
    """36000 falls to 25200, and so does the threshold. An ACK of two packets ends recovery: the first is acknowledged
    in slow start, 25200 + 1000 = 26200; the second, beyond the threshold, begins a stage: W_est = 26200 + (9/17) * 1000
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
    "Literally, seven tenths of the flight size are left",
    """18000 of 36000 bytes are in flight when packet 0 is lost: 12600. An ACK of six packets leaves 11000 in flight,
    one more packet is sent and marked: 12000 * 7 / 10 = 8400. cwnd_prior is the window all the same, and W_max 17/20 of
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
    "Literally too, W_est counts segments",
    """An ACK of ten packets: the first is acknowledged in slow start, 25200 + 1000 = 26200, and the others begin the
    stage: W_est = 26200 + (9/17) * 1000 * 9000 / 26200 = 26381.9, and W_cubic(0) = 26200 is less. Counting the ACK once
    gives 26200 + (9/17) * 1000 * 1000 / 26200 = 26220.2.""",
    profiles=("rfc-9438-literal",),
    **WINDOW,
)
def literal_estimate_counts_bytes(b: StreamBuilder) -> None:
    lose_at(b, S)
    b.send(S + MS, 25)
    b.ack(2 * S + MS, (36, 45))
    b.expect(cwnd_bytes=26_381)
