"""The ban on floating point: the references are clean, and planted floats are found."""

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
def test_float_in_python_is_found(tmp_path: Path, line: str, found: bool) -> None:
    """A line of Python with floating point is found; other lines are not."""
    path = tmp_path / "x.py"
    path.write_text(f"a = b = y = 1\n{line}\n", encoding="utf-8")
    assert set(lint.python_floats(path)) == ({2} if found else set())


@pytest.mark.parametrize(("line", "found"), [(line, True) for line in C] + [(line, False) for line in C_FINE])
def test_float_in_c_is_found(tmp_path: Path, line: str, found: bool) -> None:
    """A line of C with floating point is found, even after a comment of several lines."""
    path = tmp_path / "x.c"
    path.write_text(f"/* 0.5\n double */ int a;\n{line}\n", encoding="utf-8")
    assert lint.c_floats(path) == ([3] if found else [])


def test_references_have_integer_arithmetic_only(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither reference computes in floating point."""
    assert lint.main() == 0
    assert capsys.readouterr().out == ""


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with copies of both references and of the simulator, checked instead of the originals."""
    for name, folder in (("REFERENCE_PY", REFERENCE_PY), ("REFERENCE_C", REFERENCE_C), ("CONFORMANCE", CONFORMANCE)):
        part = "simulator" if folder is CONFORMANCE else ""
        place = tmp_path / name / part
        shutil.copytree(folder / part, place, ignore=shutil.ignore_patterns("__pycache__", "build"))
        monkeypatch.setattr(lint, name, tmp_path / name)
    return tmp_path


def planted(path: Path) -> str:
    """Add a float to a file; return the line that the check prints for it."""
    content = path.read_text(encoding="utf-8")
    path.write_text(
        content + {".py": "X = 0.35\n", ".h": "#define X 0.35\n", ".c": "static double x;\n"}[path.suffix],
        encoding="utf-8",
    )
    return f"{path}:{len(content.splitlines()) + 1}: floating point is banned in the references"


def test_planted_floats_are_reported(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A float in each kind of file of each folder is reported with its line, and the exit code is 1."""
    first: dict[tuple[Path, str], Path] = {}
    for path in sorted(copy.rglob("*")):
        part = path.relative_to(copy).parts[:2]
        sources = path.suffix in (".py", ".c", ".h") and not path.name.startswith(("test_", "drive_", "proof_"))
        if sources and (part[0] == "REFERENCE_PY" or part[1] in ("firstflight", "simulator")):
            first.setdefault((path.parent, path.suffix), path)
    assert {"simulator", "search", "suss"} <= {folder.name for folder, _ in first}
    assert len(first) >= 45
    expected = {planted(path) for path in first.values()}
    assert lint.main() == 1
    assert set(capsys.readouterr().out.splitlines()) == expected


@pytest.mark.parametrize("kind", ["search_draft_09.h", "search_draft_09_invariant.h", "plain_search_draft_09.py"])
def test_float_in_self_contained_file_is_reported(copy: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    """The self-contained reference implementations are checked too."""
    (path,) = copy.rglob(kind)
    expected = planted(path)
    assert lint.main() == 1
    assert capsys.readouterr().out == f"{expected}\n"


@pytest.mark.parametrize("name", ["REFERENCE_PY", "REFERENCE_C", "CONFORMANCE"])
def test_empty_folder_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A folder without files is an error, so that moved files do not pass as clean."""
    monkeypatch.setattr(lint, name, tmp_path)
    with pytest.raises(FileNotFoundError, match="to check"):
        lint.main()
