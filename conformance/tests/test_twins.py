"""Each file of the model has a C counterpart with the same functions in the same order."""

import ast
import re
from pathlib import Path

import pytest

from firstflight_conformance import port
from firstflight_conformance.paths import REFERENCE_PY, ROOT

C_SOURCES = ROOT / "reference-c" / "firstflight"
PACKAGES = sorted(path.parent.name for path in REFERENCE_PY.glob("*/__init__.py"))
#: File and function that exist in only one of the two languages, with the reason. ``*``: the whole file.
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("newreno/newreno", "grows_at_once"): "speed: 64 instructions per ACK until the first threshold or loss",
    ("newreno/newreno", "phase_below"): "speed: NewReno alone asks no rules for the end of slow start",
    ("newreno/newreno", "observe_rules"): "speed: what the rules of other bases show is out of line",
    ("newreno/newreno", "on_runs_acked"): "the other ACKs: out of line, so that the usual ones save no registers",
    (
        "newreno/newreno",
        "rules",
    ): "the state of the port holds no pointers: it names its base, whose rules are looked up",
    ("search/layout", "*"): "how the port packs its state; the model keeps lists of bins",
}


def counterparts() -> list[str]:
    """Return the files of both languages; tables of readings are generated."""
    python = {
        f"{path.parent.name}/{path.stem}" for package in PACKAGES for path in (REFERENCE_PY / package).glob("*.py")
    }
    python = {file for file in python if not Path(file).name.startswith("plain_")}
    c = {f"{path.parent.name}/{path.stem}" for path in port.sources() if path.parent != C_SOURCES}
    files = {file for file in python | c if Path(file).name not in ("__init__", "profiles")}
    return sorted(files - {file for file, function in EXCEPTIONS if function == "*"})


def functions_of_python(file: str) -> list[str]:
    tree = ast.parse((REFERENCE_PY / f"{file}.py").read_text(encoding="utf-8"))
    return [node.name.lstrip("_") for node in tree.body if isinstance(node, ast.FunctionDef)]


def functions_of_c(file: str) -> list[str]:
    """Return the names without ``ff_`` and package, and without the file if the package has the same name."""
    text = (C_SOURCES / f"{file}.c").read_text(encoding="utf-8")
    definition = r"^(?!typedef|struct \w+ \{|enum \w+ \{)[a-z][\w \*]*?\b\**(\w+)\([^;{}]*\)\n\{"
    return [
        re.sub(rf"^ff_(?:{Path(file).parent.name}_)?(?:startup_)?", "", match[1])
        for match in re.finditer(definition, text.replace("FF_RARE ", ""), re.M)
    ]


@pytest.mark.parametrize("file", counterparts())
def test_python_and_c_have_the_same_functions_in_order(file: str) -> None:
    excepted = {function for where, function in EXCEPTIONS if where == file}
    python, c = functions_of_python(file), functions_of_c(file)
    assert excepted == (set(python) ^ set(c)) & excepted, "an unneeded exception"
    assert [name for name in c if name not in excepted] == [name for name in python if name not in excepted]


def test_exceptions_are_few() -> None:
    assert len(EXCEPTIONS) <= 7
    assert all(EXCEPTIONS.values())
