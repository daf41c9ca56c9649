"""The command ``firstflight``."""

from typing import Any, NoReturn

import click

from firstflight_conformance import __version__, exits
from firstflight_conformance.commands.check import check_command
from firstflight_conformance.commands.compare import compare_command
from firstflight_conformance.commands.fct import fct_command
from firstflight_conformance.commands.list import list_command
from firstflight_conformance.commands.model import model_command
from firstflight_conformance.commands.mutants import mutants_command
from firstflight_conformance.commands.network import network_command
from firstflight_conformance.commands.results import results_command
from firstflight_conformance.commands.run import run_command
from firstflight_conformance.commands.show import show_command
from firstflight_conformance.commands.simulate import simulate_command
from firstflight_conformance.commands.vectors import vectors_command

COMMANDS = (
    run_command,
    list_command,
    show_command,
    vectors_command,
    mutants_command,
    check_command,
    compare_command,
    simulate_command,
    network_command,
    fct_command,
    results_command,
    model_command,
)


class _Group(click.Group):
    """The group of commands. Called as a program it answers signals and its own errors with exit codes of their own."""

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run as a program."""
        exits.run(lambda: self.main(*args, **kwargs))

    def invoke(self, context: click.Context) -> Any:
        """Run the command that is named."""
        try:
            return super().invoke(context)
        except BrokenPipeError:  # click would exit with 1, which means a divergence
            raise SystemExit(exits.CLOSED_PIPE) from None


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(__version__, prog_name="firstflight")
def main() -> None:
    """Vectors, simulator, runner and reports for transport startup algorithms."""


for _command in COMMANDS:
    main.add_command(_command)
