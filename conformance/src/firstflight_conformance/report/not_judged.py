"""Gaps of the judgement of an adapter, and passing cases with other losses than the model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firstflight_conformance.adapters.messages import OBSERVABLES, OF_SOME_ALGORITHMS
from firstflight_conformance.format.first import known
from firstflight_conformance.records.results import AdapterReport, Result, Verdict
from firstflight_conformance.simulate.cases import PREFIX

#: Maximum number of listed rules and cases.
_NAMED = 6


@dataclass(frozen=True, slots=True)
class NotJudged:
    """Undeclared observables, MUST rules whose violations may stay invisible without them, and refused profiles."""

    observables: tuple[str, ...]
    rules: tuple[str, ...]
    profiles: tuple[str, ...]

    def text(self) -> str:
        """Return one line with undeclared observables, rules hidden by them, and refused profiles, or an empty text."""
        parts = []
        if self.observables:
            parts.append(f"{', '.join(self.observables)} (not declared)")
        if self.rules:
            parts.append(f"so some violations of these rules with a MUST are not visible: {_listed(self.rules)}")
        if self.profiles:
            parts.append(f"{_listed(self.profiles)} (refused)")
        return f"not judged: {'; '.join(parts)}" if parts else ""


def not_judged(report: AdapterReport) -> NotJudged:
    """Return the parts of the selected cases that were not judged."""
    if report.declaration is None:
        return NotJudged((), (), ())
    judged = {_profile(r.case_id) for r in report.results if r.verdict in (Verdict.PASS, Verdict.FAIL)}
    refused = {_profile(r.case_id) for r in report.results if r.verdict is Verdict.UNSUPPORTED and not r.undeclared}
    declared = set(report.declaration.observables)
    algorithms = [known()[name] for name in sorted({name.partition("/")[0] for name in judged}) if name in known()]
    algorithm_observables = {name for algorithm in algorithms for name in algorithm["observables"]}
    computed = all(name.startswith("transfer-time/") for name in judged)
    missing = [
        n for n in OBSERVABLES if n not in declared and (n in algorithm_observables or n not in OF_SOME_ALGORITHMS)
    ]
    rules = [
        rule
        for algorithm in algorithms
        for rule, ways in algorithm["shown_only_by"].items()
        if any(declared.isdisjoint(way) for way in ways)
    ]
    return NotJudged(() if computed else tuple(missing), tuple(rules), tuple(sorted(refused - judged)))


def not_judged_lines(reports: Sequence[AdapterReport]) -> Iterator[tuple[list[AdapterReport], str]]:
    """Yield each text about observables, rules and profiles not judged, with the adapters that share it."""
    groups: dict[str, list[AdapterReport]] = {}
    for report in reports:
        groups.setdefault(not_judged(report).text(), []).append(report)
    yield from ((adapters, text) for text, adapters in groups.items() if text)


def other_losses(report: AdapterReport) -> str:
    """Return a text with the passing closed-loop cases that lose more or fewer packets than the model; may be empty."""
    losses = [_losses(result) for result in report.results if result.verdict is Verdict.PASS]
    lines = [line for line in losses if line]
    return f"passes with other losses than the model: {_listed(lines)}" if lines else ""


def _losses(result: Result) -> str:
    loop = result.loop
    if loop is None or loop.stack.lost_packets == loop.model.lost_packets:
        return ""
    return f"{result.case_id}: {loop.stack.lost_packets} packets, the model {loop.model.lost_packets}"


def _profile(case_id: str) -> str:
    """Return ``ALGORITHM/PROFILE`` of a case id."""
    name, _, profile = case_id.rpartition("@")
    return profile if case_id.startswith(PREFIX) else f"{name.partition('.')[0]}/{profile}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
