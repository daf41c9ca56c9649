"""The judgement of a recording for reading, and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from firstflight.events import Event
from firstflight_conformance.cases.measure import ClauseTracer
from firstflight_conformance.cases.timeline import event_text, milliseconds
from firstflight_conformance.diagnose.diagnosis import Cause
from firstflight_conformance.recording.follow import follow
from firstflight_conformance.recording.judge import Judgement, Standing
from firstflight_conformance.recording.margin import margins, precision_decides
from firstflight_conformance.run.report_causes import rule_line
from firstflight_conformance.spec.clauses import known_clauses
from firstflight_conformance.spec.readings import load_tables

#: Profiles that a table shows, and rules and readings that are named.
_SHOWN = 12
_RULES = 4
_RULE_TEXT = {
    "stated": "as the source states",
    "growth": "those in slow start that left the window as it was",
    "data": "those outside the time in which new stream data was sent",
    "never": "none",
}


def verdict(judgement: Judgement, standing: Standing) -> str:
    """Return ``agrees``, ``differs``, ``inconclusive`` or ``not judged``, of the exit."""
    if standing.exit == "none":
        return "not judged"
    if standing.exit != "differs":
        return "agrees"
    return "differs" if precision_decides(judgement, standing) else "inconclusive"


def to_json(standing: Standing) -> dict[str, Any]:
    """Return a standing as JSON."""
    return {
        "rank": standing.rank,
        "profile": standing.profile,
        "exit": standing.exit,
        "growth": [standing.growth.equal, standing.growth.of],
        "windows": [standing.windows.equal, standing.windows.of],
    }


def judgement_json(judgement: Judgement) -> dict[str, Any]:
    """Return what a judgement says beside the ranking: the subject's exit, what was inferred, and of the best what is known."""
    subject, best = judgement.subject_exit, judgement.standings[0]
    return {
        "subject_exit": None
        if subject is None
        else {"after": subject.after, "by": subject.by, "evidence": subject.evidence},
        "app_limited": {"rule": judgement.rule, "acks": judgement.app_limited},
        "verdict": verdict(judgement, best),
        "profile_exit": best.model_exit,
        "margin": [
            {"by_ns": each.by_ns, "moved": each.moved, "of": each.of, "farthest_ns": each.farthest_ns}
            for each in margins(judgement, best)
        ],
    }


def causes_json(causes: Sequence[Cause]) -> list[dict[str, Any]]:
    """Return causes as JSON."""
    return [
        {"cause": each.cause, "kind": each.kind, "level": each.level.value, "clauses": list(each.clauses)}
        for each in causes
    ]


def print_judgement(out: Console, judgement: Judgement, causes: Sequence[Cause] | None = None) -> None:
    """Print a judgement: the subject's exit, the ranking, and of the best its verdict, margin and first difference.

    ``causes``: what reproduces every window of the subject, where it was looked for.
    """
    for line in _subject_lines(judgement):
        out.print(line)
    out.print(_table(judgement.standings))
    best = [standing for standing in judgement.standings if standing.rank == 1]
    out.print()
    for line in (*_best_lines(judgement, best[0]), *_cause_lines(causes), *_tie_lines(best)):
        out.print(line)


def _subject_lines(judgement: Judgement) -> Iterator[Text]:
    subject, events = judgement.subject_exit, judgement.events
    if subject is None:
        yield Text("slow start is not left in this recording")
    elif subject.exact:
        yield Text(f"slow start is left at {_place(events, subject.by)}, by the {subject.evidence}")
    else:
        first = "the beginning" if subject.after < 0 else _place(events, subject.after)
        yield Text(
            f"slow start is left after {first}, at the latest at {_place(events, subject.by)} ({subject.evidence})"
        )
    yield Text(f"app-limited: {judgement.app_limited} ACKs, {_RULE_TEXT[judgement.rule]}", "dim")
    for algorithm, why in judgement.left_out.items():
        yield Text(f"not tried: {algorithm}: {why}", "dim")


def _place(events: Sequence[Event], index: int) -> str:
    since_ns = events[index].t_ns - events[0].t_ns
    return f"event {index}, {milliseconds(since_ns)} ms"


def _table(standings: Sequence[Standing]) -> Table:
    table = Table("rank", "profile", "exit", "events away", "growth to the exit", "after it", "windows", box=None, pad_edge=False)  # fmt: skip
    for standing in standings[:_SHOWN]:
        away = "-" if standing.model_exit is None else str(standing.distance)
        growth = (str(standing.growth_to_exit), str(standing.growth_after), str(standing.windows))
        table.add_row(str(standing.rank), standing.profile, standing.exit, away, *growth)
    if len(standings) > _SHOWN:
        table.add_row("", f"and {len(standings) - _SHOWN} more, behind these", "", "", "", "", "")
    return table


