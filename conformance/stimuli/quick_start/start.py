"""Hand-built stimuli of Quick-Start: the request, its answer and the window.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from functools import partial

from firstflight_conformance.format.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.quick_start.sender import (
    DATA,
    GAP,
    NS2,
    REFUSED,
    RFC,
    RTT,
    SCHARF,
    SOURCE,
    paced,
    ready,
)

CATALOGUE = Catalogue(RFC, sources=(SOURCE,))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=10_000)


@add(
    "quick-start.begin.window",
    "The approved rate becomes a window and a gap",
    """5.12 Mbit/s are 5120000 / 8 = 640000 bytes a second, and 640000 / 10 = 64000 in 100 ms. Packets have 1000 + 40 = 1040 bytes with their headers: floor(64000 /
    1040) = 61 of them, a window of 61 * 1000 = 61000. One leaves every 200000 * 1040 / 128 = 1625000, in ns. With the 52 bytes of headers of Scharf's packets,
    1000 + 52 = 1052, there are floor(64000 / 1052) = 60, 60000 bytes, one every 200000 * 1052 / 128 = 1643750.""",
    profiles=(RFC, SCHARF, NS2),
    flags=("paced",),
)
def begin_window(b: StreamBuilder) -> None:
    ready(b)
    b.send(0, 1)
    b.send(1643750, 1)
    b.expect(at=0, outcome="quick_start_begun", phase="quick_start", next_release_ns=1_000_000_000)
    b.expect(at=0, cwnd_bytes=61_000, planned_packets=61, usual_cwnd_bytes=10_000, profile=(RFC, NS2))
    b.expect(at=0, cwnd_bytes=60_000, planned_packets=60, profile=SCHARF)
    b.expect(at=1, next_release_ns=1_001_625_000, profile=(RFC, NS2))
    b.expect(at=1, next_release_ns=1_001_643_750, profile=SCHARF)


@add(
    "quick-start.begin.refused",
    "A router refuses: the connection starts as without Quick-Start",
    """The code 0 means refusal, though 40 kbit/s would send 12 packets in the 2.5 s of the RTT. The window stays 10000. An ACK of two packets grows it to 10000 + 2 * 1000 = 12000, and a loss halves that: 12000 / 2 = 6000.""",
    profiles=(REFUSED,),
    sources=("RFC 4782, sections 3.3 and 4.4",),
)
def begin_refused(b: StreamBuilder) -> None:
    ready(b, 2500 * MS)
    b.expect(outcome="quick_start_refused", cwnd_bytes=10_000, phase="slow_start", next_release_ns=None)
    b.send(0, 10)
    b.ack(RTT, (0, 1))
    b.expect(outcome="grown", cwnd_bytes=12_000)
    b.lose(RTT + MS, (2, 2))
    b.expect(outcome="reduced", cwnd_bytes=6000, ssthresh_bytes=6000)


@add(
    "quick-start.begin.no-larger",
    "An approved window not larger than the current window is not used",
    """16.25 ms are exactly 10 packets of 1.625 ms: 10000 bytes, as many as the initial window has. The window stays, no packet is paced, and the request
    is used up. Data that is ready later, when the RTT is 100 ms, does not change the window.""",
    profiles=(RFC, NS2),
)
def begin_no_larger(b: StreamBuilder) -> None:
    ready(b, 16_250 * US)
    b.expect(outcome="quick_start_ignored", cwnd_bytes=10_000, phase="slow_start", next_release_ns=None)
    b.send(0, 1)
    b.backlog(MS, 10**6)
    b.expect(outcome="unchanged", cwnd_bytes=10_000)


@add(
    "quick-start.begin.one-larger",
    "An approved window one packet larger than the current window is used",
    "17.875 ms are exactly 11 packets of 1.625 ms: 11 * 1000 = 11000 bytes, more than 10000.",
    profiles=(RFC, NS2),
)
def begin_one_larger(b: StreamBuilder) -> None:
    ready(b, 17_875 * US)
    b.expect(outcome="quick_start_begun", cwnd_bytes=11_000, planned_packets=11)


@add(
    "quick-start.begin.rounded-down",
    "A packet that lacks a nanosecond does not count",
    "17874999 ns are one less than 11 packets take, 11 * 1625000 = 17875000: QS-cwnd is 10 packets, not more than the window of 10000.",
)
def begin_rounded_down(b: StreamBuilder) -> None:
    ready(b, 17_874_999)
    b.expect(outcome="quick_start_ignored", cwnd_bytes=10_000)


@add(
    "quick-start.begin.odd-datagram",
    "Release times are rounded down once, from the number of the packet",
    """Datagrams have 1201 bytes, packets 1201 + 40 = 1241. The third packet leaves after 2 * 200000 * 1241 / 128 = 3878125, in ns, the second after half of that, rounded down:
    floor(3878125 / 2) = 1939062. In 100 ms there are 51 packets: 51 * 1201 = 61251 bytes.""",
    max_datagram_size_bytes=1201,
    flags=("paced",),
)
def begin_odd_datagram(b: StreamBuilder) -> None:
    ready(b)
    b.send(0, 1)
    b.send(1_939_062, 1)
    b.expect(at=0, cwnd_bytes=61_251, planned_packets=51)
    b.expect(at=1, next_release_ns=1_001_939_062)
    b.expect(at=2, next_release_ns=1_003_878_125)


@add(
    "quick-start.begin.maximum",
    "A window has at most the whole packets within 2^29 - 1 bytes",
    "In 1000 s there would be 615384 packets; 2^29 - 1 = 536870911 bytes hold 536870 of 1000. The limit guards against overflow.",
    tier="core",
)
def begin_maximum(b: StreamBuilder) -> None:
    ready(b, 10**12)
    b.send(0, 1)
    b.expect(at=0, cwnd_bytes=536_870_000, planned_packets=536_870)


@add(
    "quick-start.begin.no-rtt",
    "Without an RTT the approved rate does not give a window",
    "The handshake gave no sample: the window stays 10000, and the answer is used up. A sample that comes with later data does not change the window.",
    profiles=(RFC, NS2),
)
def begin_no_rtt(b: StreamBuilder) -> None:
    ready(b, None)
    b.expect(outcome="no_rtt_sample", cwnd_bytes=10_000)
    b.send(0, 1)
    b.backlog(MS, 10**6)
    b.expect(outcome="unchanged", cwnd_bytes=10_000)


@add(
    "quick-start.request.data",
    "A request on the first data packet costs an RTT",
    """Ten packets leave at once, the first with the request. The backlog is not an answer. The ACK of packet 0 after 100 ms grows the window to 11000
    and is the answer: 61000 bytes. Packet 10 leaves now, the next 1.625 ms later. The ACK of packet 1, an older packet, grows the window to 62000
    and does not end the mode. The ACK of packet 10 ends the mode: 8 older packets and 51 of the mode are in flight, 59 of 62. The window becomes 59000, and
    59000 + 1000 = 60000 with the ACK.""",
    profiles=(DATA,),
    sources=("RFC 4782, sections 4.4, 4.7.1 and 4.8",),
    flags=("paced",),
)
def request_data(b: StreamBuilder) -> None:
    ready(b)
    b.expect(outcome="unchanged", cwnd_bytes=10_000)
    b.send(0, 10)
    b.expect(outcome="quick_start_requested", next_release_ns=None)
    b.ack(RTT, (0, 0))
    b.expect(outcome="quick_start_begun", cwnd_bytes=61_000, usual_cwnd_bytes=11_000, next_release_ns=1_100_000_000)
    b.send(RTT, 1)
    b.ack(RTT + MS, (1, 1))
    b.expect(outcome="grown", cwnd_bytes=62_000, phase="quick_start", next_release_ns=1_101_625_000)
    paced(b, 50, from_ns=RTT + GAP)
    b.ack(2 * RTT, (10, 10))
    b.expect(outcome="quick_start_ended", cwnd_bytes=60_000, phase="slow_start")


@add(
    "quick-start.request.answer-without-sample",
    "An answer without an RTT sample is not used",
    "The ACK of packet 0 gives no sample: it only grows the window to 11000.",
    profiles=(DATA,),
)
def request_answer_without_sample(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (0, 0), sample=False)
    b.expect(outcome="no_rtt_sample", cwnd_bytes=11_000)


@add(
    "quick-start.request.other-ack",
    "Only the ACK of the packet with the request is the answer",
    "The ACK of packets 1 and 2 grows the window to 12000. The ACK of packet 0, a millisecond later, is the answer: after 101 ms the rate has sent 62 packets, 62000 bytes.",
    profiles=(DATA,),
)
def request_other_ack(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(RTT, (1, 2))
    b.expect(outcome="grown", cwnd_bytes=12_000)
    b.ack(RTT + MS, (0, 0))
    b.expect(outcome="quick_start_begun", cwnd_bytes=62_000, usual_cwnd_bytes=13_000)


@add(
    "quick-start.request.lost",
    "A lost request gets no answer",
    """Packet 0 carries the request and is lost: 10000 / 2 = 5000. Later ACKs, even an ACK of packet 0, are not an answer.""",
    profiles=(DATA,),
    sources=("RFC 4782, section 4.3",),
)
def request_lost(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.lose(RTT, (0, 0))
    b.expect(outcome="reduced", cwnd_bytes=5000)
    b.ack(RTT + MS, (1, 9))
    b.expect(outcome="in_recovery", cwnd_bytes=5000)
    b.send(RTT + MS, 1)
    b.ack(2 * RTT + MS, (10, 10))
    b.expect(outcome="grown_avoidance", cwnd_bytes=5200)


@add(
    "quick-start.request.idle-lost",
    "A request that is lost after an idle period gets no answer",
    """The approved window of the handshake was not larger. After the idle second packet 2 carries a request and is lost: 12000 / 2 = 6000. Recovery ends with the ACK of
    packet 4, which adds floor(1000 * 1000 / 6000) = 166, and is not an answer.""",
    sources=("RFC 4782, sections 4.3 and 4.8",),
)
def request_idle_lost(b: StreamBuilder) -> None:
    ready(b, 10 * MS)
    b.send(0, 2)
    b.ack(10 * MS, (0, 1))
    b.idle_restart(1000 * MS)
    b.send(1000 * MS, 2)
    b.expect(outcome="quick_start_requested")
    b.lose(1100 * MS, (2, 2))
    b.expect(outcome="reduced", cwnd_bytes=6000)
    b.send(1101 * MS, 1)
    b.ack(1201 * MS, (3, 4))
    b.expect(outcome="grown_avoidance", cwnd_bytes=6166)


@add(
    "quick-start.request.idle",
    "After an idle period the next packet carries a request, one request at a time",
    """The approved window of the handshake was not larger. After the idle second the next packet carries a request. While the request is under way another
    idle period is ignored. The ACK after 100 ms is the answer, 61000 bytes, and the window without it would be 10000 + 2 * 1000 + 1000 =
    13000. During the mode an idle period is ignored as well. The next packet belongs to the mode, and the packet after it is due 1.625 ms after the first.""",
    sources=("RFC 4782, sections 4.1 and 4.8",),
)
def request_idle(b: StreamBuilder) -> None:
    ready(b, 10 * MS)
    b.send(0, 2)
    b.ack(10 * MS, (0, 1))
    b.expect(cwnd_bytes=12_000)
    b.idle_restart(1000 * MS)
    b.expect(outcome="quick_start_armed", cwnd_bytes=12_000)
    b.send(1000 * MS, 1)
    b.expect(outcome="quick_start_requested")
    b.idle_restart(1001 * MS)
    b.expect(outcome="unchanged")
    b.send(1001 * MS, 1)
    b.expect(outcome="sent")
    b.ack(1100 * MS, (2, 2))
    b.expect(outcome="quick_start_begun", cwnd_bytes=61_000, usual_cwnd_bytes=13_000)
    b.idle_restart(1101 * MS)
    b.expect(outcome="unchanged", phase="quick_start")
    b.send(1101 * MS, 1)
    b.expect(outcome="sent", next_release_ns=2_101_625_000)


@add(
    "quick-start.request.idle-no-answer",
    "After an idle period a rate is not used without an answer",
    """The approved window of the handshake was not larger. After the idle second data is ready, but no request was sent since, and 12000 stays. An implementation that reuses the previous rate has floor(64000 / 1040) = 61 packets, 61 * 1000 = 61000.""",
    sources=("RFC 4782, sections 4.4 and 4.8",),
)
def request_idle_no_answer(b: StreamBuilder) -> None:
    ready(b, 10 * MS)
    b.send(0, 2)
    b.ack(10 * MS, (0, 1))
    b.idle_restart(1000 * MS)
    b.backlog(1000 * MS, 10**6, 10**6, RTT)
    b.expect(cwnd_bytes=12_000)


@add(
    "quick-start.request.before-the-answer",
    "While the answer to the handshake is awaited no other request is sent",
    "An idle period before the first data does not cause a request: the next packet carries none. The backlog is the answer to the request of the handshake: 61000. The ACK of that packet after 200 ms is not an answer, and adds 1000: 62000.",
    tier="core",
)
def request_before_the_answer(b: StreamBuilder) -> None:
    b.idle_restart(0)
    b.expect(outcome="unchanged")
    b.send(0, 1)
    b.expect(outcome="sent")
    b.backlog(MS, 10**6)
    b.expect(outcome="quick_start_begun", cwnd_bytes=61_000)
    b.ack(2 * RTT, (0, 0))
    b.expect(outcome="grown", cwnd_bytes=62_000)


@add(
    "quick-start.request.in-recovery",
    "In recovery neither request nor answer counts",
    """The approved window of the handshake was not larger. Packet 0 is lost: 10000 / 2 = 5000, and in recovery an idle period does not cause a request. The ACK of packet 2 ends
    recovery and adds 1000 * 1000 / 5000 = 200. Then a request is sent; before its answer packet 3 is lost: 5200 / 2 = 2600. The answer comes in
    recovery and is not used.""",
    sources=("RFC 4782, section 4.8", "ours: recovery"),
)
def request_in_recovery(b: StreamBuilder) -> None:
    ready(b, 10 * MS)
    b.send(0, 2)
    b.lose(20 * MS, (0, 0))
    b.idle_restart(20 * MS)
    b.expect(outcome="quick_start_barred", cwnd_bytes=5000)
    b.send(21 * MS, 2)
    b.expect(outcome="sent")
    b.ack(31 * MS, (2, 2))
    b.expect(outcome="grown_avoidance", cwnd_bytes=5200)
    b.idle_restart(1000 * MS)
    b.send(1000 * MS, 1)
    b.expect(outcome="quick_start_requested")
    b.lose(1001 * MS, (3, 3))
    b.expect(outcome="reduced", cwnd_bytes=2600)
    b.ack(1100 * MS, (4, 4))
    b.expect(outcome="quick_start_barred", cwnd_bytes=2600)
