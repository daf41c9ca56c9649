"""Losses that establish persistent congestion, or nearly do, for stacks that detect it (RFC 9002, section 7.6)."""

from collections.abc import Callable
from typing import Any

from firstflight_conformance.format.builder import MS, S, StreamBuilder
from generate.catalogue import Catalogue

CATALOGUE = Catalogue("rfc-9002", sources=("RFC 9002, sections 7.6.1 to 7.6.3, appendix B.8",))
RTT = 200 * MS


def _probes(b: StreamBuilder, *times_ns: int) -> None:
    """Send a packet at each time: less than half of the window, so that all packets are app-limited."""
    for t_ns in times_ns:
        b.send(t_ns, 1, app_limited=True)


def _sampled(b: StreamBuilder) -> None:
    """Begin with packet 0 and its ACK: the RTT is 200 ms, its variation 100 ms."""
    _probes(b, 0)
    b.ack(RTT, (0, 0), app_limited=True)


def established(b: StreamBuilder) -> int:
    """Lose packets 1 to 3, sent over 3 s, and report persistent congestion; return the time."""
    _sampled(b)
    _probes(b, 1 * S, 2 * S, 4 * S, 8 * S)
    b.ack(8 * S + RTT, (4, 4), app_limited=True)
    b.lose(8 * S + RTT, (1, 3))
    b.persistent_congestion(8 * S + RTT)
    return 8 * S + RTT


def grows_again(*flights: int) -> Callable[[StreamBuilder], None]:
    """Return a stream that continues with full windows after persistent congestion: a flight for each number."""

    def fill(b: StreamBuilder) -> None:
        now_ns, first = established(b), 5
        for packets in flights:
            b.send(now_ns, packets)
            now_ns += RTT
            b.ack(now_ns, (first, first + packets - 1))
            first += packets

    return fill


def too_short(b: StreamBuilder) -> None:
    """Lose packets that were sent 1.4 s apart."""
    _sampled(b)
    _probes(b, 1 * S, 2400 * MS, 8 * S)
    b.ack(8 * S + RTT, (3, 3), app_limited=True)
    b.lose(8 * S + RTT, (1, 2))


def acked_between(b: StreamBuilder) -> None:
    """Lose packets 1 and 3, sent 3 s apart; packet 2 between them arrived."""
    _sampled(b)
    _probes(b, 1 * S, 2 * S, 4 * S, 8 * S)
    b.ack(8 * S + RTT, (2, 2), (4, 4), app_limited=True)
    b.lose(8 * S + RTT, (1, 1), (3, 3))


def before_any_sample(b: StreamBuilder) -> None:
    """Lose packets that were all sent before the first RTT sample."""
    _probes(b, 0, 1 * S, 4 * S, 8 * S)
    b.ack(8 * S + RTT, (3, 3), app_limited=True)
    b.lose(8 * S + RTT, (0, 2))


def acked_in_an_earlier_frame(b: StreamBuilder) -> None:
    """Lose packets 1 and 3, sent 6 s apart, in two events; packet 2 between them arrived with the first."""
    _sampled(b)
    _probes(b, 1 * S, 6900 * MS, 7 * S)
    b.ack(7100 * MS, (2, 2), app_limited=True)
    b.lose(7100 * MS, (1, 1))
    b.expect(outcome="reduced")
    _probes(b, 8 * S)
    b.lose(8 * S + RTT, (3, 3))
    b.expect(outcome="already_reduced")
    b.ack(8 * S + RTT, (4, 4), app_limited=True)


def first_before_the_sample(b: StreamBuilder) -> None:
    """Lose packets 1 to 3; packet 1 was sent before the first RTT sample."""
    _probes(b, 0, 100 * MS)
    b.ack(RTT, (0, 0), app_limited=True)
    _probes(b, 1200 * MS, 2 * S, 8 * S)
    b.ack(8 * S + RTT, (4, 4), app_limited=True)
    b.lose(8 * S + RTT, (1, 3))
    b.expect(outcome="reduced")


def longer_samples(b: StreamBuilder) -> None:
    """Lose packets 2 and 3, sent 4.75 s apart, after an RTT sample that is four times as long as the first."""
    _sampled(b)
    _probes(b, 1 * S)
    b.ack(1 * S + 4 * RTT, (1, 1), app_limited=True)
    _probes(b, 2 * S, 6750 * MS, 10 * S)
    b.ack(10 * S + 4 * RTT, (4, 4), app_limited=True)
    b.lose(10 * S + 4 * RTT, (2, 3))
    b.persistent_congestion(10 * S + 4 * RTT)
    b.expect(outcome="collapsed")


