"""``firstflight model``: the transfer-time models."""

import json
import re
from pathlib import Path
from typing import Any

import click

from firstflight import DomainError
from firstflight.transfer_time import transfer_time
from firstflight.transfer_time.transfer_time import Inputs, TransferTime
from firstflight_conformance import sweep
from firstflight_conformance.commands.options import PLOT_FILE, InputError
from firstflight_conformance.format.computations import encode_time
from firstflight_conformance.quantities import RATE, SIZE, SIZES, TIME, parse, readable_rate, readable_time
from firstflight_conformance.sweep import Scheme

_SCHEMES = click.Choice(list(transfer_time.SCHEMES))


@click.command("model")
@click.argument("name", type=_SCHEMES)
@click.option("--rate-bps", type=RATE, required=True, help="Rate of the bottleneck, at the IP layer: 10Mbit/s.")
@click.option("--rtt-ns", type=TIME, required=True, help="Round-trip time without queues: 200ms.")
@click.option("--size-bytes", type=SIZE, help="Size of the response: 2MB, 64KiB.")
@click.option("--mss", "mss_bytes", type=SIZE, default=1448, help="Payload of a full packet.")
@click.option("--mtu", "mtu_bytes", type=SIZE, default=1500, help="Size of a full packet.")
@click.option("--initial-window", "initial_window_segments", type=int, default=3, help="Initial window, in segments.")
@click.option("--segments-per-ack", type=int, default=1, help="Segments that one ACK acknowledges.")
@click.option("--threshold-bytes", type=SIZE, default=65536, help="Limit of Jump-Start in the first RTT.")
@click.option("--approved-rate-bps", type=RATE, help="Initial rate of Quick-Start or More-Start.")
@click.option("--against", type=_SCHEMES, help="Also compute this scheme and the speedup of NAME.")
@click.option("--sweep", "sweep_range", metavar="FROM..TO", help="Print a table over sizes: 1kB..10MB.")
@click.option("--points", type=click.IntRange(2, 2000), default=25, help="Number of sizes in a sweep.")
@click.option("--plot", type=PLOT_FILE, help="Draw the sweep to this SVG or PNG file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; in a sweep, one per line.")
def model_command(
    *,
    name: str,
    against: str | None,
    sweep_range: str | None,
    points: int,
    plot: Path | None,
    as_json: bool,
    size_bytes: int | None,
    **path: Any,
) -> None:
    """Compute the response time under a startup scheme NAME without loss, for example slow-start or quick-start.

    Quantities have units: 10Mbit/s, 200ms, 2MB. A bare number has the unit of the option. Results are exact. Exit
    code 2 if an input is outside the domain (spec/transfer-time/rules.md).
    """
    if (size_bytes is None) == (sweep_range is None):
        raise click.UsageError("exactly one of --size-bytes and --sweep is required")
    if plot is not None and sweep_range is None:
        raise click.UsageError("--plot needs --sweep")
    for scheme in (name, against):
        if scheme in ("quick-start", "more-start") and path["approved_rate_bps"] is None:
            raise click.UsageError(f"{scheme} needs --approved-rate-bps")
    own = Scheme(name, Inputs(size_bytes=0 if size_bytes is None else size_bytes, **path))
    other = Scheme(against, own.inputs) if against is not None else None
    try:
        if sweep_range is not None:
            _sweep(own, other, _sizes(sweep_range, points), plot, as_json=as_json)
        else:
            _one(own, other, as_json=as_json)
    except DomainError as error:
        raise InputError(f"{error}{_remedy(own.inputs, str(error))}") from error


def _remedy(inputs: Inputs, error: str) -> str:
    """Return a hint with the next valid Quick-Start rate if the error is an invalid rate, else an empty text."""
    if "2^N" not in error or inputs.approved_rate_bps is None:
        return ""
    _, rate_bps = transfer_time.quick_start_code(inputs.approved_rate_bps)
    return f"; the next lower rate is {rate_bps}" if rate_bps else "; the smallest rate is 80000"


