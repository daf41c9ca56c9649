"""Builds the C port for other machines and with other options. All builds must give identical answers.

    python conformance/cross/cross.py [--builds N] [MACHINE ...]

``machines.toml`` lists the machines and the builds. Each build runs the unit tests of the port. Its adapter answers
every event of every vector, and each plain header the events of its profile. The answers are compared by hash; `make
conformance` judges the first build. Prints a table. Exit code 1 if anything differs or fails.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import questions

from firstflight_conformance import port
from firstflight_conformance.beside import reach
from firstflight_conformance.paths import ADAPTERS, BUILD, REFERENCE_C

reach("plain")
from plain.folders import plain_folders  # noqa: E402

HERE = Path(__file__).resolve().parent
TESTS = REFERENCE_C / "tests"
#: Unity and the generated runner, made by `make test-c`.
UNITY, RUNNER = BUILD / "unity" / "src", BUILD / "c-test" / "runner.c"
PORT = port.sources()
HOST = [ADAPTERS / "c" / f"{name}.c" for name in ("firstflight_c", "firstflight_c_compute", "stdio_host", "json_lines")]
INCLUDE = (f"-I{REFERENCE_C}", f"-I{ADAPTERS.parent / 'include'}")
_ROW = "| {:7} | {:54} | {:63} | {:10} | {:19} | {:18} |"


@dataclass(frozen=True)
class Build:
    """A build: a machine, a compiler and its options."""

    machine: str
    name: str
    compiler: tuple[str, ...]
    flags: str
    emulator: tuple[str, ...]
    packages: str

    @property
    def missing(self) -> str | None:
        """Why it cannot be built or run here, or ``None``."""
        absent = [tool for tool in (self.compiler[0], *self.emulator) if not shutil.which(tool)]
        return f"{absent[0]} is missing (Debian: {self.packages})" if absent else None

    @property
    def traits(self) -> str:
        """Properties of the machine according to the compiler's macros."""
        command = [*self.compiler, *self.flags.split(), "-dM", "-E", "-x", "c", "-"]
        lines = subprocess.run(command, input="", capture_output=True, text=True, check=True).stdout.splitlines()
        macros = dict(line.split(" ", 2)[1:] for line in lines)
        has_int128 = "__SIZEOF_INT128__" in macros and "FF_NO_INT128" not in macros
        return ", ".join((
            "big endian" if "BIG" in macros["__BYTE_ORDER__"] else "little endian",
            f"{8 * int(macros['__SIZEOF_POINTER__'])} bit",
            "unsigned char" if "__CHAR_UNSIGNED__" in macros else "signed char",
            "128-bit products" if has_int128 else "64-bit products",
        ))  # fmt: skip

    def program(self, path: Path, *words: str | Path) -> Path:
        """Compile a program. Emulated programs are static, so they need no libraries of the machine."""
        static = ["-static"] if self.emulator else []
        command = [*self.compiler, "-std=c11", *self.flags.split(), *static, *map(str, words), "-o", str(path)]
        subprocess.run(command, check=True)
        return path

    def answers(self, program: Path, asked: bytes = b"") -> bytes:
        """Return the output of a program."""
        return subprocess.run([*self.emulator, str(program)], input=asked, stdout=subprocess.PIPE, check=True).stdout


@dataclass(frozen=True)
class Seen:
    """Results of a build: the number of passed unit tests, and the output of the adapter and of the plain headers."""

    tests: str
    port: str
    headers: str


def builds(most: int | None = None) -> Iterator[Build]:
    """Yield the builds of all machines, or the first ``most`` of each."""
    table = tomllib.loads((HERE / "machines.toml").read_text("utf-8"))
    for machine in table["machine"]:
        for build in table["build"][:most]:
            ((compiler, flags),) = build.items()
            name, command, emulator = f"{compiler} {flags}", tuple(machine[compiler]), tuple(machine["emulator"])
            yield Build(machine["name"], name, command, flags, emulator, machine["packages"])


def ask(build: Build, asked: bytes, asked_headers: dict[str, bytes]) -> Seen:
    """Build the adapter, the plain headers and the unit tests; run them and return the results."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        answers = build.answers(build.program(place / "port", *INCLUDE, *PORT, *HOST), asked)
        headers = b""
        for name, lines in asked_headers.items():
            folders = (f"-I{folder}" for folder in plain_folders())
            sources = (*folders, REFERENCE_C / "drive" / "drive.c", port.drivers()[name])
            headers += build.answers(build.program(place / name, *sources), lines)
        return Seen(_unit_tests(build, place / "tests"), _hash(answers), _hash(headers))


def _unit_tests(build: Build, path: Path) -> str:
    if not (UNITY / "unity.c").is_file():
        return "skipped"
    sources = (
        *PORT,
        *sorted(TESTS.glob("test_*.c")),
        *sorted(REFERENCE_C.glob("firstflight/*/test_*.c")),
        RUNNER,
        UNITY / "unity.c",
    )
    program = build.program(path, *INCLUDE, "-DUNITY_SUPPORT_64", f"-I{TESTS}", f"-I{UNITY}", *sources)
    return build.answers(program).splitlines()[-2].decode().partition(" ")[0]


def _hash(answers: bytes) -> str:
    lines = answers.count(b"\n")
    return f"{lines} {hashlib.sha256(answers).hexdigest()[:12]}"


def main() -> int:
    """Run each build that is possible here, and print the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("machines", nargs="*", help="in addition to the first build (default: all machines)")
    parser.add_argument("--builds", type=int, metavar="N", help="only the first N builds of each machine")
    options = parser.parse_args()
    first, *others = builds(options.builds)
    asked = questions.of_adapter(), questions.of_headers()
    print(_ROW.format("machine", "it has", "build", "unit tests", "adapter", "plain headers"))
    print(_ROW.format(*["---"] * 6))
    wanted = ask(first, *asked)
    failed: list[str] = []
    skipped: list[str] = []
    for build in [first, *(build for build in others if build.machine in (options.machines or [build.machine]))]:
        what = f"{build.machine}: {build.name}"
        if build.missing:
            skipped.append(f"{what}: {build.missing}")
            continue
        try:
            seen = wanted if build == first else ask(build, *asked)
        except subprocess.CalledProcessError as error:
            failed.append(f"{what}: {error}")
            continue
        if seen != wanted:
            failed.append(f"{what}: other answers")
        print(_ROW.format(build.machine, build.traits, build.name, seen.tests, seen.port, seen.headers), flush=True)
    for line in (*failed, *(f"skipped: {line}" for line in skipped)):
        print(f"cross: {line}")
    print(f"cross: {len(failed)} builds differ or fail, {len(skipped)} skipped")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
