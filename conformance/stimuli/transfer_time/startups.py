"""Jump-Start, Quick-Start, and properties of all models: inputs where an answer changes or a wrong formula shows."""

from typing import Any

from firstflight_conformance.format.computations import REFUSED
from generate.computation import worked
from stimuli.transfer_time.questions import MS, PACED, PAPER, QUESTIONS

ask = QUESTIONS.ask


def jump(number: str, name: str, title: str, why: str, expect: dict[str, Any], **inputs: int) -> None:
    """Add a question for Jump-Start; R0 is 327680 bytes/s for 64 KiB, R is 1206666.67 bytes/s."""
    QUESTIONS.add(f"jump-start.{name}", title, why, ("jump-start",), (PACED, f"catalogue {number}"), inputs, expect)


for _size, _name in ((1, "size-one"), (1448, "size-segment"), (65535, "below-threshold"), (65536, "at-threshold")):
    jump(
        "M31",
        _name,
        f"{_size} byte{'s' if _size > 1 else ''} within the threshold: one RTT",
        f"R0 = {_size} / tau < R: psi = 0, Gamma = s / R0 = tau = 200000000 ns and T = 2 tau. The text of the source has T = tau, in contradiction to its equation (3).",
        size_bytes=_size,
        expect=worked(0, 200_000_000),
    )
jump(
    "M32",
    "above-threshold",
    "One byte more than the threshold",
    "M(1) = 65536 < s: psi = 1. R0 = 65536 / 0.2 = 327680, Gamma = tau + 1 / (2 R0) = 200 ms + 1 / (2 * 327680) s = 200001525 + 225/256 ns.",
    size_bytes=65537,
    expect=worked(1, 200_001_525, 225, 256),
)
jump(
    "M33",
    "twice-threshold",
    "Twice the threshold ends in the second round",
    "M(2) = 3 * 65536: psi = 1. Gamma = tau + 65536 / (2 R0) = 300000000 ns.",
    size_bytes=131_072,
    expect=worked(1, 300_000_000),
)
jump(
    "M33",
    "two-rounds-exact",
    "Exactly two rounds",
    "s = M(2) = 3 * 65536 = 196608: psi = 1. After the first round 196608 - 65536 = 131072 bytes remain. Gamma = tau + 131072 / (2 R0) = 400000000 ns.",
    size_bytes=196_608,
    expect=worked(1, 400_000_000),
)
jump(
    "M33",
    "two-rounds-exceeded",
    "One byte more than two rounds",
    "R = 10^7 * 1448 / 12000 = 1206666.67 bytes/s. psi = 2, and 4 * 327680 > 1206666.67: the byte is sent at R. Gamma = 2 tau + 1 / R = 2 * 200 ms + 150000/181 ns = 400000828 + 132/181 ns.",
    size_bytes=196_609,
    expect=worked(2, 400_000_828, 132, 181),
)
jump(
    "M34",
    "link-rate",
    "The rate stays at or below the rate of the link",
    "R = 10^7 * 1448 / 12000 = 1206666.67 bytes/s, and 2 * 327680 < 1206666.67 <= 4 * 327680: psi = 2. Gamma = 2 tau + (s - M(2)) / R = 2 * 200 ms + (2000000 - 3 * 65536) * 150000/181 ns = 1894523756 + 164/181 ns.",
    expect=worked(2, 1_894_523_756, 164, 181),
)


def quick(number: str, name: str, title: str, why: str, expect: dict[str, Any], **inputs: int) -> None:
    """Add a question for Quick-Start."""
    sources = (PACED, "RFC 4782, section 3.1", f"catalogue {number}")
    QUESTIONS.add(f"quick-start.{name}", title, why, ("quick-start",), sources, inputs, expect)


