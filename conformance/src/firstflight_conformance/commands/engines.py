"""What the commands that simulate share: which simulator computes, and that it is said."""

import click

from firstflight_conformance.simulator.engine import Engine

#: The option that says what simulates.
engine_option = click.option(
    "--engine",
    type=click.Choice([engine.value for engine in Engine]),
    callback=lambda _, __, value: Engine(value),
    default=Engine.AUTO.value,
    show_default=True,
    help="The engine: the compiled simulator, if there is a C compiler, or Python. The results are the same.",
)


def say_engine(engine: Engine) -> None:
    """Say on the error stream that the compiled simulator computed: what is printed else is the same."""
    if engine is Engine.NATIVE:
        click.echo("by the compiled simulator", err=True)
