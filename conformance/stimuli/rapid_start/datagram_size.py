"""Hand-built stimuli of Rapid Start: changes of the maximum datagram size. `why` derives the expectation."""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.rapid_start.sender import DRAFT, RTT, SOURCE

CATALOGUE = Catalogue(DRAFT, sources=(f"{SOURCE}, section 3.3", "RFC 9002, section 7.2"))
add = CATALOGUE.add


@add(
    "rapid-start.datagram-size.minimum",
    "In the first recovery the minimum window follows the maximum datagram size",
    """A PMTU probe of 1500 bytes is acknowledged, app-limited: 12000 stays. A packet of ten is lost: 12000 * 5 / 6 = 10000, less 5/6 of its 1200 bytes: 10000 - 1000 = 9000. The maximum datagram size becomes
    1500. The other nine packets are lost: 5/6 of 10800 bytes is 9000, and 9000 - 9000 = 0 is below the minimum window of
    2 * 1500 = 3000. With the size of the start it would be 2 * 1200 = 2400. A sixth of the window, 12000 / 6 = 2000, is less.""",
    flags=("same-time-order",),
)
def minimum(b: StreamBuilder) -> None:
    b.send(0, 1, 1500, pmtu_probe=True, app_limited=True)
    b.ack(RTT, (0, 0), app_limited=True)
    b.expect(cwnd_bytes=12_000)
    b.send(RTT + MS, 10)
    b.lose(2 * RTT + MS, (1, 1))
    b.expect(cwnd_bytes=9000)
    b.datagram_size(2 * RTT + 2 * MS, 1500)
    b.lose(2 * RTT + 3 * MS, (2, 10))
    b.expect(outcome="lower_bound_kept", cwnd_bytes=3000, lower_bound_bytes=3000)
