"""Mutants are validated, loaded, executed and removed again, and the intended cases kill them."""

import builtins
import dis
import importlib
import json
import re
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType

import pytest
from click.testing import CliRunner

import firstflight
from adequacy.conforming import conforms
from adequacy.kill import Kills, kill_matrix, kills_of
from adequacy.mutated import mutated
from firstflight import Config
from firstflight.controller import ALGORITHMS
from firstflight.search.profiles import PROFILES, Shift
from firstflight_conformance.cli import main
from firstflight_conformance.format.vectors import cases, load_all
from firstflight_conformance.paths import REFERENCE_PY, SPEC, STIMULI, VECTORS
from firstflight_conformance.replay import mutants
from firstflight_conformance.replay.fresh import fresh_modules, mutable_files
from firstflight_conformance.replay.mutants import Mutant, MutantError, changed_texts, load_mutants

HEAD = 'algorithm = "search"\nprofile = "lanman-2024"\n'
AGAIN = '[[mutant.also]]\nfile = "search/windows.py"\nfind = "WINDOW_BINS = 9"\nreplace = "WINDOW_BINS = 8"\n'
ALSO = '[[mutant.also]]\nfile = "search/bins.py"\nfind = "KEPT_BINS)"\nreplace = "KEPT_BINS + 1)"\n'
CODE = 'id = "x"\nwhat = "w"\nfile = "search/windows.py"\nfind = "WINDOW_BINS = 10"\nreplace = "WINDOW_BINS = 9"\n'
FLIP = 'id = "x"\nwhat = "w"\nreadings = { shift = "floor" }\n'
#: Largest size of all wrong implementations: what an operator produces needs no entry.
WRONG_BYTES_MAX = 330_000


def by_id(mutant_id: str) -> Mutant:
    """Return a mutant of the checkout."""
    return next(mutant for mutant in load_mutants() if mutant.id == mutant_id)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of mutants that replaces the checkout's folder."""
    monkeypatch.setattr(mutants, "SPEC", tmp_path)
    (tmp_path / "search").mkdir()
    return tmp_path / "search"


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with few vectors, for a fast kill matrix."""
    root = tmp_path_factory.mktemp("vectors")
    names = ("slow-start/growth.doubling", "slow-start/recovery.halved", "slow-start/sent.no-change",
             "search/doubling.first-evaluation", "search/threshold.equal", "search/bins.same-bin")  # fmt: skip
    for name in names:
        (root / name).parent.mkdir(exist_ok=True)
        (root / f"{name}.json").write_bytes((VECTORS / f"{name}.json").read_bytes())
    return root


def test_mutants_have_description_and_unique_text_or_reading() -> None:
    """Each mutant of the checkout has a description, and a text that occurs once or a different reading."""
    mutants = load_mutants()
    assert len(mutants) > 60
    for mutant in mutants:
        assert mutant.what
        for edit in mutant.edits:
            assert (REFERENCE_PY / edit.file).read_text(encoding="utf-8").count(edit.find) == 1
            assert edit.find != edit.replace
        if not mutant.edits:
            right = ALGORITHMS[mutant.algorithm].profiles[mutant.profile]
            assert all(getattr(getattr(right, n), "value", getattr(right, n)) != v for n, v in mutant.readings.items())


@cache
def global_names(code: CodeType) -> set[str]:
    """Return the global names that a function uses. Equal functions of several mutants are checked once."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    own = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    return own.union(*map(global_names, inner))


@pytest.mark.filterwarnings("error")
def test_every_changed_text_compiles() -> None:
    """Every changed text compiles without warnings, which would show the rest of a damaged comment."""
    for mutant in load_mutants():
        for path, text in changed_texts(mutant).items():
            compile(text, f"{mutant.id}: {path}", "exec")


