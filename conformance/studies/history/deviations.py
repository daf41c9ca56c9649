"""Explains stored divergences by deviations of the manifest or of ``past/STACK.toml``, and lists the changes."""

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

#: The kinds of conforming choices, and of divergences without an explanation.
CHOICE, UNKNOWN = "choice", "not explained"


@dataclass(frozen=True, slots=True)
class Row:
    """A deviation over the built releases: its ``cases`` by version. ``present``: listed in today's manifest.

    ``elsewhere``: by version, the number of cases that differ from the newest release in their event or numbers.
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
        """Return the changes over the releases, oldest first: version, number of cases before, number after.

        A new case without a verdict in the older release does not count: its deviation there is unknown. A case without
        a verdict in the newer release alone counts as gone. It agrees up to an event that the stack does not support.
        """
        changes = []
        for older, newer in itertools.pairwise(releases):
            before, after = ({*self.cases.get(release.version, ())} for release in (older, newer))
            after -= {*older.unjudged.get(self.adapter, ())}
            if before != after:
                changes.append((newer.version, len(before), len(after)))
        return changes


@dataclass(frozen=True, slots=True)
class Trace:
    """The origin of a change: ``text`` about ``version``, from the release notes or the commit in ``source``."""

    version: str
    text: str
    source: str


def rows(stack: Stack, stored: Mapping[str, Judged]) -> list[Row]:
    """Return the deviations of all stored releases, first the deviations of the manifests, in their order."""
    known = {
        name: [*_present(stack, name), *_past(stack, name)] for release in stored.values() for name in release.counts
    }
    cases_by_row: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    elsewhere: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    explanations: dict[tuple[str, str], tuple[Deviation | None, bool]] = {}
    today = _newest_divergences(stored)
    for release in stored.values():
        for divergence in release.divergences:
            as_today = today.get((divergence.adapter, divergence.case)) == divergence.entry
            then = [
                entry
                for entry in known[divergence.adapter]
                if entry[1] is None or order(release.version) < order(entry[1])
            ]
            deviation, before = _explained(divergence, then, as_today=as_today)
            present = deviation is not None and before is None
            key = (divergence.adapter, deviation.explanation if deviation else _unknown(divergence))
            explanations[key] = deviation, present
            cases_by_row[key][release.version].append(divergence.case)
            elsewhere[key][release.version] += present and not as_today
    places = {
        (name, deviation.explanation): place
        for name in known
        for place, (deviation, _) in reversed([*enumerate(known[name])])
    }
    return [
        replace(
            _row(key, *explanations[key], {version: tuple(cases) for version, cases in cases_by_row[key].items()}),
            elsewhere=dict(elsewhere[key]),
        )
        for key in sorted(cases_by_row, key=lambda key: (key[0], places.get(key, len(places)), key[1]))
    ]


def coverage(releases: Sequence[Judged]) -> list[tuple[str, str]]:
    """Return the releases, oldest first, that changed the number of judged cases: version, and a text.

    For example, a stack without detection of spurious losses is not judged by cases with a spurious loss.
    """
    changes = []
    for older, newer in itertools.pairwise(releases):
        for adapter, now in newer.unjudged.items():
            before = older.unjudged.get(adapter, [])
            failed = {divergence.case for divergence in older.divergences if divergence.adapter == adapter}
            for verb, cases in (
                ("judged for the first time", {*before} - {*now}),
                ("not judged any more", {*now} - {*before} - failed),
            ):
                if cases:
                    count = f"{len(cases)} case{'s' if len(cases) > 1 else ''}"
                    changes.append((newer.version, f"{adapter}: {count} {verb}, such as {min(cases)}"))
    return changes


def _row(key: tuple[str, str], deviation: Deviation | None, present: bool, cases: dict[str, tuple[str, ...]]) -> Row:
    adapter, explanation = key
    if deviation is None:
        kind = CHOICE if explanation.startswith(_CHOICE) else UNKNOWN
        return Row(adapter, kind, explanation, None, None, present, cases)
    return Row(adapter, deviation.kind, explanation, deviation.notice, deviation.level, present, cases)


def _newest_divergences(stored: Mapping[str, Judged]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the divergences of the newest judged release, by adapter and case."""
    newest = next((release for release in stored.values() if release.not_built is None), None)
    return (
        {(divergence.adapter, divergence.case): divergence.entry for divergence in newest.divergences} if newest else {}
    )


#: A deviation, and the first version without it; ``None`` for a deviation in today's manifest.
_Known = tuple[Deviation, str | None]


def _explained(
    divergence: Divergence, known: Sequence[_Known], *, as_today: bool
) -> tuple[Deviation | None, str | None]:
    """Return the deviation that explains a divergence. Try past ones first unless the numbers are ``as_today``."""
    first = known if as_today else sorted(known, key=lambda entry: entry[1] is None)
    return next((entry for entry in first if entry[0].explains(divergence.case, divergence.clauses)), (None, None))


_CHOICE = "Conforms by another choice at an open point: "


def _unknown(divergence: Divergence) -> str:
    """Return a text for an unexplained divergence: the cause according to the diagnosis, and the profile."""
    name, _, profile = divergence.case.partition("@")
    where = f"{name.partition('.')[0]}/{profile}"
    return (
        f"{_CHOICE}{divergence.cause}, in {where}"
        if divergence.conforms
        else f"Cause {divergence.cause or 'unknown'}, in {where}"
    )


def _present(stack: Stack, adapter: str) -> list[_Known]:
    path = ADAPTERS / adapter / "manifest.toml"
    return (
        [(deviation, None) for deviation in load_manifest(path).deviations] if path.exists() and stack.adapters else []
    )


def _past(stack: Stack, adapter: str) -> list[_Known]:
    """Return the past deviations: a manifest's deviations plus ``adapter``, and ``before``, the version without it."""
    past: list[_Known] = []
    for entry in _past_content(stack).get("deviation", []):
        if entry["adapter"] == adapter:
            members = {name: entry.get(name) for name in ("level", "where", "section", "notice")}
            for clause, cases in entry["cases"].items():
                known = (Deviation(case, clause, entry["explanation"], entry["kind"], **members) for case in cases)
                past += [(deviation, entry["before"]) for deviation in known]
    return past


def traces(stack: Stack) -> list[Trace]:
    """Return the origins of changes, newest first."""
    origins = [
        Trace(trace["version"], trace["text"], trace["source"]) for trace in _past_content(stack).get("trace", [])
    ]
    return sorted(origins, key=lambda trace: order(trace.version), reverse=True)


def _past_content(stack: Stack) -> dict[str, Any]:
    """Return the content of ``past/STACK.toml``. Raise :class:`ManifestError` if it is malformed."""
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
