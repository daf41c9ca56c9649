"""A response beside a flow that has filled the link: four ways to begin, and two queues."""

from dataclasses import replace
from typing import Any

from firstflight_conformance.published.claims import SECONDS, Claim, impossible
from firstflight_conformance.published.networks import BASELINE, S, network, noted, on_base, simulated, with_transfer
from firstflight_conformance.published.store import Data, Run
from firstflight_conformance.simulator.network import Network

NAME, TITLE = "sharing", "A response beside another flow"
PAPER = "Scharf 2009"
#: How the response begins: its controller, and its initial window in segments.
SCHEMES = {
    "slow-start": (BASELINE, 3),
    "initial-10": (BASELINE, 10),
    "initial-83": (BASELINE, 83),
    "jump-start": (on_base("jumpstart/scharf-2009"), 3),
}
LABELS = {
    "slow-start": "slow start, 3 segments",
    "initial-10": "Initial-Start, 10 segments",
    "initial-83": "Initial-Start, 83 segments",
    "jump-start": "Jump-Start, 64 KiB",
}
#: Queues in packets: that of section 4.2, and a short one.
QUEUES = (50, 10)
OFFSET_NS, MSS_BYTES = 10 * S, 1448


def path(scheme: str, queue_packets: int) -> Network:
    """Return the network in which the response begins so."""
    controller, segments = SCHEMES[scheme]
    net = network("two-flows").changed("response", controller=controller)
    net = with_transfer(net, "response", initial_window_bytes=segments * MSS_BYTES)
    return replace(net, link=replace(net.link, queue_packets=queue_packets))


def beside(scheme: str, queue_packets: int) -> dict[str, Any]:
    """Have the response come when the other flow has filled link and queue."""
    net = path(scheme, queue_packets)
    result = simulated(net)
    other, own = result.flow("background"), result.flow("response")
    return noted(result, own) | {
        "other_lost_packets": other.lost_packets,
        "rates_bps": [flow.samples.rates_bps(net.sample_ns) for flow in (other, own)],
        "queue_bytes": result.queue_bytes,
    }


def alone(scheme: str, queue_packets: int) -> dict[str, Any]:
    """Have the response come to an idle path."""
    net = path(scheme, queue_packets).without("background")
    net = replace(net, flows=tuple(replace(plan, start_ns=0) for plan in net.flows))
    result = simulated(net)
    return noted(result, result.flow("response"))


def runs() -> list[Run]:
    """Return the runs of this scenario."""
    pairs = [(scheme, queue) for scheme in SCHEMES for queue in QUEUES]
    return [
        *(Run(NAME, f"beside-{a}-{b}", beside, (a, b), 20, quick=True) for a, b in pairs),
        *(Run(NAME, f"alone-{a}-{b}", alone, (a, b), 10, quick=True) for a, b in pairs),
    ]


def claims(data: Data) -> list[Claim]:
    """Return what becomes of the published sentences."""

    def of(place: str, scheme: str, queue: int) -> str:
        run = data[f"{place}-{scheme}-{queue}"]
        return f"{SECONDS.text(run['completed_ns'])}, {run['lost_packets']} lost"

    return [
        impossible(
            f"{PAPER}, section 5.1",
            "A response of 2 MB beside a flow in steady state, B = 50, CUBIC",
            "plots and sentences",
            "The scenario is that of section 4.2; section 5.1 could not be read, so that its sentences are not judged. Ours are in the table.",
            "; ".join(f"{LABELS[scheme]}: {of('beside', scheme, 50)}" for scheme in ("slow-start", "jump-start")),
        ),
        impossible(
            f"{PAPER}, section 5.1",
            "An initial window of 83 segments against 10, with B = 50",
            "a sentence",
            "As above: it could not be read. On an idle path a burst of 83 does not fit behind a link of 10 Mbit/s into 50 packets, one of 10 does.",
            "; ".join(
                f"{place}: {of(place, 'initial-83', 50)} against {of(place, 'initial-10', 50)}"
                for place in ("alone", "beside")
            ),
        ),
    ]


def more(data: Data) -> tuple[str, tuple[str, ...], list[tuple[str, ...]]]:
    """Return the table of every run."""
    rows: list[tuple[str, ...]] = []
    for scheme in SCHEMES:
        for queue in QUEUES:
            by_itself, shared = (data[f"{place}-{scheme}-{queue}"] for place in ("alone", "beside"))
            rows.append(
                (
                    LABELS[scheme],
                    str(queue),
                    *(
                        f"{SECONDS.text(one['completed_ns'])}, {one['lost_packets']} lost"
                        for one in (by_itself, shared)
                    ),
                    str(shared["other_lost_packets"]),
                )
            )
    text = "Every run: the queue in packets, the response on an idle path and beside the other flow, and what that one lost."
    return text, ("Begins with", "Queue", "Alone", "Beside", "Other lost"), rows
