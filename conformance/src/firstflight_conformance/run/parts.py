"""Parts of stateless adapters, judged at the same time with the verdict of one process.

Without faults the protocol guarantees equal verdicts. Faults change them: a bad exit is charged to the last case of a
process, and too many timeouts end the process. So parts with a fault are discarded, and the whole adapter is judged.
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
    """Cases of one adapter that one process judges. ``cases``: their indices among all cases.

    ``whole``: these are all cases. ``looped``: all of them are closed-loop cases; otherwise a part contains none,
    unless ``whole``.
    """

    adapter: int
    cases: Sequence[int]
    looped: bool = False
    whole: bool = False


def whole(adapter: int, scripts: Sequence[AnyScript]) -> Part:
    """Return all cases as one part."""
    return Part(adapter, range(len(scripts)), whole=True)


def parts(adapter: int, manifest: Manifest, scripts: Sequence[AnyScript], processes: int) -> list[Part]:
    """Split the cases of a stateless adapter into parts.

    A part contains either closed-loop cases or other cases. Each of these two groups has at most ``processes`` parts.
    For an adapter with state, or with one process, return one part with all cases.
    """
    if not manifest.stateless or processes == 1:
        return [whole(adapter, scripts)]
    places: dict[bool, list[int]] = {False: [], True: []}
    for place, script in enumerate(scripts):
        places[isinstance(script, StimulusScript)].append(place)
    return [Part(adapter, hand, looped) for looped in places for hand in _deal(places[looped], scripts, processes)]


def _deal(places: list[int], scripts: Sequence[AnyScript], processes: int) -> list[list[int]]:
    """Return the places of cases for each process. Cases of one vector share its events and go to the same process."""
    hands: list[list[int]] = [[] for _ in range(processes)]
    for number, (_, cases) in enumerate(groupby(places, lambda place: scripts[place].case.vector.id)):
        hands[number % processes] += cases
    return [hand for hand in hands if hand]


def joined(judged: Sequence[tuple[Part, AdapterReport]]) -> AdapterReport | None:
    """Return the joined report of the parts of one adapter.

    The report of a part with all cases (``whole``) is returned as it is, even with faults. Otherwise return ``None`` if
    a part has a fault, or if parts differ in the declaration or in the reason to skip the adapter.
    """
    (part, first), *rest = judged
    if part.whole:
        return first
    if any((report.declaration, report.skipped) != (first.declaration, first.skipped) for _, report in rest):
        return None
    results = {place: r for part, report in judged for place, r in zip(part.cases, report.results, strict=False)}
    if any(result.verdict is Verdict.ERRORED for result in results.values()):
        return None
    manifest, in_order = first.manifest, tuple(results[place] for place in sorted(results))
    gone = disappeared(manifest.deviations, in_order)
    return AdapterReport(manifest, first.skipped, first.declaration, in_order, gone)
