"""Stimuli of startup algorithms on CUBIC: what the base does differently below them."""

from dataclasses import dataclass

from firstflight_conformance.format.builder import MS, S
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import ENTRY, ResumeBuilder
from stimuli.clocked import Clocked, steps
from stimuli.cubic.avoidance import RTT, AvoidanceBuilder
from stimuli.jumpstart.flight import jump, lose_and_ack
from stimuli.search.flow import deliver, in_bin, one_ack_per_bin, rates


@dataclass(slots=True)
class ComposedBuilder(AvoidanceBuilder, ResumeBuilder):
    """Events in order, with those of Careful Resume and a controller in the loop."""


CATALOGUE = Catalogue(sources=("RFC 9438",), builder=ComposedBuilder)
add = CATALOGUE.add


@add(
    "search.cubic.exit-begins-stage",
    "On CUBIC the exit of SEARCH leads to a stage that begins at its own maximum",
    """The stream of search.threshold.equal. SEARCH leaves slow start without a loss: W_max and cwnd_prior are unset and become the window, K is 0. Twenty packets that return after ten seconds meet
    W_cubic(10 s), 400000 bytes above the window, where NewReno adds nothing to so large a window.""",
    tier="core",
    profiles=("lanman-2024", "lanman-2024+cubic"),
    sources=("RFC 9438, section 4.10", "LANMAN 2024, Algorithm 1"),
    max_datagram_size_bytes=1000,
    initial_window_bytes=10_000_000,
)
def cubic_exit_begins_stage(b: ComposedBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((11, 10000), (5, 20000))))
    start_ns = in_bin(17)
    b.send(start_ns, 20)
    b.send(start_ns + MS, 20)
    first = b.ledger.in_flight[0].first
    b.ack(start_ns + RTT, (first, first + 19))
    b.ack(start_ns + 10 * S, (first + 20, first + 39))


@add(
    "search.cubic.loss",
    "On CUBIC a loss that comes before SEARCH has decided leaves seven tenths",
    """SEARCH as in draft -09 still watches slow start when a packet is lost: 10350000 falls to 7245000, 7/10 of it, where NewReno would leave half. Growth goes on as in CUBIC.""",
    tier="core",
    profiles=("draft-09+cubic",),
    sources=("RFC 9438", "draft-chung-ccwg-search-09"),
    max_datagram_size_bytes=1000,
    initial_window_bytes=10_000_000,
)
def cubic_loss(b: ComposedBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((11, 10000), (12, 20000))))
    start_ns = in_bin(24)
    b.send(start_ns, 20)
    b.send(start_ns + MS, 20)
    first = b.ledger.in_flight[0].first
    b.lose(start_ns + RTT, (first, first))
    b.ack(start_ns + RTT, (first + 1, first + 19))
    b.send(start_ns + RTT + MS, 20)
    b.ack(start_ns + 2 * RTT + MS, (first + 20, first + 59))


@add(
    "jumpstart.cubic.loss",
    "On CUBIC a loss of the first flight leaves seven tenths of it, and is accounted for all the same",
    """20 packets of 1000 bytes are in flight when packet 0 is lost: 14000 where NewReno has 10000. One repair: floor((20 - 1) / 2) = 9 at the end of recovery, window and threshold 9000. The next
    ACK begins a stage with W_max = 20000, the flight that was reduced: C is 0.4 * 1000 = 400 bytes a cubic second, and K is the cube root of 11000 / 400 = 27.5, 3.018 s; W_est = 9000 + (9/17) *
    1000 * 1000 / 9000 = 9058, more than W_cubic(0) = 9000.""",
    profiles=("pfldnet-2007", "pfldnet-2007+cubic"),
    sources=("RFC 9438", "Liu et al., PFLDnet 2007"),
    flags=("paced",),
    max_datagram_size_bytes=1000,
    initial_window_bytes=10_000,
)
def jumpstart_cubic_loss(b: ComposedBuilder) -> None:
    jump(b)
    lose_and_ack(b, 110 * MS, (0, 0), (1, 19))
    b.send(110 * MS, 1, repeats=((0, 0),))
    b.send(115 * MS, 8)
    b.ack(210 * MS, (20, 20))
    b.ack(215 * MS, (21, 21))
    b.expect(profile="pfldnet-2007", cwnd_bytes=9111)
    b.expect(profile="pfldnet-2007+cubic", cwnd_bytes=9058)


