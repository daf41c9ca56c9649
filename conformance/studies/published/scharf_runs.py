"""The runs for the response times of Scharf 2009 and Jump Start 2007, and the closed forms on the same paths."""

from typing import Any

from firstflight import Config
from firstflight.transfer_time.transfer_time import Inputs
from firstflight_conformance.simulate.dumbbell import run_network
from firstflight_conformance.simulate.network import FlowPlan, Network
from firstflight_conformance.simulate.scenario import Link
from firstflight_conformance.simulate.transfer import Handshake, Receiver, Transfer
from firstflight_conformance.sweep import Scheme
from studies.published.networks import MS, S
from studies.published.store import Run

NAME, TITLE = "scharf", "Response times: closed forms and simulator"
TEN, GIGABIT = 10 * 10**6, 10**9
RTT_NS, MSS_BYTES, HEADER_BYTES = 200 * MS, 1448, 52
#: Simulated schemes: controller and initial window in segments.
SIMULATED = {
    "slow-start": ("slow-start/rfc-9002", 3),
    "initial-start": ("slow-start/rfc-9002", 10),
    "jump-start": ("jumpstart/scharf-2009", 3),
}
#: Schemes with a fixed rate, only for the slower path; Quick-Start also with the request on the first data, an RTT
#: later.
AT_TEN = {
    "quick-start": ("quick-start/networking-2009", 3),
    "quick-start-rfc": ("quick-start/rfc-4782", 3),
    "quick-start-data": ("quick-start/rfc-4782-data", 3),
    "more-start": ("jumpstart/more-start", 3),
}
#: From 1 segment to 3 MB, whole segments.
SEGMENTS = (1, 2, 3, 4, 6, 9, 10, 14, 20, 30, 45, 46, 70, 100, 140, 200, 300, 450, 700, 1000, 1400, 2072)
QUEUE_BYTES = 10**9
THRESHOLD_BYTES = 65_536
#: Rate granted to Quick-Start at 10 Mbit/s.
QUICK_BPS = 5_120_000
#: Jump Start 2007, section IV: 5 Mbit/s, 64 ms, segments of 1460 in 1500 bytes, a queue of 60 packets.
LAJW = {"rate_bps": 5 * 10**6, "rtt_ns": 64 * MS, "mss_bytes": 1460, "header_bytes": 40, "queue_packets": 60}
LAJW_SEGMENTS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 87, 88, 128)


def one_flow(controller: str, size_bytes: int, window_segments: int, path: dict[str, int]) -> Network:
    """Return a path of the models: one flow, no access links, an ACK per segment, an RTT sample by the handshake."""
    rtt_ns, mss_bytes = path["rtt_ns"], path["mss_bytes"]
    packets = path.get("queue_packets")
    link = Link(path["rate_bps"], rtt_ns // 2, rtt_ns // 2, QUEUE_BYTES, 0, 0, queue_packets=packets)
    transfer = Transfer(
        Config(mss_bytes, mss_bytes * window_segments),
        size_bytes,
        named_data=True,
        probes=True,
        header_bytes=path["header_bytes"],
        announced=True,
        connection=Handshake(0),
    )
    flow = FlowPlan("response", controller, 0, transfer, Receiver(1, 0))
    return Network("response", "one response", ("the models",), 1, 600 * S, S, link, None, (flow,))


def response_ns(net: Network, rtt_ns: int) -> tuple[int, int]:
    """Return the response time, from the request to the last byte, and the number of dropped packets."""
    result = run_network(net)
    flow = result.flow("response")
    assert flow.completed_ns is not None
    assert flow.first_sent_ns is not None
    return flow.completed_ns - flow.first_sent_ns + rtt_ns // 2, result.dropped_packets


def compute(scheme: str, rate_bps: int) -> dict[str, Any]:
    """Simulate a response of every size."""
    controller, window = (SIMULATED | AT_TEN)[scheme]
    path = {"rate_bps": rate_bps, "rtt_ns": RTT_NS, "mss_bytes": MSS_BYTES, "header_bytes": HEADER_BYTES}
    return {
        "response_ns": [response_ns(one_flow(controller, n * MSS_BYTES, window, path), RTT_NS)[0] for n in SEGMENTS]
    }


def lajw(controller: str) -> dict[str, Any]:
    """Simulate the responses of Jump Start 2007; durations include the handshake."""
    responses = [
        response_ns(one_flow(controller, n * LAJW["mss_bytes"], 3, LAJW), LAJW["rtt_ns"]) for n in LAJW_SEGMENTS
    ]
    return {
        "duration_ns": [LAJW["rtt_ns"] + t_ns for t_ns, _ in responses],
        "dropped_packets": [lost for _, lost in responses],
    }


def runs() -> list[Run]:
    """Return the runs of this scenario."""
    curves = [
        Run(NAME, f"{scheme}-{rate // 10**6}", compute, (scheme, rate), 10, quick=True)
        for scheme in SIMULATED
        for rate in (TEN, GIGABIT)
    ]
    curves += [Run(NAME, f"{scheme}-10", compute, (scheme, TEN), 10, quick=True) for scheme in AT_TEN]
    published = {"slow-start": "slow-start/rfc-9002", "jump-start": "jumpstart/pfldnet-2007"}
    return [
        *curves,
        *(Run(NAME, f"2007-{scheme}", lajw, (name,), 10, quick=True) for scheme, name in published.items()),
    ]


def model(scheme: str, rate_bps: int, **changes: int) -> Scheme:
    """Return a closed form on the path of the paper."""
    return Scheme(scheme, Inputs(rate_bps, RTT_NS, 0, **changes))


MODELS: dict[str, dict[str, int]] = {
    "slow-start": {},
    "initial-start": {"initial_window_segments": 10},
    "jump-start": {},
    "quick-start": {"approved_rate_bps": QUICK_BPS},
    "more-start": {"approved_rate_bps": TEN},
}
