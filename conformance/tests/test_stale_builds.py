"""Built and installed files match the current sources, not a copy, an older file or another compiler."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from firstflight_conformance import built, cli
from firstflight_conformance.adapters import manifest
from firstflight_conformance.flat import form as flat
from firstflight_conformance.flat.form import AnyCase
from firstflight_conformance.format import vectors
from firstflight_conformance.format.clauses import all_clauses
from firstflight_conformance.paths import CONFORMANCE, REFERENCE_C, ROOT, VECTORS


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the port that has been built."""
    folder = tmp_path_factory.mktemp("port")
    for part in (REFERENCE_C, CONFORMANCE / "adapters" / "c", CONFORMANCE / "include"):
        shutil.copytree(part, folder / part.relative_to(ROOT))
    made(folder)
    return folder


@pytest.fixture
def port(tmp_path: Path, original: Path) -> Path:
    """Return a copy of the built port: builds are independent of the folder, and the copy keeps the file times."""
    return Path(shutil.copytree(original, tmp_path / "port"))


def made(port: Path, *words: str, target: str = "lib") -> str:
    """Build without optimization, which is quick; return the output of make."""
    command = ["make", "-C", str(port / "reference-c"), target, "CFLAGS=-O0", "-j2", *words]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return done.stdout + done.stderr if done.returncode == 0 else f"failed: {done.stderr}"


def library(port: Path) -> bytes:
    return (port / "build/c/libfirstflight.a").read_bytes()


def test_unchanged_sources_are_not_compiled(port: Path) -> None:
    """Without a change nothing is compiled again."""
    assert " -c " not in made(port)


def test_source_older_than_its_object_is_compiled(port: Path) -> None:
    """A source older than its object, as in a copy with old times, is compiled."""
    source, before = port / "reference-c/firstflight/wide.c", library(port)
    source.write_text(source.read_text(encoding="utf-8") + "int ff_planted;\n", encoding="utf-8")
    os.utime(source, (1_000_000, 1_000_000))
    assert "-c firstflight/wide.c" in made(port)
    assert library(port) != before


def test_object_of_deleted_source_is_removed(port: Path) -> None:
    """The object of a deleted source does not stay in the library."""
    before = library(port)
    (port / "reference-c/firstflight/wide.c").unlink()
    made(port)
    assert b"wide.o" in before
    assert b"wide.o" not in library(port)


def test_changed_compiler_flag_triggers_rebuild(port: Path) -> None:
    assert "-c firstflight/wide.c" in made(port, "CFLAGS=-O0 -DPLANTED")


def test_interrupted_build_is_compiled_again(port: Path) -> None:
    """An object of a temporary text is compiled again, even if its source is older."""
    static_library = port / "build/c/libfirstflight.a"
    before = static_library.read_bytes()
    for built_file in (static_library, static_library.with_suffix(".so")):
        built_file.unlink()
    shutil.copy(port / "build/c/u128.o", port / "build/c/wide.o")
    assert "-c firstflight/wide.c" in made(port)
    assert library(port) == before


def test_source_changed_during_compilation_fails_the_build(port: Path, tmp_path: Path) -> None:
    """If the source is then restored with its old time, no program remains, and the next `make` builds it."""
    source, compiler = port / "reference-c/firstflight/u128.c", tmp_path / "cc"
    compiler.write_text(
        f'#!/bin/sh\ncase "$*" in *"-c firstflight/u128.c"*)\ncp -p {source} {tmp_path}/old; echo "int ff_planted;" >> {source}; '
        f'gcc "$@"; cp -p {tmp_path}/old {source};;\n*) exec gcc "$@";; esac\n',
        encoding="utf-8",
    )
    compiler.chmod(0o755)
    program = port / "build/adapters/shared-object-host"
    output = made(port, f"CC={compiler}", target="adapters")
    assert output.startswith("failed") and "u128.c: written while it was compiled; run make again" in output
    assert not (port / "build/adapters/firstflight-c").exists()
    compiler.write_text('#!/bin/sh\nexec gcc "$@"\n', encoding="utf-8")
    assert "-c firstflight/u128.c" in made(port, f"CC={compiler}", target="adapters")
    assert program.exists() and b"ff_planted" not in library(port)


