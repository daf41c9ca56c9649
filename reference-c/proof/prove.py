"""Prove with CBMC that no event of the domain causes overflow, undefined behaviour or an endless loop in a plain header.

``proof_HEADER.toml`` lists the proofs of a header. Each proof is a function of ``proof_HEADER.c`` in the same folder.
It starts from any state that the invariant admits and any event of the domain, runs a function of the header, and
asserts the invariant again. CBMC decides all properties at once by SAT. If that takes too long, it decides them one by
one; cvc5 solves the rest as integer arithmetic.

replace: functions that another proof covers; the result of that proof replaces them. loops: invariants of loops, proved
by induction. unwind: maximum number of turns of the other loops, 27 by default; it is proved as well. cases: number of
parts of a proof; each part has its own number ``CASE`` below ``CASES``. meant: expressions whose carry is lost on
purpose. one_by_one: decide each property separately from the start. asserted: decide only the assertions of the proof,
about a header and the port. ``[[plants]]``: errors that ``--plants`` plants in the header one at a time, each with the
proof that must find it.
"""

import argparse
import resource
import shutil
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import solvers

#: The folder of each algorithm contains its plain headers, with their proofs.
FOLDERS = Path(__file__).parents[1] / "firstflight"
MEMORY_BYTES = 6 << 30
#: Exit codes: a proof failed; all proofs were skipped because a tool is missing.
FAILED, SKIPPED = 1, 3


@dataclass(frozen=True)
class Result:
    """Result of a proof. checks: number of decided properties; left: properties without an answer."""

    proof: str
    checks: int
    seconds: float
    refuted: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """Return the result as one word."""
        return "refuted" if self.refuted else "left" if self.left else "proved"


def tables() -> dict[str, dict[str, Any]]:
    """Return the table of proofs of each header."""
    return {
        path.stem.removeprefix("proof_"): tomllib.loads(path.read_text(encoding="utf-8"))
        for path in sorted(FOLDERS.glob("*/proof_*.toml"))
    }


def place(header: str, form: str) -> Path:
    """Return the file of a header whose name has this form."""
    (path,) = FOLDERS.glob(f"*/{form.format(header)}")
    return path


def listed(names: list[str]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield header, function and options of the proofs whose name begins with one of `names`, or of all proofs."""
    for header, table in tables().items():
        for function, options in table["proofs"].items():
            if not names or any(f"{header}.{function}".startswith(name) for name in names):
                yield header, function, options


def prove(header: str, function: str, options: dict[str, Any], plain: Path | None = None) -> Result:
    """Run a proof case by case until one is refuted, with the header in the folder `plain` if given."""
    start, checks = time.monotonic(), 0
    refuted: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    replaced = {f"{header}_{name}": f"any_{name}" for name in options.get("replace", ())}
    loops = {f"{header}_{name}": loop for name, loop in options.get("loops", {}).items()}
    how = (options.get("unwind", 27), options.get("one_by_one", False), options.get("meant", []))
    cases = options.get("cases", 1)
    for case in range(cases):
        if refuted:
            break
        with tempfile.TemporaryDirectory() as folder:
            harness = solvers.Harness(place(header, "proof_{}.c"), f"prove_{function}", case, cases)
            program = solvers.program(harness, plain, Path(folder), replaced, loops)
            if options.get("asserted", False):
                more, refuted, unanswered = solvers.decide_asserted(program, how[0])
            else:
                more, refuted, unanswered = solvers.decide(program, *how)
        checks += more
        left += unanswered
    return Result(f"{header}.{function}", checks, time.monotonic() - start, refuted, left)


def planted(names: list[str]) -> Iterator[tuple[str, str, dict[str, Any], dict[str, str]]]:
    """Yield each planted error, after the proof that must find it."""
    for header, function, options in listed(names):
        for plant in tables()[header]["plants"]:
            if plant["proof"] == function:
                yield header, function, options, plant


def prove_planted(header: str, function: str, options: dict[str, Any], plant: dict[str, str]) -> Result:
    """Return the result of a proof of a header with a planted error."""
    text = place(header, "{}.h").read_text(encoding="utf-8")
    if text.count(plant["old"]) != 1:
        raise RuntimeError(f"{header}.h has {text.count(plant['old'])} times: {plant['old']}")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"{header}.h").write_text(text.replace(plant["old"], plant["new"]), encoding="utf-8")
        return prove(header, function, options, Path(folder))


def main() -> int:
    """Run the proofs given on the command line, or all; with --plants check that the proofs of planted errors fail."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="proofs, by the beginning of their name: HEADER or HEADER.FUNCTION")
    parser.add_argument("--plants", action="store_true", help="plant errors in the headers, which the proofs must find")
    parser.add_argument("--jobs", type=int, default=1, help="proofs at the same time, each with up to 6 GB of memory")
    arguments = parser.parse_args()
    if not any(listed(arguments.names)):
        parser.error(f"no proof has a name that begins with {' or '.join(arguments.names)}")
    if missing := [tool for tool in solvers.TOOLS if not shutil.which(tool)]:
        print(f"prove: skipped: there is no {missing[0]} here (Debian 13 has the packages cbmc and cvc5)")
        return SKIPPED
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    wanted = "refuted" if arguments.plants else "proved"
    results = []
    with ProcessPoolExecutor(arguments.jobs) as processes:
        if arguments.plants:
            proofs = processes.map(prove_planted, *zip(*planted(arguments.names), strict=True))
        else:
            proofs = processes.map(prove, *zip(*listed(arguments.names), strict=True))
        for result in proofs:
            print(f"{result.verdict:8} {result.proof:60} {result.checks:5} checks {result.seconds:7.1f} s", flush=True)
            for line in (*result.refuted, *result.left):
                print(f"         {line}")
            results.append(result)
    right = sum(result.verdict == wanted for result in results)
    print(f"{right} of {len(results)} {wanted}, {sum(result.checks for result in results)} checks")
    return 0 if right == len(results) else FAILED


if __name__ == "__main__":
    sys.exit(main())
