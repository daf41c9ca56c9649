"""Dependencies between packages have one direction, and no file depends on itself through others."""

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from firstflight_conformance import port
from firstflight_conformance.paths import CONFORMANCE, REFERENCE_C, REFERENCE_PY, ROOT

MODEL = REFERENCE_PY
TOOLS = CONFORMANCE / "src" / "firstflight_conformance"
#: Types of tokens for layout and comments.
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
DOCS = ROOT / "docs"
PACKAGES = (
    *(MODEL, TOOLS),
    *(CONFORMANCE / name for name in ("stimuli", "studies", "generate", "dist", "plain", "adequacy", "language")),
    *(DOCS / "_ext" / "pages", DOCS / "_ext" / "plots", DOCS / "specification"),
)
_INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.M)


def module_name(path: Path, package: Path) -> str:
    """Return the dotted name of a file of a package."""
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path) -> Iterator[str]:
    """Yield the imports of a module, at any depth, as dotted names: ``from a import b`` as ``a.b``, module or not."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def graph(*packages: Path) -> dict[str, set[str]]:
    """Return, for each module of the packages, the modules that it imports."""
    names = {module_name(path, package): path for package in packages for path in package.rglob("*.py")}
    imports: dict[str, set[str]] = {}
    for name, path in names.items():
        modules = (target if target in names else target.rpartition(".")[0] for target in imported(path))
        imports[name] = {module for module in modules if module in names and module != name}
    return imports


def units(files: Iterable[Path], *includes: Path) -> dict[str, set[str]]:
    """Return the C units that each unit needs: a source with its header, and included headers without a source."""
    by_unit: dict[Path, list[Path]] = {}
    for path in files:
        by_unit.setdefault(path.with_suffix(""), []).append(path)

    def direct(unit: Path) -> set[Path]:
        included = set()
        for path in by_unit[unit]:
            for name in _INCLUDE.findall(path.read_text("utf-8")):
                places = (folder / name for folder in (path.parent, *includes))
                included |= {place.with_suffix("") for place in places if place.with_suffix("") in by_unit}
        return included - {unit}

    has_source = {unit for unit, paths in by_unit.items() if any(path.suffix == ".c" for path in paths)}

    def needs(unit: Path) -> set[Path]:
        needed, waiting = set[Path](), list(direct(unit))
        while waiting:
            dependency = waiting.pop()
            if dependency not in needed:
                needed.add(dependency)
                if dependency not in has_source:
                    waiting += direct(dependency)
        return needed - {unit}

    return {str(unit): {str(dependency) for dependency in needs(unit) & has_source} for unit in sorted(has_source)}


def circle(needs: dict[str, set[str]]) -> list[str]:
    """Return the members of a cycle, or an empty list."""
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_modules_have_no_import_cycles() -> None:
    """No module imports itself through others, neither in a function nor only for its types."""
    needs = graph(*PACKAGES)
    assert len(needs) > 400
    assert {name.partition(".")[0] for name in needs} >= {"firstflight", "stimuli", "studies", "pages", "specification"}
    assert circle(needs) == []


@pytest.mark.parametrize(
    "how", ["from two import b", "def f():\n    from two import b", "if TYPE_CHECKING:\n    import two"]
)
def test_hidden_import_cycle_is_found(tmp_path: Path, how: str) -> None:
    """Imports in a function and under TYPE_CHECKING count."""
    for name, text in (("one", how), ("two", "from three import c"), ("three", "import one")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"{text}\n", "utf-8")
    assert set(circle(graph(*(tmp_path / name for name in ("one", "two", "three"))))) == {"one", "two", "three"}


def test_headers_have_no_include_cycles() -> None:
    """No header of the port includes itself through others."""
    needs = {
        path.relative_to(REFERENCE_C).as_posix(): set(_INCLUDE.findall(path.read_text("utf-8")))
        for path in port.headers()
    }
    assert len(needs) > 30
    assert circle(needs) == []


def test_c_sources_have_no_call_cycles() -> None:
    """No source of the port or the simulator calls into another that calls back."""
    simulator = [*(CONFORMANCE / "simulator").glob("*.[ch]")]
    needs = units([*port.sources(), *port.headers(), *simulator], REFERENCE_C, CONFORMANCE / "simulator")
    assert len(needs) > 60
    assert circle(needs) == []


def test_cycle_of_c_sources_is_found(tmp_path: Path) -> None:
    """Sources that include each other's headers form a cycle, also through an inline header."""
    for name, text in (("a.c", "b.h"), ("a.h", ""), ("b.c", "inline.h"), ("b.h", ""), ("inline.h", "a.h")):
        (tmp_path / name).write_text(f'#include "{text}"\n' if text else "", "utf-8")
    assert len(circle(units(tmp_path.glob("*.[ch]")))) == 3


def test_members_of_a_cycle_are_returned() -> None:
    """The members of a cycle of three are returned."""
    assert set(circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})) == {"a", "b", "c"}


def test_lines_of_code_are_limited() -> None:
    """The Python files of the tool have at most 22,000 lines of code. Docstrings, comments and empty lines are free."""
    assert 15_000 < sum(len(lines_of_code(path.read_text("utf-8"))) for path in TOOLS.rglob("*.py")) <= 22_000


