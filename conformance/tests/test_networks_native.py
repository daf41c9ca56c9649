"""The C simulator against the plain program: networks of the checkout, presets, bounds, and the C code by itself."""

import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firstflight import Config, DomainError, profiles
from firstflight.events import Event
from firstflight_conformance import port
from firstflight_conformance.cli import main
from firstflight_conformance.paths import CONFORMANCE, NETWORKS, REFERENCE_C
from firstflight_conformance.simulate import completion, presets
from firstflight_conformance.simulate import native_bounds as bounds
from firstflight_conformance.simulate import native_layout as layout
from firstflight_conformance.simulate.completion import complete
from firstflight_conformance.simulate.dumbbell import run_network
from firstflight_conformance.simulate.in_loop import SenderLimits
from firstflight_conformance.simulate.loop import Simulation, run_port
from firstflight_conformance.simulate.network import Access, Bucket, FlowPlan, Network, load_network
from firstflight_conformance.simulate.path import Bottleneck
from firstflight_conformance.simulate.scenario import Link, Scenario, ScenarioError
from firstflight_conformance.simulate.transfer import Handshake, Pacing, Receiver, Transfer
from simulated import c_network, plain_network

S, MS = 10**9, 10**6
CONTROLLERS = [f"{name}/{profile}" for name, names in profiles(composed=True).items() for profile in names]
PRESET = "grigore-2025"


def check_network(network: Network) -> bool:
    """Check that both programs agree on every event and arrival; return whether the controllers accept every event."""
    try:
        expected = plain_network(network)
    except DomainError as refusal:
        with pytest.raises(DomainError, match=re.escape(str(refusal))):
            c_network(network)
        return False
    assert c_network(network) == expected
    return True


@pytest.mark.parametrize("name", [path.name for path in sorted(NETWORKS.glob("*.json"))])
def test_networks_of_the_checkout(name: str) -> None:
    """Each network runs its own controllers for three simulated seconds; a second flow starts after six."""
    network = load_network(NETWORKS / name)
    flows = tuple(replace(plan, start_ns=min(plan.start_ns, 6 * S)) for plan in network.flows)
    begun_ns = max(plan.start_ns for plan in flows)
    assert check_network(replace(network, flows=flows, stop_ns=begun_ns + 3 * S))


@pytest.mark.parametrize("seed", [4, 12, 14, 16])
def test_persistent_congestion_ignores_losses_before_sample(seed: int) -> None:
    """Losses before the first RTT sample do not count (RFC 9002, section 7.6.1): seven of ten packets are lost."""
    transfer = Transfer(Config(1000, 10_000), 60_000, named_data=True, probes=True)
    plan = FlowPlan("one", "slow-start/rfc-9002", 0, transfer, Receiver(1, 0))
    link = Link(8_000_000, 10 * MS, 10 * MS, 20_000, 700_000, 0)
    assert check_network(Network("any", "", (), seed, 60 * S, S, link, None, (plan,)))


LINK = Link(8_000_000, 10 * MS, 10 * MS, 20_000, 0, 0)
PLAN = FlowPlan(
    "one",
    "slow-start/rfc-9002",
    0,
    Transfer(Config(1000, 10_000), 60_000, named_data=True, probes=True),
    Receiver(1, 0),
)
NETWORK = Network("any", "", (), 1, 60 * S, S, LINK, None, (PLAN,))


