"""No verdict of other code: an edit is planted while something lasts, and what comes after is what comes of a checkout without caches."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

import checkouts
from checkouts import called, copied
from firstflight_conformance.paths import ROOT
from firstflight_conformance.sweeps.code import CHANGED
from runner_support import command, write_vectors

#: One profile, its vectors, and the closed loop over one path.
_JUDGED = (
    *(*checkouts.CODE, "vectors/manifest.json", "vectors/hystartpp/css.four-rounds-ngtcp2.json"),
    *("vectors/hystartpp/css.ack-of-several.json", "conformance/scenarios/closed-loop/delay-rise.json"),
)
_RUN = ("run", "--both", "--algorithm", "hystartpp", "--profile", "rfc-9406", "--jobs", "2")
#: What vectors of one algorithm are generated from.
_GENERATED = (
    *(*checkouts.CODE, "conformance/generate", "conformance/scenarios/hystart-deep-queue.json"),
    *(f"conformance/stimuli/{name}" for name in ("__init__.py", "clocked.py", "hystartpp")),
)
#: What computes the rows of a sweep.
_SWEPT = (*checkouts.CODE, "conformance/presets")


@pytest.fixture
def built() -> Path:
    """The adapter of the C port, of which no test changes anything."""
    program = ROOT / "build/adapters/firstflight-c"
    if not program.exists():
        pytest.skip("make c-adapters was not run")
    return program


def judged(checkout: Path, *words: object) -> tuple[int, bytes]:
    """Return the exit code of a run, and its report."""
    report = checkout / "report.json"
    report.unlink(missing_ok=True)
    done = called(checkout, *_RUN, "--report-json", report, *words)
    assert report.exists(), done.stderr
    return done.returncode, report.read_bytes()


def test_an_edit_while_a_run_lasts(tmp_path: Path, built: Path) -> None:
    """The adapter edits the model when it is started. The run that does not see it leaves nothing to one that does."""
    checkout = copied(tmp_path, _JUDGED)
    path, old, new = checkouts.MODEL
    editor = tmp_path / "editor.sh"
    editor.write_text(f"#!/bin/sh\nsed -i 's/{old}/{new}/' {tmp_path / path}\nexec {built}\n", encoding="utf-8")
    editor.chmod(0o755)
    code, _ = judged(checkout, "--adapter", editor)
    assert code == 0
    assert (checkout / path).read_text("utf-8").count(new) == 1
    after = judged(checkout, "--adapter", built)
    assert after[0] == 1
    shutil.rmtree(checkout / "build")
    assert judged(checkout, "--adapter", built) == after


def test_an_edit_while_vectors_are_generated(tmp_path: Path) -> None:
    """A stimulus edits the model, which is loaded: what is stored is not taken for what the new model generates."""
    checkout = copied(tmp_path, _GENERATED)
    path, old, new = checkouts.MODEL
    (checkout / "conformance/stimuli/hystartpp/edits.py").write_text(
        f"from pathlib import Path\nimport firstflight.hystartpp.hystartpp\nmodel = Path({str(tmp_path / path)!r})\n"
        f"model.write_text(model.read_text('utf-8').replace({old!r}, {new!r}), 'utf-8')\n",
        encoding="utf-8",
    )
    (checkout / "vectors").mkdir()
    assert generator(checkout, "write.write() and None") == "None"
    assert (checkout / path).read_text("utf-8").count(new) == 1
    warm = generator(checkout, "write.differences()")
    shutil.rmtree(checkout / "build", ignore_errors=True)
    assert warm == generator(checkout, "write.differences()")
    assert warm != "[]"


def generator(checkout: Path, expression: str) -> str:
    """Return what the generator of a copy answers, or the error that it ends with."""
    text = f"from firstflight_conformance.beside import reach; reach('generate'); from generate import write; print({expression})"
    done = subprocess.run(
        [sys.executable, "-c", text],
        cwd=checkout,
        env=checkouts.environment(checkout),
        capture_output=True,
        text=True,
        check=False,
    )
    return (done.stdout or done.stderr).strip().splitlines()[-1]


def test_code_that_is_changed_under_a_sweep(tmp_path: Path) -> None:
    """Its processes begin after the edit: their rows are not written under the digest of the old code."""
    checkout = copied(tmp_path, _SWEPT)
    path, old, new = checkouts.IN_C
    program = dedent(f"""
        from pathlib import Path
        from firstflight_conformance.sweeps import code, grid, pools
        if __name__ == "__main__":
            rates = [f"{{rate}}Mbit/s" for rate in range(1, 21)]  # more than one process takes at once
            axes = {{"algorithm": ["hystartpp/rfc-9406"], "rate": rates, "rtt": ["40ms"], "size": ["50kB"]}}
            cells, by, port = grid.cells("simulate", axes), code.code(), Path({path!r})
            print(len(list(pools.rows("simulate", cells, None, 2, None, by=by))))
            port.write_text(port.read_text("utf-8").replace({old!r}, {new!r}), "utf-8")
            try:
                print(len(list(pools.rows("simulate", cells, None, 2, None, by=by))))
            except pools.PoolError as error:
                print(error)
    """)
    (tmp_path / "sweeps.py").write_text(program, encoding="utf-8")
    words = [sys.executable, "sweeps.py"]
    done = subprocess.run(
        words, cwd=checkout, env=checkouts.environment(checkout), capture_output=True, text=True, check=False
    )
    assert done.stdout == f"20\n{CHANGED}\n", done.stderr


@pytest.mark.live
def test_a_program_on_the_path_that_is_replaced_before_a_run_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the old one has passed is judged again."""
    monkeypatch.setenv("COUNTS", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    root, program = write_vectors(tmp_path / "vectors"), tmp_path / "myad"

    def run(*words: str) -> tuple[int, bytes]:
        report = tmp_path / "report.json"
        line = ("run", "--vectors", str(root), "--adapter", "myad x", "--report-json", str(report), *words)
        done = subprocess.run(
            [sys.executable, "-m", "firstflight_conformance", *line], capture_output=True, check=False
        )
        return done.returncode, report.read_bytes() if report.exists() else b""

    program.write_text(f"#!/bin/sh\nexec {shlex.join(command('counts'))}\n", encoding="utf-8")
    program.chmod(0o755)
    assert run() == (-signal.SIGKILL, b"")
    wrong = 'sed -u \'s/"cwnd_bytes":[0-9]*/"cwnd_bytes":1/\''
    program.write_text(f"#!/bin/sh\n{shlex.join(command('answers', 'none'))} | {wrong}\n", encoding="utf-8")
    resumed = run("--resume")
    assert resumed == run()
    assert json.loads(resumed[1])["adapters"][0]["counts"]["pass"] == 0


def test_the_command_of_a_copied_environment(tmp_path: Path) -> None:
    """It would judge the code of the original, and refuses."""
    (tmp_path / "conformance/src").mkdir(parents=True)
    (tmp_path / ".venv/bin").mkdir(parents=True)
    command = shutil.copy(ROOT / ".venv/bin/firstflight", tmp_path / ".venv/bin/firstflight")
    done = subprocess.run([command, "list"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"runs the code of {ROOT}; run `make tools` in {tmp_path}" in done.stderr


def test_a_command_that_is_started_in_another_checkout(tmp_path: Path) -> None:
    """As where the environment of one is active, and the folder is that of another: it would judge the first."""
    (tmp_path / "conformance/src").mkdir(parents=True)
    command = ROOT / ".venv/bin/firstflight"
    done = subprocess.run([command, "list"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"runs the code of {ROOT}; run `make tools` in {tmp_path}" in done.stderr


def test_the_model_of_another_checkout(tmp_path: Path) -> None:
    """A path that leads to it, as of another worktree, is refused: it would judge by other rules than those that are here."""
    checkout = copied(tmp_path, ["reference-py/src"])
    surroundings = {**os.environ, "PYTHONPATH": str(checkout / "reference-py/src")}
    line = [ROOT / ".venv/bin/firstflight", "list"]
    done = subprocess.run(line, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"the model is loaded from {checkout}" in done.stderr and "unset PYTHONPATH" in done.stderr
