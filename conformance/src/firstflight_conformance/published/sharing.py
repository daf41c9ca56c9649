"""Two flows over one bottleneck: the second 10 s later, and how evenly short and long flows share."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from firstflight_conformance.published.claims import Claim, Quantity, impossible
from firstflight_conformance.published.networks import MB, S, network, noted, with_transfer
from firstflight_conformance.published.store import Data, Run
from firstflight_conformance.simulator.dumbbell import run_network

NAME, TITLE = "sharing", "Two flows over one bottleneck"
CONTROLLERS = {"slow-start": "slow-start/rfc-9002", "jump-start": "jumpstart/scharf-2009"}
OFFSET_NS, STOP_NS = 10 * S, 60 * S
#: Short flows end within a few round trips, long ones do not; all begin together.
SIZES = {"short": 100_000, "long": 10 * MB}
PAIRS = (("slow-start", "slow-start"), ("jump-start", "jump-start"), ("jump-start", "slow-start"))


def offset(second: str) -> dict[str, Any]:
    """Have a second flow come while a first one without end fills the link."""
    net = replace(network("two-flows").changed("second", controller=CONTROLLERS[second]), stop_ns=STOP_NS)
    result = run_network(net)
    flows = [result.flow(name) for name in ("first", "second")]
    return {
        "rates_bps": [flow.samples.rates_bps(net.sample_ns) for flow in flows],
        "cwnd_bytes": [flow.samples.cwnd_bytes for flow in flows],
        "queue_bytes": result.queue_bytes,
        "lost_packets": [flow.lost_packets for flow in flows],
        "dropped_packets": result.dropped_packets,
    }


def pair(first: str, second: str, size: str) -> dict[str, Any]:
    """Have two flows of one size begin together."""
    net = network("two-flows")
    for name, algorithm in (("first", first), ("second", second)):
        net = with_transfer(net.changed(name, controller=CONTROLLERS[algorithm]), name, transfer_bytes=SIZES[size])
    net = replace(net, flows=tuple(replace(plan, start_ns=0) for plan in net.flows))
    result = run_network(net)
    return {"flows": [noted(result, result.flow(name)) for name in ("first", "second")]}


def runs() -> list[Run]:
    """Return the runs of this scenario."""
    pairs = [
        Run(NAME, f"{a}-{b}-{size}", pair, (a, b, size), 1500 if size == "long" else 100, quick=size == "short")
        for a, b in PAIRS
        for size in SIZES
    ]
    return [*(Run(NAME, f"offset-{one}", offset, (one,), 4000) for one in CONTROLLERS), *pairs]


def jain(rates: list[Fraction]) -> Fraction:
    """Return Jain's index: 1 if all have the same, 1/n if one has everything."""
    return sum(rates, Fraction(0)) ** 2 / (len(rates) * sum(rate * rate for rate in rates))


def index_of(data: Data, first: str, second: str, size: str) -> Fraction:
    """Return the index of two flows that began together, of their sizes over their completion times."""
    times = [flow["completed_ns"] for flow in data[f"{first}-{second}-{size}"]["flows"]]
    return jain([Fraction(SIZES[size], t_ns) for t_ns in times])


def offset_index(data: Data, second: str, from_s: int, to_s: int) -> Fraction:
    """Return the index of what both flows had in a part of the run with an offset."""
    rates = data[f"offset-{second}"]["rates_bps"]
    return jain([Fraction(sum(flow[2 * from_s : 2 * to_s])) for flow in rates])


def claims(data: Data) -> list[Claim]:
    """Return what becomes of the published results."""
    index = Quantity("", 1, 4)
    alike = {size: [index_of(data, a, b, size) for a, b in PAIRS] for size in SIZES}
    late = [index.text(offset_index(data, second, 10, 60)) for second in CONTROLLERS]
    ours = "; ".join(f"{size} {', '.join(index.text(one) for one in found)}" for size, found in alike.items())
    pairs = ", ".join(f"{a} with {b}" for a, b in PAIRS)
    return [
        impossible(
            "Scharf 2009",
            "Two flows with an offset of 10 s: rates over time",
            "plots",
            "Only the text could be read, not the figures. Ours: Jain index from 10 to 60 s, the second flow in slow start and in Jump-Start.",
            ", ".join(late),
        ),
        impossible(
            "Scharf 2009; Grigore 2025, tables 4, 6, 8",
            "Jain index of two flows that begin together, short (100 kB) and long (10 MB)",
            "plots; 9 indices",
            f"The single numbers could not be read, and the thesis has another bottleneck (FQ-CoDel). Ours, in this order: {pairs}.",
            ours,
        ),
    ]
