"""Stimuli for SEARCH with a full window: losses, marks, little application data, and the time after the exit."""

from typing import Any

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.search.full_window import LAST, ON_NEWRENO, PROFILES, over
from stimuli.search.full_window_flow import NO_BOTTLENECK, FullWindow, steps

CATALOGUE = Catalogue(*PROFILES, sources=("RFC 9002, sections 7.6 and 7.8", "searches A8, A20, A22"))


def _path(b: Any, loop: str, rate: int = NO_BOTTLENECK, slot_ms: int = 10) -> FullWindow:
    return FullWindow(b, loop, rate=steps(rate), slot_ns=slot_ms * MS)


# Loss and marks

over(
    "loss-before-exit", "A loss ends slow start before SEARCH does",
    "Packet 60, of the third flight, is lost. Recovery halves the window. Delivery stalls, and SEARCH, which is inactive now, must not set the threshold again.",
    rate=(100,), drops=frozenset({60}), until_ms=900, profiles=ON_NEWRENO, catalogue=CATALOGUE,
)  # fmt: skip
over(
    "loss-after-its-ack", "A loss is reported after the ACK that revealed it",
    "The same loss, after the ACK: the acknowledged bytes grow the window first, so that half of a larger window remains.",
    rate=(100,), drops=frozenset({60}), ack_first=True, until_ms=900, profiles=ON_NEWRENO, catalogue=CATALOGUE,
)  # fmt: skip
over(
    "loss-of-a-burst", "Twenty packets of a flight are lost",
    "One recovery period for all of them, though several ACKs reveal them.",
    rate=(100,), drops=frozenset(range(100, 140, 2)), until_ms=1000, profiles=ON_NEWRENO, catalogue=CATALOGUE,
)  # fmt: skip
over(
    "loss-twice", "A loss in recovery, and one after it",
    "Packets 60 and 75 are lost in one recovery, packet 150 in the next: two reductions, not three.",
    rate=(100,), drops=frozenset({60, 75, 150}), until_ms=900, profiles=ON_NEWRENO, catalogue=CATALOGUE,
)  # fmt: skip
over(
    "loss-after-exit", "A loss after the exit",
    "neqo leaves at the plateau without lowering the window. Packet 900, sent later, is lost. Half of the window replaces the threshold of the exit.",
    rate=(100,), drops=frozenset({900}), loop="neqo-2026", until_ms=1400, profiles=("neqo-2026",), catalogue=CATALOGUE,
)  # fmt: skip


@CATALOGUE.add(
    "search.full-window.ce-before-exit",
    "An ECN mark ends slow start before SEARCH does",
    "A mark after 500 ms halves the window like a loss, but the bins are complete.",
    tier="core",
    profiles=ON_NEWRENO,
    initial_window_bytes=None,
)
def full_window_ce_before_exit(b: Any) -> None:
    path = _path(b, LAST, rate=100)
    path.transfer(500 * MS)
    t_ns = path.ack()
    newest = b.events[-1].packets[-1]
    b.ce(t_ns, newest.last, newest.sent_t_ns - b.origin_ns)
    path.send(t_ns)
    path.bulk(900 * MS)


# Little application data: less than half of the window, app-limited by every rule


def quiet_start(packets: int) -> None:
    """Add a transfer whose first flight has ``packets``."""

    @CATALOGUE.add(
        f"search.full-window.first-flight-of-{packets}",
        f"The first flight has {packets} packets, then unlimited data",
        "Its ACK is app-limited and does not grow the window. If SEARCH does not start with it, bin 0 and all later bins begin a round later.",
        tier="core",
        initial_window_bytes=None,
    )
    def fill(b: Any) -> None:
        path = _path(b, LAST, rate=100)
        path.send(0, packets)
        path.send(path.ack(app_limited=True))
        path.bulk(1250 * MS)


for count in (1, 2, 4):
    quiet_start(count)


def quiet_flights(name: str, title: str, why: str, flights: int, gap_ms: int, until_ms: int, loop: str) -> None:
    """Add a transfer with four full rounds, then flights of three packets, each ``gap_ms`` after the previous ACK."""

    @CATALOGUE.add(f"search.full-window.{name}", title, why, tier="core", initial_window_bytes=None)
    def fill(b: Any) -> None:
        path = _path(b, loop, slot_ms=100)
        path.send(0)
        for _ in range(3):
            path.send(path.ack())
        t_ns = path.ack()
        for _ in range(flights):
            path.send(t_ns + gap_ms * MS, 3)
            t_ns = path.ack(app_limited=True)
        path.slot_ns, path.rate = 10 * MS, steps(400)
        path.send(t_ns)
        path.bulk(until_ms * MS)


