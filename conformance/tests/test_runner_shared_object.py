"""Shared objects behind the host."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

from firstflight_conformance.paths import CONFORMANCE
from firstflight_conformance.run import shared_object_host
from firstflight_conformance.run.faults import FaultKind
from firstflight_conformance.run.judge import judge
from firstflight_conformance.run.manifest import resolve
from firstflight_conformance.run.results import AdapterReport, Verdict
from runner_support import BAD, IDS, QUICK, scripts, write_vectors

COMPILER = shutil.which("cc")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
INCLUDE = CONFORMANCE / "include"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The vectors."""
    return write_vectors(tmp_path_factory.mktemp("vectors"))


def compiled(source: Path, output: Path, *options: str) -> Path:
    """Compile a source file."""
    assert COMPILER is not None
    subprocess.run([COMPILER, f"-I{INCLUDE}", *options, "-o", str(output), str(source)], check=True)
    return output


@pytest.fixture(scope="module")
def host_in_c(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The host in C, compiled as its Makefile does."""
    folder = tmp_path_factory.mktemp("host")
    here = CONFORMANCE / "adapters" / "c"
    names = ("-Dmain=firstflight_serve", "-DFIRSTFLIGHT_ANSWERS=firstflight_answers")
    served = compiled(here / "stdio_host.c", folder / "stdio_host.o", "-c", "-std=c11", *names)
    return compiled(
        here / "shared_object_host.c", folder / "host", "-std=c11", str(here / "json_lines.c"), str(served), "-ldl"
    )


@pytest.fixture(autouse=True, params=["C", "Python"])
def host(request: pytest.FixtureRequest, host_in_c: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both hosts do the same."""
    path = host_in_c if request.param == "C" else tmp_path / "none"
    monkeypatch.setattr("firstflight_conformance.run.manifest.SHARED_OBJECT_HOST", path)


def judged(root: Path, folder: Path, *options: str) -> AdapterReport:
    """Compile the library with the options and judge it."""
    library = compiled(BAD / "library.c", folder / "lib.so", "-shared", "-fPIC", *options)
    return judge(resolve(str(library), {}), scripts(root), QUICK)


@pytest.mark.parametrize("mode", ["RIGHT", "PRINTS"])
def test_right_library_passes(root: Path, tmp_path: Path, mode: str) -> None:
    """A right library passes, even if it prints."""
    report = judged(root, tmp_path, f"-DMODE={mode}")
    assert [(result.verdict, result.reason) for result in report.results] == [(Verdict.PASS, "")] * 3


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("CRASHES", "event 1: was ended by signal 6 (SIGABRT)"),
        ("GIVES_UP", "exited with code 1; its log ends: firstflight_adapter_event returned 2 for event 1"),
    ],
)
def test_fault_costs_one_case(root: Path, tmp_path: Path, mode: str, reason: str) -> None:
    """A crash or a fault makes its case errored."""
    report = judged(root, tmp_path, f"-DMODE={mode}")
    assert [result.case_id for result in report.results] == list(IDS)
    assert [result.verdict for result in report.results] == [Verdict.PASS, Verdict.ERRORED, Verdict.PASS]
    assert report.results[1].fault is FaultKind.EXITED
    assert reason in report.results[1].reason


def test_missing_function(root: Path, tmp_path: Path) -> None:
    """The reason names the function that is missing."""
    report = judged(root, tmp_path, "-DMODE=RIGHT", "-DNO_HELLO")
    assert {result.verdict for result in report.results} == {Verdict.ERRORED}
    assert "exited with code 2" in report.results[0].reason
    assert "undefined symbol: firstflight_adapter_hello" in report.results[0].reason


def test_unloadable_file(root: Path, tmp_path: Path) -> None:
    """A file that is no shared object is named as such."""
    library = tmp_path / "lib.so"
    library.write_text("no library", encoding="utf-8")
    report = judge(resolve(str(library), {}), scripts(root), QUICK)
    assert "exited with code 2" in report.results[0].reason
    assert "cannot be used" in report.results[0].reason


def test_structures_match_the_header(tmp_path: Path) -> None:
    """The structures of the host have the sizes and offsets that the C compiler gives them."""
    structures = {
        "firstflight_case": shared_object_host._Case,
        "firstflight_run": shared_object_host._Run,
        "firstflight_event": shared_object_host._Event,
        "firstflight_state_number": shared_object_host._StateNumber,
        "firstflight_observed": shared_object_host._Observed,
    }
    checks = []
    for name, structure in structures.items():
        checks.append(f'_Static_assert(sizeof(struct {name}) == {ctypes.sizeof(structure)}, "size of {name}");')
        for field, *_ in structure._fields_:
            offset = getattr(structure, field).offset
            checks.append(f'_Static_assert(offsetof(struct {name}, {field}) == {offset}, "{name}.{field}");')
    source = tmp_path / "check.c"
    source.write_text(
        "\n".join(["#include <stddef.h>", '#include "firstflight_adapter.h"', *checks, ""]), encoding="utf-8"
    )
    compiled(source, tmp_path / "check.o", "-c", "-std=c11")
