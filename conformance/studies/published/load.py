"""Scharf 2009, figures 14 and 15: verdicts on its sentences about many responses that share the link."""

from fractions import Fraction
from itertools import pairwise

from studies.published.claims import PERCENT, Claim, Quantity, impossible, statement
from studies.published.load_runs import (
    DEFAULT,
    LOADS,
    MEANS_KB,
    NAME,
    SCHEMES,
    SHARED_LOADS,
    TITLE,
    name_of,
    runs,
    workload,
)
from studies.published.networks import MS
from studies.published.scharf_runs import TEN, model
from studies.published.store import Data

__all__ = ["NAME", "TITLE", "claims", "mean_ns", "more", "runs"]

PAPER = "Scharf 2009"
LABELS = {
    "slow-start": "slow start, 3 segments",
    "initial-10": "Initial-Start, 10 segments",
    "initial-83": "Initial-Start, 83 segments",
    "jump-start": "Jump-Start, 64 KiB",
    "more-start": "More-Start, 10 Mbit/s",
}
#: Closed forms of the schemes.
CLOSED = {
    "slow-start": model("slow-start", TEN),
    "initial-10": model("initial-start", TEN, initial_window_segments=10),
    "initial-83": model("initial-start", TEN, initial_window_segments=83),
    "jump-start": model("jump-start", TEN),
    "more-start": model("more-start", TEN, approved_rate_bps=TEN),
}
#: Loads that count as high. The paper does not define "high"; it calls 0.3 moderate.
HIGH = tuple(load for load in LOADS if load > 30)
BUSY = tuple(load for load in LOADS if load >= 30)
_TIME = Quantity("ms", MS, 0)
_RECOVERY = "Losses are detected and repaired as in RFC 9002 here, mostly within one or two RTTs. The paper does not describe the repair of a burst of losses by its kernel, 2.6.18."


def mean_ns(data: Data, name: str, group: int | None = None) -> Fraction:
    """Return the mean response time of a run, of all responses or of one group."""
    run = data[name]
    groups = (0, 1) if group is None else (group,)
    return Fraction(sum(run["sum_ns"][index] for index in groups), sum(run["responses"][index] for index in groups))


def _alike(data: Data, scheme: str, load: int) -> Fraction:
    return mean_ns(data, name_of(MEANS_KB[0], load, scheme, scheme))


def _lost(data: Data, scheme: str, load: int) -> Fraction:
    run = data[name_of(MEANS_KB[0], load, scheme, scheme)]
    return Fraction(sum(run["lost_packets"]), sum(run["sent_packets"]))


def bound_ns(scheme: str) -> Fraction:
    """Return the mean of the closed form over the sizes of the responses."""
    sizes = workload(MEANS_KB[0], LOADS[0]).sizes_bytes
    return Fraction(sum(CLOSED[scheme].response_time_ns(size) for size in sizes)) / len(sizes)


def _series(data: Data, scheme: str, loads: tuple[int, ...]) -> str:
    return ", ".join(_TIME.text(_alike(data, scheme, load)) for load in loads)


def claims(data: Data) -> list[Claim]:
    """Return the verdicts on the published sentences."""
    return [*_load_claims(data), *_fairness_claims(data)]


