"""Networks: properties of several flows over one bottleneck, the links between, and refused files."""

import copy
import json
import os
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from firstflight import Config
from firstflight.events import Ack, Lost, PersistentCongestion, Pto, Sent
from firstflight_conformance.cli import main
from firstflight_conformance.format.stream import check_stream, repeated
from firstflight_conformance.paths import NETWORKS
from firstflight_conformance.simulate.dumbbell import FlowResult, NetworkResult, observations, run_network
from firstflight_conformance.simulate.loop import ORIGIN_NS
from firstflight_conformance.simulate.network import Access, Bucket, FlowPlan, Network, load_network
from firstflight_conformance.simulate.scenario import Link, ScenarioError
from firstflight_conformance.simulate.transfer import Handshake, Pacing, Receiver, Transfer

MS, S = 10**6, 10**9
NAMES = [path.name for path in sorted(NETWORKS.glob("*.json"))]
CONTROLLERS = [
    "slow-start/rfc-9002",
    "search/lanman-2024",
    "jumpstart/pfldnet-2007",
    "careful-resume/rfc-9959",
    "search/draft-09+cubic",
    "cubic/rfc-9438",
]
#: 8 Mbit/s and 10 ms each way: a packet of 1000 bytes takes 1 ms.
LINK = Link(8_000_000, 10 * MS, 10 * MS, 20_000, 0, 0)
TRANSFER = Transfer(
    Config(1000, 10_000), 300_500, named_data=True, probes=True, max_ack_delay_ns=25 * MS, announced=True
)


def plan(name: str = "one", controller: str = CONTROLLERS[0], start_ns: int = 0, **changes: Any) -> FlowPlan:
    """Return a flow."""
    return FlowPlan(name, controller, start_ns, replace(TRANSFER, **changes), Receiver(2, 25 * MS))


def network(*flows: FlowPlan, link: Link = LINK, seed: int = 1) -> Network:
    """Return a network."""
    return Network("any.json", "Any small network", ("here",), seed, 60 * S, 100 * MS, link, None, flows)


def check_flow(flow: FlowResult, flow_plan: FlowPlan) -> None:
    """Check the properties of every flow whose events were recorded."""
    check_stream(flow.events, {"max_datagram_size_bytes": 1200})
    transfer, answers = flow_plan.transfer, observations(flow_plan, flow.events)
    window = transfer.config.initial_window_bytes or 10_000
    probing = False
    sent: dict[int, int] = {}
    for event, observation in zip(flow.events, answers, strict=True):
        if isinstance(event, Sent):
            assert probing or event.bytes_in_flight <= window
            names = [name for low, high in repeated(event) for name in range(low, high + 1)]
            packets = [(n, run.size_bytes) for run in event.packets for n in range(run.first, run.last + 1)]
            for (_, size), name in zip(packets, names, strict=False):
                assert sent[name] == size  # repeated data has the size of the packet that sent it first
            sent.update(packets[len(names) :])
        probing = isinstance(event, Pto)
        window = observation.cwnd_bytes
    if transfer.transfer_bytes is not None:
        assert sum(sent.values()) <= transfer.transfer_bytes
        assert flow.delivered_bytes <= transfer.transfer_bytes
        assert (flow.completed_ns is not None) == (flow.delivered_bytes == transfer.transfer_bytes)
    if flow.acknowledged_ns is not None:
        assert flow.completed_ns is not None and flow.completed_ns <= flow.acknowledged_ns


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """Draw a small network of any shape; every transfer has an end."""
    early = draw(st.sampled_from([(0, 0), (5000, 250_000)]))
    link = Link(
        draw(st.sampled_from([999_983, 8_000_000, 40_000_000])), draw(st.integers(0, 20 * MS)), 10 * MS,
        draw(st.sampled_from([1500, 10_000, 60_000])), draw(st.sampled_from([0, 0, 50_000, 300_000])),
        draw(st.sampled_from([0, 5 * MS])), queue_packets=draw(st.sampled_from([None, None, 1, 20])),
        early_drop_above_bytes=early[0], early_drop_ppm=early[1],
    )  # fmt: skip
    flows = []
    for number in range(draw(st.integers(1, 3))):
        flow_plan = plan(
            f"flow {number}", draw(st.sampled_from(CONTROLLERS)), draw(st.integers(0, S)),
            config=Config(draw(st.sampled_from([300, 1200])), draw(st.sampled_from([None, 2400, 30_000]))),
            transfer_bytes=draw(st.sampled_from([1, 999, 30_001, 80_000])), pacing=draw(st.sampled_from([Pacing.NONE, Pacing.WINDOW])),
            header_bytes=draw(st.sampled_from([0, 40])), ack_bytes=40,
            receive_window_bytes=draw(st.sampled_from([None, 20_000])),
            max_data_bytes=draw(st.sampled_from([None, None, 700, 5000])), max_data_factor=draw(st.sampled_from([1, 2])),
            connection=draw(st.sampled_from([None, Handshake(58)])),
        )  # fmt: skip
        bucket = draw(st.sampled_from([None, Bucket(4_000_000, 3000, 50 * MS)]))
        flows.append(replace(flow_plan, bucket=bucket, access=draw(st.sampled_from([None, Access(10**9, MS)]))))
    return replace(network(*flows, link=link, seed=draw(st.integers(0, 2**53))), stop_ns=4000 * S)