def _one(own: Scheme, other: Scheme | None, *, as_json: bool) -> None:
    size_bytes = own.inputs.size_bytes
    result = own.at(size_bytes)
    answer = encode_time(result)
    if other is not None:
        ratio = sweep.speedup(own, other, size_bytes)
        answer["against"] = {"scheme": other.name, **encode_time(other.at(size_bytes))}
        answer["speedup"] = [str(ratio.numerator), str(ratio.denominator)]
    if as_json:
        click.echo(json.dumps(answer))
        return
    inputs = own.inputs
    click.echo(f"{size_bytes} bytes over {readable_rate(inputs.rate_bps)}, RTT {readable_time(inputs.rtt_ns)}")
    _print(own.name, result)
    if other is not None:
        _print(other.name, other.at(size_bytes))
        click.echo(f"speedup of {own.name} over {other.name}: {_decimal(answer['speedup'])}")


def _print(name: str, result: TransferTime) -> None:
    gamma = result.gamma
    exactly = "" if gamma.denominator == 1 else f", exactly {gamma} ns"
    click.echo(f"{name}")
    click.echo(f"  psi            {result.psi} round{'' if result.psi == 1 else 's'}")
    click.echo(f"  transfer time  {readable_time(result.gamma_ns)}{exactly}")
    click.echo(f"  response time  {readable_time(result.response_time_ns)}")


def _decimal(fraction: list[str], digits: int = 6) -> str:
    scaled = int(fraction[0]) * 10**digits // int(fraction[1])
    return f"{scaled // 10**digits}.{scaled % 10**digits:0{digits}d}"


def _sizes(text: str, points: int) -> list[int]:
    match = re.fullmatch(r"(.+?)\.\.(.+)", text)
    if match is None:
        raise InputError(f"--sweep {text}: expected FROM..TO, for example 1kB..10MB")
    try:
        return sweep.sizes(parse(match[1], SIZES), parse(match[2], SIZES), points)
    except ValueError as error:
        raise InputError(f"--sweep: {error}") from error


def _sweep(own: Scheme, other: Scheme | None, sizes: list[int], plot: Path | None, *, as_json: bool) -> None:
    if not as_json:
        columns = ["bytes", "psi", f"{own.name} ms"] + ([f"{other.name} ms", "speedup"] if other else [])
        click.echo("  ".join(f"{column:>18}" for column in columns))
    for size_bytes in sizes:
        result = own.at(size_bytes)
        ratio = sweep.speedup(own, other, size_bytes) if other else None
        if as_json:
            answer: dict[str, Any] = {"size_bytes": size_bytes, **encode_time(result)}
            if other is not None and ratio is not None:
                answer["against"] = {"scheme": other.name, **encode_time(other.at(size_bytes))}
                answer["speedup"] = [str(ratio.numerator), str(ratio.denominator)]
            click.echo(json.dumps(answer))
            continue
        cells = [str(size_bytes), str(result.psi), _milliseconds(result.response_time_ns)]
        if other is not None and ratio is not None:
            cells.append(_milliseconds(other.at(size_bytes).response_time_ns))
            cells.append(_decimal([str(ratio.numerator), str(ratio.denominator)]))
        click.echo("  ".join(f"{cell:>18}" for cell in cells))
    if plot is not None:
        _draw(own, other, sizes, plot)


def _milliseconds(time_ns: int) -> str:
    return f"{time_ns // 10**6}.{time_ns % 10**6:06d}"


def _draw(own: Scheme, other: Scheme | None, sizes: list[int], path: Path) -> None:
    from firstflight_conformance.plots.transfer_time import plot  # matplotlib takes a second to load

    title = f"{readable_rate(own.inputs.rate_bps)}, RTT {readable_time(own.inputs.rtt_ns)}"
    try:
        plot([own], other, sizes, path, title=title)
    except (OSError, ValueError) as error:
        raise InputError(f"--plot {path}: {error}") from error
    click.echo(f"plot written to {path}", err=True)
