"""The plain headers of the C port (``reference-c/firstflight/*/TEXT.h``): clean as C and C++, and judged by vectors."""

import ast
import os
import re
from pathlib import Path

import pytest

from every import every_case
from firstflight_conformance.replay.measure import config_from_json
from plain.headers import HEADERS, Header, compiled, source
from plain.judge import Difference, cases_of, computing, judge_case, programs
from plain_said import said_of
from plain_streams import run_streams

COMPILERS = {
    "c11": ("gcc", "-std=c11", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    "c++17": ("g++", "-std=c++17", "-x", "c++", "-O2"),
}


@pytest.fixture(scope="module", params=[(name, compiler) for name in HEADERS for compiler in COMPILERS], ids="-".join)
def header(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Header:
    name, compiler = request.param
    return Header(name, compiled(name, tmp_path_factory.mktemp("plain"), *COMPILERS[compiler]))


def judged(header: Header) -> dict[str, Difference | None]:
    """Return the first difference between a header and the vectors of its profile, or None, by case."""
    chosen = list(cases_of(header, every_case()))
    header.answer((config_from_json(case.vector.config), case.events) for case in chosen)
    return {case.id: judge_case(header, case) for case in chosen}


def test_every_event_driven_program_has_header_or_reason() -> None:
    """Each event-driven program has a header and adapter or a reason for none; computing programs need big numbers."""
    driven = set(programs()) - set(computing())
    assert set(HEADERS) == {name for name in driven if not said_of(name).no_header}


def test_vectors(header: Header) -> None:
    """A header answers every judged event of its profile as the vectors expect."""
    differences = judged(header)
    assert len(differences) >= 10
    assert {case: difference for case, difference in differences.items() if difference} == {}


def test_random_streams(header: Header, request: pytest.FixtureRequest) -> None:
    """A header agrees with the model on 2500 random events, which differ between C and C++."""
    _, compiler = request.node.callspec.params["header"]
    run_streams(header, 700 + list(COMPILERS).index(compiler), 2_500)


@pytest.mark.long
@pytest.mark.parametrize("share", range(10))
@pytest.mark.parametrize("name", HEADERS)
def test_random_streams_long(name: str, share: int, tmp_path: Path) -> None:
    """The same on a million events in ten shares, in C and C++ by turns; FIRSTFLIGHT_LONG_EVENTS is the share size."""
    program = Header(name, compiled(name, tmp_path, *list(COMPILERS.values())[share % 2]))
    run_streams(program, 7000 + share, int(os.environ.get("FIRSTFLIGHT_LONG_EVENTS", "100000")))


def test_state_is_within_size_limit(header: Header) -> None:
    """The state of a connection is within the size limit of its header."""
    size = header.size()
    name = next(name for name in HEADERS if programs()[name].PROFILE == header.PROFILE)
    assert 0 < size <= said_of(name).most_bytes


@pytest.mark.parametrize("name", HEADERS)
def test_header_includes_only_stdint(name: str) -> None:
    """A header includes only the standard header that every freestanding C implementation has."""
    assert re.findall(r"#include (.*)", source(name)) == ["<stdint.h>"]


def test_vectors_find_planted_error(tmp_path: Path) -> None:
    """The vectors find an error in a header."""
    name = "cubic_rfc_9438"
    text = source(name)
    assert text.count("cwnd / 20 * 17") == 1
    changed = tmp_path / "changed"
    changed.mkdir()
    (changed / f"{name}.h").write_text(text.replace("cwnd / 20 * 17", "cwnd / 20 * 18"), encoding="utf-8")
    spoilt = Header(name, compiled(name, tmp_path, *COMPILERS["c++17"], changed=changed))
    assert any(judged(spoilt).values())


# --- The same functions in the same order -----------------------------------------------------------------------------


def functions_of_python(name: str) -> list[str]:
    tree = ast.parse(Path(str(programs()[name].__file__)).read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


def functions_of_c(name: str) -> list[str]:
    definition = rf"^(?:\w+_RARE|static inline) [^;{{]*?\b{name}_(\w+)\([^;{{]*\) {{"
    return [match[1] for match in re.finditer(definition, source(name), re.M)]


@pytest.mark.parametrize("name", HEADERS)
def test_same_functions_in_the_same_order(name: str) -> None:
    """A header has the functions of its plain program, in their order; the exceptions are needed."""
    python, c = functions_of_python(name), functions_of_c(name)
    exceptions = said_of(name)
    usual = (
        set() if "dispatch" in exceptions.python_only else {"on_event"}
    )  # a stack calls the function of the event itself
    assert set(python) - set(c) == usual | set(exceptions.python_only)
    assert set(c) - set(python) == set(exceptions.c_only)
    assert [f for f in python if f in c] == [f for f in c if f in python]
