"""Archives have the same bytes wherever they are built, and work in an empty folder."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from dist import archive, contents
from firstflight.controller import ALGORITHMS
from firstflight_conformance.paths import ROOT, VECTORS
from firstflight_conformance.version import __version__

#: Contents of the archives, with only some of the vectors.
PARTS = (
    "LICENSE", "spec", "reference-py", "reference-c", "conformance/src", "conformance/dist", "conformance/plain", "conformance/include", "conformance/pyproject.toml", "conformance/README.md",
    "conformance/adapters", "conformance/results", "conformance/loaders", "conformance/scenarios", "conformance/stimuli", "conformance/simulator", "conformance/presets", "conformance/packetdrill",
    "vectors/LICENSE", "vectors/manifest.json", "vectors/slow-start", "vectors/transfer-time",
)  # fmt: skip
TUTORIAL = ROOT / "conformance" / "adapters" / "tutorial"


def python(*arguments: object, cwd: Path, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 or not check, done.stdout + done.stderr
    return done


def made(root: Path, umask: int) -> Path:
    """Build the archives in a copy of the checkout, with this umask; return their folder."""
    before = os.umask(umask)
    try:
        for part in PARTS:
            place = root / part
            place.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / part).is_dir():
                shutil.copytree(
                    ROOT / part, place, ignore=shutil.ignore_patterns("__pycache__"), copy_function=shutil.copyfile
                )
            else:
                shutil.copyfile(ROOT / part, place)
        for script in (root / "conformance").rglob("*.sh"):
            script.chmod(0o777 & ~umask)
        sources = os.pathsep.join(str(root / part) for part in ("reference-py/src", "conformance/src", "conformance"))
        python("-m", "dist", cwd=root, PYTHONPATH=sources, PYTHONDONTWRITEBYTECODE="1")
    finally:
        os.umask(before)
    return root / "build" / "dist"


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("one") / "checkout", 0o022)


@pytest.fixture(scope="module")
def installed(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack both wheels, as pip does, into an empty folder."""
    folder = tmp_path_factory.mktemp("installed")
    wheels = sorted(archives.glob("*.whl"))
    assert len(wheels) == 2
    python("-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", folder, *wheels, cwd=folder)
    return folder


def test_archives_are_reproducible(archives: Path, tmp_path: Path) -> None:
    """The archives have the same bytes in another folder and with another umask."""
    again = made(tmp_path / "elsewhere" / "quite another name", 0o077)
    assert (archives / "SHA256SUMS").read_text("utf-8") == (again / "SHA256SUMS").read_text("utf-8")
    names = {path.name for path in archives.iterdir()}
    assert names == {
        "SHA256SUMS", f"firstflight-vectors-{__version__}.tar.gz", f"firstflight-c-{__version__}.tar.gz",
        f"firstflight-{__version__}.tar.gz", f"firstflight-{__version__}-py3-none-any.whl",
        f"firstflight_conformance-{__version__}.tar.gz", f"firstflight_conformance-{__version__}-py3-none-any.whl",
    }  # fmt: skip


def test_checksums_match_the_files(archives: Path) -> None:
    files = [path for path in archives.iterdir() if path.name != "SHA256SUMS"]
    assert (archives / "SHA256SUMS").read_text("utf-8") == archive.checksums(files)


def test_archives_contain_neither_owner_nor_current_time(archives: Path) -> None:
    """Archives contain neither an owner nor the current time, and all files are readable by everyone."""
    for path in archives.glob("*.tar.gz"):
        with tarfile.open(path) as tar:
            for entry in tar:
                assert (entry.uid, entry.gid, entry.uname, entry.gname) == (0, 0, "", "")
                assert entry.mtime == archive.EPOCH_S
                assert entry.mode in (0o644, 0o755)
                assert "__pycache__" not in entry.name