def timeouts_alone(b: StreamBuilder) -> None:
    """Let the probe timer expire three times, first after 625 ms, then doubled; then acknowledge all packets."""
    _sampled(b)
    _probes(b, 1 * S)
    for t_ns in (1625 * MS, 2875 * MS, 5375 * MS):
        b.pto(t_ns)
        _probes(b, t_ns)
    b.ack(5375 * MS + RTT, (1, 4), app_limited=True)
    b.expect(outcome="app_limited", ssthresh_bytes=None, phase="slow_start")


_DURATION = """The only sample is 200 ms, its variation 200 ms / 2 = 100 ms. The persistent congestion duration is
3 * (200 ms + 4 * 100 ms + 25 ms) = 1875 ms. A stack that omits the peer's max_ack_delay of 25 ms has 3 * (200 ms + 4 * 100 ms) = 1800
ms. A second equal sample lowers the variation to 75 ms, and both durations by 3 * 4 * 25 ms = 300 ms."""


def add(
    name: str,
    title: str,
    why: str,
    fill: Callable[[StreamBuilder], Any],
    on_cubic: Callable[[StreamBuilder], Any],
    initial_window_bytes: int = 12_000,
    max_datagram_size_bytes: int = 1200,
) -> None:
    """Add a stimulus for the base controller, and one for CUBIC, which reduces by 0.7 first."""
    for stimulus, profile, stream in (("slow-start", "rfc-9002", fill), ("cubic", "rfc-9438", on_cubic)):
        CATALOGUE.add(
            f"{stimulus}.persistent.{name}",
            title,
            why,
            profiles=(profile,),
            initial_window_bytes=initial_window_bytes,
            max_datagram_size_bytes=max_datagram_size_bytes,
        )(stream)


def ending(fill: Callable[[StreamBuilder], Any], cwnd_bytes: int) -> Callable[[StreamBuilder], None]:
    """Return the same stream with its final window."""

    def stated(b: StreamBuilder) -> None:
        fill(b)
        b.expect(cwnd_bytes=cwnd_bytes)

    return stated


