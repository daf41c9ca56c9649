"""The transfer-time models at the limits of their domain, and just outside it."""

from firstflight.limits import TIME_MAX_NS
from firstflight_conformance.format.computations import REFUSED
from generate.computation import Questions, worked
from stimuli.transfer_time.questions import QUESTIONS as _USUAL

QUESTIONS = Questions("transfer-time", _USUAL.defaults)
ask = QUESTIONS.ask
_OURS = ("spec/transfer-time.md, Domain",)
_EVERY = ("slow-start", "initial-start", "quick-start", "more-start", "jump-start")


def refuse(name: str, title: str, why: str, *profiles: str, **inputs: int) -> None:
    """Add a question outside the domain."""
    QUESTIONS.add(f"domain.{name}", title, why, profiles, _OURS, inputs, REFUSED)


refuse("rate-zero", "A link without a rate", "Every scheme refuses; no division by 0.", *_EVERY, rate_bps=0)
refuse(
    "rate-too-large",
    "A rate above 10^12 bit/s",
    "10^12 + 1 is outside the domain of the proved widths.",
    *_EVERY,
    rate_bps=10**12 + 1,
)
refuse(
    "rtt-too-large", "A round-trip time above 100 s", "10^11 + 1 ns is outside the domain.", *_EVERY, rtt_ns=10**11 + 1
)
refuse(
    "size-too-large", "A response above 2^48 bytes", "2^48 + 1 is outside the domain.", *_EVERY, size_bytes=2**48 + 1
)
refuse(
    "size-absurd",
    "A response of 2^64 - 1 bytes",
    "A negative size in unsigned arithmetic looks like this.",
    *_EVERY,
    size_bytes=2**64 - 1,
)
refuse("mss-zero", "Segments without payload", "s / L divides by 0: every scheme refuses.", *_EVERY, mss_bytes=0)
refuse(
    "mss-above-mtu",
    "A segment larger than its packet",
    "1501 > 1500 is refused; 1500 of 1500 is not.",
    *_EVERY,
    mss_bytes=1501,
)
refuse(
    "mtu-zero", "Packets of no bytes", "MTU = 0 is below 1: no room for any bytes.", *_EVERY, mtu_bytes=0, mss_bytes=1
)
refuse(
    "mtu-too-large",
    "Packets above 65535 bytes",
    "An IP packet has at most 2^16 - 1 = 65535 bytes.",
    *_EVERY,
    mtu_bytes=65536,
)
refuse(
    "segments-per-ack-zero",
    "ACKs for zero segments",
    "(b + 1) / b divides by 0 for b = 0.",
    *_EVERY,
    segments_per_ack=0,
)
refuse(
    "segments-per-ack-too-large",
    "More than eight segments per ACK",
    "b = 9 is outside the domain of the proved widths.",
    *_EVERY,
    segments_per_ack=9,
)
refuse(
    "window-zero",
    "An initial window of 0 segments",
    "With w = 0 the response is never sent.",
    "slow-start",
    "initial-start",
    initial_window_segments=0,
)
refuse(
    "window-too-large",
    "An initial window above 65535 segments",
    "w = 65536 is outside the domain.",
    "slow-start",
    "initial-start",
    initial_window_segments=65536,
)
refuse(
    "threshold-zero",
    "A first flight of 0 bytes",
    "With u = 0 the initial rate of Jump-Start would be 0.",
    "jump-start",
    threshold_bytes=0,
)
refuse(
    "threshold-too-large",
    "A threshold above 2^48 bytes",
    "2^48 + 1 is outside the domain.",
    "jump-start",
    threshold_bytes=2**48 + 1,
)
refuse(
    "approved-rate-zero",
    "An initial rate of 0",
    "With q = 0 the response is never sent.",
    "quick-start",
    "more-start",
    approved_rate_bps=0,
)
refuse(
    "approved-rate-too-large",
    "An initial rate above 10^12 bit/s",
    "10^12 + 1 is outside the domain.",
    "more-start",
    approved_rate_bps=10**12 + 1,
)
refuse(
    "approved-rate-unit",
    "40 kbit/s is the unit of the rates, not a rate",
    "Code 0 means refusal: 40000 * 2^0 is refused.",
    "quick-start",
    approved_rate_bps=40_000,
)
refuse(
    "approved-rate-beyond-codes",
    "Code 16 does not exist",
    "40000 * 2^16 = 2621440000 is refused.",
    "quick-start",
    approved_rate_bps=40_000 << 16,
)
refuse(
    "requested-rate-too-large",
    "A request above 10^12 bit/s",
    "10^12 + 1 is outside the domain.",
    "quick-start-rate",
    requested_rate_bps=10**12 + 1,
)
refuse(
    "response-too-long",
    "A response that takes longer than 18 years",
    "10^9 bytes at 1 bit/s take 8 * 10^9 * 1500/1448 s > 2^59 - 1 ns.",
    *_EVERY[:2],
    rate_bps=1,
    size_bytes=10**9,
    rtt_ns=0,
)

