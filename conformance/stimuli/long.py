"""Stimuli of long connections for every algorithm: more than 2^32 bytes, and times beyond 2^32 us and 2^32 ms.

A counter of 32 bits wraps there. Packet numbers beyond 2^32 need too many events for a vector; the random
streams have them.
"""

from collections.abc import Callable

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.builders import ALGORITHMS, Fitting, builder_of
from stimuli.builders import full_profiles as _full_profiles

CATALOGUE = Catalogue(sources=("ours",))
RTT = 100 * MS
#: The largest packet in bytes, and the packets of a run: a window of 131071 bytes less than 2^32.
LARGEST = 65_535
#: 2^32 us and 2^32 ms, in ns.
WRAPS_NS = (2**32 * 1000, 2**32 * 1_000_000)
#: An unpaced sender of HyStart++ counts eight datagrams of an ACK (L): its window is smaller than the others.
PACED = {"hystartpp": ("rfc-9406", "ngtcp2")}
#: After ten seconds of silence BBR in Linux probes the RTT, which no vector judges.
WITHOUT_PROBES = {"bbr": ("draft-06",)}


def full_profiles(algorithm: str) -> tuple[str, ...]:
    """Return the profiles whose windows one stream of whole flights can fill."""
    return PACED.get(algorithm, _full_profiles(algorithm))


def _bytes(algorithm: str) -> Callable[[StreamBuilder], None]:
    def fill(b: StreamBuilder) -> None:
        sender = Fitting(b, algorithm, full_profiles(algorithm))
        sender.flights((1,), RTT, 2 * RTT)
        sender.flight_with_loss(RTT, 2 * RTT, frames=2)

    return fill


def _times(algorithm: str) -> Callable[[StreamBuilder], None]:
    def fill(b: StreamBuilder) -> None:
        sender = Fitting(b, algorithm, WITHOUT_PROBES.get(algorithm, full_profiles(algorithm)))
        sender.flights((1,), RTT)
        for wrap_ns in WRAPS_NS:
            # In whole ms, half an RTT before the clock wraps.
            sender.now_ns = wrap_ns // MS * MS - b.origin_ns - RTT // 2
            sender.flights((1,), RTT, RTT)
        # The next packet is sent after the loss, also for a stack that compares times in ms.
        sender.flight_with_loss(RTT, RTT + MS)
        sender.flights((1, 1), RTT, RTT)

    return fill


for _algorithm in ALGORITHMS:
    CATALOGUE.add(
        f"{_algorithm}.long.bytes",
        "More than 2^32 bytes are delivered",
        """Packets of 65535 bytes. The first flight has 65535 packets, 65535 * 65535 = 4294836225 bytes; the second fills
        the grown window, and loses its first packet. A stack that counts bytes in 32 bits has another window.""",
        tier="core",
        profiles=full_profiles(_algorithm),
        builder=builder_of(_algorithm),
        max_datagram_size_bytes=LARGEST,
        initial_window_bytes=LARGEST * LARGEST,
    )(_bytes(_algorithm))
    CATALOGUE.add(
        f"{_algorithm}.long.weeks",
        "Flights over seven weeks",
        """One flight at the start, one in flight when the clock passes 2^32 us, 72 minutes, and one when it passes
        2^32 ms, 49.7 days. Then a loss, and two flights in congestion avoidance. A stack whose clock wraps has another RTT,
        another round, or another curve.""",
        tier="core",
        profiles=WITHOUT_PROBES.get(_algorithm, full_profiles(_algorithm)),
        builder=builder_of(_algorithm),
    )(_times(_algorithm))
