"""``firstflight appendix``: pseudocode and test vectors of a profile, as sections of an Internet-Draft."""

import sys
from importlib.util import find_spec
from pathlib import Path

import click

from firstflight_conformance.beside import reach
from firstflight_conformance.commands import complete
from firstflight_conformance.commands.options import InputError, OutputFile, needs_checkout, usage_errors
from firstflight_conformance.format.files import write_whole
from firstflight_conformance.format.readings import load_tables
from firstflight_conformance.format.vectors import COMPUTED_ALGORITHMS
from firstflight_conformance.paths import ROOT
from firstflight_conformance.run.selection import near_hint


@click.command("appendix")
@click.argument("name", metavar="ALGORITHM/PROFILE", shell_complete=complete.profiles_whole)
@click.option("--format", "form", type=click.Choice(["markdown", "xml"]), default="markdown", help="kramdown-rfc or RFC XML v3.")  # fmt: skip
@click.option("--output", type=OutputFile(), help="Write to this file instead of standard output.")
def appendix_command(*, name: str, form: str, output: Path | None) -> None:
    """Write pseudocode and test vectors of a profile as sections for the appendix of an Internet-Draft.

    The XML is a section to include in back; the Markdown begins with a heading to include after "--- back".
    """
    needs_checkout("appendix")
    known = [f"{key}/{profile.name}" for key, table in load_tables().items() for profile in table.profiles if key not in COMPUTED_ALGORITHMS]  # fmt: skip
    if name not in known:
        raise InputError(f"{name}: no such profile; {near_hint(name, known)}see the page Profiles of the site")
    if not find_spec("sphinx"):
        raise InputError("firstflight appendix needs the packages of the documentation: run `make setup`")
    reach("plain")
    sys.path.insert(0, str(ROOT / "docs" / "_ext"))
    from pages.appendix import write  # the generators of the site take seconds to load

    text = write.text(name, form)
    if output is None:
        click.echo(text, nl=False)
        return
    with usage_errors():
        write_whole(output, text)
