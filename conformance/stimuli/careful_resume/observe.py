"""Hand-built stimuli of Careful Resume: observing and saving in normal congestion control."""

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import ENTRY, RTT, ResumeBuilder
from stimuli.careful_resume.careful_resume import PROFILES, SOURCES

CATALOGUE = Catalogue(*PROFILES, sources=SOURCES, builder=ResumeBuilder)
add = CATALOGUE.add


def _rounds(b: ResumeBuilder, *packets: int, limited: bool = False) -> None:
    """Send and acknowledge a number of packets in each round trip, from the next packet number on."""
    for count in packets:
        first = b.ledger.next_packet
        t_ns = (b.events[-1].t_ns - b.origin_ns) if b.events else 0
        b.send(t_ns, count)
        b.ack(t_ns + RTT, (first, first + count - 1), app_limited=limited)


@add(
    "careful-resume.observe.four-initial-windows",
    "Four initial windows are saved",
    """Rounds of 10, 20 and 40 packets: 12000, 24000 and 48000 bytes acknowledged. The next ACK ends the third round. Half of the window is 1/2 * (96000 + 1200) = 48600 then. min(48000, 48600) =
    48000 is at least 4 * 12000: saved, with the minimum RTT of 100 ms. The earlier rounds are smaller and not saved.""",
)
def observe_four_initial_windows(b: ResumeBuilder) -> None:
    _rounds(b, 10, 20, 40, 1)
    b.expect(saved_cwnd_bytes=48_000, saved_rtt_ns=100_000_000, saved_in_use=0)


@add(
    "careful-resume.observe.below-four-initial-windows",
    "One byte less than four initial windows is not saved",
    "The third round acknowledges 39 * 1200 + 1199 = 47999 bytes: this is not saved.",
)
def observe_below_four_initial_windows(b: ResumeBuilder) -> None:
    _rounds(b, 10, 20)
    b.send_sizes(2 * RTT, [(39, 1200), (1, 1199)])
    b.ack(3 * RTT, (30, 69))
    _rounds(b, 1)
    b.expect(saved_cwnd_bytes=None)


@add(
    "careful-resume.observe.application-limited",
    "A rate-limited round does not lower the saved window, a full round does",
    """The round of 80 packets, 96000 bytes, is saved: half of the window of 192000 + 50 * 1200 or more does not bound it. A rate-limited round of 50 packets, 60000 bytes, leaves 96000. A round of 50 packets that is not
    rate-limited replaces it by 60000.""",
)
def observe_application_limited(b: ResumeBuilder) -> None:
    _rounds(b, 10, 20, 40, 80)
    _rounds(b, 50, limited=True)
    _rounds(b, 50, 1)
    b.expect(at=9, saved_cwnd_bytes=96_000)
    b.expect(at=11, saved_cwnd_bytes=96_000)
    b.expect(saved_cwnd_bytes=60_000)


@add(
    "careful-resume.observe.overshoot",
    "In slow start at most half of the window is saved",
    """Rounds of 10, 20 and 39 packets, 46800 bytes, are not saved; the window is 94800. A rate-limited round of 79 packets acknowledges 94800 bytes without growth. The ACK that ends it brings the window
    to 96000: min(94800, 48000) = 48000 is saved.""",
)
def observe_overshoot(b: ResumeBuilder) -> None:
    _rounds(b, 10, 20, 39)
    _rounds(b, 79, limited=True)
    _rounds(b, 1)
    b.expect(saved_cwnd_bytes=48_000, cwnd_bytes=96_000)


@add(
    "careful-resume.observe.avoidance",
    "In congestion avoidance a whole round is saved",
    """Rounds of 10, 20 and 39 packets are not saved. A mark halves 94800 + 1200 = 96000 to 48000. The next round of 40 packets acknowledges 48000 bytes in congestion avoidance: 48000 is saved,
    though half of the window is 1/2 * (48000 + 1200) = 24600.""",
    flags=("same-time-order",),
    alternatives=({"at_threshold": "avoidance"},),
)
def observe_avoidance(b: ResumeBuilder) -> None:
    _rounds(b, 10, 20, 39, 1)
    b.ce(4 * RTT, 69, 3 * RTT)
    b.send(4 * RTT + MS, 40)
    b.ack(5 * RTT + MS, (70, 109))
    b.send(5 * RTT + MS, 1)
    b.ack(6 * RTT + MS, (110, 110))
    b.expect(at=8, cwnd_bytes=48_000)
    b.expect(saved_cwnd_bytes=48_000)


@add(
    "careful-resume.observe.after-resuming",
    "Observing begins after the end of Careful Resume, and replaces the single set",
    """While Careful Resume runs, the sender does not save: the set in use stays. The last unvalidated packet is acknowledged at 349 ms, an RTT after it was sent: the set is free. The next ACK, of 50
    packets, begins a round. The ACK of packet 160 ends it: 60000 bytes replace 240000.""",
)
def observe_after_resuming(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.jump(100)
    b.ack(ENTRY + RTT, (10, 10))
    b.ack(ENTRY + 199 * MS, (11, 109))
    b.send(ENTRY + 199 * MS, 50)
    b.ack(ENTRY + 299 * MS, (110, 159))
    b.send(ENTRY + 299 * MS, 1)
    b.ack(ENTRY + 399 * MS, (160, 160))
    b.expect(saved_cwnd_bytes=60_000, saved_in_use=0)


@add(
    "careful-resume.observe.no-rtt",
    "Without an RTT sample the sender does not save",
    "No ACK gives a sample: the minimum RTT to save with the 48000 bytes of the third round is missing.",
)
def observe_no_rtt(b: ResumeBuilder) -> None:
    for number, packets in enumerate((10, 20, 40, 1)):
        first = b.ledger.next_packet
        b.send(number * RTT, packets)
        b.ack((number + 1) * RTT, (first, first + packets - 1), sample=False)
    b.expect(saved_cwnd_bytes=None)


@add(
    "careful-resume.observe.several-acks",
    "A round adds up the ACKs until a packet sent after its beginning is acknowledged",
    """The third round begins with the ACK of packets 30 to 49, 24000 bytes; packets 70 and later are sent after it. Packets 50 to 69 belong to it: 48000. The ACK of packets 70 and 71 ends it: saved.""",
)
def observe_several_acks(b: ResumeBuilder) -> None:
    _rounds(b, 10, 20)
    b.send(2 * RTT, 40)
    b.ack(3 * RTT, (30, 49))
    b.send(3 * RTT, 2)
    b.ack(3 * RTT + 10 * MS, (50, 69))
    b.ack(4 * RTT, (70, 71))
    b.expect(saved_cwnd_bytes=48_000)
