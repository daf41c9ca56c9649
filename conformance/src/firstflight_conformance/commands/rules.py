"""``firstflight rules``: the rules of one profile."""

from pathlib import Path

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from firstflight import profiles
from firstflight_conformance.commands import complete
from firstflight_conformance.commands.options import InputError, all_cases, folders_of, usage_errors, vectors_option
from firstflight_conformance.format.profile_rules import Rule, rules_of
from firstflight_conformance.format.readings import load_tables
from firstflight_conformance.report.terminal import console
from firstflight_conformance.run.selection import near_hint


@click.command("rules")
@click.argument("name", metavar="ALGORITHM/PROFILE", shell_complete=complete.profiles_whole)
@vectors_option
def rules_command(*, name: str, root: Path) -> None:
    """List the rules of one profile that its vectors exercise, with the profile's values of the readings.

    The rules of the algorithm come first, in the order of its page, followed by the rules of the base controller.
    """
    algorithm, profile = _known(name)
    with usage_errors():
        rules = rules_of(algorithm, profile, all_cases(root, folders_of(root, (algorithm,))))
    out = console()
    _print_head(out, algorithm, profile, rules)
    page = ""
    for rule in rules:
        if rule.clause.page != page:
            page = rule.clause.page
            out.print(Text(f"\n{page}", "bold"))
        _print_rule(out, rule)


def _known(name: str) -> tuple[str, str]:
    known = [f"{algorithm}/{profile}" for algorithm, names in profiles(composed=True).items() for profile in names]
    if name not in known:
        raise InputError(
            f"{name}: no such profile; {near_hint(name, known)}expected ALGORITHM/PROFILE, for example search/draft-09"
        )
    algorithm, _, profile = name.partition("/")
    return algorithm, profile


def _print_head(out: Console, algorithm: str, profile: str, rules: list[Rule]) -> None:
    table = load_tables().get(algorithm)
    bare = profile.partition("+")[0]
    title = (
        next((table_profile.title for table_profile in table.profiles if table_profile.name == bare), "")
        if table is not None
        else ""
    )
    out.print(Text(f"{algorithm}/{profile}", "bold"))
    if title:
        out.print(Text(title))
    out.print(Text(f"{len(rules)} rules exercised by its vectors"))


def _print_rule(out: Console, rule: Rule) -> None:
    clause = rule.clause
    level = "" if clause.level == "-" else f"{clause.level}; "
    out.print(Text.assemble((f"[{clause.id}]", "cyan"), (f" ({level}{clause.source})", "dim")))
    out.print(Padding(Text(" ".join(clause.text.split())), (0, 0, 0, 2), expand=False))
    for value in rule.values:
        meaning = f": {value.meaning}" if value.meaning else ""
        out.print(Padding(Text(f"here {value.reading} = {value.value}{meaning}", "green"), (0, 0, 0, 4), expand=False))