def test_environment_does_not_redirect_the_build(tmp_path: Path) -> None:
    """Neither `CDPATH` nor an exported `FIRSTFLIGHT_ROOT` leads the build to another checkout."""
    for folder in ("here", "elsewhere"):
        (tmp_path / folder / "conformance").mkdir(parents=True)
    shutil.copy(ROOT / "Makefile", tmp_path / "here")
    where = "--eval=where: ; @cd conformance && echo $$PWD$$FIRSTFLIGHT_ROOT"
    line = ["make", "-C", str(tmp_path / "here"), "--no-print-directory", where, "where"]
    elsewhere = str(tmp_path / "elsewhere")
    environment = os.environ | {"CDPATH": elsewhere, "FIRSTFLIGHT_ROOT": elsewhere}
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [str(tmp_path / "here" / "conformance")]


def test_old_program_is_not_used_with_cargo_build_target(tmp_path: Path) -> None:
    """If `CARGO_BUILD_TARGET` moves the program, the old program of the last build is not used."""
    for name in ("cargo-build.sh", "crates.sh", "crates.txt"):
        shutil.copy(CONFORMANCE / "adapters" / name, tmp_path)
    for name, text in (("cargo", 'echo \'"source":"registry"\''), ("rustc", "echo rustc 9.9.9")):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (tmp_path / "bin" / name).chmod(0o755)
    old = tmp_path / "build/cargo/release/stack"
    for folder in (tmp_path / "stack", old.parent):
        folder.mkdir(parents=True)
    (tmp_path / "stack/Cargo.toml").write_text('name = "stack"\nrust-version = "1.70"\n', encoding="utf-8")
    old.write_text("of other sources", encoding="utf-8")
    environment = os.environ | {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "CARGO_HOME": str(tmp_path)}
    line = [tmp_path / "cargo-build.sh", tmp_path / "stack", tmp_path / "build"]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "release/stack" in done.stderr
    assert not (tmp_path / "build/stack").exists()


@pytest.mark.long
@pytest.mark.skipif(shutil.which("go") is None, reason="there is no go here")
def test_go_loader_detects_changed_vectors(tmp_path: Path) -> None:
    """Go caches test results without checking files outside the module, such as the vectors."""
    cases: list[AnyCase] = [*vectors.cases(vectors.load_all(VECTORS, ["slow-start"]))]
    text = "".join(flat.lines(flat.by_profile(cases)["slow-start", "rfc-9002"], all_clauses()))
    file = tmp_path / "flat/slow-start/rfc-9002.ndjson"
    file.parent.mkdir(parents=True)
    environment = os.environ | {"OUT": str(tmp_path / "out"), "FIRSTFLIGHT_FLAT": str(tmp_path / "flat")}
    environment.pop("FIRSTFLIGHT", None)
    for wrong in (False, True):
        file.write_text(
            text.replace('"cwnd_bytes":14400', '"cwnd_bytes":14401', 1) if wrong else text, encoding="utf-8"
        )
        done = subprocess.run(
            [CONFORMANCE / "loaders/test.sh", "go"], env=environment, capture_output=True, text=True, check=False
        )
        assert (done.returncode, "1 failed" in done.stdout) == (int(wrong), wrong), done.stdout + done.stderr


