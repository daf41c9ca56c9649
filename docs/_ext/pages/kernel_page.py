"""The page "In the kernel, measured": runs of the BPF congestion controls, from ``live/kernel.json``."""

import json
from collections.abc import Callable
from typing import Any

from pages import markdown as md
from studies.live.bpf.figures import RESULTS
from studies.live.bpf.objects import everything

_INTRODUCTION = """Measured runs of the [congestion controls for Linux](../kernel-bpf.md). `make live` makes them
again where root, BTF, clang and bpftool are present;
they are in `conformance/studies/live/kernel.json`."""

_WINDOWS = """## Windows

Six paths of `conformance/scenarios/live`, five runs each. The program records its inputs and the window after each
ACK; the model gets the same inputs as events.

- **Equal**: runs in which all windows equal the model's, up to the exit from slow start or the first loss.
- **Exit**: runs in which slow start ends by the algorithm before a loss.
- **Refuted**: decided runs that `judge` refutes for the profile. `judge` gets the segments on the path, the windows
  that TCP reports in whole segments, and the times, RTT and rate samples that the kernel took for its ACKs.
- **Among**: runs that `judge` decides, and of these the runs with the profile among the remaining ones."""

_COMPLETION = """## Completion times

Downloads from a server, from the first segment sent to the last byte that arrives, in seconds; median of three runs.
JumpStart in the first connection, Careful Resume in the second. The simulator sends the same data with the
same headers and ACKs, and paces the whole jump. Its window is not paced, like the kernel's.

After a jump with losses, the kernel's proportional rate reduction sends as ACKs arrive. The simulated sender fills its
window in a burst at once. The column with pacing is the same simulator at 5/4 of a window per RTT after the jump
(RFC 9002, section 7.7). Careful Resume's window grows with ACKs and needs no such column.

Runs within 10 %: {jumpstart} of 9 with JumpStart, {paced} of 9 with pacing; {resume} of 9 with Careful Resume.

JumpStart differs by more than 10 % where the queue drops much of the jump. A trace of 1 MB over 100 ms: the first
loss is detected at 368 ms, and the kernel's proportional rate reduction spreads 229 retransmissions over three round
trips. The simulator needs two.

All of 10 MB is in the jump, so recovery repeats 7,000 segments and more. In traces of both, each segment arrives once,
and the link needs 4.17 s for them. In the simulator a window of 4,371 segments (100 ms) or 4,867 (600 ms) stays until
the end. It sends in bursts, and the queue drops most of each: 46,196 and 10,651 segments. The link is idle for 0.63 s
and 1.35 s after the first arrival. The kernel sends as ACKs arrive: 9,987 and 7,015 segments are dropped, and the link
is idle for 0.03 s and 0.43 s."""

_CLOSE = 0.1  # share of the completion time in the simulator

_OVERSHOOT = """## Losses in slow start

20 MB over 20 Mbit/s and 600 ms with a queue of one bandwidth-delay product: segments that the queue drops up to two
round trips after the first drop, and the completion time, in five runs.

![Segments dropped in slow start](../_static/kernel-overshoot.svg)"""

_RETREAT = """## A Safe Retreat

Careful Resume on half the rate of the earlier connection, with a queue of 60 kB: the jump loses segments, the window
becomes half of what the path has delivered, and the saved set is forgotten.

![Window, flight and losses of a retreat](../_static/kernel-retreat.svg)"""

_COST = """## Cost

Time of all BPF programs of an object for each ACK, by `kernel.bpf_stats_enabled`, in three seconds at 200 Mbit/s;
median of three runs, without other work on the machine. Row `ff_empty` is the floor: an empty program and one that calls the kernel's Reno.

Bursts have at most two segments, so that all objects get about the same number of ACKs. The last columns are runs with
bursts of up to 64 kB: BBR's pacing then causes few ACKs.

JumpStart, Careful Resume and SUSS have a program before each attempt to send only during the start. The first data
segments wait 11 ms in the queue, so that a bin of SEARCH contains many ACKs. With a first RTT of some microseconds, each
ACK ends several bins: `ff_search_09` then cost 1.45 and 1.53 times as much as the kernel's CUBIC (median of three, on two
days), because two of three runs stayed in slow start.

The floor depends on the machine, and the ratios depend on the floor. Another machine measured 46 ns for both programs
of `ff_empty` and 57 ns for the kernel's CUBIC; there the ratio of an object that does the same work is larger."""

