"""The page "State of the connections": results of runs of real senders."""

from statistics import median_low

from pages import markdown as md
from studies.live import starts
from studies.live.agreement import Row, is_current, load

_INTRODUCTION = """Measured connections of real senders on emulated paths, compared with the expected profile. Runs differ, since the machines may
stall; the table counts the runs that agree. [](../connections.md) describes how the runs are made and judged.

- **Runs**: the runs that the profile explains, out of the runs that decide about it. A run decides nothing if it ends before slow start, or if the sender was window-limited too seldom.
- **Before the exit**: the number of window-limited ACKs with another growth than the profile's growth from the same window, in the worst run.
- **Explains**: the profiles that explain most runs. If there are several, the paths do not distinguish them. If there is none, slow start ended by loss, as every profile allows, or no profile explains the runs.
- A row *judged by older profiles* was not compared with new or changed profiles, and does not count as a success. A removed profile does not count unless it is in the row.
- **Margin**: the error of all RTT samples, in each run, that does not move the profile's exit. 1, 10, 100 and 1000 µs are tried.

`make live` repeats the runs; `make quinn`, `make firefox` and `make picoquic` repeat the runs of quinn, Firefox and picoquic. They write `conformance/studies/live/connections.json`, the source of this page."""


_STARTS = f"""## What a start gains, measured

quinn with [plain headers](../connections.md) uploads {starts.RESPONSE_BYTES // 1000} kB over three paths, {starts.RUNS} times with each start: slow start on NewReno, Careful Resume with the saved set of a first connection of the same size, and JumpStart. The time runs from
the end of the handshake to the confirmation of all data. *Simulated* is the same transfer in the path simulator, with as many datagrams, paced by the window, and with the same saved window. No parameter was fitted to a run. The programs ran with real-time priority, so that other work on the machine does
not delay them.

```{{image}} starts/starts.svg
:class: plot
:alt: Duration of an upload under slow start, Careful Resume and JumpStart in quinn on three paths, run by run, with the simulated duration
```
"""

_BELOW = """Careful Resume is later than simulated: the ACK of the handshake's last packet releases datagrams just before the first ACK of data.
They are then initial data, and the jump waits a round for them. A controller of quinn lacks release times: its jump is paced at 5/4 of the rate in RFC 9959 and the paper, and bursts of ten packets leave at once. The saved window is NewReno's at the end of the first connection.
Every `make test` judges these connections, and connections of SEARCH and HyStart++ with 6 MB, by their profiles: none is refuted. A connection is decided if enough ACKs show the exit from slow start or a jump. 300 kB show neither the end of slow start, nor
a window-limited sender after a jump."""

_OLDER = "<br>*judged by older profiles*"


def page() -> str:
    """Return the page."""
    rows = [_cells(row) for row in load()]
    header = ("Sender", "Path", "Profile", "Runs", "Before the exit", "Explains", "Margin")
    table = md.list_table(header, rows, (16, 12, 18, 10, 10, 24, 10), "compact")
    return md.page(
        "# State of the connections", _INTRODUCTION, table if rows else "No runs are stored yet.", *_starts()
    )


def _starts() -> list[str]:
    """Return the gains of Careful Resume and JumpStart in quinn, measured and simulated, and the verdicts."""
    took = {(row.path, row.algorithm): row for row in starts.load()}
    if not took:
        return []
    gains = [_took(took[path, name], took[path, starts.GAINS[0]]) for path in starts.PATHS for name in starts.GAINS]
    judged = [
        (md.code(profile), *(f"{took[path, name].decided} of {starts.RUNS}" for path in starts.PATHS))
        for name, (profile, _) in starts.CARRIED.items()
    ]
    header = ("Path", "Start", "Measured: median, least to most", "Simulated", "Gain, measured", "Gain, simulated")
    return [
        _STARTS,
        md.list_table(header, gains, (16, 20, 26, 12, 13, 13), "compact"),
        _BELOW,
        md.list_table(("Decided", *map(md.code, starts.PATHS)), judged, (28, 24, 24, 24), "compact"),
    ]


def _took(row: starts.Took, slow: starts.Took) -> tuple[str, ...]:
    measured_ns, simulated_ns = median_low(row.took_ns), starts.predicted_ns(row)
    gains = (1 - measured_ns / median_low(slow.took_ns), 1 - simulated_ns / starts.predicted_ns(slow))
    return (
        md.code(row.path),
        md.code(starts.CARRIED[row.algorithm][0]),
        f"{_ms(measured_ns)}, {_ms(min(row.took_ns))} to {_ms(max(row.took_ns))} ms",
        f"{_ms(simulated_ns)} ms",
        *("-" if row is slow else f"{100 * gain:.0f} %" for gain in gains),
    )


def _ms(t_ns: int) -> str:
    return f"{t_ns / 10**6:.0f}"


def _cells(row: Row) -> tuple[str, ...]:
    best = ", ".join(map(md.code, row.best)) or "-"
    unjudged = f"<br>{row.runs - row.judged} not decided" if row.judged < row.runs else ""
    return (
        f"{md.plain(row.stack)}<br>{md.plain(row.version)}{'' if is_current(row) else _OLDER}",
        md.code(row.path),
        md.code(row.profile),
        f"{row.agree} of {row.judged}{unjudged}",
        _before(row),
        best,
        _margin(row),
    )


def _before(row: Row) -> str:
    if not row.judged:
        return "-"
    return f"{row.growth} ACKs differ" if row.growth else "all equal"


def _margin(row: Row) -> str:
    if not row.judged:
        return "-"
    return f"{row.margin_ns // 1000} µs" if row.margin_ns else "none"