def _best_lines(judgement: Judgement, best: Standing) -> Iterator[Text]:
    found = verdict(judgement, best)
    if found == "differs" and len(judgement.standings) > 1:
        yield Text("no profile leaves slow start where the subject did; the nearest:")
    yield Text.assemble((f"{best.profile}: ", "bold"), _VERDICTS[found])
    if best.run.refused:
        yield Text(f"the model took no further event: {best.run.refused}")
    for margin in margins(judgement, best):
        far = "" if not margin.farthest_ns else f", by up to {milliseconds(margin.farthest_ns)} ms"
        moved = f"its exit moves in {margin.moved} of {margin.of} runs{far}" if margin.moved else "its exit stays"
        yield Text(f"margin: with every RTT moved by {milliseconds(margin.by_ns)} ms {moved}", "dim")
    if best.first is not None:
        yield from _first_lines(judgement, best, best.first)


_VERDICTS = {
    "agrees": "leaves slow start where the subject did",
    "differs": "does not leave slow start where the subject did",
    "inconclusive": "inconclusive: within the precision of the log it may leave slow start where the subject did",
    "not judged": "neither it nor the subject leaves slow start: of the exit nothing is judged",
}


def _first_lines(judgement: Judgement, best: Standing, index: int) -> Iterator[Text]:
    """Yield the first event at which the windows grow differently, and the rules that the model carries out there."""
    event, before = judgement.events[index], judgement.before[index]
    yield Text(f"first difference: {_place(judgement.events, index)}: {event_text(event)}")
    grown = judgement.answers[index].cwnd_bytes - before
    if index < len(best.run.answers):
        yield Text(
            f"the window grows by {grown} bytes, by the profile by {best.run.answers[index].cwnd_bytes - before}"
        )
    for name in _rules(judgement, best.profile, index)[:_RULES]:
        yield rule_line(known_clauses()[name])


def _cause_lines(causes: Sequence[Cause] | None) -> Iterator[Text]:
    """Yield what reproduces every window up to the exit, with its level and rules."""
    if causes is not None and not causes:
        yield Text("cause: none is known that gives every window up to the exit")
    for cause in causes or ():
        yield Text.assemble(("cause: ", "bold"), f"{cause.cause}: {cause.what}; it gives every window up to the exit")
        yield Text(f"level: {cause.level.value}")
        for name in cause.clauses:
            yield rule_line(known_clauses()[name])


def _rules(judgement: Judgement, profile: str, index: int) -> list[str]:
    """Return the clauses that the model carries out at an event, and not at the one before it of the same kind."""
    config, events = judgement.recording.header.config, judgement.events
    carried = []
    for end in (index, index + 1):
        with ClauseTracer() as tracer:
            follow(profile, config, events[:end], judgement.given, begin=judgement.begin)
        carried.append(tracer.clauses)
    return sorted((carried[1] - carried[0]) & set(known_clauses()))


def _tie_lines(best: Sequence[Standing]) -> Iterator[Text]:
    """Yield which profiles the recording does not tell apart, and in which readings they differ."""
    if len(best) < 2:
        return
    yield Text(f"not told apart by this recording: {', '.join(standing.profile for standing in best)}")
    for other in best[1:]:
        yield Text(f"  {best[0].profile} and {other.profile} {_apart(best[0].profile, other.profile)}", "dim")


def _apart(one: str, other: str) -> str:
    """Return what would separate two profiles."""
    (algorithm, first), (second_algorithm, second) = one.split("/"), other.split("/")
    if algorithm != second_algorithm:
        return "are different algorithms: a recording that goes on until one of them leaves slow start tells them apart"
    names = [name for name in (first, second) if "+" in name]
    base = "the base, which shows after the exit" if first.partition("+")[2] != second.partition("+")[2] else ""
    readings = different_readings(algorithm, first.partition("+")[0], second.partition("+")[0])
    parts = [part for part in (base, ", ".join(readings)) if part]
    hint = "" if names else f"; vectors: firstflight compare {one} {other}"
    return f"differ in {'; '.join(parts)}{hint}" if parts else "are one and the same here"


def different_readings(algorithm: str, one: str, other: str) -> list[str]:
    """Return the readings in which two profiles of an algorithm differ."""
    table = {profile.name: profile.readings for profile in load_tables()[algorithm].profiles}
    return [name for name, value in table[one].items() if value != table[other][name]]
