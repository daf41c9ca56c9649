"""The first pages for a newcomer are up to date: tutorial, README and their picture."""

import ast
import re
from pathlib import Path

from firstflight_conformance.cli import main
from firstflight_conformance.paths import ADAPTERS, ROOT
from page_examples import examples
from plots import start_ups

README = (ROOT / "README.md").read_text("utf-8")
TUTORIAL = ADAPTERS / "tutorial"


def test_tutorial_contains_the_code_of_its_adapters() -> None:
    """The tutorial contains the whole first adapter and the class of the repaired one."""
    first, second = re.findall(r"```python\n(.*?)```\n", (ROOT / "docs" / "tutorial.md").read_text("utf-8"), re.S)
    assert first == (TUTORIAL / "adapter.py").read_text("utf-8")
    mended = (TUTORIAL / "adapter_fixed.py").read_text("utf-8")
    controller = next(node for node in ast.parse(mended).body if isinstance(node, ast.ClassDef))
    assert second.rstrip("\n") == ast.get_source_segment(mended, controller)


def test_the_readme_is_short() -> None:
    """The README has at most 900 words, and starts with the commands of CI within 25 lines."""
    assert len(README.split()) <= 900
    first, second = examples(ROOT / "README.md")[:2]
    assert first.line <= 25
    ci = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    assert [first.command, second.command] == [line for line in ci if line.startswith("make ")]


def test_picture_is_up_to_date_with_the_model(tmp_path: Path) -> None:
    """The picture is up to date with the model."""
    start_ups.write(tmp_path / "start-ups.svg")
    assert (tmp_path / "start-ups.svg").read_bytes() == start_ups.PATH.read_bytes()


def test_commands_in_readme_exist() -> None:
    """Each job of make and each command of firstflight in the README and on the page of jobs exists."""
    text = README + (ROOT / "docs" / "jobs.md").read_text("utf-8")
    jobs = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M)
    assert set(re.findall(r"`make ([a-z-]+)", text)) <= {*jobs, "install"}
    known = set(main.list_commands(None))  # type: ignore[arg-type]
    assert set(re.findall(r"`firstflight ([a-z-]+)", text)) <= known
