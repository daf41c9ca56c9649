"""Slow start by its transfer-time model: inputs where an answer changes or a wrong formula shows."""

from typing import Any

from generate.computation import worked
from stimuli.transfer_time.questions import MS, PAPER, QUESTIONS


def slow(number: str, name: str, title: str, why: str, expect: dict[str, Any], **inputs: int) -> None:
    """Add a question for slow start; by default t is 1.2 ms and s / R is s * 150000 / 181 ns."""
    QUESTIONS.add(f"slow-start.{name}", title, why, ("slow-start",), (PAPER, f"catalogue {number}"), inputs, expect)


slow(
    "M1",
    "size-zero",
    "Zero bytes take no time",
    "n = 0, so that round 1 is the last: psi = max(min(psi_bdp, -1), 0) = 0 and Gamma = 0. Without the maximum psi is -1 and Gamma negative.",
    size_bytes=0,
    expect=worked(0, 0),
)
slow(
    "M2",
    "size-one",
    "One byte takes its share of a packet",
    "psi = 0, Gamma = 1 / R = 8 * 1500 / (10^7 * 1448) s = 150000/181 ns = 828 + 132/181 ns. A full packet would take 8 * 1500 / 10^7 s = 1.2 ms.",
    size_bytes=1,
    expect=worked(0, 828, 132, 181),
)
slow(
    "M3",
    "initial-window-exact",
    "Exactly the initial window",
    "n = 3 = w: round 1 is the last, psi = 0, Gamma = 3 t = 3600000 ns. With floor(s / L) + 1 segments psi would be 1.",
    size_bytes=4344,
    expect=worked(0, 3_600_000),
)
slow(
    "M4",
    "initial-window-exceeded",
    "One byte more than the initial window",
    "n = 4 > w: psi = 1. Gamma = 200 ms + 1.2 ms * (4345/1448 + 1 - 3) = 201200828 + 132/181 ns. Without rounding s / L up psi stays 0.",
    size_bytes=4345,
    expect=worked(1, 201_200_828, 132, 181),
)
slow(
    "M5",
    "two-rounds-exact",
    "Exactly two rounds",
    "n = 9 = S(2) = 3 + 6: psi = 1. Gamma = 200 ms + 1.2 ms * (9 + 1 - 3) = 208400000 ns. With S(m) > n as the end psi would be 2.",
    size_bytes=13032,
    expect=worked(1, 208_400_000),
)
slow(
    "M6",
    "two-rounds-exceeded",
    "One byte more than two rounds",
    "n = 10 > 9: psi = 2. Gamma = 2 * 200 ms + 1.2 ms * (9 + 1/1448 + 2 - 9) = 402400828 + 132/181 ns.",
    size_bytes=13033,
    expect=worked(2, 402_400_828, 132, 181),
)
slow(
    "M7",
    "four-rounds-exact",
    "Exactly four rounds",
    "n = 45 = S(4): psi = 3. Gamma = 3 * 200 ms + 1.2 ms * (45 + 3 - 21) = 632400000 ns.",
    size_bytes=65160,
    expect=worked(3, 632_400_000),
)
slow(
    "M8",
    "four-rounds-exceeded",
    "One byte more than four rounds",
    "n = 46: psi = 4. Gamma = 4 * 200 ms + 1.2 ms * (45 + 1/1448 + 4 - 45) = 804800828 + 132/181 ns. Here the gain of the faster schemes is largest.",
    size_bytes=65161,
    expect=worked(4, 804_800_828, 132, 181),
)
slow(
    "M9",
    "size-64-kib",
    "64 KiB, not 64000 bytes",
    "n = 46: psi = 4. Gamma = 4 * 200 ms + 1.2 ms * (65536/1448 + 4 - 45) = 805111602 + 38/181 ns.",
    size_bytes=65536,
    expect=worked(4, 805_111_602, 38, 181),
)
slow(
    "M10",
    "both-bounds-equal",
    "The link is filled when the response ends",
    "S(6) = 3 * (2^6 - 1) = 189, and 189 < ceil(500000 / 1448) = 346 < 3 * (2^7 - 1): the end allows psi = 6. R tau / L + 1 = 10^7 * 0.2 / 12000 + 1 = 167.67, and 3 * 2^5 < 167.67 <= 3 * 2^6: so does the link. Gamma = 6 * 200 ms + 1.2 ms * (500000/1448 + 6 - 189) = 1394764640 + 160/181 ns.",
    size_bytes=500_000,
    expect=worked(6, 1_394_764_640, 160, 181),
)
slow(
    "M11",
    "link-filled",
    "The link is filled before the response ends",
    "n = ceil(2000000 / 1448) = 1382, and 3 * (2^8 - 1) < 1382 < 3 * (2^9 - 1): the end allows 8. R tau / L + 1 = 10^7 * 0.2 / 12000 + 1 = 167.67, and 3 * 2^5 < 167.67 <= 3 * 2^6 allows 6, with S(6) = 3 * (2^6 - 1) = 189. The smaller counts: Gamma = 6 * 200 ms + 1.2 ms * (2000000/1448 + 6 - 189) = 2637858563 + 97/181 ns.",
    expect=worked(6, 2_637_858_563, 97, 181),
)
slow(
    "M12",
    "window-2",
    "The initial window counts on both sides",
    "2 * 2^6 < 167.67 <= 2 * 2^7: psi = 7, S(7) = 2 * (2^7 - 1) = 254. Gamma = 7 * 200 ms + 1.2 ms * (2000000/1448 + 7 - 254) = 2761058563 + 97/181 ns.",
    initial_window_segments=2,
    expect=worked(7, 2_761_058_563, 97, 181),
)
slow(
    "M13",
    "window-10",
    "An initial window of ten segments",
    "10 * 2^4 < 167.67 <= 10 * 2^5: psi = 5, S(5) = 10 * (2^5 - 1) = 310. Gamma = 5 * 200 ms + 1.2 ms * (2000000/1448 + 5 - 310) = 2291458563 + 97/181 ns.",
    initial_window_segments=10,
    expect=worked(5, 2_291_458_563, 97, 181),
)
slow(
    "M14",
    "window-just-idles",
    "A window one segment short of the link",
    "R tau / L + 1 = 10^7 * 0.2 / 12000 + 1 = 167.67 > 167: the link idles once, for 200 ms + 1.2 ms - 167 * 1.2 ms = 0.8 ms. psi = 1, Gamma = 200 ms + 1.2 ms * (2000000/1448 + 1 - 167) = 1658258563 + 97/181 ns. Without the + 1 psi is 0.",
    initial_window_segments=167,
    expect=worked(1, 1_658_258_563, 97, 181),
)
slow(
    "M15",
    "window-just-fills",
    "A window that fills the link",
    "168 >= 167.67: psi = 0, Gamma = s / R = 1657458563 + 97/181 ns.",
    initial_window_segments=168,
    expect=worked(0, 1_657_458_563, 97, 181),
)
slow(
    "M16",
    "window-beyond",
    "A window far beyond the link",
    "1000 >= 167.67: psi = 0; the logarithm is negative. Gamma = s / R.",
    initial_window_segments=1000,
    expect=worked(0, 1_657_458_563, 97, 181),
)
slow(
    "M17",
    "window-10-exact",
    "Exactly an initial window of ten",
    "n = 10 = w: psi = 0, Gamma = 10 t = 12000000 ns.",
    initial_window_segments=10,
    size_bytes=14480,
    expect=worked(0, 12_000_000),
)
slow(
    "M17",
    "window-10-exceeded",
    "One byte more than an initial window of ten",
    "n = 11: psi = 1. Gamma = 200 ms + 1.2 ms * (10 + 1/1448 + 1 - 10) = 201200828 + 132/181 ns.",
    initial_window_segments=10,
    size_bytes=14481,
    expect=worked(1, 201_200_828, 132, 181),
)
slow(
    "M18",
    "gigabit",
    "1 Gbit/s: the rate is in bits, at the IP layer",
    "t = 12 us, psi = 4: Gamma = 4 * 200 ms + 12 us * (65536/1448 + 4 - 45) = 800051116 + 4/181 ns.",
    rate_bps=10**9,
    size_bytes=65536,
    expect=worked(4, 800_051_116, 4, 181),
)
slow(
    "M19",
    "gigabit-large",
    "Products beyond 64 bits",
    "R tau / L + 1 = 10^9 * 0.2 / 12000 + 1 = 16667.67, and 3 * 2^12 < 16667.67 <= 3 * 2^13: psi = 13, S(13) = 3 * (2^13 - 1) = 24573. K s = 1.2 * 10^13 * 10^8 = 1.2 * 10^21 needs 71 bits. Gamma = 13 * 200 ms + 12 us * (10^8/1448 + 13 - 24573) = 3134009281 + 139/181 ns.",
    rate_bps=10**9,
    size_bytes=10**8,
    expect=worked(13, 3_134_009_281, 139, 181),
)
slow(
    "M20",
    "rtt-zero",
    "No propagation: the link never idles",
    "w = 3 >= R * 0 / L + 1 = 1: psi = 0, Gamma = s / R. The logarithm of 1/3 is negative.",
    rtt_ns=0,
    expect=worked(0, 1_657_458_563, 97, 181),
)
slow(
    "M21",
    "path-below-one-packet",
    "The capacity of the path is less than a packet",
    "R tau / L = 64000 * 0.1 / 12000 = 0.533: 3 >= 1.533, psi = 0, Gamma = s / R = 10000 * 12000 / (1448 * 64000) s = 1294889502 + 138/181 ns.",
    rate_bps=64_000,
    rtt_ns=100 * MS,
    size_bytes=10_000,
    expect=worked(0, 1_294_889_502, 138, 181),
)
slow(
    "M22",
    "path-below-one-packet-window-1",
    "With a window of one segment a path below one packet idles once",
    "t = 12000 / 64000 s = 187.5 ms. 1 < 1.533 <= 2: psi = 1 (n = 3 > 1). Gamma = 100 ms + 187.5 ms * (3000/1448 + 1 - 1) = 488466850 + 150/181 ns.",
    rate_bps=64_000,
    rtt_ns=100 * MS,
    size_bytes=3000,
    initial_window_segments=1,
    expect=worked(1, 488_466_850, 150, 181),
)
slow(
    "M23",
    "link-exact",
    "A round that exactly fills the link: the link does not idle",
    "t = 1 ms, R tau / L + 1 = 24 = 3 * 2^3: psi = 3, Gamma = 3 * 23 ms + 1 ms * (10^7/1448 + 3 - 21) = 6957077348 + 12/181 ns. psi = 4 gives the same.",
    rate_bps=12_000_000,
    rtt_ns=23 * MS,
    size_bytes=10**7,
    expect=worked(3, 6_957_077_348, 12, 181),
)
slow(
    "M24",
    "link-one-ns-above",
    "One ns more of RTT, and the link idles for that ns",
    "24 * 1 ms < 23000001 ns + 1 ms: psi = 4, Gamma = 4 * 23000001 ns + 1 ms * (10^7/1448 + 4 - 45) = 6957077352 + 12/181 ns.",
    rate_bps=12_000_000,
    rtt_ns=23 * MS + 1,
    size_bytes=10**7,
    expect=worked(4, 6_957_077_352, 12, 181),
)
slow(
    "M25",
    "link-one-ns-below",
    "One ns less of RTT, and psi does not change",
    "12 * 1 ms < 22999999 ns + 1 ms <= 24 * 1 ms: psi = 3, Gamma = 3 * 22999999 ns + 1 ms * (10^7/1448 + 3 - 21) = 6957077345 + 12/181 ns.",
    rate_bps=12_000_000,
    rtt_ns=23 * MS - 1,
    size_bytes=10**7,
    expect=worked(3, 6_957_077_345, 12, 181),
)
slow(
    "M26",
    "link-exact-2-to-12",
    "An exact power that floating point misses",
    "t = 1 ms, R tau / L + 1 = 40960 = 10 * 2^12: psi = 12. In double precision the quotient comes out above 40960 / 10 = 4096, and its logarithm gives 13.",
    rate_bps=12_000_000,
    rtt_ns=40_959 * MS,
    size_bytes=10**9,
    initial_window_segments=10,
    expect=worked(12, 1_141_177_734_806, 114, 181),
)
slow(
    "M27",
    "ack-of-three-exact",
    "An ACK for three segments: a logarithm to the base 4/3",
    "S(2) = 9 (16/9 - 1) = 7 = n: psi = 1. Gamma = 200 ms + 1.2 ms * (7 + 1 - 3) = 206000000 ns. In double precision log(16/9) / log(4/3) exceeds 2, and psi becomes 2.",
    size_bytes=7 * 1448,
    segments_per_ack=3,
    expect=worked(1, 206_000_000),
)
slow(
    "M28",
    "ack-of-three-log2",
    "An ACK for three segments: a logarithm to the base 2",
    "n = 760200 / 1448 = 525, and S(4) = 81 / (4/3 - 1) * ((4/3)^4 - 1) = 525: psi = 3. S(3) = 81 / (4/3 - 1) * ((4/3)^3 - 1) = 333, and with t = 12 us Gamma = 3 * 200 ms + 12 us * (525 + 3 - 333) = 602340000 ns.",
    rate_bps=10**9,
    size_bytes=525 * 1448,
    initial_window_segments=81,
    segments_per_ack=3,
    expect=worked(3, 602_340_000),
)
slow(
    "M29",
    "negative-remainder",
    "The bytes left after psi rounds can be negative",
    "b = 2, g = 3/2: S(1) = 1, S(2) = 2.5 < n = 3: psi = 2. 2 + 1/1448 - 2.5 = -0.4993 segments remain. Gamma = 2 * 200 ms + 1.2 ms * (2897/1448 + 2 - 2.5) = 401800828 + 132/181 ns; clamped at 0 it would be 2 * 200 ms + 1.2 ms * 2 = 402400000 ns.",
    size_bytes=2897,
    initial_window_segments=1,
    segments_per_ack=2,
    expect=worked(2, 401_800_828, 132, 181),
)
slow(
    "M30",
    "ack-of-two-window-4",
    "An ACK for two segments grows by 3/2, not by 2",
    "S(4) = 8 * ((3/2)^4 - 1) = 32.5 and S(5) = 8 * ((3/2)^5 - 1) = 52.75 >= 46: psi = 4. Gamma = 4 * 200 ms + 1.2 ms * (65536/1448 + 4 - 32.5) = 820111602 + 38/181 ns. Doubling, with S(3) = 4 * (2^3 - 1) = 28, gives 3 * 200 ms + 1.2 ms * (65536/1448 + 3 - 28) = 624311602 + 38/181 ns.",
    size_bytes=65536,
    initial_window_segments=4,
    segments_per_ack=2,
    expect=worked(4, 820_111_602, 38, 181),
)
slow(
    "M30",
    "ack-of-two-long",
    "Ten rounds of growth by 3/2",
    "3 * (3/2)^9 < 167.67 <= 3 * (3/2)^10: psi = 10. S(10) = 6 * ((3/2)^10 - 1) = 339.990 < ceil(500000 / 1448) = 346. Gamma = 10 * 200 ms + 1.2 ms * (500000/1448 + 10 - 6 * ((3/2)^10 - 1)) = 2018376359 + 459/724 ns: the fraction keeps a factor of 4.",
    size_bytes=500_000,
    segments_per_ack=2,
    expect=worked(10, 2_018_376_359, 459, 724),
)
