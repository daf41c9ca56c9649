"""The options of ``firstflight run`` as typed values, checked against each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firstflight_conformance.adapters.manifest import Manifest, load_manifests, resolve
from firstflight_conformance.commands.options import judged_cases, usage_errors
from firstflight_conformance.records import record_file
from firstflight_conformance.records.record_file import Record
from firstflight_conformance.run.selection import Selection, first_cases
from firstflight_conformance.run.session import RunOptions, declaration_of
from firstflight_conformance.simulate.cases import AnyCase, stimulus_cases

if TYPE_CHECKING:
    from firstflight_conformance.run.blind import Drawn


@dataclass(frozen=True, slots=True)
class Scope:
    """The cases to judge.

    ``selection``: filters of the cases. ``root``: folder of the vectors. ``vectors``: judge by the vectors. ``looped``:
    judge in closed loop over simulated paths; ``scenarios``: files of these paths, or empty for all paths of the
    checkout. ``blind_seed``: seed of random paths, -1 for a new seed, ``None`` for no random paths. ``first``: maximum
    number of vectors per profile, or ``None`` for all.
    """

    selection: Selection
    root: Path
    vectors: bool
    looped: bool
    scenarios: tuple[Path, ...]
    blind_seed: int | None
    first: int | None

    def emptied(self) -> str:
        """Return the reason why no case is left, with the option that excludes all."""
        every = judged_cases(self.root, Selection(), vectors=self.vectors, stimulus=self.looped)
        return self.selection.emptied(every)


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """The files to write (or ``None``), and their shared options."""

    json: Path | None
    junit: Path | None
    badge: Path | None
    html: Path | None
    site: str | None
    strict: bool
    refusals: bool

    def check(self) -> None:
        """Refuse two reports with the same regular file. Devices and pipes are allowed."""
        paths = (self.json, self.junit, self.badge, self.html)
        places = [path.resolve() for path in paths if path is not None and (path.is_file() or not path.exists())]
        for path in places:
            if places.count(path) > 1:
                raise click.UsageError(f"{path}: two reports have the same file; choose different files")


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A run: adapters, their previous records, cases, options and outputs."""

    manifests: list[Manifest]
    records: dict[str, Record]
    scope: Scope
    options: RunOptions
    files: ReportFiles
    recording: bool
    all_failures: bool
    verbose: bool
    jobs: int
    build: bool

    def check(self) -> None:
        """Refuse options that exclude each other. Raise :class:`click.UsageError`."""
        scope = self.scope
        if self.recording and scope.scenarios:
            raise click.UsageError("--record: not allowed with --scenario: only cases of the checkout are recorded")
        if self.recording and not self.records:
            raise click.UsageError("--record: no third-party stack with a manifest")
        self.files.check()
        if scope.blind_seed is not None and (scope.looped or self.recording):
            raise click.UsageError("--blind: not allowed with --closed-loop, --both, --scenario or --record")
        if scope.first is not None and (scope.looped or scope.blind_seed is not None):
            raise click.UsageError(
                "--first: applies to vectors; not allowed with --closed-loop, --both, --scenario or --blind"
            )


def request_of(values: Mapping[str, Any]) -> RunRequest:
    """Return the request for parsed options. Exit with a usage error if options exclude each other."""
    with usage_errors():
        manifests = _manifests(values["adapters"])
        records = {
            manifest.name: record_file.load(manifest.record) for manifest in manifests if manifest.record is not None
        }
    if not values["adapters"]:
        click.echo(f"judging all adapters of the checkout ({len(manifests)}); --adapter COMMAND judges yours", err=True)
    looped = values["stimulus"] or values["both"] or bool(values["scenarios"])
    selection = Selection(**{field.name: values[field.name] for field in fields(Selection)})
    request = RunRequest(
        manifests,
        records,
        Scope(
            selection,
            values["root"],
            vectors=values["both"] or not looped,
            looped=looped,
            scenarios=values["scenarios"],
            blind_seed=values["blind"],
            first=values["first"],
        ),
        RunOptions(values["deadline_s"], values["validate"], values["timeouts"]),
        ReportFiles(
            values["json_path"],
            values["junit_path"],
            values["badge_path"],
            values["html_path"],
            values["site"],
            strict=values["strict"],
            refusals=values["refusals"],
        ),
        recording=values["recording"],
        all_failures=values["all_failures"],
        verbose=values["verbose"],
        jobs=values["jobs"],
        build=values["build"],
    )
    request.check()
    return request


def requested_cases(request: RunRequest) -> tuple[list[AnyCase], list["Drawn"]]:
    """Return the cases to judge. In a blind run also return the randomly drawn paths, by profile, else an empty list.

    A blind run judges in closed loop over random paths. Its seed is in ``request.scope``, or is new.
    """
    scope = request.scope
    if scope.blind_seed is not None:
        with usage_errors():
            drawn = _blind_draws(scope.blind_seed, scope.selection, request.manifests, request.options)
        return [case for draw in drawn for case in draw.cases if scope.selection.takes(case)], drawn
    cases = judged_cases(
        scope.root, scope.selection, vectors=scope.vectors, stimulus=scope.looped, scenarios=scope.scenarios
    )
    return (cases if scope.first is None else first_cases(cases, scope.first)), []


def _manifests(names: tuple[str, ...]) -> list[Manifest]:
    """Return the named adapters, or all adapters of the checkout, references first."""
    if names and all(" " in name for name in names):  # command lines: names of adapters contain no spaces
        return [resolve(name, {}) for name in dict.fromkeys(names)]
    manifests = load_manifests()
    if not names:
        return sorted(manifests.values(), key=lambda manifest: manifest.role != "reference")
    return [resolve(name, manifests) for name in dict.fromkeys(names)]


def _blind_draws(seed: int, selection: Selection, manifests: Sequence[Manifest], options: RunOptions) -> list["Drawn"]:
    """Draw random network paths for each selected and declared profile, and return them as closed-loop cases.

    Print the seed, and for each profile how many paths were drawn, and on how many of them the algorithm acts.
    Without any declared profile, one selected profile is judged anyway, so that an invalid hello is reported.
    """
    from firstflight_conformance.run import blind  # few runs need it

    seed = blind.new_seed() if seed < 0 else seed
    known = stimulus_cases()
    selection.check(known)
    profile_selection = replace(selection, ids=())
    selected = dict.fromkeys((case.vector.algorithm, case.profile) for case in known if profile_selection.takes(case))
    declarations = [declaration_of(manifest, options) for manifest in manifests]
    declared = {
        (name, profile)
        for declaration in declarations
        if declaration is not None
        for name, declared_names in declaration.algorithms.items()
        for profile in declared_names
    }
    profiles = [name for name in selected if name in declared] or list(selected)[:1]
    click.echo(f"blind: seed {seed}; repeat with --blind {seed}")
    drawn = [blind.blind_cases(seed, *name) for name in profiles]
    for draw in drawn:
        click.echo(f"blind: {draw.text}")
    return drawn
