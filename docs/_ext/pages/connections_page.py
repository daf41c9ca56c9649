"""The page "State of the connections": what runs of real senders come to."""

from pages import markdown as md
from studies.live.agreement import Row, load, profiles_now

_INTRODUCTION = """Measured connections of real senders on emulated paths, and how well the expected profile predicts each. Runs differ, since the machines that make them
stall; the table counts the runs that agree. [](../connections.md) says how the runs are made and judged.

- **Runs**: how many of those that decide about the profile it explains. A run that ends before slow start does, or at which the window limited the sender too seldom, decides nothing.
- **Before the exit**: how many ACKs at which the window limited the sender grew it by another amount than the profile does from the same window, in the worst run.
- **Explains**: of all profiles, those that explain most runs. More than one: the paths do not distinguish them. None: slow start ended by loss, as every profile lets it, or no profile explains the runs.
- A row *judged by other profiles than there are now* says nothing of those that came later, and is no success.
- **Margin**: how far all RTT samples may be off, in each run, without the profile's exit moving. 1, 10, 100 and 1000 µs are tried.

`make live` makes the runs again, `make quinn` and `make firefox` those of quinn and Firefox; they write `conformance/studies/live/connections.json`, from which this page is made."""


_OLDER = "<br>*judged by other profiles than there are now*"


def page() -> str:
    """Return the page."""
    rows = [_cells(row) for row in load()]
    header = ("Sender", "Path", "Profile", "Runs", "Before the exit", "Explains", "Margin")
    table = md.list_table(header, rows, (16, 12, 18, 10, 10, 24, 10), "compact")
    return md.page("# State of the connections", _INTRODUCTION, table if rows else "No runs are kept yet.")


def _cells(row: Row) -> tuple[str, ...]:
    best = ", ".join(map(md.code, row.best)) or "-"
    unjudged = f"<br>{row.runs - row.judged} not decided" if row.judged < row.runs else ""
    return (
        f"{md.plain(row.stack)}<br>{md.plain(row.version)}{'' if row.made_with == profiles_now() else _OLDER}",
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
