"""Measure the congestion controls of ``reference-c/bpf``: ``python conformance/studies live.bpf.measure [PART...]``.

Parts: windows, jumpstart, resume, overshoot, retreat, cost, rare_acks, faults; windows=NAME,NAME and
cost=NAME,NAME measure some objects. Results are in ``kernel.json``, with kernel version and date. Needs root.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path as File
from typing import Any

from firstflight import Config
from firstflight_conformance.format.files import write_whole
from firstflight_conformance.judge.verdict import judge
from firstflight_conformance.logs.recording.recording import Recording
from firstflight_conformance.paths import LIVE_PATHS
from firstflight_conformance.simulate.dumbbell import run_network
from firstflight_conformance.simulate.network import FlowPlan, Network
from firstflight_conformance.simulate.scenario import Link, load_scenario
from firstflight_conformance.simulate.transfer import Handshake, Pacing, Receiver, Transfer
from studies.live.bpf import faults, figures
from studies.live.bpf.figures import RESULTS
from studies.live.bpf.objects import MissingError, Object, available, find, loaded, objects, require
from studies.live.bpf.path import MSS, transfers
from studies.live.bpf.path import Transfer as Seen
from studies.live.bpf.windows import ACK, SAVED, Record, compare, connections, tracing, with_inputs
from studies.live.kernel.record import RunError, record

PATHS = ("deep-queue", "delay-step", "fast", "long", "paced", "slow")
RUNS = 5
SIZES = (100_000, 1_000_000, 10_000_000)
_ATTEMPTS = 5
_MS, _S = 10**6, 10**9
_ROUNDS = 3  # rounds of a cost measurement; the median counts
_BURST_SEGMENTS = 2  # as an ACK acknowledges
_RARE_ROUNDS = 7
_MAX_PACING_RATE = 23_000_000  # bytes per second: just below the rate of the path, as BBR paces
_HEADERS = 52  # IPv4, TCP and timestamps
#: Links of transfers: rate, round trip, queue in bytes.
LINKS = {
    "10 Mbit/s, 40 ms": Link(10_000_000, 20 * _MS, 20 * _MS, 500_000, 0, 0),
    "20 Mbit/s, 100 ms": Link(20_000_000, 50 * _MS, 50 * _MS, 500_000, 0, 0),
    "20 Mbit/s, 600 ms": Link(20_000_000, 300 * _MS, 300 * _MS, 1_500_000, 0, 0),
}
LONG = "20 Mbit/s, 600 ms"


def windows(names: str = "") -> list[dict[str, Any]]:
    """Compare windows with the model, and judge the same connections, for all objects or the named ones."""
    chosen = names.split(",") if names else [control.name for control in objects()]
    rows: list[dict[str, Any]] = []
    for control in map(find, chosen):
        for path in PATHS:
            runs = [_compared(control, path) for _ in range(RUNS)]
            rows.append({"name": control.name, "path": path, "runs": runs})
            print(
                control.name,
                path,
                [(run["acks"], run["ended"], run["difference"], run["refuted"]) for run in runs],
                flush=True,
            )
    older_rows = _results().get("windows", {"rows": []})["rows"] if names else []
    order = [control.name for control in objects()]
    all_rows = [*(row for row in older_rows if row["name"] not in chosen), *rows]
    return sorted(all_rows, key=lambda row: (order.index(row["name"]), PATHS.index(row["path"])))


def _compared(control: Object, path: str) -> dict[str, Any]:
    recording, records = _recorded(control, path)
    connection = connections(records)[0]
    comparison = compare(control, connection)
    recording = with_inputs(recording, connection)
    verdict = judge(recording, [control.profile])
    every = judge(recording)
    return {
        "acks": comparison.acks,
        "ended": comparison.ended,
        "difference": comparison.difference,
        "refuted": [
            f"event {refutation.event}: expected {refutation.expected}; observed {refutation.observed}"
            for refutation in verdict.refuted
            if verdict.undecided is None
        ],
        "decided": every.undecided is None,
        "among": control.profile in every.may_be or any(name.startswith(control.profile) for name in every.may_be),
    }


def _recorded(control: Object, path: str) -> tuple[Recording, list[Record]]:
    """Record a connection. Retry after a failed capture, which is unrelated to the object."""
    for attempt in range(_ATTEMPTS):
        try:
            with tracing(control) as records:
                recording = record(LIVE_PATHS / f"{path}.json", control.name)
            return recording, records
        except RunError as reason:
            print(f"{control.name} {path}: attempt {attempt + 1}: {reason}", file=sys.stderr, flush=True)
    raise RunError(f"{control.name} {path}: no capture in {_ATTEMPTS} attempts")


def jumpstart() -> list[dict[str, Any]]:
    """Measure completion times of JumpStart, next to the simulator."""
    return [_completion("ff_jumpstart", name, size) for name in LINKS for size in SIZES]


def resume() -> list[dict[str, Any]]:
    """Measure completion times of Careful Resume in the second connection, next to the simulator."""
    return [_completion("ff_resume", name, size) for name in LINKS for size in SIZES]


def _completion(name: str, link_name: str, size: int) -> dict[str, Any]:
    control, link = find(name), LINKS[link_name]
    runs: list[Seen] = []
    saved: list[int] = []
    for _ in range(3):
        with tracing(control) as records:
            runs.append(_transfers(name, link, [4_000_000, size] if name == "ff_resume" else [size])[-1])
        saved += [record.values[0] for record in records if record.kind == SAVED]
    predicted = _predicted_ns(control.profile, link, size, sorted(saved)[len(saved) // 2] if saved else 0)
    row: dict[str, Any] = {
        "name": name,
        "link": link_name,
        "size_bytes": size,
        "took_s": [round(run.seconds, 3) for run in runs],
        "dropped": [run.dropped for run in runs],
        "saved_cwnd_bytes": saved,
        "predicted_s": round(predicted / _S, 3),
    }
    if name == "ff_jumpstart":
        row["paced_s"] = round(_predicted_ns(control.profile, link, size, 0, Pacing.WINDOW) / _S, 3)
    print(row, flush=True)
    return row


def _transfers(name: str, link: Link, sizes: list[int], limit_s: float = 120) -> list[Seen]:
    return transfers(link, load_scenario(LIVE_PATHS / "long.json"), name, sizes, limit_s=limit_s)


def _predicted_ns(profile: str, link: Link, size: int, saved: int, pacing: Pacing = Pacing.NONE) -> int:
    """Return the completion time in the simulator: the same segments, headers and ACKs, all data known at the begin.

    pacing: after a jump, which is paced always.
    """
    plan = Transfer(
        Config(MSS, 10 * MSS),
        -(-size // MSS) * MSS,
        pacing,
        named_data=True,
        probes=True,
        max_ack_delay_ns=40 * _MS,
        header_bytes=_HEADERS,
        ack_bytes=_HEADERS,
        announced=True,
        saved_cwnd_bytes=saved or None,
        saved_rtt_ns=link.forward_delay_ns + link.return_delay_ns if saved else 0,
        connection=Handshake(0),
    )
    flow = FlowPlan("download", profile, 0, plan, Receiver(2, 40 * _MS))
    net = Network("download", "a download", ("this study",), 1, 600 * _S, _S, link, None, (flow,))
    result = run_network(net)
    download = result.flow("download")
    assert download.completed_ns is not None
    assert download.first_sent_ns is not None
    return download.completed_ns - download.first_sent_ns


def overshoot() -> list[dict[str, Any]]:
    """Count the segments that the queue drops in slow start on the long path, and the completion time of 20 MB."""
    rows = []
    for name in (
        "ff_search_09",
        "ff_search_cubic",
        "ff_hystartpp",
        "ff_hspp_cubic",
        "ff_kernel_cubic",
        "ff_no_hystart",
    ):
        with loaded(find(name)):
            runs = [_transfers(name, LINKS[LONG], [20_000_000])[0] for _ in range(RUNS)]
        lost = [_dropped_at_first(run) for run in runs]
        rows.append({"name": name, "dropped_in_slow_start": lost, "took_s": [round(run.seconds, 2) for run in runs]})
        print(rows[-1], flush=True)
    return rows


def _dropped_at_first(run: Seen) -> int:
    """Return the drops of slow start: until two round trips after the first."""
    first = next((at for at, _, _, dropped in run.samples if dropped), None)
    return 0 if first is None else max(dropped for at, _, _, dropped in run.samples if at <= first + 1200 * _MS)


def retreat() -> dict[str, Any]:
    """Resume at half the rate of the first connection with a queue of 60 kB; return samples and windows over time."""
    control = find("ff_resume")
    link = LINKS["20 Mbit/s, 100 ms"]
    with tracing(control) as records:
        first = _transfers(control.name, link, [8_000_000])[0]
        # The map is per namespace and destination: keep the namespaces, and change the link between two transfers.
        halved = replace(link, rate_bps=10_000_000, queue_bytes=60_000)
        run = transfers(
            link, load_scenario(LIVE_PATHS / "long.json"), control.name, [8_000_000, 4_000_000], then=halved
        )[-1]
    samples = [
        [at // _MS, sent - acked, acked, dropped] for at, sent, acked, dropped in run.samples if at < 1_500 * _MS
    ]
    windows = [
        [(record.now_ns - run.first_ns) // _MS, record.cwnd * record.mss, record.in_flight]
        for record in max(connections(records), key=lambda connection: connection[0].now_ns)
        if record.kind == ACK and record.now_ns - run.first_ns < 1_500 * _MS
    ]
    return {
        "first_s": round(first.seconds, 2),
        "took_s": round(run.seconds, 2),
        "dropped": run.dropped,
        "samples": samples[:: max(1, len(samples) // 400)],
        "windows": windows[:: max(1, len(windows) // 400)],
    }


def cost(names: str = "") -> list[dict[str, Any]]:
    """Measure ns per ACK by the kernel's statistics of BPF programs: three seconds at 200 Mbit/s; of all, or some objects.

    The first RTT sample is 11 ms. Without the queue before it, it would be some microseconds. SEARCH would end several
    bins at each ACK, in those runs that stay long in slow start.

    Rounds of all objects follow each other, so that other work on the machine meets all alike. Bursts of two segments
    give all objects the same number of ACKs. Member ``long_bursts``: with bursts of up to 64 kB a paced sender gets few
    ACKs, and each finds cold caches.
    """
    order = ["ff_empty", "ff_kernel_cubic", *(["ff_kernel_bbr"] if "bbr" in available() else [])]
    order += [control.name for control in objects()]
    older_rows = _results().get("cost", {"rows": []})["rows"] if names else []
    rows = {row["name"]: row for row in older_rows}
    chosen = names.split(",") if names else order
    short, long = _costs(chosen, (_BURST_SEGMENTS, None), (None, None))
    rows |= {name: {"name": name, **short[name], "long_bursts": long[name]} for name in chosen}
    return [rows[name] for name in order if name in rows]


def rare_acks() -> list[dict[str, Any]]:
    """Measure BBR next to algorithms of the kernel with long bursts, all paced alike: ACKs are equally rare."""
    chosen = ["ff_kernel_cubic", *(["ff_kernel_bbr"] if "bbr" in available() else []), "ff_bbr"]
    (costs,) = _costs(chosen, (None, _MAX_PACING_RATE), rounds=_RARE_ROUNDS)
    return [{"name": name, **costs[name]} for name in chosen]


def _costs(
    chosen: list[str], *senders: tuple[int | None, int | None], rounds: int = _ROUNDS
) -> list[dict[str, dict[str, Any]]]:
    """Return the median run of each object, for each largest burst in segments and largest pacing rate.

    None: bursts of up to 64 kB, and the pacing of the algorithm.
    """
    statistics = File("/proc/sys/kernel/bpf_stats_enabled")
    before = statistics.read_text("ascii")
    runs: list[dict[str, list[dict[str, Any]]]] = [{name: [] for name in chosen} for _ in senders]
    for _ in range(rounds):
        for costs, (burst_segments, max_rate) in zip(runs, senders, strict=True):
            for name in chosen:
                earlier = {program["id"] for program in _programs()}
                with loaded(find(name)):
                    try:
                        statistics.write_text("1", "ascii")
                        costs[name].append(_cost(name, burst_segments, max_rate, earlier))
                    finally:
                        statistics.write_text(before, "ascii")
    for name in chosen:
        print(name, [[run["ns_per_ack"] for run in costs[name]] for costs in runs], flush=True)
    return [
        {
            name: sorted(object_runs, key=lambda run: int(run["ns_per_ack"]))[rounds // 2]
            for name, object_runs in costs.items()
        }
        for costs in runs
    ]


_RECEIVE = """
import socket
server = socket.create_server(("0.0.0.0", 4433))
print("ready", flush=True)
connection, _ = server.accept()
while connection.recv(1 << 20):
    pass
