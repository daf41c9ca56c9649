"""Hand-built stimuli of SEARCH: sent against delivered bytes, and the drain. Shared helpers: ``search.flow``."""

from functools import partial

from firstflight.search.profiles import PROFILES as SEARCH_PROFILES
from firstflight_conformance.format.builder import MS, US, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.search.flow import (
    BIN,
    LARGE_WINDOW,
    RTT,
    Delivery,
    deliver,
    in_bin,
    nth_ack,
    rates,
)

CATALOGUE = Catalogue(*SEARCH_PROFILES, sources=("catalogue of edge cases",))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=LARGE_WINDOW)


def _sent_faster(
    b: StreamBuilder,
    sent_packets: int,
    acked_packets: int,
    bins: int = 32,
    sent_in: dict[int, int] | None = None,
    acked_in: dict[int, int] | None = None,
    app_limited_ack: int | None = None,
    ack_delays_ns: dict[int, int] | None = None,
    size_bytes: int | None = None,
) -> int:
    """Send bursts of packets every bin and acknowledge fewer: a queue builds up, the RTT rises.

    ``sent_in``, ``acked_in``, ``ack_delays_ns``: exceptions for single bursts and ACKs, by index. Return the packet
    number that the next ACK acknowledges.
    """
    packet = 0
    for i in range(bins):
        if i >= 3:
            packets = (acked_in or {}).get(i - 3, acked_packets)
            delay_ns = (ack_delays_ns or {}).get(i - 3, 0)
            limited = i - 3 == app_limited_ack
            b.ack(in_bin(i - 3), (packet, packet + packets - 1), app_limited=limited, ack_delay_ns=delay_ns)
            packet += packets
        b.send(i * BIN, (sent_in or {}).get(i, sent_packets), size_bytes)
    return packet


@add(
    "search.sent.equal-26-percent",
    "Exactly 26 % less delivered than sent one RTT ago",
    """50 packets of 1000 bytes are sent in each bin, 37 of each 50 delivered. In any window of ten bins, with any interpolation, sent is 500000 and delivered 370000. (500000 - 370000) / 500000 = 0.26: exit in draft-09 and neqo-2026.
    linux-4 and freebsd-4 exit earlier: at their first evaluation, prev = 10, the bytes sent before the first ACK count as a bin.""",
    sources=("catalogue E06",),
)
def sent_equal_26_percent(b: StreamBuilder) -> None:
    _sent_faster(b, 50, 37)
    b.expect(
        at=nth_ack(b, 17),
        profile=("draft-09", "neqo-2026"),
        outcome="exited",
        shift_bins=6,
        current_bytes=370000,
        previous_bytes=500000,
    )


@add(
    "search.sent.below-26-percent",
    "Slightly less than 26 % less delivered than sent",
    """50 packets are sent in each bin, 38 delivered: 0.24. draft-09 and neqo-2026 continue. linux-4 and freebsd-4 exit at their first evaluation, prev = 10. They use 0 for the counter before bin 0, so that the 150 packets sent before the first ACK count
    as a bin of the earlier window.""",
    sources=("catalogue E06",),
)
def sent_below_26_percent(b: StreamBuilder) -> None:
    _sent_faster(b, 50, 38)
    b.expect(
        at=nth_ack(b, 17),
        profile=("draft-09", "neqo-2026"),
        outcome="below_threshold",
        shift_bins=6,
        current_bytes=380000,
        previous_bytes=500000,
    )
    b.expect(
        at=nth_ack(b, 15),
        profile=("linux-4", "freebsd-4"),
        outcome="exited",
        shift_bins=5,
        current_bytes=23750,
        previous_bytes=36750,
    )


@add(
    "search.sent.equal-35-percent",
    "Exactly 35 % less delivered than sent one RTT ago",
    """40 packets are sent in each bin, 26 delivered: 14/40 = 0.35. draft-09 and neqo-2026 exit as well, at their first comparison.""",
    sources=("catalogue E06",),
)
def sent_equal_35_percent(b: StreamBuilder) -> None:
    _sent_faster(b, 40, 26)
    b.expect(
        at=nth_ack(b, 20),
        profile=("draft-09", "neqo-2026"),
        outcome="exited",
        shift_bins=9,
        current_bytes=260000,
        previous_bytes=400000,
    )


