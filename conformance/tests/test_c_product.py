"""The installed C port: found by pkg-config and CMake, with running examples and minimal linked code."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from dist import contents
from firstflight.algorithm import Base, Startup
from firstflight.controller import ALGORITHMS
from firstflight_conformance import port
from firstflight_conformance.paths import REFERENCE_C
from firstflight_conformance.version import __version__
from generate.tables import described_packages

EXAMPLES = sorted(path.stem for path in (REFERENCE_C / "examples").glob("*.c"))
SAYS = {
    "controller": f"Firstflight {__version__}\nSEARCH leaves slow start after",
    "one_algorithm": "HyStart++ slows down after",
    "search_on_own_cubic": "slow start is left after",
    "careful_resume_on_own_cubic": "   0 ms: reconnaissance, with 12000 bytes\n 100 ms: unvalidated, with 1000000 bytes",
}


def packages_below(package: str) -> set[str]:
    """Return a package and all packages whose headers it includes, directly or indirectly."""
    packages, remaining = set(), {package}
    while remaining:
        packages.add(name := remaining.pop())
        files = [path for path in (*port.sources(), *port.headers()) if path.parent.name == name]
        text = "".join(path.read_text("utf-8") for path in files)
        if '#include "firstflight/bases.h"' in text:
            text += (REFERENCE_C / "firstflight" / "bases.h").read_text("utf-8")
        remaining |= set(re.findall(r'^#include "firstflight/(\w+)/', text, re.M)) - packages
    return packages


def _linked() -> dict[tuple[str, ...], set[str]]:
    """Return the called functions of each package, and the prefixes of functions that the linked program may have."""
    calls = {
        package.package: (f"ff_{package.package}_begin", f"ff_{package.package}_step")
        for package in described_packages()
        if package.entered
    }
    calls["newreno"] = ("ff_newreno_begin", "ff_newreno_on_event")
    calls["search"] = ("ff_search_begin", "ff_search_startup_step")
    calls["careful_resume"] = ("ff_careful_resume_begin", "ff_careful_resume_step")
    # A startup algorithm that supports no other base calls no rules of a base.
    alone = {
        algorithm.package
        for algorithm in ALGORITHMS.values()
        if isinstance(algorithm, Startup) and not algorithm.on_bases
    }
    bases = {algorithm.package for algorithm in ALGORITHMS.values() if isinstance(algorithm, Base)} - {"newreno"}
    held = {package: packages_below(package) - (bases if package in alone else set()) for package in calls}
    linked = {names: {below.partition("_")[0] for below in held[package]} for package, names in calls.items()}
    return linked | {
        ("ff_transfer_time_compute",): {"transfer", "quick"}
    }  # one of its functions is ff_quick_start_code


LINKED = _linked()
PACKAGES = {word for package in described_packages() for word in package.package.split("_")} | {"controller"}
CMAKE = """cmake_minimum_required(VERSION 3.16)
project(yours LANGUAGE)
find_package(firstflight 0.2 REQUIRED)
foreach(name NAMES)
  set_source_files_properties(${name}.c PROPERTIES LANGUAGE LANGUAGE)
  add_executable(${name} ${name}.c)
  target_link_libraries(${name} PRIVATE firstflight::firstflight)
endforeach()
"""


def run(*command: object, cwd: Path | None = None, **environment: str) -> str:
    """Run a program; return its output."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def needs(*programs: str) -> None:
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        pytest.skip(f"there is no {missing[0]} here")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the contents of the port's archive."""
    folder = tmp_path_factory.mktemp("firstflight-c")
    contents.port(folder)
    return folder


@pytest.fixture(scope="module")
def installed(archive: Path) -> Path:
    """Return the folder of ``make install``."""
    needs("make", "gcc")
    run("make", "-j2", "install", f"PREFIX={archive / 'installed'}", "CC=gcc", cwd=archive)
    return archive / "installed"


def test_every_example_is_run() -> None:
    assert set(SAYS) == set(EXAMPLES)