def test_mutants_use_existing_names() -> None:
    """Mutants use only existing names; an unknown name would raise an error in every vector that reaches it."""
    for mutant in load_mutants():
        for path, text in changed_texts(mutant).items():
            code = compile(text, str(path), "exec")
            own = {step.argval for step in dis.get_instructions(code) if step.opname == "STORE_NAME"}
            assert global_names(code) <= own | set(dir(builtins)), mutant.id


def test_valid_file_is_loaded(folder: Path) -> None:
    """Mutants of both kinds are loaded; the profile of a mutant overrides the profile of the file."""
    second_flip = FLIP.replace('"x"', '"y"').replace("floor", "nearest") + 'profile = "lanman-2024-literal"\n'
    (folder / "mutants.toml").write_text(f"{HEAD}[[mutant]]\n{CODE}\n[[mutant]]\n{second_flip}", encoding="utf-8")
    code, flip = load_mutants()
    assert (code.profile, code.file, code.find, code.readings) == (
        "lanman-2024",
        "search/windows.py",
        "WINDOW_BINS = 10",
        {},
    )
    assert (flip.profile, flip.file, flip.readings) == ("lanman-2024-literal", "", {"shift": "nearest"})


def test_a_mutant_with_two_edits(folder: Path) -> None:
    """A mutant with further edits changes several files; edits of one file apply in order."""
    (folder / "mutants.toml").write_text(f"{HEAD}[[mutant]]\n{CODE}{AGAIN}{ALSO}", encoding="utf-8")
    (mutant,) = load_mutants()
    windows, bins = (REFERENCE_PY / "search" / name for name in ("windows.py", "bins.py"))
    assert changed_texts(mutant) == {
        windows: windows.read_text("utf-8").replace("WINDOW_BINS = 10", "WINDOW_BINS = 8"),
        bins: bins.read_text("utf-8").replace("KEPT_BINS)", "KEPT_BINS + 1)"),
    }


MALFORMED = {
    "unknown key": (HEAD + f"[[mutant]]\n{CODE}note = 1\n", "mutant x: unknown keys note"),
    "both kinds": (HEAD + f'[[mutant]]\n{CODE}readings = {{ shift = "floor" }}\n', "mutant x: expected either"),
    "neither kind": (HEAD + '[[mutant]]\nid = "x"\nwhat = "w"\n', "mutant x: expected either"),
    "unknown reading": (HEAD + "[[mutant]]\n" + FLIP.replace("shift", "shifts"), "unknown reading shifts = 'floor'"),
    "unknown choice": (HEAD + "[[mutant]]\n" + FLIP.replace("floor", "flat"), "unknown reading shift = 'flat'"),
    "out of bounds": (
        HEAD + "[[mutant]]\n" + FLIP.replace('shift = "floor"', "shift_maximum_bins = 39"),
        "unknown reading shift_maximum_bins = 39",
    ),
    "id twice": (HEAD + f"[[mutant]]\n{CODE}[[mutant]]\n{FLIP}", "ids used twice: x"),
    "no id": (HEAD + "[[mutant]]\n" + FLIP.replace('id = "x"\n', ""), "mutant None: needs id"),
    "no reason": (HEAD + "[[mutant]]\n" + FLIP.replace('what = "w"\n', ""), "mutant x: needs what"),
    "no replacement": (
        HEAD + "[[mutant]]\n" + CODE.replace('replace = "WINDOW_BINS = 9"\n', ""), "mutant x: expected either",
    ),
    "also and a reading": (HEAD + f"[[mutant]]\n{FLIP}{ALSO}", "mutant x: expected either"),
    "also without replacement": (
        HEAD + f"[[mutant]]\n{CODE}" + ALSO.replace('replace = "KEPT_BINS + 1)"\n', ""), "mutant x: also: each edit needs",
    ),
    "also with more": (HEAD + f'[[mutant]]\n{CODE}{ALSO}equivalent = "e"\n', "mutant x: also: each edit needs"),
    "also another file": (
        HEAD + f"[[mutant]]\n{CODE}" + ALSO.replace("bins.py", "bin.py"), "mutant x: search/bin.py is not a file of the model",
    ),
    "other file": (HEAD + "[[mutant]]\n" + CODE.replace("windows.py", "window.py"), "mutant x: search/window.py is not a file of the model"),
    "other profile": (HEAD + f'[[mutant]]\n{FLIP}profile = "lanman-2023"\n', "unknown profile search/lanman-2023"),
    "no algorithm": (f'profile = "lanman-2024"\n[[mutant]]\n{FLIP}', "needs algorithm"),
    "other algorithm": (HEAD.replace("search", "research") + f"[[mutant]]\n{FLIP}", "unknown algorithm research"),
    "replacement alone": (HEAD + f'[[mutant]]\n{FLIP}replace = "x"\n', "mutant x: expected either"),
    "no TOML": ("[[mutant]\n", "Expected"),
}  # fmt: skip


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_mutants_are_refused(folder: Path, name: str) -> None:
    """A malformed file is refused with the mutant's id; the command ends with exit code 2."""
    content, reason = MALFORMED[name]
    (folder / "mutants.toml").write_text(content, encoding="utf-8")
    with pytest.raises(MutantError, match=re.escape(reason)):
        load_mutants()
    result = CliRunner().invoke(main, ["dev", "mutants", "--jobs", "1"])
    assert result.exit_code == 2
    assert reason in result.stderr


