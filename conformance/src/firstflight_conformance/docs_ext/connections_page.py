"""The page "State of the connections": what runs of real senders come to."""

from firstflight_conformance.docs_ext import markdown as md
from firstflight_conformance.live.agreement import Row, load

_INTRODUCTION = """What real senders did on emulated paths, and how the profile that should be theirs stands to it. Runs differ, since the machines on which they are made
stall; what is kept is how many of them agree. [](../connections.md) says how they are made, and what is judged.

- **Runs**: in how many of those that left slow start the profile leaves it at the sender's own event, or within the interval in which it did so unseen.
- **Before the exit**: how many ACKs grew the window by another amount than the profile does from the same window, and how many windows are others than those of the profile
  left alone, in the worst run. After one odd byte in the handshake every later window is another.
- **Explains best**: of all profiles, those that come first in most runs. More than one: the paths do not tell them apart.
- **Margin**: how far all RTT samples may be off, in each run, without the profile's exit moving. 1, 10, 100 and 1000 µs are tried.

`make live` makes the runs again, `make quinn` and `make firefox` those of quinn and Firefox; they write `conformance/connections.json`, from which this page is made."""


def page() -> str:
    """Return the page."""
    rows = [_cells(row) for row in load()]
    header = ("Sender", "Path", "Profile", "Runs", "Before the exit", "Explains best", "Margin")
    table = md.list_table(header, rows, (16, 12, 18, 10, 10, 24, 10), "compact")
    return md.page("# State of the connections", _INTRODUCTION, table if rows else "No runs are kept yet.")


def _cells(row: Row) -> tuple[str, ...]:
    best = ", ".join(map(md.code, row.best)) or "-"
    unjudged = f"<br>{row.runs - row.judged} did not leave" if row.judged < row.runs else ""
    return (
        f"{md.plain(row.stack)}<br>{md.plain(row.version)}",
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
    if row.growth == row.windows == 0:
        return "all equal"
    growth = "growth equal" if row.growth == 0 else f"growth: {row.growth} differ"
    return f"{growth}<br>windows: {row.windows} differ" if row.windows else growth


def _margin(row: Row) -> str:
    if not row.judged:
        return "-"
    return f"{row.margin_ns // 1000} µs" if row.margin_ns else "none"