@pytest.mark.parametrize(
    "beyond",
    [
        {"stop_ns": bounds.TIME_END_NS}, {"sample_ns": 0}, {"seed": -1}, {"return_rate_bps": 999},
        {"link": {"queue_packets": bounds.SIZE_MAX_BYTES}}, {"flow": {"start_ns": bounds.TIME_END_NS}},
        {"flow": {"bucket": Bucket(999, 1, 1)}}, {"flow": {"bucket": Bucket(1000, bounds.BURST_MAX_BYTES + 1, 1)}},
        {"flow": {"access": Access(999, 1)}}, {"flow": {"access": Access(1000, bounds.TIME_END_NS)}},
        {"transfer": {"header_bytes": bounds.HEADER_MAX_BYTES + 1}}, {"transfer": {"connection": Handshake(bounds.HEADER_MAX_BYTES + 1)}},
        {"transfer": {"send_buffer_bytes": 1, "transfer_bytes": None}}, {"transfer": {"write_bytes": 0}},
        {"transfer": {"pacing": Pacing.TIMER}}, {"transfer": {"receive_window_bytes": 0}},
        {"transfer": {"max_data_bytes": 0}}, {"transfer": {"max_data_factor": 17}},
    ],
    ids=str,
)  # fmt: skip
def test_values_beyond_bounds_are_refused(beyond: dict[str, Any]) -> None:
    """One step beyond each bound of the C code: the message contains the bound or the missing member."""
    first = NETWORK.flows[0]
    first = replace(first, **beyond.get("flow", {}), transfer=replace(first.transfer, **beyond.get("transfer", {})))
    rest = {name: value for name, value in beyond.items() if name not in ("link", "flow", "transfer")}
    changed = replace(NETWORK, **rest, link=replace(NETWORK.link, **beyond.get("link", {})), flows=(first,))
    bounds.check_network(NETWORK)
    with pytest.raises(
        ScenarioError, match=r"^any: .*(is outside \d+\.\.\d+, the bounds of the simulator| needs \w+)$"
    ):
        run_network(changed)


def test_queue_and_transfer_bounds_are_checked_at_run_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A packet queued for longer than the range of numbers, and a transfer that does not end in time, are errors."""
    crowd = Transfer(Config(65_000, 2**40), 2**37, Pacing.WINDOW, named_data=True, probes=True)
    plan = FlowPlan("one", "slow-start/rfc-9002", 0, crowd, Receiver(2, 0), access=Access(1000, 0))
    with pytest.raises(ScenarioError, match=r"any: beyond the bounds of the simulator: .* 2\^59 ns"):
        run_network(replace(NETWORK, flows=(plan,), stop_ns=S))
    todo = presets.experiment(PRESET, "cubic", 1, 1, 1_000_000)
    assert complete(todo).sent_packets > 0
    monkeypatch.setattr(completion, "TIME_END_NS", S)
    with pytest.raises(ScenarioError, match="does not end within 1 s, the bound of the simulator"):
        complete(todo)


def test_native_refusals_match_the_model() -> None:
    """The reason equals the model's: for an unknown name, and for an event outside the domain."""
    config, reason = Config(1, 2**40), re.escape("run: packets: 100000 is not within 1..65535")
    transfer = Transfer(config, 100_000, named_data=True, probes=True)
    plan = FlowPlan("one", "slow-start/rfc-9002", 0, transfer, Receiver(2, 0))
    with pytest.raises(DomainError, match=reason):
        run_network(replace(NETWORK, flows=(plan,)))
    with pytest.raises(DomainError, match="search/none: no such profile"):
        run_network(replace(NETWORK, flows=(replace(plan, controller="search/none"),)))
    with pytest.raises(DomainError, match=reason):
        run_port(
            Scenario("s", "", 1, S, S, config, 100_000, False, None, NETWORK.link, Receiver(2, 0), ()),
            "slow-start",
            "rfc-9002",
        )
    todo = presets.experiment(PRESET, "slow-start/rfc-9002", 1, 1, 1000)
    with pytest.raises(DomainError, match=reason):
        complete(replace(todo, transfer=transfer))
    with pytest.raises(DomainError, match="search/none: no such profile"):
        complete(replace(todo, algorithm="search/none"))


def command(*words: object, code: int = 0) -> Result:
    """Run ``firstflight``."""
    result = CliRunner().invoke(main, list(map(str, words)))
    assert result.exit_code == code, result.output
    return result


