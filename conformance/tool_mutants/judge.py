"""Judges the tests of the project's own tools: each wrong loader, runner or simulator must make them fail.

    python conformance/tool_mutants/judge.py [--jobs N] [FILE.toml ...]

A file lists a module of the tools, or a C file of the simulator, and the tests that guard it. Its mutants replace one
text each, like the mutants of the models in ``spec/NAME/mutants.toml``. A process forked before the tools are imported
judges each mutant; nothing is written to the checkout. Exit code 1 if a mutant survives without an argument why it is
equivalent, or is killed in spite of one.
"""

import argparse
import importlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.abc import MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"
TOOLS = HERE.parent / "src" / "firstflight_conformance"
#: Packages that the tests use in addition to the tools: imported once, before the fork.
PRELOADED = ("pytest", "hypothesis", "jsonschema", "click.testing", "rich.console", "firstflight")
#: A mutant that exceeds this time counts as killed.
TIMEOUT_S = 900
#: Limit for the simulator: a wrong one may never end, and its tests take seconds.
TIMEOUT_C_S = 120
#: Exit codes of pytest up to this one are verdicts: passed, failed, broken in collection. Negative codes are signals.
_BROKEN = 2


@dataclass(frozen=True)
class ToolMutant:
    """A wrong tool, and the tests that must fail. Without ``find`` it is the right tool, which must pass the tests."""

    id: str
    file: str
    tests: tuple[str, ...]
    select: str
    what: str = "the right one"
    find: str = ""
    replace: str = ""
    equivalent: str = ""

    @property
    def in_c(self) -> bool:
        """Whether it is a mutant of the C simulator."""
        return self.file.endswith(".c")

    @property
    def text(self) -> str:
        """The text of the module. Raise :class:`ValueError` unless ``find`` occurs exactly once."""
        text = ((HERE.parent if self.in_c else TOOLS) / self.file).read_text("utf-8")
        if self.find and text.count(self.find) != 1:
            raise ValueError(f"{self.id}: its text occurs {text.count(self.find)} times in {self.file}, not once")
        return text.replace(self.find, self.replace) if self.find else text


def load(path: Path) -> list[ToolMutant]:
    """Return the right module and its mutants."""
    raw = tomllib.loads(path.read_text("utf-8"))
    common = (raw["file"], tuple(raw["tests"]), raw.get("select", ""))
    return [
        ToolMutant(f"{path.stem}: right", *common),
        *(ToolMutant(**_members(entry, common)) for entry in raw["mutant"]),
    ]


def load_all() -> list[ToolMutant]:
    """Return the right modules and all mutants."""
    return [mutant for path in sorted(HERE.glob("*.toml")) for mutant in load(path)]


def score(mutants: Sequence[ToolMutant]) -> str:
    """Return the expected score, as stated on the page on reliability."""
    made = sum(bool(mutant.find) for mutant in mutants)
    argued = sum(bool(mutant.equivalent) for mutant in mutants)
    return f"{made - argued} of {made} mutants of the tools killed, {argued} argued equivalent"


def _members(entry: dict[str, str], common: tuple[str, tuple[str, ...], str]) -> dict[str, object]:
    return {**entry, **dict(zip(("file", "tests", "select"), common, strict=True))}


class _Changed(MetaPathFinder, SourceLoader):
    """Finds one module, with the text of a mutant."""

    def __init__(self, mutant: ToolMutant) -> None:
        self._path, self._text = TOOLS / mutant.file, mutant.text
        self._name = ".".join(("firstflight_conformance", *Path(mutant.file).with_suffix("").parts))

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return spec_from_file_location(fullname, self._path, loader=self) if fullname == self._name else None

    def get_data(self, path: str | bytes) -> bytes:
        return self._text.encode()

    def get_filename(self, fullname: str) -> str:
        return str(self._path)


def put_in_place(mutant: ToolMutant, folder: Path) -> None:
    """Let Python import the mutant instead of the module, not yet imported. A mutant in C is built in ``folder``."""
    if mutant.in_c:
        _build_in_place(mutant, folder)
        return
    sys.meta_path.insert(0, _Changed(mutant))


