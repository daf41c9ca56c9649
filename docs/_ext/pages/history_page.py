"""The pages "Stacks over time": deviations of each stack that came and went, with their releases; a list, and a page for each stack."""

from collections.abc import Sequence
from functools import cache

from firstflight_conformance.adapters.manifest import KINDS
from pages import committed, site, stacks_deviations
from pages import markdown as md
from pages.stacks_matrix import badge, counted, other_badge
from studies.history import deviations, store
from studies.history.deviations import Row
from studies.history.judging import vectors_digest
from studies.history.stacks import Stack, load
from studies.history.store import Judged

_INTRODUCTION = """The adapter of each stack was built against its last releases in the package registry. The vectors judged each release.

- The page of a stack has a row for each deviation and a column for each release. A cell has the number of cases that show the deviation; the number leads to
  its explanation. A dot means that no case shows it. [State of the stacks](stacks.md) explains the signs.
- The stack is pinned by version and checksum. Other packages are the packages of `conformance/adapters` if they fit, otherwise the packages that the package manager resolved on that day.
- An adapter uses private code, so an old release may need another adapter: the changes are in `conformance/studies/history/patches`. For a release that does not build, the page has its first error.
- A deviation is recognized by case and rule. The number in parentheses counts cases that diverge at another event, or with other numbers, than in the newest release: their cause may differ. Deviations without an explanation are listed as *not explained*,
  with the cause found by the diagnosis.
- A case ends at its first divergence, which hides later ones. When a deviation is fixed, others may seem to appear.
- Dates come from the registry; for a Python package or a Debian source package, from its newest file.

`firstflight dev history STACK` builds and judges missing releases, and writes `conformance/studies/history/releases/STACK.json`, the source of these pages. It is not part of `make test`."""
_LEGEND = """A cell has the number of cases that show the deviation, in parentheses the cases that diverge differently than in the newest release. A dot means none.
[Stacks over time](../history.md) explains how releases are built and judged."""
_ORDER = (*KINDS, deviations.CHOICE, deviations.UNKNOWN)


def pages() -> dict[str, str]:
    """Return the list and the pages of the stacks, by the names of their documents."""
    releases_by_stack = {stack: releases for stack in load().values() if (releases := store.load(stack.kept))}
    documents = {
        f"history/{stack.name}": md.page(*_stack(stack, releases)) for stack, releases in releases_by_stack.items()
    }
    header = ("Stack", "Releases", "Judged", "Deviations", "Last change in")
    table = md.list_table(
        header,
        [_row(stack, releases) for stack, releases in releases_by_stack.items()],
        (22, 24, 18, 12, 24),
        "compact",
    )
    listed = (
        [table, _INTRODUCTION, md.hidden_toctree(documents)]
        if releases_by_stack
        else [_INTRODUCTION, "No release is stored yet."]
    )
    return {"history": md.page("# Stacks over time", *listed)} | documents


def _row(stack: Stack, by_version: dict[str, Judged]) -> tuple[str, ...]:
    releases = [*by_version.values()][::-1]
    built = [release for release in releases if release.not_built is None]
    rows = deviations.rows(stack, by_version)
    changed = {version for row in rows for version, _, _ in row.changes(built)}
    newest = next((release.version for release in reversed(built) if release.version in changed), "none")
    return (
        md.old_anchor(_page_anchor(stack), md.ref(stack.name, _page_anchor(stack))),
        f"{len(releases)}: {releases[0].version} to {releases[-1].version}",
        max(release.judged for release in releases),
        str(len(rows)),
        newest,
    )


def _page_anchor(stack: Stack) -> str:
    return site.anchor("history", stack.name)


def _stack(stack: Stack, by_version: dict[str, Judged]) -> list[str]:
    oldest_first = [*by_version.values()][::-1]
    built = [release for release in oldest_first if release.not_built is None]
    versions = [release.version for release in built]
    rows = sorted(deviations.rows(stack, by_version), key=lambda row: _ORDER.index(row.kind))
    explained = [_explained(stack, row, versions) for row in rows if _elsewhere(row) is None]
    return [
        md.label(_page_anchor(stack)),
        f"# {md.plain(stack.name)} over time",
        _table(stack, rows, built),
        f"{_judged(oldest_first)} {_LEGEND}",
        "## Changes by release",
        *_changes(stack, rows, built),
        "## Cases that agree",
        _counts(built),
        _not_built(oldest_first),
        *(["## Explanations", *explained] if explained else []),
    ]


def _judged(releases: Sequence[Judged]) -> str:
    days = sorted({release.judged for release in releases})
    stale = any(release.vectors != vectors_digest() for release in releases)
    note = " *By other vectors than there are now.*" if stale else ""
    return (
        f"{counted(len(releases), 'release')}, {releases[0].version} of {releases[0].released} to {releases[-1].version} of {releases[-1].released}. Judged on "
        f"{' and '.join((days[0], days[-1])[: len(days)])} by Firstflight {' and '.join(sorted({release.firstflight for release in releases}))}.{note}"
    )


