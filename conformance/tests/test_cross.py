"""`make cross` reports builds with other answers or failures, and skips builds without a compiler, with the reason."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from firstflight_conformance.paths import CONFORMANCE
from plain.headers import HEADERS

_ASKED = b'{"op":"hello","protocol":1}\n'


@pytest.fixture
def cross(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """Return the program with one question for the adapter and one for a header, and without unit tests."""
    monkeypatch.syspath_prepend(str(CONFORMANCE / "cross"))
    module = importlib.import_module("cross")
    for name, value in (("UNITY", tmp_path), ("PORT", module.PORT), ("HOST", module.HOST)):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(module.questions, "of_adapter", lambda: _ASKED)
    monkeypatch.setattr(module.questions, "of_headers", lambda: {"newreno_rfc_9002": b"begin 1200 0\nsize\n"})
    monkeypatch.setattr(sys, "argv", ["cross"])
    return module


def lines(
    cross: ModuleType, capsys: pytest.CaptureFixture[str], *machines: tuple[str, str, str]
) -> tuple[int, list[str]]:
    """Judge this machine and others, each with a compiler and an emulator; return the exit code and other output."""
    made = [
        cross.Build(name, "gcc -O0", (compiler,), "-O0", (emulator,) if emulator else (), "some")
        for name, compiler, emulator in machines
    ]
    here = cross.Build("here", "gcc -O0", ("gcc",), "-O0", (), "gcc")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cross, "builds", lambda _: iter([here, *made]))
        code = cross.main()
    return code, [line for line in capsys.readouterr().out.splitlines() if not line.startswith("|")]


def script(path: Path, line: str) -> str:
    """Write an emulator that runs this line; return its path."""
    path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_build_with_missing_compiler_is_skipped(cross: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    absent = ("absent", "no-such-compiler", "")
    code, printed = lines(cross, capsys, absent)
    assert (code, printed[-1]) == (0, "cross: 0 builds differ or fail, 1 skipped")
    assert printed[0] == "cross: skipped: absent: gcc -O0: no-such-compiler is missing (Debian: some)"


def test_differing_and_failing_builds_are_reported(
    cross: ModuleType, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Builds with other answers or a failure are reported; a build with the same answers is not."""
    small = tmp_path / "small.c"
    small.write_text(
        '#include <stdio.h>\nint main(void)\n{\n    return puts("firstflight") < 0;\n}\n', encoding="utf-8"
    )
    cross.PORT, cross.HOST = [small], []
    same = ("same", "gcc", script(tmp_path / "same", 'exec "$@"'))
    other = ("other", "gcc", script(tmp_path / "other", '"$@" | sed s/firstflight/secondflight/'))
    broken = ("broken", "gcc", script(tmp_path / "broken", "exit 9"))
    code, printed = lines(cross, capsys, same, other, broken)
    assert (code, printed[-1]) == (1, "cross: 2 builds differ or fail, 0 skipped")
    assert printed[0] == "cross: other: gcc -O0: other answers"
    assert printed[1].startswith("cross: broken: gcc -O0: ") and "exit status 9" in printed[1]


def test_builds_cover_all_machines_compilers_and_flags(cross: ModuleType) -> None:
    """There is a question for every plain header, and the builds cover all machines, compilers and flags."""
    assert cross.questions.HEADERS == HEADERS
    every = list(cross.builds())
    assert {build.machine for build in every} == {"here", "i386", "armhf", "s390x", "ppc64"}
    flags = {flag for build in every for flag in build.flags.split()}
    assert flags >= {"-O0", "-O1", "-O2", "-O3", "-funsigned-char", "-fsigned-char", "-DFF_NO_INT128"}
    assert {build.name.partition(" ")[0] for build in every} == {"gcc", "clang"}
