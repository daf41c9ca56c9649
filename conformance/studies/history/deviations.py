"""What a kept divergence means: the deviation of the manifest that explains it, or one of ``past/STACK.toml`` that is gone; and what changed when."""

import itertools
import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from firstflight_conformance.adapters.manifest import Deviation, ManifestError, load_manifest
from firstflight_conformance.paths import ADAPTERS
from studies.history.registry import order
from studies.history.stacks import Stack
from studies.history.store import Divergence, Judged

#: The kind of what conforms by another choice, and of what nobody has explained.
CHOICE, UNKNOWN = "choice", "not explained"


@dataclass(frozen=True, slots=True)
class Row:
    """A deviation over the releases: its ``cases`` by version, of those that were built. ``present``: the manifest of today has it.

    ``elsewhere``: by version how many of the cases diverge at another event, or with other numbers, than in the newest release.
    """

    adapter: str
    kind: str
    explanation: str
    notice: str | None
    level: str | None
    present: bool
    cases: dict[str, tuple[str, ...]]
    elsewhere: Mapping[str, int] = field(default_factory=dict)

    def changes(self, releases: Sequence[Judged]) -> list[tuple[str, int, int]]:
        """Return at which of the releases, the oldest first, it came, went or shows in another number of cases: version, before, after.

        A case that the older release was not judged by does not count: whether it shows the deviation is not known. One that only the newer was
        not judged by does: it agrees up to an event for which the stack has no function.
        """
        found = []
        for older, newer in itertools.pairwise(releases):
            before, after = ({*self.cases.get(one.version, ())} for one in (older, newer))
            after -= {*older.unjudged.get(self.adapter, ())}
            if before != after:
                found.append((newer.version, len(before), len(after)))
        return found


@dataclass(frozen=True, slots=True)
class Trace:
    """Where a change comes from: what release notes or a commit of the stack say of ``version``, and ``source``, which names them."""

    version: str
    text: str
    source: str


def rows(stack: Stack, kept: Mapping[str, Judged]) -> list[Row]:
    """Return the deviations that any kept release shows, those of the manifests first, in their order."""
    known = {
        name: [*_present(stack, name), *_past(stack, name)] for release in kept.values() for name in release.counts
    }
    found: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    elsewhere: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    of: dict[tuple[str, str], tuple[Deviation | None, bool]] = {}
    today = _of_today(kept)
    for release in kept.values():
        for one in release.divergences:
            as_today = today.get((one.adapter, one.case)) == one.entry
            then = [
                entry for entry in known[one.adapter] if entry[1] is None or order(release.version) < order(entry[1])
            ]
            deviation, before = _explained(one, then, as_today=as_today)
            present = deviation is not None and before is None
            key = (one.adapter, deviation.explanation if deviation else _unknown(one))
            of[key] = deviation, present
            found[key][release.version].append(one.case)
            elsewhere[key][release.version] += present and not as_today
    places = {
        (name, one.explanation): place for name in known for place, (one, _) in reversed([*enumerate(known[name])])
    }
    return [
        replace(
            _row(key, *of[key], {version: tuple(cases) for version, cases in found[key].items()}),
            elsewhere=dict(elsewhere[key]),
        )
        for key in sorted(found, key=lambda key: (key[0], places.get(key, len(places)), key[1]))
    ]


def coverage(releases: Sequence[Judged]) -> list[tuple[str, str]]:
    """Return at which of the releases, the oldest first, another number of cases is judged than before: version, and what is said of it.

    A stack that detects no spurious loss, for example, is not judged by the cases with one.
    """
    found = []
    for older, newer in itertools.pairwise(releases):
        for adapter, now in newer.unjudged.items():
            before = older.unjudged.get(adapter, [])
            failed = {one.case for one in older.divergences if one.adapter == adapter}
            for verb, cases in (
                ("judged for the first time", {*before} - {*now}),
                ("not judged any more", {*now} - {*before} - failed),
            ):
                if cases:
                    count = f"{len(cases)} case{'s' if len(cases) > 1 else ''}"
                    found.append((newer.version, f"{adapter}: {count} {verb}, such as {min(cases)}"))
    return found


def _row(key: tuple[str, str], deviation: Deviation | None, present: bool, cases: dict[str, tuple[str, ...]]) -> Row:
    adapter, explanation = key
    if deviation is None:
        kind = CHOICE if explanation.startswith(_CHOICE) else UNKNOWN
        return Row(adapter, kind, explanation, None, None, present, cases)
    return Row(adapter, deviation.kind, explanation, deviation.notice, deviation.level, present, cases)


def _of_today(kept: Mapping[str, Judged]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the divergences of the newest release that was judged, by adapter and case."""
    newest = next((one for one in kept.values() if one.not_built is None), None)
    return {(one.adapter, one.case): one.entry for one in newest.divergences} if newest else {}


#: A deviation, and the version with which it was gone; ``None`` if the manifest of today has it.
_Known = tuple[Deviation, str | None]


def _explained(one: Divergence, known: Sequence[_Known], *, as_today: bool) -> tuple[Deviation | None, str | None]:
    """Return what explains a divergence. Where the numbers are not ``as_today``, what is gone today comes first."""
    first = known if as_today else sorted(known, key=lambda entry: entry[1] is None)
    return next((entry for entry in first if entry[0].explains(one.case, one.clauses)), (None, None))


_CHOICE = "Conforms by another choice at an open point: "


def _unknown(one: Divergence) -> str:
    """Return what can be said of a divergence that nobody has explained: what the diagnosis names, and in which profile."""
    name, _, profile = one.case.partition("@")
    where = f"{name.partition('.')[0]}/{profile}"
    return f"{_CHOICE}{one.cause}, in {where}" if one.conforms else f"Cause {one.cause or 'unknown'}, in {where}"


def _present(stack: Stack, adapter: str) -> list[_Known]:
    path = ADAPTERS / adapter / "manifest.toml"
    return [(one, None) for one in load_manifest(path).deviations] if path.exists() and stack.adapters else []


def _past(stack: Stack, adapter: str) -> list[_Known]:
    """Return the deviations that are gone: in the form of a manifest, with the ``adapter`` and the version ``before`` which they were there."""
    found: list[_Known] = []
    for entry in _told(stack).get("deviation", []):
        if entry["adapter"] == adapter:
            told = {name: entry.get(name) for name in ("level", "where", "section", "notice")}
            for clause, cases in entry["cases"].items():
                known = (Deviation(case, clause, entry["explanation"], entry["kind"], **told) for case in cases)
                found += [(one, entry["before"]) for one in known]
    return found


def traces(stack: Stack) -> list[Trace]:
    """Return what is known of where changes come from, the newest first."""
    found = [Trace(one["version"], one["text"], one["source"]) for one in _told(stack).get("trace", [])]
    return sorted(found, key=lambda trace: order(trace.version), reverse=True)


def _told(stack: Stack) -> dict[str, Any]:
    """Return the file. Raise :class:`ManifestError` if it is malformed."""
    if not stack.past.exists():
        return {}
    try:
        raw = tomllib.loads(stack.past.read_text("utf-8"))
    except ValueError as error:
        raise ManifestError(f"{stack.past}: {error}") from error
    needed = {
        "deviation": {"adapter", "before", "kind", "explanation", "cases"},
        "trace": {"version", "text", "source"},
    }
    for name, entries in raw.items():
        for entry in entries:
            missing = needed.get(name, {"no such table"}) - entry.keys()
            if missing:
                raise ManifestError(f"{stack.past}: {name}: {', '.join(sorted(missing))} is missing")
    return raw
