"""Hand-built stimuli of JumpStart: the time and the amount of the jump.

`why` derives the expectation. By default packets have 1000 bytes and the RTT of the handshake is
100 ms.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, StreamBuilder
from firstflight_conformance.format.ledger import DataLedger
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import (
    GAP,
    NS3,
    PFLDNET,
    QUICLY,
    RTT,
    SCHARF,
    jump,
    paced,
    ready,
)

CATALOGUE = Catalogue(PFLDNET, sources=("Liu et al., PFLDnet 2007", "Scharf, Networking 2009"))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000)


@add(
    "jumpstart.amount.receive-window",
    "The receive window bounds the first flight",
    """8000 bytes are allowed: D = 8, one packet every 100 / 8 = 12.5 ms, window 8000. scharf-2009 keeps the larger
    initial window, 10000. ns3-2025 ignores the receive window and plans 65 packets.""",
    profiles=(PFLDNET, SCHARF, NS3),
    flags=("paced",),
)
def amount_receive_window(b: StreamBuilder) -> None:
    ready(b, receive_window_bytes=8000)
    paced(b, 8)
    b.expect(profile=(PFLDNET, SCHARF), at=0, planned_packets=8)
    b.expect(profile=PFLDNET, at=0, cwnd_bytes=8000)
    b.expect(profile=SCHARF, at=0, cwnd_bytes=10_000)
    b.expect(profile=(PFLDNET, SCHARF), at=1, next_release_ns=1_012_500_000)
    b.expect(profile=NS3, at=0, cwnd_bytes=65_536, planned_packets=65)


@add(
    "jumpstart.amount.receive-window-rounded",
    "A receive window of a fractional number of packets is rounded down",
    """8999 bytes hold 8 packets of 1000; the ninth would pass the right edge. D = 8, 12.5 ms apart. scharf-2009 counts
    bytes: 8999 bytes in nine packets. The second packet leaves at 1000 * 100 / 8999 ms = 11.112345 ms, rounded down to 11112345 ns.""",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def amount_receive_window_rounded(b: StreamBuilder) -> None:
    ready(b, receive_window_bytes=8999)
    paced(b, 8)
    b.expect(profile=PFLDNET, at=0, cwnd_bytes=8000, planned_packets=8)
    b.expect(profile=PFLDNET, at=1, next_release_ns=1_012_500_000)
    b.expect(profile=SCHARF, at=0, planned_packets=9)
    b.expect(profile=SCHARF, at=1, next_release_ns=1_011_112_345)


@add(
    "jumpstart.amount.queue-rounded-up",
    "A short last packet belongs to the first flight",
    """10500 bytes are queued: D = 11, the last packet has 500 bytes, and the gap is 100 / 11 ms. Rounded down the tail
    would not be sent. The window is 11 packets, 11000 bytes. scharf-2009 counts bytes: window 10500, gap 1000 * 100 /
    10500 ms.""",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def amount_queue_rounded_up(b: StreamBuilder) -> None:
    ready(b, 10_500)
    paced(b, 10, of=11)
    b.send(10 * RTT // 11, 1, 500)
    b.expect(profile=PFLDNET, at=0, cwnd_bytes=11_000, planned_packets=11)
    b.expect(profile=PFLDNET, at=1, next_release_ns=1_009_090_909)
    b.expect(profile=SCHARF, at=0, cwnd_bytes=10_500, planned_packets=11)
    b.expect(profile=SCHARF, at=1, next_release_ns=1_009_523_809)


@add(
    "jumpstart.start.nothing-queued",
    "With an empty queue the sender does not jump, and can still jump later",
    """D = 0: the window stays 10000. When 20000 bytes are queued a second later, the jump begins:
    window 20000.""",
    profiles=(PFLDNET, SCHARF),
)
def start_nothing_queued(b: StreamBuilder) -> None:
    ready(b, 0)
    b.backlog(1000 * MS, 20_000)
    b.expect(at=0, outcome="nothing_to_jump", cwnd_bytes=10_000)
    b.expect(outcome="jump_begun", cwnd_bytes=20_000)


@add(
    "jumpstart.amount.one-short-packet",
    "A single short packet leaves at once",
    """700 bytes are one packet: D = 1, window 1000, sent at the start; an RTT / D of waiting first would delay it by an
    RTT.""",
)
def amount_one_short_packet(b: StreamBuilder) -> None:
    ready(b, 700)
    b.send(0, 1, 700)
    b.ack(RTT, (0, 0))
    b.expect(at=0, cwnd_bytes=1000, planned_packets=1, next_release_ns=1_000_000_000)


@add(
    "jumpstart.amount.maximum",
    "A first flight has at most 2^29 - 1 bytes",
    """2^40 bytes are queued and allowed: the flight is cut to 2^29 - 1 = 536870911 bytes, 536871 packets, the second
    after floor(100000000 / 536871) = 186 ns. The limit guards against overflow.""",
)
def amount_maximum(b: StreamBuilder) -> None:
    ready(b, 2**40, 2**40)
    b.send(0, 1)
    b.expect(at=0, cwnd_bytes=536_870_911, planned_packets=536_871)
    b.expect(next_release_ns=1_000_000_186)


@add(
    "jumpstart.start.no-rtt-sample",
    "A sender without an RTT sample does not jump",
    """The SYN was sent twice, so the handshake gave no sample: the window stays 10000. ns3-2025 uses 100 ms and jumps. Once
    a sample exists the sender may still jump.""",
    profiles=(PFLDNET, SCHARF, QUICLY, NS3),
)
def start_no_rtt_sample(b: StreamBuilder) -> None:
    ready(b, rtt_ns=None)
    b.send(0, 2)
    b.ack(RTT, (0, 1))
    b.backlog(RTT, 20_000)
    b.expect(profile=(PFLDNET, SCHARF, QUICLY), at=0, outcome="no_rtt_sample", cwnd_bytes=10_000)
    b.expect(profile=NS3, at=0, outcome="jump_begun", cwnd_bytes=65_536)
    b.expect(profile=(PFLDNET, SCHARF), outcome="jump_begun", cwnd_bytes=20_000)


@add(
    "jumpstart.start.larger-window",
    "A flight smaller than the initial window",
    """5000 bytes are queued, the initial window is 10000. pfldnet-2007 sets the window to the flight, 5000, which the
    text does not specify. scharf-2009 keeps the larger 10000. Both pace.""",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def start_larger_window(b: StreamBuilder) -> None:
    ready(b, 5000)
    paced(b, 5)
    b.expect(profile=PFLDNET, at=0, cwnd_bytes=5000)
    b.expect(profile=SCHARF, at=0, cwnd_bytes=10_000)
    b.expect(at=1, next_release_ns=1_020_000_000)


@add(
    "jumpstart.start.in-recovery",
    "A sender in recovery does not jump",
    """Packet 0 of two is lost: the window of 10000 becomes 10000 / 2 = 5000. For scharf-2009 two packets were in flight;
    half of 2000 is less than the minimum window 2000. Data that is ready then does not cause a jump.""",
    profiles=(PFLDNET, SCHARF),
)
def start_in_recovery(b: StreamBuilder) -> None:
    b.data = DataLedger()
    b.send(0, 2)
    b.lose(RTT, (0, 0))
    b.backlog(RTT, 20_000)
    b.expect(profile=PFLDNET, at=1, cwnd_bytes=5000)
    b.expect(profile=SCHARF, at=1, cwnd_bytes=2000)
    b.expect(outcome="jump_barred")


@add(
    "jumpstart.start.after-recovery",
    "After a recovery the sender may jump",
    """Packet 0 of two is lost: the window of 10000 becomes 10000 / 2 = 5000. Its repair is acknowledged, which ends recovery and, in congestion avoidance, adds floor(1000 * 1000 / 5000) = 200. Data that is ready
    then jumps with 20 packets: the window is 20000. An implementation that does not jump after a loss stays at 5200.""",
    profiles=(PFLDNET,),
    flags=("paced",),
)
def start_after_recovery(b: StreamBuilder) -> None:
    b.data = DataLedger()
    b.send(0, 2)
    b.lose(RTT, (0, 0))
    b.send(RTT + MS, 1, repeats=((0, 0),))
    b.ack(2 * RTT + MS, (1, 2))
    b.expect(cwnd_bytes=5200)
    b.backlog(2 * RTT + MS, 20_000)
    b.expect(outcome="jump_begun", cwnd_bytes=20_000)


@add(
    "jumpstart.start.second-jump",
    "One jump for a connection, or one after each idle period",
    """The flight of 20 is acknowledged at once. More data a moment later does not cause a jump. After five idle seconds
    scharf-2009 may jump again, with 20 packets from 25000 ms on. The text has one jump per connection.""",
    profiles=(PFLDNET, SCHARF),
    flags=("paced",),
)
def start_second_jump(b: StreamBuilder) -> None:
    jump(b)
    b.ack(RTT + 19 * GAP, (0, 19))
    b.backlog(RTT + 19 * GAP, 20_000)
    b.expect(profile=PFLDNET, outcome="jump_spent")
    b.idle_restart(5000 * MS)
    b.expect(profile=SCHARF, outcome="jump_rearmed")
    b.backlog(5000 * MS, 20_000)
    b.expect(profile=PFLDNET, outcome="jump_spent", cwnd_bytes=40_000)
    b.expect(profile=SCHARF, outcome="jump_begun")
    b.send(5000 * MS, 1)
    b.expect(profile=SCHARF, next_release_ns=6_005_000_000)
