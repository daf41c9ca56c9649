"""The page of the commands, generated from the output of ``firstflight COMMAND --help``."""

import click

from firstflight_conformance.cli import main
from firstflight_conformance.paths import ROOT
from pages import markdown as md
from pages import site

_WIDTH = 84


def page() -> str:
    """Return the page."""
    context = _context(main, "firstflight")
    names = main.list_commands(context)
    commands = {name: command for name in names if (command := main.get_command(context, name)) is not None}
    rows = [
        (md.ref(f"firstflight {name}", site.anchor("command", name)), md.plain(command.get_short_help_str(200)))
        for name, command in commands.items()
    ]
    return md.page(
        "# Commands",
        "`firstflight` is one program with a command for each task. `firstflight COMMAND --help` prints the same text; "
        "[](../install.md) describes the installation, and [](../specification/adapter-protocol.md#exit-codes-of-firstflight-run) the exit codes.",
        md.list_table(("Command", "Purpose"), rows, (30, 70), "compact"),
        *(block for name, command in commands.items() for block in _command(name, command, context)),
    )


def _command(name: str, command: click.Command, parent: click.Context) -> list[str]:
    text = command.get_help(_context(command, name, parent)).replace(f"{ROOT}/", "")
    return [md.label(site.anchor("command", name)), f"## firstflight {name}", f"```text\n{text}\n```", *_children(name, command, parent)]  # fmt: skip


def _children(name: str, command: click.Command, parent: click.Context) -> list[str]:
    if not isinstance(command, click.Group):
        return []
    context = _context(command, name, parent)
    return [
        f"```text\n{child.get_help(_context(child, subcommand, context))}\n```"
        for subcommand in command.list_commands(context)
        if (child := command.get_command(context, subcommand)) is not None
    ]


def _context(command: click.Command, name: str, parent: click.Context | None = None) -> click.Context:
    return click.Context(
        command,
        info_name=name,
        parent=parent,
        terminal_width=_WIDTH,
        max_content_width=_WIDTH,
        **command.context_settings,
    )
