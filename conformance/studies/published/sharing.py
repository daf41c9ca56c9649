"""A response of 2 MB on an idle path, and next to a flow that fills the link: seven startup schemes, two queues."""

from dataclasses import replace
from typing import Any

from firstflight_conformance.simulate.dumbbell import run_network
from firstflight_conformance.simulate.network import Network
from studies.published.claims import SECONDS, Claim, Quantity, statement
from studies.published.networks import BASELINE, S, network, noted, on_base, with_transfer
from studies.published.store import Data, Run

NAME, TITLE = "sharing", "A response alone, and beside another flow"
PAPER = "Scharf 2009, section 5.1"
#: Start of the response: controller, and initial window in segments.
SCHEMES = {
    "slow-start": (BASELINE, 3),
    "initial-10": (BASELINE, 10),
    "initial-83": (BASELINE, 83),
    "jump-start": (on_base("jumpstart/scharf-2009"), 3),
    "more-start": (on_base("jumpstart/more-start"), 3),
    "quick-start": (on_base("quick-start/networking-2009"), 3),
    "quick-start-denied": (on_base("quick-start/rfc-4782-refused"), 3),
}
LABELS = {
    "slow-start": "slow start, 3 segments",
    "initial-10": "Initial-Start, 10 segments",
    "initial-83": "Initial-Start, 83 segments",
    "jump-start": "Jump-Start, 64 KiB",
    "more-start": "More-Start, 10 Mbit/s",
    "quick-start": "Quick-Start, 5.12 Mbit/s",
    "quick-start-denied": "Quick-Start, denied",
}
#: Queues in packets: the queue of section 4.2, and a short one.
QUEUES = (50, 10)
OFFSET_NS, MSS_BYTES = 10 * S, 1448
#: Interval of rates, as in figure 10; on an idle path half of it. The first flight ends with the first five of these
#: halves.
SAMPLE_NS, EARLY_SAMPLES = S // 5, 5
#: Half of the link's rate: the fair share, and the link's rate for More-Start at twice that rate.
FAIR_BPS = HALF_BPS = 5 * 10**6
#: Duration, from the start of the response, of the comparison of the other flow.
SPAN_NS = 2 * S


def path(scheme: str, queue_packets: int, rate_bps: int | None = None) -> Network:
    """Return the network with this scheme for the response."""
    controller, segments = SCHEMES[scheme]
    net = network("two-flows").changed("response", controller=controller)
    net = with_transfer(net, "response", initial_window_bytes=segments * MSS_BYTES)
    link = replace(net.link, queue_packets=queue_packets, rate_bps=rate_bps or net.link.rate_bps)
    return replace(net, link=link, sample_ns=SAMPLE_NS)


def shared_link(scheme: str, queue_packets: int) -> dict[str, Any]:
    """Run the response after the other flow has filled link and queue."""
    net = path(scheme, queue_packets)
    result = run_network(net)
    background, own = result.flow("background"), result.flow("response")
    return noted(result, own) | {
        "other_lost_packets": background.lost_packets,
        "rates_bps": [flow.samples.rates_bps(net.sample_ns) for flow in (background, own)],
        "queue_bytes": result.queue_bytes,
    }


