"""``firstflight dev mutants``: the kill matrix."""

import json
import os
from collections import Counter
from pathlib import Path

import click
from rich.table import Table

from adequacy.in_loop import loop_matrix, reasons
from adequacy.kill import Kills, kill_matrix
from firstflight_conformance.commands.options import InputError, nothing_selected, vectors_option
from firstflight_conformance.format.parse import VectorError
from firstflight_conformance.format.vectors import COMPUTED_ALGORITHMS
from firstflight_conformance.replay.mutants import Mutant, MutantError, load_mutants
from firstflight_conformance.report.terminal import console
from firstflight_conformance.run.selection import unknown_hint
from firstflight_conformance.simulate.cases import PREFIX


@click.command("mutants")
@click.option("--algorithm", "algorithms", multiple=True, metavar="NAME", help="Only mutants of this algorithm.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the whole matrix to this file.")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=os.cpu_count() or 1,
    show_default="one for each core",
    help="Processes to use.",
)
@click.option(
    "--closed-loop", is_flag=True, help="Run the mutants in closed loop over the paths instead of replaying vectors."
)
@click.option(
    "--score", "score_alone", is_flag=True, help="Only the score: stop at the first case that rejects a mutant."
)
@vectors_option
def mutants_command(
    *, algorithms: tuple[str, ...], json_file: Path | None, jobs: int, closed_loop: bool, score_alone: bool, root: Path
) -> None:
    """Replay the vectors with wrong implementations; print which vectors reject which mutant, and the score.

    A case kills a mutant if window, threshold or phase differ. A mutant that differs only in outcome or state survives.
    Exit code 1 if a mutant survives without a reason, or is killed in spite of one.
    """
    try:
        every = load_mutants()
        known = sorted({mutant.algorithm for mutant in every})
        for name in algorithms:
            if name not in known:
                raise InputError(f"--algorithm {name}: {unknown_hint(name, known)}")
        if score_alone and (closed_loop or json_file):
            raise InputError(
                "--score: not allowed with --closed-loop or --json, which show all cases that reject a mutant"
            )
        mutants = [mutant for mutant in every if not algorithms or mutant.algorithm in algorithms]
        _check_cases_exist(mutants, None if closed_loop else root)
        matrix = loop_matrix(mutants, jobs) if closed_loop else kill_matrix(mutants, root, jobs, whole=not score_alone)
        argued = reasons() if closed_loop else {}
    except (MutantError, VectorError) as error:
        raise InputError(str(error)) from error
    # Vectors may allow both choices of a tie, which makes a mutant equivalent. A path allows only the model's choice.
    tied = [kills for kills in matrix if closed_loop and kills.mutant.equivalent and not kills.survives]
    why = {kills.mutant.id: kills.mutant.equivalent or argued.get(kills.mutant.id, "") for kills in matrix}
    why |= {kills.mutant.id: "" for kills in tied}
    if not score_alone:
        console().print(_table(matrix))
    for kills in matrix:
        if kills.survives:
            click.echo(f"{kills.mutant.id}: {why[kills.mutant.id] or 'SURVIVES WITHOUT EXPLANATION'}")
        elif why[kills.mutant.id]:
            click.echo(f"{kills.mutant.id}: KILLED, though it is said to survive")
    for kills in tied:
        click.echo(f"{kills.mutant.id}: rejected by paths, which allow one choice: {kills.mutant.equivalent}")
    click.echo(score(matrix, why, closed_loop=closed_loop))
    if json_file is not None:
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(json.dumps(matrix_json(matrix, why), indent=2) + "\n", encoding="utf-8")
    if not all(kills.is_explained(why[kills.mutant.id]) for kills in matrix):
        raise SystemExit(1)


def _check_cases_exist(mutants: list[Mutant], root: Path | None) -> None:
    """Exit with the code of an empty selection if no case (below ``root``, or in closed loop) is for the mutants."""
    algorithms = {mutant.algorithm for mutant in mutants}
    if root is None and algorithms <= COMPUTED_ALGORITHMS:
        nothing_selected("a computation has no closed loop")
    if root is not None and not any((root / name).is_dir() for name in algorithms):
        nothing_selected(f"no vector of {', '.join(sorted(algorithms))} below {root}")


def score(matrix: list[Kills], why: dict[str, str], *, closed_loop: bool) -> str:
    """Return a line with the number of killed mutants, and of the others by reason."""
    killed = sum(not kills.survives for kills in matrix)
    equivalent = sum(bool(why[kills.mutant.id] and kills.mutant.equivalent) for kills in matrix)
    line = f"score: {killed} of {len(matrix)} mutants killed, {equivalent} argued equivalent"
    if not closed_loop:
        return line
    beyond = sum(bool(why[kills.mutant.id]) for kills in matrix) - equivalent
    return line.replace("killed,", "killed in closed loop,") + f", {beyond} beyond what a path does"


def matrix_json(matrix: list[Kills], why: dict[str, str]) -> dict[str, object]:
    """Return the matrix as JSON: the cases that kill each mutant."""
    return {
        kills.mutant.id: {
            "profile": f"{kills.mutant.algorithm}/{kills.mutant.profile}",
            "what": kills.mutant.what,
            "killed_by": kills.by_windows,
            "shown_by": sorted(kills.shown_by),
            "told_apart_by_state": kills.by_state,
            "equivalent": kills.mutant.equivalent or None,
            "survives_because": (why[kills.mutant.id] or None) if kills.survives else None,
        }
        for kills in matrix
    }


def _topic(case_id: str) -> str:
    if case_id.startswith(PREFIX):
        return case_id.removeprefix(PREFIX).partition("@")[0]
    algorithm, topic = case_id.split(".")[:2]
    return f"{algorithm}.{topic}"


def _table(matrix: list[Kills]) -> Table:
    """Return the matrix with a column for each topic: how many of its cases kill the mutant."""
    topics = sorted({_topic(case) for kills in matrix for case in kills.by_windows + kills.by_state})
    headings = [chr(ord("A") + number) if number < 26 else f"A{number - 26}" for number in range(len(topics))]
    legend = "  ".join(f"{heading} {topic}" for heading, topic in zip(headings, topics, strict=True))
    table = Table(box=None, pad_edge=False, caption=legend, caption_justify="left")
    table.add_column("mutant", no_wrap=True)
    table.add_column("killed by", justify="right")
    for heading in headings:
        table.add_column(heading, justify="right")
    for kills in matrix:
        counts = Counter(_topic(case) for case in kills.by_windows)
        killed = str(len(kills.by_windows)) if kills.by_windows else "none"
        table.add_row(kills.mutant.id, killed, *(str(counts[topic] or "·") for topic in topics))
    return table