@settings(max_examples=120, deadline=None)
@given(networks())
def test_transfers_arrive_whole_on_any_network(drawn: Network) -> None:
    """Every transfer arrives whole despite losses, and the properties of every flow hold."""
    result = run_network(drawn, record=tuple(flow.name for flow in drawn.flows))
    for flow, flow_plan in zip(result.flows, drawn.flows, strict=True):
        check_flow(flow, flow_plan)
        assert flow.completed_ns is not None
    total = sum(flow.delivered_bytes for flow in result.flows)
    assert 8 * S * total <= drawn.link.rate_bps * result.ended_ns
    limit = drawn.link.queue_bytes if drawn.link.queue_packets is None else drawn.link.queue_packets * 1240
    assert max(result.queue_bytes, default=0) <= limit


@cache
def run_of(name: str) -> NetworkResult:
    """Return a run of a network of the checkout, cut to four seconds."""
    loaded = load_network(NETWORKS / name)
    return run_network(replace(loaded, stop_ns=min(loaded.stop_ns, 4 * S)))


@pytest.mark.parametrize("name", NAMES)
def test_networks_of_the_checkout_run(name: str) -> None:
    """Each network runs with one sample per interval; delivery never decreases and never exceeds the link rate."""
    result = run_of(name)
    for flow in result.flows:
        delivered = flow.samples.delivered_bytes
        assert len(delivered) == len(result.queue_bytes) == result.ended_ns // result.network.sample_ns
        assert delivered == sorted(delivered)
        assert max(flow.samples.rates_bps(result.network.sample_ns)) <= result.network.link.rate_bps * 101 // 100
    assert len({network.title for network in map(load_network, NETWORKS.glob("*.json"))}) == len(NAMES)


def test_first_loss_on_the_geostationary_path() -> None:
    """Slow start of SEARCH ends after 9.8 s on the emulated path, before the loss is seen at about 11 s."""
    loaded = load_network(NETWORKS / "search-geo.json")
    flow = run_network(replace(loaded, stop_ns=12 * S)).flow("download")
    assert flow.exited_ns is not None and 9 * S < flow.exited_ns < 10 * S
    assert flow.first_loss_ns is not None and 10_900 * MS < flow.first_loss_ns < 11_000 * MS


def test_two_equal_flows_get_equal_service() -> None:
    """Two equal flows that start together get equal service; the link is busy while both have data."""
    flows = [plan("a", transfer_bytes=2_000_000), plan("b", transfer_bytes=2_000_000, start_ns=1)]
    result = run_network(network(*flows))
    ends = sorted(flow.completed_ns or 0 for flow in result.flows)
    # 4 MB at 8 Mbit/s take 4 s.
    assert 4 * S < ends[1] < 5 * S
    assert ends[0] > 2500 * MS


