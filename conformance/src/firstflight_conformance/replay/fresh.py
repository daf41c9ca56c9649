"""Executes a second copy of the model's modules with the source text of some files replaced."""

import importlib
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

from firstflight_conformance.paths import REFERENCE_PY

#: Modules shared by both copies, because vectors and readings are compared with their values.
_SHARED = {"profiles"}
#: Imports from the model: package and names.
_IMPORT = re.compile(r"^from (firstflight[\w.]*) import (\([^)]*\)|.*)", re.M)


@cache
def mutable_files() -> dict[Path, str]:
    """Return the files of the model that may be executed again with another source text, with their module names.

    These are ``controller.py`` and the modules of the algorithm packages. The plain programs ``plain_*.py`` are
    excluded, and so is ``profiles.py``, the table of profiles and readings, which all copies of the model share.
    """
    files = {REFERENCE_PY / "controller.py": "firstflight.controller"}
    for path in sorted(REFERENCE_PY.glob("*/*.py")):
        package = "" if path.stem == "__init__" else f".{path.stem}"
        if path.stem not in _SHARED and not path.stem.startswith("plain_"):
            files[path] = f"firstflight.{path.parent.name}{package}"
    return files


@cache
def right_text(path: Path) -> str:
    """Return the text of a file of the model."""
    return path.read_text("utf-8")


@cache
def _uses() -> dict[str, set[str]]:
    """Return the names that each module of the model imports, by the name of the importing module.

    The importing modules are those in :func:`mutable_files`, and their packages; a package imports all its modules.
    Functions and classes are included as ``module.name``.
    """
    uses: dict[str, set[str]] = {}
    for path, name in mutable_files().items():
        package = name.rpartition(".")[0]
        uses.setdefault(package, set()).add(name)
        imports = uses.setdefault(name, set())
        for package, imported in _IMPORT.findall(right_text(path)):
            imports |= {package, *(f"{package}.{word}" for word in re.findall(r"\w+", imported))}
    return uses


@cache
def _see(module: str) -> frozenset[str]:
    """Return a module and all modules that depend on it directly or indirectly."""
    modules = {module}
    while more := {user for user, used in _uses().items() if used & modules and user not in modules}:
        modules |= more
    return frozenset(modules)


def _executed_anew(changed: Collection[Path]) -> set[str]:
    """Return the names of the modules to execute again after a change of the source text of ``changed``.

    These are the modules of the changed files, and all modules that import them directly or indirectly. The set always
    includes ``firstflight.controller``, which loads the algorithm packages at run time, not by import statements.
    """
    files = mutable_files()
    dependents = {name for path in changed for name in _see(files[path])}
    return dependents.intersection(files.values()) | {files[REFERENCE_PY / "controller.py"]}


@contextmanager
def fresh_modules(texts: Mapping[Path, str]) -> Iterator[ModuleType]:
    """Execute a second copy of the model and yield its module ``firstflight.controller``.

    ``texts``: the changed source texts, by file. Only changed modules and their dependents are executed again. At the
    end of the context, ``sys.modules`` and the packages have the original modules again.
    """
    names = _executed_anew(texts)
    right = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    shared = {name: module for name, module in sys.modules.items() if name.startswith("firstflight.")}
    finder = _Finder(texts)
    sys.meta_path.insert(0, finder)
    try:
        yield importlib.import_module("firstflight.controller")
    finally:
        sys.meta_path.remove(finder)
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(right)
        _tie(right | shared)


def _tie(modules: dict[str, ModuleType]) -> None:
    """Set each module as an attribute of its parent package again. ``modules``: the original modules, by name.

    The import of a second copy of a module has replaced this attribute by the copy.
    """
    for name, module in modules.items():
        package, _, leaf = name.rpartition(".")
        setattr(sys.modules[package], leaf, module)


@cache
def compiled(path: Path, text: str) -> CodeType:
    """Return the code of a replacement text of a file; each text is compiled once."""
    return compile(text, str(path), "exec")


class _Loader(InspectLoader):
    """Import loader that executes a given text as the source of a module. Each text is compiled once."""

    def __init__(self, path: Path, text: str) -> None:
        self._path, self._text = path, text

    def get_source(self, fullname: str) -> str:
        return self._text

    def get_code(self, fullname: str) -> CodeType:
        return compiled(self._path, self._text)


class _Finder(MetaPathFinder):
    """Import finder that executes modules of the model again, as a second copy with changed source texts.

    ``texts``: changed texts by file; other files of :func:`mutable_files` keep their text. For any other module
    ``find_spec`` returns None, so that the ordinary import applies.
    """

    def __init__(self, texts: Mapping[Path, str]) -> None:
        self._paths = {name: path for path, name in mutable_files().items()}
        self._texts = texts

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        file = self._paths.get(fullname)
        if file is None:
            return None
        text = self._texts[file] if file in self._texts else right_text(file)
        inside = [str(file.parent)] if file.stem == "__init__" else None
        return spec_from_file_location(fullname, file, loader=_Loader(file, text), submodule_search_locations=inside)
