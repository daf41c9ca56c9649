"""Shared objects behind the host."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from firstflight_conformance.adapters.faults import FaultKind
from firstflight_conformance.adapters.manifest import ManifestError, resolve
from firstflight_conformance.paths import CONFORMANCE
from firstflight_conformance.records.results import AdapterReport, Verdict
from firstflight_conformance.run.judge import judge
from runner_support import BAD, IDS, QUICK, scripts, write_vectors

COMPILER = shutil.which("cc")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
INCLUDE = CONFORMANCE / "include"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the vectors."""
    return write_vectors(tmp_path_factory.mktemp("vectors"))


def compiled(source: Path, output: Path, *options: str) -> Path:
    """Compile a source file."""
    assert COMPILER is not None
    subprocess.run([COMPILER, f"-I{INCLUDE}", *options, "-o", str(output), str(source)], check=True)
    return output


@pytest.fixture(autouse=True, params=["made", "built when it is needed"])
def host(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the host that `make` built, or a host that is built on demand."""
    if request.param != "made":
        monkeypatch.setattr("firstflight_conformance.adapters.manifest.SHARED_OBJECT_HOST", tmp_path / "none")


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
def test_fault_affects_only_its_own_case(root: Path, tmp_path: Path, mode: str, reason: str) -> None:
    """A crash or a fault makes only its own case errored."""
    report = judged(root, tmp_path, f"-DMODE={mode}")
    assert [result.case_id for result in report.results] == list(IDS)
    assert [result.verdict for result in report.results] == [Verdict.PASS, Verdict.ERRORED, Verdict.PASS]
    assert report.results[1].fault is FaultKind.EXITED
    assert reason in report.results[1].reason


def test_missing_function(root: Path, tmp_path: Path) -> None:
    """The reason contains the missing function."""
    report = judged(root, tmp_path, "-DMODE=RIGHT", "-DNO_HELLO")
    assert {result.verdict for result in report.results} == {Verdict.ERRORED}
    assert "exited with code 2" in report.results[0].reason
    assert "undefined symbol: firstflight_adapter_hello" in report.results[0].reason


def test_unloadable_file(root: Path, tmp_path: Path) -> None:
    """The reason states that the file cannot be used as a shared object."""
    library = tmp_path / "lib.so"
    library.write_text("no library", encoding="utf-8")
    report = judge(resolve(str(library), {}), scripts(root), QUICK)
    assert "exited with code 2" in report.results[0].reason
    assert "cannot be used" in report.results[0].reason


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a host and a C compiler a shared object is refused, and the message contains the remedy."""
    (library := tmp_path / "lib.so").touch()
    monkeypatch.setattr("firstflight_conformance.adapters.manifest.SHARED_OBJECT_HOST", tmp_path / "none")
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(ManifestError, match="C compiler not found: no-such-compiler; set CC to a C compiler"):
        resolve(str(library), {})


#: The structures shared by a shared object and its host: size, and the offsets of the members in header order.
LAYOUT = {
    "firstflight_case": (40, [0, 8, 16, 24, 32]),
    "firstflight_run": (32, [0, 8, 16, 24]),
    "firstflight_event": (
        208,
        [
            0,
            4,
            8,
            16,
            24,
            32,
            40,
            48,
            56,
            64,
            72,
            80,
            88,
            96,
            104,
            112,
            120,
            128,
            136,
            144,
            152,
            160,
            168,
            176,
            184,
            192,
            200,
            204,
        ],
    ),
    "firstflight_state_number": (24, [0, 8, 16]),
    "firstflight_observed": (448, [0, 8, 16, 20, 24, 32, 40, 424, 432, 436, 440]),
}


def test_structures_keep_their_layout(tmp_path: Path) -> None:
    """Members stay at the offsets that compiled shared objects use; new members come last."""
    header = (INCLUDE / "firstflight_adapter.h").read_text("utf-8")
    checks = []
    for name, (size, offsets) in LAYOUT.items():
        body = header.partition(f"struct {name} {{")[2].partition("\n};")[0]
        fields = re.findall(r"^ +[\w *]+?(\w+)(?:\[\w+\])?;", body, re.M)
        assert len(fields) >= len(offsets)
        checks.append(f'_Static_assert(sizeof(struct {name}) >= {size}, "size of {name}");')
        checks += [
            f'_Static_assert(offsetof(struct {name}, {field}) == {at}, "{name}.{field}");'
            for field, at in zip(fields, offsets, strict=False)
        ]
    source = tmp_path / "check.c"
    source.write_text(
        "\n".join(["#include <stddef.h>", '#include "firstflight_adapter.h"', *checks, ""]), encoding="utf-8"
    )
    compiled(source, tmp_path / "check.o", "-c", "-std=c11")
