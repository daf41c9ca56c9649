"""Tables of a report. Names and numbers are never cut: columns are dropped to fit, then rows become paragraphs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from firstflight_conformance.format.wire import decode_int
from firstflight_conformance.records.results import AdapterReport, Result
from firstflight_conformance.report.causes import short_name
from firstflight_conformance.simulate.cases import PREFIX
from firstflight_conformance.simulate.loop_run import Moment

#: Names of the counts of an adapter.
_COUNTS = ("pass", "tolerance", "fail", "choice", "undecided", "explained", "changed", "unsupported", "errored")
#: Text columns to drop in a narrow window, in this order.
_DISPENSABLE = ("version", "role")
_STYLES = {
    "fail": "red",
    "changed": "red",
    "errored": "red",
    "choice": "yellow",
    "undecided": "yellow",
    "explained": "yellow",
    "pass": "green",
}
_GAP = 2
_NS_PER_US = 1000


@dataclass(frozen=True, slots=True)
class _Column:
    """A column: its heading, its cells from top to bottom, and whether they are numbers."""

    name: str
    cells: tuple[Text, ...]
    number: bool = True


def print_counts(out: Console, reports: Sequence[AdapterReport], title: str) -> None:
    """Print the results of adapters as one line each, or as paragraphs in a narrow window."""
    judged = [report for report in reports if report.skipped is None]
    names = ["pass", *(name for name in _COUNTS[1:] if any(_count(report, name) for report in judged))]
    columns = _adapter_columns(reports, names)
    out.print(Text(title, "bold"), soft_wrap=True)
    for gone in range(len(_DISPENSABLE) + 1):
        if _printed(out, [column for column in columns if column.name not in _DISPENSABLE[:gone]]):
            return
    for report in reports:
        out.print(Text(short_name(report)), overflow="fold")
        numbers = [f"{name} {_count(report, name)}" for name in names if _count(report, name)]
        out.print(_indented(", ".join(numbers) or ("nothing judged" if report.skipped is None else "skipped")))


def print_loops(out: Console, results: Sequence[Result], name: str) -> list[int]:
    """Print the closed-loop results and return the first line of each row, where the output may be cut.

    Cases that differ from the model come first.
    """
    results = sorted(results, key=lambda result: result.divergence is None)
    title = f"{name} in closed loop, compared with the model; time starts at 1000 ms"
    profiles = {result.case_id.rpartition("@")[2] for result in results}
    if len(profiles) == 1:
        title = f"{title}: {profiles.pop()}"
        label: Callable[[Result], str] = lambda result: _case(result).rpartition("@")[0]  # noqa: E731
    else:
        label = _case
    head = _lines_printed(out, Text(f"\n{title}", "bold"))
    if _printed(out, _loop_columns(results, label)):
        return [head, *range(head + 2, head + 1 + len(results))]  # the column names stay with the first row
    begins = []
    for result in results:
        begins.append(head)
        head += _lines_printed(out, Text(f"{label(result)}: {result.status}"))
        head += sum(_lines_printed(out, _indented(text)) for text in _loop_paragraph(result))
    return begins


def _lines_printed(out: Console, renderable: Text | Padding) -> int:
    """Print a text and return its number of lines."""
    out.print(renderable)
    return len(out.render_lines(renderable, pad=False))


def _printed(out: Console, columns: Sequence[_Column]) -> bool:
    """Print a table if it fits into the window; return whether it was printed. Files and pipes have unlimited width."""
    widths = [max(map(cell_len, (column.name, *(cell.plain for cell in column.cells)))) for column in columns]
    if out.is_terminal and sum(widths) + _GAP * (len(widths) - 1) > out.width:
        return False
    rows = [[Text(column.name, "bold") for column in columns], *zip(*(column.cells for column in columns), strict=True)]
    for row in rows:
        line = Text(" " * _GAP).join(map(_padded, row, columns, widths))
        line.rstrip()
        out.print(line, soft_wrap=True)
    return True


def _padded(cell: Text, column: _Column, width: int) -> Text:
    room = " " * (width - cell_len(cell.plain))
    return Text.assemble(room, cell) if column.number else Text.assemble(cell, room)


def _adapter_columns(reports: Sequence[AdapterReport], names: Sequence[str]) -> list[_Column]:
    versions = [report.declaration.version if report.declaration else "-" for report in reports]
    columns = [
        _Column("adapter", tuple(Text(short_name(report)) for report in reports), number=False),
        _Column("version", tuple(map(Text, versions)), number=False),
        _Column("role", tuple(Text(report.manifest.role) for report in reports), number=False),
    ]
    for name in names:
        columns.append(_Column(name, tuple(_number(report, name) for report in reports)))
    return columns


def _number(report: AdapterReport, name: str) -> Text:
    if report.skipped is not None:
        return Text("skipped" if name == "pass" else "-", "yellow")
    count = _count(report, name)
    return Text(str(count), _STYLES.get(name, "") if count else "dim")


def _count(report: AdapterReport, name: str) -> int:
    """Return the number of cases in the column with this name.

    Passes within tolerance count only in their own column ``tolerance``, so that the columns add up.
    """
    if name == "pass":
        return report.counts["pass"] - report.counts["within_tolerance"]
    return report.counts["within_tolerance" if name == "tolerance" else name]


def _case(result: Result) -> str:
    return result.case_id.removeprefix(PREFIX)


def _loop_columns(results: Sequence[Result], label: Callable[[Result], str]) -> list[_Column]:
    """Return the columns of a table of closed-loop results. ``label`` returns the text for the case of a row.

    After case and verdict follow event and time of the first difference from the model. Then follow time and cwnd at
    the first event with less growth than in slow start, and the number of lost packets. These last three numbers have a
    column for the stack and one for the model each. A column ``end`` is added if a run ended otherwise than
    ``complete`` or ``stopped``.
    """
    rows = [(result, result.loop) for result in results if result.loop is not None]
    reduced = [(loop.stack.growth_reduced, loop.model.growth_reduced) for _, loop in rows]
    ends = [loop.stack.end for _, loop in rows]
    columns = [
        _Column("case", tuple(Text(label(result)) for result, _ in rows), number=False),
        _Column("verdict", tuple(Text(result.status, _STYLES.get(result.status, "")) for result, _ in rows), False),
        _Column("event", tuple(Text(_differs_at(result)) for result, _ in rows)),
        _Column("differs, ms", tuple(Text(_differs_ms(result)) for result, _ in rows)),
        _Column("grows less, ms", tuple(Text(_ms(stack)) for stack, _ in reduced)),
        _Column("model", tuple(Text(_ms(model)) for _, model in reduced)),
        _Column("at cwnd, B", tuple(Text(_cwnd(stack)) for stack, _ in reduced)),
        _Column("model", tuple(Text(_cwnd(model)) for _, model in reduced)),
        _Column("lost", tuple(Text(str(loop.stack.lost_packets)) for _, loop in rows)),
        _Column("model", tuple(Text(str(loop.model.lost_packets)) for _, loop in rows)),
    ]
    if any(end not in _ENDS for end in ends):
        columns.append(_Column("end", tuple(map(Text, ends)), number=False))
    return columns


#: Ends of a run that need no mention.
_ENDS = ("complete", "stopped")


def _loop_paragraph(result: Result) -> list[str]:
    """Return lines for a closed-loop result: first difference, first event with less growth than in slow start, losses.

    Only values that differ between stack and model have lines. A run that ended otherwise than ``complete`` or
    ``stopped`` has a line with its end.
    """
    assert result.loop is not None
    stack, model = result.loop.stack, result.loop.model
    lines = []
    if result.divergence is not None:
        lines.append(f"differs at event {result.divergence.event_index}, {_differs_ms(result)} ms")
    if stack.growth_reduced != model.growth_reduced:
        lines.append(f"grows less: {_moment(stack.growth_reduced)}")
        lines.append(f"the model: {_moment(model.growth_reduced)}")
    if stack.lost_packets != model.lost_packets:
        lines.append(f"lost: {stack.lost_packets}; the model: {model.lost_packets}")
    if stack.end not in _ENDS:
        lines.append(f"the run ended {stack.end}")
    return lines


def _differs_ms(result: Result) -> str:
    return "-" if result.divergence is None else _three_decimals(decode_int(result.divergence.event["t_ns"]))


def _differs_at(result: Result) -> str:
    return "-" if result.divergence is None else str(result.divergence.event_index)


def _moment(moment: Moment | None) -> str:
    return "never" if moment is None else f"at {_ms(moment)} ms, cwnd {moment.cwnd_bytes} B"


def _ms(moment: Moment | None) -> str:
    return "never" if moment is None else _three_decimals(moment.t_ns)


def _cwnd(moment: Moment | None) -> str:
    return "-" if moment is None else str(moment.cwnd_bytes)


def _three_decimals(t_ns: int) -> str:
    whole, rest = divmod(t_ns // _NS_PER_US, 1000)
    return f"{whole}.{rest:03d}"


def _indented(text: str) -> Padding:
    return Padding(Text(text), (0, 0, 0, 2), expand=False)
