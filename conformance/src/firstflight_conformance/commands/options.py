"""What several commands share: loading, selecting, and errors that end with exit code 2."""

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

#: The option that names another folder of vectors.
vectors_option = click.option(
    "--vectors",
    "root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=VECTORS,
    show_default="those of Firstflight",
    help="Where the vectors lie.",
)

#: The id of a case or of a vector, without the signs of a glob: its first two parts are those of the file.
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
    """An option that names a file to write. That it can be written is found at the start, not after an hour of work."""

    def __init__(self, *suffixes: str) -> None:
        """Take the suffixes that the file may have, if not any."""
        super().__init__(dir_okay=False, writable=True, path_type=Path)
        self._suffixes = suffixes

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Check the name."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not path.parent.is_dir():
            self.fail(f"{path}: there is no folder {path.parent}", param, ctx)
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            self.fail(f"{path}: cannot be written", param, ctx)
        if self._suffixes and path.suffix.lower() not in self._suffixes:
            self.fail(f"{path}: needs one of the endings {', '.join(self._suffixes)}", param, ctx)
        return path


class PlotFile(OutputFile):
    """An option that names a plot. An environment that was made for judging alone cannot draw one."""

    def __init__(self) -> None:
        """Name what a plot may be written as."""
        super().__init__(".svg", ".png")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Check the name, and that there is something to draw with."""
        path = super().convert(value, param, ctx)
        if find_spec("matplotlib") is None:
            self.fail(
                "a plot needs the package matplotlib, which `make setup` installs, and the extra `plot` of the package",
                param,
                ctx,
            )
        return path


PLOT_FILE = PlotFile()


def nothing_selected(what: str) -> NoReturn:
    """End with the exit code of a selection that matches nothing."""
    click.echo(f"nothing is selected: {what}", err=True)
    raise SystemExit(ExitCode.NOTHING_RUN)


def selection_options(command: _Command) -> _Command:
    """Add the options that select cases. Each can be repeated: its values add up, different options narrow."""
    for option in reversed(_SELECTION):
        command = option(command)
    return command


class InputError(click.ClickException):
    """Something that was given is malformed or unknown."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        """Name what is wrong; it may hold what others wrote."""
        super().__init__(shown(message, 2000))


def needs_checkout(command: str) -> None:
    """Refuse a command that reads or writes what an installed package does not carry."""
    if not IS_CHECKOUT:
        raise InputError(
            f"firstflight {command} needs the checkout of Firstflight: what it compares or writes is not installed"
        )


@contextmanager
def usage_errors() -> Iterator[None]:
    """Turn the errors of loaders and of files into messages with exit code 2."""
    try:
        yield
    except (VectorError, ManifestError, SelectionError, ScenarioError, RecordError, OSError) as error:
        raise InputError(str(error)) from error


def selected_cases(root: Path, selection: Selection) -> list[Case | ComputationCase]:
    """Load the vectors that are asked for and return the cases that are selected."""
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
    """Return the folders with the vectors of some algorithms; none, for all, where these are not Firstflight's own: only there a folder says the algorithm."""
    return algorithms if root == VECTORS else ()


def all_cases(root: Path, algorithms: Collection[str] = ()) -> list[Case | ComputationCase]:
    """Load all vectors, those with events and the computations, or those in the folders of some algorithms; return their cases."""
    computed = computations.load_all(root, algorithms)
    return [*vectors.cases(vectors.load_all(root, algorithms)), *computations.cases(computed)]


def _selected(root: Path, selection: Selection) -> list[Case | ComputationCase]:
    """Return the selected cases; only their files are loaded where ids or algorithms say which. Raise :class:`SelectionError`."""
    cases = _named_cases(root, selection.ids) or _cases_of(root, selection)
    taken = [case for case in cases if selection.takes(case)]
    if not taken:  # what an option should have named can only be said of all
        cases = all_cases(root)
        selection.check(cases)
        taken = [case for case in cases if selection.takes(case)]
    return taken


def _named_cases(root: Path, ids: Sequence[str]) -> list[Case | ComputationCase]:
    """Return the cases of the files that ids name, none if one of them may mean more than its file."""
    matches = [_EXACT_ID.fullmatch(name) for name in ids]
    paths = [root / match["algorithm"] / f"{match['rest']}.json" for match in matches if match]
    if len(paths) < len(ids) or not all(path.is_file() for path in paths):
        return []
    found: list[Case | ComputationCase] = []
    for path in sorted(set(paths)):
        if path.parent.name in vectors.COMPUTED_ALGORITHMS:
            found += computations.cases([computations.load(path)])
        else:
            found += vectors.cases([vectors.load(path)])
    return found


def _cases_of(root: Path, selection: Selection) -> list[Case | ComputationCase]:
    """Return the cases of the algorithms that are asked for, none if an option names what these do not have."""
    wanted = folders_of(root, selection.algorithms)
    if not wanted or not {path.name for path in root.iterdir()}.issuperset(wanted):
        return []
    cases = all_cases(root, wanted)
    try:
        selection.check(cases)
    except SelectionError:
        return []
    return cases


@contextmanager
def open_adapter(name: str, deadline_s: float) -> "Iterator[Adapter]":
    """Start the adapter that an option names, and end it afterwards; one that cannot be used ends the command."""
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
