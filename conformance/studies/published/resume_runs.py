"""The runs of Careful Resume over paths of its paper: objects of every size, four first flights, and a competing flow."""

from dataclasses import replace
from typing import Any

from firstflight.events import Ack, Sent
from firstflight.observables import Phase
from firstflight_conformance.simulate.dumbbell import FlowResult, run_network
from firstflight_conformance.simulate.loop import ORIGIN_NS
from firstflight_conformance.simulate.network import Network
from studies.published.networks import (
    BASELINE,
    MB,
    MS,
    S,
    exit_turn,
    goodput_bps,
    network,
    noted,
    on_base,
    phases,
    reductions,
    with_transfer,
)
from studies.published.store import Run

NAME, TITLE = "careful-resume", "Careful Resume over satellites"
#: The paper's QUIC stack has only the delay part of HyStart, and it paces. The paper is about draft -10 of Careful
#: Resume.
ALGORITHMS = {
    "slow-start": BASELINE,
    "hystart": on_base("hystart/google-quic"),
    "careful-resume": on_base("careful-resume/draft-10"),
}
PATHS = ("geo", "leo")
RTT_NS = {"geo": 600 * MS, "leo": 40 * MS, "geo-50-6": 600 * MS, "geo-25-6": 600 * MS}
#: Rates down and up of the two providers of table I that differ from the emulated path (figures 5c and 5d); their
#: algorithms.
PROVIDERS = {"geo-50-6": (50 * 10**6, 6 * 10**6), "geo-25-6": (25 * 10**6, 6 * 10**6)}
PROVIDER_ALGORITHMS = ("hystart", "careful-resume")
#: 1 kB and 0.5 to 10 MB, as in the paper.
SIZES = (1000, *(MB // 2 * n for n in range(1, 21)))
#: One bandwidth-delay product of the geostationary path, and the panels of figure 2: algorithm and changes.
BDP_BYTES = 3_750_000
PANELS: dict[str, tuple[str, dict[str, int | None]]] = {
    "a": ("hystart", {}),
    "b": ("slow-start", {"initial_window_bytes": 10 * BDP_BYTES}),
    "c": ("careful-resume", {}),
    "d": ("careful-resume", {"saved_cwnd_bytes": 20 * BDP_BYTES}),
}
#: A transfer that is longer than the panels.
PANEL_BYTES, PANEL_NS = 60 * MB, 14 * S
CROSS_BYTES = 5 * MB
#: Start of the object, and the duration of the comparison of the other flow.
CROSS_START_NS, BESIDE_NS = 30 * S, 20 * S
#: Interval of a sending rate.
SENT_NS = 100 * MS


def _path(name: str) -> Network:
    """Return a path of table I. Queue and saved window are one bandwidth-delay product."""
    if name not in PROVIDERS:
        return network(f"careful-resume-{name}")
    net, (down_bps, up_bps) = network("careful-resume-geo"), PROVIDERS[name]
    product_bytes = down_bps * RTT_NS[name] // (8 * S)
    link = replace(net.link, rate_bps=down_bps, queue_bytes=product_bytes)
    return with_transfer(replace(net, link=link, return_rate_bps=up_bps), "object", saved_cwnd_bytes=product_bytes)


def sweep(path: str, algorithm: str) -> dict[str, Any]:
    """Transfer objects of every size over an idle path."""
    net = _path(path).changed("object", controller=ALGORITHMS[algorithm])
    completed, lost, rtt = [], [], []
    for size_bytes in SIZES:
        result = run_network(net.changed("object", transfer_bytes=size_bytes), record=("object",))
        flow = result.flow("object")
        completed.append(flow.completed_ns)
        lost.append(flow.lost_packets)
        rtt.append(_rtts(flow))
    return {"completed_ns": completed, "lost_packets": lost, "rtt_min_mean_ns": rtt}


def _rtts(flow: FlowResult) -> list[int]:
    samples = [e.latest_rtt_ns for e in flow.events if isinstance(e, Ack) and e.latest_rtt_ns is not None]
    return [min(samples), sum(samples) // len(samples)]


def panel(name: str) -> dict[str, Any]:
    """Run one panel of figure 2: the beginning of a large object."""
    algorithm, changes = PANELS[name]
    net = network("careful-resume-geo").changed("object", controller=ALGORITHMS[algorithm])
    if algorithm != "careful-resume":
        changes = changes | {"saved_cwnd_bytes": None}
    net = with_transfer(net, "object", transfer_bytes=PANEL_BYTES, **changes)
    result = run_network(net, record=("object",))
    flow = result.flow("object")
    count = PANEL_NS // net.sample_ns
    return (
        noted(result, flow)
        | _at_exit(flow)
        | {
            "phases": phases(flow),
            "normal_cwnd_bytes": next((turn.cwnd_bytes for turn in flow.turns if turn.phase is Phase.NORMAL), None),
            "reductions": reductions(flow),
            "cwnd_bytes": flow.samples.cwnd_bytes[:count],
            "bytes_in_flight": flow.samples.bytes_in_flight[:count],
            "queue_bytes": result.queue_bytes[:count],
            "rates_bps": flow.samples.rates_bps(net.sample_ns)[:count],
        }
    )


def without_hystart() -> dict[str, int]:
    """Run panel 2a with plain slow start."""
    net = network("careful-resume-geo").changed("object", controller=BASELINE)
    net = with_transfer(net, "object", transfer_bytes=PANEL_BYTES, saved_cwnd_bytes=None)
    flow = run_network(net).flow("object")
    return {"lost_packets": flow.lost_packets, "largest_cwnd_bytes": max(flow.samples.cwnd_bytes)}


def _at_exit(flow: FlowResult) -> dict[str, int | None]:
    """Return the sending rate in the last 100 ms of slow start, the RTT at the exit, and the longest RTT after it."""
    exit_ = exit_turn(flow)
    if exit_ is None:
        return {"exit_sent_bps": None, "exit_rtt_ns": None, "longest_rtt_ns": None}
    end_ns = exit_.t_ns + ORIGIN_NS
    sent = sum(e.bytes for e in flow.events if isinstance(e, Sent) and end_ns - SENT_NS < e.t_ns <= end_ns)
    samples = [(e.t_ns, e.latest_rtt_ns) for e in flow.events if isinstance(e, Ack) and e.latest_rtt_ns is not None]
    return {
        "exit_sent_bps": 8 * sent * S // SENT_NS,
        "exit_rtt_ns": next(rtt_ns for t_ns, rtt_ns in reversed(samples) if t_ns <= end_ns),
        "longest_rtt_ns": max(rtt_ns for _, rtt_ns in samples),
    }


def cross(algorithm: str) -> dict[str, Any]:
    """Transfer an object next to a flow that began 30 s earlier."""
    net = network("careful-resume-geo-cross").changed("competing", controller=BASELINE)
    net = net.changed("object", controller=ALGORITHMS[algorithm], transfer_bytes=CROSS_BYTES)
    if algorithm != "careful-resume":
        net = with_transfer(net, "object", saved_cwnd_bytes=None)
    result = run_network(net)
    flow = result.flow("object")
    first = 25 * S // net.sample_ns
    return noted(result, flow) | {
        "phases": phases(flow),
        "competing_bps": goodput_bps(
            result.flow("competing"), CROSS_START_NS, CROSS_START_NS + BESIDE_NS, net.sample_ns
        ),
        "queue_bytes": result.queue_bytes[first:],
        "rates_bps": flow.samples.rates_bps(net.sample_ns)[first:],
        "competing_rates_bps": result.flow("competing").samples.rates_bps(net.sample_ns)[first:],
    }


def runs() -> list[Run]:
    """Return the runs of this scenario."""
    pairs = [*((p, a) for p in PATHS for a in ALGORITHMS), *((p, a) for p in PROVIDERS for a in PROVIDER_ALGORITHMS)]
    sweeps = [Run(NAME, f"{p}-{a}", sweep, (p, a), 700, quick=True) for p, a in pairs]
    panels = [Run(NAME, f"panel-{name}", panel, (name,), 700, quick=True) for name in PANELS]
    panels.append(Run(NAME, "without-hystart", without_hystart, (), 200, quick=True))
    return [
        *sweeps,
        *panels,
        *(Run(NAME, f"cross-{algorithm}", cross, (algorithm,), 50, quick=True) for algorithm in ALGORITHMS),
    ]
