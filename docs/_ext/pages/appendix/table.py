"""A vector as a table of text: a row per event, with the values expected after it."""

import textwrap
from collections.abc import Iterable
from typing import Any

from firstflight.events import Event
from firstflight_conformance.format.timeline import event_text, milliseconds
from firstflight_conformance.format.vectors import Case
from pages.appendix.program import WIDTH

#: Columns that the text of an event needs at least.
_LEAST = 22
_HEAD = ("#", "ms", "event", "flight", "cwnd", "ssthresh", "phase")
_EVENT = _HEAD.index("event")


def abbreviations(phases: Iterable[str]) -> dict[str, str]:
    """Return the initials of each phase, or its whole name where two phases have the same."""
    initials = {phase: "".join(word[0] for word in phase.split("_")).upper() for phase in phases}
    short = list(initials.values())
    return {phase: phase if short.count(short_name) > 1 else short_name for phase, short_name in initials.items()}


def fits(case: Case) -> bool:
    """Return whether the table of a case is wide enough for the text of an event."""
    return _event_width(_rows(case, abbreviations(phases(case)))) >= _LEAST


def phases(case: Case) -> list[str]:
    """Return the phases of a case in the order of their first event."""
    return list(dict.fromkeys(str(observation["phase"]) for observation in case.expected()))


def table(case: Case, short: dict[str, str]) -> str:
    """Return the table of a case. ``short``: the abbreviation of each phase."""
    rows = _rows(case, short)
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    widths[_EVENT] = _event_width(rows)
    return "\n".join(line for row in rows for line in _lines(row, widths))


def _rows(case: Case, short: dict[str, str]) -> list[tuple[str, ...]]:
    return [
        _HEAD,
        *(
            _row(index, event, expected, short)
            for index, (event, expected) in enumerate(zip(case.events, case.expected(), strict=True))
        ),
    ]


def _row(index: int, event: Event, expected: dict[str, Any], short: dict[str, str]) -> tuple[str, ...]:
    threshold = expected["ssthresh_bytes"]
    flight = str(getattr(event, "bytes_in_flight", ""))
    return (
        str(index),
        milliseconds(event.t_ns),
        " ".join(event_text(event).replace(f", {flight} in flight", "").split()),
        flight,
        str(expected["cwnd_bytes"]),
        "inf" if threshold is None else str(threshold),
        short[str(expected["phase"])],
    )


def _event_width(rows: list[tuple[str, ...]]) -> int:
    """Return the columns that the others leave for the text of an event."""
    other_columns = sum(max(len(row[column]) for row in rows) for column in range(len(_HEAD)) if column != _EVENT)
    return WIDTH - other_columns - (len(_HEAD) - 1)


def _lines(row: tuple[str, ...], widths: list[int]) -> list[str]:
    """Return the lines of a row: the text of an event may need several."""
    first, *more = textwrap.wrap(row[_EVENT], widths[_EVENT], subsequent_indent=" ")
    cells = [
        cell.ljust(width) if title in ("event", "phase") else cell.rjust(width)
        for title, cell, width in zip(_HEAD, (*row[:_EVENT], first, *row[_EVENT + 1 :]), widths, strict=True)
    ]
    before = " " * (sum(widths[:_EVENT]) + _EVENT)
    return [" ".join(cells).rstrip(), *(f"{before}{line}".rstrip() for line in more)]
