"""Runs tests for upstream, ``python conformance/studies defects.upstream``, in the language of each stack.

Each test has the name of a defect and fails at the pinned version. The command fails if one passes: the defect is gone.
The tests use the interfaces of the stacks, not the adapters.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from firstflight_conformance.paths import ADAPTERS, BUILD

#: The file that identifies the language of a folder, the program, and its arguments.
_LANGUAGES = {
    "Cargo.toml": (
        "cargo",
        ("test", "--no-fail-fast", "--locked", "--offline", "--target-dir", str(BUILD / "upstream")),
    ),
    "go.mod": ("go", ("test", "-v", "-count=1", ".")),
    "test_congestion.py": (sys.executable, ("-m", "unittest", "-v", "test_congestion")),
}
_GO = {"GOWORK": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false -mod=readonly"}
#: Name and outcome of a test in the output of cargo, go and unittest.
_OUTCOMES = (
    re.compile(r"^test (?:tests::)?(?P<name>\w+) \.\.\. (?P<outcome>ok|FAILED)$", re.M),
    re.compile(r"^--- (?P<outcome>PASS|FAIL): Test_(?P<name>\w+)", re.M),
    re.compile(r"^test_(?P<name>\w+) \(.*\)\n.* \.\.\. (?P<outcome>ok|FAIL|ERROR)$", re.M),
)
_PASSES = ("ok", "PASS")


def folders() -> list[Path]:
    """Return the folders with tests."""
    return sorted(ADAPTERS.glob("*/upstream"))


def outcomes(output: str) -> Iterator[tuple[str, bool]]:
    """Yield the ids of the defects that were tested, and whether the test passes."""
    for pattern in _OUTCOMES:
        for match in pattern.finditer(output):
            yield match["name"].replace("_", "-"), match["outcome"] in _PASSES


def _output(folder: Path) -> str | None:
    """Return the output of the tests of a folder, or ``None`` if their tools or packages are missing."""
    file = next(name for name in _LANGUAGES if (folder / name).exists())
    program, arguments = _LANGUAGES[file]
    if shutil.which(program) is None:
        print(f"{folder.parent.name}: skipped: there is no {program} here")
        return None
    if file == "Cargo.toml" and subprocess.run([ADAPTERS / "crates.sh", "obtain", folder], check=False).returncode:
        print(f"{folder.parent.name}: skipped: its packages cannot be had")
        return None
    run = subprocess.run(
        [program, *arguments],
        cwd=folder,
        env=os.environ | _GO,
        capture_output=True,
        text=True,
        check=False,
    )
    return run.stdout + run.stderr


def main() -> None:
    """Run all tests. Exit with 1 if a test passes, or if no test of a folder ran."""
    wrong = False
    for folder in folders():
        output = _output(folder)
        if output is None:
            continue
        by_defect = dict(outcomes(output))
        for name, passes in sorted(by_defect.items()):
            print(f"{name}: {'passes: the defect is gone' if passes else 'fails as reported'}")
        if not by_defect:
            print(f"{folder}: no test ran\n{output}", file=sys.stderr)
        wrong |= not by_defect or any(by_defect.values())
    raise SystemExit(int(wrong))


if __name__ == "__main__":
    main()
