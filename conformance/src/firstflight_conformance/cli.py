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

#: The commands in the order of the help, each with its line there. Each is loaded when it is called, and its libraries with it.
COMMANDS = {
    "run": "Judge adapters: by the vectors, in closed loop over the path simulator, or both.",
    "which": "Which profile an implementation follows, and in which readings it departs from it.",
    "shrink": "The smallest stream of events on which an adapter and the model part.",
    "judge": "What a connection did, which profiles that refutes, and which it may be.",
    "judge-kernel": "Judge the congestion control of the running kernel on an emulated path.",
    "kernel": "Load our congestion controls into the running kernel, as BPF programs.",
    "record": "Cut and convert recordings of connections.",
    "report": "A known defect of a stack as a report, with a text for an issue.",
    "list": "List the cases that are selected.",
    "show": "Show a case as a timeline: each event, and what is expected to change there.",
    "rules": "List the rules of one profile, with the values that it takes.",
    "appendix": "Pseudocode and test vectors of a profile as sections of an Internet-Draft.",
    "compare": "Which vectors tell two profiles apart, and at which event.",
    "simulate": "Drive a controller over a path.",
    "network": "Several flows over one bottleneck.",
    "sweep": "The same question for every cell of a grid of paths and controllers.",
    "fct": "The flow completion time of a transfer in a published experiment.",
    "model": "How long a response takes under a startup scheme.",
    "dev": "Commands for work on Firstflight itself: vectors, clauses, mutants, published results, releases.",
}

#: The commands below ``dev``, in the order of its help.
DEV_COMMANDS = {
    "vectors": "Generate vectors/ and the tables of the references, or compare them with the existing files.",
    "check": "Check that every clause has Python, C and a vector.",
    "mutants": "Replay the vectors with wrong implementations: which vectors reject them.",
    "operators": "Replay the vectors with every small edit of the model: which they reject.",
    "results": "Compute published results again, or compare with the stored ones.",
    "history": "A stack over its releases: which deviations came and went.",
    "relay": "An emulated path between two UDP programs on this machine.",
}

#: Commands that are part of a study, or measure the vectors: they lie beside the package, in the checkout.
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
    """End with exit code 2 if the program lies in the environment of a checkout, or is started in one, and would run the code of another, as in a copy."""
    code = Path(__file__).resolve().parents[3]
    here = [Path()] if (code / "conformance").is_dir() else []  # an installed package is of no checkout
    for around in (*program.absolute().parents[2:3], *here):  # CHECKOUT/.venv/bin/firstflight
        if (around / "conformance" / "src").is_dir() and around.resolve() != code:
            print(f"Error: {program}: runs the code of {code}; run `make tools` in {around.resolve()}", file=sys.stderr)
            raise SystemExit(exits.UNUSABLE)


def refuse_the_model_of_another(found: Path) -> None:
    """End with exit code 2 if the tools of a checkout would judge by the model of another one, to which ``PYTHONPATH`` leads."""
    own = Path(__file__).resolve().parents[3] / "reference-py" / "src" / "firstflight"
    if own.is_dir() and found.resolve() != own:
        print(f"Error: the model is loaded from {found}, not from {own}; unset PYTHONPATH", file=sys.stderr)
        raise SystemExit(exits.UNUSABLE)


def _module_of(command: str, usage: str) -> str:
    """Return the name of the module of a command. Raise :class:`click.UsageError` if it needs a checkout, and there is none."""
    if command not in BESIDE:
        return f"firstflight_conformance.commands.{command.replace('-', '_')}"
    try:
        reach(BESIDE[command].partition(".")[0])
    except FileNotFoundError as error:
        raise click.UsageError(f"{usage} needs the checkout of Firstflight: {error}") from error
    return BESIDE[command]


class _Unusable(click.ClickException):
    """A program of the tools cannot be built."""

    exit_code = exits.UNUSABLE


class _Lazy(click.Group):
    """Loads a command when it is called."""

    def __init__(self, *args: Any, table: dict[str, str], **kwargs: Any) -> None:
        """Take the commands with their lines in the help."""
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
    """The program: answers signals and its own errors with exit codes of their own."""

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run as a program."""
        # Vectors stay: to look for garbage among them again and again takes a third of the time to load them.
        gc.set_threshold(100_000, 50, 50)

        def command() -> None:
            refuse_the_environment_of_another(Path(sys.argv[0]))
            refuse_the_model_of_another(Path(firstflight.__file__).parent)
            self.main(*args, **kwargs)

        exits.run(command)

    def invoke(self, context: click.Context) -> Any:
        """Run the command that is named."""
        try:
            return super().invoke(context)
        except BrokenPipeError:  # click would exit with 1, which means a divergence
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