quiet_flights(
    "quiet-flight", "One flight of three packets after four full rounds",
    "The bins of that round hold 3600 bytes, though 160 packets would fit. Implementations that do not treat the ACK as app-limited detect a collapse of delivery "
    "and leave, though the path is not full.",
    flights=1, gap_ms=0, until_ms=1500, loop="neqo-2026",
)  # fmt: skip
quiet_flights(
    "quiet-flights", "Three flights of three packets after four full rounds",
    "More than a window of bins is nearly empty, then the full window leaves at once. Profiles that count app-limited ACKs add their bytes to the bins. "
    "Profiles that ignore such ACKs miss the bins that ended meanwhile.",
    flights=3, gap_ms=0, until_ms=1800, loop="neqo-2026",
)  # fmt: skip
quiet_flights(
    "quiet-and-idle", "A flight of three packets, and half a second without packets",
    "Because of the idle time more than ten bins pass between two ACKs that can end one. Profiles with a limit of missed bins start SEARCH again.",
    flights=2, gap_ms=500, until_ms=3000, loop="lanman-2024",
)  # fmt: skip


@CATALOGUE.add(
    "search.full-window.persistent-congestion",
    "Persistent congestion that the losses themselves establish",
    """After four full rounds single packets leave at 400, 700 and 1300 ms and are lost. No packet between them is acknowledged. The RTT is 100 ms and its variation 22 ms after four
    samples, so that 900 ms are more than 3 * (100 + 4 * 22 + 25). The window falls to two datagrams and slow start begins again. Stacks that run SEARCH in it have the bins
    of a new connection.""",
    tier="core",
    profiles=ON_NEWRENO,
    initial_window_bytes=None,
)
def full_window_persistent_congestion(b: Any) -> None:
    path = _path(b, "neqo-2026", slot_ms=100)
    path.send(0)
    for _ in range(3):
        path.send(path.ack())
    path.drops = frozenset(range(150, 153))
    path.ack()
    for t_ms in (400, 700, 1300):
        path.send(t_ms * MS, 1)
    path.send(2500 * MS, 3)
    path.ack_first = True
    t_ns = path.ack(app_limited=True)
    b.persistent_congestion(t_ns)
    path.slot_ns, path.rate = 10 * MS, steps(200)
    path.send(t_ns)
    path.bulk(3600 * MS)


# Datagrams of another size

for size_bytes, shown in (
    (1440, "1440"),
    (1472, "1472, the largest in an Ethernet frame"),
    (9000, "9000, as in a jumbo frame"),
):
    over(
        f"datagrams-of-{size_bytes}", f"Datagrams of {size_bytes} bytes",
        f"The recommended window for datagrams of {shown}, and a plateau. The first flight exposes stacks that assume datagrams of 1200 bytes, or ten of any size.",
        rate=(100,), datagram_bytes=size_bytes, until_ms=1230, catalogue=CATALOGUE,
    )  # fmt: skip

# After the exit, each in the loop with the exited profile

for profile, how in (
    ("draft-09", "It drains: the window falls to the bytes delivered in an initial RTT."),
    ("linux-4", "It drains towards a target from scaled bins, in whole packets."),
    ("freebsd-4", "It drains towards a target from scaled bins, in bytes."),
    ("neqo-2026", "It keeps the window and continues in congestion avoidance, with a queue of nearly a window."),
    ("quicly-pr583", "It keeps the window, and it leaves later than profiles that compare with sent bytes."),
    ("picoquic-fork", "Window and threshold stay as at the exit."),
    ("lanman-2024", "The window is lowered at once by the overshoot."),
    ("draft-00", "The window is lowered at once by the overshoot."),
    ("linux-3", "The window is lowered at once, in whole packets."),
):
    over(
        f"after-exit-{profile}", f"The time after the exit of {profile}",
        f"A plateau of 100 packets in an RTT, continued after the exit in the loop with this profile only. {how}",
        rate=(100,), loop=profile, profiles=(profile,), until_ms=1500, catalogue=CATALOGUE,
    )  # fmt: skip
