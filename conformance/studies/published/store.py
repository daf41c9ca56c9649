"""Carries out the runs of every scenario in parallel, writes the results, and compares them with stored results."""

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from firstflight_conformance.paths import STUDIES

RESULTS = STUDIES / "published" / "results"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Run:
    """One computation: ``function(*arguments)`` returns integers, texts, and lists and objects of these.

    ``weight``: approximate duration in ms; the longest runs start first. ``quick``: the tests repeat it.
    """

    scenario: str
    name: str
    function: Callable[..., dict[str, Any]]
    arguments: tuple[Any, ...]
    weight: int = 1000
    quick: bool = False


Data = dict[str, dict[str, Any]]


def carry_out(runs: Sequence[Run], jobs: int) -> Iterator[tuple[Run, dict[str, Any]]]:
    """Carry out runs in parallel processes; yield each finished run with its result."""
    ordered = sorted(runs, key=lambda run: (-run.weight, run.scenario, run.name))
    if jobs == 1:
        for run in ordered:
            yield run, run.function(*run.arguments)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(run.function, *run.arguments): run for run in ordered}
        for future in as_completed(waiting):
            yield waiting[future], future.result()


def path_of(scenario: str) -> Path:
    """Return the file with the data of a scenario."""
    return RESULTS / f"{scenario}.json"


@cache
def load(scenario: str) -> Data:
    """Return the results of a scenario by run name. Raise :class:`FileNotFoundError` without stored results."""
    data: Data = json.loads(path_of(scenario).read_text("utf-8"))["runs"]
    return data


def text(scenario: str, data: Data) -> str:
    """Return the text of a scenario's results: an object per run, a line per field."""
    lines = ["{", f'"format": {FORMAT},', f'"scenario": {json.dumps(scenario)},', '"runs": {']
    names = sorted(data)
    for name in names:
        fields = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in data[name].items()]
        lines += [f"{json.dumps(name)}: {{", ",\n".join(fields), "}" if name == names[-1] else "},"]
    return "\n".join([*lines, "}", "}", ""])


def write(scenario: str, data: Data) -> None:
    """Write the data of a scenario."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path_of(scenario).write_text(text(scenario, data), "utf-8")
    load.cache_clear()


def differences(scenario: str, name: str, computed: dict[str, Any]) -> list[str]:
    """Return the differences of a run from the stored results."""
    try:
        stored = load(scenario).get(name)
    except FileNotFoundError:
        return [f"{path_of(scenario)}: missing; `firstflight dev results` writes it"]
    if stored is None:
        return [f"{scenario}: {name}: not in the data"]
    computed = json.loads(json.dumps(computed))
    keys = sorted(stored.keys() | computed.keys())
    return [f"{scenario}: {name}: {key} differs" for key in keys if stored.get(key) != computed.get(key)]
