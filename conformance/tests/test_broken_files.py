"""The broken files of the loaders: each has one error, and our Python loader gives the listed verdicts.

``make loaders`` tests the other six loaders.
"""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from firstflight_conformance.format.schemas import schema_error
from firstflight_conformance.paths import CONFORMANCE

LOADERS = CONFORMANCE / "loaders"
BROKEN = LOADERS / "broken"
SUFFIXES = {".py", ".mjs", ".rs", ".go", ".java", ".c", ".cpp", ".hpp"}
VERDICTS = dict(line.split("\t") for line in (BROKEN / "verdicts.tsv").read_text("utf-8").splitlines())


def module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_stored_files_match_the_generator() -> None:
    """Each file differs from the right file by one change, and at least seventy files must be refused."""
    make = module(BROKEN / "make.py")
    files = make.files()
    assert make.verdicts() == (BROKEN / "verdicts.tsv").read_text("utf-8")
    assert {path.name for path in BROKEN.glob("*.ndjson")} == set(files) == set(VERDICTS)
    for name, (_, content) in files.items():
        assert (BROKEN / name).read_bytes() == content, name
    assert len({content for _, content in files.values()}) == len(files)
    assert sum(verdict == "refused" for verdict in VERDICTS.values()) >= 70


@pytest.mark.parametrize("name", VERDICTS)
def test_python_loader_gives_listed_verdicts(name: str) -> None:
    """The Python loader gives the listed verdict and refuses files only with ``ValueError``."""
    flat = module(LOADERS / "python" / "flat.py")
    newreno = module(LOADERS / "python" / "newreno.py")
    try:
        differing = [
            flat.first_difference(case, events, newreno.NewReno(case).on_event) or ""
            for case, events in flat.cases(BROKEN / name)
        ]
        first = max(differing)
        verdict = "open" if first.startswith("not decided: ") else "differs" if first else "agrees"
    except ValueError:
        verdict = "refused"
    assert verdict == VERDICTS[name]


def test_accepted_files_match_the_schema() -> None:
    """Files that must not be refused match the schema of the flat form."""
    for name, verdict in VERDICTS.items():
        if verdict != "refused" and name != "format-1.ndjson":
            for line in (BROKEN / name).read_text("utf-8").splitlines():
                assert schema_error("urn:firstflight:flat:2", json.loads(line)) is None, name


def test_tests_of_all_languages_read_the_verdicts() -> None:
    """The tests of all languages read the list of verdicts."""
    sources = [path for path in LOADERS.glob("*/**/*.*") if path.suffix in SUFFIXES and BROKEN not in path.parents]
    languages = {path.relative_to(LOADERS).parts[0] for path in sources if "verdicts.tsv" in path.read_text("utf-8")}
    assert languages == {"python", "javascript", "rust", "go", "java", "c", "cpp"}