_BBR = """`ff_bbr` costs {ratio:.2f} times as much as the kernel's CUBIC at an equal number of ACKs, and {long_ratio:.2f} times
as much with bursts of up to 64 kB. With long bursts, an ACK of `ff_bbr` acknowledges {segments:.1f} segments, an ACK of the kernel's CUBIC
{segments_of_cubic:.1f}. Each segment then costs {ns:.0f} ns, with CUBIC {ns_of_cubic:.0f} ns."""

_KERNEL_BBR = "The ratios of the kernel's own BBR are {ratio:.2f} at an equal number of ACKs and {long_ratio:.2f} with long bursts."

_RARE_ACKS = """### Equally rare ACKs

Runs with bursts of up to 64 kB, all paced by `SO_MAX_PACING_RATE` just below the rate of the path; median of seven.
The machine had no other work during these runs.
No program loops over segments. The header alone takes 24 ns with warm caches and about 530 ns after they were flushed."""

_FAULTS = """## Faults

Careful Resume over loopback."""


def page() -> str:
    """Return the page."""
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    if "jumpstart" in results and "resume" in results:
        results["completion"] = results["resume"] | {"rows": results["jumpstart"]["rows"] + results["resume"]["rows"]}
    parts: dict[str, Callable[[Any], list[str]]] = {
        "windows": _windows,
        "completion": _completion,
        "overshoot": _overshoot,
        "retreat": _retreat,
        "cost": _cost,
        "rare_acks": _rare_acks,
        "faults": _faults,
    }
    sections = [
        (part(results[name]["rows"]), _measured(results[name])) for name, part in parts.items() if name in results
    ]
    blocks = [block for part, measured in sections for block in (*part, measured)]
    return md.page("# In the kernel, measured", _INTRODUCTION, *(blocks or ["No runs are stored yet."]))


def _measured(part: dict[str, Any]) -> str:
    return f"Kernel {part['kernel']}, {part['date']}."


def _profile(name: str) -> str:
    (program,) = [program for program in everything() if program.name == name]
    return f"`{program.profile}`{' on CUBIC' if program.cubic else ''}" if program.profile != "-" else ""


def _windows(rows: list[dict[str, Any]]) -> list[str]:
    lines = []
    for name in dict.fromkeys(row["name"] for row in rows):
        runs = [run for row in rows if row["name"] == name for run in row["runs"]]
        decided = [run for run in runs if run["decided"]]
        lines.append(
            [
                f"`{name}`",
                _profile(name),
                f"{sum(run['difference'] is None for run in runs)} of {len(runs)}",
                str(sum(run["ended"] == "exit" for run in runs)),
                str(sum(bool(run["refuted"]) for run in runs)),
                f"{sum(run['among'] for run in decided)} of {len(decided)}",
            ]
        )
    return [
        _WINDOWS,
        md.list_table(["Name", "Profile", "Equal", "Exit", "Refuted", "Among"], lines, [20, 30, 15, 10, 10, 15]),
    ]


