"""The command ``firstflight``."""

import click

from firstflight_conformance import __version__
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


@click.group(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(__version__, prog_name="firstflight")
def main() -> None:
    """Vectors, simulator, runner and reports for transport startup algorithms."""


for _command in COMMANDS:
    main.add_command(_command)
