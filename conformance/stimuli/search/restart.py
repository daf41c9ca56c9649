"""Hand-built stimuli of SEARCH: restarts of its versions and dialects. Shared helpers: ``search.flow``."""

from functools import partial

from firstflight.search.profiles import PROFILES as SEARCH_PROFILES
from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.search.flow import (
    BIN,
    DOUBLING,
    LARGE_WINDOW,
    Delivery,
    deliver,
    in_bin,
    nth_ack,
    one_ack_per_bin,
    rates,
)

CATALOGUE = Catalogue(*SEARCH_PROFILES, sources=("catalogue of edge cases",))
add = partial(CATALOGUE.add, max_datagram_size_bytes=1000, initial_window_bytes=LARGE_WINDOW)

#: After more bins than these SEARCH starts again.
LIMITS = {"linux-3": 2, "freebsd-4": 4, "picoquic-fork": 6, "neqo-2026": 10, "quicly-pr583": 26, "report-2024": 26}
#: These return at an exit before the bin ends.
LEAVE_OPEN = ("quicly-pr583", "report-2024")


def _missed_bins(missed: int) -> None:
    """Register a stimulus with a gap of ``missed`` bins in the middle of a constant rate."""

    @add(
        f"search.missed-bins.{missed}",
        f"{missed} bins end with one ACK, then the constant rate continues",
        f"""Bins 0..4 hold 10000 each; the next ACK ends {missed} bins. Profiles that start SEARCH again after more than 2 (linux-3),
        4 (freebsd-4), 6 (picoquic-fork), 10 (neqo-2026) or 26 (quicly-pr583, report-2024) bins have a new bin 0 and initial RTT there, and evaluate later. Other profiles have {missed - 1} empty bins in their windows. With 10 or 11 quicly-pr583 and report-2024 exit there and leave the last bin open. With k = 3 one of the ten latest bins is filled, and four of the ten bins one RTT ago. Linux 3.1 lacks such a limit.""",
        sources=("catalogue E10 to E15",),
    )
    def fill(b: StreamBuilder) -> None:
        first = one_ack_per_bin(rates((5, 10000)))
        deliver(b, first + [Delivery(in_bin(4 + missed + n), 10000) for n in range(16)])
        late = nth_ack(b, 5)
        for profile, limit in LIMITS.items():
            if missed > limit:
                b.expect(at=late, profile=profile, outcome="restarted", bin=0)
            else:
                left_open = profile in LEAVE_OPEN and missed in (10, 11)
                b.expect(at=late, profile=profile, bin=4 + missed - left_open)
        b.expect(at=late, profile="linux-3-1", bin=4 + missed)


for _count in (2, 3, 4, 5, 6, 7, 10, 11, 26, 27):
    _missed_bins(_count)


@add(
    "search.missed-bins.then-doubling",
    "SEARCH starts again in the middle of a connection, then doubles cleanly",
    """Bins 0..3 hold 250000 each; after a gap of 12 bins the bytes per bin double in an RTT from 1000 on. linux-3 and
    freebsd-4 keep their counters over the restart and use 0 for the counter before bin 0. Their first evaluation, prev = 10, has a bin of a million bytes in the earlier window and exits. neqo-2026 and picoquic-fork start again
    too, with 0 bytes before bin 0, and continue. Profiles that do not start again treat the gap as a stall and exit
    there.""",
    sources=("catalogue E18",),
)
def missed_bins_then_doubling(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin(rates((4, 250000))) + [Delivery(in_bin(15 + n), DOUBLING[n]) for n in range(16)])
    b.expect(at=nth_ack(b, 16), profile="linux-3", outcome="exited", bin=12, current_bytes=2431, previous_bytes=27783)
    b.expect(at=nth_ack(b, 4), profile="lanman-2024", outcome="exited", current_bytes=0, previous_bytes=500000)


@add(
    "search.missed-bins.late-restart-16-bits",
    "A restart after 10^10 bytes, with counters of 16 bits",
    """Bins 0..3 hold 2500000000 bytes each, then a gap of 12 bins, then doubling from 6000 on. Bin 12 gets no ACK,
    so that the bin before bin 0 is never read. linux-3 keeps its counters. 10^10 needs 34 bits, so the remaining
    16 bits count units of 2^18 bytes. The windows of the new slow start are a few units: 1 in the later and 1 or 2 in the earlier. They look like a plateau, and linux-3 exits. With 64 bits it would not. Profiles that do not start again exit at the gap.""",
    sources=("catalogue E49", "catalogue E50"),
    max_datagram_size_bytes=50000,
    initial_window_bytes=10**11,
    tier="core",
)
def missed_bins_late_restart_16_bits(b: StreamBuilder) -> None:
    late = [Delivery(in_bin(15 + n), 6 * DOUBLING[n]) for n in range(18) if n != 12]
    deliver(b, one_ack_per_bin(rates((4, 2_500_000_000))) + late)


