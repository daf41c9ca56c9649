"""The site has a size limit, and a build above it fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from firstflight_conformance.paths import CONFORMANCE, ROOT
from pages.weight import weigh

CONF = """\
from pages import weight
weight.LIMIT_BYTES = {limit}
def setup(app):
    app.connect("build-finished", weight.check_weight)
"""


@pytest.mark.parametrize(("limit", "code"), [(10_000_000, 0), (10_000, 1)])
def test_site_above_the_size_limit_fails_the_build(limit: int, code: int, tmp_path: Path) -> None:
    """The test calls Sphinx as `make docs` does: with -W and --keep-going."""
    (tmp_path / "conf.py").write_text(CONF.format(limit=limit), "utf-8")
    (tmp_path / "index.rst").write_text("Page\n====\n", "utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(tmp_path), str(tmp_path / "out")]  # fmt: skip
    packages = os.pathsep.join((str(ROOT / "docs" / "_ext"), str(CONFORMANCE)))
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": packages}, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    assert ("more than 0.0 MB: _static" in done.stderr) == bool(code)


def test_every_file_counts_once(tmp_path: Path) -> None:
    """The site does not include Sphinx's own files."""
    for name, size in {"index.html": 3, "a/b.html": 5, "_generated/vectors/x/y.html": 7, ".doctrees/z": 11}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x" * size)
    assert weigh(tmp_path) == {"pages": 3, "a": 5, "_generated/vectors": 7}
