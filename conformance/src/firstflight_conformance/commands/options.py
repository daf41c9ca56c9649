"""Code shared by several commands: loading, selection, and errors with exit code 2."""

import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from firstflight_conformance.adapters.faults import ConversationError
from firstflight_conformance.adapters.manifest import ManifestError, load_manifests, resolve
from firstflight_conformance.commands import complete
from firstflight_conformance.format import computations, vectors
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.parse import VectorError
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.paths import IS_CHECKOUT, VECTORS
from firstflight_conformance.records.record_file import RecordError
from firstflight_conformance.records.results import ExitCode
from firstflight_conformance.run.selection import Selection, SelectionError
from firstflight_conformance.simulate.cases import AnyCase, stimulus_cases
from firstflight_conformance.simulate.scenario import ScenarioError
from firstflight_conformance.text import shown

if TYPE_CHECKING:
    from firstflight_conformance.adapters.live import Adapter

_Command = TypeVar("_Command", bound=Callable[..., Any])

#: The option for another folder of vectors.
vectors_option = click.option(
    "--vectors",
    "root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=VECTORS,
    show_default="the vectors of Firstflight",
    help="Folder of the vectors.",
)

#: Id of a case or a vector without glob characters: folder, file stem and optional profile.
_EXACT_ID = re.compile(r"(?P<algorithm>[a-z0-9-]+)\.(?P<rest>[a-z0-9][a-z0-9.-]*)(?:@[a-z0-9+-]+)?")

_SELECTION = (
    click.option(
        "--algorithm",
        "algorithms",
        multiple=True,
        metavar="NAME",
        help="Only cases of this algorithm.",
        shell_complete=complete.algorithms,
    ),
    click.option(
        "--profile",
        "profiles",
        multiple=True,
        metavar="NAME",
        help="Only cases of this profile.",
        shell_complete=complete.profile_names,
    ),
    click.option("--tier", "tiers", multiple=True, metavar="NAME", help="Only cases of this tier: gold or core."),
    click.option("--flag", "flags", multiple=True, metavar="NAME", help="Only cases with this flag."),
    click.option(
        "--without-flag", "without_flags", multiple=True, metavar="NAME", help="Only cases without this flag."
    ),
    click.option(
        "--id", "ids", multiple=True, metavar="GLOB", help="Only cases whose id matches.", shell_complete=complete.cases
    ),
    vectors_option,
)


class OutputFile(click.Path):
    """An option for an output file. Write access is checked at the start, not after an hour of work."""

    def __init__(self, *suffixes: str) -> None:
        """Store the allowed suffixes; without any, all are allowed."""
        super().__init__(dir_okay=False, writable=True, path_type=Path)
        self._suffixes = suffixes

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Fail if it cannot be written or has another suffix."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not path.parent.is_dir():
            self.fail(f"{path}: no such folder {path.parent}", param, ctx)
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            self.fail(f"{path}: cannot be written", param, ctx)
        if self._suffixes and path.suffix.lower() not in self._suffixes:
            self.fail(f"{path}: expected a file name with {' or '.join(self._suffixes)}", param, ctx)
        return path