def test_lines_of_code_exclude_docstrings_and_comments() -> None:
    """Docstrings, comments and empty lines do not count; every line of a string of several lines does."""
    text = '"""Doc."""\n\n\ndef f() -> str:  # why\n    """Doc,\n\n    longer."""\n    # why\n    return """a\nb"""\n'
    assert lines_of_code(text) == {4, 9, 10}


def lines_of_code(text: str) -> set[int]:
    """Return the numbers of the lines of a module that contain code other than docstrings and comments."""
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node
        ):
            docstrings.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    lines = {line for token in tokens if token.type not in LAYOUT for line in range(token.start[0], token.end[0] + 1)}
    return lines - docstrings


def test_the_model_needs_the_standard_library_only() -> None:
    """The model imports neither the tools nor any package that has to be installed."""
    allowed = {
        "firstflight",
        "collections",
        "dataclasses",
        "enum",
        "fractions",
        "functools",
        "importlib",
        "math",
        "operator",
        "pkgutil",
        "typing",
    }
    for path in MODEL.rglob("*.py"):
        assert {name.partition(".")[0] for name in imported(path)} <= allowed, path


def test_tools_do_not_import_algorithm_packages() -> None:
    """Modules for all algorithms use descriptors and do not import the package of one algorithm."""
    packages = {path.parent.name for path in MODEL.glob("*/__init__.py")}
    about_all = [TOOLS / name for name in ("format", "replay", "adapters", "simulate", "records", "run", "commands")]
    for folder in about_all:
        for path in folder.rglob("*.py"):
            named = {name.split(".")[1] for name in imported(path) if name.startswith("firstflight.")}
            assert named & packages <= EXCEPTIONS.get(path.relative_to(TOOLS).as_posix(), set()), path


#: Modules for one kind of case, which import the package that computes it.
EXCEPTIONS = {
    "format/layers.py": {"careful_resume"},
    "format/computations.py": {"transfer_time"},
    "commands/model.py": {"transfer_time"},
}


#: The packages of the tool. A package imports only packages above it.
ORDER = (
    *("format", "replay", "adapters", "simulate", "records", "compare", "run", "explain"),
    *("shrink", "logs", "report", "flat", "judge", "sweeps", "plots", "commands"),
)


def upward(package: Path, order: tuple[str, ...]) -> list[str]:
    """Return imports against the order of packages, as "importer imports module"."""
    imports_upward = []
    for name, modules in graph(package).items():
        own = name.split(".")[1:2]
        for module in modules:
            imported_package = module.split(".")[1:2]
            if own and imported_package and own != imported_package and {*own, *imported_package} <= {*order}:
                imports_upward += [f"{name} imports {module}"] * (order.index(*own) < order.index(*imported_package))
    return sorted(imports_upward)


def test_packages_import_in_one_direction() -> None:
    """Each package of the tool is in the order, and imports only packages above it."""
    packages = {path.parent.name for path in TOOLS.glob("*/__init__.py")}
    assert packages == {*ORDER}
    assert upward(TOOLS, ORDER) == []


def test_map_lists_packages_in_order_and_existing_files() -> None:
    """The table of packages has the tested order, and each file of the three walks exists."""
    text = (DOCS / "map.md").read_text("utf-8").partition("## Packages of the tool")[2].partition("## New")[0]
    rows = [line.split("|")[1] for line in text.split("### Follow")[0].splitlines() if line.startswith("| `")]
    packages = [name for row in rows for name in re.findall(r"`(\w+)`", row) if name in ORDER]
    assert packages == [*ORDER]
    walks = [re.findall(r"`(\w+(?:/\w+)*\.py)`", walk) for walk in text.split("### Follow")[1:]]
    assert [len(set(files)) <= 8 for files in walks] == [True] * 3
    assert all((TOOLS / file).is_file() for files in walks for file in files)


def test_run_explain_and_report_do_not_import_each_other() -> None:
    """A run writes records, `explain` reads records, and `report` renders both."""
    for name, forbidden in (("run", "explain report"), ("explain", "run report"), ("report", "run explain")):
        imports = {module for path in (TOOLS / name).rglob("*.py") for module in imported(path)}
        wrong = {f"firstflight_conformance.{command}" for command in forbidden.split()}
        assert not {module for module in imports if module.startswith(tuple(f"{prefix}." for prefix in wrong))}, name


def test_import_against_package_order_is_reported(tmp_path: Path) -> None:
    """An upper package that imports a lower one is reported, also if the import is in a function."""
    tool = tmp_path / "tool"
    for name, text in (("one", "def f():\n    from tool.two import b"), ("two", "from tool.one import a")):
        (tool / name).mkdir(parents=True)
        (tool / name / "__init__.py").write_text(f"{text}\n", "utf-8")
    (tool / "__init__.py").write_text("", "utf-8")
    assert upward(tool, ("one", "two")) == ["tool.one imports tool.two"]


def test_functions_of_commands_are_small() -> None:
    """A function of the commands has at most 60 lines and 8 parameters."""
    for path in (TOOLS / "commands").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                parameters = [*node.args.args, *node.args.kwonlyargs]
                assert (node.end_lineno or 0) - node.lineno < 60, f"{path.name}: {node.name}"
                assert len(parameters) <= 8, f"{path.name}: {node.name}"
