"""The thesis's two flows over one bottleneck (tables 3 to 8), here behind a drop-tail queue instead of FQ-CoDel."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from firstflight import Config
from firstflight_conformance.simulate.dumbbell import FlowResult, run_network
from firstflight_conformance.simulate.network import Access, FlowPlan, Network
from firstflight_conformance.simulate.scenario import Link
from firstflight_conformance.simulate.transfer import Handshake, Receiver, Transfer
from studies.published.claims import (
    SECONDS,
    Claim,
    Quantity,
    about,
    exactly,
    impossible,
    statement,
)
from studies.published.networks import MB, MS, S, goodput_bps, on_base
from studies.published.store import Data, Run
from studies.published.thesis_index import jain

NAME = "thesis"
CONTROLLERS = {"cubic": on_base("hystart/linux"), "jumpstart": on_base("jumpstart/ns3-2025"), "bbr": "bbr/draft-06"}
TITLES = {"cubic": "CUBIC", "jumpstart": "JumpStart", "bbr": "BBR"}
#: Two flows of equal size that begin together, and a short flow next to a long CUBIC flow.
EQUAL = (("cubic", "jumpstart"), ("cubic", "cubic"), ("jumpstart", "jumpstart"))
EQUAL_BBR = (("cubic", "bbr"), ("jumpstart", "bbr"), ("bbr", "bbr"))
EQUAL_BYTES, LONG_BYTES, SHORT_BYTES = 10 * MB, 100 * MB, MB // 10
#: Start of the short flow, our choice: the text only states that the long flow has reached its rate.
SHORT_START_NS, SAMPLE_NS = 5 * S, S // 10
RATE_BPS, DELAY_NS, ACCESS_NS = 100 * 10**6, 25 * MS, MS
RTT_NS = 2 * (DELAY_NS + 2 * ACCESS_NS)
SEGMENT_BYTES, HEADER_BYTES, SYN_BYTES = 536, 54, 58
#: Printed times in us: table 3 by the short flow's algorithm (long, short), tables 5 and 7 by the pair.
TABLE_3 = {"jumpstart": (9_375_789, 322_366), "cubic": (9_375_866, 528_677), "bbr": (9_375_866, 570_119)}
TABLE_5_7 = {
    ("cubic", "jumpstart"): (1_468_073, 3_397_860),
    ("cubic", "cubic"): (2_207_829, 2_203_184),
    ("jumpstart", "jumpstart"): (2_878_466, 2_896_766),
    ("cubic", "bbr"): (2_215_472, 2_194_623),
    ("jumpstart", "bbr"): (2_972_063, 1_546_323),
    ("bbr", "bbr"): (2_213_762, 2_213_762),
}
#: Printed indices in millionths: table 4, and tables 6 and 8.
TABLE_4 = {"jumpstart": 529_104, "cubic": 517_756, "bbr": 516_466}
TABLE_6_8 = {
    ("cubic", "jumpstart"): 863_770,
    ("cubic", "cubic"): 999_999,
    ("jumpstart", "jumpstart"): 999_990,
    ("cubic", "bbr"): 999_980,
    ("jumpstart", "bbr"): 909_156,
    ("bbr", "bbr"): 999_997,
}
INDEX_TOLERANCE = Fraction(1, 100)
_FAIR_QUEUE = "FQ-CoDel above the published queue shares the link between the two flows; ours drops at the tail, so the first flow with a loss gets less."
_PLACE = "Grigore 2025"


def _plan(name: str, algorithm: str, start_ns: int, size_bytes: int) -> FlowPlan:
    transfer = Transfer(
        Config(SEGMENT_BYTES, 10 * SEGMENT_BYTES),
        size_bytes,
        named_data=True,
        probes=True,
        max_ack_delay_ns=200 * MS,
        header_bytes=HEADER_BYTES,
        ack_bytes=HEADER_BYTES,
        receive_window_bytes=1 << 20,
        announced=True,
        connection=Handshake(SYN_BYTES),
    )
    receiver, access = Receiver(2, 200 * MS, first_at_once=True), Access(10**10, ACCESS_NS)
    return FlowPlan(name, CONTROLLERS[algorithm], start_ns, transfer, receiver, None, access)


def _network(*plans: FlowPlan) -> Network:
    link = Link(RATE_BPS, DELAY_NS, DELAY_NS, RATE_BPS * DELAY_NS // (8 * S), 0, 0)
    return Network("pair", "two flows", (_PLACE,), 1, 60 * S, SAMPLE_NS, link, None, plans)


def _fct_ns(flow: FlowResult) -> int:
    """Return the time from the SYN to the arrival of the ACK of the receiver's FIN, as in the thesis."""
    assert flow.acknowledged_ns is not None
    assert flow.started_ns is not None
    return flow.acknowledged_ns + RTT_NS // 2 - flow.started_ns