@pytest.mark.parametrize(("find", "times"), [("WINDOW_BINS", r"\d+"), ("WINDOW_BINS = 11", "0")])
def test_ambiguous_or_missing_text_is_refused(folder: Path, few: Path, find: str, times: str) -> None:
    """A text that occurs more than once, or never, is refused before any case is judged."""
    content = HEAD + "[[mutant]]\n" + CODE.replace('find = "WINDOW_BINS = 10"', f'find = "{find}"')
    (folder / "mutants.toml").write_text(content, encoding="utf-8")
    (mutant,) = load_mutants()
    with pytest.raises(MutantError, match=rf"^x: its text occurs {times} times in search/windows\.py, not once"):
        kills_of(few, mutant)
    assert CliRunner().invoke(main, ["dev", "mutants", "--jobs", "1", "--vectors", str(few)]).exit_code == 2
    assert_right_modules()


def assert_right_modules() -> None:
    """Check that the unmodified modules are loaded."""
    for name, module in RIGHT.items():
        package, _, leaf = name.rpartition(".")
        assert getattr(sys.modules[package], leaf) is module is sys.modules[name]
    _, observation = firstflight.step(firstflight.create("slow-start", "rfc-9002", Config(1200)), firstflight.Pto(1))
    assert observation.outcome is firstflight.Outcome.UNCHANGED


RIGHT = {name: importlib.import_module(name) for name in mutable_files().values()}


@pytest.mark.parametrize("mutant_id", ["pto-collapses", "shift-floor", "grow-twice"])
def test_original_modules_are_restored(mutant_id: str) -> None:
    """A mutant replaces its modules, or with a flipped reading only the controller, until it ends or crashes."""
    mutant = by_id(mutant_id)
    with mutated(mutant) as controller:
        assert controller is not RIGHT["firstflight.controller"]
        is_right = sys.modules["firstflight.search.search"] is RIGHT["firstflight.search.search"]
        assert is_right == bool(mutant.readings)
    assert_right_modules()
    with pytest.raises(ZeroDivisionError), mutated(mutant):
        raise ZeroDivisionError
    assert_right_modules()


def own(module: ModuleType) -> set[int]:
    """Return the ids of a module, its classes and its functions."""
    return {id(module)} | {
        id(value) for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__
    }


def test_replaced_module_is_used_by_all_modules() -> None:
    """While a module is replaced, no other module uses the original."""
    for path, name in mutable_files().items():
        with fresh_modules({path: path.read_text("utf-8")}):
            loaded = {module_name: sys.modules[module_name] for module_name in RIGHT if module_name in sys.modules}
            anew = {module_name for module_name, module in loaded.items() if module is not RIGHT[module_name]}
            replaced = set().union(*(own(RIGHT[module_name]) for module_name in anew))
            assert not any(id(value) in replaced for module in loaded.values() for value in vars(module).values()), name
        assert name in anew or name not in loaded  # modules of computations are loaded on demand
    assert_right_modules()


