"""Hand-built stimuli of SEARCH: its start, and the RTT samples that it uses. Shared helpers: ``search.flow``."""

from functools import partial

from firstflight.search.profiles import PROFILES as SEARCH_PROFILES
from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.search.flow import (
    FIRST_ACK,
    LARGE_WINDOW,
    RTT,
    Delivery,
    deliver,
    in_bin,
    nth_ack,
    one_ack_per_bin,
)

CATALOGUE = Catalogue(*SEARCH_PROFILES, sources=("LANMAN 2024, Algorithm 1",))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=LARGE_WINDOW)


@add(
    "search.start.no-sample",
    "SEARCH starts with the first RTT sample",
    """The first ACK gives no sample: its bytes do not count, and no bin opens. The second ACK, at 136 ms, has an RTT of 100
    ms. Bin 0 begins there, with its 2000 bytes, and ends at 171 ms. The ACK at 171 ms still belongs to bin 0; the ACK at 172 ms opens bin 1.""",
    sources=("catalogue E51",),
)
def start_no_sample(b: StreamBuilder) -> None:
    deliver(
        b,
        [
            Delivery(FIRST_ACK, 1000, sample=False),
            Delivery(in_bin(1), 2000),
            Delivery(in_bin(2) - 1 * MS, 3000),
            Delivery(in_bin(2), 4000),
            Delivery(in_bin(2) + 1 * MS, 5000),
        ],
    )
    b.expect(at=nth_ack(b, 0), profile="lanman-2024", outcome="no_rtt_sample", open_bin_bytes=0)
    b.expect(at=nth_ack(b, 1), profile="lanman-2024", outcome="started", open_bin_bytes=2000)
    b.expect(at=nth_ack(b, 3), profile="lanman-2024", outcome="same_bin", bin=0, open_bin_bytes=9000)
    b.expect(at=nth_ack(b, 4), profile="lanman-2024", bin=1, open_bin_bytes=5000)


@add(
    "search.start.no-sample-then-exit",
    "Bins are counted from the first RTT sample, up to the exit",
    """The ACK at 100 ms lacks a sample; the ACK at 136 ms opens bin 0. The rate is constant from there. The literal reading exits at its bin
    12, the recommended reading at its bin 14. An implementation that started with the first ACK has other bins, or none.""",
    sources=("catalogue E51",),
)
def start_no_sample_then_exit(b: StreamBuilder) -> None:
    first = Delivery(FIRST_ACK, 1000, sample=False)
    start = in_bin(1)
    deliver(b, [first] + [Delivery(in_bin(i, first_ack_ns=start), 10000) for i in range(15)])
    b.expect(at=nth_ack(b, 13), profile="lanman-2024-literal", outcome="exited", bin=12)
    b.expect(at=nth_ack(b, 15), profile="lanman-2024", outcome="exited", bin=14)


@add(
    "search.start.rtt-zero",
    "An RTT of 0 counts as 1 ns",
    """The first ACK arrives at the time of sending. The bin duration is 7 ticks, as for an RTT of 1 ns, not 0. The
    next ACKs come 1 ns apart with an RTT of 1 ns: 20 ticks. That is two or three bins each in the recommended reading, one in the
    literal reading. ACK n, n ns after the first, falls into bin 2, 5, 8, 11, 14 ... Recommended: at curr = 14 the windows
    4..13 and 1..10 hold 3000 each: exit.""",
    sources=("catalogue E52", "catalogue E42"),
    flags=("same-time-order",),
)
def start_rtt_zero(b: StreamBuilder) -> None:
    b.send(MS, 1)
    b.ack(MS, (0, 0))
    deliver(b, [Delivery(MS + i, 1000, 1) for i in range(1, 15)])
    b.expect(at=nth_ack(b, 5), profile="lanman-2024", outcome="exited", bin=14, current_bytes=3000, previous_bytes=3000)


@add(
    "search.start.handshake-rtt",
    "Only the first sample sets the bin duration",
    """The first RTT is 300 ms: a bin is 0.35 * 300 ms = 105 ms, and stays so although later RTTs are 100 ms. The ACK at
    404 ms is in bin 0, the ACK at 406 ms in bin 1. With a duration that follows the RTT they would be in bins 2 and 3.""",
    sources=("catalogue E21", "catalogue E56"),
)
def start_handshake_rtt(b: StreamBuilder) -> None:
    deliver(
        b,
        [Delivery(300 * MS, 1000, 300 * MS), Delivery(404 * MS, 2000, 100 * MS), Delivery(406 * MS, 3000, 100 * MS)],
    )
    b.expect(at=nth_ack(b, 1), profile="lanman-2024", bin=0)
    b.expect(at=nth_ack(b, 2), profile="lanman-2024", bin=1)


