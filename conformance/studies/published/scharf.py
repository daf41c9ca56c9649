"""Response times of Scharf 2009 and Jump Start 2007: verdicts on the sentences of the papers."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from firstflight.transfer_time import transfer_time
from firstflight.transfer_time.transfer_time import Inputs
from firstflight_conformance import sweep
from firstflight_conformance.sweep import Scheme
from studies.published import scharf_figures
from studies.published.claims import (
    NUMBER,
    PERCENT,
    Claim,
    Quantity,
    about,
    exactly,
    statement,
    within,
)
from studies.published.networks import MS, S
from studies.published.scharf_runs import (
    AT_TEN,
    GIGABIT,
    LAJW_SEGMENTS,
    MODELS,
    MSS_BYTES,
    NAME,
    QUICK_BPS,
    RTT_NS,
    SEGMENTS,
    TEN,
    THRESHOLD_BYTES,
    TITLE,
    model,
    runs,
)
from studies.published.store import Data

__all__ = ["NAME", "TITLE", "claims", "gains", "more", "runs"]

PAPER, JUMPSTART = "Scharf 2009", "Jump Start 2007"
MILLISECONDS, MEGABITS = Quantity("ms", MS, 3), Quantity("Mbit/s", 10**6, 2)


def claims(data: Data) -> list[Claim]:
    """Return the verdicts on the published sentences."""
    return [*_sentences(), *scharf_figures.claims(data), _midway(data), *_jump_start(data)]


def more(data: Data) -> tuple[str, tuple[str, ...], list[tuple[str, ...]]]:
    """Return the differences between simulator and closed forms. Both are ours, so this is not a claim."""
    jumps = [n for n in SEGMENTS if n * MSS_BYTES <= THRESHOLD_BYTES]
    later = [n for n in SEGMENTS if n not in jumps]
    compared = [
        ("Slow start", "slow-start", SEGMENTS, "equations (1) and (2)", ""),
        ("Initial-Start, 10 segments", "initial-start", SEGMENTS, "equations (1) and (2)", ""),
        (
            "Jump-Start up to 64 KiB",
            "jump-start",
            jumps,
            "equation (3), in packets",
            "The equation is a fluid whose last byte leaves at the end of the RTT; the last of n segments leaves an n-th of it earlier.",
        ),
        (
            "Jump-Start above",
            "jump-start",
            later,
            "equation (3)",
            "After its jump the simulated flow sends in bursts, the equation at a rate that doubles.",
        ),
        (
            "Quick-Start at 5.12 Mbit/s",
            "quick-start",
            SEGMENTS,
            "equation (3)",
            "At 10 Mbit/s only. The last packet takes its time at the rate of the link; in the equation, at the approved rate.",
        ),
        ("More-Start at the rate of the link", "more-start", SEGMENTS, "equation (3)", "At 10 Mbit/s only."),
    ]
    rows: list[tuple[str, ...]] = []
    for label, scheme, sizes, equation, remark in compared:
        worst = _worst(data, scheme, sizes, as_packets=equation.endswith("in packets"))
        difference = "none" if worst == 0 else f"at most {MILLISECONDS.text(worst, signed=True)}"
        rows.append((f"{label}, {len(sizes)} sizes", equation, difference, remark))
    text = "The closed forms against the same flows packet by packet, at 10 Mbit/s and 1 Gbit/s:"
    return text, ("What", "Closed form", "Difference", "Remark"), rows


def _midway(data: Data) -> Claim:
    """Return the verdict on the RTT that a request on a data packet costs."""
    quick, slow = model("quick-start", TEN, approved_rate_bps=QUICK_BPS), model("slow-start", TEN)
    ahead = next(n for n in range(1, 10_000) if _later(quick, n * MSS_BYTES) < slow.response_time_ns(n * MSS_BYTES))
    pairs = zip(
        SEGMENTS, data["quick-start-rfc-10"]["response_ns"], data["quick-start-data-10"]["response_ns"], strict=True
    )
    later = {n: midway - handshake for n, handshake, midway in pairs}
    beyond = [later[n] for n in SEGMENTS if n > 4]
    return statement(
        f"{PAPER}, section 5.2",
        "Quick-Start on a connection that is there already",
        "needs one RTT for the signaling",
        f"{MILLISECONDS.text(min(beyond))} to {MILLISECONDS.text(max(beyond))} from 6 segments on, where an RTT has 200",
        [("nearly an RTT", all(RTT_NS * 9 // 10 <= extra_ns <= RTT_NS for extra_ns in beyond))],
        f"The initial window is sent before the answer arrives. By the closed form {MEGABITS.text(QUICK_BPS)} is still faster than slow start from {ahead} segments on.",
    )


def _later(scheme: Scheme, size_bytes: int) -> Fraction:
    """Return the response time with a request in the middle of a connection."""
    return scheme.response_time_ns(size_bytes) + RTT_NS


def _worst(data: Data, scheme: str, sizes: Sequence[int], *, as_packets: bool) -> Fraction:
    """Return the largest difference from the closed form over sizes and rates; ``as_packets``: its fluid as packets."""
    worst = Fraction(0)
    for rate in (TEN,) if scheme in AT_TEN else (TEN, GIGABIT):
        closed = model(scheme, rate, **MODELS[scheme])
        times = dict(zip(SEGMENTS, data[f"{scheme}-{rate // 10**6}"]["response_ns"], strict=True))
        for n in sizes:
            expected = closed.response_time_ns(n * MSS_BYTES)
            if as_packets:
                expected += Fraction(8 * 1500 * S, rate) - Fraction(RTT_NS, n)
            worst = max(worst, times[n] - expected, key=abs)
    return worst


def peak(scheme: Scheme, reference: Scheme, candidates: Sequence[int]) -> tuple[Fraction, int]:
    """Return the largest speedup over the candidate sizes, and the smallest size that reaches it."""
    return max(
        ((sweep.speedup(scheme, reference, size), size) for size in candidates), key=lambda pair: (pair[0], -pair[1])
    )


def _sentences() -> list[Claim]:
    slow = transfer_time.compute("slow-start", Inputs(TEN, RTT_NS, 2 * 10**6))
    fill_ns = slow.psi * (RTT_NS + 8 * 1500 * S // TEN)
    code_bps = transfer_time.quick_start_code(TEN)[1]
    jump = transfer_time.compute("jump-start", Inputs(TEN, RTT_NS, 65_536))
    jumps = [MSS_BYTES * 3 * (2**k - 1) + 1 for k in range(1, 20)]
    fast = model("quick-start", GIGABIT, approved_rate_bps=655_360_000)
    factor, _ = peak(fast, model("slow-start", GIGABIT), jumps)
    longer = [
        replace(scheme, inputs=replace(scheme.inputs, rtt_ns=350 * MS))
        for scheme in (fast, model("slow-start", GIGABIT))
    ]
    larger = NUMBER.text(peak(longer[0], longer[1], jumps)[0])
    milliseconds = Quantity("ms", MS, 0)
    return [
        statement(
            f"{PAPER}, section 5.1, figure 10",
            "Slow start fills 10 Mbit/s at 200 ms after",
            "over 1 s",
            milliseconds.text(fill_ns),
            [("over 1 s", fill_ns > S)],
        ),
        exactly(
            f"{PAPER}, section 5.1",
            "Largest rate that Quick-Start can approve there",
            QUICK_BPS,
            code_bps,
            0,
            unit=MEGABITS,
        ),
        about(
            f"{PAPER}, section 5.1",
            "Segments in the first RTT at that rate",
            83,
            Fraction(code_bps * RTT_NS, 8 * 1500 * S),
            unit=Quantity("segments", 1, 2),
            remark="83 would need packets of 1542 bytes; the paper does not specify the counted bytes.",
        ),
        exactly(
            f"{PAPER}, section 5.2",
            "Response time of Jump-Start up to 64 KiB",
            RTT_NS,
            jump.response_time_ns,
            0,
            unit=milliseconds,
            remark="A slip of the paper: its equation (3) and its T = Gamma + tau give 2 tau, and nothing can answer within one.",
        ),
        about(
            f"{PAPER}, section 5.2, figure 13",
            "Largest speedup of Quick-Start, up to a factor of",
            10,
            factor,
            unit=Quantity("", 1, 2),
            remark=f"At 1 Gbit/s, 200 ms and three segments; the RTT behind the sentence is not given, and 350 ms make it {larger}.",
        ),
    ]


def gains(data: Data) -> list[Fraction]:
    """Return the relative gain of Jump Start over slow start in the setting of 2007, for each size."""
    pairs = zip(data["2007-slow-start"]["duration_ns"], data["2007-jump-start"]["duration_ns"], strict=True)
    return [Fraction(slow - jump, slow) for slow, jump in pairs]


def _jump_start(data: Data) -> list[Claim]:
    gain = dict(zip(LAJW_SEGMENTS, gains(data), strict=True))
    dropped = dict(zip(LAJW_SEGMENTS, data["2007-jump-start"]["dropped_packets"], strict=True))
    middle = [gain[n] for n in LAJW_SEGMENTS if 3 <= n <= 64]
    fill = transfer_time.compute("slow-start", Inputs(10**10, 100 * MS, 10**9, mss_bytes=1460))
    seconds = Quantity("s", S, 5)
    return [
        statement(
            f"{JUMPSTART}, figure 1",
            "One segment, and two",
            "as long as slow start; longer",
            f"{PERCENT.text(gain[1])}; {PERCENT.text(gain[2])}",
            [("no difference at 1", gain[1] == 0), ("longer at 2", gain[2] < 0)],
        ),
        within(
            f"{JUMPSTART}, figure 1",
            "Shorter than slow start, 3 to 64 segments",
            (Fraction(1, 10), Fraction(1, 2)),
            middle,
            unit=PERCENT,
            remark="The paper says 10 to more than 40 % above two segments. With its initial window of three, three segments leave at once in slow start "
            "and over an RTT in Jump Start: its window was probably two in fact, if the SYN took a segment of it in that simulator.",
        ),
        statement(
            f"{JUMPSTART}, figure 1",
            "Drops from the queue of 60 packets",
            "none up to 64 segments",
            f"{dropped[64]} at 64, {dropped[87]} at 87, {dropped[88]} at 88, {dropped[128]} at 128",
            [("none up to 64", all(dropped[n] == 0 for n in LAJW_SEGMENTS if n <= 64))],
        ),
        statement(
            f"{JUMPSTART}, figure 1",
            "128 segments",
            "slow start is faster",
            PERCENT.text(gain[128], signed=True),
            [("slow start is faster", gain[128] < 0)],
            "The loss repair of that simulator for 41 losses is unknown; ours detects all of them within one RTT."
            if gain[128] >= 0
            else "",
        ),
        statement(
            JUMPSTART,
            "Slow start needs to fill 10 Gbit/s at 100 ms",
            "over 1.5 s",
            seconds.text(fill.psi * (100 * MS + 1200)),
            [("over 1.5 s", fill.psi * (100 * MS + 1200) > 1500 * MS)],
        ),
    ]
