"""``firstflight dev vectors``: write the vectors or their flat form, or check that the files are up to date."""

from pathlib import Path

import click

from firstflight_conformance.beside import reach
from firstflight_conformance.commands.options import InputError, all_cases, needs_checkout, usage_errors
from firstflight_conformance.flat import form as flat
from firstflight_conformance.format.clauses import all_clauses
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.simulate.scenario import ScenarioError


def differences() -> list[str]:
    """Return a line for each vector file that would change."""
    from generate import write  # other commands need not load all stimuli

    return write.differences()


@click.command("vectors")
@click.option("--check", is_flag=True, help="Only check; exit with 1 if a file would change.")
@click.option(
    "--flat",
    "flat_folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Only write the flat form, one file of lines per profile, to this folder.",
)
def vectors_command(*, check: bool, flat_folder: Path | None) -> None:
    """Generate vectors/ and the tables of the references, or compare them with the existing files byte for byte.

    The references are the Python model and the C port. Their tables contain readings and profiles. With --flat, only
    write all cases in a form of plain lines, one file per profile.
    """
    if flat_folder is not None:
        _write_flat(flat_folder)
        return
    needs_checkout("dev vectors")
    reach("generate")
    from generate.tables import generated_files, write_generated_files

    try:
        if not check:
            write_generated_files()
            from generate.write import write

            click.echo(f"{write()} vectors written")
            return
        lines = [f"{path}: differs" for path, text in generated_files().items() if path.read_text("utf-8") != text]
        lines += differences()
    except FileNotFoundError as error:
        raise InputError(str(error)) from error
    except (ValueError, ScenarioError) as error:
        raise click.ClickException(str(error)) from error
    for line in lines:
        click.echo(line)
    if lines:
        raise SystemExit(1)
    click.echo("vectors and tables are up to date")


def _write_flat(folder: Path) -> None:
    with usage_errors():
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in flat.files(all_cases(VECTORS), all_clauses()):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    click.echo(f"the flat form of every profile: {folder}")
