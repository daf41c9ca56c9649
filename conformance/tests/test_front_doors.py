"""What a newcomer sees first is true: the code of the tutorial, the verdict of the README, the picture of both."""

import ast
import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from firstflight_conformance.cli import main
from firstflight_conformance.paths import ADAPTERS, ROOT
from plots import start_ups

README = (ROOT / "README.md").read_text("utf-8")
TUTORIAL = ADAPTERS / "tutorial"


def test_the_tutorial_holds_the_code_of_its_adapters() -> None:
    """The whole of the first one, and the class of the mended one."""
    first, second = re.findall(r"```python\n(.*?)```\n", (ROOT / "docs" / "tutorial.md").read_text("utf-8"), re.S)
    assert first == (TUTORIAL / "adapter.py").read_text("utf-8")
    mended = (TUTORIAL / "adapter_fixed.py").read_text("utf-8")
    controller = next(node for node in ast.parse(mended).body if isinstance(node, ast.ClassDef))
    assert second.rstrip("\n") == ast.get_source_segment(mended, controller)


def test_the_verdict_of_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The block is what the command before it prints, to the letter: the first cause, which is the only one."""
    command, shown = re.search(r"\(`firstflight (run [^`]+)`\):\n\n```\n(.*?)```\n", README, re.S).groups()  # type: ignore[union-attr]
    shutil.copy(TUTORIAL / "adapter.py", tmp_path / "my_adapter.py")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, shlex.split(command))
    assert result.exit_code == 1
    assert result.output.count(": fail: ") == 1
    assert "\n\n" + shown + "\n" in result.output


def test_the_picture_is_drawn_from_the_model(tmp_path: Path) -> None:
    """The file is what the model gives today."""
    start_ups.write(tmp_path / "start-ups.svg")
    assert (tmp_path / "start-ups.svg").read_bytes() == start_ups.PATH.read_bytes()


def test_the_commands_of_the_readme_exist() -> None:
    """Each job of make, and each command of firstflight."""
    jobs = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M)
    assert set(re.findall(r"`make ([a-z-]+)", README)) <= {*jobs, "install"}
    known = set(main.list_commands(None))  # type: ignore[arg-type]
    assert set(re.findall(r"`firstflight ([a-z-]+)", README)) <= known