FCT = ("fct", "--algorithm", "jumpstart", "--rate-mbps", 10, "--one-way-delay-ms", 5, "--size-bytes", "1MB", "--json")
FEW_FLOWS = (
    "network",
    NETWORKS / "two-flows.json",
    "--transfer-bytes",
    "background=300000",
    "--transfer-bytes",
    "response=1000",
    "--json",
)


def test_unknown_controllers_are_refused() -> None:
    """The commands refuse unknown controllers with exit code 2."""
    for words in ([*FCT[:2], "search/none", *FCT[3:]], [*FEW_FLOWS, "--controller", "response=search/none"]):
        assert "search/none: no such profile" in command(*words, code=2).stderr


def test_sweep_reports_invalid_cells(tmp_path: Path) -> None:
    """A sweep reports unknown profiles and values that are not cells of the preset."""
    cells = ("--kind", "fct", "--algorithm", "cubic", "--algorithm", "jumpstart", "--algorithm", "search/draft-09", "--algorithm", "search/none",
             "--rate", "10Mbit/s", "--rate", "1500kbit/s", "--rtt", "10ms", "--size", "1kB", "--size", "1MB")  # fmt: skip
    command("sweep", tmp_path / "rows.csv", *cells, "--jobs", 1)
    rows = (tmp_path / "rows.csv").read_text("utf-8")
    assert "search/none: no such profile" in rows and "whole Mbit/s" in rows


def test_python_structures_match_c_header() -> None:
    """The structures that Python fills have the members and the bounds of the header."""
    header = (CONFORMANCE / "simulator" / "simulator.h").read_text("utf-8")
    structures = {
        "sim_step": layout._StepLayout, "sim_link": layout.LinkLayout, "sim_receiver": layout._Receiver, "sim_transfer": layout._Transfer,
        "sim_outside": layout.Outside, "sim_answer": layout.AnswerLayout, "sim_carried": layout.Carried,
        "sim_scenario": layout.ScenarioLayout, "sim_plan": layout._Plan, "sim_network": layout.NetworkLayout,
        "sim_preset": layout.PresetLayout, "sim_summary": layout.SummaryLayout, "sim_flow_result": layout.FlowResultLayout,
        "sim_network_result": layout.NetworkResultLayout, "sim_completion": layout.CompletionLayout, "sim_turn": layout._Turn,
        "sim_sample": layout._Sample,
    }  # fmt: skip
    for name, structure in structures.items():
        body = header.partition(f"struct {name} {{")[2].partition("\n};")[0]
        members = [line for line in body.splitlines() if ";" in line.split("/*")[0]]
        functions = [re.search(r"\(\*(\w+)\)", line) for line in members]
        numbers = [line.split(";")[0].split()[-1].lstrip("*") for line in members]
        names = [function[1] if function else number for function, number in zip(functions, numbers, strict=True)]
        assert names == [field[0] for field in structure._fields_]
    for constant in (
        "TIME_END_NS",
        "RATE_MIN_BPS",
        "SIZE_MAX_BYTES",
        "DRAIN_MAX_NS",
        "BURST_MAX_BYTES",
        "HEADER_MAX_BYTES",
    ):
        text = header.partition(f"#define SIM_{constant} ")[2].partition("\n")[0]
        assert eval(text.replace("UINT64_C", ""), {}) == getattr(bounds, constant)


