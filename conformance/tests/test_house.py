"""The house: dependencies point one way, and nothing goes round in a circle."""

import ast
import re
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from firstflight_conformance.paths import CONFORMANCE, REFERENCE_C, REFERENCE_PY

MODEL = REFERENCE_PY
TOOLS = CONFORMANCE / "src" / "firstflight_conformance"


def module_name(path: Path, package: Path) -> str:
    """Return the dotted name of a file of a package."""
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path) -> Iterable[str]:
    """Yield what a module imports when it is loaded, as dotted names: ``from a import b`` as ``a.b``, which may be a module or not."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def graph(package: Path) -> dict[str, set[str]]:
    """Return which modules of a package each of them needs."""
    names = {module_name(path, package): path for path in package.rglob("*.py")}
    found: dict[str, set[str]] = {}
    for name, path in names.items():
        modules = (wanted if wanted in names else wanted.rpartition(".")[0] for wanted in imported(path))
        found[name] = {module for module in modules if module in names and module != name}
    return found


def circle(needs: dict[str, set[str]]) -> list[str]:
    """Return the members of a circle, none if there is none."""
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.parametrize("package", [MODEL, TOOLS], ids=["model", "tools"])
def test_no_module_needs_itself(package: Path) -> None:
    """No module of the model or of the tools needs itself by way of others."""
    needs = graph(package)
    assert len(needs) > 30
    assert circle(needs) == []


def test_no_header_needs_itself() -> None:
    """No header of the port includes itself by way of others."""
    include = REFERENCE_C / "include"
    pattern = re.compile(r'^#include "(firstflight/[^"]+)"', re.MULTILINE)
    needs = {
        path.relative_to(include).as_posix(): set(pattern.findall(path.read_text("utf-8")))
        for path in include.rglob("*.h")
    }
    assert len(needs) > 30
    assert circle(needs) == []


def test_a_circle_is_found() -> None:
    """A circle of three is named."""
    assert set(circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})) == {"a", "b", "c"}


def test_the_model_needs_the_standard_library_only() -> None:
    """Nothing in the model imports the tools, or anything that would have to be installed."""
    allowed = {
        "firstflight",
        "collections",
        "dataclasses",
        "enum",
        "fractions",
        "functools",
        "importlib",
        "math",
        "pkgutil",
        "typing",
    }
    for path in MODEL.rglob("*.py"):
        assert {name.partition(".")[0] for name in imported(path)} <= allowed, path


def test_rooms_are_named_nowhere_in_the_tools() -> None:
    """Only what is about one algorithm names its room; what is about all of them asks for their descriptors."""
    rooms = {path.parent.name for path in MODEL.glob("*/__init__.py")} - {"plain"}
    about_all = [TOOLS / "spec", TOOLS / "mutants", TOOLS / "run", TOOLS / "commands", TOOLS / "cases"]
    for folder in about_all:
        for path in folder.rglob("*.py"):
            named = {name.split(".")[1] for name in imported(path) if name.startswith("firstflight.")}
            assert named & rooms <= EXCEPTIONS.get(path.relative_to(TOOLS).as_posix(), set()), path


#: Modules for one kind of case, which name what computes it.
EXCEPTIONS = {
    "cases/computations.py": {"transfer_time"},
    "commands/model.py": {"transfer_time"},
}
