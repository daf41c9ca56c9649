"""What is built or installed belongs to the texts that are there: not to a copy, an older file or another compiler."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from firstflight_conformance import cli
from firstflight_conformance.paths import CONFORMANCE, REFERENCE_C, ROOT


@pytest.fixture
def port(tmp_path: Path) -> Path:
    """A copy of the port that is built."""
    for folder in (REFERENCE_C, CONFORMANCE / "adapters" / "c", CONFORMANCE / "include"):
        shutil.copytree(folder, tmp_path / folder.relative_to(ROOT))
    made(tmp_path)
    return tmp_path


def made(port: Path, *words: str) -> str:
    """Build the library at no optimization, which is quick; return what make prints."""
    command = ["make", "-C", str(port / "reference-c"), "lib", "CFLAGS=-O0", "-j2", *words]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return done.stdout + done.stderr if done.returncode == 0 else f"failed: {done.stderr}"


def library(port: Path) -> bytes:
    return (port / "build/c/libfirstflight.a").read_bytes()


def test_nothing_new_builds_nothing(port: Path) -> None:
    """Without a change nothing is compiled again."""
    assert " -c " not in made(port)


def test_an_older_source_is_built(port: Path) -> None:
    """A file whose time is older than what was built from it, as a copy leaves it, is compiled."""
    source, before = port / "reference-c/src/wide.c", library(port)
    source.write_text(source.read_text(encoding="utf-8") + "int ff_planted;\n", encoding="utf-8")
    os.utime(source, (1_000_000, 1_000_000))
    assert "-c src/wide.c" in made(port)
    assert library(port) != before


def test_a_deleted_source_is_missed(port: Path) -> None:
    """Its object does not stay in the library."""
    before = library(port)
    (port / "reference-c/src/wide.c").unlink()
    made(port)
    assert b"wide.o" in before
    assert b"wide.o" not in library(port)


def test_another_compiler_builds_anew(port: Path, tmp_path: Path) -> None:
    """As do other flags, and another program behind the same name."""
    assert "-c src/wide.c" in made(port, "CFLAGS=-O0 -DPLANTED")
    compiler = tmp_path / "cc"
    compiler.write_text('#!/bin/sh\nexec gcc "$@"\n', encoding="utf-8")
    compiler.chmod(0o755)
    assert "-c src/wide.c" in made(port, f"CC={compiler}")
    compiler.write_text('#!/bin/sh\n[ "$1" = --version ] && echo planted\nexec gcc "$@"\n', encoding="utf-8")
    assert "-c src/wide.c" in made(port, f"CC={compiler}")


def test_an_environment_that_was_copied_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its command would judge the code of the original; `make` makes it anew."""
    (tmp_path / "conformance/src").mkdir(parents=True)
    program = tmp_path / ".venv/bin/firstflight"
    with pytest.raises(SystemExit) as end:
        cli.refuse_the_environment_of_another(program)
    assert end.value.code == 2
    assert f"run `make tools` in {tmp_path}" in capsys.readouterr().err
    cli.refuse_the_environment_of_another(ROOT / ".venv/bin/firstflight")
    cli.refuse_the_environment_of_another(Path("/usr/bin/firstflight"))


def test_make_removes_an_environment_that_was_copied(tmp_path: Path) -> None:
    """It is not taken for up to date."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    environment = tmp_path / ".venv"
    environment.mkdir()
    for belongs, stays in ((tmp_path, True), (ROOT, False)):
        (environment / ".tools").touch()
        (environment / ".checkout").write_text(f"{belongs}\n", encoding="utf-8")
        subprocess.run(["make", "-C", str(tmp_path), "help"], capture_output=True, check=True)
        assert environment.exists() == stays
