"""The page "State of the connections": what runs of real senders come to."""

from statistics import median_low

from pages import markdown as md
from studies.live import starts
from studies.live.agreement import Row, is_current, load

_INTRODUCTION = """Measured connections of real senders on emulated paths, and how well the expected profile predicts each. Runs differ, since the machines that make them
stall; the table counts the runs that agree. [](../connections.md) says how the runs are made and judged.

- **Runs**: how many of those that decide about the profile it explains. A run that ends before slow start does, or at which the window limited the sender too seldom, decides nothing.
- **Before the exit**: how many ACKs at which the window limited the sender grew it by another amount than the profile does from the same window, in the worst run.
- **Explains**: of all profiles, those that explain most runs. More than one: the paths do not distinguish them. None: slow start ended by loss, as every profile lets it, or no profile explains the runs.
- A row *judged by other profiles than there are now* was not compared with a profile that is new or has changed, and is no success. A removed profile does not count unless the row names it.
- **Margin**: how far all RTT samples may be off, in each run, without the profile's exit moving. 1, 10, 100 and 1000 µs are tried.

`make live` makes the runs again; `make quinn`, `make firefox` and `make picoquic` repeat the runs of quinn, Firefox and picoquic. They write `conformance/studies/live/connections.json`, from which this page is made."""


_STARTS = f"""## What a start gains, measured

quinn with [plain headers](../connections.md) uploads {starts.RESPONSE_BYTES // 1000} kB over three paths, {starts.RUNS} times with each start: slow start on NewReno, Careful Resume with what a first connection of the same size has left, JumpStart. The time runs from
the end of the handshake to the answer that everything has arrived. Simulated is the same transfer by the path simulator: as many datagrams, paced by the window, with the same saved window; no number of it was fitted to a run. The programs ran with real-time priority, so that other work on the machine delays
none of them.

```{{image}} starts/starts.svg
:class: plot
:alt: Duration of an upload under slow start, Careful Resume and JumpStart in quinn on three paths, run by run, with the simulated duration
```
"""

_BELOW = """Careful Resume is later than simulated: the ACK of the handshake's last packet releases datagrams just before the first ACK of data.
They are initial data then, and the jump waits a round for them. A controller of quinn gives no release times: its jump is paced at 5/4 of what RFC 9959 and the paper say, and bursts of ten packets leave at once. The saved window is that of NewReno at the end of the first connection.
These connections, and those of SEARCH and HyStart++ with 6 MB, are judged by their profiles in every `make test`: none is refuted. Decided are those in which the exit from slow start or a jump is seen at enough ACKs; 300 kB show neither the end of slow start, nor
a window that limits the sender after a jump."""

_OLDER = "<br>*judged by other profiles than there are now*"


def page() -> str:
    """Return the page."""
    rows = [_cells(row) for row in load()]
    header = ("Sender", "Path", "Profile", "Runs", "Before the exit", "Explains", "Margin")
    table = md.list_table(header, rows, (16, 12, 18, 10, 10, 24, 10), "compact")
    return md.page("# State of the connections", _INTRODUCTION, table if rows else "No runs are kept yet.", *_starts())


def _starts() -> list[str]:
    """Return what Careful Resume and JumpStart gain in quinn, measured and simulated, and how each is judged."""
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
