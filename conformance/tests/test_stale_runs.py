"""No row or verdict is from other code: another checkout, another model, or an edit during a sweep."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import checkouts
from checkouts import copied
from firstflight_conformance.paths import ROOT

#: The code that computes the rows of a sweep.
_SWEPT = (*checkouts.CODE, "reference-c/firstflight", "conformance/simulator", "conformance/presets")


def test_code_changed_during_a_sweep_is_detected(tmp_path: Path) -> None:
    """Processes that begin after the edit do not write rows under the digest of the old code."""
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
    assert re.fullmatch(r"20\na process has the code \S+, the sweep \S+: start the sweep again\n", done.stdout), (
        done.stderr
    )


def test_command_of_a_copied_environment_is_refused(tmp_path: Path) -> None:
    """The command would judge the code of the original, so it refuses."""
    (tmp_path / "conformance/src").mkdir(parents=True)
    (tmp_path / ".venv/bin").mkdir(parents=True)
    command = shutil.copy(ROOT / ".venv/bin/firstflight", tmp_path / ".venv/bin/firstflight")
    done = subprocess.run([command, "list"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"runs the code of {ROOT}; run `make tools` in {tmp_path}" in done.stderr


def test_command_in_another_checkout_is_refused(tmp_path: Path) -> None:
    """The active environment may belong to another checkout than the folder; its command would judge that checkout."""
    (tmp_path / "conformance/src").mkdir(parents=True)
    command = ROOT / ".venv/bin/firstflight"
    done = subprocess.run([command, "list"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"runs the code of {ROOT}; run `make tools` in {tmp_path}" in done.stderr


def test_model_from_another_checkout_is_refused(tmp_path: Path) -> None:
    """A path to another model, such as another worktree, is refused: it would judge by other rules."""
    checkout = copied(tmp_path, ["reference-py/src"])
    surroundings = {**os.environ, "PYTHONPATH": str(checkout / "reference-py/src")}
    line = [ROOT / ".venv/bin/firstflight", "list"]
    done = subprocess.run(line, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"the model is loaded from {checkout}" in done.stderr and "unset PYTHONPATH" in done.stderr