def test_invalid_python_keeps_original_modules(few: Path) -> None:
    """A mutant with invalid Python leaves the unmodified modules in place."""
    broken = replace(by_id("grow-twice"), replace="_saturate((")
    with pytest.raises(SyntaxError):
        kills_of(few, broken)
    assert_right_modules()


def test_a_flip_changes_one_reading() -> None:
    """A flipped reading changes only this reading of its profile."""
    with mutated(by_id("shift-floor")) as controller:
        state = controller.create("search", "lanman-2024", Config(1200))
        assert state.readings == replace(PROFILES["lanman-2024"], shift=Shift.FLOOR)
    assert PROFILES["lanman-2024"].shift is Shift.NEAREST


@pytest.mark.parametrize(
    ("mutant_id", "case"),
    [
        ("threshold-more-than", "search.threshold.equal@lanman-2024"),
        ("shift-floor", "search.threshold.equal@lanman-2024"),
        ("literal-shift-nearest", "search.doubling.first-evaluation@lanman-2024-literal"),
        ("grow-twice", "slow-start.growth.doubling@rfc-9002"),
    ],
)
def test_intended_case_kills_the_mutant(few: Path, mutant_id: str, case: str) -> None:
    """The intended case rejects a flipped reading and changed code by their windows."""
    kills = kills_of(few, by_id(mutant_id))
    assert case in kills.by_windows
    assert not kills.survives
    profile = case.split("@")[1]
    assert all(name.endswith(f"@{profile}") for name in kills.by_windows + kills.by_state)


@pytest.mark.parametrize(
    ("mutant_id", "killed_by"),
    [
        ("tt-segments-fluid", ["transfer-time.slow-start.negative-remainder@slow-start"]),
        ("tt-packet-time-rounded", ["transfer-time.domain.widest-slow-start@slow-start"]),
    ],
)
def test_intended_computation_kills_the_mutant(mutant_id: str, killed_by: list[str]) -> None:
    """Only the intended case rejects a mutant of a computation."""
    assert kills_of(VECTORS, by_id(mutant_id)).by_windows == killed_by
    assert_right_modules()


def test_unchanged_computation_survives() -> None:
    """No case rejects a computation whose text is unchanged."""
    mutant = by_id("tt-segments-fluid")
    assert kills_of(VECTORS, replace(mutant, replace=mutant.find)).survives


def test_equivalent_mutant_survives(few: Path) -> None:
    """No case rejects an equivalent mutant, so it needs an argument."""
    none = replace(by_id("grow-twice"), replace="_saturate(state.cwnd_bytes + (growing * run.size_bytes))")
    kills = kills_of(few, none)
    assert (kills.by_windows, kills.by_state, kills.survives) == ([], [], True)


def test_state_alone_does_not_kill(few: Path) -> None:
    """A mutant that differs only in outcome or state is distinguished but survives."""
    state_mutant = replace(by_id("grow-twice"), find="Outcome.SENT  #", replace="Outcome.UNCHANGED  #")
    kills = kills_of(few, state_mutant)
    assert kills.survives
    assert set(kills.by_state) == {case.id for case in cases(load_all(few)) if case.profile == "rfc-9002"}


def test_crash_does_not_kill_a_mutant(few: Path) -> None:
    """A crash does not kill a mutant, because its text may be out of date and need repair."""
    crash = replace(by_id("grow-twice"), find="return Outcome.SENT  #", replace="return 1 // 0  #")
    kills = kills_of(few, crash)
    assert (kills.by_windows, len(kills.by_crash), kills.survives) == ([], 3, True)


