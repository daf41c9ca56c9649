"""``firstflight fct``: the flow completion time of a transfer in a published experiment."""

import json
from typing import Any

import click

from firstflight import DomainError
from firstflight_conformance.commands.options import InputError
from firstflight_conformance.quantities import SIZE, readable_time
from firstflight_conformance.simulate import presets
from firstflight_conformance.simulate.completion import complete
from firstflight_conformance.simulate.presets import Completion
from firstflight_conformance.simulate.scenario import ScenarioError


@click.command("fct")
@click.option(
    "--preset",
    default="grigore-2025",
    metavar="NAME",
    help="A published experiment, or the path of your own FILE.toml.",
)
@click.option(
    "--algorithm",
    required=True,
    metavar="NAME",
    help="cubic or jumpstart as in the experiment, or a controller of the model: ALGORITHM/PROFILE.",
)
@click.option("--rate-mbps", type=int, required=True, help="Rate of the bottleneck, in Mbit/s.")
@click.option("--one-way-delay-ms", type=int, required=True, help="Delay of the bottleneck, each way, in ms.")
@click.option("--size-bytes", type=SIZE, required=True, help="Size of the transfer: 1000000, 1MB.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def fct_command(
    *,
    preset: str,
    algorithm: str,
    rate_mbps: int,
    one_way_delay_ms: int,
    size_bytes: int,
    as_json: bool,
) -> None:
    """Simulate one transfer of a published experiment and print its flow completion time.

    The time is from the SYN to the arrival of the ACK of the receiver's FIN. Exit code 2 for parameters out of range.
    """
    if preset not in presets.NAMES and not preset.endswith(".toml"):
        raise InputError(f"--preset {preset}: unknown; choose {', '.join(presets.NAMES)} or a file FILE.toml")
    try:
        result = complete(presets.experiment(preset, algorithm, rate_mbps, one_way_delay_ms, size_bytes))
    except (ScenarioError, DomainError) as error:
        raise InputError(str(error)) from error
    inputs = {
        "preset": preset,
        "algorithm": algorithm,
        "rate_mbps": rate_mbps,
        "one_way_delay_ms": one_way_delay_ms,
        "size_bytes": size_bytes,
    }
    if as_json:
        click.echo(json.dumps(inputs | _fields(result)))
        return
    click.echo(f"{readable_time(result.fct_ns)}, {result.lost} lost of {result.sent_packets} packets")
    if result.reason is not None:
        click.echo(f"not comparable with the published numbers: {result.reason}")


def _fields(result: Completion) -> dict[str, Any]:
    fields: dict[str, Any] = {"fct_ns": result.fct_ns, "lost": result.lost, "comparable": result.comparable}
    return fields if result.reason is None else fields | {"reason": result.reason}
