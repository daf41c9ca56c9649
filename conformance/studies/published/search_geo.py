"""SEARCH on the emulated geostationary path of its paper: exits from slow start of each profile, and first losses."""

from dataclasses import replace
from typing import Any

from firstflight.observables import Outcome
from firstflight.search.profiles import PROFILES
from firstflight_conformance.simulate.dumbbell import FlowResult, observations, run_network
from firstflight_conformance.simulate.network import FlowPlan
from studies.published.claims import MEGABYTES, PERCENT, SECONDS, Claim, Quantity, about, impossible
from studies.published.networks import (
    BASELINE,
    S,
    exit_reduction,
    exit_turn,
    goodput_bps,
    network,
    noted,
    on_base,
)
from studies.published.store import Data, Run

NAME, TITLE = "search-geo", "SEARCH on an emulated geostationary path"
SLOW_START = "slow-start"
#: Durations of runs up to the exit or the first loss, and of longer runs for the plots.
SHORT_NS, LONG_NS = 12 * S, 20 * S
#: Duration of runs with two flows; rates count from the end of the long runs.
BESIDE_NS = 60 * S
#: Profiles with stored windows: the paper, and the newest draft.
COMPARED = ("lanman-2024", "draft-09")
SHOWN = (SLOW_START, "lanman-2024", "draft-09")
#: The measured code of the paper.
MEASURED = "quicly-pr583"
#: The path cannot be full earlier: ten packets doubled every 600 ms need ten rounds to reach its 9000 packets.
EARLY_NS = 6 * S


def compute(profile: str) -> dict[str, Any]:
    """Download with one profile, or without SEARCH."""
    controller = BASELINE if profile == SLOW_START else on_base(f"search/{profile}")
    net = network(NAME).changed("download", controller=controller)
    net = replace(net, stop_ns=LONG_NS if profile in SHOWN else SHORT_NS)
    result = run_network(net, record=("download",) if profile in COMPARED else ())
    flow = result.flow("download")
    numbers = noted(result, flow)
    if profile in SHOWN:
        numbers["rates_bps"] = flow.samples.rates_bps(net.sample_ns)
        numbers["cwnd_bytes"] = flow.samples.cwnd_bytes
        numbers["queue_bytes"] = result.queue_bytes
    if profile in COMPARED:
        numbers["windows"] = _windows(net.flows[0], flow)
    return numbers


def _windows(plan: FlowPlan, flow: FlowResult) -> list[list[int]]:
    """Return every comparison up to the exit: its time, the delivered bytes, and the expected or sent bytes."""
    exit_ = exit_turn(flow)
    comparisons = []
    for event, observation in zip(flow.events, observations(plan, flow.events), strict=True):
        if observation.outcome in (Outcome.BELOW_THRESHOLD, Outcome.EXITED):
            current, previous = observation.state["current_bytes"], observation.state["previous_bytes"]
            comparisons.append([event.t_ns - S, current or 0, previous or 0])
        if exit_ is not None and event.t_ns - S >= exit_.t_ns:
            break
    return comparisons


def with_bbr() -> dict[str, Any]:
    """Run two downloads that begin together, with SEARCH and with BBR, and last for the whole run."""
    net = network(NAME)
    plans = [
        replace(
            net.flows[0], name=name, controller=controller, transfer=replace(net.flows[0].transfer, transfer_bytes=None)
        )
        for name, controller in (("search", on_base(f"search/{MEASURED}")), ("bbr", "bbr/draft-06"))
    ]
    result = run_network(replace(net, flows=tuple(plans), stop_ns=BESIDE_NS))
    return {
        flow.name: {
            **noted(result, flow),
            "rate_bps": goodput_bps(flow, LONG_NS, BESIDE_NS, net.sample_ns),
        }
        for flow in result.flows
    }


def runs() -> list[Run]:
    """Return the runs of this scenario."""
    profiles = (SLOW_START, *PROFILES)
    return [
        Run(NAME, "beside-bbr", with_bbr, (), 1500, quick=True),
        *(
            Run(NAME, profile, compute, (profile,), 4000 if profile in COMPARED else 100, quick=profile not in COMPARED)
            for profile in profiles
        ),
    ]


def claims(data: Data) -> list[Claim]:
    """Return the verdicts on the published sentences."""
    source = "LANMAN 2024, section IV, figures 4 and 5"
    loss_ns, exit_ns = data[SLOW_START]["first_loss_ns"], data[MEASURED]["exit_ns"]
    return [
        about(
            source, "Without SEARCH, the sender sees the first loss", 11 * S, loss_ns, unit=SECONDS,
            remark="The queue of 36 MB overflows before 8.5 s; the packets behind the gap have to wait in it for 2 s before their ACKs tell.",
        ),
        about(
            source, "SEARCH leaves slow start", 9 * S, exit_ns, unit=SECONDS,
            remark=f"Ours is {MEASURED}, the code that was measured; all other profiles are in the table below.",
        ),
        impossible(
            "LANMAN 2024, section V", "SEARCH beside BBR on a link of both", "left to future work",
            "Nothing is published. Both begin together, SEARCH as it was measured, BBR in the draft's profile, which does not probe after Drain.",
            "; ".join(_flow_text(*flow) for flow in (("SEARCH", data["beside-bbr"]["search"]), ("BBR", data["beside-bbr"]["bbr"]))),
        ),
    ]  # fmt: skip


def _flow_text(name: str, flow: dict[str, Any]) -> str:
    exit_ns = flow["exit_ns"]
    leaves = "never leaves startup" if exit_ns is None else f"leaves startup at {SECONDS.text(exit_ns)}"
    rate = Quantity("Mbit/s", 10**6, 1).text(flow["rate_bps"])
    return f"{name} {leaves}, loses {flow['lost_packets']} packets and has {rate} from 20 s to 60 s"


def _remark(exit_ns: int | None) -> str:
    if exit_ns is None:
        return "Never exits: the text empties the newest bin, so every earlier window is 0."
    if exit_ns < EARLY_NS:
        return "Exits at its first evaluation, long before the path is full; the reason is in the errata of SEARCH."
    return ""


def more(data: Data) -> tuple[str, tuple[str, ...], list[tuple[str, ...]]]:
    """Return a table of unpublished results: exit times and windows of the other profiles."""
    rows: list[tuple[str, ...]] = []
    for profile in (name for name in PROFILES if name != MEASURED):
        numbers = data[profile]
        exit_ns, window = numbers["exit_ns"], numbers["exit_cwnd_bytes"]
        size = "" if window is None else MEGABYTES.text(window)
        part = exit_reduction(numbers)
        lowered = "" if not part else f"lowered by {PERCENT.text(part)}"
        remark = ". ".join(text for text in (lowered, _remark(exit_ns)) if text)
        rows.append((profile, "never" if exit_ns is None else SECONDS.text(exit_ns), size, remark))
    text = "The other profiles on this path: their exits, and the window after it."
    return text, ("Profile", "Exit", "Window", "Remark"), rows
