"""Text of the deviations explained by a manifest, defects first, each with its effect and its place."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.text import Text

from firstflight_conformance.adapters.manifest import KINDS, Deviation
from firstflight_conformance.records.results import AdapterReport, Result
from firstflight_conformance.report.causes import short_name

_STYLES = {"defect": "bold yellow"}


@dataclass(frozen=True, slots=True)
class ExplainedDeviation:
    """A deviation explained by a manifest, with the clauses of its first divergences and its results."""

    deviation: Deviation
    clauses: tuple[str, ...]
    results: tuple[Result, ...]


def explained(report: AdapterReport) -> list[ExplainedDeviation]:
    """Return the deviations that explain a result, without duplicates, by kind and in the order of the manifest."""
    results_by_kind: dict[tuple[str, str], list[tuple[Deviation, Result]]] = {
        (deviation.kind, deviation.explanation): [] for deviation in report.manifest.deviations
    }
    for result in report.results:
        why = result.explained_by
        if why is not None:
            results_by_kind.setdefault((why.kind, why.explanation), []).append((why, result))
    return [
        ExplainedDeviation(
            entries[0][0],
            tuple(sorted({why.clause for why, _ in entries if why.clause})),
            tuple(result for _, result in entries),
        )
        for _, entries in sorted(results_by_kind.items(), key=lambda item: KINDS.index(item[0][0]))
        if entries
    ]


def explained_lines(report: AdapterReport) -> Iterator[tuple[Text, list[Text]]]:
    """Yield a title and the lines for each explained deviation."""
    for explanation in explained(report):
        count = f"{len(explanation.results)} case{'s' if len(explanation.results) > 1 else ''}"
        where = ", ".join((*explanation.clauses, count))
        title = f"\n{short_name(report)}: explained deviation: {explanation.deviation.kind}: {where}"
        yield (
            Text(title, _STYLES.get(explanation.deviation.kind, "dim")),
            list(_lines(explanation.deviation, explanation.results[0])),
        )


def _lines(deviation: Deviation, example: Result) -> Iterator[Text]:
    yield Text(deviation.explanation)
    if deviation.notice is not None:
        yield Text(f"effect: {deviation.notice}")
    if deviation.where is not None:
        yield Text(f"in {deviation.where}", "dim")
    if deviation.section is not None:
        yield Text(f"deviates from {deviation.section}", "dim")
    yield Text(f"for example {example.case_id}: {example.reason}", "dim")


def up_to_lines(report: AdapterReport) -> Iterator[Text]:
    """Yield a line about passed slow-start cases that are judged only up to the first reduction of the window.

    The line contains their number. It also contains the number of judged cases of the stack's own controller, such as
    CUBIC, which cover the reduction and later events. Yield nothing without such slow-start cases.
    """
    declaration, count = report.declaration, report.counts["up_to_reduction"]
    if declaration is None or not count:
        return
    own, rest = f"{declaration.controller}/*", report.judged_by_own_controller
    none = (
        f"no case of {own} in this run judges" if rest is None else f"every case of {own} was refused, and none judges"
    )
    judged = f"{rest} cases of {own} judge" if rest else none
    yield Text(
        f"\n{short_name(report)}: {count} cases of slow-start/* pass up to the first reduction; {judged} the rest: "
        "RFC 9002, section 7, permits another controller",
        "yellow",
    )