def test_no_warning_and_no_undefined_behaviour(tmp_path: Path) -> None:
    """Strict C11 without warnings; a scenario, network, preset and link give the same results under the sanitizers."""
    program = tmp_path / "run.c"
    program.write_text(_PROGRAM, encoding="utf-8")
    sources = sorted([program, *(CONFORMANCE / "simulator").glob("*.c"), *port.sources()])
    flags = ("-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-O1",
             "-fsanitize=address,undefined", "-fno-sanitize-recover=all")  # fmt: skip
    include = [f"-I{REFERENCE_C}", f"-I{CONFORMANCE / 'simulator'}"]
    subprocess.run(["cc", *flags, *include, *map(str, sources), "-o", str(tmp_path / "run")], check=True)
    printed = subprocess.run([tmp_path / "run"], check=True, capture_output=True, text=True).stdout.splitlines()
    link = Link(4_000_000, 20 * MS, 20 * MS, 10_000, 10_000, MS)
    scenario = Scenario(
        "", "", 7, 600 * S, 600 * S, Config(1200, 12000), 3_000_000, False, None, link, Receiver(2, 25 * MS), ()
    )
    ended = run_port(scenario, "search", "draft-09+cubic")
    assert ended.dropped_packets > 0 and ended.lost_packets > 0
    assert printed[0] == f"{ended.events} {ended.duration_ns} {ended.dropped_packets} {ended.lost_packets}"
    transfer = Transfer(
        Config(1000, 10_000),
        900_000,
        named_data=True,
        probes=True,
        header_bytes=40,
        ack_bytes=40,
        announced=True,
        connection=Handshake(58),
    )
    plan = FlowPlan(
        "one",
        "jumpstart/pfldnet-2007",
        0,
        transfer,
        Receiver(2, 25 * MS),
        Bucket(8_000_000, 3000, 50 * MS),
        Access(100_000_000, MS),
    )
    crossed = replace(link, early_drop_above_bytes=5000, early_drop_ppm=50_000)
    network = Network(
        "", "", (), 7, 600 * S, S, crossed, 500_000, (plan, replace(plan, name="two", start_ns=S, bucket=None))
    )
    result = run_network(network)
    assert result.early_dropped_packets > 0
    assert (
        printed[1] == f"{result.events} {result.ended_ns + S} {result.dropped_packets} {result.flows[1].sent_packets}"
    )
    done = complete(presets.experiment(PRESET, "jumpstart", 10, 5, 3_000_000))
    assert printed[2] == f"{done.events} {done.fct_ns + S} {done.lost} {done.sent_packets}"
    run = Simulation(replace(scenario, link=replace(link, loss_ppm=0)), _Steady(), 1000)
    run.run()
    assert printed[3] == f"{len(run.events)} {run.now_ns} {run.dropped_packets} {run.lost_packets}"
    relay = Bottleneck(link, 7)
    arrivals_ns = [relay.carry(S + number, 1000) for number in range(100)]
    assert (
        printed[4]
        == f"{max(filter(None, arrivals_ns))} {relay.busy_until_ns} {relay.dropped_packets} {relay.lost_packets}"
    )


class _Steady:
    samples_rate = True
    initial_window_bytes = 12_000

    def on_event(self, _event: Event) -> SenderLimits:
        return SenderLimits(self.initial_window_bytes)


