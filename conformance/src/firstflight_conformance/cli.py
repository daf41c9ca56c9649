"""The command ``firstflight``."""

import gc
import importlib
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

import click

import firstflight
from firstflight_conformance import __version__, exits
from firstflight_conformance.beside import reach
from firstflight_conformance.built import BuildError

#: Commands in the order of the help, with their lines in it. A command and its libraries are loaded on use.
COMMANDS = {
    "run": "Judge adapters: by the vectors, in closed loop over the path simulator, or both.",
    "which": "Find the profile that an implementation follows, and the readings that differ from it.",
    "shrink": "Find the smallest stream of events on which an adapter differs from the model.",
    "judge": "Judge connections from logs: behaviour, refuted profiles and possible profiles.",
    "judge-kernel": "Judge the congestion control of the running kernel on an emulated path.",
    "kernel": "Load our congestion controls into the running kernel, as BPF programs.",
    "record": "Cut and convert recordings of connections.",
    "report": "Report a known defect of a stack, with a text for an issue.",
    "list": "List the selected cases.",
    "show": "Show a case as a timeline of events and expected changes.",
    "rules": "List the rules of one profile with its values of the readings.",
    "appendix": "Write pseudocode and test vectors of a profile as sections of an Internet-Draft.",
    "compare": "List the vectors that distinguish two profiles, with the first differing event.",
    "simulate": "Simulate a controller over a path.",
    "network": "Simulate several flows over one bottleneck.",
    "sweep": "Compute every cell of a grid of paths and controllers.",
    "fct": "Simulate a transfer of a published experiment; print the flow completion time.",
    "model": "Compute the response time under a startup scheme.",
    "dev": "Commands for work on Firstflight itself: vectors, clauses, mutants, published results, releases.",
}

#: The commands below ``dev``, in the order of its help.
DEV_COMMANDS = {
    "vectors": "Generate vectors/ and the tables of the references, or compare them with the existing files.",
    "check": "Check that every clause has Python, C and a vector.",
    "mutants": "Replay the vectors with wrong implementations; list the vectors that reject them.",
    "operators": "Replay the vectors with every small edit of the model; list the rejected edits.",
    "results": "Recompute published results, or compare with the stored results.",
    "history": "Judge the releases of a stack; list added and removed deviations.",
    "relay": "Emulate a path between two UDP programs on this machine.",
}

#: Modules of commands that belong to a study or measure the vectors. They exist only in a checkout.
BESIDE = {
    "judge-kernel": "studies.live.command",
    "kernel": "studies.live.bpf.command",
    "report": "studies.defects.command",
    "results": "studies.published.command",
    "history": "studies.history.command",
    "relay": "studies.live.relay_command",
    "mutants": "adequacy.mutants",
    "operators": "adequacy.operators",
    "check": "adequacy.check",
}


def refuse_the_environment_of_another(program: Path) -> None:
    """Exit with code 2 if the program would run the code of another checkout, for example in a copied environment.

    Checks the checkout that contains the program, and the current directory.
    """
    code = Path(__file__).resolve().parents[3]
    here = [Path()] if (code / "conformance").is_dir() else []  # an installed package is outside every checkout
    for around in (*program.absolute().parents[2:3], *here):  # CHECKOUT/.venv/bin/firstflight
        if (around / "conformance" / "src").is_dir() and around.resolve() != code:
            print(f"Error: {program}: runs the code of {code}; run `make tools` in {around.resolve()}", file=sys.stderr)
            raise SystemExit(exits.UNUSABLE)


def refuse_the_model_of_another(model_path: Path) -> None:
    """Exit with code 2 if ``PYTHONPATH`` makes the tools of a checkout load the model of another checkout."""
    own = Path(__file__).resolve().parents[3] / "reference-py" / "src" / "firstflight"
    if own.is_dir() and model_path.resolve() != own:
        print(f"Error: the model is loaded from {model_path}, not from {own}; unset PYTHONPATH", file=sys.stderr)
        raise SystemExit(exits.UNUSABLE)


def _module_of(command: str, usage: str) -> str:
    """Return the name of the module that contains a command.

    Raise :class:`click.UsageError` if the command needs the checkout and the checkout is missing. ``usage``: the
    command as typed, for the error message.
    """
    if command not in BESIDE:
        return f"firstflight_conformance.commands.{command.replace('-', '_')}"
    try:
        reach(BESIDE[command].partition(".")[0])
    except FileNotFoundError as error:
        raise click.UsageError(f"{usage} needs the checkout of Firstflight: {error}") from error
    return BESIDE[command]


class _Unusable(click.ClickException):
    """Error with exit code 2: C code that a command needs, such as the path simulator, cannot be compiled or loaded."""

    exit_code = exits.UNUSABLE


class _Lazy(click.Group):
    """Loads a command when it is called."""

    def __init__(self, *args: Any, table: dict[str, str], **kwargs: Any) -> None:
        """Store the commands with their lines in the help."""
        super().__init__(*args, **kwargs)
        self._table = table

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or report a similar one."""
        near = get_close_matches(args[0], self._table, 1)
        if args[0] not in self._table and not ctx.resilient_parsing:
            if args[0] in DEV_COMMANDS:
                ctx.fail(f"No such command {args[0]!r}; use `firstflight dev {args[0]}`")
            if near:
                ctx.fail(f"No such command {args[0]!r}; did you mean {near[0]}?")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of the help."""
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        registered = super().get_command(ctx, cmd_name)
        if registered is not None or cmd_name not in self._table:
            return registered
        module = importlib.import_module(_module_of(cmd_name, f"{ctx.command_path} {cmd_name}"))
        command: click.Command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._table.items()))


class _Program(_Lazy):
    """The program: reports signals and internal errors with separate exit codes."""

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run as a program."""
        # Vectors stay in memory. Default thresholds would spend a third of their load time on garbage collection.
        gc.set_threshold(100_000, 50, 50)

        def command() -> None:
            refuse_the_environment_of_another(Path(sys.argv[0]))
            refuse_the_model_of_another(Path(firstflight.__file__).parent)
            self.main(*args, **kwargs)

        exits.run(command)

    def invoke(self, context: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(context)
        except BrokenPipeError:  # click would exit with 1, the code of a divergence
            raise SystemExit(exits.CLOSED_PIPE) from None
        except BuildError as error:
            raise _Unusable(str(error)) from error


@click.group(
    cls=_Program, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"], "show_default": True}
)
@click.version_option(__version__, prog_name="firstflight")
def main() -> None:
    """Vectors, simulator, runner and reports for transport startup algorithms."""


@main.group("dev", cls=_Lazy, table=DEV_COMMANDS)
def dev() -> None:
    """Commands for work on Firstflight itself."""
