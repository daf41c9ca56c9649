"""The notebook runs from its first cell to its last, contains no stored output, and prints its measurements."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from firstflight_conformance.paths import ROOT

NOTEBOOK = ROOT / "docs" / "notebooks" / "start-and-sweep.ipynb"


def cells() -> list[str]:
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    assert notebook["nbformat"] == 4
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in notebook["cells"] if cell["cell_type"] == "code")  # fmt: skip
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "notebook.py"
    program.write_text("\n".join(cells()), encoding="utf-8")
    names: dict[str, Any] = runpy.run_path(str(program))
    assert (tmp_path / "dropped.pdf").read_bytes().startswith(b"%PDF")
    time_ms, window_kb = names["exit_of"](names["start"])
    assert 0 < time_ms < 8000
    assert window_kb > names["bdp_bytes"] / 1000
    dropped = names["dropped"]
    assert dropped["search", 8] < dropped["slow-start", 8]
    assert f"{len(names['start'].events)} events, " in capsys.readouterr().out