add(
    "established-by-losses",
    "Losses over three seconds establish persistent congestion",
    f"{_DURATION} Packets 1 to 3, sent at 1, 2 and 4 s, are lost, and no packet between them is acknowledged: 3 s exceed the duration. The window falls to two datagrams, 2400.",
    ending(established, 2400),
    ending(established, 2400),
)
add(
    "established-then-growth",
    "After persistent congestion slow start continues up to the threshold",
    f"{_DURATION} 3 s of losses exceed that. From 2400 full windows double to 4800, then grow up to the threshold: half of 12000, or 8400 in CUBIC. Four packets give 6000 + 240 + 230 + 222 = 6692 and five more "
    "6692 + 215 + 208 + 202 + 196 + 191 = 7704. In CUBIC three of the four reach 8400, and W_est is then 8400 + (9/17) * 1200 * 1200 / 8400 = 8490.76 "
    "and, seven packets later, 8490.76 + (9/17) * 1200 * 8400 / 8490 = 9119.3. A stack that restores the "
    "window, or that stays in recovery, fails at the first of these ACKs.",
    ending(grows_again(2, 4, 5), 7704),
    ending(grows_again(2, 4, 7), 9119),
)
add(
    "losses-too-close",
    "Losses 1.4 seconds apart do not establish persistent congestion",
    f"{_DURATION} The frame that reveals the losses is that sample: 1875 ms - 300 ms = 1575 ms, or 1800 ms - 300 ms = 1500 ms. The packets are 2.4 s - 1 s = 1400 ms apart, less than both. One reduction, no collapse.",
    ending(too_short, 6000),
    ending(too_short, 8400),
)
add(
    "losses-around-an-ack",
    "A packet acknowledged between the losses prevents persistent congestion",
    f"{_DURATION} The lost packets 1 and 3 were sent 3 s apart, but packet 2 between them arrived: one reduction, no collapse.",
    ending(acked_between, 6000),
    ending(acked_between, 8400),
)
add(
    "losses-before-a-sample",
    "Losses of packets sent before the first RTT sample do not establish persistent congestion",
    "Packets 0 to 2 were sent over 4 s, the first RTT sample came at 8.2 s. RFC 9002, section 7.6.2, requires a sample that is older than both packets. One reduction, no collapse.",
    ending(before_any_sample, 6000),
    ending(before_any_sample, 8400),
)
add(
    "acked-in-an-earlier-frame",
    "An ACK between two losses prevents persistent congestion, even if it was in an earlier frame",
    f"{_DURATION} Packet 1 is lost when packet 2 is acknowledged, packet 3 a second later. They were sent 7 s - 1 s = 6 s apart, but packet 2 between them "
    "arrived. The first loss reduces the window to 24000 / 2 = 12000, or 0.7 * 24000 = 16800 in CUBIC. The other packet was sent before that: one reduction, no collapse. A stack that "
    "remembers the first loss in spite of the ACK collapses to 2 * 1200 = 2400.",
    ending(acked_in_an_earlier_frame, 12_000),
    ending(acked_in_an_earlier_frame, 16_800),
    initial_window_bytes=24_000,
)
add(
    "first-loss-before-the-sample",
    "The time before the first RTT sample does not count",
    f"{_DURATION} Packets 1 to 3 are lost, sent over 2000 ms - 100 ms = 1900 ms. Packet 1 was sent before the first sample came at 200 ms: the "
    "others were sent 2000 ms - 1200 ms = 800 ms apart. RFC 9002, section 7.6.2, requires a sample that is older than both packets. One reduction, no collapse.",
    ending(first_before_the_sample, 6000),
    ending(first_before_the_sample, 8400),
)
add(
    "smoothed-rtt",
    "The persistent congestion duration comes from the smoothed RTT",
    """The first sample is 200 ms, its variation 200 ms / 2 = 100 ms. The second is 800 ms, 800 ms - 200 ms = 600 ms longer. The variation becomes (3 * 100 ms + 600 ms) / 4 = 225
    ms, the smoothed RTT (7 * 200 ms + 800 ms) / 8 = 275 ms, and the duration 3 * (275 ms + 4 * 225 ms + 25 ms) = 3600 ms. The frame that reveals the losses has a sample of 800 ms as well,
    800 ms - 275 ms = 525 ms longer. The variation becomes (3 * 225 ms + 525 ms) / 4 = 300 ms, the smoothed RTT (7 * 275 ms + 800 ms) / 8
    = 340.625 ms, and the duration 3 * (340.625 ms + 4 * 300 ms + 25 ms) = 4696.875 ms. Packets 2 and 3 were sent 6750 ms - 2000 ms = 4750 ms apart, more than both: the window falls to 2400.
    A stack that uses the latest RTT has 3 * (800 ms + 4 * 225 ms + 25 ms) = 5175 ms or 3 * (800 ms + 4 * 300 ms + 25 ms) = 6075 ms, and only reduces.
    The same holds for a stack with the factor 4: 4 * (275 ms + 4 * 225 ms + 25 ms) = 4800 ms or 4 * (340.625 ms + 4 * 300 ms + 25 ms) = 6262.5 ms: the factor 3 is only recommended.""",
    ending(longer_samples, 2400),
    ending(longer_samples, 2400),
)
add(
    "timeouts-alone",
    "Three probe timeouts without a loss do not establish persistent congestion",
    "The probe timer is set to 200 ms + 4 * 100 ms + 25 ms = 625 ms and expires at 1000 ms + 625 ms = 1625 ms. It expires again after 2 * 625 ms at 1625 ms + 1250 ms = 2875 ms, and after 4 * 625 ms at 2875 ms + 2500 ms = 5375 ms. "
    "A probe is sent each time, and then all packets are acknowledged, without a loss. Persistent congestion does not depend on timeouts "
    "(RFC 9002, section 7.6.1). The window stays 12000; all ACKs are app-limited.",
    ending(timeouts_alone, 12_000),
    ending(timeouts_alone, 12_000),
)
add(
    "large-datagrams",
    "Two datagrams of 65535 bytes after persistent congestion",
    f"{_DURATION} Packets 1 to 3, sent at 1, 2 and 4 s, are lost. The window falls to 2 * 65535 = 131070 bytes. In 16 bits it is 131070 - 65536 = 65534.",
    ending(established, 131_070),
    ending(established, 131_070),
    initial_window_bytes=655_350,
    max_datagram_size_bytes=65_535,
)