@add(
    "search.sent.fraction",
    "The interpolated fraction of sent bytes, exact and as a whole percentage",
    """50 packets are sent in each bin and 37 acknowledged, but burst 13, in bin 10, has 250, and ACK 10 acknowledges 54. At curr = 17
    the RTT is 241 ms, 6 bins and 31/35. S(11) is 9 * 50000 + 250000 = 700000, S(10) is 10 * 50000 = 500000: exactly (4 * 700000
    + 31 * 500000) / 35 = 522857.1. In whole percent, 88, it is 524000. Delivered are 387000: 37 * 522857.1 < 50 * 387000 = 19350000
    <= 37 * 524000. draft-09 continues, neqo-2026 exits. linux-4 does not exit; linux-3 and freebsd-4 have exited earlier.""",
    sources=("catalogue E23",),
)
def sent_fraction(b: StreamBuilder) -> None:
    _sent_faster(b, 50, 37, 21, sent_in={13: 250}, acked_in={10: 54})
    b.expect(
        at=nth_ack(b, 17),
        profile="draft-09",
        outcome="below_threshold",
        shift_bins=6,
        current_bytes=387000,
        previous_bytes=522857,
    )
    b.expect(at=nth_ack(b, 17), profile="neqo-2026", outcome="exited", previous_bytes=524000)


@add(
    "search.sent.app-limited",
    "The deciding ACK is app-limited",
    """As with exactly 26 %, but the ACK that would end slow start is app-limited. neqo-2026 counts its bytes, ends no bin with it, and exits with the next ACK. draft-09 makes no exception here.""",
    sources=("catalogue E32",),
)
def sent_app_limited(b: StreamBuilder) -> None:
    _sent_faster(b, 50, 37, 26, app_limited_ack=17)
    b.expect(at=nth_ack(b, 17), profile="draft-09", outcome="exited")
    b.expect(at=nth_ack(b, 17), profile="neqo-2026", outcome="app_limited")
    b.expect(at=nth_ack(b, 18), profile="neqo-2026", outcome="exited")


@add(
    "search.sent.ack-delay",
    "The acknowledgement delay decides the first comparison of sent bytes",
    """As with exactly 26 %. ACK 16 has an RTT of 241 ms, 6 bins, and prev = 10. 35 ms of it are acknowledgement delay. neqo-2026 has 206 ms, 5 bins, prev = 11: exit. draft-09 does not subtract the delay and exits with ACK 17.""",
    sources=("catalogue E53",),
)
def sent_ack_delay(b: StreamBuilder) -> None:
    _sent_faster(b, 50, 37, 22, ack_delays_ns={16: 35 * MS})
    b.expect(at=nth_ack(b, 16), profile="neqo-2026", outcome="exited", shift_bins=5)
    b.expect(at=nth_ack(b, 17), profile="draft-09", outcome="exited", shift_bins=6)


@add(
    "search.sent.ack-delay-at-minimum",
    "The RTT without the acknowledgement delay is the minimum RTT",
    """As with exactly 26 %. ACK 13 has an RTT of 206 ms, including 106 ms of acknowledgement delay: 100 ms are left, the minimum. neqo-2026 subtracts the delay: 2 bins, prev = 11: exit. Otherwise 206 ms are 5 bins.""",
    sources=("catalogue E53",),
)
def sent_ack_delay_at_minimum(b: StreamBuilder) -> None:
    _sent_faster(b, 50, 37, 22, ack_delays_ns={13: 106 * MS})
    b.expect(at=nth_ack(b, 13), profile="neqo-2026", outcome="exited", shift_bins=2)


