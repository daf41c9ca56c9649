"""Rejects floating point in both references and the simulator: literals, division, types, functions that return it."""

import ast
import re
import sys
from pathlib import Path

from firstflight_conformance.paths import CONFORMANCE, REFERENCE_C, REFERENCE_PY

_C_TEXT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.S)
_C_FLOAT = re.compile(r"\b(?:float|double)\b|(?<![\w.])(?:\d+\.|\.\d|\d+[eE][+-]?\d|0[xX][0-9a-fA-F.]+[pP])|math\.h")
_PYTHON_NAMES = {"float", "complex", "round", "math", "decimal", "numpy"}


def python_floats(path: Path) -> list[int]:
    """Return the lines of a Python file with floating point."""
    lines = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        literal = isinstance(node, ast.Constant) and isinstance(node.value, float | complex)
        division = isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div)
        name = isinstance(node, ast.Name) and node.id in _PYTHON_NAMES
        power = (
            isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and not isinstance(node.right, ast.Constant)
        )
        imported = isinstance(node, ast.Import | ast.ImportFrom) and bool(
            {alias.name for alias in node.names} & _PYTHON_NAMES or getattr(node, "module", "") in _PYTHON_NAMES
        )
        if literal or division or name or power or imported:
            lines.append(node.lineno)
    return lines


def c_floats(path: Path) -> list[int]:
    """Return the lines of a C file with floating point, except in comments and strings."""
    text = _C_TEXT.sub(lambda match: "\n" * match[0].count("\n"), path.read_text(encoding="utf-8"))
    return [number for number, line in enumerate(text.splitlines(), 1) if _C_FLOAT.search(line)]


def looked_at() -> tuple[list[Path], list[Path]]:
    """Return the Python files and the C files to check. Raise :class:`FileNotFoundError` for a folder without any."""
    python = _some(REFERENCE_PY, "*.py")
    c = [
        path for folder in (REFERENCE_C / "firstflight", CONFORMANCE / "simulator") for path in _some(folder, "*.[ch]")
    ]
    return python, [path for path in c if not path.name.startswith(("test_", "drive_", "proof_"))]


def _some(folder: Path, pattern: str) -> list[Path]:
    found = sorted(folder.rglob(pattern))
    if not found:
        raise FileNotFoundError(f"{folder}: no {pattern} to check")
    return found


def main() -> int:
    """Print a line for each finding; return the exit code."""
    python, c = looked_at()
    findings = [(path, line) for path in python for line in python_floats(path)]
    findings += [(path, line) for path in c for line in c_floats(path)]
    for path, line in findings:
        print(f"{path}:{line}: floating point is banned in the references")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