class PlotFile(OutputFile):
    """An option for a plot file, SVG or PNG. Plots need matplotlib, which an environment for judging may lack."""

    def __init__(self) -> None:
        """Allow SVG and PNG."""
        super().__init__(".svg", ".png")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Fail if it cannot be written, is not ``.svg`` or ``.png``, or if matplotlib is missing."""
        path = super().convert(value, param, ctx)
        if find_spec("matplotlib") is None:
            self.fail(
                "plots need matplotlib: run `make setup` in the checkout, or install the package with the extra `plot`",
                param,
                ctx,
            )
        return path


PLOT_FILE = PlotFile()


def nothing_selected(reason: str) -> NoReturn:
    """Print why nothing is selected and exit with :attr:`ExitCode.NOTHING_RUN`."""
    click.echo(f"nothing is selected: {reason}", err=True)
    raise SystemExit(ExitCode.NOTHING_RUN)


def selection_options(command: _Command) -> _Command:
    """Add the options that select cases. All are repeatable: values of one option add up, different options narrow."""
    for option in reversed(_SELECTION):
        command = option(command)
    return command


class InputError(click.ClickException):
    """Malformed or unknown input."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        """Escape the message, which may contain untrusted text."""
        super().__init__(shown(message, 2000))


def needs_checkout(command: str) -> None:
    """Refuse a command that reads or writes files missing in an installed package."""
    if not IS_CHECKOUT:
        raise InputError(
            f"firstflight {command} needs the checkout of Firstflight: an installed package lacks its files"
        )


@contextmanager
def usage_errors() -> Iterator[None]:
    """Turn the errors of loaders and of files into messages with exit code 2."""
    try:
        yield
    except (VectorError, ManifestError, SelectionError, ScenarioError, RecordError, OSError) as error:
        raise InputError(str(error)) from error


def selected_cases(root: Path, selection: Selection) -> list[Case | ComputationCase]:
    """Load the requested vectors and return the selected cases."""
    with usage_errors():
        return _selected(root, selection)


def judged_cases(
    root: Path, selection: Selection, *, vectors: bool, stimulus: bool, scenarios: Sequence[Path] = ()
) -> list[AnyCase]:
    """Return the selected cases of the vectors, of the closed loop, or of both."""
    with usage_errors():
        if not stimulus:
            return [*_selected(root, selection)]
        cases: list[AnyCase] = [*stimulus_cases(scenarios)]
        if vectors:
            cases = [*(_cases_of(root, selection) or all_cases(root)), *cases]
        selection.check(cases)
    return [case for case in cases if selection.takes(case)]


def folders_of(root: Path, algorithms: Collection[str]) -> Collection[str]:
    """Return the names of the folders below ``root`` that contain the vectors of the algorithms.

    In Firstflight's own vectors each algorithm has a folder of its name, so the names are returned unchanged. For any
    other ``root`` return an empty collection, which means all folders.
    """
    return algorithms if root == VECTORS else ()


def all_cases(root: Path, algorithms: Collection[str] = ()) -> list[Case | ComputationCase]:
    """Load all vectors and computations, or only the folders of some algorithms; return their cases."""
    computed = computations.load_all(root, algorithms)
    return [*vectors.cases(vectors.load_all(root, algorithms)), *computations.cases(computed)]


def _selected(root: Path, selection: Selection) -> list[Case | ComputationCase]:
    """Return the selected cases. With ids or algorithms, load only their files. Raise :class:`SelectionError`."""
    cases = _named_cases(root, selection.ids) or _cases_of(root, selection)
    selected = [case for case in cases if selection.takes(case)]
    if not selected:  # only the full set of cases shows which option matches nothing
        cases = all_cases(root)
        selection.check(cases)
        selected = [case for case in cases if selection.takes(case)]
    return selected


def _named_cases(root: Path, ids: Sequence[str]) -> list[Case | ComputationCase]:
    """Return the cases of the files with these ids, or none if an id is a glob or lacks a file."""
    matches = [_EXACT_ID.fullmatch(name) for name in ids]
    paths = [root / match["algorithm"] / f"{match['rest']}.json" for match in matches if match]
    if len(paths) < len(ids) or not all(path.is_file() for path in paths):
        return []
    cases: list[Case | ComputationCase] = []
    for path in sorted(set(paths)):
        if path.parent.name in vectors.COMPUTED_ALGORITHMS:
            cases += computations.cases([computations.load(path)])
        else:
            cases += vectors.cases([vectors.load(path)])
    return cases


def _cases_of(root: Path, selection: Selection) -> list[Case | ComputationCase]:
    """Return the cases of the requested algorithms, or none if an option does not match any of them."""
    folders = folders_of(root, selection.algorithms)
    if not folders or not {path.name for path in root.iterdir()}.issuperset(folders):
        return []
    cases = all_cases(root, folders)
    try:
        selection.check(cases)
    except SelectionError:
        return []
    return cases


@contextmanager
def open_adapter(name: str, deadline_s: float) -> "Iterator[Adapter]":
    """Start an adapter and stop it afterwards. Exit with an error if the adapter cannot be used."""
    from firstflight_conformance.adapters.live import Adapter  # few commands need a process

    with usage_errors():
        manifest = resolve(name, {} if " " in name else load_manifests())
    missing = manifest.missing()
    if missing is not None:
        raise InputError(f"{name}: {missing}")
    try:
        adapter = Adapter(manifest, deadline_s)
    except ConversationError as error:
        click.echo(f"{name}: {shown(error.reason)}", err=True)
        raise SystemExit(ExitCode.FAULT) from error
    try:
        yield adapter
    finally:
        adapter.stop()