@add(
    "search.sent.gap-at-boundary",
    "A gap that ends exactly at the end of a bin, with sent bytes",
    """50 packets are sent in each bin and 37 acknowledged. After ACK 15, in bin 15, the next ACK comes at 100 + 18 * 35 = 730 ms, the end of bin 17. 70 / 35 + 1 = 3 bins end, curr = 18. Its RTT is 730 - 13 * 35 = 275 ms, 7 bins: prev = 11.
    Delivered were 661 - 9 * 37 = 328 of 500 packets: exit. With each bin tested curr would be 17, and prev 10.""",
    sources=("draft-chung-ietf-ccwg-00, lines 10 and 24", "catalogue E08"),
)
def sent_gap_at_boundary(b: StreamBuilder) -> None:
    packet = _sent_faster(b, 50, 37, 19)
    b.send(19 * BIN, 50)
    b.send(20 * BIN, 50)
    b.ack(RTT + 18 * BIN, (packet, 660))
    b.expect(profile=("draft-09", "neqo-2026"), outcome="exited", bin=18, shift_bins=7, current_bytes=328000)


def _gap(missed: int) -> None:
    """Register a stimulus: one ACK ends ``missed`` bins, while the sender continues to send."""

    @add(
        f"search.sent.gap-{missed}",
        f"{missed} bins end with one ACK while packets are sent, then too few are delivered",
        f"""The fifth ACK ends {missed} bins and acknowledges all packets older than 100 ms. Then 36 of 50 packets are delivered per bin. neqo-2026 starts again after more than ten bins, with the next ACK, and decides later.""",
        sources=("catalogue E13",),
        tier="core",
    )
    def fill(b: StreamBuilder) -> None:
        packet = 0
        for i in range(34 + missed):
            index = i - 3
            if 0 <= index < 4 or index >= 3 + missed:
                packets = 50 if index < 4 else 36
                last = 50 * (index + 1) - 1 if index == 3 + missed else packet + packets - 1
                b.ack(in_bin(index), (packet, last))
                packet = last + 1
            b.send(i * BIN, 50)


for _missed in (9, 10, 11):
    _gap(_missed)


@add(
    "search.sent.delivered-exceeds",
    "More delivered than sent one RTT ago",
    """The RTT falls from 240 to 100 ms while a queue drains: the packets that arrive in a window were sent in a longer one. The difference is negative, and slow start continues. Code that subtracts unsigned integers gets a huge number.""",
    sources=("catalogue E30",),
)
def sent_delivered_exceeds(b: StreamBuilder) -> None:
    sizes = rates((30, 10000))
    rtts = [240 * MS - 5 * MS * i for i in range(29)] + [RTT]
    deliver(
        b,
        [
            Delivery(in_bin(i, first_ack_ns=240 * MS, bin_ns=84 * MS), s, r)
            for i, (s, r) in enumerate(zip(sizes, rtts, strict=True))
        ],
    )
    b.expect(profile=("draft-09", "neqo-2026"), outcome="below_threshold", current_bytes=100000)