def alone(scheme: str, queue_packets: int, rate_bps: int | None = None) -> dict[str, Any]:
    """Run the response on an idle path."""
    net = path(scheme, queue_packets, rate_bps).without("background")
    net = replace(net, flows=tuple(replace(plan, start_ns=0) for plan in net.flows), sample_ns=SAMPLE_NS // 2)
    result = run_network(net)
    own = result.flow("response")
    return noted(result, own) | {"first_flight_bytes": own.samples.delivered_bytes[EARLY_SAMPLES - 1]}


def runs() -> list[Run]:
    """Return the runs of this scenario."""
    pairs = [(scheme, queue) for scheme in SCHEMES for queue in QUEUES]
    return [
        *(Run(NAME, f"beside-{a}-{b}", shared_link, (a, b), 20, quick=True) for a, b in pairs),
        *(Run(NAME, f"alone-{a}-{b}", alone, (a, b), 10, quick=True) for a, b in pairs),
        *(
            Run(NAME, f"half-{scheme}", alone, (scheme, QUEUES[0], HALF_BPS), 10, quick=True)
            for scheme in ("slow-start", "more-start")
        ),
    ]


def claims(data: Data) -> list[Claim]:
    """Return the verdicts on the published sentences."""
    return [*_alone_claims(data), *_shared_claims(data)]


def _alone_claims(data: Data) -> list[Claim]:
    def took(scheme: str) -> int:
        return int(data[f"alone-{scheme}-{QUEUES[0]}"]["completed_ns"])

    def lost(scheme: str) -> int:
        return int(data[f"alone-{scheme}-{QUEUES[0]}"]["lost_packets"])

    fast = ("quick-start", "jump-start", "more-start", "initial-10")
    early = {
        scheme: data[f"alone-{scheme}-{QUEUES[0]}"]["first_flight_bytes"] for scheme in ("quick-start", "jump-start")
    }
    slow, high = data["half-slow-start"], data["half-more-start"]
    return [
        statement(
            f"{PAPER}, figure 10",
            "A response of 2 MB on an idle path, B = 50",
            "all fast startup mechanisms are better than slow start, and an initial window of 10 works as well",
            "; ".join(f"{LABELS[scheme]}: {SECONDS.text(took(scheme))}" for scheme in ("slow-start", *fast)),
            [(f"{LABELS[scheme]} is faster", took(scheme) < took("slow-start")) for scheme in fast],
        ),
        statement(
            f"{PAPER}, figure 10",
            "Jump-Start beside Quick-Start",
            "starts slightly slower",
            f"first flight of {early['jump-start']} bytes against {early['quick-start']}",
            [("less has arrived half an RTT after the first one", early["jump-start"] < early["quick-start"])],
        ),
        statement(
            f"{PAPER}, figure 10",
            "More-Start at the available rate",
            "the best of all",
            f"{SECONDS.text(took('more-start'))}; {', '.join(f'{LABELS[scheme]} {SECONDS.text(took(scheme))}' for scheme in fast if scheme != 'more-start')}",
            [
                (
                    "the fastest",
                    all(
                        took("more-start") < took(scheme) for scheme in ("slow-start", *fast) if scheme != "more-start"
                    ),
                )
            ],
        ),
        statement(
            PAPER,
            "An initial rate above that of the link",
            "packet loss, and a completion time similar to that of slow start",
            f"10 Mbit/s into 5: {SECONDS.text(high['completed_ns'])}, {high['lost_packets']} lost; slow start {SECONDS.text(slow['completed_ns'])}, {slow['lost_packets']} lost",
            [
                ("packets are lost", high["lost_packets"] > 0),
                ("within a tenth of slow start", _near(high["completed_ns"], slow["completed_ns"])),
            ],
            "The paper does not specify the excess of the rate; twice the rate of the link is our choice. " + _RECOVERY,
        ),
        statement(
            PAPER,
            "An initial window larger than the buffer: 83 segments, B = 50",
            "severe packet loss, no significant improvement",
            f"{SECONDS.text(took('initial-83'))}, {lost('initial-83')} lost; slow start {SECONDS.text(took('slow-start'))}, {lost('slow-start')} lost",
            [
                ("loses at least a third of the first 83", 3 * lost("initial-83") >= 83),
                ("not more than a tenth faster than slow start", 10 * took("initial-83") >= 9 * took("slow-start")),
            ],
        ),
    ]


_RECOVERY = "The delay of a response by losses depends on the stack's loss repair; here as in RFC 9002."


def _near(duration: int, reference: int) -> bool:
    return 10 * abs(duration - reference) <= reference


def _shared_claims(data: Data) -> list[Claim]:
    figure = f"{PAPER}, figure 11"
    runs = {scheme: data[f"beside-{scheme}-{QUEUES[0]}"] for scheme in SCHEMES}
    first, count = OFFSET_NS // SAMPLE_NS, SPAN_NS // SAMPLE_NS
    most = max(runs["slow-start"]["rates_bps"][1][first:])
    took = {scheme: run["completed_ns"] for scheme, run in runs.items()}
    background = {scheme: sum(run["rates_bps"][0][first : first + count]) // count for scheme, run in runs.items()}
    fast = ("jump-start", "more-start")
    rate = Quantity("Mbit/s", 10**6, 2)
    return [
        statement(
            figure,
            "Slow start beside a flow that has filled the link",
            "a short flow does not reach its fair share, 5 Mbit/s",
            f"at most {rate.text(most)} in any 200 ms; 2 MB take {SECONDS.text(took['slow-start'])}",
            [("below 5 Mbit/s in every 200 ms", most < FAIR_BPS)],
            "" if most < FAIR_BPS else "A rate over 200 ms, as in figure 10; figure 11 does not specify its interval.",
        ),
        statement(
            figure,
            "Quick-Start that is denied",
            "does not improve the convergence: falls back to slow start",
            f"{SECONDS.text(took['quick-start-denied'])} against {SECONDS.text(took['slow-start'])}",
            [("not more than a tenth faster", 10 * took["quick-start-denied"] >= 9 * took["slow-start"])],
            "The denial of the request is given here; the simulator has no router that decides it.",
        ),
        statement(
            f"{figure}, and section 6",
            "Jump-Start and More-Start beside a flow that has filled the link",
            "improve the new flow at the cost of the established one",
            "; ".join(
                f"{LABELS[scheme]}: {SECONDS.text(took[scheme])}, the other at {rate.text(background[scheme])} in the first 2 s"
                for scheme in ("slow-start", *fast)
            ),
            [
                *(
                    (f"{LABELS[scheme]} is faster than slow start", took[scheme] < took["slow-start"])
                    for scheme in fast
                ),
                *(
                    (f"the other is slower beside {LABELS[scheme]}", background[scheme] < background["slow-start"])
                    for scheme in fast
                ),
            ],
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
                        f"{SECONDS.text(run['completed_ns'])}, {run['lost_packets']} lost"
                        for run in (by_itself, shared)
                    ),
                    str(shared["other_lost_packets"]),
                )
            )
    text = "Every run: the queue in packets, the response on an idle path and next to the other flow, and the losses of that flow."
    return text, ("Begins with", "Queue", "Alone", "Beside", "Other lost"), rows
