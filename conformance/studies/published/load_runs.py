"""The runs for Scharf 2009, figures 14 and 15: responses of random sizes at random times over one bottleneck."""

from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cache
from typing import Any

from firstflight import Config
from firstflight_conformance.prng import SplitMix64
from firstflight_conformance.simulate.dumbbell import FlowResult, run_network
from firstflight_conformance.simulate.network import FlowPlan, Network
from firstflight_conformance.simulate.scenario import Link
from firstflight_conformance.simulate.transfer import Handshake, Receiver, Transfer
from studies.published.networks import BASELINE, MB, S, median, on_base
from studies.published.scharf_runs import HEADER_BYTES, MSS_BYTES, RTT_NS, TEN
from studies.published.store import Run

NAME, TITLE = "load", "Responses of random sizes that share a link"
#: Start of a response: controller, and initial window in segments.
SCHEMES = {
    "slow-start": (BASELINE, 3),
    "initial-10": (BASELINE, 10),
    "initial-83": (BASELINE, 83),
    "jump-start": (on_base("jumpstart/scharf-2009"), 3),
    "more-start": (on_base("jumpstart/more-start"), 3),
}
DEFAULT = "slow-start"
QUEUE_PACKETS, RESPONSES = 50, 1000
#: The Pareto distribution of section 4.2: shape 11/10 and largest size; the means are 125 and 10 kB.
SHAPE, LARGEST_BYTES = (11, 10), 10 * MB
MEANS_KB = (125, 10)
#: Loads of the link in percent. The loads of figure 15 are printed; the other loads of figure 14 are our choice.
LOADS, SHARED_LOADS = (5, 10, 30, 60, 80), (5, 30)
SEED = 1
#: Precision for logarithms. They are correctly rounded, so the digits are the same on every machine.
_EXACT = Context(prec=40)
_DRAWN = 1 << 64
#: Time limit after the start of the last response.
PATIENCE_NS = 600 * S


@dataclass(frozen=True, slots=True)
class Workload:
    """Start times of responses in ns, and their sizes in bytes."""

    starts_ns: tuple[int, ...]
    sizes_bytes: tuple[int, ...]


def root(value: int, degree: int) -> int:
    """Return the root of a number of 1 or more, rounded down."""
    guess = 1 << -(-value.bit_length() // degree)
    while True:
        smaller = ((degree - 1) * guess + value // guess ** (degree - 1)) // degree
        if smaller >= guess:
            return guess
        guess = smaller


def pareto_bytes(mean_bytes: int, drawn: int) -> int:
    """Return the size for a draw below 2^64: k / U^(1/a), U = (drawn + 1) / 2^64, a = 11/10, k = mean (a - 1) / a."""
    high, low = SHAPE
    scaled = mean_bytes**high * (high - low) ** high * _DRAWN**low
    return min(root(scaled // (high**high * (drawn + 1) ** low), high), LARGEST_BYTES)


def exponential_ns(drawn: int) -> int:
    """Return -ln U in billionths, with U = (drawn + 1) / 2^64."""
    uniform = _EXACT.divide(Decimal(drawn + 1), Decimal(_DRAWN))
    return int(_EXACT.multiply(_EXACT.ln(uniform), Decimal(-S)).to_integral_value())


def wire_bytes(size_bytes: int) -> int:
    """Return the bytes of a response on the link, including headers."""
    return size_bytes + HEADER_BYTES * -(-size_bytes // MSS_BYTES)


@cache
def workload(mean_kb: int, load_percent: int) -> Workload:
    """Return responses with this load of the link up to the start of the last one. All loads use the same draws."""
    sizes, gaps = SplitMix64(SEED), SplitMix64(SEED ^ 1 << 32)
    drawn = tuple(pareto_bytes(1000 * mean_kb, sizes.next()) for _ in range(RESPONSES))
    elapsed, times = 0, []
    for _ in range(RESPONSES):
        elapsed += exponential_ns(gaps.next())
        times.append(elapsed)
    span_ns = 100 * 8 * S * sum(map(wire_bytes, drawn)) // (load_percent * TEN)
    return Workload(tuple(time * span_ns // elapsed for time in times), drawn)


def path(mean_kb: int, load_percent: int, even: str, odd: str) -> Network:
    """Return a network with alternating schemes: ``even`` and ``odd`` responses."""
    work = workload(mean_kb, load_percent)
    link = Link(TEN, RTT_NS // 2, RTT_NS // 2, 0, 0, 0, queue_packets=QUEUE_PACKETS)
    plans = []
    for number, (start_ns, size_bytes) in enumerate(zip(work.starts_ns, work.sizes_bytes, strict=True)):
        controller, segments = SCHEMES[odd if number % 2 else even]
        transfer = Transfer(
            Config(MSS_BYTES, segments * MSS_BYTES),
            size_bytes,
            named_data=True,
            probes=True,
            header_bytes=HEADER_BYTES,
            announced=True,
            connection=Handshake(0),
        )
        plans.append(FlowPlan(f"response-{number}", controller, start_ns, transfer, Receiver(1, 0)))
    stop_ns = work.starts_ns[-1] + PATIENCE_NS
    return Network("load", "responses", ("Scharf 2009",), SEED, stop_ns, stop_ns, link, None, tuple(plans))


def response_ns(flow: FlowResult) -> int:
    """Return the time from the request, half an RTT before the first packet, to the last byte."""
    assert flow.completed_ns is not None
    assert flow.first_sent_ns is not None
    return flow.completed_ns - flow.first_sent_ns + RTT_NS // 2


def compute(mean_kb: int, load_percent: int, even: str, odd: str) -> dict[str, Any]:
    """Run a workload; return times and packets of the even and of the odd responses."""
    flows = run_network(path(mean_kb, load_percent, even, odd)).flows
    groups = (flows[0::2], flows[1::2])
    times = [[response_ns(flow) for flow in group] for group in groups]
    return {
        "responses": [len(group) for group in groups],
        "sum_ns": [sum(group) for group in times],
        "median_ns": [median(group) for group in times],
        "sent_packets": [sum(flow.sent_packets for flow in group) for group in groups],
        "lost_packets": [sum(flow.lost_packets for flow in group) for group in groups],
    }


def runs() -> list[Run]:
    """Return the runs of this scenario: one scheme, as in figure 14, and two schemes, as in figure 15."""
    alike = [(MEANS_KB[0], load, scheme, scheme) for load in LOADS for scheme in SCHEMES]
    alike += [(MEANS_KB[1], load, DEFAULT, DEFAULT) for load in SHARED_LOADS]
    mixed = [
        (mean, load, DEFAULT, scheme)
        for mean in MEANS_KB
        for load in SHARED_LOADS
        for scheme in SCHEMES
        if scheme != DEFAULT
    ]
    return [Run(NAME, name_of(*arguments), compute, arguments, 100, quick=True) for arguments in (*alike, *mixed)]


def name_of(mean_kb: int, load_percent: int, even: str, odd: str) -> str:
    """Return the name of a run."""
    return f"{mean_kb}-{load_percent}-{even}" + ("" if even == odd else f"-and-{odd}")
