"""``firstflight dev relay``: an emulated path between two UDP programs on this machine."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from firstflight_conformance.commands.options import InputError, usage_errors
from firstflight_conformance.simulate.scenario import load_scenario
from studies.live.relay import LOOPBACK, Relay

_PORT = click.IntRange(1, 65535)


@click.command("relay")
@click.argument("scenario_file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--to", "target", type=_PORT, required=True, help="The port of the receiver, on loopback.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port for the sender; 0: any free port.")
@click.option("--seconds", type=click.IntRange(1, 3600), default=60, help="Duration of the relay.")
def relay_command(*, scenario_file: Path, target: int, port: int, seconds: int) -> None:
    """Relay UDP between a sender and the receiver at a port, over the path of SCENARIO_FILE, on loopback only.

    Prints `ready` and the port for the sender. Wait for this line: datagrams sent before it are lost. Rate, delays,
    queue, loss and jitter come from the link of the scenario; the two programs replace its sender and receiver. Prints
    counts at the end, also when interrupted.
    """
    with usage_errors():
        scenario = load_scenario(scenario_file)
    try:
        relay = Relay(scenario, target, port)
    except OSError as error:
        raise InputError(f"port {port} on {LOOPBACK}: {error.strerror}") from error
    try:
        click.echo(f"ready {relay.port}")
        relay.run(seconds)
    finally:  # also when a signal ends it
        click.echo(json.dumps(asdict(relay.summary())))
        relay.close()