quick(
    "M35",
    "one-round",
    "The last whole byte of the first round",
    "M(1) = 1448 * 5120000 * 0.2 / 12000 = 123562.67 bytes: psi = 0. Gamma = 123562 * 12000 / (1448 * 5120000) s = 199998920 + 335/362 ns.",
    size_bytes=123_562,
    expect=worked(0, 199_998_920, 335, 362),
)
quick(
    "M35",
    "two-rounds",
    "The first byte of the second round",
    "123563 > 123562.67: psi = 1, and 2 * 5120000 > 10^7: the remaining 1/3 byte is sent at R. Gamma = 200 ms + 1/3 * 150000/181 ns = 200000276 + 44/181 ns.",
    size_bytes=123_563,
    expect=worked(1, 200_000_276, 44, 181),
)
quick(
    "M36",
    "link-rate",
    "The approved rate counts headers too",
    "psi = 1, M(1) = 1448 * 5120000 * 0.2 / 12000 = 123562 + 2/3 bytes. Gamma = tau + (s - M(1)) / R = 200 ms + (2000000 - 123562 - 2/3) * 150000/181 ns = 1755058563 + 97/181 ns. With R0 = q / 8 the first round would hold 5120000 / 8 * 0.2 = 128000 bytes.",
    expect=worked(1, 1_755_058_563, 97, 181),
)
quick(
    "M37",
    "above-link",
    "An approved rate above the rate of the link",
    "q = 10.24 Mbit/s >= r: psi = 0, Gamma = s / R = 1657458563 + 97/181 ns, not s / R0.",
    approved_rate_bps=10_240_000,
    expect=worked(0, 1_657_458_563, 97, 181),
)
quick(
    "M38",
    "smallest-rate",
    "The smallest rate is slower than slow start",
    "80000 * 2^6 < 10^7 <= 80000 * 2^7: psi = 7. M(1) = 1448 * 80000 * 0.2 / 12000 = 1930 + 2/3 bytes, M(7) = (2^7 - 1) * (1930 + 2/3) = 245194 + 2/3. Gamma = 7 tau + (s - M(7)) / R = 7 * 200 ms + (2000000 - 245194 - 2/3) * 150000/181 ns = 2854258563 + 97/181 ns. Slow start takes 6 * 200 ms + 1.2 ms * (2000000/1448 + 6 - 189) = 2637858563 + 97/181 ns.",
    approved_rate_bps=80_000,
    expect=worked(7, 2_854_258_563, 97, 181),
)
quick(
    "M39",
    "link-exact",
    "The rate of the link is an exact multiple of the approved rate",
    "80000 * 2^7 = r: psi = 7, and psi = 8 would give the same Gamma, 9294621892 + 48/181 ns.",
    rate_bps=10_240_000,
    size_bytes=10**7,
    approved_rate_bps=80_000,
    expect=worked(7, 9_294_621_892, 48, 181),
)
ask(
    "quick-start-rate.rounded-down",
    "A request is granted the next lower rate",
    "40000 * 2^7 = 5120000 <= 5200000 < 2^8 * 40000: code 7.",
    "quick-start-rate",
    sources=("RFC 4782, section 3.1", "catalogue M40"),
    requested_rate_bps=5_200_000,
    expect={"code": 7, "approved_rate_bps": 5_120_000},
)
ask(
    "quick-start-rate.too-small",
    "A request below the smallest rate is refused",
    "79000 < 40000 * 2 = 80000: code 0, no rate. The unit itself, 40 kbit/s, is not a rate.",
    "quick-start-rate",
    sources=("RFC 4782, section 3.1", "catalogue M40"),
    requested_rate_bps=79_000,
    expect={"code": 0, "approved_rate_bps": 0},
)
ask(
    "quick-start-rate.largest",
    "A request above the largest rate gets the largest rate",
    "40000 * 2^15 = 1310720000 <= 2000000000, and code 16 does not exist: code 15.",
    "quick-start-rate",
    sources=("RFC 4782, section 3.1", "catalogue M40"),
    requested_rate_bps=2 * 10**9,
    expect={"code": 15, "approved_rate_bps": 1_310_720_000},
)
ask(
    "quick-start-rate.exact",
    "A request for an existing rate",
    "40000 * 2^1 = 80000: code 1.",
    "quick-start-rate",
    sources=("RFC 4782, section 3.1",),
    requested_rate_bps=80_000,
    expect={"code": 1, "approved_rate_bps": 80_000},
)
ask(
    "quick-start-rate.zero",
    "A request for 0 bit/s",
    "0 < 80000: code 0, no rate.",
    "quick-start-rate",
    sources=("RFC 4782, section 3.1",),
    requested_rate_bps=0,
    expect={"code": 0, "approved_rate_bps": 0},
)
ask(
    "slow-start.three-forms",
    "Closed form, sum of idle times and maximum agree",
    "The link idles for tau + t less the round, in ms: 201.2 - 3.6 = 197.6 after round 1, then 201.2 - 7.2 = 194, 201.2 - 14.4 = 186.8, 201.2 - 28.8 = 172.4, 201.2 - 57.6 = 143.6 and 201.2 - 115.2 = 86. Together these are 6 * 201.2 - 63 * 3.6 = 980.4. With s / R = 300000 * 150000/181 ns = 248.618785 ms Gamma = 980.4 ms + 248.618785 ms = 1229.018785 ms. The maximum over k of k tau + t (s/L + k - S(k)) is reached at k = 6.",
    "slow-start",
    sources=(PAPER, "catalogue M41"),
    size_bytes=300_000,
    expect=worked(6, 1_229_018_784, 96, 181),
)
ask(
    "scheme.same-growth",
    "Initial-Start with the same window is slow start",
    "n = ceil(300001 / 1448) = 208, and 3 * (2^6 - 1) < 208 <= 3 * (2^7 - 1) allows 6 rounds. The link allows as many, 3 * 2^5 < 167.67 <= 3 * 2^6: psi = 6 for both. Growth by (b + 1) / b with b = 1 is growth by 2.",
    "slow-start",
    "initial-start",
    sources=(PAPER, "catalogue M42"),
    size_bytes=300_001,
    expect=worked(6, 1_229_019_613, 47, 181),
)
ask(
    "initial-start.window-83",
    "Initial-Start with 83 segments",
    "n = 46 <= 83: psi = 0, Gamma = 65536 / R = 54311602 + 38/181 ns.",
    "initial-start",
    sources=(PAPER,),
    size_bytes=65536,
    initial_window_segments=83,
    expect=worked(0, 54_311_602, 38, 181),
)
ask(
    "more-start.link-rate",
    "More-Start at the rate of the link",
    "R0 = R: psi = 0, Gamma = s / R = 54311602 + 38/181 ns.",
    "more-start",
    sources=(PACED,),
    size_bytes=65536,
    approved_rate_bps=10_000_000,
    expect=worked(0, 54_311_602, 38, 181),
)
ask(
    "more-start.any-rate",
    "More-Start accepts a rate that Quick-Start refuses",
    "q = 3 Mbit/s lacks a code. M(1) = 1448 * 3000000 * 0.2 / 12000 = 72400: psi = 0, Gamma = 65536 * 12000 / (1448 * 3000000) s = 181038674 + 6/181 ns in More-Start; Quick-Start refuses.",
    "more-start",
    "quick-start",
    sources=(PACED, "RFC 4782, section 3.1"),
    size_bytes=65536,
    approved_rate_bps=3_000_000,
    expect={"more-start": worked(0, 181_038_674, 6, 181), "quick-start": REFUSED},
)

ask(
    "more-start.link-exact-2-to-29",
    "A power of two where logarithms in double precision are wrong",
    "r = 1000 * 2^29 and q = 1000: psi = 29. M(29) is about 65 MB, so that the response does not end before. log(2^29) / log(2) exceeds 29, and psi becomes 30; Gamma is the same.",
    "more-start",
    sources=(PACED, "notes on exact evaluation"),
    rate_bps=1000 << 29,
    rtt_ns=MS,
    size_bytes=10**9,
    approved_rate_bps=1000,
    expect={"psi": 29, "gamma_ns": 43_436_285},
)