@add(
    "jumpstart.cubic.own-factor",
    "On CUBIC a factor of quicly's own stays",
    """quicly takes the jump back: 8 of 20 packets were acknowledged when packet 8 is lost, max(8 * 1200, 12000) = 12000 is halved to 6000 on either base, because the factor is its own.""",
    profiles=("quicly", "quicly+cubic"),
    sources=("RFC 9438", "h2o/quicly, include/quicly/cc.h"),
    flags=("paced",),
)
def cubic_own_factor(b: ComposedBuilder) -> None:
    b.send(0, 1)
    b.ack(RTT, (0, 0))
    b.backlog(RTT, 10**6)
    b.send(RTT, 10)
    for pair in range(5):
        b.send(RTT + (50 + 10 * pair) * MS, 2)
    b.ack(2 * RTT, (1, 8))
    b.lose(2 * RTT, (9, 9))
    b.expect(cwnd_bytes=6000)


@add(
    "careful-resume.cubic.loss-in-reconnaissance",
    "On CUBIC a loss in Reconnaissance leaves seven tenths",
    """Packets 1 to 9 of the initial data are acknowledged: 12000 + 10800 = 22800. Packet 0 is lost: Careful Resume ends, and normal congestion control leaves 15960, where NewReno has 11400.""",
    profiles=("rfc-9959", "rfc-9959+cubic"),
    sources=("RFC 9438", "RFC 9959"),
)
def cubic_loss_in_reconnaissance(b: ComposedBuilder) -> None:
    b.begin()
    b.ack(RTT, (1, 9))
    b.lose(RTT, (0, 0))
    b.expect(profile="rfc-9959", cwnd_bytes=11_400)
    b.expect(profile="rfc-9959+cubic", cwnd_bytes=15_960)


@add(
    "careful-resume.cubic.no-climb-to-the-jump",
    "On CUBIC the window does not climb back to a jump that failed",
    """Packet 60 of a jump of a hundred is lost: Safe Retreat with a window of 30000, and at its end a threshold of 59400. Slow start reaches it, and a stage begins without any W_max from before: its maximum is the window
    there, K is 0, and the window grows by a datagram in each round trip, as Reno's does. A stack whose CUBIC reduced the jump has W_max = 120000 or 180000, and climbs the concave part of the curve towards that.""",
    tier="core",
    profiles=("rfc-9959+cubic",),
    sources=("RFC 9438, section 4.10", "RFC 9959", "catalogue 59"),
)
def cubic_no_climb_to_the_jump(b: ComposedBuilder) -> None:
    b.profile = ("careful-resume", "rfc-9959+cubic")
    b.enter_empty()
    b.jump(100)
    b.ack(ENTRY + 149 * MS, (10, 59))
    b.lose(ENTRY + 152 * MS, (60, 60))
    b.ack(ENTRY + 160 * MS, (61, 70))
    b.ack(ENTRY + 199 * MS, (71, 109))
    b.now_ns = ENTRY + 199 * MS
    b.full_rounds(7)


@add(
    "hystartpp.cubic.css-to-avoidance",
    "On CUBIC the end of conservative slow start begins a stage at its own maximum",
    """As hystartpp.css.five-rounds: CSS begins at 28800 and ends after five rounds with 75900, without a loss. W_max and cwnd_prior are unset and become that window, K is 0, and alpha is 1: the
    next ACK adds 1200 * 1200 / 75900 = 18.97, as on NewReno; a loss afterwards leaves seven tenths.""",
    tier="core",
    profiles=("rfc-9406+cubic",),
    sources=("RFC 9438, section 4.10", "RFC 9406"),
    initial_window_bytes=9600,
)
def cubic_css_to_avoidance(b: ComposedBuilder) -> None:
    c = Clocked(b, "hystartpp", "rfc-9406+cubic")
    c.rtt = steps(100 * MS, (8, 130 * MS))
    c.begin()
    c.ack_until(15)
    for _ in range(5):
        c.ack_until(int(c.controller.startup.round_end_packet))
    for _ in range(6):
        c.ack()


@add(
    "hystart.cubic.exit-by-delay",
    "On CUBIC, on which Linux runs HyStart, its exit begins a stage",
    """As hystart.delay.step-in-round-three: the threshold is 57600, the window before the ACK of packet 38. That ACK begins a stage: W_max and cwnd_prior become 57600, and W_est = 57600 + 1200 *
    1200 / 57600 = 57625; W_cubic(0) = 57600 is less.""",
    tier="core",
    profiles=("linux", "linux+cubic"),
    sources=("RFC 9438, section 4.10", "Linux, net/ipv4/tcp_cubic.c"),
)
def cubic_exit_by_delay(b: ComposedBuilder) -> None:
    c = Clocked(b, "hystart", "linux+cubic")
    c.rtt = steps(100 * MS, (30, 130 * MS))
    c.begin()
    c.ack_until(60)
