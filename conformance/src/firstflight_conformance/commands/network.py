"""``firstflight network``: simulate several flows over one bottleneck."""

import json
from dataclasses import replace
from pathlib import Path

import click

from firstflight import DomainError
from firstflight_conformance.commands.options import PLOT_FILE, InputError
from firstflight_conformance.quantities import SIZES, parse
from firstflight_conformance.simulate.dumbbell import FlowResult, NetworkResult, result_to_json, run_network
from firstflight_conformance.simulate.network import Network, load_network
from firstflight_conformance.simulate.scenario import ScenarioError


@click.command("network")
@click.argument("network_file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--controller",
    "controllers",
    multiple=True,
    metavar="FLOW=ALGORITHM/PROFILE",
    help="Replace the controller of a flow. Repeatable.",
)
@click.option(
    "--transfer-bytes", "sizes", multiple=True, metavar="FLOW=N", help="Replace the size of a flow: 1MB. Repeatable."
)
@click.option(
    "--max-data",
    "windows",
    multiple=True,
    metavar="FLOW=N[:FACTOR]",
    help="Limit a flow by MAX_DATA: a window of 16MB, or 16MB:2 to double it at each limit. Repeatable.",
)
@click.option("--seed", type=click.IntRange(0, 2**53 - 1), help="Replace the seed.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with the samples of every flow.")
@click.option("--plot", type=PLOT_FILE, help="Draw windows, flights, queue, rates and phases to this SVG or PNG file.")
def network_command(
    *,
    network_file: Path,
    controllers: tuple[str, ...],
    sizes: tuple[str, ...],
    windows: tuple[str, ...],
    seed: int | None,
    as_json: bool,
    plot: Path | None,
) -> None:
    """Simulate the flows of NETWORK_FILE over one bottleneck and print a summary of each.

    The same file and seed give the same output. Exit code 2 for a malformed file or an unknown controller.
    """
    try:
        network = _changed(load_network(network_file), controllers, sizes, windows)
        if seed is not None:
            network = replace(network, seed=seed)
        drawn_alone = plot is not None and len(network.flows) == 1  # the plot shows the bins, which need the events
        result = run_network(network, record=(network.flows[0].name,) if drawn_alone else ())
    except (ScenarioError, DomainError) as error:
        raise InputError(str(error)) from error
    if as_json:
        click.echo(json.dumps(result_to_json(result)))
    else:
        _print(result)
    if plot is not None:
        from firstflight_conformance.plots.network import plot_network  # matplotlib takes a second to load

        try:
            plot_network(result, plot)
        except (OSError, ValueError) as error:
            raise InputError(f"--plot {plot}: {error}") from error
        click.echo(f"plot written to {plot}", err=True)


def _changed(
    network: Network, controllers: tuple[str, ...], sizes: tuple[str, ...], windows: tuple[str, ...]
) -> Network:
    for text in controllers:
        flow, _, controller = text.partition("=")
        if "/" not in controller:
            raise InputError(f"--controller {text}: expected FLOW=ALGORITHM/PROFILE")
        network = network.changed(flow, controller=controller)
    for text in sizes:
        flow, _, size = text.partition("=")
        network = network.changed(flow, transfer_bytes=_size_bytes("--transfer-bytes", text, size))
    for text in windows:
        flow, _, window = text.partition("=")
        size, colon, factor = window.partition(":")
        if colon and not (factor.isascii() and factor.isdigit()):
            raise InputError(f"--max-data {text}: expected FLOW=N:FACTOR with an integer FACTOR")
        network = network.changed(flow, max_data=(_size_bytes("--max-data", text, size), int(factor or 1)))
    return network


def _size_bytes(option: str, text: str, size: str) -> int:
    try:
        size_bytes = parse(size, SIZES)
    except ValueError as error:
        raise InputError(f"{option} {text}: {error}") from error
    if size_bytes < 1:
        raise InputError(f"{option} {text}: expected FLOW=N with N above 0")
    return size_bytes


def _print(result: NetworkResult) -> None:
    for flow in result.flows:
        click.echo(f"{flow.name} ({flow.controller})")
        for name, value in _summary(flow).items():
            click.echo(f"  {name:26} {value}")
    click.echo("bottleneck")
    click.echo(f"  {'dropped_by_queue_packets':26} {result.dropped_packets}")
    click.echo(f"  {'of_these_early_packets':26} {result.early_dropped_packets}")
    click.echo(f"  {'lost_on_link_packets':26} {result.lost_on_link_packets}")


def _summary(flow: FlowResult) -> dict[str, object]:
    return {
        "started_ms": _ms(flow.started_ns),
        "last_byte_arrived_ms": _ms(flow.completed_ns),
        "delivered_bytes": flow.delivered_bytes,
        "slow_start_ended_ms": _ms(flow.exited_ns),
        "first_loss_seen_ms": _ms(flow.first_loss_ns),
        "sent_packets": flow.sent_packets,
        "lost_packets": flow.lost_packets,
        "probe_timeouts": flow.probe_timeouts,
        "phases": " ".join(dict.fromkeys(turn.phase.value for turn in flow.turns)) or "-",
    }


def _ms(t_ns: int | None) -> str:
    return "never" if t_ns is None else str(t_ns // 1_000_000)
