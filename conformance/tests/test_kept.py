"""What is kept below ``build/cache`` only spares work: no edit, copy or forged time makes it give what other code worked out."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from firstflight_conformance import kept
from firstflight_conformance.cases import vectors
from firstflight_conformance.cases.json_lines import lines_of
from firstflight_conformance.paths import CONFORMANCE, REFERENCE_PY, ROOT, SPEC, VECTORS
from firstflight_conformance.run import messages

#: A module of the model that every attack changes, and how.
_CHANGED = ("reference-py/src/firstflight/hystartpp/hystartpp.py", "GROWTH_DIVISOR = 4", "GROWTH_DIVISOR = 5")
_HEAD = """
import importlib, os, pathlib, shutil, sys
from firstflight_conformance import kept
changed = pathlib.Path(%r)
def store(): return kept.Store("attack", kept.code_digest("run"))
def divisor(): return importlib.import_module("firstflight.hystartpp.hystartpp").GROWTH_DIVISOR
def edit(): changed.write_text(changed.read_text().replace(%r, %r))
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what decides: the model, the tools and the data of the specification."""
    for folder in (REFERENCE_PY.parent, CONFORMANCE / "src", SPEC):
        target = tmp_path / folder.relative_to(ROOT)
        shutil.copytree(folder, target, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    return tmp_path


def ran(checkout: Path, text: str, *, compiles: bool = True) -> str:
    """Run a program with the code of a copy, after the head; return what it prints."""
    path, old, new = _CHANGED
    folders = (checkout / "reference-py/src", checkout / "conformance/src")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    environment.pop("FIRSTFLIGHT_ROOT", None)
    environment["PYTHONDONTWRITEBYTECODE"] = "" if compiles else "1"
    program = _HEAD % (str(checkout / path), old, new) + text
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=checkout, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("compiles", [True, False])
def test_what_is_kept_is_found_by_the_same_code(checkout: Path, compiles: bool) -> None:
    """Without an attack it is; at the second run at the latest, when the modules hold the hashes of their sources."""
    for _ in range(2):
        ran(checkout, "store().put('divisor', divisor())", compiles=compiles)
    assert ran(checkout, "print(store().get('divisor'), divisor())", compiles=compiles) == "4 4"


def test_an_edit_while_a_run_lasts_keeps_nothing(checkout: Path) -> None:
    """What the old code worked out is not kept under the digest of the new one, whether the store is opened before or after."""
    ran(checkout, "value = divisor(); edit(); store().put('divisor', value)")
    assert ran(checkout, "print(store().get('divisor'), divisor())") == "None 5"


def test_an_edit_before_a_module_is_loaded_keeps_nothing(checkout: Path) -> None:
    """Nor what new code worked out that was loaded late, though the file is put back before."""
    ran(checkout, "divisor()")  # compiled
    late = "shutil.copy2(changed, 'old'); edit(); value = divisor(); shutil.copy2('old', changed)"
    ran(checkout, f"{late}; store().put('divisor', value)")
    assert ran(checkout, "print(store().get('divisor'), divisor())") == "None 4"


def test_an_edit_of_the_same_size_and_time_keeps_nothing(checkout: Path) -> None:
    """Python loads what it compiled of the old text, if it goes by size and time: what that works out is not kept."""
    compiled = "import py_compile; py_compile.compile(str(changed), doraise=True)"
    ran(
        checkout,
        f"{compiled}; state = changed.stat(); edit(); os.utime(changed, ns=(state.st_atime_ns, state.st_mtime_ns))",
    )
    assert ran(checkout, "print(divisor()); store().put('divisor', divisor())") == "4"
    assert ran(checkout, "print(store().get('divisor'), divisor())") == "None 5"


def test_a_value_that_is_spoiled_is_not_known(checkout: Path) -> None:
    """A file that was cut off is as if it were not there."""
    for _ in range(2):
        ran(checkout, "store().put('divisor', divisor())")
    spoil = "path = store()._folder / 'divisor'; path.write_bytes(path.read_bytes()[:-5])"
    assert ran(checkout, f"{spoil}; print(store().get('divisor'))") == "None"


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file where the folder should be costs no run."""
    cache = tmp_path / "cache"
    cache.write_text("a file", encoding="utf-8")
    monkeypatch.setattr(kept, "CACHE", cache)
    store = kept.Store("name", "0" * 64)
    store.put("key", 1)
    assert store.get("key") is None


@pytest.mark.parametrize("name", ["search/drain.loss", "careful-resume/retreat.floor", "jumpstart/growth.clean"])
def test_a_kept_vector_is_the_checked_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = VECTORS / f"{name}.json"
    monkeypatch.setattr(kept, "is_as_loaded", lambda: True)
    checked = vectors.load(path)
    monkeypatch.setattr(vectors, "_check_events", None)
    again = vectors.load(path)
    assert again == checked
    assert again.events == checked.events
    assert [case.expected() for case in vectors.cases([again])] == [
        case.expected() for case in vectors.cases([checked])
    ]
    assert list(lines_of(again.raw_events)) == lines_of(checked.raw_events)


def test_a_line_is_the_message() -> None:
    vector = vectors.load(VECTORS / "search/drain.loss.json")
    for index, (event, line) in enumerate(zip(vector.raw_events, lines_of(vector.raw_events), strict=True)):
        assert messages.event_line(index, line) == messages.encode(messages.event_message(index, event))