def equal(first: str, second: str) -> dict[str, Any]:
    """Run two flows of 10 MB that begin together."""
    flows = run_network(_network(_plan("first", first, 0, EQUAL_BYTES), _plan("second", second, 0, EQUAL_BYTES))).flows
    return {"fct_ns": [_fct_ns(flow) for flow in flows], "lost": [flow.lost_packets for flow in flows]}


def short_during_long(algorithm: str) -> dict[str, Any]:
    """Run a flow of 100 kB that begins during a flow of 100 MB."""
    long, short = _plan("long", "cubic", 0, LONG_BYTES), _plan("short", algorithm, SHORT_START_NS, SHORT_BYTES)
    flows = run_network(_network(long, short)).flows
    return {
        "fct_ns": [_fct_ns(flow) for flow in flows],
        "lost": [flow.lost_packets for flow in flows],
        "long_rate_bps": goodput_bps(flows[0], 3 * S, SHORT_START_NS, SAMPLE_NS),
    }


def smallest() -> dict[str, Any]:
    """Run a single JumpStart flow of 50 kB."""
    flow = run_network(_network(_plan("only", "jumpstart", 0, 50_000))).flows[0]
    return {"largest_cwnd_bytes": max(flow.samples.cwnd_bytes)}


def runs() -> list[Run]:
    """Return the runs of two flows, and one of figure 2."""
    return [
        *(Run(NAME, f"pair-{a}-{b}", equal, (a, b), 100, quick=True) for a, b in EQUAL + EQUAL_BBR),
        *(Run(NAME, f"beside-{algorithm}", short_during_long, (algorithm,), 200, quick=True) for algorithm in TABLE_3),
        Run(NAME, "figure-2", smallest, (), 10, quick=True),
    ]


def claims(data: Data) -> list[Claim]:
    """Return the verdicts on tables 3 to 8 and on the sentences about them."""
    return [*_tables(data), *_sentences(data), *_not_ours()]


def _pair(data: Data, first: str, second: str) -> list[int]:
    times: list[int] = data[f"pair-{first}-{second}"]["fct_ns"]
    return times


def _three(times_ns: list[int]) -> str:
    return Quantity("", 1, 3).text(_index(times_ns))


def _index(times_ns: list[int], sizes_bytes: tuple[int, int] = (EQUAL_BYTES, EQUAL_BYTES)) -> Fraction:
    return jain([Fraction(size, time) for size, time in zip(sizes_bytes, times_ns, strict=True)])


def _tables(data: Data) -> list[Claim]:
    seconds, index = Quantity("s", S, 6), Quantity("", 1, 6)
    claims: list[Claim] = []
    for algorithm, printed in TABLE_3.items():
        for name, published, ours in zip(
            ("long", "short"), printed, data[f"beside-{algorithm}"]["fct_ns"], strict=True
        ):
            label = f"The {name} flow, where the short one has {TITLES[algorithm]}"
            claims.append(about(f"{_PLACE}, table 3", label, 1000 * published, ours, unit=seconds, printed=True))
    for (a, b), times in TABLE_5_7.items():
        place = f"{_PLACE}, table {5 if a != b else 7}"
        for number, (published, ours) in enumerate(zip(times, _pair(data, a, b), strict=True), 1):
            label = f"{TITLES[a]} & {TITLES[b]}, flow {number}"
            near = 10 * abs(ours - 1000 * published) <= 1000 * published
            remark = "" if near else _FAIR_QUEUE
            claims.append(about(place, label, 1000 * published, ours, unit=seconds, printed=True, remark=remark))
    judged: list[tuple[str, str, int, Fraction]] = []
    for algorithm, ppm in TABLE_4.items():
        ours_index = _index(data[f"beside-{algorithm}"]["fct_ns"], (LONG_BYTES, SHORT_BYTES))
        judged.append((f"{_PLACE}, table 4", f"{TITLES[algorithm]}, 100 kB, beside CUBIC, 100 MB", ppm, ours_index))
    for (a, b), ppm in TABLE_6_8.items():
        place = f"{_PLACE}, table {6 if a != b else 8}"
        judged.append((place, f"{TITLES[a]} & {TITLES[b]}, 10 MB each", ppm, _index(_pair(data, a, b))))
    for place, label, ppm, ours_index in judged:
        published_index = Fraction(ppm, 10**6)
        remark = "" if abs(ours_index - published_index) <= INDEX_TOLERANCE else _FAIR_QUEUE
        claims.append(
            exactly(
                place, f"Jain's index: {label}", published_index, ours_index, INDEX_TOLERANCE, unit=index, remark=remark
            )
        )
    return claims