_PROGRAM = """
#include <inttypes.h>
#include <stdio.h>
#include "simulator.h"

#define NO SIM_NONE
#define S UINT64_C(1000000000)

static void say(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\\n", a, b, c, d);
}

static bool steady(void *context, const struct ff_event *event, struct sim_answer *answer)
{
    (void)context;
    (void)event;
    answer->cwnd_bytes = 12000;
    answer->in_slow_start = true;
    return true;
}

int main(void)
{
    struct sim_scenario scenario = {
        .seed = 7, .stop_ns = 600 * S, .after_slow_start_ns = 600 * S,
        .transfer = {.max_datagram_size_bytes = 1200, .initial_window_bytes = 12000, .transfer_bytes = 3000000, .saved_cwnd_bytes = NO,
                     .receive_window_bytes = NO, .first_receive_window_bytes = NO, .send_buffer_bytes = NO, .rtt_tick_ns = NO, .syn_bytes = NO,
                     .max_data_bytes = NO},
        .link = {.rate_bps = 4000000, .forward_delay_ns = 20000000, .return_delay_ns = 20000000, .queue_bytes = 10000, .queue_packets = NO,
                 .loss_ppm = 10000, .jitter_ns = 1000000},
        .receiver = {.ack_every_packets = 2, .max_ack_delay_ns = 25000000},
    };
    struct sim_summary summary;
    enum sim_status status = sim_simulate(&scenario, "search", "draft-09+cubic", NULL, &summary);
    say(summary.events, summary.ended_ns - summary.began_ns, summary.dropped_packets, summary.lost_packets);

    struct sim_plan plan = {
        .algorithm = "jumpstart", .profile = "pfldnet-2007", .transfer = scenario.transfer, .receiver = scenario.receiver,
        .bucket_rate_bps = 8000000, .bucket_burst_bytes = 3000, .bucket_latency_ns = 50000000, .access_rate_bps = 100000000,
        .access_delay_ns = 1000000,
    };
    plan.transfer.max_datagram_size_bytes = 1000;
    plan.transfer.initial_window_bytes = 10000;
    plan.transfer.transfer_bytes = 900000;
    plan.transfer.named_data = plan.transfer.probes = plan.transfer.announced = 1;
    plan.transfer.header_bytes = plan.transfer.ack_bytes = 40;
    plan.transfer.syn_bytes = 58;
    plan.transfer.retry_ns = S;
    struct sim_plan plans[2] = {plan, plan};
    plans[1].start_ns = S;
    plans[1].bucket_rate_bps = NO;
    struct sim_network network = {.seed = 7, .stop_ns = 600 * S, .sample_ns = S, .return_rate_bps = 500000, .link = scenario.link,
                                  .flow_count = 2, .flows = plans};
    network.link.early_drop_above_bytes = 5000;
    network.link.early_drop_ppm = 50000;
    struct sim_flow_result flows[2];
    struct sim_network_result result;
    status |= sim_run_network(&network, NULL, flows, &result);
    say(result.events, result.now_ns, result.dropped_packets, flows[1].sent_packets);

    struct sim_preset preset = {
        .algorithm = "jumpstart", .stop_ns = 600 * S, .rate_bps = 10000000, .delay_ns = 5000000, .queue_bytes = 6250,
        .access_rate_bps = UINT64_C(10000000000), .access_delay_ns = 1000000, .receiver = {2, 200000000, 1},
        .transfer = {.max_datagram_size_bytes = 536, .initial_window_bytes = 5360, .transfer_bytes = 3000000, .pacing = SIM_PACING_TIMER,
                     .named_data = 1, .probes = 1, .least_timeout_ns = S, .header_bytes = 54, .ack_bytes = 54,
                     .receive_window_bytes = 1048576, .first_receive_window_bytes = 65535, .send_buffer_bytes = 1048576, .write_bytes = 1000,
                     .rtt_tick_ns = 1000000, .announced = 1, .saved_cwnd_bytes = NO, .syn_bytes = 58, .data_after_ns = 1, .retry_ns = 3 * S,
                     .fin_acknowledges = 1, .max_data_bytes = NO},
    };
    struct sim_completion done;
    status |= sim_complete(&preset, NULL, &done);
    say(done.events, done.finished_ns, done.dropped_packets, done.sent_packets);

    struct sim_outside outside = {.initial_window_bytes = 12000, .samples_rate = 1, .on_event = steady};
    struct sim_scenario calm = scenario;
    calm.link.loss_ppm = 0;
    status |= sim_simulate_outside(&calm, &outside, 1000, &summary);
    say(summary.events, summary.now_ns, summary.dropped_packets, summary.lost_packets);

    struct sim_path *path = sim_path_begin(&scenario.link, 7, S);
    struct sim_carried carried;
    uint64_t last_ns = 0;
    for (uint64_t i = 0; i < 100; i++) {
        status |= sim_path_carry(path, S + i, 1000, &carried);
        last_ns = carried.arrival_ns != NO && carried.arrival_ns > last_ns ? carried.arrival_ns : last_ns;
    }
    sim_path_end(path);
    say(last_ns, carried.busy_until_ns, carried.dropped_packets, carried.lost_packets);
    return status != SIM_OK;
}
"""
