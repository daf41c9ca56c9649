"""Counts the tests that `make test` skips, by reason.

    python conformance/skips.py run FOLDER JOB COMMAND...   run a command and note its lines "NAME: skipped: REASON"
    python conformance/skips.py report FOLDER REPORT        print one line: all skips below FOLDER and the skipped adapters of REPORT

Each job has one file below the folder, with a reason per line. pytest writes its own (``tests/conftest.py``).
"""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

_SKIPPED = re.compile(r": skipped: (?P<reason>.+)")


def write(file: Path, reasons: Iterable[str]) -> None:
    """Replace the recorded reasons of a job."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{' '.join(reason.split())}\n" for reason in reasons), "utf-8")


def run(file: Path, command: list[str]) -> int:
    """Run a command, print its output, record its skips, and return its exit code."""
    reasons: list[str] = []
    write(file, reasons)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            if found := _SKIPPED.search(line):
                reasons.append(found["reason"])
    write(file, reasons)
    return process.returncode


def _adapters(report: Path) -> list[str]:
    """Return why adapters were skipped. A missing or malformed report counts as a reason."""
    try:
        adapters = json.loads(report.read_text("utf-8"))["adapters"]
        return [f"adapter {one['name']}: {one['skipped']}" for one in adapters if one["skipped"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [f"{report} cannot be read ({type(error).__name__}): skipped adapters are not counted"]


def summary(folder: Path, report: Path) -> str:
    """Return the line that counts all skips by reason, the most frequent first."""
    reasons = Counter(
        line.strip()
        for file in sorted(folder.glob("*"))
        for line in file.read_text("utf-8", "replace").splitlines()
        if line.strip()
    )
    reasons.update(_adapters(report))
    counts = ", ".join(f"{count} ({reason})" for reason, count in reasons.most_common())
    return f"skipped: {counts or 0}"


def main(words: list[str]) -> int:
    """Run the program; return its exit code."""
    match words:
        case ["run", folder, job, *command] if command:
            return run(Path(folder, job), command)
        case ["report", folder, report]:
            print(summary(Path(folder), Path(report)))
            return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