def _load_claims(data: Data) -> list[Claim]:
    figure = f"{PAPER}, section 5.2, figure 14"
    above = [scheme for scheme in SCHEMES if all(_alike(data, scheme, load) >= bound_ns(scheme) for load in LOADS)]
    high = " and ".join(str(load) for load in HIGH)
    faster = [
        f"{LABELS[scheme]} at {load} %"
        for load in HIGH
        for scheme in ("more-start", "initial-83")
        if _alike(data, scheme, load) <= _alike(data, "jump-start", load)
    ]
    return [
        statement(
            figure,
            "Mean response time over the load of the link",
            "grows with the load",
            "; ".join(f"{LABELS[scheme]}: {_series(data, scheme, (LOADS[0], LOADS[-1]))}" for scheme in SCHEMES)
            + f" at {LOADS[0]} and {LOADS[-1]} %",
            [
                (
                    f"from load to load, {LABELS[scheme]}",
                    all(_alike(data, scheme, a) < _alike(data, scheme, b) for a, b in pairwise(LOADS)),
                )
                for scheme in SCHEMES
            ],
        ),
        statement(
            figure,
            "Equations (1) and (3), integrated over the sizes",
            "a lower bound",
            f"below the mean at all loads for {len(above)} of {len(SCHEMES)} schemes; slow start {_TIME.text(bound_ns(DEFAULT))} against {_TIME.text(_alike(data, DEFAULT, LOADS[0]))} at {LOADS[0]} %",
            [(LABELS[scheme], scheme in above) for scheme in SCHEMES],
            "Equation (3) spreads few segments over a whole RTT, but the last segment leaves before its end."
            if len(above) < len(SCHEMES)
            else "",
        ),
        statement(
            figure,
            "Jump-Start",
            "can keep the response time at a low level even for high load",
            f"{_series(data, 'jump-start', HIGH)} at {high} %; More-Start {_series(data, 'more-start', HIGH)}; slow start {_series(data, DEFAULT, HIGH)}",
            [
                (
                    f"below slow start at {high} %",
                    all(_alike(data, "jump-start", load) < _alike(data, DEFAULT, load) for load in HIGH),
                ),
                (
                    "below More-Start and Initial-Start with 83 segments there",
                    all(
                        _alike(data, "jump-start", load) < _alike(data, scheme, load)
                        for load in HIGH
                        for scheme in ("more-start", "initial-83")
                    ),
                ),
            ],
            (f"Faster still: {', '.join(faster)}. " if faster else "") + _RECOVERY,
        ),
        statement(
            f"{figure}, and section 6",
            "Initial-Start with 83 segments, B = 50",
            "detrimental; a much larger initial window without pacing is no option",
            f"{_series(data, 'initial-83', BUSY)} at {', '.join(map(str, BUSY))} %; slow start {_series(data, DEFAULT, BUSY)}; {PERCENT.text(_lost(data, 'initial-83', HIGH[-1]))} of its packets lost at {HIGH[-1]} %",
            [
                (
                    "slower than slow start at 30 % and above",
                    all(_alike(data, "initial-83", load) > _alike(data, DEFAULT, load) for load in BUSY),
                )
            ],
            _RECOVERY,
        ),
        statement(
            figure,
            "More-Start at the rate of the link",
            "significant overshooting",
            f"{', '.join(PERCENT.text(_lost(data, 'more-start', load)) for load in BUSY)} of the packets lost at {', '.join(map(str, BUSY))} %; slow start {', '.join(PERCENT.text(_lost(data, DEFAULT, load)) for load in BUSY)}",
            [
                (
                    "loses at least half more than slow start at 30 % and above",
                    all(2 * _lost(data, "more-start", load) >= 3 * _lost(data, DEFAULT, load) for load in BUSY),
                )
            ],
        ),
        impossible(
            f"{figure}, section 6 and abstract",
            "Quick-Start",
            "as slow start at high load, since requests are denied; a request costs an RTT; fair, and the most conservative of all",
            "Routers decide that by an admission control that another paper describes. The simulator has no router: the profile decides whether a request is granted.",
        ),
    ]


def _fairness_claims(data: Data) -> list[Claim]:
    figure = f"{PAPER}, section 5.3, figure 15"
    cells = [(mean, load) for mean in MEANS_KB for load in SHARED_LOADS]

    def change(scheme: str, cell: tuple[int, int], group: int) -> Fraction:
        before = mean_ns(data, name_of(*cell, DEFAULT, DEFAULT), group)
        return mean_ns(data, name_of(*cell, DEFAULT, scheme), group) / before - 1

    def change_text(scheme: str) -> str:
        return "; ".join(
            f"{mean} kB at {load} %: default {PERCENT.text(change(scheme, (mean, load), 0), signed=True)}, fast {PERCENT.text(change(scheme, (mean, load), 1), signed=True)}"
            for mean, load in cells
        )

    return [
        statement(
            f"{figure}, abstract and section 6",
            "Jump-Start in half of the responses, slow start in the others",
            "rather fair: faster itself, without significantly slowing down the others",
            change_text("jump-start"),
            [
                *(
                    (
                        f"the others at most a tenth longer, {mean} kB at {load} %",
                        change("jump-start", (mean, load), 0) <= Fraction(1, 10),
                    )
                    for mean, load in cells
                ),
                *(
                    (f"itself faster, {mean} kB at {load} %", change("jump-start", (mean, load), 1) < 0)
                    for mean, load in cells
                ),
            ],
            "With a mean of 10 kB most responses have fewer than seven segments, which are paced over an RTT here; the paper's implementation has few timers and sends them faster (section 5.2).",
        ),
        statement(
            figure,
            "The other variants in half of the responses",
            "can significantly affect unmodified stacks",
            "; ".join(f"{LABELS[scheme]}: {change_text(scheme)}" for scheme in ("more-start", "initial-83")),
            [
                (
                    f"{LABELS[scheme]}: the others more than a tenth longer somewhere",
                    any(change(scheme, cell, 0) > Fraction(1, 10) for cell in cells),
                )
                for scheme in ("more-start", "initial-83")
            ],
            _RECOVERY,
        ),
        impossible(
            f"{PAPER}, section 5.4, figures 16 and 17",
            "Replayed traffic traces, 450 pairs, RTTs of 4 to 200 ms, load 0.3",
            "little gained overall; Quick-Start worse than slow start unless it is only used above 10 kB; about 1 % of packets lost by default stacks, moderately more with Quick-Start, Jump-Start and a limited initial window",
            "The traces are not part of the paper, and the figures are plots.",
        ),
    ]


def more(data: Data) -> tuple[str, tuple[str, ...], list[tuple[str, ...]]]:
    """Return the table of figure 14's runs."""
    rows = [
        (
            LABELS[scheme],
            *(f"{_TIME.text(_alike(data, scheme, load))}, {PERCENT.text(_lost(data, scheme, load))}" for load in LOADS),
        )
        for scheme in SCHEMES
    ]
    text = f"Responses with a mean of {MEANS_KB[0]} kB, all with the same scheme: their mean time over the load of the link, and the share of lost packets."
    return text, ("Begins with", *(f"{load} %" for load in LOADS)), rows