@add(
    "search.rtt.missing-later",
    "An ACK without a sample is evaluated with the last RTT",
    """Constant rate; the ACKs from bin 12 on give no RTT sample. The last RTT, 100 ms, is used again: literal exits at
    curr = 12, recommended at curr = 14.""",
    sources=("catalogue E51",),
)
def rtt_missing_later(b: StreamBuilder) -> None:
    deliver(b, [Delivery(in_bin(i), 10000, sample=i < 12) for i in range(16)])
    b.expect(at=nth_ack(b, 12), profile="lanman-2024-literal", outcome="exited")
    b.expect(at=nth_ack(b, 14), profile="lanman-2024", outcome="exited")
    b.expect(at=nth_ack(b, 13), profile="linux-4", outcome="no_rtt_sample", bin=11)


@add(
    "search.rtt.latest",
    "The latest RTT shifts the window, not the smoothed RTT or the minimum RTT",
    """The RTT is 100 ms up to bin 12 and 175 ms, five bins, from bin 15 on. At curr = 14 (RTT 170 ms, 4.857 bins) k is
    5 and prev = 9 is still warming up. The smoothed RTT and the minimum give 3 and exit at a constant rate. At curr =
    16, k = 5 and prev = 11: exit.""",
    sources=("catalogue E04",),
)
def rtt_latest(b: StreamBuilder) -> None:
    rtts = [RTT] * 13 + [135 * MS, 170 * MS, 175 * MS, 175 * MS, 175 * MS]
    deliver(b, one_ack_per_bin([10000] * 18, rtts))
    b.expect(at=nth_ack(b, 14), profile="lanman-2024", outcome="warming_up", shift_bins=5)
    b.expect(at=nth_ack(b, 16), profile="lanman-2024", outcome="exited", shift_bins=5)


@add(
    "search.rtt.one-nanosecond",
    "An initial RTT of 1 ns",
    """A bin is 7 ticks of 1/20 ns. ACKs come 1 ns apart: 20 ticks, two or three bins each. The recommended reading
    skips them; the literal reading advances one bin per ACK and lags behind the clock.""",
    tier="core",
    sources=("catalogue E42",),
)
def rtt_one_nanosecond(b: StreamBuilder) -> None:
    deliver(b, [Delivery(MS + i, 1000 * (i + 1), 1) for i in range(12)])


@add(
    "search.rtt.sixty-seconds",
    "An RTT of 60 s and windows of 10^12 bytes",
    """A bin is 21 s and holds 16 * 65535 * 65535 = 68717379600 bytes; the windows hold ten bins, 687173796000. 20 *
    RTT and the products 13 * 687173796000 need more than 32 bits. The rate is constant: the recommended reading exits at
    curr = 14, the literal reading at curr = 12.""",
    sources=("catalogue E44",),
    max_datagram_size_bytes=65535,
    initial_window_bytes=10**13,
)
def rtt_sixty_seconds(b: StreamBuilder) -> None:
    bin_ns, rtt_ns = 21_000 * MS, 60_000 * MS
    size = 16 * 65535 * 65535
    deliver(b, [Delivery(in_bin(i, bin_ns=bin_ns, first_ack_ns=rtt_ns), size, rtt_ns) for i in range(15)])
    b.expect(at=nth_ack(b, 12), profile="lanman-2024-literal", outcome="exited", current_bytes=687173796000)
    b.expect(
        at=nth_ack(b, 14),
        profile="lanman-2024",
        outcome="exited",
        current_bytes=687173796000,
        previous_bytes=687173796000,
    )


@add(
    "search.app-limited.counted",
    "App-limited ACKs fill bins like any other",
    """The ACKs of bins 5..8 are app-limited: they do not grow the window, but their bytes count. At curr =
    14 the recommended windows hold 100000 each: exit at the same ACK as with normal ACKs.""",
    sources=("catalogue E32",),
)
def app_limited_counted(b: StreamBuilder) -> None:
    deliver(b, [Delivery(in_bin(i), 10000, app_limited=5 <= i <= 8) for i in range(16)])
    b.expect(at=nth_ack(b, 14), profile="lanman-2024", outcome="exited", current_bytes=100000, previous_bytes=100000)