@add(
    "search.app-limited.restart",
    "An app-limited ACK in the middle of a constant rate",
    """The ACK that opens bin 8 is app-limited. linux-4 and linux-3-1 start SEARCH again there and keep their bins of 35 ms. quicly
    and the fork of picoquic ignore the ACK and its bytes. neqo counts its bytes but ends no bin with it. The paper makes no exception.""",
    sources=("catalogue E32",),
)
def app_limited_restart(b: StreamBuilder) -> None:
    deliver(b, [Delivery(in_bin(i), 10000, app_limited=i == 8) for i in range(22)])
    b.expect(at=nth_ack(b, 8), profile=("linux-3-1", "linux-4"), outcome="restarted", bin=0)
    b.expect(at=nth_ack(b, 20), profile="linux-3-1", outcome="exited", bin=12)
    b.expect(at=nth_ack(b, 8), profile=("quicly-pr583", "picoquic-fork", "neqo-2026"), outcome="app_limited", bin=7)
    b.expect(at=nth_ack(b, 8), profile="lanman-2024", bin=8)


@add(
    "search.app-limited.idle-restart",
    "An idle period of three RTTs, then sending with the same window",
    """The application is idle, and bins 6 to 14 receive no ACK. For a profile that does not start its bins again the
    empty bins look like a plateau.""",
    sources=("catalogue E33",),
)
def app_limited_idle_restart(b: StreamBuilder) -> None:
    before = one_ack_per_bin(rates((6, 10000)))
    deliver(b, before + [Delivery(in_bin(15 + n), 10000, app_limited=n == 0) for n in range(18)])
    b.expect(at=nth_ack(b, 6), profile=("linux-3-1", "linux-4"), outcome="restarted", bin=0)
    b.expect(at=nth_ack(b, 6), profile="lanman-2024", bin=15)


@add(
    "search.idle-restart.shorter-than-a-bin",
    "An idle time that ends no bin; after it the window is no longer validated",
    """The initial RTT is 300 ms, a bin has 0.35 * 300 ms = 105 ms. All later samples are 100 ms. An ACK in each of the bins 0 to 8 brings 10000. Then the flight is empty, and the window is no longer validated. From 300 ms + 9 * 105 ms = 1245 ms on 10000 come every
    35 ms. linux-3 and linux-3-1 start again with the first of these ACKs: bins of 35 ms, k = 2. They evaluate at the end of the twelfth bin. Bins 2..11 hold 100000, or 25000 units of 4 bytes: exit, at the thirteenth ACK. Implementations that keep bins of 105
    ms have a shift of 0 and evaluate at the end of bin 10, at 300 ms + 11 * 105 ms = 1455 ms: draft-00 exits at the seventh ACK.""",
    sources=("Project-Faster/tcp_ss_search @ 4f5e1d9, src/tcp_cubic.c",),
)
def idle_restart_shorter_than_a_bin(b: StreamBuilder) -> None:
    bin_ns = 105 * MS
    deliver(b, [Delivery(300 * MS, 10000, 300 * MS)])
    deliver(b, [Delivery(in_bin(i, MS, bin_ns, 300 * MS), 10000) for i in range(1, 9)])
    b.idle_restart(in_bin(8, 2 * MS, bin_ns, 300 * MS))
    deliver(b, [Delivery(1245 * MS + i * BIN + MS * (i > 0), 10000) for i in range(14)])
    kernels = ("linux-3", "linux-3-1", "linux-4", "freebsd-4")
    b.expect(at=nth_ack(b, 9), profile=kernels, outcome="started", bin=0)
    b.expect(at=nth_ack(b, 21), profile=("linux-3", "linux-3-1"), outcome="exited", bin=12, current_bytes=25000)
    b.expect(at=nth_ack(b, 15), profile="draft-00", outcome="exited")


@add(
    "search.idle-restart.sent",
    "An idle time that ends no bin, then more bytes are sent than delivered",
    """As in search.idle-restart.shorter-than-a-bin, but with the first eight bursts after the idle time 100 more packets are sent that are never acknowledged. draft-09 and neqo-2026 keep their bins of 105 ms and a shift of 0. Bin 10, the first evaluated bin, ends with
    the seventh ACK, and much more was sent in it than delivered: exit. Implementations that start again have bins of 35 ms and do not evaluate yet.""",
    sources=("mozilla/neqo @ 80ca01ee, neqo-transport/src/cc/search.rs",),
    tier="core",
)
def idle_restart_sent(b: StreamBuilder) -> None:
    bin_ns = 105 * MS
    deliver(b, [Delivery(300 * MS, 10000, 300 * MS)])
    deliver(b, [Delivery(in_bin(i, MS, bin_ns, 300 * MS), 10000) for i in range(1, 9)])
    b.idle_restart(in_bin(8, 2 * MS, bin_ns, 300 * MS))
    late = [Delivery(1245 * MS + i * BIN + MS * (i > 0), 10000, unacked_bytes=100000 * (i < 8)) for i in range(14)]
    deliver(b, late)
    b.expect(at=nth_ack(b, 9), profile=("linux-4", "freebsd-4"), outcome="started", bin=0)
    b.expect(at=nth_ack(b, 15), profile=("draft-09", "neqo-2026"), outcome="exited", bin=11, shift_bins=0)


