"""Interface to CBMC and cvc5: compile a program of proofs, and decide its properties."""

import json
import re
import resource
import subprocess
from pathlib import Path
from typing import NamedTuple

#: The headers of the port.
PORT = Path(__file__).parents[1]
#: The folders of the plain headers and their invariants.
PLAIN = sorted({path.parent for path in PORT.glob("firstflight/*/drive_*.c")})
TOOLS = ("goto-cc", "goto-instrument", "cbmc", "cvc5")
#: First: all pointers are valid, and no loop exceeds its unwinding. Then: arithmetic, bounds of arrays and assertions.
POINTERS_AND_LOOPS = ("--no-standard-checks", "--pointer-check", "--unwinding-assertions", "--no-assertions")
ARITHMETIC = ("--no-pointer-check", "--unsigned-overflow-check", "--conversion-check", "--pointer-overflow-check")
#: Contract of a loop: assigned variables, invariant, decreasing measure.
Loop = dict[str, str]
#: Limits of CPU time in s, which do not depend on load: for many properties together, for one by SAT, for one by cvc5.
TOGETHER, BY_SAT, BY_INTEGERS = 60, 20, 120


class Harness(NamedTuple):
    """The function of a file that is the entry of the program, and the values of CASE and CASES."""

    source: Path
    entry: str
    case: int
    cases: int


def program(
    harness: Harness, plain: Path | None, folder: Path, replaced: dict[str, str], loops: dict[str, Loop]
) -> list[str]:
    """Compile a program of proofs; return the command line of CBMC for it."""
    source, entry, case, cases = harness
    compiled, program = (str(folder / name) for name in ("compiled", "program"))
    numbers = (f"-DCASE={case}", f"-DCASES={cases}")
    # Copy the proof: #include "..." first searches the folder of the source, which has the unchanged header.
    copied = folder / source.name
    copied.write_bytes(source.read_bytes())
    where = ([] if plain is None else [plain]) + [*PLAIN, PORT, Path(__file__).parent]
    folders = tuple(word for path in where for word in ("-I", str(path)))
    _run("goto-cc", "--function", entry, *folders, *numbers, str(copied), "-o", compiled)
    calls = [word for old, new in replaced.items() for word in ("--replace-calls", f"{old}:{new}")]
    _run("goto-instrument", *calls, "--drop-unused-functions", compiled, program)
    if loops:
        contracts = folder / "loops.json"
        contracts.write_text(
            json.dumps(_contracts(source.name, loops, _run("cbmc", program, "--show-symbol-table"))), encoding="utf-8"
        )
        file = ("--loop-contracts-file", str(contracts))
        _run("goto-instrument", *file, "--apply-loop-contracts", "--loop-contracts-no-unwind", program, program)
    return ["cbmc", program, "--function", entry]


def _contracts(source: str, loops: dict[str, Loop], symbols: str) -> object:
    """Return the contracts of the first loops of functions for CBMC, which identifies variables by their block."""
    functions = []
    for function, loop in loops.items():
        names = re.findall(rf"^Symbol\.+: ({function}::(?:\d+::)*(\w+))$", symbols, re.M)
        variables = ";".join(f"{short},{full}" for full, short in names)
        functions.append({function: [{"loop_id": "0", **loop, "symbol_map": variables}]})
    return {"sources": [source], "functions": functions, "output": "stdout"}


def decide(
    cbmc: list[str], unwind: int, one_by_one: bool, meant: list[str]
) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
    """Return the number of properties, the refuted ones (the first is enough), and the undecided ones."""
    cbmc = [*cbmc, "--unwind", str(unwind)]
    first = _answer(*cbmc, *POINTERS_AND_LOOPS, seconds=BY_INTEGERS)
    if _failed(first):
        return _counted(first), _failed(first), ()
    left = [] if first else ["pointers and loops"]
    cbmc += ARITHMETIC
    if not one_by_one and (second := _answer(*cbmc, seconds=TOGETHER)):
        wrong = tuple(failure for failure in _failed(second) if not _is_meant(failure, meant))
        return _counted(first) + _counted(second), wrong, tuple(left)
    found = re.findall(r"^Property (\S+):\n\s*(.*)\n\s*(.*)$", _run(*cbmc, "--show-properties"), re.M)
    for name, place, what in found:
        holds = _is_meant(what, meant) or _holds([*cbmc, "--property", name, "--slice-formula"])
        if holds is False:
            return _counted(first) + len(found), (f"{name} {place}: {what}",), ()
        if holds is None:
            left.append(f"{name} {place}: {what}")
    return _counted(first) + len(found), (), tuple(left)


def decide_asserted(cbmc: list[str], unwind: int) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
    """Decide, like `decide`, only the assertions of a proof and the ends of its loops."""
    only = ("--no-standard-checks", "--unwinding-assertions", "--slice-formula")
    answer = _answer(*cbmc, "--unwind", str(unwind), *only, seconds=BY_INTEGERS)
    return _counted(answer), _failed(answer), () if answer else ("assertions",)


def _is_meant(what: str, meant: list[str]) -> bool:
    """Return whether an overflow is intended."""
    return any(what.endswith(f" in {expression}") for expression in meant)


def _holds(cbmc: list[str]) -> bool | None:
    """Return whether a property holds, by SAT or else over the integers, or None if neither answers."""
    if output := _answer(*cbmc, seconds=BY_SAT):
        return not _failed(output)
    formula = cbmc[1] + ".smt2"
    _answer(*cbmc, "--cvc5", "--outfile", formula, seconds=TOGETHER)
    answer = _answer("cvc5", "--solve-bv-as-int=sum", formula, seconds=BY_INTEGERS)
    return {"unsat": True, "sat": False}.get(answer.partition("\n")[0])


def _answer(*command: str, seconds: int) -> str:
    """Return the output of a solver, or "" if it fails or exceeds the limit."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    output = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, check=False).stdout
    return output if command[0] != "cbmc" or "VERIFICATION" in output else ""


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {(done.stdout + done.stderr).strip().splitlines()[-1]}")
    return done.stdout


def _counted(output: str) -> int:
    match = re.search(r"\*\* \d+ of (\d+) failed", output)
    return int(match[1]) if match else 0


def _failed(output: str) -> tuple[str, ...]:
    return tuple(re.findall(r"^\[(.*): FAILURE$", output, re.M))
