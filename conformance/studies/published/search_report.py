"""Sentences that are only in the longer report of SEARCH, and its tables."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from firstflight_conformance.simulate.dumbbell import run_network
from firstflight_conformance.simulate.network import Access
from studies.published.claims import PERCENT, SECONDS, Claim, about, impossible, statement
from studies.published.networks import S, median, network, noted, on_base
from studies.published.store import Data

_REPORT = "Report 2024"
#: The link of a server without a rate cap.
SERVER_BPS = 10**9
#: Largest difference that counts as "not significant".
ALIKE_PERCENT = 5


def uncapped() -> dict[str, Any]:
    """Download over the gateway with SEARCH once, without the token bucket."""
    net = network("search-geo-gateway").changed("download", controller=on_base("search/quicly-pr583"))
    plans = tuple(replace(plan, bucket=None, access=Access(SERVER_BPS, 0)) for plan in net.flows)
    result = run_network(replace(net, flows=plans))
    return noted(result, result.flow("download"))


def claims(data: Data) -> list[Claim]:
    """Return the verdicts on the published sentences, from the runs over the gateway."""
    capless = data["uncapped"]
    exit_ns, loss_ns = capless["exit_ns"], capless["first_loss_ns"]
    exits = "does not leave before it" if exit_ns is None else f"leaves at {SECONDS.text(exit_ns)}"
    return [
        statement(
            f"{_REPORT}, section 4.7",
            "A server without a rate cap, at 1 Gbit/s",
            "packets are lost at or before the point at which sending and delivery rate part",
            f"first loss seen at {SECONDS.text(loss_ns)}; SEARCH {exits}",
            [("the loss comes before the exit", exit_ns is None or loss_ns <= exit_ns)],
            "The report does not identify the location of those losses; our path has no policer that drops fast UDP flows, as the provider may have.",
        ),
        about(
            f"{_REPORT}, section 7.3",
            "First loss without a rate cap",
            10 * S,
            loss_ns,
            unit=SECONDS,
        ),
        _lowering(data),
        impossible(
            "LANMAN 2024, tables I to III; report 2024, sections 5.1 and 5.2, tables 1 to 4",
            "Clean runs, first-RTT losses and wireless losses; runs that reached 50, 100, 150, 200 MB",
            "1079 clean of 1318, 486 of 720; 449/421/386/358 and 445/419/380/323",
            "They count events on one real link at that time: weather, other users, handovers. The published path parameters do not determine them.",
        ),
        impossible(
            f"{_REPORT}, section 6.3",
            "Runs with a loss that is reported in the first RTT of the connection",
            "10 to 25 % of all runs",
            "The client generated gaps in its ACKs although no packet was missing, which the report traces to a timeout of that client; such runs were excluded.",
        ),
        impossible(
            f"{_REPORT}, section 6.4",
            "CPU time that SEARCH takes",
            "believed to be minimal",
            "A belief without a number.",
        ),
        impossible(
            f"{_REPORT}, section 6.1",
            "Pilot tests before the measurements",
            "exits more than one RTT before the loss much more often",
            "The report gives no numbers of them.",
        ),
    ]


def _lowering(data: Data) -> Claim:
    """Judge the effect of lowering the window at the exit, over all sizes and both ways to count delivered data."""
    seeds = sorted(int(name.partition("-")[2]) for name in data if name.startswith("search-"))
    changes = [Fraction(0)]
    for way in ("arrived_ns", "readable_ns"):
        for index in range(len(data["search-1"][way])):
            search, lowered = (
                median([data[f"{arm}-{seed}"][way][index] for seed in seeds]) for arm in ("search", "lowered")
            )
            changes.append(Fraction(abs(lowered - search), search))
    return statement(
        f"{_REPORT}, section 7.1.1",
        "The window lowered by what was sent in two RTTs, against SEARCH that keeps it",
        "no significant effect",
        f"medians differ by at most {PERCENT.text(max(changes))}",
        [(f"at most {ALIKE_PERCENT} % at every size up to 200 MB", 100 * max(changes) <= ALIKE_PERCENT)],
        "Both ways to count delivered data must agree. Counted in any order no median differs by 0.1 s; counted in order, a flow that loses more packets waits longer for retransmissions.",
    )