@add(
    "search.idle-restart.after-silence",
    "An idle period of twelve bins, until the window is no longer validated, then the same rate",
    """Bins 0..8 hold 10000 each. Then the flight is empty until an ACK comes in bin 20. At this ACK linux-4, freebsd-4 and linux-3-1 start again, as linux-3 would for the gap alone, and keep their counters. At curr = 12, k = 2 and 85 %, bins 2..11 of
    the new start hold 10 * 10000 = 100000, in units of 4 bytes 100000 / 4 = 25000. linux-4 and freebsd-4: bins 0..8 of sent bytes hold 9 * 10000 / 4 = 22500. Bin 9 has 10000 / 4 = 2500, and 15 * 2500 / 100 = 375 count. Before bin 0 are the 9
    * 10000 = 90000 before the silence and three bursts, 90000 + 3 * 10000 = 120000. These are 120000 / 4 = 30000, and 85 * 30000 / 100 = 25500 count: 22500 + 375 + 25500 = 48375, and the drain begins. linux-3-1: before bin 0 90000 + 10000 = 100000 were delivered, and 85 * 25000 / 100 = 21250 count: 22500 + 375 + 21250 = 44125, exit. lanman-2024 treats the silence as a stall. draft-09 and neqo-2026 keep their bins and continue.""",
    sources=("maryam-ataei/TCP_SS_SEARCH_ALG @ 087a48d6, tcp_cubic_search4_0.c",),
)
def idle_restart_after_silence(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000] * 9))
    b.idle_restart(in_bin(17))
    deliver(b, [Delivery(in_bin(20 + n), 10000) for n in range(15)])
    kernels = ("linux-3", "linux-3-1", "linux-4", "freebsd-4")
    b.expect(at=nth_ack(b, 9), profile=kernels, outcome="started", bin=0)
    end = nth_ack(b, 21)
    b.expect(at=end, profile=("linux-3", "linux-3-1"), outcome="exited", current_bytes=25000, previous_bytes=44125)
    b.expect(at=end, profile=("linux-4", "freebsd-4"), outcome="exited", current_bytes=25000, previous_bytes=48375)
    b.expect(at=nth_ack(b, 9), profile="lanman-2024", outcome="exited")
    b.expect(profile="draft-09", outcome="below_threshold")


@add(
    "search.restart.then-double",
    "Slow start after persistent congestion, long enough to evaluate",
    """Ten bins of 10000, persistent congestion, then a constant rate of one packet per bin. Profiles that start again need
    ten bins before they decide. Profiles that keep their counters (linux-3) include the bytes before bin 0.""",
    sources=("catalogue E54", "catalogue E18"),
    flags=("same-time-order",),
    initial_window_bytes=100000,
)
def restart_then_double(b: StreamBuilder) -> None:
    deliver(b, one_ack_per_bin([10000] * 8))
    b.send(in_bin(7) + 5 * MS, 10)
    b.lose(in_bin(7) + 10 * MS, (80, 89))
    b.persistent_congestion(in_bin(7) + 10 * MS)
    times = [11, 12, *range(14, 30)]
    deliver(b, [Delivery(in_bin(i), 1000) for i in times])
    b.expect(at=nth_ack(b, 8), profile=("lanman-2024", "linux-3", "neqo-2026"), outcome="started", bin=0)
    b.expect(at=nth_ack(b, 8), profile="picoquic-fork", outcome="grown")


@add(
    "search.restart.after-avoidance",
    "Slow start after persistent congestion, with most bytes delivered in congestion avoidance",
    """Three small bins, then a CE mark ends slow start. 20 bins of 50000 follow in congestion avoidance, then
    persistent congestion and doubling from 1000 on. linux-3 and freebsd-4 count in every phase. They use the counter of more than a million bytes before bin 0 as a bin, and the first evaluation exits. If only slow start counted, they would continue. In draft-00 a bin is a difference of sequence numbers. The first bin that ends in slow start contains the bytes, and the first evaluation that reads it exits. neqo-2026 and draft-09 never read that bin.""",
    sources=("catalogue E18", "catalogue E54"),
    flags=("same-time-order",),
    tier="core",
    initial_window_bytes=4_000_000,
)
def restart_after_avoidance(b: StreamBuilder) -> None:
    early = [Delivery(in_bin(i), 1000, ce="after" if i == 2 else "") for i in range(3)]
    deliver(b, early + [Delivery(in_bin(i), 50000) for i in range(3, 23)])
    b.send(in_bin(22) + 5 * MS, 10)
    last = b.ledger.next_packet - 1
    b.lose(in_bin(22) + 10 * MS, (last - 9, last))
    b.persistent_congestion(in_bin(22) + 10 * MS)
    bins = [26, 27, *range(29, 45)]
    sizes = [
        1000,
        1000,
        1000,
        1000,
        1000,
        1000,
        2000,
        2000,
        2000,
        3000,
        4000,
        5000,
        6000,
        8000,
        10000,
        12000,
        16000,
        20000,
    ]
    deliver(b, [Delivery(in_bin(index), size) for index, size in zip(bins, sizes, strict=True)])