def test_packet_times_of_a_single_flow() -> None:
    """Handshake and ten packets: SYN, SYN-ACK, then 1 ms for each packet; the last byte travels for another 10 ms."""
    result = run_network(network(plan(transfer_bytes=10_000, connection=Handshake(1000), ack_bytes=0)))
    flow = result.flow("one")
    # 1 ms for the SYN; the way back is unlimited; the ACK takes no time.
    assert flow.first_sent_ns == 21 * MS
    assert flow.completed_ns == 21 * MS + 10 * MS + 10 * MS


def test_probes_after_tail_loss() -> None:
    """If nothing arrives, probes follow at doubling intervals, and finally the data of the lost packets."""
    lossy = replace(LINK, loss_ppm=600_000)
    results = [
        run_network(network(plan(transfer_bytes=5000), link=lossy, seed=seed), record=("one",)) for seed in range(20)
    ]
    assert all(result.flow("one").completed_ns is not None for result in results)
    assert any(result.flow("one").probe_timeouts > 3 for result in results)
    kinds = {type(event) for result in results for event in result.flow("one").events}
    assert {Pto, Lost, Ack, Sent, PersistentCongestion} <= kinds


def test_first_probe_without_a_sample() -> None:
    """Before the first RTT sample a probe waits 999 ms plus the receiver's delay."""
    broken = replace(LINK, loss_ppm=1_000_000)
    flow = run_network(replace(network(plan(), link=broken), stop_ns=8 * S), record=("one",)).flow("one")
    times = [event.t_ns - ORIGIN_NS for event in flow.events if isinstance(event, Pto)]
    assert times == [1024 * MS, 3 * 1024 * MS, 7 * 1024 * MS]


def limited(**changes: Any) -> FlowPlan:
    """Return a flow with a large window whose receiver acknowledges every packet and has a limit of 10,000 bytes."""
    first = plan(config=Config(1000, 200_000), transfer_bytes=100_000, **{"max_data_bytes": 10_000, **changes})
    return replace(first, receiver=Receiver(1, 0))


