"""The mutants of the tools can still be built, and the page states their number."""

import importlib.util
import subprocess
import sys
from types import ModuleType

import pytest

from firstflight_conformance.paths import CONFORMANCE, REFERENCE_C, ROOT

FOLDER = ROOT / "conformance" / "tool_mutants"


def judge_module() -> ModuleType:
    """Load the program that judges the mutants."""
    spec = importlib.util.spec_from_file_location("tool_mutants_judge", FOLDER / "judge.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


judge = judge_module()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_mutants_are_valid_and_have_tests(path: object) -> None:
    """The replaced text occurs once, the mutant differs and compiles, and its tests exist."""
    right, *mutants = judge.load(path)
    assert mutants
    for mutant in mutants:
        assert mutant.text != right.text
        if mutant.in_c:
            _check_c(mutant.text)
        else:
            compile(mutant.text, mutant.file, "exec")
    assert all((judge.TESTS / name).is_file() for name in right.tests)


def _check_c(text: str) -> None:
    include = (f"-I{CONFORMANCE / 'simulator'}", f"-I{REFERENCE_C}")
    words = ("cc", "-std=c11", "-fsyntax-only", *include, "-x", "c", "-")
    subprocess.run(words, input=text, text=True, check=True, timeout=60)


_LOADED = """
import judge, sys
from pathlib import Path
mutant = next(each for each in judge.load(Path(sys.argv[1])) if each.id == "parts-one-hand")
judge.put_in_place(mutant, Path())
from firstflight_conformance.run import parts
print("processes" in parts._deal.__code__.co_varnames, 0 in parts._deal.__code__.co_consts)
"""


def test_tests_load_the_mutant() -> None:
    """The tests load the mutant, not the original module."""
    words = (sys.executable, "-c", _LOADED, FOLDER / "parts.toml")
    done = subprocess.run(words, cwd=FOLDER, capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("True True\n", "")


def test_mutant_names_are_unique() -> None:
    """The judge identifies survivors by name."""
    ids = [mutant.id for path in FOLDER.glob("*.toml") for mutant in judge.load(path)]
    assert len(ids) == len(set(ids))


def test_page_has_the_score() -> None:
    """All mutants are killed except those argued equivalent; else ``make tool-mutants`` fails."""
    page = (ROOT / "docs" / "reliability-attacks.md").read_text("utf-8")
    assert judge.score(judge.load_all()) in page
