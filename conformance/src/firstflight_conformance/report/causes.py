"""Text of causes: description, decision with its arithmetic, rules, and an example case."""

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from rich.text import Text

from firstflight_conformance.format.clauses import Clause
from firstflight_conformance.format.levels import rule_parts
from firstflight_conformance.format.timeline import event_text, milliseconds, observables_text, value_text
from firstflight_conformance.format.wire import decode_int, event_from_json
from firstflight_conformance.records.divergence import Divergence
from firstflight_conformance.records.results import AdapterReport, Result
from firstflight_conformance.simulate.cases import PREFIX

if TYPE_CHECKING:
    from firstflight_conformance.records.findings import Cause, Choice, Decision, Diagnosis, Exercised

#: Maximum number of printed cases of a cause.
_CASES_SHOWN = 3


def cause_lines(
    diagnosis: "Diagnosis", cause: "Cause", shortest_result: Result, clauses: dict[str, Clause]
) -> Iterator[Text]:
    """Yield the lines of a cause; ``shortest_result`` is the result of the shortest case explained by the cause."""
    yield Text.assemble(("cause: ", "bold"), how_sure(diagnosis, cause))
    if cause.kind != "rule":
        yield Text(cause.what)
    yield Text(f"level: {cause.level.value}")
    divergence = cause.divergence or shortest_result.divergence
    yield from decision_lines(cause.decision, divergence)
    for name in cause.clauses:
        if name in clauses:
            yield rule_line(clauses[name])
    if divergence is not None:
        yield from difference_lines(divergence)
    yield from map(Text, cause.notes)
    if shortest_result.change is not None:
        yield Text(shortest_result.change, "dim")
    if cause.title:
        yield Text(f"the vector: {cause.title}. {cause.why}", "dim")
    names = ", ".join(cause.cases[:_CASES_SHOWN])
    more = len(cause.cases) - _CASES_SHOWN
    yield Text(f"cases: {names}" + (f" and {more} more" if more > 0 else ""), "dim")


def choice_texts(choices: Sequence["Choice"]) -> Iterator[str]:
    """Yield a sentence for each choice at an open point: the choice, its cases, and the reason why it conforms.

    Equal choices in several profiles are merged. A value of 0 without a lower limit in the text (``extreme``) gets a
    warning: it may be a mistake that no rule forbids.
    """
    cases: dict[tuple[str, str], dict[str, None]] = {}
    points = {choice.point.id: choice.point for choice in choices}
    extreme = {(choice.point.id, choice.what) for choice in choices if choice.extreme}
    for choice in choices:
        cases.setdefault((choice.point.id, choice.what), {}).update(dict.fromkeys(choice.cases))
    for (name, description), names in cases.items():
        point = points[name]
        where = f", in {cases_text(tuple(names))}" if names else ""
        source = f" ({point.source})" if point.source else ""
        warning = "; 0 conforms, but check whether it is intended" if (name, description) in extreme else ""
        yield f"{description}{where}{warning}; {point.id} is open{source}: {point.why}"


def cases_text(cases: Sequence[str]) -> str:
    """Return the number of cases and the id of the first case as text."""
    return f"1 case: {cases[0]}" if len(cases) == 1 else f"{len(cases)} cases, such as {cases[0]}"


def clash_text(other_case: str) -> str:
    """Return the reason why a case fails though it conforms alone: its choices contradict another case."""
    return (
        f"inconsistent choices: conforms only by choices that contradict {other_case or 'several other cases together'}"
    )


def in_part_text(exercised: "Exercised") -> str:
    """Return the number of vectors judged in part, with the reason."""
    return f"{exercised.in_part} of {exercised.of} cases are judged in part: they send more than the chosen window"


def rule_line(clause: Clause) -> Text:
    """Return a rule with its text, level and source. The text is complete: a stack may violate any sentence of it."""
    name, text, origin = rule_parts(clause)
    return Text.assemble((name, "cyan"), text, (origin, "dim"))


def difference_lines(divergence: Divergence) -> Iterator[Text]:
    """Yield the lines of the first differing answer."""
    if divergence.event_index is not None:
        time_ms = milliseconds(decode_int(divergence.event["t_ns"]))
        event = event_text(event_from_json(divergence.event))
        yield Text(f"event {divergence.event_index} at {time_ms} ms: {event}")
    else:
        yield Text(f"inputs: {'  '.join(f'{name} {value}' for name, value in divergence.event.items())}")
    for difference in divergence.differences:
        expected, observed = value_text(difference.expected), value_text(difference.observed)
        yield Text.assemble(
            f"{difference.observable}: expected ", (expected, "green"), ", observed ", (observed, "red")
        )
    if divergence.fits_float64:
        yield Text(
            "This difference is a rounding of CUBIC in floating point: such a stack declares arithmetic `float64`."
        )


def how_sure(diagnosis: "Diagnosis", cause: "Cause") -> str:
    """Return the number of failures that a cause explains, with its certainty."""
    if cause.kind == "rule":
        return f"unknown for {len(cause.cases)} of {cause.of} failures; it may break one of the rules below"
    if cause.kind == "state":
        return f"{cause.cause}, explains {cause.explains} of {cause.of} failures"
    exact = ", exact: every answer to the end" if cause.exact else ", not exact"
    equivalents = [
        f"{other.cause}{other.within}"
        for other in diagnosis.causes
        if other is not cause and other.cases == cause.cases
    ]
    if cause.exact and equivalents:
        by = "paths; vectors may distinguish them" if cause.cases[0].startswith(PREFIX) else "cases that were judged"
        exact = f", exact, but cannot be distinguished from {', '.join(equivalents)} by the {by}"
    exact += ", perhaps" if cause.is_scrap else ""
    return f"{cause.cause} ({cause.kind}), explains {cause.explains} of {cause.of} failures{cause.within}{exact}"


def decision_lines(decision: "Decision", visible: Divergence | None) -> Iterator[Text]:
    """Yield the event where a cause first acts, the model's values after it, and the values that the cause changes.

    A cause is a changed model that reproduces failures of the adapter. A computation lacks the event. ``visible``:
    the first differing answer of the adapter, or None. If its event is another one, the event line contains "visible
    later".
    """
    if decision.event_index is not None:
        later = visible is not None and visible.event_index != decision.event_index
        where = f"decided at event {decision.event_index}" + (", visible later" if later else "")
        yield Text(f"{where}: {event_text(event_from_json(decision.event))}")
    yield Text(f"the model: {observables_text(decision.model)}", "dim")
    if decision.differences:
        texts = [
            f"{name} {value_text(cause_value)}, not {value_text(value)}"
            for name, value, cause_value in decision.differences
        ]
        yield Text(f"with the cause: {', '.join(texts)}", "dim")


def short_name(report: AdapterReport) -> str:
    """Return the name of the adapter; for a command line, without folders."""
    return " ".join(PurePath(word).name for word in report.manifest.name.split())