def sent(flow: FlowResult) -> list[tuple[int, int]]:
    """Return the time of each sent event in ms, and its bytes."""
    return [((event.t_ns - ORIGIN_NS) // MS, event.bytes) for event in flow.events if isinstance(event, Sent)]


LINK_WITH_ROOM = replace(LINK, queue_bytes=10**6)


def run_limited(*, seed: int = 1, link: Link = LINK_WITH_ROOM, **changes: Any) -> FlowResult:
    """Run a flow alone."""
    return run_network(network(limited(**changes), link=link, seed=seed), record=("one",)).flow("one")


def test_max_data_arrival_times() -> None:
    """A limit arrives 10 ms after the fifth packet of every ten: at 15 ms and every 25 ms later, and at 20 ms."""
    flow = run_limited()
    assert sent(flow)[:6] == [(0, 10_000), (25, 5000), (30, 5000), (50, 5000), (55, 5000), (75, 5000)]
    assert all(event.app_limited for event in flow.events if isinstance(event, Sent))
    assert flow.delivered_bytes == 100_000


def test_growing_max_data_limits() -> None:
    """The limit is 5000 + 20,000 at 25 ms; the next one, 15,000 + 40,000, follows ten packets later."""
    assert sent(run_limited(max_data_factor=2))[:3] == [(0, 10_000), (25, 15_000), (50, 30_000)]


def test_last_packet_before_max_data_is_short() -> None:
    """At the limit a packet has the bytes that are left; half of an odd window is rounded down."""
    flow = run_limited(max_data_bytes=1999)
    # At 11 ms 999 bytes of the limit are left, half of the window; at the second arrival 1000 bytes are left.
    assert sent(flow)[:3] == [(0, 1999), (21, 1000), (42, 1999)]


def test_probes_do_not_exceed_max_data() -> None:
    """Probes repeat data instead of exceeding the limit, and every transfer completes however many packets are lost."""
    flows = [run_limited(seed=seed, link=replace(LINK, loss_ppm=400_000), max_data_bytes=1000) for seed in range(20)]
    assert all(flow.delivered_bytes == 100_000 for flow in flows)
    assert any(flow.probe_timeouts > 3 for flow in flows)
    # With a limit of one packet no new data leaves before the data ahead of it has arrived.
    for flow in flows:
        new = [event for event in flow.events if isinstance(event, Sent) and not event.retransmits]
        assert all(event.bytes == 1000 for event in new)
        assert len(new) == 100


def test_backlog_contains_the_smaller_window() -> None:
    """The backlog contains the smaller of both windows."""
    backlogs = [
        run_limited(receive_window_bytes=window).events[0].receive_window_bytes  # type: ignore[union-attr]
        for window in (None, 9000, 20_000)
    ]
    assert backlogs == [10_000, 9000, 10_000]


# Files and the command


def raw() -> dict[str, Any]:
    """Return a network file."""
    content: dict[str, Any] = json.loads((NETWORKS / "search-geo-gateway.json").read_text(encoding="utf-8"))
    return copy.deepcopy(content)


def write(folder: Path, content: object) -> Path:
    """Write a network file."""
    path = folder / "network.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def command(*words: object) -> Result:
    """Run ``firstflight network``."""
    return CliRunner().invoke(main, ["network", *map(str, words)])


BAD: dict[str, tuple[list[str | int], object, str]] = {
    "no seed": (["seed"], None, "'seed' is a required property"),
    "no flow": (["flows"], [], "non-empty"),
    "two queues": (["bottleneck", "queue_packets"], 5, "valid under each"),
    "no queue": (["bottleneck", "queue_bytes"], None, "bottleneck"),
    "unknown key": (["bottleneck", "ecn"], True, "ecn"),
    "rate 0": (["bottleneck", "rate_bps"], 0, "0 is less than the minimum"),
    "controller": (["flows", 0, "controller"], "search", "does not match"),
    "pacing": (["flows", 0, "sender", "pacing"], "timer", "is not one of"),
    "factor of MAX_DATA": (
        ["flows", 0, "sender", "max_data"],
        {"window_bytes": 1, "factor": 17},
        "17 is greater than the maximum",
    ),
    "MAX_DATA without a window": (["flows", 0, "sender", "max_data"], {"factor": 1}, "'window_bytes' is a required"),
    "saved window alone": (["flows", 0, "sender", "saved_cwnd_bytes"], 5, "saved_rtt_ns"),
    "bucket without rate": (["flows", 0, "token_bucket", "rate_bps"], None, "rate_bps"),
}


@pytest.mark.parametrize("name", BAD)
def test_malformed_networks(tmp_path: Path, name: str) -> None:
    """A malformed file is refused with its name and place, by the command with exit code 2."""
    places, value, reason = BAD[name]
    content = inner = raw()
    for place in places[:-1]:
        inner = inner[place]  # type: ignore[index]
    if value is None:
        del inner[places[-1]]  # type: ignore[arg-type]
    else:
        inner[places[-1]] = value  # type: ignore[index]
    path = write(tmp_path, content)
    with pytest.raises(ScenarioError, match=f"^{path}: ") as refusal:
        load_network(path)
    assert reason in str(refusal.value)
    assert command(path).exit_code == 2


def test_duplicate_flow_names_are_refused(tmp_path: Path) -> None:
    """Flows with the same name are refused."""
    content = raw()
    content["flows"] *= 2
    with pytest.raises(ScenarioError, match="same name"):
        load_network(write(tmp_path, content))


def short(tmp_path: Path) -> Path:
    """Return a network file of one second with two flows."""
    content = raw()
    content["stop_ns"] = 3 * S
    content["flows"].append(content["flows"][0] | {"name": "other", "start_ns": S})
    return write(tmp_path, content)


def test_command_prints_flows_and_bottleneck(tmp_path: Path) -> None:
    """The output has one paragraph for each flow and one for the bottleneck."""
    result = command(short(tmp_path), "--controller", "other=slow-start/rfc-9002", "--transfer-bytes", "other=10000")
    assert result.exit_code == 0
    assert "download (search/lanman-2024+cubic)\n" in result.stdout
    assert "other (slow-start/rfc-9002)\n" in result.stdout
    assert "  delivered_bytes            10000\n" in result.stdout
    assert "  last_byte_arrived_ms       never\n" in result.stdout


def test_command_with_max_data(tmp_path: Path) -> None:
    """The file and the option give the same run; the delivery is bounded by both limits."""
    content = raw()
    content["stop_ns"] = 3 * S
    content["flows"][0]["sender"] |= {"transfer_bytes": None, "max_data": {"window_bytes": 20_000, "factor": 2}}
    by_file = command(write(tmp_path, content), "--json")
    del content["flows"][0]["sender"]["max_data"]
    by_option = command(write(tmp_path, content), "--json", "--max-data", "download=20kB:2")
    assert by_option.exit_code == 0
    assert by_option.stdout == by_file.stdout
    delivered = [
        json.loads(command(tmp_path / "network.json", "--json", *words).stdout)["flows"][0]["delivered_bytes"]
        for words in ((), ("--max-data", "download=20kB"), ("--max-data", "download=20kB:2"))
    ]
    assert delivered[1] < delivered[2] <= delivered[0]


def test_command_json_and_plot(tmp_path: Path) -> None:
    """The JSON is one object with the samples; plots have the same bytes each time."""
    path = short(tmp_path)
    result = command(path, "--json", "--plot", tmp_path / "one.svg", "--seed", 9)
    content = json.loads(result.stdout)
    assert content["seed"] == 9
    assert len(content["queue_bytes"]) == len(content["flows"][0]["samples"]["cwnd_bytes"]) == 6
    command(path, "--plot", tmp_path / "two.svg", "--seed", 9)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert b"<svg" in (tmp_path / "one.svg").read_bytes()


def test_plot_with_bins(tmp_path: Path) -> None:
    """The plot of one flow with SEARCH shows its bins."""
    content = raw()
    content["stop_ns"] = 5 * S
    command(write(tmp_path, content), "--plot", tmp_path / "one.svg")
    assert "Bytes delivered per bin, lanman-2024+cubic" in (tmp_path / "one.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--controller", "nobody=search/draft-09"), "unknown flow nobody"),
        (("--controller", "download=search"), "expected FLOW=ALGORITHM/PROFILE"),
        (("--controller", "download=search/none"), "search/none: no such profile"),
        (("--transfer-bytes", "download=0"), "--transfer-bytes download=0: expected FLOW=N"),
        (("--max-data", "download=0"), "--max-data download=0: expected FLOW=N"),
        (("--max-data", "download=1kB:x"), "expected FLOW=N:FACTOR"),
        (("--max-data", "download=1kB:17"), "max_data_factor 17 is outside 1..16"),
        (("--max-data", "nobody=1kB"), "unknown flow nobody"),
        (("--seed", "-1"), "--seed"),
    ],
)
def test_invalid_arguments_are_usage_errors(tmp_path: Path, words: tuple[str, ...], reason: str) -> None:
    """Unknown names and values out of range are usage errors."""
    result = command(short(tmp_path), *words)
    assert result.exit_code == 2
    assert reason in result.stderr


def test_same_bytes_with_another_hash_seed(tmp_path: Path) -> None:
    """The same file and seed give the same bytes with another hash seed; another seed gives other bytes."""
    content = raw()
    content["stop_ns"] = 4 * S
    path = write(tmp_path, content)
    run = "from firstflight_conformance.cli import main; main()"
    line = [sys.executable, "-c", run, "network", str(path), "--json"]
    outputs = {
        subprocess.run(line, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("0", "77")
    }
    assert len(outputs) == 1
    reseeded = subprocess.run([*line, "--seed", "2"], capture_output=True, check=True).stdout
    assert reseeded not in outputs
