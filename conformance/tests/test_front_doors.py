"""What a newcomer sees first is true: the code of the tutorial, the verdict of the README, the picture of both."""

import ast
import re
import shlex
import sys
from pathlib import Path

from click.testing import CliRunner

from firstflight_conformance.cli import main
from firstflight_conformance.paths import ADAPTERS, ROOT
from firstflight_conformance.plots import start_ups

README = (ROOT / "README.md").read_text("utf-8")
TUTORIAL = ADAPTERS / "tutorial"


def test_the_tutorial_holds_the_code_of_its_adapters() -> None:
    """The whole of the first one, and the class of the mended one."""
    first, second = re.findall(r"```python\n(.*?)```\n", (ROOT / "docs" / "tutorial.md").read_text("utf-8"), re.S)
    assert first == (TUTORIAL / "adapter.py").read_text("utf-8")
    mended = (TUTORIAL / "adapter_fixed.py").read_text("utf-8")
    controller = next(node for node in ast.parse(mended).body if isinstance(node, ast.ClassDef))
    assert second.rstrip("\n") == ast.get_source_segment(mended, controller)


def test_the_verdict_of_the_readme() -> None:
    """Event, values and clause are those that the runner prints."""
    shown = re.search(r"```\npython3 adapter\.py: fail: (\S+)\n(.*?)```", README, re.S)
    assert shown is not None
    adapter = f"{shlex.quote(sys.executable)} {shlex.quote(str(TUTORIAL / 'adapter.py'))}"
    result = CliRunner().invoke(main, ["run", "--adapter", adapter, "--id", shown[1]])
    assert result.exit_code == 1
    for line in shown[2].splitlines()[:2]:
        assert line in result.output
    clause = re.search(r"\[(\S+)\]", shown[2])
    assert clause is not None and clause[1] in result.output


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