ask(
    "domain.packet-without-headers",
    "A segment may fill its packet",
    "L = MTU = 1500: s / R = 1500 * 8 / 10^7 s = 1200000 ns in slow start; Jump-Start takes one RTT.",
    "slow-start",
    "jump-start",
    sources=_OURS,
    mss_bytes=1500,
    size_bytes=1500,
    expect={"slow-start": worked(0, 1_200_000), "jump-start": worked(0, 200_000_000)},
)
ask(
    "domain.jump-start-rtt-zero",
    "Jump-Start without propagation: the link is busy at once",
    "R0 is unlimited: psi = 0, Gamma = s / R = 1657458563 + 97/181 ns, without a division by tau = 0.",
    "jump-start",
    sources=_OURS,
    rtt_ns=0,
    expect=worked(0, 1_657_458_563, 97, 181),
)
ask(
    "domain.size-zero",
    "Zero bytes take no time in any scheme",
    "Gamma = 0 and T = tau. For Jump-Start R0 = 0 / tau, and s / R0 would be 0 / 0.",
    *_EVERY[2:],
    sources=_OURS,
    size_bytes=0,
    expect=worked(0, 0),
)
ask(
    "domain.jump-start-below-link",
    "A first flight above the capacity of the link in an RTT",
    "R tau = 1448 * 10^7 * 0.01 / 12000 = 12066.67 < 65536: R0 >= R, psi = 0, Gamma = s / R = 54311602 + 38/181 ns, more than tau.",
    "jump-start",
    sources=_OURS,
    rtt_ns=10_000_000,
    size_bytes=65536,
    expect=worked(0, 54_311_602, 38, 181),
)

