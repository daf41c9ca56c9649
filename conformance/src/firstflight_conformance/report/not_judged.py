"""What was not judged of an adapter, and passing cases that came out otherwise than the model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firstflight_conformance.adapters.messages import OBSERVABLES, OF_SOME_ALGORITHMS
from firstflight_conformance.format.first import known
from firstflight_conformance.records.results import AdapterReport, Result, Verdict
from firstflight_conformance.simulate.cases import PREFIX

#: Rules and cases that are named.
_NAMED = 6


@dataclass(frozen=True, slots=True)
class NotJudged:
    """Observables that were not declared, the rules with a MUST that some wrong implementations break without showing it, and profiles refused."""

    observables: tuple[str, ...]
    rules: tuple[str, ...]
    profiles: tuple[str, ...]

    def text(self) -> str:
        """Return it in a line, nothing where all was judged."""
        parts = []
        if self.observables:
            parts.append(f"{', '.join(self.observables)} (not declared)")
        if self.rules:
            parts.append(f"so not every breach of these rules with a MUST shows: {_listed(self.rules)}")
        if self.profiles:
            parts.append(f"{_listed(self.profiles)} (refused)")
        return f"not judged: {'; '.join(parts)}" if parts else ""


def not_judged(report: AdapterReport) -> NotJudged:
    """Return what the cases that were selected would have judged beside what they did."""
    if report.declaration is None:
        return NotJudged((), (), ())
    judged = {_profile(r.case_id) for r in report.results if r.verdict in (Verdict.PASS, Verdict.FAIL)}
    refused = {_profile(r.case_id) for r in report.results if r.verdict is Verdict.UNSUPPORTED and not r.undeclared}
    declared = set(report.declaration.observables)
    algorithms = [known()[name] for name in sorted({name.partition("/")[0] for name in judged}) if name in known()]
    wanted = {name for one in algorithms for name in one["observables"]}
    computed = all(name.startswith("transfer-time/") for name in judged)
    missing = [n for n in OBSERVABLES if n not in declared and (n in wanted or n not in OF_SOME_ALGORITHMS)]
    rules = [
        rule
        for one in algorithms
        for rule, ways in one["shown_only_by"].items()
        if any(declared.isdisjoint(way) for way in ways)
    ]
    return NotJudged(() if computed else tuple(missing), tuple(rules), tuple(sorted(refused - judged)))


def not_judged_lines(reports: Sequence[AdapterReport]) -> Iterator[tuple[list[AdapterReport], str]]:
    """Yield what was not judged with the adapters of which that is so."""
    groups: dict[str, list[AdapterReport]] = {}
    for report in reports:
        groups.setdefault(not_judged(report).text(), []).append(report)
    yield from ((of, text) for text, of in groups.items() if text)


def other_losses(report: AdapterReport) -> str:
    """Return which cases of the closed loop pass and lose more or fewer packets than the model, nothing if none does."""
    found = [_losses(result) for result in report.results if result.verdict is Verdict.PASS]
    lines = [line for line in found if line]
    return f"passes with other losses than the model: {_listed(lines)}" if lines else ""


def _losses(result: Result) -> str:
    loop = result.loop
    if loop is None or loop.stack.lost_packets == loop.model.lost_packets:
        return ""
    return f"{result.case_id}: {loop.stack.lost_packets} packets, the model {loop.model.lost_packets}"


def _profile(case_id: str) -> str:
    """Return algorithm and profile of a case by its id."""
    name, _, profile = case_id.rpartition("@")
    return profile if case_id.startswith(PREFIX) else f"{name.partition('.')[0]}/{profile}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