def _sentences(data: Data) -> list[Claim]:
    alone = {
        algorithm: data["sizes"][f"{algorithm}_fct_ns"][3] for algorithm in ("cubic", "jumpstart")
    }  # index 3: 100 kB
    alone["bbr"] = data["cells-bbr"]["fct_ns"][5]
    more = {algorithm: data[f"beside-{algorithm}"]["fct_ns"][1] - alone[algorithm] for algorithm in TABLE_3}
    long = {algorithm: data[f"beside-{algorithm}"]["fct_ns"][0] for algorithm in TABLE_3}
    mixed, cubic, jump = (_pair(data, a, b) for a, b in EQUAL)
    *mixed_bbr, bbr = (_pair(data, a, b) for a, b in EQUAL_BBR)
    milliseconds: Callable[[int], str] = Quantity("ms", MS, 0).text
    window = data["figure-2"]["largest_cwnd_bytes"]
    return [
        statement(
            f"{_PLACE}, section 4.1, figure 2",
            "JumpStart's window with 50 kB",
            "is never increased",
            f"at most {window} bytes",
            [("stays at 65536 bytes", window == 65_536)],
        ),
        *(
            about(
                f"{_PLACE}, section 4.3",
                f"The short flow is longer than without the long one, {TITLES[algorithm]}",
                published_ms * MS,
                more[algorithm],
                unit=Quantity("ms", MS, 0),
                remark=f"The thesis's own tables make {own_ms} ms.",
            )
            for algorithm, published_ms, own_ms in (("jumpstart", 100, 109), ("cubic", 200, 175), ("bbr", 200, 190))
        ),
        statement(
            f"{_PLACE}, section 4.3",
            "The long flow",
            "is not impacted much by the algorithm of the short one",
            ", ".join(SECONDS.text(time) for time in long.values()),
            [("all times within 1 %", 100 * (max(long.values()) - min(long.values())) <= long["cubic"])],
        ),
        about(
            f"{_PLACE}, section 4.3, figure 6",
            "Rate of the long flow before the short one",
            90 * 10**6,
            data["beside-cubic"]["long_rate_bps"],
            unit=Quantity("Mbit/s", 10**6, 1),
        ),
        about(
            f"{_PLACE}, sections 4.4 and 7",
            "JumpStart is slower than CUBIC, 10 MB beside each other, by almost",
            2 * S,
            mixed[1] - mixed[0],
            unit=SECONDS,
            remark="The thesis's own numbers make 1.93 s.",
        ),
        statement(
            f"{_PLACE}, section 4.5",
            "Two flows of CUBIC against CUBIC beside JumpStart",
            "both take longer, by about 800 ms",
            ", ".join(milliseconds(time - mixed[0]) for time in cubic),
            [
                ("both longer", min(cubic) > mixed[0]),
                ("both by 560 to 1040 ms", all(560 * MS <= time - mixed[0] <= 1040 * MS for time in cubic)),
            ],
            _FAIR_QUEUE,
        ),
        statement(
            f"{_PLACE}, section 4.5",
            "Two flows of BBRv3 against BBRv3 beside JumpStart",
            "take longer, by more than against BBRv3 beside CUBIC",
            f"{SECONDS.text(min(bbr))} against {SECONDS.text(mixed_bbr[1][1])} and {SECONDS.text(mixed_bbr[0][1])}",
            [
                ("longer than beside JumpStart", min(bbr) > mixed_bbr[1][1]),
                ("by more than beside CUBIC", mixed_bbr[0][1] > mixed_bbr[1][1]),
            ],
        ),
        statement(
            f"{_PLACE}, section 4.5",
            "Two flows of JumpStart against JumpStart beside CUBIC",
            "both take less long",
            f"{SECONDS.text(max(jump))} against {SECONDS.text(mixed[1])}",
            [("both shorter", max(jump) < mixed[1])],
        ),
        statement(
            f"{_PLACE}, section 4.5",
            "Fairness to the same algorithm",
            "every algorithm is fairer to itself than to another",
            f"index of CUBIC {_three(cubic)}, JumpStart {_three(jump)}, both {_three(mixed)}; BBR {_three(bbr)}, with CUBIC {_three(mixed_bbr[0])}, with JumpStart {_three(mixed_bbr[1])}",
            [
                ("CUBIC with CUBIC", _index(cubic) > _index(mixed)),
                ("JumpStart with JumpStart", _index(jump) > _index(mixed)),
                ("BBR with BBR", _index(bbr) > max(map(_index, mixed_bbr))),
            ],
            _FAIR_QUEUE if _index(cubic) <= _index(mixed) else "",
        ),
    ]


def _not_ours() -> list[Claim]:
    return [
        impossible(
            f"{_PLACE}, sections 4.1 to 4.5, figures 2 to 8",
            "Throughput and windows over time",
            "JumpStart higher and earlier; at 10 Mbit/s the same maximum with 200 kB, a lower one with 400 kB; CUBIC and BBRv3 towards 50 Mbit/s",
            "The figures are plots, and the text does not specify the interval of the throughput, which determines its maximum.",
        ),
    ]