ask(
    "domain.longest-response",
    "The longest response that is not refused",
    "L = MTU = 1 and r = 8 bit/s, w = 2: t = 1 s, the link never idles, s / R = s seconds. 576460752 s + tau = 303423487 ns make 2^59 - 1 ns.",
    "slow-start",
    sources=_OURS,
    rate_bps=8,
    mss_bytes=1,
    mtu_bytes=1,
    initial_window_segments=2,
    size_bytes=TIME_MAX_NS // 10**9,
    rtt_ns=TIME_MAX_NS % 10**9,
    expect={**worked(0, 576_460_752 * 10**9), "response_time_ns": 2**59 - 1},
)
ask(
    "domain.longest-response-exceeded",
    "A response one ns longer than the longest is refused",
    "As in transfer-time.domain.longest-response with tau = 303423488 ns: 2^59 ns.",
    "slow-start",
    sources=_OURS,
    rate_bps=8,
    mss_bytes=1,
    mtu_bytes=1,
    initial_window_segments=2,
    size_bytes=TIME_MAX_NS // 10**9,
    rtt_ns=TIME_MAX_NS % 10**9 + 1,
    expect=REFUSED,
)
ask(
    "domain.widest-slow-start",
    "The most rounds and the widest numbers of slow start",
    "b = 8, w = 1, L = MTU = 1, r = 10^12, tau = 100 s, s = 2^48: 9^k and 8^k reach more than 700 bits.",
    "slow-start",
    sources=_OURS,
    tier="core",
    rate_bps=10**12,
    rtt_ns=10**11,
    size_bytes=2**48,
    mss_bytes=1,
    mtu_bytes=1,
    initial_window_segments=1,
    segments_per_ack=8,
)
ask(
    "domain.widest-paced",
    "The most rounds and the widest numbers of the paced schemes",
    "b = 8, q = 1 and u = 1 on the fastest and longest path.",
    "more-start",
    "jump-start",
    sources=_OURS,
    tier="core",
    rate_bps=10**12,
    rtt_ns=10**11,
    size_bytes=2**48,
    mss_bytes=65535,
    mtu_bytes=65535,
    segments_per_ack=8,
    approved_rate_bps=1,
    threshold_bytes=1,
)
ask(
    "domain.slow-rounds-below-link",
    "A paced response that ends below the rate of the link",
    "b = 2, q = 80 kbit/s: R0 = 1448 * 80000 / 12000 = 9653 + 1/3 bytes/s. M(1) = 0.2 * (9653 + 1/3) = 1930 + 2/3 bytes, and 4000 < (1 + 3/2) * (1930 + 2/3): psi = 1. Gamma = tau + (s - M(1)) / (1.5 R0) = 200 ms + (4000 - 1930 - 2/3) / (1.5 * (9653 + 1/3)) s = 342909760 + 320/543 ns.",
    "quick-start",
    sources=_OURS,
    segments_per_ack=2,
    approved_rate_bps=80_000,
    size_bytes=4000,
    expect=worked(1, 342_909_760, 320, 543),
)
ask(
    "domain.jump-start-ack-of-two",
    "Jump-Start with an ACK for two segments",
    "M(1) = 65536, M(2) = (1 + 3/2) * 65536 = 163840: s = 100000 has psi = 1. Gamma = tau + (s - M(1)) / (1.5 R0) = 200 ms + (100000 - 65536) / (1.5 * 65536 / 0.2) s = 270117187 + 1/2 ns.",
    "jump-start",
    sources=_OURS,
    segments_per_ack=2,
    size_bytes=100_000,
    expect=worked(1, 270_117_187, 1, 2),
)
ask(
    "domain.jump-start-three-rounds",
    "Jump-Start with an ACK for two segments ends in its third round",
    "M(3) = (1 + 3/2 + 9/4) * 65536 = 311296 bytes: s = 311296 has psi = 2. M(2) = (1 + 3/2) * 65536 = 163840. Gamma = 2 * 200 ms + (311296 - 163840) / (2.25 * 65536 / 0.2) s = 600000000 ns.",
    "jump-start",
    sources=_OURS,
    segments_per_ack=2,
    size_bytes=311_296,
    expect=worked(2, 600_000_000),
)
ask(
    "domain.jump-start-three-rounds-exceeded",
    "Jump-Start with an ACK for two segments needs a fourth round for one byte",
    "M(3) = (1 + 3/2 + 9/4) * 65536 = 311296 bytes, so s = 311297 has psi = 3. Gamma = 3 * 200 ms + 1 / (3.375 * 65536 / 0.2) s = 600000904 + 97/432 ns.",
    "jump-start",
    sources=_OURS,
    segments_per_ack=2,
    size_bytes=311_297,
    expect=worked(3, 600_000_904, 97, 432),
)
ask(
    "domain.quick-start-above-half-the-link",
    "An initial rate of more than half of the link, with an ACK for two segments",
    "q = 5120 kbit/s: R0 = 1448 * 5120000 / 12000 = 617813 + 1/3 bytes/s is less than R = 1448 * 10000000 / 12000 = 1206666 + 2/3. M(1) = 0.2 * (617813 + 1/3) = 123562 + 2/3 bytes, so s = 100000 has psi = 0. Gamma = s / R0 = 100000 / (617813 + 1/3) s = 161861187 + 153/181 ns. At the rate of the link it is 100000 * 150000 / 181 ns = 82872928.2 ns.",
    "quick-start",
    sources=_OURS,
    segments_per_ack=2,
    approved_rate_bps=5_120_000,
    size_bytes=100_000,
    expect=worked(0, 161_861_187, 153, 181),
)
ask(
    "domain.slowest-link",
    "A link of one bit per second",
    "L = MTU = 1: one byte takes 8 bits / (1 bit/s) = 8 s. Each paced scheme begins at more than 1/8 byte/s, the rate of the link: psi = 0.",
    *_EVERY,
    sources=_OURS,
    rate_bps=1,
    mss_bytes=1,
    mtu_bytes=1,
    size_bytes=1,
    expect=worked(0, 8_000_000_000),
)
ask(
    "domain.largest-window",
    "The largest initial window, 65535 segments",
    "n = 9 segments are less than w = 65535: psi = 0 and Gamma = 9 * 1.2 ms = 10800000 ns. Initial-Start begins above the rate of the link: s / R is the same.",
    "slow-start",
    "initial-start",
    sources=_OURS,
    size_bytes=13_032,
    initial_window_segments=65_535,
    expect=worked(0, 10_800_000),
)
