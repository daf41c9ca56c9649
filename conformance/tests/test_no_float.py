"""The ban on floating point: clean on the references, and it finds what is planted."""

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from firstflight_conformance.paths import CONFORMANCE, REFERENCE_C, REFERENCE_PY

_SPEC = importlib.util.spec_from_file_location("lint_no_float", CONFORMANCE / "lint_no_float.py")
assert _SPEC is not None and _SPEC.loader is not None
lint: ModuleType = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(lint)

PYTHON = [
    "x = 1.5", "x = 1e9", "x = 2j", "x = a / b", "x /= 2", "x = float(y)", "x = round(y)", "x = 2 ** y", "x = 2 ** -1",
    "import math", "from math import isqrt", "import numpy as np", "from decimal import Decimal", "x = math.floor(y)",
    "def f(x: float) -> int: ...",
]  # fmt: skip
PYTHON_FINE = ["x = a // b", "x //= 2", "x = 2 ** 62", '"""1.5 / 2 is a float"""', "# 1.5", "x = 'float'", "x = a % 7"]
C = [
    "double x;", "float x;", "long double x;", "x = 1.5;", "x = 1.;", "x = .5;", "x = 1e9;", "x = 2E-3;", "x = 1.5f;", "x = 0x1.8p3;", "x = 0x1p-2;",
    "#include <math.h>", "return (double)a / b;", "/* fine */ x = 0.5;",
]  # fmt: skip
C_FINE = [
    "x = a / b;",
    "/* 1.5 and double */",
    "// 0.35",
    "x = 0x1e9;",
    "x = 0x1E+9;",
    "x = s.y1;",
    "x = 10u;",
    "doubled = 1;",
    "x = p->e5;",
]


@pytest.mark.parametrize(("line", "found"), [(line, True) for line in PYTHON] + [(line, False) for line in PYTHON_FINE])
def test_python(tmp_path: Path, line: str, found: bool) -> None:
    """A line of Python with floating point is found, and a line without is not."""
    path = tmp_path / "x.py"
    path.write_text(f"a = b = y = 1\n{line}\n", encoding="utf-8")
    assert set(lint.python_floats(path)) == ({2} if found else set())


@pytest.mark.parametrize(("line", "found"), [(line, True) for line in C] + [(line, False) for line in C_FINE])
def test_c(tmp_path: Path, line: str, found: bool) -> None:
    """A line of C with floating point is found behind a comment of several lines too."""
    path = tmp_path / "x.c"
    path.write_text(f"/* 0.5\n double */ int a;\n{line}\n", encoding="utf-8")
    assert lint.c_floats(path) == ([3] if found else [])


def test_clean_now(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither reference computes in floating point."""
    assert lint.main() == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("python/search/search.py", "X = 0.35\n"),
        ("c/src/search/search.c", "static double x;\n"),
        ("c/include/firstflight/search/search.h", "#define THRESHOLD 0.35\n"),
    ],
)
def test_finds_what_is_planted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], file: str, line: str
) -> None:
    """A float in any file of either reference is found, named with its line, and makes the exit code 1."""
    shutil.copytree(REFERENCE_PY, tmp_path / "python", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(REFERENCE_C, tmp_path / "c")
    monkeypatch.setattr(lint, "REFERENCE_PY", tmp_path / "python")
    monkeypatch.setattr(lint, "REFERENCE_C", tmp_path / "c")
    path = tmp_path / file
    content = path.read_text(encoding="utf-8")
    path.write_text(content + line, encoding="utf-8")
    assert lint.main() == 1
    number = len(content.splitlines()) + 1
    assert capsys.readouterr().out == f"{path}:{number}: floating point is banned in the references\n"
