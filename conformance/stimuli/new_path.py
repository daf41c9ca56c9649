"""Stimuli with a migration of the peer, for every algorithm with a QUIC profile (RFC 9000, section 9.4)."""

from collections.abc import Callable

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.builders import Fitting, builder_of
from stimuli.initial_window import OF_QUIC

CATALOGUE = Catalogue(sources=("RFC 9000, section 9.4",))
RTT = 100 * MS
#: The RTT of a new path that is much longer.
LONGER = 1000 * MS
#: The base controllers of QUIC.
BASES = {"slow-start": ("rfc-9002",), "cubic": OF_QUIC["cubic"]}
#: Profiles of them that do not read ``bytes_in_flight`` in slow start: it counts packets of the old path as well.
WITHOUT_FLIGHT = {"slow-start": ("rfc-9002",), "cubic": ("rfc-9438",)}
#: Startup algorithms. Careful Resume has its own rules for a change of the path.
STARTUPS = {name: profiles for name, profiles in OF_QUIC.items() if name not in (*BASES, "careful-resume")} | {
    "search": ("lanman-2024", "draft-00", "draft-09", "quicly-pr583", "neqo-2026", "picoquic-fork")
}
#: Algorithms whose startup begins when data is ready.
ANNOUNCED = ("jumpstart",)


def _grown(b: StreamBuilder) -> None:
    """Let the window grow to 24000 bytes."""
    b.send(0, 10)
    b.ack(RTT, (0, 9))


def grown(b: StreamBuilder) -> None:
    """Migrate in slow start."""
    _grown(b)
    b.path_change(RTT + MS)
    b.expect(outcome="path_changed", cwnd_bytes=12_000, ssthresh_bytes=None)
    b.send(RTT + 2 * MS, 10)
    b.ack(2 * RTT + 2 * MS, (10, 19))
    b.expect(outcome="grown", cwnd_bytes=24_000)


def in_recovery(b: StreamBuilder) -> None:
    """Migrate in recovery, and lose a packet of the new path."""
    _grown(b)
    b.send(RTT, 20)
    b.lose(2 * RTT, (10, 10))
    b.ack(2 * RTT, (11, 29))
    b.path_change(2 * RTT + MS)
    b.expect(outcome="path_changed", cwnd_bytes=12_000, ssthresh_bytes=None, phase="slow_start")
    b.send(2 * RTT + 2 * MS, 10)
    now_ns = 2 * RTT + 2 * MS + LONGER
    b.lose(now_ns, (30, 30))
    b.expect(outcome="reduced")
    b.ack(now_ns, (31, 39))
    b.send(now_ns + MS, 5)
    b.ack(now_ns + MS + LONGER, (40, 40))
    b.ack(now_ns + 300 * MS + LONGER, (41, 44))
    b.expect(outcome="grown_avoidance")


def old_ack(b: StreamBuilder) -> None:
    """Acknowledge packets of the old path, and of both paths at once."""
    b.send(0, 5)
    b.path_change(10 * MS)
    b.send(20 * MS, 5)
    b.ack(RTT, (0, 2))
    b.expect(outcome="unchanged", cwnd_bytes=12_000)
    b.ack(RTT + 20 * MS, (3, 9))
    b.expect(outcome="grown", cwnd_bytes=18_000)


def old_loss(b: StreamBuilder) -> None:
    """Lose and mark packets of the old path."""
    b.send(0, 5)
    b.path_change(10 * MS)
    b.send(20 * MS, 5)
    b.lose(RTT, (0, 1))
    b.expect(outcome="unchanged", cwnd_bytes=12_000, ssthresh_bytes=None)
    b.ce(RTT, 2, 0)
    b.expect(outcome="unchanged", cwnd_bytes=12_000, ssthresh_bytes=None)
    b.ack(RTT + 20 * MS, (5, 9))
    b.expect(outcome="grown", cwnd_bytes=18_000, phase="slow_start")


def without_configured(b: StreamBuilder) -> None:
    """Migrate without a configured initial window."""
    _grown(b)
    b.path_change(RTT + MS)
    b.expect(outcome="path_changed", cwnd_bytes=12_000, ssthresh_bytes=None)


def large_datagrams(b: StreamBuilder) -> None:
    """Migrate after a loss, with datagrams of 40000 bytes."""
    b.send(0, 2)
    b.ack(RTT, (0, 1))
    b.send(RTT, 4)
    b.ack(2 * RTT, (2, 5))
    b.expect(cwnd_bytes=320_000)
    b.send(2 * RTT, 8)
    b.lose(3 * RTT, (6, 6))
    b.expect(outcome="reduced")
    b.ack(3 * RTT, (7, 13))
    b.path_change(3 * RTT + MS)
    b.expect(outcome="path_changed", cwnd_bytes=80_000, ssthresh_bytes=None, phase="slow_start")