@pytest.mark.parametrize("change", ["edited", "deleted"])
def test_outdated_program_is_not_judged(tmp_path: Path, change: str) -> None:
    """A run without a build judges no outdated program and reports this; `make` stores the text of the sources."""
    built_here, sources = ROOT / "build/adapters", tmp_path / "reference-c"
    if not (built_here / "c-adapters.files").exists():
        pytest.skip("make c-adapters was not run")
    names = (built_here / "c-adapters.files").read_text("utf-8").split()
    assert {"firstflight/hystartpp/hystartpp.h", "../conformance/adapters/c/firstflight_c.c"} <= set(names)
    for part in (REFERENCE_C, CONFORMANCE / "adapters" / "c", CONFORMANCE / "include"):
        shutil.copytree(part, tmp_path / part.relative_to(ROOT))
    assert manifest._is_of_its_sources("c-adapters", built_here, sources)
    edited = sources / "firstflight/hystartpp/hystartpp.h"
    if change == "edited":
        edited.write_text(edited.read_text("utf-8").replace("UINT64_C(4)", "UINT64_C(5)"), encoding="utf-8")
    else:
        edited.unlink()
    assert not manifest._is_of_its_sources("c-adapters", built_here, sources)
    port = manifest.load_manifests()["c-port"]
    assert replace(port, build="none").missing() is None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest, "_is_of_its_sources", lambda target: False)
        assert port.missing() == "its sources were changed since it was built: run `make c-adapters`"


@pytest.mark.long
def test_changed_compiler_triggers_rebuild(port: Path, tmp_path: Path) -> None:
    """Another program behind the same name also builds anew."""
    compiler = tmp_path / "cc"
    compiler.write_text('#!/bin/sh\nexec gcc "$@"\n', encoding="utf-8")
    compiler.chmod(0o755)
    assert "-c firstflight/wide.c" in made(port, f"CC={compiler}")
    compiler.write_text('#!/bin/sh\n[ "$1" = --version ] && echo planted\nexec gcc "$@"\n', encoding="utf-8")
    assert "-c firstflight/wide.c" in made(port, f"CC={compiler}")


def test_library_of_changing_sources_is_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library compiled from changing sources is not stored, even if the sources are restored."""
    sources = shutil.copytree(CONFORMANCE / "simulator", tmp_path / "conformance/simulator")
    edited = min(sources.glob("*.c"))
    compiler = tmp_path / "cc"
    compiler.write_text(f'#!/bin/sh\n{{ cat {edited}; echo; }} > {edited}.new\ncp {edited} {edited}.old\n'
                        f'cat {edited}.new > {edited}\nfor made; do :; done\ntouch "$made"\ncat {edited}.old > {edited}\n', encoding="utf-8")  # fmt: skip
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    monkeypatch.setattr(built, "BUILD", tmp_path / "build")
    with pytest.raises(built.BuildError, match="the sources changed during compilation"):
        built.built("some.so", sorted(sources.glob("*.c")), ())
    assert not list((tmp_path / "build").rglob("*.so"))


def test_copied_environment_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command of a copied environment would judge the code of the original; `make` recreates the environment."""
    (tmp_path / "conformance/src").mkdir(parents=True)
    program = tmp_path / ".venv/bin/firstflight"
    with pytest.raises(SystemExit) as end:
        cli.refuse_the_environment_of_another(program)
    assert end.value.code == 2
    assert f"run `make tools` in {tmp_path}" in capsys.readouterr().err
    cli.refuse_the_environment_of_another(ROOT / ".venv/bin/firstflight")
    cli.refuse_the_environment_of_another(Path("/usr/bin/firstflight"))


def test_model_from_another_checkout_is_refused(tmp_path: Path) -> None:
    """An exported ``PYTHONPATH`` that leads to another model is an error."""
    shutil.copytree(ROOT / "reference-py/src/firstflight", tmp_path / "firstflight")
    words = [sys.executable, "-m", "firstflight_conformance", "list", "--adapters"]
    done = subprocess.run(
        words, env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert f"the model is loaded from {tmp_path / 'firstflight'}" in done.stderr
    assert "unset PYTHONPATH" in done.stderr


def test_make_removes_a_copied_environment(tmp_path: Path) -> None:
    """A copied environment does not count as up to date."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    environment = tmp_path / ".venv"
    environment.mkdir()
    for belongs, stays in ((tmp_path, True), (ROOT, False)):
        (environment / ".tools").touch()
        (environment / ".checkout").write_text(f"{belongs}\n", encoding="utf-8")
        subprocess.run(["make", "-C", str(tmp_path), "help"], capture_output=True, check=True)
        assert environment.exists() == stays
