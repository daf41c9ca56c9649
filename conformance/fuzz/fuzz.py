"""Fuzz the C port, its plain headers, its adapter and the loader of vectors: ``python conformance/fuzz/fuzz.py [--seconds N] [TARGET ...]``.

C targets are built by clang with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer; `loader` needs Atheris.
Each target starts with a corpus made from the vectors, stores new inputs in ``build/fuzz/corpus``, and runs for N
seconds. Findings are written to ``build/fuzz`` and make the exit code 1; ``build/fuzz/TARGET FILE`` replays one.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from firstflight_conformance import port as port_files
from firstflight_conformance.beside import reach
from firstflight_conformance.paths import ADAPTERS, BUILD, REFERENCE_C

reach("plain")
from plain.folders import plain_folders  # noqa: E402
from plain.judge import controllers  # noqa: E402

HERE = Path(__file__).resolve().parent
OUT = BUILD / "fuzz"
SANITIZED = ("-std=c11", "-Wall", "-Wextra", "-O1", "-g", "-fno-sanitize-recover=all")
FUZZED = (*SANITIZED, "-fsanitize=fuzzer,address,undefined")
PART = (*SANITIZED, "-fsanitize=fuzzer-no-link,address,undefined")
INCLUDE = [f"-I{path}" for path in (REFERENCE_C, ADAPTERS.parent / "include", *plain_folders())]
#: Longest inputs: a few dozen events, or a few messages of the protocol.
LONGEST = {"adapter": 2000, "loader": 4000}
_LONGEST_STREAM = 400


def clang(*words: str | Path) -> None:
    """Run clang with these arguments."""
    subprocess.run(["clang", *map(str, words)], check=True)


def port() -> list[Path]:
    """Return the objects of the port."""
    sources = port_files.sources()
    objects = [OUT / "port" / f"{'-'.join(source.relative_to(REFERENCE_C).parts)}.o" for source in sources]
    (OUT / "port").mkdir(parents=True, exist_ok=True)
    for source, made in zip(sources, objects, strict=True):
        clang(*PART, *INCLUDE, "-c", source, "-o", made)
    return objects


def build(target: str, objects: list[Path]) -> None:
    """Build a target in C."""
    adapter = ADAPTERS / "c"
    if target == "controller":
        clang(*FUZZED, *INCLUDE, HERE / "controller.c", adapter / "firstflight_c.c", *objects, "-o", OUT / target)
    elif target == "adapter":
        names = ("stdio_host", "json_lines", "firstflight_c", "firstflight_c_compute")
        for name in names:
            clang(*PART, *INCLUDE, "-include", HERE / "host.h", "-c", adapter / f"{name}.c", "-o", OUT / f"{name}.o")
        clang(*FUZZED, HERE / "adapter.c", *(OUT / f"{name}.o" for name in names), *objects, "-o", OUT / target)
    else:
        name = target.removeprefix("header-")
        algorithm, profile = controllers()[name].PROFILE.split("/")
        defines = (f'-DFUZZ_ALGORITHM="{algorithm}"', f'-DFUZZ_PROFILE="{profile}"')
        driver = port_files.drivers()[name]
        clang(*FUZZED, *INCLUDE, *defines, HERE / "header.c", driver, *objects, "-o", OUT / target)


def fuzz(target: str, seconds: int) -> tuple[int, bool]:
    """Run a target; return the number of inputs, and whether all passed."""
    log = OUT / f"{target}.log"
    if target == "files":
        return ran([sys.executable, str(HERE / "files.py"), "--seconds", str(seconds)], log)
    command = [str(OUT / target)] if target != "loader" else [sys.executable, str(HERE / "loader.py")]
    corpus = OUT / "corpus" / target
    corpus.mkdir(parents=True, exist_ok=True)
    options = {"max_total_time": seconds, "max_len": LONGEST.get(target, _LONGEST_STREAM), "print_final_stats": 1}
    words = [f"-{name}={value}" for name, value in options.items()]
    return ran([*command, *words, f"-artifact_prefix={OUT}/{target}-", str(corpus), str(OUT / "seeds" / target)], log)


def ran(line: list[str], log: Path) -> tuple[int, bool]:
    """Run a fuzzer with this log; return the number of inputs, and whether all passed."""
    with log.open("w") as file:
        code = subprocess.run(line, stdout=file, stderr=file, check=False).returncode
    tried = re.search(r"number_of_executed_units: (\d+)|Done (\d+) in", log.read_text("utf-8", "replace"))
    return int(next(filter(None, tried.groups()))) if tried else 0, code == 0


def missing() -> Iterator[tuple[str, str]]:
    """Yield the kinds of targets that cannot be fuzzed here, each with the reason."""
    OUT.mkdir(parents=True, exist_ok=True)
    probe = OUT / "probe.c"
    probe.write_text("int LLVMFuzzerTestOneInput(void) { return 0; }\n", encoding="utf-8")
    if not shutil.which("clang"):
        yield "c", "clang is missing"
    elif subprocess.run(["clang", *FUZZED, probe, "-o", OUT / "probe"], capture_output=True, check=False).returncode:
        yield "c", "this clang has no libFuzzer (Debian: libclang-rt-14-dev)"
    if find_spec("atheris") is None:
        yield "loader", "Atheris is missing (make fuzz-extras)"


def main() -> int:
    """Build the targets, fuzz each, and print the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("targets", nargs="*", help="targets to fuzz (default: all)")
    options = parser.parse_args()
    skipped = dict(missing())
    every = ["controller", "adapter", *(f"header-{name}" for name in controllers()), "loader", "files"]
    targets = [target for target in every if target in (options.targets or every)]
    in_c = [target for target in targets if target not in ("loader", "files") and "c" not in skipped]
    subprocess.run([sys.executable, HERE / "seeds.py", OUT / "seeds", BUILD / "adapters" / "firstflight-c"], check=True)
    objects = port() if in_c else []
    os.environ["ASAN_OPTIONS"] = "detect_leaks=0"
    total = failed = absent = 0
    for target in targets:
        reason = skipped.get(target if target in ("loader", "files") else "c")
        if reason:
            absent += 1
            print(f"{target:40} skipped: {reason}")
            continue
        if target not in ("loader", "files"):
            build(target, objects)
        tried, clean = fuzz(target, options.seconds)
        total, failed = total + tried, failed + (not clean)
        finding = "nothing found" if clean else f"FOUND, see {OUT / target}.log"
        print(f"{target:40} {tried:12} inputs, {finding}", flush=True)
    print(f"fuzz: {total} inputs, {failed} targets found something, {absent} skipped")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
