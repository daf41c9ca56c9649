"""SEARCH on a path like its real satellite path: an AQM with random drops, and a sender limited by a token bucket."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from firstflight_conformance.simulate.dumbbell import Arrival, run_network
from studies.published import search_report
from studies.published.claims import (
    MEGABYTES,
    PERCENT,
    SECONDS,
    Claim,
    about,
    statement,
)
from studies.published.networks import (
    BASELINE,
    MB,
    S,
    exit_reduction,
    milestones,
    network,
    noted,
    on_base,
    quartiles,
    repeats_of,
    rtt_at_first_loss,
)
from studies.published.store import Data, Run

NAME, TITLE = "search-gateway", "SEARCH on a path like that of a real satellite"
#: Without SEARCH; with SEARCH as measured first, with an unchanged window; with a lowered window, as in the paper's
#: third set.
ARMS = {"without": BASELINE, "search": on_base("search/quicly-pr583"), "lowered": on_base("search/lanman-2024")}
SEEDS = (1, 2, 3, 4, 5)
STEP_BYTES = 5 * MB
SOURCE = "LANMAN 2024, section IV, figures 6 to 8, and conclusion; report 2024, abstract, section 5.3, figures 10 and 11, and conclusion"


def compute(arm: str, seed: int) -> dict[str, Any]:
    """Download 200 MB once."""
    net = replace(network("search-geo-gateway").changed("download", controller=ARMS[arm]), seed=seed)
    arrivals: list[Arrival] = []
    result = run_network(net, record=("download",), arrivals={"download": arrivals})
    flow = result.flow("download")
    arrived_ns, readable_ns = milestones(arrivals, repeats_of(flow), STEP_BYTES)
    numbers = noted(result, flow)
    numbers["first_loss_rtt_ns"] = rtt_at_first_loss(flow)
    numbers["delivered_at_first_loss_bytes"] = _delivered_by(arrived_ns, flow.first_loss_ns)
    numbers["early_dropped_packets"] = result.early_dropped_packets
    numbers["probe_timeouts"] = flow.probe_timeouts
    numbers["arrived_ns"], numbers["readable_ns"] = arrived_ns, readable_ns
    if seed == SEEDS[0]:
        numbers["rates_bps"] = flow.samples.rates_bps(net.sample_ns)
        numbers["cwnd_bytes"] = flow.samples.cwnd_bytes
        numbers["queue_bytes"] = result.queue_bytes
    return numbers


def _delivered_by(times_ns: list[int], t_ns: int | None) -> int:
    """Return the bytes that had arrived by a time, in steps of STEP_BYTES."""
    return STEP_BYTES * sum(time_ns <= (t_ns or 0) for time_ns in times_ns)


def runs() -> list[Run]:
    """Return the runs of this scenario."""
    capped = [Run(NAME, f"{arm}-{seed}", compute, (arm, seed), 2000) for arm in ARMS for seed in SEEDS]
    return [*capped, Run(NAME, "uncapped", search_report.uncapped, (), 2000)]


def times(data: Data, arm: str, way: str, size_bytes: int) -> tuple[int, int, int]:
    """Return the quartiles, over the seeds, of the arrival time of a number of bytes."""
    index = size_bytes // STEP_BYTES - 1
    return quartiles([data[f"{arm}-{seed}"][way][index] for seed in SEEDS])


def gain_ns(data: Data, arm: str, way: str, size_bytes: int) -> int:
    """Return the gain of the median with SEARCH, in ns."""
    return times(data, "without", way, size_bytes)[1] - times(data, arm, way, size_bytes)[1]


def claims(data: Data) -> list[Claim]:
    """Return the verdicts on the published sentences."""
    loss_bytes = quartiles([data[f"without-{seed}"]["delivered_at_first_loss_bytes"] for seed in SEEDS])[1]
    first_ns = quartiles([data[f"without-{seed}"]["first_loss_ns"] for seed in SEEDS])[1]
    return [
        *_gains(data),
        *_ranks(data),
        about(
            "LANMAN 2024, section I",
            "Delivered when slow start ends by loss",
            150 * MB,
            loss_bytes,
            unit=MEGABYTES,
            remark=f"Counted in steps of {STEP_BYTES // MB} MB. The first loss is seen at {SECONDS.text(first_ns)} here; 150 MB without loss take a gateway that drops later.",
        ),
        *_signals(data),
        *search_report.claims(data),
    ]


_LINK_IS_THE_LIMIT = (
    "The link is the limit here: its queue never runs dry, with or without SEARCH. A gain like the published one would need "
    "a radio link with a changing rate, which this path does not have."
)
#: Smaller differences count as equal.
EQUAL_NS = S // 10
SIZES = range(STEP_BYTES, 200 * MB + 1, STEP_BYTES)
#: The two ways to count delivered data.
WAYS = {"arrived_ns": "in any order", "readable_ns": "in order"}


def _gains(data: Data) -> list[Claim]:
    """Judge the two medians and the lower quartile, for both ways to count: the paper does not specify one."""
    small = {way: max(abs(gain_ns(data, "search", way, s)) for s in SIZES if s <= 130 * MB) for way in WAYS}
    best = {way: max(SIZES, key=lambda size, way=way: (gain_ns(data, "search", way, size), -size)) for way in WAYS}  # type: ignore[misc]
    gains = {way: gain_ns(data, "search", way, size) for way, size in best.items()}
    lowered = {
        way: max(((gain_ns(data, "lowered", way, size), -size) for size in SIZES), key=lambda pair: pair)
        for way in WAYS
    }
    apart = {way: _apart(data, way) for way in WAYS}
    return [
        statement(
            SOURCE,
            "Median time to deliver up to 130 MB",
            "the same with and without SEARCH",
            "differs by at most " + _both({way: SECONDS.text(gain) for way, gain in small.items()}),
            [(f"at most 0.1 s apart, {how}", small[way] <= EQUAL_NS) for way, how in WAYS.items()],
            "The paper does not specify how it counts. Counted in order, as an application reads, a flow waits for the retransmission of lost packets, and again for "
            "retransmissions that the gateway drops: SEARCH gains here before 130 MB.",
        ),
        statement(
            SOURCE,
            "Largest gain of the median",
            "about 3 s (14 %) at 160 MB, from 135 MB on",
            _both({way: _gain(data, gains[way], best[way], way) for way in WAYS})
            + "; with the window lowered "
            + _both({way: _gain(data, gain, -size, way) for way, (gain, size) in lowered.items()}),
            [
                (f"it is 2 to 4 s, at 140 to 180 MB, {how}", _is_the_published_gain(gains[way], best[way]))
                for way, how in WAYS.items()
            ],
            _LINK_IS_THE_LIMIT,
        ),
        statement(
            SOURCE,
            "The lower quartiles part",
            "from 175 MB on",
            _both(
                {way: "nowhere" if size is None else f"from {MEGABYTES.text(size)} on" for way, size in apart.items()}
            ),
            [
                (f"0.1 s apart first at 160 to 190 MB, {how}", (apart[way] or 0) in range(160 * MB, 190 * MB + 1))
                for way, how in WAYS.items()
            ],
            "Only random drops differ between runs here, so quartiles are close to the median.",
        ),
    ]


def _both(texts: dict[str, str]) -> str:
    """Return the texts of both ways of counting, or a single one if they are equal."""
    if len(set(texts.values())) == 1:
        return texts["arrived_ns"]
    return ", ".join(f"{text} {WAYS[way]}" for way, text in texts.items())


def _apart(data: Data, way: str) -> int | None:
    """Return the first size with different lower quartiles with and without SEARCH, or ``None``."""
    quartile = {arm: [times(data, arm, way, size)[0] for size in SIZES] for arm in ("without", "search")}
    pairs = zip(SIZES, quartile["without"], quartile["search"], strict=True)
    return next((size for size, a, b in pairs if abs(a - b) >= EQUAL_NS), None)


def _is_the_published_gain(gain: int, size_bytes: int) -> bool:
    return 2 * S <= gain <= 4 * S and 140 * MB <= size_bytes <= 180 * MB


def _gain(data: Data, gain: int, size_bytes: int, way: str) -> str:
    if gain < EQUAL_NS:
        return "less than 0.1 s"
    part = Fraction(gain, times(data, "without", way, size_bytes)[1])
    return f"{SECONDS.text(gain)} ({PERCENT.text(part)}) at {MEGABYTES.text(size_bytes)}"


def _ranks(data: Data) -> list[Claim]:
    """Judge figure 9, and figure 12 of the report: the n-th fastest runs with and without SEARCH are compared."""
    return [
        _ranks_at(
            data,
            150 * MB,
            "LANMAN 2024, figure 9; report 2024, figure 12",
            ((35, 55), (30, 50), (5, 25)),
            "45 % no different, 40 % better, 15 % slightly worse",
        ),
        _ranks_at(
            data, 200 * MB, "Report 2024, figure 12", (None, (30, 50), (20, 40)), "40 % better, 20 to 40 % worse"
        ),
    ]


def _ranks_at(
    data: Data, size_bytes: int, source: str, bounds: Sequence[tuple[int, int] | None], published: str
) -> Claim:
    index = size_bytes // STEP_BYTES - 1
    ordered = {
        arm: sorted(data[f"{arm}-{seed}"]["arrived_ns"][index] for seed in SEEDS) for arm in ("without", "search")
    }
    gains = [a - b for a, b in zip(ordered["without"], ordered["search"], strict=True)]
    shares = [
        Fraction(sum(test), len(gains))
        for test in (
            [abs(gain) < EQUAL_NS for gain in gains],
            [gain >= EQUAL_NS for gain in gains],
            [gain <= -EQUAL_NS for gain in gains],
        )
    ]
    names = ("no different", "better", "worse")
    return statement(
        source,
        f"Time to deliver {size_bytes // MB} MB with SEARCH, of all runs",
        published,
        ", ".join(f"{PERCENT.text(share)} {name}" for share, name in zip(shares, names, strict=True)),
        [
            (f"{name}: {bound[0]} to {bound[1]} %", bound[0] <= 100 * share <= bound[1])
            for share, name, bound in zip(shares, names, bounds, strict=True)
            if bound is not None
        ],
        f"Runs are compared by rank, differences below 0.1 s count as equal, and {len(SEEDS)} runs give steps of {100 // len(SEEDS)} %. {_LINK_IS_THE_LIMIT}",
    )


def _signals(data: Data) -> list[Claim]:
    """Judge the order of exit and loss, the time between them, and the amount of loss."""
    with_search = [data[f"search-{seed}"] for seed in SEEDS]
    gaps = [run["first_loss_ns"] - run["exit_ns"] for run in with_search]
    rtts = [run["first_loss_rtt_ns"] for run in with_search]
    before = sum(gap > 0 for gap in gaps)
    early = sum(gap > rtt for gap, rtt in zip(gaps, rtts, strict=True))
    every = "Up to the first random drop every run is the same here; on the satellite the path itself varied."
    return [
        statement(
            "LANMAN 2024, abstract; report 2024, abstract",
            "SEARCH leaves slow start before loss",
            "in the majority of cases",
            f"in {before} of {len(SEEDS)} runs",
            [("in more than half of them", 2 * before > len(SEEDS))],
            "Up to the first random drop every run is the same here; the published share is in the next row.",
        ),
        statement(
            "Report 2024, section 5.3, figure 8",
            "Order of the two signals",
            "SEARCH leaves before the first loss in 55 % of the clean runs",
            f"in {before} of {len(SEEDS)} runs; exit at {SECONDS.text(with_search[0]['exit_ns'])}, loss at {SECONDS.text(with_search[0]['first_loss_ns'])}",
            [("in 45 to 65 % of them", 45 * len(SEEDS) <= 100 * before <= 65 * len(SEEDS))],
            every,
        ),
        statement(
            "Report 2024, section 5.3, figure 8",
            "Exits more than one RTT before the loss, of those before it",
            "35 %",
            f"{early} of {before}: by {SECONDS.text(min(gaps))} to {SECONDS.text(max(gaps))}, at an RTT of {SECONDS.text(min(rtts))} or more",
            [("25 to 45 %", before > 0 and 25 * before <= 100 * early <= 45 * before)],
            "The gateway begins to drop once its queue is half full, within one RTT: the RTT has grown with the queue. "
            + every,
        ),
        statement(
            "LANMAN 2024, figure 10; report 2024, figure 13",
            "By how much the window is lowered at the exit",
            "by less than the 30 % of CUBIC, but for a small tail",
            ", ".join(
                f"{PERCENT.text(part)} (seed {seed})"
                for seed in SEEDS[:1]
                if (part := exit_reduction(data[f"lowered-{seed}"])) is not None
            )
            + "; "
            + f"{sum(_is_small(data, seed) for seed in SEEDS)} of {len(SEEDS)} runs below 30 %",
            [
                (
                    "below 30 % in at least nine of ten runs",
                    10 * sum(_is_small(data, s) for s in SEEDS) >= 9 * len(SEEDS),
                )
            ],
        ),
    ]


def _is_small(data: Data, seed: int) -> bool:
    part = exit_reduction(data[f"lowered-{seed}"])
    return part is not None and part < Fraction(30, 100)
