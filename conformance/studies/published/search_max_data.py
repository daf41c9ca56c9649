"""SEARCH's emulated path with quicly's flow control: the receive window of 16 MB, later replaced by 256 MB."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from firstflight_conformance.simulate.dumbbell import run_network
from studies.published.claims import SECONDS, Claim, Quantity, statement
from studies.published.networks import BASELINE, MS, S, network, noted
from studies.published.store import Data, Run

NAME, TITLE = "search-max-data", "Flow control on the path of the SEARCH paper"
#: Windows in MiB, and the growth factor at each new limit. quicly's window is fixed; the last window doubles.
WINDOWS = {"16": (16, 1), "256": (256, 1), "16-doubles": (16, 2)}
SAMPLE_NS, STOP_NS = 50 * MS, 20 * S
#: Time when slow start has filled 16 MiB: 12,520 bytes doubled every 600 ms need eleven rounds.
FULL_NS = 8 * S
#: Fewest crossings of the middle between the extremes, in the 12 s after FULL_NS, that count as an oscillation.
OFTEN = 10
_SOURCE = "Report 2024, sections 4.6 and 6.4"
_MBPS = Quantity("Mbit/s", 10**6, 1)


def compute(window_mib: int, factor: int) -> dict[str, Any]:
    """Download without end through one window."""
    net = network("search-geo").changed("download", controller=BASELINE, max_data=(window_mib << 20, factor))
    plan = net.flows[0]
    plan = replace(plan, transfer=replace(plan.transfer, transfer_bytes=None, receive_window_bytes=None))
    result = run_network(replace(net, flows=(plan,), sample_ns=SAMPLE_NS, stop_ns=STOP_NS))
    flow, link = result.flow("download"), net.link
    empty_ns = link.forward_delay_ns + link.return_delay_ns
    return {
        **noted(result, flow),
        "cwnd_bytes": flow.samples.cwnd_bytes,
        "rates_bps": flow.samples.rates_bps(SAMPLE_NS),
        # Round-trip time of a packet that arrives now.
        "rtt_ns": [empty_ns + 8 * S * size // link.rate_bps for size in result.queue_bytes],
    }


def runs() -> list[Run]:
    """Return the runs of this scenario."""
    return [Run(NAME, name, compute, window, 500, quick=name == "16") for name, window in WINDOWS.items()]


def crossings(values: Sequence[int]) -> int:
    """Return the number of crossings of the middle between the extremes."""
    middle = min(values) + max(values)
    above = [2 * value > middle for value in values]
    return sum(before != after for before, after in pairwise(above))


def later(run: dict[str, Any], member: str) -> list[int]:
    """Return the samples after the window is full."""
    samples: list[int] = run[member][FULL_NS // SAMPLE_NS :]
    return samples


def claims(data: Data) -> list[Claim]:
    """Judge figures 6 and 7 of the report by its text: the figures are images."""
    small, large = data["16"], data["256"]
    rates, rtts = later(small, "rates_bps"), later(small, "rtt_ns")
    wide, cwnd_bytes = later(large, "rates_bps"), small["cwnd_bytes"]
    return [
        statement(
            f"{_SOURCE}, figure 6",
            "Throughput with a maximum window of 16 MB",
            "oscillates",
            f"{_range(rates)}, {crossings(rates)} crossings of the middle in 12 s",
            [
                ("the lowest is at most half of the highest", 2 * min(rates) <= max(rates)),
                (f"at least {OFTEN} crossings of the middle", crossings(rates) >= OFTEN),
            ],
            "Intervals of 50 ms. A new limit leaves the receiver when half of the window is used, and takes 300 ms; the data takes 300 ms more. "
            f"With a window that doubles at each limit it ends: {_range(later(data['16-doubles'], 'rates_bps'))} from 8 s on.",
        ),
        statement(
            f"{_SOURCE}, figure 6",
            "RTT with a maximum window of 16 MB",
            "oscillates: each spike is the server sending the maximum allowed data; the queue drains while the server is blocked",
            f"{SECONDS.text(min(rtts))} to {SECONDS.text(max(rtts))}, {crossings(rtts)} crossings of the middle in 12 s",
            [
                ("the queue drains", min(rtts) == 600 * MS),
                ("the highest is at least 1.2 times the lowest", 5 * max(rtts) >= 6 * min(rtts)),
                (f"at least {OFTEN} crossings of the middle", crossings(rtts) >= OFTEN),
            ],
        ),
        statement(
            f"{_SOURCE}, figure 6",
            "Losses with a maximum window of 16 MB",
            "none, and the congestion window grows without bound",
            f"{small['lost_packets']} packets lost; the congestion window is {cwnd_bytes[-1] // 10**6} MB at 20 s",
            [
                ("nothing is lost", small["lost_packets"] == 0),
                ("it grows in the last second", cwnd_bytes[-1] > cwnd_bytes[-1 - S // SAMPLE_NS]),
                ("it is above twice the 16 MB that may be in flight", cwnd_bytes[-1] > 2 * (16 << 20)),
            ],
            "ACKs of packets that left when flow control held the sender back do not grow it here (RFC 9002, section 7.8); the listing of the report adds all acknowledged bytes.",
        ),
        statement(
            f"{_SOURCE}, figure 7",
            "Throughput and RTT with a maximum window of 256 MB",
            "as expected: the congestion controller controls the rate and receives loss signals",
            f"{_range(wide)}; first loss seen at {_time(large['first_loss_ns'])}",
            [
                ("losses are seen", large["first_loss_ns"] is not None),
                ("at least 99 % of the link in every interval of 50 ms", 100 * min(wide) >= 99 * 150 * 10**6),
            ],
        ),
    ]


def _range(rates: Sequence[int]) -> str:
    return f"{_MBPS.text(min(rates))} to {_MBPS.text(max(rates))}"


def _time(t_ns: int | None) -> str:
    return "never" if t_ns is None else SECONDS.text(t_ns)
