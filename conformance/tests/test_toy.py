"""New files alone add an algorithm: the toy in the folder ``toy``, in a copy of the checkout."""

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import copy, copytree, ignore_patterns

import pytest

from firstflight_conformance.paths import ROOT

TOY = Path(__file__).parent / "toy"
#: Parts of the checkout in the copy; the vectors of other algorithms are left out to save time.
PARTS = (
    "spec", "docs/specification", "docs/_ext", "conformance/stimuli", "conformance/studies", "reference-py/src", "reference-c/firstflight", "reference-c/drive",
    "conformance/src", "conformance/generate", "conformance/plain", "conformance/adequacy", "conformance/adapters/python-model", "conformance/adapters/c", "conformance/scenarios", "conformance/include", "conformance/loaders",
    "conformance/fuzz", "conformance/dist", "reference-c/wasm",
)  # fmt: skip
WRITE_VECTORS = """
from generate import catalogues, write
write.all_stimuli = lambda: [one for c in catalogues.members("CATALOGUE") for one in c.stimuli if one.algorithm == "toy"]
write.computation.all_files = dict
assert write.write() == 1
"""
PAGES = """
from pages import algorithms, matrix, plain_pages, python_api, readings, vector_pages
pages = (algorithms.listed(), matrix.page(), python_api.pages()["python"], readings.pages()["readings"], vector_pages.index())
for page in pages:
    assert "toy" in page, page[:300]
assert "toy.exit" in matrix.page() and "limit_datagrams" in readings.pages()["readings/toy"] and "toy.exit" in vector_pages.index()
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the checkout with the toy in it, its tables and vectors generated."""
    root = tmp_path_factory.mktemp("checkout")
    for part in PARTS:
        copytree(ROOT / part, root / part)  # with the compiled files
    for part in ("reference-py", "reference-c"):
        copy(ROOT / part / "README.md", root / part)
    (root / "vectors").mkdir()
    copytree(TOY, root, dirs_exist_ok=True, ignore=ignore_patterns("__pycache__"))
    run(root, "-m", "generate.tables")
    run(root, "-c", WRITE_VECTORS)
    return root


def run(root: Path, *arguments: str) -> str:
    """Run Python in the copy; return its output."""
    sources = os.pathsep.join(
        str(root / part) for part in ("reference-py/src", "conformance/src", "conformance", "docs/_ext")
    )
    environment = os.environ | {"PYTHONPATH": sources, "FIRSTFLIGHT_ROOT": str(root), "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def firstflight(root: Path, *arguments: str) -> str:
    """Run the command in the copy."""
    return run(root, "-c", "from firstflight_conformance.cli import main; main()", *arguments)


def test_toy_consists_of_new_files() -> None:
    """All files of the toy are new."""
    files = [path.relative_to(TOY) for path in TOY.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert len(files) >= 7
    assert [path for path in files if (ROOT / path).exists()] == []
    assert len({path.parent for path in files}) <= 5


def test_suss_is_in_seven_folders() -> None:
    """A complete algorithm is in seven folders, BPF sources included, apart from vectors and generated files."""
    generated = ("vectors", "docs/_generated", "build")
    files = [Path(folder, name) for folder, _, names in os.walk(ROOT) for name in names]
    inside = [path.relative_to(ROOT) for path in files if path.suffix != ".pyc"]
    suss_folders = {path.parent.as_posix() for path in inside if "suss" in path.as_posix() and path.parts[0][0] != "."}
    folders = {folder for folder in suss_folders if not folder.startswith(generated)}
    apart = {folder for folder in folders if not folders & {parent.as_posix() for parent in Path(folder).parents}}
    assert {"spec/suss", "conformance/stimuli/suss"} <= apart
    assert len(apart) <= 7, sorted(apart)


def test_the_toy_is_listed(checkout: Path) -> None:
    """``firstflight list`` prints its cases, one for each profile."""
    lines = firstflight(checkout, "list", "--algorithm", "toy").splitlines()
    assert [line.split()[0] for line in lines] == ["toy.exit.at-the-limit@twelve", "toy.exit.at-the-limit@thirteen"]


def test_the_toy_is_judged(checkout: Path) -> None:
    """The runner judges the adapter of the model on the toy."""
    report = checkout / "report.json"
    firstflight(checkout, "run", "--adapter", "python-model", "--algorithm", "toy", "--report-json", str(report))
    (adapter,) = json.loads(report.read_text("utf-8"))["adapters"]
    verdicts = {result["case"]: result["verdict"] for result in adapter["results"]}
    assert verdicts == {"toy.exit.at-the-limit@twelve": "pass", "toy.exit.at-the-limit@thirteen": "pass"}


def test_the_mutants_of_the_toy_are_killed(checkout: Path) -> None:
    """The only vector kills both mutants."""
    output = firstflight(checkout, "dev", "mutants", "--algorithm", "toy", "--jobs", "1")
    assert "score: 2 of 2 mutants killed" in output


def test_the_toy_is_documented(checkout: Path) -> None:
    """The generated pages include the toy."""
    run(checkout, "-c", PAGES)
