"""Hand-built stimuli of HyStart. `why` derives the expectation.

Packets have 1200 bytes and the initial window has ten, unless the text says otherwise. At every ACK as much is sent as the window allows: two
packets in slow start. The initial window is spread over 10 ms, so that ACKs come in trains of 10 ms, which half of 101 ms allows.
"""

from functools import partial

from firstflight_conformance.vectorgen.builder import MS, US, StreamBuilder
from firstflight_conformance.vectorgen.hystartpp.clocked import Clocked, steps
from firstflight_conformance.vectorgen.stimulus import Catalogue

LINUX, PACED, OLD, GOOGLE = "linux", "linux-paced", "linux-5-16", "google-quic"
SOURCES = ("Linux, net/ipv4/tcp_cubic.c", "quic-go, internal/congestion/hybrid_slow_start.go")
CATALOGUE = Catalogue(LINUX, PACED, sources=SOURCES)
add = partial(CATALOGUE.add)


def clocked(b: StreamBuilder, profile: str = LINUX) -> Clocked:
    """Return a sender in the loop with HyStart."""
    return Clocked(b, "hystart", profile)


@add(
    "hystart.delay.step-in-round-three",
    "A step of the delay in round 3, seen by Linux",
    """The RTT is 100 ms up to packet 29 and 130 ms from packet 30 on, which begins round 3. Linux takes eight samples, packets 30 to 37, and compares at the ninth,
    packet 38: 130 > 100 + 12.5. The threshold is the window before that ACK, 48 packets or 57600; the ACK grows it in congestion avoidance by 1200 * 1200 / 57600 = 25.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (30, 130 * MS))
    c.begin()
    c.ack_until(45)
    b.expect(at=b.acked(38), outcome="exited_by_delay", cwnd_bytes=57_625, ssthresh_bytes=57_600)


@add(
    "hystart.delay.step-google-quic",
    "The same step, seen by quic-go",
    """Round 1 ends with the ACK of packet 10 and includes it; packet 11 begins round 2, when 31 was sent last. Packet 32 ends that, 33 begins round 3, and its
    eighth sample is packet 40: 130 > 112.5. The window before that ACK has 50 packets, 60000 bytes.""",
    profiles=(GOOGLE,),
)
def _(b: StreamBuilder) -> None:
    c = clocked(b, GOOGLE)
    c.rtt = steps(100 * MS, (30, 130 * MS))
    c.begin()
    c.ack_until(45)
    b.expect(at=b.acked(40), outcome="exited_by_delay", ssthresh_bytes=60_000)


@add(
    "hystart.delay.step-linux-5-16",
    "The same step, seen by a kernel before 6.14",
    """Rounds begin only once the window has 16 packets, at the ACK of packet 6: it begins a round that ends with packet 22, the next ends with packet 54. In that one the minimum, of
    packets 22 to 29, is 100 ms. The next has 130 ms throughout, and is compared at its ninth sample, packet 62: the threshold is 72 packets, 86400.""",
    profiles=(OLD,),
)
def _(b: StreamBuilder) -> None:
    c = clocked(b, OLD)
    c.rtt = steps(100 * MS, (30, 130 * MS))
    c.begin()
    c.ack_until(66)
    b.expect(at=b.acked(62), outcome="exited_by_delay", ssthresh_bytes=86_400)


@add(
    "hystart.delay.exact-threshold",
    "A rise by exactly an eighth does not end slow start",
    """The minimum RTT of round 2 is exactly 100 ms + 100 ms / 8 = 112.5 ms, and the test is >: slow start goes on, also for quic-go,
    at packets 38 and 40. With >=, as HyStart++ has it, it ends.""",
    profiles=(LINUX, PACED, GOOGLE),
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (30, 112_500 * US))
    c.begin()
    c.ack_until(50)
    b.expect(at=b.acked(50), outcome="grown")


@add(
    "hystart.delay.above-threshold",
    "A microsecond more does",
    "112.501 > 112.5: Linux leaves at packet 38.",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (30, 112_501 * US))
    c.begin()
    c.ack_until(42)
    b.expect(at=b.acked(38), outcome="exited_by_delay")


@add(
    "hystart.delay.sub-microsecond",
    "Linux does not see less than a microsecond",
    """112.500999 ms are 112500 us, not above 112500. quic-go compares nanoseconds: 112.500999 > 112.5 ends slow start at packet 40; its stream is the next
    vector's.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (30, 112_500_999))
    c.begin()
    c.ack_until(45)
    b.expect(at=b.acked(45), outcome="grown")


@add(
    "hystart.delay.sub-microsecond-google-quic",
    "quic-go sees a nanosecond",
    "112.500001 > 100 + 12.5 ms: slow start ends at packet 40.",
    profiles=(GOOGLE,),
)
def _(b: StreamBuilder) -> None:
    c = clocked(b, GOOGLE)
    c.rtt = steps(100 * MS, (30, 112_500_001))
    c.begin()
    c.ack_until(44)
    b.expect(at=b.acked(40), outcome="exited_by_delay")


@add(
    "hystart.delay.threshold-rounded",
    "The eighth is rounded down to microseconds",
    """The minimum RTT is 100.007 ms; an eighth of it is floor(100007 / 8) = 12500 in us, rounded down. 112.508 ms > 100.007 ms + 12.5
    ms: slow start ends at packet 38. Rounded up it is ceil(100007 / 8) = 12501, and slow start goes on.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100_007 * US, (30, 112_508 * US))
    c.begin()
    c.ack_until(42)
    b.expect(at=b.acked(38), outcome="exited_by_delay")


@add(
    "hystart.delay.threshold-rounded-google-quic",
    "The eighth is rounded down to microseconds though RTTs are not",
    """The minimum RTT is 100.007 ms. In us, floor(100007 / 8) = 12500: the threshold is 12.5 ms. 112.507001 ms > 100.007 ms + 12.5 ms:
    slow start ends at packet 40. Unrounded, 100007 us + 100007 us / 8 = 112507.875 us, it goes on.""",
    profiles=(GOOGLE,),
)
def _(b: StreamBuilder) -> None:
    c = clocked(b, GOOGLE)
    c.rtt = steps(100_007 * US, (30, 112_507_001))
    c.begin()
    c.ack_until(44)
    b.expect(at=b.acked(40), outcome="exited_by_delay")


@add(
    "hystart.delay.minimum-threshold",
    "On a short path the threshold is 4 ms",
    """Packets leave 0.1 ms apart, so that trains take 1 ms of 5.5. 10 / 8 = 1.25 ms is less than 4: with 14 ms in round 3 slow start goes on. In round 4, from packet 70 on, it is 14.001 ms: it ends at packet
    78.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(10 * MS, (30, 14 * MS), (70, 14_001 * US))
    c.begin(gap_ns=100 * US)
    c.ack_until(81)
    b.expect(at=b.acked(38), outcome="grown")
    b.expect(at=b.acked(78), outcome="exited_by_delay")


@add(
    "hystart.delay.maximum-threshold",
    "On a long path the threshold is 16 ms",
    "400 / 8 = 50 ms is more than 16: 416 ms in round 3 change nothing, 416.001 in round 4 end slow start at packet 78.",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(400 * MS, (30, 416 * MS), (70, 416_001 * US))
    c.begin()
    c.ack_until(81)
    b.expect(at=b.acked(38), outcome="grown")
    b.expect(at=b.acked(78), outcome="exited_by_delay")


@add(
    "hystart.delay.against-minimum",
    "The RTT is compared with the smallest of the connection",
    """Rounds of 100, 110, 120 ms: each is less than an eighth above the one before, but 120 > 100 + 12.5. Linux leaves at packet 38. HyStart++ compares with the
    round before and goes on.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (10, 110 * MS), (30, 120 * MS))
    c.begin()
    c.ack_until(42)
    b.expect(at=b.acked(38), outcome="exited_by_delay")


@add(
    "hystart.delay.google-quic-once",
    "quic-go compares once per round",
    """In the round from packet 33 on the first sample is 105 ms, the others 130: its minimum is 105, and no later ACK of it ends slow start. Its end is 10 + 2 * 33 = 76, the next begins with packet 77, and
    has its eighth sample with packet 84.""",
    profiles=(GOOGLE,),
)
def _(b: StreamBuilder) -> None:
    c = clocked(b, GOOGLE)
    c.rtt = steps(100 * MS, (30, 105 * MS), (34, 130 * MS))
    c.begin()
    c.ack_until(90)
    b.expect(at=b.acked(40), outcome="grown")
    b.expect(at=b.acked(84), outcome="exited_by_delay")


@add(
    "hystart.delay.ninth-is-low",
    "Linux takes the minimum of all samples of a round",
    """In round 2 packets 10 to 17 have 113 ms: eight samples above 100 ms + 100 ms / 8 = 112.5 ms. The ninth, packet 18, has 112, and
    it is compared with the others: slow start goes on. Round 3, from packet 30 on, has 130 ms: slow start ends at packet 38.
    The first eight alone end it in round 2.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (10, 113 * MS), (18, 112 * MS), (30, 130 * MS))
    c.begin()
    c.ack_until(42)
    b.expect(at=b.acked(18), outcome="grown")
    b.expect(at=b.acked(38), outcome="exited_by_delay")


@add(
    "hystart.delay.minimum-counts",
    "One low sample hides the rise",
    """In round 3 packet 30 has 105 ms, the others 130: the minimum of the round is 105, and slow start goes on. A sender that compares the latest RTT leaves at packet 38.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (30, 105 * MS), (31, 130 * MS))
    c.begin()
    c.ack_until(45)
    b.expect(at=b.acked(45), outcome="grown")


@add(
    "hystart.train.long",
    "A train of ACKs longer than half of the minimum RTT ends slow start",
    """The initial window has 64 packets, 1 ms apart, and the RTT is 100 ms. The ACKs of round 1 come 1 ms apart from 100 ms on: a train. Half of 100 + 1 is 50.5 ms: the ACK of packet 51, 51 ms
    after the first, is the first one beyond. The threshold is 64 + 51 = 115 packets, 138000.""",
    profiles=(LINUX, OLD),
    initial_window_bytes=76800,
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.begin()
    c.ack_until(56)
    b.expect(at=b.acked(51), outcome="exited_by_train", ssthresh_bytes=138_000)


@add(
    "hystart.train.paced",
    "With pacing a train may last the minimum RTT",
    """Packets leave 1 ms apart for 100 ms, the last eleven together; their ACKs come 1 ms apart from 100 ms on, all in round 1. 100 + 1 ms are allowed: packet 101 comes 101 ms after the first,
    which is not more; 102 ends slow start.""",
    profiles=(PACED,),
    initial_window_bytes=132000,
)
def _(b: StreamBuilder) -> None:
    c = clocked(b, PACED)
    for ms in range(206):
        if ms < 100:
            c.send(ms * MS, 11 if ms == 99 else 1)
        else:
            c.ack(fill=False, t_ns=ms * MS)
    b.expect(at=b.acked(101), outcome="grown")
    b.expect(at=b.acked(102), outcome="exited_by_train")


@add(
    "hystart.train.exact",
    "A train of exactly half of the minimum RTT does not",
    "As before, but ACKs are 0.5 ms apart: packet 101 comes 50.5 ms after the first, which is not more than 50.5; 102 ends slow start.",
    profiles=(LINUX, OLD),
    initial_window_bytes=129600,
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.begin(gap_ns=500 * US)
    c.ack_until(105)
    b.expect(at=b.acked(101), outcome="grown")
    b.expect(at=b.acked(102), outcome="exited_by_train")


@add(
    "hystart.train.broken",
    "A gap of more than 2 ms ends the train for the round",
    """The initial window has 64 packets, 1 ms apart, except that packet 20 leaves 2.001 ms after 19. Its ACK is not part of the train, nor are those that follow, though they come
    1 ms apart: none ends slow start by the train's length.""",
    profiles=(LINUX, OLD),
    initial_window_bytes=76800,
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    for index in range(64):
        c.send(index * MS + (1001 * US if index >= 20 else 0), 1)
    c.ack_until(63)
    b.expect(at=b.acked(63), outcome="grown")


@add(
    "hystart.train.two-milliseconds",
    "A gap of exactly 2 ms does not",
    "The same with a gap of 2 ms: packet 50 comes 51 ms after the first, more than 50.5 ms.",
    profiles=(LINUX, OLD),
    initial_window_bytes=76800,
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    for index in range(64):
        c.send(index * MS + (MS if index >= 20 else 0), 1)
    c.ack_until(56)
    b.expect(at=b.acked(50), outcome="exited_by_train")


@add(
    "hystart.train.google-quic",
    "quic-go does not look at trains",
    "The long train of 64 ACKs: slow start goes on.",
    profiles=(GOOGLE,),
    initial_window_bytes=76800,
)
def _(b: StreamBuilder) -> None:
    c = clocked(b, GOOGLE)
    c.begin()
    c.ack_until(63)
    b.expect(at=b.acked(63), outcome="grown")


@add(
    "hystart.low-window.small",
    "Below 16 packets nothing is watched",
    """The initial window has two packets; rounds have 2, 4, 8 and 16. The RTT rises to 130 ms with packet 2. The window has 16 packets with the ACK of packet 13, the last of round 3, so the first sample is that of packet
    14, which begins round 4. Packet 22 is the ninth: slow start ends at 24 packets, 28800.""",
    initial_window_bytes=2400,
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (2, 130 * MS))
    c.begin()
    c.ack_until(26)
    b.expect(at=b.acked(22), outcome="exited_by_delay", ssthresh_bytes=28_800)


@add(
    "hystart.low-window.floor",
    "A delay found below 16 packets",
    """The initial window has six packets: rounds of 6, 12 and 24. From packet 6 on, in round 2, the RTT is 130 ms. At the ACK of packet 10 the window has 16 packets, so that round 2 has eight samples, packets 10
    to 17, and no ninth. With a floor of 12, or none, packet 14 is the ninth. Round 3, from 18 on, has its ninth with packet 26: 32 packets, 38400.""",
    initial_window_bytes=7200,
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (6, 130 * MS))
    c.begin()
    c.ack_until(30)
    b.expect(at=b.acked(26), outcome="exited_by_delay", ssthresh_bytes=38_400)


@add(
    "hystart.low-window.google-quic",
    "quic-go leaves slow start one ACK later, whatever the window",
    """The initial window has four packets. Round 1 ends with packet 4, and 5 begins round 2, whose eighth sample is packet 12. From packet 6 on the ACKs are app-limited: the
    window stays at 4 + 6 = 10 packets. The eighth sample finds 130 ms, but the window is below the floor; the next ACK, of packet 13, ends slow start at 10 packets, 12000.""",
    profiles=(GOOGLE,),
    initial_window_bytes=4800,
)
def _(b: StreamBuilder) -> None:
    c = clocked(b, GOOGLE)
    c.rtt = steps(100 * MS, (4, 130 * MS))
    c.begin()
    c.ack_until(5)
    for _ in range(10):
        c.ack(app_limited=True)
    b.expect(at=b.acked(13), ssthresh_bytes=12_000)


@add(
    "hystart.sample.ack-delay",
    "quic-go subtracts the acknowledgement delay, Linux does not",
    """The receiver waits 30 ms before it acknowledges packets from 30 on, and says so. Linux sees 130 ms and leaves at packet 38. quic-go sees 100 and goes on: the next vector.""",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.begin()
    c.ack_until(29)
    while c.acked < 42:
        c.ack(ack_delay_ns=30 * MS)
    b.expect(at=b.acked(38), outcome="exited_by_delay")


@add(
    "hystart.sample.ack-delay-google-quic",
    "The acknowledgement delay is subtracted unless the sample would fall below the minimum",
    """130 - 30 = 100 ms, not below the minimum of 100: slow start goes on past packet 40. In the round from packet 77 on the receiver says 31 ms, though it waited 30: 99 would be below the minimum, so the
    sample is 130, and slow start ends with its eighth, packet 84.""",
    profiles=(GOOGLE,),
)
def _(b: StreamBuilder) -> None:
    c = clocked(b, GOOGLE)
    c.begin()
    c.ack_until(29)
    while c.acked < 77:
        c.ack(ack_delay_ns=30 * MS)
    while c.acked < 90:
        t_ns = max(c.due_ns[c.acked] + 30 * MS, c.now_ns)
        c.ack(ack_delay_ns=31 * MS, t_ns=t_ns)
    b.expect(at=b.acked(40), outcome="grown")
    b.expect(at=b.acked(84), outcome="exited_by_delay")


@add(
    "hystart.sample.none",
    "An ACK without RTT sample is not looked at",
    "The frame of packet 33 gives no sample: the ninth is packet 39, not 38. Its window has 49 packets, 58800.",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (30, 130 * MS))
    c.begin()
    c.ack_until(32)
    c.ack(sample=False)
    c.ack_until(42)
    b.expect(at=b.acked(39), outcome="exited_by_delay", ssthresh_bytes=58_800)


@add(
    "hystart.sample.ack-of-several",
    "A frame gives one sample, however many packets it acknowledges",
    "From packet 30 on four packets are acknowledged at a time: the ninth frame acknowledges 62 to 65. The window before it has 10 + 62 packets, 86400.",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (30, 130 * MS))
    c.begin()
    c.ack_until(29)
    c.ack_until(69, packets=4)
    b.expect(at=b.acked(62), outcome="exited_by_delay", ssthresh_bytes=86_400)


@add(
    "hystart.sample.app-limited",
    "App-limited ACKs do not grow the window, but are watched",
    "When round 2 is over, the sender has twelve packets for a window of 40: it stays at 48000, and slow start ends at packet 38 with that.",
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (30, 130 * MS))
    c.begin()
    c.ack_until(9)
    c.ack_until(29, fill=False)
    c.send(c.now_ns, 12, app_limited=True)
    for _ in range(12):
        c.ack(app_limited=True, fill=False)
    b.expect(at=b.acked(38), outcome="exited_by_delay", ssthresh_bytes=48_000)


@add(
    "hystart.loss.slow-start",
    "A loss ends slow start, and HyStart with it",
    """Packet 3 is lost in round 1, at window 12000 + 6 * 1200 = 19200: threshold and window 9600. The delay of later packets does nothing.""",
    profiles=(LINUX, PACED, OLD, GOOGLE),
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.rtt = steps(100 * MS, (10, 130 * MS))
    c.begin()
    c.ack_until(2)
    c.acked = 4
    c.ack(fill=False)
    c.ack(fill=False)
    c.ack(fill=False)
    b.lose(c.now_ns, (3, 3))
    b.expect(outcome="reduced", cwnd_bytes=9600, ssthresh_bytes=9600)
    c.ack_until(24)


def collapsed(b: StreamBuilder, profile: str) -> Clocked:
    """Let all in flight be lost after packet 39, at 50 packets; slow start begins again with two packets and an RTT of 140 ms."""
    c = clocked(b, profile)
    c.begin()
    c.ack_until(39)
    start = len(c.due_ns)
    t_ns = c.now_ns + 1000 * MS
    b.lose(t_ns, (40, start - 1))
    b.persistent_congestion(t_ns)
    c.acked = start
    c.rtt = steps(140 * MS)
    c.fill(t_ns)
    return c


@add(
    "hystart.restart.minimum",
    "After a timeout Linux begins anew, with a new minimum RTT",
    """At 50 packets everything in flight is lost: threshold 30000, window 2400. The RTT is 140 ms from now on. Linux has forgotten the 100 ms: 140 is the minimum, and slow start goes
    on up to the threshold.""",
    profiles=(LINUX, PACED, OLD),
)
def _(b: StreamBuilder) -> None:
    c = collapsed(b, LINUX)
    for _ in range(26):
        c.ack()
    b.expect(at=b.acked(111), outcome="grown", cwnd_bytes=28_800, phase="slow_start")


@add(
    "hystart.restart.google-quic",
    "After a timeout the code of Google's QUIC keeps the minimum RTT",
    """The same, but the minimum is still 100 ms. Rounds begin anew: the first has two packets and the one that ends it. The third begins with the tenth packet; its eighth sample is the 17th and finds 140 > 112.5. The window has 2 + 16 packets then,
    21600 bytes.""",
    profiles=(GOOGLE,),
)
def _(b: StreamBuilder) -> None:
    c = collapsed(b, GOOGLE)
    for _ in range(26):
        c.ack()
    b.expect(at=b.acked(106), ssthresh_bytes=21_600)


@add(
    "hystart.restart.delay",
    "HyStart acts in a later slow start as well",
    """As before, but the RTT rises from 100 to 140 ms with the sixth packet after the timeout. Rounds have 2, 4, 8 and 16 packets. The third is entered with 8 packets of window, and watched from 16
    on, which the fourth begins with. Its ninth sample ends slow start at 24 packets, 28800, below the threshold of 30000.""",
    profiles=(LINUX, PACED),
)
def _(b: StreamBuilder) -> None:
    c = collapsed(b, LINUX)
    for packet in range(c.acked, len(c.due_ns)):
        c.due_ns[packet] -= 40 * MS
    start = c.acked
    c.rtt = steps(100 * MS, (start + 6, 140 * MS))
    for _ in range(26):
        c.ack()
    b.expect(at=b.acked(112), outcome="exited_by_delay", ssthresh_bytes=28_800)


@add(
    "hystart.path.constant",
    "With a constant RTT and short trains HyStart is slow start",
    "Four rounds at 100 ms: 12000, 24000, 48000, 96000. Every ACK adds 1200.",
    profiles=(LINUX, PACED, OLD, GOOGLE),
)
def _(b: StreamBuilder) -> None:
    c = clocked(b)
    c.begin()
    c.ack_until(99)
    b.expect(at=b.acked(99), outcome="grown", cwnd_bytes=132_000)