"""
_SEND = """
import socket, struct, sys, time
c = socket.socket()
c.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, sys.argv[1].encode())
if sys.argv[2] != "None":
    c.setsockopt(socket.SOL_SOCKET, 47, int(sys.argv[2]))  # SO_MAX_PACING_RATE
c.connect(("10.97.0.2", 4433))
ahead = socket.socket(type=socket.SOCK_DGRAM)
ahead.setsockopt(socket.SOL_SOCKET, 32, 1 << 22)  # SO_SNDBUFFORCE
for _ in range(190):  # the first data segments wait 11 ms behind these in the queue
    ahead.sendto(bytes(1400), ("10.97.0.2", 9))
end = time.monotonic() + 3
while time.monotonic() < end:
    c.sendall(bytes(1 << 16))
print(struct.unpack_from("=I", c.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256), 156)[0])  # data segments sent
"""


def _cost(name: str, burst_segments: int | None, max_rate: int | None, earlier: set[int]) -> dict[str, Any]:
    tag = f"ffc{os.getpid()}"
    spaces = [f"{tag}s", f"{tag}r"]
    try:
        for space in spaces:
            _ip("netns", "add", space)
        _ip("link", "add", f"{tag}0", "netns", spaces[0], "type", "veth", "peer", "name", f"{tag}1", "netns", spaces[1])
        for number, space in enumerate(spaces):
            _ip("-n", space, "addr", "add", f"10.97.0.{number + 1}/24", "dev", f"{tag}{number}")
            _ip("-n", space, "link", "set", f"{tag}{number}", "up")
        shape = [
            "tc",
            "qdisc",
            "add",
            "dev",
            f"{tag}0",
            "root",
            "tbf",
            "rate",
            "200mbit",
            "burst",
            "64kb",
            "limit",
            "300kb",
        ]
        _ip("netns", "exec", spaces[0], *shape)
        if burst_segments is not None:
            _ip("-n", spaces[0], "link", "set", f"{tag}0", "gso_max_segs", str(burst_segments))
        receiver = _in(spaces[1], _RECEIVE)
        assert receiver.stdout is not None
        receiver.stdout.readline()
        segments, _ = _in(spaces[0], _SEND, name, str(max_rate)).communicate(timeout=30)
        receiver.wait(30)
        statistics = _statistics(earlier)
        return statistics | {"segments_per_ack": round(int(segments) / statistics["acks"], 1)}
    finally:
        for space in spaces:
            subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


def _in(space: str, program: str, *arguments: str) -> "subprocess.Popen[str]":
    command = ["ip", "netns", "exec", space, sys.executable, "-c", program, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _programs() -> list[dict[str, Any]]:
    listing = subprocess.run(["bpftool", "-j", "prog", "show"], capture_output=True, text=True, check=True).stdout
    return [program for program in json.loads(listing) if program["type"] == "struct_ops"]


def _statistics(earlier: set[int]) -> dict[str, Any]:
    """Return the time of all programs of the loaded object since statistics began, divided by the number of ACKs.

    earlier: ids of programs of objects before, which the kernel frees late. ``calls``: programs that ran at one of 20
    ACKs or more often, with runs and ns.
    """
    programs = {
        program["name"]: program for program in _programs() if program["id"] not in earlier and program.get("run_cnt")
    }
    acks = max(program["run_cnt"] for key, program in programs.items() if key.endswith(("cong_avoid", "cong_control")))
    calls = {
        key: [program["run_cnt"], round(program["run_time_ns"] / program["run_cnt"])]
        for key, program in programs.items()
        if program["run_cnt"] > acks / 20
    }
    total = sum(program["run_time_ns"] for program in programs.values())
    return {"acks": acks, "ns_per_ack": round(total / acks), "calls": calls}


PARTS: dict[str, Callable[..., Any]] = {
    "windows": windows, "jumpstart": jumpstart, "resume": resume, "overshoot": overshoot, "retreat": retreat,
    "cost": cost, "rare_acks": rare_acks, "faults": faults.results,
}  # fmt: skip


def _results() -> dict[str, Any]:
    results: dict[str, Any] = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    return results


def main() -> None:
    """Measure the named parts, or all, and store the results."""
    try:
        require()
    except MissingError as reason:
        print(f"live.bpf.measure: skipped: {reason}", file=sys.stderr)
        return
    for argument in sys.argv[1:] or PARTS:
        begun = time.monotonic()
        part, _, names = argument.partition("=")
        rows = PARTS[part](names) if names else PARTS[part]()
        results = _results()
        results[part] = {"kernel": os.uname().release, "date": datetime.now(UTC).date().isoformat(), "rows": rows}
        write_whole(RESULTS, json.dumps(results, indent=1) + "\n")
        print(part, round(time.monotonic() - begun), "s", flush=True)
    figures.main()


if __name__ == "__main__":
    main()