@add(
    "search.drain.loss",
    "A loss while the flight is drained",
    """In each of 22 bins 50 packets are sent, 22 * 50 = 1100, and 32 of each 50 are delivered: 0.36. linux-4 and freebsd-4 begin to drain at the nineteenth ACK, draft-09 at the 21st. The sender stops sending. The 23rd ACK leaves 1100 - 23 * 32 = 364 packets
    in flight. It is the fourth ACK of the drain in linux-4 and freebsd-4, 4 * 32 = 128, and floor(128 / 3) - floor(96 / 3) = 10 leave: 374000. In draft-09 it is the second, floor(64 / 3) - floor(32 / 3) = 11: 375000. Then a packet is lost: ssthresh and window
    become half of that, 187000 and 187500, and slow start is over. No later ACK lowers the window to the flight, 363 - 32 = 331 packets with the next ACK, or to the target, 3 * 32 = 96 packets.""",
    sources=("catalogue E41",),
)
def drain_loss(b: StreamBuilder) -> None:
    packet = _sent_faster(b, 50, 32, 22)
    for index in range(19, 23):
        b.ack(in_bin(index), (packet, packet + 31))
        packet += 32
    kernels = ("linux-4", "freebsd-4")
    b.expect(profile=kernels, outcome="draining", cwnd_bytes=374000, target_bytes=96000)
    b.expect(profile="draft-09", outcome="draining", cwnd_bytes=375000, target_bytes=96000)
    b.lose(in_bin(22) + 10 * MS, (packet, packet))
    b.expect(profile=kernels, outcome="reduced", cwnd_bytes=187000, ssthresh_bytes=187000)
    b.expect(profile="draft-09", outcome="reduced", cwnd_bytes=187500, ssthresh_bytes=187500)
    packet += 1
    for index in range(23, 29):
        b.ack(in_bin(index), (packet, packet + 31))
        packet += 32
    b.expect(profile=kernels, outcome="in_recovery", cwnd_bytes=187000, ssthresh_bytes=187000)
    b.expect(profile="draft-09", outcome="in_recovery", cwnd_bytes=187500, ssthresh_bytes=187500)
    first = b.ledger.next_packet
    b.send(in_bin(28) + 5 * MS, 5)
    b.ack(in_bin(31), (first, first + 4))
    b.expect(profile=(*kernels, "draft-09"), outcome="grown_avoidance")


@add(
    "search.drain.small-packets",
    "The drain counts packets, or bytes",
    """In each of 22 bins 50 packets of 500 bytes are sent, 22 * 50 = 1100, and 32 of each 50 are delivered: 0.36. The largest datagram has 1000 bytes. freebsd-4 begins to drain at the nineteenth ACK and counts bytes. The next ACK brings 32 * 500 = 16000, five times
    3 * 1000 = 3000 with 16000 - 5 * 3000 = 1000 left. It leaves 1100 - 20 * 32 = 460 packets in flight: 460 * 500 + 5 * 1000 = 235000. draft-09 begins at the 21st ACK and counts packets. With the next ACK floor(32 / 3) = 10 datagrams leave, and
    1100 - 22 * 32 = 396 packets are in flight: 396 * 500 + 10 * 1000 = 208000. In bytes it would be 198000 + 5000 = 203000.""",
    sources=("catalogue E39",),
)
def drain_small_packets(b: StreamBuilder) -> None:
    packet = _sent_faster(b, 50, 32, 22, size_bytes=500)
    for index in range(19, 34):
        b.ack(in_bin(index), (packet, packet + 31))
        packet += 32
    b.expect(at=nth_ack(b, 19), profile="freebsd-4", outcome="draining", cwnd_bytes=235000)
    b.expect(at=nth_ack(b, 21), profile="draft-09", outcome="draining", cwnd_bytes=208000)


def drain_down(
    b: StreamBuilder, sent_packets: int, acked_packets: int, bins: int, unsampled_ack: int | None = None
) -> None:
    """Send for a number of bins, up to the exit, then only acknowledge; one of these ACKs may lack an RTT sample."""
    packet = _sent_faster(b, sent_packets, acked_packets, bins)
    last = b.ledger.next_packet - 1
    index = bins - 3
    while packet + acked_packets - 1 <= last:
        b.ack(in_bin(index), (packet, packet + acked_packets - 1), sample=index != unsampled_ack)
        packet += acked_packets
        index += 1


@add(
    "search.drain.to-the-target",
    "The drain lowers the flight to the target",
    """10 packets are sent in each bin and 7 delivered: 0.3: draft-09 exits at its first evaluation. Three bins delivered 21000 bytes, the target. The sender stops sending. ACKs of seven packets then lower the flight, and one packet may leave for three acknowledged packets. The drain ends at a window of 21000:
    that is the threshold, and SEARCH is over.""",
    sources=("catalogue E39",),
    tier="core",
)
def drain_to_the_target(b: StreamBuilder) -> None:
    drain_down(b, 10, 7, 21)


