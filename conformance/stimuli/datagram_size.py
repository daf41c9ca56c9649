"""Changes of the maximum datagram size, for bases and startup algorithms over QUIC (RFC 9002, section 7.2)."""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.builders import builder_of
from stimuli.initial_window import OF_QUIC
from stimuli.new_path import STARTUPS
from stimuli.probes import RTT

CATALOGUE = Catalogue(sources=("RFC 9002, section 7.2",))
_WHY = """The initial window of 1500 bytes is 14720. A packet of 1500 bytes does not arrive, and the handshake continues with 1200: the window
    becomes 10 * 1200 = 12000. """
#: The end of the text: the window after eight packets, and after a handshake that keeps the window.
_DOUBLED = """Eight packets are acknowledged: 12000 + 9600 = 21600. A sender that keeps the window has 14720, then
    14720 + 9600 = 24320."""
_TRIPLED = """Eight packets are acknowledged without a queue: 12000 + 2 * 9600 = 31200. A sender that keeps the window has 14720, then
    14720 + 2 * 9600 = 33920."""


def _shrink_in_handshake(b: StreamBuilder) -> None:
    """Reduce datagrams from 1500 to 1200 bytes in the handshake; then eight packets are acknowledged."""
    b.send(0, 1)
    b.datagram_size(RTT, 1200, handshake=True)
    b.send(RTT, 8)
    b.ack(2 * RTT, (1, 8))


def _doubled(b: StreamBuilder) -> None:
    _shrink_in_handshake(b)
    b.expect(at=1, outcome="unchanged", cwnd_bytes=12_000)
    b.expect(cwnd_bytes=21_600)


def _larger(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 9))
    b.datagram_size(RTT + MS, 1400)
    b.expect(outcome="unchanged", cwnd_bytes=24_000)
    b.send(RTT + 2 * MS, 17)
    b.ack(2 * RTT + 2 * MS, (10, 11))
    b.expect(cwnd_bytes=26_800)


def _minimum(b: StreamBuilder) -> None:
    b.send(0, 5)
    b.send(500 * MS, 5)
    b.datagram_size(600 * MS, 1500)
    b.lose(900 * MS, (0, 9))
    b.persistent_congestion(900 * MS)
    b.expect(outcome="collapsed", cwnd_bytes=3000)


def _recalculated(b: StreamBuilder) -> None:
    b.send(0, 1)
    b.datagram_size(RTT, 1200, handshake=True)
    b.expect(outcome="unchanged", cwnd_bytes=12_000)


def _tripled(b: StreamBuilder) -> None:
    _shrink_in_handshake(b)
    b.expect(at=1, outcome="unchanged", cwnd_bytes=12_000)
    b.expect(outcome="rapid_grown", cwnd_bytes=31_200)


#: BBR stops there: its pacing uses the first initial window, and the text recommends to recalculate that.
_ENDS = {"rapid-start": (_TRIPLED, _tripled), "bbr": ("A sender that keeps the window has 14720.", _recalculated)}
for _algorithm, _profiles in (STARTUPS | {"careful-resume": OF_QUIC["careful-resume"]}).items():
    _why, _fill = _ENDS.get(_algorithm, (_DOUBLED, _doubled))
    CATALOGUE.add(
        f"{_algorithm}.datagram-size.handshake",
        "A size that decreases to complete the handshake brings the initial window of the new size",
        _WHY + _why,
        profiles=_profiles,
        max_datagram_size_bytes=1500,
        initial_window_bytes=None,
        builder=builder_of(_algorithm),
    )(_fill)

_OF_BASES = ("RFC 9002, section 7.2", "RFC 8899, section 3")
for _algorithm, _profile in (("slow-start", "rfc-9002"), ("cubic", "rfc-9438")):
    CATALOGUE.add(
        f"{_algorithm}.datagram-size.larger",
        "A larger maximum datagram size does not change the window in bytes",
        """Ten packets are acknowledged: 12000 + 12000 = 24000. The maximum datagram size becomes 1400: 24000 stays. Two packets of
        that size add 2800: 26800. A window that counts packets would become 20 * 1400 = 28000, a restarted window
        10 * 1400 = 14000.""",
        profiles=(_profile,),
        sources=_OF_BASES,
    )(_larger)
    CATALOGUE.add(
        f"{_algorithm}.datagram-size.minimum",
        "The minimum window follows the maximum datagram size",
        """Persistent congestion after the maximum datagram size became 1500: 2 * 1500 = 3000. With the first size the window
        would be 2 * 1200 = 2400.""",
        profiles=(_profile,),
        sources=_OF_BASES,
        flags=("same-time-order",),
    )(_minimum)
    CATALOGUE.add(
        f"{_algorithm}.datagram-size.handshake",
        "A size that decreases to complete the handshake brings the initial window of the new size",
        _WHY + _DOUBLED,
        profiles=(_profile,),
        sources=_OF_BASES,
        max_datagram_size_bytes=1500,
        initial_window_bytes=None,
    )(_doubled)
