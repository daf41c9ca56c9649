"""``firstflight kernel``: our congestion controls in the running kernel, as BPF programs."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from firstflight_conformance.commands.options import InputError
from firstflight_conformance.records.results import ExitCode
from studies.live.bpf.objects import (
    BpfError,
    MissingError,
    Object,
    available,
    find,
    load,
    objects,
    registered,
    require,
    unload,
)


@contextmanager
def answered() -> Iterator[None]:
    """End with exit code 4 and the remedy if BPF is not possible here, with 2 if the kernel refuses."""
    try:
        yield
    except MissingError as reason:
        click.echo(f"skipped: {reason}", err=True)
        raise SystemExit(ExitCode.NOTHING_RUN) from reason
    except BpfError as reason:
        raise InputError(str(reason)) from reason


def wanted_object(text: str, *, cubic: bool = False) -> Object:
    """Return the object of a profile or name. Raise :class:`InputError` if there is none."""
    try:
        return find(text, cubic=cubic)
    except KeyError:
        names = ", ".join(dict.fromkeys(control.profile for control in objects() if control.cubic or not cubic))
        on = " on CUBIC" if cubic else ""
        raise InputError(f"{text}: there is no object for this profile{on}; choose one of {names}") from None


@click.group("kernel")
def kernel_command() -> None:
    """Load our congestion controls into the running kernel, as BPF programs (Linux, root).

    Exit code 4: root, BTF, JIT or a tool is missing; the message contains the remedy.
    """


@kernel_command.command("load")
@click.argument("profile", metavar="PROFILE")
@click.option("--cubic", is_flag=True, help="On the kernel's CUBIC, not on its Reno (SEARCH draft-09 and HyStart++).")
@click.option("--allow-all", is_flag=True, help="Users without CAP_NET_ADMIN may choose it.")
def load_command(*, profile: str, cubic: bool, allow_all: bool) -> None:
    """Compile the object of PROFILE, and register it as a congestion control."""
    control = wanted_object(profile, cubic=cubic)
    with answered():
        require()
        load(control, allow_all=allow_all)
    click.echo(
        f"loaded {control.profile} as {control.name}; a socket chooses it by TCP_CONGESTION, iperf3 by -C {control.name}"
    )


@kernel_command.command("unload")
@click.argument("profile", metavar="PROFILE|NAME")
@click.option("--cubic", is_flag=True, help="The object on the kernel's CUBIC.")
def unload_command(*, profile: str, cubic: bool) -> None:
    """Unregister an object; connections that use it keep it to their end."""
    control = wanted_object(profile, cubic=cubic)
    with answered():
        require()
        unload(control)
    click.echo(f"unloaded {control.name}")


@kernel_command.command("list")
def list_command() -> None:
    """List the objects: name in the kernel, profile, base, and whether they are loaded."""
    root = True
    try:
        require()
    except MissingError as reason:
        root = False
        print(f"not loadable here: {reason}", file=sys.stderr)
    ids = registered() if root else {}
    names = available() if root else []
    for control in objects():
        state = "loaded" if control.name in names else "in use, name free" if control.name in ids else "-"
        click.echo(f"{control.name:16} {control.profile:28} {'CUBIC' if control.cubic else 'Reno':6} {state}")
