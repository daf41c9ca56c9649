"""What a kept divergence means: the deviation of the manifest that explains it, or one of ``past/STACK.toml`` that is gone; and what changed when."""

import itertools
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firstflight_conformance.paths import ADAPTERS
from firstflight_conformance.run.manifest import Deviation, ManifestError, load_manifest
from studies.history.registry import order
from studies.history.stacks import Stack
from studies.history.store import Divergence, Judged

#: The kind of what conforms by another choice, and of what nobody has explained.
CHOICE, UNKNOWN = "choice", "not explained"


@dataclass(frozen=True, slots=True)
class Row:
    """A deviation over the releases: its ``cases`` by version, of those that were built. ``present``: the manifest of today has it."""

    adapter: str
    kind: str
    explanation: str
    notice: str | None
    level: str | None
    present: bool
    cases: dict[str, tuple[str, ...]]

    def changes(self, releases: Sequence[Judged]) -> list[tuple[str, int, int]]:
        """Return at which of the releases, the oldest first, it came, went or shows in another number of cases: version, before, after.

        Only cases that both releases were judged by count.
        """
        found = []
        for older, newer in itertools.pairwise(releases):
            apart = {*older.unjudged.get(self.adapter, ()), *newer.unjudged.get(self.adapter, ())}
            before, after = ({*self.cases.get(one.version, ())} - apart for one in (older, newer))
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
    of: dict[tuple[str, str], tuple[Deviation | None, bool]] = {}
    for release in kept.values():
        for one in release.divergences:
            deviation, present = _explained(one, known[one.adapter])
            key = (one.adapter, deviation.explanation if deviation else _unknown(one))
            of[key] = deviation, present
            found[key][release.version].append(one.case)
    places = {
        (name, one.explanation): place for name in known for place, (one, _) in reversed([*enumerate(known[name])])
    }
    return [
        _row(key, *of[key], {version: tuple(cases) for version, cases in found[key].items()})
        for key in sorted(found, key=lambda key: (key[0], places.get(key, len(places)), key[1]))
    ]


def _row(key: tuple[str, str], deviation: Deviation | None, present: bool, cases: dict[str, tuple[str, ...]]) -> Row:
    adapter, explanation = key
    if deviation is None:
        kind = CHOICE if explanation.startswith(_CHOICE) else UNKNOWN
        return Row(adapter, kind, explanation, None, None, present, cases)
    return Row(adapter, deviation.kind, explanation, deviation.notice, deviation.level, present, cases)


def _explained(one: Divergence, known: Sequence[tuple[Deviation, bool]]) -> tuple[Deviation | None, bool]:
    return next((entry for entry in known if entry[0].explains(one.case, one.clauses)), (None, False))


_CHOICE = "Conforms by another choice at an open point: "


def _unknown(one: Divergence) -> str:
    """Return what can be said of a divergence that nobody has explained."""
    name = f"{_CHOICE if one.conforms else 'Cause '}{one.cause or 'unknown'}"
    return name if one.conforms else f"{name}, at {', '.join(one.clauses) or 'no rule'}"


def _present(stack: Stack, adapter: str) -> list[tuple[Deviation, bool]]:
    path = ADAPTERS / adapter / "manifest.toml"
    return [(one, True) for one in load_manifest(path).deviations] if path.exists() and stack.adapters else []


def _past(stack: Stack, adapter: str) -> list[tuple[Deviation, bool]]:
    """Return the deviations that no present release has: in the form of a manifest, with ``adapter``."""
    found = []
    for entry in _told(stack).get("deviation", []):
        if entry["adapter"] == adapter:
            told = {name: entry.get(name) for name in ("level", "where", "section", "notice")}
            for clause, cases in entry["cases"].items():
                found += [
                    (Deviation(case, clause, entry["explanation"], entry["kind"], **told), False) for case in cases
                ]
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
    needed = {"deviation": {"adapter", "kind", "explanation", "cases"}, "trace": {"version", "text", "source"}}
    for name, entries in raw.items():
        for entry in entries:
            missing = needed.get(name, {"no such table"}) - entry.keys()
            if missing:
                raise ManifestError(f"{stack.past}: {name}: {', '.join(sorted(missing))} is missing")
    return raw