def _changes(stack: Stack, rows: Sequence[Row], built: Sequence[Judged]) -> list[str]:
    """Return new and fixed deviations, the newest first, each with the origin of the change if known."""
    versions = [release.version for release in built]
    released = {release.version: release.released for release in built}
    by_version: dict[str, list[str]] = {version: [] for version in reversed(versions)}
    for row in rows:
        for version, before, after in row.changes(built):
            by_version[version].append(f"  - {_change(before, after)}: {_link(stack, row, _title(row))}")
    for version, text in deviations.coverage(built):
        by_version[version].append(f"  - {md.plain(text)}")
    traces = {trace.version: trace for trace in deviations.traces(stack)}
    lines = []
    for version, changes in by_version.items():
        trace = traces.get(version)
        origin = f" {md.plain(trace.text)} *{md.plain(trace.source)}*" if trace else ""
        if changes or trace:
            lines += [f"- **{version}** ({released[version]}).{origin}", *changes]
    return ["\n".join(lines) if lines else "No deviation came or went."]


def _change(before: int, after: int) -> str:
    if not before:
        return f"*came*, in {counted(after, 'case')}"
    return (
        f"*went*, from {counted(before, 'case')}" if not after else f"in {counted(after, 'case')} instead of {before}"
    )


def _table(stack: Stack, rows: Sequence[Row], built: Sequence[Judged]) -> str:
    if not rows:
        return "No release deviates."
    header = (
        "Deviation",
        *(f"{release.version}<br><span class='small-print'>{release.released}</span>" for release in built),
    )
    cells = [(_head(stack, row), *(_cell(stack, row, release.version) for release in built)) for row in rows]
    return md.list_table(header, cells, (40, *[8] * len(built)), "compact stacks")


def _head(stack: Stack, row: Row) -> str:
    sign = badge(row.level or "") if row.kind == KINDS[0] else other_badge(row.kind)
    adapter = f"<br><span class='small-print'>{row.adapter}</span>" if len(stack.adapters) > 1 else ""
    return f"{sign} {md.plain(_title(row))}{adapter}"


def _title(row: Row) -> str:
    """Return the first sentence of the explanation of a deviation."""
    text = row.notice or row.explanation
    first, dot, _ = text.partition(". ")
    return f"{first}." if dot else text


def _cell(stack: Stack, row: Row, version: str) -> str:
    cases, elsewhere = row.cases.get(version, ()), row.elsewhere.get(version, 0)
    return _link(stack, row, f"{len(cases)} ({elsewhere})" if elsewhere else str(len(cases))) if cases else "·"


def _link(stack: Stack, row: Row, text: str) -> str:
    label = text.translate({ord(sign): None for sign in "`<>"})  # characters with a meaning in the role
    return md.ref(label, _elsewhere(row) or _anchor(stack, row))


def _anchor(stack: Stack, row: Row) -> str:
    return stacks_deviations.anchor_of(f"{stack.name}-{row.adapter}", row.explanation)


def _elsewhere(row: Row) -> str | None:
    """Return the anchor of the deviation on the page of the stack, or None if a report of today lacks the deviation."""
    anchor = stacks_deviations.anchor_of(row.adapter, row.explanation)
    return anchor if row.present and anchor in _anchors() else None


@cache
def _anchors() -> frozenset[str]:
    """Return the anchors of the deviations on the pages of the stacks."""
    judged = (
        adapter
        for adapter in committed.current()["adapters"]
        if adapter["role"] == "third-party" and not adapter["skipped"]
    )
    return frozenset(
        stacks_deviations.anchor_of(adapter["name"], cause["explanation"])
        for adapter in judged
        for cause in adapter["explained"]
    )


def _explained(stack: Stack, row: Row, versions: Sequence[str]) -> str:
    """Return the explanation of a deviation that no other page has, with its cases in the newest release that shows it."""
    newest = next(version for version in reversed(versions) if version in row.cases)
    cases = ", ".join(md.code(case) for case in row.cases[newest])
    return md.page(
        md.label(_anchor(stack, row)),
        _head(stack, row).replace("<br>", " "),
        '<details class="otherwise"><summary>The explanation, and the cases of the newest release that shows it</summary>',
        md.plain(row.explanation),
        f"In {newest}: {cases}",
        "</details>",
    )


def _counts(built: Sequence[Judged]) -> str:
    """Return the numbers of passed and judged cases by adapter and profile."""
    names = dict.fromkeys(
        (adapter, profile) for release in built for adapter, profiles in release.counts.items() for profile in profiles
    )
    rows = []
    for adapter, profile in names:
        cells = [release.counts.get(adapter, {}).get(profile) for release in built]
        rows.append((f"{md.code(profile)}<br><span class='small-print'>{adapter}</span>", *map(_passed, cells)))
    header = ("Cases that agree", *(release.version for release in built))
    return md.list_table(header, rows, (40, *[8] * len(built)), "compact stacks")


def _passed(counts: dict[str, int] | None) -> str:
    if counts is None:
        return "-"
    errored = f", {counts['errored']} errored" if counts["errored"] else ""
    return f"{counts['pass']} of {counts['pass'] + counts['fail']}{errored}"


def _not_built(releases: Sequence[Judged]) -> str:
    rows = [
        (release.version, release.released or "", md.plain(release.not_built))
        for release in releases
        if release.not_built is not None
    ]
    if not rows:
        return ""
    return md.page("Does not build:", md.list_table(("Release", "Date", "First error"), rows, (12, 14, 74), "compact"))