def test_commands_run_without_a_checkout(installed: Path, tmp_path: Path) -> None:
    """The commands run from the wheels alone in an empty folder."""
    quick = tmp_path / "cc"  # with optimisation the build takes longer than the computation
    quick.write_text('#!/bin/sh\nexec cc "$@" -O0\n', encoding="utf-8")
    quick.chmod(0o755)
    place = {
        "PYTHONPATH": str(installed),
        "COLUMNS": "120",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "CC": str(quick),
    }

    def firstflight(*arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return python("-m", "firstflight_conformance", *arguments, cwd=tmp_path, check=check, **place)

    where = python(
        "-c",
        "import firstflight, firstflight_conformance as c; print(firstflight.__file__, c.__file__)",
        cwd=tmp_path,
        **place,
    )
    assert where.stdout.count(str(installed)) == 2
    assert firstflight("--version").stdout.strip().endswith(__version__)
    shutil.copy(TUTORIAL / "adapter.py", tmp_path / "my_adapter.py")
    first = firstflight("run", "--adapter", f"{sys.executable} my_adapter.py", "--algorithm", "slow-start", check=False)
    assert (first.returncode, "slow-start.avoidance.grow" in first.stdout) == (1, True), first.stderr
    shutil.copy(TUTORIAL / "adapter_fixed.py", tmp_path / "my_adapter.py")
    firstflight("run", "--adapter", f"{sys.executable} my_adapter.py", "--algorithm", "slow-start")
    firstflight(
        "run",
        "--closed-loop",
        "--adapter",
        f"{sys.executable} my_adapter.py",
        "--id",
        "stimulus:shallow-queue@slow-start/rfc-9002",
    )
    firstflight("run", "--adapter", "python-model", "--id", "slow-start.avoidance.per-packet@rfc-9002")
    assert "avoidance" in firstflight("show", "slow-start.avoidance.per-packet@rfc-9002").stdout
    firstflight("list", "--algorithm", "slow-start")
    firstflight("dev", "vectors", "--flat", "flat")
    assert (
        json.loads((tmp_path / "flat" / "slow-start" / "rfc-9002.ndjson").open(encoding="utf-8").readline())["cases"]
        > 40
    )
    path = ("--rate-bps", "10Mbit/s", "--rtt-ns", "100ms", "--size-bytes", "1MB")
    assert "ms" in firstflight("model", "slow-start", *path).stdout
    published = ("--rate-mbps", "10", "--one-way-delay-ms", "20", "--size-bytes", "100000")
    fct = firstflight("fct", "--algorithm", "jumpstart", *published)
    assert "ms" in fct.stdout
    cell = ("--algorithm", "search/draft-09", "--rate", "1Mbit/s", "--rtt", "50ms", "--size", "100kB")
    assert "1 rows in rows.csv" in firstflight("sweep", "rows.csv", *cell).stdout
    assert len(list((tmp_path / "cache" / "firstflight").iterdir())) == 1
    place["CC"] = "no-such-compiler"
    refused = firstflight("fct", "--algorithm", "jumpstart", *published, check=False)
    assert (refused.returncode, "install one, or set CC to its command" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    "command",
    [
        ["dev", "check"],
        ["dev", "mutants"],
        ["dev", "vectors"],
        ["dev", "vectors", "--check"],
        ["dev", "results"],
        ["dev", "results", "--check"],
        ["judge-kernel"],
        ["dev", "history", "quiche"],
    ],
)
def test_missing_checkout_is_reported(installed: Path, tmp_path: Path, command: list[str]) -> None:
    done = python("-m", "firstflight_conformance", *command, cwd=tmp_path, check=False, PYTHONPATH=str(installed))
    assert (done.returncode, "needs the checkout" in done.stderr) == (2, True), done.stderr


def test_a_loader_is_short() -> None:
    """Each loader is at most 400 lines long, because the README asks users to read it before they copy it."""
    folder = ROOT / "conformance" / "loaders"
    loaders = [*folder.glob("*/[fF]lat.*"), *folder.glob("*/src/flat.*")]
    assert len(loaders) == 8  # seven languages; C has a header as well
    assert all(len(path.read_text("utf-8").splitlines()) <= 400 for path in loaders)


def test_archive_readme_lists_all_algorithms() -> None:
    """The README of the archive lists the titles of all algorithms."""
    readme = (ROOT / "conformance" / "loaders" / "ARCHIVE.md").read_text("utf-8")
    titles = {algorithm.title for algorithm in ALGORITHMS.values()} - {"NewReno", "Transfer times"}
    assert not [title for title in titles if title not in readme]
    assert "{unpacked} MB" in readme


def test_archive_contains_every_vector_file(tmp_path: Path) -> None:
    """Every file of the vectors is in the archive, but no build folder of a loader."""
    archive.copy(VECTORS, tmp_path / "vectors")
    files = {path.relative_to(VECTORS) for path in VECTORS.rglob("*") if path.is_file()}
    assert files == {
        path.relative_to(tmp_path / "vectors") for path in (tmp_path / "vectors").rglob("*") if path.is_file()
    }
    contents.port(tmp_path / "c")
    assert (tmp_path / "c" / "Makefile").read_bytes() == (ROOT / "reference-c" / "install.mk").read_bytes()