_OLD = "The first five packets were sent on the old path, the other five on the new one."
for _algorithm, _profiles in BASES.items():
    _add = CATALOGUE.add
    _add(
        f"{_algorithm}.path.grown",
        "A new path begins with the initial window",
        """Ten packets: 12000 + 10 * 1200 = 24000. The new path begins with the initial window, 12000, and slow start makes
        it 24000 again. A stack that keeps its state has 24000 at the change, and
        24000 + 10 * 1200 = 36000 at the end.""",
        profiles=_profiles,
    )(grown)
    _add(
        f"{_algorithm}.path.recommended-window",
        "A new path begins with the recommended window if none is configured",
        """The recommended window is min(10 * 1200, max(2 * 1200, 14720)) = 12000. Ten packets: 12000 + 10 * 1200 =
        24000. The new path begins with 12000 again.""",
        profiles=_profiles,
        initial_window_bytes=None,
        sources=("RFC 9000, section 9.4", "RFC 9002, section 7.2"),
    )(without_configured)
    _add(
        f"{_algorithm}.path.large-datagrams",
        "A new path begins with the recommended window of large datagrams, also after a loss",
        """The recommended window is min(10 * 40000, max(2 * 40000, 14720)) = 80000: two datagrams. Six packets make it
        80000 + 6 * 40000 = 320000. A loss reduces that and sets a threshold. The new path begins with 80000 and without
        a threshold. In 16 bits 80000 is 80000 - 65536 = 14464.""",
        profiles=_profiles,
        flags=("same-time-order",),
        max_datagram_size_bytes=40_000,
        initial_window_bytes=None,
        sources=("RFC 9000, section 9.4", "RFC 9002, section 7.2"),
    )(large_datagrams)
    _add(
        f"{_algorithm}.path.in-recovery",
        "A new path begins without a threshold and without a recovery period",
        """A loss reduces the window of 24000 and sets a threshold. Both are gone on the new path: 12000 bytes, and no
        threshold. The loss of its first packet reduces the window of 12000, and congestion avoidance continues from there: the first
        maximum of the new path is 12000. With a W_max of 24000, CUBIC would treat the loss as a sign of less capacity, and aim at 0.85 * 12000 = 10200.""",
        profiles=_profiles,
    )(in_recovery)
    _add(
        f"{_algorithm}.path.old-ack",
        "An ACK of packets of the old path does not grow the window",
        f"{_OLD} An ACK of old packets leaves the window at 12000. An ACK of two old and five new packets makes it 12000 + 5 * 1200 = 18000. A stack that counts all packets has 12000 + 3 * 1200 = 15600, then 15600 + 7 * 1200 = 24000.",
        profiles=WITHOUT_FLIGHT[_algorithm],
    )(old_ack)
    _add(
        f"{_algorithm}.path.old-loss",
        "Losses and CE marks of packets of the old path do not reduce the window",
        f"{_OLD} The loss of two old packets, and the CE mark of a third, leave the window at 12000 and set no threshold. The ACK of the new ones makes it 12000 + 5 * 1200 = 18000.",
        profiles=WITHOUT_FLIGHT[_algorithm],
        flags=("same-time-order",),
    )(old_loss)


def _connection(algorithm: str, profiles: tuple[str, ...]) -> Callable[[StreamBuilder], None]:
    """Return a stream with two flights and a loss on one path, and three flights on the next."""

    def fill(b: StreamBuilder) -> None:
        if algorithm in ANNOUNCED:
            b.backlog(0, 10**6, 10**6, RTT)
        sender = Fitting(b, algorithm, profiles)
        sender.flights((10, 10), RTT, RTT + MS)
        sender.flight_with_loss(RTT, RTT + MS)
        b.path_change(sender.now_ns)
        b.expect(outcome="path_changed", cwnd_bytes=12_000, ssthresh_bytes=None)
        # Without a backlog: a sender may start this way once in a connection.
        sender.now_ns += MS
        sender.flights((10, 10), 2 * RTT, 2 * RTT + MS)

    return fill


for _algorithm, _profiles in STARTUPS.items():
    CATALOGUE.add(
        f"{_algorithm}.path.starts-again",
        "The startup algorithm starts again on a new path",
        """Two flights on the first path, and one whose first packet is lost, which ends the startup. The new path begins with
        the initial window of ten datagrams, 10 * 1200 = 12000, without a threshold. The startup algorithm is in its initial state. The RTT
        of the new path is twice as long: a startup algorithm that remembers the old path detects a rising delay.""",
        profiles=_profiles,
        builder=builder_of(_algorithm),
    )(_connection(_algorithm, _profiles))


def spurious(b: StreamBuilder) -> None:
    """Migrate in recovery, and detect on the new path that the loss was spurious."""
    _grown(b)
    b.send(RTT, 20)
    b.lose(2 * RTT, (10, 10))
    b.ack(2 * RTT, (11, 29))
    b.path_change(2 * RTT + MS)
    b.send(2 * RTT + 2 * MS, 10)
    b.spurious_loss(2 * RTT + 3 * MS)
    b.expect(outcome="unchanged", cwnd_bytes=12_000, ssthresh_bytes=None, phase="slow_start")
    b.ack(3 * RTT + 2 * MS, (30, 34))
    b.expect(outcome="grown", cwnd_bytes=18_000)


CATALOGUE.add(
    "cubic.path.spurious-loss",
    "A spurious loss of the old path does not bring its window to the new one",
    """Ten packets are acknowledged: 12000 + 10 * 1200 = 24000. A loss reduces this window, and the new path begins
    with 12000. There the loss proves spurious: the window stays 12000, and five packets make
    it 12000 + 5 * 1200 = 18000. A sender that restores the window of the old path has 24000, and then 24000 + 5 *
    1200 = 30000.""",
    profiles=BASES["cubic"],
    flags=("same-time-order",),
)(spurious)
