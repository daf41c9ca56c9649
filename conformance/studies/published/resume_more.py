"""More sentences of the Careful Resume paper: abstract, durations and windows of figure 2, other stacks and flows."""

from fractions import Fraction

from studies.published.claims import (
    MEGABYTES,
    PERCENT,
    SECONDS,
    Claim,
    Quantity,
    about,
    impossible,
    statement,
)
from studies.published.networks import MB
from studies.published.resume_runs import BDP_BYTES, CROSS_BYTES, PANEL_BYTES, PANELS, SIZES
from studies.published.store import Data

PAPER = "Careful Resume paper"
#: Medium sizes.
_MEDIUM = tuple(size for size in SIZES if MB // 2 <= size <= 5 * MB)
_RATE = Quantity("Mbit/s", 10**6, 1)


def _part(data: Data, path: str, size_bytes: int) -> Fraction:
    """Return the relative gain of Careful Resume over HyStart for an object."""
    index = SIZES.index(size_bytes)
    hystart, own = (data[f"{path}-{algorithm}"]["completed_ns"][index] for algorithm in ("hystart", "careful-resume"))
    return Fraction(hystart - own, hystart)


def claims(data: Data) -> list[Claim]:
    """Return the verdicts on the published sentences."""
    return [*_abstract_claims(data), *_panel_claims(data), *_cross_flow_claims(data), *_other_stack_claims()]


def _abstract_claims(data: Data) -> list[Claim]:
    best = max(_MEDIUM, key=lambda size: (_part(data, "geo", size), -size))
    ends = (SIZES[0], SIZES[-1])
    leo = [_part(data, "leo", size) for size in SIZES[1:]]
    saved = {
        path: max(
            a - b
            for a, b in zip(
                data[f"{path}-hystart"]["completed_ns"], data[f"{path}-careful-resume"]["completed_ns"], strict=True
            )
        )
        for path in ("geo", "leo")
    }
    return [
        statement(
            f"{PAPER}, abstract and sections III and VII",
            "For what the benefit is pronounced",
            "paths with a high bandwidth-delay product, and transfers of medium size",
            f"{PERCENT.text(_part(data, 'geo', best))} less time at {MEGABYTES.text(best)}, {PERCENT.text(_part(data, 'geo', ends[0]))} at 1 kB, {PERCENT.text(_part(data, 'geo', ends[1]))} at 10 MB; at most {SECONDS.text(saved['geo'])} saved on the GEO path, {SECONDS.text(saved['leo'])} on the LEO path",
            [
                (
                    "a larger part at a size of 0.5 to 5 MB than at 1 kB and at 10 MB",
                    all(_part(data, "geo", best) > _part(data, "geo", end) for end in ends),
                ),
                ("more time on the GEO path than on the LEO path", saved["geo"] > saved["leo"]),
            ],
        ),
        statement(
            f"{PAPER}, abstract",
            "Connections with a lower bandwidth-delay product",
            "reach the congestion point much more quickly",
            f"LEO path, 0.5 to 10 MB: {PERCENT.text(min(leo))} to {PERCENT.text(max(leo))} less time than with HyStart",
            [("faster at every size of 0.5 to 10 MB", min(leo) > 0)],
            "The product of the LEO path is 2.4 MB, of the GEO path 3.75 MB.",
        ),
    ]


def _panel_claims(data: Data) -> list[Claim]:
    took = {name: data[f"panel-{name}"]["completed_ns"] for name in PANELS}
    plain, hystart = data["without-hystart"], data["panel-a"]
    return [
        statement(
            f"{PAPER}, figure 2a, section III",
            "The same without HyStart",
            "the window overshoots further, and more is lost",
            f"{plain['lost_packets']} packets lost, window up to {MEGABYTES.text(plain['largest_cwnd_bytes'])}; with HyStart {hystart['lost_packets']}, up to {MEGABYTES.text(max(hystart['cwnd_bytes']))}",
            [
                ("a larger window", plain["largest_cwnd_bytes"] > max(hystart["cwnd_bytes"])),
                ("more packets lost", plain["lost_packets"] > hystart["lost_packets"]),
            ],
        ),
        statement(
            f"{PAPER}, figure 2b, section III",
            "Duration with an initial window of 10 bandwidth-delay products",
            "the smallest possible",
            f"{PANEL_BYTES // MB} MB: {SECONDS.text(took['b'])}; HyStart {SECONDS.text(took['a'])}, Careful Resume {SECONDS.text(took['c'])} (2c) and {SECONDS.text(took['d'])} (2d)",
            [("not longer than any other of the four", took["b"] == min(took.values()))],
            "Losses are repaired as the window allows; after each reduction to 0.7 it still exceeds path and queue.",
        ),
        about(
            f"{PAPER}, figure 2c, section III",
            "Window when Careful Resume becomes normal: the capacity of the path",
            BDP_BYTES,
            data["panel-c"]["normal_cwnd_bytes"],
            unit=MEGABYTES,
        ),
    ]


def _cross_flow_claims(data: Data) -> list[Claim]:
    own, hystart, slow = (data[f"cross-{algorithm}"] for algorithm in ("careful-resume", "hystart", "slow-start"))
    alone_ns = data["geo-hystart"]["completed_ns"][SIZES.index(CROSS_BYTES)]
    rates = {name: run["competing_bps"] for name, run in (("slow start", slow), ("Careful Resume", own))}
    return [
        statement(
            f"{PAPER}, section VI.C, figure 6",
            "HyStart beside another flow",
            "leaves slow start early and takes longer than alone",
            f"{SECONDS.text(hystart['completed_ns'])}, alone {SECONDS.text(alone_ns)}",
            [("longer than alone", hystart["completed_ns"] > alone_ns)],
        ),
        statement(
            f"{PAPER}, sections I and VII",
            "The other flow",
            "is not significantly degraded or starved, much as beside slow start",
            "; ".join(f"{_RATE.text(rate)} beside {name}" for name, rate in rates.items()) + " over 20 s",
            [
                (
                    "at least nine tenths of its rate beside slow start",
                    10 * rates["Careful Resume"] >= 9 * rates["slow start"],
                )
            ],
        ),
    ]


def _other_stack_claims() -> list[Claim]:
    return [
        impossible(
            f"{PAPER}, figure 5a",
            "HTTP/2 over TCP on the emulated GEO path, without a PEP",
            "performance comparable to that of slow start",
            "It measures another stack; its TCP, TLS and server settings are not in the paper.",
        ),
        impossible(
            f"{PAPER}, figures 5b to 5d",
            "HTTP/2 over TCP with a PEP",
            "significantly better than QUIC without Careful Resume; Careful Resume almost as well in most cases",
            "The proxies belong to three satellite networks. Their acceleration is not public, and the simulator has no proxies.",
        ),
        impossible(
            f"{PAPER}, figures 5e and 5f, section VII",
            "HTTP/3 over QUIC against HTTP/2 over TCP on Starlink and 5G",
            "HTTP/3 is better on Starlink; on 5G HTTP/2 and Careful Resume nearly the same",
            "Two other stacks over networks whose rates vary; no trace was published.",
        ),
    ]
