"""Two plots of JumpStart: the send times of a first flight, and the window after a loss in a first flight."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from firstflight import Backlog, Config, Run, Sent, create, step
from firstflight.events import Event
from firstflight_conformance.plots.style import save, styled
from firstflight_conformance.replay.measure import replay
from stimuli.jumpstart import account

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
_PROFILES = ("pfldnet-2007", "scharf-2009", "quicly", "ns3-2025")
_ORIGIN_NS = 10**9
_NS_PER_MS = 10**6


def schedule_ns(profile: str, config: Config, queued_bytes: int, rtt_ns: int) -> list[int]:
    """Return the release times of the packets of a first flight, in ns after its start, by the model."""
    controller = create("jumpstart", profile, config)
    controller, seen = step(controller, Backlog(_ORIGIN_NS, queued_bytes, queued_bytes, rtt_ns))
    times: list[int] = []
    while seen.next_release_ns is not None:
        times.append(seen.next_release_ns - _ORIGIN_NS)
        size, packet = config.max_datagram_size_bytes, len(times) - 1
        run = Run(packet, packet, size, seen.next_release_ns)
        controller, seen = step(controller, Sent(seen.next_release_ns, (run,), size, size, False))
    return times


def plot_schedules(path: Path) -> None:
    """Draw the release times of each profile: 30000 bytes in packets of 1200 are queued, the RTT is 100 ms."""
    figure = Figure(figsize=(7.6, 3.4), layout="constrained")
    axes = figure.subplots()
    for profile, colour, line in zip(_PROFILES, _COLOURS, (".-", "x--", ".-", ".-"), strict=True):
        times = schedule_ns(profile, Config(1200), 30_000, 100 * _NS_PER_MS)
        label = f"{profile}: {len(times)} packets"
        axes.plot(
            [t / _NS_PER_MS for t in times], range(1, len(times) + 1), line, color=colour, linewidth=1, label=label
        )
    axes.set_xlabel("time since data was ready (ms)")
    axes.set_ylabel("packets released")
    axes.legend()
    save(figure, path)


def plot_loss(path: Path) -> None:
    """Draw the vector with one loss in twenty packets: window, threshold, and packets in flight."""
    stimulus = next(s for s in account.CATALOGUE.stimuli if s.id == "jumpstart.account.one-loss")
    observations = replay(create("jumpstart", "pfldnet-2007", stimulus.config), list(stimulus.events))
    figure = Figure(figsize=(7.6, 3.4), layout="constrained")
    axes = figure.subplots()
    times = [(event.t_ns - _ORIGIN_NS) / _NS_PER_MS for event in stimulus.events]
    windows = [o.cwnd_bytes / 1000 for o in observations]
    axes.step([*times, times[-1] + 20], [*windows, windows[-1]], where="post", color=_COLOURS[0], label="window")
    in_flight = [(e.t_ns, getattr(e, "bytes_in_flight", None)) for e in stimulus.events]
    known = [((t - _ORIGIN_NS) / _NS_PER_MS, count / 1000) for t, count in in_flight if count is not None]
    axes.step([t for t, _ in known], [n for _, n in known], where="post", color=_COLOURS[2], label="in flight")
    _note(axes, stimulus.events, "lost", 10, "packet 0 is lost: half of 20 in flight")
    axes.annotate("recovery ends: (20 - 1) / 2", (210, 9), (150, 4), arrowprops={"arrowstyle": "->"})
    axes.set_xlabel("time since data was ready (ms)")
    axes.set_ylabel("packets of 1000 bytes")
    axes.set_ylim(0, 22)
    axes.legend()
    save(figure, path)


def _note(axes: Axes, events: Sequence[Event], kind: str, height: float, text: str) -> None:
    event = next(e for e in events if type(e).__name__.lower() == kind)
    t_ms = (event.t_ns - _ORIGIN_NS) / _NS_PER_MS
    axes.annotate(text, (t_ms, height), (t_ms + 8, height + 5), arrowprops={"arrowstyle": "->"})


def write_plots(folder: Path) -> None:
    """Write both plots as SVG; the same model gives the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    with styled():
        plot_schedules(folder / "schedules.svg")
        plot_loss(folder / "loss.svg")
