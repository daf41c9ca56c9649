"""A whole copy of the checkout, built with `make` and judged after an edit."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import checkouts
from checkouts import copied, tracked, with_environment

pytestmark = pytest.mark.long


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of all files with its own environment."""
    with_environment(copied(tmp_path, tracked()))
    return tmp_path


def tools(checkout: Path) -> dict[str, str]:
    """Return an environment without the compilers of third-party stacks, whose adapters are then skipped."""
    places = checkout / "places"
    places.mkdir(exist_ok=True)
    for name in (
        "sh",
        "make",
        "gcc",
        "cc",
        "as",
        "ld",
        "ar",
        "cat",
        "cksum",
        "cp",
        "find",
        "getconf",
        "grep",
        "mkdir",
        "printf",
        "rm",
        "sed",
        "touch",
    ):
        program = shutil.which(name)
        if program is not None and not (places / name).exists():
            (places / name).symlink_to(program)
    variables = {name: value for name, value in checkouts.environment(checkout).items() if name != "PYTHONPATH"}
    return variables | {"PATH": str(places)}


def started(checkout: Path, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(["make", "-C", checkout, *words], env=tools(checkout), stdout=subprocess.DEVNULL)


def called(checkout: Path, *words: object) -> tuple[int, str]:
    """Call the command of the copy; return its exit code and output."""
    line = [checkout / ".venv/bin/firstflight", *map(str, words)]
    done = subprocess.run(line, cwd=checkout, env=tools(checkout), capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_port_source_with_an_old_time_is_compiled(checkout: Path) -> None:
    """A source with an old time is compiled and judged; a deleted source fails the build."""
    words = ("run", "--adapter", "c-port", "--algorithm", "hystartpp", "--profile", "rfc-9406")
    assert started(checkout, "c-adapters").wait() == 0
    assert called(checkout, *words)[0] == 0
    checkouts.edit(checkout, checkouts.IN_C)
    os.utime(checkout / checkouts.IN_C[0], (1_000_000_000, 1_000_000_000))
    assert started(checkout, "c-adapters").wait() == 0
    assert called(checkout, *words)[0] == 1
    (checkout / "reference-c/firstflight/wide.c").unlink()
    assert started(checkout, "c-adapters").wait() != 0
