"""The command starts quickly, since it loads only used modules. The test counts modules, since times vary."""

import subprocess
import sys

import pytest

HEAVY = {
    "jsonschema",
    "jsonschema_rs",
    "matplotlib",
    "numpy",
    "rich",
    "junitparser",
    "pyarrow",
    "distributed",
    "multiprocessing",
}


def loaded(*arguments: str) -> set[str]:
    """Return the heavy libraries loaded by a command when it ends."""
    program = (
        "import sys\n"
        "from firstflight_conformance.cli import main\n"
        f"main.main({list(arguments)}, standalone_mode=False)\n"
        "print('loaded', *sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    modules = set(done.stderr.split())
    assert {"loaded", "firstflight_conformance.cli"} <= modules
    return HEAVY & modules


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (("--help",), set()),
        (("--version",), set()),
        (("simulate", "--help"), set()),
        (("show", "slow-start.acks.app-limited@ack-counting"), {"rich", "jsonschema_rs"}),
    ],
)
def test_commands_load_only_needed_modules(arguments: tuple[str, ...], needed: set[str]) -> None:
    assert loaded(*arguments) <= needed  # a schema only for vectors that have not been validated before
