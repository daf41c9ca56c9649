"""Hand-built stimuli of JumpStart: the flight after an idle period.

`why` derives the expectation. By default packets have 1000 bytes, the RTT is 100 ms and the flight has
20 packets, one every 5 ms.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, S, StreamBuilder
from firstflight_conformance.format.ledger import DataLedger
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import GAP, RTT, SCHARF, jump, lose_and_ack, paced

CATALOGUE = Catalogue(SCHARF, sources=("Scharf, Networking 2009",))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000, flags=("paced",))


@add(
    "jumpstart.account.loss-in-second-flight",
    "A loss that shows while a second flight is being sent",
    """The first flight arrives in one ACK: 20000 + 1000 = 21000. After five idle seconds the second flight begins
    with packet 20. The RTT is shorter now: 15 packets have left when the loss of packet 20 shows. The 15000 bytes in
    flight halve: 15000 / 2 = 7500. D = 15 and R = 1: floor((15 - 1) / 2) = 7 packets. A flight that still ends with
    the first one does not include packet 20.""",
)
def account_loss_in_second_flight(b: StreamBuilder) -> None:
    jump(b)
    b.ack(RTT + 19 * GAP, (0, 19))
    b.idle_restart(5 * S)
    b.backlog(5 * S, 20_000)
    b.expect(outcome="jump_begun", cwnd_bytes=21_000)
    paced(b, 15, of=20, since_ns=5 * S)
    lose_and_ack(b, 5075 * MS, (20, 20), (21, 23))
    b.expect(outcome="in_recovery", cwnd_bytes=7500)
    b.ack(5130 * MS, (24, 34))
    b.send(5130 * MS, 1, repeats=((20, 20),))
    b.ack(5190 * MS, (35, 35))
    b.expect(outcome="jump_accounted", repeated_packets=1, cwnd_bytes=7000, ssthresh_bytes=7000)


@add(
    "jumpstart.cubic.idle",
    "Idle time does not count for CUBIC under JumpStart either",
    """Ten packets fill the window, and the loss of packet 0 leaves 7000. The ACK of packet 10 begins a stage of CUBIC at t =
    0 and empties the flight. Four seconds later a packet is sent, and acknowledged after 1 s: t is 1 s. A sender that counts the idle
    time has t = 5 s.""",
    profiles=("pfldnet-2007+cubic",),
    sources=("RFC 9438, section 4.2",),
    tier="core",
    flags=(),
)
def cubic_idle(b: StreamBuilder) -> None:
    b.data = DataLedger()
    b.send(0, 10)
    b.lose(S, (0, 0))
    b.ack(S, (1, 9))
    b.send(S + MS, 1, repeats=((0, 0),))
    b.ack(2 * S + MS, (10, 10))
    b.send(2 * S + 2 * MS, 1)
    b.ack(3 * S + 2 * MS, (11, 11))
    b.send(7 * S, 1)
    b.ack(8 * S, (12, 12))