def _build_in_place(mutant: ToolMutant, folder: Path) -> None:
    """Let the tools build a mutated copy of the simulator, not optimised, with the port of :func:`build_port`."""
    native = importlib.import_module("firstflight_conformance.simulate.native")
    port = importlib.import_module("firstflight_conformance.port")
    native.SOURCES = shutil.copytree(native.SOURCES, folder / "simulator")
    (native.SOURCES / Path(mutant.file).name).write_text(mutant.text, "utf-8")
    compiler = folder / "cc"
    compiler.write_text(f'#!/bin/sh\nexec {os.environ.get("CC", "cc")} "$@" -O0\n', "utf-8")
    compiler.chmod(0o755)
    os.environ["CC"] = str(compiler)
    port.sources = lambda: [Path(os.environ["FIRSTFLIGHT_PORT"])]
    importlib.import_module("firstflight_conformance.built").BUILD = folder


def build_port(folder: Path) -> None:
    """Compile the port once for all mutants. A subprocess lists the sources: this process must not import the tools."""
    program = "from firstflight_conformance import port; print(*port.sources(), sep='\\n')"
    sources = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    made, compiler = folder / "port.o", shlex.split(os.environ.get("CC", "cc"))
    flags = ("-std=c11", "-O1", "-fPIC", "-r", f"-I{HERE.parents[1] / 'reference-c'}")
    subprocess.run([*compiler, *flags, *sources.split(), "-o", made], check=True)
    os.environ["FIRSTFLIGHT_PORT"] = str(made)


def passes(mutant: ToolMutant) -> bool:
    """Return whether the tests pass with the mutant instead of the module, in a separate process."""
    with tempfile.TemporaryDirectory() as folder:
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            signal.alarm(TIMEOUT_C_S if mutant.in_c else TIMEOUT_S)
            os._exit(_pytest(mutant, Path(folder)))
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status > _BROKEN:
        raise RuntimeError(f"{mutant.id}: pytest ends with {status}")
    return status == 0


def _pytest(mutant: ToolMutant, folder: Path) -> int:
    import pytest

    put_in_place(mutant, folder)
    with Path(os.devnull).open("w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    words = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not long", "--hypothesis-profile", "first-failure"]
    chosen = ["-k", mutant.select] if mutant.select else []
    return int(pytest.main([*words, *chosen, *(str(TESTS / name) for name in mutant.tests)]))


def judged(mutants: list[ToolMutant], jobs: int) -> Iterator[tuple[ToolMutant, bool]]:
    """Yield each mutant and whether it survives."""
    with ProcessPoolExecutor(jobs, get_context("fork")) as pool:  # its processes may have children: tests start some
        yield from zip(mutants, pool.map(passes, mutants), strict=True)


def main() -> int:
    """Judge the mutants of the files; print the survivors and the score."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    mutants = [mutant for path in options.files for mutant in load(path)] or load_all()
    for mutant in mutants:
        assert mutant.text  # raises if a text is stale
    sys.dont_write_bytecode = False  # each process imports the tools again
    for name in PRELOADED:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        if any(mutant.in_c for mutant in mutants):
            build_port(Path(folder))
        wrong = _judge(mutants, options.jobs)
    print(f"score: {score(mutants)}" + (f", but {wrong} of this is wrong" if wrong else ""))
    return int(wrong > 0)


def _judge(mutants: list[ToolMutant], jobs: int) -> int:
    """Print the surviving mutants; return the number of unexpected survivors and unexpected kills."""
    wrong = 0
    for mutant, survives in judged(mutants, jobs):
        right = survives == (not mutant.find or bool(mutant.equivalent))
        wrong += not right
        if (survives and mutant.find) or not right:
            reason = mutant.equivalent if right else "SURVIVES" if survives else "the tests FAIL"
            print(f"{mutant.file}: {mutant.id}: {reason}: {mutant.what}", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
