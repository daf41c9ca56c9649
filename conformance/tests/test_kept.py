"""What is kept below ``build/cache`` only spares work: no edit, copy or forged time makes it give what other code worked out."""

import marshal
import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner

from firstflight_conformance import kept
from firstflight_conformance.cases import vectors
from firstflight_conformance.cases.json_lines import lines_of
from firstflight_conformance.cli import main
from firstflight_conformance.paths import CONFORMANCE, REFERENCE_PY, ROOT, SPEC, VECTORS
from firstflight_conformance.run import messages, rehearsal, script

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


def ran(checkout: Path, text: str, *, compiles: bool = True, first: str = "") -> str:
    """Run a program with the code of a copy, after the head and what is ``first``; return what it prints."""
    path, old, new = _CHANGED
    folders = (checkout / "reference-py/src", checkout / "conformance/src")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    environment.pop("FIRSTFLIGHT_ROOT", None)
    environment["PYTHONDONTWRITEBYTECODE"] = "" if compiles else "1"
    program = first + _HEAD % (str(checkout / path), old, new) + text
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=checkout, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("compiles", [True, False])
def test_what_is_kept_is_found_by_the_same_code(checkout: Path, compiles: bool) -> None:
    """Without an attack it is."""
    ran(checkout, "store().put('divisor', divisor())", compiles=compiles)
    assert ran(checkout, "print(store().get('divisor'), divisor())", compiles=compiles) == "4 4"


def test_an_edit_while_a_run_lasts_keeps_nothing(checkout: Path) -> None:
    """What the old code worked out is not kept under the digest of the new one, whether the store is opened before or after."""
    ran(checkout, "value = divisor(); edit(); store().put('divisor', value)")
    assert ran(checkout, "print(store().get('divisor'), divisor())") == "None 5"


@pytest.mark.parametrize("compiles", [True, False])
def test_an_edit_before_a_module_is_loaded_keeps_nothing(checkout: Path, compiles: bool) -> None:
    """Nor what new code worked out that was loaded late, though the file is put back before, and nothing compiled is left of it."""
    late = "opened = store(); shutil.copy2(changed, 'old'); edit(); value = divisor(); shutil.copy2('old', changed)"
    gone = "shutil.rmtree(changed.parent / '__pycache__', ignore_errors=True)"
    ran(checkout, f"{late}; {gone}; opened.put('divisor', value)", compiles=compiles)
    assert ran(checkout, "print(store().get('divisor'), divisor())", compiles=compiles) == "None 4"


