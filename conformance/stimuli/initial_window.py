"""Stimuli without a configured initial window, for every algorithm whose other stimuli configure one.

The window before the first ACK is the initial window: these streams end with the first flight.
"""

from collections.abc import Callable

from firstflight_conformance.format.builder import StreamBuilder
from generate.catalogue import Catalogue
from stimuli.builders import builder_of, profiles_of

CATALOGUE = Catalogue(sources=("RFC 9002, section 7.2",))

#: Algorithms with the initial window of the transport. TCP uses ten segments as well (RFC 6928, section 2).
OF_THE_TRANSPORT = (
    "bbr", "careful-resume", "cubic", "hybla", "hystart", "hystartpp", "jumpstart", "limited-slow-start", "quick-start",
    "rapid-start", "suss", "tcb-sharing",
)  # fmt: skip
#: Profiles for QUIC, or for every transport: TCP caps its initial window at 14600 bytes instead.
OF_QUIC = {
    "bbr": ("draft-06",),
    "careful-resume": ("rfc-9959", "rfc-9959-unvalidated", "draft-10"),
    "cubic": ("rfc-9438", "rfc-9438-literal"),
    "hystart": ("google-quic",),
    "hystartpp": ("rfc-9406", "rfc-9406-unpaced", "ngtcp2"),
    "jumpstart": ("quicly",),
    "rapid-start": ("draft-02", "draft-02-initial", "draft-00", "quicly"),
}


def _first_flight(packets: int, window_bytes: int) -> Callable[[StreamBuilder], None]:
    def fill(b: StreamBuilder) -> None:
        b.send(0, packets)
        b.expect(cwnd_bytes=window_bytes)

    return fill


for _algorithm in OF_THE_TRANSPORT:
    CATALOGUE.add(
        f"{_algorithm}.initial-window.datagrams-of-1200",
        "The recommended initial window for datagrams of 1200 bytes",
        """Ten datagrams are 10 * 1200 = 12000 bytes, less than max(14720, 2 * 1200) = 14720. A stack that begins with 32
        datagrams has 32 * 1200 = 38400.""",
        profiles=profiles_of(_algorithm),
        initial_window_bytes=None,
        builder=builder_of(_algorithm),
    )(_first_flight(10, 12_000))

for _algorithm, _profiles in OF_QUIC.items():
    CATALOGUE.add(
        f"{_algorithm}.initial-window.datagrams-of-1500",
        "The recommended initial window for datagrams of 1500 bytes",
        """Ten datagrams are 10 * 1500 = 15000 bytes, more than max(14720, 2 * 1500) = 14720: nine leave.
        TCP has a lower cap (RFC 6928).""",
        profiles=_profiles,
        initial_window_bytes=None,
        max_datagram_size_bytes=1500,
        builder=builder_of(_algorithm),
    )(_first_flight(9, 14_720))

CATALOGUE.add(
    "cubic.initial-window.datagrams-of-9000",
    "The recommended initial window for datagrams of 9000 bytes",
    "Ten datagrams are 10 * 9000 = 90000 bytes, more than max(14720, 2 * 9000) = 18000: two leave.",
    profiles=OF_QUIC["cubic"],
    initial_window_bytes=None,
    max_datagram_size_bytes=9000,
)(_first_flight(2, 18_000))
