"""The plain programs against vectors and random streams of the model, their imports, and planted errors."""

import ast
import os
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest

from adequacy.citations import plain_citations
from every import every_case, every_case_of, every_computation, packets
from firstflight.errors import DomainError
from firstflight.transfer_time import transfer_time
from firstflight_conformance.format import computations
from firstflight_conformance.paths import REFERENCE_PY
from firstflight_conformance.prng import SplitMix64
from plain.folders import plain_headers
from plain.judge import (
    cases_of,
    computing,
    controllers,
    judge_case,
    judge_computation,
    judge_inputs,
    programs,
)
from plain_said import said_of
from plain_streams import run_streams
from transfer_time_inputs import draw

CONTROLLERS, COMPUTING = controllers(), computing()
#: The plain NewReno is the only other module of the model's package that a program may import.
SHARED = {"firstflight.events", "firstflight.observables", "firstflight.limits"}
LIBRARY = {"dataclasses", "fractions", "collections.abc", "typing"}
BASE = "firstflight.newreno.plain_newreno_rfc_9002"


def test_every_file_is_a_judged_program() -> None:
    """Every file is a program that the tests below judge."""
    files = {path.stem.removeprefix("plain_") for path in REFERENCE_PY.rglob("plain_*.py")}
    assert files == set(programs()) == set(CONTROLLERS) | set(COMPUTING)


@pytest.mark.parametrize("name", CONTROLLERS)
def test_vectors(name: str) -> None:
    """A program answers every judged event of its profile as the vectors expect."""
    program = CONTROLLERS[name]
    cases = cases_of(program, every_case_of(program.PROFILE.partition("/")[0]))
    judged = {case.id: judge_case(program, case) for case in cases}
    assert len(judged) >= 10
    assert {case: difference for case, difference in judged.items() if difference} == {}


@pytest.mark.parametrize("name", COMPUTING)
def test_computations(name: str) -> None:
    """A program computes the expected values of the vectors."""
    judged = {case.id: judge_computation(COMPUTING[name], case) for case in every_computation()}
    assert len(judged) >= 100
    assert {case: difference for case, difference in judged.items() if difference} == {}


@pytest.mark.random
@pytest.mark.parametrize("name", CONTROLLERS)
def test_random_streams(name: str) -> None:
    """A program agrees with the model on 10000 random events, and these reach every outcome of the vectors."""
    program = CONTROLLERS[name]
    outcomes = run_streams(program, said_of(name).seed, 10_000)
    expected = {step["outcome"] for case in cases_of(program, every_case()) for step in case.expected()}
    assert {outcome for outcome in expected if outcomes[outcome] == 0} == set()


@pytest.mark.long
@pytest.mark.parametrize("share", range(10))
@pytest.mark.parametrize("name", CONTROLLERS)
def test_random_streams_long(name: str, share: int) -> None:
    """The same on a million events in ten shares; FIRSTFLIGHT_LONG_EVENTS sets the events per share."""
    run_streams(CONTROLLERS[name], 5000 + share, int(os.environ.get("FIRSTFLIGHT_LONG_EVENTS", "100000")))


def random_inputs(program: ModuleType, seed: int, count: int) -> Counter[str]:
    """Compare a program with the model on random inputs in the domain; return the number of inputs of each scheme."""
    rng = SplitMix64(seed)
    scheme_counts: Counter[str] = Counter()
    while scheme_counts.total() < count:
        scheme, inputs = draw(rng)
        try:
            answer = transfer_time.compute(scheme, inputs)
        except DomainError:
            continue
        input_values = {name: getattr(inputs, name) for name in computations.INPUTS[scheme]}
        expected = computations.decode_outputs(computations.encode_time(answer))
        assert judge_inputs(program, scheme, input_values, expected) == {}, (scheme, inputs)
        scheme_counts[scheme] += 1
    return scheme_counts


@pytest.mark.random
@pytest.mark.parametrize("name", COMPUTING)
def test_random_inputs(name: str) -> None:
    """A program agrees with the model on 10000 random inputs, some of each scheme."""
    scheme_counts = random_inputs(COMPUTING[name], 500, 10_000)
    assert all(scheme_counts[scheme] > 400 for scheme in transfer_time.SCHEMES)


