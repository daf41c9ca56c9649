"""An adapter that keeps nothing from one case to the next is judged in parts at the same time, with the verdict of one process.

Without a fault the protocol sees to that. With one it does not: a bad exit is charged to the last case of a process, and too many
timeouts end it. So parts with a fault count for nothing; the adapter is then judged as a whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from firstflight_conformance.adapters.manifest import Manifest
from firstflight_conformance.records.results import AdapterReport, Verdict
from firstflight_conformance.run.judge import disappeared
from firstflight_conformance.run.session import AnyScript
from firstflight_conformance.simulate.cases import StimulusScript


@dataclass(frozen=True, slots=True)
class Part:
    """Cases of one adapter, by their places among all, which one process judges: ``looped`` ones, others, or as a whole all of them."""

    adapter: int
    cases: Sequence[int]
    looped: bool = False
    whole: bool = False


def whole(adapter: int, scripts: Sequence[AnyScript]) -> Part:
    """Return all cases."""
    return Part(adapter, range(len(scripts)), whole=True)


def parts(adapter: int, manifest: Manifest, scripts: Sequence[AnyScript], processes: int) -> list[Part]:
    """Return the cases by vectors and those in closed loop, each in as many parts as there are processes; of most adapters all as one."""
    if not manifest.stateless or processes == 1:
        return [whole(adapter, scripts)]
    places: dict[bool, list[int]] = {False: [], True: []}
    for place, script in enumerate(scripts):
        places[isinstance(script, StimulusScript)].append(place)
    return [Part(adapter, hand, looped) for looped in places for hand in _deal(places[looped], scripts, processes)]


def _deal(places: list[int], scripts: Sequence[AnyScript], processes: int) -> list[list[int]]:
    """Deal out the cases. Those of one vector, which have the same events, stay together."""
    hands: list[list[int]] = [[] for _ in range(processes)]
    for number, (_, cases) in enumerate(groupby(places, lambda place: scripts[place].case.vector.id)):
        hands[number % processes] += cases
    return [hand for hand in hands if hand]


def joined(judged: Sequence[tuple[Part, AdapterReport]]) -> AdapterReport | None:
    """Return the reports on parts of one adapter as one; ``None`` if there is a fault in them, or they declare different things."""
    (part, first), *others = judged
    if part.whole:
        return first
    if any((report.declaration, report.skipped) != (first.declaration, first.skipped) for _, report in others):
        return None
    results = {place: r for part, report in judged for place, r in zip(part.cases, report.results, strict=False)}
    if any(result.verdict is Verdict.ERRORED for result in results.values()):
        return None
    manifest, in_order = first.manifest, tuple(results[place] for place in sorted(results))
    gone = disappeared(manifest.deviations, in_order)
    return AdapterReport(manifest, first.skipped, first.declaration, in_order, gone)