@add(
    "search.drain.target-beyond-32-bits",
    "The drain lowers the flight to a target beyond 32 bits",
    """As in search.drain.to-the-target, but 50000 packets of 65535 bytes are sent in each bin and 35000 delivered. Three bins
    delivered 3 * 35000 * 65535 = 6881175000 bytes, the target. In 32 bits it is 2586207704.""",
    profiles=("draft-09",),
    tier="core",
    max_datagram_size_bytes=65_535,
    initial_window_bytes=2**37,
)
def drain_target_beyond_32_bits(b: StreamBuilder) -> None:
    drain_down(b, 50_000, 35_000, 21)
    b.expect(ssthresh_bytes=6_881_175_000)


@add(
    "search.drain.minimum-target",
    "The target of the drain is at least ten datagrams",
    """3 packets are sent in each bin and 2 delivered: three bins delivered 6000 bytes, but the target is 10 * 1000.""",
    sources=("catalogue E39", "catalogue E40"),
    tier="core",
)
def drain_minimum_target(b: StreamBuilder) -> None:
    drain_down(b, 3, 2, 22)


@add(
    "search.drain.no-sample",
    "An ACK without an RTT sample during the drain",
    """50 packets are sent in each bin and 32 delivered: 0.36. linux-4, freebsd-4 and draft-09 begin to drain. The 23rd ACK then lacks a sample. linux-4 does not change the window and counts the 32 packets with the next ACK, 64 / 3 = 21. freebsd-4 and
    draft-09 continue to drain.""",
    sources=("catalogue E39", "catalogue E51"),
    tier="core",
)
def drain_no_sample(b: StreamBuilder) -> None:
    drain_down(b, 50, 32, 21, unsampled_ack=22)


@add(
    "search.drain.scaled-target",
    "The target of the drain comes from counters of 16 bits",
    """50 packets are sent in each bin and 33 delivered. Three bins delivered 99000 bytes, in units of 16 bytes 6187 or 6188: linux-4 rounds that down to whole packets, freebsd-4 does not. The drain lowers the flight to this target.""",
    sources=("catalogue E39", "catalogue E50"),
    tier="core",
)
def drain_scaled_target(b: StreamBuilder) -> None:
    drain_down(b, 50, 33, 21)


@add(
    "search.drain.bin-of-one-unit",
    "A bin of one microsecond: the target of the drain is the bytes delivered in two bins",
    """The initial RTT is 3 us: 35 * 3 / 100 = 1, a bin of 1 us. linux-4 and freebsd-4 compute the initial RTT from the bin, 1 * 100 / 35 = 2 us. That is two bins; 20/7 bins would be three. In each bin 50 packets of 1000 bytes are sent and 32 delivered: 0.36.
    At the nineteenth ACK the drain begins with a target of 2 * 32000 = 64000. Then the sender stops sending. 22 * 50 - 19 * 32 = 492 packets are in flight. The thirteenth ACK of the drain leaves 492 - 13 * 32 = 76, and lets
    floor(416 / 3) - floor(384 / 3) = 10 leave: 86000. The fourteenth leaves 44 and lets 11 leave: at the target.""",
    sources=("maryam-ataei/TCP_SS_SEARCH_ALG @ 087a48d6, tcp_cubic_search4_0.c",),
)
def drain_bin_of_one_unit(b: StreamBuilder) -> None:
    packet, bins = 0, 22
    for i in range(bins):
        if i >= 3:
            b.ack(i * US + (100 if i > 3 else 0), (packet, packet + 31))
            packet += 32
        b.send(i * US + (200 if i else 0), 50)
    begun = nth_ack(b, 18)
    b.expect(at=begun, profile=("linux-4", "freebsd-4"), outcome="exited", bin=18, target_bytes=64000)
    for i in range(bins, 37):
        b.ack(i * US + 100, (packet, packet + 31))
        packet += 32
    b.expect(at=nth_ack(b, 31), profile=("linux-4", "freebsd-4"), outcome="draining", cwnd_bytes=86000)
    b.expect(at=nth_ack(b, 32), profile=("linux-4", "freebsd-4"), outcome="drained", ssthresh_bytes=64000)
