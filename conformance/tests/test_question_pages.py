"""Pages that answer a question: the output of each example matches the page."""

import gzip
import lzma
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from firstflight_conformance.cli import main
from firstflight_conformance.paths import ROOT

HERE = Path(__file__).parent
EXAMPLE = re.compile(r"```console\n\$ firstflight judge (\S+)\n(.*?)```\n", re.DOTALL)
EXAMPLES = [
    (page.name, *groups)
    for page in sorted((ROOT / "docs").glob("question-*.md"))
    for groups in EXAMPLE.findall(page.read_text(encoding="utf-8"))
]


def test_each_page_has_an_example() -> None:
    """Each question has a page."""
    assert {page for page, _, _ in EXAMPLES} == {
        "question-initial-window.md",
        "question-early-exit.md",
        "question-bbr.md",
    }


@pytest.mark.parametrize(("page", "name", "output"), EXAMPLES)
def test_command_prints_block_of_page(tmp_path: Path, page: str, name: str, output: str) -> None:
    """The command prints the block of the page."""
    recording, captured = HERE / "kept_recordings" / f"{name}.xz", HERE / "kept_captures" / f"{name}.gz"
    data = lzma.decompress(recording.read_bytes()) if recording.exists() else gzip.decompress(captured.read_bytes())
    (tmp_path / name).write_bytes(data)
    assert page
    assert CliRunner().invoke(main, ["judge", str(tmp_path / name)]).output == output
