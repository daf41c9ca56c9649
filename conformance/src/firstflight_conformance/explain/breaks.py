"""The rules violated by a cause."""

from collections.abc import Iterable, Sequence
from functools import cache

from firstflight.algorithm import Base
from firstflight.controller import ALGORITHMS, DEFAULT_BASE
from firstflight_conformance.format.clauses import Clause, known_clauses, python_citations
from firstflight_conformance.format.layers import layers
from firstflight_conformance.format.profile_rules import by_weight, holds
from firstflight_conformance.paths import REFERENCE_PY
from firstflight_conformance.records.findings import Decision
from firstflight_conformance.replay.candidates import Candidate
from firstflight_conformance.replay.mutants import Mutant

#: Maximum number of reported rules per cause.
MOST = 6
#: Lines searched around a changed line without a citation.
_NEAR = 4


def broken_by(
    candidate: Candidate, decision: Decision, profile: tuple[str, str], clauses: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return up to six rules violated by a candidate: a possible cause, such as an edit of a source line of the model.

    ``decision``: the event where the candidate first decides differently, with the rules that the model applies there.
    Without ``clauses``, these rules come first. ``profile``: algorithm and profile of the judged case. ``clauses``, if
    the candidate is an edit: the rules near the edited line, in order. The candidate may also be another profile, or
    the base controller alone. Then ``clauses`` are the rules violated by other candidates that explain the same
    failures: other readings, and mutants (listed wrong models).
    """
    named = [*clauses]
    for part in candidate.parts:
        named += rules_of(part, decision.clauses)
    if candidate.kind in ("base", "profile"):  # the whole algorithm, and rules of causes with equal answers
        own = [clause for clause in by_weight(decision.clauses) if known_clauses()[clause].page == profile[0]]
        named = [*own[: MOST // 2], *clauses, *own[MOST // 2 :]]
    rules = _held(named, profile)
    if not clauses:
        rules.sort(key=lambda clause: clause not in decision.clauses)
    rules = rules or _held(by_weight(decision.clauses), profile)
    return tuple([clause for clause in rules if not known_clauses()[clause].ours] or rules)[:MOST]


def may_be_broken(clauses: Iterable[str], profile: tuple[str, str]) -> tuple[str, ...]:
    """Return the rules among ``clauses`` that apply to a profile, at most six: an unknown cause may violate them."""
    return tuple(_held(clauses, profile)[:MOST])


def _held(clauses: Iterable[str], profile: tuple[str, str]) -> list[str]:
    """Keep the rules that apply to a profile.

    These are rules of its algorithm, of its base controller and other algorithms below it, and of NewReno, shared by
    every base.
    """
    pages = {name for name, _ in layers(*profile)} | {DEFAULT_BASE[0]}
    known = known_clauses()
    return [
        clause_id
        for clause_id in dict.fromkeys(clauses)
        if known[clause_id].page in pages and holds(known[clause_id], *profile)
    ]


def rules_of(part: Mutant, carried_out: tuple[str, ...] = ()) -> list[str]:
    """Return the rules violated by one change of the model: another reading, or an edit of its text.

    ``carried_out``: the rules applied by the model at the event of the wrong decision. For a reading, return the rules
    in ``carried_out`` that depend on it, or else all rules that depend on it. For an edit, return the rules cited on
    the changed lines or near them. A list ``breaks`` in the change takes precedence.
    """
    if part.breaks:
        return list(part.breaks)
    if part.readings:
        decided = [clause.id for clause in _clauses() if _decided_by(clause, part)]
        return [clause for clause in decided if clause in carried_out] or decided
    cited = dict.fromkeys(clause for edit in part.edits for clause in _cited_near(edit.file, edit.find))
    return [clause for clause in cited if _of_no_other_base(clause, part)]


def _of_no_other_base(clause: str, part: Mutant) -> bool:
    """Return false if a rule belongs to a base controller that the changed profile does not use, otherwise true.

    ``part``: the change, with its algorithm and profile. A base controller, such as CUBIC, controls the window outside
    slow start. Profiles of this controller use it, and so do profiles of startup algorithms that run on it.
    """
    page = clause.partition(".")[0]
    base = part.profile.partition("+")[2] or DEFAULT_BASE[0]
    return page in (part.algorithm, base) or not isinstance(ALGORITHMS.get(page), Base)


@cache
def _clauses() -> tuple[Clause, ...]:
    return tuple(known_clauses().values())


def _decided_by(clause: Clause, part: Mutant) -> bool:
    return clause.page == part.algorithm and not part.readings.keys().isdisjoint(clause.readings)


@cache
def _cited_near(file: str, find: str) -> list[str]:
    """Return the clauses cited on the lines of the text ``find`` in a file of the model.

    If these lines do not cite any clause, return up to two clauses, cited nearest to the last line of ``find``. Their
    citations are at most four lines before the first or after the last line of ``find``.
    """
    path = REFERENCE_PY / file
    text = path.read_text(encoding="utf-8")
    first = text[: text.index(find)].count("\n") + 1
    last = first + find.rstrip("\n").count("\n")
    cited = [(citation.line, citation.clause) for citation in python_citations() if citation.path == path]
    on = [clause for line, clause in cited if first <= line <= last]
    if on:
        return on
    near = [(abs(line - last), line, clause) for line, clause in cited if first - _NEAR <= line <= last + _NEAR]
    return [clause for _, _, clause in sorted(near)[:2]]
