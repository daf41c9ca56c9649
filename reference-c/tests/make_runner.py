"""Write the main() that runs every ``void test_*(void)`` of the given C files.

Usage: make_runner.py OUTPUT FILE...

The program returns 1 if a test failed: a count of failures would wrap at 256 and look like success.
"""

import re
import sys
from pathlib import Path

_TEST = re.compile(r"void (test_\w+)\(void\)")

_HEAD = """\
/* Written by make_runner.py. */
#include "unity.h"

void setUp(void);
void tearDown(void);

void setUp(void)
{
}

void tearDown(void)
{
}

"""


def runner(files: list[Path]) -> str:
    """Return the source of the runner. Raise ``ValueError`` for a file without tests and for a name that is there twice."""
    declarations = []
    calls = []
    seen: set[str] = set()
    for file in files:
        lines = file.read_text(encoding="utf-8").splitlines()
        tests = [(match[1], number) for number, line in enumerate(lines, 1) if (match := _TEST.fullmatch(line))]
        if not tests:
            raise ValueError(f"{file}: no test found")
        calls.append(f'    Unity.TestFile = "{file.name}";')
        for name, number in tests:
            if name in seen:
                raise ValueError(f"{file}: {name} is already a test of another file")
            seen.add(name)
            declarations.append(f"void {name}(void);")
            calls.append(f'    UnityDefaultTestRun({name}, "{name}", {number});')
    body = ["int main(void)", "{", "    UNITY_BEGIN();", *calls, "    return UNITY_END() != 0;", "}", ""]
    return _HEAD + "\n".join([*declarations, "", *body])


def main() -> None:
    """Write the runner named by the first argument for the files named by the others."""
    output, *files = (Path(argument) for argument in sys.argv[1:])
    output.write_text(runner(files), encoding="utf-8")


if __name__ == "__main__":
    main()
