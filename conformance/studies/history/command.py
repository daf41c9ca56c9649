"""``firstflight dev history``: judges the releases of a stack."""

from pathlib import Path
from typing import NoReturn

import click

from firstflight_conformance.adapters.manifest import ManifestError
from firstflight_conformance.commands.options import InputError, usage_errors
from firstflight_conformance.records.results import ExitCode
from studies.history import checkout, store
from studies.history.build import build
from studies.history.deviations import Row, coverage, rows
from studies.history.judging import Suite, judged, today, vectors_digest
from studies.history.registry import NotBuiltError, Release, UnreachableError, releases
from studies.history.stacks import STACKS, Stack, StackError, find
from studies.history.store import HistoryError, Judged


@click.command("history")
@click.argument("name", metavar="STACK")
@click.option("--releases", "count", type=click.IntRange(1), default=10, help="Number of latest releases to judge.")
@click.option(
    "--release", "wanted", multiple=True, metavar="VERSION", help="Judge this release, whether among the latest or not."
)
@click.option("--again", is_flag=True, help="Judge stored releases again.")
@click.option("--kept", "only_kept", is_flag=True, help="Only print the stored results.")
@click.option(
    "--source",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Judge this checkout of the stack, and list its differences from the pinned release. Store nothing.",
)
@click.option(
    "--stacks",
    "path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=STACKS,
    show_default="the list of the checkout",
    help="Another list of stacks; results are stored next to it.",
)
def history_command(
    *, name: str, count: int, wanted: tuple[str, ...], again: bool, only_kept: bool, source: Path | None, path: Path
) -> None:
    """Judge the latest releases of STACK by the vectors, and list the deviations that came and went.

    The adapter is built against each release. Releases come from the package registry of the stack, by its ordinary
    client: cargo, go, pip or apt-get. Results are stored in conformance/studies/history/releases; `make docs` writes a
    page from them. A stored release is judged again only after a change of the vectors. A release that the adapter does
    not compile against is listed with the first error.

    With --source a checkout is built and judged instead: a crate or a workspace, a Go module, a Python package, or the
    source of ngtcp2. Deviations that are gone, changed or new since the pinned release (the record of the adapter) are
    listed.

    Exit codes: 0 done; 2 usage; 3 an adapter fails on a case; 4 nothing was judged (a program or registry is missing).
    """
    with usage_errors():
        try:
            stack = find(name, path)
            if source is not None:
                raise SystemExit(checkout.judge_checkout(stack, source))
            stored = store.load(stack.kept)
            if not only_kept:
                _judge(stack, stored, _requested(stack, count, wanted), again=again)
                store.keep(stack.kept, stack.name, [*stored.values()])
            _print_changes(stack, stored)
        except (StackError, HistoryError, ManifestError) as error:
            raise InputError(str(error)) from error
        except (UnreachableError, NotBuiltError) as error:
            _nothing(f"{name}: {error}")
    if any(
        counts["errored"]
        for release in stored.values()
        for profiles in release.counts.values()
        for counts in profiles.values()
    ):
        raise SystemExit(ExitCode.FAULT)
    if not any(release.counts for release in stored.values()):
        _nothing(f"{name}: no release was judged")


def _nothing(reason: str) -> NoReturn:
    click.echo(f"nothing was judged: {reason}", err=True)
    raise SystemExit(ExitCode.NOTHING_RUN)


def _requested(stack: Stack, count: int, versions: tuple[str, ...]) -> list[Release]:
    """Return the requested releases. Raise :class:`StackError` for a missing release."""
    listed = releases(stack)
    named = {release.version: release for release in listed}
    for version in versions:
        if version not in named:
            raise StackError(f"{stack.name}: no release {version}; the last are {', '.join([*named][:count])}")
    return [named[version] for version in versions] or listed[:count]


def _judge(stack: Stack, stored: dict[str, Judged], requested: list[Release], *, again: bool) -> None:
    """Judge the requested releases, and store each result at once."""
    now = vectors_digest()
    done = {
        release.version
        for release in stored.values()
        if release.not_built is None and release.vectors == now and not again
    }
    due = [release for release in requested if release.version not in done]
    suite = Suite() if due else None
    for release in due:
        assert suite is not None
        try:
            result = judged(stack, build(stack, release), suite)
        except NotBuiltError as error:
            known = error.release or release
            result = Judged(known.version, known.released, known.checksum, *today(), {}, {}, str(error))
        stored[release.version] = result
        click.echo(_line(result))
        store.keep(stack.kept, stack.name, [*stored.values()])


def _line(release: Judged) -> str:
    if release.not_built is not None:
        return f"{release.version} ({release.released}): does not build: {release.not_built}"
    texts = [
        f"{adapter} {profile} {counts['pass']} of {counts['pass'] + counts['fail']}"
        for adapter, profiles in release.counts.items()
        for profile, counts in profiles.items()
    ]
    return f"{release.version} ({release.released}): {'; '.join(texts)}"


def _print_changes(stack: Stack, stored: dict[str, Judged]) -> None:
    """Print the deviations that came and went, newest release first."""
    built = [release for release in stored.values() if release.counts][::-1]
    versions = [release.version for release in built]
    lines = [
        (versions.index(version), f"{version}: {_change(before, after)}: {_named(row)}")
        for row in rows(stack, stored)
        for version, before, after in row.changes(built)
    ]
    lines += [(versions.index(version), f"{version}: {text}") for version, text in coverage(built)]
    for _, line in sorted(lines, key=lambda line: -line[0]):
        click.echo(line)
    if not lines:
        click.echo(f"{stack.name}: no deviation came or went in {len(versions)} releases")


def _change(before: int, after: int) -> str:
    if not before:
        return f"came, in {after} cases"
    return f"gone, from {before} cases" if not after else f"in {after} cases instead of {before}"


def _named(row: Row) -> str:
    text = row.notice or row.explanation
    return f"{row.adapter}: {row.kind}: {text[:160]}"
