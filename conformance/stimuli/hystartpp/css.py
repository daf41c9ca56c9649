"""Hand-built stimuli of HyStart++: conservative slow start and its ends.

`why` derives the expectation. By default the initial window has eight packets of 1200 bytes. Round 1 has the
packets 0 to 7. In round 2, from packet 8 on, the RTT rises from 100 to 130 ms. Its eighth sample is
packet 15: CSS begins at window 9600 + 16 * 1200 = 28800, with baseline 130 ms.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.hystartpp.sender import NGTCP2, RFC, UNPACED, finish_round, in_css

CATALOGUE = Catalogue(RFC, sources=("RFC 9406, section 4.2",))
add = partial(CATALOGUE.add, initial_window_bytes=9600)


@add(
    "hystartpp.css.five-rounds",
    "CSS lasts five rounds, including the round of its start",
    """CSS begins in round 2, which ends with the ACK of packet 24: that is the first of five rounds. Each ACK adds 300 bytes.
    When the fifth round ends, with packet 172, its last ACK still grows by 300, to 28800 + 157 * 300 = 75900. Then the
    threshold becomes the window: congestion avoidance. Implementations that do not count the first round leave a round
    later.""",
    profiles=(RFC, UNPACED),
)
def css_five_rounds(b: StreamBuilder) -> None:
    c = in_css(b)
    for _ in range(5):
        finish_round(c)
    for _ in range(6):
        c.ack()
    b.expect(at=b.acked(15), outcome="conservative_begun", cwnd_bytes=28_800)
    b.expect(at=b.acked(172), outcome="exited", cwnd_bytes=75_900, ssthresh_bytes=75_900)


@add(
    "hystartpp.css.four-rounds-ngtcp2",
    "ngtcp2 leaves CSS when its fifth round begins",
    """ngtcp2 counts the first round of CSS as 1 and leaves when the count is 5. That is after four rounds have ended in
    CSS, with packet 122 and 28800 + 107 * 300 = 60900, one round earlier than in the RFC.""",
    profiles=(NGTCP2,),
    sources=("ngtcp2, lib/ngtcp2_cc.c",),
)
def css_four_rounds_ngtcp2(b: StreamBuilder) -> None:
    c = in_css(b, profile=NGTCP2)
    for _ in range(4):
        finish_round(c)
    for _ in range(6):
        c.ack()
    b.expect(at=b.acked(122), outcome="exited", cwnd_bytes=60_900)


@add(
    "hystartpp.css.resume",
    "A lower RTT in CSS resumes slow start",
    """From packet 24 on, in round 3, the RTT is 115 ms. Its eighth sample is packet 31: 115 < 130, the exit was
    spurious, and slow start continues. The ACK of 31 adds 1200 / 4 = 300, the ACK of 32 adds 1200 again.""",
    profiles=(RFC, UNPACED),
)
def css_resume(b: StreamBuilder) -> None:
    c = in_css(b, (24, 115 * MS))
    c.ack_until(36)
    b.expect(at=b.acked(31), outcome="slow_start_resumed", cwnd_bytes=33_600)
    b.expect(at=b.acked(32), cwnd_bytes=34_800)


@add(
    "hystartpp.css.resume-exact",
    "An RTT equal to the baseline does not resume slow start",
    "The RTT of round 3 is 130 ms, exactly the baseline, and not below it: CSS continues in round 3.",
    profiles=(RFC, UNPACED, NGTCP2),
)
def css_resume_exact(b: StreamBuilder) -> None:
    c = in_css(b)
    c.ack_until(34)
    b.expect(at=b.acked(31), outcome="conservative_grown")


@add(
    "hystartpp.css.resume-by-a-nanosecond",
    "An RTT a nanosecond below the baseline resumes slow start",
    "129.999999 < 130: slow start resumes at the eighth sample of round 3, packet 31.",
    profiles=(RFC, UNPACED),
)
def css_resume_by_a_nanosecond(b: StreamBuilder) -> None:
    c = in_css(b, (24, 130 * MS - 1))
    c.ack_until(34)
    b.expect(at=b.acked(31), outcome="slow_start_resumed")


@add(
    "hystartpp.css.resume-needs-samples",
    "One low sample does not resume slow start before the eighth",
    """In round 3 only packet 24 has 95 ms, less than in any earlier round. The minimum of the round is 95, but slow start
    resumes at the eighth sample, packet 31, not before.""",
    profiles=(RFC, UNPACED),
)
def css_resume_needs_samples(b: StreamBuilder) -> None:
    c = in_css(b, (24, 95 * MS), (25, 130 * MS))
    c.ack_until(34)
    b.expect(at=b.acked(30), outcome="conservative_grown")
    b.expect(at=b.acked(31), outcome="slow_start_resumed")


@add(
    "hystartpp.css.resume-at-once-ngtcp2",
    "ngtcp2 resumes slow start at the first low sample",
    "The first sample of round 3, packet 24, has 115 ms < 130: ngtcp2 is in slow start again, and packet 25 adds 1200.",
    profiles=(NGTCP2,),
    sources=("ngtcp2, lib/ngtcp2_cc.c",),
)
def css_resume_at_once_ngtcp2(b: StreamBuilder) -> None:
    c = in_css(b, (24, 115 * MS), (25, 130 * MS), profile=NGTCP2)
    c.ack_until(34)
    b.expect(at=b.acked(24), outcome="slow_start_resumed", cwnd_bytes=31_500)
    b.expect(at=b.acked(25), cwnd_bytes=32_700)


@add(
    "hystartpp.css.resume-in-the-same-round",
    "The first round of CSS can already show that the exit was spurious",
    """Packet 16, in the same round, has 129 ms. The round has nine samples, and 129 < 130: slow start resumes. With
    packet 17 the minimum, 129, is still >= 100 + 12.5, and CSS begins again, with baseline 129; the count of rounds
    restarts.""",
    profiles=(RFC, UNPACED, NGTCP2),
)
def css_resume_in_the_same_round(b: StreamBuilder) -> None:
    c = in_css(b, (16, 129 * MS), (17, 130 * MS))
    c.ack_until(23)
    b.expect(at=b.acked(16), outcome="slow_start_resumed")
    b.expect(at=b.acked(17), outcome="conservative_begun", baseline_rtt_ns=129 * MS)


@add(
    "hystartpp.css.resume-counts-anew",
    "A second CSS counts its own five rounds",
    """Rounds 2 and 3 end in CSS. In round 4 the RTT falls to 115 ms: slow start resumes at its eighth sample. In round
    5 it is 160, CSS begins again, and lasts the rounds 5 to 9. With a continued count CSS ends after round 7.""",
    profiles=(RFC, UNPACED),
)
def css_resume_counts_anew(b: StreamBuilder) -> None:
    c = in_css(b)
    finish_round(c, 115 * MS)
    finish_round(c, 160 * MS)
    for _ in range(6):
        finish_round(c, packets=5)
    c.ack()
    c.ack()
    b.expect(phase="congestion_avoidance", css_rounds=0)


@add(
    "hystartpp.css.ack-of-several",
    "The quarter applies to the acknowledged bytes of an ACK, not to each packet",
    """Packets have 1001 bytes. In CSS an ACK of three adds 3003 / 4 = 750, rounded down once; 3 * 250 = 750 as well.
    An ACK of seven adds 7007 / 4 = 1751, not 7 * 250 = 1750. An ACK of two adds floor(2002 / 4) = 500, the same as 2 * 250 = 500.""",
    profiles=(RFC, UNPACED),
    max_datagram_size_bytes=1001,
    initial_window_bytes=8008,
)
def css_ack_of_several(b: StreamBuilder) -> None:
    c = in_css(b)
    c.ack(3)
    c.ack(7)
    c.ack(2)
    c.ack(7)
    b.expect(at=b.acked(15), outcome="conservative_begun", cwnd_bytes=24_024)
    b.expect(at=b.acked(16), cwnd_bytes=24_774)
    b.expect(at=b.acked(19), cwnd_bytes=26_525)
    b.expect(at=b.acked(26), cwnd_bytes=27_025)
    b.expect(at=b.acked(28), cwnd_bytes=28_776)


@add(
    "hystartpp.css.limit",
    "In CSS the limit applies before the division",
    "An ACK of twelve packets: min(14400, 8 * 1200) / 4 = 2400. Divided first it would add min(3600, 9600) = 3600.",
    profiles=(UNPACED,),
    sources=("RFC 9406, section 4.2",),
)
def css_limit(b: StreamBuilder) -> None:
    c = in_css(b, profile=UNPACED)
    c.ack(12)
    c.ack(2)
    b.expect(at=b.acked(16), cwnd_bytes=31_200)


@add(
    "hystartpp.css.limit-first-ack",
    "The first ACK in CSS is already limited",
    """Packets have 1202 bytes. Packet 0 has an RTT of 100 ms, and the packets 1 to 20 fill the window of 24040. The ACKs
    of 1 to 8 have at least 130 ms: the eighth begins CSS, at 24040 + 8 * 1202 = 33656. One ACK of the other twelve adds
    min(12 * 1202, 8 * 1202) / 4 = 2404: 36060. Divided first it would add min(14424 / 4, 9616) = 3606.""",
    profiles=(UNPACED,),
    max_datagram_size_bytes=1202,
    initial_window_bytes=24_040,
    sources=("RFC 9406, section 4.2",),
)
def css_limit_first_ack(b: StreamBuilder) -> None:
    b.send(0, 1, app_limited=True)
    b.ack(100 * MS, (0, 0), app_limited=True)
    b.send(100 * MS, 20)
    for packet in range(1, 9):
        b.ack(230 * MS + (packet - 1) * US, (packet, packet))
    b.ack(231 * MS, (9, 20))
    b.expect(at=b.acked(8), outcome="conservative_begun", cwnd_bytes=33_656)
    b.expect(cwnd_bytes=36_060)


@add(
    "hystartpp.css.app-limited",
    "App-limited ACKs in CSS do not grow the window, and their samples count",
    """When round 3, 24 to 39, is over, the sender has at most eight packets. Their RTT is 110 ms: the window
    stays; the eighth sample resumes slow start without growth. The ACKs after it are not limited and add 1200.""",
    profiles=(RFC, UNPACED),
)
def css_app_limited(b: StreamBuilder) -> None:
    c = in_css(b, (40, 110 * MS))
    c.ack_until(39, fill=False)
    c.ack_app_limited(8)
    c.fill(c.now_ns)
    c.ack_until(51)
    b.expect(at=b.acked(47), outcome="slow_start_resumed", cwnd_bytes=36_000)
    b.expect(at=b.acked(48), cwnd_bytes=37_200)


@add(
    "hystartpp.css.app-limited-flight",
    "A full flight with app-limited ACKs does not grow the window in CSS",
    """CSS begins with the 24 packets 16 to 39 in flight. The application ends: their ACKs leave 28800. Growth by a quarter
    would give 28800 + 24 * 300 = 36000, five quarters of the largest flight. Eight more packets would exceed that, with
    36000 + 8 * 300 = 38400.""",
    profiles=(RFC, UNPACED),
    sources=("RFC 9406, section 4.2", "RFC 9002, section 7.8"),
)
def css_app_limited_flight(b: StreamBuilder) -> None:
    c = in_css(b)
    for _ in range(24):
        c.ack(app_limited=True, fill=False)
    c.ack_app_limited(8)
    b.expect(at=b.acked(15), outcome="conservative_begun", cwnd_bytes=28_800)
    b.expect(outcome="app_limited", cwnd_bytes=28_800, phase="conservative_slow_start")