@pytest.mark.parametrize(
    ("killed", "why", "explained"),
    [(["a"], "", True), ([], "because", True), ([], "", False), (["a"], "because", False)],
)
def test_mutant_is_explained_if_killed_or_argued(killed: list[str], why: str, explained: bool) -> None:
    """A mutant is explained if it is either killed or has an argument, but not both."""
    assert Kills(by_id("grow-twice"), by_windows=killed).is_explained(why) == explained


def test_score_rejects_the_same_mutants_as_the_matrix(few: Path) -> None:
    """The score alone rejects the same mutants, each by one of the cases of the whole matrix."""
    mutants = [by_id(name) for name in ("grow-twice", "shift-floor", "pto-collapses")]
    for part, whole in zip(kill_matrix(mutants, few, 1, whole=False), kill_matrix(mutants, few, 1), strict=True):
        assert part.survives == whole.survives
        assert len(part.by_windows) == (not whole.survives)
        assert {*part.by_windows} <= {*whole.by_windows}


def test_matrix_is_independent_of_process_count(few: Path) -> None:
    """One process and two give the same matrix."""
    mutants = [by_id(name) for name in ("grow-twice", "shift-floor", "pto-collapses")]
    assert kill_matrix(mutants, few, 1) == kill_matrix(mutants, few, 2)
    assert_right_modules()


@pytest.mark.parametrize(
    ("entry", "code", "score"),
    [
        (FLIP, 0, "score: 1 of 1 mutants killed, 0 argued equivalent"),
        (FLIP + 'equivalent = "argued"\n', 1, "score: 1 of 1 mutants killed, 1 argued equivalent"),
        (FLIP.replace("floor", "nearest"), 1, "score: 0 of 1 mutants killed, 0 argued equivalent"),
        (FLIP.replace("floor", "nearest") + 'equivalent = "the right one"\n', 0,
         "score: 0 of 1 mutants killed, 1 argued equivalent"),
    ],
    ids=["killed", "killed in spite of its argument", "survives", "equivalent"],
)  # fmt: skip
def test_command_prints_score_and_writes_matrix(
    folder: Path, few: Path, tmp_path: Path, entry: str, code: int, score: str
) -> None:
    """The command prints the score, writes the matrix, and fails if a mutant is not explained."""
    (folder / "mutants.toml").write_text(f"{HEAD}[[mutant]]\n{entry}", encoding="utf-8")
    words = ["dev", "mutants", "--jobs", "1", "--vectors", str(few), "--json", str(tmp_path / "new" / "matrix.json")]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == code
    assert score in result.stdout
    assert ("SURVIVES WITHOUT EXPLANATION" in result.stdout) == ("0 of 1" in score and "0 argued" in score)
    matrix = json.loads((tmp_path / "new" / "matrix.json").read_text(encoding="utf-8"))
    killed = ["search.threshold.equal@lanman-2024"] if "floor" in entry else []
    assert matrix["x"]["profile"] == "search/lanman-2024"
    assert set(killed) <= set(matrix["x"]["killed_by"])
    assert bool(matrix["x"]["killed_by"]) == bool(killed)


def test_wrong_implementations_have_a_bounded_size() -> None:
    """The files of mutants and variants are small, without the entries that conform by an open point."""
    conforming = {mutant.id for mutant in load_mutants() if conforms(mutant)}
    files = (*SPEC.glob("*/mutants*.toml"), *SPEC.glob("*/survivors.toml"), *STIMULI.glob("*/freedoms.toml"))
    wrong_bytes = 0
    for path in files:
        for entry in re.split(r"(?m)^(?=\[\[(?:mutant|variant|survivors)\]\]$)", path.read_text("utf-8")):
            is_variant = entry.startswith("[[variant]]")
            found = re.search(r'(?m)^id = "(.+)"$', entry)
            if not (is_variant and "\nrule = " not in entry) and not (found and found[1] in conforming):
                wrong_bytes += len(entry.encode())
    assert 0 < wrong_bytes <= WRONG_BYTES_MAX