@pytest.mark.parametrize("compiler", [("gcc", "-std=c11", "-Wconversion", "-Wshadow"), ("g++", "-std=c++17", "-xc++")])
def test_examples_build_with_pkg_config(installed: Path, tmp_path: Path, compiler: tuple[str, ...]) -> None:
    """The examples compile as C and as C++ without warnings, and run."""
    needs(compiler[0], "pkg-config")
    place = {"PKG_CONFIG_PATH": str(installed / "lib" / "pkgconfig")}
    assert run("pkg-config", "--modversion", "firstflight", **place).strip() == __version__
    flags = run("pkg-config", "--cflags", "--libs", "firstflight", **place).split()
    for name in EXAMPLES:
        source, program = REFERENCE_C / "examples" / f"{name}.c", tmp_path / name
        warnings = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
        run(*compiler, *warnings, source, "-xnone", *flags, f"-Wl,-rpath,{installed / 'lib'}", "-o", program)
        assert run(program).startswith(SAYS[name])


def test_headers_compile_alone_in_cplusplus(installed: Path, tmp_path: Path) -> None:
    """Each header compiles alone in C++ without warnings, and its declarations have C linkage."""
    needs("g++")
    include = installed / "include"
    for header in sorted(include.rglob("*.h")):
        source = tmp_path / "alone.cpp"
        source.write_text(f'#include "{header.relative_to(include)}"\n', encoding="utf-8")
        run("g++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", f"-I{include}", source)
        text = header.read_text("utf-8")
        if header.parent.name != "plain" and re.search(
            r"^(?:enum|struct|void|bool|uint\d+_t|int|const|extern)\b.*(?:\(.*|\];)$", text, re.M
        ):
            assert 'extern "C" {' in text, header


@pytest.mark.parametrize("language", ["C", "CXX"])
def test_examples_build_with_cmake(archive: Path, tmp_path: Path, language: str) -> None:
    """CMake finds the package and checks its version."""
    needs("cmake", "cc", "c++")
    place = archive / "cmake-installed"
    if not place.exists():
        run("cmake", "-S", archive, "-B", archive / "cmake-build", f"-DCMAKE_INSTALL_PREFIX={place}")
        run("cmake", "--build", archive / "cmake-build")
        run("cmake", "--install", archive / "cmake-build")
    for path in (archive / "examples").glob("*.[ch]"):
        shutil.copy(path, tmp_path)
    text = CMAKE.replace("LANGUAGE LANGUAGE", f"LANGUAGE {language}").replace("yours LANGUAGE", f"yours {language}")
    (tmp_path / "CMakeLists.txt").write_text(text.replace("NAMES", " ".join(EXAMPLES)), encoding="utf-8")
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={place}")
    run("cmake", "--build", tmp_path / "build")
    for name in EXAMPLES:
        assert run(tmp_path / "build" / name).startswith(SAYS[name])


def check_size(row: str, program: Path) -> None:
    """Compare the size with the page for this compiler, to within a twentieth because linkers differ."""
    page = (REFERENCE_C / "README.md").read_text("utf-8")
    stated = re.search(rf"^\| {re.escape(row)} \| ([0-9,]+) \|", page, re.M)
    sizes = re.findall(r"^\.(?:text|rodata|data\.rel\.ro)\s+(\d+)", run("size", "-A", program), re.M)
    assert stated is not None
    assert abs(sum(map(int, sizes)) - int(stated[1].replace(",", ""))) <= sum(map(int, sizes)) // 20


@pytest.mark.parametrize("calls", LINKED, ids=lambda calls: calls[0])
def test_program_contains_only_documented_packages(installed: Path, tmp_path: Path, calls: tuple[str, ...]) -> None:
    """A program that calls these functions contains only the documented packages."""
    needs("gcc", "nm", "size")
    script, program = tmp_path / "calls.map", tmp_path / "linked.so"
    script.write_text("{ global: " + " ".join(f"{call};" for call in calls) + " local: *; };", encoding="utf-8")
    linker_options = [f"-Wl,-u,{call}" for call in calls]
    library = installed / "lib" / "libfirstflight.a"
    sections = ("-Wl,--gc-sections", f"-Wl,--version-script={script}")
    run("gcc", "-shared", "-nostdlib", *sections, *linker_options, library, "-o", program)
    if run("gcc", "-dumpversion").strip() == "12" and run("gcc", "-dumpmachine").startswith("x86_64"):
        check_size(", ".join(f"`{call}`" for call in calls), program)
    held = set(re.findall(r" [tT] ff_([a-z0-9]+)", run("nm", program)))
    assert held & PACKAGES == LINKED[calls]
    named = f"`{calls[0]}`" + "".join(f", `{call}`" for call in calls[1:])
    assert f"| {named} |" in (REFERENCE_C / "README.md").read_text("utf-8")
