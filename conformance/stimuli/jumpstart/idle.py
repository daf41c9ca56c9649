"""Hand-built stimuli of JumpStart: idle periods, and the flight after one.

`why` derives the expectation. Packets have 1000 bytes, the RTT is 100 ms and the flight has 20 packets, one every 5 ms,
unless the text says otherwise.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, S, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.jumpstart.flight import GAP, RTT, SCHARF, jump, lose_and_ack, paced, ready
from stimuli.jumpstart.more_start import MORE

CATALOGUE = Catalogue(SCHARF, MORE, sources=("Scharf, Networking 2009",))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000, flags=("paced",))


@add(
    "jumpstart.account.loss-in-second-flight",
    "A loss that shows while a second flight is being sent",
    """The first flight arrives in one ACK: 20000 + 1000 = 21000. After five idle seconds the second flight begins
    with packet 20. The RTT is shorter now: 15 packets have left when the loss of packet 20 shows. The 15000 bytes in
    flight halve: 15000 / 2 = 7500. D = 15 and R = 1: floor((15 - 1) / 2) = 7 packets. A flight that still ends with
    the first one does not include packet 20.""",
    profiles=(SCHARF,),
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
    "jumpstart.start.idle-in-jump",
    "An idle period in the jump allows no second one",
    """After six packets of the flight the application withdraws its data. Their ACK grows the window to 20000 + 1000
    = 21000, and the jump goes on. Five idle seconds change nothing. New data belongs to the same flight, whose 14
    other packets leave. The jump is spent then: 30000 bytes that are ready a millisecond later leave the window as it
    is.""",
)
def start_idle_in_jump(b: StreamBuilder) -> None:
    ready(b)
    paced(b, 6, of=20)
    b.ack(125 * MS, (0, 5))
    b.expect(outcome="grown", cwnd_bytes=21_000, phase="jump")
    b.idle_restart(5 * S)
    b.expect(outcome="unchanged", phase="jump")
    b.backlog(5 * S, 20_000)
    b.expect(outcome="jump_kept", planned_packets=20)
    b.send(5 * S, 14)
    b.expect(outcome="jump_sent", sent_packets=20)
    b.backlog(5001 * MS, 30_000)
    b.expect(outcome="jump_spent", cwnd_bytes=21_000, phase="slow_start", next_release_ns=None)


@add(
    "jumpstart.start.idle-in-recovery",
    "An idle period in recovery allows no second jump, the next one does",
    """The flight arrives, then five packets more: 20000 + 1000 + 1000 = 22000. The last ACK reports a CE mark, which
    is processed after it: nothing is in flight, and the window is two packets, 2000. The idle period falls into this
    recovery and changes nothing: data that is ready then leaves 2000. Two packets and their ACK end recovery: 2000 +
    500 + 400 = 2900, by floor(1000 * 1000 / 2000) = 500 and floor(1000 * 1000 / 2500) = 400. The jump is still spent.
    After the next idle period there is one: 20000.""",
    flags=("paced", "same-time-order"),
)
def start_idle_in_recovery(b: StreamBuilder) -> None:
    jump(b)
    b.ack(RTT + 19 * GAP, (0, 19))
    b.send(200 * MS, 5)
    b.ack(300 * MS, (20, 24))
    b.expect(cwnd_bytes=22_000)
    b.ce(300 * MS, 24, 200 * MS)
    b.expect(outcome="reduced", cwnd_bytes=2000)
    b.idle_restart(5 * S)
    b.expect(outcome="unchanged")
    b.backlog(5 * S, 20_000)
    b.expect(cwnd_bytes=2000, phase="recovery")
    b.send(5 * S, 2)
    b.ack(5100 * MS, (25, 26))
    b.expect(outcome="grown_avoidance", cwnd_bytes=2900)
    b.backlog(5100 * MS, 20_000)
    b.expect(outcome="jump_spent", cwnd_bytes=2900)
    b.idle_restart(10 * S)
    b.expect(outcome="jump_rearmed")
    b.backlog(10 * S, 20_000)
    b.expect(outcome="jump_begun", cwnd_bytes=20_000)