@pytest.mark.long
@pytest.mark.parametrize("share", range(10))
@pytest.mark.parametrize("name", COMPUTING)
def test_random_inputs_long(name: str, share: int) -> None:
    """The same on a million inputs."""
    random_inputs(COMPUTING[name], 5000 + share, int(os.environ.get("FIRSTFLIGHT_LONG_EVENTS", "100000")))


# --- Imports ----------------------------------------------------------------------------------------------------------


def imports(source: str) -> set[str]:
    """Return the modules that a program imports from the model's package and from the standard library."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            relative = "." * node.level + (node.module or "")
            package = (relative not in SHARED and relative.startswith("firstflight")) or node.level > 0
            modules |= {f"{relative}.{alias.name}" for alias in node.names} if package else {relative}
    return modules


def foreign(source: str) -> set[str]:
    """Return the imports of a program that are not allowed."""
    return imports(source) - SHARED - LIBRARY - {BASE}


@pytest.mark.parametrize("name", programs())
def test_program_shares_only_basic_types_with_model(name: str) -> None:
    """A program shares with the model only the types of events and observables and the bounds of numbers."""
    assert foreign(Path(str(programs()[name].__file__)).read_text(encoding="utf-8")) == set()


@pytest.mark.parametrize(
    "line",
    [
        "from firstflight.newreno.newreno import begin",
        "from firstflight import slow_start",
        "import firstflight.search.search",
        "from .. import search",
        "from firstflight.search import plain_search_draft_09",
        "import random",
    ],
)
def test_foreign_imports_are_found(line: str) -> None:
    assert foreign(f"from firstflight.events import Ack\n{line}\n") != set()


# --- Errors are found ------------------------------------------------------------------------------------------------

#: Errors for each program: the file, the replaced text, and its replacement.
PLANTED = [(name, old, new) for name in CONTROLLERS for old, new in said_of(name).planted]


def planted(name: str, old: str, new: str) -> ModuleType:
    """Return a program with a planted error."""
    source = Path(str(programs()[name].__file__)).read_text(encoding="utf-8")
    assert source.count(old) == 1
    module = ModuleType(f"planted_{name}")
    sys.modules[module.__name__] = module  # where dataclass looks up the module
    exec(compile(source.replace(old, new), module.__name__, "exec"), vars(module))  # noqa: S102
    return module


@pytest.mark.random
@pytest.mark.parametrize(("name", "old", "new"), PLANTED)
def test_planted_errors_are_found(name: str, old: str, new: str) -> None:
    """The vectors find an error in a program, and so do random streams."""
    program = planted(name, old, new)
    assert any(judge_case(program, case) for case in cases_of(program, every_case()))
    with pytest.raises(AssertionError, match="event"):
        run_streams(program, 500, 100_000)


def test_planted_errors_are_found_in_computations() -> None:
    program = planted("transfer_time", "before + window < segments", "before + window <= segments")
    assert any(judge_computation(program, case) for case in every_computation())
    with pytest.raises(AssertionError):
        random_inputs(program, 500, 10_000)


# --- Citations -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", programs())
def test_cited_lines_run(name: str) -> None:
    """Every line that cites a clause runs when the vectors are judged; cases of few packets come first."""
    program = programs()[name]
    file = str(program.__file__)
    cited = {citation.line for citation in plain_citations() if str(citation.path) == file}
    assert len(cited) >= 10
    ran: set[int] = set()

    def on_line(frame: FrameType, event: str, _: Any) -> Any:
        ran.add(frame.f_lineno)
        return on_line

    def on_call(frame: FrameType, event: str, _: Any) -> Any:
        return on_line if frame.f_code.co_filename == file else None

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        for judge in judgements(name):
            if cited <= ran:
                break
            judge()
    finally:
        sys.settrace(before)
    assert cited - ran == set()


def judgements(name: str) -> list[Callable[[], object]]:
    """Return one function per case that judges a program, cases of few packets first: tracing is slow."""
    program = programs()[name]
    if name in CONTROLLERS:
        chosen = sorted(cases_of(program, every_case()), key=lambda case: packets(case) + len(case.events))
        return [partial(judge_case, program, case) for case in chosen]
    return [partial(judge_computation, program, case) for case in every_computation()]


def test_citations_cover_programs_and_headers() -> None:
    paths = {citation.path for citation in plain_citations()}
    assert {path for path in paths if path.suffix == ".py"} == {
        Path(str(program.__file__)) for program in programs().values()
    }
    assert {path for path in paths if path.suffix == ".h"} == set(plain_headers())
