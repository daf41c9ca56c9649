"""Hand-built stimuli of SEARCH: when its versions and dialects start again. See ``stimuli.search.flow`` for shared helpers."""

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
        f"{missed} bins end with one ACK, then a constant rate goes on",
        f"""Bins 0..4 hold 10000 each; the next ACK ends {missed} bins. Who starts SEARCH again after more than 2 (linux-3),
        4 (freebsd-4), 6 (picoquic-fork), 10 (neqo-2026) or 26 (quicly-pr583, report-2024) bins has a new bin 0 and initial RTT there,
        and evaluates later; who does not finds {missed - 1} empty bins in its windows. With 10 or 11 quicly-pr583 and
        report-2024 exit there (k = 3; of the ten bins up to now one is filled, of those one RTT ago four) and leave the
        last bin open; Linux 3.1 knows no such limit.""",
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
    """Bins 0..3 hold 250000 each; after a gap of 12 bins the bytes per bin double in an RTT from 1000 on. Where the
    counters go on over the restart and the one before bin 0 is taken for 0 (linux-3, freebsd-4), the first evaluation,
    prev = 10, sees a bin of a million bytes in the earlier window and exits. neqo-2026 and picoquic-fork start again
    too, with nothing before bin 0, and go on. Profiles that do not start again take the gap for a stall and exit
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
    """Bins 0..3 hold 2500000000 bytes each, then a gap of 12 bins, then doubling from 6000 on, without an ACK in bin
    12, so that the bin before bin 0 is never read. linux-3 keeps its counters: 10^10 needs 34 bits, so the 16 bits that
    are left count units of 2^18 bytes, and the windows of the new slow start are a few units: 1 in the later and 1 or 2
    in the earlier. They look like a plateau, and linux-3 exits. With 64 bits it would not. Who does not start again
    exits at the gap.""",
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
    """The ACK that opens bin 8 is app-limited. linux-4 and linux-3-1 start SEARCH again there and keep their bins of 35 ms; quicly
    and the fork of picoquic pass over it, bytes and all; neqo counts its bytes but ends no bin with it; the paper makes
    no exception.""",
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
    "Nothing to send for three RTTs, then on with the same window",
    """No ACK from bin 6 to bin 14: the application was idle. The bins are empty there, and look like a plateau where
    they are not started again.""",
    sources=("catalogue E33",),
)
def app_limited_idle_restart(b: StreamBuilder) -> None:
    before = one_ack_per_bin(rates((6, 10000)))
    deliver(b, before + [Delivery(in_bin(15 + n), 10000, app_limited=n == 0) for n in range(18)])
    b.expect(at=nth_ack(b, 6), profile=("linux-3-1", "linux-4"), outcome="restarted", bin=0)
    b.expect(at=nth_ack(b, 6), profile="lanman-2024", bin=15)


@add(
    "search.idle-restart.shorter-than-a-bin",
    "An idle time that ends no bin, after which the window is not validated any more",
    """The initial RTT is 300 ms, a bin has 0.35 * 300 ms = 105 ms; all later samples are 100 ms. An ACK in each of the bins 0 to 8 brings 10000; then nothing is in flight, and the window is no longer validated. From 300 ms + 9 * 105 ms = 1245 ms on 10000 come every
    35 ms. linux-3 and linux-3-1 start again with the first of these ACKs: bins of 35 ms, k = 2, and the twelfth that ends is evaluated: bins 2..11 hold 100000, or 25000 units of 4 bytes; exit there, at the thirteenth ACK. Who keeps bins of 105 ms
    has a shift of 0 and evaluates where bin 10 ends, at 300 ms + 11 * 105 ms = 1455 ms: draft-00 exits at the seventh ACK.""",
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
    "An idle time that ends no bin, then more is sent than delivered",
    """As in search.idle-restart.shorter-than-a-bin, but with the first eight bursts after the idle time 100 packets more are sent that nobody acknowledges. draft-09 and neqo-2026 keep their bins of 105 ms and a shift of 0: bin 10, the first that is evaluated,
    ends with the seventh ACK, and much more was sent in it than delivered: exit. Who starts again has bins of 35 ms and none to evaluate yet.""",
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
    "Idle for twelve bins until the window is not validated any more, then on at the same rate",
    """Bins 0..8 hold 10000 each, then nothing is in flight until 20 ACKs later one comes in bin 20. With it linux-4, freebsd-4 and linux-3-1 start again, as linux-3 would for the gap alone, and their counters go on. At curr = 12, k = 2 and 85 %, bins 2..11 of
    the new start hold 10 * 10000 = 100000, in units of 4 bytes 100000 / 4 = 25000. linux-4 and freebsd-4: bins 0..8 of what was sent hold 9 * 10000 / 4 = 22500; of bin 9 count 15 * 2500 / 100 = 375, 10000 / 4 = 2500 being all of it; before bin 0 are
    the 9 * 10000 = 90000 before the silence and three bursts, 90000 + 3 * 10000 = 120000, 120000 / 4 = 30000, of which 85 * 30000 / 100 = 25500 count: 22500 + 375 + 25500 = 48375, and the drain begins. linux-3-1: before bin 0 were delivered
    90000 + 10000 = 100000, of which 85 * 25000 / 100 = 21250 count: 22500 + 375 + 21250 = 44125, exit. lanman-2024 takes the silence for a stall; draft-09 and neqo-2026 keep their bins and go on.""",
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
    """Ten bins of 10000, persistent congestion, then a constant rate of one packet per bin: profiles that start again
    need ten bins before they decide; those that keep their counters (linux-3) see what went before bin 0.""",
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
    """Three small bins, then a CE mark ends slow start; 20 bins of 50000 follow in congestion avoidance, then
    persistent congestion and doubling from 1000 on. linux-3 and freebsd-4 count in every phase: the counter of more
    than a million bytes before bin 0 is taken for a bin, and the first evaluation exits; counted in slow start only it
    would go on. In draft-00, whose bin is a difference of sequence numbers, the first that ends in slow start holds
    them, and the first evaluation that reads it exits. neqo-2026 and draft-09 never read that bin.""",
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
