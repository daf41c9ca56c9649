"""``firstflight vectors``: write the vectors, or check that they are what would be written."""

import click

from firstflight_conformance.simulator.scenario import ScenarioError
from firstflight_conformance.spec.tables import generated_files, write_generated_files


def differences() -> list[str]:
    """Return what would be written otherwise than it is."""
    from firstflight_conformance.vectorgen import write  # other commands need not load all stimuli

    return write.differences()


@click.command("vectors")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file would change.")
def vectors_command(*, check: bool) -> None:
    """Generate vectors/ and the tables of the references, or compare them with what is there byte for byte."""
    try:
        if not check:
            write_generated_files()
            from firstflight_conformance.vectorgen.write import write

            click.echo(f"{write()} vectors written")
            return
        lines = [f"{path}: differs" for path, text in generated_files().items() if path.read_text("utf-8") != text]
        lines += differences()
    except (ValueError, ScenarioError) as error:
        raise click.ClickException(str(error)) from error
    for line in lines:
        click.echo(line)
    if lines:
        raise SystemExit(1)
    click.echo("vectors and tables are what would be generated")
