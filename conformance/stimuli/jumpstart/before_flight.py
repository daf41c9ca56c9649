"""Hand-built stimuli of JumpStart: packets that left before the first flight.

`why` derives the expectation. Packets have 1000 bytes, the RTT is 100 ms and the flight has 20 packets, one every 5 ms,
unless the text says otherwise. A frame that reveals a loss is the loss and then the ACK.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, StreamBuilder
from firstflight_conformance.format.ledger import DataLedger
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import PFLDNET, RTT, SCHARF, lose_and_ack, paced

CATALOGUE = Catalogue(PFLDNET, SCHARF, sources=("Liu et al., PFLDnet 2007", "Scharf, Networking 2009"))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000, flags=("paced",))


def _jump_after_two(b: StreamBuilder, packets: int) -> None:
    """Send two packets, and 20 ms later the first ``packets`` of a flight of twenty, which begins with packet 2."""
    b.data = DataLedger()
    b.send(0, 2)
    b.backlog(20 * MS, 20_000, 100_000, RTT)
    paced(b, packets, of=20, since_ns=20 * MS)


@add(
    "jumpstart.flight.window-shrinks-after-older-packets",
    "The rest of a flight after a smaller receive window is counted without older packets",
    """Two packets left 20 ms before the jump, six packets of the flight follow. The receiver then allows 5000 bytes:
    the flight has 6 + 5 = 11 packets. Packet 6 of the flight is due at 20 + 6 * 5 = 50 ms. The jump ends with its
    eleventh packet, at 70 ms. Counting the two older packets as well gives 8 + 5 = 13.""",
)
def flight_window_shrinks_after_older_packets(b: StreamBuilder) -> None:
    _jump_after_two(b, 6)
    b.backlog(47 * MS, 14_000, 5000)
    b.expect(outcome="jump_changed", sent_packets=6, next_release_ns=1_050_000_000)
    for index in range(6, 11):
        b.send((20 + 5 * index) * MS, 1)
    b.expect(at=12, phase="jump", next_release_ns=1_070_000_000)
    b.expect(outcome="jump_sent", sent_packets=11, next_release_ns=None)


@add(
    "jumpstart.account.packet-before-flight-lost",
    "The loss of the last packet before the flight is not accounted for",
    """Two packets left 20 ms before the jump. The second, packet 1, is lost when 16 packets of the flight have left:
    the window halves to 20000 / 2 = 10000. In scharf-2009 the 18 packets in flight are halved: 18000 / 2 = 9000. The
    flight begins with packet 2 and arrives. The ACK of the repair ends recovery and adds 1000 * 1000 / 10000 = 100,
    or floor(1000 * 1000 / 9000) = 111. A flight that includes packet 1 gives floor((16 - 1) / 2) = 7 packets.""",
)
def account_packet_before_flight_lost(b: StreamBuilder) -> None:
    _jump_after_two(b, 16)
    lose_and_ack(b, 100 * MS, (1, 1), (0, 0), (2, 4))
    b.expect(profile=PFLDNET, outcome="in_recovery", cwnd_bytes=10_000)
    b.expect(profile=SCHARF, outcome="in_recovery", cwnd_bytes=9000)
    b.ack(165 * MS, (5, 17))
    b.send(165 * MS, 1, repeats=((1, 1),))
    b.ack(235 * MS, (18, 18))
    b.expect(repeated_packets=0, outcome="grown_avoidance")
    b.expect(profile=PFLDNET, cwnd_bytes=10_100, ssthresh_bytes=10_000)
    b.expect(profile=SCHARF, cwnd_bytes=9111, ssthresh_bytes=9000)
