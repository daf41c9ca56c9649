"""The page of the transfer-time computations, and the plots of the models."""

from pathlib import Path

from firstflight.transfer_time.transfer_time import Inputs
from firstflight_conformance import sweep
from firstflight_conformance.format.computations import Computation
from firstflight_conformance.sweep import Scheme
from pages import markdown as md
from pages import site

_RTT_NS = 200_000_000
_POINTS = 700


def page() -> str:
    """Return the page."""
    blocks = [
        "# transfer-time",
        "Computations of the [transfer-time models](../../specification/transfer-time.md): inputs, and the answer of each scheme. "
        "A fraction is the exact transfer time in ns. [](../../transfer-time.md) explains the models.",
    ]
    for computation in site.computations():
        blocks += _computation(computation)
    return md.page(*blocks)


def _computation(computation: Computation) -> list[str]:
    inputs = [f"{md.code(name)} {value}" for name, value in computation.inputs.items()]
    clauses = sorted({name for answer in computation.profiles.values() for name in answer.clauses})
    answers = [
        (md.code(profile), "; ".join(_output(*item) for item in answer.expect.items()))
        for profile, answer in computation.profiles.items()
    ]
    return [
        md.label(site.anchor("vector", computation.id)),
        f"## {computation.id.removeprefix('transfer-time.')}",
        f"**{md.plain(computation.title)}**",
        md.plain(computation.why),
        f"Inputs: {', '.join(inputs)}. Tier {computation.tier}. Source: {md.plain('; '.join(computation.source['sources']))}.",
        md.list_table(("Profile", "Expected"), answers, (22, 78), "compact"),
        "Clauses carried out: " + ", ".join(md.clause(name) for name in clauses) + ".",
    ]


def _output(name: str, value: object) -> str:
    if name == "error":
        return "refused: outside the domain"
    if isinstance(value, list):
        numerator, denominator = (_shortened(digits) for digits in value)
        return f"{md.code(name)} {numerator}/{denominator}"
    return f"{md.code(name)} {value}"


def _shortened(digits: str) -> str:
    return digits if len(digits) <= 40 else f"{digits[:12]}...{digits[-12:]} ({len(digits)} digits)"


def _with(name: str, rate_bps: int, label: str, **changes: int) -> Scheme:
    return Scheme(name, Inputs(rate_bps, _RTT_NS, 0, **changes), label)


def write_plots(folder: Path) -> None:
    """Draw response time and speedup over size on two paths of 200 ms."""
    from firstflight_conformance.plots.transfer_time import plot  # matplotlib takes a second to load

    ten, gigabit = 10 * 10**6, 10**9
    slow = _with("slow-start", ten, "slow start, w = 3")
    schemes = [
        _with("quick-start", ten, "Quick-Start, 5.12 Mbit/s", approved_rate_bps=5_120_000),
        _with("jump-start", ten, "Jump-Start, 64 KiB"),
        _with("more-start", ten, "More-Start, 10 Mbit/s", approved_rate_bps=ten),
        _with("initial-start", ten, "Initial-Start, w = 10", initial_window_segments=10),
    ]
    plot(schemes, slow, _sizes(1000, 10**7), folder / "times.svg", title="10 Mbit/s, RTT 200 ms")
    fast = [
        _with("quick-start", gigabit, f"Quick-Start, {rate} Mbit/s", approved_rate_bps=round(rate * 10**6))
        for rate in (5.12, 40.96, 163.84, 655.36)
    ]
    fast.append(_with("more-start", gigabit, "More-Start, 1 Gbit/s", approved_rate_bps=gigabit))
    fast.append(_with("jump-start", gigabit, "Jump-Start, 64 KiB"))
    reference = _with("slow-start", gigabit, "slow start, w = 3")
    plot(fast, reference, _sizes(1000, 10**9), folder / "speedups.svg", title="1 Gbit/s, RTT 200 ms", times=False)


def _sizes(first: int, last: int) -> list[int]:
    """Return sizes that also hit both sides of every jump of slow start."""
    jumps = [1448 * window * (2**k - 1) for window in (3, 10) for k in range(1, 25)]
    near = [size + step for size in jumps for step in (0, 1) if first <= size + step <= last]
    return sorted({*sweep.sizes(first, last, _POINTS), *near})