def _completion(rows: list[dict[str, Any]]) -> list[str]:
    lines = []
    within = {"ff_jumpstart": 0, "ff_resume": 0, "paced": 0}
    for row in rows:
        took = sorted(row["took_s"])[len(row["took_s"]) // 2]
        difference = took / row["predicted_s"] - 1
        paced = took / row["paced_s"] - 1 if "paced_s" in row else None
        within[row["name"]] += abs(difference) <= _CLOSE
        within["paced"] += paced is not None and abs(paced) <= _CLOSE
        lines.append(
            [
                _profile(row["name"]),
                row["link"],
                f"{row['size_bytes'] // 1000} kB",
                f"{took:.3f}",
                f"{row['predicted_s']:.3f}",
                f"{100 * difference:+.0f} %",
                "" if paced is None else f"{row['paced_s']:.3f} ({100 * paced:+.0f} %)",
                str(sorted(row["dropped"])[len(row["dropped"]) // 2]),
            ]
        )
    header = ["Profile", "Path", "Size", "Kernel", "Simulator", "Difference", "Simulator, paced", "Segments dropped"]
    text = _COMPLETION.format(jumpstart=within["ff_jumpstart"], paced=within["paced"], resume=within["ff_resume"])
    return [text, md.list_table(header, lines, [20, 17, 9, 9, 9, 10, 15, 11])]


def _overshoot(rows: list[dict[str, Any]]) -> list[str]:
    names = {"ff_kernel_cubic": "CUBIC of the kernel", "ff_no_hystart": "CUBIC of the kernel, without HyStart"}
    lines = [
        [
            names.get(row["name"]) or _profile(row["name"]),
            ", ".join(map(str, row["dropped_in_slow_start"])),
            ", ".join(map(str, row["took_s"])),
        ]
        for row in rows
    ]
    return [_OVERSHOOT, md.list_table(["Congestion control", "Dropped", "Seconds"], lines, [40, 30, 30])]


def _retreat(_rows: dict[str, Any]) -> list[str]:
    return [_RETREAT]


def _faults(rows: list[dict[str, Any]]) -> list[str]:
    return [_FAULTS, "\n".join(f"- {row['line'][0].upper()}{row['line'][1:]}." for row in rows)]


_CALLED = {
    "ff_kernel_cubic": "CUBIC of the kernel, called as BPF program",
    "ff_kernel_bbr": "BBR of the kernel, called as BPF program",
    "ff_empty": "empty programs",
}


def _cost(rows: list[dict[str, Any]]) -> list[str]:
    by_name = {row["name"]: row for row in rows}
    cubic = by_name["ff_kernel_cubic"]
    ours, cubic_long_bursts = by_name["ff_bbr"]["long_bursts"], cubic["long_bursts"]
    lines = [
        [*_called(row["name"]), *_costs(row, cubic), *_costs(row["long_bursts"], cubic_long_bursts)] for row in rows
    ]
    header = ["ns per ACK", "Ratio to CUBIC", "Segments per ACK"]
    long = [f"{title}, long bursts" for title in header]
    text = _BBR.format(
        ratio=_ratio(by_name["ff_bbr"], cubic),
        long_ratio=_ratio(ours, cubic_long_bursts),
        segments=ours["segments_per_ack"],
        segments_of_cubic=cubic_long_bursts["segments_per_ack"],
        ns=ours["ns_per_ack"] / ours["segments_per_ack"],
        ns_of_cubic=cubic_long_bursts["ns_per_ack"] / cubic_long_bursts["segments_per_ack"],
    )
    texts = [text]
    if (kernel_bbr := by_name.get("ff_kernel_bbr")) is not None:
        ratio, long_ratio = _ratio(kernel_bbr, cubic), _ratio(kernel_bbr["long_bursts"], cubic_long_bursts)
        texts.append(_KERNEL_BBR.format(ratio=ratio, long_ratio=long_ratio))
    return [_COST, md.list_table(["Name", "Profile", *header, *long], lines, [16, 26, 9, 9, 10, 10, 10, 10]), *texts]


def _rare_acks(rows: list[dict[str, Any]]) -> list[str]:
    lines = [[*_called(row["name"]), *_costs(row, rows[0])] for row in rows]
    header = ["Name", "Profile", "ns per ACK", "Ratio to CUBIC", "Segments per ACK"]
    return [_RARE_ACKS, md.list_table(header, lines, [20, 32, 16, 16, 16])]


def _called(name: str) -> list[str]:
    return [f"`{name}`", _CALLED.get(name) or _profile(name)]


def _costs(row: dict[str, Any], compared: dict[str, Any]) -> list[str]:
    """Return ns per ACK, its ratio, and segments per ACK."""
    return [str(row["ns_per_ack"]), f"{_ratio(row, compared):.2f}", f"{row['segments_per_ack']:.1f}"]


def _ratio(row: dict[str, Any], compared: dict[str, Any]) -> float:
    return float(row["ns_per_ack"] / compared["ns_per_ack"])
