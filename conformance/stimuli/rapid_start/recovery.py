"""Hand-built stimuli of Rapid Start: the first recovery, and the bound of its reduction.

A flight of 30 packets fills the initial window at once, so that the numbers are round. `why` derives the expectation;
``sender`` describes the common stream.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, S, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.rapid_start.sender import (
    ALL,
    CUBIC,
    DRAFT,
    DRAFTS,
    FIRST_DRAFT,
    INITIAL,
    QUICLY,
    RTT,
    SOURCE,
)

CATALOGUE = Catalogue(*ALL, sources=(f"{SOURCE}, section 3.3",))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=30_000)


@add(
    "rapid-start.recovery.two-thirds-lost",
    "Two of three packets are lost: the window ends at half of the delivered bytes",
    """Ten times two packets are lost and one is acknowledged. Draft -02: 30000 * 5 / 6 = 25000 at once, then ceil(2000 * 5 / 6) = 1667 for each loss and ceil(1000 / 3) = 334
    for each ACK. 25000 - 10 * 1667 - 10 * 334 = 4990 is below the bound 30000 / 6 = 5000, half of the delivered 10000. Without rounding the window would be exactly 5000. Draft -00:
    floor(30000 * 29 / 36) = 24166, 24166 - 10 * 1612 - 10 * 306 = 4986, and 5000. In quicly the window begins with 30000 * 53 / 60 = 26500 and stays at or above half of its initial window, 15000.""",
)
def recovery_two_thirds_lost(b: StreamBuilder) -> None:
    b.send(0, 30)
    for third in range(10):
        b.lose(RTT + 2 * third * MS, (3 * third, 3 * third + 1))
        b.ack(RTT + (2 * third + 1) * MS, (3 * third + 2, 3 * third + 2))
    b.expect(at=1, outcome="reduced", cwnd_bytes=23_333, ssthresh_bytes=23_333, lower_bound_bytes=5000, profile=DRAFT)
    b.expect(at=2, outcome="reduced_further", cwnd_bytes=22_999, ssthresh_bytes=22_999, profile=DRAFT)
    b.expect(at=1, cwnd_bytes=22_554, profile=FIRST_DRAFT)
    b.expect(at=1, cwnd_bytes=25_616, profile=QUICLY)
    b.expect(outcome="lower_bound_kept", cwnd_bytes=5000, profile=DRAFTS)
    b.expect(outcome="lower_bound_kept", cwnd_bytes=15_000, profile=QUICLY)


@add(
    "rapid-start.recovery.two-thirds-lost-cubic",
    "Two of three packets are lost on CUBIC, with its beta of 7/10: the numbers are exact",
    """30000 * 9 / 10 = 27000, then 2000 * 9 / 10 = 1800 for each loss and 1000 / 5 = 200 for each ACK. 27000 - 10 * 1800 - 10 * 200 = 7000 is 7/10 of the delivered 10000, and
    the bound.""",
    profiles=(CUBIC,),
    sources=(f"{SOURCE}, section 3.3.1", "RFC 9438, section 4.6"),
)
def recovery_two_thirds_lost_cubic(b: StreamBuilder) -> None:
    b.send(0, 30)
    for third in range(10):
        b.lose(RTT + 2 * third * MS, (3 * third, 3 * third + 1))
        b.ack(RTT + (2 * third + 1) * MS, (3 * third + 2, 3 * third + 2))
    b.expect(at=1, outcome="reduced", cwnd_bytes=25_200, ssthresh_bytes=25_200, lower_bound_bytes=7000)
    b.expect(outcome="reduced_further", cwnd_bytes=7000, ssthresh_bytes=7000)


@add(
    "rapid-start.recovery.maximum-cubic",
    "On CUBIC the recovery sets W_max to the window before it, not to the flight size",
    """A CE mark leaves 30000 * 9 / 10 = 27000, and the ACK of 20 packets 27000 - 20000 / 5 = 23000. W_max is the window
    before the mark, 30000, though 20000 bytes were in flight. K is 2.596 s, the cube root of (30000 - 23000) / 400 =
    17.5. The first ACK of the stage gives 23000 + (9/17) * 1000 * 1000 / 23000 = 23023. At t = 1 s the target is
    W_cubic(2.0001 s) = 30000 - floor(400 * 0.596^3) = 29916: growth is (29916 - 23023) * 1000 / 23023 = 299.4 to 23322. A
    sender that takes the flight size finds W_max below the window, so K is 0 and the target 23000 + 400 * 2^3 = 26200:
    23023 + (26200 - 23023) * 1000 / 23023 = 23161.""",
    profiles=(CUBIC,),
    sources=(f"{SOURCE}, section 3.3.1", "RFC 9438, section 4.1.2"),
    flags=("same-time-order",),
)
def recovery_maximum_cubic(b: StreamBuilder) -> None:
    b.send(0, 20)
    b.ce(S, 19, 0)
    b.expect(outcome="reduced", cwnd_bytes=27_000, ssthresh_bytes=27_000)
    b.ack(S, (0, 19))
    b.expect(outcome="reduced_further", cwnd_bytes=23_000, ssthresh_bytes=23_000)
    b.send(S + MS, 1)
    b.send(2 * S, 1)
    b.ack(2 * S + MS, (20, 20))
    b.expect(cwnd_bytes=23_023)
    b.ack(3 * S + MS, (21, 21))
    b.expect(cwnd_bytes=23_322)


@add(
    "rapid-start.recovery.one-lost",
    "One packet is lost: the window ends at half of the others; quicly ends in slow start",
    """Draft -02: 25000 - ceil(1000 * 5 / 6) = 24166. The ACK of 29 takes ceil(29000 / 3) = 9667: 14499, half of 29000 except for the rounding. The ACK of a packet sent in recovery adds
    floor(1000 * 1000 / 14499) = 68: 14567. Draft -00: 24166 - ceil(1000 * 29 / 36) = 23360, and 23360 - ceil(29000 * 11 / 36) = 14498. quicly does not count
    the packet that began the recovery: 26500, and 26500 - ceil(29000 * 11 / 60) = 21183. Its threshold is still 26500, so the next ACK adds 1000 in slow start: 22183.""",
)
def recovery_one_lost(b: StreamBuilder) -> None:
    b.send(0, 30)
    b.lose(RTT, (0, 0))
    b.expect(outcome="reduced", cwnd_bytes=24_166, ssthresh_bytes=24_166, phase="recovery", profile=DRAFT)
    b.expect(outcome="reduced", cwnd_bytes=26_500, ssthresh_bytes=26_500, profile=QUICLY)
    b.ack(RTT + MS, (1, 29))
    b.expect(outcome="reduced_further", cwnd_bytes=14_499, ssthresh_bytes=14_499, profile=DRAFT)
    b.expect(outcome="reduced_further", cwnd_bytes=14_498, profile=FIRST_DRAFT)
    b.expect(outcome="reduced_further", cwnd_bytes=21_183, ssthresh_bytes=26_500, profile=QUICLY)
    b.send(RTT + 2 * MS, 5)
    b.ack(2 * RTT + 2 * MS, (30, 30))
    b.expect(outcome="grown_avoidance", cwnd_bytes=14_567, phase="congestion_avoidance", profile=DRAFT)
    b.expect(outcome="grown", cwnd_bytes=22_183, phase="slow_start", profile=QUICLY)


@add(
    "rapid-start.recovery.lost-each",
    "quicly rounds for each lost packet, and the first loss does not count",
    """Packets have 999 bytes. Three lost at once take ceil(2997 * 5 / 6) = 2498 in draft -02: 25000 - 2498 = 22502. In quicly two of them take ceil(999 * 53 / 60) = 883 each:
    26500 - 2 * 883 = 24734; the next two take as much: 24734 - 2 * 883 = 22968.""",
    profiles=(DRAFT, QUICLY),
    sources=(f"{SOURCE}, section 3.3", "h2o/quicly, lib/quicly.c"),
)
def recovery_lost_each(b: StreamBuilder) -> None:
    b.send(0, 30, 999)
    b.lose(RTT, (0, 2))
    b.expect(outcome="reduced", cwnd_bytes=22_502, profile=DRAFT)
    b.expect(outcome="reduced", cwnd_bytes=24_734, profile=QUICLY)
    b.lose(RTT + MS, (3, 4))
    b.expect(outcome="reduced_further", cwnd_bytes=22_968, ssthresh_bytes=22_968, profile=QUICLY)


@add(
    "rapid-start.recovery.ce",
    "A CE mark begins the recovery; without a loss the window ends at half",
    """The ACK of packet 0 brings 30000 to 30000 + 2 * 1000 = 32000, and three packets fill that. The mark leaves floor(32000 * 5 / 6) = 26666. Two ACKs of 16 packets each take ceil(16000 / 3) = 5334:
    26666 - 2 * 5334 = 15998, half of 32000 except for the rounding. In the draft a second mark between them is ignored. In quicly it sets the threshold to 28266 - ceil(16000 * 11 / 60) = 25332. The threshold
    stays after the next ACK, which leaves a window of 25332 - 2934 = 22398.""",
    profiles=(DRAFT, QUICLY),
    sources=(f"{SOURCE}, section 3.3.2", "h2o/quicly, lib/cc-pico.c"),
)
def recovery_ce(b: StreamBuilder) -> None:
    b.send(0, 30)
    b.ack(RTT, (0, 0))
    b.send(RTT, 3)
    b.ce(RTT + MS, 0, 0)
    b.expect(outcome="reduced", cwnd_bytes=26_666, ssthresh_bytes=26_666, profile=DRAFT)
    b.expect(outcome="reduced", cwnd_bytes=28_266, ssthresh_bytes=28_266, profile=QUICLY)
    b.ack(RTT + 2 * MS, (1, 16))
    b.expect(cwnd_bytes=21_332, ssthresh_bytes=21_332, profile=DRAFT)
    b.ce(RTT + 2 * MS, 16, 0)
    b.expect(outcome="already_reduced", cwnd_bytes=21_332, profile=DRAFT)
    b.expect(outcome="already_reduced", cwnd_bytes=25_332, ssthresh_bytes=25_332, profile=QUICLY)
    b.ack(RTT + 3 * MS, (17, 32))
    b.expect(outcome="reduced_further", cwnd_bytes=15_998, ssthresh_bytes=15_998, profile=DRAFT)
    b.expect(outcome="reduced_further", cwnd_bytes=22_398, ssthresh_bytes=25_332, profile=QUICLY)


@add(
    "rapid-start.recovery.ending-ack",
    "An ACK of an older and a newer packet reduces for the older and then grows for the newer",
    """The ACK of 28 packets leaves 24166 - ceil(28000 / 3) = 14832. Packet 30 was sent in the recovery, packet 29 before. Their ACK takes ceil(1000 / 3) = 334: 14498. Then it adds floor(1000
    * 1000 / 14498) = 68: 14566. In quicly the window is 26500 - ceil(28000 * 11 / 60) = 21366. Since the next ACK has a newer packet the whole ACK counts in slow start: both packets grow the window, 21366 + 2000 = 23366.""",
    profiles=(DRAFT, QUICLY),
    sources=(f"{SOURCE}, appendix A", "h2o/quicly, lib/cc-pico.c"),
)
def recovery_ending_ack(b: StreamBuilder) -> None:
    b.send(0, 30)
    b.lose(RTT, (0, 0))
    b.ack(RTT + MS, (1, 28))
    b.expect(cwnd_bytes=14_832, profile=DRAFT)
    b.send(RTT + 2 * MS, 5)
    b.ack(2 * RTT + 2 * MS, (29, 30))
    b.expect(outcome="grown_avoidance", cwnd_bytes=14_566, ssthresh_bytes=14_498, profile=DRAFT)
    b.expect(outcome="grown", cwnd_bytes=23_366, ssthresh_bytes=26_500, profile=QUICLY)


@add(
    "rapid-start.recovery.late-loss",
    "A packet of the flight declared lost after the recovery counts only in quicly",
    """As in rapid-start.recovery.ending-ack up to 14832. The ACK of packet 30 ends the recovery and adds floor(1000 * 1000 / 14832) = 67: 14899. Then packet 29 is declared lost: the window stays. In quicly the loss takes ceil(1000 * 53 / 60) = 884
    off 21366 + 1000 = 22366: 21482. A loss of packet 31 is a new loss, and ends Rapid Start: the base controller halves to 14899 / 2 = 7449, and 21482 / 2 = 10741.""",
    profiles=(DRAFT, QUICLY),
    sources=(f"{SOURCE}, section 3.3", "h2o/quicly, lib/cc-pico.c"),
)
def recovery_late_loss(b: StreamBuilder) -> None:
    b.send(0, 30)
    b.lose(RTT, (0, 0))
    b.ack(RTT + MS, (1, 28))
    b.send(RTT + 2 * MS, 5)
    b.ack(2 * RTT + 2 * MS, (30, 30))
    b.expect(outcome="grown_avoidance", cwnd_bytes=14_899, profile=DRAFT)
    b.lose(2 * RTT + 3 * MS, (29, 29))
    b.expect(outcome="already_reduced", cwnd_bytes=14_899, profile=DRAFT)
    b.expect(outcome="reduced_further", cwnd_bytes=21_482, ssthresh_bytes=21_482, profile=QUICLY)
    b.lose(2 * RTT + 4 * MS, (31, 31))
    b.expect(outcome="reduced", cwnd_bytes=7449, profile=DRAFT)
    b.expect(outcome="reduced", cwnd_bytes=10_741, profile=QUICLY)


@add(
    "rapid-start.recovery.second",
    "A loss of a packet sent in the recovery begins a standard recovery",
    """24166 - ceil(28000 / 3) = 14832. Packet 30, sent in the recovery, is lost: 14832 / 2 = 7416. The ACK of packet 29 no longer reduces the window, and neither does a CE mark on it. Packet 35 ends recovery: 7416 + floor(1000 * 1000 / 7416) = 7550.""",
    profiles=DRAFTS[:1],
    sources=(f"{SOURCE}, section 3.3", "RFC 9002, section 7.3.2"),
)
def recovery_second(b: StreamBuilder) -> None:
    b.send(0, 30)
    b.lose(RTT, (0, 0))
    b.ack(RTT + MS, (1, 28))
    b.send(RTT + 2 * MS, 5)
    b.lose(2 * RTT + 2 * MS, (30, 30))
    b.expect(outcome="reduced", cwnd_bytes=7416, ssthresh_bytes=7416)
    b.ack(2 * RTT + 3 * MS, (29, 29))
    b.expect(outcome="in_recovery", cwnd_bytes=7416)
    b.ce(2 * RTT + 3 * MS, 29, 0)
    b.expect(outcome="already_reduced", cwnd_bytes=7416)
    b.send(2 * RTT + 4 * MS, 1)
    b.ack(3 * RTT + 4 * MS, (31, 35))
    b.expect(outcome="grown_avoidance", cwnd_bytes=7550)


@add(
    "rapid-start.recovery.second-ce",
    "A CE mark on a packet sent in the recovery begins a standard recovery",
    """24166 - ceil(20000 / 3) = 17499; the mark on packet 30, sent in the recovery, leaves 17499 / 2 = 8749. Packets 21 to 29 do not reduce the window.""",
    profiles=(DRAFT,),
    sources=(f"{SOURCE}, section 3.3", "RFC 9002, section 7.3.2"),
)
def recovery_second_ce(b: StreamBuilder) -> None:
    b.send(0, 30)
    b.lose(RTT, (0, 0))
    b.ack(RTT + MS, (1, 20))
    b.expect(cwnd_bytes=17_499)
    b.send(RTT + 2 * MS, 5)
    b.ce(2 * RTT + 2 * MS, 30, RTT + 2 * MS)
    b.expect(outcome="reduced", cwnd_bytes=8749)
    b.ack(2 * RTT + 2 * MS, (21, 29))
    b.expect(outcome="in_recovery", cwnd_bytes=8749)


@add(
    "rapid-start.recovery.app-limited",
    "The reduction continues while the application limits the sender",
    "24166 - ceil(10000 / 3) = 20832.",
    profiles=(DRAFT,),
)
def recovery_app_limited(b: StreamBuilder) -> None:
    b.send(0, 30, app_limited=True)
    b.lose(RTT, (0, 0))
    b.ack(RTT + MS, (1, 10), app_limited=True)
    b.expect(outcome="reduced_further", cwnd_bytes=20_832)


@add(
    "rapid-start.bound.all-lost",
    "If all packets are lost the bound applies: beta/3 of the window, or of the initial window",
    """25000 - ceil(30000 * 5 / 6) = 0, and the bound is 30000 / 6 = 5000; with the MAY it is 30000 / 2 = 15000, as in quicly.""",
    profiles=(DRAFT, INITIAL, FIRST_DRAFT, QUICLY),
)
def bound_all_lost(b: StreamBuilder) -> None:
    b.send(0, 30)
    b.lose(RTT, (0, 29))
    b.expect(outcome="reduced", cwnd_bytes=5000, ssthresh_bytes=5000, lower_bound_bytes=5000, profile=DRAFTS)
    b.expect(outcome="reduced", cwnd_bytes=15_000, lower_bound_bytes=15_000, profile=(INITIAL, QUICLY))


@add(
    "rapid-start.bound.grown",
    "After growth the previous window counts, and the initial window if it is larger",
    """Five ACKs of three packets bring 15000 to 15000 + 15 * 2000 = 45000, and 45 packets fill that. All are lost: 45000 / 6 = 7500. With the MAY 15000 / 2 = 7500 is not more. In quicly floor(45000 * 7 / 30) = 10500 exceeds
    floor(15000 / 2) = 7500. On CUBIC the MAY has 15000 * 7 / 10 = 10500, and 45000 * 7 / 30 = 10500 as well.""",
    profiles=(DRAFT, INITIAL, QUICLY, INITIAL + "+cubic"),
    tier="core",
    initial_window_bytes=15_000,
)
def bound_grown(b: StreamBuilder) -> None:
    b.send(0, 15)
    for index in range(5):
        b.ack(RTT, (3 * index, 3 * index + 2))
    b.send(RTT, 45)
    b.lose(2 * RTT, (15, 59))
    b.expect(cwnd_bytes=7500, profile=(DRAFT, INITIAL))
    b.expect(cwnd_bytes=10_500, profile=(QUICLY, INITIAL + "+cubic"))


@add(
    "rapid-start.bound.third-larger",
    "A third larger than half of the initial window is the bound",
    """Ten packets bring 10000 to 10000 + 10 * 2000 = 30000, and six more to 42000, which 42 packets fill. All are lost: 42000 / 6 = 7000, more than 10000 / 2 = 5000. The smaller of both would be 5000.""",
    profiles=(DRAFT, INITIAL),
    initial_window_bytes=10_000,
)
def bound_third_larger(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 9))
    b.send(RTT, 30)
    b.ack(2 * RTT, (10, 15))
    b.send(2 * RTT, 18)
    b.lose(3 * RTT, (16, 57))
    b.expect(outcome="reduced", cwnd_bytes=7000, lower_bound_bytes=7000)


@add(
    "rapid-start.bound.own-initial",
    "The MAY uses the initial window of the sender",
    """The initial window is 20000; 10000 are recommended. All 20 packets are lost. With the MAY the window stays at 20000 / 2 = 10000. Half of the recommended window would be 10000 / 2 = 5000. A third is ceil(20000 / 6) = 3334.""",
    profiles=(DRAFT, INITIAL),
    initial_window_bytes=20_000,
)
def bound_own_initial(b: StreamBuilder) -> None:
    b.send(0, 20)
    b.lose(RTT, (0, 19))
    b.expect(cwnd_bytes=3334, profile=DRAFT)
    b.expect(cwnd_bytes=10_000, profile=INITIAL)


@add(
    "rapid-start.bound.rounding",
    "The draft rounds the bound up, quicly rounds it down",
    """30001 / 6 = 5000.1666 is rounded up to 5001, and 30001 / 2 = 15000.5 to 15001; quicly rounds floor(30001 / 2) = 15000 down.""",
    profiles=(DRAFT, INITIAL, QUICLY),
    initial_window_bytes=30_001,
)
def bound_rounding(b: StreamBuilder) -> None:
    b.send(0, 30)
    b.lose(RTT, (0, 29))
    b.expect(cwnd_bytes=5001, profile=DRAFT)
    b.expect(cwnd_bytes=15_001, profile=INITIAL)
    b.expect(cwnd_bytes=15_000, profile=QUICLY)


@add(
    "rapid-start.bound.minimum",
    "The minimum window is the lower bound for a small window",
    """ceil(10000 / 6) = 1667 is below the minimum window, 2 * 1000 = 2000.""",
    profiles=DRAFTS,
    initial_window_bytes=10_000,
)
def bound_minimum(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 9))
    b.expect(outcome="reduced", cwnd_bytes=2000, ssthresh_bytes=2000, lower_bound_bytes=2000)


@add(
    "rapid-start.recovery.persistent",
    "After persistent congestion slow start is standard slow start",
    """All 30 packets are lost: the window and the threshold are 5000, and persistent congestion leaves 2 * 1000 = 2000. Two packets are acknowledged after 100 ms, the smallest RTT:
    they add 2000, not twice that: 4000.""",
    profiles=DRAFTS,
    sources=("ours", "RFC 9002, section 7.6.2"),
)
def recovery_persistent(b: StreamBuilder) -> None:
    b.send(0, 30)
    b.lose(S, (0, 29))
    b.persistent_congestion(S)
    b.expect(outcome="collapsed", cwnd_bytes=2000, ssthresh_bytes=5000)
    b.send(S + MS, 2)
    b.ack(S + MS + RTT, (30, 31))
    b.expect(outcome="grown", cwnd_bytes=4000, phase="slow_start")
