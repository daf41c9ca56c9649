"""Copies of the checkout for tests that edit code or data that verdicts depend on."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

import pytest

from firstflight_conformance.paths import ROOT

#: Code that loads, generates and judges. Each test copies the vectors and stimuli that it needs.
CODE = ("spec", "reference-py/src", "conformance/src")
#: An edit of a module of the model: the growth of the window in Conservative Slow Start.
MODEL = ("reference-py/src/firstflight/hystartpp/hystartpp.py", "GROWTH_DIVISOR = 4", "GROWTH_DIVISOR = 5")
#: Its counterpart in C.
IN_C = ("reference-c/firstflight/hystartpp/hystartpp.h", "GROWTH_DIVISOR UINT64_C(4)", "GROWTH_DIVISOR UINT64_C(5)")


def copied(target: Path, parts: Iterable[str]) -> Path:
    """Copy files and folders of the checkout, without compiled files; return the target folder."""
    for part in parts:
        place = target / part
        place.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / part).is_dir():
            compiled = shutil.ignore_patterns("__pycache__", "*.egg-info", "target", ".cargo")
            shutil.copytree(ROOT / part, place, ignore=compiled)
        else:
            shutil.copy2(ROOT / part, place)
    return target


def tracked() -> list[str]:
    """Return all tracked files of the checkout; skip the test outside of a git repository."""
    done = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip("this is no repository")
    return [part for part in done.stdout.split("\0") if (ROOT / part).is_file()]


def edit(checkout: Path, change: tuple[str, str, str]) -> None:
    """Replace a text that occurs once in a file."""
    path, old, new = change
    text = (checkout / path).read_text("utf-8")
    assert text.count(old) == 1
    (checkout / path).write_text(text.replace(old, new), encoding="utf-8")


def environment(checkout: Path) -> dict[str, str]:
    """Return environment variables that make Python load the code of a copy."""
    variables = {
        name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "FIRSTFLIGHT", "MFLAGS"))
    }
    folders = (checkout / "reference-py/src", checkout / "conformance/src")
    return variables | {"PYTHONPATH": os.pathsep.join(map(str, folders)), "PYTHONDONTWRITEBYTECODE": ""}


def called(checkout: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Run the command with the code of a copy."""
    line = [sys.executable, "-m", "firstflight_conformance", *map(str, words)]
    return subprocess.run(
        line, cwd=checkout, env=environment(checkout), capture_output=True, text=True, check=False, timeout=600
    )


def with_environment(checkout: Path) -> Path:
    """Give a copy its own environment, as `make tools` does, with the checkout's libraries; return its command."""
    environment = checkout / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    code = (checkout / "reference-py/src", checkout / "conformance/src", sysconfig.get_path("purelib"))
    (packages,) = environment.glob("lib/python3*/site-packages")
    (packages / "copied.pth").write_text("".join(f"{path}\n" for path in code), encoding="utf-8")
    command = environment / "bin/firstflight"
    text = f"#!{environment}/bin/python\nfrom firstflight_conformance.cli import main\nmain()\n"
    command.write_text(text, encoding="utf-8")
    command.chmod(0o755)
    (environment / ".checkout").write_text(f"{checkout}\n", encoding="utf-8")
    for made in (".tools", ".ready"):
        (environment / made).touch()
    return command