@pytest.mark.parametrize("compiles", [True, False])
def test_an_edit_of_the_same_size_and_time_is_loaded(checkout: Path, compiles: bool) -> None:
    """What Python compiled of the old text, and finds by size and time, is not loaded; several processes may find it."""
    compiled = "import py_compile; py_compile.compile(str(changed), doraise=True); state = changed.stat()"
    ran(checkout, f"{compiled}; edit(); os.utime(changed, ns=(state.st_atime_ns, state.st_mtime_ns))")
    plain = "import firstflight.hystartpp.hystartpp as found; print(found.GROWTH_DIVISOR)"
    environment = {**os.environ, "PYTHONPATH": str(checkout / "reference-py/src"), "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, "-c", plain]
    assert subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout == "4\n"
    assert ran(checkout, "print(divisor()); store().put('divisor', divisor())", compiles=compiles) == "5"
    assert ran(checkout, "print(store().get('divisor'), divisor())", compiles=compiles) == "5 5"


def test_a_module_that_nobody_noted_keeps_nothing(checkout: Path) -> None:
    """The model was loaded before the tools: of which text is not known."""
    first = "import firstflight.hystartpp.hystartpp\n"
    said = "print(kept.is_as_loaded(), kept.was_changed())"
    assert ran(checkout, f"store().put('divisor', divisor()); {said}", first=first) == "False False"
    assert ran(checkout, f"store(); edit(); divisor(); {said}") == "False True"
    assert ran(checkout, "print(store().get('divisor'))") == "None"


@pytest.mark.parametrize("edit", ["os.utime(data)", "(data.parent / 'new.toml').touch()"])
def test_data_that_were_touched_keep_nothing(checkout: Path, edit: str) -> None:
    """When they were read is not known; nor whether a file that is new was read."""
    data = "data = pathlib.Path('spec/hystartpp/profiles.toml')"
    ran(checkout, f"value = divisor(); {data}; {edit}; store().put('divisor', value)")
    assert ran(checkout, "print(store().get('divisor'))") == "None"


def test_the_lock_of_an_editor_is_no_file(checkout: Path) -> None:
    """Emacs marks what is edited by a link that leads nowhere, with the suffix of the file."""
    for path in ("spec/hystartpp/.#profiles.toml", "reference-py/src/firstflight/.#values.py"):
        (checkout / path).symlink_to("nobody@nowhere.1")
    ran(checkout, "store().put('divisor', divisor())")
    assert ran(checkout, "print(store().get('divisor'))") == "4"


@pytest.mark.parametrize(
    ("module", "works"),
    [
        ("cases.vectors", "found.load(paths.VECTORS / 'search/drain.loss.json')"),
        ("run.rehearsal", "found.rehearsed(stimulus.stimulus_cases()[0], 1, ['cwnd_bytes'])"),
    ],
)
def test_a_store_has_the_digest_of_all_code_that_it_needs(module: str, works: str) -> None:
    """Each module that is loaded to work a value out lies in one of the folders that it is kept under."""
    program = f"""
        import sys
        from firstflight_conformance import kept, paths
        folders, code_digest = [], kept.code_digest
        kept.code_digest = lambda *names: folders.extend(names) or code_digest(*names)
        kept.Store.put = lambda *_: None
        kept.Store.get = lambda *_: None
        import firstflight_conformance.{module} as found
        stimulus = sys.modules.get("firstflight_conformance.run.stimulus")
        {works}
        names = {{name.split(".")[1] for name in sys.modules if name.startswith("firstflight_conformance.")}}
        packages = {{name for name in names if (kept._TOOLS / name).is_dir()}}
        assert folders and packages <= set(folders), packages - set(folders)
        assert "stimuli" not in sys.modules
    """
    done = subprocess.run([sys.executable, "-c", dedent(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_value_that_is_spoiled_is_not_known(checkout: Path) -> None:
    """A file that was cut off is as if it were not there."""
    ran(checkout, "store().put('divisor', divisor())")
    spoil = "path = store()._folder / 'divisor'; path.write_bytes(path.read_bytes()[:-5])"
    assert ran(checkout, f"{spoil}; print(store().get('divisor'))") == "None"


def test_a_value_that_something_else_wrote_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Well packed and of another type, or of another key."""
    monkeypatch.setattr(kept, "CACHE", tmp_path)
    store = kept.Store("values", "code")
    store.put("one", [1])
    assert store.get("one") == [1]
    folder = tmp_path / "values-code"
    (folder / "two").write_bytes((folder / "one").read_bytes())
    (folder / "three").write_bytes(zlib.compress(marshal.dumps({"of": "another type"}), 1))
    assert store.get("two") is None
    assert store.get("three") is None


def test_reports_do_not_depend_on_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all of them empty, filled by that run, and deleted again: the same bytes."""
    monkeypatch.setattr(kept, "CACHE", tmp_path / "cache")
    words = ("run", "--both", "--adapter", "python-model", "--jobs", "1", "--algorithm", "limited-slow-start")
    words += ("--profile", "rfc-3742")
    reports, opens = [], (rehearsal._store, script._store, vectors._checked)
    for number, filled in enumerate((False, True, False)):
        if not filled:
            shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        for opened in opens:
            opened.cache_clear()
        path = tmp_path / f"{number}.json"
        result = CliRunner().invoke(main, [*words, "--report-json", str(path)])
        assert result.exit_code == 0, result.output
        assert {folder.name.partition("-")[0] for folder in (tmp_path / "cache").iterdir()} == {
            "answers",
            "loops",
            "vectors",
        }
        reports.append(path.read_bytes())
    for opened in opens:
        opened.cache_clear()
    assert reports[0] == reports[1] == reports[2]


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
