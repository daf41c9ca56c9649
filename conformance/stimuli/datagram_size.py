"""Stimuli in which the datagram size decreases in the handshake, for every startup algorithm over QUIC (RFC 9002, section 7.2)."""

from firstflight_conformance.format.builder import StreamBuilder
from generate.catalogue import Catalogue
from stimuli.builders import builder_of
from stimuli.initial_window import OF_QUIC
from stimuli.new_path import STARTUPS
from stimuli.newreno.datagram_size import shrink_in_handshake
from stimuli.probes import RTT

CATALOGUE = Catalogue(sources=("RFC 9002, section 7.2",))
_WHY = """The initial window of 1500 bytes is 14720. A packet of 1500 bytes does not arrive, and the handshake goes on with 1200: the window
    becomes 10 * 1200 = 12000. """
#: The end of the text: the window after eight packets, and after a handshake that keeps the window.
_DOUBLED = """Eight packets are acknowledged: 12000 + 9600 = 21600. A sender that keeps the window has 14720, then
    14720 + 9600 = 24320."""
_TRIPLED = """Eight packets are acknowledged without a queue: 12000 + 2 * 9600 = 31200. A sender that keeps the window has 14720, then
    14720 + 2 * 9600 = 33920."""


def _doubled(b: StreamBuilder) -> None:
    shrink_in_handshake(b)
    b.expect(at=1, outcome="unchanged", cwnd_bytes=12_000)
    b.expect(cwnd_bytes=21_600)


def _recalculated(b: StreamBuilder) -> None:
    b.send(0, 1)
    b.datagram_size(RTT, 1200, handshake=True)
    b.expect(outcome="unchanged", cwnd_bytes=12_000)


def _tripled(b: StreamBuilder) -> None:
    shrink_in_handshake(b)
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
